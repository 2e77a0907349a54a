/* The on-disk cache of compiled kernels. Files are named by a hash of all their inputs and written
 * by rename. They are trusted only when the user owns them and their checksum matches. */
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

/* Starts a key with the version and build of this library. Each part is then added with its length,
 * so that different lists of parts never hash the same bytes. */
void rt_key_start(rt_sha256 *h);
void rt_key_add(rt_sha256 *h, const void *data, size_t size);
void rt_key_text(rt_sha256 *h, const char *text);
void rt_key_end(rt_sha256 *h, char key[RT_KEY_SIZE]);

/* The cache of compiled kernels. It is empty when `folder` is negative. */
typedef struct rt_cache {
    int folder;
    uint64_t limit; /* total bytes of all entries */
} rt_cache;

/* Returns false when no cache is available: with the reason in `why`, or without a message when
 * caching is turned off. `asked` is a folder, "" for none, NULL for the user's. */
bool rt_cache_open(rt_cache *cache, const char *asked, wave_rt_error *why);
void rt_cache_close(rt_cache *cache);

/* Returns false when there is no such entry or it is not trusted; an untrusted entry is removed. */
bool rt_cache_read(const rt_cache *cache, const char *key, wave_blob *out);
/* Returns false when the entry could not be written or is too large; callers go on without it. */
bool rt_cache_write(const rt_cache *cache, const char *key, const void *data, size_t size);
void rt_cache_remove(const rt_cache *cache, const char *key);

/* ---- Its parts ---- */

/* The folder's name: as asked, or $WAVE_CACHE_DIR, or wave/ in the user's cache. NULL: no caching.
 * Free it. */
char *rt_cache_folder(const char *asked);
/* Creates the folder if it is missing and opens it. Returns -1, with the reason, when that fails or
 * users other than this one and root could change it. */
int rt_cache_open_folder(const char *path, wave_rt_error *why);
/* Reads $WAVE_CACHE_SIZE in bytes; false when it is not a valid size. */
bool rt_cache_limit(uint64_t *limit, wave_rt_error *why);
/* Removes the least recently used entries until the rest are within the limit, but never `keep`. */
void rt_cache_trim(int folder, uint64_t limit, const char *keep);

#endif
