/* Options: parsing, and the three texts that come from the same table. */
#include "base/opts.h"
#include "base/quantity.h"

/* Which options of the last parsed table were given; index as in the table. */
static struct {
    const Opt *table;
    bool given[64];
} last;

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

static bool set_value(const Opt *opt, const char *value, Error *err) {
    Str text = str_from(value);
    const char *wanted = NULL;
    switch (opt->kind) {
    case OPT_FLAG: *(bool *)opt->value = true; break;
    case OPT_COUNT: ++*(unsigned *)opt->value; break;
    case OPT_STR: *(const char **)opt->value = value; break;
    case OPT_LIST: vec_push((StrVec *)opt->value, text); break;
    case OPT_UINT:
        if (!str_to_u64(text, opt->value)) wanted = "a whole number";
        break;
    case OPT_REAL:
        if (!str_to_real(text, opt->value)) wanted = "a number";
        break;
    case OPT_TIME:
        if (!quantity_duration(text, opt->value)) wanted = "a duration such as 90s, 10m or 2h";
        break;
    case OPT_SIZE:
        if (!quantity_size(text, opt->value)) wanted = "a size such as 64K, 500M or 2G";
        break;
    case OPT_CHOICE:
        *(const char **)opt->value = value;
        if (!is_choice(opt, value))
            return err_set(err, STATUS_BAD, "--%s takes one of %s, not '%s'", opt->name,
                           opt->choices, value);
        break;
    }
    if (wanted)
        return err_set(err, STATUS_BAD, "--%s takes %s, not '%s'", opt->name, wanted, value);
    last.given[opt - last.table] = true;
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

static bool unknown(const OptSpec *spec, Str name, Error *err) {
    const Opt *near = NULL;
    unsigned best = 3;
    for (const Opt *opt = spec->table; opt->name; opt++) {
        unsigned d = edit_distance(name, str_from(opt->name));
        if (d < best) best = d, near = opt;
    }
    if (near)
        return err_set(err, STATUS_BAD, "unknown option --" STR_FMT "; did you mean --%s?",
                       STR_ARG(name), near->name);
    return err_set(err, STATUS_BAD, "unknown option --" STR_FMT "; see 'culprit %s --help'",
                   STR_ARG(name), spec->name);
}

static bool parse_long(const OptSpec *spec, int argc, char **argv, int *i, Error *err) {
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
    return set_value(opt, value, err);
}

static bool parse_letters(const OptSpec *spec, int argc, char **argv, int *i, Error *err) {
    for (const char *c = argv[*i] + 1; *c; c++) {
        const Opt *opt = find_letter(spec, *c);
        if (!opt)
            return err_set(err, STATUS_BAD, "unknown option -%c; see 'culprit %s --help'", *c,
                           spec->name);
        if (!takes_value(opt)) {
            if (!set_value(opt, NULL, err)) return false;
            continue;
        }
        const char *value = c[1] ? c + 1 : *i + 1 < argc ? argv[++*i] : NULL;
        if (!value) return err_set(err, STATUS_BAD, "-%c needs a value", *c);
        return set_value(opt, value, err);
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

static void print_help(const OptSpec *spec) {
    printf("Usage: culprit %s %s\n%s.\n\n", spec->name, spec->usage, spec->brief);
    for (const Opt *opt = spec->table; opt->name; opt++) {
        Buf label = { 0 };
        show_label(opt, &label);
        if (label.len > 26)
            printf("  %s\n%*s%s\n", label.at, 30, "", opt->help);
        else
            printf("  %-28s%s\n", label.at, opt->help);
        buf_release(&label);
    }
    printf("      %-24s%s\n", "--help", "this text");
    if (spec->notes) printf("\n%s", spec->notes);
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
}

/* One line an option: --name, -letter, kind of value, help; read by the completion scripts. */
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

static bool check_conflicts(const OptSpec *spec, Error *err) {
    for (const char *const *pair = spec->conflicts; pair && pair[0]; pair += 2)
        if (opts_given(pair[0]) && opts_given(pair[1]))
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

OptsEnd opts_parse(const OptSpec *spec, int argc, char **argv, StrVec *rest, Error *err) {
    StrVec operands = { 0 };
    memset(&last, 0, sizeof last);
    last.table = spec->table;
    bool options = true, ok = true;
    for (int i = 1; ok && i < argc; i++) {
        const char *arg = argv[i];
        if (options && answer_help(spec, arg)) return vec_release(&operands), OPTS_STOP;
        if (options && strcmp(arg, "--") == 0)
            options = false;
        else if (options && arg[0] == '-' && arg[1] == '-')
            ok = parse_long(spec, argc, argv, &i, err);
        else if (options && arg[0] == '-' && arg[1])
            ok = parse_letters(spec, argc, argv, &i, err);
        else
            vec_push(&operands, str_from(arg));
    }
    ok = ok && check_conflicts(spec, err) &&
         check_operands(spec, operands.len, operands.len ? operands.at[0].at : "", err);
    if (!ok || !rest)
        vec_release(&operands);
    else
        *rest = operands;
    return ok ? OPTS_GO : OPTS_BAD;
}

bool opts_given(const char *name) {
    for (size_t i = 0; last.table && last.table[i].name; i++)
        if (strcmp(last.table[i].name, name) == 0) return last.given[i];
    return false;
}
