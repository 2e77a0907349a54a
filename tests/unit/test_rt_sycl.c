/* The errors of Intel's run time are classified by their message. scripts/check-hwtest.sh shows
 * that a failing device is given up and its process replaced: with the simulated CUDA driver and,
 * through an OpenCL layer that injects errors, on Intel's CPU device. */
#include "sycl_errors.h"

#include <criterion/criterion.h>

Test(rt_sycl, error_messages_have_their_status) {
    static const struct {
        const char *words;
        wave_rt_status status;
    } cases[] = {
        {"level_zero backend failed with error: 20 (UR_RESULT_ERROR_DEVICE_LOST)", WAVE_RT_LOST},
        {"Native API failed. Native API returns: 20 (UR_RESULT_ERROR_DEVICE_LOST)", WAVE_RT_LOST},
        {"level_zero backend failed with error: 21 (UR_RESULT_ERROR_DEVICE_REQUIRES_RESET)",
         WAVE_RT_LOST},
        {"opencl backend failed with error: 40 (UR_RESULT_ERROR_OUT_OF_RESOURCES)", WAVE_RT_LAUNCH},
        {"opencl backend failed with error: 68 (UR_RESULT_ERROR_IN_EVENT_LIST_EXEC_STATUS)",
         WAVE_RT_LAUNCH},
        {"level_zero backend failed with error: 39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
         WAVE_RT_DEVICE_MEMORY},
        {"backend failed with error: 38 (UR_RESULT_ERROR_OUT_OF_HOST_MEMORY)", WAVE_RT_NO_MEMORY},
        {"backend failed with error: 41 (UR_RESULT_ERROR_PROGRAM_BUILD_FAILURE)",
         WAVE_RT_BAD_BUILD},
        {"backend failed with error: 15 (UR_RESULT_ERROR_INVALID_WORK_GROUP_SIZE)", WAVE_RT_LIMIT},
        {"backend failed with error: (UR_RESULT_ERROR_DEVICE_NOT_FOUND)", WAVE_RT_VENDOR},
        {"backend failed with error: (UR_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)",
         WAVE_RT_VENDOR},
        {"(UR_RESULT_ERROR_DEVICE_LOST_AND_FOUND)", WAVE_RT_VENDOR},
        {"UR_RESULT_", WAVE_RT_VENDOR},
        {"", WAVE_RT_VENDOR},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        cr_expect_eq(rt_sycl_classify(cases[k].words, WAVE_RT_VENDOR), cases[k].status, "%s",
                     cases[k].words);
    cr_expect_eq(rt_sycl_classify("(UR_RESULT_ERROR_UNKNOWN)", WAVE_RT_LAUNCH), WAVE_RT_LAUNCH);
}
