/* Command lines. GCC is called through its cc1 when all flags are ones cc1 itself understands. */
#include "cc/compiler.h"

#include "base/file.h"
#include "base/shell.h"

typedef VEC(const char *) ArgVec;

static void add_all(ArgVec *args, const char *const *more) {
    for (; more && *more; more++) vec_push(args, *more);
}

/* Flags that the driver passes to cc1 unchanged and that mean nothing to the linker. */
static bool for_cc1(const char *const *flags) {
    static const char *const starts[] = { "-O", "-f", "-m", "-g",    "-w",     "-W",
                                          "-D", "-U", "-I", "-std=", "--param" };
    static const char *const driver[] = {
        "-fcompare-debug", "-fsanitize", "-flto",    "-fopenmp", "-fopenacc",     "-fprofile",
        "-ftest-coverage", "-fuse-ld",   "-fplugin", "-fdump",   "-march=native", "-mtune=native",
        "-mcpu=native",    "-m32",       "-mx32",    "-Wl,",     "-Wa,",          "-Wp,",
        "-fwhole-program", "-fno-lto"
    };
    for (; flags && *flags; flags++) {
        Str flag = str_from(*flags);
        bool known = false;
        for (size_t i = 0; i < COUNT_OF(starts) && !known; i++) known = str_starts(flag, starts[i]);
        for (size_t i = 0; i < COUNT_OF(driver) && known; i++) known = !str_starts(flag, driver[i]);
        if (!known) return false;
        if (str_is(flag, "--param") && flags[1]) flags++;
    }
    return true;
}

/* The option that makes the compiler stop where it should. */
static void add_goal(ArgVec *args, const Compiler *cc, CcGoal goal) {
    switch (goal) {
    case CC_PREPROCESS:
        vec_push(args, "-E");
        vec_push(args, "-P");
        if (cc->kind == CC_CLANG && cc->major >= 16) vec_push(args, "-fkeep-system-includes");
        break;
    case CC_SYNTAX: vec_push(args, cc->kind == CC_TCC ? "-c" : "-fsyntax-only"); break;
    case CC_ASSEMBLY: vec_push(args, cc->kind == CC_TCC ? "-c" : "-S"); break;
    case CC_OBJECT: vec_push(args, "-c"); break;
    case CC_EXECUTABLE:
    case CC_LINK: break;
    }
}

/* The program itself and what it always needs. */
static void add_program(Arena *arena, ArgVec *args, const Compiler *cc) {
    if (cc->kind == CC_CC1) { /* a driver that calls this cc1 */
        const char *slash = strrchr(cc->path, '/');
        vec_push(args, "gcc");
        vec_push(args, arena_fmt(arena, "-B%.*s", slash ? (int)(slash - cc->path + 1) : 2,
                                 slash ? cc->path : "./"));
        return;
    }
    vec_push(args, cc->path);
    if (cc->aim) vec_push(args, cc->aim);
    if (cc->kind == CC_CLANG) vec_push(args, "-fno-crash-diagnostics");
}

static bool direct(const Compiler *cc, CcGoal goal, const char *const *flags) {
    if (goal != CC_ASSEMBLY) return false;
    return cc->kind == CC_CC1 || (cc->cc1 && for_cc1(flags));
}

static void add_direct(ArgVec *args, const Compiler *cc) {
    if (cc->cc1) {
        add_all(args, cc->cc1);
        return;
    }
    vec_push(args, cc->path);
    vec_push(args, "-quiet");
    if (cc->target[0]) {
        vec_push(args, "-imultiarch");
        vec_push(args, cc->target);
    }
}

const char **compiler_command_n(Arena *arena, const Compiler *cc, CcGoal goal,
                                const char *const *flags, const char *const *inputs,
                                const char *output) {
    ArgVec args = { 0 };
    if (direct(cc, goal, flags)) {
        add_direct(&args, cc);
    } else {
        add_program(arena, &args, cc);
        add_goal(&args, cc, goal);
    }
    add_all(&args, flags);
    add_all(&args, inputs);
    if (output && !(goal == CC_SYNTAX && cc->kind != CC_TCC)) {
        vec_push(&args, "-o");
        vec_push(&args, output);
    }
    if (goal == CC_EXECUTABLE || goal == CC_LINK) vec_push(&args, "-lm");
    vec_push(&args, NULL);
    const char **argv = arena_copy(arena, args.at, args.len * sizeof *args.at);
    vec_release(&args);
    return argv;
}

const char **compiler_argv(Arena *arena, const Compiler *cc, CcGoal goal, const char *const *flags,
                           const char *input, const char *output) {
    const char *const inputs[] = { input, NULL };
    return compiler_command_n(arena, cc, goal, flags, inputs, output);
}

const char **flags_split(Arena *arena, Str text) {
    return shell_argv(arena, text);
}

Str flags_join(Arena *arena, const char *const *flags) {
    return shell_join(arena, flags);
}

const char **flags_plus(Arena *arena, const char *const *flags, const char *const *more) {
    ArgVec args = { 0 };
    add_all(&args, flags);
    add_all(&args, more);
    vec_push(&args, NULL);
    const char **all = arena_copy(arena, args.at, args.len * sizeof *args.at);
    vec_release(&args);
    return all;
}
