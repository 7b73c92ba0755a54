/* A line over time as inline SVG. */
#ifndef CULPRIT_REPORT_CHART_H
#define CULPRIT_REPORT_CHART_H

#include "base/base.h"

typedef struct ChartPoint {
    double time;  /* seconds */
    double value; /* 0 or more */
} ChartPoint;
typedef VEC(ChartPoint) ChartPoints;

typedef struct ChartSpec {
    const char *title; /* heading above it; ours, not escaped */
    const char *unit;  /* "%" or "" */
    bool steps;        /* the value holds until the next point (counts), else points are joined */
} ChartSpec;

/* A card with the chart, and its numbers as a folded table. Nothing for fewer than two points. */
void chart(Buf *out, const ChartSpec *spec, const ChartPoints *points);

#endif
