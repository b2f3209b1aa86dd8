function __hyperbaton_complete
    set -l words (commandline -opc) (commandline -ct)
    hyperbaton --complete $words[2..-1] 2>/dev/null
end
complete -c hyperbaton -a '(__hyperbaton_complete)'
