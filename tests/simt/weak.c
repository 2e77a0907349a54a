/* Kernels are compiled with the calls that ThreadSanitizer makes before each plain access; the
 * functions they call are here. Only one lane runs at a time, and after such a call it performs the
 * access before anything else. So the call fills memory with what the lane is to see; the next
 * call, of whatever kind, takes the value that the lane stored and restores the true contents of
 * memory. */
#include "simt/weak.h"

#include "weakmem/weakmem.h"

#include <string.h>

enum { MOST_BYTES = 16, SPACES = 2 };

typedef enum pending { NOTHING, LOADS, STORES } pending;

/* Device memory and local memory, in the order of the bits SIMT_DEVICE and SIMT_LOCAL. */
typedef struct space {
    weakmem *memory; /* NULL: stores are not delayed */
    uint8_t *begin, *end;
} space;

static struct {
    space spaces[SPACES];
    bool failed;
    /* the next access */
    pending kind;
    weakmem *memory;
    uint8_t *at;
    size_t size;
    uint8_t truth[MOST_BYTES];
} weak;

/* ---- The access that a lane is about to make ---- */

void weak_settle(void) {
    uint8_t stored[MOST_BYTES];
    if (weak.kind == NOTHING)
        return;
    memcpy(stored, weak.at, weak.size);
    memcpy(weak.at, weak.truth, weak.size);
    if (weak.kind == STORES)
        weakmem_store(weak.memory, simt_self->linear, weak.at, weak.size, stored);
    weak.kind = NOTHING;
}

/* Accesses that are partly outside are left to the guards. */
static weakmem *memory_of(const uint8_t *at, size_t size) {
    for (int k = 0; k < SPACES; k++) {
        const space *s = &weak.spaces[k];
        if (s->memory && at >= s->begin && at < s->end && size <= (size_t)(s->end - at))
            return s->memory;
    }
    return NULL;
}

static void prepare(pending kind, uint8_t *at, size_t size) {
    uint8_t seen[MOST_BYTES];
    weak_settle();
    weakmem *memory = memory_of(at, size);
    if (!memory)
        return;
    if (kind == LOADS) {
        weakmem_load(memory, simt_self->linear, at, size, seen);
        if (memcmp(seen, at, size) == 0)
            return;
    }
    weak.kind = kind;
    weak.memory = memory;
    weak.at = at;
    weak.size = size;
    memcpy(weak.truth, at, size);
    if (kind == LOADS)
        memcpy(at, seen, size);
}

/* ---- Functions that kernels call; the names are ThreadSanitizer's ---- */

#define ACCESS(name, symbol, kind, size)                                                           \
    SIMT_EXPORT void name(void *at) __asm__(symbol);                                               \
    void name(void *at) {                                                                          \
        prepare(kind, at, size);                                                                   \
    }
#define ACCESSES(size)                                                                             \
    ACCESS(weak_read_##size, "__tsan_read" #size, LOADS, size)                                     \
    ACCESS(weak_write_##size, "__tsan_write" #size, STORES, size)                                  \
    ACCESS(weak_unaligned_read_##size, "__tsan_unaligned_read" #size, LOADS, size)                 \
    ACCESS(weak_unaligned_write_##size, "__tsan_unaligned_write" #size, STORES, size)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

SIMT_EXPORT void weak_init(void) __asm__("__tsan_init");
void weak_init(void) {
}

static void load_part(uint8_t *bytes, const uint8_t *from, size_t size) {
    weakmem *memory = memory_of(from, size);
    if (memory)
        weakmem_load(memory, simt_self->linear, from, size, bytes);
    else
        memcpy(bytes, from, size);
}

static void store_part(uint8_t *to, const uint8_t *bytes, size_t size) {
    weakmem *memory = memory_of(to, size);
    if (memory)
        weakmem_store(memory, simt_self->linear, to, size, bytes);
    else
        memcpy(to, bytes, size);
}

SIMT_EXPORT void *weak_move(void *to, const void *from, size_t size) __asm__("__tsan_memmove");
void *weak_move(void *to, const void *from, size_t size) {
    uint8_t part[MOST_BYTES];
    bool down = (uintptr_t)to > (uintptr_t)from; /* from the end, for overlapping copies */
    weak_settle();
    for (size_t done = 0; done < size;) {
        size_t bytes = size - done < MOST_BYTES ? size - done : MOST_BYTES;
        size_t at = down ? size - done - bytes : done;
        load_part(part, (const uint8_t *)from + at, bytes);
        store_part((uint8_t *)to + at, part, bytes);
        done += bytes;
    }
    return to;
}

SIMT_EXPORT void *weak_copy(void *to, const void *from, size_t size) __asm__("__tsan_memcpy");
void *weak_copy(void *to, const void *from, size_t size) {
    return weak_move(to, from, size);
}

SIMT_EXPORT void *weak_fill(void *to, int value, size_t size) __asm__("__tsan_memset");
void *weak_fill(void *to, int value, size_t size) {
    uint8_t part[MOST_BYTES];
    memset(part, value, sizeof part);
    weak_settle();
    for (size_t done = 0; done < size; done += MOST_BYTES)
        store_part((uint8_t *)to + done, part, size - done < MOST_BYTES ? size - done : MOST_BYTES);
    return to;
}

/* ---- Fences ---- */

static const weakmem_scope scopes[] = {
    [SIMT_SCOPE_WAVE] = WEAKMEM_WAVE,
    [SIMT_SCOPE_GROUP] = WEAKMEM_GROUP,
    [SIMT_SCOPE_DEVICE] = WEAKMEM_DEVICE,
};

void weak_atomic(const volatile void *at, size_t size) {
    uint8_t *bytes = (uint8_t *)(uintptr_t)at;
    weak_settle();
    weakmem *memory = memory_of(bytes, size);
    if (memory)
        weakmem_atomic(memory, simt_self->linear, bytes, size);
}

void weak_release(simt_scope scope, uint32_t spaces) {
    weak_settle();
    for (uint32_t k = 0; k < SPACES; k++)
        if (weak.spaces[k].memory && (spaces >> k & 1))
            weakmem_release(weak.spaces[k].memory, simt_self->linear, scopes[scope]);
}

void weak_acquire(simt_scope scope, uint32_t spaces) {
    weak_settle();
    for (uint32_t k = 0; k < SPACES; k++)
        if (weak.spaces[k].memory && (spaces >> k & 1))
            weakmem_acquire(weak.spaces[k].memory, simt_self->linear, scopes[scope]);
}

/* ---- Start and end ---- */

static void close_space(space *s) {
    weakmem_finish(s->memory);
    weak.failed = weak.failed || weakmem_failed(s->memory);
    weakmem_destroy(s->memory);
    s->memory = NULL;
}

bool weak_open(const simt_entry *entry, const machine_launch *launch, uint32_t threads) {
    uint8_t *memory = launch->params.memory;
    weak.kind = NOTHING;
    weak.failed = false;
    weak.spaces[0] = (space){.begin = memory, .end = memory + launch->params.memory_size};
    weak.spaces[1] = (space){.begin = entry->shared, .end = entry->shared_end};
    for (int k = 0; k < SPACES; k++) {
        space *s = &weak.spaces[k];
        s->memory = weakmem_create(1, threads, launch->width, launch->seed);
        if (!s->memory) {
            weak_close();
            return false;
        }
    }
    return true;
}

bool weak_close(void) {
    weak.kind = NOTHING; /* a lane that failed does not perform its access */
    for (int k = 0; k < SPACES; k++)
        if (weak.spaces[k].memory)
            close_space(&weak.spaces[k]);
    return !weak.failed;
}

void weak_start_workgroup(void) {
    for (int k = 0; k < SPACES; k++)
        if (weak.spaces[k].memory)
            weakmem_start_group(weak.spaces[k].memory, 0);
}

void weak_end_workgroup(void) {
    for (int k = 0; k < SPACES; k++)
        if (weak.spaces[k].memory)
            weakmem_end_group(weak.spaces[k].memory, 0);
    if (weak.spaces[1].memory)
        weakmem_finish(weak.spaces[1].memory);
}
