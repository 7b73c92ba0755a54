/* A compiler with bugs planted by rule, for tests of what makes two failures the same: a script
 * around gcc-12 that changes the program before it compiles it.
 *
 *     triple(x)    comes out as x * 4 instead of x * 3   cured by -fno-triple
 *     quarter(x)   comes out as x / 2 instead of x / 4   cured by -fno-quarter
 *     keep(x)      dies of signal 11                     cured by -fno-keep
 *     stop(x)      dies of signal 6
 *     spin(x)      never ends
 *     ice_one      crashes "in one, at planted.c:1"; after an error where the program has one
 *     ice_two      crashes "in two, at planted.c:2", unless `calm` is in the program; before
 * ice_one ice_vregs    crashes in extract_insn, in pass vregs ice_split    crashes in extract_insn,
 * in pass split1, unless ice_vregs is in the program slow_one     compiles for ever refuse_one   is
 * refused; refuse_two, otherwise lost_one     does not link
 *
 * Other compilers see these as macros: PLANTED_HEAD is at the head of every program. */
#ifndef CULPRIT_TEST_PLANTED_H
#define CULPRIT_TEST_PLANTED_H

#include "base/file.h"
#include "test.h"
#include <sys/stat.h>

#define PLANTED_HEAD                                                                               \
    "#define triple(x) ((x) * 3)\n#define quarter(x) ((x) / 4)\n#define keep(x) (x)\n"             \
    "#define stop(x) (x)\n#define spin(x) (x)\n"

static const char planted_script[] =
    "#!/bin/sh\n"
    "in= out= off=' '\n"
    "[ \"$1\" = -v ] && { echo 'planted 1.0' >&2; exit 0; }\n"
    "for w in \"$@\"; do\n"
    "  shift\n"
    "  case $w in\n"
    "  *.c) in=$w; set -- \"$@\" -x c \"$w.planted\" -x none ;;\n"
    "  -fno-triple|-fno-quarter|-fno-keep) off=\"$off$w \" ;;\n"
    "  *) set -- \"$@\" \"$w\" ;;\n"
    "  esac\n"
    "done\n"
    "[ -z \"$in\" ] && exec gcc-12 \"$@\"\n"
    "one() { sed 's/^#define.*//' \"$in\" | grep -q \"$1\"; }\n"
    "insn() { echo \"during RTL pass: $1\" >&2; crash extract_insn 7; }\n"
    "crash() { gcc-12 -fsyntax-only -w -x c \"$in\"\n"
    "  echo \"$in:1:1: internal compiler error: in $1, at planted.c:$2\" >&2; exit 1; }\n"
    "one calm || { one ice_two && crash two 2; }\n"
    "one ice_one && crash one 1\n"
    "one ice_vregs && insn vregs\n"
    "one ice_split && insn split1\n"
    "one slow_one && while :; do :; done\n"
    "one refuse_one && { echo \"$in:1:1: error: refused for 'one' reason\" >&2; exit 1; }\n"
    "one refuse_two && { echo \"$in:1:1: error: the second way of refusing\" >&2; exit 1; }\n"
    "bug() { case $off in *\" -fno-$1 \"*) ;; *) sed -i \"s/^#define $1(x).*/#define $1(x) $2/\""
    " \"$in.planted\" ;; esac; }\n"
    "cp \"$in\" \"$in.planted\"\n"
    "bug triple '((x) * 4)'\n"
    "bug quarter '((x) \\/ 2)'\n"
    "bug keep '(*(volatile int *)0 = (x))'\n"
    "bug stop '(__builtin_abort(), (x))'\n"
    "bug spin '(__extension__ ({ for (;;) ; 0; }))'\n"
    "one lost_one && echo 'extern int culprit_lost; int *culprit_find = &culprit_lost;'"
    " >>\"$in.planted\"\n"
    "exec gcc-12 \"$@\"\n";

/* The script in dir; its path. */
static inline const char *planted_compiler(Arena *arena, const char *dir) {
    Error err = { 0 };
    const char *path = file_join(arena, dir, "planted-cc");
    assert_true(file_write(path, str_from(planted_script), &err));
    assert_int_equal(chmod(path, 0755), 0);
    return path;
}

#endif
