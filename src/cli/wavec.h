/* What wavec was asked to do, between its command line (wavec.c), its work
 * (wavec_run.c, wavec_describe.c) and the vendors' tools (wavec_build.c). */
#ifndef CLI_WAVEC_H
#define CLI_WAVEC_H

#include "cli/cli.h"

#include <wave/compile.h>

typedef enum wavec_mode {
    WAVEC_COMPILE,
    WAVEC_CHECK,
    WAVEC_REFLECT,
    WAVEC_HEADER,
    WAVEC_STRIP,
    WAVEC_DUMP_IR,
    WAVEC_LIST_ARCHS
} wavec_mode;

enum { WAVEC_MAX_KERNELS = 256 };

typedef struct wavec_settings {
    const char *tool;
    const char *path;
    wavec_mode mode;
    bool targets[WAVE_TARGET_COUNT];
    bool all_targets; /* -o is a folder */
    bool several;     /* targets: --arch and --wave-width count where they mean something */
    bool build;
    bool time_passes;
    bool parse_ir; /* the input is the IR of one kernel */
    const char *output;
    bool depend;
    const char *depend_file;
    const char *kernels[WAVEC_MAX_KERNELS];
    wave_compile_options compile;
    wave_load_options load;
    bool strict, lenient;
    cli_diag_format diagnostics;
    size_t limit;
} wavec_settings;

int wavec_run(const wavec_settings *s);

/* A file at work. */
typedef struct wavec_work {
    const wavec_settings *s;
    const wave_module *module;
    const void *data; /* of the module */
    size_t size;
    const cli_input *ir; /* instead of a module */
    wave_compile_options options;
    wave_diags *diags;
    bool warned;                     /* about the order of accesses */
    bool refused[WAVE_TARGET_COUNT]; /* the target cannot have these kernels; others may */
} wavec_work;

/* Makes the options those for a target: its part of --arch and --wave-width. */
void wavec_set_target(wavec_work *w, wave_target target);

/* --check, --reflect and --header, --arch=help */
int wavec_print_kernels(const wave_module *module);
int wavec_describe(wavec_work *w);
int wavec_list_archs(void);

/* Runs the vendor's compiler on a file that was just written and prints what it says of each
 * kernel. `arch` NULL: the default. CLI_OK, CLI_BAD_INPUT when it refuses the file, CLI_USAGE when
 * there is none. */
int wavec_build(const wavec_settings *s, wave_target target, const char *arch, const char *path,
                const wave_blob *text);

/* `path` with its suffix replaced, malloc'ed; NULL when out of memory. */
char *wavec_with_suffix(const char *path, const char *suffix);

#endif
