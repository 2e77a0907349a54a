/* The command line of wave-run as data. Parsing is in run_options.c; nothing here touches files or
 * devices. */
#ifndef CLI_RUN_OPTIONS_H
#define CLI_RUN_OPTIONS_H

#include "cli/arguments.h"

#define RUN_TOOL "wave-run"

/* --buffer: contents from a file, or zeros. */
typedef struct run_buffer {
    char *name;       /* used by --print */
    const char *path; /* NULL: zeros */
    uint64_t size;    /* of the zeros, in bytes */
    emu_type type;    /* from the file's suffix or as given; u32 otherwise */
    size_t word;      /* argument word for the address */
    bool unplaced;    /* a structure by value: not a buffer after all */
    size_t argument;  /* 1 + index of the --arg it comes from; 0: a --buffer */
} run_buffer;

/* --print, --output */
typedef struct run_result {
    char *name;
    const char *path; /* NULL: print */
    bool typed, hex;
    emu_type type;
    bool counted;
    uint64_t count; /* elements */
} run_result;

enum { RUN_MAX_WORDS = 256 };

typedef struct run_options {
    const char *path;
    const char *device; /* "auto" */
    const char *kernel; /* name or number; NULL: the first */
    wave_load_options load;
    cli_reading reading;
    uint32_t grid[3], workgroup[3];
    uint32_t wave_width;
    uint64_t memory;               /* minimum size of the arena */
    emu_list buffers;              /* run_buffer */
    emu_list results;              /* run_result */
    uint32_t words[RUN_MAX_WORDS]; /* scalars; addresses are filled in later */
    size_t word_count;
    emu_list arguments; /* arg_named */
    bool list, query, time;
    uint32_t repeat;
    cli_compiling compiling;
    const char *cache;
    const char *save_text; /* --emit */
} run_options;

/* 0 to continue, or a negative value to exit with *status: --help, or an error that was printed. */
int run_parse(run_options *options, int argc, char **argv, int *status);
void run_options_free(run_options *options);

const run_buffer *run_find_buffer(const run_options *options, const char *name);

/* One element on a line of standard output. */
void run_print_value(const uint8_t *at, emu_type type);

#endif
