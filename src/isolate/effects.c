/* See effects.h. */
#include "isolate/effects.h"
#include "base/file.h"
#include "isolate/options_impl.h"
#include "run/workdir.h"

#define PROGRAM "program.c"

/* Compiles in a new directory that is left to the caller, with dumps in it: their paths. */
static char *dump_all(Isolation *iso, Arena *arena, Str option, StrVec *paths) {
    static const char *const dumps[] = { "-fdump-tree-all", "-fdump-ipa-all", "-fdump-rtl-all",
                                         "-fdump-noaddr", NULL };
    Subject *s = iso->subject;
    char *dir = workdir_new(arena, "effects");
    const char *const *flags = iso->fail;
    if (option.len) flags = flags_plus(arena, flags, options_argv(arena, option));
    if (file_write(file_join(arena, dir, PROGRAM), s->source, NULL)) {
        RunSpec spec = { .argv =
                             compiler_argv(arena, &s->cc, CC_ASSEMBLY,
                                           flags_plus(arena, flags, dumps), PROGRAM, "program.s"),
                         .dir = dir,
                         .env = cc_env,
                         .no_debug_files = true,
                         .limits = { .cpu_s = 5 * s->compile_s, .output = 4 << 20 } };
        run_one(arena, &spec);
        iso->stats.compiled++;
    }
    file_list(arena, dir, NULL, paths, NULL);
    return dir;
}

/* "program.c.043t.fre1": three digits and t, i or r. Number 0 is written to by all passes. */
Str effects_pass(Arena *arena, Str dump) {
    static const char *const kinds[] = { "t", "tree", "i", "ipa", "r", "rtl" };
    const size_t at = sizeof PROGRAM;
    if (!str_starts(dump, PROGRAM ".") || dump.len < at + 6 || dump.at[at + 4] != '.')
        return STR("");
    if (str_starts(str_sub(dump, at, dump.len), "000")) return STR("");
    for (size_t i = 0; i < COUNT_OF(kinds); i += 2)
        if (dump.at[at + 3] == kinds[i][0])
            return str_from(arena_fmt(arena, "%s-" STR_FMT, kinds[i + 1],
                                      STR_ARG(str_sub(dump, at + 5, dump.len))));
    return STR("");
}

bool effects_begin(Effects *effects, Isolation *iso) {
    *effects = (Effects){ .iso = iso };
    StrVec paths = { 0 };
    char *dir = dump_all(iso, &effects->arena, STR(""), &paths);
    for (size_t i = 0; i < paths.len; i++) {
        Str name = str_from(file_name(paths.at[i].at)), text;
        if (!effects_pass(&effects->arena, name).len) continue;
        if (!file_read(&effects->arena, paths.at[i].at, &text, NULL)) continue;
        vec_push(&effects->names, name);
        vec_push(&effects->texts, text);
    }
    workdir_remove(dir);
    vec_release(&paths);
    if (!effects->names.len) effects_end(effects);
    return effects->names.len > 0;
}

/* Whether the file of the other run says the same; a pass that did not run wrote none. */
static bool same_dump(Arena *scratch, const char *dir, Str name, Str text) {
    Str other;
    return file_read(scratch, file_join(scratch, dir, arena_cstr(scratch, name)), &other, NULL) &&
           str_eq(text, other);
}

Str effects_first(Effects *effects, Str option) {
    Arena scratch = { 0 };
    StrVec paths = { 0 };
    Str found = STR("");
    char *dir = dump_all(effects->iso, &scratch, option, &paths);
    for (size_t i = 0; paths.len && i < effects->names.len && !found.len; i++)
        if (!same_dump(&scratch, dir, effects->names.at[i], effects->texts.at[i]))
            found = effects_pass(&effects->iso->arena, effects->names.at[i]);
    workdir_remove(dir);
    vec_release(&paths);
    arena_release(&scratch);
    return found;
}

void effects_end(Effects *effects) {
    vec_release(&effects->names);
    vec_release(&effects->texts);
    arena_release(&effects->arena);
}
