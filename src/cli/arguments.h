/* Arguments by name, for wave-run and wave-emu: NAME=VALUE on the command line against what the
 * kernel declares. Where buffers are placed is the tools' own business. */
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
    uint64_t offset;         /* of a buffer, when it was placed */
    cli_input file;          /* the contents */
    const wave_argument *is; /* what the kernel declares; set by arg_bind */
} arg_named;

/* Argument words of a launch, and which of them were given. */
typedef struct arg_words {
    uint32_t word[ARG_MAX_WORDS];
    bool given[ARG_MAX_WORDS];
} arg_words;

extern const char arg_help[]; /* what a VALUE is */

/* Whether an option's text is NAME=VALUE. */
bool arg_is_named(const char *text);
/* These print what is wrong and return false. `list` holds arg_named. */
bool arg_parse(const char *tool, const char *text, emu_list *list);
/* Finds each by its name, reads files, checks kinds, types and sizes, sets the words of scalars. */
bool arg_bind(const char *tool, const wave_module *module, size_t kernel, emu_list *list,
              arg_words *words);
/* Whether it needs a place: contents or zeros for a buffer. */
bool arg_needs_place(const arg_named *argument);
/* A buffer is at `offset` now. */
void arg_place(arg_named *argument, uint64_t offset, arg_words *words);
/* Refuses words that lack where the kernel declares its arguments; warns where it does not. */
bool arg_complete(const char *tool, const wave_module *module, size_t kernel,
                  const arg_words *words);
/* The sizes of the buffers that are placed; calloc, NULL when out of memory. */
wave_launch_buffer *arg_buffers(const emu_list *list, size_t *count);
void arg_free(emu_list *list);

#endif
