/* culprit-cc: a drop-in for cc that makes programs record what they do.
 *
 *     CC=culprit-cc ./configure && make CC=culprit-cc
 *
 * Each C file is compiled by clang-19 to bitcode without optimisation, instrumented here, and
 * compiled on to an object; everything else (preprocessing, assembly, linking, --version and so on)
 * is left to clang. The bitcode is saved under a name made from its content, because replay needs
 * it: in CULPRIT_MODULES, or below the cache directory.
 *
 * CULPRIT_PLAIN names the user's own compiler. It answers what configure and cmake ask, so that the
 * traced program is configured like the other one, and compiles what clang refuses: that file is
 * then not recorded. Where the wrapper stands in PATH under the compiler's own name, CULPRIT_PATH
 * is the PATH without it.
 *
 * Called by a name that ends with ++ it stands for the C++ compiler, which does all the work:
 * C++ is not recorded, but the program that is linked may hold C code that is.
 *
 * The wrapper runs inside other people's
 * builds, so the environment is its only channel, and its children share its input and output:
 * hence its own few lines of spawning. */
#include "base/base.h"
#include "base/file.h"
#include "base/homes.h"
#include "base/toolchain.h"
#include "change/direct.h"
#include "change/fit.h"
#include "wrap/cmdline.h"
#include "wrap/instrument.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef VEC(const char *) ArgList;

typedef struct Wrap {
    Arena arena;
    Cmdline cmd;
    char *runtime_dir; /* holds trace_inline.bc and libculprit-trace */
    char *modules_dir; /* where bitcode is saved */
    const char *plain; /* the user's own compiler, in words; NULL or empty: not known */
    char temp[160];    /* our own directory for intermediate files */
    unsigned temp_count;
} Wrap;

static const char *const old_code[] = { "-Wno-error=implicit-function-declaration",
                                        "-Wno-error=implicit-int",
                                        "-Wno-error=int-conversion",
                                        "-Wno-error=incompatible-function-pointer-types",
                                        "-Wno-error=return-type",
                                        "-Wno-unused-command-line-argument" };

/* ---- processes ---- */

static int spawn(ArgList *args, const char *errors) {
    vec_push(args, NULL);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (errors)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t pid;
    int failed = posix_spawnp(&pid, args->at[0], &actions, NULL, (char *const *)args->at, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        fprintf(stderr, "culprit-cc: %s: %s (Debian: " TOOLCHAIN_CLANG ")\n", args->at[0],
                strerror(failed));
        return STATUS_LACKS;
    }
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return STATUS_BAD;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void show_file(Wrap *w, const char *path) {
    Str text;
    if (file_read(&w->arena, path, &text, NULL)) fwrite(text.at, 1, text.len, stderr);
}

static char *temp_path(Wrap *w, const char *suffix) {
    return arena_fmt(&w->arena, "%s/%u%s", w->temp, w->temp_count++, suffix);
}

/* ---- compiling ---- */

static void add_kind(const Cmdline *cmd, ArgList *args, ArgKind a, ArgKind b) {
    for (size_t i = 0; i < cmd->args.len; i++) {
        const Arg *arg = &cmd->args.at[i];
        if (arg->kind == a || arg->kind == b) vec_push(args, arg->text);
    }
}

/* Dependency files must name the object, not our bitcode. */
static void add_dependencies(Wrap *w, ArgList *args, const char *object) {
    if (!w->cmd.dependencies) return;
    if (!w->cmd.has_depfile) {
        const char *slash = strrchr(object, '/');
        const char *name = cmdline_replace_suffix(&w->arena, object, ".d");
        vec_push(args, "-MF");
        vec_push(args, slash ? arena_fmt(&w->arena, "%.*s/%s", (int)(slash - object), object, name)
                             : name);
    }
    if (!w->cmd.has_target) {
        vec_push(args, "-MT");
        vec_push(args, object);
    }
}

/* CULPRIT_ONLY names the one source that is recorded; in most builds it is not set or empty. */
static bool is_traced(const Arg *source) {
    const char *only = getenv("CULPRIT_ONLY");
    return !only || !*only || strcmp(file_name(source->text), file_name(only)) == 0;
}

/* A source by which configure or CMake finds out what the compiler accepts: its errors are
 * intended. For all others -Werror was meant for the user's own compiler, whose warnings are not
 * clang's. */
static bool is_probe(const Arg *source) {
    return strcmp(source->text, "-") == 0 ||
           str_starts(str_from(file_name(source->text)), "conftest") ||
           strstr(source->text, "CMakeFiles/") != NULL;
}

/* ---- the user's own compiler ---- */

static bool has_plain(const Wrap *w) {
    return w->plain && *w->plain;
}

/* Its words, then none of ours: from here on nothing finds the wrapper in PATH. */
static void begin_plain(Wrap *w, ArgList *args) {
    const char *path = getenv("CULPRIT_PATH");
    if (path && *path) setenv("PATH", path, 1);
    Str rest = str_from(w->plain), word;
    while (str_split(&rest, ' ', &word))
        if (word.len) vec_push(args, arena_cstr(&w->arena, word));
}

/* Every source of the command is a question of configure or CMake. */
static bool only_asks(const Cmdline *cmd) {
    char here[4096];
    for (size_t i = 0; i < cmd->args.len; i++)
        if (cmd->args.at[i].kind == ARG_SOURCE && !is_probe(&cmd->args.at[i])) {
            if (!getcwd(here, sizeof here) || !strstr(here, "/CMakeFiles/")) return false;
        }
    return cmd->sources > 0;
}

/* The same command, word for word. */
static int run_plain(Wrap *w, int argc, char **argv) {
    ArgList args = { 0 };
    begin_plain(w, &args);
    for (int i = 1; i < argc; i++) vec_push(&args, argv[i]);
    int status = spawn(&args, NULL);
    vec_release(&args);
    return status;
}

/* One source that clang refuses; false: so does the user's own compiler. */
static bool compile_plain(Wrap *w, const Arg *source, const char *named, const char *object) {
    char *before = arena_strdup(&w->arena, getenv("PATH") ? getenv("PATH") : "");
    ArgList args = { 0 };
    begin_plain(w, &args);
    add_kind(&w->cmd, &args, ARG_BOTH, ARG_COMPILE);
    add_dependencies(w, &args, named);
    vec_push(&args, "-c");
    if (source->language) {
        vec_push(&args, "-x");
        vec_push(&args, source->language);
    }
    vec_push(&args, source->text);
    vec_push(&args, "-o");
    vec_push(&args, object);
    int status = spawn(&args, temp_path(w, ".err"));
    vec_release(&args);
    setenv("PATH", before, 1);
    return status == 0;
}

/* ---- compiling, with records ---- */

/* Compiles to bitcode, or straight to an object if the source is not traced. */
static int run_front(Wrap *w, const Arg *source, const char *object, const char *out, bool old,
                     const char *errors) {
    ArgList args = { 0 };
    vec_push(&args, TOOLCHAIN_CLANG);
    for (size_t i = 0; i < COUNT_OF(old_code); i++) vec_push(&args, old_code[i]);
    add_kind(&w->cmd, &args, ARG_BOTH, ARG_COMPILE);
    if (!is_probe(source)) {
        vec_push(&args, "-Wno-error");
        vec_push(&args, "-Wno-unknown-warning-option");
    }
    if (old) vec_push(&args, "-std=gnu89");
    static const char *const always[] = { "-O0", "-U_FORTIFY_SOURCE", "-fno-lto", "-c" };
    static const char *const traced[] = { "-g", "-fno-discard-value-names", "-Xclang",
                                          "-disable-O0-optnone", "-emit-llvm" };
    for (size_t i = 0; i < COUNT_OF(always); i++) vec_push(&args, always[i]);
    for (size_t i = 0; is_traced(source) && i < COUNT_OF(traced); i++) vec_push(&args, traced[i]);
    if (!is_traced(source)) vec_push(&args, "-g0");
    add_dependencies(w, &args, object);
    if (source->language) {
        vec_push(&args, "-x");
        vec_push(&args, source->language);
    }
    vec_push(&args, source->text);
    vec_push(&args, "-o");
    vec_push(&args, out);
    int status = spawn(&args, errors);
    vec_release(&args);
    return status;
}

/* Appends a record to a list beside the bitcode: words that end with NUL, an empty one at the end;
 * one write, so that compilers that run at once do not mix theirs. Without the lists explain only
 * has to build more: nobody is told that one could not be written. */
static void note(Wrap *w, const char *list, const ArgList *words) {
    Buf text = { 0 };
    for (size_t i = 0; i < words->len; i++)
        if (words->at[i][0]) buf_add(&text, words->at[i], strlen(words->at[i]) + 1);
    buf_char(&text, 0);
    int fd = open(file_join(&w->arena, w->modules_dir, list),
                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd >= 0 && write(fd, text.at, text.len) < 0) fd = (close(fd), -1);
    if (fd >= 0) close(fd);
    buf_release(&text);
}

/* Where the wrapper runs; NULL: nothing is to be noted. */
static const char *noted_dir(Wrap *w) {
    char here[4096];
    const char *kept = getenv("CULPRIT_MODULES");
    return kept && *kept && getcwd(here, sizeof here) ? arena_strdup(&w->arena, here) : NULL;
}

/* A source that was compiled: for the parser (change/fit.h), and for builds without the user's
 * makefiles (change/direct.h). */
static void note_unit(Wrap *w, const Arg *source, const char *object, bool old) {
    const char *here = noted_dir(w);
    if (!here || is_probe(source)) return;
    ArgList words = { 0 }, command = { 0 };
    vec_push(&words, here);
    vec_push(&words, source->text);
    add_kind(&w->cmd, &words, ARG_BOTH, ARG_COMPILE);
    if (old) vec_push(&words, "-std=gnu89");
    note(w, FIT_LIST, &words);
    vec_push(&command, DIRECT_COMPILE);
    vec_push(&command, here);
    vec_push(&command, w->cmd.mode == CMD_LINK ? DIRECT_NO_OBJECT : object);
    for (size_t i = 1; i < words.len; i++) vec_push(&command, words.at[i]);
    note(w, DIRECT_LIST, &command);
    vec_release(&words);
    vec_release(&command);
}

/* Sources that culprit-cc does not compile itself are marked: no build without the user's own can
 * know what becomes of them. */
static void note_foreign(Wrap *w, const Arg *source) {
    const char *here = noted_dir(w);
    if (!here || is_probe(source)) return;
    ArgList words = { 0 };
    vec_push(&words, DIRECT_FOREIGN);
    vec_push(&words, here);
    vec_push(&words, source->text);
    note(w, DIRECT_LIST, &words);
    vec_release(&words);
}

static void note_link(Wrap *w) {
    const char *here = noted_dir(w);
    bool asks = false;
    ArgList words = { 0 };
    vec_push(&words, DIRECT_LINK);
    vec_push(&words, here ? here : "-");
    vec_push(&words, w->cmd.output ? w->cmd.output : "a.out");
    for (size_t i = 0; i < w->cmd.args.len; i++) {
        const Arg *arg = &w->cmd.args.at[i];
        if (arg->kind == ARG_BOTH || arg->kind == ARG_LINK) vec_push(&words, arg->text);
        if (arg->kind != ARG_SOURCE && arg->kind != ARG_FOREIGN) continue;
        asks |= is_probe(arg);
        vec_push(&words, arena_fmt(&w->arena, DIRECT_SOURCE "%s", arg->text));
    }
    if (here && !asks) note(w, DIRECT_LIST, &words);
    vec_release(&words);
}

/* Tries the code as it is, then as gnu89: the user's own older compiler may have accepted that.
 * What clang says goes to errors. */
static int front(Wrap *w, const Arg *source, const char *object, const char *out, char *errors) {
    int status = run_front(w, source, object, out, false, errors);
    bool may_retry = status == 1 && !w->cmd.has_std && !is_probe(source);
    if (may_retry) {
        char *again = temp_path(w, ".err");
        if (run_front(w, source, object, out, true, again) == 0) {
            note_unit(w, source, object, true);
            show_file(w, again);
            return 0;
        }
    }
    if (status == 0) note_unit(w, source, object, false), show_file(w, errors);
    return status;
}

/* Optimising the instrumented code of a very large file (SQLite in one piece: 43 s at -O1, 7 s at
 * -O0, 3 s with the fast paths outside) costs more than it saves in the run. */
enum { LARGE_BITCODE = 1 << 20 };

/* CULPRIT_QUICK: the program will run briefly, and no file is worth optimising. */
static bool is_quick(void) {
    const char *quick = getenv("CULPRIT_QUICK");
    return quick && *quick;
}

static bool is_large(const char *bitcode) {
    struct stat st;
    return stat(bitcode, &st) == 0 && st.st_size > LARGE_BITCODE;
}

/* Compiles instrumented bitcode to an object, with the user's own choices for code generation. */
static int back(Wrap *w, const char *bitcode, const char *level, const char *object) {
    ArgList args = { 0 };
    vec_push(&args, TOOLCHAIN_CLANG);
    for (size_t i = 0; i < w->cmd.args.len; i++) {
        const char *text = w->cmd.args.at[i].text;
        if (w->cmd.args.at[i].kind != ARG_BOTH) continue;
        if (strncmp(text, "-f", 2) == 0 || strncmp(text, "-m", 2) == 0) vec_push(&args, text);
    }
    static const char *const ours[] = {
        "-w", "-fno-lto", "-fno-strict-aliasing", "-c", "-x", "ir"
    };
    for (size_t i = 0; i < COUNT_OF(ours); i++) vec_push(&args, ours[i]);
    vec_push(&args, level);
    vec_push(&args, bitcode);
    vec_push(&args, "-o");
    vec_push(&args, object);
    int status = spawn(&args, NULL);
    vec_release(&args);
    return status;
}

/* named: the object the user knows; object: where it goes now. */
static int compile(Wrap *w, const Arg *source, const char *named, const char *object) {
    char *plain = temp_path(w, ".bc"), *traced = temp_path(w, ".bc");
    char *errors = temp_path(w, ".err");
    int status = front(w, source, named, is_traced(source) ? plain : object, errors);
    if (status != 0) {
        if (has_plain(w) && compile_plain(w, source, named, object)) {
            note_foreign(w, source);
            return 0;
        }
        show_file(w, errors);
        return status;
    }
    if (!is_traced(source)) return 0;
    bool plainly = is_quick() || is_large(plain);
    InstrumentJob job = { plain, file_join(&w->arena, w->runtime_dir, "trace_inline.bc"),
                          w->modules_dir, traced, !plainly };
    Error err = { 0 };
    if (!instrument(&job, &err)) {
        fprintf(stderr, "culprit-cc: %s: %s\n", source->text, err.text);
        return err.status;
    }
    return back(w, traced, plainly ? "-O0" : "-O1", object);
}

static void add_foreign(ArgList *args, const Arg *source) {
    if (source->language) {
        vec_push(args, "-x");
        vec_push(args, source->language);
    }
    vec_push(args, source->text);
    if (source->language) {
        vec_push(args, "-x");
        vec_push(args, "none");
    }
}

static int compile_foreign(Wrap *w, const Arg *source, const char *object) {
    ArgList args = { 0 };
    vec_push(&args, TOOLCHAIN_CLANG);
    add_kind(&w->cmd, &args, ARG_BOTH, ARG_COMPILE);
    vec_push(&args, "-c");
    add_foreign(&args, source);
    vec_push(&args, "-o");
    vec_push(&args, object);
    int status = spawn(&args, NULL);
    vec_release(&args);
    return status;
}

static int compile_all(Wrap *w) {
    int worst = 0;
    for (size_t i = 0; i < w->cmd.args.len; i++) {
        const Arg *arg = &w->cmd.args.at[i];
        if (arg->kind != ARG_SOURCE && arg->kind != ARG_FOREIGN) continue;
        const char *object =
            w->cmd.output ? w->cmd.output : cmdline_replace_suffix(&w->arena, arg->text, ".o");
        int status = arg->kind == ARG_SOURCE ? compile(w, arg, object, object)
                                             : compile_foreign(w, arg, object);
        if (status > worst) worst = status;
    }
    return worst;
}

/* ---- linking ---- */

static void add_runtime(Wrap *w, ArgList *args) {
    if (w->cmd.plain_link) return;
    if (w->cmd.static_link) {
        vec_push(args, file_join(&w->arena, w->runtime_dir, "libculprit-trace.a"));
        vec_push(args, "-lpthread");
        return;
    }
    vec_push(args, arena_fmt(&w->arena, "-L%s", w->runtime_dir));
    vec_push(args, arena_fmt(&w->arena, "-Wl,-rpath,%s", w->runtime_dir));
    vec_push(args, "-Wl,--push-state,--no-as-needed,-lculprit-trace,--pop-state");
}

static int link_all(Wrap *w) {
    ArgList args = { 0 };
    vec_push(&args, TOOLCHAIN_CLANG);
    vec_push(&args, "-Wno-unused-command-line-argument");
    int status = 0;
    for (size_t i = 0; i < w->cmd.args.len && status == 0; i++) {
        const Arg *arg = &w->cmd.args.at[i];
        if (arg->kind == ARG_BOTH || arg->kind == ARG_LINK) vec_push(&args, arg->text);
        if (arg->kind == ARG_FOREIGN) add_foreign(&args, arg);
        if (arg->kind != ARG_SOURCE) continue;
        char *object = temp_path(w, ".o");
        const char *named =
            w->cmd.output ? w->cmd.output : cmdline_replace_suffix(&w->arena, arg->text, ".o");
        status = compile(w, arg, named, object);
        vec_push(&args, object);
    }
    if (w->cmd.output) {
        vec_push(&args, "-o");
        vec_push(&args, w->cmd.output);
    }
    add_runtime(w, &args);
    if (status == 0) status = spawn(&args, NULL);
    if (status == 0) note_link(w);
    vec_release(&args);
    return status;
}

/* ---- C++ ---- */

/* Whether configure or CMake asks. */
static bool is_question(const Cmdline *cmd) {
    char here[4096];
    for (size_t i = 0; i < cmd->args.len; i++) {
        const Arg *arg = &cmd->args.at[i];
        bool source = arg->kind == ARG_SOURCE || arg->kind == ARG_FOREIGN;
        if (source && is_probe(arg)) return true;
    }
    return !getcwd(here, sizeof here) || strstr(here, "/CMakeFiles/") != NULL;
}

/* The C++ compiler's own command; a program that is linked gets the recorder of its C code. */
static int run_plus(Wrap *w, int argc, char **argv) {
    ArgList args = { 0 };
    bool link = w->cmd.mode == CMD_LINK;
    begin_plain(w, &args);
    for (int i = 1; i < argc; i++) vec_push(&args, argv[i]);
    for (size_t i = 0; i < w->cmd.args.len; i++) {
        const Arg *arg = &w->cmd.args.at[i];
        if (arg->kind == ARG_SOURCE || arg->kind == ARG_FOREIGN) note_foreign(w, arg);
    }
    if (link) note_foreign(w, &(Arg){ .text = w->cmd.output ? w->cmd.output : "a.out" });
    if (link) add_runtime(w, &args);
    int status = spawn(&args, NULL);
    vec_release(&args);
    return status;
}

/* Passes everything that is not ours to instrument to clang, word for word. */
static int hand_on(int argc, char **argv) {
    ArgList args = { 0 };
    vec_push(&args, TOOLCHAIN_CLANG);
    for (size_t i = 0; i < COUNT_OF(old_code); i++) vec_push(&args, old_code[i]);
    for (int i = 1; i < argc; i++) vec_push(&args, argv[i]);
    vec_push(&args, NULL);
    execvp(TOOLCHAIN_CLANG, (char *const *)args.at);
    fprintf(stderr, "culprit-cc: " TOOLCHAIN_CLANG ": %s (Debian has a package of that name)\n",
            strerror(errno));
    return STATUS_LACKS;
}

/* ---- places ---- */

static bool find_runtime(Wrap *w, Error *err) {
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return err_errno(err, "/proc/self/exe");
    self[n] = 0;
    const char *slash = strrchr(self, '/');
    Str dir = { self, (size_t)(slash - self) };
    /* where it was built, where an installation was moved to, where it was installed */
    char *beside = arena_fmt(&w->arena, STR_FMT "/runtime", STR_ARG(dir));
    char *moved = arena_fmt(&w->arena, STR_FMT "/../libexec/culprit", STR_ARG(dir));
    const char *const places[] = { beside, moved, CULPRIT_LIBEXEC };
    for (size_t i = 0; i < COUNT_OF(places); i++) {
        if (!file_exists(file_join(&w->arena, places[i], "trace_inline.bc"))) continue;
        w->runtime_dir = arena_strdup(&w->arena, places[i]);
        return true;
    }
    return err_set(err, STATUS_LACKS, "the trace runtime is neither in %s nor in %s", beside,
                   CULPRIT_LIBEXEC);
}

static bool find_places(Wrap *w, Error *err) {
    if (!find_runtime(w, err)) return false;
    const char *modules = getenv("CULPRIT_MODULES");
    if (!modules || !*modules) {
        const char *cache = home_of(&w->arena, HOME_CACHE, err);
        if (!cache) return false;
        modules = file_join(&w->arena, cache, "modules");
    }
    w->modules_dir = arena_strdup(&w->arena, modules);
    if (w->modules_dir[0] != '/')
        return err_set(err, STATUS_BAD, "%s: must be an absolute path", w->modules_dir);
    const char *tmp = getenv("TMPDIR");
    if (!tmp || !*tmp || strlen(tmp) > sizeof w->temp - 24) tmp = "/tmp";
    snprintf(w->temp, sizeof w->temp, "%s/culprit-cc.XXXXXX", tmp);
    if (!mkdtemp(w->temp)) return err_errno(err, "%s", w->temp);
    return true;
}

static void release(Wrap *w) {
    vec_release(&w->cmd.args);
    arena_release(&w->arena);
}

int main(int argc, char **argv) {
    Wrap w = { .plain = getenv("CULPRIT_PLAIN") };
    Error err = { 0 };
    bool plus = str_ends(str_from(argv[0]), "++");
    if (plus) w.plain = getenv("CULPRIT_PLAIN_CXX") ? getenv("CULPRIT_PLAIN_CXX") : "c++";
    if (!cmdline_parse(&w.arena, argc - 1, argv + 1, &w.cmd, &err)) {
        fprintf(stderr, "culprit-cc: %s\n", err.text);
        return err.status;
    }
    bool asks = w.cmd.mode == CMD_OTHER || (plus ? is_question(&w.cmd) : only_asks(&w.cmd));
    if (has_plain(&w) && asks) {
        int asked = run_plain(&w, argc, argv);
        release(&w);
        return asked;
    }
    bool ours =
        plus || (w.cmd.mode != CMD_OTHER && !(w.cmd.mode == CMD_COMPILE && w.cmd.sources == 0));
    if (!ours) return hand_on(argc, argv);
    if (!find_places(&w, &err)) {
        fprintf(stderr, "culprit-cc: %s\n", err.text);
        return err.status;
    }
    int status = plus                        ? run_plus(&w, argc, argv)
                 : w.cmd.mode == CMD_COMPILE ? compile_all(&w)
                                             : link_all(&w);
    file_remove_tree(w.temp);
    release(&w);
    return status;
}
