# complete.zsh FOLDER LINE: prints the line as an interactive zsh completes it, with the completion scripts of the
# folder. Only an interactive zsh completes, so one runs in a pseudo-terminal. The shell prints READY when its line
# editor has started: keys sent before that would be handled by the terminal.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; zle-line-init() { print -rn 'REA''DY' }; zle -N zle-line-init"
zpty -r shell out '*READY*'
zpty -n -w shell "$2"$'\t'
# The answer is complete when the shell reads the next key, here the one that clears the line.
zpty -n -w shell $'\x15print DO""NE\n'
zpty -r shell out '*DONE*'
zpty -d shell
setopt extended_glob
print -r -- "${out//$'\e'\[[0-9;?]#[a-zA-Z]/}"
