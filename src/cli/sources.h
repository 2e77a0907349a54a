/* The source files that messages, traces and the debugger quote: the input itself, and those that a
 * table of lines names. */
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include "cli/cli.h"

#include <stdio.h>

typedef struct cli_sources cli_sources;

/* NULL: out of memory. */
cli_sources *cli_sources_create(void);
void cli_sources_destroy(cli_sources *sources);

/* A file that has been read: `text` is borrowed, the name copied. False: out of memory. */
bool cli_sources_add(cli_sources *sources, const char *name, const char *text, size_t size);

/* Whether an input is assembly: a file that does not start like WBIN is judged by its name, and a
 * nameless one is assembly. */
bool cli_is_source(const char *path, const cli_input *input);
/* Assembles an input with the lines of its instructions, and adds it to the sources. */
wave_status cli_assemble_source(cli_sources *sources, const char *path, const cli_input *input,
                                wave_blob *out, wave_diags *diags);
/* What that input included. */
const cli_includes *cli_sources_includes(const cli_sources *sources);

/* A line, counted from 1, without its end; false when there is none. A file that was not added is
 * read when it is first asked for, if it is a regular file of reasonable size. */
bool cli_source_line(cli_sources *sources, const char *name, uint32_t line, const char **text,
                     size_t *length);

/* The same as wave_diags_read_lines wants it; `user` is the sources. */
bool cli_read_line(void *user, const char *file, uint32_t line, const char **text, size_t *length);

/* The line with a label, or 0. */
uint32_t cli_source_label(cli_sources *sources, const char *name, const char *label);

/* A line of a source, fit for a terminal; a very long one is cut. */
void cli_put_source(FILE *out, const char *text, size_t length);

#endif
