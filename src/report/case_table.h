/* Cases as a table: on the overview, on a campaign's page and on the pages of all cases. */
#ifndef CULPRIT_REPORT_CASE_TABLE_H
#define CULPRIT_REPORT_CASE_TABLE_H

#include "report/page.h"
#include "store/store.h"

typedef struct CaseTable {
    CaseFilter filter; /* what is shown; limit is the size of a page */
    const char
        *base;      /* the page the table is on: "cases.html"; links of a served page lead there */
    uint64_t total; /* how many match; set by case_table_load */
    Case *cases;
    size_t n;
    uint32_t *has; /* what later stages have left in each */
} CaseTable;

bool case_table_load(CaseTable *table, Store *store, Arena *arena, Error *err);
void case_table(const Page *page, const CaseTable *table);
/* Links to the other pages of the table; pages of a report are files of their own. */
void case_table_pager(const Page *page, const CaseTable *table);

/* The name of a page of cases from a file: cases.html, cases-2.html, .. */
const char *case_table_file(Arena *arena, uint64_t number);

#endif
