/* The settings of wavec, shared by its command line (wavec.c), its work (wavec_jobs.c, wavec_run.c,
 * wavec_describe.c) and the vendors' tools (wavec_build.c, wavec_fat.c). */
#ifndef CLI_WAVEC_H
#define CLI_WAVEC_H

#include "cli/common_options.h"
#include "cli/depend.h"
#include "cli/sources.h"

#include <wave/compile.h>

typedef enum wavec_mode {
    WAVEC_COMPILE,
    WAVEC_CHECK,
    WAVEC_REFLECT,
    WAVEC_HEADER,
    WAVEC_STRIP,
    WAVEC_DUMP_IR,
    WAVEC_QUERY
} wavec_mode;

enum {
    WAVEC_MAX_KERNELS = 256,
    WAVEC_MAX_ARCHS = 32,
    WAVEC_MAX_JOBS = WAVE_TARGET_COUNT * WAVEC_MAX_ARCHS
};

/* One text to generate. */
typedef struct wavec_job {
    wave_target target;
    const char *arch; /* NULL: the target's default */
    bool named;       /* the target has several architectures: the file name includes it */
} wavec_job;

typedef struct wavec_settings {
    const char *tool;
    const char *path;
    wavec_mode mode;
    const char *mode_option; /* that selected it, or NULL */
    bool targets[WAVE_TARGET_COUNT];
    const char *archs[WAVEC_MAX_ARCHS]; /* each once */
    size_t arch_count;
    wavec_job jobs[WAVEC_MAX_JOBS]; /* at least one */
    size_t job_count;
    bool any_target, all_targets;
    bool list_archs; /* --arch=help */
    bool build;
    bool time_passes;
    bool json;     /* --query */
    bool parse_ir; /* the input is the IR of one kernel */
    const char *output;
    bool folder; /* -o names a folder */
    depend_options depend;
    const char *kernels[WAVEC_MAX_KERNELS];
    wave_compile_options compile;
    cli_compiling compiling; /* copied to `compile` after the last option */
    wave_load_options load;
    cli_reading reading;
    size_t limit;
} wavec_settings;

int wavec_run(const wavec_settings *s);

/* The file being processed. */
typedef struct wavec_work {
    const wavec_settings *s;
    const wave_module *module;
    const void *data; /* of the module */
    size_t size;
    const cli_input *ir; /* instead of a module */
    wave_compile_options options;
    wave_diags *diags;
    cli_sources *sources;
    bool warned;                   /* about suspicious code in the kernels */
    bool warned_width;             /* about ballots in wide waves */
    bool refused[WAVEC_MAX_JOBS];  /* the target does not support these kernels; others may */
    char *outputs[WAVEC_MAX_JOBS]; /* files that were written */
    size_t output_count;
    bool apart[WAVE_TARGET_COUNT]; /* not bundled: there is only one file, or a build failed */
} wavec_work;

/* Fills in the jobs. False after printing an error about a setting that applies to none of them. */
bool wavec_plan_jobs(wavec_settings *s);
/* Whether -o names a folder: for --target=all, with a trailing slash, or when it is an existing
 * folder and there are several files. */
bool wavec_wants_folder(const wavec_settings *s);

/* Sets the options for a job: its architecture, and --wave-width if the architecture supports
 * it. */
void wavec_set_job(wavec_work *w, const wavec_job *job);

/* File names, malloc'ed; NULL when out of memory: for the text of a job, and for a file with this
 * suffix next to all texts. */
char *wavec_output_path(const wavec_settings *s, const wavec_job *job);
char *wavec_common_path(const wavec_settings *s, const char *suffix);

/* Creates the folder named by -o, if it names one. CLI_OK, or CLI_USAGE after printing an error. */
int wavec_make_folder(const wavec_settings *s);

/* --check, --reflect and --header, --arch=help, --query */
int wavec_print_kernels(const wave_module *module);
int wavec_describe(wavec_work *w);
int wavec_list_archs(void);
int wavec_query(const wavec_settings *s);

/* Runs the vendor's compiler on a file that was just written and prints its report on each kernel.
 * CLI_OK, CLI_BAD_INPUT when it rejects the file, CLI_USAGE when there is no compiler. `complete`
 * is false when only assembly was generated. */
int wavec_build(const wavec_settings *s, const wavec_job *job, const char *path,
                const wave_blob *text, bool *complete);

/* The suffix of the file it generates. */
const char *wavec_build_suffix(wave_target target);

/* Bundles the builds for several architectures into one file, if the vendor has such files and its
 * tool is available. Statuses as for wavec_build. */
int wavec_build_fat(const wavec_settings *s, wave_target target);

#endif
