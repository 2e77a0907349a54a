/* Small helpers that both programs use. */
#include "hwtest.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

void *hw_allocate(size_t size) {
    void *p = calloc(1, size ? size : 1);
    if (!p)
        abort();
    return p;
}

char *hw_copy(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = hw_allocate(size);
    memcpy(copy, text, size);
    return copy;
}

double hw_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
