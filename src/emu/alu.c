/* The handlers of all instructions for a processor of which nothing is known, and the choice
 * between them and those for wider vectors. */
#include "emu/lanes.h"

emu_handler *const *emu_plain_handlers(void) {
    return lane_handlers;
}

emu_handler *const *emu_handlers(void) {
    emu_handler *const *wide = emu_wide_handlers();
    return wide ? wide : lane_handlers;
}
