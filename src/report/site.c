/* Names of pages, and which function makes each. */
#include "report/site.h"

#include "report/site_pages.h"

/* prefix, a number without leading zero, suffix; nothing else. */
static bool numbered(Str name, const char *prefix, const char *suffix, int64_t *id) {
    size_t from = strlen(prefix), to = strlen(suffix);
    if (!str_starts(name, prefix) || !str_ends(name, suffix) || name.len <= from + to) return false;
    Str digits = str_sub(name, from, name.len - to);
    if (digits.len > 15 || digits.at[0] == '0') return false;
    int64_t value = 0;
    for (size_t i = 0; i < digits.len; i++) {
        if (digits.at[i] < '0' || digits.at[i] > '9') return false;
        value = value * 10 + (digits.at[i] - '0');
    }
    *id = value;
    return true;
}

bool site_parse(Str name, SiteRequest *request) {
    *request = (SiteRequest){ .filter = { .limit = SITE_ROWS, .descending = true } };
    static const struct {
        const char *name;
        SiteKind kind;
    } plain[] = { { "", SITE_INDEX },
                  { "index.html", SITE_INDEX },
                  { "cases.html", SITE_CASES },
                  { "live.json", SITE_LIVE },
                  { "compare.html", SITE_COMPARE } };
    static const struct {
        const char *prefix, *suffix;
        SiteKind kind;
        bool moved;
    } forms[] = {
        { "case-", ".html", SITE_CASE, false },         { "case-", ".json", SITE_CASE_JSON, false },
        { "campaign-", ".html", SITE_CAMPAIGN, false }, { "case/", "", SITE_CASE, true },
        { "case/", ".json", SITE_CASE_JSON, true },     { "campaign/", "", SITE_CAMPAIGN, true }
    };
    for (size_t i = 0; i < COUNT_OF(plain); i++)
        if (str_is(name, plain[i].name)) return request->kind = plain[i].kind, true;
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (numbered(name, forms[i].prefix, forms[i].suffix, &request->id)) {
            request->kind = forms[i].kind;
            request->moved = forms[i].moved;
            return true;
        }
    return false;
}

void site_name(const SiteRequest *request, char out[64]) {
    snprintf(out, 64, "%s-%lld.%s", request->kind == SITE_CAMPAIGN ? "campaign" : "case",
             (long long)request->id, request->kind == SITE_CASE_JSON ? "json" : "html");
}

const char *site_type(SiteKind kind) {
    return kind == SITE_LIVE || kind == SITE_CASE_JSON ? "application/json"
                                                       : "text/html; charset=utf-8";
}

bool site_render(Store *store, const SiteRequest *request, bool served, Buf *out, Error *err) {
    Page page = { out, served, served ? "live.json" : NULL, request->alone, request->oldest };
    switch (request->kind) {
    case SITE_INDEX: return site_index(store, &page, err);
    case SITE_CASES: return site_cases(store, &page, &request->filter, err);
    case SITE_CASE: return site_case(store, &page, request->id, err);
    case SITE_CASE_JSON: return site_case_json(store, request->id, out, err);
    case SITE_COMPARE: return site_compare(store, &page, request->id, request->other, err);
    case SITE_CAMPAIGN: return site_campaign(store, &page, request->id, &request->filter, err);
    case SITE_LIVE:
        buf_fmt(out, "{\"generation\":\"%llx\"}\n", (unsigned long long)store_generation(store));
        return true;
    }
    return false;
}
