/* The site: its pages by name, rendered from a store. A report writes them as files, serve answers
 * with them; names are the same in both, so all links are relative. */
#ifndef CULPRIT_REPORT_SITE_H
#define CULPRIT_REPORT_SITE_H

#include "report/page.h"
#include "store/store.h"

typedef enum SiteKind {
    SITE_INDEX,     /* index.html: campaigns, and the newest cases */
    SITE_CASES,     /* cases.html: all cases, a page of them */
    SITE_CASE,      /* case-N.html; served also as case/N */
    SITE_CASE_JSON, /* case-N.json; served also as case/N.json */
    SITE_COMPARE,   /* compare.html?a=N&b=M: two cases side by side; served only */
    SITE_CAMPAIGN,  /* campaign-N.html */
    SITE_LIVE,      /* live.json: a number that changes when the store does; served only */
} SiteKind;

typedef struct SiteRequest {
    SiteKind kind;
    int64_t id;        /* of the case or campaign */
    int64_t other;     /* SITE_COMPARE: the second case */
    bool moved;        /* asked for by its short address: case/N */
    CaseFilter filter; /* SITE_CASES and SITE_CAMPAIGN: which part of the table */
    bool alone;        /* it is the only page */
    int64_t oldest;    /* cases of lower numbers have no page */
} SiteRequest;

enum { SITE_ROWS = 50 }; /* of a table's page */

/* Which page has this name ("case-12.html", "" is the index): one of the fixed forms above,
 * compared in full; no part of a name ever becomes a path. */
bool site_parse(Str name, SiteRequest *request);
/* The name of the page a request is for: what a short address leads to. */
void site_name(const SiteRequest *request, char out[64]);
/* The content type sent to a browser. */
const char *site_type(SiteKind kind);
/* The page. STATUS_NO in err: there is no such case or campaign. */
bool site_render(Store *store, const SiteRequest *request, bool served, Buf *out, Error *err);

#endif
