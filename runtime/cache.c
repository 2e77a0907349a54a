/* Keys and files of the cache. Its folder is in cache_folder.c, its size limit in cache_limit.c. A
 * file consists of a magic word, the SHA-256 of the contents, and the contents. */
#include "cache.h"

#include "build_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'W', 'A', 'V', 'E', 'R', 'T', '1', '\n'};
enum { HEADER = sizeof magic + 32, TEMPORARY_SIZE = RT_KEY_SIZE + 32 };

/* ---- Keys ---- */

void rt_key_start(rt_sha256 *h) {
    rt_sha256_start(h);
    rt_key_text(h, wave_version());
    rt_key_text(h, WAVE_BUILD_ID);
}

void rt_key_add(rt_sha256 *h, const void *data, size_t size) {
    uint8_t length[8];
    for (int k = 0; k < 8; k++)
        length[k] = (uint8_t)((uint64_t)size >> (8 * k));
    rt_sha256_add(h, length, sizeof length);
    rt_sha256_add(h, data, size);
}

void rt_key_text(rt_sha256 *h, const char *text) {
    rt_key_add(h, text, strlen(text));
}

void rt_key_end(rt_sha256 *h, char key[RT_KEY_SIZE]) {
    static const char digits[] = "0123456789abcdef";
    uint8_t digest[32];
    rt_sha256_end(h, digest);
    for (int k = 0; k < 32; k++) {
        key[2 * k] = digits[digest[k] >> 4];
        key[2 * k + 1] = digits[digest[k] & 15];
    }
    key[64] = '\0';
}

/* ---- The cache ---- */

bool rt_cache_open(rt_cache *cache, const char *asked, wave_rt_error *why) {
    char *path = rt_cache_folder(asked);
    *cache = (rt_cache){.folder = -1};
    if (path && rt_cache_limit(&cache->limit, why) && cache->limit)
        cache->folder = rt_cache_open_folder(path, why);
    free(path);
    return cache->folder >= 0;
}

void rt_cache_close(rt_cache *cache) {
    if (cache->folder >= 0)
        close(cache->folder);
    cache->folder = -1;
}

void rt_cache_remove(const rt_cache *cache, const char *key) {
    if (cache->folder >= 0)
        (void)unlinkat(cache->folder, key, 0);
}

/* A single entry may take at most a quarter of the limit. */
static uint64_t most(const rt_cache *cache) {
    return cache->limit / 4;
}

/* ---- Reading ---- */

static void checksum(const void *data, size_t size, uint8_t digest[32]) {
    rt_sha256 h;
    rt_sha256_start(&h);
    rt_sha256_add(&h, data, size);
    rt_sha256_end(&h, digest);
}

/* True for a file that belongs to the user and whose size is valid for an entry. */
static bool is_entry(const rt_cache *cache, int file, struct stat *status) {
    return fstat(file, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
           status->st_size >= HEADER && (uint64_t)status->st_size <= most(cache);
}

static bool read_all(int file, uint8_t *data, size_t size) {
    while (size) {
        ssize_t got = read(file, data, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        data += got;
        size -= (size_t)got;
    }
    return true;
}

static bool read_contents(const rt_cache *cache, int file, wave_blob *out) {
    uint8_t header[HEADER], digest[32];
    struct stat status;
    if (!is_entry(cache, file, &status) || !read_all(file, header, HEADER) ||
        memcmp(header, magic, sizeof magic) != 0)
        return false;
    size_t size = (size_t)status.st_size - HEADER;
    uint8_t *data = malloc(size + 1);
    bool good = data && read_all(file, data, size);
    if (good) {
        checksum(data, size, digest);
        good = memcmp(digest, header + sizeof magic, sizeof digest) == 0;
    }
    if (!good) {
        free(data);
        return false;
    }
    data[size] = '\0';
    *out = (wave_blob){.data = data, .size = size};
    return true;
}

/* The modification time of an entry is the time of its last use. */
bool rt_cache_read(const rt_cache *cache, const char *key, wave_blob *out) {
    if (cache->folder < 0)
        return false;
    int file = openat(cache->folder, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool absent = file < 0 && errno == ENOENT, good = file >= 0 && read_contents(cache, file, out);
    if (good)
        (void)futimens(file, NULL);
    if (file >= 0)
        close(file);
    if (!good && !absent)
        rt_cache_remove(cache, key);
    return good;
}

/* ---- Writing ---- */

static bool write_all(int file, const void *data, size_t size) {
    const uint8_t *at = data;
    while (size) {
        ssize_t put = write(file, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

static bool write_contents(int file, const void *data, size_t size) {
    uint8_t digest[32];
    checksum(data, size, digest);
    return write_all(file, magic, sizeof magic) && write_all(file, digest, sizeof digest) &&
           write_all(file, data, size);
}

/* "KEY.PID.NUMBER": several threads of a process may write the same entry. */
static int make_temporary(const rt_cache *cache, const char *key, char name[TEMPORARY_SIZE]) {
    int file = -1;
    for (unsigned k = 0; k < 100 && file < 0; k++) {
        (void)snprintf(name, TEMPORARY_SIZE, "%s.%ld.%u", key, (long)getpid(), k);
        file =
            openat(cache->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (file < 0 && errno != EEXIST)
            return -1;
    }
    return file;
}

bool rt_cache_write(const rt_cache *cache, const char *key, const void *data, size_t size) {
    char temporary[TEMPORARY_SIZE];
    if (cache->folder < 0 || size + HEADER > most(cache))
        return false;
    int file = make_temporary(cache, key, temporary);
    if (file < 0)
        return false;
    bool good = write_contents(file, data, size);
    good = close(file) == 0 && good;
    good = good && renameat(cache->folder, temporary, cache->folder, key) == 0;
    if (good)
        rt_cache_trim(cache->folder, cache->limit, key);
    else
        (void)unlinkat(cache->folder, temporary, 0);
    return good;
}
