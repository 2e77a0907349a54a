/* Devices with streams and events, as CUDA's driver API and HIP have them: see streams.h. */
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a compiled kernel can be asked for. */
enum { FUNCTION_MAX_THREADS = 0, FUNCTION_LOCAL_MEMORY = 1, FUNCTION_REGISTERS = 4 };
enum { NON_BLOCKING = 1 }; /* a stream that does not wait for the application's default one */

typedef struct stream_module {
    void *module;
    void *functions[]; /* one for each kernel */
} stream_module;

typedef struct stream_queue {
    rt_stream_device *device;
    void *stream, *start, *stop; /* start, stop: events */
    void *status;                /* of kernels with asserts, on the device; NULL: none came yet */
    bool may_fail;               /* such a kernel was launched since the last wait */
} stream_queue;

enum { STATUS_SIZE = 2 * sizeof(uint32_t) };

/* ---- Errors ---- */

/* HIP has CUDA's numbers, and not all of these. */
static wave_rt_status classify(int result) {
    static const struct {
        int first, last;
        wave_rt_status status;
    } list[] = {
        {2, 2, WAVE_RT_DEVICE_MEMORY},                                /* out of memory */
        {46, 46, WAVE_RT_LOST},                                       /* device unavailable */
        {100, 100, WAVE_RT_NO_DEVICE}, {200, 200, WAVE_RT_BAD_BUILD}, /* invalid image */
        {209, 209, WAVE_RT_BAD_BUILD},                                /* no binary for this GPU */
        {214, 214, WAVE_RT_LOST},                                     /* ECC error */
        {218, 218, WAVE_RT_BAD_BUILD}, /* invalid PTX; HIP: invalid kernel file */
        {220, 220, WAVE_RT_LOST},      /* NVLink error */
        {221, 223, WAVE_RT_BAD_BUILD}, /* no compiler; PTX too new; compiling is turned off */
        {226, 226, WAVE_RT_LOST},      /* contained error */
        {700, 702, WAVE_RT_LAUNCH},    /* illegal address; out of resources; timeout */
        {709, 709, WAVE_RT_LOST},      /* the context is destroyed */
        {710, 710, WAVE_RT_LAUNCH},    /* assert */
        {714, 719, WAVE_RT_LAUNCH},    /* what else stops a kernel, from its stack on */
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (result >= list[k].first && result <= list[k].last)
            return list[k].status;
    return WAVE_RT_VENDOR;
}

/* A call's name as people know it: cuMemcpyHtoD, not cuMemcpyHtoDAsync_v2. */
static void shorten(const char *symbol, char *name, size_t size) {
    static const char *const endings[] = {"_v2", "Async", "WithFlags"};
    rt_copy(name, size, symbol);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t length = strlen(name), ending = strlen(endings[k]);
        if (length > ending && strcmp(name + length - ending, endings[k]) == 0)
            name[length - ending] = '\0';
    }
}

void rt_run_check(rt_run *run, const char *symbol, int result) {
    char name[64];
    if (result == 0)
        return;
    shorten(symbol, name, sizeof name);
    run->status = rt_fail_call(run->error, classify(result), name,
                               run->device->vendor->error_words(run->device, result), result);
}

/* One of the calls that both vendors have. */
#define CALL(run, member, ...)                                                                     \
    RT_RUN(run, (run)->device->vendor->symbols.member, (run)->device->calls.member(__VA_ARGS__))

/* ---- Runs of calls ---- */

rt_run rt_run_begin(rt_stream_device *device, wave_rt_error *error) {
    rt_run run = {.device = device, .error = error};
    device->vendor->enter(&run);
    run.inside = run.status == WAVE_RT_OK;
    return run;
}

/* For calls that only take objects which are there. */
static rt_run begin_known(rt_stream_device *device, wave_rt_error *error) {
    if (!device->vendor->objects_know_device)
        return rt_run_begin(device, error);
    return (rt_run){.device = device, .error = error};
}

wave_rt_status rt_run_end(rt_run *run) {
    if (run->inside)
        run->device->vendor->leave(run);
    return run->status;
}

/* The end of a run that made an object: hands it over, or frees it. */
static wave_rt_status end_making(rt_run *run, void *object, void **place) {
    if (run->status == WAVE_RT_OK)
        *place = object;
    else
        free(object);
    return rt_run_end(run);
}

/* ---- Libraries ---- */

static const char *find_calls(rt_stream_device *d) {
    const rt_stream_symbols *symbols = &d->vendor->symbols;
    const char *missing = d->vendor->find_calls(d);
#define X(member, parameters)                                                                      \
    if (!rt_library_find(d->libraries[0], symbols->member, &d->calls.member))                      \
        missing = symbols->member;
    RT_STREAM_CALLS(X)
#undef X
    return missing;
}

static void start_library(rt_run *run) {
    rt_stream_device *d = run->device;
    for (int k = 0; k < RT_STREAM_LIBRARIES && d->vendor->libraries[k].variable; k++) {
        const rt_stream_library *library = &d->vendor->libraries[k];
        d->libraries[k] =
            rt_library_open(library->variable, library->names, library->folders, run->error);
        if (!d->libraries[k]) {
            run->status = WAVE_RT_NO_DEVICE;
            return;
        }
    }
    const char *missing = find_calls(d);
    if (missing)
        run->status = rt_fail(run->error, WAVE_RT_NO_DEVICE, "the %s is too old: it has no %s",
                              d->vendor->library, missing);
    CALL(run, init, 0);
}

/* How many devices there are. Whatever comes of it, `unload` is to be called. */
static rt_run load(const rt_stream_vendor *vendor, int *count, wave_rt_error *error) {
    rt_run run = {.device = calloc(1, vendor->device_size), .error = error};
    if (!run.device) {
        run.status = rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
        return run;
    }
    run.device->vendor = vendor;
    start_library(&run);
    CALL(&run, device_count, count);
    return run;
}

static void unload(rt_stream_device *d) {
    for (int k = RT_STREAM_LIBRARIES - 1; d && k >= 0; k--)
        rt_library_close(d->libraries[k]);
    free(d);
}

/* ---- Describing a device ---- */

static unsigned attribute(rt_run *run, int which) {
    int value = 0;
    CALL(run, device_attribute, &value, which, run->device->device);
    return value < 0 ? 0 : (unsigned)value;
}

/* Something a driver may not know, or not tell. */
static unsigned optional(const rt_run *run, int which) {
    const rt_stream_device *d = run->device;
    int value = 0;
    if (!which || d->calls.device_attribute(&value, which, d->device) != 0 || value < 0)
        return 0;
    return (unsigned)value;
}

static void describe_sizes(rt_run *run, wave_rt_device_info *info) {
    const rt_stream_attributes *a = &run->device->vendor->attributes;
    info->wave_width = attribute(run, a->wave_width);
    info->max_workgroup_size = attribute(run, a->max_workgroup_size);
    for (int k = 0; k < 3; k++) {
        info->max_workgroup[k] = attribute(run, a->max_workgroup_x + k);
        info->max_grid[k] = attribute(run, a->max_grid_x + k);
    }
    unsigned more = optional(run, a->more_local_memory_size);
    info->local_memory_size = more ? more : attribute(run, a->local_memory_size);
    info->cores = attribute(run, a->cores);
    if (info->wave_width)
        info->max_waves_per_core = attribute(run, a->max_threads_per_core) / info->wave_width;
    info->register_file_size = 4 * (uint64_t)optional(run, a->registers_per_core);
    info->max_workgroups_per_core = optional(run, a->max_workgroups_per_core);
}

/* Two operations a lane in a clock; kHz and bits to a second and bytes. */
static void describe_peaks(const rt_run *run, wave_rt_device_info *info) {
    const rt_stream_attributes *a = &run->device->vendor->attributes;
    info->peak_bytes = 1e3 * run->device->transfers * optional(run, a->memory_clock) / 8 *
                       optional(run, a->memory_bus_width);
    info->peak_flops = 2e3 * optional(run, a->clock) * run->device->float_lanes * info->cores;
}

static void describe(rt_run *run, int index, wave_rt_device_info *info) {
    rt_stream_device *d = run->device;
    size_t memory = 0;
    int version = 0;
    *info = (wave_rt_device_info){.target = d->vendor->target,
                                  .capabilities =
                                      WAVE_RT_CAP_F64 | WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA};
    d->device = index;
    if (d->vendor->select)
        d->vendor->select(run, index);
    CALL(run, device_name, info->title, sizeof info->title, d->device);
    CALL(run, device_memory, &memory, d->device);
    CALL(run, version, &version);
    if (run->status == WAVE_RT_OK)
        d->vendor->identify(run, version, info);
    if (run->status != WAVE_RT_OK)
        return;
    describe_sizes(run, info);
    if (run->status == WAVE_RT_OK)
        describe_peaks(run, info);
    info->device_memory_size = memory;
    (void)snprintf(info->name, sizeof info->name, "%s:%d", d->vendor->name, index);
}

/* ---- Finding and opening ---- */

static void tell_absence(const rt_stream_vendor *vendor, rt_found *found, int index,
                         const wave_rt_error *reason) {
    char text[256];
    (void)snprintf(text, sizeof text, "%s:%d: %.200s", vendor->name, index, reason->message);
    found->nothing(found, text);
}

wave_rt_status rt_stream_enumerate(const rt_stream_vendor *vendor, rt_found *found,
                                   wave_rt_error *error) {
    int count = 0;
    rt_run run = load(vendor, &count, error);
    for (int k = 0; k < count && run.status == WAVE_RT_OK; k++) {
        wave_rt_device_info info;
        wave_rt_error reason = {.message = ""};
        rt_run one = {.device = run.device, .error = &reason};
        describe(&one, k, &info);
        if (one.status != WAVE_RT_OK)
            tell_absence(vendor, found, k, &reason);
        else if (!found->device(found, &info))
            run.status = rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    }
    unload(run.device);
    return run.status;
}

wave_rt_status rt_stream_open(const rt_stream_vendor *vendor, const char *which, void **device,
                              wave_rt_device_info *info, wave_rt_error *error) {
    unsigned index;
    int count = 0;
    if (!rt_index(which, &index))
        return rt_fail(error, WAVE_RT_NO_DEVICE, "a %s device is %s:NUMBER, not %s:%.40s",
                       vendor->title, vendor->name, vendor->name, which);
    rt_run run = load(vendor, &count, error);
    if (run.status == WAVE_RT_OK && index >= (unsigned)count)
        run.status = rt_fail(error, WAVE_RT_NO_DEVICE, "there is no %s:%u; %s has %d devices",
                             vendor->name, index, vendor->title, count);
    if (run.status == WAVE_RT_OK)
        describe(&run, (int)index, info);
    if (run.status == WAVE_RT_OK && vendor->retain)
        vendor->retain(&run);
    if (run.status == WAVE_RT_OK)
        *device = run.device;
    else
        unload(run.device);
    return run.status;
}

void rt_stream_close(void *device) {
    rt_stream_device *d = device;
    if (d->vendor->release)
        d->vendor->release(d);
    unload(d);
}

/* ---- Memory ---- */

wave_rt_status rt_stream_memory_create(void *device, uint64_t size, void **memory,
                                       wave_rt_error *error) {
    rt_run run = rt_run_begin(device, error);
    CALL(&run, memory_alloc, memory, size);
    return rt_run_end(&run);
}

void rt_stream_memory_destroy(void *device, void *memory) {
    if (!memory)
        return;
    rt_run run = begin_known(device, NULL);
    CALL(&run, memory_free, memory);
    (void)rt_run_end(&run);
}

static wave_rt_status copy(const stream_queue *q, void *to, const void *from, uint64_t size,
                           bool to_device, wave_rt_error *error) {
    rt_run run = rt_run_begin(q->device, error);
    q->device->vendor->copy(&run, to, from, size, to_device, q->stream);
    CALL(&run, stream_wait, q->stream);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_upload(void *queue, void *memory, uint64_t offset, const void *data,
                                uint64_t size, wave_rt_error *error) {
    return copy(queue, (uint8_t *)memory + offset, data, size, true, error);
}

wave_rt_status rt_stream_download(void *queue, void *memory, uint64_t offset, void *data,
                                  uint64_t size, wave_rt_error *error) {
    return copy(queue, data, (const uint8_t *)memory + offset, size, false, error);
}

wave_rt_status rt_stream_fill(void *queue, void *memory, uint64_t offset, uint8_t byte,
                              uint64_t size, wave_rt_error *error) {
    const stream_queue *q = queue;
    rt_run run = rt_run_begin(q->device, error);
    q->device->vendor->fill(&run, (uint8_t *)memory + offset, byte, size, q->stream);
    CALL(&run, stream_wait, q->stream);
    return rt_run_end(&run);
}

/* ---- Modules ---- */

static void fill_module(rt_run *run, const rt_program *program, stream_module *m) {
    const rt_stream_vendor *vendor = run->device->vendor;
    vendor->module_load(run, program, &m->module);
    bool loaded = run->status == WAVE_RT_OK;
    for (size_t k = 0; k < program->count; k++) {
        const rt_entry *entry = &program->entries[k];
        CALL(run, module_function, &m->functions[k], m->module, entry->symbol);
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
    rt_run run = begin_known(device, NULL);
    CALL(&run, module_unload, m->module);
    (void)rt_run_end(&run);
    free(m);
}

wave_rt_status rt_stream_kernel_limits(void *device, void *module, size_t kernel, rt_limits *limits,
                                       wave_rt_error *error) {
    rt_stream_device *d = device;
    void *function = ((stream_module *)module)->functions[kernel];
    int threads = 0, registers = 0, local = 0;
    rt_run run = rt_run_begin(d, error);
    CALL(&run, function_attribute, &threads, FUNCTION_MAX_THREADS, function);
    CALL(&run, function_attribute, &registers, FUNCTION_REGISTERS, function);
    if (d->vendor->tells_local_memory)
        CALL(&run, function_attribute, &local, FUNCTION_LOCAL_MEMORY, function);
    *limits = (rt_limits){.threads = (uint32_t)threads,
                          .registers = (uint32_t)registers,
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
    CALL(&run, stream_create, &q->stream, NON_BLOCKING);
    d->vendor->event_create(&run, &q->start);
    d->vendor->event_create(&run, &q->stop);
    if (run.status != WAVE_RT_OK)
        destroy_objects(q);
    return end_making(&run, q, queue);
}

void rt_stream_queue_destroy(void *device, void *queue) {
    if (!queue)
        return;
    rt_run run = begin_known(device, NULL);
    if (run.status == WAVE_RT_OK)
        destroy_objects(queue);
    (void)rt_run_end(&run);
    free(queue);
}

/* The words in which a kernel with asserts tells which one failed: zero before the launch. */
static void prepare_status(rt_run *run, stream_queue *q) {
    bool fresh = !q->status;
    if (fresh)
        CALL(run, memory_alloc, &q->status, STATUS_SIZE);
    if (run->status == WAVE_RT_OK && fresh)
        run->device->vendor->fill(run, q->status, 0, STATUS_SIZE, q->stream);
    q->may_fail = true;
}

/* After the kernels have ended. */
static void check_status(rt_run *run, stream_queue *q) {
    uint32_t status[2] = {0};
    if (!q->may_fail || run->status != WAVE_RT_OK)
        return;
    q->may_fail = false;
    run->device->vendor->copy(run, status, q->status, STATUS_SIZE, false, q->stream);
    CALL(run, stream_wait, q->stream);
    if (run->status != WAVE_RT_OK || !status[0])
        return;
    run->device->vendor->fill(run, q->status, 0, STATUS_SIZE, q->stream);
    CALL(run, stream_wait, q->stream);
    if (run->status == WAVE_RT_OK)
        run->status = rt_fail(run->error, WAVE_RT_LAUNCH, RT_ASSERT_FAILED, status[1]);
}

/* The parameters of ISA 3.4: the arena, the argument words if there are any, its size, the status
 * words. */
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
    CALL(run, launch, function, d->grid[0], d->grid[1], d->grid[2], d->group[0], d->group[1],
         d->group[2], dynamic ? entry->local_memory : 0, q->stream, parameters, NULL);
}

wave_rt_status rt_stream_launch(void *queue, const rt_dispatch *dispatch, wave_rt_error *error) {
    stream_queue *q = queue;
    rt_run run = rt_run_begin(q->device, error);
    if (dispatch->timed)
        CALL(&run, event_record, q->start, q->stream);
    start_kernel(&run, dispatch, q);
    if (dispatch->timed)
        CALL(&run, event_record, q->stop, q->stream);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_wait(void *queue, wave_rt_error *error) {
    stream_queue *q = queue;
    rt_run run = q->may_fail ? rt_run_begin(q->device, error) : begin_known(q->device, error);
    CALL(&run, stream_wait, q->stream);
    check_status(&run, q);
    return rt_run_end(&run);
}

wave_rt_status rt_stream_elapsed(void *queue, double *seconds, wave_rt_error *error) {
    const stream_queue *q = queue;
    float milliseconds = 0;
    rt_run run = begin_known(q->device, error);
    CALL(&run, event_elapsed, &milliseconds, q->start, q->stop);
    *seconds = (double)milliseconds * 1e-3;
    return rt_run_end(&run);
}
