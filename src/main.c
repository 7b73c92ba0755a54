/* culprit: what each command is, in one table. */
#include "base/base.h"
#include "commands.h"

typedef struct Command {
    const char *name;
    const char *brief; /* one line for the overview; NULL: not for people */
    int (*run)(int argc, char **argv);
} Command;

static const Command commands[] = {
    { "mutate", "write equivalent variants of a C program", mutate_command },
    { "hunt", "find bugs in C compilers with equivalent variants", hunt_command },
    { "reduce", "make a failing program, or a pair with a passing one, as small as can be",
      reduce_command },
    { "cases", "list the cases of the store", cases_command },
    { "show", "show one case", show_command },
    { "export", "write a case as files with a script that reproduces it", export_command },
    { "explain", "find the change that broke a program, and how it did", explain_command },
    { "investigate", "take a case through all stages, step by step", investigate_command },
    { "compilers", "keep what is known of compilers", compilers_command },
    { "__complete", NULL, complete_command },
    { "report", "write pages that a browser opens from the files", report_command },
    { "serve", "show the pages live in a browser", serve_command },
    { "trace", "what a run of a program built with culprit-cc recorded", trace_command },
    { "coverage", "show what one compilation covers of the compiler", coverage_command },
    { "isolate", "rank the files of a compiler by how likely they cause a failure",
      isolate_command },
    { NULL, NULL, NULL },
};

static void print_overview(FILE *out) {
    fputs("culprit takes a compiler bug from nothing to its cause.\n\n"
          "Usage: culprit COMMAND [OPTION]..\n\n",
          out);
    for (const Command *c = commands; c->name; c++)
        if (c->brief) fprintf(out, "  %-13s%s\n", c->name, c->brief);
    fputs(
        "\nculprit COMMAND --help tells more. Where to start:\n"
        "  no bug yet           culprit hunt --time 10m\n"
        "  a failing program    culprit investigate --cc gcc-11 --flags -O2 bug.c\n"
        "  just make it small   culprit reduce --crash 'gcc-11 -O2 -S' bug.c\n"
        "  a version broke it   culprit explain --good v1 --bad v2 --build make --test ./test.sh\n"
        "  see what is known    culprit cases; culprit show 1; culprit serve\n",
        out);
}

int main(int argc, char **argv) {
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        print_overview(stdout);
        return STATUS_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("culprit " CULPRIT_VERSION);
        return STATUS_DONE;
    }
    for (const Command *c = commands; c->name; c++)
        if (strcmp(argv[1], c->name) == 0) return c->run(argc - 1, argv + 1);
    Error err;
    err_set(&err, STATUS_BAD, "unknown command '%s'; 'culprit --help' lists them", argv[1]);
    return err_report(&err);
}
