# What test scripts share, to be sourced: a directory of their own, and lines of TAP.
dir=$(mktemp -d)
number=0 status=0
check() { # description, command..
    number=$((number + 1))
    local what=$1
    shift
    if "$@"; then echo "ok $number - $what"; else echo "not ok $number - $what"; status=1; fi
}
