#!/usr/bin/env bash
# A compiler inside another root: a tree with this machine's /usr bound into it and a compiler that
# works only there. Needs the right to mount; without it nothing is tested.
# usage: root.sh CULPRIT
set -u
culprit=$(realpath "$1")
if [ "${2:-}" != inside ]; then
    if ! unshare -m true 2>/dev/null; then echo "1..0 # SKIP no mount namespace here"; exit 0; fi
    exec unshare -m --propagation private "$0" "$1" inside
fi
. "$(dirname "$0")/../tap.sh"
root=$dir/root
trap 'umount "$root/usr"; rm -rf "$dir"' EXIT
mkdir -p "$root"/{usr,tmp,dev,proc,opt,etc}
mount --bind /usr "$root/usr"
for name in bin lib lib64; do ln -s "usr/$name" "$root/$name"; done
touch "$root/inside"
printf '#!/bin/sh\n[ -e /inside ] || { echo "not inside" >&2; exit 9; }\nexec /usr/bin/gcc-12 "$@"\n' >"$root/opt/cc"
chmod +x "$root/opt/cc"

check "outside the compiler does not work" eval '! "$root/opt/cc" --version >/dev/null 2>&1'
"$culprit" compilers add other --root "$root" --path /opt/cc --store "$dir/s.db" >"$dir/out" 2>&1
check "it is added with its root" test $? = 0
check "and listed" eval '"$culprit" compilers list --store "$dir/s.db" | grep -q "^other .*12"'
check "a path that is not in the root is refused" eval '! "$culprit" compilers add none --root "$root" --path /opt/none --store "$dir/s.db" 2>/dev/null'
mkdir "$dir/seeds"
printf '#include <stdio.h>\nint a = 4;\nint main(void) { for (int i = 0; i < 3; i++) a += i; printf("%%d\\n", a); return 0; }\n' >"$dir/seeds/a.c"
"$culprit" hunt other --levels -O0,-O2 --variants 1 --programs 1 --seeds "$dir/seeds" --store "$dir/s.db" -j1 -q --json >"$dir/hunt.json" 2>"$dir/hunt.err"
check "a hunt compiles inside and runs the programs" eval 'jq -e ".compilations >= 3 and .runs >= 2 and .findings == 0" "$dir/hunt.json" >/dev/null'
# A crash of a compiler that only the store knows by its name is exported with what it writes.
printf '#!/bin/sh\nfor word; do case $word in *.c) grep -q planted "$word" && { echo "internal compiler error: in planted, at planted.c:7" >&2; exit 4; } ;; esac; done\nexec /opt/cc "$@"\n' >"$root/opt/bad"
chmod +x "$root/opt/bad"
"$culprit" compilers add bad --root "$root" --path /opt/bad --store "$dir/s.db" >/dev/null 2>&1
mkdir "$dir/bad"
printf 'int planted = 4;\nint main(void) { return planted - 4; }\n' >"$dir/bad/a.c"
"$culprit" hunt bad --crashes --programs 1 --cases 1 --seeds "$dir/bad" --store "$dir/s.db" -j1 -q >"$dir/bad.out" 2>"$dir/bad.err"
"$culprit" export 1 "$dir/bad/export" --store "$dir/s.db" >"$dir/export.out" 2>&1
check "a crash inside is exported with its message" grep -q 'internal compiler error: in planted' "$dir/bad/export/bug-report.txt"
echo "1..$number"
exit $status
