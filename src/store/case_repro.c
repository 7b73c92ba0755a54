/* See case_repro.h. */
#include "store/case_repro.h"

#include "base/json.h"

/* A reduced program stands for the whole case: its units, if any, are reduced ones. */
static bool takes_reduced(const Case *c, CaseWhich which) {
    return which == CASE_BEST && c->reduced_variant.len > 0;
}

Str case_passing(const Case *c, CaseWhich which) {
    if (takes_reduced(c, which)) return c->reduced_seed;
    return c->variant.len && !str_eq(c->seed, c->variant) ? c->seed : (Str){ "", 0 };
}

/* Units are reduced together: each then has a text "reduced" beside the one that was found. */
static bool read_units(Arena *arena, const Case *c, CaseWhich which, Repro *out, bool *reduced,
                       Error *err) {
    json_t *list = json_parse(c->units, "the case's units", err);
    size_t n = json_array_size(list);
    ReproFile *files = ARENA_ARRAY(arena, ReproFile, n + 1);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        *reduced |= which == CASE_BEST && json_object_get(item, "reduced");
        files[i] = (ReproFile){ .name = str_from(arena_fmt(arena, "unit%zu.c", i + 1)),
                                .text = arena_str(
                                    arena, json_get_text(item, *reduced ? "reduced" : "text")),
                                .unit = true,
                                .compiler = arena_str(arena, json_get_text(item, "compiler")),
                                .flags = arena_str(arena, json_get_text(item, "flags")) };
    }
    json_decref(list);
    out->files = files;
    out->n_files = n;
    return n > 0 ||
           err_set(err, STATUS_BAD, "case %lld: its units cannot be read", (long long)c->id);
}

static bool take_program(Arena *arena, const Case *c, CaseWhich which, Repro *out, bool *is_reduced,
                         Error *err) {
    bool reduced = *is_reduced = takes_reduced(c, which);
    if (c->units.len && !reduced) return read_units(arena, c, which, out, is_reduced, err);
    ReproFile *file = ARENA_NEW(arena, ReproFile);
    *file = (ReproFile){ .name = STR("variant.c"), .unit = true };
    file->text = reduced ? c->reduced_variant : c->variant.len ? c->variant : c->seed;
    out->files = file;
    out->n_files = 1;
    return file->text.len ||
           err_set(err, STATUS_BAD, "case %lld has no failing program", (long long)c->id);
}

static void take_reference(Arena *arena, const Case *c, Repro *out) {
    if (c->good_flags.len) {
        out->reference = c->compiler;
        out->good_flags = c->good_flags;
        return;
    }
    const char *other = compiler_reference(arena, c->compiler, c->target);
    if (!other) return;
    out->reference = str_from(other);
    out->good_flags = STR("-O0 -w");
}

/* What hunt found the failure to depend on (Case.matters): flags that cure it, an LLVM pass, or the
 * expression that comes out wrong. */
static void take_bucket(const Case *c, Repro *out) {
    Str matters = c->matters;
    if (out->symptom.kind == VERDICT_CRASH || out->n_files > 1) return;
    if (str_starts(matters, "-"))
        out->cure = matters;
    else if (str_starts(matters, "pass "))
        out->pass = str_sub(matters, 5, matters.len);
    else
        out->expression = matters;
}

bool case_repro(Arena *arena, const Case *c, CaseWhich which, Repro *out, Error *err) {
    *out =
        (Repro){ .compiler = c->compiler, .kind = c->kind, .target = c->target, .flags = c->flags };
    bool reduced = false;
    if (!c->compiler.len)
        return err_set(err, STATUS_BAD, "case %lld names no compiler", (long long)c->id);
    if (!verdict_parse(c->verdict, &out->symptom.kind) || out->symptom.kind == VERDICT_OK ||
        out->symptom.kind == VERDICT_NONE)
        return err_set(err, STATUS_BAD, "case %lld: '" STR_FMT "' is not a verdict that can be tested for",
                       (long long)c->id, STR_ARG(c->verdict));
    if (!take_program(arena, c, which, out, &reduced, err)) return false;
    out->input = c->input;
    out->has_expected = out->symptom.kind == VERDICT_WRONG;
    if (out->has_expected) {
        out->expected = reduced ? c->reduced_expected : c->expected;
        out->code = (int)(reduced ? c->reduced_code : c->code);
    }
    out->symptom.detail = c->signature;
    take_reference(arena, c, out);
    take_bucket(c, out);
    return true;
}
