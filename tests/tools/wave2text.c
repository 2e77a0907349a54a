/* wave2text: compiles many `.wave` files to one target in one process.
 *
 *   wave2text --target=NAME [--arch=A] [--width=N] [-O0|-O2] [--bounds] [--fast] [-g]
 *             [--out=FOLDER] FILE...
 *
 * Without --out the texts go to standard output. With it the K-th file, from 0, becomes FOLDER/K
 * with the target's suffix or, if it is rejected, its diagnostics go to FOLDER/K.log; a rejection
 * then does not make the run fail. */
#include <wave/compile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct request {
    wave_compile_options compile;
    const char *folder; /* NULL: standard output */
    unsigned count;     /* files done */
} request;

static char *read_file(const char *path, size_t *size) {
    enum { MOST = 1 << 27 };
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST) : NULL;
    *size = text ? fread(text, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    return text;
}

/* Writes to FOLDER/K plus the suffix, or to the given stream when there is no folder. */
static bool write_result(const request *r, const char *suffix, const wave_blob *text, FILE *other) {
    char path[4096];
    FILE *file = other;
    if (r->folder) {
        int length = snprintf(path, sizeof path, "%s/%u%s", r->folder, r->count, suffix);
        file = length > 0 && (size_t)length < sizeof path ? fopen(path, "wb") : NULL;
    }
    if (!file)
        return false;
    bool ok = text->size == 0 || fwrite(text->data, 1, text->size, file) == text->size;
    if (r->folder)
        ok = fclose(file) == 0 && ok;
    return ok;
}

static bool run(const char *path, request *r) {
    size_t size;
    char *source = read_file(path, &size);
    wave_diags *diags = wave_diags_create(0);
    wave_blob binary = {0}, text = {0}, report = {0};
    wave_module *module = NULL;
    const wave_load_options load = {.mode = WAVE_MODE_LENIENT};
    r->compile.source = path;
    bool made = source && wave_assemble(source, size, NULL, &binary, diags) == WAVE_OK &&
                wave_module_load(binary.data, binary.size, &load, &module, diags) == WAVE_OK &&
                wave_compile(module, &r->compile, &text, diags) == WAVE_OK;
    bool ok;
    if (made)
        ok = write_result(r, wave_target_suffix(r->compile.target), &text, stdout);
    else
        ok = wave_diags_format(diags, path, WAVE_DIAG_TEXT, &report) == WAVE_OK &&
             report.size > 0 && write_result(r, ".log", &report, stderr) && r->folder;
    r->count++;
    wave_blob_free(&report);
    wave_blob_free(&text);
    wave_blob_free(&binary);
    wave_module_destroy(module);
    wave_diags_destroy(diags);
    free(source);
    return ok;
}

static bool set_target(request *r, const char *name) {
    int target = wave_target_find(name);
    if (target < 0) {
        fprintf(stderr, "wave2text: no target \"%s\"\n", name);
        return false;
    }
    r->compile.target = (wave_target)target;
    return true;
}

/* Parses an option; otherwise the word is a file. */
static bool option(request *r, const char *word, bool *ok) {
    if (strncmp(word, "--target=", 9) == 0)
        *ok = set_target(r, word + 9) && *ok;
    else if (strncmp(word, "--arch=", 7) == 0)
        r->compile.arch = word + 7;
    else if (strncmp(word, "--width=", 8) == 0)
        r->compile.wave_width = (uint32_t)strtoul(word + 8, NULL, 10);
    else if (strncmp(word, "--out=", 6) == 0)
        r->folder = word + 6;
    else if (strcmp(word, "-O2") == 0 || strcmp(word, "-O0") == 0)
        r->compile.optimise = word[2] == '2';
    else if (strcmp(word, "--bounds") == 0)
        r->compile.bounds = true;
    else if (strcmp(word, "--fast") == 0)
        r->compile.fast_math = true;
    else if (strcmp(word, "-g") == 0)
        r->compile.debug = true;
    else
        return false;
    return true;
}

int main(int argc, char **argv) {
    request r = {0};
    bool ok = true;
    wave_compile_init(&r.compile);
    r.compile.verify_ir = true;
    for (int k = 1; k < argc && ok; k++)
        if (!option(&r, argv[k], &ok))
            ok = run(argv[k], &r);
    return ok ? 0 : 1;
}
