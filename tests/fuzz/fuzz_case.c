/* Any bytes as the texts of a case (which other tools, or an older culprit, may have written):
 * every page, the bug report, the script and the JSON of it are made, and none of its text becomes
 * markup. */
#include "base/terminal.h"
#include "fuzz.h"
#include "report/bugreport.h"
#include "report/pairdiff.h"
#include "report/site.h"

static Store *empty_store(const char *path) {
    Error err = { 0 };
    Store *store = store_open(path, STORE_WRITE, &err);
    CHECK(store);
    return store;
}

static void show(Store *store, int64_t id) {
    Error err = { 0 };
    CaseView view;
    Buf out = { 0 };
    BugFacts facts = { STR("gcc version 12"), STR("internal compiler error: in f, at g.c:1") };
    CHECK(caseview_load(&view, store, id, &err));
    bugreport(&view, &facts, &out);
    caseview_repro(&view, &out);
    caseview_shell_line(&view, true, &out);
    terminal_text(&out, view.c.signature, 40);
    terminal_cell(&out, view.title, 20, true);
    json_t *json = caseview_json(&view);
    CHECK(json);
    json_decref(json);
    caseview_release(&view);
    buf_clear(&out);
    SiteRequest request = { .kind = SITE_CASE, .id = id };
    CHECK(site_render(store, &request, true, &out, &err));
    /* The word that the seeds and the fuzzer's dictionary put in as markup. */
    CHECK(str_find(buf_view(&out), STR("<xss"), 0) == STR_NONE);
    buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static Store *store;
    Arena arena = { 0 };
    Error err = { 0 };
    Str rest = { (const char *)data, size };
    int64_t id = 0;
    Case c = { .compiler = STR("gcc-12"), .kind = STR("gcc") };
    Str *const texts[] = { &c.verdict,      &c.flags,    &c.signature, &c.title,    &c.variant,
                           &c.seed,         &c.rankings, &c.snippets,  &c.matrix,   &c.versions,
                           &c.explanations, &c.expected, &c.actual,    &c.seed_name };
    if (!store) store = empty_store(file_join(&arena, fuzz_dir(), "case.db"));
    for (size_t i = 0; i < COUNT_OF(texts); i++) *texts[i] = fuzz_part(&rest);
    CHECK(store_case_put(store, &c, &id, NULL, &err));
    show(store, id);
    CHECK(store_case_remove(store, id, &err));
    arena_release(&arena);
    return 0;
}
