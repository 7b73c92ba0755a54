/* What people see: colours where the stream is a terminal, and the live line on stderr.
 *
 * A Live is made at the start of anything that may take over two seconds. On a terminal its line is
 * redrawn in place, at most ten times a second; elsewhere a line is written every ten seconds. */
#ifndef CULPRIT_BASE_LIVE_H
#define CULPRIT_BASE_LIVE_H

#include "base/base.h"

typedef struct Live {
    bool terminal;  /* stderr is one */
    bool quiet;     /* nothing at all */
    double started; /* clock_now of live_start */
    double next;    /* when the next line may be shown */
    bool shown;     /* a line is on the screen and must be erased first */
} Live;

void live_start(Live *live, bool quiet);
/* Whether it is time for a new line: ask before computing anything expensive for it. */
bool live_due(const Live *live);
void live_line(Live *live, const char *fmt, ...) PRINTF_LIKE(2, 3); /* shown only when due */
void live_say(Live *live, const char *fmt, ...) PRINTF_LIKE(2, 3);  /* a line that stays */
void live_end(Live *live);                                          /* erases what is there */
double live_elapsed(const Live *live);

/* Colours: "" when the stream is not a terminal, or NO_COLOR is set. */
typedef enum Colour {
    COLOUR_NONE,
    COLOUR_BOLD,
    COLOUR_DIM,
    COLOUR_RED,
    COLOUR_GREEN,
    COLOUR_YELLOW,
    COLOUR_BLUE
} Colour;
const char *colour(FILE *stream, Colour c);
int terminal_width(FILE *stream); /* 80 when unknown */

#endif
