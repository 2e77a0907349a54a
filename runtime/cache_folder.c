/* Locates the cache and checks that it can be trusted. Machine code from it is executed, so nobody
 * but the user and root may be able to change the folder or any folder on the path to it. */
#include "cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINKS = 40, PATH_SIZE = 4096, STICKY = 01000 /* S_ISVTX, which requires XSI */ };

/* ---- Its name ---- */

static char *join(const char *a, const char *b) {
    size_t size = strlen(a) + strlen(b) + 1;
    char *text = malloc(size);
    if (text)
        (void)snprintf(text, size, "%s%s", a, b);
    return text;
}

char *rt_cache_folder(const char *asked) {
    const char *folder = asked ? asked : getenv("WAVE_CACHE_DIR");
    const char *user = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (folder)
        return *folder ? join(folder, "") : NULL;
    if (user && *user)
        return join(user, "/wave");
    return home && *home ? join(home, "/.cache/wave") : NULL;
}

/* ---- The path to it ---- */

/* Walks a path from the root, one component at a time, and resolves symbolic links itself: a
 * trusted link says nothing about the folders that it leads through. */
typedef struct walk {
    char done[PATH_SIZE]; /* no links, no trailing slash: "" is the root */
    char rest[2 * PATH_SIZE];
    unsigned links;
    wave_rt_error *why;
} walk;

static bool refuse(const walk *w, const char *reason) {
    rt_fail(w->why, WAVE_RT_USAGE, "%.300s %s", *w->done ? w->done : "/", reason);
    return false;
}

static bool refuse_by(const walk *w, int code) {
    rt_fail(w->why, WAVE_RT_USAGE, "%.300s: %s", *w->done ? w->done : "/", strerror(code));
    return false;
}

static bool look(const walk *w, struct stat *status) {
    return lstat(*w->done ? w->done : "/", status) == 0 || refuse_by(w, errno);
}

static bool owner_is_trusted(const walk *w, const struct stat *status) {
    return status->st_uid == geteuid() || status->st_uid == 0 ||
           refuse(w, "belongs to another user");
}

/* In a sticky folder others can create files, but can neither remove nor rename ours. */
static bool parent_is_trusted(const walk *w) {
    struct stat status;
    if (!look(w, &status) || !owner_is_trusted(w, &status))
        return false;
    if (!S_ISDIR(status.st_mode))
        return refuse(w, "is not a folder");
    return !(status.st_mode & (S_IWGRP | S_IWOTH)) || (status.st_mode & STICKY) ||
           refuse(w, "can be changed by other users");
}

/* Inserts the target of a link before the rest of the path. */
static bool follow(walk *w) {
    char text[PATH_SIZE], rest[2 * PATH_SIZE];
    ssize_t size = readlink(w->done, text, sizeof text - 1);
    if (size < 0)
        return refuse_by(w, errno);
    text[size] = '\0';
    int length = snprintf(rest, sizeof rest, "%s/%s", text, w->rest);
    if (++w->links > MOST_LINKS || length < 0 || (size_t)length >= sizeof rest)
        return refuse_by(w, ELOOP);
    memcpy(w->rest, rest, (size_t)length + 1);
    *strrchr(w->done, '/') = '\0';
    if (*text == '/')
        *w->done = '\0';
    return true;
}

static bool enter(walk *w, const char *name, size_t length) {
    struct stat status;
    size_t used = strlen(w->done);
    if (used + length + 2 > sizeof w->done)
        return refuse_by(w, ENAMETOOLONG);
    w->done[used] = '/';
    memcpy(w->done + used + 1, name, length);
    w->done[used + 1 + length] = '\0';
    if (lstat(w->done, &status) != 0 && mkdir(w->done, 0700) != 0 && errno != EEXIST)
        return refuse_by(w, errno);
    if (!look(w, &status) || !owner_is_trusted(w, &status))
        return false;
    return S_ISLNK(status.st_mode) ? follow(w) : parent_is_trusted(w);
}

static void leave(walk *w) {
    char *slash = strrchr(w->done, '/');
    if (slash)
        *slash = '\0';
}

static bool step(walk *w) {
    char name[PATH_SIZE];
    size_t blank = strspn(w->rest, "/"), length = strcspn(w->rest + blank, "/");
    if (length >= sizeof name)
        return refuse_by(w, ENAMETOOLONG);
    memcpy(name, w->rest + blank, length);
    name[length] = '\0';
    memmove(w->rest, w->rest + blank + length, strlen(w->rest + blank + length) + 1);
    if (length == 0 || strcmp(name, ".") == 0)
        return true;
    if (strcmp(name, "..") != 0)
        return enter(w, name, length);
    leave(w);
    return true;
}

static bool begin(walk *w, const char *path) {
    char here[PATH_SIZE] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return refuse_by(w, errno);
    int length = snprintf(w->rest, sizeof w->rest, "%s/%s", here, path);
    return (length > 0 && (size_t)length < sizeof w->rest) || refuse_by(w, ENAMETOOLONG);
}

int rt_cache_open_folder(const char *path, wave_rt_error *why) {
    walk w = {.why = why};
    struct stat status;
    if (!begin(&w, path) || !parent_is_trusted(&w))
        return -1;
    while (*w.rest)
        if (!step(&w))
            return -1;
    int folder = open(*w.done ? w.done : "/", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || fstat(folder, &status) != 0) {
        refuse_by(&w, errno);
    } else if (status.st_mode & (S_IWGRP | S_IWOTH)) {
        refuse(&w, "can be changed by other users");
    } else {
        return folder;
    }
    if (folder >= 0)
        close(folder);
    return -1;
}
