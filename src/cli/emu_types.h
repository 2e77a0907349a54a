/* The types of a kernel's data in memory: loads and stores move bits, but the instructions before
 * and after them often reveal whether these are floats. */
#ifndef CLI_EMU_TYPES_H
#define CLI_EMU_TYPES_H

#include "cli/emu_texts.h"

/* By instruction index: the type of what it loads or stores, or WAVE_VALUE_U32 if unknown;
 * malloc'ed, NULL when out of memory. Walks the code once in each direction and ignores branches:
 * the nearest use decides. */
uint8_t *emu_find_types(emu_texts *texts);

#endif
