/* The file of runs that have passed: 32 hexadecimal digits per line, appended to by any number of
 * processes. */
#include "syclrun/passed.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Two FNV-1a hashes that start and multiply differently: 128 bits for a few thousand runs. */
void passed_add(passed_key *key, const void *data, size_t size) {
    const uint8_t *bytes = data;
    uint64_t length = size, a = key->half[0], b = key->half[1];
    for (int k = 0; k < 8; k++) { /* the length first, so that pieces cannot run into each other */
        a = (a ^ (length >> 8 * k & 255)) * 0x100000001B3u;
        b = (b ^ (length >> 8 * k & 255)) * 0x9E3779B97F4A7C15u;
    }
    for (size_t k = 0; k < size; k++) {
        a = (a ^ bytes[k]) * 0x100000001B3u;
        b = (b ^ bytes[k]) * 0x9E3779B97F4A7C15u;
        b ^= b >> 29;
    }
    key->half[0] = a;
    key->half[1] = b;
}

static void add_file(passed_key *key, const char *path) {
    struct stat s;
    int64_t identity[2] = {0, 0};
    if (stat(path, &s) == 0) {
        identity[0] = s.st_size;
        identity[1] = s.st_mtime;
    }
    passed_add(key, identity, sizeof identity);
}

void passed_begin(passed_key *key) {
    *key = (passed_key){{0xCBF29CE484222325u, 0x6C62272E07BB0142u}};
    passed_add(key, SYCL_DRIVER, strlen(SYCL_DRIVER)); /* the checksum of our own driver's source */
    add_file(key, SYCL_ROOT "/lib/libsycl.so");
    add_file(key, SYCL_ROOT "/lib/libsycl-jit.so");
    add_file(key, SYCL_ROOT "/lib/libintelocl.so");
}

static int order(const void *a, const void *b) {
    return memcmp(a, b, sizeof(passed_key));
}

void passed_load(passed_list *list, const char *path) {
    size_t capacity = 0;
    char line[80];
    *list = (passed_list){.path = path};
    FILE *f = path ? fopen(path, "r") : NULL;
    while (f && fgets(line, sizeof line, f)) {
        passed_key key;
        if (strlen(line) != 33 ||
            sscanf(line, "%16" SCNx64 "%16" SCNx64, &key.half[0], &key.half[1]) != 2)
            continue;
        if (list->count == capacity) {
            capacity = 2 * capacity + 1024;
            list->keys = realloc(list->keys, capacity * sizeof *list->keys);
            if (!list->keys)
                abort();
        }
        list->keys[list->count++] = key;
    }
    if (f)
        fclose(f);
    if (list->count)
        qsort(list->keys, list->count, sizeof *list->keys, order);
}

bool passed_has(const passed_list *list, const passed_key *key) {
    return list->count && bsearch(key, list->keys, list->count, sizeof *list->keys, order);
}

void passed_note(const passed_list *list, const passed_key *key) {
    FILE *f = list->path ? fopen(list->path, "a") : NULL;
    if (!f)
        return;
    fprintf(f, "%016" PRIx64 "%016" PRIx64 "\n", key->half[0], key->half[1]);
    fclose(f);
}

void passed_free(passed_list *list) {
    free(list->keys);
    *list = (passed_list){0};
}
