/* culprit cases: the store as a table; and what a user does with cases: tag, note, merge, remove.
 */
#include <unistd.h>

#include "base/file.h"
#include "base/live.h"
#include "base/opts.h"
#include "base/quantity.h"
#include "base/terminal.h"
#include "command/commands.h"
#include "report/caseview.h"

typedef struct CasesOptions {
    const char *store, *compiler, *verdict, *search, *sort, *bucket, *tag;
    uint64_t campaign, limit, page;
    bool reverse, all, json, remove, upgrade;
} CasesOptions;

#define AT(member) OPT_IN(CasesOptions, member)
static const Opt table[] = {
    { 0, "store", OPT_STR, AT(store), "STORE", "a file, or postgresql://.. [the user's own]",
      "@files" },
    { 0, "compiler", OPT_STR, AT(compiler), "NAME", "only cases of this compiler", "@compilers" },
    { 0, "verdict", OPT_CHOICE, AT(verdict), "KIND", "only crash, wrong, hang, link or rejected",
      "crash|wrong|hang|link|rejected" },
    { 0, "campaign", OPT_UINT, AT(campaign), "N", "only cases found by campaign N", NULL },
    { 0, "bucket", OPT_STR, AT(bucket), "TEXT", "only the case with this bucket", NULL },
    { 0, "tag", OPT_STR, AT(tag), "WORD", "only cases with this tag", NULL },
    { 0, "search", OPT_STR, AT(search), "TEXT",
      "only cases whose signature, flags or pass contain TEXT", NULL },
    { 0, "sort", OPT_CHOICE, AT(sort), "KEY", "id, count, size, updated or compiler [id]",
      "id|count|size|updated|compiler" },
    { 'r', "reverse", OPT_FLAG, AT(reverse), NULL, "in the other direction", NULL },
    { 'n', "limit", OPT_UINT, AT(limit), "N", "rows on a page [50]", NULL },
    { 'p', "page", OPT_UINT, AT(page), "N", "which page [1]", NULL },
    { 'a', "all", OPT_FLAG, AT(all), NULL, "everything on one page", NULL },
    { 0, "remove", OPT_FLAG, AT(remove), NULL, "with tag: remove the words", NULL },
    { 0, "upgrade", OPT_FLAG, AT(upgrade), NULL, "upgrade a store written by an older culprit",
      NULL },
    { 0, "json", OPT_FLAG, AT(json), NULL, "as JSON, on standard output", NULL },
    { 0 },
};
#undef AT
static const char *const conflicts[] = { "all", "page", "all", "limit", NULL };
static const OptSpec spec = {
    "cases",
    "[OPTION].. [list | rm CASE.. | tag CASE WORD.. | note CASE TEXT | merge CASE OTHER.. "
    "| copy FROM TO]",
    "list the cases of the store, or change them",
    table,
    conflicts,
    "Newest first; R, I and E: it is reduced, isolated, explained. Cases that look\n"
    "like one bug are listed below the table; merge turns them into one: hits, notes\n"
    "and tags are combined, and later hits of the others count for the first.\n"
    "\n"
    "  culprit cases --verdict wrong --compiler gcc-12\n"
    "  culprit cases --sort count --json\n"
    "  culprit cases tag 3 reported\n"
    "  culprit cases note 3 'reported as PR 108821'\n"
    "  culprit cases merge 3 7\n"
    "  culprit cases copy cases.db postgresql://host/bugs\n"
    "\n"
    "Exit status: 0 when there is a case to show, 1 when there is none; 2 wrong\n"
    "usage; 3 the store cannot be written.\n",
    0,
    OPT_MANY,
    "list|rm|tag|note|merge|copy",
};

static CaseFilter make_filter(const CasesOptions *o) {
    static const char *const names[] = { "id", "count", "size", "updated", "compiler" };
    CaseFilter filter = { .compiler = o->compiler,
                          .verdict = o->verdict,
                          .text = o->search,
                          .bucket = o->bucket,
                          .tag = o->tag,
                          .campaign = (int64_t)o->campaign };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(o->sort, names[i]) == 0) filter.order = (CaseOrder)i;
    /* what people want to see first: the newest, the most hits, the smallest */
    bool descending = filter.order != CASE_BY_SIZE && filter.order != CASE_BY_COMPILER;
    filter.descending = descending != o->reverse;
    filter.limit = o->all ? 0 : (size_t)o->limit;
    filter.offset = o->all || o->page < 1 ? 0 : (size_t)((o->page - 1) * o->limit);
    return filter;
}

static void print_json(const Case *cases, size_t n, uint64_t total) {
    json_t *rows = json_array(), *o = json_object();
    for (size_t i = 0; i < n; i++) json_array_append_new(rows, case_json(&cases[i]));
    json_put(o, "cases", rows);
    json_put_int(o, "total", (int64_t)total);
    json_print(o);
    json_decref(o);
}

/* ---- the table ---- */

/* What later stages have left in a case, one letter each: reduced, isolated, explained; and that
 * the program is undefined (U), or that it may not be a bug (?). */
static const char *const stage_members[] = { "reduced_variant", "rankings", "explanations",
                                             "undefined" };

/* What a row has room for. */
typedef struct Columns {
    bool flags, numbers; /* flags; hits and size */
    size_t what;         /* columns of the last one; 0: as long as it is */
} Columns;

static Columns fit_columns(void) {
    size_t width = (size_t)terminal_width(stdout);
    if (!isatty(STDOUT_FILENO)) return (Columns){ true, true, 0 };
    Columns c = { .flags = width >= 60, .numbers = width >= 80 };
    size_t used = 6 + 2 + 9 + 13 + (c.flags ? 15 : 0) + (c.numbers ? 16 + 7 : 0);
    c.what = width > used + 8 ? width - used - 1 : 8;
    return c;
}

static void add_row(Buf *out, const Case *c, uint32_t has, const Columns *columns) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)c->id);
    terminal_cell(out, str_from(number), 6, true);
    buf_fmt(out, "  %s", colour(stdout, verdict_colour(c->verdict)));
    terminal_cell(out, c->verdict, 8, false);
    buf_fmt(out, "%s ", colour(stdout, COLOUR_NONE));
    terminal_path(out, c->compiler, 12);
    buf_char(out, ' ');
    if (columns->flags) terminal_cell(out, c->flags, 14, false), buf_char(out, ' ');
    if (columns->numbers) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)c->count);
        terminal_cell(out, str_from(number), 5, true);
        quantity_show_size(c->size, number);
        terminal_cell(out, str_from(number), 10, true);
        buf_fmt(out, "  %c%c%c%c ", has & 1 ? 'R' : '.', has & 2 ? 'I' : '.', has & 4 ? 'E' : '.',
                has & 8                  ? 'U'
                : case_is_unconfirmed(c) ? '?'
                                         : ' ');
    }
    Str what = c->signature.len ? c->signature : c->matters.len ? c->matters : c->title;
    terminal_text(out, what, columns->what);
    buf_char(out, '\n');
}

static void add_head(Buf *out, const Columns *columns) {
    buf_fmt(out, "%s%6s  %-8s %-12s ", colour(stdout, COLOUR_BOLD), "case", "verdict", "compiler");
    if (columns->flags) buf_fmt(out, "%-14s ", "flags");
    if (columns->numbers) buf_fmt(out, "%5s%10s  %-4s ", "hits", "size", "RIE");
    buf_fmt(out, "signature%s\n", colour(stdout, COLOUR_NONE));
}

/* ---- cases that look like one bug ---- */

static bool look_alike(const Case *a, const Case *b) {
    return a->signature.len && str_eq(a->signature, b->signature) &&
           str_eq(a->verdict, b->verdict) && str_eq(a->kind, b->kind) &&
           str_is(a->verdict, "crash");
}

/* Says which cases on the page are likely one bug: a crash at the same place of the same kind of
 * compiler, found by two campaigns or outside any. */
static void add_twins(Buf *out, const Case *cases, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool first = true, said = false;
        for (size_t k = 0; k < i; k++) first &= !look_alike(&cases[i], &cases[k]);
        for (size_t k = i + 1; first && k < n; k++) {
            if (!look_alike(&cases[i], &cases[k])) continue;
            if (!said) buf_fmt(out, "one crash, by its place: %lld", (long long)cases[i].id);
            buf_fmt(out, " %lld", (long long)cases[k].id);
            said = true;
        }
        if (said) buf_text(out, "; 'culprit cases merge' with these numbers makes them one case\n");
    }
}

static bool print_table(Store *store, const Case *cases, size_t n, uint64_t total, size_t offset,
                        Error *err) {
    Arena arena = { 0 };
    uint32_t *has = ARENA_ARRAY(&arena, uint32_t, n + 1);
    int64_t *ids = ARENA_ARRAY(&arena, int64_t, n + 1);
    for (size_t i = 0; i < n; i++) ids[i] = cases[i].id;
    bool ok = store_case_has(store, ids, n, stage_members, COUNT_OF(stage_members), has, err);
    Buf out = { 0 };
    Columns columns = fit_columns();
    add_head(&out, &columns);
    for (size_t i = 0; i < n; i++) add_row(&out, &cases[i], has[i], &columns);
    if (n < total)
        buf_fmt(&out, "%zu to %zu of %llu; --page N shows others, --all all\n", offset + 1,
                offset + n, (unsigned long long)total);
    add_twins(&out, cases, n);
    if (ok) fwrite(out.at, 1, out.len, stdout);
    buf_release(&out);
    arena_release(&arena);
    return ok;
}

static bool list(const CasesOptions *o, Error *err) {
    Store *store = store_open(o->store, STORE_READ, err);
    if (!store) return false;
    Arena arena = { 0 };
    CaseFilter filter = make_filter(o);
    Case *cases;
    size_t n;
    uint64_t total;
    bool ok = store_case_list(store, &arena, &filter, &cases, &n, &total, err), none = ok && !n;
    if (ok && o->json)
        print_json(cases, n, total);
    else if (ok && n)
        ok = print_table(store, cases, n, total, filter.offset, err);
    if (none)
        ok = err_set(err, STATUS_NO, total ? "no case on that page" : "no case matches in %s",
                     store_path(store));
    store_close(store);
    arena_release(&arena);
    return ok;
}

/* ---- changes ---- */

static bool number_of(Str word, int64_t *id, Error *err) {
    return (str_to_i64(word, id) && *id > 0) ||
           err_set(err, STATUS_BAD, "'" STR_FMT "' is not the number of a case", STR_ARG(word));
}

static bool has_line(Str lines, Str word) {
    Str line;
    while (str_split(&lines, '\n', &line))
        if (str_eq(line, word)) return true;
    return false;
}

/* The tags with words added, or without them. */
static Str change_tags(Arena *arena, Str tags, const Str *words, size_t n, bool remove) {
    Buf out = { 0 };
    Str rest = tags, tag;
    while (str_split(&rest, '\n', &tag)) {
        bool named = false;
        for (size_t i = 0; i < n; i++) named |= str_eq(words[i], tag);
        if (!tag.len || (named && remove)) continue;
        buf_str(&out, tag), buf_char(&out, '\n');
    }
    for (size_t i = 0; i < n && !remove; i++)
        if (!has_line(buf_view(&out), words[i])) buf_str(&out, words[i]), buf_char(&out, '\n');
    Str text = arena_str(arena, str_trim(buf_view(&out)));
    buf_release(&out);
    return text;
}

static bool tag_case(Store *store, int64_t id, const StrVec *words, bool remove, Error *err) {
    Arena arena = { 0 };
    Case c;
    bool ok = store_case_get(store, &arena, id, &c, err);
    for (size_t i = 2; ok && i < words->len; i++)
        if (!words->at[i].len || memchr(words->at[i].at, '\n', words->at[i].len))
            ok = err_set(err, STATUS_BAD, "a tag is a word on one line");
    if (ok) {
        CaseSet set = { "tags",
                        change_tags(&arena, c.tags, words->at + 2, words->len - 2, remove) };
        ok = store_case_set(store, id, &set, 1, err);
    }
    arena_release(&arena);
    return ok;
}

typedef enum Verb { VERB_RM, VERB_TAG, VERB_NOTE, VERB_MERGE, VERBS } Verb;
static const char *const verb_names[VERBS] = { "rm", "tag", "note", "merge" };

/* words: the verb, a case, what to do with it. */
static bool change(Store *store, Verb verb, const StrVec *words, bool remove, Error *err) {
    int64_t id, other;
    if (!number_of(words->at[1], &id, err)) return false;
    if (verb == VERB_NOTE) {
        CaseSet set = { "notes", words->at[2] };
        return store_case_set(store, id, &set, 1, err);
    }
    if (verb == VERB_TAG) return tag_case(store, id, words, remove, err);
    for (size_t i = verb == VERB_RM ? 1 : 2; i < words->len; i++)
        if (!number_of(words->at[i], &other, err) ||
            !(verb == VERB_RM ? store_case_remove(store, other, err)
                              : store_case_merge(store, id, other, err)))
            return false;
    return true;
}

static bool take_verb(const CasesOptions *o, const StrVec *words, Error *err) {
    size_t verb = 0;
    while (verb < VERBS && !str_is(words->at[0], verb_names[verb])) verb++;
    if (verb == VERBS) {
        const char *near = opts_nearest(words->at[0].at, verb_names, VERBS);
        return near
                   ? err_set(err, STATUS_BAD, "unknown word '%s'; did you mean 'culprit cases %s'?",
                             words->at[0].at, near)
                   : err_set(err, STATUS_BAD, "usage: culprit cases %s", spec.usage);
    }
    bool enough = words->len >= (verb == VERB_RM ? 2 : 3) && (verb != VERB_NOTE || words->len == 3);
    if (!enough) return err_set(err, STATUS_BAD, "usage: culprit cases %s", spec.usage);
    Store *store = store_open(o->store, STORE_READ, err); /* a typo must not create one */
    store_close(store);
    store = store ? store_open(o->store, STORE_WRITE, err) : NULL;
    bool ok = store && change(store, (Verb)verb, words, o->remove, err);
    store_close(store);
    return ok;
}

/* Readers leave a store as it is: the first writer migrates it. */
static bool upgrade(const char *path, Error *err) {
    Arena arena = { 0 };
    const char *file = path ? path : store_default_path(&arena, err);
    bool ok = file && (store_is_server(file) || file_exists(file) ||
                       err_set(err, STATUS_BAD, "no store at %s", file));
    Store *store = ok ? store_open(file, STORE_WRITE, err) : NULL;
    store_close(store);
    arena_release(&arena);
    return store != NULL;
}

/* From one store into another; both are named. */
static bool copy(const StrVec *words, Error *err) {
    if (words->len != 3) return err_set(err, STATUS_BAD, "usage: culprit cases copy FROM TO");
    uint64_t n;
    char cases[48];
    Store *from = store_open(words->at[1].at, STORE_READ, err);
    Store *to = from ? store_open(words->at[2].at, STORE_WRITE, err) : NULL;
    bool ok = to && store_copy(from, to, &n, err);
    if (ok) printf("%s new or with news\n", quantity_show_count(n, "case", cases));
    store_close(from);
    store_close(to);
    return ok;
}

int cases_command(int argc, char **argv) {
    Error err = { 0 };
    CasesOptions o = { .sort = "id", .limit = 50, .page = 1 };
    Opts opts;
    OptsEnd end = opts_read(&spec, argc, argv, &o, &opts, &err);
    const StrVec *rest = &opts.rest;
    bool lists = !rest->len || (rest->len == 1 && str_is(rest->at[0], "list"));
    bool ok = end == OPTS_STOP || (end == OPTS_GO && (!o.upgrade || upgrade(o.store, &err)) &&
                                   (lists                         ? list(&o, &err)
                                    : str_is(rest->at[0], "copy") ? copy(rest, &err)
                                                                  : take_verb(&o, rest, &err)));
    opts_release(&opts);
    if (!ok && o.json && err.status == STATUS_NO) return STATUS_NO; /* the list is empty */
    return ok ? STATUS_DONE : err_report(&err);
}
