/* The objects of a device with streams: memory, modules, queues and events. */
#include "streams.h"

#include <stdlib.h>

/* The attributes of a compiled kernel. */
enum {
    FUNCTION_MAX_THREADS = 0,
    FUNCTION_LOCAL_MEMORY = 1,
    FUNCTION_SPILLS = 3,
    FUNCTION_REGISTERS = 4
};
enum { NOT_READY = 600 };   /* the status of a pending event */
enum { ATTACH_GLOBAL = 1 }; /* shared memory: visible to every stream */
enum { NON_BLOCKING = 1 };  /* does not synchronise with the default stream */

typedef struct stream_module {
    void *module;
    void *functions[]; /* one per kernel */
} stream_module;

typedef struct stream_queue {
    rt_stream_device *device;
    void *stream, *start, *stop; /* start and stop are events */
    void *status;  /* status words for kernels with asserts, on the device; NULL: none so far */
    bool cleared;  /* they have been cleared once */
    bool may_fail; /* such a kernel was launched since the last wait */
} stream_queue;

enum { STATUS_SIZE = 2 * sizeof(uint32_t) };

/* Ends a run that created an object: hands the object over, or frees it. */
static wave_rt_status end_making(rt_run *run, void *object, void **place) {
    if (run->status == WAVE_RT_OK)
        *place = object;
    else
        free(object);
    return rt_run_end(run);
}

/* ---- Memory ---- */

wave_rt_status rt_stream_memory_create(void *device, uint64_t size, bool shared, void **memory,
                                       void **host, wave_rt_error *error) {
    rt_run run = rt_run_begin(device, error);
    if (shared)
        RT_CALL(&run, shared_alloc, memory, size, ATTACH_GLOBAL);
    else
        RT_CALL(&run, memory_alloc, memory, size);
    if (shared)
        *host = *memory;
    return rt_run_end(&run);
}

void rt_stream_memory_destroy(void *device, void *memory) {
    if (!memory)
        return;
    rt_run run = rt_run_begin_known(device, NULL);
    RT_CALL(&run, memory_free, memory);
    (void)rt_run_end(&run);
}

wave_rt_status rt_stream_host_create(void *device, uint64_t size, void **memory,
                                     wave_rt_error *error) {
    rt_run run = rt_run_begin(device, error);
    RT_CALL(&run, host_alloc, memory, size, 0);
    return rt_run_end(&run);
}

void rt_stream_host_destroy(void *device, void *memory) {
    rt_run run = rt_run_begin_known(device, NULL);
    RT_CALL(&run, host_free, memory);
    (void)rt_run_end(&run);
}

static uint8_t *bytes_of(rt_span span) {
    return (uint8_t *)span.memory + span.offset;
}

static wave_rt_status copy(const stream_queue *q, void *to, const void *from, uint64_t size,
                           rt_stream_way way, bool wait, wave_rt_error *error) {
    rt_run run = rt_run_begin(q->device, error);
    q->device->vendor->copy(&run, to, from, size, way, q->stream);
    if (wait)
        RT_CALL(&run, stream_wait, q->stream);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_upload(void *queue, rt_span to, const void *data, bool wait,
                                wave_rt_error *error) {
    return copy(queue, bytes_of(to), data, to.size, RT_TO_DEVICE, wait, error);
}

wave_rt_status rt_stream_download(void *queue, rt_span from, void *data, bool wait,
                                  wave_rt_error *error) {
    return copy(queue, data, bytes_of(from), from.size, RT_TO_HOST, wait, error);
}

wave_rt_status rt_stream_copy(void *queue, rt_span to, rt_span from, wave_rt_error *error) {
    return copy(queue, bytes_of(to), bytes_of(from), to.size, RT_ON_DEVICE, false, error);
}

wave_rt_status rt_stream_fill(void *queue, rt_span to, uint8_t byte, bool wait,
                              wave_rt_error *error) {
    const stream_queue *q = queue;
    rt_run run = rt_run_begin(q->device, error);
    q->device->vendor->fill(&run, bytes_of(to), byte, to.size, q->stream);
    if (wait)
        RT_CALL(&run, stream_wait, q->stream);
    return rt_run_end(&run);
}

/* ---- Modules ---- */

static void fill_module(rt_run *run, const rt_program *program, stream_module *m) {
    const rt_stream_vendor *vendor = run->device->vendor;
    vendor->module_load(run, program, &m->module);
    bool loaded = run->status == WAVE_RT_OK;
    for (size_t k = 0; k < program->count; k++) {
        const rt_entry *entry = &program->entries[k];
        RT_CALL(run, module_function, &m->functions[k], m->module, entry->symbol);
        if (entry->local_memory > vendor->static_local_memory)
            vendor->allow_local_memory(run, m->functions[k], entry->local_memory);
    }
    if (loaded && run->status != WAVE_RT_OK)
        (void)run->device->calls.module_unload(m->module);
}

wave_rt_status rt_stream_module_create(void *device, const rt_program *program, void **module,
                                       wave_rt_error *error) {
    stream_module *m = calloc(1, sizeof *m + program->count * sizeof *m->functions);
    if (!m)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    rt_run run = rt_run_begin(device, error);
    fill_module(&run, program, m);
    return end_making(&run, m, module);
}

void rt_stream_module_destroy(void *device, void *module) {
    stream_module *m = module;
    if (!m)
        return;
    rt_run run = rt_run_begin_known(device, NULL);
    RT_CALL(&run, module_unload, m->module);
    (void)rt_run_end(&run);
    free(m);
}

wave_rt_status rt_stream_kernel_limits(void *device, void *module, size_t kernel, rt_limits *limits,
                                       wave_rt_error *error) {
    rt_stream_device *d = device;
    void *function = ((stream_module *)module)->functions[kernel];
    int threads = 0, registers = 0, local = 0, spills = 0;
    rt_run run = rt_run_begin(d, error);
    RT_CALL(&run, function_attribute, &threads, FUNCTION_MAX_THREADS, function);
    RT_CALL(&run, function_attribute, &registers, FUNCTION_REGISTERS, function);
    RT_CALL(&run, function_attribute, &spills, FUNCTION_SPILLS, function);
    if (d->vendor->reports_local_memory)
        RT_CALL(&run, function_attribute, &local, FUNCTION_LOCAL_MEMORY, function);
    *limits = (rt_limits){.threads = (uint32_t)threads,
                          .registers = (uint32_t)registers,
                          .spill_bytes = (uint32_t)spills,
                          .reports_spills = true,
                          .local_memory = (uint32_t)local};
    return rt_run_end(&run);
}

/* ---- Queues ---- */

static void destroy_objects(const stream_queue *q) {
    const rt_stream_calls *calls = &q->device->calls;
    if (q->start)
        (void)calls->event_destroy(q->start);
    if (q->stop)
        (void)calls->event_destroy(q->stop);
    if (q->stream)
        (void)calls->stream_destroy(q->stream);
    if (q->status)
        (void)calls->memory_free(q->status);
}

wave_rt_status rt_stream_queue_create(void *device, void **queue, wave_rt_error *error) {
    rt_stream_device *d = device;
    stream_queue *q = calloc(1, sizeof *q);
    if (!q)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    q->device = d;
    rt_run run = rt_run_begin(d, error);
    RT_CALL(&run, stream_create, &q->stream, NON_BLOCKING);
    d->vendor->event_create(&run, &q->start);
    d->vendor->event_create(&run, &q->stop);
    if (run.status != WAVE_RT_OK)
        destroy_objects(q);
    return end_making(&run, q, queue);
}

void rt_stream_queue_destroy(void *device, void *queue) {
    if (!queue)
        return;
    rt_run run = rt_run_begin_known(device, NULL);
    if (run.status == WAVE_RT_OK)
        destroy_objects(queue);
    (void)rt_run_end(&run);
    free(queue);
}

/* Clears the words in which a kernel with asserts reports which one failed. */
static void prepare_status(rt_run *run, stream_queue *q) {
    if (!q->cleared) {
        if (!q->status)
            RT_CALL(run, memory_alloc, &q->status, STATUS_SIZE);
        run->device->vendor->fill(run, q->status, 0, STATUS_SIZE, q->stream);
        q->cleared = run->status == WAVE_RT_OK;
    }
    q->may_fail |= q->cleared;
}

/* Called after the kernels have ended. */
static void check_status(rt_run *run, stream_queue *q) {
    uint32_t status[2] = {0};
    if (!q->may_fail || run->status != WAVE_RT_OK)
        return;
    q->may_fail = false;
    run->device->vendor->copy(run, status, q->status, STATUS_SIZE, RT_TO_HOST, q->stream);
    RT_CALL(run, stream_wait, q->stream);
    if (run->status != WAVE_RT_OK || !status[0])
        return;
    run->device->vendor->fill(run, q->status, 0, STATUS_SIZE, q->stream);
    RT_CALL(run, stream_wait, q->stream);
    if (run->status == WAVE_RT_OK)
        run->status = rt_fail(run->error, WAVE_RT_LAUNCH, RT_ASSERT_FAILED, status[1]);
}

/* The parameters of ISA 3.4: the arena, the argument words if there are any, the arena's size, the
 * status words. */
static void start_kernel(rt_run *run, const rt_dispatch *d, stream_queue *q) {
    const rt_entry *entry = &d->program->entries[d->kernel];
    void *function = ((const stream_module *)d->module)->functions[d->kernel];
    void *memory = d->memory;
    unsigned long long size = d->memory_size;
    void *parameters[4] = {&memory};
    size_t count = 1;
    if (entry->words)
        parameters[count++] = (void *)d->words;
    if (d->program->bounds)
        parameters[count++] = &size;
    if (entry->status) {
        prepare_status(run, q);
        parameters[count] = &q->status;
    }
    bool dynamic = entry->local_memory > run->device->vendor->static_local_memory;
    RT_CALL(run, launch, function, d->grid[0], d->grid[1], d->grid[2], d->group[0], d->group[1],
            d->group[2], dynamic ? entry->local_memory : 0, q->stream, parameters, NULL);
}

wave_rt_status rt_stream_launch(void *queue, const rt_dispatch *dispatch, wave_rt_error *error) {
    stream_queue *q = queue;
    rt_run run = rt_run_begin(q->device, error);
    if (dispatch->timed)
        RT_CALL(&run, event_record, q->start, q->stream);
    start_kernel(&run, dispatch, q);
    if (dispatch->timed)
        RT_CALL(&run, event_record, q->stop, q->stream);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_wait(void *queue, wave_rt_error *error) {
    stream_queue *q = queue;
    rt_run run =
        q->may_fail ? rt_run_begin(q->device, error) : rt_run_begin_known(q->device, error);
    RT_CALL(&run, stream_wait, q->stream);
    check_status(&run, q);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_elapsed(void *queue, double *seconds, wave_rt_error *error) {
    const stream_queue *q = queue;
    float milliseconds = 0;
    rt_run run = rt_run_begin_known(q->device, error);
    RT_CALL(&run, event_elapsed, &milliseconds, q->start, q->stop);
    *seconds = (double)milliseconds * 1e-3;
    return rt_run_end(&run);
}

/* ---- Events ---- */

wave_rt_status rt_stream_event_create(void *device, void **event, wave_rt_error *error) {
    rt_stream_device *d = device;
    rt_run run = rt_run_begin(d, error);
    d->vendor->event_create(&run, event);
    return rt_run_end(&run);
}

void rt_stream_event_destroy(void *device, void *event) {
    rt_run run = rt_run_begin_known(device, NULL);
    RT_CALL(&run, event_destroy, event);
    (void)rt_run_end(&run);
}

wave_rt_status rt_stream_event_record(void *queue, void *event, wave_rt_error *error) {
    const stream_queue *q = queue;
    rt_run run = rt_run_begin(q->device, error);
    RT_CALL(&run, event_record, event, q->stream);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_event_follow(void *queue, void *event, wave_rt_error *error) {
    const stream_queue *q = queue;
    rt_run run = rt_run_begin(q->device, error);
    RT_CALL(&run, stream_follow, q->stream, event, 0);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_event_query(void *device, void *event, bool *done, wave_rt_error *error) {
    rt_stream_device *d = device;
    rt_run run = rt_run_begin_known(d, error);
    int result = run.status == WAVE_RT_OK ? d->calls.event_query(event) : 0;
    *done = result != NOT_READY;
    if (*done)
        RT_RUN(&run, d->vendor->symbols.event_query, result);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_event_wait(void *device, void *event, wave_rt_error *error) {
    rt_run run = rt_run_begin_known(device, error);
    RT_CALL(&run, event_wait, event);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_event_elapsed(void *device, void *start, void *stop, double *seconds,
                                       wave_rt_error *error) {
    float milliseconds = 0;
    rt_run run = rt_run_begin_known(device, error);
    RT_CALL(&run, event_elapsed, &milliseconds, start, stop);
    *seconds = (double)milliseconds * 1e-3;
    return rt_run_end(&run);
}

void *rt_stream_native(rt_native kind, void *object) {
    rt_stream_device *d = object;
    switch (kind) {
    case RT_NATIVE_DEVICE: return d->vendor->native_device ? d->vendor->native_device(d) : NULL;
    case RT_NATIVE_QUEUE: return ((const stream_queue *)object)->stream;
    default: return object; /* memory is its address */
    }
}
