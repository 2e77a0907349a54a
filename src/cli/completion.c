/* `--completion=bash|zsh|fish`: a script that completes the tool's command line, generated from its
 * option table. It offers the words of a value such as "text|json"; FILE, FOLDER and operands
 * complete to files. */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

static bool is_shown(const cli_option *o) {
    return *o->help && *o->name;
}

/* The value's description, without the brackets of an optional value. */
static const char *value_text(const cli_option *o) {
    return o->value + (o->value[0] == '[');
}

static bool is_file(const cli_option *o) {
    return strstr(value_text(o), "FILE") || strstr(value_text(o), "FOLDER");
}

/* Calls `put` with each choice: words in lower case or digits, separated by bars. Returns their
 * number. */
static unsigned each_choice(const cli_option *o, void (*put)(const char *word, int length)) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    unsigned count = 0;
    if (!strchr(value_text(o), '|'))
        return 0;
    for (const char *word = value_text(o); *word;
         word += strcspn(word, "|"), word += *word == '|') {
        const size_t length = strspn(word, letters);
        if (length && strchr("|[:]", word[length])) {
            if (put)
                put(word, (int)length);
            count++;
        }
    }
    return count;
}

static void put_word(const char *word, int length) {
    printf("%.*s ", length, word);
}

static void put_choices(const cli_option *o) {
    each_choice(o, put_word);
}

static bool has_choices(const cli_option *o) {
    return each_choice(o, NULL) > 0;
}

/* A text in single quotes for a shell. */
static void put_quoted(const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr(special, *text))
            putchar('\\');
        putchar(*text);
    }
}

/* ---- bash ---- */

static void bash_values(const cli_option *o) {
    if (!*o->value || o->value[0] == '[' || (!is_file(o) && !has_choices(o)))
        return;
    printf("    --%s", o->name);
    if (o->letter)
        printf("|-%c", o->letter);
    if (is_file(o)) {
        printf(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n");
        return;
    }
    printf(") COMPREPLY=($(compgen -W '");
    put_choices(o);
    printf("' -- \"$cur\")); return ;;\n");
}

static void bash(const cli_args *args, const char *function) {
    printf("# bash completion of %s, made by %s --completion=bash\n", args->tool, args->tool);
    printf("_%s() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    if [[ $cur == = ]]; then cur=; fi\n"
           "    if [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    COMPREPLY=()\n"
           "    case $prev in\n",
           function);
    for (const cli_option *o = args->options; cli_is_option(o); o++)
        if (is_shown(o))
            bash_values(o);
    printf("    esac\n"
           "    if [[ $cur == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W '");
    for (const cli_option *o = args->options; cli_is_option(o); o++)
        if (is_shown(o))
            printf("--%s%s ", o->name, *o->value && o->value[0] != '[' ? "=" : "");
    printf("--help --version' -- \"$cur\"))\n"
           "        if [[ ${COMPREPLY-} == *= ]]; then compopt -o nospace; fi\n"
           "    else\n"
           "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
           "    fi\n"
           "}\n"
           "complete -o filenames -F _%s %s\n",
           function, args->tool);
}

/* ---- zsh ---- */

static bool is_optional(const cli_option *o) {
    return o->value[0] == '[';
}

/* One name of an option. `sign` says where its value is: "=" after an equals sign or in the next
 * word, "=-" after an equals sign only, "-" in the same word, "+" in the same or the next word. */
static void zsh_name(const cli_option *o, const char *name, const char *sign) {
    printf("    '*%s%s[", name, *o->value ? sign : "");
    put_quoted(o->help, "[]:\\");
    printf("]");
    if (*o->value) {
        printf(is_optional(o) ? "::value:" : ":value:");
        if (is_file(o)) {
            printf("_files");
        } else if (has_choices(o)) {
            printf("(");
            put_choices(o);
            printf(")");
        } else {
            printf(" ");
        }
    }
    printf("' \\\n");
}

static void zsh_option(const cli_option *o) {
    char name[64];
    (void)snprintf(name, sizeof name, "--%s", o->name);
    zsh_name(o, name, is_optional(o) ? "=-" : "=");
    if (o->letter) {
        const char letter[] = {'-', o->letter, '\0'};
        zsh_name(o, letter, is_optional(o) ? "-" : "+");
    }
}

static void zsh(const cli_args *args, const char *function) {
    printf("#compdef %s\n# zsh completion of %s, made by %s --completion=zsh\n", args->tool,
           args->tool, args->tool);
    printf("_%s() {\n    _arguments \\\n", function);
    for (const cli_option *o = args->options; cli_is_option(o); o++)
        if (is_shown(o))
            zsh_option(o);
    printf("    '--help[print this and exit]' \\\n"
           "    '--version[print the version and exit]' \\\n"
           "    '*:file:_files'\n}\n_%s \"$@\"\n",
           function);
}

/* ---- fish ---- */

static void fish(const cli_args *args) {
    printf("# fish completion of %s, made by %s --completion=fish\n", args->tool, args->tool);
    for (const cli_option *o = args->options; cli_is_option(o); o++) {
        if (!is_shown(o))
            continue;
        printf("complete -c %s -l %s", args->tool, o->name);
        if (o->letter)
            printf(" -s %c", o->letter);
        if (*o->value && o->value[0] != '[')
            printf(is_file(o) ? " -r" : " -x");
        if (*o->value && has_choices(o)) {
            printf(" -a '");
            put_choices(o);
            printf("'");
        }
        printf(" -d '");
        put_quoted(o->help, "");
        printf("'\n");
    }
    printf("complete -c %s -l help -d 'print this and exit'\n", args->tool);
    printf("complete -c %s -l version -d 'print the version and exit'\n", args->tool);
}

bool cli_print_completion(const cli_args *args, const char *shell) {
    char function[32];
    size_t length = 0;
    for (const char *c = args->tool; *c && length + 1 < sizeof function; c++)
        function[length++] = *c == '-' ? '_' : *c;
    function[length] = '\0';
    if (strcmp(shell, "bash") == 0)
        bash(args, function);
    else if (strcmp(shell, "zsh") == 0)
        zsh(args, function);
    else if (strcmp(shell, "fish") == 0)
        fish(args);
    else
        return false;
    return true;
}
