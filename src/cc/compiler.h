/* A compiler as the rest of culprit sees it: what it is, and command lines for it.
 *
 *     Compiler cc;
 *     if (!compiler_open(&arena, "gcc-12", &cc, &err)) return err_report(&err);
 *     const char **argv = compiler_argv(&arena, &cc, CC_OBJECT, flags, "a.c", "a.o");
 *
 * A Compiler is plain data in the arena it was opened with and never changes: share it freely. argv
 * vectors are NULL-ended and live in the arena given. Run every command of a compiler with the
 * environment cc_env (messages in English). */
#ifndef CULPRIT_CC_COMPILER_H
#define CULPRIT_CC_COMPILER_H

#include "base/base.h"

typedef enum CcKind {
    CC_GCC,
    CC_CLANG,
    CC_TCC,
    CC_PCC,
    CC_CC1,   /* GCC's compiler proper, called by its path; assembles and links through `gcc` */
    CC_OTHER, /* compiles C and takes -c and -o; otherwise unknown */
} CcKind;

typedef struct Compiler {
    const char *name; /* as the user called it */
    const char *path; /* where it is */
    CcKind kind;
    const char *version; /* "12.2.0" */
    unsigned major;
    const char *target; /* "x86_64-linux-gnu"; "" when it does not say */
    const char *aim;    /* clang: "--target=..", part of its name and given to it always; or NULL */
    bool foreign;       /* its programs are for another machine than this one: see foreign.h .. */
    bool unsigned_char; /* .. where plain char is unsigned */
    const char *const *runner; /* .. words before a program that run it; NULL where unrun */
    const char *unrun;         /* .. why its programs cannot be run here, and what helps; or NULL */
    bool levels;               /* -O1 and so on make a difference (not for tcc, pcc) */
    bool checking; /* built with internal checks (GCC: --enable-checking beyond release) */
    /* GCC: the driver's own cc1 command without files and levels: called directly it is faster and
     * does not repeat itself after a crash. NULL: not known, the driver is used. */
    const char *const *cc1;
    /* GCC, cc1: assembling and linking without the driver, see quick_link.h. NULL: not known. */
    const char *const *as, *const *ld;
} Compiler;

const char *cc_kind_name(CcKind kind); /* "gcc", "clang", "tcc", "pcc", "cc1", "other" */
extern const char *const cc_env[];     /* LC_ALL=C and so on, for RunSpec.env */
/* The levels of the paper: -O0 -O1 -Os -O2 -O3, NULL-ended. */
extern const char *const cc_levels[];
/* Flags under which every compiler accepts old C silently: -w, and for clang the warnings that are
 * errors by default (implicit declarations). NULL-ended. */
const char *const *cc_tolerant(CcKind kind);

/* Asks the compiler what it is and lets it compile a line. Not found: STATUS_LACKS, with the Debian
 * package that has it; not a C compiler: STATUS_BAD. A clang may be named with what it is to
 * compile for: "clang-19 --target=aarch64-linux-gnu". */
bool compiler_open(Arena *arena, const char *name, Compiler *out, Error *err);
/* The same, where --target= may be among the flags it will be given. */
bool compiler_open_with(Arena *arena, const char *name, const char *const *flags, Compiler *out,
                        Error *err);
/* A name without the target in it, which becomes *aim (NULL: there is none). */
const char *compiler_program(Arena *arena, const char *name, const char **aim);
typedef VEC(Compiler) CompilerVec;
/* All gcc-N and clang-N along PATH (and gcc, clang where no numbered one has the same version),
 * sorted by kind and version; for a foreign target all TRIPLE-gcc-N, and every clang-N with
 * --target. Those that do not work are left out. */
void compilers_find(Arena *arena, const char *target, CompilerVec *out);
/* The newest of a kind among these; NULL: there is none. */
const Compiler *compilers_newest(const CompilerVec *all, CcKind kind);
/* All compilers named *-linux-*-gcc-N along PATH that are for other machines. */
void compilers_find_foreign(Arena *arena, CompilerVec *out);
/* The newest installed one of a kind that others rely on: clang-19 for preprocessing, gcc for
 * linking. STATUS_LACKS when there is none. */
bool compiler_open_any(Arena *arena, const char *const *names, Compiler *out, Error *err);

/* The name of an installed compiler other than this one and for the same target, to tell what is
 * right where no flags of the compiler itself are known to pass; NULL: there is none. */
const char *compiler_reference(Arena *arena, Str compiler, Str target);

typedef enum CcGoal {
    CC_PREPROCESS, /* clang: -E -P -fkeep-system-includes where it knows it */
    CC_SYNTAX,     /* only errors and warnings */
    CC_ASSEMBLY,   /* .s */
    CC_OBJECT,     /* .o */
    CC_EXECUTABLE, /* all in one */
    CC_LINK,       /* input is a .o or .s */
} CcGoal;

/* The command that makes output from input. flags (NULL-ended, may be NULL) come before the input:
 * levels, -f, -m, -D, -I, -std, -w. input NULL: the caller adds inputs. */
const char **compiler_argv(Arena *arena, const Compiler *cc, CcGoal goal, const char *const *flags,
                           const char *input, const char *output);
/* The same for a list of inputs. */
const char **compiler_command_n(Arena *arena, const Compiler *cc, CcGoal goal,
                                const char *const *flags, const char *const *inputs,
                                const char *output);
/* Flags as text, as shell words (base/shell.h): into a NULL-ended vector; and joined. */
const char **flags_split(Arena *arena, Str text);
Str flags_join(Arena *arena, const char *const *flags);
const char **flags_plus(Arena *arena, const char *const *flags, const char *const *more);

#endif
