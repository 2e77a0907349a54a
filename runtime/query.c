/* query_constant and query_capability: the names of the specification, one row each. */
#include "core.h"

#include <string.h>

enum { MAX_REGISTERS = 256, CALL_DEPTH = 8, DIVERGENCE_DEPTH = 32, TILE = 4 };

typedef enum constant {
    WAVE_WIDTH,
    REGISTERS,
    REGISTER_FILE_SIZE,
    LOCAL_MEMORY_SIZE,
    MAX_WORKGROUP_SIZE,
    MAX_WORKGROUPS_PER_CORE,
    MAX_WAVES_PER_CORE,
    DEVICE_MEMORY_SIZE,
    CLUSTER_SIZE,
    MAX_CALL_DEPTH,
    MIN_DIVERGENCE_DEPTH,
    MMA_M,
    MMA_N,
    MMA_K,
    MMA_TYPES,
    CONSTANTS
} constant;

static const char *const constants[CONSTANTS + 1] = {
    [WAVE_WIDTH] = "WAVE_WIDTH",
    [REGISTERS] = "MAX_REGISTERS",
    [REGISTER_FILE_SIZE] = "REGISTER_FILE_SIZE",
    [LOCAL_MEMORY_SIZE] = "LOCAL_MEMORY_SIZE",
    [MAX_WORKGROUP_SIZE] = "MAX_WORKGROUP_SIZE",
    [MAX_WORKGROUPS_PER_CORE] = "MAX_WORKGROUPS_PER_CORE",
    [MAX_WAVES_PER_CORE] = "MAX_WAVES_PER_CORE",
    [DEVICE_MEMORY_SIZE] = "DEVICE_MEMORY_SIZE",
    [CLUSTER_SIZE] = "CLUSTER_SIZE",
    [MAX_CALL_DEPTH] = "MAX_CALL_DEPTH",
    [MIN_DIVERGENCE_DEPTH] = "MIN_DIVERGENCE_DEPTH",
    [MMA_M] = "MMA_M",
    [MMA_N] = "MMA_N",
    [MMA_K] = "MMA_K",
    [MMA_TYPES] = "MMA_TYPES",
};

static const struct {
    const char *name;
    unsigned bit;
} capabilities[] = {
    {"CAP_F64", WAVE_RT_CAP_F64},
    {"CAP_ATOMIC_64", WAVE_RT_CAP_ATOMIC_64},
    {"CAP_ATOMIC_F32", WAVE_RT_CAP_ATOMIC_F32},
    {"CAP_MMA", WAVE_RT_CAP_MMA},
    {"CAP_RECURSION", WAVE_RT_CAP_RECURSION},
    {"CAP_CLUSTER", WAVE_RT_CAP_CLUSTER},
};
enum { CAPABILITIES = sizeof capabilities / sizeof *capabilities };

/* Tiles are computed by each lane alone, in f32 (docs/isa.md): the same on every device. */
static uint64_t value_of(const wave_rt_device_info *info, constant which) {
    switch (which) {
    case WAVE_WIDTH: return info->wave_width;
    case REGISTERS: return MAX_REGISTERS;
    case REGISTER_FILE_SIZE: return info->register_file_size;
    case LOCAL_MEMORY_SIZE: return info->local_memory_size;
    case MAX_WORKGROUP_SIZE: return info->max_workgroup_size;
    case MAX_WORKGROUPS_PER_CORE: return info->max_workgroups_per_core;
    case MAX_WAVES_PER_CORE: return info->max_waves_per_core;
    case DEVICE_MEMORY_SIZE: return info->device_memory_size;
    case CLUSTER_SIZE: return 1;
    case MAX_CALL_DEPTH: return CALL_DEPTH;
    case MIN_DIVERGENCE_DEPTH: return DIVERGENCE_DEPTH;
    case MMA_TYPES: return WAVE_RT_MMA_F32_F32;
    default: return TILE;
    }
}

wave_rt_status wave_rt_query_constant(const wave_rt_device *device, const char *name,
                                      uint64_t *value, wave_rt_error *error) {
    if (!device || !name || !value)
        return rt_fail(error, WAVE_RT_USAGE, "a device, a name and a place for the value, please");
    for (unsigned k = 0; k < CONSTANTS; k++)
        if (strcmp(constants[k], name) == 0) {
            *value = value_of(&device->info, (constant)k);
            return WAVE_RT_OK;
        }
    return rt_fail(error, WAVE_RT_USAGE, "there is no constant '%.60s'", name);
}

wave_rt_status wave_rt_query_capability(const wave_rt_device *device, const char *name,
                                        bool *present, wave_rt_error *error) {
    if (!device || !name || !present)
        return rt_fail(error, WAVE_RT_USAGE, "a device, a name and a place for the value, please");
    for (unsigned k = 0; k < CAPABILITIES; k++)
        if (strcmp(capabilities[k].name, name) == 0) {
            *present = (device->info.capabilities & capabilities[k].bit) != 0;
            return WAVE_RT_OK;
        }
    return rt_fail(error, WAVE_RT_USAGE, "there is no capability '%.60s'", name);
}

const char *wave_rt_constant_name(unsigned index) {
    return index < CONSTANTS ? constants[index] : NULL;
}

const char *wave_rt_capability_name(unsigned index) {
    return index < CAPABILITIES ? capabilities[index].name : NULL;
}
