_hyperbaton_completion() {
    local IFS=$'\n'
    COMPREPLY=( $(hyperbaton --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) )
}
complete -o default -F _hyperbaton_completion hyperbaton
