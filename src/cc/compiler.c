/* Opening a compiler: one `-v` tells its kind, version and target, one compiled line whether it is
 * a C compiler at all, and for GCC one `-###` how its driver calls cc1. */
#include "cc/compiler.h"
#include "base/toolchain.h"

#include "base/file.h"
#include "cc/driver_words.h"
#include "cc/foreign.h"
#include "cc/quick_link.h"
#include "run/run.h"
#include "run/workdir.h"

#include <ctype.h>
#include <dirent.h>

const char *const cc_env[] = { "LC_ALL=C", "LLVM_DISABLE_SYMBOLIZATION=1", "GCC_COLORS=", NULL };
const char *const cc_levels[] = { "-O0", "-O1", "-Os", "-O2", "-O3", NULL };

const char *const *cc_tolerant(CcKind kind) {
    static const char *const quiet[] = { "-w", NULL };
    static const char *const clang[] = { "-w",
                                         "-Wno-implicit-function-declaration",
                                         "-Wno-implicit-int",
                                         "-Wno-int-conversion",
                                         "-Wno-incompatible-function-pointer-types",
                                         NULL };
    return kind == CC_CLANG ? clang : quiet;
}

const char *cc_kind_name(CcKind kind) {
    static const char *const names[] = { "gcc", "clang", "tcc", "pcc", "cc1", "other" };
    return names[kind];
}

/* ---- asking ---- */
static RunResult ask(Arena *arena, const char *const *argv, const char *dir) {
    RunSpec spec = {
        .argv = argv, .dir = dir, .env = cc_env, .limits = { .wall_s = 60, .output = 4 << 20 }
    };
    return run_one(arena, &spec);
}

/* The rest of the line after `label`, trimmed; empty when there is no such line. */
static Str line_behind(Str text, const char *label) {
    size_t at = str_find(text, str_from(label), 0);
    if (at == STR_NONE) return STR("");
    Str rest = str_sub(text, at + strlen(label), text.len), line = STR("");
    str_split(&rest, '\n', &line);
    return str_trim(line);
}

static Str first_word(Str line) {
    Str word = STR("");
    str_split(&line, ' ', &word);
    return word;
}

static void set_version(Arena *arena, Compiler *cc, Str version) {
    uint64_t major = 0;
    Str rest = version, part;
    if (str_split(&rest, '.', &part)) str_to_u64(part, &major);
    cc->version = arena_cstr(arena, version);
    cc->major = (unsigned)major;
}

static bool read_cc1_banner(Arena *arena, Compiler *cc, const char *dir) {
    const char *argv[] = { cc->path,    "-quiet", "-version",
                           "/dev/null", "-o",     file_join(arena, dir, "none.s"),
                           NULL };
    RunResult r = ask(arena, argv, dir);
    Str line = line_behind(r.err, "GNU C");
    size_t at = str_find(line, STR(" version "), 0);
    if (at == STR_NONE) return false;
    line = str_sub(line, at + 9, line.len);
    cc->kind = CC_CC1;
    cc->levels = true;
    set_version(arena, cc, first_word(line));
    size_t open = str_find(line, STR(" ("), 0), close = str_find(line, STR(")"), 0);
    bool target = open != STR_NONE && close != STR_NONE && close > open;
    cc->target = target ? arena_cstr(arena, str_sub(line, open + 2, close)) : "";
    return true;
}

static void read_banner(Arena *arena, Compiler *cc, const char *dir) {
    static const struct {
        const char *label;
        CcKind kind;
    } known[] = { { "clang version ", CC_CLANG },
                  { "gcc version ", CC_GCC },
                  { "tcc version ", CC_TCC },
                  { "Portable C Compiler ", CC_PCC } };
    const char *argv[] = { cc->path, "-v", cc->aim, NULL };
    RunResult r = ask(arena, argv, dir);
    cc->kind = CC_OTHER;
    cc->version = cc->target = "";
    for (size_t i = 0; i < COUNT_OF(known); i++)
        for (int stream = 0; stream < 2; stream++) {
            Str text = stream ? r.out : r.err, line = line_behind(text, known[i].label);
            if (!line.len || cc->kind != CC_OTHER) continue;
            cc->kind = known[i].kind;
            set_version(arena, cc, first_word(line));
            cc->target = arena_cstr(arena, line_behind(text, "Target:"));
            if (cc->kind == CC_PCC) cc->target = arena_cstr(arena, line_behind(text, " for "));
        }
    cc->levels = cc->kind != CC_TCC && cc->kind != CC_PCC;
    Str checking = line_behind(r.err, "--enable-checking=");
    cc->checking = checking.len && !str_starts(checking, "release") && !str_starts(checking, "no");
}

/* ---- GCC's cc1 ---- */
static bool is_script(const char *path) {
    char head[2] = "";
    FILE *f = fopen(path, "re");
    if (f && fread(head, 1, 2, f) != 2) head[0] = 0;
    if (f) fclose(f);
    return head[0] == '#' && head[1] == '!';
}

/* The cc1 command without what belongs to the probe alone. */
static void find_cc1(Arena *arena, Compiler *cc, const char *dir) {
    const char *argv[] = { cc->path, "-###", "-S", "probe.c", "-o", "probe.s", NULL };
    RunResult r = ask(arena, argv, dir);
    Str rest = r.err, line;
    StrVec words = { 0 };
    while (str_split(&rest, '\n', &line))
        if (str_find(line, STR("/cc1 "), 0) != STR_NONE && line.at[0] == ' ') {
            words_split(arena, line, &words);
            break;
        }
    const char **command = ARENA_ARRAY(arena, const char *, words.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < words.len; i++) {
        Str w = words.at[i];
        if (str_is(w, "-o") || str_is(w, "-dumpbase") || str_is(w, "-dumpbase-ext") ||
            str_is(w, "-dumpdir"))
            i++;
        else if (!str_is(w, "probe.c"))
            command[n++] = w.at;
    }
    vec_release(&words);
    if (n > 1 && file_find_program(arena, command[0])) cc->cc1 = command;
}

/* ---- other machines ---- */
const char *compiler_program(Arena *arena, const char *name, const char **aim) {
    const char *at = strstr(name, " --target=");
    *aim = at && !strchr(at + 1, ' ') ? arena_strdup(arena, at + 1) : NULL;
    return *aim ? arena_fmt(arena, "%.*s", (int)(at - name), name) : name;
}

static bool takes(Arena *arena, const Compiler *cc, const char *dir, const char *text) {
    const char *in = file_join(arena, dir, "asked.c");
    if (!file_write(in, str_from(text), NULL)) return false;
    RunResult r = ask(arena, compiler_argv(arena, cc, CC_SYNTAX, NULL, in, NULL), dir);
    return run_ok(&r);
}

static void look_abroad(Arena *arena, Compiler *cc, const char *dir) {
    const char *argv[] = { cc->path, "-print-sysroot", NULL };
    cc->foreign = true;
    if (cc->kind == CC_CC1) { /* the driver that would assemble and link for it is this machine's */
        cc->unrun = "programs of a cc1 for another machine are not run: name its driver instead";
        return;
    }
    cc->unsigned_char = !takes(arena, cc, dir, "char plain[(char)-1 < 0 ? 1 : -1];\n");
    RunResult r = { 0 };
    if (cc->kind == CC_GCC) r = ask(arena, argv, dir);
    bool said = cc->kind == CC_GCC && run_ok(&r);
    foreign_find_runner(arena, cc, said ? arena_cstr(arena, str_trim(r.out)) : "");
}

/* ---- opening ---- */
/* Debian's package with a cross compiler: aarch64-linux-gnu-gcc-12 is in gcc-12-aarch64-linux-gnu.
 */
static const char *cross_package(Arena *arena, const char *name) {
    const char *at = strstr(name, "-gcc");
    bool numbered = at && at[4] == '-' && isdigit(at[5]);
    if (!at || !strstr(name, "-linux-") || (at[4] && !numbered)) return "";
    return arena_fmt(arena, "; Debian has it in the package %s-%.*s", at + 1, (int)(at - name),
                     name);
}

static const char *package_of(Arena *arena, const char *name) {
    static const char *const own[] = { "gcc", "clang", "tcc", "pcc" };
    for (size_t i = 0; i < COUNT_OF(own); i++) {
        size_t n = strlen(own[i]), digits = name[n] == '-' ? strspn(name + n + 1, "0123456789") : 0;
        if (strncmp(name, own[i], n) == 0 && (name[n] == 0 || (digits && !name[n + 1 + digits])))
            return arena_fmt(arena, "; Debian has it in the package %s", name);
    }
    return cross_package(arena, name);
}

/* Says what to type instead where a name is more than a name. */
static bool not_found(Arena *arena, const char *name, Error *err) {
    if (!*name) return err_set(err, STATUS_BAD, "the name of a compiler is empty");
    int first = (int)strcspn(name, " ,;");
    char *program = arena_fmt(arena, "%.*s", first, name);
    if (!name[first] || !file_find_program(arena, program))
        return err_set(err, STATUS_LACKS, "compiler %s not found%s", name, package_of(arena, name));
    if (name[first] == ',')
        return err_set(err, STATUS_BAD, "'%s' is not one compiler: give each a --cc of its own",
                       name);
    return err_set(
        err, STATUS_BAD,
        "'%s' is not a compiler alone: give --cc %s, and its flags by --flags or --levels", name,
        program);
}

static const char c_line[] = "int class = 1;\nint main(void) { return class - 1; }\n";

static bool compiles_c(Arena *arena, const Compiler *cc, const char *dir, Str *message,
                       bool *late) {
    const char *in = file_join(arena, dir, "probe.c"), *out = file_join(arena, dir, "probe.out");
    if (!file_write(in, str_from(c_line), NULL)) return false;
    CcGoal goal = cc->kind == CC_CC1 ? CC_ASSEMBLY : CC_OBJECT;
    RunResult r = ask(arena, compiler_argv(arena, cc, goal, NULL, in, out), dir);
    Str text = { 0 };
    bool made = run_ok(&r) && file_read(arena, out, &text, NULL) && text.len > 0;
    for (Str rest = r.err, line; str_split(&rest, '\n', &line) && !message->len;)
        if (str_trim(line).len) *message = workdir_hide(arena, str_trim(line));
    *late = r.end == RUN_CANCELLED;
    if (r.end != RUN_EXITED && !message->len) *message = str_from(run_describe(arena, &r));
    return made;
}

bool compiler_open(Arena *arena, const char *name, Compiler *out, Error *err) {
    *out = (Compiler){ .name = arena_strdup(arena, name) };
    name = compiler_program(arena, name, &out->aim);
    out->path = file_find_program(arena, name);
    if (!out->path && strchr(name, '/') && file_exists(name))
        return err_set(err, STATUS_BAD, "%s is not an executable file", name);
    if (!out->path) return not_found(arena, name, err);
    if (strchr(name, '/')) /* our scripts change directory */
        out->name = out->aim ? arena_fmt(arena, "%s %s", out->path, out->aim) : out->path;
    char *dir = workdir_new(arena, "open");
    bool cc1 = strncmp(file_name(out->path), "cc1", 3) == 0;
    if (!cc1 || !read_cc1_banner(arena, out, dir)) read_banner(arena, out, dir);
    Str message = STR("");
    bool late = false, works = compiles_c(arena, out, dir, &message, &late);
    /* a wrapper script may change what the compiler does: it is never bypassed */
    if (works && out->kind == CC_GCC && !is_script(out->path)) find_cc1(arena, out, dir);
    if (works) quick_link_find(arena, out, dir);
    if (works && foreign_target(out->target)) look_abroad(arena, out, dir);
    workdir_remove(dir);
    if (works) return true;
    if (run_interrupted()) return err_set(err, STATUS_NO, "interrupted");
    if (late) return err_set(err, STATUS_NO, "the time was over before %s had answered", name);
    return err_set(err, STATUS_BAD,
                   "%s is not a working C compiler: it does not compile one line of C%s" STR_FMT,
                   name, message.len ? ": " : "", STR_ARG(message));
}

bool compiler_open_with(Arena *arena, const char *name, const char *const *flags, Compiler *out,
                        Error *err) {
    for (; flags && *flags && !strstr(name, " --target="); flags++)
        if (strncmp(*flags, "--target=", 9) == 0) name = arena_fmt(arena, "%s %s", name, *flags);
    return compiler_open(arena, name, out, err);
}

bool compiler_open_any(Arena *arena, const char *const *names, Compiler *out, Error *err) {
    for (const char *const *name = names; *name; name++)
        if (compiler_open(arena, *name, out, err)) return true;
    return false; /* err is about the last name */
}

const char *compiler_reference(Arena *arena, Str compiler, Str target) {
    static const char *const names[] = TOOLCHAIN_NAMES;
    const char *triple = foreign_triple(arena, arena_cstr(arena, target));
    if (foreign_target(triple)) {
        const char *clang = arena_fmt(arena, TOOLCHAIN_CLANG " --target=%s", triple);
        bool other = file_find_program(arena, TOOLCHAIN_CLANG) && !str_is(compiler, clang);
        return other ? clang : NULL;
    }
    for (const char *const *name = names; *name; name++)
        if (!str_is(compiler, *name) && file_find_program(arena, *name)) return *name;
    return NULL;
}

/* ---- finding all ---- */
static bool is_numbered(const char *name) {
    const char *at = strncmp(name, "gcc-", 4) == 0     ? name + 4
                     : strncmp(name, "clang-", 6) == 0 ? name + 6
                                                       : "";
    if (!*at) return false;
    while (isdigit((unsigned char)*at) || *at == '.') at++;
    return !*at;
}

static int by_kind_and_version(const void *a, const void *b) {
    const Compiler *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->major != y->major) return x->major < y->major ? -1 : 1;
    int c = strcmp(x->version, y->version);
    return c ? c : strcmp(x->name, y->name);
}

static void add_found(Arena *arena, const char *name, CompilerVec *out) {
    Compiler cc;
    for (size_t i = 0; i < out->len; i++)
        if (strcmp(out->at[i].name, name) == 0) return;
    if (!compiler_open(arena, name, &cc, NULL)) return;
    CHECK(cc.version != NULL);
    for (size_t i = 0; i < out->len; i++)
        if (out->at[i].kind == cc.kind && strcmp(out->at[i].version, cc.version) == 0) return;
    vec_push(out, cc);
}

/* Calls `take` for every name along PATH. */
static void each_program(Arena *arena, void (*take)(Arena *, const char *, void *), void *user) {
    const char *path = getenv("PATH");
    Str rest = str_from(path ? path : "/usr/local/bin:/usr/bin:/bin"), part;
    while (str_split(&rest, ':', &part)) {
        DIR *dir = part.len ? opendir(arena_cstr(arena, part)) : NULL;
        struct dirent *entry;
        while (dir && (entry = readdir(dir)) != NULL) take(arena, entry->d_name, user);
        if (dir) closedir(dir);
    }
}

static void sort_found(CompilerVec *out) {
    if (out->len) qsort(out->at, out->len, sizeof *out->at, by_kind_and_version);
}

static void take_numbered(Arena *arena, const char *name, void *user) {
    if (is_numbered(name)) add_found(arena, name, user);
}

/* A name is only a hint: what counts is what the compiler says. */
static void add_foreign(Arena *arena, const char *name, const char *target, CompilerVec *out) {
    Compiler cc;
    for (size_t i = 0; i < out->len; i++)
        if (strcmp(out->at[i].name, name) == 0) return;
    if (!compiler_open(arena, name, &cc, NULL) || !cc.foreign) return;
    if (!target || foreign_same(cc.target, target)) vec_push(out, cc);
}

typedef struct ForeignSearch {
    const char *target; /* NULL: any */
    CompilerVec *out;
} ForeignSearch;

static void take_foreign(Arena *arena, const char *name, void *user) {
    ForeignSearch *s = user;
    const char *gcc = strstr(name, "-gcc-");
    Str arch = { s->target ? s->target : name, 0 };
    arch.len = strcspn(arch.at, "-");
    bool cross = gcc && strstr(name, "-linux-") && is_numbered(gcc + 1);
    if (cross && str_starts(str_from(name), arena_cstr(arena, arch)))
        add_foreign(arena, name, s->target, s->out);
    if (s->target && is_numbered(name) && strncmp(name, "clang", 5) == 0)
        add_foreign(arena, arena_fmt(arena, "%s --target=%s", name, s->target), s->target, s->out);
}

void compilers_find(Arena *arena, const char *target, CompilerVec *out) {
    ForeignSearch search = { foreign_triple(arena, target), out };
    if (foreign_target(target)) {
        each_program(arena, take_foreign, &search);
    } else {
        each_program(arena, take_numbered, out);
        add_found(arena, "gcc", out);
        add_found(arena, "clang", out);
    }
    sort_found(out);
}

const Compiler *compilers_newest(const CompilerVec *all, CcKind kind) {
    const Compiler *best = NULL;
    for (size_t i = 0; i < all->len; i++)
        if (all->at[i].kind == kind && (!best || all->at[i].major > best->major))
            best = &all->at[i];
    return best;
}

void compilers_find_foreign(Arena *arena, CompilerVec *out) {
    ForeignSearch search = { NULL, out };
    each_program(arena, take_foreign, &search);
    sort_found(out);
}
