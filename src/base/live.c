/* The live line and colours. */
#include "base/live.h"
#include "base/quantity.h"
#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_S 0.1  /* between two redraws on a terminal */
#define REPORT_S 10.0 /* between two lines elsewhere */

/* A terminal without escape sequences. */
static bool is_dumb(void) {
    const char *term = getenv("TERM");
    return term && strcmp(term, "dumb") == 0;
}

void live_start(Live *live, bool quiet) {
    double now = clock_now();
    bool terminal = isatty(STDERR_FILENO) && !is_dumb();
    *live = (Live){ .terminal = terminal,
                    .quiet = quiet,
                    .started = now,
                    .next = now + (terminal ? REDRAW_S : REPORT_S) };
}

bool live_due(const Live *live) {
    return !live->quiet && clock_now() >= live->next;
}

static void erase(Live *live) {
    if (live->shown) fputs("\r\033[K", stderr);
    live->shown = false;
}

void live_line(Live *live, const char *fmt, ...) {
    if (!live_due(live)) return;
    live->next = clock_now() + (live->terminal ? REDRAW_S : REPORT_S);
    Buf line = { 0 };
    va_list args;
    va_start(args, fmt);
    buf_vfmt(&line, fmt, args);
    va_end(args);
    if (live->terminal) {
        size_t width = (size_t)terminal_width(stderr) - 1;
        Buf shown = { 0 };
        terminal_text(&shown, buf_view(&line), width);
        erase(live);
        fputs(shown.at, stderr);
        buf_release(&shown);
        live->shown = true;
    } else {
        fprintf(stderr, "%s\n", line.at);
    }
    fflush(stderr);
    buf_release(&line);
}

void live_say(Live *live, const char *fmt, ...) {
    if (live->quiet) return;
    erase(live);
    va_list args;
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
    fflush(stderr);
}

void live_end(Live *live) {
    erase(live);
    fflush(stderr);
}

double live_elapsed(const Live *live) {
    return clock_now() - live->started;
}

const char *colour(FILE *stream, Colour c) {
    static const char *const codes[] = { "\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                         "\033[32m", "\033[33m", "\033[34m" };
    /* NO_COLOR is the one environment variable people expect every program to honour. */
    const char *no_colour = getenv("NO_COLOR");
    if (!isatty(fileno(stream)) || is_dumb() || (no_colour && *no_colour)) return "";
    return codes[c];
}

int terminal_width(FILE *stream) {
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 20) return size.ws_col;
    return 80;
}
