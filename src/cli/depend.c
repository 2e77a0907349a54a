/* See depend.h. The escaping is what GNU make reads back, which tests/cli/depend.sh verifies. */
#include "cli/depend.h"

#include <stdlib.h>
#include <string.h>

bool depend_parse(depend_options *d, cli_args *args, int argc, char **argv) {
    const char *value = args->value;
    d->wanted = true;
    if (strcmp(value, "D") == 0)
        return true;
    if (*value != 'F') {
        cli_fail(args->tool, "expected -MD or -MF FILE, not '-M%.80s'", value);
        return false;
    }
    d->file = value[1] ? value + 1 : cli_take(args, argc, argv);
    if (d->file && *d->file)
        return true;
    cli_fail(args->tool, "-MF needs the name of a file");
    return false;
}

bool depend_is_apart(const char *tool, const depend_options *d, const char *output) {
    bool same = d->file && strcmp(d->file, output) == 0 && strcmp(output, "-") != 0;
    if (same)
        cli_fail(tool, "-MF names the output %s: name another file", output);
    return !same;
}

/* A preceding backslash makes these part of a name, and $ is doubled. No escape works for = ; | %
 * and control characters everywhere in a rule, and a backslash is ambiguous. A leading ~ is a home
 * directory, lib(member) an archive member, and "a& b&:" are grouped targets. */
static const char escaped[] = " #:*?[", unreadable[] = "=;|%\\";

static bool is_readable(const char *tool, const char *name) {
    size_t length = strlen(name);
    bool ok = *name && *name != '~' && name[length - 1] != '&' && name[length - 1] != ')';
    for (const char *c = name; *c && ok; c++)
        ok = (unsigned char)*c >= ' ' && *c != '\177' && !strchr(unreadable, *c);
    if (!ok)
        cli_fail(tool, "make cannot read the name '%s' in a dependency file (-MD): rename it",
                 name);
    return ok;
}

bool depend_can_name(const char *tool, const char *output, const depend_inputs *inputs) {
    bool ok = is_readable(tool, output) && is_readable(tool, inputs->source);
    for (size_t k = 0; ok && k < inputs->includes->count; k++)
        ok = is_readable(tool, inputs->includes->paths[k]);
    return ok;
}

static void print_name(FILE *f, const char *name) {
    for (; *name; name++) {
        if (strchr(escaped, *name))
            fputc('\\', f);
        if (*name == '$')
            fputc('$', f);
        fputc(*name, f);
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Prints each once, in an order independent of how often it was included. */
static bool print_includes(FILE *f, const cli_includes *includes) {
    size_t count = includes->count;
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names)
        return false;
    for (size_t k = 0; k < count; k++)
        names[k] = includes->paths[k];
    qsort(names, count, sizeof *names, by_name);
    for (size_t k = 0; k < count; k++)
        if (k == 0 || strcmp(names[k - 1], names[k]) != 0) {
            fputc(' ', f);
            print_name(f, names[k]);
        }
    free(names);
    return true;
}

int depend_write(const char *tool, const char *path, const char *const *outputs, size_t count,
                 const depend_inputs *inputs) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return cli_fail(tool, "out of memory");
    for (size_t k = 0; k < count; k++) {
        if (k)
            fputc(' ', f);
        print_name(f, outputs[k]);
    }
    fputc(':', f);
    if (strcmp(inputs->source, "-") != 0) {
        fputc(' ', f);
        print_name(f, inputs->source);
    }
    bool ok = print_includes(f, inputs->includes);
    fputc('\n', f);
    ok = fclose(f) == 0 && ok;
    int status = ok ? cli_write(tool, path, text, size) : cli_fail(tool, "out of memory");
    free(text);
    return status;
}

int depend_write_output(const char *tool, const depend_options *d, const char *output,
                        const wave_blob *data, const depend_inputs *inputs) {
    bool depend = d->wanted && strcmp(output, "-") != 0;
    if (depend && (!depend_is_apart(tool, d, output) || !depend_can_name(tool, output, inputs)))
        return CLI_USAGE;
    int status = cli_write(tool, output, data->data, data->size);
    if (status != CLI_OK || !depend)
        return status;
    char *chosen = d->file ? NULL : cli_with_suffix(output, ".d");
    const char *path = d->file ? d->file : chosen;
    status = path ? depend_write(tool, path, &output, 1, inputs) : cli_fail(tool, "out of memory");
    free(chosen);
    return status;
}
