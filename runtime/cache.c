/* Keys and files of the cache. A file is a magic word, the SHA-256 of the contents, the contents.
 */
#include "cache.h"

#include "build_id.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'W', 'A', 'V', 'E', 'R', 'T', '1', '\n'};
enum { HEADER = sizeof magic + 32 };

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

/* ---- Folder ---- */

static char *join(const char *a, const char *b, const char *c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(size);
    if (text)
        (void)snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

char *rt_cache_folder(const char *asked) {
    const char *folder = asked ? asked : getenv("WAVE_CACHE_DIR");
    const char *user = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (folder)
        return *folder ? join(folder, "", "") : NULL;
    if (user && *user)
        return join(user, "/wave", "");
    return home && *home ? join(home, "/.cache/wave", "") : NULL;
}

static bool make_folders(const char *path) {
    char *copy = join(path, "/", "");
    if (!copy)
        return false;
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(copy, 0700); /* one that cannot be made shows when the file is */
        *slash = '/';
    }
    free(copy);
    return true;
}

static char *file_name(const char *folder, const char *key, const char *ending) {
    char *start = join(folder, "/", key);
    char *name = start ? join(start, ending, "") : NULL;
    free(start);
    return name;
}

/* ---- Files ---- */

static void checksum(const void *data, size_t size, uint8_t digest[32]) {
    rt_sha256 h;
    rt_sha256_start(&h);
    rt_sha256_add(&h, data, size);
    rt_sha256_end(&h, digest);
}

static bool read_contents(FILE *file, wave_blob *out) {
    uint8_t header[HEADER], digest[32];
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || status.st_size < HEADER ||
        fread(header, 1, HEADER, file) != HEADER || memcmp(header, magic, sizeof magic) != 0)
        return false;
    size_t size = (size_t)status.st_size - HEADER;
    uint8_t *data = malloc(size + 1);
    bool good = data && fread(data, 1, size, file) == size;
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

bool rt_cache_read(const char *folder, const char *key, wave_blob *out) {
    char *name = file_name(folder, key, "");
    FILE *file = name ? fopen(name, "rb") : NULL;
    bool good = file && read_contents(file, out);
    if (file)
        fclose(file);
    if (file && !good)
        (void)unlink(name);
    free(name);
    return good;
}

static bool write_contents(int descriptor, const void *data, size_t size) {
    uint8_t digest[32];
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        return false;
    }
    checksum(data, size, digest);
    bool good = fwrite(magic, 1, sizeof magic, file) == sizeof magic &&
                fwrite(digest, 1, sizeof digest, file) == sizeof digest &&
                fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && good;
}

bool rt_cache_write(const char *folder, const char *key, const void *data, size_t size) {
    char *name = file_name(folder, key, ""), *temporary = file_name(folder, key, ".XXXXXX");
    bool good = name && temporary && make_folders(folder);
    int descriptor = good ? mkstemp(temporary) : -1;
    good =
        descriptor >= 0 && write_contents(descriptor, data, size) && rename(temporary, name) == 0;
    if (descriptor >= 0 && !good)
        (void)unlink(temporary);
    free(name);
    free(temporary);
    return good;
}
