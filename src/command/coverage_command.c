/* culprit coverage: the coverage of one compilation by a compiler built with it, per file or per
 * line. */
#include "base/file.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "command/commands.h"
#include "coverage/gcov_data.h"
#include "coverage/gcov_flow.h"
#include "coverage/gcov_lines.h"
#include "isolate/coverage_run.h"

#define COMPILE_S 60.0 /* CPU seconds a compilation may take where no time is given */

typedef struct CoverageOptions {
    CoverageRequest request;
    const char *flags, *only_file, *notes, *data;
    double time; /* seconds for everything; 0: none given */
    bool json, lines, functions;
} CoverageOptions;

/* ---- one object file ---- */
static bool show_object(const CoverageOptions *o, Arena *arena, Error *err) {
    Str notes_bytes, data_bytes;
    GcovNotes notes;
    if (!file_read(arena, o->notes, &notes_bytes, err) ||
        !gcov_notes_read(arena, notes_bytes, o->notes, &notes, err))
        return false;
    gcov_flow_plan(arena, &notes);
    int64_t **counters = ARENA_ARRAY(arena, int64_t *, notes.n_functions + 1);
    if (o->data && (!file_read(arena, o->data, &data_bytes, err) ||
                    !gcov_data_read(arena, data_bytes, o->data, &notes, counters, err)))
        return false;
    GcovLines all = { 0 };
    gcov_lines(&notes, counters, &all);
    for (size_t i = 0; i < all.len; i++) {
        const GcovLine *line = &all.at[i];
        printf(STR_FMT ":%u:%lld", STR_ARG(notes.sources[line->source]), line->line,
               (long long)line->count);
        if (line->group != GCOV_NO_GROUP)
            printf(":" STR_FMT, STR_ARG(notes.functions[line->group].name));
        putchar('\n');
    }
    vec_release(&all);
    return true;
}

/* ---- a compilation ---- */
static bool wanted(const CoverageOptions *o, const CovFile *file) {
    return !o->only_file || str_ends(file->path, o->only_file);
}

static void print_files(const CoverageOptions *o, const CovMap *map, const Bits *bits) {
    for (uint32_t f = 0; f < map->n_files; f++) {
        const CovFile *file = &map->files[f];
        uint32_t covered = 0;
        for (uint32_t i = file->first; i < file->first + file->count; i++)
            covered += bits_has(bits, i);
        if (covered && wanted(o, file))
            printf("%6u of %6u  " STR_FMT "\n", covered, file->count, STR_ARG(file->name));
    }
}

static void print_functions(const CoverageOptions *o, Arena *arena, const CovMap *map,
                            const Bits *bits) {
    uint32_t *covered = ARENA_ARRAY(arena, uint32_t, map->n_functions + 1);
    uint32_t *all = ARENA_ARRAY(arena, uint32_t, map->n_functions + 1);
    for (uint32_t i = 0; i < map->n_stmts; i++)
        if (map->stmts[i].function != COV_NO_FUNCTION) {
            all[map->stmts[i].function]++;
            covered[map->stmts[i].function] += bits_has(bits, i);
        }
    for (uint32_t f = 0; f < map->n_functions; f++) {
        const CovFunction *fn = &map->functions[f];
        if (covered[f] && wanted(o, &map->files[fn->file]))
            printf("%5u of %5u  " STR_FMT ":%u  " STR_FMT "\n", covered[f], all[f],
                   STR_ARG(map->files[fn->file].name), fn->start,
                   STR_ARG(covmap_show_name(arena, fn->name)));
    }
}

static json_t *json_files(const CoverageOptions *o, const CovMap *map, const Bits *bits,
                          const int64_t *counts) {
    json_t *files = json_array();
    for (uint32_t f = 0; f < map->n_files; f++) {
        const CovFile *file = &map->files[f];
        json_t *in = json_array();
        for (uint32_t i = file->first; i < file->first + file->count; i++)
            if (bits_has(bits, i)) {
                json_t *pair = json_array();
                json_array_append_new(pair, json_integer(map->stmts[i].line));
                json_array_append_new(pair, json_integer(counts[i]));
                json_array_append_new(in, pair);
            }
        if (json_array_size(in) == 0 || !wanted(o, file)) {
            json_decref(in);
            continue;
        }
        json_t *one = json_object();
        json_put_text(one, "name", file->name);
        json_put_text(one, "path", file->path);
        json_put_int(one, "statements", file->count);
        json_put(one, "lines", in);
        json_array_append_new(files, one);
    }
    return files;
}

static void print_json(const CoverageOptions *o, const CoverageResult *r, Arena *arena) {
    const CovMap *map = &r->subject.map;
    json_t *root = json_object();
    json_put_text(root, "end", str_from(run_describe(arena, &r->ran)));
    json_put_int(root, "covered", bits_count(&r->bits));
    json_put_int(root, "statements", map->n_stmts);
    json_put_real(root, "compile_seconds", r->ran.cpu_s);
    json_put_real(root, "read_seconds", r->read_s);
    json_put(root, "files", json_files(o, map, &r->bits, r->counts));
    json_print(root);
    json_decref(root);
}

static void print_lines(const CoverageOptions *o, const CoverageResult *r) {
    const CovMap *map = &r->subject.map;
    for (uint32_t i = 0; i < map->n_stmts; i++)
        if (bits_has(&r->bits, i) && wanted(o, &map->files[map->stmts[i].file]))
            printf(STR_FMT ":%u:%lld\n", STR_ARG(map->files[map->stmts[i].file].path),
                   map->stmts[i].line, (long long)r->counts[i]);
}

static void show(const CoverageOptions *o, const CoverageResult *r) {
    Arena arena = { 0 };
    const CovMap *map = &r->subject.map;
    if (o->json)
        print_json(o, r, &arena);
    else if (o->lines)
        print_lines(o, r);
    else if (o->functions)
        print_functions(o, &arena, map, &r->bits);
    else {
        print_files(o, map, &r->bits);
        fprintf(stderr,
                "%u of %u statements; the compiler: %s, %.3f s; reading its coverage: %.4f s\n",
                bits_count(&r->bits), map->n_stmts, run_describe(&arena, &r->ran), r->ran.cpu_s,
                r->read_s);
    }
    arena_release(&arena);
}

static bool show_compilation(CoverageOptions *o, Error *err) {
    CoverageResult result;
    run_catch_interrupts();
    o->request.flags = str_from(o->flags);
    o->request.counts = o->json || o->lines;
    o->request.limit_s = o->time > 0 ? o->time : COMPILE_S;
    o->request.until = o->time > 0 ? clock_now() + o->time : 0;
    bool ok = coverage_run(&o->request, &result, err);
    if (ok) show(o, &result);
    coverage_result_free(&result);
    return ok;
}

static const char notes[] =
    "  culprit coverage --coverage gcc-11/coverage --flags -O2 bug.c\n"
    "  culprit coverage --coverage gcc-11/coverage --flags -O2 --pass in:tree-fre5 --lines bug.c\n"
    "  culprit coverage --notes tcc.gcno --data tcc.gcda --lines\n\n"
    "A compiler that crashes or is stopped has coverage too, if it is linked with culprit's "
    "runtime.";

static const Opt table[] = {
    { 0, "coverage", OPT_STR, OPT_IN(CoverageOptions, request.build), "DIR",
      "build directory of the compiler with coverage", "@files" },
    { 0, "flags", OPT_STR, OPT_IN(CoverageOptions, flags), "OPTIONS", "options to compile with",
      NULL },
    { 'l', "lines", OPT_FLAG, OPT_IN(CoverageOptions, lines), NULL,
      "each covered line with its count, as gcov has it", NULL },
    { 'f', "functions", OPT_FLAG, OPT_IN(CoverageOptions, functions), NULL, "each covered function",
      NULL },
    { 0, "file", OPT_STR, OPT_IN(CoverageOptions, only_file), "NAME",
      "only files whose name ends with this", NULL },
    { 0, "pass", OPT_STR, OPT_IN(CoverageOptions, request.window), "WHAT",
      "GCC: only in:PASS or until:PASS (tree-fre5, rtl-combine), or last", NULL },
    { 0, "notes", OPT_STR, OPT_IN(CoverageOptions, notes), "FILE.gcno",
      "without compiling: counts of this object file ..", "@files" },
    { 0, "data", OPT_STR, OPT_IN(CoverageOptions, data), "FILE.gcda", ".. from these counters",
      "@files" },
    { 0, "time", OPT_TIME, OPT_IN(CoverageOptions, time), "TIME",
      "for everything; of a compiler that is still running then, what it covered so far [a minute "
      "of its CPU time]",
      NULL },
    { 0, "json", OPT_FLAG, OPT_IN(CoverageOptions, json), NULL, "as JSON on stdout", NULL },
    { 0 }
};

static const OptSpec spec = {
    .name = "coverage",
    .usage = "--coverage DIR [--flags OPTIONS] FILE.c | --notes FILE.gcno --data FILE.gcda",
    .brief = "show what one compilation covers of the compiler",
    .table = table,
    .most = 1,
    .operands = "@files",
    .notes = notes,
};

int coverage_command(int argc, char **argv) {
    CoverageOptions o = { .flags = "" };
    Error err = { 0 };
    Arena arena = { 0 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    bool ok = end != OPTS_BAD;
    o.request.path = opts.rest.len ? opts.rest.at[0].at : NULL;
    if (end == OPTS_GO && o.notes)
        ok = show_object(&o, &arena, &err);
    else if (end == OPTS_GO && (!o.request.build || !o.request.path))
        ok = err_set(&err, STATUS_BAD,
                     "coverage needs --coverage DIR and a program, or --notes and --data");
    else if (end == OPTS_GO)
        ok = show_compilation(&o, &err);
    arena_release(&arena);
    opts_release(&opts);
    return ok ? STATUS_DONE : err_report(&err);
}
