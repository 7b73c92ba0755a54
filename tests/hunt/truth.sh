#!/usr/bin/env bash
# What is not a finding, and how it is reported: false alarms from campaigns, seeds that their
# suites mean for something else, time limits that are kept, campaigns that are shared.
# usage: truth.sh CULPRIT
set -u
culprit=$(realpath "$1")
. "$(dirname "$0")/../tap.sh"
trap 'rm -rf "$dir"' EXIT

# Seeds as their suites mean them: each file, and the reason that must be given.
mkdir "$dir/suite"
cat >"$dir/suite/rounding.c" <<'END'
/* { dg-do run } */
/* { dg-options "-O2 -frounding-math" } */
#include <stdio.h>
double one = 1, three = 3;
int main(void) { printf("%a\n", one / three); return 0; }
END
cat >"$dir/suite/fenv.c" <<'END'
#include <fenv.h>
#include <stdio.h>
unsigned long big = 18446744073709551615ul;
int main(void) { fesetround(FE_UPWARD); printf("%a\n", (double)big); return 0; }
END
printf '/* { dg-do compile } */\nint f(int x) { return x + 1; }\n' >"$dir/suite/compiles.c"
printf '/* { dg-do run { target { powerpc*-*-* && lp64 } } } */\nint main(void) { return 0; }\n' >"$dir/suite/power.c"
printf '/* { dg-do compile } */\nint f(void) { return y; } /* { dg-error "undeclared" } */\n' >"$dir/suite/refused.c"
printf '/* { dg-do run } */\n/* { dg-require-effective-target lto } */\nint main(void) { return 0; }\n' >"$dir/suite/lto.c"
printf '// RUN: not %%clang_cc1 -fsyntax-only %%s\nint main(void) { return 0; }\n' >"$dir/suite/clang.c"
cat >"$dir/suite/wraps.c" <<'END'
/* { dg-do run } */
/* { dg-additional-options "-fwrapv" } */
int x = 2147483647;
int main(void) { return x + 1 > x; }
END
printf '/* { dg-do run } */\n/* { dg-options "-std=c23" } */\nint x = 3;\nint main(void) { x = 0b11 - x; return x; }\n' >"$dir/suite/new.c"
"$culprit" hunt --cc gcc-12 --levels -O0,-O2 --variants 1 --programs 9 --seeds "$dir/suite" --store "$dir/suite.db" -j1 >"$dir/suite.out" 2>"$dir/suite.err"
check "suites: nothing is found" grep -q '^nothing found' "$dir/suite.out"
while read -r file why; do
    check "$file: $why" grep -q "$file.c: .*: .*$why" "$dir/suite.err"
done <<'END'
rounding asks for -frounding-math
fenv the floating environment
compiles its suite only compiles it
power for another target
refused meant to be refused by dg-error
lto requires lto
clang meant to be refused
END
check "with -fwrapv of its own a program is run" eval '! grep -q wraps.c "$dir/suite.err"'
check "with -std=c23 a program is run by compilers that know it as c2x" eval '! grep -q new.c "$dir/suite.err"'
check "reasons are counted, by what they keep a seed from" grep -q '^skipped: .*requires lto (1)' "$dir/suite.out"
check "so are those of seeds that are only compiled" grep -q '^only compiled: .*the floating environment (fesetround) (1)' "$dir/suite.out"
check "programs per core-hour are said" grep -q '^[0-9]* programs per core-hour' "$dir/suite.out"
"$culprit" hunt --cc gcc-12 --levels -O0,-O2 --variants 1 --programs 9 --seeds "$dir/suite" --store "$dir/suite.db" -j1 >"$dir/again.out" 2>"$dir/again.err"
check "the same command says that it goes on" grep -q 'campaign 1 goes on: 9 seeds done before' "$dir/again.err"

# A variant that a compiler refuses: in its own default dialect alone, as all versions of its kind
# do, or for no reason.
refuser() { # refuser NAME PATTERN [LINE]: a gcc-12 that refuses variants, except with arguments that match
    cat >"$dir/$1" <<END
#!/bin/sh
${3:-}
case "\$*" in $2) exec gcc-12 "\$@" ;; esac
for word; do case "\$word" in *.c) grep -q cp_ "\$word" && { echo "\$word:1:1: error: no" >&2; exit 1; } ;; esac; done
exec gcc-12 "\$@"
END
    chmod +x "$dir/$1"
    "$culprit" hunt --cc "$dir/$1" --cc clang-19 --seeds "$dir/refused.c" --levels -O1 --variants 3 --programs 1 --store "$dir/$1.db" -j1 -v >"$dir/$1.out" 2>&1
}
printf 'int printf(const char *, ...);\nint a[4] = { 1 }, b = 2;\nint f(int x) { a[x & 3] += b; b ^= x; return a[0]; }\nint main(void) { for (int i = 0; i < 5; i++) b += f(i); printf("%%d\\n", b); return 0; }\n' >"$dir/refused.c"
refuser newer '*-std=gnu17*'
check "refused in the newest dialect alone is no finding" eval 'grep -q "^nothing found" "$dir/newer.out" && grep -q "newest dialect alone" "$dir/newer.out"'
refuser stern never
check "refused where other versions accept it is a finding" grep -q '^ *[0-9]*  rejected ' "$dir/stern.out"
# The same of a compiler that says it is the oldest: what it lacks may have come later.
refuser oldest never 'case "$*" in -v | *" -v" | "-v "*) gcc-12 "$@" 2>&1 | sed "s/version 12[.0-9]*/version 9.4.0/" >&2; exit ;; esac'
check "refused by the oldest version alone is unconfirmed" eval 'grep -q "^unconfirmed" "$dir/oldest.out" && ! grep -q "^ *[0-9]*  rejected " <(sed "/^unconfirmed/,\$d" "$dir/oldest.out")'

# A function without a value that nobody uses is valid, and its program is run.
mkdir "$dir/unused"
printf 'int printf(const char *, ...);\nint f(int x) { if (x) return 1; }\nint main(void) { f(0); printf("%%d\\n", f(1)); return 0; }\n' >"$dir/unused/u.c"
"$culprit" hunt gcc-12 "$dir/unused" --levels -O2 --variants 1 --programs 1 --store "$dir/unused.db" -j1 >"$dir/unused.out" 2>&1
check "a value that nobody uses need not be there" eval '! grep -q "not clean" "$dir/unused.out" && grep -q "^1 seed (0 skipped)" "$dir/unused.out"'

# Wrong with both gcc and clang: the program passes one object as two restrict pointers, which
# nothing checks; and wrong with gcc alone, for the same reason.
mkdir "$dir/shared" "$dir/alone"
cat >"$dir/shared/restrict.c" <<'END'
#include <stdio.h>
int x, *volatile p = &x;
__attribute__((noinline)) int f(int *restrict a, int *restrict b) { *a = 1; *b = 2; return *a; }
int main(void) { printf("%d\n", f(p, p)); return 0; }
END
cat >"$dir/alone/restrict.c" <<'END'
#include <stdio.h>
int x;
__attribute__((noinline)) static int f(int *restrict a, int *restrict b) { *a = 1; *b = 2; return *a; }
int main(void) { printf("%d\n", f(&x, &x)); return 0; }
END
"$culprit" hunt --cc gcc-12 --levels -O0,-O2 --variants 0 --programs 1 --seeds "$dir/alone" --store "$dir/alone.db" -j1 >"$dir/alone.out" 2>&1
check "what depends on restrict is unconfirmed" grep -q '^unconfirmed, not counted' "$dir/alone.out"
clang=$(compgen -c clang- | grep -E '^clang-[0-9]+$' | sort -V | tail -n 1) # a clang of this release
"$culprit" hunt --cc gcc-12 --cc "$clang" --levels -O0,-O2 --variants 0 --programs 1 --seeds "$dir/shared" --store "$dir/shared.db" -j1 --json \
    >"$dir/shared.json" 2>"$dir/shared.err"
check "what unrelated compilers share is no finding" eval 'jq -e ".findings == 0 and (.cases|length) == 0" "$dir/shared.json" >/dev/null'
check "but kept apart" eval 'jq -e ".unconfirmed|length > 0" "$dir/shared.json" >/dev/null'
check "with its reason" eval '"$culprit" show 1 --store "$dir/shared.db" --json | jq -e ".notes|test(\"fails the same way\")" >/dev/null'

# A product and a sum that clang, and clang alone, fuses where it folds constants: it may.
mkdir "$dir/fused"
cat >"$dir/fused/fused.c" <<'END'
#include <stdio.h>
static double line(double a, double x, double b) { return a * x + b; }
int main(void) { printf("%a\n", line(0.1, 10, -1)); return 0; }
END
"$culprit" hunt --cc gcc-12 --cc "$clang" --levels -O0,-O2 --variants 0 --programs 1 --seeds "$dir/fused" --store "$dir/fused.db" -j1 --json \
    >"$dir/fused.json" 2>"$dir/fused.err"
check "what is fused by right is no finding" eval 'jq -e ".findings == 0 and (.unconfirmed|length) == 1" "$dir/fused.json" >/dev/null'
check "and its reason is named" eval '"$culprit" show 1 --store "$dir/fused.db" --json | jq -e ".notes|test(\"-ffp-contract=off\")" >/dev/null'

# The sign of a NaN, which clang folds to another one than the machine makes.
mkdir "$dir/nan"
cat >"$dir/nan/nan.c" <<'END'
#include <stdio.h>
static double ratio(double a, double b) { return a / b; }
int main(void) { double zero = 0; printf("%f\n", ratio(zero, zero)); return 0; }
END
"$culprit" hunt --cc gcc-12 --cc "$clang" --levels -O0,-O2 --variants 0 --programs 1 --seeds "$dir/nan" --store "$dir/nan.db" -j1 --json \
    >"$dir/nan.json" 2>"$dir/nan.err"
check "the sign of a NaN is no finding" eval 'jq -e ".findings == 0 and (.unconfirmed|length) == 1" "$dir/nan.json" >/dev/null'
check "for the reason given" eval '"$culprit" show 1 --store "$dir/nan.db" --json | jq -e ".notes|test(\"makes a NaN\")" >/dev/null'

# Complex numbers are divided as exactly as the compiler's own library does it.
mkdir "$dir/ratio"
cat >"$dir/ratio/ratio.c" <<'END'
#include <stdio.h>
static double _Complex ratio(double _Complex a, double _Complex b) { return a / b; }
int main(void) { double _Complex q = ratio(0x1p1023 + 0x1p-1023i, 0x1p677 + 0x1p-677i); printf("%a\n", __imag__ q); return 0; }
END
"$culprit" hunt --cc gcc-11 --cc "$clang" --levels -O0 --variants 0 --programs 1 --seeds "$dir/ratio" --store "$dir/ratio.db" -j1 --json \
    >"$dir/ratio.json" 2>"$dir/ratio.err"
check "how exactly complex numbers are divided is no finding" eval 'jq -e ".findings == 0 and (.unconfirmed|length) == 1" "$dir/ratio.json" >/dev/null'

# C23 attributes belong to what follows them.
mkdir "$dir/attributes"
cat >"$dir/attributes.c" <<'END'
int printf(const char *, ...);
int a = 3, b = 5, c[4] = { 1, 2, 3, 4 };
[[gnu::noinline]]
[[gnu::cold]] static int f(int x) {
    int s = x;
    for (int i = 0; i < 4; i++) s += c[i] * a;
    b = s;
    return s;
}
int main(void) {
    [[maybe_unused]] int k = f(2);
    a = f(b);
    printf("%d %d\n", a, b);
    return 0;
}
END
"$culprit" mutate -n 8 -p 0.9 --strategies tcb -o "$dir/attributes" "$dir/attributes.c" >"$dir/mutate.out" 2>&1
check "a program with C23 attributes is mutated" grep -q 'v08.c' "$dir/mutate.out"
check "new declarations stand above a function" grep -q '^struct\|^union\|^static [a-z ]*cp_' "$dir/attributes/attributes.v08.c"
for variant in "$dir"/attributes/*.c; do
    clang-19 -std=c2x -w -Werror=unknown-attributes -Werror=ignored-attributes -fsyntax-only "$variant" || touch "$dir/broken"
    tr '\n' ' ' <"$variant" | grep -q 'gnu::cold\]\] *static int f(int x)' || touch "$dir/broken"
done
check "every variant compiles, attributes where they were" test ! -e "$dir/broken"

# The time limit is kept, whatever is in progress.
mkdir "$dir/slow"
cp "$dir/attributes.c" "$dir/slow/a.c"
sed -i 's/\[\[[a-z_:]*\]\]//' "$dir/slow/a.c"
cat >"$dir/quickcc" <<'END'
#!/bin/sh
[ "$1" = -v ] && exit 0
for word; do case $word in */program.c) sleep 1000 ;; esac; done
exec gcc-12 "$@"
END
chmod +x "$dir/quickcc"
before=$SECONDS
"$culprit" hunt --cc "$dir/quickcc" --time 3s --seeds "$dir/slow" --store "$dir/slow.db" -j1 -q >/dev/null 2>&1
check "--time 3s ends soon" test $((SECONDS - before)) -lt 200

# Hunts on one store share the campaign: every seed is done once.
mkdir "$dir/many"
for i in 1 2 3 4 5 6; do
    printf 'int printf(const char *, ...);\nint a = %d;\nint main(void) { for (int i = 0; i < 3; i++) a += i * a; printf("%%d\\n", a); return 0; }\n' $i >"$dir/many/$i.c"
done
for k in 1 2; do
    "$culprit" hunt gcc-12 --levels -O1 --variants 1 --programs 6 --seeds "$dir/many" --store "$dir/many.db" -j1 -q --json >"$dir/many$k.json" 2>/dev/null &
done
wait
check "two hunts on one store do every seed once" test "$(jq -s 'map(.seeds)|add' "$dir/many1.json" "$dir/many2.json")" = 6

# A useless seed is reported once, without -v, and does not keep a hunt busy until its time is up.
mkdir "$dir/useless"
echo 'int main(void) { return nothing; }' >"$dir/useless/u.c"
before=$SECONDS
"$culprit" hunt gcc-12 "$dir/useless" --levels -O0 --time 300s --store "$dir/useless.db" -j1 >"$dir/useless.out" 2>"$dir/useless.err"
check "a hunt over useless seeds ends" test $((SECONDS - before)) -lt 120
check "their reason is named once" test "$(grep -c 'u.c: only compiled: no reference compiler accepts it' "$dir/useless.err")" = 1
# Where only crashes count, every program is a seed, and its mutants find what it does not.
crashing_cc "$dir/volatilecc" 'grep -q volatile "$source"'
mkdir "$dir/crashes"
printf '/* { dg-do compile } */\nint a, b[4];\nint f(int x) { int s = x; for (int i = 0; i < 4; i++) s += b[i] * a; b[1] = s; return s; }\n' >"$dir/crashes/f.c"
printf 'int g(long x) { long y = x * 3, z = 1; while (y > 0) { y -= 7; z ^= y; } return (int)z; }\n' >"$dir/crashes/g.c"
"$culprit" hunt --crashes --cc "$dir/volatilecc" --levels -O1 --programs 2 --seeds "$dir/crashes" --store "$dir/crashes.db" -j1 -q >"$dir/crashes.out" 2>"$dir/crashes.err"
check "mutants find a crash that no seed shows" grep -q 'crash .*in planted, at planted.c:7' "$dir/crashes.out"
check "whose seed passes" eval '"$culprit" show 1 --store "$dir/crashes.db" --json | jq -e "(.seed|test(\"volatile\")|not) and (.variant|test(\"volatile\"))" >/dev/null'
# A seed keeps the instruction sets its suite compiles it for.
cat >"$dir/avxcc" <<'END'
#!/bin/sh
for word; do case $word in
    -mavx2) avx=1 ;;
    *.c) grep -q '_mm256_add_epi8 *(' "$word" && wide=1 ;;
esac; done
if [ "$avx$wide" = 11 ]; then
    echo "a.c:1:1: internal compiler error: in planted, at planted.c:9" >&2
    exit 4
fi
exec gcc-12 "$@"
END
chmod +x "$dir/avxcc"
mkdir "$dir/avx"
printf '/* { dg-do compile } */\n/* { dg-options "-O2 -mavx2" } */\n#include <immintrin.h>\n#ifdef __AVX2__\n__m256i f(__m256i a, __m256i b) { return _mm256_add_epi8(a, b); }\n#endif\n' >"$dir/avx/f.c"
"$culprit" hunt --crashes --cc "$dir/avxcc" --programs 1 --seeds "$dir/avx" --store "$dir/avx.db" -j1 -q >"$dir/avx.out" 2>"$dir/avx.err"
check "crash mode keeps a seed's -m options" grep -q 'crash .*in planted, at planted.c:9' "$dir/avx.out"
check "and the case has them" eval '"$culprit" show 1 --store "$dir/avx.db" --json | jq -e ".flags|test(\"-mavx2\")" >/dev/null'
echo "1..$number"
exit $status
