/* A case prepared for display. */
#include "report/caseview.h"
#include "base/shell.h"

#include <time.h>

/* ---- words ---- */

const char *verdict_words(Str verdict) {
    static const char *const words[][2] = {
        { "crash", "compiler crash" },         { "wrong", "wrong code" },
        { "hang", "compiler hang" },           { "link", "link failure" },
        { "rejected", "valid code rejected" }, { "ok", "passes" },
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(verdict, words[i][0])) return words[i][1];
    return "failure";
}

Colour verdict_colour(Str verdict) {
    if (str_is(verdict, "ok")) return COLOUR_GREEN;
    if (str_is(verdict, "crash") || str_is(verdict, "wrong")) return COLOUR_RED;
    return COLOUR_YELLOW;
}

static Str first_line(Str text, size_t most) {
    Str rest = str_trim(text), line = STR("");
    str_split(&rest, '\n', &line);
    return str_sub(line, 0, most);
}

Str case_title(Arena *arena, const Case *c) {
    if (c->title.len) return c->title;
    Buf text = { 0 };
    buf_fmt(&text, STR_FMT " " STR_FMT, STR_ARG(c->compiler), STR_ARG(c->flags));
    buf_text(&text, ": ");
    buf_text(&text, verdict_words(c->verdict));
    Str line = first_line(c->signature, 120);
    if (line.len) buf_fmt(&text, ", " STR_FMT, STR_ARG(line));
    Str title = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return title;
}

bool case_is_unconfirmed(const Case *c) {
    return str_starts(c->bucket, CASE_UNCONFIRMED);
}

static Str doubt(Arena *arena, const Case *c) {
    if (c->undefined.len)
        return str_from(
            arena_fmt(arena, "this program is undefined: " STR_FMT, STR_ARG(c->undefined)));
    if (!case_is_unconfirmed(c)) return STR("");
    return str_starts(c->notes, "unconfirmed: ") ? first_line(c->notes, 1000)
                                                 : STR("unconfirmed: not all could be checked");
}

const char *show_time(double time, char out[32]) {
    time_t t = (time_t)time;
    struct tm tm;
    if (time <= 0 || !gmtime_r(&t, &tm) || !strftime(out, 32, "%Y-%m-%d %H:%M", &tm))
        snprintf(out, 32, "-");
    return out;
}

/* ---- loading ---- */

static json_t *parse(Str text) {
    return text.len ? json_parse(text, "case", NULL) : NULL;
}

static void split_flags(Str flags, StrVec *out) {
    Str rest = flags, word;
    while (str_split(&rest, ' ', &word))
        if (word.len) vec_push(out, word);
}

bool caseview_load(CaseView *view, Store *store, int64_t id, Error *err) {
    *view = (CaseView){ 0 };
    Case *c = &view->c;
    if (!store_case_get(store, &view->arena, id, c, err)) return false;
    view->title = case_title(&view->arena, c);
    view->doubt = doubt(&view->arena, c);
    view->reduced = c->reduced_variant.len > 0;
    view->seed = view->reduced ? c->reduced_seed : c->seed;
    view->variant = view->reduced ? c->reduced_variant : c->variant.len ? c->variant : c->seed;
    view->expected = view->reduced ? c->reduced_expected : c->expected;
    if (!view->reduced && !c->variant.len) view->seed = STR("");
    split_flags(c->flags, &view->flags);
    split_flags(c->good_flags, &view->good_flags);
    view->snippets = parse(c->snippets);
    view->matrix = parse(c->matrix);
    view->units = view->reduced ? NULL : parse(c->units);
    view->versions = parse(c->versions);
    view->rankings = parse(c->rankings);
    view->explanations = parse(c->explanations);
    return store_steps(store, &view->arena, id, &view->steps, &view->n_steps, err);
}

void caseview_release(CaseView *view) {
    vec_release(&view->flags);
    vec_release(&view->good_flags);
    json_decref(view->snippets);
    json_decref(view->matrix);
    json_decref(view->units);
    json_decref(view->versions);
    json_decref(view->rankings);
    json_decref(view->explanations);
    arena_release(&view->arena);
}

/* ---- commands ---- */

bool caseview_runs(const CaseView *view) {
    return str_is(view->c.verdict, "wrong");
}

int64_t caseview_code(const CaseView *view) {
    return view->reduced ? view->c.reduced_code : view->c.code;
}

bool caseview_unit(const CaseView *view, size_t i, CaseUnit *unit) {
    const json_t *item = json_array_get(view->units, i);
    const char *compiler = json_string_value(json_object_get(item, "compiler"));
    const char *flags = json_string_value(json_object_get(item, "flags"));
    const json_t *text = json_object_get(item, "text");
    if (!compiler || !flags || !json_is_string(text)) return false;
    *unit = (CaseUnit){ str_from(compiler),
                        str_from(flags),
                        { json_string_value(text), json_string_length(text) } };
    return true;
}

/* Link-time optimisation may crash while linking. */
static bool links(const CaseView *view) {
    bool link_time = false;
    for (size_t i = 0; i < view->flags.len; i++) link_time |= str_is(view->flags.at[i], "-flto");
    return caseview_runs(view) || str_is(view->c.verdict, "link") || view->units || link_time;
}

static void add_flags(Buf *out, Str flags) {
    Str word;
    while (str_split(&flags, ' ', &word))
        if (word.len) buf_char(out, ' '), shell_quote(out, word);
}

/* The commands that make the units' objects, each with prefix and suffix; dir: where they go. */
static void unit_commands(const CaseView *view, const char *prefix, const char *dir, bool script,
                          const char *suffix, Buf *out) {
    CaseUnit unit;
    for (size_t i = 0; caseview_unit(view, i, &unit); i++) {
        buf_text(out, prefix);
        if (script && str_eq(unit.compiler, view->c.compiler))
            buf_text(out, "\"$cc\"");
        else
            shell_quote(out, unit.compiler);
        add_flags(out, unit.flags);
        buf_fmt(out, " -c unit%zu.c -o %sunit%zu.o%s", i + 1, dir, i + 1, suffix);
    }
}

static void unit_objects(const CaseView *view, const char *dir, Buf *out) {
    CaseUnit unit;
    for (size_t i = 0; caseview_unit(view, i, &unit); i++) buf_fmt(out, " %sunit%zu.o", dir, i + 1);
}

/* The compiler's arguments after its name. */
static void arguments(const CaseView *view, bool good, const char *file, const char *exe,
                      Buf *out) {
    const StrVec *flags = good ? &view->good_flags : &view->flags;
    bool compiles_only = false;
    for (size_t i = 0; i < flags->len; i++) {
        buf_char(out, ' ');
        shell_quote(out, flags->at[i]);
        if (str_is(flags->at[i], "-S") || str_is(flags->at[i], "-c")) compiles_only = true;
    }
    if (view->units)
        unit_objects(view, "", out);
    else
        buf_char(out, ' '), shell_quote(out, str_from(file));
    if (links(view) && !compiles_only) {
        buf_text(out, " -o ");
        shell_quote(out, str_from(exe));
        buf_text(out, " -lm");
    } else {
        /* GCC's compiler proper knows no -c */
        buf_text(out, compiles_only || str_is(view->c.kind, "cc1") ? " -o " : " -c -o ");
        /* tcc removes its output file first, and must not remove /dev/null when run by root */
        bool special = str_is(view->c.kind, "gcc") || str_is(view->c.kind, "clang") ||
                       str_is(view->c.kind, "cc1");
        shell_quote(out, str_from(special ? "/dev/null" : "program.o"));
    }
}

void caseview_shell_line(const CaseView *view, bool good, const char *file, const char *exe,
                         Buf *out) {
    unit_commands(view, "", "", false, " && ", out);
    shell_quote(out, view->c.compiler);
    arguments(view, good, file, exe, out);
    if (!caseview_runs(view)) return;
    buf_text(out, " && ./");
    shell_quote(out, str_from(exe));
    if (view->c.input.len) buf_text(out, " < input.txt");
}

/* ---- the script ---- */

/* The function `build EXE` of the script: all units, then the program. */
static void define_build(const CaseView *view, Buf *out) {
    buf_text(out, "build() {\n");
    unit_commands(view, "    timeout -k 5 \"${LIMIT:-300}\" ", "\"$work\"/", true, " || return\n",
                  out);
    buf_text(out, "    timeout -k 5 \"${LIMIT:-300}\" \"$cc\"");
    for (size_t i = 0; i < view->flags.len; i++)
        buf_char(out, ' '), shell_quote(out, view->flags.at[i]);
    unit_objects(view, "\"$work\"/", out);
    buf_text(out, " -o \"$1\" -lm\n}\n");
}

/* The command that makes $work/exe of the program. */
static void compile(const CaseView *view, bool good, const char *exe, const char *limit, Buf *out) {
    if (view->units) {
        buf_fmt(out, "build \"$work/%s\"", exe);
        return;
    }
    Buf args = { 0 };
    arguments(view, good, "variant.c", "@exe@", &args);
    Str all = buf_view(&args);
    size_t at = str_find(all, STR("@exe@"), 0);
    buf_fmt(out, "timeout -k 5 %s \"$cc\"", limit);
    buf_str(out, str_sub(all, 0, at == STR_NONE ? all.len : at));
    if (at != STR_NONE) {
        buf_fmt(out, "\"$work/%s\"", exe);
        buf_str(out, str_sub(all, at + 5, all.len));
    }
    buf_release(&args);
}

static void repro_crash(const CaseView *view, Buf *out) {
    compile(view, false, "exe", "300", out);
    buf_text(
        out,
        " >\"$work/out\" 2>&1\n"
        "status=$?\n"
        "# a crash: a signal, or the compiler's own words for one\n"
        "if [ $status -ge 128 ] || { [ $status -ne 0 ] && grep -qE \\\n"
        "    'internal compiler error|PLEASE submit a bug report|Stack dump:|Segmentation fault|"
        "Assertion .* failed|LLVM ERROR|-fcompare-debug.* failure' \"$work/out\"; }; then\n"
        "    head -3 \"$work/out\"\n"
        "    echo 'the bug is there: the compiler crashes'\n"
        "    exit 0\n"
        "fi\n"
        "echo \"no crash: the compiler ended with status $status\"\n"
        "exit 1\n");
}

static void repro_hang(const CaseView *view, Buf *out) {
    compile(view, false, "exe", "\"${LIMIT:-60}\"", out);
    buf_text(out, " >\"$work/out\" 2>&1\n"
                  "status=$?\n"
                  "if [ $status = 124 ] || [ $status = 137 ]; then\n"
                  "    echo \"the bug is there: no end within ${LIMIT:-60} s\"\n"
                  "    exit 0\n"
                  "fi\n"
                  "echo \"no hang: the compiler ended with status $status\"\n"
                  "exit 1\n");
}

/* link and rejected: the failing options refuse what the passing ones accept. */
static void repro_refused(const CaseView *view, Buf *out) {
    buf_text(out, "if ");
    compile(view, false, "exe", "300", out);
    buf_text(
        out,
        " >\"$work/out\" 2>&1; then\n    echo 'accepted: the bug is not there'\n    exit 1\nfi\n");
    if (view->good_flags.len) {
        buf_text(out, "if ! ");
        compile(view, true, "exe", "300", out);
        buf_text(out,
                 " >/dev/null 2>&1; then\n"
                 "    echo 'refused with the passing options too: not this bug'\n    exit 1\nfi\n");
    }
    buf_text(out,
             "head -3 \"$work/out\"\necho 'the bug is there: the program is refused'\nexit 0\n");
}

static void run_program(const CaseView *view, bool good, const char *exe, Buf *out) {
    buf_text(out, "if ! ");
    compile(view, good, exe, "300", out);
    buf_fmt(out, " 2>\"$work/log\"; then\n    cat \"$work/log\"\n    echo 'does not compile'\n    "
                 "exit 1\nfi\n");
    buf_fmt(out, "timeout -k 5 60 \"$work/%s\" <\"$input\" >\"$work/%s.out\" 2>/dev/null\n", exe,
            exe);
    buf_fmt(out, "echo \"exit status $?\" >\"$work/%s.status\"\n", exe);
}

static void repro_wrong(const CaseView *view, Buf *out) {
    buf_text(out, "input=/dev/null\n[ -e input.txt ] && input=input.txt\n");
    run_program(view, false, "bad", out);
    if (view->good_flags.len) {
        run_program(view, true, "good", out);
        buf_text(out, "if cmp -s \"$work/good.out\" \"$work/bad.out\" && "
                      "cmp -s \"$work/good.status\" \"$work/bad.status\"; then\n"
                      "    echo 'the same output with both: the bug is not there'\n    exit 1\nfi\n"
                      "echo 'the bug is there: the outputs differ'\n"
                      "diff -a \"$work/good.out\" \"$work/bad.out\" | head -5\n"
                      "diff \"$work/good.status\" \"$work/bad.status\"\n"
                      "exit 0\n");
        return;
    }
    buf_fmt(out, "echo 'exit status %lld' >\"$work/good.status\"\n",
            (long long)caseview_code(view));
    buf_text(out, "if cmp -s expected.txt \"$work/bad.out\" && "
                  "cmp -s \"$work/good.status\" \"$work/bad.status\"; then\n"
                  "    echo 'the right output: the bug is not there'\n    exit 1\nfi\n"
                  "echo 'the bug is there: the output is not the expected one'\n"
                  "diff -a expected.txt \"$work/bad.out\" | head -5\n"
                  "diff \"$work/good.status\" \"$work/bad.status\"\n"
                  "exit 0\n");
}

/* Text that goes into a comment of the script: one line, nothing a terminal would act on. */
static void comment(Buf *out, Str text) {
    Str line = first_line(text, 200);
    for (size_t i = 0; i < line.len; i++)
        buf_char(out, (unsigned char)line.at[i] < ' ' || line.at[i] == 127 ? ' ' : line.at[i]);
}

void caseview_repro(const CaseView *view, Buf *out) {
    buf_text(out, "#!/bin/sh\n# ");
    comment(out, view->title);
    buf_text(
        out,
        "\n# Exits 0 when the bug is there, 1 when it is not, 3 when the compiler is missing.\n"
        "# CC=... tries another compiler.\n"
        "cd \"$(dirname \"$0\")\" || exit 3\n"
        "cc=${CC:-");
    shell_quote(out, view->c.compiler);
    buf_text(out, "}\n"
                  "command -v \"$cc\" >/dev/null || { echo \"$cc is not installed\"; exit 3; }\n"
                  "work=$(mktemp -d) || exit 3\n"
                  "trap 'rm -rf \"$work\"' EXIT\n");
    if (view->units) define_build(view, out);
    if (str_is(view->c.verdict, "wrong"))
        repro_wrong(view, out);
    else if (str_is(view->c.verdict, "hang"))
        repro_hang(view, out);
    else if (str_is(view->c.verdict, "link") || str_is(view->c.verdict, "rejected"))
        repro_refused(view, out);
    else
        repro_crash(view, out);
}

/* ---- JSON ---- */

json_t *case_json(const Case *c) {
    json_t *o = json_object();
    json_put_int(o, "id", c->id);
    json_put_int(o, "campaign", c->campaign);
    json_put_real(o, "created", c->created);
    json_put_real(o, "updated", c->updated);
    json_put_int(o, "count", (int64_t)c->count);
    json_put_int(o, "size", (int64_t)c->size);
    json_put_int(o, "number", (int64_t)c->number);
    json_put_int(o, "variant_number", (int64_t)c->variant_number);
    json_put_int(o, "code", c->code);
    json_put_int(o, "reduced_code", c->reduced_code);
    struct {
        const char *name;
        Str value;
    } texts[] = { { "compiler", c->compiler },   { "version", c->version },
                  { "kind", c->kind },           { "target", c->target },
                  { "flags", c->flags },         { "good_flags", c->good_flags },
                  { "verdict", c->verdict },     { "signature", c->signature },
                  { "bucket", c->bucket },       { "matters", c->matters },
                  { "seed_name", c->seed_name }, { "title", c->title } };
    for (size_t i = 0; i < COUNT_OF(texts); i++) json_put_text(o, texts[i].name, texts[i].value);
    return o;
}

static void put_json(json_t *o, const char *key, json_t *value) {
    if (value) json_put(o, key, json_incref(value));
}

static json_t *steps_json(const CaseView *view) {
    json_t *steps = json_array();
    for (size_t i = 0; i < view->n_steps; i++) {
        json_t *s = json_object();
        json_put_text(s, "name", view->steps[i].name);
        json_put_text(s, "state", view->steps[i].state);
        json_put_text(s, "result", view->steps[i].result);
        json_put_real(s, "started", view->steps[i].started);
        json_put_real(s, "ended", view->steps[i].ended);
        json_array_append_new(steps, s);
    }
    return steps;
}

json_t *caseview_json(const CaseView *view) {
    const Case *c = &view->c;
    json_t *o = case_json(c);
    json_put_text(o, "title", view->title);
    if (view->doubt.len) json_put_text(o, "doubt", view->doubt);
    struct {
        const char *name;
        Str value;
    } texts[] = { { "seed", c->seed },
                  { "variant", c->variant },
                  { "input", c->input },
                  { "expected", c->expected },
                  { "actual", c->actual },
                  { "reduced_seed", c->reduced_seed },
                  { "reduced_variant", c->reduced_variant },
                  { "reduced_expected", c->reduced_expected },
                  { "original", c->original },
                  { "undefined", c->undefined },
                  { "tags", c->tags },
                  { "notes", c->notes } };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        if (texts[i].value.len) json_put_text(o, texts[i].name, texts[i].value);
    put_json(o, "snippets", view->snippets);
    put_json(o, "units", view->units);
    put_json(o, "matrix", view->matrix);
    put_json(o, "versions", view->versions);
    put_json(o, "rankings", view->rankings);
    put_json(o, "explanations", view->explanations);
    json_put(o, "steps", steps_json(view));
    return o;
}
