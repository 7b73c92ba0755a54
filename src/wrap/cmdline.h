/* A compiler command line taken apart: what is compiled, what is only linked, where output goes. */
#ifndef CULPRIT_WRAP_CMDLINE_H
#define CULPRIT_WRAP_CMDLINE_H

#include "base/base.h"

typedef enum ArgKind {
    ARG_BOTH,    /* matters for compiling and linking (-m32, -fPIC, -pthread, -v) */
    ARG_COMPILE, /* matters for compiling only (-I, -D, -W) */
    ARG_LINK,    /* matters for linking only (-l, -L, -Wl, objects and libraries) */
    ARG_SOURCE,  /* a C source to be instrumented */
    ARG_FOREIGN, /* a source in another language: compiled as it is */
    ARG_DROP,    /* replaced by our own (-O, -g, -o, -c) */
} ArgKind;

typedef struct Arg {
    const char *text;
    ArgKind kind;
    const char *language; /* sources: what an -x before it says; NULL: by its suffix */
} Arg;
typedef VEC(Arg) ArgVec;

typedef enum CmdMode {
    CMD_LINK,    /* compile the sources, then link */
    CMD_COMPILE, /* -c */
    CMD_OTHER,   /* -E, -S, -M, -fsyntax-only, --version ...: handed on unchanged */
} CmdMode;

typedef struct Cmdline {
    CmdMode mode;
    ArgVec args;        /* response files expanded */
    const char *output; /* -o; NULL: none */
    unsigned sources;   /* arguments that are ARG_SOURCE */
    bool has_inputs;    /* anything to compile or link */
    bool has_std;       /* -std= or -ansi was given */
    bool dependencies;  /* -MD or -MMD, also through -Wp */
    bool has_target;    /* -MT or -MQ */
    bool has_depfile;   /* -MF, or a file named in -Wp,-MD,FILE */
    bool static_link;   /* -static */
    bool plain_link;    /* -nostdlib, -nostartfiles, -nodefaultlibs, -r: no runtime is added */
} Cmdline;

/* argv without the program's name. Memory of new strings is in the arena. */
bool cmdline_parse(Arena *arena, int argc, char **argv, Cmdline *cmd, Error *err);
/* "dir/name.c" -> "name" + suffix */
char *cmdline_replace_suffix(Arena *arena, const char *path, const char *suffix);

#endif
