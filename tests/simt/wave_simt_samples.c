/* wave-simt-samples: tests the harness itself. Each file of samples/ is a hand-written kernel whose
 * first lines describe the launch and the expected outcome: the memory, or the error with which the
 * harness must reject it. A file may contain several forms of its kernel, selected by the macro
 * FORM: correct forms yield the memory under every seed, wrong forms must fail under at least
 * one. */
#include "runner/reference.h"
#include "simt/simt_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64, MAX_SEEDS = 16, MAX_EXPECTED = 64, MAX_FORMS = 32 };

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
    uint32_t form; /* counted from 1; 0: there is only one */
    bool wrong;    /* memory must differ under some seed */
    bool differed, failed;
} sample;

typedef struct suite {
    sample *samples;
    simt_program *programs;
    size_t count, capacity;
} suite;

/* The forms that a file has. */
typedef struct forms {
    uint32_t numbers[MAX_FORMS];
    bool wrong[MAX_FORMS];
    size_t count;
} forms;

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

static bool add_forms(forms *f, bool wrong, const uint32_t *numbers_of, size_t count) {
    for (size_t k = 0; k < count && f->count < MAX_FORMS; k++) {
        f->wrong[f->count] = wrong;
        f->numbers[f->count++] = numbers_of[k];
    }
    return f->count < MAX_FORMS;
}

static bool read_line(sample *s, simt_program *p, forms *f, const char *key, const char *rest) {
    simt_launch *l = &s->launches[0];
    uint32_t words[MAX_WORDS];
    size_t n = numbers(rest, words, MAX_WORDS);
    if (strcmp(key, "sample") == 0)
        return true;
    if (strcmp(key, "error") == 0)
        return (s->error = find_error(rest)) != SIMT_ERROR_COUNT;
    if (n == 0)
        return false;
    if (strcmp(key, "right") == 0 || strcmp(key, "wrong") == 0)
        return add_forms(f, key[0] == 'w', words, n);
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

static bool read_sample(sample *s, simt_program *p, forms *f, const char *path) {
    size_t size;
    *s = (sample){.path = path, .seeds = 8};
    s->launches[0] = (simt_launch){
        .grid = {1, 1, 1}, .group = {32, 1, 1}, .memory_size = 4096, .step_limit = 1000000};
    *p = (simt_program){.name = path, .width = 32, .gfx = 9};
    p->target = target_of(path);
    s->text = tf_read_file(path, &size);
    if (!s->text)
        return ref_complain(path, "cannot be read");
    s->text[size] = 0; /* room for it was allocated */
    for (const char *line = s->text; line; line = strchr(line, '\n')) {
        char key[16], rest[200];
        line += *line == '\n';
        if (sscanf(line, "//@ %15s %199[^\n]", key, rest) != 2)
            continue;
        if (!read_line(s, p, f, key, rest))
            return ref_complain(path, "a line of its header is malformed");
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

/* For kernels that check themselves: every thread leaves the number of its checks and the line of
 * the first that failed. */
#define CHECKS                                                                                     \
    "#define CHECK(c) (++done, first = first || (c) ? first : __LINE__)\n"                         \
    "#define REPORT(t) (*(mem_u32 *)(mem + 8 * (t)) = done, "                                      \
    "*(mem_u32 *)(mem + 8 * (t) + 4) = first)\n"

/* The text of one form, after the definitions of its macros. */
static char *form_text(const char *text, uint32_t form) {
    size_t size = strlen(text) + sizeof CHECKS + 64;
    char *copy = ref_allocate(size);
    snprintf(copy, size, CHECKS "#undef FORM\n#define FORM %u\n#line 1\n%s", form, text);
    return copy;
}

static void make_room(suite *all, size_t more) {
    size_t old = all->capacity;
    if (all->count + more <= old)
        return;
    all->capacity = 2 * old + more;
    sample *samples = ref_allocate(all->capacity * sizeof *samples);
    simt_program *programs = ref_allocate(all->capacity * sizeof *programs);
    if (all->count) {
        memcpy(samples, all->samples, all->count * sizeof *samples);
        memcpy(programs, all->programs, all->count * sizeof *programs);
    }
    free(all->samples);
    free(all->programs);
    all->samples = samples;
    all->programs = programs;
}

static bool add_file(suite *all, const char *path) {
    sample s;
    simt_program p;
    forms f = {.count = 0};
    if (!read_sample(&s, &p, &f, path))
        return false;
    if (!f.count)
        f.count = 1; /* form 0 */
    make_room(all, f.count);
    for (size_t k = 0; k < f.count; k++) {
        sample *one = &all->samples[all->count];
        *one = s;
        one->form = f.numbers[k];
        one->wrong = f.wrong[k];
        one->text = form_text(s.text, one->form);
        all->programs[all->count++] = p;
    }
    free(s.text);
    return true;
}

/* ---- Comparing ---- */

static bool complain(const sample *s, const char *what) {
    char text[200];
    if (!s->form)
        return ref_complain(s->path, what);
    snprintf(text, sizeof text, "form %u: %s", s->form, what);
    return ref_complain(s->path, text);
}

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
            return s->wrong ? false : complain(s, text);
        }
    for (size_t k = 0; k < s->expected_count; k++) {
        uint32_t found = word_at(memory, s->expected[k].offset);
        if (found != s->expected[k].value) {
            snprintf(text, sizeof text, "the word at %u is 0x%x, expected 0x%x",
                     s->expected[k].offset, found, s->expected[k].value);
            return s->wrong ? false : complain(s, text);
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
        complain(s, "unexpected outcome:");
        printf("  seed %zu: %s: %s\n", launch, simt_error_name(outcome->error), outcome->message);
    } else if (s->error == SIMT_OK) {
        bool right = memory_is_right(s, &s->launches[launch], outcome->memory);
        s->differed = s->differed || !right;
        s->failed = !right && !s->wrong;
    } else if (s->error == SIMT_NO_COMPILE) {
        s->visited = s->seeds;
    }
}

/* Problems that show only after all seeds have run. */
static void judge(sample *s) {
    if (s->failed)
        return;
    if (s->visited != s->seeds)
        s->failed = !complain(s, "did not run under every seed");
    else if (s->wrong && !s->differed)
        s->failed = !complain(s, "a wrong form, but memory is right under every seed");
}

int main(int argc, char **argv) {
    suite all = {.count = 0};
    size_t failed = 0;
    simt_options options = simt_default_options();
    options.visit = visit;
    options.unit = 16;
    bool ok = argc > 1;
    for (int k = 1; k < argc && ok; k++)
        ok = add_file(&all, argv[k]);
    for (size_t k = 0; k < all.count; k++)
        prepare(&all.samples[k], &all.programs[k]);
    ok = ok && simt_run(&options, all.programs, all.count);
    for (size_t k = 0; k < all.count; k++) {
        if (ok)
            judge(&all.samples[k]);
        failed += all.samples[k].failed || !ok;
        free(all.samples[k].text);
        free(all.samples[k].memory);
    }
    printf("wave-simt-samples: %zu passed, %zu failed\n", all.count - failed, failed);
    free(all.samples);
    free(all.programs);
    return failed || !ok ? 1 : 0;
}
