/* See changelog.h. GCC's sources were called .c until 2022 and are called .cc since: names are
 * compared without that. */
#include "coverage/changelog.h"
#include "base/file.h"

/* ---- one text ---- */
/* The entry that is being read. */
typedef struct ChangelogEntry {
    unsigned year;
    bool closes; /* it names a PR */
    StrVec names;
} ChangelogEntry;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* The year of a line like "2022-03-08  Some One"; 0: it is no head of an entry. */
static unsigned year_of(Str line) {
    static const char shape[] = "0000-00-00";
    if (line.len < sizeof shape - 1) return 0;
    for (size_t i = 0; i < sizeof shape - 1; i++)
        if (shape[i] == '-' ? line.at[i] != '-' : !is_digit(line.at[i])) return 0;
    uint64_t year = 0;
    str_to_u64(str_sub(line, 0, 4), &year);
    return (unsigned)year;
}

/* "PR tree-optimization/104782" somewhere in the line. */
static bool names_bug(Str line) {
    for (size_t at = 0; (at = str_find(line, STR("PR "), at)) != STR_NONE; at++) {
        size_t i = at + 3;
        while (i < line.len &&
               ((line.at[i] >= 'a' && line.at[i] <= 'z') || line.at[i] == '-' || line.at[i] == '+'))
            i++;
        if (i > at + 3 && i + 1 < line.len && line.at[i] == '/' && is_digit(line.at[i + 1]))
            return true;
    }
    return false;
}

/* How much of the name is left without the extension; 0: it is no source file. */
static size_t stem_length(Str name) {
    static const char *const dropped[] = { ".c", ".cc", ".cpp", ".cxx", ".C" };
    for (size_t i = 0; i < COUNT_OF(dropped); i++)
        if (str_ends(name, dropped[i])) return name.len - strlen(dropped[i]);
    return str_ends(name, ".md") || str_ends(name, ".pd") ? name.len : 0;
}

/* "* a.c, b.c (f): What." */
static void take_names(ChangelogEntry *entry, Str line) {
    Str rest = str_trim(line), name;
    if (!str_starts(rest, "* ")) return;
    rest = str_sub(rest, 2, rest.len);
    for (size_t i = 0; i < rest.len; i++)
        if (strchr("(:[<", rest.at[i])) rest = str_sub(rest, 0, i);
    while (str_split(&rest, ',', &name))
        if (stem_length(str_trim(name))) vec_push(&entry->names, str_trim(name));
}

static void end_entry(ChangelogEntry *entry, unsigned since, ChangelogTake take, void *user) {
    if (entry->closes && entry->year >= since)
        for (size_t i = 0; i < entry->names.len; i++)
            take(user, entry->names.at[i], 1.0 / (double)entry->names.len);
    vec_clear(&entry->names);
    entry->closes = false;
}

unsigned changelog_read(Str text, unsigned since, ChangelogTake take, void *user) {
    ChangelogEntry entry = { 0 };
    unsigned first = 0, year;
    for (Str line; str_split(&text, '\n', &line);) {
        if ((year = year_of(line)) != 0) {
            end_entry(&entry, since, take, user);
            entry.year = year;
            if (!first) first = year;
        } else {
            entry.closes |= names_bug(line);
            take_names(&entry, line);
        }
    }
    end_entry(&entry, since, take, user);
    vec_release(&entry.names);
    return first;
}

/* ---- all that belong to a map ---- */
typedef struct FixCount {
    const CovMap *map;
    Map files; /* path without extension -> number of the file */
    double *fixes;
    const char *dir; /* of the ChangeLog that is being read */
    Arena scratch;
} FixCount;

static void count_fix(void *user, Str name, double share) {
    FixCount *count = user;
    uint64_t file;
    const char *path = arena_fmt(&count->scratch, "%s/" STR_FMT, count->dir,
                                 STR_ARG(str_sub(name, 0, stem_length(name))));
    if (map_get(&count->files, str_from(path), &file)) count->fixes[file] += share;
}

static void take_nothing(void *user, Str name, double share) {
    (void)user, (void)name, (void)share;
}

/* Directories of the sources, and those above them, that have a ChangeLog. */
static void find_logs(Arena *arena, const CovMap *map, StrVec *dirs) {
    Map seen = { 0 };
    for (uint32_t i = 0; i < map->n_files; i++) {
        Str dir = map->files[i].path;
        for (;;) {
            while (dir.len && dir.at[dir.len - 1] != '/') dir.len--;
            if (dir.len < 2 || map_get(&seen, dir, NULL)) break;
            map_put(&seen, dir, 1);
            dir.len--; /* without the slash */
            const char *name = arena_cstr(arena, dir);
            if (file_exists(file_join(arena, name, "ChangeLog"))) vec_push(dirs, str_from(name));
        }
    }
    map_release(&seen);
}

static unsigned read_log(FixCount *count, const char *name, unsigned since, ChangelogTake take) {
    Str text;
    if (!file_read(&count->scratch, file_join(&count->scratch, count->dir, name), &text, NULL))
        return 0;
    return changelog_read(text, since, take, count);
}

static void count_all(FixCount *count, const StrVec *dirs) {
    unsigned newest = 0;
    for (size_t i = 0; i < dirs->len; i++) {
        count->dir = dirs->at[i].at;
        unsigned year = read_log(count, "ChangeLog", 0, take_nothing);
        if (year > newest) newest = year;
    }
    unsigned since = newest > CHANGELOG_YEARS ? newest - CHANGELOG_YEARS : 0;
    for (size_t i = 0; i < dirs->len; i++) {
        count->dir = dirs->at[i].at;
        read_log(count, "ChangeLog", since, count_fix);
        for (unsigned year = since; year < newest; year++)
            read_log(count, arena_fmt(&count->scratch, "ChangeLog-%u", year), since, count_fix);
        arena_clear(&count->scratch);
    }
}

double *changelog_fixes(Arena *arena, const CovMap *map) {
    FixCount count = { .map = map, .fixes = ARENA_ARRAY(arena, double, map->n_files + 1) };
    Arena kept = { 0 };
    StrVec dirs = { 0 };
    find_logs(&kept, map, &dirs);
    for (uint32_t i = 0; i < map->n_files; i++) {
        Str path = map->files[i].path;
        size_t stem = stem_length(path);
        if (stem) map_put(&count.files, str_sub(path, 0, stem), i);
    }
    count_all(&count, &dirs);
    bool any = dirs.len > 0;
    vec_release(&dirs);
    map_release(&count.files);
    arena_release(&count.scratch);
    arena_release(&kept);
    return any ? count.fixes : NULL;
}
