#compdef hyperbaton
_hyperbaton() {
    local -a candidates
    candidates=(${(f)"$(hyperbaton --complete "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#candidates )); then compadd -a candidates; else _files; fi
}
if [ "$funcstack[1]" = "_hyperbaton" ]; then
    _hyperbaton "$@"
else
    compdef _hyperbaton hyperbaton
fi
