/* The allocator between the library and libc: the linker redirects every malloc, calloc, realloc
 * and free of the program to it (--wrap). While it is armed, it counts calls and makes chosen ones
 * fail. */
#ifndef HARDEN_ALLOC_HOOK_H
#define HARDEN_ALLOC_HOOK_H

#include <stdbool.h>

typedef struct alloc_hook {
    bool armed;
    unsigned long fail_at; /* the call that fails, counted from 1; 0: none */
    bool ever_after;       /* all later ones fail too */
    unsigned long calls;   /* since it was armed */
    long live;             /* blocks allocated and not freed */
} alloc_hook;

extern alloc_hook alloc;

#endif
