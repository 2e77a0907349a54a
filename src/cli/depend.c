/* See depend.h. What is escaped, and how, is what GNU make reads back: tests/cli/depend.sh asks it.
 */
#include "cli/depend.h"

#include <stdlib.h>
#include <string.h>

bool depend_parse(depend_options *d, cli_args *args, int argc, char **argv) {
    const char *value = args->value;
    d->wanted = true;
    if (strcmp(value, "D") == 0)
        return true;
    if (*value != 'F') {
        cli_fail(args->tool, "-MD or -MF FILE, not '-M%.80s'", value);
        return false;
    }
    d->file = value[1] ? value + 1 : cli_take(args, argc, argv);
    if (d->file && *d->file)
        return true;
    cli_fail(args->tool, "-MF needs the name of a file");
    return false;
}

/* A backslash in front makes these part of a name, and $ is doubled. Nothing does that for = ; | %
 * and control characters in every place of a rule, and a backslash is read in two ways. A leading ~
 * is somebody's home, lib(member) a part of an archive, and "a& b&:" are grouped targets. */
static const char escaped[] = " #:*?[", unreadable[] = "=;|%\\";

bool depend_can_name(const char *tool, const char *name) {
    size_t length = strlen(name);
    bool ok = *name && *name != '~' && name[length - 1] != '&' && name[length - 1] != ')';
    for (const char *c = name; *c && ok; c++)
        ok = (unsigned char)*c >= ' ' && *c != '\177' && !strchr(unreadable, *c);
    if (!ok)
        cli_fail(tool, "make cannot read the name '%s' in a dependency file (-MD): rename it",
                 name);
    return ok;
}

static void print_names(FILE *f, depend_names names) {
    for (size_t k = 0; k < names.count; k++) {
        if (k)
            fputc(' ', f);
        for (const char *c = names.at[k]; *c; c++) {
            if (strchr(escaped, *c))
                fputc('\\', f);
            if (*c == '$')
                fputc('$', f);
            fputc(*c, f);
        }
    }
}

int depend_write(const char *tool, const char *path, depend_names outputs, depend_names inputs) {
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return cli_fail(tool, "out of memory");
    print_names(f, outputs);
    fputs(inputs.count ? ": " : ":", f);
    print_names(f, inputs);
    fputc('\n', f);
    int status =
        fclose(f) == 0 ? cli_write(tool, path, text, size) : cli_fail(tool, "out of memory");
    free(text);
    return status;
}
