/* For the tests of the PTX interpreter: read a file, parse, launch, and evaluate short pieces of
 * code. */
#ifndef TESTS_UNIT_PTXVM_HELPERS_H
#define TESTS_UNIT_PTXVM_HELPERS_H

#include "ptxvm/ptxvm.h"
#include "support/golden.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PTX_SAMPLES "tests/ptxvm/samples/"

/* Device addresses of the buffers of a test: far apart, and far from 0. */
#define PTX_BUFFER(i) (UINT64_C(0x100000000) * (uint64_t)((i) + 1))

#define PTX_HEADER ".version 7.5\n.target sm_80\n.address_size 64\n"
/* %rd9: the address of the result. */
#define PTX_REGS                                                                                   \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %rd<10>;\n"                    \
    ".reg .f32 %f<9>; .reg .f64 %fd<9>;\n"
#define PTX_KERNEL ".visible .entry k(.param .u64 out)\n{\n" PTX_REGS "ld.param.u64 %rd9, [out];\n"
#define PTX_BEGIN  PTX_HEADER PTX_KERNEL

static inline char *ptx_read(const char *path) {
    char *text = golden_read(path);
    cr_assert_not_null(text, "%s cannot be read (tests run from the top of the project)", path);
    return text;
}

static inline ptxvm_module *ptx_parse(const char *text) {
    ptxvm_module *module;
    ptxvm_error error;
    ptxvm_parse(text, strlen(text), &module, &error);
    cr_assert_not_null(module, "%s", error.message);
    return module;
}

static inline ptxvm_module *ptx_sample(const char *name) {
    char path[200];
    snprintf(path, sizeof path, PTX_SAMPLES "%s.ptx", name);
    char *text = ptx_read(path);
    ptxvm_module *module = ptx_parse(text);
    free(text);
    return module;
}

static inline void ptx_run(const ptxvm_module *module, const ptxvm_launch_options *options) {
    ptxvm_error error;
    ptxvm_status status = ptxvm_launch(module, options, NULL, &error);
    cr_assert_eq(status, PTXVM_OK, "seed %u: %s", (unsigned)options->seed, error.message);
}

/* Parses and launches kernel k(.param .u64 out); out has `bytes` bytes. Returns the status of the
 * first step that fails. */
static inline ptxvm_status ptx_try(const char *text, uint32_t threads, uint32_t checks,
                                   uint64_t seed, void *out, size_t bytes, ptxvm_error *error) {
    ptxvm_module *module;
    if (ptxvm_parse(text, strlen(text), &module, error) != PTXVM_OK) {
        return error->status;
    }
    uint64_t address = PTX_BUFFER(0);
    ptxvm_range range = {address, out, bytes, false};
    ptxvm_launch_options options = ptxvm_default_options("k");
    options.block[0] = threads;
    options.params = &address;
    options.param_bytes = sizeof address;
    options.ranges = &range;
    options.range_count = 1;
    options.seed = seed;
    options.checks = checks;
    options.instruction_limit = 2000000;
    ptxvm_launch(module, &options, NULL, error);
    ptxvm_free(module);
    return error->status;
}

/* The value that the code leaves in %p0, %h0, %r0, %f0, %rd0 or %fd0, by the letter p, h, r, f, l
 * or d. */
static inline uint64_t ptx_eval(char kind, const char *code) {
    const char *result = kind == 'p'   ? "selp.u64 %rd0, 1, 0, %p0;"
                         : kind == 'h' ? "cvt.u64.u16 %rd0, %h0;"
                         : kind == 'r' ? "cvt.u64.u32 %rd0, %r0;"
                         : kind == 'f' ? "mov.b32 %r0, %f0; cvt.u64.u32 %rd0, %r0;"
                         : kind == 'd' ? "mov.b64 %rd0, %fd0;"
                                       : "";
    char text[2000];
    uint64_t out = 0;
    ptxvm_error error;
    snprintf(text, sizeof text, "%s%s\n%s\n%s", PTX_BEGIN, code, result,
             "st.global.u64 [%rd9], %rd0;\nret;\n}\n");
    ptxvm_status status = ptx_try(text, 1, PTXVM_DEFAULT_CHECKS, 1, &out, sizeof out, &error);
    cr_assert_eq(status, PTXVM_OK, "%s: %s", code, error.message);
    return out;
}

typedef struct {
    char kind;
    const char *code;
    uint64_t result;
} ptx_expect;

static inline void ptx_check(const ptx_expect *cases, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint64_t result = ptx_eval(cases[i].kind, cases[i].code);
        cr_expect_eq(result, cases[i].result, "%s gives %llx, not %llx", cases[i].code,
                     (unsigned long long)result, (unsigned long long)cases[i].result);
    }
}

#define PTX_CHECK(cases) ptx_check(cases, sizeof cases / sizeof *cases)

#endif
