/* Facts about a compiled kernel, and access to the vendor's own objects. */
#include "core.h"

unsigned wave_rt_version(void) {
    return WAVE_RT_VERSION;
}

static uint32_t or_unknown(uint32_t value) {
    return value ? value : UINT32_MAX;
}

/* max_resident_waves = floor(F / (R * W * 4)), section 2 of the specification. */
static uint32_t resident_waves(const wave_rt_device_info *info, uint32_t registers,
                               uint32_t width) {
    if (!info->register_file_size || !registers || !width)
        return UINT32_MAX;
    uint64_t waves = info->register_file_size / ((uint64_t)registers * width * 4);
    uint32_t most = or_unknown(info->max_waves_per_core);
    return waves < most ? (uint32_t)waves : most;
}

wave_rt_status wave_rt_kernel_facts(const wave_rt_module *module, size_t kernel,
                                    wave_rt_facts *facts, wave_rt_error *error) {
    if (!module || !facts || kernel >= module->program.count)
        return rt_fail(error, WAVE_RT_USAGE, "no such kernel, or facts is NULL");
    if (facts->size < sizeof facts->size)
        return rt_fail(error, WAVE_RT_USAGE, "facts.size is not set");
    const rt_limits *limits = &module->limits[kernel];
    const rt_entry *entry = &module->entries[kernel];
    const wave_rt_facts all = {
        .registers = or_unknown(limits->registers),
        .spill_bytes = limits->reports_spills ? limits->spill_bytes : UINT32_MAX,
        .local_memory = limits->local_memory              ? limits->local_memory
                        : (entry->uses & WAVE_USES_LOCAL) ? entry->local_memory
                                                          : 0,
        .max_threads = or_unknown(limits->threads),
        .resident_waves =
            resident_waves(&module->device->info, limits->registers, module->program.wave_width),
    };
    rt_give_sized(facts, facts->size, &all, sizeof all);
    return WAVE_RT_OK;
}

static void *native(const wave_rt_device *device, rt_native kind, void *object) {
    return device->vendor->native ? device->vendor->native(kind, object) : NULL;
}

void *wave_rt_device_native(const wave_rt_device *device) {
    return device ? native(device, RT_NATIVE_DEVICE, device->own) : NULL;
}

void *wave_rt_queue_native(const wave_rt_queue *queue) {
    return queue ? native(queue->device, RT_NATIVE_QUEUE, queue->own) : NULL;
}

void *wave_rt_arena_native(const wave_rt_arena *arena) {
    return arena ? native(arena->device, RT_NATIVE_MEMORY, arena->own) : NULL;
}
