/* A process that builds one unit and runs its launches, reporting each step to its parent. */
#include "syclrun/batch.h"
#include "syclrun/device.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

static void write_all(int out, const void *data, size_t size) {
    const char *at = data;
    while (size > 0) {
        ssize_t n = write(out, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(3); /* the parent no longer reads the messages */
        at += n;
        size -= (size_t)n;
    }
}

static void tell(int out, news n, const void *bytes) {
    write_all(out, &n, sizeof n);
    write_all(out, bytes, n.bytes);
}

static void tell_text(int out, news_kind kind, size_t launch, const char *text) {
    const news n = {.kind = (uint32_t)kind, .launch = launch, .bytes = text ? strlen(text) + 1 : 0};
    tell(out, n, text);
}

/* Read by the OpenCL loader: use only the device next to the library. */
static void choose_device(void) {
    setenv("OCL_ICD_FILENAMES", SYCL_ROOT "/lib/libintelocl.so", 1);
    setenv("OCL_ICD_VENDORS", SYCL_ROOT "/no-vendors", 1);
    unsetenv("ONEAPI_DEVICE_SELECTOR"); /* the user's setting, meant for other devices */
}

/* The vectoriser's bypass loops make the device's compiler crash on some loops. KEEP_FLOW disables
 * the passes that change the branches of a join. */
#define NO_BYPASS "-vplan-enable-all-zero-bypass-loops=0"
#define KEEP_FLOW                                                                                  \
    NO_BYPASS " -opt-bisect-verbose=0 -simplifycfg-sink-common=0 -simplifycfg-hoist-common=0"      \
              " -opt-disable=jump-threading,dfa-jump-threading,gvn-hoist,mldst-motion,"            \
              "correlated-propagation"

static const struct way {
    const char *llvm; /* options for the CPU device's compiler, or NULL */
    bool plain, raw;  /* the device does not optimise; the front end does not */
} ways[SYCLRUN_WAYS] = {
    [SYCLRUN_PLAIN] = {NO_BYPASS, true, false},
    [SYCLRUN_KEPT_FLOW] = {KEEP_FLOW, false, true},
    [SYCLRUN_KEPT_LOOPS] = {KEEP_FLOW ",loop-rotate", false, true},
};

/* Read by the CPU device. Unoptimised kernels have no sub-groups unless they are vectorised
 * anyway. */
static void set_way(const struct way *way) {
    if (way->llvm)
        setenv("CL_CONFIG_LLVM_OPTIONS", way->llvm, 1);
    if (way->plain) {
        setenv("SYCL_PROGRAM_APPEND_COMPILE_OPTIONS", "-cl-opt-disable", 1);
        setenv("CL_CONFIG_CPU_O0_VECTORIZATION", "True", 1);
    }
}

/* Whether Linux lists the feature for the first processor. */
static bool has_feature(const char *name) {
    char line[8192];
    bool found = false;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && !found && fgets(line, sizeof line, file)) {
        if (strncmp(line, "flags", 5) != 0)
            continue;
        for (char *word = strtok(line, " \t\n"); word; word = strtok(NULL, " \t\n"))
            found |= strcmp(word, name) == 0;
        break;
    }
    if (file)
        fclose(file);
    return found;
}

/* The device reports matrix units wherever the processor has AMX. But in a virtual machine its
 * compiler takes the processor for one without, and then dies on every kernel with joint matrices
 * ("Cannot select: intrinsic %llvm.x86.tilezero.internal"). So name the first processor with AMX.
 */
static void choose_processor(const syclrun_launch *launches, batch b) {
    bool matrices = false;
    for (size_t k = b.first_launch; k < b.first_launch + b.launch_count; k++)
        matrices |= launches[k].has_matrices;
    if (matrices && has_feature("amx_bf16") && has_feature("avx512_fp16"))
        setenv("CL_CONFIG_CPU_TARGET_ARCH", "sapphirerapids", 0);
}

static const sycl_device_functions *load(char **message) {
    void *library = dlopen(SYCLRUN_LIBRARY, RTLD_NOW);
    if (!library)
        *message = strdup(dlerror());
    return library ? dlsym(library, "sycl_device_table") : NULL;
}

static void run_launches(const sycl_device_functions *call, sycl_device *device,
                         const syclrun_text *texts, syclrun_launch *launches, batch b, int out) {
    for (size_t k = b.first_launch; k < b.first_launch + b.launch_count; k++) {
        syclrun_launch *launch = &launches[k];
        char name[400], *message = NULL;
        syclrun_entry_name(name, sizeof name, launch->text,
                           texts[launch->text].entries[launch->entry]);
        tell_text(out, NEWS_BEGUN, k, NULL);
        if (!call->launch(device, name, launch, &message)) {
            tell_text(out, NEWS_REFUSED, k, message);
            free(message);
            continue;
        }
        const news n = {.kind = NEWS_ENDED,
                        .launch = k,
                        .outcome = (uint32_t)launch->outcome,
                        .status = {launch->status[0], launch->status[1]},
                        .bytes = launch->size};
        tell(out, n, launch->memory);
    }
}

/* A hanging kernel must end together with the parent, even if the parent is killed. */
static void end_with_parent(void) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

void batch_child(const syclrun_text *texts, syclrun_launch *launches, batch b, syclrun_way way,
                 int out) {
    char *message = NULL;
    end_with_parent();
    choose_device();
    choose_processor(launches, b);
    set_way(&ways[way]);
    const sycl_device_functions *call = load(&message);
    sycl_device *device = call ? call->open(&message) : NULL;
    char *unit = syclrun_unit(texts, b.first_text, b.text_count, true);
    if (!device || !call->build(device, unit, !ways[way].raw, &message)) {
        tell_text(out, NEWS_NOT_BUILT, 0, message ? message : "no device");
        _exit(0);
    }
    tell_text(out, NEWS_BUILT, 0, NULL);
    run_launches(call, device, texts, launches, b, out);
    _exit(0); /* skips the run time's own cleanup */
}
