/* The handlers of all instructions for a generic processor, and the choice between them and the
 * handlers for wider vectors. */
#include "emu/lanes.h"

emu_handler *const *emu_plain_handlers(void) {
    return lane_handlers;
}

emu_handler *const *emu_handlers(wave_cpu cpu) {
    emu_handler *const *wide = cpu == WAVE_CPU_PLAIN ? NULL : emu_wide_handlers();
    return wide || cpu == WAVE_CPU_AVX2 ? wide : lane_handlers;
}

const char *wave_cpu_name(wave_cpu cpu) {
    static const char *const names[WAVE_CPU_COUNT] = {
        [WAVE_CPU_BEST] = "best", [WAVE_CPU_PLAIN] = "plain", [WAVE_CPU_AVX2] = "avx2"};
    return (unsigned)cpu < WAVE_CPU_COUNT ? names[cpu] : NULL;
}
