/* Tests that contradict themselves.
 *
 * The start is tested several times, early accepted steps and a sample of the later ones twice, the
 * result several times again (slow tests less often, but often enough that a wrong result passes
 * with less than 0.1%: reduce_knobs.h). Two different answers about one text mean that the test is
 * flaky. From then on a question is asked until "interesting" leads by REDUCE_FLAKE_LEAD answers (a
 * sequential test; one "no" at the start ends it), and the current pair is verified the same way:
 * where it fails, we fall back to the newest remembered pair that holds. A sanitizer's report is
 * different: what it saw once is real, and no number of other answers clears the program. */
#include "base/quantity.h"
#include "reduce/reduce_knobs.h"
#include "reduce/reducer.h"

static void found_out(Reducer *r, Str why) {
    r->contradictions++;
    if (r->flaky) return;
    r->flaky = true;
    live_say(&r->live,
             "the test gives different answers for the same program (" STR_FMT
             "): from now on every step is tested until 'interesting' leads by %d answers",
             STR_ARG(why), REDUCE_FLAKE_LEAD);
}

/* By the sequential test, whatever the first answer is: yes or no with the same certainty. */
static bool verify_surely(Reducer *r, ReduceAnswer *answer) {
    int lead = 0;
    bool was = r->flaky;
    r->flaky = false; /* one answer at a time */
    while (lead < REDUCE_FLAKE_LEAD && lead > -REDUCE_FLAKE_LEAD && !run_interrupted()) {
        *answer = reducer_ask_now(r);
        if (answer->cancelled) break;
        lead += answer->yes ? 1 : -1;
        if (r->undefined) lead = -REDUCE_FLAKE_LEAD;
    }
    r->flaky = was;
    return lead >= REDUCE_FLAKE_LEAD;
}

bool reducer_verify(Reducer *r, Runs runs, bool learn, ReduceAnswer *answer) {
    *answer = (ReduceAnswer){ .side = VARIANT };
    arena_clear(&r->said);
    if (r->flaky) return verify_surely(r, answer);
    unsigned yes = 0, no = 0;
    double began = clock_now();
    for (unsigned i = 0; i < runs.quick && !run_interrupted(); i++) {
        if (i == runs.slow && yes == i && clock_now() - began > i * REDUCE_SLOW_TEST) break;
        ReduceAnswer one = reducer_ask_now(r);
        if (!i || !one.yes) *answer = one;
        if (one.cancelled) break;
        if (i == 0 && one.yes && learn && one.has_seen)
            property_learn(r->side[VARIANT].property, &one.seen);
        yes += one.yes;
        no += !one.yes;
        if (r->undefined) return false;
        /* A clear no needs no more than three answers, a slow one two. */
        bool slow = clock_now() - began > no * REDUCE_SLOW_TEST;
        if (!yes && no >= (slow ? 2u : 3u)) break;
    }
    if (yes && no) {
        found_out(r, answer->why);
        return verify_surely(r, answer);
    }
    return yes && !no;
}

/* Tokens of everything that is left. */
static size_t size_of(const Reducer *r) {
    return r->side[VARIANT].doc.count + (r->pair ? r->side[SEED].doc.count : 0);
}

void reducer_remember(Reducer *r, bool always) {
    size_t size = size_of(r);
    if (!always && r->past.len && size * 10 > r->past_size * 9) return;
    Past past = { { 0 }, { 0 } };
    for (int s = 0; s < SIDES; s++) {
        if (!r->side[s].on) continue;
        Str text = doc_text(&r->side[s].doc);
        past.text[s] = mem_alloc(text.len + 1);
        memcpy(past.text[s], text.at, text.len);
        past.len[s] = text.len;
    }
    vec_push(&r->past, past);
    r->past_size = size;
}

static void load_newest(Reducer *r) {
    Past past = vec_pop(&r->past);
    for (int s = 0; s < SIDES; s++) {
        if (r->side[s].on && past.text[s]) /* a side that was off did not change then */
            doc_load(&r->side[s].doc, (Str){ past.text[s], past.len[s] });
        mem_free(past.text[s]);
    }
    r->undone = true;
}

bool reducer_fall_back(Reducer *r) {
    while (r->past.len) {
        load_newest(r);
        ReduceAnswer answer = { 0 };
        if (r->flaky ? verify_surely(r, &answer) : (answer = reducer_ask_now(r)).yes) {
            reducer_remember(r, true);
            return true;
        }
        if (run_interrupted() || answer.cancelled) return true;
    }
    return false;
}

/* ---- milestones ---- */
bool reducer_thorough(Reducer *r, bool on) {
    bool more = false;
    for (int s = 0; s < SIDES; s++)
        if (r->side[s].on) more |= property_thorough(r->side[s].property, on);
    return more;
}

/* Checked at every halving; once it was another bug, and where not every question can check it, at
 * every tenth. */
static bool is_due(const Reducer *r, size_t size) {
    return size * 2 <= r->milestone || (r->slipped && size * 10 <= r->milestone * 9);
}

/* Asked with all sanitizers. Only their own no counts here: a test that flakes is detected
 * elsewhere, and where the time is over the end's own test decides. */
static bool is_defined(Reducer *r, Str *why) {
    ReduceAnswer answer = { .yes = true };
    if (reducer_thorough(r, true)) answer = reducer_ask_now(r);
    reducer_thorough(r, false);
    *why = answer.why;
    if (answer.yes || answer.cancelled || !answer.unclean) return true;
    property_beware(r->side[answer.side].property);
    return false;
}

static bool is_given_bug(Reducer *r, Str *why) {
    return !r->bucket || r->insists ||
           property_same_bug(r->side[VARIANT].property, r->pool, &r->said,
                             doc_text(&r->side[VARIANT].doc), why);
}

/* Goes back to the newest remembered pair that is it. */
static bool go_back(Reducer *r) {
    while (r->past.len && !run_interrupted()) {
        Str why;
        load_newest(r);
        if (!is_defined(r, &why) || !is_given_bug(r, &why)) continue;
        reducer_remember(r, true);
        r->milestone = size_of(r);
        return true;
    }
    return false;
}

/* Goes back; what was overlooked is asked by every question from now on. */
static bool leave(Reducer *r, const char *what, Str why) {
    live_say(&r->live, "this is %s now (" STR_FMT "): going back to the last that was not", what,
             STR_ARG(why));
    for (int s = 0; s < SIDES; s++) map_release(&r->side[s].cache), r->side[s].cache = (Map){ 0 };
    if (!go_back(r)) r->stop = true;
    return false;
}

bool reducer_milestone(Reducer *r, bool now) {
    size_t size = size_of(r);
    Str why;
    bool more = reducer_thorough(r, false) || (r->bucket && !r->insists);
    if (!more || (!now && !is_due(r, size))) return true;
    r->milestone = size;
    if (!is_defined(r, &why)) return leave(r, "undefined", why);
    if (is_given_bug(r, &why)) return true;
    r->slipped = true;
    r->insists = property_insist(r->side[VARIANT].property);
    return leave(r, "another bug", why);
}

/* Tests the candidate's texts once more. */
static bool again(Reducer *r, const Candidate *c, Str *why) {
    for (int s = 0; s < SIDES; s++)
        if (c->side[s].touched && !reducer_ask_text(r, s, c->side[s].text, why)) return false;
    return true;
}

bool reducer_confirm(Reducer *r, const Candidate *c) {
    if (r->flaky) return true; /* the question itself was repeated */
    if (r->accepted >= REDUCE_CONFIRM_FIRST && r->accepted % REDUCE_CONFIRM_EVERY) return true;
    double allowed = REDUCE_CONFIRM_SECONDS + REDUCE_CONFIRM_SHARE * live_elapsed(&r->live);
    if (r->confirm_s > allowed) return true;
    double began = clock_now();
    Str why = { 0 };
    arena_clear(&r->said);
    bool same = again(r, c, &why);
    r->confirm_s += clock_now() - began;
    if (same) return true;
    if (r->stop || r->undefined) return false;
    found_out(r, why);
    ReduceAnswer answer;
    if (!verify_surely(r, &answer) && !reducer_fall_back(r)) r->stop = true;
    return false;
}
