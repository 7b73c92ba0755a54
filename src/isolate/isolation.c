/* See isolation.h. */
#include "isolation.h"
#include "base/quantity.h"

const char *witness_kind_name(WitnessKind kind) {
    static const char *const names[] = { "flag", "pass", "counter", "mutant", "seed", "suite" };
    return names[kind];
}

void isolation_init(Isolation *iso, Subject *s, Pool *pool, Live *live, uint64_t seed) {
    *iso = (Isolation){ .subject = s, .pool = pool, .live = live, .seed = seed };
    iso->started = clock_now();
    iso->fail = s->fail;
}

void isolation_release(Isolation *iso) {
    for (size_t i = 0; i < iso->failing.len; i++) bits_free(&iso->failing.at[i].bits);
    for (size_t i = 0; i < iso->witnesses.len; i++) bits_free(&iso->witnesses.at[i].bits);
    for (size_t i = 0; i < iso->windows.len; i++) bits_free(&iso->windows.at[i].in);
    bits_free(&iso->until);
    vec_release(&iso->windows);
    map_release(&iso->codes);
    vec_release(&iso->failing);
    vec_release(&iso->witnesses);
    vec_release(&iso->cures);
    vec_release(&iso->needed);
    vec_release(&iso->frames);
    arena_release(&iso->arena);
}

void isolation_tick(Isolation *iso) {
    if (iso->tick) iso->tick(iso);
}

bool isolation_over(const Isolation *iso) {
    return run_interrupted() || (iso->deadline > 0 && clock_now() >= iso->deadline) ||
           (iso->most_witnesses && iso->witnesses.len >= iso->most_witnesses);
}

static void take_frames(Isolation *iso, Str text, int signal) {
    Crash crash;
    if (!crash_read(&iso->arena, text, signal, &crash)) return;
    Str rest = crash.frames, line;
    while (str_split(&rest, '\n', &line))
        if (line.len) vec_push(&iso->frames, arena_str(&iso->arena, line));
    iso->crash_pass = crash.pass;
    if (!iso->frames.len && crash.place.len) vec_push(&iso->frames, crash.place);
}

bool isolation_first_run(Isolation *iso, Error *err) {
    Subject *s = iso->subject;
    Bits bits = bits_new(s->map.n_stmts);
    Arena scratch = { 0 };
    RunResult ran;
    bool ok = cov_run(s, iso->fail, s->source, NULL, &bits, &ran, &scratch, err);
    if (ok && bits_count(&bits) == 0)
        ok = err_set(err, STATUS_BAD, "the compiler with coverage covers nothing: is it really instrumented?");
    bool crashed = ran.end != RUN_EXITED || ran.code != 0;
    if (ok && s->failure.kind == VERDICT_CRASH && !crashed)
        ok = err_set(err, STATUS_NO, "%s crashes on the program but the build with coverage does not: not the same compiler",
                     s->cc.name);
    if (ok && s->failure.kind != VERDICT_HANG && ran.end == RUN_TIMEOUT)
        ok = err_set(err, STATUS_NO, "the compiler with coverage does not end on the program");
    if (!ok) {
        bits_free(&bits);
        arena_release(&scratch);
        return false;
    }
    if (s->failure.kind == VERDICT_CRASH)
        take_frames(iso, ran.err, ran.end == RUN_SIGNALED ? ran.code : 0);
    arena_release(&scratch);
    isolation_add_failing(iso, bits, STR(""));
    return true;
}

void isolation_add_failing(Isolation *iso, Bits bits, Str label) {
    vec_push(&iso->failing, (FailingRun){ bits, arena_str(&iso->arena, label) });
}

double isolation_to_failing(const Isolation *iso, const Bits *bits) {
    const Bits *failing = &iso->failing.at[0].bits;
    return iso->subject->failure.kind == VERDICT_WRONG ? bits_distance(failing, bits)
                                                       : bits_distance_in(failing, bits, failing);
}

double isolation_distance(const Isolation *iso, const Bits *bits, double *least) {
    double sum = 0, low = 1;
    for (size_t i = 0; i < iso->witnesses.len; i++) {
        double d = bits_distance(&iso->witnesses.at[i].bits, bits);
        sum += d;
        if (d < low) low = d;
    }
    if (least) *least = low;
    return iso->witnesses.len ? sum / (double)iso->witnesses.len : 1;
}

bool isolation_add(Isolation *iso, Witness w) {
    double least, mean = isolation_distance(iso, &w.bits, &least);
    if (iso->witnesses.len && least <= 0) {
        bits_free(&w.bits);
        return false;
    }
    w.distance = isolation_to_failing(iso, &w.bits);
    w.id = (unsigned)iso->witnesses.len + 1;
    w.label = arena_str(&iso->arena, w.label);
    w.program = arena_str(&iso->arena, w.program);
    w.cure = arena_str(&iso->arena, w.cure);
    iso->quality = quality_with(&iso->quality, 1 - w.distance, mean * (double)iso->witnesses.len);
    vec_push(&iso->witnesses, w);
    return true;
}
