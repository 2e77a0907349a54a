/* Transfers between the host and buffers, and between buffers. No transfer crosses its buffer's
 * bounds. */
#include "core.h"

/* A checked range of a buffer on the queue's device. */
static wave_rt_status find_span(const wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                uint64_t offset, uint64_t size, rt_span *span,
                                wave_rt_error *error) {
    wave_rt_buffer part = {0};
    if (!queue)
        return rt_fail(error, WAVE_RT_USAGE, "queue is NULL");
    wave_rt_status status = wave_rt_buffer_part(buffer, offset, size, &part, error);
    if (status != WAVE_RT_OK)
        return status;
    if (part.arena->device != queue->device)
        return rt_fail(error, WAVE_RT_USAGE, "the buffer and the queue are on different devices");
    *span = (rt_span){part.arena->own, part.offset, part.size};
    return WAVE_RT_OK;
}

static wave_rt_status upload(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint64_t offset,
                             const void *data, uint64_t size, bool wait, wave_rt_error *error) {
    rt_span span = {0};
    if (!data && size)
        return rt_fail(error, WAVE_RT_USAGE, "data is NULL");
    wave_rt_status status = find_span(queue, buffer, offset, size, &span, error);
    if (status != WAVE_RT_OK || size == 0)
        return status;
    return queue->device->vendor->upload(queue->own, span, data, wait, error);
}

static wave_rt_status download(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint64_t offset,
                               void *data, uint64_t size, bool wait, wave_rt_error *error) {
    rt_span span = {0};
    if (!data && size)
        return rt_fail(error, WAVE_RT_USAGE, "data is NULL");
    wave_rt_status status = find_span(queue, buffer, offset, size, &span, error);
    if (status != WAVE_RT_OK || size == 0)
        return status;
    return queue->device->vendor->download(queue->own, span, data, wait, error);
}

static wave_rt_status fill(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint8_t byte,
                           bool wait, wave_rt_error *error) {
    rt_span span = {0};
    wave_rt_status status = find_span(queue, buffer, 0, buffer ? buffer->size : 0, &span, error);
    if (status != WAVE_RT_OK || span.size == 0)
        return status;
    return queue->device->vendor->fill(queue->own, span, byte, wait, error);
}

wave_rt_status wave_rt_upload(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint64_t offset,
                              const void *data, uint64_t size, wave_rt_error *error) {
    return upload(queue, buffer, offset, data, size, true, error);
}

wave_rt_status wave_rt_upload_async(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                    uint64_t offset, const void *data, uint64_t size,
                                    wave_rt_error *error) {
    return upload(queue, buffer, offset, data, size, false, error);
}

wave_rt_status wave_rt_download(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint64_t offset,
                                void *data, uint64_t size, wave_rt_error *error) {
    return download(queue, buffer, offset, data, size, true, error);
}

wave_rt_status wave_rt_download_async(wave_rt_queue *queue, const wave_rt_buffer *buffer,
                                      uint64_t offset, void *data, uint64_t size,
                                      wave_rt_error *error) {
    return download(queue, buffer, offset, data, size, false, error);
}

wave_rt_status wave_rt_fill(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint8_t byte,
                            wave_rt_error *error) {
    return fill(queue, buffer, byte, true, error);
}

wave_rt_status wave_rt_fill_async(wave_rt_queue *queue, const wave_rt_buffer *buffer, uint8_t byte,
                                  wave_rt_error *error) {
    return fill(queue, buffer, byte, false, error);
}

wave_rt_status wave_rt_copy(wave_rt_queue *queue, const wave_rt_buffer *to, uint64_t to_offset,
                            const wave_rt_buffer *from, uint64_t from_offset, uint64_t size,
                            wave_rt_error *error) {
    rt_span target = {0}, source = {0};
    wave_rt_status status = find_span(queue, to, to_offset, size, &target, error);
    if (status == WAVE_RT_OK)
        status = find_span(queue, from, from_offset, size, &source, error);
    if (status != WAVE_RT_OK || size == 0)
        return status;
    if (target.memory == source.memory && target.offset < source.offset + size &&
        source.offset < target.offset + size)
        return rt_fail(error, WAVE_RT_USAGE, "source and destination of the copy overlap");
    return queue->device->vendor->copy(queue->own, target, source, error);
}
