/* Arenas and their buffers. A buffer keeps its bounds: no transfer crosses them. */
#include "core.h"

#include <inttypes.h>
#include <stdlib.h>

/* Kernels use 32-bit addresses. */
#define LARGEST_ARENA ((uint64_t)1 << 32)

static wave_rt_status create(wave_rt_device *device, uint64_t size, bool shared,
                             wave_rt_arena **out, wave_rt_error *error) {
    if (!device || !out)
        return rt_fail(error, WAVE_RT_USAGE, "device or arena is NULL");
    *out = NULL;
    if (size == 0 || size > LARGEST_ARENA)
        return rt_fail(error, WAVE_RT_USAGE, "an arena has 1 to %" PRIu64 " bytes, not %" PRIu64,
                       LARGEST_ARENA, size);
    if (shared && !device->info.shared)
        return rt_fail(error, WAVE_RT_LIMIT, "%s has no memory that the host can access",
                       device->info.name);
    if (size > device->info.device_memory_size)
        return rt_fail(error, WAVE_RT_DEVICE_MEMORY,
                       "DEVICE_MEMORY_SIZE: %s has %" PRIu64 " bytes, the arena needs %" PRIu64,
                       device->info.name, device->info.device_memory_size, size);
    wave_rt_arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    void *host = NULL;
    wave_rt_status status =
        device->vendor->memory_create(device->own, size, shared, &arena->own, &host, error);
    if (status != WAVE_RT_OK) {
        free(arena);
        return status;
    }
    arena->device = rt_device_use(device);
    arena->host = host;
    arena->size = size;
    atomic_init(&arena->used, 0);
    *out = arena;
    return WAVE_RT_OK;
}

wave_rt_status wave_rt_arena_create(wave_rt_device *device, uint64_t size, wave_rt_arena **out,
                                    wave_rt_error *error) {
    return create(device, size, false, out, error);
}

wave_rt_status wave_rt_arena_create_shared(wave_rt_device *device, uint64_t size,
                                           wave_rt_arena **out, wave_rt_error *error) {
    return create(device, size, true, out, error);
}

void wave_rt_arena_destroy(wave_rt_arena *arena) {
    if (!arena)
        return;
    arena->device->vendor->memory_destroy(arena->device->own, arena->own);
    rt_device_release(arena->device);
    free(arena);
}

uint64_t wave_rt_arena_size(const wave_rt_arena *arena) {
    return arena ? arena->size : 0;
}

wave_rt_buffer wave_rt_arena_whole(wave_rt_arena *arena) {
    return (wave_rt_buffer){.arena = arena, .size = wave_rt_arena_size(arena)};
}

wave_rt_status wave_rt_arena_take(wave_rt_arena *arena, uint64_t size, wave_rt_buffer *buffer,
                                  wave_rt_error *error) {
    if (!arena || !buffer)
        return rt_fail(error, WAVE_RT_USAGE, "arena or buffer is NULL");
    *buffer = (wave_rt_buffer){0};
    uint64_t used = atomic_load(&arena->used), start;
    do { /* several threads may allocate at the same time */
        start = (used + WAVE_RT_ALIGNMENT - 1) / WAVE_RT_ALIGNMENT * WAVE_RT_ALIGNMENT;
        if (start > arena->size || size > arena->size - start)
            return rt_fail(error, WAVE_RT_BOUNDS,
                           "the arena of %" PRIu64 " bytes has no room for %" PRIu64 ": %" PRIu64
                           " are in use",
                           arena->size, size, used);
    } while (!atomic_compare_exchange_weak(&arena->used, &used, start + size));
    *buffer = (wave_rt_buffer){.arena = arena, .offset = start, .size = size};
    return WAVE_RT_OK;
}

void wave_rt_arena_reset(wave_rt_arena *arena) {
    if (arena)
        atomic_store(&arena->used, 0);
}

/* A buffer is a value that any caller can forge, so it is checked against its arena. */
static wave_rt_status check(const wave_rt_buffer *buffer, uint64_t offset, uint64_t size,
                            wave_rt_error *error) {
    if (!buffer || !buffer->arena)
        return rt_fail(error, WAVE_RT_USAGE, "buffer is NULL");
    uint64_t whole = buffer->arena->size;
    if (buffer->offset > whole || buffer->size > whole - buffer->offset)
        return rt_fail(error, WAVE_RT_BOUNDS, "the buffer is not inside its arena");
    if (offset > buffer->size || size > buffer->size - offset)
        return rt_fail(error, WAVE_RT_BOUNDS,
                       "%" PRIu64 " bytes at %" PRIu64 " are outside the buffer of %" PRIu64
                       " bytes",
                       size, offset, buffer->size);
    return WAVE_RT_OK;
}

wave_rt_status wave_rt_buffer_part(const wave_rt_buffer *buffer, uint64_t offset, uint64_t size,
                                   wave_rt_buffer *part, wave_rt_error *error) {
    if (!part)
        return rt_fail(error, WAVE_RT_USAGE, "buffer is NULL");
    wave_rt_status status = check(buffer, offset, size, error);
    if (status == WAVE_RT_OK)
        *part = (wave_rt_buffer){buffer->arena, buffer->offset + offset, size};
    return status;
}

wave_rt_status wave_rt_buffer_map(const wave_rt_buffer *buffer, void **pointer,
                                  wave_rt_error *error) {
    if (!pointer)
        return rt_fail(error, WAVE_RT_USAGE, "the pointer to the result is NULL");
    *pointer = NULL;
    wave_rt_status status = check(buffer, 0, 0, error);
    if (status != WAVE_RT_OK)
        return status;
    if (!buffer->arena->host)
        return rt_fail(error, WAVE_RT_LIMIT, "the host cannot access this memory of %s: %s",
                       buffer->arena->device->info.name,
                       buffer->arena->device->info.shared ? "the arena is not shared"
                                                          : "the device has no shared memory");
    *pointer = buffer->arena->host + buffer->offset;
    return WAVE_RT_OK;
}

wave_rt_status wave_rt_host_alloc(wave_rt_device *device, uint64_t size, void **memory,
                                  wave_rt_error *error) {
    if (!device || !memory)
        return rt_fail(error, WAVE_RT_USAGE, "device or memory is NULL");
    *memory = NULL;
    if (size == 0 || size > SIZE_MAX / 2)
        return rt_fail(error, WAVE_RT_USAGE, "cannot allocate %" PRIu64 " bytes of memory", size);
    return device->vendor->host_create(device->own, size, memory, error);
}

void wave_rt_host_free(wave_rt_device *device, void *memory) {
    if (device && memory)
        device->vendor->host_destroy(device->own, memory);
}
