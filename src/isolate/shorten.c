/* See shorten.h. Greedy: the list of cuts is walked from where the last one was taken, with many
 * candidates in flight (speculate.h), until a whole walk takes none: then no cut of the program
 * fails any more. Texts that were judged before are not judged again. */
#include "isolate/shorten.h"
#include "cfront/cfront.h"
#include "isolate/cuts.h"
#include "shrink/speculate.h"

typedef struct Shorten {
    Isolation *iso;
    const Cuts *cuts; /* of the program as it is now */
    bool fine;        /* tokens, too */
    bool modelled; /* clang can read the program, so it must be able to read what is made from it */
    const char *const *clang;
    size_t start;    /* the walk begins here and goes round */
    Map seen;        /* hashes of texts that did not fail, or not cleanly */
    size_t right_of; /* the first candidate of the round that failed so far; SIZE_MAX: none */
    Str right;       /* its output, compiled right; in iso->arena */
    int code;        /* and its exit status */
} Shorten;

static const Cut *cut_at(const Shorten *s, size_t i) {
    return &s->cuts->at[(s->start + i) % s->cuts->len];
}

static bool was_seen(Shorten *s, Str text) {
    Hash hash = str_hash128(text);
    uint64_t value;
    return map_get(&s->seen, (Str){ (const char *)&hash, sizeof hash }, &value);
}

static void put_seen(Shorten *s, Str text) {
    Hash hash = str_hash128(text);
    map_put(&s->seen, (Str){ (const char *)&hash, sizeof hash }, 1);
}

/* What clang rejects is not a program: that is known in a tenth of the time judging it takes. */
static bool parses(const Shorten *s, Str text) {
    if (!s->modelled) return true;
    Arena scratch = { 0 };
    CfrontOptions opts = { .args = s->clang };
    bool good = cfront_parse(&scratch, text, &opts, NULL) != NULL;
    arena_release(&scratch);
    return good;
}

static SpecMade make(void *user, size_t i, Job **out, bool *good) {
    Shorten *s = user;
    if (i >= s->cuts->len || isolation_over(s->iso)) return SPEC_END;
    *good = false;
    const Cut *cut = cut_at(s, i);
    if ((cut->fine && !s->fine) || was_seen(s, cut->text)) return SPEC_KNOWN;
    if (!parses(s, cut->text)) {
        put_seen(s, cut->text);
        return SPEC_KNOWN;
    }
    JudgeJob *job = mem_alloc(sizeof *job);
    judge_init(job, s->iso->subject, cut_at(s, i)->text);
    job->fail = s->iso->fail;
    job->clean = subject_runs(s->iso->subject) ? s->iso->clean : NULL;
    job->skip = s->iso->skip;
    job->clean_failure = true;
    *out = &job->job;
    return SPEC_RUN;
}

/* The first that fails is taken; later ones may end after it, with outputs of their own. */
static bool fails(void *user, size_t i, Job *job) {
    Shorten *s = user;
    JudgeJob *j = (JudgeJob *)job;
    if (j->outcome != JUDGED_FAILS) return false;
    if (i < s->right_of) {
        s->right_of = i;
        s->right = arena_str(&s->iso->arena, j->plain);
        s->code = j->plain_code;
    }
    return true;
}

static void drop(void *user, size_t i, Job *job) {
    Shorten *s = user;
    JudgeJob *j = (JudgeJob *)job;
    /* one that failed after the first, or was cancelled, may be the first another time */
    if (!job->cancelled && j->outcome != JUDGED_FAILS) put_seen(s, cut_at(s, i)->text);
    isolation_tick(s->iso);
    s->iso->stats.compiled++;
    s->iso->stats.judge_s += job->cpu_s;
    judge_end(j);
    mem_free(j);
}

/* Makes one more cut; false when none of them fails. */
static bool one_less(Shorten *s) {
    Isolation *iso = s->iso;
    Arena arena = { 0 };
    Cuts cuts = { 0 };
    cuts_make(&arena, iso->subject->source, s->clang, &cuts);
    s->cuts = &cuts;
    s->right_of = SIZE_MAX;
    if (s->start >= cuts.len) s->start = 0;
    SpecSource source = { s, make, fails, drop };
    size_t found = cuts.len ? speculate(iso->pool, &source) : SHRINK_NONE;
    bool taken = found != SHRINK_NONE && found != SHRINK_STOP;
    if (taken) {
        if (!iso->shortened) iso->given = iso->subject->source;
        iso->subject->source = arena_str(&iso->arena, cut_at(s, found)->text);
        iso->subject->expected = s->right;
        iso->subject->code = s->code;
        s->start = (s->start + found) % cuts.len;
        iso->shortened++;
    }
    vec_release(&cuts);
    arena_release(&arena);
    return taken;
}

void shorten_program(Isolation *iso) {
    Shorten s = { .iso = iso, .clang = subject_clang(iso->subject) };
    iso->doing = "shorter program";
    s.modelled = true;
    s.modelled = parses(&s, iso->subject->source);
    for (int fine = 0; fine < 2; fine++) {
        s.fine = fine;
        while (!isolation_over(iso) && one_less(&s)) {
        }
    }
    map_release(&s.seen);
}
