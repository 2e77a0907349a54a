/* Queues and launches: everything that can be checked is checked before the vendor is called. */
#include "core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 256 };

wave_rt_status wave_rt_queue_create(wave_rt_device *device, wave_rt_queue **out,
                                    wave_rt_error *error) {
    if (!device || !out)
        return rt_fail(error, WAVE_RT_USAGE, "device or queue is NULL");
    *out = NULL;
    wave_rt_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = device->vendor->queue_create(device->own, &queue->own, error);
    if (status != WAVE_RT_OK) {
        free(queue);
        return status;
    }
    queue->device = rt_device_use(device);
    *out = queue;
    return WAVE_RT_OK;
}

void wave_rt_queue_destroy(wave_rt_queue *queue) {
    if (!queue)
        return;
    queue->device->vendor->queue_destroy(queue->device->own, queue->own);
    rt_forget_asserts(queue);
    rt_device_release(queue->device);
    free(queue);
}

static const wave_rt_launch defaults = {
    .size = sizeof defaults, .grid = {1, 1, 1}, .workgroup = {32, 1, 1}};

void wave_rt_launch_init_sized(wave_rt_launch *launch, uint32_t size) {
    rt_give_sized(launch, size, &defaults, sizeof defaults);
}

/* ---- Limits ---- */

static const char axis[3] = {'x', 'y', 'z'};

static wave_rt_status check_sizes(const wave_rt_device_info *info, const rt_dispatch *d,
                                  wave_rt_error *error) {
    uint64_t threads = 1;
    for (int k = 0; k < 3; k++) {
        if (d->grid[k] == 0 || d->group[k] == 0)
            return rt_fail(error, WAVE_RT_USAGE, "the %s has size 0 in %c",
                           d->grid[k] == 0 ? "grid" : "workgroup", axis[k]);
        if (d->grid[k] > info->max_grid[k])
            return rt_fail(error, WAVE_RT_LIMIT,
                           "grid: %" PRIu32 " workgroups in %c; %s allows %" PRIu32, d->grid[k],
                           axis[k], info->name, info->max_grid[k]);
        if (d->group[k] > info->max_workgroup[k])
            return rt_fail(error, WAVE_RT_LIMIT,
                           "workgroup: %" PRIu32 " threads in %c; %s allows %" PRIu32, d->group[k],
                           axis[k], info->name, info->max_workgroup[k]);
        threads *= d->group[k];
    }
    if (threads > info->max_workgroup_size)
        return rt_fail(error, WAVE_RT_LIMIT,
                       "MAX_WORKGROUP_SIZE: %" PRIu64 " threads; %s allows %" PRIu32, threads,
                       info->name, info->max_workgroup_size);
    return WAVE_RT_OK;
}

static wave_rt_status check_kernel(const wave_rt_module *module, const rt_dispatch *d,
                                   wave_rt_error *error) {
    const wave_rt_device *device = module->device;
    uint32_t local = module->entries[d->kernel].local_memory;
    uint64_t threads = (uint64_t)d->group[0] * d->group[1] * d->group[2];
    const rt_limits limits = module->limits[d->kernel];
    if (local > device->info.local_memory_size)
        return rt_fail(error, WAVE_RT_LIMIT,
                       "LOCAL_MEMORY_SIZE: the kernel needs %" PRIu32 " bytes, %s has %" PRIu64,
                       local, device->info.name, device->info.local_memory_size);
    uint32_t width = module->program.wave_width;
    uint64_t waves = (threads + width - 1) / width;
    if (limits.waves && waves > limits.waves)
        return rt_fail(error, WAVE_RT_LIMIT,
                       "waves: a workgroup of %" PRIu64 " threads has %" PRIu64 " waves of %" PRIu32
                       " lanes; %s allows %" PRIu32,
                       threads, waves, width, device->info.name, limits.waves);
    if (limits.threads && threads > limits.threads && limits.registers)
        return rt_fail(error, WAVE_RT_LIMIT,
                       "registers: the kernel needs %" PRIu32
                       " per thread, so a workgroup has at most %" PRIu32
                       " threads on %s, not %" PRIu64,
                       limits.registers, limits.threads, device->info.name, threads);
    if (limits.threads && threads > limits.threads)
        return rt_fail(error, WAVE_RT_LIMIT,
                       "threads: a workgroup of this kernel has at most %" PRIu32
                       " on %s, not %" PRIu64,
                       limits.threads, device->info.name, threads);
    if (limits.local_memory > device->info.local_memory_size)
        return rt_fail(error, WAVE_RT_LIMIT,
                       "LOCAL_MEMORY_SIZE: the compiled kernel needs %" PRIu32
                       " bytes, %s has %" PRIu64,
                       limits.local_memory, device->info.name, device->info.local_memory_size);
    return WAVE_RT_OK;
}

/* A kernel with a fixed workgroup can be launched with no other size; the default means its
 * own. */
static wave_rt_status choose_group(const wave_kernel_info *info, const wave_rt_launch *launch,
                                   uint32_t group[3], wave_rt_error *error) {
    static const uint32_t open[3] = {32, 1, 1};
    const uint32_t *want = launch->workgroup, *have = info->workgroup;
    size_t size = 3 * sizeof *want;
    if (have[0] == 0) {
        memcpy(group, want, size);
        return WAVE_RT_OK;
    }
    memcpy(group, have, size);
    if (memcmp(want, have, size) == 0 || memcmp(want, open, size) == 0)
        return WAVE_RT_OK;
    return rt_fail(error, WAVE_RT_USAGE,
                   "the kernel declares workgroups of %" PRIu32 ",%" PRIu32 ",%" PRIu32
                   " threads, not %" PRIu32 ",%" PRIu32 ",%" PRIu32,
                   have[0], have[1], have[2], want[0], want[1], want[2]);
}

/* ---- Launching ---- */

static wave_rt_status check_launch(const wave_rt_queue *queue, const wave_rt_launch *launch,
                                   wave_rt_error *error) {
    if (!queue || !launch->module || (launch->word_count && !launch->words))
        return rt_fail(error, WAVE_RT_USAGE, "queue, module or argument words is NULL");
    if (launch->module->device != queue->device)
        return rt_fail(error, WAVE_RT_USAGE, "the module and the queue are on different devices");
    if (launch->arena && launch->arena->device != queue->device)
        return rt_fail(error, WAVE_RT_USAGE, "the arena and the queue are on different devices");
    size_t count = wave_module_kernel_count(launch->module->module);
    if (launch->kernel >= count)
        return rt_fail(error, WAVE_RT_USAGE,
                       "the module has %zu kernels; there is no kernel number %zu", count,
                       launch->kernel);
    return WAVE_RT_OK;
}

static wave_rt_status check_words(const wave_rt_module *module, const wave_rt_launch *launch,
                                  wave_rt_error *error) {
    uint32_t words = module->entries[launch->kernel].words;
    if (launch->word_count > words)
        return rt_fail(error, WAVE_RT_USAGE,
                       "the kernel takes %" PRIu32 " argument words, not %" PRIu32, words,
                       launch->word_count);
    return WAVE_RT_OK;
}

/* Fills in all words that the kernel takes; words that are not given are zero. */
static void pad_words(const wave_rt_launch *launch, uint32_t count, uint32_t words[MAX_WORDS]) {
    uint32_t given = launch->word_count;
    if (given)
        memcpy(words, launch->words, given * sizeof *words);
    memset(words + given, 0, (count - given) * sizeof *words);
}

static wave_rt_status dispatch(wave_rt_queue *queue, const wave_rt_launch *launch,
                               wave_rt_error *error) {
    const wave_rt_module *module = NULL;
    wave_rt_status status = check_launch(queue, launch, error);
    if (status == WAVE_RT_OK)
        status = rt_module_for(launch, &module, error);
    if (status == WAVE_RT_OK)
        status = check_words(module, launch, error);
    if (status != WAVE_RT_OK)
        return status;
    uint32_t words[MAX_WORDS];
    pad_words(launch, module->entries[launch->kernel].words, words);
    rt_dispatch d = {.module = module->own,
                     .program = &module->program,
                     .kernel = launch->kernel,
                     .memory = launch->arena ? launch->arena->own : NULL,
                     .memory_size = wave_rt_arena_size(launch->arena),
                     .words = words,
                     .timed = launch->timed,
                     .buffers = launch->buffers,
                     .buffer_count = launch->buffer_count};
    memcpy(d.grid, launch->grid, sizeof d.grid);
    status =
        choose_group(wave_module_kernel(module->module, launch->kernel), launch, d.group, error);
    if (status == WAVE_RT_OK)
        status = check_sizes(&queue->device->info, &d, error);
    if (status == WAVE_RT_OK)
        status = check_kernel(module, &d, error);
    if (status == WAVE_RT_OK) {
        rt_remember_asserts(queue, module, launch->kernel);
        status = queue->device->vendor->launch(queue->own, &d, error);
        rt_explain_assert(queue, status, error);
    }
    if (status == WAVE_RT_OK && launch->timed)
        queue->timed = true;
    return status;
}

wave_rt_status wave_rt_dispatch(wave_rt_queue *queue, const wave_rt_launch *launch,
                                wave_rt_error *error) {
    if (launch && launch->size == sizeof *launch)
        return dispatch(queue, launch, error);
    wave_rt_launch own = defaults;
    if (!launch || !rt_take_sized(&own, sizeof own, launch))
        return rt_fail(error, WAVE_RT_USAGE,
                       "launch is NULL, or wave_rt_launch_init was not called on it");
    return dispatch(queue, &own, error);
}

wave_rt_status wave_rt_wait(wave_rt_queue *queue, wave_rt_error *error) {
    if (!queue)
        return rt_fail(error, WAVE_RT_USAGE, "queue is NULL");
    wave_rt_status status = queue->device->vendor->wait(queue->own, error);
    rt_explain_assert(queue, status, error);
    rt_forget_asserts(queue);
    return status;
}

wave_rt_status wave_rt_elapsed(wave_rt_queue *queue, double *seconds, wave_rt_error *error) {
    if (!queue || !seconds)
        return rt_fail(error, WAVE_RT_USAGE, "queue or the pointer to the time is NULL");
    if (!queue->timed)
        return rt_fail(error, WAVE_RT_USAGE, "the queue has no timed launch");
    return queue->device->vendor->elapsed(queue->own, seconds, error);
}
