/* The table behind meaning.h. An unknown option is OPTION_UNRUN: better not compared than compared
 * wrongly. */
#include "hunt/meaning.h"

typedef struct OptionRule {
    OptionUse use;
    const char *names; /* separated by blanks; one that ends in * is a prefix */
} OptionRule;

/* The first rule that has the option counts. */
static const OptionRule rules[] = {
    { OPTION_STAYS, "-std=* --std=* -ansi -D* -U* -trigraphs -fwrapv -fno-strict-aliasing "
                    "-fsigned-char -funsigned-char -fsigned-bitfields -funsigned-bitfields "
                    "-fcommon -fno-common -fgnu89-inline -fno-gnu89-inline -ffreestanding -fhosted "
                    "-fno-builtin* -fms-extensions -fplan9-extensions -fgimple -fno-asm "
                    "-fno-delete-null-pointer-checks -fno-strict-overflow -fwrapv-pointer "
                    "-fstrict-flex-arrays* -fshort-enums -fno-short-enums -fexceptions "
                    "-fdollars-in-identifiers -fblocks -fpermissive -fallow-parameterless-*" },
    { OPTION_GOES, "-ftrapping-math -fno-trapping-math -fno-math-errno -fmath-errno -ffast-math "
                   "-funsafe-math-optimizations -ffinite-math-only -fno-finite-math-only "
                   "-fno-signed-zeros -fsigned-zeros -fassociative-math -freciprocal-math "
                   "-fcx-* -ffp-contract=* -fexcess-precision=* -fno-rounding-math "
                   "-fsingle-precision-constant -fno-signaling-nans" },
    { OPTION_UNRUN, "-frounding-math -fsignaling-nans -ftrapv -fnon-call-exceptions "
                    "-finstrument-* -fsanitize* -fopenmp* -fopenacc* -fgnu-tm -fprofile-* "
                    "-fbranch-probabilities -ftest-coverage -fauto-profile* -fsplit-stack "
                    "-ftrivial-auto-var-init=* -fpack-struct* -fstrict-volatile-bitfields -flto* "
                    "-ftls-model=* -pthread -pg -p -fleading-underscore "
                    "-fstack-limit* -fno-fp-int-builtin-inexact" },
    { OPTION_GOES,
      "-fno-lto -fwhole-program -mtune=* -m64 -msse -msse2 -mfpmath=sse -mno-vzeroupper" },
    { OPTION_UNFIT, "-m32 -mx32 -m16 -x -include -imacros -l* -L* -Wl,* -static -shared -nostdlib "
                    "-nostartfiles -nodefaultlibs -fplugin* -T* -specs=* -fmodules* "
                    "-fpreprocessed -isystem -I* -B* -fdirectives-only -undef -nostdinc "
                    "-iquote -idirafter -iwithprefix* -isysroot -r" },
    { OPTION_COMPILE, "-S -c -E -fsyntax-only -emit-* -ast-* -analyze" },
    { OPTION_GOES, "-o -disable-* -mllvm -Xclang -verify* -debug-info-kind=* -no-opaque-pointers" },
    { OPTION_GOES,
      "-O* -W* -w -g* -pedantic* -fdump-* -fopt-info* -fdiagnostics-* -fno-diagnostics-* "
      "-fmessage-length=* -ftrack-macro-expansion=* -fshow-column -fno-show-column "
      "-fcompare-debug* "
      "-save-temps* -v -pipe --param* -fmax-errors=* -fchecking* -fdisable-* -fenable-* "
      "-fstats -fmem-report* -ftime-report* -fanalyzer* -fno-analyzer* -fverbose-asm "
      "-freport-bug -fira-* -fno-ira-* -fsched-* -fsched2-* -fno-sched-* -fsel-sched-* "
      "-fselective-* -fschedule-* -fno-schedule-* -fvar-tracking* -fno-var-tracking* "
      "-fstrict-overflow -fstrict-aliasing -fdelete-null-pointer-checks" },
    { OPTION_GOES,
      "-ftree-* -fno-tree-* -fipa-* -fno-ipa-* -fgcse* -fno-gcse* -fdse -fno-dse "
      "-fdce -fno-dce -finline* -fno-inline* -fno-early-inlining -fearly-inlining "
      "-funroll-* -fno-unroll-* -fpeel-loops -fno-peel-loops -funswitch-loops "
      "-fno-unswitch-loops -fsplit-* -fno-split-* -fmodulo-sched* -fno-modulo-sched "
      "-floop-* -fno-loop-* -fivopts -fno-ivopts -fcode-hoisting -fno-code-hoisting "
      "-fpredictive-commoning -fno-predictive-commoning -fprefetch-loop-arrays "
      "-ftracer -fno-tracer -fweb -fno-web -frename-registers -fno-rename-registers "
      "-fforward-propagate -fno-forward-propagate -fcprop-registers "
      "-fno-cprop-registers -fif-conversion* -fno-if-conversion* "
      "-foptimize-sibling-calls -fno-optimize-sibling-calls -fthread-jumps "
      "-fno-thread-jumps -fcrossjumping -fno-crossjumping -freorder-* -fno-reorder-* "
      "-fguess-branch-probability -fno-guess-branch-probability -fshrink-wrap* "
      "-fno-shrink-wrap* -fstore-merging -fno-store-merging -fssa-* -fno-ssa-* "
      "-fomit-frame-pointer -fno-omit-frame-pointer -fpic -fPIC -fpie -fPIE -fno-pic "
      "-fno-PIC -fno-pie -fno-PIE -fno-plt -ftoplevel-reorder -fno-toplevel-reorder "
      "-funit-at-a-time -fno-unit-at-a-time -fkeep-* -fno-keep-* -falign-* "
      "-fno-align-* -fstack-protector* -fno-stack-protector* -fstack-clash-protection "
      "-fno-stack-clash-protection -fcaller-saves -fno-caller-saves -fcse-* "
      "-fno-cse-* -frerun-cse-* -fno-rerun-* -fmerge-* -fno-merge-* -fdefer-pop "
      "-fno-defer-pop -fvect-cost-model* -fno-vect-cost-model -fsimd-cost-model* "
      "-fvpt -fcombine-stack-adjustments -fdevirtualize* -fno-devirtualize* "
      "-fsection-anchors -fno-section-anchors -ffunction-sections -fdata-sections "
      "-fno-function-sections -fpeephole* -fno-peephole* -fversion-loops-for-strides "
      "-fno-version-loops-for-strides -fbit-tests -fno-bit-tests -fjump-tables "
      "-fno-jump-tables -fisolate-* -fno-isolate-* -flive-range-shrinkage "
      "-flra-remat -fno-lra-remat -fcompare-elim -fno-compare-elim -fgraphite* "
      "-fvariable-expansion-in-unroller -fauto-inc-dec -fno-auto-inc-dec "
      "-fexpensive-optimizations -fno-expensive-optimizations -fhoist-* "
      "-fno-hoist-* -ffinite-loops -fno-finite-loops -fpartial-inlining "
      "-fno-partial-inlining -fno-zero-initialized-in-bss -fasynchronous-unwind-tables "
      "-fno-asynchronous-unwind-tables -funwind-tables -fno-unwind-tables "
      "-fno-semantic-interposition -fsemantic-interposition -fconserve-stack "
      "-fdelayed-branch -fno-delayed-branch -fgimple-* -fharden-* -fno-toplevel-* "
      "-fbranch-count-reg -fno-branch-count-reg -fvectorize -fno-vectorize "
      "-fslp-vectorize -fno-slp-vectorize -fvisibility=* -fno-ident "
      "-fcf-protection* -fno-cf-protection -fallow-store-data-races" },
};

static bool in_names(const char *names, Str option) {
    Str rest = str_from(names), name;
    while (str_split(&rest, ' ', &name)) {
        bool prefix = name.len && name.at[name.len - 1] == '*';
        if (prefix ? option.len >= name.len - 1 &&
                         str_eq(str_sub(option, 0, name.len - 1), str_sub(name, 0, name.len - 1))
                   : str_eq(option, name))
            return true;
    }
    return false;
}

OptionUse option_use(Str option) {
    if (str_is(option, "-lm")) return OPTION_GOES; /* always linked */
    for (size_t i = 0; i < COUNT_OF(rules); i++)
        if (in_names(rules[i].names, option)) return rules[i].use;
    return OPTION_UNRUN;
}

unsigned option_words(Str option) {
    static const char pairs[] = "--param -mllvm -Xclang -x -include -imacros -isystem -iquote "
                                "-idirafter -isysroot -o -triple -target -target-cpu "
                                "-target-feature -target-abi -D -U -I -L -MF -MT -main-file-name";
    return in_names(pairs, option) ? 1 : 0;
}
