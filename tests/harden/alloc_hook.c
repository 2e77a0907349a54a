/* The wrapped allocator. It is in a separate file because the compiler must not know these
 * names. */
#include "harden/alloc_hook.h"

#include <stddef.h>

alloc_hook alloc;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static bool fails(void) {
    if (!alloc.armed)
        return false;
    alloc.calls++;
    return alloc.fail_at &&
           (alloc.ever_after ? alloc.calls >= alloc.fail_at : alloc.calls == alloc.fail_at);
}

static void *counted(void *block) {
    alloc.live += alloc.armed && block;
    return block;
}

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : counted(__real_calloc(count, size));
}

/* A moved block still counts as one block. */
void *__wrap_realloc(void *old, size_t size) {
    if (fails())
        return NULL;
    void *block = __real_realloc(old, size);
    return old ? block : counted(block);
}

void __wrap_free(void *block) {
    alloc.live -= alloc.armed && block;
    __real_free(block);
}
