/* The golden files of all targets: see golden.h. */
#include "support/golden.h"

#include <criterion/criterion.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 64, MOST_NAME = 64, MOST_TEXT = 1 << 20 };

char *golden_read(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = calloc(1, MOST_TEXT);
    cr_assert(text);
    cr_assert_lt(fread(text, 1, MOST_TEXT - 1, file), MOST_TEXT - 1);
    fclose(file);
    return text;
}

void golden_path(wave_target target, const char *name, char *path, size_t size) {
    snprintf(path, size, "tests/golden/%s/%s%s", wave_target_name(target), name,
             wave_target_suffix(target));
}

/* ---- Options ---- */

/* Parses one word of the comment; the architecture's name is kept in `arch`. */
static void set_option(wave_compile_options *o, const char *word, char *arch, size_t size) {
    if (strcmp(word, "-O2") == 0)
        o->optimise = true;
    else if (strcmp(word, "--bounds") == 0)
        o->bounds = true;
    else if (strcmp(word, "--assert") == 0)
        o->assert_trap = true;
    else if (strcmp(word, "-g") == 0)
        o->debug = true;
    else if (strcmp(word, "--fp=fast") == 0)
        o->fast_math = true;
    else if (strcmp(word, "--mma=native") == 0)
        o->native_mma = true;
    else if (strncmp(word, "--wave-width=", 13) == 0)
        o->wave_width = (uint32_t)strtoul(word + 13, NULL, 10);
    else if (strncmp(word, "--arch=", 7) == 0)
        snprintf(arch, size, "%s", word + 7);
    else
        cr_assert_fail("there is no option %s for golden files", word);
    o->arch = *arch ? arch : NULL;
}

static void find_options(wave_compile_options *o, const char *source, char *arch, size_t size) {
    char start[16], line[200] = "";
    snprintf(start, sizeof start, "; %s:", wave_target_name(o->target));
    const char *at = strstr(source, start);
    if (at)
        snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    for (char *word = strtok(at ? line + strlen(start) : line, " "); word; word = strtok(NULL, " "))
        set_option(o, word, arch, size);
}

/* ---- Compiling ---- */

char *golden_compile(wave_target target, const char *name) {
    char path[200], file[MOST_NAME + 8], arch[32] = "";
    wave_compile_options o;
    wave_blob binary = {0}, text = {0};
    wave_module *module = NULL;
    wave_diags *diags = wave_diags_create(0);
    snprintf(path, sizeof path, "tests/golden/%s/%s.wave", wave_target_name(target), name);
    snprintf(file, sizeof file, "%s.wave", name);
    char *source = golden_read(path);
    cr_assert(source, "%s is missing", path);
    const wave_asm_options assembling = {.file = file, .debug = true};
    wave_compile_init(&o);
    o.target = target;
    o.optimise = o.assert_trap = false;
    o.verify_ir = true;
    o.source = file;
    find_options(&o, source, arch, sizeof arch);
    cr_assert_eq(wave_assemble(source, strlen(source), &assembling, &binary, diags), WAVE_OK, "%s",
                 path);
    cr_assert_eq(wave_module_load(binary.data, binary.size, NULL, &module, diags), WAVE_OK);
    wave_status status = wave_compile(module, &o, &text, diags);
    cr_assert_eq(status, WAVE_OK, "%s: %s", path,
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "no reason given");
    char *copy = calloc(1, text.size + 1);
    cr_assert(copy);
    memcpy(copy, text.data, text.size);
    wave_module_destroy(module);
    wave_blob_free(&text);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
    free(source);
    return copy;
}

/* ---- All files of a folder ---- */

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

unsigned golden_each(wave_target target,
                     void (*visit)(wave_target target, const char *name, void *context),
                     void *context) {
    static char names[MOST_FILES][MOST_NAME];
    unsigned count = 0;
    char path[200];
    snprintf(path, sizeof path, "tests/golden/%s", wave_target_name(target));
    DIR *folder = opendir(path);
    cr_assert(folder, "%s is missing: tests run from the top of the project", path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strstr(entry->d_name, ".wave");
        if (!dot || dot[5])
            continue;
        cr_assert_lt(count, MOST_FILES);
        cr_assert_lt(dot - entry->d_name, MOST_NAME);
        snprintf(names[count++], MOST_NAME, "%.*s", (int)(dot - entry->d_name), entry->d_name);
    }
    closedir(folder);
    qsort(names, count, MOST_NAME, by_name);
    for (unsigned k = 0; k < count; k++)
        visit(target, names[k], context);
    return count;
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    cr_assert(file);
    cr_assert_geq(fputs(text, file), 0);
    cr_assert_eq(fclose(file), 0);
}

static void compare(wave_target target, const char *name, void *context) {
    (void)context;
    char path[200];
    golden_path(target, name, path, sizeof path);
    char *text = golden_compile(target, name);
    if (getenv("WAVE_UPDATE_GOLDEN"))
        write_text(path, text);
    char *expected = golden_read(path);
    cr_assert(expected, "%s is missing", path);
    cr_expect_str_eq(text, expected, "%s has changed:\n%s", path, text);
    free(expected);
    free(text);
}

unsigned golden_check(wave_target target) {
    return golden_each(target, compare, NULL);
}
