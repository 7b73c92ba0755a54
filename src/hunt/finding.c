/* The path of one failure. The program is made small first, and only what is left is checked for
 * being at fault itself, so that an unclean snippet that has nothing to do with the failure does
 * not hide a bug. */
#include "hunt/finding.h"

static HuntProgram program_of(const Trialled *in) {
    HuntProgram program = in->seed->subject;
    if (in->variant) program.text = in->variant->text;
    return program;
}

/* The snippets that matter; *needed stays NULL for a seed. The whole program is used where the
 * small one does not reproduce the failure. */
static void make_small(Arena *arena, const Trialled *in, Finding *f, uint8_t **needed) {
    Failure quick = f->failure; /* do not wait the full time for a hang each time */
    if (quick.verdict.kind == VERDICT_HANG) quick.cell.compile_s = CAMPAIGN_HANG_AGAIN_S;
    if (!in->variant) return;
    *needed = ARENA_ARRAY(arena, uint8_t, in->variant->snippets_len + 1);
    minimise_snippets(arena, in, &quick, *needed, &f->program.text);
    if (fails_alike(in->setup, in->pool, &f->program, &f->failure)) return;
    memset(*needed, 1, in->variant->snippets_len);
    f->program.text = in->variant->text;
}

static void keep_apart(Arena *arena, const char *why, Case *c) {
    c->bucket = str_from(arena_fmt(arena, CASE_UNCONFIRMED STR_FMT, STR_ARG(c->bucket)));
    c->notes = str_from(arena_fmt(arena, "unconfirmed: %s\n" STR_FMT, why, STR_ARG(c->notes)));
}

Verification finding_make(Arena *arena, const Trialled *in, const Failure *failure, Finding *out) {
    *out = (Finding){ .program = program_of(in), .failure = *failure };
    const HuntProgram *seed = in->variant ? &in->seed->subject : NULL;
    Verification v = verify_failure(arena, in->setup, in->pool, &out->program, seed, failure);
    if (v.ruling == RULED_SEED && failure->cell.drawn) { /* not yet tried with these flags */
        Trialled alone = *in;
        alone.variant = NULL, alone.chain = NULL;
        return finding_make(arena, &alone, failure, out);
    }
    if (v.ruling != RULED_BUG) return v;
    uint8_t *needed = NULL;
    make_small(arena, in, out, &needed);
    v = verify_program(arena, in->setup, in->pool, &out->program, failure);
    if (v.ruling != RULED_BUG && v.ruling != RULED_UNCONFIRMED) return v;
    minimise_cell(arena, in, &out->program, &out->failure);
    Failure quick = out->failure;
    if (quick.verdict.kind == VERDICT_HANG) quick.cell.compile_s = CAMPAIGN_HANG_AGAIN_S;
    bucket_case(arena, in, &quick, &out->program, needed, &out->c);
    if (run_interrupted()) return (Verification){ RULED_LATER, "interrupted" };
    if (v.ruling == RULED_UNCONFIRMED) keep_apart(arena, v.why, &out->c);
    return v;
}

bool finding_explains(const Trialled *in, const Finding *known, const Failure *failure) {
    const Symptom *a = &known->failure.symptom, *b = &failure->symptom;
    if (a->kind != b->kind) return false;
    if (a->kind == VERDICT_CRASH && symptom_same(a, b)) return true;
    return fails_alike(in->setup, in->pool, &known->program, failure);
}
