/* See wavec_tool.h. */
#include "cli/wavec_tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Finding a program ---- */

static bool usable(const char *folder, size_t length, const char *name, char *path) {
    int n = snprintf(path, TOOL_PATH_SIZE, "%.*s/%s", (int)length, folder, name);
    return n > 0 && n < TOOL_PATH_SIZE && access(path, X_OK) == 0;
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
        c->failed = true;
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

enum { OUTPUT_LIMIT = 1 << 20 };

/* All of it is read, so that the program never waits; the first mebibyte is kept. */
static char *read_all(int from) {
    char *text = calloc(1, OUTPUT_LIMIT + 1), rest[4096];
    size_t used = 0;
    for (;;) {
        bool room = text && used < OUTPUT_LIMIT;
        ssize_t n =
            room ? read(from, text + used, OUTPUT_LIMIT - used) : read(from, rest, sizeof rest);
        if (n <= 0)
            return text;
        used += room ? (size_t)n : 0;
    }
}

char *tool_run(const tool_command *c, bool *ok) {
    int ends[2], status = 0;
    if (c->failed || pipe(ends) != 0)
        return NULL;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execv(c->words[0], c->words);
        _exit(127);
    }
    close(ends[1]);
    char *text = child > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        free(text);
        return NULL;
    }
    *ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return text;
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

/* Whether a string of a string table is `text`. */
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
