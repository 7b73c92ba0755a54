#!/usr/bin/env bash
# culprit hunt end to end, with a compiler that has a planted crash: killed at random moments and
# restarted, it does the same as in one go, with any number of workers; bad seeds are skipped and
# listed; bad input is one clear line.
# usage: campaign.sh CULPRIT [KILLS]
set -u
culprit=$(realpath "$1") kills=${2:-6}
. "$(dirname "$0")/../tap.sh"
trap 'rm -rf "$dir"' EXIT

crashing_cc "$dir/badcc" "$some_counts"

mkdir "$dir/seeds"
for i in 1 2 3 4 5; do
    cat >"$dir/seeds/s$i.c" <<EOF
#include <stdio.h>
int a[4] = { $i, 2, 3, 4 };
int f(int x) {
    int s = 0;
    for (int k = 0; k < 4; k++) {
        s += a[k] * x;
        a[k] = s % ($i + 5);
    }
    return s;
}
int main(void) {
    int t = 0;
    for (int j = 0; j < 3; j++) t += f(j + $i);
    printf("%d\n", t);
    return 0;
}
EOF
done
echo 'int main(void) { return x; }' >"$dir/seeds/t-rejected.c"
# By itself: every hunt would give it its ten seconds.
mkdir "$dir/endless"
echo 'int main(void) { for (;;) { } }' >"$dir/endless/u-endless.c"
echo 'int x = 2147483647; int main(void) { return x + 1 > x; }' >"$dir/seeds/v-undefined.c"
printf '#include <stdio.h>\nvoid f(char *p) { p[9] = 1; }\nint main(void) { char a[10]; int k = 0; f(a); while (!a[k] && k < 9) k++; puts(k > 20 ? "a" : "b"); }\n' >"$dir/seeds/y-unset.c"
printf '#include <stdio.h>\n#include <time.h>\nint main(void) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); printf("%%ld\\n", t.tv_nsec); return 0; }\n' >"$dir/seeds/w-random.c"
# What C leaves undefined although no sanitizer detects it: a program's own version of a library
# function.
printf '#include <stdio.h>\nlong long a = -1, llabs(long long);\nint main(void) { printf("%%lld\\n", llabs(a)); return 0; }\nlong long llabs(long long x) { return x - 6; }\n' >"$dir/seeds/x-library.c"

words() { # store, more words..
    local store=$1
    shift
    all=("$culprit" hunt --cc "$dir/badcc" --levels -O1 --variants 3 --programs 10 --seeds "$dir/seeds" --store "$store" "$@")
}
hunt() { # the same
    words "$@"
    "${all[@]}"
}
dump() { # what the store holds, except for times
    python3 - "$1" <<'EOF'
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("PRAGMA integrity_check").fetchone()[0])
for row in db.execute("SELECT number FROM seeds ORDER BY number"): print(*row)
for row in db.execute("SELECT bucket, count, number, variant_number, flags, signature, size FROM cases ORDER BY bucket"): print(*row)
EOF
}

"$culprit" hunt --cc "$dir/badcc" --levels -O1 --variants 3 --programs 1 --seeds "$dir/endless" --store "$dir/endless.db" -v -j1 \
    >"$dir/endless.out" 2>"$dir/endless.err" &
hunt "$dir/one.db" -v -j1 >"$dir/one.out" 2>"$dir/one.err"
wait
cat "$dir/endless.err" >>"$dir/one.err"
check "a campaign finds the planted crash" grep -q 'crash .*in planted, at planted.c:7' "$dir/one.out"
check "all seeds are done" test "$(python3 -c "import sqlite3;print(sqlite3.connect('$dir/one.db').execute('SELECT count(*) FROM seeds').fetchone()[0])")" = 10
for bad in t-rejected u-endless v-undefined w-random x-library y-unset; do
    check "$bad is not run, and named" grep -qE "$bad.c: (skipped|only compiled): " "$dir/one.err"
done
mkdir "$dir/lacking"
printf '#include <stdio.h>\nint main(int n, char **v) { if (n > 9) __builtin_trap(); puts(v[n] ? "a" : "b"); return 0; }\n' >"$dir/lacking/builtin.c"
"$culprit" hunt --cc tcc --variants 1 --programs 1 --seeds "$dir/lacking" --store "$dir/lacking.db" -j1 -q >"$dir/lacking.out" 2>&1
check "a function the compiler's library lacks is no finding" grep -q '^nothing found' "$dir/lacking.out"
hunt "$dir/two.db" -j2 -q >/dev/null 2>&1
check "two workers do the same as one" cmp <(dump "$dir/one.db") <(dump "$dir/two.db")
for h in 1 2; do hunt "$dir/both.db" -j1 -q --json >"$dir/both$h.json" 2>/dev/null & both[h]=$!; done
wait "${both[@]}"
check "two hunts on one store at the same time share its seeds" test "$(jq -s 'map(.seeds) | add' "$dir"/both[12].json)" = 10
check ".. and do the same as one" cmp <(dump "$dir/one.db") <(dump "$dir/both.db")

# Killed at random moments until enough kills have hit a running campaign; each complete store is
# compared with the undisturbed one, and a new one begun.
landed=0 rounds=0 stores=0 same=0
finished() { # store: nothing is missing, and it is what one go gives
    stores=$((stores + 1))
    cmp -s <(dump "$dir/one.db") <(dump "$1") && same=$((same + 1))
    rm -f "$1"*
}
while [ $landed -lt "$kills" ] && [ $rounds -lt $((kills * 6 + 6)) ]; do
    rounds=$((rounds + 1))
    (words "$dir/killed.db" -j2 -q && exec "${all[@]}" >/dev/null 2>&1) &
    pid=$!
    sleep "$((RANDOM % 3)).$((RANDOM % 10))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    case $? in 137) landed=$((landed + 1)) ;; *) finished "$dir/killed.db" ;; esac
done
check "$kills kills of a campaign at work" test $landed -ge "$kills"
hunt "$dir/killed.db" -j2 -q >/dev/null 2>&1
hunt "$dir/killed.db" -j2 -q --json >"$dir/again.json" 2>&1
check "nothing is done twice" grep -q '"seeds": *0,' "$dir/again.json"
finished "$dir/killed.db"
check "killed and restarted, the same ($stores stores)" test $same = $stores
sleep 1
check "no process is left" test -z "$(pgrep -f "$dir/badcc")"

# Programs whose output may change with optimisation, and that no sanitizer reports: no finding.
mkdir "$dir/alarms"
printf '#include <stdio.h>\nstatic int f(int *a, float *b) { *a = 1; *b = 2; return *a; }\nint main(void) { int x = 0; printf("%%d\\n", f(&x, (float *)&x)); }\n' >"$dir/alarms/aliasing.c"
printf '#include <stdio.h>\nstatic int f(int x) { return __builtin_constant_p(x); }\nint main(void) { printf("%%d\\n", f(3)); }\n' >"$dir/alarms/asks.c"
printf '#include <stdio.h>\n#include <math.h>\nint main(void) { double x = 0.7; printf("%%.17g\\n", cbrt(x)); }\n' >"$dir/alarms/digit.c"
"$culprit" hunt --cc gcc-12 --levels -O0,-O2 --variants 1 --programs 3 --seeds "$dir/alarms" --store "$dir/alarms.db" -j1 -v >"$dir/alarms.out" 2>"$dir/alarms.err"
check "what optimisation may change is no finding" grep -q '^nothing found' "$dir/alarms.out"
for why in 'effective types: .* stored as float is read as int' 'questions to the optimiser' 'the last digit of cbrt'; do
    check "but named: $why" grep -qE "(not a finding|skipped|only compiled): .*$why" "$dir/alarms.err"
done

# A compiler without levels that computes the quotient instead of the remainder.
cat >"$dir/wrongcc" <<'EOF'
#!/bin/bash
[ "$1" = -v ] && exit 0
for word; do case $word in *.c) source=$word ;; esac; done
[ -n "$source" ] || exec gcc-12 "$@"
sed 's/ % / \/ /g' "$source" >"$source.wrong.c"
exec gcc-12 "${@/%$source/$source.wrong.c}"
EOF
chmod +x "$dir/wrongcc"
mkdir "$dir/one"
cp "$dir/seeds/s1.c" "$dir/one/"
"$culprit" hunt --cc "$dir/wrongcc" --variants 1 --programs 1 --seeds "$dir/one" --store "$dir/wrong.db" -j1 -q >"$dir/wrong.out" 2>"$dir/wrong.err"
check "a wrong operator names the bucket" grep -q 'wrong .*depends on .*int % constant' "$dir/wrong.out"
(cd "$dir" && "$culprit" hunt --cc ./wrongcc --variants 1 --programs 1 --seed 2 --seeds one --store wrong.db -j1 -q) >"$dir/known.out" 2>&1
check "what was known before is found all the same, by a compiler with a relative name" test $? = 0
check "and is said to be known" grep -q 'findings*, all in cases that were known before' "$dir/known.out"

# A driver that lays structures out differently when it optimises: a program compiled in one piece
# is right, and wrong where its units are compiled at different levels.
cat >"$dir/packing-gcc" <<'EOF'
#!/bin/bash
case " $* " in *" -c "*) case " $* " in *" -O2 "*) exec gcc-12 -fpack-struct=1 "$@" ;; esac ;; esac
exec gcc-12 "$@"
EOF
chmod +x "$dir/packing-gcc"
mkdir "$dir/units"
cat >"$dir/units/s.c" <<'EOF'
#include <stdio.h>
struct wide { char a; long b; short c; int d; };
static struct wide w[2] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
static void one(void) { w[1].a = 9, w[1].b += 100; }
static void two(void) { w[1].c += w[0].d; }
static void three(void) { w[0].b = w[1].b * 2; }
static long four(int i) { return w[i].a + w[i].b * 3 + w[i].c * 5 + w[i].d * 7; }
int main(void) {
    one(), two(), three();
    printf("%ld %ld\n", four(0), four(1));
    return 0;
}
EOF
"$culprit" hunt --cc "$dir/packing-gcc" --levels -O0,-O2 --variants 5 --programs 1 --seeds "$dir/units" --oracles --store "$dir/units.db" \
    -j1 -q >"$dir/units.out" 2>"$dir/units.err"
check "what only units show is found" grep -q 'wrong .*depends on units by .*packing-gcc -O2$' "$dir/units.out"
check "and is one bucket" test "$(grep -c ' wrong ' "$dir/units.out")" = 1
"$culprit" export 1 "$dir/units-case" --store "$dir/units.db" >/dev/null
check "its repro.sh compiles the units" eval '"$dir/units-case/repro.sh" >/dev/null'
check ".. and says no of a compiler that is right" eval '! CC=gcc-12 "$dir/units-case/repro.sh" >/dev/null'
# Whenever the time ends, what was reduced is stored with what it should print.
"$culprit" reduce -q --time 40s --case 1 --store "$dir/units.db" >"$dir/units.reduced" 2>&1
check "reduce takes it, units and all" test $? = 0
stored() { "$culprit" show 1 --json --store "$dir/units.db" | python3 -c "import json, sys
case = json.load(sys.stdin)
sys.exit(not (case['reduced_expected'] and 'reduced' in str(case['units'])))"; }
check ".. and the reduced program is stored" stored

# A driver that always lays them out differently: two compilers disagree, and neither is wrong by
# itself.
printf '#!/bin/bash\ncase " $* " in *" -c "*) exec gcc-12 -fpack-struct=1 "$@" ;; esac\nexec gcc-12 "$@"\n' >"$dir/other-gcc"
chmod +x "$dir/other-gcc"
"$culprit" hunt --cc "$dir/other-gcc" --cc gcc-12 --levels -O0,-O2 --variants 4 --programs 2 --seeds "$dir/units" --oracles --store "$dir/other.db" \
    -j1 -q >"$dir/other.out" 2>"$dir/other.err"
check "two compilers that disagree are no finding" grep -q '^nothing found' "$dir/other.out"

# A driver whose code depends on -g, as -fcompare-debug tells: none of the random flags beside it
# matters.
printf '#!/bin/bash\ncase " $* " in *" -fcompare-debug "*) echo "gcc: error: s.c: -fcompare-debug failure (length)" >&2; exit 1 ;; esac\nexec gcc-12 "$@"\n' >"$dir/debug-gcc"
chmod +x "$dir/debug-gcc"
"$culprit" hunt --cc "$dir/debug-gcc" --levels -O2 --variants 8 --programs 1 --seeds "$dir/one" --random-flags --oracles --cases 1 --store "$dir/debug.db" \
    -j1 -q --json >"$dir/debug.out" 2>"$dir/debug.err"
check "drawn flags that do not matter are left out" grep -q '"flags": *"-O2 -fcompare-debug"' "$dir/debug.out"

# Programs of kernels: a compiler that gets their sums wrong at -O2 is found out, and others are
# not.
cat >"$dir/sum-gcc" <<'END'
#!/bin/bash
words=()
for word; do
    if [[ " $* " = *" -O2 "* && $word = *.c ]] && grep -q ' \* 31uL' "$word" 2>/dev/null; then
        sed 's/ \* 31uL/ * 33uL/' "$word" >wrong.c
        word=wrong.c
    fi
    words+=("$word")
done
exec gcc-12 "${words[@]}"
END
chmod +x "$dir/sum-gcc"
"$culprit" hunt --kernels --cc "$dir/sum-gcc" --cc clang-19 --levels -O0,-O2 --programs 1 --store "$dir/kernels.db" -j1 -q --json >"$dir/kernels.out" 2>"$dir/kernels.err"
check "kernels: a compiler that is wrong is found, one that is right is not" eval \
    'jq -e ".programs == 1 and (.cases | length) == 1 and .cases[0].verdict == \"wrong\" and .runs >= 4" "$dir/kernels.out" >/dev/null'
check ".. and only it" eval 'jq -r ".cases[].compiler" "$dir/kernels.out" | grep -q sum-gcc'

bad() { # wanted status, pattern, words..
    local want=$1 pattern=$2 got
    shift 2
    "$culprit" hunt --programs 1 --variants 1 -q "$@" >"$dir/bad.out" 2>"$dir/bad.err"
    got=$?
    [ $got = "$want" ] && [ "$(wc -l <"$dir/bad.err")" = 1 ] && grep -q "$pattern" "$dir/bad.err"
}
check "a missing compiler names its package" bad 3 'package gcc-99' --cc gcc-99 --store "$dir/x.db"
check "what is no C compiler is refused" bad 2 'not a \(working \)\?C compiler' --cc /bin/ls --store "$dir/x.db"
check "a seed that is not there is refused" bad 2 "$dir/nowhere" --cc tcc --seeds "$dir/nowhere" --store "$dir/x.db"
mkdir "$dir/empty"
check "no seeds are refused" bad 2 'no C programs' --cc tcc --seeds "$dir/empty" --store "$dir/x.db"
check "a store that cannot be written is refused" bad 2 'store\|/proc' --cc tcc --seeds "$dir/seeds" --store /proc/x.db
echo 'not a store' >"$dir/foreign.db"
check "a file that is no store is refused" bad 2 'foreign.db' --cc tcc --seeds "$dir/seeds" --store "$dir/foreign.db"
check "an unknown strategy is refused" bad 2 'strateg' --cc tcc --strategies foo --store "$dir/x.db"
check "kernels are seeds themselves" bad 2 'without --seeds' --cc tcc --kernels --seeds "$dir/seeds" --store "$dir/x.db"
echo "1..$number"
exit $status
