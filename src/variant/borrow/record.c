/* Recording what borrowed functions compute; see borrow.h.
 *
 * One program calls all of them, and goes on after a trap, a crash or a hang of one of them. It is
 * built three times: by clang with traps for undefined behaviour and with the address sanitizer,
 * and by gcc and clang with locals filled with patterns and with zeros. A call counts when all
 * three agree, the first has nothing to say, and no flag of floating point was raised: compilers
 * that optimise compute constants without raising any, those that do not are the other two. */
#include "variant/borrow/borrow.h"

#include "base/file.h"
#include "base/toolchain.h"
#include "run/run.h"
#include "run/workdir.h"

enum { RECORD_BATCH = 60, BUILDS = 3 };

static const char harness[] =
    "#include <fenv.h>\n#include <setjmp.h>\n#include <signal.h>\n#include <stdio.h>\n#include "
    "<sys/time.h>\n"
    "static sigjmp_buf place;\nstatic volatile int bad;\n"
    "static char stack[1 << 16];\n"
    "static void caught(int sig) { siglongjmp(place, sig); }\n"
    "void __asan_on_error(void) { bad = 1; }\n"
    "static void limit(long us) {\n"
    "    struct itimerval t = { { 0, 0 }, { 0, us } };\n"
    "    setitimer(ITIMER_VIRTUAL, &t, 0);\n}\n"
    "static void prepare(void) {\n"
    "    static const int all[] = { SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGVTALRM "
    "};\n"
    "    stack_t s = { .ss_sp = stack, .ss_size = sizeof stack };\n"
    "    struct sigaction a = { .sa_handler = caught, .sa_flags = SA_ONSTACK | SA_NODEFER };\n"
    "    sigaltstack(&s, 0);\n"
    "    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) sigaction(all[i], &a, 0);\n}\n"
    "#define TRY(f, k, e) bad = 0; feclearexcept(FE_ALL_EXCEPT); "
    "if (!sigsetjmp(place, 1)) { limit(1000); "
    "unsigned long long r = (unsigned long long)(e); limit(0); "
    "if (fetestexcept(FE_ALL_EXCEPT)) bad = 1; "
    "printf(\"%d %d %d %llu\\n\", f, k, bad, r); } "
    "else { limit(0); printf(\"%d %d 1 0\\n\", f, k); }\n";

/* ---- inputs ---- */
static uint64_t any_input(Rng *rng, IType type) {
    uint64_t any = rng_next(rng) >> rng_below(rng, 64);
    switch (rng_below(rng, 6)) {
    case 0: any = rng_below(rng, 4); break;
    case 1: any = -rng_below(rng, 4); break;
    case 2: any = rng_chance(rng, 0.5) ? itype_min(type) : itype_max(type); break;
    case 3: any = rng_below(rng, 100); break;
    default: break;
    }
    return ival(type, (int64_t)any).bits;
}

static void draw_inputs(Borrowed *b, Rng *rng) {
    for (unsigned k = 0; k < BORROW_TRIALS; k++)
        for (unsigned i = 0; i < b->n; i++) b->in[k][i] = any_input(rng, b->params[i]);
}

/* ---- the program ---- */
static void write_function(const Borrowed *b, unsigned number, Buf *out) {
    for (size_t i = 0; i < b->text.len; i++)
        if (b->text.at[i] == BORROW_NAME)
            buf_fmt(out, "b%u_", number);
        else if (b->text.at[i] != BORROW_HEAD)
            buf_char(out, b->text.at[i]);
}

static void write_tries(const Borrowed *b, unsigned number, Buf *out) {
    buf_fmt(out, "static void run%u(void) {\n", number);
    for (unsigned k = 0; k < BORROW_TRIALS; k++) {
        buf_fmt(out, "    TRY(%u, %u, %sb%u_" STR_FMT "(", number, k, b->real ? "(long)" : "",
                number, STR_ARG(b->name));
        for (unsigned i = 0; i < b->n; i++) {
            if (i) buf_text(out, ", ");
            ival_print((IVal){ b->in[k][i], b->params[i] }, out);
        }
        buf_text(out, "))\n");
    }
    buf_text(out, "}\n");
}

static void write_program(const Borrowed *list, unsigned n, Buf *out) {
    buf_text(out, harness);
    for (unsigned i = 0; i < n; i++) write_function(&list[i], i, out);
    for (unsigned i = 0; i < n; i++) write_tries(&list[i], i, out);
    buf_text(out, "int main(void) {\n    prepare();\n");
    for (unsigned i = 0; i < n; i++) buf_fmt(out, "    run%u();\n", i);
    buf_text(out, "    return 0;\n}\n");
}

/* ---- running ---- */
static bool build(Arena *arena, const char *dir, unsigned which, Error *err) {
    static const char *const argv[BUILDS][16] = {
        { TOOLCHAIN_CLANG, "-w", "-O1", "-std=gnu17", "-fsanitize=undefined,address",
          "-fsanitize-trap=undefined", "-fsanitize-recover=address", "-fno-strict-aliasing", "-o",
          "record", "record.c", "-lm", NULL },
        { TOOLCHAIN_GCC, "-w", "-O0", "-std=gnu17", "-ftrivial-auto-var-init=pattern", "-o",
          "record", "record.c", "-lm", NULL },
        { TOOLCHAIN_CLANG, "-w", "-O0", "-std=gnu17", "-ftrivial-auto-var-init=zero", "-o",
          "record", "record.c", "-lm", NULL },
    };
    RunSpec spec = { .argv = argv[which], .dir = dir, .limits = { .wall_s = 120 } };
    RunResult r = run_one(arena, &spec);
    Str line = r.err;
    str_split(&r.err, '\n', &line);
    return run_ok(&r) ||
           err_set(err, STATUS_BAD, "%s does not compile borrowed functions: " STR_FMT,
                   argv[which][0], STR_ARG(line));
}

typedef struct Recorded {
    bool done, bad;
    uint64_t value;
} Recorded;

/* "function trial bad value" */
static void read_lines(Str text, unsigned n, Recorded *out) {
    Str line, word;
    while (str_split(&text, '\n', &line)) {
        uint64_t numbers[4];
        unsigned k = 0;
        while (k < 4 && str_split(&line, ' ', &word) && str_to_u64(word, &numbers[k])) k++;
        if (k < 4 || numbers[0] >= n || numbers[1] >= BORROW_TRIALS) continue;
        Recorded *r = &out[numbers[0] * BORROW_TRIALS + numbers[1]];
        *r = (Recorded){ true, numbers[2] != 0, numbers[3] };
    }
}

static bool run_build(Arena *arena, const char *dir, unsigned which, unsigned n, Recorded *out,
                      Error *err) {
    static const char *const argv[] = { "./record", NULL };
    static const char *const env[] = { "ASAN_OPTIONS=halt_on_error=0:handle_segv=0:handle_sigfpe=0:"
                                       "handle_sigill=0:handle_abort=0:handle_sigbus=0:"
                                       "detect_leaks=0:use_sigaltstack=0",
                                       NULL };
    if (!build(arena, dir, which, err)) return false;
    RunSpec spec = { .argv = argv,
                     .dir = dir,
                     .env = env,
                     .profile = RUN_GENERATED,
                     .limits = { .cpu_s = 60, .wall_s = 240, .memory = RUN_UNLIMITED } };
    RunResult r = run_one(arena, &spec);
    read_lines(r.out, n, out);
    return true;
}

/* Keeps the calls on which all builds agree. */
static void settle(Borrowed *b, const Recorded *all, unsigned n, unsigned number) {
    b->recorded = true;
    for (unsigned k = 0; k < BORROW_TRIALS; k++) {
        const Recorded *one = &all[number * BORROW_TRIALS + k];
        bool good = true;
        for (unsigned i = 0; i < BUILDS; i++) {
            const Recorded *r = one + (size_t)i * n * BORROW_TRIALS;
            good = good && r->done && !r->bad && r->value == one->value;
        }
        if (!good) continue;
        memmove(b->in[b->calls], b->in[k], sizeof b->in[k]);
        b->out[b->calls++] = ival(b->result, (int64_t)one->value).bits;
    }
}

static bool record_some(Borrowed *list, unsigned n, Error *err) {
    Arena arena = { 0 };
    Buf text = { 0 };
    char *dir = workdir_new(&arena, "borrow");
    Recorded *all = ARENA_ARRAY(&arena, Recorded, (size_t)BUILDS * n * BORROW_TRIALS);
    write_program(list, n, &text);
    bool ok = file_write(file_join(&arena, dir, "record.c"), buf_view(&text), err);
    for (unsigned i = 0; ok && i < BUILDS; i++)
        ok = run_build(&arena, dir, i, n, all + (size_t)i * n * BORROW_TRIALS, err);
    for (unsigned i = 0; ok && i < n; i++) settle(&list[i], all, n, i);
    buf_release(&text);
    workdir_remove(dir);
    arena_release(&arena);
    return ok;
}

/* One that does not compile alone (a name we did not foresee) must not take the others with it. */
static void record_halves(Borrowed *list, unsigned n, Error *err) {
    *err = (Error){ 0 };
    if (record_some(list, n, err) || n == 1 || err->status != STATUS_BAD) return;
    record_halves(list, n / 2, err);
    record_halves(list + n / 2, n - n / 2, err);
}

bool lender_record(Lender *lender, uint64_t seed, Error *err) {
    size_t from = 0, kept = 0;
    while (from < lender->list.len && lender->list.at[from].recorded) from++;
    for (size_t i = from; i < lender->list.len; i++) {
        Rng rng = rng_stream(seed, "borrow", i);
        draw_inputs(&lender->list.at[i], &rng);
    }
    for (size_t i = from; i < lender->list.len; i += RECORD_BATCH) {
        size_t left = lender->list.len - i;
        Error why;
        record_halves(lender->list.at + i, (unsigned)(left < RECORD_BATCH ? left : RECORD_BATCH),
                      &why);
        if (why.status == STATUS_LACKS) return *err = why, false;
    }
    for (size_t i = 0; i < lender->list.len; i++)
        if (lender->list.at[i].recorded && lender->list.at[i].calls >= 2)
            lender->list.at[kept++] = lender->list.at[i];
    lender->list.len = kept;
    return true;
}
