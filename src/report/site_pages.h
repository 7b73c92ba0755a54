/* The pages of the site, one function each; called by site_render. */
#ifndef CULPRIT_REPORT_SITE_PAGES_H
#define CULPRIT_REPORT_SITE_PAGES_H

#include "report/page.h"
#include "store/store.h"

bool site_case(Store *store, const Page *page, int64_t id, Error *err);
bool site_case_json(Store *store, int64_t id, Buf *out, Error *err);
/* 0 for either: the page has a form to ask for it. */
bool site_compare(Store *store, const Page *page, int64_t a, int64_t b, Error *err);
bool site_campaign(Store *store, const Page *page, int64_t id, const CaseFilter *filter,
                   Error *err);
bool site_index(Store *store, const Page *page, Error *err);
bool site_cases(Store *store, const Page *page, const CaseFilter *filter, Error *err);

#endif
