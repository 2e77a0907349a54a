/* Children run this program again: Metal's compiler service does not answer a process that was
 * created by fork alone, and other drivers do not survive a fork either. A child gets the parent's
 * arguments after --child=KIND and its job on standard input; it answers on HW_ANSWERS. */
#include "hwtest.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

extern char **environ;

enum { PATH_SIZE = 4096, FREE_DESCRIPTOR = 10 };

/* ---- In the parent ---- */

/* Finds the file of this program, independent of argv[0]; false: only its name is known. */
static bool own_path(char path[PATH_SIZE]) {
#ifdef __APPLE__
    uint32_t size = PATH_SIZE;
    return _NSGetExecutablePath(path, &size) == 0;
#elif defined(__linux__)
    snprintf(path, PATH_SIZE, "/proc/self/exe");
    return access(path, X_OK) == 0;
#else
    (void)path;
    return false;
#endif
}

/* Moves a descriptor out of the range that a child uses; it is closed on exec. */
static int move(int descriptor) {
    int moved = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, FREE_DESCRIPTOR);
    if (descriptor >= 0)
        close(descriptor);
    return moved;
}

/* Creates an unnamed file that holds the job. */
static int make_job(const void *job, size_t size) {
    FILE *file = tmpfile();
    if (!file)
        return -1;
    bool good = fwrite(job, 1, size, file) == size && fflush(file) == 0;
    int descriptor = good ? fcntl(fileno(file), F_DUPFD_CLOEXEC, FREE_DESCRIPTOR) : -1;
    fclose(file);
    if (descriptor >= 0 && lseek(descriptor, 0, SEEK_SET) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

static char **make_arguments(char **own, char *kind) {
    size_t count = 0;
    while (own[count])
        count++;
    char **arguments = hw_allocate((count + 2) * sizeof *arguments);
    arguments[0] = own[0];
    arguments[1] = kind;
    memcpy(&arguments[2], &own[1], (count - 1) * sizeof *arguments);
    return arguments;
}

static pid_t spawn(char **arguments, int job, int answers) {
    posix_spawn_file_actions_t actions;
    char path[PATH_SIZE];
    pid_t child = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    if (posix_spawn_file_actions_adddup2(&actions, job, STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, answers, HW_ANSWERS) == 0) {
        int status = own_path(path)
                         ? posix_spawn(&child, path, &actions, NULL, arguments, environ)
                         : posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
        if (status != 0) {
            child = -1;
            errno = status;
        }
    }
    posix_spawn_file_actions_destroy(&actions);
    return child;
}

pid_t hw_start_child(char **own, const char *kind, const void *job, size_t size, int *answers) {
    char option[40];
    int ends[2];
    pid_t child = -1;
    snprintf(option, sizeof option, HW_CHILD_OPTION "%s", kind);
    fflush(NULL);
    if (pipe(ends) != 0)
        return -1;
    ends[0] = move(ends[0]);
    ends[1] = move(ends[1]);
    int input = make_job(job, size);
    if (ends[0] >= 0 && ends[1] >= 0 && input >= 0) {
        char **arguments = make_arguments(own, option);
        child = spawn(arguments, input, ends[1]);
        free(arguments);
    }
    if (input >= 0)
        close(input);
    if (ends[1] >= 0)
        close(ends[1]);
    if (child < 0 && ends[0] >= 0)
        close(ends[0]);
    *answers = ends[0];
    return child;
}

/* ---- In the child ---- */

const char *hw_child_kind(char **arguments) {
    const char *first = arguments[0] ? arguments[1] : NULL;
    size_t length = strlen(HW_CHILD_OPTION);
    return first && strncmp(first, HW_CHILD_OPTION, length) == 0 ? first + length : NULL;
}

bool hw_read_job(void *job, size_t size) {
    size_t have = 0;
    char more;
    /* processes that a driver starts must not keep the pipe open */
    if (fcntl(HW_ANSWERS, F_SETFD, FD_CLOEXEC) != 0)
        return false;
    while (have < size) {
        ssize_t got = read(STDIN_FILENO, (char *)job + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        have += (size_t)got;
    }
    return read(STDIN_FILENO, &more, 1) == 0;
}
