/* docs/using/errors.md explains exactly the codes of diag_codes.def, each once, with a cause and a
 * cure.
 */
#include "base/diag.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 2000, MOST = 400 };

typedef struct document {
    char codes[MOST][40];
    size_t count;
} document;

/* A row is "| `CODE` | cause | cure |". */
static void read_row(document *d, const char *line) {
    char code[40], cause[LONGEST], cure[LONGEST];
    if (strncmp(line, "| `E_", 5) != 0 && strncmp(line, "| `W_", 5) != 0)
        return;
    int parts = sscanf(line, "| `%39[A-Z0-9_]` | %1999[^|] | %1999[^|] |", code, cause, cure);
    cr_expect_eq(parts, 3, "%s", line);
    cr_expect(strlen(cause) > 10 && strlen(cure) > 5, "%s", line);
    cr_assert_lt(d->count, MOST);
    strcpy(d->codes[d->count++], code);
}

static document *read_document(void) {
    document *d = calloc(1, sizeof *d);
    FILE *file = fopen("docs/using/errors.md", "r");
    cr_assert(d && file, "tests run from the top of the project");
    char line[LONGEST];
    while (fgets(line, sizeof line, file))
        read_row(d, line);
    fclose(file);
    return d;
}

static size_t times(const document *d, const char *code) {
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += strcmp(d->codes[i], code) == 0;
    return count;
}

Test(errors_doc, every_code_is_explained_once) {
    document *d = read_document();
    for (int code = 0; code < DIAG_CODE_COUNT; code++) {
        const char *name = diag_code_name((diag_code)code);
        cr_expect_eq(times(d, name), 1, "%s is explained %zu times in docs/using/errors.md", name,
                     times(d, name));
    }
    free(d);
}

Test(errors_doc, nothing_else_is_explained) {
    document *d = read_document();
    for (size_t i = 0; i < d->count; i++) {
        bool known = false;
        for (int code = 0; code < DIAG_CODE_COUNT; code++)
            known |= strcmp(diag_code_name((diag_code)code), d->codes[i]) == 0;
        cr_expect(known, "%s is not a code of the library", d->codes[i]);
    }
    free(d);
}
