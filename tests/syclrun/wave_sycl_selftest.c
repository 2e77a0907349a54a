/* wave-sycl-selftest: the driver's verdict on kernels that are correct, wrong, access memory out of
 * bounds, crash, hang, or are not C++. All are written by hand: nothing here comes from wavec. */
#include "runner/reference.h"
#include "syclrun/passed.h"
#include "syclrun/syclrun.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROPERTIES                                                                                 \
    "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::"            \
    "nd_range_kernel<3>)) SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((sycl::ext::oneapi::experimental::"    \
    "sub_group_size<16>))\n"
#define ITEM "auto item = sycl::ext::oneapi::this_work_item::get_nd_item<3>(); "
#define TYPES                                                                                      \
    "typedef uint32_t word __attribute__((may_alias));\nstruct k_args { uint32_t r[2]; };\n"

/* mem[r0 + 4 i] = r1 + i + neighbour's i through local memory */
static const char right[] = TYPES PROPERTIES
    "void k_kernel(uint8_t *mem, k_args args, "
    "sycl::ext::oneapi::experimental::work_group_memory<uint8_t[256]> local) {\n" ITEM
    "uint32_t i = item.get_local_id(2), g = item.get_group(2);\n"
    "uint8_t *l = (uint8_t *)&local;\n*(word *)(l + 4 * i) = i;\n"
    "sycl::group_barrier(item.get_group());\n"
    "*(word *)(mem + args.r[0] + 4 * (32 * g + i)) = args.r[1] + i + *(word *)(l + 4 * (31 - "
    "i));\n}\n";
/* the launch omits its optional parameters */
static const char optional[] =
    PROPERTIES "void k_kernel(uint8_t *mem, uint64_t size, uint32_t "
               "*status) {\n mem[0] = (uint8_t)size; status[0] = 7; status[1] = 8; }\n";
/* 3 x 2 threads that are launched as one row know their shape and are one sub-group */
static const char shape[] = TYPES PROPERTIES
    "void k_kernel(uint8_t *mem, uint32_t x, uint32_t y) {\n" ITEM
    "auto wave = item.get_sub_group();\n"
    "((word *)mem)[wave.get_local_linear_id()] = 100 * wave.get_local_linear_range() "
    "+ 10 * x + y; }\n";
static const char outside[] = PROPERTIES "void k_kernel(uint8_t *mem) { mem[1024] = 1; }\n";
static const char before[] = PROPERTIES "void k_kernel(uint8_t *mem) { mem[-1] = 1; }\n";
static const char crash[] =
    PROPERTIES "void k_kernel(uint8_t *mem) { *(volatile uint8_t *)((uint64_t)mem * 4096) = 1; }\n";
static const char hang[] =
    PROPERTIES "void k_kernel(uint8_t *mem) { while (*(volatile uint8_t *)mem == 0) {} }\n";
static const char no_cpp[] =
    PROPERTIES "void k_kernel(uint8_t *mem) { mem[0] = undeclared_name; }\n";
/* an 8 by 16 matrix of zeros; the second kernel multiplies matrices that do not fit */
#define MATRIX                                                                                     \
    PROPERTIES                                                                                     \
    "void k_kernel(uint8_t *mem) {\n"                                                              \
    "namespace m = sycl::ext::oneapi::experimental::matrix;\n" ITEM                                \
    "auto wave = item.get_sub_group();\n"                                                          \
    "m::joint_matrix<sycl::sub_group, float, m::use::accumulator, 8, 16> c;\n"                     \
    "m::joint_matrix_fill(wave, c, 0.0f);\n"
static const char matrix[] = MATRIX
    "m::joint_matrix_store(wave, c, sycl::address_space_cast<sycl::access::address_space::"
    "global_space, sycl::access::decorated::no>((float *)mem), 16, m::layout::row_major); }\n";
static const char wrong_matrix[] =
    MATRIX "m::joint_matrix<sycl::sub_group, sycl::half, m::use::a, 8, 16, m::layout::row_major> "
           "a;\n m::joint_matrix_mad(wave, c, a, a, c); }\n";
static const char other_entry[] = PROPERTIES "void another(uint8_t *mem) { mem[0] = 1; }\n";

typedef struct sample {
    const char *name, *text;
    syclrun_outcome outcome;
    const char *says; /* part of the message */
    bool plain;       /* only the memory parameter */
} sample;

static const sample samples[] = {
    {"a correct kernel", right, SYCLRUN_DONE, NULL, false},
    {"a kernel that is not C++", no_cpp, SYCLRUN_NOT_COMPILED, "undeclared_name", true},
    {"a write after the memory", outside, SYCLRUN_OUT_OF_BOUNDS, NULL, true},
    {"a correct kernel between wrong ones", right, SYCLRUN_DONE, NULL, false},
    {"a crash", crash, SYCLRUN_CRASHED, "signal", true},
    {"a write before the memory", before, SYCLRUN_OUT_OF_BOUNDS, NULL, true},
    {"an endless loop", hang, SYCLRUN_HUNG, NULL, true},
    {"a kernel with another name", other_entry, SYCLRUN_REFUSED, NULL, true},
    {"a correct kernel after wrong ones", right, SYCLRUN_DONE, NULL, false},
    {"a row of threads", shape, SYCLRUN_DONE, NULL, true},
    {"size and status", optional, SYCLRUN_DONE, NULL, true},
    {"matrices that do not fit", wrong_matrix, SYCLRUN_NOT_COMPILED, "joint_matrix_mad", true},
    {"a joint matrix", matrix, SYCLRUN_ONLY_COMPILED, NULL, true},
};

enum { SAMPLES = sizeof samples / sizeof *samples, SIZE = 1024, START = 64, ADDED = 1000 };

static unsigned passed, failed;

static void check(bool ok, const char *what, const char *detail) {
    *(ok ? &passed : &failed) += 1;
    if (!ok)
        printf("FAIL %s: %s\n", what, detail ? detail : "");
}

static bool is_right(const uint8_t *memory) {
    for (uint32_t k = 0; k < SIZE / 4; k++) {
        uint32_t have, i = (k - START / 4) % 32;
        bool written = 4 * k >= START && 4 * k < START + 4 * 64;
        memcpy(&have, memory + 4 * k, 4);
        if (have != (written ? ADDED + i + (31 - i) : 0))
            return false;
    }
    return true;
}

static syclrun_launch launch_of(const sample *s, size_t text, uint8_t *memory) {
    static const uint32_t args[] = {START, ADDED};
    bool has_more = s->text == optional, has_shape = s->text == shape;
    return (syclrun_launch){.text = text,
                            .args = args,
                            .arg_words = s->plain ? 0 : 2,
                            .local_memory = s->plain ? 0 : 256,
                            .has_size = has_more,
                            .has_status = has_more,
                            .row = has_shape,
                            .has_shape = has_shape,
                            .has_matrices = s->text == matrix,
                            .grid = {s->plain ? 1 : 2, 1, 1},
                            .group = {has_shape  ? 3
                                      : s->plain ? 1
                                                 : 32,
                                      has_shape ? 2 : 1, 1},
                            .memory = memory,
                            .size = has_more ? 200 : SIZE};
}

static void judge(const sample *s, const syclrun_launch *l) {
    bool ran = s->outcome == SYCLRUN_ONLY_COMPILED &&
               l->outcome == SYCLRUN_DONE; /* the device has matrix units */
    check(ran || l->outcome == s->outcome, s->name, syclrun_outcome_name(l->outcome));
    check(!s->says || (l->message && strstr(l->message, s->says)), s->name, l->message);
    if (s->text == right)
        check(is_right(l->memory), s->name, "memory is wrong");
    for (size_t i = 0; i < 7 && s->text == shape; i++) {
        uint32_t word;
        memcpy(&word, l->memory + 4 * i, 4);
        check(word == (i < 6 ? 632 : 0), s->name, "size of the wave or shape is wrong");
    }
    if (s->text == optional)
        check(l->memory[0] == 200 && l->status[0] == 7 && l->status[1] == 8, s->name,
              "size or status is wrong");
}

/* Runs all samples, or only those that should run successfully. */
static void run_samples(syclrun_way way, bool only_right) {
    static const char *const entries[] = {"k_kernel"};
    static uint8_t memory[SAMPLES][SIZE];
    const sample *chosen[SAMPLES];
    syclrun_text texts[SAMPLES];
    syclrun_launch launches[SAMPLES];
    const syclrun_options o = {.batch = SAMPLES, .seconds = 5, .way = way};
    size_t count = 0;
    memset(memory, 0, sizeof memory);
    for (size_t k = 0; k < SAMPLES; k++) {
        const sample *s = &samples[k];
        if (only_right && s->outcome != SYCLRUN_DONE)
            continue;
        texts[count] = (syclrun_text){s->text, strlen(s->text), entries, 1};
        launches[count] = launch_of(s, count, memory[count]);
        chosen[count++] = s;
    }
    check(syclrun_all(texts, count, launches, count, &o), "starting processes", NULL);
    for (size_t k = 0; k < count; k++) {
        judge(chosen[k], &launches[k]);
        free(launches[k].message);
    }
}

/* A text is found by its name in the log of a host compiler. */
static void run_host_check(const char *command, const char *scratch) {
    static const char *const entries[] = {"k_kernel"};
    const char *const sources[] = {right, no_cpp, right};
    syclrun_text texts[3];
    char *messages[3] = {NULL, NULL, NULL}, *failure;
    for (size_t k = 0; k < 3; k++)
        texts[k] = (syclrun_text){sources[k], strlen(sources[k]), entries, 1};
    bool ok = syclrun_host_check(texts, 3, command, scratch, messages, &failure);
    check(ok && !failure, "host compiler", failure);
    check(!messages[0] && !messages[2], "host compiler", "complains about a correct text");
    check(messages[1] && strstr(messages[1], "undeclared_name"), "host compiler", messages[1]);
    for (size_t k = 0; k < 3; k++)
        free(messages[k]);
    check(!syclrun_host_check(texts, 1, "false", scratch, messages, &failure), "host compiler",
          "a compiler that says nothing passes");
    free(failure);
}

static void run_list(const char *scratch) {
    char path[600];
    passed_list list;
    passed_key a, b;
    snprintf(path, sizeof path, "%s.%ld.passed", scratch, (long)getpid());
    passed_begin(&a);
    b = a;
    passed_add(&a, "ab", 2);
    passed_add(&a, "c", 1);
    passed_add(&b, "a", 1);
    passed_add(&b, "bc", 2);
    passed_load(&list, path);
    check(!passed_has(&list, &a), "the list of runs", "an empty list is not empty");
    passed_note(&list, &a);
    passed_free(&list);
    passed_load(&list, path);
    check(passed_has(&list, &a), "the list of runs", "a recorded run is missing");
    check(!passed_has(&list, &b), "the list of runs", "different pieces have the same key");
    passed_free(&list);
    remove(path);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: wave-sycl-selftest HOST-COMPILER SCRATCH-PREFIX\n");
        return 2;
    }
    run_list(argv[2]);
    run_samples(SYCLRUN_OPTIMISED, false);
    for (int way = SYCLRUN_OPTIMISED + 1; way < SYCLRUN_WAYS; way++)
        run_samples((syclrun_way)way, true);
    run_host_check(argv[1], argv[2]);
    printf("wave-sycl-selftest: %u passed, %u failed\n", passed, failed);
    return failed ? 1 : 0;
}
