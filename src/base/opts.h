/* Options: a command describes its options in one table; parsing, `--help`, the man page and shell
 * completion all come from that table.
 *
 *     static bool all; static double limit = 600; static StrVec ccs;
 *     static const Opt table[] = {
 *         { 'a', "all", OPT_FLAG, &all, NULL, "show everything" },
 *         { 0, "time", OPT_TIME, &limit, "TIME", "stop after TIME (default 10m)" },
 *         { 0, "cc", OPT_LIST, &ccs, "NAME", "compiler to test; may be given more than once" },
 *         { 0 }
 *     };
 *     static const OptSpec spec = { "hunt", "[OPTION].. [FILE]..", "find compiler bugs", table, ...
 * };
 *
 * `--name VALUE`, `--name=VALUE`, `-nVALUE`, `-n VALUE`, `--` ends options; options and operands
 * may be mixed. --help, --help-man and --help-complete are understood by every command. */
#ifndef CULPRIT_BASE_OPTS_H
#define CULPRIT_BASE_OPTS_H

#include "base/base.h"

typedef enum OptKind {
    OPT_FLAG,   /* bool */
    OPT_COUNT,  /* unsigned, one more for each time (-v -v) */
    OPT_STR,    /* const char * */
    OPT_LIST,   /* StrVec, one element for each time; values are NUL-terminated (argv's) */
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
    void *value;         /* where it goes; its initial value is the default */
    const char *arg;     /* what --help calls the argument; NULL for flags */
    const char *help;    /* one line; its default in brackets */
    const char *choices; /* OPT_CHOICE: "a|b|c"; completion of others: "@cases", "@compilers",
                            "@files", "a,b,c" */
} Opt;

typedef struct OptSpec {
    const char *name;  /* of the command: "hunt" */
    const char *usage; /* behind the name: "[OPTION].. FILE.c" */
    const char *brief; /* one line, no full stop */
    const Opt *table;
    const char *const
        *conflicts;       /* pairs of long names that exclude each other, NULL-ended; or NULL */
    const char *notes;    /* text behind the options: examples, exit statuses; or NULL */
    unsigned least, most; /* operands: how many; most 0 means none, OPT_MANY any number */
    const char *operands; /* completion of operands: "@files", "@cases"; or NULL */
} OptSpec;
enum { OPT_MANY = 1000000 };

typedef enum OptsEnd {
    OPTS_GO,   /* parsed; operands are in *rest */
    OPTS_STOP, /* --help and its kin were answered: return STATUS_DONE */
    OPTS_BAD,  /* err is filled with status 2 */
} OptsEnd;

/* argv[0] is the command's name. rest may be NULL where most is 0. */
OptsEnd opts_parse(const OptSpec *spec, int argc, char **argv, StrVec *rest, Error *err);
/* Whether the option was given in the last opts_parse of this process. */
bool opts_given(const char *name);

#endif
