/* Finds this library on disk: the shared library, or the program that it is linked into. The name
 * that a program was started with is unreliable, so only paths reported by the system are trusted.
 */
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): dladdr
#endif
#include "core.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

/* Returns the program's file; NULL where the system does not report it. Free it. */
static char *program_path(void) {
#ifdef __APPLE__
    char name[4096];
    uint32_t size = sizeof name;
    /* The loader makes the path absolute before the program can change its folder. */
    if (_NSGetExecutablePath(name, &size) != 0 || name[0] != '/')
        return NULL;
    return realpath(name, NULL);
#else
    return realpath("/proc/self/exe", NULL);
#endif
}

/* True if this code is in the program itself. The dynamic linker then knows only the name that the
 * program was started with. */
static bool in_program(const Dl_info *self) {
#ifdef __linux__
    Dl_info program;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel passes addresses as numbers
    const void *entry = (const void *)(uintptr_t)getauxval(AT_ENTRY);
    if (entry && dladdr(entry, &program) && program.dli_fbase == self->dli_fbase)
        return true;
#endif
    return !self->dli_fname || self->dli_fname[0] != '/';
}

char *rt_own_folder(void) {
    Dl_info self;
    if (!dladdr((const void *)rt_rows, &self))
        return NULL;
    char *path = in_program(&self) ? program_path() : realpath(self.dli_fname, NULL);
    char *slash = path ? strrchr(path, '/') : NULL;
    if (!slash) {
        free(path);
        return NULL;
    }
    *slash = '\0';
    return path;
}
