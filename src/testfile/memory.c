/* See memory.h. */
#include "testfile/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *tf_need(void *memory) {
    if (!memory) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    return memory;
}

char *tf_copy(const char *text, size_t length) {
    char *copy = tf_need(malloc(length + 1));
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void *tf_grow(void *list, size_t count, size_t size) {
    /* The list is full when the count is 0 or a power of two: the capacity need not be stored. */
    if ((count & (count - 1)) == 0)
        list = tf_need(realloc(list, (count ? count * 2 : 1) * size));
    memset((char *)list + count * size, 0, size);
    return list;
}
