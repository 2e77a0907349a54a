/* The source files quoted by messages, traces and the debugger: the input itself, and those named
 * by a line table. */
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include "cli/cli.h"

#include <stdio.h>

typedef struct cli_sources cli_sources;

/* NULL: out of memory. */
cli_sources *cli_sources_create(void);
void cli_sources_destroy(cli_sources *sources);

/* Adds a file that has been read: `text` is borrowed, the name copied. False: out of memory. */
bool cli_sources_add(cli_sources *sources, const char *name, const char *text, size_t size);

/* Whether an input is assembly, OpenCL C or SPIR-V: a file that does not start like WBIN or SPIR-V
 * is classified by its name; without a name it is assembly. */
bool cli_is_source(const char *path, const cli_input *input);
/* Converts an input to WBIN with the lines of its instructions, and adds it to the sources. `tool`
 * is for messages. CLI_OK, CLI_BAD_INPUT, or CLI_USAGE after printing an error. */
int cli_assemble_source(cli_sources *sources, const char *tool, const char *path,
                        const cli_input *input, wave_blob *out, wave_diags *diags);
/* The files included by that input. */
const cli_includes *cli_sources_includes(const cli_sources *sources);

/* A line, counted from 1, without its newline; false when there is none. A file that was not added
 * is read on first use, if it is a regular file of reasonable size. */
bool cli_source_line(cli_sources *sources, const char *name, uint32_t line, const char **text,
                     size_t *length);

/* The same as a callback for wave_diags_read_lines; `user` is the sources. */
bool cli_read_line(void *user, const char *file, uint32_t line, const char **text, size_t *length);

/* The line with a label, or 0. */
uint32_t cli_source_label(cli_sources *sources, const char *name, const char *label);

/* Prints a source line, safe for a terminal; very long ones are cut. */
void cli_put_source(FILE *out, const char *text, size_t length);

#endif
