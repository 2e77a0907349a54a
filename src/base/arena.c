/* Chunks double in size up to 1 MiB; a larger object has its own. */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    arena_chunk *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

enum { FIRST_CHUNK = 4096, LARGEST_STEP = 1 << 20 };

static arena_chunk *add_chunk(arena *a, size_t need) {
    size_t size = FIRST_CHUNK;
    if (a->chunks)
        size = a->chunks->size < LARGEST_STEP ? a->chunks->size * 2 : LARGEST_STEP;
    if (size < need)
        size = need;
    if (size > SIZE_MAX - sizeof(arena_chunk))
        return NULL;
    arena_chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->next = a->chunks;
    chunk->used = 0;
    chunk->size = size;
    a->chunks = chunk;
    return chunk;
}

void *arena_alloc(arena *a, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX - align)
        return NULL;
    size = (size + align - 1) / align * align;
    arena_chunk *chunk = a->chunks;
    if (!chunk || chunk->size - chunk->used < size)
        chunk = add_chunk(a, size);
    if (!chunk)
        return NULL;
    void *at = chunk->bytes + chunk->used;
    chunk->used += size;
    memset(at, 0, size);
    return at;
}

char *arena_text(arena *a, const char *text, size_t length) {
    if (length == SIZE_MAX)
        return NULL;
    char *copy = arena_alloc(a, length + 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void arena_free(arena *a) {
    while (a->chunks) {
        arena_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
}
