/* Line charts: one series, an area under it, three round grid lines, time since the start below. */
#include "report/chart.h"

#include "base/quantity.h"
#include "report/html.h"

#include <math.h>

enum { WIDTH = 560, HEIGHT = 220, LEFT = 46, RIGHT = 14, TOP = 12, BOTTOM = 26, TABLE_MOST = 40 };

typedef struct Scale {
    double start, span; /* of time */
    double top;         /* value at the upper edge */
    double step;        /* between grid lines */
} Scale;

/* The smallest number that is 1, 2 or 5 times a power of ten and not less than value. */
static double round_up(double value) {
    double power = pow(10, floor(log10(value)));
    double lead = value / power;
    return (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * power;
}

static Scale make_scale(const ChartPoints *points) {
    double most = 0;
    for (size_t i = 0; i < points->len; i++)
        if (points->at[i].value > most) most = points->at[i].value;
    Scale s = { .start = points->at[0].time,
                .span = points->at[points->len - 1].time - points->at[0].time };
    s.step = most > 0 ? round_up(most / 3) : 1;
    s.top = s.step * ceil(most / s.step);
    if (s.top <= 0) s.top = s.step;
    return s;
}

static double x_of(const Scale *s, double time) {
    return LEFT + (time - s->start) / s->span * (WIDTH - LEFT - RIGHT);
}

static double y_of(const Scale *s, double value) {
    return TOP + (1 - value / s->top) * (HEIGHT - TOP - BOTTOM);
}

static void add_grid(Buf *out, const Scale *s, const char *unit) {
    for (double v = 0; v <= s->top * 1.001; v += s->step) {
        double y = y_of(s, v);
        buf_fmt(out, "<path class=\"axis\" d=\"M%d %.1fH%d\"/>", LEFT, y, WIDTH - RIGHT);
        buf_fmt(out, "<text text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%.6g%s</text>", LEFT - 6, y + 4,
                v, unit);
    }
    for (int i = 0; i <= 2; i++) {
        char text[32];
        double at = s->span * i / 2;
        static const char *const anchors[] = { "start", "middle", "end" };
        buf_fmt(out, "<text text-anchor=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>", anchors[i],
                x_of(s, s->start + at), HEIGHT - 6, i ? quantity_show_duration(at, text) : "start");
    }
}

static void add_series(Buf *out, const Scale *s, const ChartPoints *points, bool steps) {
    Buf path = { 0 };
    for (size_t i = 0; i < points->len; i++) {
        double x = x_of(s, points->at[i].time), y = y_of(s, points->at[i].value);
        if (i == 0)
            buf_fmt(&path, "M%.1f %.1f", x, y);
        else if (steps)
            buf_fmt(&path, "H%.1fV%.1f", x, y);
        else
            buf_fmt(&path, "L%.1f %.1f", x, y);
    }
    double base = y_of(s, 0);
    buf_fmt(out, "<path class=\"area\" d=\"%sV%.1fH%dZ\"/>", path.at, base, LEFT);
    buf_fmt(out, "<path class=\"lineseries\" d=\"%s\"/>", path.at);
    buf_release(&path);
}

static void add_table(Buf *out, const ChartSpec *spec, const ChartPoints *points) {
    size_t every = (points->len + TABLE_MOST - 1) / TABLE_MOST;
    buf_text(out,
             "<details><summary>numbers</summary><table><thead><tr><th scope=\"col\">after</th>"
             "<th scope=\"col\" class=\"num\">value</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < points->len; i += every) {
        char text[32];
        buf_fmt(out, "<tr><td>%s</td><td class=\"num\">%.6g%s</td></tr>\n",
                quantity_show_duration(points->at[i].time - points->at[0].time, text),
                points->at[i].value, spec->unit);
    }
    buf_text(out, "</tbody></table></details>");
}

void chart(Buf *out, const ChartSpec *spec, const ChartPoints *points) {
    if (points->len < 2 || points->at[points->len - 1].time <= points->at[0].time) return;
    Scale scale = make_scale(points);
    buf_fmt(out,
            "<section class=\"card\"><h2>%s</h2><svg class=\"chart\" role=\"img\" "
            "aria-label=\"%s\" viewBox=\"0 0 %d %d\">",
            spec->title, spec->title, WIDTH, HEIGHT);
    add_grid(out, &scale, spec->unit);
    add_series(out, &scale, points, spec->steps);
    buf_text(out, "</svg>");
    add_table(out, spec, points);
    buf_text(out, "</section>\n");
}
