/* The vendors' shared libraries: finds them by name and in the vendors' installation folders, and
 * looks up their functions. */
#include "core.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

/* A search for one library. */
typedef struct search {
    const char *const *names;
    void *library;
    char problem[400]; /* the first library that exists but does not load */
} search;

/* Such libraries start threads and register handlers, so they are never unloaded. */
static void *load(const char *path) {
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

/* Lets the system find the library. Its message about one that is not there is of no interest; one
 * about another library that this one needs does not name this one. */
static void load_named(search *s, const char *name) {
    s->library = load(name);
    const char *why = s->library ? NULL : dlerror();
    const bool absent = why && strstr(why, name) && strstr(why, "o such file"); /* No, or no */
    if (why && !absent && !s->problem[0])
        rt_copy(s->problem, sizeof s->problem, why);
}

/* ---- Folders ---- */

static void look_in(search *s, const char *folder) {
    char path[PATH_SIZE];
    for (size_t k = 0; s->names[k] && !s->library; k++) {
        int size = snprintf(path, sizeof path, "%s/%s", folder, s->names[k]);
        if (size < 0 || size >= PATH_SIZE || access(path, R_OK) != 0)
            continue;
        s->library = load(path);
        const char *why = s->library ? NULL : dlerror();
        if (why && !s->problem[0])
            rt_copy(s->problem, sizeof s->problem, why);
    }
}

/* "$NAME/lib". A relative path would depend on the current folder, so it is ignored. */
static void look_in_variable(search *s, const char *folder) {
    char name[40], path[PATH_SIZE];
    size_t length = strcspn(folder, "/");
    if (length > sizeof name)
        return;
    rt_copy(name, length, folder + 1);
    const char *value = getenv(name);
    if (!value || *value != '/')
        return;
    int size = snprintf(path, sizeof path, "%s%s", value, folder + length);
    if (size > 0 && size < PATH_SIZE)
        look_in(s, path);
}

/* Sorts later releases first. Numbers compare as numbers, so 6.10 comes before 6.9. */
static int compare_releases(const void *left, const void *right) {
    const char *a = *(char *const *)left, *b = *(char *const *)right;
    while (*a && *b) {
        size_t digits = strspn(a, "0123456789"), others = strspn(b, "0123456789");
        if (digits && others) {
            unsigned long x = strtoul(a, NULL, 10), y = strtoul(b, NULL, 10);
            if (x != y)
                return x < y ? 1 : -1;
            a += digits;
            b += others;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    return (unsigned char)*b - (unsigned char)*a;
}

static void look_in_releases(search *s, const char *pattern) {
    glob_t found;
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, compare_releases);
        for (size_t k = 0; k < found.gl_pathc && !s->library; k++)
            look_in(s, found.gl_pathv[k]);
        globfree(&found);
    }
}

static void look_in_folders(search *s, const char *const *folders) {
    for (; folders && *folders && !s->library; folders++)
        if (**folders == '$')
            look_in_variable(s, *folders);
        else if (strchr(*folders, '*'))
            look_in_releases(s, *folders);
        else
            look_in(s, *folders);
}

/* ---- Libraries ---- */

void *rt_library_open(const char *variable, const char *const *names, const char *const *folders,
                      wave_rt_error *error) {
    const char *asked = getenv(variable);
    search s = {.names = names};
    if (asked && !*asked) {
        rt_fail(error, WAVE_RT_NO_DEVICE, "turned off: %s is empty", variable);
        return NULL;
    }
    if (asked) {
        s.library = load(asked);
        if (!s.library)
            rt_fail(error, WAVE_RT_NO_DEVICE, "%s: %.400s", variable, dlerror());
        return s.library;
    }
    for (size_t k = 0; names[k] && !s.library; k++)
        load_named(&s, names[k]);
    look_in_folders(&s, folders);
    if (!s.library && s.problem[0])
        rt_fail(error, WAVE_RT_NO_DEVICE, "%s", s.problem);
    else if (!s.library)
        rt_fail(error, WAVE_RT_NO_DEVICE, "%s is not installed", names[0]);
    return s.library;
}

bool rt_library_find(void *library, const char *name, void *place) {
    void *address = dlsym(library, name);
    memcpy(place, &address, sizeof address);
    return address != NULL;
}

void rt_library_close(void *library) {
    if (library)
        dlclose(library);
}
