/* Input and output of the tools: regular files are mapped, everything else is read; output appears
 * complete or not at all. */
#include "cli/cli.h"
#include "cli/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Input ---- */

/* The files that were read, which no output may replace. They are kept until the process ends. */
static struct read_file {
    dev_t device;
    ino_t inode;
} * inputs;
static size_t input_count;

static bool note_input(const struct stat *status) {
    if (!S_ISREG(status->st_mode))
        return true;
    struct read_file *more = realloc(inputs, (input_count + 1) * sizeof *inputs);
    if (!more) {
        errno = ENOMEM;
        return false;
    }
    inputs = more;
    inputs[input_count++] = (struct read_file){status->st_dev, status->st_ino};
    return true;
}

static bool is_input(const struct stat *status) {
    for (size_t k = 0; k < input_count; k++)
        if (inputs[k].device == status->st_dev && inputs[k].inode == status->st_ino)
            return true;
    return false;
}

/* Doubles the capacity, up to one byte above the limit, which detects an input that is too
 * large. */
static bool grow(uint8_t **data, size_t *capacity, uint64_t most) {
    size_t larger = *capacity ? *capacity * 2 : 65536;
    if (larger > most + 1)
        larger = (size_t)most + 1;
    uint8_t *moved = realloc(*data, larger);
    if (!moved) {
        errno = ENOMEM;
        return false;
    }
    *data = moved;
    *capacity = larger;
    return true;
}

/* Input larger than the limit fails with EFBIG. */
static bool read_all(int descriptor, uint64_t most, cli_input *input) {
    uint8_t *data = NULL;
    size_t size = 0, capacity = 0;
    int why = 0;
    for (;;) {
        if (size == capacity && !grow(&data, &capacity, most)) {
            why = errno;
            break;
        }
        ssize_t got = read(descriptor, data + size, capacity - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            why = errno;
        if (got <= 0)
            break;
        size += (size_t)got;
        if (size > most) {
            why = EFBIG;
            break;
        }
    }
    if (why) {
        free(data);
        errno = why;
        return false;
    }
    input->data = data;
    input->size = size;
    return true;
}

/* Virtual files, such as those in /proc, have contents but no size. */
static bool map(int descriptor, const struct stat *status, cli_input *input) {
    if (!S_ISREG(status->st_mode) || status->st_size <= 0 ||
        (uintmax_t)status->st_size > (uintmax_t)SIZE_MAX)
        return false;
    input->size = (size_t)status->st_size;
    void *data = mmap(NULL, input->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (data == MAP_FAILED)
        return false;
    input->data = data;
    input->mapped = true;
    return true;
}

/* Sets errno on failure. */
static bool read_open(int descriptor, bool may_map, uint64_t *most, cli_input *input) {
    struct stat status;
    if (descriptor < 0 || fstat(descriptor, &status) != 0 || !note_input(&status))
        return false;
    if (!S_ISREG(status.st_mode) && *most > CLI_MOST_STREAM)
        *most = CLI_MOST_STREAM;
    if (S_ISREG(status.st_mode) && status.st_size > 0 && (uint64_t)status.st_size > *most) {
        errno = EFBIG;
        return false;
    }
    return (may_map && map(descriptor, &status, input)) || read_all(descriptor, *most, input);
}

bool cli_read(const char *tool, const char *path, uint64_t most, cli_input *input) {
    bool standard = strcmp(path, "-") == 0;
    *input = (cli_input){.name = standard ? "<stdin>" : path};
    int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY);
    bool ok = read_open(descriptor, !standard, &most, input);
    int why = errno;
    if (descriptor >= 0 && !standard)
        close(descriptor);
    if (!ok && why == EFBIG)
        cli_fail(tool, "%s is too large: at most %u MiB are read", input->name,
                 (unsigned)(most >> 20));
    else if (!ok)
        cli_fail(tool, "cannot read %s: %s", input->name, strerror(why));
    return ok;
}

bool cli_read_blob(const char *path, uint64_t most, wave_blob *contents) {
    cli_input input = {0};
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    bool ok = descriptor >= 0 && fstat(descriptor, &status) == 0;
    if (ok && !S_ISREG(status.st_mode)) {
        errno = EINVAL;
        ok = false;
    }
    ok = ok && read_open(descriptor, false, &most, &input);
    int why = errno;
    if (descriptor >= 0)
        close(descriptor);
    errno = why;
    if (ok)
        *contents = (wave_blob){(uint8_t *)input.data, input.size};
    return ok;
}

void cli_close(cli_input *input) {
    if (input->mapped)
        munmap((void *)input->data, input->size);
    else
        free((void *)input->data);
    *input = (cli_input){0};
}

bool cli_is_wbin(const cli_input *input) {
    return input->size >= 4 && memcmp(input->data, "WAVE", 4) == 0;
}

/* ---- Output ---- */

static bool write_all(int descriptor, const uint8_t *data, size_t size) {
    while (size) {
        size_t most = size < (1u << 30) ? size : 1u << 30;
        ssize_t put = write(descriptor, data, most);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

/* "PATH.XXXXXX", for mkstemp and mkdtemp; NULL: out of memory. A name has at most 255 bytes, so a
 * long one is replaced with "wave.XXXXXX" in the same folder. */
static char *temporary_name(const char *path) {
    enum { LONG_NAME = 240 };
    static const char ending[] = ".XXXXXX", other[] = "wave";
    const char *slash = strrchr(path, '/');
    size_t length = strlen(path), folder = slash ? (size_t)(slash - path) + 1 : 0;
    bool is_long = length - folder > LONG_NAME;
    size_t kept = is_long ? folder : length, size = kept + sizeof other + sizeof ending;
    char *name = malloc(size);
    if (name)
        (void)snprintf(name, size, "%.*s%s%s", (int)kept, path, is_long ? other : "", ending);
    return name;
}

/* Sets the permissions that open() would give the file: those of mkstemp are stricter. An existing
 * file keeps its own. */
static bool set_permissions(int descriptor, const char *path) {
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = 0666 & ~mask;
    if (stat(path, &old) == 0)
        mode = old.st_mode & 0777;
    return fchmod(descriptor, mode) == 0;
}

/* Creates it and registers it, so that a signal removes it. */
static int make_temporary(char *name) {
    sigset_t before;
    cli_block_signals(&before);
    int descriptor = mkstemp(name), why = errno;
    if (descriptor >= 0)
        cli_set_temporary(name);
    cli_unblock_signals(&before);
    errno = why;
    return descriptor;
}

static bool write_file(const char *path, const void *data, size_t size) {
    char *temporary = temporary_name(path);
    int descriptor = temporary ? make_temporary(temporary) : -1;
    if (descriptor < 0) {
        int why = temporary ? errno : ENOMEM;
        free(temporary);
        errno = why;
        return false;
    }
    bool ok = write_all(descriptor, data, size) && set_permissions(descriptor, path);
    int why = errno;
    if (close(descriptor) != 0 && ok) {
        why = errno;
        ok = false;
    }
    if (ok && rename(temporary, path) != 0) {
        why = errno;
        ok = false;
    }
    if (!ok)
        unlink(temporary);
    cli_set_temporary(NULL);
    free(temporary);
    errno = why;
    return ok;
}

/* ---- Where output goes ---- */

enum { MOST_LINKS = 40, LINK_SIZE = 4096 };

/* The target of a link named `name`, relative to the current folder: a relative target starts in
 * the link's folder. */
static char *link_target(const char *name, const char *text) {
    const char *slash = strrchr(name, '/');
    size_t folder = slash && *text != '/' ? (size_t)(slash - name) + 1 : 0;
    size_t size = folder + strlen(text) + 1;
    char *whole = malloc(size);
    if (whole)
        (void)snprintf(whole, size, "%.*s%s", (int)folder, name, text);
    return whole;
}

/* The name after resolving all links; the file need not exist; malloc'ed. NULL, with errno set. */
static char *follow_links(const char *path) {
    char *name = strdup(path), text[LINK_SIZE];
    for (int k = 0; name && k < MOST_LINKS; k++) {
        ssize_t size = readlink(name, text, sizeof text);
        if (size < 0)
            return name; /* not a link, or nonexistent */
        char *next = NULL;
        if (size < LINK_SIZE) {
            text[size] = '\0';
            next = link_target(name, text);
        }
        free(name);
        name = next;
        if (!name) {
            errno = size < LINK_SIZE ? ENOMEM : ENAMETOOLONG;
            return NULL;
        }
    }
    errno = name ? ELOOP : ENOMEM;
    free(name);
    return NULL;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

typedef struct place {
    char *name;    /* to rename a file to */
    bool through;  /* not a replaceable file: open it and write in place */
    bool standard; /* standard output already refers to this file */
} place;

/* False after printing why the path is not writable. A link in /proc can refer to a file that no
 * longer has a name: the text of the link does not lead to it. It is written through the link. */
static bool find_place(const char *tool, const char *path, place *p) {
    struct stat there, named, standard;
    bool exists = stat(path, &there) == 0;
    if (exists && is_input(&there)) {
        cli_fail(tool, "%s is an input and would be overwritten; name another file with -o", path);
        return false;
    }
    *p = (place){.name = follow_links(path)};
    if (!p->name) {
        cli_fail(tool, "cannot write %s: %s", path, strerror(errno));
        return false;
    }
    p->through = exists && (!S_ISREG(there.st_mode) || stat(p->name, &named) != 0 ||
                            !same_file(&there, &named));
    p->standard = exists && fstat(STDOUT_FILENO, &standard) == 0 && same_file(&there, &standard);
    return true;
}

/* A pipe, a terminal or /dev/null is written in place, not replaced. */
static bool write_special(const char *path, const void *data, size_t size) {
    int descriptor = open(path, O_WRONLY | O_TRUNC | O_NOCTTY);
    if (descriptor < 0)
        return false;
    bool ok = write_all(descriptor, data, size);
    int why = errno;
    if (close(descriptor) != 0 && ok) {
        why = errno;
        ok = false;
    }
    errno = why;
    return ok;
}

int cli_write(const char *tool, const char *path, const void *data, size_t size) {
    place p = {.standard = true};
    if (strcmp(path, "-") != 0 && !find_place(tool, path, &p))
        return CLI_USAGE;
    if (p.standard) {
        free(p.name);
        cli_print(data, size);
        return cli_finish(tool, CLI_OK);
    }
    bool ok = p.through ? write_special(path, data, size) : write_file(p.name, data, size);
    int why = errno;
    free(p.name);
    return ok ? CLI_OK : cli_fail(tool, "cannot write %s: %s", path, strerror(why));
}

/* ---- Output of other programs ---- */

/* Next to the file that the path refers to, so that a rename can reach it. */
char *cli_make_folder(const char *tool, const char *path) {
    place p;
    if (!find_place(tool, path, &p))
        return NULL;
    char *folder = temporary_name(p.through ? path : p.name);
    free(p.name);
    cli_defer_signals();
    if (folder && mkdtemp(folder))
        return folder;
    cli_end_deferral();
    cli_fail(tool, "cannot write %s: %s", path, strerror(folder ? errno : ENOMEM));
    free(folder);
    return NULL;
}

static bool copy_special(const char *tool, const char *from, const char *path) {
    cli_input made;
    if (!cli_read(tool, from, CLI_MOST_DATA, &made))
        return false;
    bool ok = write_special(path, made.data, made.size);
    int why = errno;
    cli_close(&made);
    errno = why;
    return ok;
}

/* A new file gets the permissions set by its program, an existing one keeps its own. */
int cli_move(const char *tool, const char *from, const char *path) {
    struct stat old;
    place p;
    if (!find_place(tool, path, &p))
        return CLI_USAGE;
    bool ok;
    if (p.through)
        ok = copy_special(tool, from, path);
    else
        ok = (stat(p.name, &old) != 0 || chmod(from, old.st_mode & 0777) == 0) &&
             rename(from, p.name) == 0;
    int why = errno;
    free(p.name);
    return ok ? CLI_OK : cli_fail(tool, "cannot write %s: %s", path, strerror(why));
}

enum { MOST_FOLDERS = 16 }; /* one inside the other */

/* Removes what is in the folder, and closes it. */
static void empty_folder(int descriptor, int depth) {
    DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
    const struct dirent *entry;
    if (!folder) {
        if (descriptor >= 0)
            close(descriptor);
        return;
    }
    while ((entry = readdir(folder))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            unlinkat(dirfd(folder), name, 0) == 0 || depth == MOST_FOLDERS)
            continue;
        empty_folder(openat(dirfd(folder), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), depth + 1);
        (void)unlinkat(dirfd(folder), name, AT_REMOVEDIR);
    }
    closedir(folder);
}

void cli_remove_folder(char *folder) {
    empty_folder(open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), 1);
    (void)rmdir(folder);
    free(folder);
    cli_end_deferral();
}

/* ---- Standard output ---- */

void cli_print(const char *text, size_t size) {
    if (size)
        fwrite(text, 1, size, stdout); /* stdio remembers a failure: cli_finish checks for it */
}

void cli_printf(const char *format, ...) {
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

void cli_put_text(FILE *stream, const char *text, bool lines) {
    while (*text) {
        size_t n = lines ? strcspn(text, "\n\t") : strlen(text);
        char *part = strndup(text, n);
        wave_blob shown = {0};
        if (part && wave_visible_text(part, &shown) == WAVE_OK)
            fwrite(shown.data, 1, shown.size, stream);
        wave_blob_free(&shown);
        free(part);
        text += n;
        if (*text)
            fputc(*text++, stream);
    }
}

int cli_finish(const char *tool, int status) {
    errno = 0;
    bool failed = fflush(stdout) != 0;
    if (!failed && !ferror(stdout))
        return status;
    int why = errno;
    clearerr(stdout);
    return cli_fail(tool, "cannot write to standard output: %s",
                    why ? strerror(why) : "write error");
}
