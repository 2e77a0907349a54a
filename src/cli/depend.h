/* Dependency files for make: -MD and -MF of the tools that write files. */
#ifndef CLI_DEPEND_H
#define CLI_DEPEND_H

#include "cli/cli.h"

/* The option table row of every tool with dependency files. */
#define DEPEND_OPTION(id)                                                                          \
    {                                                                                              \
        "depend", 'M', id, "D|F FILE",                                                             \
            "-MD: write a make dependency file; -MF FILE: write it to FILE"                        \
    }

/* The options from the command line. */
typedef struct depend_options {
    bool wanted;
    const char *file; /* -MF, or NULL: the output's name with .d */
} depend_options;

/* Takes the value of the option, and the word after -MF. False after printing an error. */
bool depend_parse(depend_options *d, cli_args *args, int argc, char **argv);

/* False, after printing an error, when -MF names the output, which the rule would replace. */
bool depend_is_apart(const char *tool, const depend_options *d, const char *output);

/* The files that were read. */
typedef struct depend_inputs {
    const char *source; /* "-": standard input, which is not a dependency */
    const cli_includes *includes;
} depend_inputs;

/* False, after printing an error, when one of the names cannot be expressed in a makefile. */
bool depend_can_name(const char *tool, const char *output, const depend_inputs *inputs);

/* Writes "OUTPUTS: INPUTS" to `path`. CLI_OK, or CLI_USAGE after printing an error. */
int depend_write(const char *tool, const char *path, const char *const *outputs, size_t count,
                 const depend_inputs *inputs);

/* Writes an output and, if requested, its dependency file; standard output has none. First checks
 * that the dependency file can name everything. CLI_OK, or CLI_USAGE after printing an error. */
int depend_write_output(const char *tool, const depend_options *d, const char *output,
                        const wave_blob *data, const depend_inputs *inputs);

#endif
