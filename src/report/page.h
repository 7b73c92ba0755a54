/* What every page shares: the document around it, and the small pieces that views are made of. A
 * page is one self-contained file: style and script are inside it, allowed by their hashes. */
#ifndef CULPRIT_REPORT_PAGE_H
#define CULPRIT_REPORT_PAGE_H

#include "base/base.h"
#include "base/json.h"
#include "report/html.h"

/* Made at build time from style.css and script.js. */
extern const char page_style[], page_style_hash[];
extern const char page_script[], page_script_hash[];

/* Where a page is read: from a file, or from culprit serve. */
typedef struct Page {
    Buf *out;
    bool served;      /* links may sort and filter; the page follows changes of the store */
    const char *live; /* served: the URL to poll for changes; NULL: the page does not update */
    bool alone;       /* the only page of a report: it has no links */
    int64_t oldest;   /* cases of lower numbers have no page */
} Page;

/* The policy that goes with every page, as a header's value. */
void page_policy(Buf *out, bool served);
/* Everything up to and including <main>; then sections; then page_end. */
void page_begin(const Page *page, Str title);
void page_end(const Page *page);

/* <section class="card" id=..><h2>..; part names what is fetched again on a served page (or NULL).
 */
void page_section(Buf *out, const char *id, const char *title);
void page_section_end(Buf *out);
/* A bar of 0..1. */
void page_bar(Buf *out, double share);
/* The class of a verdict or of a step's state: one of a few fixed words, never the text itself. */
const char *page_class(Str word);
/* <span class="tag crash">crash</span> */
void page_tag(Buf *out, Str word);
void page_number(Buf *out, uint64_t n); /* 1,234,567 with thin spaces */

#endif
