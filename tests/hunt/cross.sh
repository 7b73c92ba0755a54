#!/usr/bin/env bash
# Compilers for other machines, where a cross gcc, its C library and qemu are installed: programs
# run under qemu in the runner, only compilers of the same target say what is right, values are
# recorded on the target, and what cannot be run or checked is refused in one line.
# usage: cross.sh CULPRIT
set -u
culprit=$(realpath "$1")
. "$(dirname "$0")/../tap.sh"
quietly() { "$@" >/dev/null; }
trap 'rm -rf "$dir"' EXIT

targets=()
for arch in s390x aarch64 riscv64; do
    triple=$arch-linux-gnu
    for cc in "$triple-gcc-12" "qemu-$arch"; do command -v "$cc" >/dev/null || continue 2; done
    [ -e "/usr/$triple/include/stdio.h" ] && targets+=("$arch")
done
if [ ${#targets[@]} = 0 ]; then
    echo "1..0 # SKIP no cross compiler with qemu and a C library (qemu-user, gcc-12-s390x-linux-gnu, libc6-dev-s390x-cross)"
    exit 0
fi

# A seed whose variants are run on the target: plain char in a loop, members, pointers, 64 bits.
mkdir "$dir/plain"
cat >"$dir/plain/plain.c" <<'END'
#include <stdio.h>
char text[8] = "\377ab";
struct S { unsigned short a; long b; signed char c; } s = { 3, -5, 7 };
long sum;
static int f(const char *p, int n) {
    int t = 0;
    for (int i = 0; i < n; i++) {
        t = t * 3 + p[i];
        s.b += t ^ s.a;
    }
    return t;
}
int main(void) {
    for (int k = 1; k < 4; k++) {
        sum += f(text, k);
        s.c -= k;
    }
    printf("%ld %ld %d\n", sum, s.b, s.c);
    return 0;
}
END
# Its output depends on the order of bytes.
mkdir "$dir/order"
cat >"$dir/order/order.c" <<'END'
#include <stdio.h>
union { unsigned long all; unsigned char part[8]; } u = { .all = 0x0102030405060708 };
int main(void) { printf("%d\n", u.part[0]); return 0; }
END
# A compiler that reads one word wrong, but only at -O2.
broken() { # name, real compiler
    cat >"$dir/$1" <<END
#!/bin/bash
words=()
copy=\$(mktemp --suffix=.c)
trap 'rm -f "\$copy"' EXIT
for word; do
    case " \$* " in
    *" -O2 "*) [[ \$word = *.c ]] && sed 's/alpha/gamma/' "\$word" >"\$copy" && word=\$copy ;;
    esac
    words+=("\$word")
done
$2 "\${words[@]}"
END
    chmod +x "$dir/$1"
}
mkdir "$dir/word"
cat >"$dir/word/word.c" <<'END'
#include <stdio.h>
int unused[3] = { 1, 2, 3 };
int main(void) {
    char c = -1;
    for (int i = 0; i < 3; i++) unused[i] += c < 0 ? 10 : 20;
    puts("alpha");
    return unused[0] == 11 ? 3 : 4;
}
END

for arch in "${targets[@]}"; do
    triple=$arch-linux-gnu
    cc=$triple-gcc-12
    "$culprit" hunt --cc "$cc" --cc "clang-19 --target=$triple" --levels -O0,-O2 --variants 1 --siblings 2 --programs 1 --random-flags \
        --seeds "$dir/plain" --store "$dir/$arch.db" -j1 --json >"$dir/$arch.json" 2>"$dir/$arch.err"
    check "$arch: variants are derived and run" quietly jq -e '.programs == 3 and .runs >= 6' "$dir/$arch.json"
    check "$arch: nothing is found" quietly jq -e '.findings == 0 and (.unconfirmed|length) == 0' "$dir/$arch.json"

    broken "$arch-cc" "$cc"
    "$culprit" hunt --cc "$dir/$arch-cc" --levels -O0,-O2 --variants 0 --programs 1 --seeds "$dir/word" --store "$dir/$arch.db" -j1 \
        >"$dir/$arch.out" 2>&1
    check "$arch: wrong code is found" grep -q 'new case .*: wrong: prints "gamma", expected "alpha"' "$dir/$arch.out"
    "$culprit" show 1 --store "$dir/$arch.db" --json >"$dir/$arch.case"
    check "$arch: the case knows its target" quietly jq -e --arg t "$triple" '.target == $t and (.bucket|startswith("gcc " + $t + "|wrong|"))' "$dir/$arch.case"
    check "$arch: plain char is signed by a flag" quietly jq -e '.flags|test("-fsigned-char")' "$dir/$arch.case"
done

arch=${targets[0]} triple=${targets[0]}-linux-gnu cc=${targets[0]}-linux-gnu-gcc-12
cp "$dir/word/word.c" "$dir/user.c"
"$culprit" investigate "$dir/user.c" --cc "$dir/$arch-cc" --flags -O2 --store "$dir/user.db" -j1 >"$dir/user.out" 2>&1
"$culprit" show 1 --store "$dir/user.db" --json >"$dir/user.case"
check "investigate: a user's program for another machine is reduced" quietly jq -e '(.reduced_variant|length) > 0 and (.reduced_variant|length) < 80 and (.undefined // "") == ""' "$dir/user.case"
check "compared with compilers of its target alone" quietly jq -e --arg t "--target=$triple" --arg own "$dir/$arch-cc" '[.matrix[].compiler]|any(contains($t)) and all(contains($t) or . == $own or startswith($t[9:]))' "$dir/user.case"
"$culprit" export 1 "$dir/export" --store "$dir/user.db" >"$dir/export.out" 2>&1
check "repro.sh shows it" quietly sh "$dir/export/repro.sh"
check "by the emulator" grep -q "qemu-$arch -L /usr/$triple " "$dir/export/repro.sh"
cp "$dir/word/word.c" "$dir/differs.c"
"$culprit" reduce --differs "$dir/$arch-cc -O0" "$dir/$arch-cc -O2" -j1 -q "$dir/differs.c" >"$dir/differs.out" 2>&1
check "reduce --differs: two commands for another machine" test "$(wc -c <"$dir/differs.c")" -lt 100
"$culprit" hunt --cc gcc-12 --cc "$cc" --programs 1 --seeds "$dir/plain" --store "$dir/two.db" >"$dir/two.out" 2>&1
check "two targets in one campaign are refused" test $? = 2
check "in one line" grep -q "one campaign has one target: gcc-12 compiles for x86_64-linux-gnu, $cc for $triple" "$dir/two.out"

# Without qemu on the PATH, the package is named; crashes need no emulator.
mkdir "$dir/bin"
for tool in "$cc" gcc-12 clang-19 gcc as ld; do ln -s "$(command -v "$tool")" "$dir/bin/"; done
PATH=$dir/bin "$culprit" hunt --cc "$cc" --programs 1 --seeds "$dir/plain" --store "$dir/bare.db" >"$dir/bare.out" 2>&1
check "without an emulator nothing is hunted" test $? = 3
check "and its package is named" grep -q "qemu-$arch is missing; Debian has it in the package qemu-user" "$dir/bare.out"
check "compilers says what is missing" eval 'PATH=$dir/bin "$culprit" compilers --installed --store "$dir/bare.db" | grep -A2 "^$cc" | grep -q "qemu-user"'
PATH=$dir/bin "$culprit" hunt --crashes --cc "$cc" --programs 1 --seeds "$dir/plain" --store "$dir/bare.db" -j1 -q --json >"$dir/bare.json" 2>&1
check "crashes are hunted without one" quietly jq -e '.programs > 5 and .findings == 0' "$dir/bare.json"

if [ "$arch" = s390x ]; then
    "$culprit" hunt --cc "$cc" --levels -O0,-O2 --variants 2 --programs 1 --seeds "$dir/order" --store "$dir/order.db" -j1 >"$dir/order.out" 2>&1
    check "what depends on the order of bytes is not run" grep -q 'order.c: only compiled: it does not do here what it does on its target' "$dir/order.out"
fi
echo "1..$number"
exit $status
