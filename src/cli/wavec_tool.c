/* See wavec_tool.h. */
#include "cli/wavec_tool.h"

#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- Finding a program ---- */

static bool is_program(const char *path) {
    struct stat status;
    return access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static bool usable(const char *folder, size_t length, const char *name, char *path) {
    int n = snprintf(path, TOOL_PATH_SIZE, "%.*s/%s", (int)length, folder, name);
    return n > 0 && n < TOOL_PATH_SIZE && is_program(path);
}

static bool find_in_path(const char *name, char *path) {
    for (const char *at = getenv("PATH"); at && *at;) {
        size_t n = strcspn(at, ":");
        if (n && usable(at, n, name, path))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

bool tool_find_in(const char *folder, const char *name, char *path) {
    char variable[40], whole[TOOL_PATH_SIZE];
    size_t n = strcspn(folder, "/");
    if (*folder != '$')
        return usable(folder, strlen(folder), name, path);
    snprintf(variable, sizeof variable, "%.*s", (int)n - 1, folder + 1);
    const char *value = getenv(variable);
    int length = value ? snprintf(whole, sizeof whole, "%s%s", value, folder + n) : 0;
    return length > 0 && length < TOOL_PATH_SIZE && usable(whole, (size_t)length, name, path);
}

bool tool_find(const tool_search *search, char path[TOOL_PATH_SIZE]) {
    const char *named = getenv(search->variable);
    if (named && *named && !strchr(named, '/'))
        return find_in_path(named, path);
    if (named)
        return snprintf(path, TOOL_PATH_SIZE, "%s", named) < TOOL_PATH_SIZE &&
               access(path, X_OK) == 0;
    for (const char *const *name = search->names; *name; name++)
        if (find_in_path(*name, path))
            return true;
    for (const char *const *folder = search->folders; *folder; folder++)
        if (tool_find_in(*folder, search->names[0], path))
            return true;
    return false;
}

/* ---- Running it ---- */

static void add(tool_command *c, const char *word, size_t size) {
    char *copy = c->count < TOOL_MOST_WORDS ? malloc(size + 1) : NULL;
    if (!copy) {
        c->error = c->count < TOOL_MOST_WORDS ? ENOMEM : E2BIG;
        return;
    }
    memcpy(copy, word, size);
    copy[size] = '\0';
    c->words[c->count++] = copy;
}

void tool_add(tool_command *c, const char *word) {
    add(c, word, strlen(word));
}

void tool_add_words(tool_command *c, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        size_t end = at;
        while (end < size && text[end] != ' ')
            end++;
        if (end > at)
            add(c, text + at, end - at);
        at = end + 1;
    }
}

void tool_free(tool_command *c) {
    for (unsigned k = 0; k < c->count; k++)
        free(c->words[k]);
    *c = (tool_command){0};
}

void tool_add_path(tool_command *c, const char *path) {
    char whole[TOOL_PATH_SIZE];
    int n = snprintf(whole, sizeof whole, "%s%s", *path == '-' ? "./" : "", path);
    if (n < 0 || n >= TOOL_PATH_SIZE)
        c->error = ENAMETOOLONG;
    else
        tool_add(c, whole);
}

enum { OUTPUT_LIMIT = 1 << 20, PATIENCE = 2 /* seconds */ };

/* The child gets its own process group, so that everything it starts ends with it; its standard
 * input is empty. */
static int start(const tool_command *c, int output, const sigset_t *mask, pid_t *child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t usual;
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&how) != 0) {
        (void)posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    (void)sigemptyset(&usual);
    (void)sigaddset(&usual, SIGPIPE);
    int error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    error = error ? error : posix_spawn_file_actions_adddup2(&files, output, 1);
    error = error ? error : posix_spawn_file_actions_adddup2(&files, output, 2);
    (void)posix_spawnattr_setpgroup(&how, 0);
    (void)posix_spawnattr_setsigmask(&how, mask);
    (void)posix_spawnattr_setsigdefault(&how, &usual);
    (void)posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                             POSIX_SPAWN_SETSIGDEF);
    error = error ? error : posix_spawn(child, c->words[0], &files, &how, c->words, environ);
    (void)posix_spawnattr_destroy(&how);
    (void)posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Waits until there is something to read, or a signal; false: timed out. */
static bool wait_for(int from, const sigset_t *mask, bool patient) {
    fd_set set;
    const struct timespec most = {.tv_sec = PATIENCE};
    FD_ZERO(&set);
/* musl's macro divides the int by a size. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
    FD_SET(from, &set);
#pragma GCC diagnostic pop
    int n = pselect(from + 1, &set, NULL, NULL, patient ? NULL : &most, mask);
    return n > 0 || (n < 0 && errno == EINTR);
}

/* Reads all output, so that the program never blocks, and keeps the first mebibyte. A signal is
 * forwarded to the program, which is killed if it ignores the signal. */
static void read_output(int from, pid_t child, const sigset_t *mask, tool_result *result) {
    char *text = calloc(1, OUTPUT_LIMIT + 1), rest[4096];
    size_t used = 0;
    bool passed_on = false;
    result->text = text;
    for (;;) {
        if (cli_pending_signal() && !passed_on) {
            passed_on = true;
            (void)kill(-child, cli_pending_signal());
        }
        if (!wait_for(from, mask, !passed_on)) {
            (void)kill(-child, SIGKILL);
            return;
        }
        bool room = text && used < OUTPUT_LIMIT;
        ssize_t n =
            room ? read(from, text + used, OUTPUT_LIMIT - used) : read(from, rest, sizeof rest);
        if (n <= 0 && !(n < 0 && (errno == EAGAIN || errno == EINTR)))
            return;
        used += room && n > 0 ? (size_t)n : 0;
    }
}

/* 0, or the error's number. */
static int open_pipe(int ends[2]) {
    if (pipe(ends) != 0)
        return errno;
    errno = EMFILE; /* for a descriptor that select cannot handle */
    if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0 &&
        fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 && ends[0] < FD_SETSIZE)
        return 0;
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return error;
}

bool tool_run(const tool_command *c, tool_result *result) {
    int ends[2], status = 0;
    pid_t child = 0;
    sigset_t before;
    *result = (tool_result){.error = c->error, .cancelled = cli_pending_signal() != 0};
    if (!result->error)
        result->error = result->cancelled ? EINTR : open_pipe(ends);
    if (result->error)
        return false;
    fflush(stdout);
    cli_block_signals(&before);
    result->error = start(c, ends[1], &before, &child);
    close(ends[1]);
    if (!result->error) {
        read_output(ends[0], child, &before, result);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        result->exit = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        result->ok = WIFEXITED(status) && result->exit == 0 && result->text;
    }
    close(ends[0]);
    cli_unblock_signals(&before);
    result->cancelled = cli_pending_signal() != 0;
    return result->ok;
}

void tool_report_failure(const char *tool, const char *option, const tool_command *c,
                         const tool_result *result) {
    const char *program = c->count ? c->words[0] : "the compiler";
    struct stat status;
    if (result->cancelled)
        return;
    if (result->text)
        fputs(result->text, stderr);
    if (result->error) {
        bool folder = stat(program, &status) == 0 && S_ISDIR(status.st_mode);
        cli_fail(tool, "%s%s cannot be run: %s", option, program,
                 strerror(folder ? EISDIR : result->error));
    } else if (result->signal) {
        cli_fail(tool, "%s%s was ended by signal %d (%s)", option, program, result->signal,
                 strsignal(result->signal));
    } else if (!result->text || !*result->text) {
        cli_fail(tool, "%s%s failed with status %d", option, program, result->exit);
    }
}

/* ---- Code size ---- */

static uint64_t little(const uint8_t *at, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned k = bytes; k-- > 0;)
        value = value << 8 | at[k];
    return value;
}

typedef struct elf_sections {
    const cli_input *file;
    const uint8_t *table; /* of sections, 64 bytes each */
    uint64_t count;
} elf_sections;

enum { SECTION_SIZE = 64, SYMBOL_SIZE = 24, SYMBOL_TABLE = 2, DYNAMIC_SYMBOLS = 11 };

static bool open_elf(const cli_input *file, elf_sections *e) {
    if (file->size < 64 || memcmp(file->data, "\177ELF\2", 5) != 0)
        return false;
    uint64_t table = little(file->data + 40, 8);
    *e = (elf_sections){.file = file, .count = little(file->data + 60, 2)};
    if (table > file->size || e->count * SECTION_SIZE > file->size - table)
        return false;
    e->table = file->data + table;
    return true;
}

/* The bytes of a section; false when they are not in the file. */
static bool section(const elf_sections *e, uint64_t index, const uint8_t **data, uint64_t *size) {
    if (index >= e->count)
        return false;
    uint64_t at = little(e->table + SECTION_SIZE * index + 24, 8);
    *size = little(e->table + SECTION_SIZE * index + 32, 8);
    if (at > e->file->size || *size > e->file->size - at)
        return false;
    *data = e->file->data + at;
    return true;
}

/* Whether an entry of a string table equals `text`. */
static bool is_string(const elf_sections *e, uint64_t table, uint64_t at, const char *text) {
    const uint8_t *data;
    uint64_t size;
    size_t n = strlen(text) + 1;
    return section(e, table, &data, &size) && at < size && n <= size - at &&
           memcmp(data + at, text, n) == 0;
}

static uint64_t symbol_size(const elf_sections *e, uint64_t index, const char *kernel) {
    const uint8_t *data;
    uint64_t size, strings = little(e->table + SECTION_SIZE * index + 40, 4);
    if (!section(e, index, &data, &size))
        return 0;
    for (uint64_t at = 0; size - at >= SYMBOL_SIZE; at += SYMBOL_SIZE)
        if (is_string(e, strings, little(data + at, 4), kernel))
            return little(data + at + 16, 8);
    return 0;
}

uint64_t tool_code_size(const cli_input *elf, const char *kernel) {
    elf_sections e;
    char wanted[300];
    snprintf(wanted, sizeof wanted, ".text.%s", kernel);
    if (!open_elf(elf, &e))
        return 0;
    uint64_t names = little(elf->data + 62, 2);
    for (uint64_t k = 0; k < e.count; k++)
        if (is_string(&e, names, little(e.table + SECTION_SIZE * k, 4), wanted))
            return little(e.table + SECTION_SIZE * k + 32, 8);
    for (uint64_t k = 0; k < e.count; k++) {
        uint64_t type = little(e.table + SECTION_SIZE * k + 4, 4);
        uint64_t size =
            type == SYMBOL_TABLE || type == DYNAMIC_SYMBOLS ? symbol_size(&e, k, kernel) : 0;
        if (size)
            return size;
    }
    return 0;
}
