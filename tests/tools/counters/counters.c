/* Linked into wave2text by representative.py: at exit it writes the numbers of the executed edges
 * of instrumented code to the file WAVE_COUNTERS, one per line. clang's
 * -fsanitize-coverage=inline-8bit-counters calls the first function for every object. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_OBJECTS = 256 };

static struct { const uint8_t *first, *end; } objects[MOST_OBJECTS];
static size_t object_count;

void __sanitizer_cov_8bit_counters_init(uint8_t *first, uint8_t *end);

static void write_counters(void) {
    const char *path = getenv("WAVE_COUNTERS");
    FILE *file = path ? fopen(path, "w") : NULL;
    size_t number = 0;
    for (size_t k = 0; k < object_count && file; k++)
        for (const uint8_t *p = objects[k].first; p < objects[k].end; p++, number++)
            if (*p)
                fprintf(file, "%zu\n", number);
    if (file)
        fclose(file);
}

void __sanitizer_cov_8bit_counters_init(uint8_t *first, uint8_t *end) {
    if (object_count == 0)
        atexit(write_counters);
    for (size_t k = 0; k < object_count; k++)
        if (objects[k].first == first)
            return;
    if (object_count < MOST_OBJECTS && first < end) {
        objects[object_count].first = first;
        objects[object_count++].end = end;
    }
}
