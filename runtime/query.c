/* query_constant and query_capability of a device. The names are libwave's, which answers the same
 * queries for an architecture without a device. */
#include "core.h"

#include <wave/compile.h>

#include <string.h>

enum { MAX_REGISTERS = 256, CALL_DEPTH = 8, DIVERGENCE_DEPTH = 32, TILE = 16 };

static const unsigned capability_bits[WAVE_CAPABILITY_COUNT] = {
    [WAVE_CAPABILITY_F64] = WAVE_RT_CAP_F64,
    [WAVE_CAPABILITY_ATOMIC_64] = WAVE_RT_CAP_ATOMIC_64,
    [WAVE_CAPABILITY_ATOMIC_F32] = WAVE_RT_CAP_ATOMIC_F32,
    [WAVE_CAPABILITY_MMA] = WAVE_RT_CAP_MMA,
    [WAVE_CAPABILITY_RECURSION] = WAVE_RT_CAP_RECURSION,
    [WAVE_CAPABILITY_CLUSTER] = WAVE_RT_CAP_CLUSTER,
};

enum {
    MMA_TYPES = WAVE_RT_MMA_F16_F32 | WAVE_RT_MMA_BF16_F32 | WAVE_RT_MMA_F32_F32 |
                WAVE_RT_MMA_I8_I32 | WAVE_RT_MMA_U8_I32
};

/* Returns 0 when the vendor does not report the value; no constant can be 0. The tile sizes of a
 * wave (docs/reference/tiles.md) are the same on every device. */
static uint64_t value_of(const wave_rt_device_info *info, wave_constant which) {
    switch (which) {
    case WAVE_CONSTANT_WAVE_WIDTH: return info->wave_width;
    case WAVE_CONSTANT_MAX_REGISTERS: return MAX_REGISTERS;
    case WAVE_CONSTANT_REGISTER_FILE_SIZE: return info->register_file_size;
    case WAVE_CONSTANT_LOCAL_MEMORY_SIZE: return info->local_memory_size;
    case WAVE_CONSTANT_MAX_WORKGROUP_SIZE: return info->max_workgroup_size;
    case WAVE_CONSTANT_MAX_WORKGROUPS_PER_CORE: return info->max_workgroups_per_core;
    case WAVE_CONSTANT_MAX_WAVES_PER_CORE: return info->max_waves_per_core;
    case WAVE_CONSTANT_DEVICE_MEMORY_SIZE: return info->device_memory_size;
    case WAVE_CONSTANT_CLUSTER_SIZE: return 1;
    case WAVE_CONSTANT_MAX_CALL_DEPTH: return CALL_DEPTH;
    case WAVE_CONSTANT_MIN_DIVERGENCE_DEPTH: return DIVERGENCE_DEPTH;
    case WAVE_CONSTANT_MMA_TYPES: return MMA_TYPES;
    default: return TILE;
    }
}

wave_rt_status wave_rt_query_constant(const wave_rt_device *device, const char *name,
                                      uint64_t *value, wave_rt_error *error) {
    if (!device || !name || !value)
        return rt_fail(error, WAVE_RT_USAGE, "device, name or the pointer to the value is NULL");
    for (unsigned k = 0; k < WAVE_CONSTANT_COUNT; k++)
        if (strcmp(wave_constant_name(k), name) == 0) {
            *value = value_of(&device->info, (wave_constant)k);
            return *value ? WAVE_RT_OK
                          : rt_fail(error, WAVE_RT_UNKNOWN, "%s does not report its %s",
                                    device->info.name, name);
        }
    return rt_fail(error, WAVE_RT_USAGE, "unknown constant '%.60s'", name);
}

wave_rt_status wave_rt_query_capability(const wave_rt_device *device, const char *name,
                                        bool *present, wave_rt_error *error) {
    if (!device || !name || !present)
        return rt_fail(error, WAVE_RT_USAGE, "device, name or the pointer to the value is NULL");
    for (unsigned k = 0; k < WAVE_CAPABILITY_COUNT; k++)
        if (strcmp(wave_capability_name(k), name) == 0) {
            *present = (device->info.capabilities & capability_bits[k]) != 0;
            return WAVE_RT_OK;
        }
    return rt_fail(error, WAVE_RT_USAGE, "unknown capability '%.60s'", name);
}

const char *wave_rt_constant_name(unsigned index) {
    return wave_constant_name(index);
}

const char *wave_rt_capability_name(unsigned index) {
    return wave_capability_name(index);
}
