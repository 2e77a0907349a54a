/* OpenCL C and SPIR-V assembly to SPIR-V, by running clang and spirv-as. */
#ifndef CLI_OPENCL_H
#define CLI_OPENCL_H

#include "cli/cc_options.h"

typedef enum opencl_language {
    OPENCL_NONE,
    OPENCL_C,     /* NAME.cl */
    OPENCL_TEXT,  /* NAME.spvasm */
    OPENCL_SPIRV, /* recognised by its first word, whatever its name */
} opencl_language;

/* The language of an input. */
opencl_language opencl_language_of(const char *path, const cli_input *input);

/* The results, all malloc'ed. */
typedef struct opencl_result {
    wave_blob spirv;
    wave_blob depend; /* make's rule for `output`, when requested */
} opencl_result;

/* Runs clang or spirv-as on the input in a folder next to `output`, or, if that is not a
 * file, in the folder for temporary files. What they print goes to standard error. CLI_OK,
 * CLI_BAD_INPUT when they found errors, CLI_USAGE after printing why they could not run. */
int opencl_to_spirv(const cc_options *o, const cli_input *input, const char *output,
                    opencl_result *result);
void opencl_free(opencl_result *result);

/* Compiles to WBIN, with the options named in the source (cc_parse_source) and those of
 * $WAVE_CC_FLAGS: for tools that accept such files like assembly. Adds the files that the source
 * includes, unless `includes` is NULL. CLI_OK, CLI_BAD_INPUT, or CLI_USAGE after printing why it
 * could not be compiled. */
int opencl_load(const char *tool, const char *path, const cli_input *input, bool debug,
                cli_includes *includes, wave_blob *out, wave_diags *diags);

#endif
