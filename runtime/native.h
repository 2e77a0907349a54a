/* From the JSON of wave_reflect to the core's description of a kernel. */
#ifndef RUNTIME_NATIVE_H
#define RUNTIME_NATIVE_H

#include "json.h"
#include "rt.h"

/* Letters of names that the assembler accepts without quotes. */
#define RT_WORD_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

/* Builds a WBIN file that declares the same kernels. */
wave_rt_status rt_native_declare(rt_json description, wave_blob *wbin, wave_rt_error *error);
/* Fills in the entries of the kernels and the program's combined properties. */
wave_rt_status rt_native_entries(rt_json description, const wave_module *module, rt_entry *entries,
                                 rt_program *program, wave_rt_error *error);

#endif
