/* The emulator as a device: always available, exact, at any wave width. A launch is complete when
 * wave_rt_dispatch returns. */
#include "rt.h"

#include <wave/emu.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 32, THREADS = 1024, LOCAL_MEMORY = 65536, WAVES = 64 };

typedef struct emu_queue {
    double seconds; /* of the last launch */
} emu_queue;

typedef struct emu_event {
    double when; /* time of recording */
} emu_event;

static uint64_t memory_size(void) {
    const uint64_t most = (uint64_t)1 << 32;
#ifdef _SC_PHYS_PAGES
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0 && (uint64_t)pages < most / (uint64_t)page)
        return (uint64_t)pages * (uint64_t)page;
#endif
    return most;
}

static void describe(wave_rt_device_info *info) {
    *info = (wave_rt_device_info){
        .wave_width = WIDTH,
        .max_workgroup_size = THREADS,
        .max_workgroup = {THREADS, THREADS, THREADS},
        .max_grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX},
        .local_memory_size = LOCAL_MEMORY,
        .device_memory_size = memory_size(),
        .register_file_size = (uint64_t)THREADS * 256 * 4,
        .cores = 1,
        .max_workgroups_per_core = 1,
        .max_waves_per_core = WAVES,
        .capabilities = WAVE_RT_CAP_F64 | WAVE_RT_CAP_ATOMIC_64 | WAVE_RT_CAP_ATOMIC_F32 |
                        WAVE_RT_CAP_MMA | WAVE_RT_CAP_RECURSION,
        .shared = true,
    };
    rt_copy(info->name, sizeof info->name, "emu");
    rt_copy(info->title, sizeof info->title, "the reference emulator");
    rt_copy(info->driver, sizeof info->driver, "libwave ");
    rt_copy(info->driver + 8, sizeof info->driver - 8, wave_version());
}

static wave_rt_status emu_enumerate(const rt_vendor *self, rt_found *found, wave_rt_error *error) {
    wave_rt_device_info info;
    (void)self;
    describe(&info);
    return found->device(found, &info) ? WAVE_RT_OK
                                       : rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
}

static wave_rt_status emu_open(const char *which, void **device, wave_rt_device_info *info,
                               wave_rt_error *error) {
    unsigned index;
    if (!rt_index(which, &index) || index != 0)
        return rt_fail(error, WAVE_RT_NO_DEVICE, "there is one emulator: emu, not emu:%.40s",
                       which);
    *device = NULL;
    describe(info);
    return WAVE_RT_OK;
}

static void emu_close(void *device) {
    (void)device;
}

static wave_rt_status emu_memory_create(void *device, uint64_t size, bool shared, void **memory,
                                        void **host, wave_rt_error *error) {
    (void)device;
    (void)shared; /* all its memory is shared */
    *host = *memory = size <= SIZE_MAX ? calloc((size_t)size, 1) : NULL;
    return *memory ? WAVE_RT_OK : rt_fail(error, WAVE_RT_DEVICE_MEMORY, "out of memory");
}

static void free_object(void *device, void *object) {
    (void)device;
    free(object);
}

static wave_rt_status emu_host_create(void *device, uint64_t size, void **memory,
                                      wave_rt_error *error) {
    (void)device;
    *memory = malloc((size_t)size);
    return *memory ? WAVE_RT_OK : rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
}

/* The module is the decoded file itself. */
static wave_rt_status emu_module_create(void *device, const rt_program *program, void **module,
                                        wave_rt_error *error) {
    (void)device;
    if (program->wave_width > 64)
        return rt_fail(error, WAVE_RT_LIMIT, "WAVE_WIDTH: waves have 1 to 64 lanes, not %u",
                       program->wave_width);
    *module = (void *)program;
    return WAVE_RT_OK;
}

static void emu_module_destroy(void *device, void *module) {
    (void)device;
    (void)module;
}

static wave_rt_status emu_kernel_limits(void *device, void *module, size_t kernel,
                                        rt_limits *limits, wave_rt_error *error) {
    const rt_program *program = module;
    (void)device;
    (void)error;
    *limits = (rt_limits){.threads = THREADS,
                          .registers = wave_module_kernel(program->module, kernel)->registers,
                          .reports_spills = true, /* there are none */
                          .waves = WAVES};
    return WAVE_RT_OK;
}

static wave_rt_status emu_queue_create(void *device, void **queue, wave_rt_error *error) {
    (void)device;
    *queue = calloc(1, sizeof(emu_queue));
    return *queue ? WAVE_RT_OK : rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
}

static uint8_t *bytes_of(rt_span span) {
    return (uint8_t *)span.memory + span.offset;
}

static wave_rt_status emu_upload(void *queue, rt_span to, const void *data, bool wait,
                                 wave_rt_error *error) {
    (void)queue, (void)wait, (void)error;
    memcpy(bytes_of(to), data, (size_t)to.size);
    return WAVE_RT_OK;
}

static wave_rt_status emu_download(void *queue, rt_span from, void *data, bool wait,
                                   wave_rt_error *error) {
    (void)queue, (void)wait, (void)error;
    memcpy(data, bytes_of(from), (size_t)from.size);
    return WAVE_RT_OK;
}

static wave_rt_status emu_fill(void *queue, rt_span to, uint8_t byte, bool wait,
                               wave_rt_error *error) {
    (void)queue, (void)wait, (void)error;
    memset(bytes_of(to), byte, (size_t)to.size);
    return WAVE_RT_OK;
}

static wave_rt_status emu_copy(void *queue, rt_span to, rt_span from, wave_rt_error *error) {
    (void)queue, (void)error;
    memcpy(bytes_of(to), bytes_of(from), (size_t)to.size);
    return WAVE_RT_OK;
}

static wave_rt_status fail_run(wave_status status, const wave_diags *diags, wave_rt_error *error) {
    wave_blob text = {0};
    const char *first = "the run failed";
    if (status == WAVE_ERROR_MEMORY)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    for (size_t k = wave_diags_count(diags); k-- > 0;)
        if (wave_diags_at(diags, k)->severity == WAVE_ERROR)
            first = wave_diags_at(diags, k)->message;
    wave_rt_status result = status == WAVE_ERROR_USAGE ? WAVE_RT_LIMIT : WAVE_RT_LAUNCH;
    rt_fail(error, result, "%.400s", first);
    if (wave_diags_format(diags, "kernel", WAVE_DIAG_TEXT, &text) == WAVE_OK && text.data)
        rt_log(error, (const char *)text.data, text.size);
    wave_blob_free(&text);
    return result;
}

static double now(void) {
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec
                                                   : 0;
}

static wave_rt_status emu_launch(void *queue, const rt_dispatch *d, wave_rt_error *error) {
    wave_launch launch;
    wave_diags *diags = wave_diags_create(0);
    if (!diags)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_launch_init(&launch);
    launch.kernel = d->kernel;
    memcpy(launch.grid, d->grid, sizeof launch.grid);
    memcpy(launch.workgroup, d->group, sizeof launch.workgroup);
    launch.wave_width = d->program->wave_width;
    launch.device_memory = d->memory;
    launch.device_size = d->memory_size;
    launch.initial = d->words;
    launch.initial_count = d->program->entries[d->kernel].words;
    launch.bounds = d->program->bounds;
    launch.skip_asserts = !d->program->assert_trap;
    launch.buffers = d->buffers;
    launch.buffer_count = d->buffer_count;
    launch.max_instructions = 0; /* no limit, as on a device */
    double begin = now();
    wave_status status = wave_emulate(d->program->module, &launch, diags);
    ((emu_queue *)queue)->seconds = now() - begin;
    wave_rt_status result = status == WAVE_OK ? WAVE_RT_OK : fail_run(status, diags, error);
    wave_diags_destroy(diags);
    return result;
}

static wave_rt_status emu_wait(void *queue, wave_rt_error *error) {
    (void)queue;
    (void)error;
    return WAVE_RT_OK;
}

static wave_rt_status emu_elapsed(void *queue, double *seconds, wave_rt_error *error) {
    (void)error;
    *seconds = ((emu_queue *)queue)->seconds;
    return WAVE_RT_OK;
}

/* ---- Events: everything queued earlier is already done ---- */

static wave_rt_status emu_event_create(void *device, void **event, wave_rt_error *error) {
    (void)device;
    *event = calloc(1, sizeof(emu_event));
    return *event ? WAVE_RT_OK : rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
}

static wave_rt_status emu_event_record(void *queue, void *event, wave_rt_error *error) {
    (void)queue, (void)error;
    ((emu_event *)event)->when = now();
    return WAVE_RT_OK;
}

static wave_rt_status emu_event_follow(void *queue, void *event, wave_rt_error *error) {
    (void)queue, (void)event, (void)error;
    return WAVE_RT_OK;
}

static wave_rt_status emu_event_query(void *device, void *event, bool *done, wave_rt_error *error) {
    (void)device, (void)event, (void)error;
    *done = true;
    return WAVE_RT_OK;
}

static wave_rt_status emu_event_elapsed(void *device, void *start, void *stop, double *seconds,
                                        wave_rt_error *error) {
    (void)device, (void)error;
    *seconds = ((emu_event *)stop)->when - ((emu_event *)start)->when;
    return WAVE_RT_OK;
}

static void *emu_native(rt_native kind, void *object) {
    return kind == RT_NATIVE_MEMORY ? object : NULL;
}

const rt_vendor rt_emu = {
    .abi = RT_ABI,
    .name = "emu",
    .enumerate = emu_enumerate,
    .open = emu_open,
    .close = emu_close,
    .memory_create = emu_memory_create,
    .memory_destroy = free_object,
    .host_create = emu_host_create,
    .host_destroy = free_object,
    .module_create = emu_module_create,
    .module_destroy = emu_module_destroy,
    .kernel_limits = emu_kernel_limits,
    .queue_create = emu_queue_create,
    .queue_destroy = free_object,
    .upload = emu_upload,
    .download = emu_download,
    .fill = emu_fill,
    .copy = emu_copy,
    .launch = emu_launch,
    .wait = emu_wait,
    .elapsed = emu_elapsed,
    .event_create = emu_event_create,
    .event_destroy = free_object,
    .event_record = emu_event_record,
    .event_follow = emu_event_follow,
    .event_query = emu_event_query,
    .event_wait = emu_event_follow,
    .event_elapsed = emu_event_elapsed,
    .native = emu_native,
};
