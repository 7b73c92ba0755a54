/* See foreign.h. */
#include "cc/foreign.h"

#include "base/file.h"
#include "run/run.h"

#include <sys/utsname.h>

#define EMULATOR_MEMORY (2ull << 30) /* address space of qemu itself: it maps its code caches */

/* Where qemu, Debian or the kernel have another name for the first word of a target. */
static const struct {
    const char *arch, *qemu, *debian;
} renamed[] = {
    { "aarch64", "aarch64", "arm64" },
    { "powerpc64le", "ppc64le", "ppc64el" },
    { "powerpc64", "ppc64", "ppc64" },
    { "powerpc", "ppc", "powerpc" },
    { "mipsisa64r6el", "mips64el", "mips64r6el" },
    { "hppa", "hppa", "hppa" },
};

static Str arch_of(const char *target) {
    return (Str){ target, strcspn(target, "-") };
}

/* i386 to i686 are run by a kernel for x86-64. */
static bool is_x86(Str arch) {
    return str_is(arch, "x86_64") || str_is(arch, "amd64") ||
           (arch.len == 4 && arch.at[0] == 'i' && arch.at[2] == '8' && arch.at[3] == '6');
}

bool foreign_target(const char *target) {
    struct utsname here;
    Str arch = arch_of(target);
    if (!arch.len || uname(&here) != 0) return false;
    if (str_is(arch, here.machine)) return false;
    return !(is_x86(arch) && is_x86(str_from(here.machine)));
}

const char *foreign_triple(Arena *arena, const char *target) {
    Str parts[4] = { { 0 } }, rest = str_from(target);
    size_t n = 0;
    while (n < COUNT_OF(parts) && str_split(&rest, '-', &parts[n])) n++;
    if (n < 4) return arena_strdup(arena, target);
    return arena_fmt(arena, STR_FMT "-" STR_FMT "-" STR_FMT, STR_ARG(parts[0]), STR_ARG(parts[2]),
                     STR_ARG(parts[3]));
}

bool foreign_same(const char *a, const char *b) {
    if (!foreign_target(a) || !foreign_target(b)) return !foreign_target(a) && !foreign_target(b);
    Arena arena = { 0 };
    bool same = strcmp(foreign_triple(&arena, a), foreign_triple(&arena, b)) == 0;
    arena_release(&arena);
    return same;
}

/* ---- running ---- */
static const char *name_of(Arena *arena, Str arch, bool debian) {
    for (size_t i = 0; i < COUNT_OF(renamed); i++)
        if (str_is(arch, renamed[i].arch)) return debian ? renamed[i].debian : renamed[i].qemu;
    if (!debian && str_starts(arch, "arm")) return "arm";
    return arena_cstr(arena, arch);
}

static const char *find_emulator(Arena *arena, const char *arch) {
    const char *dynamic = arena_fmt(arena, "qemu-%s", arch);
    const char *found = file_find_program(arena, dynamic);
    return found ? found : file_find_program(arena, arena_fmt(arena, "%s-static", dynamic));
}

/* Where the target's C library is; NULL: nowhere. */
static const char *find_root(Arena *arena, const char *triple, const char *sysroot) {
    const char *own = sysroot && *sysroot && strcmp(sysroot, "/") != 0 ? sysroot : NULL;
    const char *debian = arena_fmt(arena, "/usr/%s", triple);
    if (own && file_is_dir(own)) return own;
    bool complete = file_exists(file_join(arena, debian, "include/stdio.h")) &&
                    file_is_dir(file_join(arena, debian, "lib"));
    return complete ? debian : NULL;
}

void foreign_find_runner(Arena *arena, Compiler *cc, const char *sysroot) {
    const char *triple = foreign_triple(arena, cc->target);
    Str arch = arch_of(triple);
    const char *emulated = name_of(arena, arch, false), *qemu = find_emulator(arena, emulated);
    const char *root = find_root(arena, triple, sysroot);
    const char *lacks = NULL;
    if (str_find(str_from(triple), STR("linux"), 0) == STR_NONE)
        lacks = "only programs for Linux are run";
    else if (!qemu)
        lacks = arena_fmt(arena, "qemu-%s is missing; Debian has it in the package qemu-user",
                          emulated);
    else if (!root)
        lacks = arena_fmt(arena,
                          "its C library is missing; Debian has it in the package "
                          "libc6-dev-%s-cross",
                          name_of(arena, arch, true));
    if (lacks) {
        cc->unrun = arena_fmt(arena, "programs for %s cannot be run here: %s", triple, lacks);
        return;
    }
    const char **words = ARENA_ARRAY(arena, const char *, 4);
    words[0] = qemu, words[1] = "-L", words[2] = root;
    cc->runner = words;
}

const char **foreign_argv(Arena *arena, const Compiler *cc, const char *const *argv,
                          const char *const **reads) {
    *reads = cc->runner ? cc->runner + 2 : NULL;
    return flags_plus(arena, cc->runner, argv);
}

const char *foreign_shell(Arena *arena, const char *target) {
    if (!foreign_target(target)) return "";
    const char *triple = foreign_triple(arena, target);
    return arena_fmt(arena, "qemu-%s -L /usr/%s ", name_of(arena, arch_of(triple), false), triple);
}

uint64_t foreign_memory(const Compiler *cc, uint64_t memory) {
    if (!cc->runner || memory == RUN_UNLIMITED) return memory;
    return (memory ? memory : run_defaults(RUN_GENERATED).memory) + EMULATOR_MEMORY;
}

/* ---- what programs mean ---- */
const char *const *foreign_meaning(const Compiler *cc) {
    static const char *const flags[] = { "-fsigned-char", "-ffp-contract=off", NULL };
    return cc->foreign ? flags : NULL;
}

const char *const *foreign_reading(const Compiler *cc) {
    static const char *const flags[] = { "-funsigned-char", NULL };
    return cc->unsigned_char ? flags : flags + 1;
}
