# bash completion for culprit: everything comes from `culprit COMMAND --help-complete`.

# Words for one kind of value: "@cases", "@compilers", "@files", "a|b|c", or "a,b,c" for a list of them.
_culprit_values() {
    local kind=$1 store=$2 cur=$3
    case $kind in
    @cases | @compilers)
        mapfile -t COMPREPLY < <(compgen -W "$(culprit __complete "${kind#@}" $store 2>/dev/null | cut -f 1)" -- "$cur") ;;
    @files) mapfile -t COMPREPLY < <(compgen -f -- "$cur") && compopt -o filenames 2>/dev/null ;;
    *,*)
        local before=
        [[ $cur == *,* ]] && before=${cur%,*},
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "${kind//,/ }" -- "${cur##*,}") && compopt -o nospace 2>/dev/null ;;
    ?*) mapfile -t COMPREPLY < <(compgen -W "${kind//|/ }" -- "$cur") ;;
    esac
}

_culprit() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} store= i
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(culprit --help 2>/dev/null | awk 'NF == 0 && seen { exit } /^  [a-z]/ { seen = 1; print $1 }') --help --version" -- "$cur")
        return
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do [[ ${COMP_WORDS[i]} == --store ]] && store=${COMP_WORDS[i + 1]}; done
    local table kind
    table=$(culprit "$command" --help-complete 2>/dev/null) || return
    if [[ $prev == --* ]]; then
        kind=$(awk -F '\t' -v name="$prev" '$1 == name { print $2 }' <<<"$table")
        [[ -n $kind ]] && { _culprit_values "$kind" "$store" "$cur"; return; }
    fi
    if [[ $cur == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(cut -f 1 <<<"$table" | grep '^--')" -- "$cur")
    else
        kind=$(awk -F '\t' '$1 == "*" { print $2 }' <<<"$table")
        _culprit_values "${kind:-@files}" "$store" "$cur"
    fi
}
complete -F _culprit culprit
