/* The cache of compiled kernels on disk: files named by a hash of all that went into them, written
 * by rename, and believed only when their own checksum holds. */
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

/* The folder: as asked, or $WAVE_CACHE_DIR, or wave/ in the user's cache. NULL: no caching. Free
 * it. */
char *rt_cache_folder(const char *asked);
/* False when there is no such entry or it is damaged; a damaged one is removed. */
bool rt_cache_read(const char *folder, const char *key, wave_blob *out);
/* False when it could not be written, which is no reason to stop. */
bool rt_cache_write(const char *folder, const char *key, const void *data, size_t size);

#endif
