/* Compiles in a separate process first, for vendors whose compiler may kill the process it runs in.
 * The helper (helper/wave_rt_trial.c) is next to the plug-in. It loads the plug-in and compiles;
 * its exit status tells whether this process would survive the same. */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): dladdr
#endif
#include "core.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; // NOLINT(readability-redundant-declaration): not every libc declares it

enum { PATH_SIZE = 4096, LOG_SIZE = 2000 };

/* Finds the plug-in that contains the table, and the helper next to it. */
static bool find(const rt_vendor *vendor, char *plugin, char *helper) {
    Dl_info info;
    if (!dladdr(vendor, &info) || !info.dli_fname || strlen(info.dli_fname) >= PATH_SIZE)
        return false;
    rt_copy(plugin, PATH_SIZE, info.dli_fname);
    const char *slash = strrchr(plugin, '/');
    int size =
        slash ? snprintf(helper, PATH_SIZE, "%.*s/wave-rt-trial", (int)(slash - plugin), plugin)
              : 0;
    return size > 0 && size < PATH_SIZE && access(helper, X_OK) == 0;
}

/* Creates an unnamed file with the text in it; -1 on failure. */
static int make_input(const rt_program *program) {
    FILE *file = tmpfile();
    if (!file)
        return -1;
    bool ok = fwrite(program->text, 1, program->size, file) == program->size && fflush(file) == 0;
    int descriptor = ok ? fcntl(fileno(file), F_DUPFD_CLOEXEC, 3) : -1;
    (void)fclose(file);
    if (descriptor >= 0 && lseek(descriptor, 0, SEEK_SET) != 0) {
        (void)close(descriptor);
        return -1;
    }
    return descriptor;
}

static bool start(char **arguments, int input, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    bool ok = posix_spawn_file_actions_adddup2(&actions, input, 0) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, output, 1) == 0 &&
              posix_spawn_file_actions_adddup2(&actions, output, 2) == 0 &&
              posix_spawn(child, arguments[0], &actions, NULL, arguments, environ) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return ok;
}

/* Reads the helper's output until it ends; keeps the beginning. */
static size_t listen_to(int descriptor, char log[LOG_SIZE]) {
    char rest[512] = "";
    size_t size = 0;
    for (;;) {
        bool full = size == LOG_SIZE;
        ssize_t got =
            read(descriptor, full ? rest : log + size, full ? sizeof rest : LOG_SIZE - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return size;
        size += full ? 0 : (size_t)got;
    }
}

/* Returns true when the helper ran; *status is then its exit status. */
static bool run(char **arguments, const rt_program *program, char log[LOG_SIZE], size_t *size,
                int *status) {
    int ends[2] = {-1, -1}, input = make_input(program);
    pid_t child = -1;
    if (input >= 0 && pipe(ends) == 0) {
        (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
        if (!start(arguments, input, ends[1], &child))
            child = -1;
        (void)close(ends[1]);
        *size = child > 0 ? listen_to(ends[0], log) : 0;
        (void)close(ends[0]);
    }
    if (input >= 0)
        (void)close(input);
    if (child <= 0)
        return false;
    pid_t ended;
    while ((ended = waitpid(child, status, 0)) < 0 && errno == EINTR) {
    }
    return ended == child;
}

wave_rt_status rt_trial(const wave_rt_device *device, const rt_program *program,
                        wave_rt_error *error) {
    char plugin[PATH_SIZE], helper[PATH_SIZE], log[LOG_SIZE];
    const char *colon = strchr(device->info.name, ':'), *off = getenv("WAVE_RT_TRIAL");
    size_t size = 0;
    int status = 0;
    if ((off && strcmp(off, "off") == 0) || !find(device->vendor, plugin, helper))
        return WAVE_RT_OK;
    char **arguments = calloc(program->count + 4, sizeof *arguments);
    if (!arguments)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    arguments[0] = helper;
    arguments[1] = plugin;
    arguments[2] = (char *)(colon ? colon + 1 : "");
    for (size_t k = 0; k < program->count; k++)
        arguments[3 + k] = program->entries[k].symbol;
    bool died = run(arguments, program, log, &size, &status) && WIFSIGNALED(status);
    free(arguments);
    if (!died)
        return WAVE_RT_OK; /* other errors in the kernel show up in this process too */
    rt_fail(error, WAVE_RT_BAD_BUILD, "the compiler of %s crashed on this kernel (signal %d)",
            device->info.name, WTERMSIG(status));
    rt_log(error, log, size);
    return WAVE_RT_BAD_BUILD;
}
