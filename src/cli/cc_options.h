/* Options of wave-cc, from the command line, from source lines that begin with "//@ cc:" and from
 * the environment, all in the same form. */
#ifndef CLI_CC_OPTIONS_H
#define CLI_CC_OPTIONS_H

#include "cli/depend.h"

typedef struct cc_options {
    const char *tool, *input, *output;
    const char **flags; /* passed to clang unchanged */
    size_t flag_count;
    const char *standard; /* of OpenCL C; NULL: CL2.0 */
    bool assembly, save_temps, verbose;
    bool silent; /* clang's warnings have been printed already */
    depend_options depend;
    cli_diag_format diagnostics;
    wave_spirv_options spirv;
    wave_spirv_spec *specs;
    wave_spirv_local *locals;
    char **texts; /* copies that the options point into */
    size_t text_count;
} cc_options;

/* False: exit with *status. */
bool cc_parse(cc_options *o, int argc, char **argv, int *status);
/* Parses the blank-separated words of $WAVE_CC_FLAGS like a command line, without files and -o.
 * False after printing an error. */
bool cc_parse_environment(cc_options *o);
/* The same for all lines "//@ cc:" of a source, which may come from anyone: options that make clang
 * write other files are errors. */
bool cc_parse_source(cc_options *o, const char *text, size_t size);
void cc_free(cc_options *o);

#endif
