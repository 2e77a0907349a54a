/* An interface for wave-asm beyond the public one: the parsed statements as text. */
#ifndef ASM_DUMP_H
#define ASM_DUMP_H

#include <wave/wave.h>

/* wave_assemble, with the statements as an indented tree in *tree, even when there are errors. */
wave_status asm_dump_tree(const char *source, size_t size, const wave_asm_options *options,
                          wave_blob *tree, wave_blob *out, wave_diags *diags);

#endif
