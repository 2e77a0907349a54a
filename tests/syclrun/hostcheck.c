/* Checks the launchers: passes all texts to a host compiler, as a user passes them to g++ or icpx.
 */
#include "runner/reference.h"
#include "syclrun/syclrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *read_all(FILE *f) {
    size_t size = 0, capacity = 1 << 16;
    char *data = ref_allocate(capacity + 1);
    for (size_t n; (n = fread(data + size, 1, capacity - size, f)) > 0;) {
        size += n;
        if (size == capacity) {
            capacity *= 2;
            data = realloc(data, capacity + 1);
            if (!data)
                abort();
        }
    }
    data[size] = '\0';
    return data;
}

/* Runs the command on a file. Returns its output, malloc'ed; *ok: whether its exit status is 0. */
static char *run(const char *command, const char *path, bool *ok) {
    size_t size = strlen(command) + strlen(path) + 20;
    char *line = ref_allocate(size);
    snprintf(line, size, "%s '%s' 2>&1", command, path);
    fflush(NULL);
    FILE *pipe = popen(line, "r"); /* NOLINT(cert-env33-c): the shell splits the flags */
    char *output = pipe ? read_all(pipe) : NULL;
    *ok = pipe && pclose(pipe) == 0;
    free(line);
    return output ? output : ref_allocate(1);
}

bool syclrun_host_check(const syclrun_text *texts, size_t text_count, const char *command,
                        const char *scratch, char **messages, char **failure) {
    char *unit = syclrun_unit(texts, 0, text_count, false);
    size_t size = strlen(scratch) + 40;
    char *path = ref_allocate(size);
    snprintf(path, size, "%s.%ld.cpp", scratch, (long)getpid());
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(unit, f) >= 0;
    ok = f && fclose(f) == 0 && ok;
    char *output = NULL;
    bool named = false;
    if (ok)
        output = run(command, path, &ok);
    for (size_t t = 0; t < text_count && !ok && output; t++) {
        messages[t] = syclrun_log_of(output, t);
        named |= messages[t] != NULL;
    }
    remove(path);
    free(path);
    free(unit);
    *failure = ok || named ? NULL : output ? output : ref_allocate(1);
    if (*failure != output)
        free(output);
    return ok || named;
}
