/* A bump allocator: many small objects with one lifetime, freed together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct arena_chunk arena_chunk;

typedef struct arena {
    arena_chunk *chunks; /* newest first */
} arena;

/* A zeroed arena is empty and ready. Both return NULL when out of memory. */
void *arena_alloc(arena *a, size_t size);                    /* zeroed, aligned for any type */
char *arena_text(arena *a, const char *text, size_t length); /* NUL-terminated copy */
void arena_free(arena *a);

#endif
