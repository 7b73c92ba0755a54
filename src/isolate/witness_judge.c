/* A ladder of ladders: each stage is a CcJob or the CleanJob, whose own rungs are passed through.
 */
#include "isolate/witness_judge.h"

enum Stage {
    STAGE_RIGHT,      /* wrong code: compiled and run the right way */
    STAGE_FAIL,       /* with the failing options */
    STAGE_PASS,       /* crash, hang: it also compiles with the passing options */
    STAGE_WHOLE,      /* strict: with the failing options as they were given */
    STAGE_HASH_RIGHT, /* strict: the same three with the hash of globals */
    STAGE_HASH_FAIL,
    STAGE_HASH_WHOLE,
    STAGE_CLEAN,
    STAGE_DONE,
};

const char *judgement_name(Judgement outcome) {
    static const char *const names[] = { "passes", "fails", "invalid", "other", "none" };
    return names[outcome];
}

static bool finish(JudgeJob *j, Judgement outcome, const char *why) {
    j->outcome = outcome;
    j->why = arena_strdup(&j->job.arena, why);
    j->stage = STAGE_DONE;
    return false;
}

static void begin_cc(JudgeJob *j, const Compiler *cc, const char *const *flags, Str source,
                     CcUntil until) {
    j->cc = ARENA_ARRAY(&j->job.arena, CcJob, 1); /* the one before is still in use */
    cc_job_init(j->cc, cc, flags, source, until);
    j->cc->compile_s = j->subject->compile_s;
    j->cc->run_s = j->subject->run_s;
    j->cc->load = true;
    j->cc->enough = j->subject->enough;
    j->cc->runs = &j->subject->runs;
    j->cc->input = j->subject->input;
    if (until == CC_UNTIL_ASSEMBLY && j->subject->cc.kind == CC_TCC) j->cc->until = CC_UNTIL_OBJECT;
    j->cc_open = true;
}

static void begin_stage(JudgeJob *j, int stage) {
    Subject *s = j->subject;
    j->stage = stage;
    bool hashed = stage >= STAGE_HASH_RIGHT && stage <= STAGE_HASH_WHOLE;
    bool whole = stage == STAGE_WHOLE || stage == STAGE_HASH_WHOLE;
    Str source = hashed ? j->hashed : j->source;
    const Compiler *right = s->has_ref ? &s->ref : &s->cc;
    switch (stage) {
    case STAGE_RIGHT:
    case STAGE_HASH_RIGHT: begin_cc(j, right, s->pass, source, CC_UNTIL_RUN); break;
    case STAGE_PASS: begin_cc(j, right, s->pass, source, CC_UNTIL_ASSEMBLY); break;
    case STAGE_FAIL:
    case STAGE_HASH_FAIL:
    case STAGE_WHOLE:
    case STAGE_HASH_WHOLE:
        begin_cc(j, &s->cc, whole ? s->fail : j->fail, source,
                 subject_runs(s) ? CC_UNTIL_RUN : CC_UNTIL_ASSEMBLY);
        j->cc->compare = subject_runs(s);
        j->cc->expected = j->right;
        j->cc->code = j->right_code;
        if (j->same_program && subject_runs(s)) j->cc->known = j->codes;
        break;
    default:
        clean_job_init(&j->cleaning, j->clean, j->source);
        j->cleaning.compare = true;
        j->cleaning.expected = j->plain;
        j->cleaning.code = j->plain_code;
        j->cleaning.skip = j->skip;
        j->cleaning.flags = s->beside;
        j->cleaning.run_s = s->run_s;
        break;
    }
}

/* The stage after a pass, if there is one. */
static bool after_pass(JudgeJob *j) {
    bool runs = subject_runs(j->subject), whole = j->whole && j->fail != j->subject->fail;
    if (j->same_program) return finish(j, JUDGED_PASSES, "");
    if (j->stage == STAGE_FAIL && !runs) return begin_stage(j, STAGE_PASS), true;
    if (whole && j->stage < STAGE_WHOLE) return begin_stage(j, STAGE_WHOLE), true;
    if (runs && j->stage < STAGE_HASH_RIGHT && j->hashed.len)
        return begin_stage(j, STAGE_HASH_RIGHT), true;
    if (whole && j->stage == STAGE_HASH_FAIL) return begin_stage(j, STAGE_HASH_WHOLE), true;
    if (runs && j->clean) return begin_stage(j, STAGE_CLEAN), true;
    return finish(j, JUDGED_PASSES, "");
}

/* The same code does the same: it need not be linked and run again. */
static bool known_code(JudgeJob *j) {
    uint64_t outcome;
    Str key = { (const char *)&j->cc->code_hash, sizeof j->cc->code_hash };
    if (j->cc->was_known && map_get(j->codes, key, &outcome)) {
        finish(j, (Judgement)outcome, "");
        return true;
    }
    VerdictKind kind = j->cc->verdict.kind;
    if (j->cc->known && (kind == VERDICT_OK || kind == VERDICT_WRONG))
        map_put(j->codes, key, kind == VERDICT_OK ? JUDGED_PASSES : JUDGED_FAILS);
    return false;
}

static bool judge_fail(JudgeJob *j) {
    const Verdict *v = &j->cc->verdict;
    Subject *s = j->subject;
    if (j->same_program && j->codes && known_code(j)) return false;
    if (v->kind == VERDICT_NONE) return finish(j, JUDGED_NONE, "not judged");
    if (v->kind == VERDICT_OK)
        return j->clean_failure ? finish(j, JUDGED_PASSES, "") : after_pass(j);
    if (v->kind == VERDICT_CRASH) j->crash_frames = arena_str(&j->job.arena, v->crash.frames);
    Symptom got = symptom_of_job(&j->job.arena, j->cc);
    if (symptom_same(&s->want, &got)) {
        if (!j->clean_failure || !j->clean || !subject_runs(s)) return finish(j, JUDGED_FAILS, "");
        begin_stage(j, STAGE_CLEAN);
        return true;
    }
    if (v->kind == VERDICT_REJECTED && s->front_end && !j->same_program)
        return j->refused = true, finish(j, JUDGED_PASSES, "refused by an error");
    if (v->kind == VERDICT_REJECTED || v->kind == VERDICT_LINK)
        return finish(j, JUDGED_INVALID, "does not compile");
    return finish(j, JUDGED_OTHER, verdict_name(v->kind));
}

/* Judges the stage that just ended; true when another one has begun. */
static bool next_stage(JudgeJob *j) {
    const Verdict *v = &j->cc->verdict;
    switch (j->stage) {
    case STAGE_RIGHT:
    case STAGE_HASH_RIGHT:
        if (v->kind != VERDICT_OK || j->cc->ran.end != RUN_EXITED)
            return finish(j, v->kind == VERDICT_NONE ? JUDGED_NONE : JUDGED_INVALID,
                          "no right answer");
        j->right = arena_str(&j->job.arena, j->cc->ran.out);
        j->right_code = j->cc->ran.code;
        if (j->stage == STAGE_RIGHT) j->plain = j->right, j->plain_code = j->right_code;
        begin_stage(j, j->stage + 1);
        return true;
    case STAGE_FAIL: return judge_fail(j);
    case STAGE_PASS:
        if (v->kind == VERDICT_OK) return after_pass(j);
        return finish(j, v->kind == VERDICT_NONE ? JUDGED_NONE : JUDGED_INVALID,
                      "fails with the passing options as well");
    case STAGE_WHOLE:
        if (v->kind == VERDICT_OK) return after_pass(j);
        return finish(j, JUDGED_FAILS, "passes with fewer optimisations only");
    case STAGE_HASH_FAIL:
    case STAGE_HASH_WHOLE:
        if (v->kind == VERDICT_OK) return after_pass(j);
        return finish(j, JUDGED_FAILS, "only hidden: fails with a hash of all globals");
    default:
        if (j->cleaning.result == CLEAN_YES)
            return finish(j, j->clean_failure ? JUDGED_FAILS : JUDGED_PASSES, "");
        return finish(j, j->cleaning.result == CLEAN_NO ? JUDGED_INVALID : JUDGED_NONE,
                      "undefined behaviour");
    }
}

static void close_cc(JudgeJob *j) {
    if (j->cc_open) cc_job_end(j->cc);
    j->cc_open = false;
}

static bool step(Job *base, const RunResult *last, RunSpec *next) {
    JudgeJob *j = (JudgeJob *)base;
    if (!last && j->strict) {
        if (!after_pass(j)) return false;
    } else if (!last) {
        j->right = j->plain = j->subject->expected;
        j->right_code = j->plain_code = j->subject->code;
        begin_stage(j, subject_runs(j->subject) && !j->same_program ? STAGE_RIGHT : STAGE_FAIL);
    }
    for (;;) {
        Job *inner = j->stage == STAGE_CLEAN ? &j->cleaning.job : &j->cc->job;
        if (inner->step(inner, last, next)) return true;
        last = NULL;
        CcJob *ended = j->cc;
        bool was_cc = j->cc_open && j->stage != STAGE_CLEAN, more = next_stage(j);
        if (was_cc) {
            if (!more || j->stage == STAGE_CLEAN) j->cc_open = false;
            cc_job_end(ended);
        } else if (inner == &j->cleaning.job)
            arena_release(&j->cleaning.job.arena);
        if (!more) return false;
    }
}

void judge_init(JudgeJob *job, Subject *s, Str source) {
    *job = (JudgeJob){
        .subject = s, .source = source, .fail = s->fail, .outcome = JUDGED_NONE, .why = ""
    };
    job->job.step = step;
}

void judge_again(JudgeJob *job) {
    CHECK(job->outcome == JUDGED_PASSES && job->stage == STAGE_DONE);
    job->strict = true;
    job->clean_failure = false;
    job->stage = STAGE_PASS;
    job->outcome = JUDGED_NONE;
    job->job.cpu_s = 0;
}

void judge_run(JudgeJob *job) {
    Pool *pool = pool_new(1);
    pool_submit(pool, &job->job);
    pool_next(pool);
    pool_free(pool);
}

void judge_end(JudgeJob *j) {
    if (j->stage == STAGE_CLEAN) arena_release(&j->cleaning.job.arena);
    close_cc(j);
    arena_release(&j->job.arena);
}
