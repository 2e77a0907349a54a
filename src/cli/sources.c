/* See sources.h. Files are kept with the offsets of their lines, so that finding a line takes
 * constant time. */
#include "cli/sources.h"

#include "cli/opencl.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST = 1 << 26, MOST_FILES = 256, LONGEST_LINE = 400 };

typedef struct source {
    char *name;
    const char *text; /* NULL: it cannot be read */
    size_t size;
    char *owned;
    size_t *begins; /* of each line; NULL: not computed yet */
    size_t lines;
    struct source *next;
} source;

struct cli_sources {
    source *first;
    size_t count;
    cli_includes includes;
};

cli_sources *cli_sources_create(void) {
    return calloc(1, sizeof(cli_sources));
}

void cli_sources_destroy(cli_sources *sources) {
    for (source *s = sources ? sources->first : NULL; s;) {
        source *next = s->next;
        free(s->name);
        free(s->owned);
        free(s->begins);
        free(s);
        s = next;
    }
    if (sources)
        cli_free_includes(&sources->includes);
    free(sources);
}

static source *add(cli_sources *sources, const char *name) {
    source *s = sources->count < MOST_FILES ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    s->name = strdup(name);
    if (!s->name) {
        free(s);
        return NULL;
    }
    s->next = sources->first;
    sources->first = s;
    sources->count++;
    return s;
}

bool cli_sources_add(cli_sources *sources, const char *name, const char *text, size_t size) {
    source *s = add(sources, name);
    if (!s)
        return false;
    s->text = text ? text : "";
    s->size = size;
    return true;
}

const cli_includes *cli_sources_includes(const cli_sources *sources) {
    return &sources->includes;
}

bool cli_is_source(const char *path, const cli_input *input) {
    static const char ending[] = ".wave";
    size_t n = strlen(path), m = sizeof ending - 1;
    if (cli_is_wbin(input))
        return false;
    if (opencl_language_of(path, input) != OPENCL_NONE)
        return true;
    return strcmp(path, "-") == 0 || (n >= m && strcmp(path + n - m, ending) == 0);
}

int cli_assemble_source(cli_sources *sources, const char *tool, const char *path,
                        const cli_input *input, wave_blob *out, wave_diags *diags) {
    const char *text = (const char *)input->data;
    if (opencl_language_of(path, input) != OPENCL_NONE)
        return opencl_load(tool, path, input, true, &sources->includes, out, diags);
    wave_asm_options options = cli_asm_options(path, &sources->includes);
    options.file = input->name;
    options.debug = true;
    *out = (wave_blob){0};
    return cli_status(tool, cli_sources_add(sources, input->name, text, input->size)
                                ? wave_assemble(text, input->size, &options, out, diags)
                                : WAVE_ERROR_MEMORY);
}

/* The name comes from an untrusted file: pipes and devices are not opened, and a missing file is
 * not reported. */
static void read_file(source *s) {
    struct stat info;
    int file = open(s->name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return;
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= LARGEST)
        s->owned = malloc((size_t)info.st_size + 1);
    for (size_t room = s->owned ? (size_t)info.st_size : 0; room;) {
        ssize_t got = read(file, s->owned + s->size, room);
        if (got <= 0)
            break;
        s->size += (size_t)got;
        room -= (size_t)got;
    }
    close(file);
    s->text = s->owned;
}

static source *find(cli_sources *sources, const char *name) {
    for (source *s = sources->first; s; s = s->next)
        if (strcmp(s->name, name) == 0)
            return s;
    source *s = add(sources, name);
    if (s)
        read_file(s);
    return s;
}

static bool find_lines(source *s) {
    size_t count = 1;
    if (s->begins)
        return true;
    for (size_t i = 0; i < s->size; i++)
        count += s->text[i] == '\n';
    s->begins = malloc((count + 1) * sizeof *s->begins);
    if (!s->begins)
        return false;
    s->begins[s->lines++] = 0;
    for (size_t i = 0; i < s->size; i++)
        if (s->text[i] == '\n')
            s->begins[s->lines++] = i + 1;
    s->begins[s->lines] = s->size + 1; /* as if a newline followed */
    return true;
}

bool cli_source_line(cli_sources *sources, const char *name, uint32_t line, const char **text,
                     size_t *length) {
    source *s = find(sources, name);
    if (!s || !s->text || !find_lines(s) || line == 0 || line > s->lines)
        return false;
    size_t begin = s->begins[line - 1], end = s->begins[line] - 1;
    if (line == s->lines && begin == end)
        return false; /* there is no line after the last newline */
    if (end > begin && s->text[end - 1] == '\r')
        end--;
    *text = s->text + begin;
    *length = end - begin;
    return true;
}

bool cli_read_line(void *user, const char *file, uint32_t line, const char **text, size_t *length) {
    return cli_source_line(user, file, line, text, length);
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* One or more labels start a line. */
static bool has_label(const char *at, const char *end, const char *label) {
    for (;;) {
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        const char *name = at;
        while (at < end && is_name(*at))
            at++;
        size_t length = (size_t)(at - name);
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (length == 0 || at == end || *at != ':')
            return false;
        if (strlen(label) == length && memcmp(name, label, length) == 0)
            return true;
        at++;
    }
}

uint32_t cli_source_label(cli_sources *sources, const char *name, const char *label) {
    const char *text;
    size_t length;
    for (uint32_t line = 1; cli_source_line(sources, name, line, &text, &length); line++)
        if (has_label(text, text + length, label))
            return line;
    return 0;
}

void cli_put_source(FILE *out, const char *text, size_t length) {
    char *copy = strndup(text, length < LONGEST_LINE ? length : LONGEST_LINE);
    if (copy)
        cli_put_text(out, copy, true);
    free(copy);
}
