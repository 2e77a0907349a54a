/* Chooses which tests run on which device, and how strictly their memory is compared. */
#include "hwtest.h"

#include <string.h>

static bool has_width(const tf_test *t, uint32_t width) {
    for (size_t k = 0; k < t->width_count; k++)
        if (t->widths[k] == width)
            return true;
    return false;
}

hw_verdict hw_judge(const hw_test *t, const hw_device *d, char *reason, size_t size) {
    const tf_test *test = t->test;
    const char *target = d->info.target ? d->info.target : "emu";
    if (!test) {
        snprintf(reason, size, "%s", t->broken);
        return HW_FAILED;
    }
    if (test->error_count && !(test->fails && d->info.target)) {
        snprintf(reason, size, "expects an error of the emulator");
        return HW_SKIPPED;
    }
    if (test->poison || test->strict_align) {
        snprintf(reason, size, "tests an option of the emulator");
        return HW_SKIPPED;
    }
    if (!(test->targets & d->target)) {
        snprintf(reason, size, "not for %s", target);
        return HW_SKIPPED;
    }
    if (test->todo & d->target) {
        snprintf(reason, size, "known to fail on %s", target);
        return HW_SKIPPED;
    }
    if (test->ftz_sensitive && d->target == TF_MSL) {
        snprintf(reason, size, "depends on f32 subnormals, which Metal flushes");
        return HW_SKIPPED;
    }
    if (!has_width(test, d->info.wave_width)) {
        snprintf(reason, size, "needs waves of %u lanes", test->widths[0]);
        return HW_NOT_APPLICABLE;
    }
    return HW_PENDING;
}

ref_mode hw_compare_mode(const hw_device *d) {
    return d->target == TF_EMU ? REF_SAME : REF_SAME_BUT_NAN;
}
