#!/usr/bin/env bash
# One campaign by several hunts that join it, on a server that is restarted under them and with
# workers that are killed: what is found is what one hunt finds alone. And what a worker says when
# it cannot take part. Run by with-postgres; without a server the store is a file.
# usage: join.sh CULPRIT [WORKERS [KILLS [RESTARTS [PROGRAMS]]]]
set -u
culprit=$(realpath "$1") workers=${2:-4} kills=${3:-3} restarts=${4:-1} programs=${5:-10}
. "$(dirname "$0")/../tap.sh"
export HOME=$dir
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME CULPRIT_STORE
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$dir"' EXIT

crashing_cc "$dir/badcc" "$some_counts"
mkdir "$dir/seeds"
for i in 1 2 3 4 5; do
    cat >"$dir/seeds/s$i.c" <<EOS
#include <stdio.h>
int a[4] = { $i, 2, 3, 4 };
int main(void) {
    int s = 0;
    for (int k = 0; k < 4; k++) { s += a[k] * 3; a[k] = s % ($i + 5); }
    printf("%d\n", s);
    return 0;
}
EOS
done
what=(--cc "$dir/badcc" --levels -O1 --variants 2 --seeds "$dir/seeds" --programs "$programs")
dump() { # what a store holds, but for times
    python3 - "$1" <<'EOS'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute("SELECT number, programs, findings FROM seeds ORDER BY number"): print(*row)
for row in db.execute("SELECT bucket, count, number, variant_number, flags, size FROM cases ORDER BY bucket"): print(*row)
EOS
}
if [ -n "${CULPRIT_TEST_SOCKET:-}" ]; then
    store="postgresql:///postgres?host=$CULPRIT_TEST_SOCKET&user=culprit"
else
    store=$dir/shared.db restarts=0
fi
export CULPRIT_STORE=$store

id=$("$culprit" campaign start "${what[@]}")
check "a campaign is started" test "$id" = 1
check "and listed" eval '"$culprit" campaign | grep -q "^ *1  running"'
check "its job array joins it" eval '"$culprit" campaign submit 1 --print --nodes 8 | grep -q -e "--join 1 "'
check "nobody else has its number" eval '"$culprit" hunt --join 7 -q 2>"$dir/err"; test $? = 1'

# A machine with another compiler under the same name: it says so, and leaves the campaign alone.
cp "$dir/badcc" "$dir/kept"
printf '\n# another build\n' >>"$dir/badcc"
"$culprit" hunt --join 1 -q >"$dir/out" 2>"$dir/err"
check "a worker with other compilers stops, and says so" eval 'test $? = 3 -o -s "$dir/err" && grep -q "other compilers" "$dir/err"'
cp -p "$dir/kept" "$dir/badcc"
id=$("$culprit" campaign start "${what[@]}") # with the file as it is now
pids=()
join() { "$culprit" hunt --join "$id" -j 1 -q >"$dir/worker.$1" 2>&1 & pids[$1]=$!; }
for ((i = 0; i < workers; i++)); do join "$i"; done
seeds() { "$culprit" campaign watch "$id" --once --json | python3 -c 'import json,sys; print(json.load(sys.stdin)["seeds"])' 2>/dev/null || echo 0; }
done_=0 killed=0 restarted=0
while [ "$done_" -lt "$programs" ] && [ $SECONDS -lt 800 ]; do
    sleep 0.5
    done_=$(seeds)
    if [ $killed -lt "$kills" ] && [ "$done_" -ge $((killed * programs / (kills + 1))) ]; then
        victim=$((RANDOM % workers))
        kill -9 ${pids[$victim]} 2>/dev/null && killed=$((killed + 1))
        join $victim
    fi
    if [ $restarted -lt "$restarts" ] && [ "$done_" -ge $(((restarted + 1) * programs / (restarts + 2))) ]; then
        "$CULPRIT_TEST_WITH" --restart immediate && restarted=$((restarted + 1))
    fi
done
wait "${pids[@]}" 2>/dev/null
echo "# $workers workers, $killed kills, $restarted restarts, $programs seeds"
check "all seeds are done" test "$(seeds)" = "$programs"
check "the campaign is done" eval '"$culprit" campaign | grep -q "^ *$id  done"'
check "its workers are known" eval '"$culprit" campaign watch $id --once | grep -q "ended"'

"$culprit" hunt "${what[@]}" --store "$dir/alone.db" -j 2 -q >"$dir/alone.out" 2>&1
"$culprit" cases copy "$store" "$dir/copy.db" >/dev/null
check "copied twice, nothing is new" eval '"$culprit" cases copy "$store" "$dir/copy.db" | grep -q "^0 cases"'
check "together they did what one does alone" eval 'diff <(dump "$dir/alone.db") <(dump "$dir/copy.db")'
check "with findings" eval 'dump "$dir/copy.db" | grep -q planted'
check "a campaign that is done has no work, which is said" eval '"$culprit" hunt --join $id -q -j 1 | grep -q "^campaign $id is done"'
other=$("$culprit" campaign start --cc "$dir/badcc" --levels -O1 --variants 2 --seeds "$dir/seeds" --seed 7 --programs 2)
"$culprit" campaign stop "$other"
check "nor has one that was stopped" eval '"$culprit" hunt --join $other -q -j 1 | grep -q "^campaign $other is stopped: culprit campaign resume $other"'
"$culprit" campaign resume "$other"
check "until it is resumed" eval '"$culprit" campaign | grep -q "^ *$other  running" && "$culprit" hunt --join $other -q -j 1 | grep -q "^2 seeds"'
if [ -n "${CULPRIT_TEST_SOCKET:-}" ]; then
    gone="postgresql:///postgres?host=$dir&user=culprit"
    check "a server that is not there is status 3" eval '"$culprit" cases --store "$gone" 2>"$dir/err"; test $? = 3 && test $(wc -l <"$dir/err") = 1'
fi
echo "1..$number"
exit $status
