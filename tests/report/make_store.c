/* Makes stores for the tests of the pages.
 *
 *     make-store FILE samples DIR     a case from each JSON file in DIR (as `culprit show --json`
 * prints them), one campaign with its course make-store FILE hostile         cases of bytes that
 * try to break out of a page make-store FILE many N          N small cases make-store FILE write
 * SECONDS   keeps writing findings, as a hunt does; prints how many */
#include "base/file.h"
#include "base/json.h"
#include "base/quantity.h"
#include "store/store.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

static Error err;

static void must(bool ok) {
    if (!ok) exit(err_report(&err));
}

/* ---- samples ---- */

/* A member of the JSON as the text a case keeps: strings as they are, the rest as JSON. */
static Str member(Arena *arena, json_t *o, const char *name) {
    json_t *value = json_object_get(o, name);
    if (!value) return STR("");
    if (json_is_string(value)) return json_get_text(o, name);
    Buf text = { 0 };
    json_dump_buf(value, false, &text);
    Str copy = arena_str(arena, buf_view(&text));
    buf_release(&text);
    return copy;
}

static Case read_case(Arena *arena, json_t *o) {
    Case c = { .count = (uint64_t)json_get_int(o, "count", 1),
               .variant_number = (uint64_t)json_get_int(o, "variant_number", 1),
               .code = json_get_int(o, "code", 0) };
#define MEMBER(name) c.name = member(arena, o, #name)
    MEMBER(compiler);
    MEMBER(version);
    MEMBER(kind);
    MEMBER(target);
    MEMBER(flags);
    MEMBER(good_flags);
    MEMBER(verdict);
    MEMBER(signature);
    MEMBER(bucket);
    MEMBER(matters);
    MEMBER(seed_name);
    MEMBER(title);
    MEMBER(seed);
    MEMBER(variant);
    MEMBER(input);
    MEMBER(expected);
    MEMBER(actual);
    MEMBER(snippets);
    MEMBER(reduced_seed);
    MEMBER(reduced_variant);
    MEMBER(reduced_expected);
    MEMBER(matrix);
    MEMBER(versions);
    MEMBER(rankings);
    MEMBER(explanations);
    MEMBER(notes);
#undef MEMBER
    return c;
}

static void put_steps(Store *store, int64_t id, json_t *steps) {
    size_t i;
    json_t *s;
    json_array_foreach(steps, i, s) {
        CaseStep step = { id,
                          json_get_text(s, "name"),
                          json_get_text(s, "state"),
                          json_get_text(s, "result"),
                          json_get_real(s, "started", 0),
                          json_get_real(s, "ended", 0) };
        must(store_step_put(store, &step, &err));
    }
}

/* Two machines of a campaign: one at work, one that has said why it ended. */
static void add_machines(Store *store, int64_t campaign) {
    CampaignTotals did = { .seeds = 2, .programs = 22, .total_cpu_s = 88 };
    CampaignWorker workers[] = {
        { STR("a 17 1"), STR("a.cluster <i>"), STR("working"), STR(""), 64, 0, 0, did },
        { STR("b 18 1"), STR("b.cluster"), STR("ended"),
          STR("the server closed the connection (57P01): UPDATE units SET till"), 8, 0, 0, did },
    };
    for (size_t i = 0; i < COUNT_OF(workers); i++)
        must(store_worker_seen(store, campaign, &workers[i], 60, &err));
}

static void add_samples(Store *store, const char *dir) {
    Arena arena = { 0 };
    StrVec paths = { 0 };
    int64_t campaign, id;
    must(store_campaign_open(store, STR("{\"compilers\": [\"gcc-11\", \"gcc-12\"], \"seed\": 1}"),
                             &campaign, NULL, &err));
    must(file_list(&arena, dir, ".json", &paths, &err));
    for (size_t i = 0; i < paths.len; i++) {
        Str text;
        must(file_read(&arena, paths.at[i].at, &text, &err));
        json_t *o = json_parse(text, paths.at[i].at, &err);
        must(o != NULL);
        Case c = read_case(&arena, o);
        SeedDone done = {
            .number = i,
            .totals = { .programs = 11,
                        .compilations = 110,
                        .runs = 80,
                        .compiler_cpu_s = 40,
                        .total_cpu_s = 44,
                        .wall_s = 30 },
            .timings = (CompilerTiming[]){ { STR("gcc-12"), STR("12.2.0"), 55, 18, 0.9 },
                                           { STR("gcc-11"), STR("11.3.0 <b>"), 55, 22, 1.4 } },
            .n_timings = 2
        };
        must(store_seed_done(store, campaign, &done, &c, 1, &id, NULL, &err));
        put_steps(store, id, json_object_get(o, "steps"));
        json_decref(o);
    }
    must(store_coverage(store, campaign, 0.31, &err));
    add_machines(store, campaign);
    vec_release(&paths);
    arena_release(&arena);
}

/* The store stamps samples with the time of writing; hours of history are added behind its back. */
static void add_course(const char *path) {
    sqlite3 *db;
    char sql[512];
    CHECK(sqlite3_open(path, &db) == SQLITE_OK);
    int64_t now = (int64_t)store_time() / STORE_SAMPLE_S * STORE_SAMPLE_S;
    for (int i = 1; i <= 720; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT OR IGNORE INTO samples VALUES(1,%lld,0,0,%d,%d,0,0,0,%d,30,33,10,%f);",
                 (long long)(now - i * STORE_SAMPLE_S), 3 + (i * 7919) % 5, 40, i % 97 == 0,
                 0.31 - i * 0.0001);
        CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
    }
    sqlite3_close(db);
}

/* ---- hostile ---- */

static const char *const attacks[] = {
    "</script><script>document.title='owned'</script>",
    "</style><img src=x onerror=\"document.title='owned'\">",
    "\"'><svg onload=document.title='owned'>",
    "</pre></textarea></title><iframe srcdoc='<script>parent.document.title=1</script>'>",
    "<!--",
    "]]>",
    "{{constructor.constructor('document.title=1')()}}",
    "javascript:document.title='owned'",
    "&lt;b&gt; &#x3c;script&#x3e;",
    "\033[31mred\033]0;owned\007",
    "\xff\xfe\x80 not UTF-8 \xc3(",
    "\xed\xa0\x80 surrogate",
};

static void add_hostile(Store *store) {
    Arena arena = { 0 };
    int64_t id;
    for (size_t i = 0; i < COUNT_OF(attacks); i++) {
        Str s = str_from(attacks[i]);
        char *bytes = arena_fmt(&arena, "int main(void) {\n  %s?%s\n}\n", attacks[i], attacks[i]);
        Str program = str_from(bytes);
        bytes[str_find(program, STR("?"), 0)] = 0; /* a NUL within */
        const char *json = arena_fmt(&arena, STR_FMT, STR_ARG(STR("")));
        json_t *text = json_text(s);
        Buf quoted = { 0 };
        json_dump_buf(text, false, &quoted);
        json_decref(text);
        json = arena_fmt(&arena,
                         "{\"files\":[{\"name\":%s,\"score\":0.5,\"lines\":[{\"line\":1,\"score\":"
                         "1,\"text\":%s}]}],"
                         "\"witnesses\":[{\"id\":1,\"kind\":%s,\"label\":%s,\"program\":%s}],"
                         "\"failure\":{\"text\":%s},\"roots\":[{\"file\":%s,\"diff\":%s}],"
                         "\"tree\":{\"nodes\":[{\"id\":%s,\"kind\":%s,\"title\":%s,\"steps\":[{"
                         "\"file\":%s,\"line\":1,"
                         "\"text\":%s,\"bad\":%s,\"good\":%s}]},{\"id\":\"n\"}],"
                         "\"edges\":[{\"from\":%s,\"to\":\"n\",\"predicate\":%s,\"bad\":%s}]}}",
                         quoted.at, quoted.at, quoted.at, quoted.at, quoted.at, quoted.at,
                         quoted.at, quoted.at, quoted.at, quoted.at, quoted.at, quoted.at,
                         quoted.at, quoted.at, quoted.at, quoted.at, quoted.at, quoted.at);
        const char *matrix = arena_fmt(
            &arena, "[{\"compiler\":%s,\"version\":%s,\"level\":%s,\"verdict\":%s,\"detail\":%s}]",
            quoted.at, quoted.at, quoted.at, quoted.at, quoted.at);
        Case c = { .compiler = s,
                   .version = s,
                   .kind = s,
                   .target = s,
                   .flags = s,
                   .good_flags = s,
                   .verdict = i % 2 ? s : STR("wrong"),
                   .signature = s,
                   .matters = s,
                   .seed_name = s,
                   .title = s,
                   .seed = STR("int main(void) {\n}\n"),
                   .variant = program,
                   .input = program,
                   .expected = s,
                   .actual = program,
                   .matrix = str_from(matrix),
                   .rankings = str_from(json),
                   .explanations = str_from(json),
                   .notes = s };
        must(store_case_put(store, &c, &id, NULL, &err));
        CaseStep step = { id, s, s, s, 1, 2 };
        must(store_step_put(store, &step, &err));
        buf_release(&quoted);
    }
    /* one line of a megabyte on one side, another on the other */
    Buf line = { 0 };
    for (int i = 0; i < 1 << 17; i++) buf_text(&line, "x<y+1; ");
    Case c = { .compiler = STR("gcc-12"),
               .verdict = STR("crash"),
               .seed = buf_view(&line),
               .signature = STR("long") };
    Str seed = arena_str(&arena, c.seed);
    buf_text(&line, "changed;\n");
    c.variant = buf_view(&line), c.seed = seed;
    must(store_case_put(store, &c, &id, NULL, &err));
    /* invalid JSON, and JSON of the wrong kinds */
    Case odd = { .compiler = STR("gcc-12"),
                 .verdict = STR("crash"),
                 .variant = STR("x"),
                 .rankings = STR("{\"files\":3,\"passes\":[1]}"),
                 .explanations = STR("[[[["),
                 .matrix = STR("{}"),
                 .snippets = STR("\"x\""),
                 .versions = STR("[1]") };
    must(store_case_put(store, &odd, &id, NULL, &err));
    buf_release(&line);
    arena_release(&arena);
}

/* ---- many ---- */

static void add_many(Store *store, uint64_t many) {
    static Case batch[1000];
    int64_t campaign;
    must(store_campaign_open(store, STR("{}"), &campaign, NULL, &err));
    for (uint64_t done = 0; done < many;) {
        Arena arena = { 0 };
        uint64_t n = many - done < 1000 ? many - done : 1000;
        for (uint64_t i = 0; i < n; i++)
            batch[i] =
                (Case){ .bucket = str_from(
                            arena_fmt(&arena, "bucket %llu", (unsigned long long)(done + i))),
                        .compiler = i % 2 ? STR("gcc-12") : STR("clang-16"),
                        .version = STR("12.2.0"),
                        .verdict = i % 3 ? STR("crash") : STR("wrong"),
                        .flags = STR("-O2 -fno-tree-vrp"),
                        .matters = STR("vrp1"),
                        .count = i + 1,
                        .signature = STR("internal compiler error: in visit, at tree-vrp.c:1234"),
                        .seed = STR("int main(void) { return 0; }"),
                        .variant = STR("int main(void) { int x = 1; return x - 1; }") };
        SeedDone seed = { .number = done, .totals = { .programs = n } };
        must(store_seed_done(store, campaign, &seed, batch, n, NULL, NULL, &err));
        arena_release(&arena);
        done += n;
    }
}

static void go_on_writing(Store *store, double seconds) {
    int64_t campaign;
    uint64_t n = 0;
    must(store_campaign_open(store, STR("{}"), &campaign, NULL, &err));
    for (double end = clock_now() + seconds; clock_now() < end; n++) {
        Arena arena = { 0 };
        Case c = { .bucket = str_from(arena_fmt(&arena, "new %llu", (unsigned long long)n)),
                   .compiler = STR("gcc-12"),
                   .verdict = STR("crash"),
                   .variant = STR("int x;") };
        SeedDone done = { .number = 1000000 + n, .totals = { .programs = 11 } };
        must(store_seed_done(store, campaign, &done, &c, 1, NULL, NULL, &err));
        arena_release(&arena);
        usleep(2000);
    }
    printf("%llu\n", (unsigned long long)n);
}

int main(int argc, char **argv) {
    if (argc < 3)
        return fprintf(stderr, "usage: make-store FILE samples|hostile|many|write [ARGUMENT]\n"), 2;
    Store *store = store_open(argv[1], STORE_WRITE, &err);
    must(store != NULL);
    if (strcmp(argv[2], "samples") == 0)
        add_samples(store, argv[3]), add_course(argv[1]);
    else if (strcmp(argv[2], "hostile") == 0)
        add_hostile(store);
    else if (strcmp(argv[2], "many") == 0)
        add_many(store, strtoull(argv[3], NULL, 10));
    else if (strcmp(argv[2], "write") == 0)
        go_on_writing(store, strtod(argv[3], NULL));
    store_close(store);
    return 0;
}
