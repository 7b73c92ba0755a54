/* Options: parsing, and the three texts that come from the same table. */
#include "base/opts.h"
#include "base/file.h"
#include "base/live.h"
#include "base/quantity.h"
#include "base/terminal.h"

/* One parse: the values begin at into (0 where the table holds addresses). */
typedef struct Parse {
    Opts *opts;
    uintptr_t into;
} Parse;

static const Opt *find(const OptSpec *spec, Str name) {
    for (const Opt *opt = spec->table; opt->name; opt++)
        if (str_is(name, opt->name)) return opt;
    return NULL;
}

static const Opt *find_letter(const OptSpec *spec, char letter) {
    for (const Opt *opt = spec->table; opt->name; opt++)
        if (opt->letter == letter) return opt;
    return NULL;
}

static bool takes_value(const Opt *opt) {
    return opt->kind != OPT_FLAG && opt->kind != OPT_COUNT;
}

static bool is_choice(const Opt *opt, const char *value) {
    Str rest = str_from(opt->choices), word;
    while (str_split(&rest, '|', &word))
        if (str_is(word, value)) return true;
    return false;
}

static bool set_value(const Parse *p, const Opt *opt, const char *value, Error *err) {
    Str text = str_from(value);
    void *to = (void *)(p->into + (uintptr_t)opt->value);
    const char *wanted = NULL;
    switch (opt->kind) {
    case OPT_FLAG: *(bool *)to = true; break;
    case OPT_COUNT: ++*(unsigned *)to; break;
    case OPT_STR: *(const char **)to = value; break;
    case OPT_LIST: vec_push((StrVec *)to, text); break;
    case OPT_UINT:
        if (!str_to_u64(text, to)) wanted = "a whole number";
        break;
    case OPT_REAL:
        if (!str_to_real(text, to)) wanted = "a number";
        break;
    case OPT_TIME:
        if (!quantity_duration(text, to)) wanted = "a duration such as 90s, 10m or 2h";
        break;
    case OPT_SIZE:
        if (!quantity_size(text, to)) wanted = "a size such as 64K, 500M or 2G";
        break;
    case OPT_CHOICE:
        *(const char **)to = value;
        if (!is_choice(opt, value))
            return err_set(err, STATUS_BAD, "--%s takes one of %s, not '%s'", opt->name,
                           opt->choices, value);
        break;
    }
    if (wanted)
        return err_set(err, STATUS_BAD, "--%s takes %s, not '%s'", opt->name, wanted, value);
    CHECK(opt - p->opts->spec->table < OPTS_MOST);
    p->opts->given[opt - p->opts->spec->table] = true;
    return true;
}

/* Number of single-letter changes between two short words: for "did you mean". */
static unsigned edit_distance(Str a, Str b) {
    unsigned row[64];
    if (a.len >= 64 || b.len >= 64) return 64;
    for (unsigned j = 0; j <= b.len; j++) row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            unsigned best = diagonal + (a.at[i - 1] != b.at[j - 1]);
            diagonal = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[b.len];
}

/* How many changes away a word of this length may be and still count as a typo. */
static unsigned near_enough(size_t length) {
    return length < 4 ? 1 : length < 8 ? 2 : 3;
}

const char *opts_nearest(const char *typed, const char *const *words, size_t n) {
    const char *near = NULL;
    Str word = str_from(typed);
    unsigned best = near_enough(word.len) + 1;
    for (size_t i = 0; i < n; i++) {
        /* an abbreviation counts as well: --verb for --verbose */
        bool begins = word.len >= 3 && str_starts(str_from(words[i]), typed);
        unsigned d = begins ? 1 : edit_distance(word, str_from(words[i]));
        if (d < best) best = d, near = words[i];
    }
    return near;
}

/* Those of main, which stand before the command. */
static bool is_global(Str name) {
    return str_is(name, "log") || str_is(name, "strict");
}

static bool unknown(const OptSpec *spec, Str name, Error *err) {
    if (is_global(name))
        return err_set(err, STATUS_BAD,
                       "--" STR_FMT " goes before the command: culprit --" STR_FMT "%s %s ..",
                       STR_ARG(name), STR_ARG(name), str_is(name, "log") ? " FILE" : "",
                       spec->name);
    const char *words[OPTS_MOST + 1] = { "help" };
    size_t n = 1;
    for (const Opt *opt = spec->table; opt->name && n <= OPTS_MOST; opt++) words[n++] = opt->name;
    char typed[64] = "";
    snprintf(typed, sizeof typed, STR_FMT, STR_ARG(name));
    const char *near = name.len < sizeof typed ? opts_nearest(typed, words, n) : NULL;
    if (near)
        return err_set(err, STATUS_BAD, "unknown option --" STR_FMT "; did you mean --%s?",
                       STR_ARG(name), near);
    return err_set(err, STATUS_BAD, "unknown option --" STR_FMT "; see 'culprit %s --help'",
                   STR_ARG(name), spec->name);
}

static bool parse_long(const Parse *p, int argc, char **argv, int *i, Error *err) {
    const OptSpec *spec = p->opts->spec;
    Str text = str_from(argv[*i] + 2);
    size_t equals = str_find(text, STR("="), 0);
    Str name = str_sub(text, 0, equals);
    const Opt *opt = find(spec, name);
    if (!opt) return unknown(spec, name, err);
    const char *value = equals == STR_NONE ? NULL : argv[*i] + 2 + equals + 1;
    if (!takes_value(opt)) {
        if (value) return err_set(err, STATUS_BAD, "--%s takes no value", opt->name);
    } else if (!value) {
        if (*i + 1 >= argc) return err_set(err, STATUS_BAD, "--%s needs a value", opt->name);
        value = argv[++*i];
    }
    return set_value(p, opt, value, err);
}

static bool parse_letters(const Parse *p, int argc, char **argv, int *i, Error *err) {
    const OptSpec *spec = p->opts->spec;
    for (const char *c = argv[*i] + 1; *c; c++) {
        const Opt *opt = find_letter(spec, *c);
        if (!opt)
            return err_set(err, STATUS_BAD, "unknown option -%c; see 'culprit %s --help'", *c,
                           spec->name);
        if (!takes_value(opt)) {
            if (!set_value(p, opt, NULL, err)) return false;
            continue;
        }
        const char *value = c[1] ? c + 1 : *i + 1 < argc ? argv[++*i] : NULL;
        if (!value) return err_set(err, STATUS_BAD, "-%c needs a value", *c);
        return set_value(p, opt, value, err);
    }
    return true;
}

static void show_label(const Opt *opt, Buf *out) {
    if (opt->letter)
        buf_fmt(out, "-%c, ", opt->letter);
    else
        buf_text(out, "    ");
    buf_fmt(out, "--%s%s%s", opt->name, opt->arg ? " " : "", opt->arg ? opt->arg : "");
}

/* What every command's exit status means; a command's notes say more where there is more to say. */
static const char exit_statuses[] =
    "Exit status: 0 done; 1 the answer is no; 2 wrong usage or bad input; 3 something is missing\n"
    "here or cannot be written; 130 interrupted.\n";

enum { HELP_COLUMN = 30, HELP_WIDTH = 100 };

/* How wide the help text is: the terminal's width, within reason. */
static size_t help_width(void) {
    size_t width = (size_t)terminal_width(stdout);
    return width > HELP_WIDTH ? HELP_WIDTH : width;
}

/* One option: what it is called, and beside it, or below on a narrow terminal, what it does. */
static void add_option(Buf *out, const char *label, const char *help, size_t width) {
    size_t column = width < 60 ? 8 : HELP_COLUMN;
    buf_fmt(out, "  %s", label);
    size_t used = strlen(label) + 2;
    if (used + 2 > column)
        buf_fmt(out, "\n%*s", (int)column, "");
    else
        buf_fmt(out, "%*s", (int)(column - used), "");
    terminal_wrap(out, str_from(help), column, width);
    buf_char(out, '\n');
}

/* The lines of prose collected so far, as one paragraph. */
static void end_paragraph(Buf *out, Buf *prose, size_t width) {
    if (!prose->len) return;
    terminal_wrap(out, buf_view(prose), 0, width);
    buf_char(out, '\n');
    buf_clear(prose);
}

/* Indented lines stay as they are: people copy examples, so they are never cut. */
static void add_notes(Buf *out, const char *notes, size_t width) {
    Str rest = str_from(notes), line;
    Buf prose = { 0 };
    while (str_split(&rest, '\n', &line) && (rest.at || line.len)) {
        if (line.len && !str_starts(line, "  ")) {
            if (str_starts(line, "Exit status")) end_paragraph(out, &prose, width);
            if (prose.len) buf_char(&prose, ' ');
            buf_str(&prose, line);
            continue;
        }
        end_paragraph(out, &prose, width);
        buf_str(out, line);
        buf_char(out, '\n');
    }
    end_paragraph(out, &prose, width);
    buf_release(&prose);
}

/* What follows the first line stands below the first word. */
static void add_usage(Buf *out, const OptSpec *spec, size_t width) {
    Buf words = { 0 };
    buf_fmt(&words, "culprit %s %s", spec->name, spec->usage);
    buf_text(out, "Usage: ");
    terminal_wrap(out, buf_view(&words), strlen("Usage: "), width);
    buf_char(out, '\n');
    buf_release(&words);
}

static void print_help(const OptSpec *spec) {
    Buf out = { 0 }, label = { 0 };
    size_t width = help_width();
    add_usage(&out, spec, width);
    terminal_wrap(&out, str_from(spec->brief), 0, width);
    buf_text(&out, ".\n\n");
    for (const Opt *opt = spec->table; opt->name; opt++) {
        buf_clear(&label);
        show_label(opt, &label);
        add_option(&out, label.at, opt->help, width);
    }
    add_option(&out, "    --help", "this text", width);
    if (spec->notes) buf_char(&out, '\n'), add_notes(&out, spec->notes, width);
    if (!spec->notes || !strstr(spec->notes, "Exit status"))
        buf_char(&out, '\n'), add_notes(&out, exit_statuses, width);
    fwrite(out.at, 1, out.len, stdout);
    buf_release(&label);
    buf_release(&out);
}

/* roff takes a backslash, and a dot or quote at the start of a line, as its own. */
static void roff(const char *text) {
    bool start = true;
    for (const char *c = text; *c; c++) {
        if (start && (*c == '.' || *c == '\'')) fputs("\\&", stdout);
        if (*c == '\\')
            fputs("\\e", stdout);
        else if (*c == '-')
            fputs("\\-", stdout);
        else
            putchar(*c);
        start = *c == '\n';
    }
}

static void print_man(const OptSpec *spec) {
    printf(".TH CULPRIT-%s 1\n.SH NAME\nculprit\\-%s \\- ", spec->name, spec->name);
    roff(spec->brief);
    printf("\n.SH SYNOPSIS\n.B culprit %s\n", spec->name);
    roff(spec->usage);
    puts("\n.SH OPTIONS");
    for (const Opt *opt = spec->table; opt->name; opt++) {
        fputs(".TP\n.B ", stdout);
        Buf label = { 0 };
        show_label(opt, &label);
        roff(str_trim(buf_view(&label)).at);
        putchar('\n');
        roff(opt->help);
        putchar('\n');
        buf_release(&label);
    }
    if (spec->notes) {
        puts(".SH NOTES\n.nf");
        roff(spec->notes);
        puts(".fi");
    }
    puts(".SH EXIT STATUS");
    static const char *const statuses[][2] = {
        { "0", "Done; for a question: yes." },
        { "1",
          "The answer is no: nothing found, does not reproduce, not found in the time given." },
        { "2", "Wrong usage or bad input." },
        { "3", "Something this machine lacks, or a file or stream that cannot be written." },
        { "130", "Interrupted; the results so far are kept." },
    };
    for (size_t i = 0; i < COUNT_OF(statuses); i++)
        printf(".TP\n.B %s\n%s\n", statuses[i][0], statuses[i][1]);
}

/* One line per option: --name, -letter, kind of value, help; read by the completion scripts. */
static void print_complete(const OptSpec *spec) {
    for (const Opt *opt = spec->table; opt->name; opt++)
        printf("--%s\t%s\t%s\n", opt->name,
               opt->choices       ? opt->choices
               : takes_value(opt) ? "@files"
                                  : "",
               opt->help);
    printf("--help\t\tthis text\n");
    if (spec->operands) printf("*\t%s\t\n", spec->operands);
}

static bool answer_help(const OptSpec *spec, const char *arg) {
    if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0)
        print_help(spec);
    else if (strcmp(arg, "--help-man") == 0)
        print_man(spec);
    else if (strcmp(arg, "--help-complete") == 0)
        print_complete(spec);
    else
        return false;
    fflush(stdout);
    return true;
}

bool opts_has(const Opts *opts, const char *name) {
    const Opt *opt = find(opts->spec, str_from(name));
    return opt && opts->given[opt - opts->spec->table];
}

static bool check_conflicts(const Opts *opts, Error *err) {
    for (const char *const *pair = opts->spec->conflicts; pair && pair[0]; pair += 2)
        if (opts_has(opts, pair[0]) && opts_has(opts, pair[1]))
            return err_set(err, STATUS_BAD, "--%s and --%s exclude each other", pair[0], pair[1]);
    return true;
}

static bool check_operands(const OptSpec *spec, size_t n, const char *first, Error *err) {
    if (n > spec->most && spec->most == 0)
        return err_set(err, STATUS_BAD, "%s takes no operand such as '%s'; see 'culprit %s --help'",
                       spec->name, first, spec->name);
    if (n < spec->least || n > spec->most)
        return err_set(err, STATUS_BAD, "usage: culprit %s %s", spec->name, spec->usage);
    return true;
}

/* An operand; a file name that begins with a dash is rewritten so that it is never taken for an
 * option. */
static void take_operand(Opts *opts, const char *arg) {
    bool dashed = arg[0] == '-' && arg[1];
    vec_push(&opts->rest, str_from(dashed ? arena_fmt(&opts->arena, "./%s", arg) : arg));
}

/* Whether arg is an option of this command, as far as its name tells. */
static bool is_option(const OptSpec *spec, const char *arg) {
    if (arg[1] != '-') return find_letter(spec, arg[1]) != NULL;
    Str name = str_from(arg + 2);
    return find(spec, str_sub(name, 0, str_find(name, STR("="), 0))) != NULL;
}

static OptsEnd parse(const Parse *p, int argc, char **argv, Error *err) {
    Opts *opts = p->opts;
    const OptSpec *spec = opts->spec;
    bool options = true, ok = true;
    for (int i = 1; ok && i < argc; i++) {
        const char *arg = argv[i];
        bool dashed = options && arg[0] == '-' && arg[1];
        if (options && answer_help(spec, arg)) return OPTS_STOP;
        if (options && strcmp(arg, "--") == 0)
            options = false;
        else if (!dashed || (!is_option(spec, arg) && file_exists(arg)))
            take_operand(opts, arg);
        else if (arg[1] == '-')
            ok = parse_long(p, argc, argv, &i, err);
        else
            ok = parse_letters(p, argc, argv, &i, err);
    }
    Str first = opts->rest.len ? opts->rest.at[0] : STR("");
    ok = ok && check_conflicts(opts, err) && check_operands(spec, opts->rest.len, first.at, err);
    return ok ? OPTS_GO : OPTS_BAD;
}

OptsEnd opts_read(const OptSpec *spec, int argc, char **argv, void *into, Opts *opts, Error *err) {
    *opts = (Opts){ .spec = spec };
    Parse p = { opts, (uintptr_t)into };
    return parse(&p, argc, argv, err);
}

void opts_release(Opts *opts) {
    vec_release(&opts->rest);
    arena_release(&opts->arena);
}

/* ---- the older way ---- */

static Opts last; /* of the last opts_parse */

OptsEnd opts_parse(const OptSpec *spec, int argc, char **argv, StrVec *rest, Error *err) {
    opts_release(&last);
    OptsEnd end = opts_read(spec, argc, argv, NULL, &last, err);
    if (end == OPTS_GO && rest) {
        *rest = last.rest;
        last.rest = (StrVec){ 0 };
    }
    return end;
}
