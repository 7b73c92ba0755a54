/* culprit mutate FILE.c: options into a request; FILE.v01.c .. and FILE.v01.json .. out of its
 * result, in the current directory or in DIR. */
#include "base/file.h"
#include "base/json.h"
#include "base/opts.h"
#include "command/commands.h"
#include "run/run.h"
#include "variant/derive.h"
#include "variant/variant_knobs.h"

/* What the options say. */
typedef struct MutateWords {
    uint64_t count, seed;
    double probability, limit;
    const char *strategies, *directory;
    StrVec includes, defines;
    bool as_json;
} MutateWords;

static OptsEnd parse(MutateWords *w, int argc, char **argv, StrVec *files, Error *err) {
    const Opt table[] = {
        { 'n', "variants", OPT_UINT, &w->count, "N",
          "how many variants, each grown from the one before [10]", NULL },
        { 0, "seed", OPT_UINT, &w->seed, "S", "the same seed gives the same bytes [1]", NULL },
        { 'I', "include", OPT_LIST, &w->includes, "DIR", "directory for #include \"..\"", NULL },
        { 'D', "define", OPT_LIST, &w->defines, "MACRO", "macro to define, NAME or NAME=VALUE",
          NULL },
        { 0, "strategies", OPT_STR, &w->strategies, "LIST",
          "of fcb, tg, tcb, identity, orion, borrow, athena; hermes, all [fcb,tg,tcb]",
          "fcb,tg,tcb,identity,orion,borrow,athena,hermes,all" },
        { 'p', "probability", OPT_REAL, &w->probability, "P",
          "that a program point is mutated [0.1]", NULL },
        { 0, "time", OPT_TIME, &w->limit, "TIME", "limit of one profiled run [10s]", NULL },
        { 'o', "output", OPT_STR, &w->directory, "DIR", "where the variants go [.]", "@files" },
        { 0, "json", OPT_FLAG, &w->as_json, NULL, "report what was written as JSON", NULL },
        { 0 },
    };
    const OptSpec spec = {
        .name = "mutate",
        .usage = "[OPTION].. FILE.c",
        .brief = "write equivalent variants of a C program",
        .table = table,
        .notes =
            "FILE.c is run once without arguments and input; every variant prints the same.\n"
            "Each variant comes with a JSON file that lists its snippets: strategy, place, text.\n"
            "Exit status: 0 done; 1 nothing in this program can be mutated; 2 bad input.\n",
        .least = 1,
        .most = 1,
        .operands = "@files",
    };
    return opts_parse(&spec, argc, argv, files, err);
}

/* -I and -D as compilers take them, NULL-ended. */
static const char *const *compiler_flags(Arena *arena, const MutateWords *w) {
    const char **flags = ARENA_ARRAY(arena, const char *, w->includes.len + w->defines.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < w->includes.len; i++)
        flags[n++] = arena_fmt(arena, "-I%s", w->includes.at[i].at);
    for (size_t i = 0; i < w->defines.len; i++)
        flags[n++] = arena_fmt(arena, "-D%s", w->defines.at[i].at);
    return flags;
}

static json_t *snippet_json(const Snippet *s) {
    json_t *o = json_object();
    json_put_int(o, "id", s->id);
    json_put_int(o, "round", s->round);
    json_put_text(o, "strategy", str_from(strategy_name(s->strategy)));
    json_put_text(o, "function", s->function);
    json_put_int(o, "line", s->line);
    json_put_int(o, "begin", (int64_t)s->begin);
    json_put_int(o, "end", (int64_t)s->end);
    json_put_text(o, "text", s->text);
    json_t *needs = json_array();
    for (size_t i = 0; i < s->needs_len; i++)
        json_array_append_new(needs, json_integer(s->needs[i]));
    json_put(o, "needs", needs);
    return o;
}

static json_t *variant_json(const Variant *v, const char *file, const MutateCost *cost) {
    json_t *o = json_object(), *list = json_array();
    json_put_text(o, "file", str_from(file));
    json_put_int(o, "round", v->round);
    json_put_int(o, "fresh", v->fresh);
    if (cost) {
        json_put_real(o, "cpu_parse", cost->parse_s);
        json_put_real(o, "cpu_compile", cost->compile_s);
        json_put_real(o, "cpu_run", cost->run_s);
        json_put_real(o, "cpu_synth", cost->synth_s);
    }
    for (size_t i = 0; i < v->snippets_len; i++)
        json_array_append_new(list, snippet_json(&v->snippets[i]));
    json_put(o, "snippets", list);
    return o;
}

/* "dir/program.v03" for round 3 of x/program.c. */
static char *variant_stem(Arena *arena, const char *directory, const char *path, unsigned round) {
    Str name = str_from(file_name(path));
    if (str_ends(name, ".c")) name.len -= 2;
    return file_join(arena, directory, arena_fmt(arena, STR_FMT ".v%02u", STR_ARG(name), round));
}

/* The JSON file has no times in it: same seed, same bytes. */
static bool write_variant(Arena *arena, const Variant *v, const char *stem, Error *err) {
    const char *c_file = arena_fmt(arena, "%s.c", stem);
    if (!file_save(c_file, v->text, err)) return false;
    json_t *o = variant_json(v, file_name(c_file), NULL);
    Buf text = { 0 };
    json_dump_buf(o, true, &text);
    buf_char(&text, '\n');
    json_decref(o);
    bool ok = file_save(arena_fmt(arena, "%s.json", stem), buf_view(&text), err);
    buf_release(&text);
    return ok;
}

static bool write_result(Arena *arena, const MutateWords *w, const char *path,
                         const MutateResult *result, Error *err) {
    json_t *all = json_array();
    bool ok = file_make_dirs(w->directory, err);
    for (size_t i = 0; ok && i < result->variants.len; i++) {
        const Derived *d = &result->variants.at[i];
        char *stem = variant_stem(arena, w->directory, path, d->variant.round);
        const char *file = arena_fmt(arena, "%s.c", stem);
        ok = write_variant(arena, &d->variant, stem, err);
        if (w->as_json)
            json_array_append_new(all, variant_json(&d->variant, file, &d->cost));
        else if (ok)
            printf("%s: %u new snippets, %zu in all\n", file, d->variant.fresh,
                   d->variant.snippets_len);
    }
    if (ok && w->as_json) json_print(all);
    json_decref(all);
    return ok;
}

static bool run(Arena *arena, const MutateWords *w, const char *path, Error *err) {
    MutateRequest request = { .path = path,
                              .count = (unsigned)w->count,
                              .options = { .seed = w->seed,
                                           .probability = w->probability,
                                           .run_limit_s = w->limit,
                                           .flags = compiler_flags(arena, w) } };
    MutateResult result;
    if (!strategies_parse(str_from(w->strategies), &request.options.strategies, err)) return false;
    if (!mutate_run(&request, &result, err)) return false;
    bool ok = write_result(arena, w, path, &result, err);
    mutate_result_release(&result);
    return ok;
}

int mutate_command(int argc, char **argv) {
    Error err = { 0 };
    StrVec files = { 0 };
    MutateWords w = { .count = 10,
                      .seed = 1,
                      .probability = HUNT_PROFILE_PROBABILITY,
                      .limit = HUNT_PROFILE_LIMIT_S,
                      .strategies = "fcb,tg,tcb",
                      .directory = "." };
    OptsEnd end = parse(&w, argc, argv, &files, &err);
    if (end == OPTS_STOP) return STATUS_DONE;
    if (end == OPTS_BAD) return err_report(&err);
    Arena arena = { 0 };
    bool ok = run(&arena, &w, files.at[0].at, &err);
    arena_release(&arena);
    vec_release(&files);
    vec_release(&w.includes);
    vec_release(&w.defines);
    return ok ? STATUS_DONE : err_report(&err);
}
