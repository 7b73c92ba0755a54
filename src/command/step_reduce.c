/* The first two steps: insertions that matter (hunt has found them out already: every variant it
 * records holds those alone), and the pair reduced by culprit reduce. */
#include "command/inquiry.h"

#include "base/file.h"
#include "base/json.h"
#include "cc/verdict.h"
#include "command/commands.h"
#include "run/run.h"

StepEnd step_snippets(Inquiry *q, Str *result) {
    json_t *snippets = q->c.snippets.len ? json_parse(q->c.snippets, "snippets", NULL) : NULL, *s;
    size_t i, n = json_array_size(snippets), needed = 0;
    json_array_foreach(snippets, i, s) needed += json_get_bool(s, "needed", true);
    if (n)
        *result = str_from(arena_fmt(&q->arena, "%zu of %zu insertions matter", needed, n));
    else
        *result = STR("nothing was inserted by hunt: the program is the user's own");
    json_decref(snippets);
    return n ? STEP_DONE : STEP_SKIPPED;
}

/* ---- reduce ---- */

/* Characters that a regular expression takes for its own. */
static char *escaped(Arena *arena, Str text) {
    Buf out = { 0 };
    for (size_t i = 0; i < text.len && i < 80; i++) {
        if (strchr(".[]()*+?{}|^$\\", text.at[i])) buf_char(&out, '\\');
        buf_char(&out, text.at[i]);
    }
    char *copy = arena_cstr(arena, buf_view(&out));
    buf_release(&out);
    return copy;
}

/* "gcc-11 -O2": the compiler with flags, as reduce takes it. */
static char *compilation(Inquiry *q, Str flags, const char *more) {
    return arena_fmt(&q->arena, STR_FMT " " STR_FMT "%s", STR_ARG(q->c.compiler), STR_ARG(flags),
                     more);
}

/* What passes when the case knows of no passing flags: another compiler altogether. */
static char *reference(Inquiry *q) {
    const char *name = compiler_reference(&q->arena, q->c.compiler);
    return name ? arena_fmt(&q->arena, "%s -O0", name) : NULL;
}

typedef VEC(const char *) Words;

/* The words of reduce that say what the failure is. */
static bool say_failure(Inquiry *q, Words *words, const char *dir, Error *err) {
    const Case *c = &q->c;
    if (str_is(c->verdict, "crash")) {
        vec_push(words, "--crash");
        vec_push(words, compilation(q, c->flags, " -S"));
    } else if (str_is(c->verdict, "hang")) {
        vec_push(words, "--hangs");
        vec_push(words, compilation(q, c->flags, " -S"));
    } else if (str_is(c->verdict, "wrong")) {
        char *good = c->good_flags.len ? compilation(q, c->good_flags, "") : reference(q);
        if (!good) return err_set(err, STATUS_BAD, "no flags and no compiler that pass are known");
        vec_push(words, "--differs");
        vec_push(words, good);
        vec_push(words, compilation(q, c->flags, ""));
    } else {
        Str message = c->signature.len ? c->signature : c->actual;
        vec_push(words, "--says");
        vec_push(words,
                 compilation(q, c->flags, str_is(c->verdict, "link") ? " -o /dev/null" : " -S"));
        vec_push(words, "--message");
        vec_push(words, escaped(&q->arena, message));
    }
    if (c->input.len && str_is(c->verdict, "wrong")) {
        char *input = file_join(&q->arena, dir, "input.txt");
        if (!file_write(input, c->input, err)) return false;
        vec_push(words, "--input");
        vec_push(words, input);
    }
    return true;
}

static bool lay_files(Inquiry *q, const char *dir, Words *words, Error *err) {
    const Case *c = &q->c;
    bool pair = c->variant.len && c->seed.len;
    char *variant = file_join(&q->arena, dir, "variant.c"),
         *seed = file_join(&q->arena, dir, "seed.c");
    if (!file_make_dirs(dir, err) ||
        !file_write(variant, c->variant.len ? c->variant : c->seed, err))
        return false;
    if (pair && !file_write(seed, c->seed, err)) return false;
    vec_push(words, "reduce");
    if (!say_failure(q, words, dir, err)) return false;
    if (pair) {
        vec_push(words, "--passing");
        vec_push(words, seed);
    }
    vec_push(words, "-o");
    vec_push(words, file_join(&q->arena, dir, "reduced"));
    if (q->step_s > 0) {
        vec_push(words, "--time");
        vec_push(words, arena_fmt(&q->arena, "%.0fs", q->step_s));
    }
    vec_push(words, variant);
    return true;
}

static bool keep(Inquiry *q, const char *dir, Error *err) {
    const char *reduced = file_join(&q->arena, dir, "reduced");
    Str variant, seed = STR(""), expected = STR("");
    int64_t code = 0;
    if (!file_read(&q->arena, file_join(&q->arena, reduced, "variant.c"), &variant, err))
        return false;
    const char *other = file_join(&q->arena, reduced, "seed.c");
    if (file_exists(other) && !file_read(&q->arena, other, &seed, err)) return false;
    if (str_is(q->c.verdict, "wrong"))
        cc_right_run(&q->arena, q->c.compiler, q->c.good_flags, variant, q->c.input, &expected,
                     &code);
    CaseSet sets[] = { { "reduced_variant", variant },
                       { "reduced_seed", seed },
                       { "reduced_expected", expected },
                       { "reduced_code", store_number(&q->arena, code) } };
    return inquiry_set(q, sets, COUNT_OF(sets), err);
}

static size_t lines_of(Str text) {
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) n += text.at[i] == '\n';
    return n;
}

StepEnd step_reduce(Inquiry *q, Str *result) {
    Error err = { 0 };
    Words words = { 0 };
    const char *dir = inquiry_dir(q, "reduce");
    bool ok = lay_files(q, dir, &words, &err);
    vec_push(&words, NULL);
    int status = ok ? inquiry_command(q, reduce_command, words.at) : STATUS_BAD;
    vec_release(&words);
    if (run_interrupted())
        return *result = STR("what is there is kept; the next run goes on"), STEP_STOPPED;
    if (ok && status == STATUS_DONE)
        ok = keep(q, dir, &err);
    else if (ok)
        ok = err_set(&err, STATUS_NO, "reduce ended with status %d", status);
    if (!ok) return *result = str_from(arena_strdup(&q->arena, err.text)), STEP_FAILED;
    file_remove_tree(dir);
    const Case *c = &q->c;
    *result = str_from(arena_fmt(&q->arena, "%zu lines, %zu bytes (was %zu lines, %zu bytes)%s",
                                 lines_of(c->reduced_variant), c->reduced_variant.len,
                                 lines_of(c->variant), c->variant.len,
                                 c->reduced_seed.len ? ", beside the program that passes" : ""));
    return STEP_DONE;
}
