/* The kernel of a launch and its arguments by name, for wave-run and wave-emu: matches NAME=VALUE
 * on the command line with the kernel's declarations. The tools decide where buffers are placed. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli/cli.h"
#include "cli/emu_options.h"

enum { ARG_MAX_WORDS = 256 };

/* x=@in.f32, y=out:4096, n=1024 */
typedef struct arg_named {
    char *name;
    const char *value;       /* of a scalar, or a buffer's offset; NULL: contents or a size */
    const char *path;        /* contents; NULL: zeros */
    uint64_t size;           /* of the zeros, then of the contents; in bytes */
    uint64_t offset;         /* of a buffer, once placed */
    cli_input file;          /* the contents */
    const wave_argument *is; /* the kernel's declaration; set by arg_bind */
} arg_named;

/* Argument words of a launch, and which of them are set. */
typedef struct arg_words {
    uint32_t word[ARG_MAX_WORDS];
    bool given[ARG_MAX_WORDS];
} arg_words;

extern const char arg_help[]; /* describes VALUE */

/* The kernel of --kernel, by name or number; without the option, the first. False: no such kernel.
 */
bool arg_find_kernel(const wave_module *module, const char *wanted, size_t *kernel);
/* Whether an option's text is NAME=VALUE. */
bool arg_is_named(const char *text);
/* These print an error and return false. `list` holds arg_named. */
bool arg_parse(const char *tool, const char *text, emu_list *list);
/* Finds each argument by its name, reads files, checks kinds, types and sizes, sets the words of
 * scalars. */
bool arg_bind(const char *tool, const wave_module *module, size_t kernel, emu_list *list,
              arg_words *words);
/* Whether it needs a place: contents or zeros for a buffer. */
bool arg_needs_place(const arg_named *argument);
/* Records that a buffer was placed at `offset`. */
void arg_place(arg_named *argument, uint64_t offset, arg_words *words);
/* Rejects missing words if the kernel declares its arguments; warns if it does not. */
bool arg_complete(const char *tool, const wave_module *module, size_t kernel,
                  const arg_words *words);
/* The sizes of the placed buffers; calloc, NULL when out of memory. */
wave_launch_buffer *arg_buffers(const emu_list *list, size_t *count);
void arg_free(emu_list *list);

#endif
