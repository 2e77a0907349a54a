/* Memory for launches: the arena of device memory with nothing mapped around it, and stacks
 * separated by guard pages, which stop a lane whose stack overflows. */
#include "simt/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, STACK_BYTES = 512 * 1024, CANARY = 0xA5, ALIGNMENT = 16 };

/* A kernel adds a 32-bit address to the arena's start: 4 GiB are reserved after it, and a little
 * before it, because compilers form negative constant offsets. */
#define REACH ((size_t)1 << 32)
#define FRONT ((size_t)1 << 30)

static struct {
    uint8_t *reserved; /* FRONT, then REACH; the arena ends at `end`, in between */
    uint8_t *end;
    uint8_t *pages; /* the mapped part, which ends at `end` */
    uint8_t *arena;
    uint64_t size;
    uint8_t *stacks;
} memory;

static uint8_t *reserve(size_t size) {
    void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool open_memory(void) {
    if (!memory.reserved) {
        memory.reserved = reserve(FRONT + REACH + PAGE);
        memory.end = memory.reserved + FRONT;
        memory.pages = memory.end;
    }
    if (!memory.stacks)
        memory.stacks = reserve((size_t)SIMT_MAX_THREADS * STACK_BYTES);
    return memory.reserved && memory.stacks;
}

uint8_t *machine_arena(uint64_t size) {
    uint64_t padded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    uint64_t bytes = (padded + PAGE - 1) / PAGE * PAGE;
    if (!open_memory() || bytes > FRONT)
        return NULL;
    uint8_t *pages = memory.end - bytes;
    if (pages > memory.pages)
        mprotect(memory.pages, (size_t)(pages - memory.pages), PROT_NONE);
    if (bytes && mprotect(pages, bytes, PROT_READ | PROT_WRITE) != 0)
        return NULL;
    memory.pages = pages;
    memory.size = size;
    memory.arena = memory.end - padded;
    memset(pages, CANARY, bytes);
    return memory.arena;
}

bool machine_arena_intact(void) {
    for (const uint8_t *p = memory.pages; p < memory.end; p++)
        if ((p < memory.arena || p >= memory.arena + memory.size) && *p != CANARY)
            return false;
    return true;
}

void *machine_stack(uint32_t lane, size_t *size) {
    *size = STACK_BYTES - PAGE;
    if (!open_memory())
        return NULL;
    uint8_t *stack = memory.stacks + (size_t)lane * STACK_BYTES + PAGE;
    return mprotect(stack, *size, PROT_READ | PROT_WRITE) == 0 ? stack : NULL;
}

simt_error machine_fault(const void *address, char *text, size_t size) {
    const uint8_t *p = address;
    if (memory.reserved && p >= memory.reserved && p < memory.end + REACH + PAGE) {
        snprintf(text, size, "an access at byte %lld of %llu of device memory",
                 (long long)(p - memory.arena), (unsigned long long)memory.size);
        return SIMT_OUT_OF_BOUNDS;
    }
    if (memory.stacks && p >= memory.stacks &&
        p < memory.stacks + (size_t)SIMT_MAX_THREADS * STACK_BYTES) {
        snprintf(text, size, "the stack of a lane is full");
        return SIMT_STACK;
    }
    snprintf(text, size, "an access at an address that is not mapped");
    return SIMT_OUT_OF_BOUNDS;
}
