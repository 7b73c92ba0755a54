/* See reducer.h. */
#include "reduce/reducer.h"
#include "base/quantity.h"
#include "reduce/reduce_knobs.h"
#include "tree/gumtree.h"

/* ---- phases ---- */
PhaseStats *reducer_stats(Reducer *r) {
    return &r->phases.at[r->phase];
}

static void end_phase(Reducer *r) {
    if (!r->phases.len) return;
    reducer_stats(r)->wall_s += clock_now() - r->phase_began;
    reducer_stats(r)->cpu_s += run_children_cpu() - r->phase_cpu;
}

void reducer_phase_part(Reducer *r, const char *name, const char *part) {
    end_phase(r);
    r->phase_began = clock_now();
    r->phase_cpu = run_children_cpu();
    for (r->phase = 0; r->phase < r->phases.len; r->phase++) {
        const PhaseStats *p = reducer_stats(r);
        if (strcmp(p->name, name) == 0 &&
            (p->part == part || (p->part && part && !strcmp(p->part, part))))
            return;
    }
    vec_push(&r->phases, ((PhaseStats){ .name = name, .part = part }));
}

void reducer_phase(Reducer *r, const char *name) {
    reducer_phase_part(r, name, NULL);
}

/* ---- questions ---- */
/* The next process of the question; false when it is answered. */
static bool question_step(Job *job, const RunResult *last, RunSpec *next) {
    Question *q = (Question *)job;
    while (!asking_step(&q->ask[q->at], last, next)) {
        Asking *a = &q->ask[q->at];
        reducer_stats(q->r)->tests++;
        reducer_stats(q->r)->rejected += !a->interesting && a->rejected;
        reducer_stats(q->r)->said_yes += a->interesting;
        asking_end(a);
        last = NULL;
        if (!a->interesting) q->no_side = q->which[q->at];
        bool all = a->interesting && q->at + 1 == q->n;
        if (a->interesting && !all) {
            q->at++;
            continue;
        }
        q->lead += all ? 1 : -1;
        q->yes = all && (!q->r->flaky || q->lead >= REDUCE_FLAKE_LEAD);
        if (!q->r->flaky || q->yes || q->lead <= 0 || a->undefined) return false;
        for (int i = 0; i < q->n; i++) {
            Asking fresh = { .property = q->ask[i].property,
                             .text = q->ask[i].text,
                             .arena = &job->arena };
            q->ask[i] = fresh;
        }
        q->at = 0;
    }
    return true;
}

/* The side more likely to say no is asked first. */
static bool variant_first(const Reducer *r) {
    const Side *s = &r->side[SEED], *v = &r->side[VARIANT];
    return (double)(v->fell + 1) * (double)(s->asked + 2) >=
           (double)(s->fell + 1) * (double)(v->asked + 2);
}

Question *question_new(Reducer *r, const Str *text, const bool *touched) {
    Question *q = mem_alloc(sizeof *q);
    q->r = r;
    q->job.step = question_step;
    q->no_side = -1;
    bool first = variant_first(r);
    for (int k = 0; k < SIDES; k++) {
        int side = (k == 0) == first ? VARIANT : SEED;
        if (!touched[side]) continue;
        q->which[q->n] = side;
        q->ask[q->n++] = (Asking){ .property = r->side[side].property,
                                   .text = text[side],
                                   .arena = &q->job.arena };
    }
    return q;
}

void question_free(Question *q) {
    for (int i = 0; i < q->n; i++) asking_end(&q->ask[i]);
    arena_release(&q->job.arena);
    mem_free(q);
}

/* ---- the cache ---- */
enum { UNKNOWN, NO, YES };

static Str cache_key(const Hash *hash) {
    return (Str){ (const char *)hash, sizeof *hash };
}

/* Of the text and of the files beside it. */
static Hash hash_of(const Reducer *r, int side, Str text) {
    return fileset_hash(&r->side[side].files, text);
}

static int cached(const Reducer *r, int side, Str text) {
    Hash hash = hash_of(r, side, text);
    uint64_t value = UNKNOWN;
    map_get(&r->side[side].cache, cache_key(&hash), &value);
    return (int)value;
}

static void remember_answer(Reducer *r, int side, Str text, bool yes) {
    Hash hash = hash_of(r, side, text);
    r->side[side].asked++;
    r->side[side].fell += !yes;
    if (!r->flaky) map_put(&r->side[side].cache, cache_key(&hash), yes ? YES : NO);
}

/* Keeps what the answer says of the failing side's program when it is right. */
static void learn_right(Reducer *r, const Question *q) {
    for (int i = 0; i < q->n; i++) {
        const Asking *a = &q->ask[i];
        if (q->which[i] == VARIANT && a->interesting && a->has_right)
            rights_put(&r->rights, hash_of(r, VARIANT, a->text), a->right, a->code);
    }
}

const Right *reducer_right(const Reducer *r) {
    return rights_find(&r->rights, hash_of(r, VARIANT, doc_text(&r->side[VARIANT].doc)));
}

/* What the answers said about each side asked. */
static void learn(Reducer *r, const Question *q) {
    learn_right(r, q);
    for (int i = 0; i <= q->at && i < q->n; i++)
        if (i < q->at || q->yes || q->no_side == q->which[i])
            remember_answer(r, q->which[i], q->ask[i].text, q->no_side != q->which[i]);
}

/* ---- the measure ---- */
Measure measure_of(Reducer *r) {
    Measure m = { 0 };
    reducer_count_difference(r);
    m.difference = r->difference;
    m.variant = r->side[VARIANT].doc.count;
    m.bytes = doc_text(&r->side[VARIANT].doc).len;
    if (r->pair) m.seed = r->side[SEED].doc.count, m.bytes += doc_text(&r->side[SEED].doc).len;
    return m;
}

bool measure_less(const Measure *a, const Measure *b) {
    if (a->difference != b->difference) return a->difference < b->difference;
    if (a->variant != b->variant) return a->variant < b->variant;
    if (a->seed != b->seed) return a->seed < b->seed;
    return a->bytes < b->bytes;
}

/* Of the pair as the candidate would make it. */
static Measure measure_candidate(const Reducer *r, const Candidate *c) {
    Measure m = { 0 };
    Tree tree[SIDES];
    for (int s = 0; s < SIDES; s++) {
        const Doc *doc = &r->side[s].doc;
        Str text = c->side[s].touched ? c->side[s].text : doc_text(doc);
        tree_parse(doc->lang, text, &tree[s]);
        m.bytes += text.len;
    }
    DiffHunks hunks = { 0 };
    tree_diff_tokens(&tree[SEED], &tree[VARIANT], &hunks);
    m.difference = diff_size(&hunks);
    m.variant = tree[VARIANT].tokens.len;
    m.seed = tree[SEED].tokens.len;
    vec_release(&hunks);
    for (int s = 0; s < SIDES; s++) tree_release(&tree[s]);
    return m;
}

static Hash pair_hash(const Reducer *r, const Candidate *c) {
    Hash all = { 0 };
    for (int s = 0; s < SIDES; s++) {
        const DocChange *change = &c->side[s];
        Hash one = hash_of(r, s, change->touched ? change->text : doc_text(&r->side[s].doc));
        all.hi = all.hi * 31 + one.hi, all.lo = all.lo * 31 + one.lo;
    }
    return all;
}

/* The measure only ever decreases: what is not smaller now never will be. */
static bool is_larger(const Reducer *r, const Candidate *c) {
    if (!r->pair || !r->larger.len) return false;
    Hash hash = pair_hash(r, c);
    return map_get(&r->larger, cache_key(&hash), NULL);
}

static bool makes_smaller(Reducer *r, const Candidate *c) {
    if (!r->pair || r->blind) return true;
    static const Candidate nothing = { 0 };
    if (r->difference > REDUCE_ALIGN_MOST) return true; /* until the first reducer has run */
    Measure now = measure_candidate(r, &nothing), then = measure_candidate(r, c);
    if (measure_less(&then, &now)) return true;
    Hash hash = pair_hash(r, c);
    map_put(&r->larger, cache_key(&hash), 1);
    return false;
}

/* ---- the first success ---- */
typedef struct Held {
    size_t i;
    Candidate *c;
    Question *q;
    Effort took[SIDES]; /* the test, where it was asked and said yes */
    double cpu_s;       /* of that answer */
} Held;

typedef struct ReduceSearch {
    Reducer *r;
    Propose propose;
    void *user;
    VEC(Held) held; /* in flight, or known to be good */
} ReduceSearch;

static void candidate_free(Candidate *c) {
    arena_release(&c->arena);
    mem_free(c);
}

/* What is known about the candidate without running anything. */
static int known(Reducer *r, Candidate *c) {
    int answer = YES;
    bool any = false;
    for (int s = 0; s < SIDES; s++) {
        DocChange *change = &c->side[s];
        if (!change->touched) continue;
        if (str_eq(change->text, doc_text(&r->side[s].doc))) {
            change->touched = false;
            continue;
        }
        any = true;
        int one = r->flaky ? UNKNOWN : cached(r, s, change->text);
        if (one == NO) {
            reducer_stats(r)->cached++;
            return NO;
        }
        if (one == UNKNOWN) answer = UNKNOWN;
    }
    if (!any || is_larger(r, c)) return NO;
    if (answer == YES) reducer_stats(r)->cached++;
    for (int s = 0; s < SIDES && answer == UNKNOWN && !r->blind && !c->unasked; s++)
        if (c->side[s].touched && doc_worse(&r->side[s].doc, &c->side[s])) {
            reducer_stats(r)->refused++;
            return NO;
        }
    return answer;
}

static SpecMade make(void *user, size_t i, Job **job, bool *good) {
    ReduceSearch *s = user;
    Reducer *r = s->r;
    if (r->until > 0 && clock_now() > r->until) r->stop = true;
    if (r->stop) return SPEC_END;
    Candidate *c = mem_alloc(sizeof *c);
    if (!s->propose(s->user, i, c)) {
        candidate_free(c);
        return SPEC_END;
    }
    reducer_show(r);
    int answer = known(r, c);
    const Doc *doc = &r->side[VARIANT].doc;
    if (answer == UNKNOWN && !r->blind && stuck_knows(&r->stuck, doc, &c->side[VARIANT])) {
        reducer_stats(r)->refused++;
        answer = NO;
    }
    if (answer == NO) {
        candidate_free(c);
        *good = false;
        return SPEC_KNOWN;
    }
    Held held = { .i = i, .c = c };
    *good = true;
    if (answer == UNKNOWN) {
        Str text[SIDES];
        bool touched[SIDES];
        for (int k = 0; k < SIDES; k++) {
            touched[k] = c->side[k].touched && (r->flaky || cached(r, k, c->side[k].text) != YES);
            text[k] = c->side[k].text;
        }
        held.q = question_new(r, text, touched);
        *job = &held.q->job;
    }
    vec_push(&s->held, held);
    return answer == UNKNOWN ? SPEC_RUN : SPEC_KNOWN;
}

static size_t held_at(const ReduceSearch *s, size_t i) {
    size_t k = 0;
    while (k < s->held.len && s->held.at[k].i != i) k++;
    CHECK(k < s->held.len);
    return k;
}

static bool judge(void *user, size_t i, Job *job) {
    ReduceSearch *s = user;
    Question *q = (Question *)job;
    Stuck *stuck = &s->r->stuck;
    learn(s->r, q);
    bool endless = stuck_took(stuck, job->cpu_s) || (q->at < q->n && q->ask[q->at].endless);
    if (!q->yes && q->no_side == VARIANT && endless)
        stuck_note(stuck, i, &s->r->side[VARIANT].doc, &s->held.at[held_at(s, i)].c->side[VARIANT]);
    return q->yes;
}

static void drop(void *user, size_t i, Job *job) {
    ReduceSearch *s = user;
    Held *held = &s->held.at[held_at(s, i)];
    Question *q = (Question *)job;
    reducer_stats(s->r)->killed += job->cancelled;
    bool yes = q->yes && !job->cancelled;
    if (yes) held->cpu_s = job->cpu_s;
    for (int k = 0; k < q->n && yes; k++) held->took[q->which[k]] = q->ask[k].took;
    question_free(q);
    held->q = NULL;
    if (yes) return;
    candidate_free(held->c);
    *held = vec_last(&s->held);
    s->held.len--;
}

static void accept(Reducer *r, const Held *held) {
    Candidate *c = held->c;
    for (int s = 0; s < SIDES; s++) {
        Doc *doc = &r->side[s].doc;
        size_t before = doc->count;
        if (!c->side[s].touched) continue;
        property_took(r->side[s].property, held->took[s]);
        doc_accept(doc, &c->side[s]);
        if (doc->count < before) reducer_stats(r)->tokens += before - doc->count;
    }
    if (held->cpu_s > 0) r->stuck.usual_s = held->cpu_s;
    reducer_stats(r)->accepted++;
    r->accepted++;
    if (!reducer_milestone(r, false)) return;
    reducer_remember(r, false);
    reducer_save(r, false);
}

#define REFUSED (SHRINK_STOP - 1) /* the first success was refused: there may be another */

static size_t first_once(Reducer *r, Propose propose, void *user) {
    ReduceSearch s = { .r = r, .propose = propose, .user = user };
    SpecSource source = { .user = &s, .make = make, .judge = judge, .drop = drop };
    size_t hit = r->stop || r->undone ? SHRINK_STOP : speculate(r->pool, &source);
    stuck_settle(&r->stuck, hit, r->side[VARIANT].doc.count);
    if (hit < SHRINK_STOP) {
        const Held *held = &s.held.at[held_at(&s, hit)];
        if (!makes_smaller(r, held->c))
            hit = REFUSED;
        else if (reducer_confirm(r, held->c))
            accept(r, held);
        else
            hit = r->undefined && !r->flaky ? REFUSED : SHRINK_NONE;
    }
    for (size_t k = 0; k < s.held.len; k++) candidate_free(s.held.at[k].c);
    vec_release(&s.held);
    if (hit == SHRINK_STOP && !r->undone) r->stop = true;
    return r->stop || r->undone ? SHRINK_STOP : hit;
}

size_t reducer_first(Reducer *r, Propose propose, void *user) {
    size_t hit;
    do hit = first_once(r, propose, user);
    while (hit == REFUSED);
    return hit;
}

/* ---- testing the current pair ---- */
static Question *ask(Reducer *r, const Str *text, const bool *touched) {
    Question *q = question_new(r, text, touched);
    pool_submit(r->pool, &q->job);
    Job *job = pool_next(r->pool);
    CHECK(job == &q->job);
    if (q->yes) r->stuck.usual_s = job->cpu_s;
    learn_right(r, q);
    return q;
}

static bool is_undefined(const Question *q) {
    bool undefined = false;
    for (int i = 0; i < q->n; i++) undefined |= q->ask[i].undefined;
    return undefined;
}

ReduceAnswer reducer_ask_now(Reducer *r) {
    Str text[SIDES] = { { 0 } };
    bool on[SIDES];
    for (int s = 0; s < SIDES; s++) {
        on[s] = r->side[s].on;
        if (on[s]) text[s] = doc_text(&r->side[s].doc);
    }
    Question *q = ask(r, text, on);
    ReduceAnswer answer = { .yes = q->yes && !q->job.cancelled,
                            .cancelled = q->job.cancelled,
                            .side = q->no_side < 0 ? VARIANT : q->no_side };
    r->undefined = is_undefined(q);
    if (r->undefined && q->no_side >= 0) remember_answer(r, q->no_side, text[q->no_side], false);
    for (int i = 0; i < q->n; i++) {
        const Asking *a = &q->ask[i];
        if (!answer.yes && q->which[i] == answer.side)
            answer.why = arena_str(&r->said, a->why), answer.unclean = a->unclean;
        if (q->which[i] != VARIANT) continue;
        answer.has_seen = a->has_seen, answer.seen = symptom_copy(&r->said, &a->seen);
    }
    question_free(q);
    return answer;
}

bool reducer_ask_text(Reducer *r, int side, Str text, Str *why) {
    Str texts[SIDES] = { { 0 } };
    bool on[SIDES] = { false };
    texts[side] = text;
    on[side] = true;
    Question *q = ask(r, texts, on);
    bool yes = q->yes && !q->job.cancelled;
    if (q->job.cancelled) r->stop = true;
    r->undefined = is_undefined(q);
    if (r->undefined) remember_answer(r, side, text, false); /* whatever was said before */
    if (why) *why = arena_str(&r->said, q->ask[0].why);
    question_free(q);
    return yes;
}

/* ---- what people see ---- */
void reducer_count_difference(Reducer *r) {
    r->difference = 0;
    if (!r->pair) return;
    DiffHunks hunks = { 0 };
    Tree tree[SIDES];
    for (int s = 0; s < SIDES; s++) parser_tree(r->side[s].doc.parser, &tree[s]);
    tree_diff_tokens(&tree[SEED], &tree[VARIANT], &hunks);
    r->difference = diff_size(&hunks);
    vec_release(&hunks);
    for (int s = 0; s < SIDES; s++) tree_release(&tree[s]);
}

void reducer_show(Reducer *r) {
    if (!live_due(&r->live)) return;
    PhaseStats all = { 0 };
    for (size_t i = 0; i < r->phases.len; i++) {
        all.tests += r->phases.at[i].tests;
        all.accepted += r->phases.at[i].accepted;
    }
    double seconds = live_elapsed(&r->live), rate = seconds > 0 ? (double)all.tests / seconds : 0;
    char left[32] = "?", sizes[96];
    if (rate > 0) quantity_show_duration((double)r->todo / rate, left);
    if (r->pair)
        snprintf(sizes, sizeof sizes, "seed %zu, variant %zu, difference %zu",
                 r->side[SEED].doc.count, r->side[VARIANT].doc.count, r->difference);
    else
        snprintf(sizes, sizeof sizes, "%zu tokens", r->side[VARIANT].doc.count);
    live_line(&r->live, "%s | %s | %.1f tests/s | %.0f%% taken | this sweep about %s%s",
              reducer_stats(r)->name, sizes, rate,
              all.tests ? 100.0 * (double)all.accepted / (double)all.tests : 0, left,
              r->flaky ? " | the test flakes" : "");
}

void reducer_save(Reducer *r, bool now) {
    if (!r->save || (!now && clock_now() - r->saved < REDUCE_SAVE_EVERY)) return;
    r->save(r->save_user, r);
    r->saved = clock_now();
}

void reducer_release(Reducer *r) {
    end_phase(r);
    for (int s = 0; s < SIDES; s++) {
        if (r->side[s].on) doc_release(&r->side[s].doc);
        map_release(&r->side[s].cache);
        fileset_release(&r->side[s].files);
        property_free(r->side[s].property);
    }
    for (size_t i = 0; i < r->past.len; i++)
        for (int s = 0; s < SIDES; s++) mem_free(r->past.at[i].text[s]);
    map_release(&r->larger);
    vec_release(&r->past);
    vec_release(&r->phases);
    arena_release(&r->said);
    rights_release(&r->rights);
    stuck_release(&r->stuck);
    if (r->pool) pool_free(r->pool);
}
