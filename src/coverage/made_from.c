/* See made_from.h. */
#include "coverage/made_from.h"
#include "base/file.h"

static Str dir_of(Str path) {
    while (path.len && path.at[path.len - 1] != '/') path.len--;
    return path;
}

static Str base_of(Str path) {
    Str dir = dir_of(path);
    return str_sub(path, dir.len, path.len);
}

static bool is_match(Str base) {
    return str_starts(base, "gimple-match") || str_starts(base, "generic-match");
}

/* Written by GCC's generators: recognised by name, beside the files made from the machine
 * description. */
static bool is_generated(Str path, Str made) {
    Str base = base_of(path);
    return made.len && str_eq(dir_of(path), made) &&
           (is_match(base) || str_starts(base, "insn-") || str_starts(base, "options"));
}

/* The directory of insn-*.c; empty: this is not a build of GCC. */
static Str find_made(const CovMap *map) {
    for (uint32_t i = 0; i < map->n_files; i++) {
        Str base = base_of(map->files[i].path);
        if (str_starts(base, "insn-") && map->files[i].suspect) return dir_of(map->files[i].path);
    }
    return STR("");
}

static uint32_t file_number(CovMap *map, Str path) {
    for (uint32_t i = 0; i < map->n_files; i++)
        if (str_eq(map->files[i].path, path)) return i;
    CovFile *files = ARENA_ARRAY(&map->arena, CovFile, map->n_files + 2);
    memcpy(files, map->files, map->n_files * sizeof *files);
    Str kept = arena_str(&map->arena, path);
    files[map->n_files] = (CovFile){ .path = kept, .name = base_of(kept), .suspect = true };
    map->files = files;
    return map->n_files++;
}

/* A comment like #line 12 "/src/match.pd", alone on its line. */
static bool read_mark(Str line, uint32_t *number, Str *path) {
    Str rest = str_trim(line);
    const char *begin = "/* #line ";
    if (!str_starts(rest, begin)) return false;
    rest = str_sub(rest, strlen(begin), rest.len);
    size_t open = str_find(rest, STR("\""), 0);
    size_t close = open == STR_NONE ? STR_NONE : str_find(rest, STR("\""), open + 1);
    int64_t n;
    if (close == STR_NONE || !str_to_i64(str_trim(str_sub(rest, 0, open)), &n) || n < 1)
        return false;
    *number = (uint32_t)n;
    *path = str_sub(rest, open + 1, close);
    return path->len > 0;
}

/* Statements after a mark, up to the next one or the end of the function, belong to the mark. */
static void follow_marks(CovMap *map, uint32_t file, Str text) {
    uint32_t first = map->files[file].first, end = first + map->files[file].count, at = first;
    uint32_t line = 0, origin = UINT32_MAX, origin_line = 0;
    for (Str row; str_split(&text, '\n', &row);) {
        uint32_t number;
        Str path;
        line++;
        if (read_mark(row, &number, &path))
            origin = file_number(map, path), origin_line = number;
        else if (row.len && row.at[0] == '}')
            origin = UINT32_MAX;
        for (; at < end && map->stmts[at].line <= line; at++)
            if (origin != UINT32_MAX)
                map->stmts[at].origin = origin, map->stmts[at].origin_line = origin_line;
    }
}

void covmap_find_origins(CovMap *map) {
    for (uint32_t i = 0; i < map->n_stmts; i++) {
        map->stmts[i].origin = map->stmts[i].file;
        map->stmts[i].origin_line = map->stmts[i].line;
    }
    Str made = find_made(map);
    uint32_t n_files = map->n_files;
    for (uint32_t i = 0; i < n_files; i++) {
        if (!is_generated(map->files[i].path, made)) continue;
        map->files[i].suspect = false;
        Arena scratch = { 0 };
        Str text;
        if (is_match(base_of(map->files[i].path)) &&
            file_read(&scratch, arena_cstr(&scratch, map->files[i].path), &text, NULL))
            follow_marks(map, i, text);
        arena_release(&scratch);
    }
}
