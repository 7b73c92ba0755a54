/* The schema and its history: one list of migrations for every kind of database, each a script that
 * is never changed once released. A store knows how many it has been through.
 *
 * Where many write at once, nothing that all of them change may be one row: the sums of a campaign
 * are spread over shards, one per connection, and added up when they are read. (The sums in a
 * campaign's own row are from before there were shards.) */
#include "base/shell.h"
#include "store/sql.h"

#define TOTALS                                                                                     \
    "seeds {int} NOT NULL, programs {int} NOT NULL, compilations {int} NOT NULL,"                  \
    "runs {int} NOT NULL, rejected {int} NOT NULL, findings {int} NOT NULL,"                       \
    "buckets {int} NOT NULL, compiler_cpu_s {real} NOT NULL, total_cpu_s {real} NOT NULL,"         \
    "wall_s {real} NOT NULL"

static const char *const migrations[] = {
    /* 1 */
    "CREATE TABLE campaigns(id {id}, settings {blob} NOT NULL,"
    "  state {text} NOT NULL, progress {blob} NOT NULL, started {real} NOT NULL,"
    "  updated {real} NOT NULL, " TOTALS ");"
    "CREATE INDEX campaigns_settings ON campaigns({key settings});"
    "CREATE TABLE cases(id {id}, campaign {int} NOT NULL,"
    "  created {real} NOT NULL, updated {real} NOT NULL, count {int} NOT NULL, size {int} NOT NULL,"
    "  number {int} NOT NULL, variant_number {int} NOT NULL, compiler {text} NOT NULL,"
    "  version {text} NOT NULL, kind {text} NOT NULL, target {text} NOT NULL,"
    "  flags {text} NOT NULL, good_flags {text} NOT NULL, verdict {text} NOT NULL,"
    "  signature {text} NOT NULL, bucket {text} NOT NULL, matters {text} NOT NULL,"
    "  seed_name {text} NOT NULL, title {text} NOT NULL);"
    "CREATE UNIQUE INDEX cases_bucket ON cases({key bucket}) WHERE bucket <> '';"
    "CREATE INDEX cases_count ON cases(count);"
    "CREATE INDEX cases_size ON cases(size);"
    "CREATE INDEX cases_updated ON cases(updated);"
    "CREATE INDEX cases_compiler ON cases(compiler);"
    "CREATE INDEX cases_verdict ON cases(verdict);"
    "CREATE INDEX cases_campaign ON cases(campaign);"
    "CREATE TABLE texts(case_id {int} NOT NULL REFERENCES cases(id) ON DELETE CASCADE,"
    "  member {text} NOT NULL, body {blob} NOT NULL, PRIMARY KEY(case_id, member));"
    "CREATE TABLE seeds(campaign {int} NOT NULL {of campaigns}, number {int} NOT NULL,"
    "  " TOTALS ", note {blob} NOT NULL, PRIMARY KEY(campaign, number)) {clustered};"
    "CREATE TABLE samples(campaign {int} NOT NULL {of campaigns}, time {int} NOT NULL,"
    "  " TOTALS ", coverage {real} NOT NULL, PRIMARY KEY(campaign, time)) {clustered};"
    "CREATE TABLE compilers(name {text} PRIMARY KEY, path {text} NOT NULL, kind {text} NOT NULL,"
    "  version {text} NOT NULL, target {text} NOT NULL, coverage {text} NOT NULL,"
    "  coverage_cc {text} NOT NULL, good_source {text} NOT NULL, bad_source {text} NOT NULL,"
    "  build {text} NOT NULL) {clustered};"
    "CREATE TABLE steps(position {order},"
    "  case_id {int} NOT NULL REFERENCES cases(id) ON DELETE CASCADE, name {text} NOT NULL,"
    "  state {text} NOT NULL, result {blob} NOT NULL, started {real} NOT NULL,"
    "  ended {real} NOT NULL, UNIQUE(case_id, name));",
    /* 2: programs whose bug shows in the exit status */
    "ALTER TABLE cases ADD COLUMN code {int} NOT NULL DEFAULT 0;"
    "ALTER TABLE cases ADD COLUMN reduced_code {int} NOT NULL DEFAULT 0;",
    /* 3: buckets of merged cases and tags are found without reading every text */
    "CREATE INDEX texts_own ON texts(case_id) WHERE member IN('aliases','tags');",
    /* 4: whose it is (ledger.h), and a number that every transaction moves */
    "CREATE TABLE identity(one {int} PRIMARY KEY CHECK(one=1), key {text} NOT NULL,"
    "  generation {int} NOT NULL);"
    "INSERT INTO identity VALUES(1,{random},0);",
    /* 5: sums in shards */
    "CREATE TABLE shares(campaign {int} NOT NULL, shard {int} NOT NULL,"
    "  updated {real} NOT NULL, " TOTALS ", PRIMARY KEY(campaign, shard)) {clustered};"
    "ALTER TABLE samples RENAME TO samples_before;"
    "CREATE TABLE samples(campaign {int} NOT NULL, time {int} NOT NULL, shard {int} NOT NULL,"
    "  " TOTALS ", coverage {real} NOT NULL, PRIMARY KEY(campaign, time, shard)) {clustered};"
    "INSERT INTO samples SELECT campaign,time,0,seeds,programs,compilations,runs,rejected,findings,"
    "  buckets,compiler_cpu_s,total_cpu_s,wall_s,coverage FROM samples_before;"
    "DROP TABLE samples_before;",
    /* 6: work that is laid out and not done yet, who does it, and what a campaign may cost */
    "ALTER TABLE campaigns ADD COLUMN laid {int} NOT NULL DEFAULT 0;"
    "CREATE TABLE units(campaign {int} NOT NULL, number {int} NOT NULL, worker {text} NOT NULL,"
    "  until {real} NOT NULL, tries {int} NOT NULL, PRIMARY KEY(campaign, number)) {clustered};"
    "CREATE INDEX units_worker ON units(worker);"
    "CREATE TABLE plans(campaign {int} PRIMARY KEY, request {blob} NOT NULL, mixed {int} NOT NULL,"
    "  programs {int} NOT NULL, ends {real} NOT NULL, cpu_s {real} NOT NULL);"
    "CREATE TABLE copies(origin {text} NOT NULL, case_id {int} NOT NULL, id {int} NOT NULL,"
    "  count {int} NOT NULL, PRIMARY KEY(origin, case_id)) {clustered};"
    "CREATE TABLE workers(campaign {int} NOT NULL, worker {text} NOT NULL, host {text} NOT NULL,"
    "  state {text} NOT NULL, words {blob} NOT NULL, cores {int} NOT NULL, started {real} NOT NULL,"
    "  seen {real} NOT NULL, " TOTALS ", PRIMARY KEY(campaign, worker)) {clustered};",
    /* 7: what pages count and list costs the same however much there is; time by compiler */
    "ALTER TABLE shares ADD COLUMN cases {int} NOT NULL DEFAULT 0;"
    "INSERT INTO shares(campaign,shard,updated,seeds,programs,compilations,runs,rejected,findings,"
    "  buckets,compiler_cpu_s,total_cpu_s,wall_s,cases) "
    "  SELECT campaign,0,0,0,0,0,0,0,0,0,0,0,0,count(*) FROM cases WHERE 1=1 GROUP BY campaign "
    "  ON CONFLICT(campaign,shard) DO UPDATE SET cases=excluded.cases;"
    "DROP INDEX cases_campaign;"
    "CREATE INDEX cases_campaign ON cases(campaign, id);"
    "CREATE TABLE timings(campaign {int} NOT NULL, compiler {text} NOT NULL,"
    "  version {text} NOT NULL, shard {int} NOT NULL, compilations {int} NOT NULL,"
    "  cpu_s {real} NOT NULL, slowest_s {real} NOT NULL,"
    "  PRIMARY KEY(campaign, compiler, version, shard)) {clustered};",
};
const int64_t schema_version = COUNT_OF(migrations);

static bool accept(const Store *store, int64_t version, Error *err) {
    if (version >= 0 && version <= schema_version) return true;
    return err_set(err, STATUS_BAD,
                   "the store %s is of version %lld; this culprit reads up to %lld", store->path,
                   (long long)version, (long long)schema_version);
}

/* The version is read again inside the transaction: another culprit may have been quicker. */
static bool migrate(Store *store, void *arg, Error *err) {
    bool *made = arg;
    int64_t version = 0;
    bool ok = sql_lock(store, STR("schema"), err) && store->driver->version(store, &version, err) &&
              accept(store, version, err);
    *made = ok && version == 0;
    for (int64_t v = version; ok && v < schema_version; v++)
        ok = sql_exec(store, migrations[v], err);
    return ok && store->driver->stamp(store, schema_version, err);
}

bool schema_ready(Store *store, Error *err) {
    int64_t version;
    if (!store->driver->version(store, &version, err) || !accept(store, version, err)) return false;
    if (version == schema_version) return true;
    if (store->writable) return sql_transact(store, migrate, &store->made, err);
    if (version == 0) return err_set(err, STATUS_BAD, "the store %s is still empty", store->path);
    Buf name = { 0 };
    shell_quote(&name, str_from(store->path));
    err_set(err, STATUS_BAD,
            "the store %s was written by an older culprit; "
            "culprit cases --upgrade --store " STR_FMT " brings it up to date",
            store->path, STR_ARG(buf_view(&name)));
    buf_release(&name);
    return false;
}
