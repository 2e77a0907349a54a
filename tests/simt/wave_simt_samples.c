/* wave-simt-samples: tests the harness itself. Each file of samples/ is a hand-written kernel whose
 * first lines say how it is launched and what must come out: memory, or the error with which the
 * harness must reject it. */
#include "runner/reference.h"
#include "simt/simt_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64, MAX_SEEDS = 16, MAX_EXPECTED = 64 };

typedef struct sample {
    const char *path;
    char *text;
    simt_launch launches[MAX_SEEDS];
    uint32_t args[MAX_WORDS];
    uint8_t *memory;
    simt_error error;
    uint32_t checks; /* that every thread must count; 0: it does not */
    struct {
        uint32_t offset, value;
    } expected[MAX_EXPECTED];
    size_t expected_count;
    size_t seeds, visited;
    bool failed;
} sample;

/* ---- Reading ---- */

static size_t numbers(const char *rest, uint32_t *words, size_t most) {
    size_t n = 0;
    for (char *end; n < most; rest = end) {
        unsigned long value = strtoul(rest, &end, 0);
        if (end == rest)
            break;
        words[n++] = (uint32_t)value;
    }
    return n;
}

static simt_error find_error(const char *name) {
    for (int k = 0; k < SIMT_ERROR_COUNT; k++)
        if (strcmp(simt_error_name((simt_error)k), name) == 0)
            return (simt_error)k;
    return SIMT_ERROR_COUNT;
}

static bool read_line(sample *s, simt_program *p, const char *key, const char *rest) {
    simt_launch *l = &s->launches[0];
    uint32_t words[MAX_WORDS];
    size_t n = numbers(rest, words, MAX_WORDS);
    if (strcmp(key, "sample") == 0)
        return true;
    if (strcmp(key, "error") == 0)
        return (s->error = find_error(rest)) != SIMT_ERROR_COUNT;
    if (n == 0)
        return false;
    if (strcmp(key, "width") == 0)
        p->width = words[0];
    else if (strcmp(key, "gfx") == 0)
        p->gfx = words[0];
    else if (strcmp(key, "contract") == 0 && n == 3)
        p->contract = (simt_contract){words[0] != 0, words[1], words[2]};
    else if (strcmp(key, "grid") == 0)
        memcpy(l->grid, words, n * sizeof *words);
    else if (strcmp(key, "group") == 0)
        memcpy(l->group, words, n * sizeof *words);
    else if (strcmp(key, "memory") == 0)
        l->memory_size = words[0];
    else if (strcmp(key, "steps") == 0)
        l->step_limit = words[0];
    else if (strcmp(key, "seeds") == 0)
        s->seeds = words[0];
    else if (strcmp(key, "checks") == 0)
        s->checks = words[0];
    else if (strcmp(key, "args") == 0)
        memcpy(s->args, words, (l->arg_count = (uint32_t)n) * sizeof *words);
    else if (strcmp(key, "expect") == 0)
        for (size_t k = 1; k < n && s->expected_count < MAX_EXPECTED; k++) {
            s->expected[s->expected_count].offset = words[0] + 4 * (uint32_t)(k - 1);
            s->expected[s->expected_count++].value = words[k];
        }
    else
        return false;
    return true;
}

static simt_target target_of(const char *path) {
    const char *ending = strrchr(path, '.');
    if (ending && strcmp(ending, ".metal") == 0)
        return SIMT_MSL;
    return ending && strcmp(ending, ".sycl") == 0 ? SIMT_SYCL : SIMT_HIP;
}

static bool read_sample(sample *s, simt_program *p, const char *path) {
    size_t size;
    *s = (sample){.path = path, .seeds = 8};
    s->launches[0] = (simt_launch){
        .grid = {1, 1, 1}, .group = {32, 1, 1}, .memory_size = 4096, .step_limit = 1000000};
    *p = (simt_program){.name = path, .width = 32, .gfx = 9};
    p->target = target_of(path);
    s->text = tf_read_file(path, &size);
    if (!s->text)
        return ref_complain(path, "cannot be read");
    for (const char *line = s->text; line; line = strchr(line, '\n')) {
        char key[16], rest[200];
        line += *line == '\n';
        if (sscanf(line, "//@ %15s %199[^\n]", key, rest) != 2)
            continue;
        if (!read_line(s, p, key, rest))
            return ref_complain(path, "a line of its header is not understood");
    }
    return s->seeds <= MAX_SEEDS || ref_complain(path, "too many seeds");
}

static void prepare(sample *s, simt_program *p) {
    s->memory = ref_allocate(s->launches[0].memory_size);
    s->launches[0].args = s->args;
    s->launches[0].memory = s->memory;
    for (size_t k = 0; k < s->seeds; k++) {
        s->launches[k] = s->launches[0];
        s->launches[k].seed = k;
    }
    p->text = s->text;
    p->launches = s->launches;
    p->launch_count = s->seeds;
    p->user = s;
}

/* ---- Comparing ---- */

static uint32_t word_at(const uint8_t *memory, size_t offset) {
    uint32_t word;
    memcpy(&word, memory + offset, sizeof word);
    return word;
}

static bool memory_is_right(const sample *s, const simt_launch *l, const uint8_t *memory) {
    char text[120];
    size_t threads = (size_t)l->group[0] * l->group[1] * l->group[2] * l->grid[0];
    for (size_t k = 0; s->checks && k < threads; k++)
        if (word_at(memory, 8 * k) != s->checks || word_at(memory, 8 * k + 4)) {
            snprintf(text, sizeof text, "thread %zu made %u checks; the first that failed: line %u",
                     k, word_at(memory, 8 * k), word_at(memory, 8 * k + 4));
            return ref_complain(s->path, text);
        }
    for (size_t k = 0; k < s->expected_count; k++) {
        uint32_t found = word_at(memory, s->expected[k].offset);
        if (found != s->expected[k].value) {
            snprintf(text, sizeof text, "the word at %u is 0x%x, not 0x%x", s->expected[k].offset,
                     found, s->expected[k].value);
            return ref_complain(s->path, text);
        }
    }
    return true;
}

static void visit(void *user, const simt_program *p, size_t launch, const simt_outcome *outcome) {
    sample *s = p->user;
    (void)user;
    s->visited++;
    if (s->failed)
        return;
    if (outcome->error != s->error) {
        s->failed = true;
        ref_complain(s->path, "another outcome than expected:");
        printf("  seed %zu: %s: %s\n", launch, simt_error_name(outcome->error), outcome->message);
    } else if (s->error == SIMT_OK) {
        s->failed = !memory_is_right(s, &s->launches[launch], outcome->memory);
    } else if (s->error == SIMT_NO_COMPILE) {
        s->visited = s->seeds;
    }
}

int main(int argc, char **argv) {
    size_t count = argc > 1 ? (size_t)argc - 1 : 0, failed = 0;
    sample *samples = ref_allocate(count * sizeof *samples);
    simt_program *programs = ref_allocate(count * sizeof *programs);
    simt_options options = simt_default_options();
    options.visit = visit;
    options.unit = 16;
    bool ok = count > 0;
    for (size_t k = 0; k < count && ok; k++) {
        ok = read_sample(&samples[k], &programs[k], argv[k + 1]);
        if (ok)
            prepare(&samples[k], &programs[k]);
    }
    ok = ok && simt_run(&options, programs, count);
    for (size_t k = 0; k < count; k++) {
        if (ok && !samples[k].failed && samples[k].visited != samples[k].seeds)
            samples[k].failed = !ref_complain(samples[k].path, "did not run under every seed");
        failed += samples[k].failed || !ok;
        free(samples[k].text);
        free(samples[k].memory);
    }
    printf("wave-simt-samples: %zu passed, %zu failed\n", count - failed, failed);
    free(samples);
    free(programs);
    return failed || !ok ? 1 : 0;
}
