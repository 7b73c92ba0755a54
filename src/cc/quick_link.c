/* See quick_link.h. In the two commands, the words IN and OUT stand for the files. */
#include "cc/quick_link.h"

#include "base/file.h"
#include "cc/driver_words.h"
#include "run/workdir.h"

#include <sys/stat.h>

static const char in_word[] = "\1in", out_word[] = "\1out";

/* "as", or as newer drivers call it by the target's name: "x86_64-linux-gnu-as". */
static bool is_assembler(const char *name) {
    return strcmp(name, "as") == 0 || str_ends(str_from(name), "-as");
}

/* The assembler's line, and the object file it makes. */
static const char *const *read_assembler(Arena *arena, const StrVec *words, Str *object) {
    const char **command = ARENA_ARRAY(arena, const char *, words->len + 1);
    const char *as = file_find_program(arena, "as");
    size_t n = 0;
    *object = STR("");
    command[n++] = as;
    for (size_t i = 1; i < words->len; i++) {
        if (str_is(words->at[i], "-o") && i + 1 < words->len) {
            *object = words->at[i + 1];
            command[n++] = "-o";
            command[n++] = out_word;
            i++;
        } else
            command[n++] = str_is(words->at[i], "probe.s") ? in_word : words->at[i].at;
    }
    return as && object->len ? command : NULL;
}

/* The linker's line without the plugin for link-time optimisation, and without the shared libgcc,
 * which hardly any C program needs. */
static const char *const *read_linker(Arena *arena, const StrVec *words, Str object) {
    const char **command = ARENA_ARRAY(arena, const char *, words->len + 1);
    const char *gold = file_find_program(arena, "ld.gold"),
               *ld = gold ? gold : file_find_program(arena, "ld");
    size_t n = 0;
    bool in = false, out = false;
    command[n++] = ld;
    for (size_t i = 1; i < words->len; i++) {
        Str w = words->at[i];
        if (str_is(w, "-plugin")) {
            i++;
        } else if (str_starts(w, "-plugin-opt=") || str_is(w, "-lgcc_s")) {
            continue;
        } else if (str_is(w, "-o") && i + 1 < words->len) {
            command[n++] = "-o";
            command[n++] = out_word;
            out = true;
            i++;
        } else if (str_eq(w, object)) {
            command[n++] = in_word;
            in = true;
        } else
            command[n++] = w.at;
    }
    return ld && in && out ? command : NULL;
}

void quick_link_find(Arena *arena, Compiler *cc, const char *dir) {
    if (cc->kind != CC_GCC && cc->kind != CC_CC1) return;
    const char **plain = compiler_argv(arena, cc, CC_LINK, NULL, "probe.s", "probe");
    const char *const dry[] = { "-###", NULL };
    RunSpec spec = { .argv = flags_plus(arena, plain, dry),
                     .dir = dir,
                     .env = cc_env,
                     .limits = { .wall_s = 60, .output = 4 << 20 } };
    for (const char **word = (const char **)spec.argv; *word; word++)
        if (strcmp(*word, "-lm") == 0) *word = "-###";
    RunResult r = run_one(arena, &spec);
    Str rest = r.err, line, object = STR("");
    const char *const *as = NULL, *const *ld = NULL;
    while (str_split(&rest, '\n', &line)) {
        if (!line.len || line.at[0] != ' ') continue;
        StrVec words = { 0 };
        words_split(arena, line, &words);
        const char *name = words.len ? file_name(words.at[0].at) : "";
        if (is_assembler(name)) as = read_assembler(arena, &words, &object);
        if (strcmp(name, "collect2") == 0 && as) ld = read_linker(arena, &words, object);
        vec_release(&words);
    }
    if (!as || !ld) return;
    cc->as = as;
    cc->ld = ld;
}

bool quick_link_fits(const Compiler *cc, const char *const *flags) {
    static const char *const others[] = {
        "-l",         "-L",        "-static",   "-shared",   "-pie",       "-no-pie", "-p",
        "-fopenmp",   "-fopenacc", "-fsanit",   "-fprofile", "-ftest-cov", "-flto",   "-fuse-ld",
        "-m32",       "-mx32",     "-Wl",       "-Wa",       "-Wp",        "-nost",   "-nodef",
        "-r",         "-T",        "-u",        "-z",        "-X",         "-B",      "-specs",
        "--coverage", "-Ofast",    "-ffast",    "-funsafe",  "-mpc",       "-mdaz",   "-fsplit-st",
        "-fgnu-tm",   "-ftree-p",  "-mmanual",  "-fcf-prot", "-fwhole-pr", "-s",      "-e",
        "-gsplit",    "-gz",       "--sysroot", "-no-"
    };
    if (!cc->as || !cc->ld) return false;
    for (; flags && *flags; flags++) {
        Str flag = str_from(*flags);
        if (str_starts(flag, "-std=")) continue;
        for (size_t i = 0; i < COUNT_OF(others); i++)
            if (str_starts(flag, others[i])) return false;
    }
    return true;
}

static const char **filled(Arena *arena, const char *const *command, const char *in,
                           const char *out) {
    const char **argv = flags_plus(arena, command, NULL);
    for (const char **word = argv; *word; word++)
        *word = *word == in_word ? in : *word == out_word ? out : *word;
    return argv;
}

const char **quick_link_assemble(Arena *arena, const Compiler *cc, const char *in,
                                 const char *out) {
    return filled(arena, cc->as, in, out);
}

const char **quick_link_link(Arena *arena, const Compiler *cc, const char *in, const char *out) {
    return filled(arena, cc->ld, in, out);
}

/* ---- the loader ---- */
#define GAVE_UP 98 /* as in loader/loader.c */

extern const char loader_image[], loader_image_end[];

const char *quick_link_loader(void) {
    static Arena arena; /* the path lives as long as the process */
    static const char *path;
    static bool tried;
    if (tried) return path;
    tried = true;
    const char *file = file_join(&arena, workdir_new(&arena, "loader"), "loader");
    Str image = { loader_image, (size_t)(loader_image_end - loader_image) };
    if (file_write(file, image, NULL) && chmod(file, 0755) == 0) path = file;
    return path;
}

bool quick_link_gave_up(const RunResult *ran) {
    return ran->end == RUN_EXITED && ran->code == GAVE_UP &&
           str_starts(ran->side, "culprit-loader: ");
}
