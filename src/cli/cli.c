/* Command-line options, handled the same way by every tool, and the printing of diagnostics. Files
 * are in files.c. */
#include "cli/cli.h"

#include "cli/completion.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Escapes the message, because the paths and names in it may contain anything. */
int cli_fail(const char *tool, const char *format, ...) {
    va_list args, again;
    fflush(stdout);
    fprintf(stderr, "%s: ", tool);
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text) {
        vsnprintf(text, (size_t)length + 1, format, again);
        cli_put_text(stderr, text, false);
    }
    va_end(again);
    va_end(args);
    free(text);
    fputc('\n', stderr);
    return CLI_USAGE;
}

int cli_fail_usage(const cli_args *args, const char *what) {
    cli_fail(args->tool, "%s", what);
    fprintf(stderr, "usage: %s\n", args->usage);
    return CLI_USAGE;
}

/* ---- Nearest word ---- */

enum { LONGEST_WORD = 40 };

/* Edit distance with transpositions (optimal string alignment), for words up to LONGEST_WORD. */
static size_t distance(const char *a, const char *b) {
    size_t row[3][LONGEST_WORD + 1];
    size_t n = strlen(a), m = strlen(b);
    for (size_t j = 0; j <= m; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *above = row[(i + 2) % 3], *two_above = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *cli_nearest(const char *text, const char *const *words) {
    const char *nearest = NULL;
    size_t length = strlen(text), best = length / 3 + 2; /* up to a third may be wrong */
    if (length > LONGEST_WORD)
        return NULL;
    for (; *words; words++) {
        size_t d = strlen(*words) <= LONGEST_WORD ? distance(text, *words) : best;
        if (d < best) {
            best = d;
            nearest = *words;
        }
    }
    return nearest;
}

/* ---- Options ---- */

static bool value_is_optional(const cli_option *o) {
    return o->value[0] == '[';
}

static void print_help(const cli_args *args) {
    printf("usage: %s\n", args->usage);
    if (args->about)
        printf("\n%s\n", args->about);
    if (*args->options->name)
        printf("\noptions:\n");
    for (const cli_option *o = args->options; cli_is_option(o); o++) {
        char left[80], letter[8] = "";
        if (!*o->help)
            continue;
        if (!*o->name) {
            printf("\n%s:\n", o->help);
            continue;
        }
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        bool optional = value_is_optional(o);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name,
                 !*o->value ? ""
                 : optional ? "[="
                            : "=",
                 o->value + optional);
        if (strlen(left) > 26)
            printf("  %s\n  %-26s %s\n", left, "", o->help);
        else
            printf("  %-26s %s\n", left, o->help);
    }
    printf("  %-26s %s\n  %-26s %s\n", "--help", "print this and exit", "--version",
           "print the version and exit");
    if (args->notes)
        printf("\n%s\n", args->notes);
}

static int finish(cli_args *args, int status) {
    args->status = status;
    return -1;
}

static int unknown_option(cli_args *args, const char *name, size_t length) {
    enum { MOST = 64 };
    const char *names[MOST + 3] = {"help", "version"};
    size_t count = 2;
    char word[LONGEST_WORD + 1] = "";
    for (const cli_option *o = args->options; cli_is_option(o) && count < MOST; o++)
        if (*o->name)
            names[count++] = o->name;
    if (length <= LONGEST_WORD)
        memcpy(word, name, length);
    const char *nearest = *word ? cli_nearest(word, names) : NULL;
    if (nearest)
        cli_fail(args->tool, "unknown option --%.*s; did you mean --%s?", (int)length, name,
                 nearest);
    else
        cli_fail(args->tool, "unknown option --%.*s; try %s --help", (int)length, name, args->tool);
    return finish(args, CLI_USAGE);
}

/* Takes the value from `attached` or the next argument. */
static int take_value(cli_args *args, const cli_option *o, const char *attached, int argc,
                      char **argv) {
    args->value = NULL;
    if (!*o->value && attached) {
        cli_fail(args->tool, "--%s takes no value", o->name);
        return finish(args, CLI_USAGE);
    }
    if (!*o->value)
        return o->id;
    if (!attached && value_is_optional(o))
        return o->id;
    if (!attached && args->at >= argc) {
        cli_fail(args->tool, "--%s needs a value: --%s=%s", o->name, o->name, o->value);
        return finish(args, CLI_USAGE);
    }
    args->value = attached ? attached : argv[args->at++];
    if (!*args->value && strcmp(o->value, "FILE") == 0) {
        cli_fail(args->tool, "--%s needs the name of a file", o->name);
        return finish(args, CLI_USAGE);
    }
    return o->id;
}

static int long_option(cli_args *args, const char *text, int argc, char **argv) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    if (length == 4 && memcmp(text, "help", 4) == 0) {
        print_help(args);
        return finish(args, cli_finish(args->tool, CLI_OK));
    }
    if (length == 7 && memcmp(text, "version", 7) == 0) {
        printf("%s %s\n", args->tool, wave_version());
        return finish(args, cli_finish(args->tool, CLI_OK));
    }
    if (length == 10 && memcmp(text, "completion", 10) == 0 && equals) {
        if (cli_print_completion(args, equals + 1))
            return finish(args, cli_finish(args->tool, CLI_OK));
        cli_fail(args->tool, "--completion is for bash, zsh or fish");
        return finish(args, CLI_USAGE);
    }
    for (const cli_option *o = args->options; cli_is_option(o); o++)
        if (length && strlen(o->name) == length && memcmp(o->name, text, length) == 0)
            return take_value(args, o, equals ? equals + 1 : NULL, argc, argv);
    return unknown_option(args, text, length);
}

static int short_option(cli_args *args, const char *text, int argc, char **argv) {
    for (const cli_option *o = args->options; cli_is_option(o); o++) {
        if (!o->letter || o->letter != text[0])
            continue;
        return take_value(args, o, text[1] ? text + 1 : NULL, argc, argv);
    }
    if (strcmp(text, "h") == 0)
        return long_option(args, "help", argc, argv);
    cli_fail(args->tool, "unknown option -%s; try %s --help", text, args->tool);
    return finish(args, CLI_USAGE);
}

int cli_next(cli_args *args, int argc, char **argv) {
    if (args->at == 0) {
        args->at = 1;
        signal(SIGPIPE, SIG_IGN); /* a closed pipe is an ordinary write error: see cli_finish */
    }
    while (args->at < argc) {
        const char *arg = argv[args->at++];
        if (args->only_operands || arg[0] != '-' || arg[1] == '\0') {
            args->value = arg;
            return CLI_OPERAND;
        }
        if (strcmp(arg, "--") == 0)
            args->only_operands = true;
        else if (arg[1] == '-')
            return long_option(args, arg + 2, argc, argv);
        else
            return short_option(args, arg + 1, argc, argv);
    }
    args->value = NULL;
    return 0;
}

const char *cli_take(cli_args *args, int argc, char **argv) {
    return args->at < argc ? argv[args->at++] : NULL;
}

int cli_unexpected(const cli_args *args, const char *operand) {
    cli_fail(args->tool, "unexpected operand '%s'", operand);
    fprintf(stderr, "usage: %s\n", args->usage);
    return CLI_USAGE;
}

bool cli_number(const char *text, uint64_t most, uint64_t *value) {
    unsigned base = 10;
    uint64_t number = 0;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    }
    if (!*text)
        return false;
    for (; *text; text++) {
        static const char digits[] = "0123456789abcdef";
        char lower = (char)(*text >= 'A' && *text <= 'F' ? *text - 'A' + 'a' : *text);
        const char *found = memchr(digits, lower, base);
        if (!found)
            return false;
        unsigned digit = (unsigned)(found - digits);
        if (digit > most || number > (most - digit) / base)
            return false;
        number = number * base + digit;
    }
    *value = number;
    return true;
}

bool cli_is_real(const char *text) {
    static const char *const names[] = {"inf", "nan", "NaN", NULL};
    const char *digits = text + (*text == '-' || *text == '+');
    return cli_choice(digits, names) >= 0 ||
           (*digits && digits[strspn(digits, "0123456789.eE+-")] == '\0');
}

bool cli_triple(const char *text, uint32_t out[3]) {
    for (int k = 0; k < 3; k++) {
        char part[16] = "";
        uint64_t value = 1;
        size_t length = text ? strcspn(text, ",") : 0;
        if (length < sizeof part && text)
            memcpy(part, text, length);
        if (text && (!cli_number(part, UINT32_MAX, &value) || value == 0))
            return false;
        out[k] = (uint32_t)value;
        text = text && text[length] ? text + length + 1 : NULL;
    }
    return !text;
}

int cli_choice(const char *text, const char *const *choices) {
    for (int i = 0; choices[i]; i++)
        if (strcmp(text, choices[i]) == 0)
            return i;
    return -1;
}

char *cli_with_suffix(const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - path) : strlen(path);
    size_t size = stem + strlen(suffix) + 1;
    char *name = malloc(size);
    if (name)
        (void)snprintf(name, size, "%.*s%s", (int)stem, path, suffix);
    return name;
}

/* ---- Diagnostics ---- */

bool cli_diag_format_option(const char *tool, const char *text, cli_diag_format *format) {
    static const char *const names[] = {"text", "json", NULL};
    int choice = cli_choice(text, names);
    if (choice < 0) {
        cli_fail(tool, "--diagnostics is text or json, not '%s'", text);
        return false;
    }
    *format = (cli_diag_format)choice;
    return true;
}

bool cli_wants_color(int descriptor) {
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(descriptor) && !(no_color && *no_color) &&
           !(terminal && strcmp(terminal, "dumb") == 0);
}

void cli_show_diags(const wave_diags *diags, const char *input, cli_diag_format format) {
    wave_diag_style style = format == CLI_DIAG_JSON          ? WAVE_DIAG_JSON
                            : cli_wants_color(STDERR_FILENO) ? WAVE_DIAG_COLOR
                                                             : WAVE_DIAG_TEXT;
    wave_blob text = {0};
    fflush(stdout); /* keeps the two streams in order on a terminal */
    if (wave_diags_format(diags, input, style, &text) == WAVE_OK && text.size)
        fwrite(text.data, 1, text.size, stderr);
    wave_blob_free(&text);
}

int cli_status(const char *tool, wave_status status) {
    switch (status) {
    case WAVE_OK: return CLI_OK;
    case WAVE_ERROR_INPUT:
    case WAVE_ERROR_LIMIT: return CLI_BAD_INPUT;
    case WAVE_ERROR_MEMORY: return cli_fail(tool, "out of memory");
    case WAVE_ERROR_USAGE: break;
    }
    return cli_fail(tool, "the options contradict each other");
}
