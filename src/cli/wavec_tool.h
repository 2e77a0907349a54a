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
/* A file's name: "./-k.ptx" for one that could be taken for an option. */
void tool_add_path(tool_command *c, const char *path);
/* Words between blanks. */
void tool_add_words(tool_command *c, const char *text, size_t size);
void tool_free(tool_command *c);

typedef struct tool_result {
    char *text;     /* what it printed on both streams */
    int error;      /* of errno, when it could not be run */
    int signal;     /* that ended it */
    int exit;       /* its status, when none did */
    bool ok;        /* it ran and exited with 0 */
    bool cancelled; /* by a signal that is to end this process too */
} tool_result;

/* Runs the command; false unless it is ok. Free the text. */
bool tool_run(const tool_command *c, tool_result *result);

/* Prints what the command said and, where that does not tell it, why it failed. */
void tool_tell_failure(const char *tool, const tool_command *c, const tool_result *result);

/* Bytes of a kernel's code in an ELF file: its section .text.NAME, or else its symbol; 0: unknown.
 */
uint64_t tool_code_size(const cli_input *elf, const char *kernel);

#endif
