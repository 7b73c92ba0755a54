/* Options: a command describes its options in one table; parsing, `--help`, the man page and shell
 * completion all come from that table.
 *
 *     typedef struct HuntOptions { bool all; double limit; StrVec ccs; } HuntOptions;
 *     static const Opt table[] = {
 *         { 'a', "all", OPT_FLAG, OPT_IN(HuntOptions, all), NULL, "show everything" },
 *         { 0, "time", OPT_TIME, OPT_IN(HuntOptions, limit), "TIME", "stop after TIME [10m]" },
 *         { 0, "cc", OPT_LIST, OPT_IN(HuntOptions, ccs), "NAME", "compiler to test; may be
 * repeated" }, { 0 }
 *     };
 *     static const OptSpec spec = { "hunt", "[OPTION].. [FILE]..", "find compiler bugs", table, ...
 * };
 *     ..
 *     HuntOptions o = { .limit = 600 };   // on the stack: a command can be called twice
 *     Opts opts;
 *     switch (opts_read(&spec, argc, argv, &o, &opts, &err)) ..
 *     opts.rest.at[0], opts_has(&opts, "time"), then opts_release(&opts)
 *
 * `--name VALUE`, `--name=VALUE`, `-nVALUE`, `-n VALUE`, `--` ends options; options and operands
 * may be mixed. --help, --help-man and --help-complete are understood by every command. */
#ifndef CULPRIT_BASE_OPTS_H
#define CULPRIT_BASE_OPTS_H

#include "base/base.h"

#include <stddef.h>

typedef enum OptKind {
    OPT_FLAG,   /* bool */
    OPT_COUNT,  /* unsigned, incremented each time (-v -v) */
    OPT_STR,    /* const char * */
    OPT_LIST,   /* StrVec, one element each time it is given; values are NUL-terminated (argv's) */
    OPT_UINT,   /* uint64_t */
    OPT_REAL,   /* double */
    OPT_TIME,   /* double, seconds: "90s", "10m" */
    OPT_SIZE,   /* uint64_t, bytes: "2G" */
    OPT_CHOICE, /* const char *, one of the words in choices ("after|dd|ddmin") */
} OptKind;

typedef struct Opt {
    char letter;      /* 0: none */
    const char *name; /* long name without dashes; NULL ends the table */
    OptKind kind;
    void *value; /* OPT_IN: where it goes in the command's struct; the value already there is the
                    default */
    const char *arg;     /* what --help calls the argument; NULL for flags */
    const char *help;    /* one line; its default in brackets */
    const char *choices; /* OPT_CHOICE: "a|b|c"; completion of others: "@cases", "@compilers",
                            "@files", "a,b,c" */
} Opt;

typedef struct OptSpec {
    const char *name;  /* of the command: "hunt" */
    const char *usage; /* after the name: "[OPTION].. FILE.c" */
    const char *brief; /* one line, no full stop */
    const Opt *table;
    const char *const
        *conflicts;       /* pairs of long names that exclude each other, NULL-ended; or NULL */
    const char *notes;    /* text after the options: examples, exit statuses; or NULL */
    unsigned least, most; /* operands: how many; most 0 means none, OPT_MANY any number */
    const char *operands; /* completion of operands: "@files", "@cases"; or NULL */
} OptSpec;
enum { OPT_MANY = 1000000 };

typedef enum OptsEnd {
    OPTS_GO,   /* parsed; operands are in *rest */
    OPTS_STOP, /* --help or a relative was answered: return STATUS_DONE */
    OPTS_BAD,  /* err is filled with status 2 */
} OptsEnd;

/* The member's place in the struct that opts_read fills. */
#define OPT_IN(type, member) ((void *)offsetof(type, member))

enum { OPTS_MOST = 64 }; /* options of one command */
/* What a command line said beyond the values. */
typedef struct Opts {
    const OptSpec *spec;
    bool given[OPTS_MOST]; /* index as in the table */
    StrVec rest;           /* operands; NUL-terminated. A name that begins with a dash has "./" in
                              front, so that no compiler takes it for an option */
    Arena arena;           /* holds such names */
} Opts;

/* argv[0] is the command's name; into is the struct that the table's OPT_IN entries refer to.
 * Release opts whatever is returned; lists (OPT_LIST) belong to the caller. An argument that is not
 * an option but names a file is taken as that file. */
OptsEnd opts_read(const OptSpec *spec, int argc, char **argv, void *into, Opts *opts, Error *err);
bool opts_has(const Opts *opts, const char *name); /* whether the option was given */
void opts_release(Opts *opts);

/* The nearest of n words to a mistyped one, or NULL when none is near: for "did you mean". */
const char *opts_nearest(const char *typed, const char *const *words, size_t n);

/* The older way: table values are addresses. rest may be NULL where most is 0. */
OptsEnd opts_parse(const OptSpec *spec, int argc, char **argv, StrVec *rest, Error *err);

#endif
