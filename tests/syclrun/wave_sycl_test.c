/* wave-sycl-test: compiles `.wave` files of the test format to SYCL and runs them on Intel's CPU
 * device, with and without optimisation, at the requested widths. Memory must be what the test
 * expects and, bit for bit, what the emulator leaves at that width. */
#include "emit/emit.h"
#include "runner/reference.h"
#include "syclrun/passed.h"
#include "syclrun/syclrun.h"

#include <wave/compile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WIDTHS = 8 };

typedef struct options {
    uint32_t widths[MOST_WIDTHS];
    size_t width_count;
    int only_level; /* -1: both */
    bool bounds, lockstep, fast, native, only_compile, verbose, show;
    const char *arch;       /* of the target */
    const char *cache;      /* file of runs that have passed */
    const char *host_check; /* host compiler and flags: only check the launchers */
    const char *scratch;    /* the prefix of files that may be written */
    syclrun_options run;
} options;

/* One test at one width and level. */
typedef struct item {
    ref_case *c;
    int level;
    wave_blob text;
    arena memory; /* of the entries */
    const char **entries;
    size_t entry_count;
    uint32_t args[TF_MAX_ARGS];
    uint8_t *before; /* memory */
    passed_key key;
} item;

typedef struct job {
    const options *o;
    ref_case **cases;
    size_t case_count;
    item *items; /* to be run */
    size_t item_count, capacity;
    syclrun_text *texts;
    syclrun_launch *launches;
    passed_list list;
    unsigned passed, failed, other, known, only_compiled;
} job;

static bool complain(const item *it, const char *what) {
    printf("FAIL %s: width %u, -O%d: %s\n", it->c->path, (unsigned)it->c->width, it->level, what);
    return false;
}

/* ---- Compiling ---- */

static bool find_entries(item *it) {
    size_t count = wave_module_kernel_count(it->c->module);
    const char **names = arena_alloc(&it->memory, (count + 1) * sizeof *names);
    const char **symbols = arena_alloc(&it->memory, (count + 1) * sizeof *symbols);
    it->entries = arena_alloc(&it->memory, (count + 1) * sizeof *it->entries);
    it->entry_count = count;
    if (!names || !symbols || !it->entries)
        return false;
    for (size_t k = 0; k < count; k++)
        names[k] = wave_module_kernel(it->c->module, k)->name;
    if (!emit_symbols(EMIT_SYCL, names, count, &it->memory, symbols))
        return false;
    for (size_t k = 0; k < count; k++) {
        size_t size = strlen(symbols[k]) + sizeof "_kernel";
        char *entry = arena_alloc(&it->memory, size);
        if (!entry)
            return false;
        snprintf(entry, size, "%s_kernel", symbols[k]);
        it->entries[k] = entry;
    }
    return true;
}

static bool compile(const options *o, item *it) {
    wave_diags *diags = wave_diags_create(0);
    wave_compile_options c;
    wave_compile_init(&c);
    c.target = (wave_target)wave_target_find("sycl");
    c.arch = o->arch;
    c.wave_width = it->c->width;
    c.optimise = it->level != 0;
    c.fast_math = o->fast;
    c.native_mma = o->native;
    c.bounds = o->bounds;
    c.lockstep = o->lockstep;
    c.assert_trap = true;
    c.verify_ir = true;
    c.source = it->c->path;
    bool ok = wave_compile(it->c->module, &c, &it->text, diags) == WAVE_OK && find_entries(it);
    if (!ok) {
        complain(it, "does not compile:");
        ref_print_diags(it->c->path, diags);
    }
    wave_diags_destroy(diags);
    return ok;
}

static syclrun_launch launch_of(const options *o, const item *it) {
    syclrun_launch l = {
        .entry = it->c->kernel, .args = it->args, .memory = it->before, .size = it->c->run.size};
    syclrun_contract(&l, it->c->info, o->bounds, o->lockstep);
    l.has_matrices = o->native && strstr((const char *)it->text.data, "joint_matrix");
    l.only_compile = o->only_compile;
    memcpy(l.grid, it->c->run.grid, sizeof l.grid);
    memcpy(l.group, it->c->group, sizeof l.group);
    return l;
}

/* Everything that the outcome depends on. */
static void find_key(const options *o, item *it) {
    const syclrun_launch l = launch_of(o, it);
    const ref_case *c = it->c;
    const uint32_t numbers[] = {l.grid[0],          l.grid[1],    l.grid[2],      l.group[0],
                                l.group[1],         l.group[2],   l.local_memory, l.arg_words,
                                l.has_size,         l.has_status, c->width,       (uint32_t)o->fast,
                                (uint32_t)c->kernel};
    passed_begin(&it->key);
    passed_add(&it->key, numbers, sizeof numbers);
    passed_add(&it->key, it->text.data, it->text.size);
    passed_add(&it->key, it->args, 4 * (size_t)l.arg_words);
    passed_add(&it->key, c->run.memory, c->run.size);
    passed_add(&it->key, c->memory, c->run.size);
    passed_add(&it->key, c->source, strlen(c->source)); /* the expectations */
    if (o->host_check)
        passed_add(&it->key, o->host_check, strlen(o->host_check));
}

static void free_item(item *it) {
    wave_blob_free(&it->text);
    arena_free(&it->memory);
    free(it->before);
}

static void add_item(job *j, ref_case *c, int level) {
    item it = {.c = c, .level = level};
    if (!compile(j->o, &it)) {
        j->failed++;
        free_item(&it);
        return;
    }
    ref_arguments(c, it.args);
    find_key(j->o, &it);
    if (passed_has(&j->list, &it.key)) {
        j->passed++;
        j->known++;
        free_item(&it);
        return;
    }
    it.before = ref_fresh_memory(c);
    if (j->item_count == j->capacity) {
        j->capacity = 2 * j->capacity + 64;
        j->items = realloc(j->items, j->capacity * sizeof *j->items);
        if (!j->items)
            abort();
    }
    j->items[j->item_count++] = it;
}

static void add_file(job *j, const char *path, uint32_t width) {
    ref_case *c = ref_allocate(sizeof *c);
    ref_status status = ref_open(c, path, TF_SYCL, width);
    if (status == REF_READY && c->test->bounded && !j->o->bounds)
        status = REF_OTHER_TARGET;
    j->cases[j->case_count++] = c;
    c->run.fast = j->o->fast;
    if (status == REF_READY) {
        for (int level = 0; level <= 2; level += 2)
            if (j->o->only_level < 0 || j->o->only_level == level)
                add_item(j, c, level);
    } else if (status == REF_BROKEN) {
        j->failed++;
    } else {
        j->other++;
    }
}

/* ---- Judging ---- */

static bool judge(const item *it, syclrun_launch *l) {
    char report[2000] = "";
    if (l->outcome == SYCLRUN_ONLY_COMPILED)
        return true;
    if (l->outcome != SYCLRUN_DONE) {
        complain(it, syclrun_outcome_name(l->outcome));
        if (l->message)
            printf("%s\n", l->message);
        return false;
    }
    if (!ref_status_fits(it->c, l->status, report, sizeof report)) {
        complain(it, "an assert fails unexpectedly, or does not fail");
        printf("%s", report);
        return false;
    }
    /* the processor's NaNs have the opposite sign of the emulator's */
    bool approximate = it->c->run.fast || l->has_matrices; /* units have other bits */
    ref_mode mode = approximate ? REF_EXPECTED : REF_SAME_BUT_NAN;
    if (ref_compare(it->c, l->memory, mode, report, sizeof report))
        return true;
    complain(it, "memory differs");
    printf("%s", report);
    return false;
}

static void finished(void *user, size_t index) {
    job *j = user;
    const item *it = &j->items[index];
    bool ok = judge(it, &j->launches[index]);
    bool ran = j->launches[index].outcome != SYCLRUN_ONLY_COMPILED;
    *(!ran ? &j->only_compiled : ok ? &j->passed : &j->failed) += 1;
    if (ok && ran)
        passed_note(&j->list, &it->key);
    if (ok && (j->o->verbose || !ran))
        printf("%s %s: width %u, -O%d\n", ran ? "ok  " : "compiled only:", it->c->path,
               (unsigned)it->c->width, it->level);
    if (!ok && j->o->show)
        fwrite(it->text.data, 1, it->text.size, stdout);
    fflush(stdout);
}

/* ---- Everything ---- */

static void fill_texts(job *j) {
    j->texts = ref_allocate((j->item_count + 1) * sizeof *j->texts);
    j->launches = ref_allocate((j->item_count + 1) * sizeof *j->launches);
    for (size_t k = 0; k < j->item_count; k++) {
        const item *it = &j->items[k];
        j->texts[k] = (syclrun_text){.text = (const char *)it->text.data,
                                     .size = it->text.size,
                                     .entries = it->entries,
                                     .entry_count = it->entry_count};
        j->launches[k] = launch_of(j->o, it);
        j->launches[k].text = k;
    }
}

/* A compiler that fails may not have read every text: passes are recorded only if it finds no error
 * at all. */
static void check_launchers(job *j) {
    char **messages = ref_allocate((j->item_count + 1) * sizeof *messages), *failure;
    if (!syclrun_host_check(j->texts, j->item_count, j->o->host_check, j->o->scratch, messages,
                            &failure)) {
        printf("FAIL the host compiler says:\n%.4000s\n", failure);
        j->failed++;
        free(failure);
        free(messages);
        return;
    }
    bool clean = true;
    for (size_t k = 0; k < j->item_count; k++)
        clean &= messages[k] == NULL;
    for (size_t k = 0; k < j->item_count; k++) {
        if (messages[k]) {
            complain(&j->items[k], "is not accepted by the host compiler:");
            printf("%s", messages[k]);
            free(messages[k]);
            j->failed++;
        } else {
            if (clean)
                passed_note(&j->list, &j->items[k].key);
            j->passed++;
        }
    }
    free(messages);
}

static bool run_files(job *j, int count, char **paths) {
    bool ok = true;
    j->cases = ref_allocate((size_t)count * j->o->width_count * sizeof(ref_case *));
    for (size_t w = 0; w < j->o->width_count; w++)
        for (int k = 0; k < count; k++)
            add_file(j, paths[k], j->o->widths[w]);
    fill_texts(j);
    if (j->o->host_check) {
        check_launchers(j);
    } else {
        syclrun_options run = j->o->run;
        run.finished = finished;
        run.user = j;
        ok = syclrun_all(j->texts, j->item_count, j->launches, j->item_count, &run);
    }
    for (size_t k = 0; k < j->item_count; k++) {
        free(j->launches[k].message);
        free_item(&j->items[k]);
    }
    for (size_t k = 0; k < j->case_count; k++) {
        ref_close(j->cases[k]);
        free(j->cases[k]);
    }
    free(j->cases);
    free(j->items);
    free(j->texts);
    free(j->launches);
    return ok;
}

static int usage(void) {
    fprintf(stderr,
            "usage: wave-sycl-test [-v] [-O0|-O2] [--arch=NAME] [--width=N]... [--bounds] "
            "[--lockstep] [--fast] [--mma=native] [--only-compile] [--batch=N] [--jobs=N]\n"
            "       [--seconds=N] [--cache=FILE] [--host-check=COMPILER --scratch=PREFIX] [--show] "
            "FILE.wave...\n");
    return 2;
}

static bool numbered(const char *text, const char *name, unsigned long *value) {
    size_t n = strlen(name);
    if (strncmp(text, name, n) != 0)
        return false;
    *value = strtoul(text + n, NULL, 10);
    return true;
}

static bool parse(const char *a, options *o) {
    unsigned long n;
    if (strcmp(a, "-v") == 0)
        o->verbose = true;
    else if (strcmp(a, "-O0") == 0 || strcmp(a, "-O2") == 0)
        o->only_level = a[2] - '0';
    else if (numbered(a, "--width=", &n) && o->width_count < MOST_WIDTHS)
        o->widths[o->width_count++] = (uint32_t)n;
    else if (numbered(a, "--batch=", &n))
        o->run.batch = n;
    else if (numbered(a, "--jobs=", &n))
        o->run.processes = (unsigned)n;
    else if (numbered(a, "--seconds=", &n))
        o->run.seconds = (unsigned)n;
    else if (strcmp(a, "--bounds") == 0)
        o->bounds = true;
    else if (strcmp(a, "--lockstep") == 0)
        o->lockstep = true;
    else if (strcmp(a, "--fast") == 0)
        o->fast = true;
    else if (strcmp(a, "--mma=native") == 0)
        o->native = true;
    else if (strcmp(a, "--only-compile") == 0)
        o->only_compile = true;
    else if (strcmp(a, "--show") == 0)
        o->show = true;
    else if (strncmp(a, "--arch=", 7) == 0)
        o->arch = a + 7;
    else if (strncmp(a, "--cache=", 8) == 0)
        o->cache = a + 8;
    else if (strncmp(a, "--host-check=", 13) == 0)
        o->host_check = a + 13;
    else if (strncmp(a, "--scratch=", 10) == 0)
        o->scratch = a + 10;
    else
        return false;
    return true;
}

int main(int argc, char **argv) {
    options o = {.only_level = -1, .arch = "cpu"};
    int first = 1;
    for (; first < argc && argv[first][0] == '-'; first++)
        if (!parse(argv[first], &o))
            return usage();
    if (first == argc || (o.host_check && !o.scratch))
        return usage();
    if (!o.width_count)
        o.widths[o.width_count++] = 32;
    job j = {.o = &o};
    passed_load(&j.list, o.cache);
    if (!run_files(&j, argc - first, argv + first)) {
        printf("FAIL cannot start a process\n");
        j.failed++;
    }
    passed_free(&j.list);
    printf("wave-sycl-test: %u passed, %u failed, %u not for SYCL or a width, %u unchanged since "
           "they passed",
           j.passed, j.failed, j.other, j.known);
    if (j.only_compiled)
        printf(", %u compiled only", j.only_compiled);
    printf("\n");
    return j.failed ? 1 : 0;
}
