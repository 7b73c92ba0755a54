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
    if (!name.len || str_is(name, "index.html"))
        request->kind = SITE_INDEX;
    else if (str_is(name, "cases.html"))
        request->kind = SITE_CASES;
    else if (str_is(name, "live.json"))
        request->kind = SITE_LIVE;
    else if (numbered(name, "case-", ".html", &request->id))
        request->kind = SITE_CASE;
    else if (numbered(name, "campaign-", ".html", &request->id))
        request->kind = SITE_CAMPAIGN;
    else
        return false;
    return true;
}

bool site_render(Store *store, const SiteRequest *request, bool served, Buf *out, Error *err) {
    Page page = { out, served, served ? "live.json" : NULL, request->alone, request->oldest };
    switch (request->kind) {
    case SITE_INDEX: return site_index(store, &page, err);
    case SITE_CASES: return site_cases(store, &page, &request->filter, err);
    case SITE_CASE: return site_case(store, &page, request->id, err);
    case SITE_CAMPAIGN: return site_campaign(store, &page, request->id, &request->filter, err);
    case SITE_LIVE:
        buf_fmt(out, "{\"generation\":\"%llx\"}\n", (unsigned long long)store_generation(store));
        return true;
    }
    return false;
}
