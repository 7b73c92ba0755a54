/* CampaignTotals in SQL: columns, places, values and sums, in one order. */
#ifndef CULPRIT_STORE_TOTALS_H
#define CULPRIT_STORE_TOTALS_H

#include "store/sql.h"

#define TOTALS                                                                                     \
    "seeds,programs,compilations,runs,rejected,findings,buckets,compiler_cpu_s,total_cpu_s,wall_s"
#define TOTALS_FORMAT "iiiiiiirrr"
#define TOTALS_PLACES "?,?,?,?,?,?,?,?,?,?"
#define TOTALS_ARGS(t)                                                                             \
    (int64_t)(t)->seeds, (int64_t)(t)->programs, (int64_t)(t)->compilations, (int64_t)(t)->runs,   \
        (int64_t)(t)->rejected, (int64_t)(t)->findings, (int64_t)(t)->buckets,                     \
        (t)->compiler_cpu_s, (t)->total_cpu_s, (t)->wall_s
#define SUM(column) "coalesce(CAST(sum(" column ") AS {int}),0)"
#define SUM_REAL(column) "coalesce(sum(" column "),0.0)"
#define TOTALS_SUMS                                                                                             \
    SUM("seeds")                                                                                                \
    "," SUM("programs") "," SUM("compilations") "," SUM("runs") "," SUM("rejected") "," SUM(                    \
        "find"                                                                                                  \
        "ing"                                                                                                   \
        "s") "," SUM("buckets") "," SUM_REAL("compiler_cpu_s") "," SUM_REAL("total_cpu_s") "," SUM_REAL("wall_" \
                                                                                                        "s")
/* To a row of `table` that is there already. */
#define ADD(table, column) column "=" table "." column "+excluded." column
#define ADD_TOTALS(table)                                                                                                \
    ADD(table, "seeds")                                                                                                  \
    "," ADD(table, "programs") "," ADD(table, "compilations") "," ADD(table, "runs") "," ADD(table, "rejected") "," ADD( \
        table,                                                                                                           \
        "findings") "," ADD(table,                                                                                       \
                            "buckets") "," ADD(table,                                                                    \
                                               "compiler_cpu_s") "," ADD(table,                                          \
                                                                         "tot"                                           \
                                                                         "al_"                                           \
                                                                         "cpu"                                           \
                                                                         "_s") "," ADD(table,                            \
                                                                                       "wall_s")
#define SET(column) column "=excluded." column
#define SET_TOTALS                                                                                 \
    SET("seeds")                                                                                   \
    "," SET("programs") "," SET("compilations") "," SET("runs") "," SET("rejected") "," SET(       \
        "findings") "," SET("buckets") "," SET("compiler_cpu_s") "," SET("total_cpu_s") "," SET("wall_s")
enum { TOTALS_COLUMNS = 10 };

static inline void read_totals(const Store *store, const SqlStmt *stmt, int at, CampaignTotals *t) {
    uint64_t *counts[] = { &t->seeds,    &t->programs, &t->compilations, &t->runs,
                           &t->rejected, &t->findings, &t->buckets };
    double *times[] = { &t->compiler_cpu_s, &t->total_cpu_s, &t->wall_s };
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        *counts[i] = (uint64_t)sql_get_int(store, stmt, at++);
    for (size_t i = 0; i < COUNT_OF(times); i++) *times[i] = sql_get_real(store, stmt, at++);
}

#endif
