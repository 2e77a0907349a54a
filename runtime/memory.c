/* Arenas and their buffers. A buffer keeps its bounds: no transfer leaves it. */
#include "core.h"

#include <inttypes.h>
#include <stdlib.h>

/* Kernels address with 32 bits. */
#define LARGEST_ARENA ((uint64_t)1 << 32)

wave_rt_status wave_rt_arena_create(wave_rt_device *device, uint64_t size, wave_rt_arena **out,
                                    wave_rt_error *error) {
    if (!device || !out)
        return rt_fail(error, WAVE_RT_USAGE, "no device, or no place for the arena");
    *out = NULL;
    if (size == 0 || size > LARGEST_ARENA)
        return rt_fail(error, WAVE_RT_USAGE, "an arena has 1 to %" PRIu64 " bytes, not %" PRIu64,
                       LARGEST_ARENA, size);
    if (size > device->info.device_memory_size)
        return rt_fail(error, WAVE_RT_DEVICE_MEMORY,
                       "DEVICE_MEMORY_SIZE: %s has %" PRIu64 " bytes, the arena needs %" PRIu64,
                       device->info.name, device->info.device_memory_size, size);
    wave_rt_arena *arena = calloc(1, sizeof *arena);
    if (!arena)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = device->vendor->memory_create(device->own, size, &arena->own, error);
    if (status != WAVE_RT_OK) {
        free(arena);
        return status;
    }
    arena->device = rt_device_use(device);
    arena->size = size;
    atomic_init(&arena->used, 0);
    *out = arena;
    return WAVE_RT_OK;
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
        return rt_fail(error, WAVE_RT_USAGE, "no arena, or no place for the buffer");
    *buffer = (wave_rt_buffer){0};
    uint64_t used = atomic_load(&arena->used), start;
    do { /* several threads may take at the same time */
        start = (used + WAVE_RT_ALIGNMENT - 1) / WAVE_RT_ALIGNMENT * WAVE_RT_ALIGNMENT;
        if (start > arena->size || size > arena->size - start)
            return rt_fail(error, WAVE_RT_BOUNDS,
                           "the arena of %" PRIu64 " bytes has no room for %" PRIu64 ": %" PRIu64
                           " are taken",
                           arena->size, size, used);
    } while (!atomic_compare_exchange_weak(&arena->used, &used, start + size));
    *buffer = (wave_rt_buffer){.arena = arena, .offset = start, .size = size};
    return WAVE_RT_OK;
}

void wave_rt_arena_reset(wave_rt_arena *arena) {
    if (arena)
        atomic_store(&arena->used, 0);
}

/* A buffer is a value that anybody can write: it is believed only within its arena. */
static wave_rt_status check(const wave_rt_buffer *buffer, uint64_t offset, uint64_t size,
                            wave_rt_error *error) {
    if (!buffer || !buffer->arena)
        return rt_fail(error, WAVE_RT_USAGE, "no buffer");
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
        return rt_fail(error, WAVE_RT_USAGE, "no place for the buffer");
    wave_rt_status status = check(buffer, offset, size, error);
    if (status == WAVE_RT_OK)
        *part = (wave_rt_buffer){buffer->arena, buffer->offset + offset, size};
    return status;
}

static wave_rt_status check_transfer(const wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                     uint64_t offset, const void *data, uint64_t size,
                                     wave_rt_error *error) {
    if (!queue || (!data && size))
        return rt_fail(error, WAVE_RT_USAGE, "no queue, or no data");
    wave_rt_status status = check(buffer, offset, size, error);
    if (status == WAVE_RT_OK && buffer->arena->device != queue->device)
        return rt_fail(error, WAVE_RT_USAGE, "the buffer is on another device than the queue");
    return status;
}

wave_rt_status wave_rt_upload(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint64_t offset,
                              const void *data, uint64_t size, wave_rt_error *error) {
    wave_rt_status status = check_transfer(queue, buffer, offset, data, size, error);
    if (status != WAVE_RT_OK || size == 0)
        return status;
    return queue->device->vendor->upload(queue->own, buffer->arena->own, buffer->offset + offset,
                                         data, size, error);
}

wave_rt_status wave_rt_download(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint64_t offset,
                                void *data, uint64_t size, wave_rt_error *error) {
    wave_rt_status status = check_transfer(queue, buffer, offset, data, size, error);
    if (status != WAVE_RT_OK || size == 0)
        return status;
    return queue->device->vendor->download(queue->own, buffer->arena->own, buffer->offset + offset,
                                           data, size, error);
}

wave_rt_status wave_rt_fill(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint8_t byte,
                            wave_rt_error *error) {
    wave_rt_status status = check_transfer(queue, buffer, 0, NULL, 0, error);
    if (status != WAVE_RT_OK || buffer->size == 0)
        return status;
    return queue->device->vendor->fill(queue->own, buffer->arena->own, buffer->offset, byte,
                                       buffer->size, error);
}
