/* The vendors' programs that wavec --build runs: finding them, running them, and reading what they
 * leave. */
#ifndef CLI_WAVEC_TOOL_H
#define CLI_WAVEC_TOOL_H

#include "cli/cli.h"

enum { TOOL_PATH_SIZE = 4096, TOOL_MOST_WORDS = 64 };

/* Where a program may be. */
typedef struct tool_search {
    const char *variable;     /* of the environment: the program's path, or its name in the PATH;
                                 nothing else is tried when it is set */
    const char *const *names; /* in the PATH, the first before the second; ends with NULL */
    const char *const
        *folders; /* "/opt/rocm/bin" or "$ROCM_PATH/bin", for the first name; ends with NULL */
} tool_search;

/* False when there is none. */
bool tool_find(const tool_search *search, char path[TOOL_PATH_SIZE]);

/* The same for one folder. A leading $NAME in it is taken from the environment. */
bool tool_find_in(const char *folder, const char *name, char *path);

/* A command being put together. The words are copied. */
typedef struct tool_command {
    char *words[TOOL_MOST_WORDS + 1];
    unsigned count;
    bool failed; /* out of memory, or too many words */
} tool_command;

void tool_add(tool_command *c, const char *word);
/* Words between blanks. */
void tool_add_words(tool_command *c, const char *text, size_t size);
void tool_free(tool_command *c);

/* What the command printed on both streams, malloc'ed, and whether it exited with 0; NULL when it
 * could not be run. */
char *tool_run(const tool_command *c, bool *ok);

/* Bytes of a kernel's code in an ELF file: its section .text.NAME, or else its symbol; 0: unknown.
 */
uint64_t tool_code_size(const cli_input *elf, const char *kernel);

#endif
