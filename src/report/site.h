/* The site: its pages by name, rendered from a store. A report writes them as files, serve answers
 * with them; names are the same in both, so all links are relative. */
#ifndef CULPRIT_REPORT_SITE_H
#define CULPRIT_REPORT_SITE_H

#include "report/page.h"
#include "store/store.h"

typedef enum SiteKind {
    SITE_INDEX,    /* index.html: campaigns, and the newest cases */
    SITE_CASES,    /* cases.html: all cases, a page of them */
    SITE_CASE,     /* case-N.html */
    SITE_CAMPAIGN, /* campaign-N.html */
    SITE_LIVE,     /* live.json: a number that moves when the store does; served only */
} SiteKind;

typedef struct SiteRequest {
    SiteKind kind;
    int64_t id;        /* of the case or campaign */
    CaseFilter filter; /* SITE_CASES and SITE_CAMPAIGN: what of the table */
    bool alone;        /* the only page there is */
    int64_t oldest;    /* cases of lower numbers have no page */
} SiteRequest;

enum { SITE_ROWS = 50 }; /* of a table's page */

/* Which page has this name ("case-12.html", "" is the index): one of the fixed forms above,
 * compared as a whole; nothing of a name ever becomes a path. */
bool site_parse(Str name, SiteRequest *request);
/* The page. STATUS_NO in err: there is no such case or campaign. */
bool site_render(Store *store, const SiteRequest *request, bool served, Buf *out, Error *err);

#endif
