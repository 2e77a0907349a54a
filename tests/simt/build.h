/* Compiling units with clang++, several at a time, and caching the objects. */
#ifndef SIMT_BUILD_H
#define SIMT_BUILD_H

#include "simt/simt_run.h"

#include <sys/types.h>

enum { BUILD_PATH = 512 };

typedef struct builder {
    const simt_options *options;
    char compiler[BUILD_PATH];
    uint64_t keys[SIMT_TARGET_COUNT]; /* hashes of the compiler and the target's headers */
} builder;

typedef enum build_state { BUILD_READY, BUILD_RUNNING, BUILD_FAILED } build_state;

typedef struct build {
    pid_t pid; /* while it runs */
    char object[BUILD_PATH], source[BUILD_PATH], log[BUILD_PATH];
    char error[300]; /* when there is no log */
    bool found;      /* the object existed already */
} build;

/* False, with a line on stderr: no compiler or no folder. */
bool builder_open(builder *b, const simt_options *options);

/* BUILD_READY: the object already exists; BUILD_RUNNING: the compiler runs as build->pid. */
build_state build_start(const builder *b, build *unit, const simt_program *programs, size_t count);
/* Call with the status that waitpid returned for the process. */
build_state build_finish(build *unit, int status);
/* The compiler's output, for the caller to free. */
char *build_log(const build *unit);
/* Removes temporary files. */
void build_clean(const builder *b, build *unit);

#endif
