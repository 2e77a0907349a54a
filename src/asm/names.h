/* A map from names of the source (labels, kernels, macros, symbols, files) to numbers. */
#ifndef ASM_NAMES_H
#define ASM_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct asm_name {
    const char *text; /* borrowed */
    size_t length;
    uint32_t value;
} asm_name;

/* A crit-bit tree (D. J. Bernstein, https://cr.yp.to/critbit.html): the cost of an operation is
 * bounded by the length of the name, whatever names a hostile source chooses, without a random
 * seed. Names contain no NUL byte. */
typedef struct asm_names {
    struct asm_names_node *nodes;
    asm_name *list; /* in insertion order */
    size_t count, capacity;
    uint32_t root;
} asm_names;

/* Returns the entry; *created tells whether it is new. NULL when out of memory. The pointer is
 * valid until the next insertion. */
asm_name *asm_names_insert(asm_names *names, const char *text, size_t length, uint32_t value,
                           bool *created);
const asm_name *asm_names_find(const asm_names *names, const char *text, size_t length);
void asm_names_free(asm_names *names);

#endif
