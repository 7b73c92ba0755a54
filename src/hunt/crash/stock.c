/* Reading `--help=CLASS` of GCC: an option comes first on its line, its values in brackets
 * (`-fvect-cost-model=[unlimited|dynamic|cheap]`), -march's in a list of their own. */
#include "hunt/crash/stock.h"

#include "run/run.h"

#define STOCK_MOST 6          /* flags besides the level, at most */
#define STOCK_MACHINE 0.35    /* a set names a processor */
#define STOCK_CHECKED 0.3     /* a set has the compiler check itself */
#define STOCK_PARAM_HIGH 2000 /* limits are not drawn above this: compilations would not end */

/* Left out of the lists: what writes files, needs other files, a library or another front end, or
 * makes the compiler say "sorry" at once. */
static const char *const left_out[] = {
    "-fdump",
    "-fplugin",
    "-flto",
    "-fwpa",
    "-fltrans",
    "-fprofile-use",
    "-fauto-profile",
    "-fbranch-prob",
    "-fpreprocessed",
    "-fsyntax",
    "-fcallgraph",
    "-fopt-info",
    "-fuse-",
    "-fmodules",
    "-m32",
    "-mx32",
    "-m16",
    "-miamcu",
    "-mmusl",
    "-mbionic",
    "-muclibc",
    "-mglibc",
    "-mandroid",
    "-mabi",
    "-mno-sse",
    "-mgeneral",
    "-mdump",
    "-mcustom",
    "-mstringop-strategy",
    "-mtune-ctrl",
    "-mmemcpy",
    "-mmemset",
    "-mrecord",
    "-mfentry",
    "-mnop",
    "-mveclibabi",
    "-msoft",
    "-m80387",
    "-mno-80387",
    "-mstack-protector-guard",
    "-moffload",
    "-mlarge-data",
    "-fdiagnostics",
    "-fworking",
    "-mforce-indirect-call",
};

/* Besides optimisation: instrumentation, hardening and debug information each go through code of
 * their own. */
static const char *const gcc_extras[] = {
    "-fsanitize=undefined",
    "-fsanitize=address",
    "-fsanitize=thread",
    "-fsanitize=address,undefined",
    "-fsanitize=float-divide-by-zero,float-cast-overflow",
    "-fsanitize=bounds-strict,object-size",
    "-fsanitize=undefined -fsanitize-trap=all",
    "-fsanitize-coverage=trace-pc,trace-cmp",
    "-fprofile-generate",
    "-fprofile-arcs -ftest-coverage",
    "-fprofile-arcs -fcondition-coverage",
    "-fprofile-arcs -fpath-coverage",
    "-fprofile-update=atomic -fprofile-generate",
    "-ftrapv",
    "-fwrapv",
    "-fnon-call-exceptions",
    "-fexceptions -fnon-call-exceptions -fdelete-dead-exceptions",
    "-fstack-check",
    "-fstack-clash-protection",
    "-fstack-protector-all",
    "-fsplit-stack",
    "-finstrument-functions",
    "-finstrument-functions-once",
    "-fopenmp",
    "-fopenmp-simd",
    "-fopenacc",
    "-fgnu-tm",
    "-ftrivial-auto-var-init=pattern",
    "-ftrivial-auto-var-init=zero",
    "-fzero-call-used-regs=all",
    "-fzero-call-used-regs=leafy",
    "-fharden-compares -fharden-conditional-branches",
    "-fharden-control-flow-redundancy",
    "-fhardcfr-check-exceptions -fharden-control-flow-redundancy",
    "-fstrub=all",
    "-fstrub=at-calls",
    "-fPIC",
    "-fpie",
    "-mcmodel=large",
    "-g",
    "-g3 -gdwarf-5",
    "-g -fvar-tracking-assignments-toggle",
    "-g -gvariable-location-views",
    "-fcf-protection=full",
    "-frounding-math -fsignaling-nans",
    "-ffast-math",
    "-fshort-enums -fpack-struct=2",
    "-fno-signed-zeros -fno-trapping-math",
    "-fcompare-debug",
    "-fanalyzer",
    "-fcallgraph-info",
    "-mapxf",
    "-mno-red-zone",
    "-mavx10.2",
    "-std=gnu89",
    "-std=gnu2y",
    "-funsigned-char",
    "-fkeep-static-functions -fkeep-inline-functions",
};

static const char *const clang_extras[] = {
    "-fsanitize=undefined",
    "-fsanitize=address",
    "-fsanitize=thread",
    "-fsanitize=memory",
    "-fsanitize=integer,bounds,implicit-conversion -fsanitize-trap=all",
    "-fsanitize=undefined -fsanitize-trap=all",
    "-fprofile-instr-generate -fcoverage-mapping",
    "-fprofile-generate",
    "-ftrapv",
    "-fwrapv",
    "-fstack-clash-protection",
    "-fstack-protector-all",
    "-finstrument-functions",
    "-fopenmp",
    "-ftrivial-auto-var-init=pattern",
    "-fzero-call-used-regs=all",
    "-fPIC",
    "-mcmodel=large",
    "-g",
    "-g -gdwarf-5 -fdebug-macro",
    "-fcf-protection=full",
    "-ffp-model=strict",
    "-ffast-math",
    "-fno-delete-null-pointer-checks",
    "-fsplit-machine-functions",
    "-fglobal-isel",
    "-mapxf",
    "-mavx10.2-512",
    "-mretpoline",
    "-mspeculative-load-hardening",
    "-mlvi-hardening",
};
static const char *const clang_machines[] = { "-march=x86-64-v2",     "-march=x86-64-v3",
                                              "-march=x86-64-v4",     "-march=sapphirerapids",
                                              "-march=diamondrapids", "-march=znver5",
                                              "-march=grandridge",    "-march=knl" };

/* ---- reading ---- */
static bool is_left_out(Str option) {
    for (size_t i = 0; i < COUNT_OF(left_out); i++)
        if (str_starts(option, left_out[i])) return true;
    return false;
}

/* "-fx=[a|b]" becomes "-fx=a", "-fx=b". */
static void add_values(Arena *arena, Str option, StrVec *out) {
    size_t open = str_find(option, STR("["), 0), close = str_find(option, STR("]"), 0);
    if (open == STR_NONE || close == STR_NONE || close < open) return;
    Str values = str_sub(option, open + 1, close), value;
    while (str_split(&values, '|', &value))
        vec_push(out, str_from(arena_fmt(arena, STR_FMT STR_FMT, STR_ARG(str_sub(option, 0, open)),
                                         STR_ARG(value))));
}

static Str first_word(Str line) {
    size_t n = 0;
    while (n < line.len && line.at[n] != ' ' && line.at[n] != '\t') n++;
    return str_sub(line, 0, n);
}

static RunResult ask_list(Arena *arena, const Compiler *cc, const char *list) {
    const char *const argv[] = { cc->path, cc->kind == CC_CC1 ? list : "-Q", list, NULL };
    RunSpec spec = { .argv = argv, .env = cc_env, .limits = { .wall_s = 60, .output = 4 << 20 } };
    return run_one(arena, &spec);
}

static void read_list(Arena *arena, const Compiler *cc, const char *list, char letter,
                      StrVec *out) {
    RunResult r = ask_list(arena, cc, list);
    Str rest = r.out, line;
    while (run_ok(&r) && str_split(&rest, '\n', &line)) {
        Str option = first_word(str_trim(line));
        if (option.len < 4 || option.at[0] != '-' || option.at[1] != letter) continue;
        if (is_left_out(option) || str_starts(option, "-march=")) continue;
        if (str_find(option, STR("="), 0) != STR_NONE)
            add_values(arena, option, out);
        else
            vec_push(out, arena_str(arena, option));
    }
}

/* "  Known valid arguments for -march= option:" and a line of names below it. */
static void read_machines(Arena *arena, const Compiler *cc, StrVec *out) {
    RunResult r = ask_list(arena, cc, "--help=target");
    size_t at = str_find(r.out, STR("arguments for -march= option:"), 0);
    if (!run_ok(&r) || at == STR_NONE) return;
    Str rest = str_sub(r.out, at, r.out.len), line, name;
    str_split(&rest, '\n', &line);
    if (!str_split(&rest, '\n', &line)) return;
    line = str_trim(line);
    while (str_split(&line, ' ', &name))
        if (name.len) vec_push(out, str_from(arena_fmt(arena, "-march=" STR_FMT, STR_ARG(name))));
}

void stock_fill(Arena *arena, const Compiler *cc, OptionStock *out) {
    Error err;
    *out = (OptionStock){ 0 };
    if (cc->kind == CC_CLANG && !cc->foreign)
        for (size_t i = 0; i < COUNT_OF(clang_machines); i++)
            vec_push(&out->machines, str_from(clang_machines[i]));
    if (cc->kind != CC_GCC && cc->kind != CC_CC1) return;
    read_list(arena, cc, "--help=optimizers", 'f', &out->optimizers);
    read_list(arena, cc, "--help=target", 'm', &out->target);
    read_machines(arena, cc, &out->machines);
    compiler_params(arena, cc, &out->params, &err);
}

void stock_release(OptionStock *stock) {
    vec_release(&stock->optimizers);
    vec_release(&stock->target);
    vec_release(&stock->machines);
    vec_release(&stock->params);
}

/* ---- drawing ---- */
typedef VEC(const char *) StockWords;

static Str draw_of(const StrVec *list, Rng *rng) {
    return list->len ? list->at[rng_below(rng, list->len)] : STR("");
}

/* On or off. */
static void add_switch(Arena *arena, Str option, Rng *rng, StockWords *words) {
    if (!option.len) return;
    bool plain = str_find(option, STR("="), 0) != STR_NONE || rng_chance(rng, 0.5);
    vec_push(words, plain ? option.at
                          : arena_fmt(arena, "-%cno-" STR_FMT, option.at[1],
                                      STR_ARG(str_sub(option, 2, option.len))));
}

static void add_param(Arena *arena, const OptionStock *stock, Rng *rng, StockWords *words) {
    if (!stock->params.len) return;
    const CcParam *p = &stock->params.at[rng_below(rng, stock->params.len)];
    int64_t high = p->high > STOCK_PARAM_HIGH ? STOCK_PARAM_HIGH : p->high;
    if (high < p->low) return;
    int64_t values[] = { p->low, p->low + (high > p->low), high, rng_between(rng, p->low, high) };
    vec_push(words, arena_fmt(arena, "--param=%s=%lld", p->name,
                              (long long)values[rng_below(rng, COUNT_OF(values))]));
}

static void add_extra(Arena *arena, const Compiler *cc, Rng *rng, StockWords *words) {
    const char *extra = cc->kind == CC_CLANG ? clang_extras[rng_below(rng, COUNT_OF(clang_extras))]
                                             : gcc_extras[rng_below(rng, COUNT_OF(gcc_extras))];
    for (const char *const *word = flags_split(arena, str_from(extra)); *word; word++)
        vec_push(words, *word);
}

static void add_any(Arena *arena, const Compiler *cc, const OptionStock *stock, Rng *rng,
                    StockWords *words) {
    const double weights[] = { stock->optimizers.len ? 5 : 0, stock->params.len ? 2 : 0,
                               stock->target.len ? 1.5 : 0, 3 };
    switch (rng_weighted(rng, weights, COUNT_OF(weights))) {
    case 0: add_switch(arena, draw_of(&stock->optimizers, rng), rng, words); break;
    case 1: add_param(arena, stock, rng, words); break;
    case 2: add_switch(arena, draw_of(&stock->target, rng), rng, words); break;
    default: add_extra(arena, cc, rng, words);
    }
}

const char *const *stock_draw(Arena *arena, const Compiler *cc, const OptionStock *stock,
                              Rng *rng) {
    static const char *const levels[] = { "-O0", "-O1", "-O2", "-O2", "-O3", "-O3", "-Os", "-Og" };
    StockWords words = { 0 };
    vec_push(&words, levels[rng_below(rng, COUNT_OF(levels))]);
    for (uint64_t n = rng_below(rng, STOCK_MOST + 1); n > 0; n--)
        add_any(arena, cc, stock, rng, &words);
    if (stock->machines.len && rng_chance(rng, STOCK_MACHINE))
        vec_push(&words, draw_of(&stock->machines, rng).at);
    if (!cc->checking && cc->kind == CC_GCC && rng_chance(rng, STOCK_CHECKED))
        vec_push(&words, "-fchecking=2");
    for (const char *const *quiet = cc_tolerant(cc->kind); *quiet; quiet++)
        vec_push(&words, *quiet);
    vec_push(&words, NULL);
    const char **flags = arena_copy(arena, words.at, words.len * sizeof *words.at);
    vec_release(&words);
    return flags;
}
