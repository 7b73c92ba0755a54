/* What can be switched off in GCC. The compiler lists its flags and passes itself; this file lists
 * only what must not be touched: flags that change what programs mean, and passes without which no
 * code comes out. */
#include "cc/passes.h"

#include "base/file.h"
#include "run/run.h"
#include "run/workdir.h"

/* Flags that, switched off, change the language or the ABI, or have nothing to do with
 * optimisation. */
static const char *const not_optimisation[] = {
    "-fno-",
    "-fmath-errno",
    "-fsigned-zeros",
    "-ftrapping-math",
    "-fasynchronous-unwind-tables",
    "-funwind-tables",
    "-fexceptions",
    "-fstack-protector",
    "-fstack-clash",
    "-fplt",
    "-fpie",
    "-fpic",
    "-fPIE",
    "-fPIC",
    "-fcommon",
    "-flto",
    "-fwrapv",
    "-ftrapv",
    "-fshort-enums",
    "-fsplit-stack",
    "-fsso-struct",
    "-fleading-underscore",
    "-fallow-store-data-races",
    "-fwhole-program",
    "-fprofile",
    "-fbranch-probabilities",
};

/* Passes of GCC 11 and 12 that only optimise: the name without its trailing number. */
static const char *const optional_passes[] = {
    /* ipa */
    "ipa-icf",
    "ipa-cp",
    "ipa-inline",
    "ipa-sra",
    "ipa-pure-const",
    "ipa-modref",
    "ipa-reference",
    "ipa-devirt",
    "ipa-pta",
    "ipa-cdtor",
    "ipa-static-var",
    "ipa-profile_estimate",
    /* tree */
    "tree-ccp",
    "tree-forwprop",
    "tree-vrp",
    "tree-evrp",
    "tree-fre",
    "tree-pre",
    "tree-dce",
    "tree-cddce",
    "tree-cdce",
    "tree-dse",
    "tree-dom",
    "tree-thread",
    "tree-threadfull",
    "tree-ethread",
    "tree-phiopt",
    "tree-copyprop",
    "tree-reassoc",
    "tree-sink",
    "tree-ifcombine",
    "tree-mergephi",
    "tree-ivopts",
    "tree-lim",
    "tree-unswitch",
    "tree-ldist",
    "tree-ch",
    "tree-ch_vect",
    "tree-vect",
    "tree-slp",
    "tree-cunroll",
    "tree-cunrolli",
    "tree-pcom",
    "tree-strlen",
    "tree-sra",
    "tree-esra",
    "tree-tailr",
    "tree-tailc",
    "tree-store-merging",
    "tree-bswap",
    "tree-widening_mul",
    "tree-sincos",
    "tree-powcabs",
    "tree-uncprop",
    "tree-split-paths",
    "tree-backprop",
    "tree-isolate-paths",
    "tree-sccp",
    "tree-phiprop",
    "tree-slsr",
    "tree-switchconv",
    "tree-iftoswitch",
    "tree-ifcvt",
    "tree-linterchange",
    "tree-ivcanon",
    "tree-loopdistribution",
    "tree-pta",
    "tree-local-pure-const",
    "tree-modref",
    "tree-einline",
    "tree-fnsplit",
    "tree-nrv",
    "tree-dceloop",
    "tree-unrolljam",
    "tree-graphite",
    "tree-parloops",
    "tree-aprefetch",
    "tree-cselim",
    "tree-stdarg",
    "tree-lsplit",
    "tree-lversion",
    "tree-laddress",
    "tree-retslot",
    "tree-nothrow",
    "tree-profile_estimate",
    /* rtl */
    "rtl-combine",
    "rtl-cse",
    "rtl-cse_local",
    "rtl-fwprop",
    "rtl-cprop",
    "rtl-hoist",
    "rtl-gcse2",
    "rtl-dse",
    "rtl-ce",
    "rtl-loop2_invariant",
    "rtl-loop2_unroll",
    "rtl-loop2_doloop",
    "rtl-ud_dce",
    "rtl-rtl_dce",
    "rtl-sched",
    "rtl-peephole",
    "rtl-cprop_hardreg",
    "rtl-ree",
    "rtl-bbro",
    "rtl-bypass",
    "rtl-csa",
    "rtl-rnreg",
    "rtl-web",
    "rtl-store_motion",
    "rtl-auto_inc_dec",
    "rtl-sms",
    "rtl-subreg",
    "rtl-cmpelim",
    "rtl-stv",
    "rtl-dce",
    "rtl-compgotos",
    "rtl-rtl pre",
    "rtl-jump",
    "rtl-jump_after_combine",
    "rtl-init-regs",
    "rtl-bbpart",
    "rtl-alignments",
    "rtl-nothrow",
    "rtl-rpad",
};

static RunResult ask(Arena *arena, const char *const *argv, const char *dir) {
    RunSpec spec = {
        .argv = argv, .dir = dir, .env = cc_env, .limits = { .wall_s = 60, .output = 4 << 20 }
    };
    return run_one(arena, &spec);
}

static bool is_gcc(const Compiler *cc) {
    return cc->kind == CC_GCC || cc->kind == CC_CC1;
}

/* Asks the compiler for a list with values at this level: the driver needs -Q, cc1 no -quiet. */
static RunResult ask_compiler(Arena *arena, const Compiler *cc, const char *const *level,
                              const char *list, const char *dir) {
    const char *const words[] = { cc->path, list, cc->kind == CC_CC1 ? NULL : "-Q", NULL };
    return ask(arena, flags_plus(arena, words, level), dir);
}

/* Flags of a target that change the ABI, the language or the library. */
static const char *const not_a_choice[] = {
    "-m32",     "-m64",     "-mx32",     "-m16",           "-mno-",     "-m128bit",
    "-m96bit",  "-mlong",   "-m80387",   "-mfp-ret",       "-mhard",    "-msoft",
    "-mglibc",  "-mbionic", "-mmusl",    "-muclibc",       "-mandroid", "-mms-",
    "-mdirect", "-mtls",    "-mmmx",     "-mfxsr",         "-mpc",      "-mgeneral",
    "-mcld",    "-mrtd",    "-mregparm", "-mstackrealign", "-mthread",  "-mdump",
};

static bool left_out(Str flag) {
    for (size_t i = 0; i < COUNT_OF(not_optimisation); i++)
        if (str_starts(flag, not_optimisation[i])) return true;
    return false;
}

static bool is_no_choice(Str flag) {
    if (str_is(flag, "-msse") || str_is(flag, "-msse2")) return true; /* how floats are passed */
    for (size_t i = 0; i < COUNT_OF(not_a_choice); i++)
        if (str_starts(flag, not_a_choice[i])) return true;
    return false;
}

/* Flags of one of the compiler's lists that are on: "-fx [enabled]" becomes "-fno-x". */
static bool list_off(Arena *arena, const Compiler *cc, const char *const *level, const char *list,
                     char letter, StrVec *off) {
    RunResult r = ask_compiler(arena, cc, level, list, NULL);
    if (!run_ok(&r)) return false;
    Str rest = r.out, line;
    while (str_split(&rest, '\n', &line)) {
        Str words = str_trim(line), flag;
        if (words.len < 3 || words.at[0] != '-' || words.at[1] != letter) continue;
        if (!str_ends(words, "[enabled]")) continue;
        for (size_t i = 0; i < words.len; i++)
            if (words.at[i] == '\t') ((char *)words.at)[i] = ' ';
        str_split(&words, ' ', &flag);
        if (str_find(flag, STR("="), 0) != STR_NONE) continue;
        if (letter == 'f' ? left_out(flag) : is_no_choice(flag)) continue;
        vec_push(off, str_from(arena_fmt(arena, "-%cno-" STR_FMT, letter,
                                         STR_ARG(str_sub(flag, 2, flag.len)))));
    }
    return true;
}

bool compiler_flags_off(Arena *arena, const Compiler *cc, const char *const *level, StrVec *off,
                        Error *err) {
    if (!is_gcc(cc)) return true;
    if (list_off(arena, cc, level, "--help=optimizers", 'f', off)) return true;
    if (run_interrupted()) return err_set(err, STATUS_INTERRUPTED, "interrupted");
    return err_set(err, STATUS_BAD, "%s does not list its optimisation flags", cc->name);
}

void compiler_target_off(Arena *arena, const Compiler *cc, const char *const *level, StrVec *off) {
    if (is_gcc(cc)) list_off(arena, cc, level, "--help=target", 'm', off);
}

static bool is_listed(Str pass) {
    for (size_t i = 0; i < COUNT_OF(optional_passes); i++)
        if (str_is(pass, optional_passes[i])) return true;
    return false;
}

/* Looks up the name as it is (some end in a digit of their own: rtl-gcse2), then without its
 * number. */
static bool is_optional(Str pass) {
    if (is_listed(pass)) return true;
    while (pass.len && pass.at[pass.len - 1] >= '0' && pass.at[pass.len - 1] <= '9') pass.len--;
    return is_listed(pass);
}

bool compiler_passes_off(Arena *arena, const Compiler *cc, const char *const *level, StrVec *off,
                         Error *err) {
    if (!is_gcc(cc)) return true;
    char *dir = workdir_new(arena, "passes");
    const char *in = file_join(arena, dir, "p.c"), *out = file_join(arena, dir, "p.s");
    bool ok = file_write(in, STR("int f(int x) { return x + 1; }\n"), err);
    const char *const dump[] = { "-fdump-passes", NULL };
    if (ok) {
        RunResult r = ask(
            arena, compiler_argv(arena, cc, CC_ASSEMBLY, flags_plus(arena, level, dump), in, out),
            dir);
        ok = run_ok(&r);
        if (!ok && run_interrupted())
            err_set(err, STATUS_INTERRUPTED, "interrupted");
        else if (!ok)
            err_set(err, STATUS_BAD, "%s does not list its passes", cc->name);
        Str rest = r.err, line, name;
        while (ok && str_split(&rest, '\n', &line)) {
            size_t colon = str_find(line, STR(":  ON"), 0);
            if (colon == STR_NONE || str_find(line, STR("(FORCED_OFF)"), 0) != STR_NONE) continue;
            name = str_trim(str_sub(line, 0, colon));
            if (is_optional(name))
                vec_push(off, str_from(arena_fmt(arena, "-fdisable-" STR_FMT, STR_ARG(name))));
        }
    }
    workdir_remove(dir);
    return ok;
}

/* "  --param=NAME=<LOW,HIGH>	DEFAULT" */
static bool read_param(Arena *arena, Str line, CcParam *param) {
    size_t eq = str_find(line, STR("=<"), 8), comma = str_find(line, STR(","), 0),
           close = str_find(line, STR(">"), 0);
    if (!str_starts(line, "--param=") || eq == STR_NONE || comma == STR_NONE || close == STR_NONE ||
        comma < eq)
        return false;
    param->name = arena_cstr(arena, str_sub(line, 8, eq));
    return str_to_i64(str_sub(line, eq + 2, comma), &param->low) &&
           str_to_i64(str_sub(line, comma + 1, close), &param->high) &&
           str_to_i64(str_trim(str_sub(line, close + 1, line.len)), &param->normal);
}

bool compiler_params(Arena *arena, const Compiler *cc, CcParamVec *out, Error *err) {
    if (!is_gcc(cc)) return true;
    RunResult r = ask_compiler(arena, cc, NULL, "--help=params", NULL);
    if (!run_ok(&r)) return err_set(err, STATUS_BAD, "%s does not list its parameters", cc->name);
    Str rest = r.out, line;
    while (str_split(&rest, '\n', &line)) {
        CcParam param;
        if (read_param(arena, str_trim(line), &param)) vec_push(out, param);
    }
    return true;
}
