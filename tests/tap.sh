# What test scripts share, to be sourced: a directory of their own, and lines of TAP.
dir=$(mktemp -d)
number=0 status=0
check() { # description, command..
    number=$((number + 1))
    local what=$1
    shift
    if "$@"; then echo "ok $number - $what"; else echo "not ok $number - $what"; status=1; fi
}
# gcc-12, but that it crashes on each program which meets a condition: a shell command on $source.
crashing_cc() { # file, condition
    cat >"$1" <<EOF
#!/bin/sh
[ "\$1" = -v ] && exit 0
for word; do case \$word in *.c) source=\$word ;; esac; done
if [ -n "\$source" ] && $2; then
    echo "\$source:1:1: internal compiler error: in planted, at planted.c:7" >&2
    exit 4
fi
exec gcc-12 "\$@"
EOF
    chmod +x "$1"
}
# Two thirds of all counts of "if" are fine: variants bring the others.
some_counts='[ $(($(grep -c "if (" "$source") % 3)) = 2 ]'
