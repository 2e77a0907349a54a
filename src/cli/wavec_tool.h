/* The vendors' programs that wavec --build and wave-cc run: finding them, running them, and reading
 * their output. */
#ifndef CLI_WAVEC_TOOL_H
#define CLI_WAVEC_TOOL_H

#include "cli/cli.h"

enum { TOOL_PATH_SIZE = 4096, TOOL_MOST_WORDS = 64 };

/* Where to look for a program. */
typedef struct tool_search {
    const char *variable;     /* of the environment: the program's path, or its name in the PATH;
                                 nothing else is tried when it is set */
    const char *const *names; /* in the PATH, in order of preference; ends with NULL */
    /* "/opt/rocm/bin" or "$ROCM_PATH/bin", for the first name; ends with NULL. */
    const char *const *folders;
} tool_search;

/* False when there is none. */
bool tool_find(const tool_search *search, char path[TOOL_PATH_SIZE]);

/* The same for one folder. A leading $NAME in it is expanded from the environment. */
bool tool_find_in(const char *folder, const char *name, char *path);

/* A command under construction. The words are copied. */
typedef struct tool_command {
    char *words[TOOL_MOST_WORDS + 1];
    unsigned count;
    int error; /* errno: why it cannot be run; 0: it is complete */
} tool_command;

void tool_add(tool_command *c, const char *word);
/* Adds a file name: "./-k.ptx" for one that could be mistaken for an option. */
void tool_add_path(tool_command *c, const char *path);
/* Adds blank-separated words. */
void tool_add_words(tool_command *c, const char *text, size_t size);
void tool_free(tool_command *c);

typedef struct tool_result {
    char *text;     /* what it printed on both streams */
    int error;      /* errno, when it could not be run */
    int signal;     /* that ended it */
    int exit;       /* its status, if no signal ended it */
    bool ok;        /* it ran and exited with 0 */
    bool cancelled; /* by a signal that also ends this process */
} tool_result;

/* Runs the command; false unless it is ok. The caller frees the text. */
bool tool_run(const tool_command *c, tool_result *result);

/* Prints the command's output and, if that does not explain it, why it failed. `option` is the
 * reason it was run: "--build: ", or "". */
void tool_report_failure(const char *tool, const char *option, const tool_command *c,
                         const tool_result *result);

/* The size of a kernel's code in an ELF file in bytes: its section .text.NAME, or else its symbol;
 * 0: unknown. */
uint64_t tool_code_size(const cli_input *elf, const char *kernel);

#endif
