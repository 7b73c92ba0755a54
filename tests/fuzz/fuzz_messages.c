/* Any bytes as what a compiler wrote: crashes are read from it, and the lists of flags, passes,
 * parameters and bisections; and as the ChangeLog beside its sources. Readers that are private to
 * their file are reached by including it. */
#include "cc/blame.c"
#include "cc/passes.c"
#include "coverage/changelog.h"
#include "fuzz.h"

static void read_crash(Str text, int number) {
    Arena arena = { 0 };
    Crash crash = { 0 };
    if (crash_read(&arena, text, number, &crash)) {
        Crash again = { 0 };
        CHECK(crash.signature.len && !memchr(crash.signature.at, '\n', crash.signature.len));
        CHECK(crash_read(&arena, text, number, &again) && str_eq(crash.signature, again.signature));
    }
    arena_release(&arena);
}

static void take_fix(void *user, Str name, double share) {
    double *sum = user;
    CHECK(name.len && share > 0 && share <= 1);
    *sum += share;
}

static void read_changelog(Str text) {
    double all = 0, later = 0;
    unsigned year = changelog_read(text, 0, take_fix, &all);
    changelog_read(text, year, take_fix, &later);
    CHECK(later <= all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Arena arena = { 0 };
    Str text = { (const char *)data, size }, rest = text, line, pass = { 0 };
    int64_t number = 0;
    VerdictKind kind;
    read_crash(text, 0);
    read_crash(text, 11);
    read_changelog(text);
    read_bisect(&arena, text, &number, &pass);
    verdict_parse(text, &kind);
    while (str_split(&rest, '\n', &line)) {
        CcParam param;
        read_param(&arena, str_trim(line), &param);
        is_optional(str_trim(line));
    }
    arena_release(&arena);
    return 0;
}
