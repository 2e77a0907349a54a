/* The cache of compiled kernels on disk: files named by a hash of all that went into them, written
 * by rename, and believed only when they are the user's own and their checksum holds. */
#ifndef RUNTIME_CACHE_H
#define RUNTIME_CACHE_H

#include "rt.h"

typedef struct rt_sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[64];
} rt_sha256;

void rt_sha256_start(rt_sha256 *h);
void rt_sha256_add(rt_sha256 *h, const void *data, size_t size);
void rt_sha256_end(rt_sha256 *h, uint8_t digest[32]);

enum { RT_KEY_SIZE = 65 };

/* Starts a key with the version and the build of this library; then each part with its length, so
 * that no two lists of parts are the same bytes. */
void rt_key_start(rt_sha256 *h);
void rt_key_add(rt_sha256 *h, const void *data, size_t size);
void rt_key_text(rt_sha256 *h, const char *text);
void rt_key_end(rt_sha256 *h, char key[RT_KEY_SIZE]);

/* The cache of compiled kernels. Nothing is in one whose folder is below 0. */
typedef struct rt_cache {
    int folder;
    uint64_t limit; /* bytes of all entries */
} rt_cache;

/* False when there is none to be used: with the reason in `why`, or without a message when nobody
 * wants one. `asked` is a folder, "" for none, NULL for the user's. */
bool rt_cache_open(rt_cache *cache, const char *asked, wave_rt_error *why);
void rt_cache_close(rt_cache *cache);

/* False when there is no such entry or it is not to be believed; then it is removed. */
bool rt_cache_read(const rt_cache *cache, const char *key, wave_blob *out);
/* False when it could not be written or is too large, which is no reason to stop. */
bool rt_cache_write(const rt_cache *cache, const char *key, const void *data, size_t size);
void rt_cache_remove(const rt_cache *cache, const char *key);

/* ---- Its parts ---- */

/* The folder's name: as asked, or $WAVE_CACHE_DIR, or wave/ in the user's cache. NULL: no caching.
 * Free it. */
char *rt_cache_folder(const char *asked);
/* Makes the folder where it is missing and opens it; -1, with the reason, when it cannot be had or
 * others than the user and root could change it. */
int rt_cache_open_folder(const char *path, wave_rt_error *why);
/* $WAVE_CACHE_SIZE in bytes; false when that is no size. */
bool rt_cache_limit(uint64_t *limit, wave_rt_error *why);
/* Removes entries until all are within the limit, the one that was used last longest ago first, but
 * never `keep`. */
void rt_cache_trim(int folder, uint64_t limit, const char *keep);

#endif
