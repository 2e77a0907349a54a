/* Events: positions in a queue that others can wait for. */
#include "core.h"

#include <stdlib.h>

wave_rt_status wave_rt_event_create(wave_rt_device *device, wave_rt_event **out,
                                    wave_rt_error *error) {
    if (!device || !out)
        return rt_fail(error, WAVE_RT_USAGE, "device or event is NULL");
    *out = NULL;
    wave_rt_event *event = calloc(1, sizeof *event);
    if (!event)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = device->vendor->event_create(device->own, &event->own, error);
    if (status != WAVE_RT_OK) {
        free(event);
        return status;
    }
    event->device = rt_device_use(device);
    atomic_init(&event->recorded, false);
    *out = event;
    return WAVE_RT_OK;
}

void wave_rt_event_destroy(wave_rt_event *event) {
    if (!event)
        return;
    event->device->vendor->event_destroy(event->device->own, event->own);
    rt_device_release(event->device);
    free(event);
}

wave_rt_status wave_rt_event_record(wave_rt_event *event, wave_rt_queue *queue,
                                    wave_rt_error *error) {
    if (!event || !queue)
        return rt_fail(error, WAVE_RT_USAGE, "event or queue is NULL");
    if (event->device != queue->device)
        return rt_fail(error, WAVE_RT_USAGE, "the event and the queue are on different devices");
    wave_rt_status status = event->device->vendor->event_record(queue->own, event->own, error);
    if (status == WAVE_RT_OK)
        atomic_store(&event->recorded, true);
    return status;
}

wave_rt_status wave_rt_event_follow(wave_rt_queue *queue, wave_rt_event *event,
                                    wave_rt_error *error) {
    if (!event || !queue)
        return rt_fail(error, WAVE_RT_USAGE, "event or queue is NULL");
    if (event->device != queue->device)
        return wave_rt_event_wait(event, error);
    if (!atomic_load(&event->recorded))
        return WAVE_RT_OK;
    return event->device->vendor->event_follow(queue->own, event->own, error);
}

wave_rt_status wave_rt_event_query(wave_rt_event *event, bool *done, wave_rt_error *error) {
    if (!event || !done)
        return rt_fail(error, WAVE_RT_USAGE, "event or the pointer to the result is NULL");
    *done = true;
    if (!atomic_load(&event->recorded))
        return WAVE_RT_OK;
    return event->device->vendor->event_query(event->device->own, event->own, done, error);
}

wave_rt_status wave_rt_event_wait(wave_rt_event *event, wave_rt_error *error) {
    if (!event)
        return rt_fail(error, WAVE_RT_USAGE, "event is NULL");
    if (!atomic_load(&event->recorded))
        return WAVE_RT_OK;
    return event->device->vendor->event_wait(event->device->own, event->own, error);
}

wave_rt_status wave_rt_event_elapsed(wave_rt_event *start, wave_rt_event *stop, double *seconds,
                                     wave_rt_error *error) {
    if (!start || !stop || !seconds)
        return rt_fail(error, WAVE_RT_USAGE, "an event or the pointer to the time is NULL");
    if (start->device != stop->device)
        return rt_fail(error, WAVE_RT_USAGE, "the events are on different devices");
    if (!atomic_load(&start->recorded) || !atomic_load(&stop->recorded))
        return rt_fail(error, WAVE_RT_USAGE, "an event was not recorded");
    return start->device->vendor->event_elapsed(start->device->own, start->own, stop->own, seconds,
                                                error);
}
