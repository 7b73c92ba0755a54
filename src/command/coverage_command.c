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

static const char *build_dir, *flags_text = "", *only_file, *notes_path, *data_path, *window;
static bool as_json, lines, functions_too;
static double limit = 60;

static const Opt table[] = {
    { 0, "coverage", OPT_STR, &build_dir, "DIR", "build directory of the compiler with coverage",
      "@files" },
    { 0, "flags", OPT_STR, &flags_text, "OPTIONS", "options to compile with", NULL },
    { 'l', "lines", OPT_FLAG, &lines, NULL, "each covered line with its count, as gcov has it",
      NULL },
    { 'f', "functions", OPT_FLAG, &functions_too, NULL, "each covered function", NULL },
    { 0, "file", OPT_STR, &only_file, "NAME", "only files whose name ends so", NULL },
    { 0, "pass", OPT_STR, &window, "WHAT",
      "GCC: only in:PASS or until:PASS (tree-fre5, rtl-combine), or last", NULL },
    { 0, "notes", OPT_STR, &notes_path, "FILE.gcno",
      "no compilation: counts of this object file ..", "@files" },
    { 0, "data", OPT_STR, &data_path, "FILE.gcda", ".. from these counters", "@files" },
    { 0, "time", OPT_TIME, &limit, "TIME", "CPU time the compilation may take [1m]", NULL },
    { 0, "json", OPT_FLAG, &as_json, NULL, "as JSON on stdout", NULL },
    { 0 }
};

static const OptSpec spec = {
    .name = "coverage",
    .usage = "--coverage DIR [--flags OPTIONS] FILE.c | --notes FILE.gcno --data FILE.gcda",
    .brief = "show what one compilation covers of the compiler",
    .table = table,
    .most = 1,
    .operands = "@files",
    .notes = "  culprit coverage --coverage gcc-11/coverage --flags -O2 bug.c\n"
             "  culprit coverage --coverage gcc-11/coverage --flags -O2 --pass in:tree-fre5 "
             "--lines bug.c\n"
             "  culprit coverage --notes tcc.gcno --data tcc.gcda --lines\n\n"
             "A compiler that crashes or is stopped has coverage, too, where it is linked with "
             "culprit's runtime.",
};

/* ---- one object file ---- */
static bool show_object(Arena *arena, Error *err) {
    Str notes_bytes, data_bytes;
    GcovNotes notes;
    if (!file_read(arena, notes_path, &notes_bytes, err) ||
        !gcov_notes_read(arena, notes_bytes, notes_path, &notes, err))
        return false;
    gcov_flow_plan(arena, &notes);
    int64_t **counters = ARENA_ARRAY(arena, int64_t *, notes.n_functions + 1);
    if (data_path && (!file_read(arena, data_path, &data_bytes, err) ||
                      !gcov_data_read(arena, data_bytes, data_path, &notes, counters, err)))
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
static bool wanted(const CovFile *file) {
    return !only_file || str_ends(file->path, only_file);
}

static void print_files(const CovMap *map, const Bits *bits) {
    for (uint32_t f = 0; f < map->n_files; f++) {
        const CovFile *file = &map->files[f];
        uint32_t covered = 0;
        for (uint32_t i = file->first; i < file->first + file->count; i++)
            covered += bits_has(bits, i);
        if (covered && wanted(file))
            printf("%6u of %6u  " STR_FMT "\n", covered, file->count, STR_ARG(file->name));
    }
}

static void print_functions(Arena *arena, const CovMap *map, const Bits *bits) {
    uint32_t *covered = ARENA_ARRAY(arena, uint32_t, map->n_functions + 1);
    uint32_t *all = ARENA_ARRAY(arena, uint32_t, map->n_functions + 1);
    for (uint32_t i = 0; i < map->n_stmts; i++)
        if (map->stmts[i].function != COV_NO_FUNCTION) {
            all[map->stmts[i].function]++;
            covered[map->stmts[i].function] += bits_has(bits, i);
        }
    for (uint32_t f = 0; f < map->n_functions; f++) {
        const CovFunction *fn = &map->functions[f];
        if (covered[f] && wanted(&map->files[fn->file]))
            printf("%5u of %5u  " STR_FMT ":%u  " STR_FMT "\n", covered[f], all[f],
                   STR_ARG(map->files[fn->file].name), fn->start,
                   STR_ARG(covmap_show_name(arena, fn->name)));
    }
}

static json_t *json_files(const CovMap *map, const Bits *bits, const int64_t *counts) {
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
        if (json_array_size(in) == 0 || !wanted(file)) {
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

static void show(Subject *s, const Bits *bits, const RunResult *ran, double compile_s,
                 double read_s) {
    Arena arena = { 0 };
    int64_t *counts = mem_alloc((s->map.n_stmts + 1) * sizeof *counts);
    if (as_json || lines) covmap_counts(&s->map, counts);
    if (as_json) {
        json_t *root = json_object();
        json_put_text(root, "end", str_from(run_describe(&arena, ran)));
        json_put_int(root, "covered", bits_count(bits));
        json_put_int(root, "statements", s->map.n_stmts);
        json_put_real(root, "compile_seconds", compile_s);
        json_put_real(root, "read_seconds", read_s);
        json_put(root, "files", json_files(&s->map, bits, counts));
        json_print(root);
        json_decref(root);
    } else if (lines) {
        for (uint32_t i = 0; i < s->map.n_stmts; i++)
            if (bits_has(bits, i) && wanted(&s->map.files[s->map.stmts[i].file]))
                printf(STR_FMT ":%u:%lld\n", STR_ARG(s->map.files[s->map.stmts[i].file].path),
                       s->map.stmts[i].line, (long long)counts[i]);
    } else if (functions_too)
        print_functions(&arena, &s->map, bits);
    else {
        print_files(&s->map, bits);
        fprintf(stderr,
                "%u of %u statements; the compiler: %s, %.3f s; reading its coverage: %.4f s\n",
                bits_count(bits), s->map.n_stmts, run_describe(&arena, ran), compile_s, read_s);
    }
    mem_free(counts);
    arena_release(&arena);
}

static bool show_compilation(const char *path, Error *err) {
    SubjectSpec given = { .coverage = build_dir, .path = path };
    Subject s;
    if (!subject_open(&s, &given, err)) return false;
    s.compile_s = limit / 2;
    Bits bits = bits_new(s.map.n_stmts);
    CovJob job;
    cov_job_init(&job, &s, subject_flags(&s, &s.arena, flags_split(&s.arena, str_from(flags_text))),
                 s.source);
    job.window = window;
    Pool *pool = pool_new(1);
    pool_submit(pool, &job.job);
    pool_next(pool);
    pool_free(pool);
    bool ok = cov_job_read(&job, &bits, err);
    if (ok && bits_count(&bits) == 0 && !window)
        ok = err_set(err, STATUS_BAD, "%s: it covers nothing: is it really built with coverage?",
                     s.cov.path);
    if (ok) show(&s, &bits, &job.ran, job.ran.cpu_s, job.read_s);
    bits_free(&bits);
    subject_free(&s);
    cov_job_end(&job);
    return ok;
}

int coverage_command(int argc, char **argv) {
    Error err = { 0 };
    StrVec rest = { 0 };
    switch (opts_parse(&spec, argc, argv, &rest, &err)) {
    case OPTS_STOP: return STATUS_DONE;
    case OPTS_BAD: return err_report(&err);
    case OPTS_GO: break;
    }
    Arena arena = { 0 };
    bool ok;
    if (notes_path)
        ok = show_object(&arena, &err);
    else if (!build_dir || !rest.len)
        ok = err_set(&err, STATUS_BAD,
                     "coverage needs --coverage DIR and a program, or --notes and --data");
    else
        ok = show_compilation(rest.at[0].at, &err);
    arena_release(&arena);
    vec_release(&rest);
    return ok ? STATUS_DONE : err_report(&err);
}
