/* What a kernel keeps in memory: loads and stores move bits, but the instructions before and after
 * them often say whether those are floats. */
#ifndef CLI_EMU_TYPES_H
#define CLI_EMU_TYPES_H

#include "cli/emu_texts.h"

/* By instruction index: how what it loads or stores is used, or WAVE_VALUE_U32 where that is not
 * known; malloc'ed, NULL when out of memory. Walks the code once in each direction and does not
 * follow branches: the nearest use decides. */
uint8_t *emu_find_types(emu_texts *texts);

#endif
