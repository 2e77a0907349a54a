/* Preloaded into a tool: a write fails, or the process dies, at a chosen step. A step is a write,
 * fchmod, close or rename on a regular file; DISK_FAULT=N:WAY names the step, counted from 1, and
 * what happens there:
 *
 *   full   it fails with ENOSPC; a write first writes half of its bytes
 *   kill   the process is killed before it; a write first writes half of its bytes
 *   after  the process is killed right after it */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool disk_is_full; /* once it is, every write fails */

/* What happens at this step: 'f', 'k', 'a', or 0 for nothing special. */
static char at_step(void) {
    static long step;
    const char *plan = getenv("DISK_FAULT");
    char *way;
    step++;
    if (!plan || strtol(plan, &way, 10) != step || *way != ':')
        return 0;
    return way[1];
}

static bool regular(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
}

static long full(void) {
    disk_is_full = true;
    errno = ENOSPC;
    return -1;
}

ssize_t write(int descriptor, const void *data, size_t size) {
    if (!regular(descriptor))
        return syscall(SYS_write, descriptor, data, size);
    if (disk_is_full)
        return full();
    char way = at_step();
    size_t part = (way == 'f' || way == 'k') && size > 1 ? size / 2 : size;
    long put = syscall(SYS_write, descriptor, data, part);
    if (way == 'k' || way == 'a')
        die();
    if (way == 'f')
        disk_is_full = true; /* half of the bytes were accepted: the next call fails */
    return put;
}

int fchmod(int descriptor, mode_t mode) {
    char way = at_step();
    if (way == 'f')
        return (int)full();
    if (way == 'k')
        die();
    long result = syscall(SYS_fchmod, descriptor, mode);
    if (way == 'a')
        die();
    return (int)result;
}

int close(int descriptor) {
    char way =
        regular(descriptor) && (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY ? at_step() : 0;
    if (way == 'k')
        die();
    long result = syscall(SYS_close, descriptor);
    if (way == 'a')
        die();
    return way == 'f' ? (int)full() : (int)result;
}

int rename(const char *from, const char *to) {
    char way = at_step();
    if (way == 'f')
        return (int)full();
    if (way == 'k')
        die();
    long result = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (way == 'a')
        die();
    return (int)result;
}
