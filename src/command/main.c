/* culprit: what each command is, in one table. */
#include "base/opts.h"
#include "command/commands.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>

typedef struct Command {
    const char *name;
    const char *brief; /* one line for the overview; NULL: not for people */
    int (*run)(int argc, char **argv);
} Command;

/* In the order of a case's way: found, made small, isolated, explained, shown. */
static const Command commands[] = {
    { "hunt", "find bugs in C compilers with equivalent variants", hunt_command },
    { "campaign", "share one hunt between many machines", campaign_command },
    { "mutate", "write equivalent variants of a C program", mutate_command },
    { "reduce", "make a failing program, or a pair with a passing one, as small as possible",
      reduce_command },
    { "isolate", "rank the files of a compiler by how likely they cause a failure",
      isolate_command },
    { "coverage", "show what one compilation covers of the compiler", coverage_command },
    { "explain", "find the change that broke a program, and how it broke it", explain_command },
    { "trace", "show what a run of a program built with culprit-cc recorded", trace_command },
    { "investigate", "take a case through all stages, step by step", investigate_command },
    { "cases", "list the cases of the store", cases_command },
    { "show", "show one case", show_command },
    { "export", "write a case as files with a script that reproduces it", export_command },
    { "report", "write pages that a browser opens from the files", report_command },
    { "serve", "show the pages live in a browser", serve_command },
    { "compilers", "register coverage builds and sources of compilers", compilers_command },
    { "__complete", NULL, complete_command },
    { "__enter", NULL, enter_command },
    { NULL, NULL, NULL },
};

static void print_overview(FILE *out) {
    fputs("culprit takes a compiler bug from nothing to its cause.\n\n"
          "Usage: culprit [--log FILE] [--strict] COMMAND [OPTION]..\n\n",
          out);
    for (const Command *c = commands; c->name; c++)
        if (c->brief) fprintf(out, "  %-13s%s\n", c->name, c->brief);
    fputs(
        "\n--log FILE writes a line for every process that was run; --strict runs nothing of\n"
        "unknown origin where the kernel cannot confine it (see SECURITY.md).\n"
        "\nculprit COMMAND --help tells more. Where to start:\n"
        "  no bug yet           culprit hunt --time 10m\n"
        "  a failing program    culprit investigate --cc gcc-11 --flags -O2 bug.c\n"
        "  just make it small   culprit reduce --crash 'gcc-11 -O2 -S' bug.c\n"
        "  a version broke it   culprit explain --good v1 --bad v2 --build make --test ./test.sh\n"
        "  see what is known    culprit cases; culprit show 1; culprit serve\n",
        out);
}

static const Command *find_command(const char *name) {
    for (const Command *c = commands; c->name; c++)
        if (strcmp(name, c->name) == 0) return c;
    return NULL;
}

/* What other tools call our commands. */
static const char *other_word(const char *name) {
    static const char *const words[][2] = {
        { "fuzz", "hunt" },     { "minimize", "reduce" }, { "minimise", "reduce" },
        { "shrink", "reduce" }, { "bisect", "explain" },  { "ls", "cases" },
        { "list", "cases" },    { "locate", "isolate" },  { "localize", "isolate" },
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strcmp(name, words[i][0]) == 0) return words[i][1];
    return NULL;
}

static bool unknown_command(const char *name, Error *err) {
    const char *names[COUNT_OF(commands)];
    size_t n = 0;
    for (const Command *c = commands; c->name; c++)
        if (c->brief) names[n++] = c->name;
    const char *near = other_word(name);
    if (!near) near = opts_nearest(name, names, n);
    if (near)
        return err_set(err, STATUS_BAD, "unknown command '%s'; did you mean 'culprit %s'?", name,
                       near);
    return err_set(err, STATUS_BAD, "unknown command '%s'; 'culprit --help' lists them", name);
}

static bool is_one_of(const char *word, const char *a, const char *b, const char *c) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

/* If one of the three streams were closed, the first file opened would take its place and be
 * written into. What is opened here instead cannot be written to, and that is reported when the
 * program ends. */
static void hold_streams(void) {
    int fd;
    do fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
}

/* Options before the command, which apply to everything that is run. */
static bool take_options(int *argc, char ***argv, Error *err) {
    while (*argc > 1) {
        char *word = (*argv)[1];
        bool log = strcmp(word, "--log") == 0;
        if (strcmp(word, "--strict") == 0)
            run_be_strict();
        else if (strncmp(word, "--log=", 6) == 0 || log) {
            if (log && *argc < 3) return err_set(err, STATUS_BAD, "--log needs a file");
            if (!run_log(log ? (*argv)[2] : word + 6, err)) return false;
            if (log) --*argc, ++*argv;
        } else
            break;
        --*argc, ++*argv;
    }
    return true;
}

static int run(int argc, char **argv, Error *err) {
    if (!take_options(&argc, &argv, err)) return err_report(err);
    if (argc < 2) {
        print_overview(stdout);
        return STATUS_DONE;
    }
    bool help = is_one_of(argv[1], "help", "--help", "-h");
    if (help && argc == 2) {
        print_overview(stdout);
        return STATUS_DONE;
    }
    if (is_one_of(argv[1], "version", "--version", "-V")) {
        puts("culprit " CULPRIT_VERSION);
        return STATUS_DONE;
    }
    char *name = argv[help ? 2 : 1], *ask[] = { name, "--help", NULL };
    const Command *c = find_command(name);
    if (c) return help ? c->run(2, ask) : c->run(argc - 1, argv + 1);
    unknown_command(name, err);
    return err_report(err);
}

int main(int argc, char **argv) {
    Error err = { 0 };
    /* Large blocks go back to the system as soon as they are freed; by itself the library keeps
     * blocks of up to 32 MB once it has seen one freed. */
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    hold_streams();
    err_ask_interrupted(run_interrupted);
    int status = run(argc, argv, &err);
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return status;
    if (!errno) errno = EIO; /* an earlier write failed, and its reason is lost */
    err_write(&err, "cannot write to standard output");
    return err_report(&err);
}
