/* Classifies the errors of Intel's run time. SYCL has few error codes; the actual error is a
 * Unified Runtime name in the exception's message: "level_zero backend failed with error: 20
 * (UR_RESULT_ERROR_DEVICE_LOST)". The same names represent the codes of Level Zero and OpenCL. */
#ifndef RUNTIME_SYCL_ERRORS_H
#define RUNTIME_SYCL_ERRORS_H

#include "wave_rt.h"

#include <string.h>

/* Returns `otherwise` when the message contains no name of the list. */
static inline wave_rt_status rt_sycl_classify(const char *words, wave_rt_status otherwise) {
    static const struct {
        const char *name;
        wave_rt_status status;
    } list[] = {
        {"ERROR_DEVICE_LOST", WAVE_RT_LOST},
        {"ERROR_DEVICE_REQUIRES_RESET", WAVE_RT_LOST},
        {"ERROR_DEVICE_IN_LOW_POWER_STATE", WAVE_RT_LOST},
        {"ERROR_DEVICE_NOT_AVAILABLE", WAVE_RT_LOST},
        {"ERROR_IN_EVENT_LIST_EXEC_STATUS", WAVE_RT_LAUNCH},
        /* how Intel's OpenCL drivers report a stopped kernel: a page fault, a hang */
        {"ERROR_OUT_OF_RESOURCES", WAVE_RT_LAUNCH},
        {"ERROR_OUT_OF_DEVICE_MEMORY", WAVE_RT_DEVICE_MEMORY},
        {"ERROR_MEM_OBJECT_ALLOCATION_FAILURE", WAVE_RT_DEVICE_MEMORY},
        {"ERROR_INVALID_BUFFER_SIZE", WAVE_RT_DEVICE_MEMORY},
        {"ERROR_INVALID_USM_SIZE", WAVE_RT_DEVICE_MEMORY},
        {"ERROR_OUT_OF_HOST_MEMORY", WAVE_RT_NO_MEMORY},
        {"ERROR_PROGRAM_BUILD_FAILURE", WAVE_RT_BAD_BUILD},
        {"ERROR_PROGRAM_LINK_FAILURE", WAVE_RT_BAD_BUILD},
        {"ERROR_COMPILER_NOT_AVAILABLE", WAVE_RT_BAD_BUILD},
        {"ERROR_INVALID_WORK_GROUP_SIZE", WAVE_RT_LIMIT},
        {"ERROR_INVALID_WORK_ITEM_SIZE", WAVE_RT_LIMIT},
        {"ERROR_INVALID_WORK_DIMENSION", WAVE_RT_LIMIT},
        {"ERROR_INVALID_KERNEL_ARGS", WAVE_RT_LIMIT},
    };
    const char *name = strstr(words, "UR_RESULT_");
    for (size_t k = 0; name && k < sizeof list / sizeof *list; k++) {
        size_t length = strlen(list[k].name);
        const char *own = name + strlen("UR_RESULT_");
        char after = strncmp(own, list[k].name, length) == 0 ? own[length] : '_';
        if (after != '_' && !(after >= 'A' && after <= 'Z')) /* not only a prefix */
            return list[k].status;
    }
    return otherwise;
}

#endif
