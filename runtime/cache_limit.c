/* Limits the size of the cache. When it is exceeded, the least recently used entries and
 * half-written files that a process left behind are removed. */
#include "cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_MEBIBYTES = 1024, MOST_MEBIBYTES = 999999, NAME_SIZE = 96, STALE_SECONDS = 3600 };

bool rt_cache_limit(uint64_t *limit, wave_rt_error *why) {
    const char *text = getenv("WAVE_CACHE_SIZE");
    unsigned mebibytes = DEFAULT_MEBIBYTES;
    if (text && *text && (!rt_index(text, &mebibytes) || mebibytes > MOST_MEBIBYTES)) {
        rt_fail(why, WAVE_RT_USAGE,
                "WAVE_CACHE_SIZE is a number of mebibytes of at most %d, not '%.40s'",
                MOST_MEBIBYTES, text);
        return false;
    }
    *limit = (uint64_t)mebibytes << 20;
    return true;
}

/* ---- Making room ---- */

typedef struct entry {
    char name[NAME_SIZE];
    time_t used;
    uint64_t size;
} entry;

typedef struct inventory {
    entry *entries;
    size_t count, capacity;
    uint64_t total;
} inventory;

/* True for a key, or a key with the suffix of a temporary file. Other files in the folder are not
 * ours. */
static bool is_ours(const char *name) {
    size_t digits = strspn(name, "0123456789abcdef");
    return digits == RT_KEY_SIZE - 1 && (!name[digits] || name[digits] == '.') &&
           strlen(name) < NAME_SIZE;
}

static bool add(inventory *all, const char *name, const struct stat *status) {
    if (all->count == all->capacity) {
        size_t capacity = all->capacity ? 2 * all->capacity : 64;
        entry *moved = realloc(all->entries, capacity * sizeof *moved);
        if (!moved)
            return false;
        all->entries = moved;
        all->capacity = capacity;
    }
    entry *e = &all->entries[all->count++];
    *e = (entry){.used = status->st_mtime, .size = (uint64_t)status->st_size};
    rt_copy(e->name, sizeof e->name, name);
    all->total += e->size;
    return true;
}

static bool is_stale(const char *name, const struct stat *status) {
    return strchr(name, '.') && time(NULL) - status->st_mtime > STALE_SECONDS;
}

static void take_inventory(int folder, inventory *all) {
    int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = own >= 0 ? fdopendir(own) : NULL;
    if (!list) {
        if (own >= 0)
            close(own);
        return;
    }
    for (const struct dirent *e; (e = readdir(list));) {
        struct stat status;
        if (!is_ours(e->d_name) || fstatat(folder, e->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode))
            continue;
        if (is_stale(e->d_name, &status))
            (void)unlinkat(folder, e->d_name, 0);
        else if (!add(all, e->d_name, &status))
            break;
    }
    closedir(list);
}

static int by_use(const void *left, const void *right) {
    const entry *a = left, *b = right;
    if (a->used != b->used)
        return a->used < b->used ? -1 : 1;
    return strcmp(a->name, b->name);
}

void rt_cache_trim(int folder, uint64_t limit, const char *keep) {
    inventory all = {0};
    take_inventory(folder, &all);
    if (all.total > limit)
        qsort(all.entries, all.count, sizeof *all.entries, by_use);
    for (size_t k = 0; k < all.count && all.total > limit; k++) {
        const entry *e = &all.entries[k];
        if (strcmp(e->name, keep) != 0 && unlinkat(folder, e->name, 0) == 0)
            all.total -= e->size;
    }
    free(all.entries);
}
