/* Naming a lane in the reports of the checkers. */
#ifndef EMU_CHECK_WHO_H
#define EMU_CHECK_WHO_H

#include "base/buf.h"

#include <wave/emu.h>

/* "workgroup (0,0,0), wave 1, lane 3, thread (35,0,0)" */
static inline void check_who(buf *out, const wave_launch *launch, const uint32_t workgroup[3],
                             uint32_t wave, uint32_t lane) {
    const uint32_t *size = launch->workgroup;
    uint32_t thread = wave * launch->wave_width + lane;
    buf_printf(out, "workgroup (%u,%u,%u), wave %u, lane %u, thread (%u,%u,%u)",
               (unsigned)workgroup[0], (unsigned)workgroup[1], (unsigned)workgroup[2],
               (unsigned)wave, (unsigned)lane, (unsigned)(thread % size[0]),
               (unsigned)(thread / size[0] % size[1]), (unsigned)(thread / size[0] / size[1]));
}

#endif
