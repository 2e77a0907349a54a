/* Runs the compiler once per unit. An object is named after the hash of everything that goes into
 * it and appears by rename, so an object that exists is complete and can be used again. */
#include "simt/build.h"
#include "simt/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- Hashing ---- */

/* FNV-1a, and a mix at the end: the same bytes in differently divided parts give another hash. */
static uint64_t hash(uint64_t h, const void *data, size_t size) {
    const uint8_t *p = data;
    for (size_t k = 0; k < size; k++)
        h = (h ^ p[k]) * 0x100000001B3u;
    return (h ^ (h >> 29)) * 0x9E3779B97F4A7C15u;
}

static uint64_t hash_text(uint64_t h, const char *text) {
    return hash(h, text, strlen(text));
}

static bool hash_file(uint64_t *h, const char *folder, const char *name) {
    char path[BUILD_PATH], bytes[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        *h = hash(*h, bytes, n);
    fclose(file);
    return true;
}

/* ---- The compiler and its flags ---- */

enum { MAX_FLAGS = 32 };

static const struct {
    const char *folder, *header;
} shims[SIMT_TARGET_COUNT] = {
    [SIMT_HIP] = {"hip", "hip/hip/hip_runtime.h"},
    [SIMT_MSL] = {"metal", "metal/metal_stdlib"},
    [SIMT_SYCL] = {"sycl", "sycl/sycl/sycl.hpp"},
};

/* If the processor can fuse, HIP's and SYCL's default is requested: code that forgets to disable
 * contraction yields different bits here, as it would there. */
static size_t flags_of(const simt_options *o, simt_target target, const char **flags) {
    size_t n = 0;
    flags[n++] = "-std=c++17";
    flags[n++] = "-w";
    flags[n++] = o->optimise;
    flags[n++] = "-fPIC";
    flags[n++] = "-shared";
    flags[n++] = "-fno-math-errno";
    flags[n++] = "-fno-exceptions";
    /* a call before each plain access (weak.c); nothing else of the sanitizer is used */
    flags[n++] = "-fsanitize=thread";
    flags[n++] = "-mllvm";
    flags[n++] = "-tsan-instrument-read-before-write=1";
    flags[n++] = "-mllvm";
    flags[n++] = "-tsan-instrument-atomics=0";
    flags[n++] = "-mllvm";
    flags[n++] = "-tsan-instrument-func-entry-exit=0";
    flags[n++] = "-fno-asynchronous-unwind-tables";
    flags[n++] = "-Xclang";
    flags[n++] = "-ffloat16-excess-precision=none";
    flags[n++] = target == SIMT_MSL ? "-ffp-contract=off" : "-ffp-contract=fast-honor-pragmas";
#ifdef __x86_64__
    if (__builtin_cpu_supports("fma"))
        flags[n++] = "-mfma";
    if (__builtin_cpu_supports("avx2")) /* every processor with AVX2 also has F16C */
        flags[n++] = "-mf16c";
#endif
    return n;
}

static bool find_compiler(builder *b) {
    if (b->options->compiler) {
        snprintf(b->compiler, sizeof b->compiler, "%s", b->options->compiler);
        return true;
    }
    FILE *finder = popen("sh scripts/find-clang.sh", "r");
    if (!finder)
        return false;
    char *line = fgets(b->compiler, sizeof b->compiler, finder);
    if (line)
        line[strcspn(line, "\n")] = 0;
    return pclose(finder) == 0 && line && *line;
}

bool builder_open(builder *b, const simt_options *options) {
    *b = (builder){.options = options};
    if (!find_compiler(b)) {
        fprintf(stderr, "simt: no clang++ of version 19 or newer\n");
        return false;
    }
    if (mkdir(options->folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "simt: cannot make the folder %s\n", options->folder);
        return false;
    }
    struct stat binary = {0};
    stat(b->compiler, &binary);
    uint64_t key = hash_text(0xCBF29CE484222325u, b->compiler);
    key = hash(key, &binary.st_size, sizeof binary.st_size);
    key = hash(key, &binary.st_mtime, sizeof binary.st_mtime);
    bool ok = hash_file(&key, options->shims, "simt.h") &&
              hash_file(&key, options->shims, "vendor.h") &&
              hash_file(&key, options->shims, "fast.h") &&
              hash_file(&key, options->shims, "hip/hip/matrix.h") &&
              hash_file(&key, options->shims, "sycl/sycl/matrix.hpp");
    for (int target = 0; target < SIMT_TARGET_COUNT; target++) {
        b->keys[target] = key;
        ok = hash_file(&b->keys[target], options->shims, shims[target].header) && ok;
    }
    if (!ok)
        fprintf(stderr, "simt: the headers are not in %s\n", options->shims);
    return ok;
}

/* ---- One unit ---- */

static bool write_file(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    bool ok = fwrite(text, 1, size, file) == size;
    return fclose(file) == 0 && ok;
}

static void run_compiler(const builder *b, const build *unit, simt_target target) {
    char include[BUILD_PATH];
    const char *words[MAX_FLAGS + 16];
    size_t n = 0;
    snprintf(include, sizeof include, "-I%s/%s", b->options->shims, shims[target].folder);
    words[n++] = b->compiler;
    n += flags_of(b->options, target, words + n);
    words[n++] = include;
    words[n++] = "-x";
    words[n++] = "c++";
    words[n++] = unit->source;
    words[n++] = "-o";
    char output[BUILD_PATH + 8];
    snprintf(output, sizeof output, "%s.new", unit->source);
    words[n++] = output;
    words[n++] = "-lm";
    words[n] = NULL;
    int log = open(unit->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    execv(b->compiler, (char *const *)(uintptr_t)words);
    _exit(127);
}

static void name_files(const builder *b, build *unit, const char *text, size_t size,
                       simt_target target) {
    const char *flags[MAX_FLAGS];
    size_t count = flags_of(b->options, target, flags);
    uint64_t first = b->keys[target], second = ~first;
    for (size_t k = 0; k < count; k++) {
        first = hash_text(first, flags[k]);
        second = hash_text(second, flags[k]);
    }
    first = hash(first, text, size);
    second = hash(second, text, size);
    const char *folder = b->options->folder;
    unsigned long long h[2] = {first, second};
    snprintf(unit->object, sizeof unit->object, "%s/%016llx%016llx.so", folder, h[0], h[1]);
    /* two identical units may be compiled at the same time */
    static unsigned serial;
    long process = getpid();
    snprintf(unit->source, sizeof unit->source, "%s/%ld-%u.cpp", folder, process, ++serial);
    snprintf(unit->log, sizeof unit->log, "%s/%ld-%u.log", folder, process, serial);
}

build_state build_start(const builder *b, build *unit, const simt_program *programs, size_t count) {
    char *text = NULL;
    size_t size = 0, bad;
    *unit = (build){0};
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return BUILD_FAILED;
    bool ok = unit_write(out, programs, count, &bad, unit->error, sizeof unit->error);
    ok = fclose(out) == 0 && ok;
    if (ok) {
        name_files(b, unit, text, size, programs[0].target);
        /* using an object renews its age in the cache */
        unit->found =
            access(unit->object, R_OK) == 0 && utimensat(AT_FDCWD, unit->object, NULL, 0) == 0;
        ok = unit->found || write_file(unit->source, text, size);
    }
    free(text);
    if (!ok || unit->found)
        return ok ? BUILD_READY : BUILD_FAILED;
    fflush(stdout);
    unit->pid = fork();
    if (unit->pid == 0)
        run_compiler(b, unit, programs[0].target);
    return unit->pid > 0 ? BUILD_RUNNING : BUILD_FAILED;
}

build_state build_finish(build *unit, int status) {
    char output[BUILD_PATH + 8];
    snprintf(output, sizeof output, "%s.new", unit->source);
    unit->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || rename(output, unit->object) != 0)
        return BUILD_FAILED;
    return BUILD_READY;
}

char *build_log(const build *unit) {
    enum { LIMIT = 4000 };
    char *text = calloc(1, LIMIT + 1);
    FILE *file = text ? fopen(unit->log, "r") : NULL;
    if (file) {
        text[fread(text, 1, LIMIT, file)] = 0;
        fclose(file);
    } else if (text) {
        snprintf(text, LIMIT, "%s", unit->error);
    }
    return text;
}

void build_clean(const builder *b, build *unit) {
    if (unit->source[0]) {
        unlink(unit->source);
        unlink(unit->log);
    }
    if (unit->object[0] && !b->options->keep)
        unlink(unit->object);
}
