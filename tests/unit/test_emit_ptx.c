/* The PTX emitter: the text of small kernels against tests/golden/ptx (WAVE_UPDATE_GOLDEN=1 writes
 * it anew, to be reviewed like code), every operation of the IR, entry symbols, refusals. What the
 * text computes is checked by wave-ptx-test. */
#include "emit/emit.h"
#include "frontend/frontend.h"
#include "ir/build.h"
#include "ir/passes.h"
#include "ptxvm/ptxvm.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN "tests/golden/ptx/"

static const char *const golden[] = {
    "guarded_store", "if_else",  "loop_sum",       "swap_loop",
    "division",      "floats",   "half_double",    "local_tile",
    "atomics",       "shuffles", "shuffles_whole", "divergent_vote",
    "bounds",        "debug",    "dynamic_local",  "reserved_name"};
enum { GOLDEN_COUNT = sizeof golden / sizeof *golden };

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 16);
    cr_assert(text);
    if (!file) {
        free(text);
        return NULL;
    }
    cr_assert_lt(fread(text, 1, (1 << 16) - 1, file), (1 << 16) - 1);
    fclose(file);
    return text;
}

static void instruction(void *context, uint32_t pc, buf *text, uint32_t *line) {
    const fe_kernel *kernel = context;
    for (uint32_t k = 0; k < kernel->info.instructions; k++)
        if (kernel->insns[k].pc == pc) {
            fe_insn_text(text, &kernel->insns[k], kernel->insns, 0);
            *line = k + 1; /* as in a listing without anything else */
        }
}

/* Options stand in a comment "; ptx: …" of the source. */
static emit_options options_of(const char *source) {
    emit_options o = {.arch = 75};
    const char *line = strstr(source, "; ptx:");
    char text[200] = "";
    if (line)
        snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    if (strstr(text, "--arch="))
        o.arch = (unsigned)strtoul(strstr(text, "--arch=") + 7, NULL, 10);
    o.bounds = strstr(text, "--bounds") != NULL;
    o.debug = strstr(text, "-g") != NULL;
    o.source = o.debug ? "debug.wave" : NULL;
    o.assert_trap = strstr(text, "--assert") != NULL;
    o.fp_fast = strstr(text, "--fp=fast") != NULL;
    return o;
}

/* PTX of the first kernel of a source, unoptimised; the caller frees it. */
static buf compile(const char *source) {
    wave_diags *diags = wave_diags_create(0);
    arena memory = {0};
    wave_blob binary = {0};
    wave_module *module = NULL;
    emit_options o = options_of(source);
    const ir_pass_options passes = {.fast_math = o.fp_fast, .verify = true};
    buf text = {0};
    ir_func f;
    cr_assert_eq(wave_assemble(source, strlen(source), NULL, &binary, diags), WAVE_OK);
    cr_assert_eq(wave_module_load(binary.data, binary.size, NULL, &module, diags), WAVE_OK);
    cr_assert(emit_symbols(EMIT_PTX, &module->kernels[0].info.name, 1, &memory, &o.symbol));
    o.instruction = instruction;
    o.instruction_context = &module->kernels[0];
    cr_assert(ir_build(&f, &module->kernels[0], 0, 32, diags));
    cr_assert(ir_run_passes(&f, &passes, diags));
    emit_ptx_header(&o, &text);
    cr_assert(emit_ptx_kernel(&f, &o, &text, diags));
    cr_assert_eq(wave_diags_count(diags), 0);
    ir_free(&f);
    buf_char(&text, '\0');
    cr_assert(!text.failed);
    text.size--;
    wave_module_destroy(module);
    wave_blob_free(&binary);
    wave_diags_destroy(diags);
    arena_free(&memory);
    return text;
}

static buf compile_golden(const char *name) {
    char path[200];
    snprintf(path, sizeof path, GOLDEN "%s.wave", name);
    char *source = read_text(path);
    cr_assert(source, "%s is missing", path);
    buf text = compile(source);
    free(source);
    return text;
}

/* ---- The text ---- */

static void check_golden(const char *name) {
    char path[200];
    snprintf(path, sizeof path, GOLDEN "%s.ptx", name);
    buf text = compile_golden(name);
    if (getenv("WAVE_UPDATE_GOLDEN")) {
        FILE *file = fopen(path, "wb");
        cr_assert(file);
        cr_assert_eq(fwrite(text.data, 1, text.size, file), text.size);
        fclose(file);
    }
    char *expected = read_text(path);
    cr_assert(expected, "%s is missing", path);
    cr_expect_str_eq((char *)text.data, expected, "%s has changed:\n%s", path, (char *)text.data);
    free(expected);
    buf_free(&text);
}

Test(emit_ptx, text_is_as_reviewed) {
    for (unsigned k = 0; k < GOLDEN_COUNT; k++)
        check_golden(golden[k]);
}

/* ---- ptxas accepts it, without a word ---- */

static bool has_ptxas(char *command, size_t size) {
    const char *given = getenv("PTXAS"), *home = getenv("CUDA_HOME");
    const char *const tries[] = {given ? given : "ptxas", home ? home : ""};
    for (unsigned k = 0; k < 2; k++) {
        char probe[600];
        snprintf(command, size, k ? "'%s/bin/ptxas'" : "'%s'", tries[k]);
        snprintf(probe, sizeof probe, "%s --version >/dev/null 2>&1", command);
        if (system(probe) == 0)
            return true;
    }
    return false;
}

static void check_ptxas(const char *ptxas, const char *file, unsigned arch) {
    char command[1200];
    snprintf(command, sizeof command,
             "cubin=$(mktemp) && out=$(%s -arch=sm_%u -o \"$cubin\" '%s' 2>&1); status=$?; "
             "rm -f \"$cubin\"; test $status -eq 0 && test -z \"$out\" || "
             "{ echo \"$out\" >&2; exit 1; }",
             ptxas, arch, file);
    cr_expect_eq(system(command), 0, "ptxas does not accept %s for sm_%u", file, arch);
}

Test(emit_ptx, ptxas_accepts_the_golden_files) {
    char ptxas[400], path[200];
    if (!has_ptxas(ptxas, sizeof ptxas)) {
        cr_assert(!getenv("CI"), "ptxas is not installed");
        cr_skip_test("ptxas is not installed");
    }
    for (unsigned k = 0; k < GOLDEN_COUNT; k++) {
        snprintf(path, sizeof path, GOLDEN "%s.ptx", golden[k]);
        char *text = read_text(path);
        cr_assert(text);
        check_ptxas(ptxas, path, strstr(text, ".target sm_80") ? 80 : 75);
        free(text);
    }
}

/* ---- --bounds ---- */

/* The kernel reads a word, keeps it in local memory, adds it to where it came from and stores what
 * it finds in local memory, two words. */
static void check_bounds(const ptxvm_module *module, uint32_t at, uint32_t local,
                         const uint32_t expected[4]) {
    struct {
        uint64_t mem;
        uint32_t args[2];
        uint64_t size;
    } params = {0x10000, {at, local}, 16};
    uint32_t memory[4] = {5, 6, 7, 8};
    const ptxvm_range range = {.address = 0x10000, .host = memory, .size = sizeof memory};
    ptxvm_launch_options o = ptxvm_default_options("bounds");
    ptxvm_error error;
    o.params = &params;
    o.param_bytes = sizeof params;
    o.ranges = &range;
    o.range_count = 1;
    o.shared_fill = 0;
    cr_expect_eq(ptxvm_launch(module, &o, NULL, &error), PTXVM_OK, "%s", error.message);
    for (unsigned k = 0; k < 4; k++)
        cr_expect_eq(memory[k], expected[k], "at %u, local %u: word %u is %u", at, local, k,
                     memory[k]);
}

Test(emit_ptx, bounds_keep_every_access_inside) {
    buf text = compile_golden("bounds");
    ptxvm_module *module = NULL;
    ptxvm_error error;
    cr_assert_eq(ptxvm_parse((char *)text.data, text.size, &module, &error), PTXVM_OK);
    check_bounds(module, 8, 0, (uint32_t[]){5, 6, 7, 0});
    check_bounds(module, 12, 0, (uint32_t[]){5, 6, 7, 16}); /* the pair does not fit */
    check_bounds(module, 16, 0, (uint32_t[]){5, 6, 7, 8});
    check_bounds(module, 0xFFFFFFFC, 0, (uint32_t[]){5, 6, 7, 8});
    check_bounds(module, 8, 252, (uint32_t[]){5, 6, 0, 0}); /* the word fits, the pair does not */
    check_bounds(module, 8, 256, (uint32_t[]){5, 6, 0, 0});
    check_bounds(module, 0, 0xFFFFFFFC, (uint32_t[]){0, 0, 7, 8});
    ptxvm_free(module);
    buf_free(&text);
}

/* ---- Every operation ---- */

/* Printed with what they belong to, or made of several operands: the golden files have them. */
static bool needs_context(ir_op op) {
    switch (op) {
    case IR_NONE:
    case IR_CONST:
    case IR_ARG:
    case IR_SPECIAL:
    case IR_IF:
    case IR_LOOP:
    case IR_RESULT:
    case IR_PARAM:
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_HALT:
    case IR_NEW_TOKEN:
    case IR_LOADS:
    case IR_STORE:
    case IR_ATOMIC:
    case IR_MMA_LOAD:
    case IR_MMA_STORE:
    case IR_MMA_COMPUTE: return true;
    default: return false;
    }
}

static ir_value put(ir_func *f, ir_op op, ir_type type, const ir_value *args, size_t count,
                    uint64_t imm) {
    ir_value v = ir_make(f, op, type, args, count, imm);
    ir_append(f, 1, v);
    return v;
}

/* A value of the type a letter of a signature asks for. */
static ir_value operand(ir_func *f, char letter, ir_value token, uint64_t *arg) {
    ir_value word = ir_leaf(f, IR_ARG, IR_U32, (*arg)++), pair[2] = {word, word};
    switch (letter) {
    case 't': return token;
    case 'b': return put(f, IR_ICMP_LT, IR_BOOL, pair, 2, 0);
    case 'f': return put(f, IR_BITCAST, IR_F32, &word, 1, 0);
    case 'h': return put(f, IR_LOW16, IR_F16, &word, 1, 0);
    case 'H': return put(f, IR_BITCAST, IR_F16X2, &word, 1, 0);
    case 'q': return put(f, IR_PACK64, IR_U64, pair, 2, 0);
    case 'd':
        word = put(f, IR_PACK64, IR_U64, pair, 2, 0);
        return put(f, IR_BITCAST, IR_F64, &word, 1, 0);
    default: return word;
    }
}

/* Stores a value, whatever its type, so that it is needed. */
static void keep(ir_func *f, ir_value v) {
    ir_value address = ir_const(f, IR_U32, 0), zero = ir_const(f, IR_U32, 0);
    ir_access access = {.space = IR_DEVICE, .bytes = 4};
    ir_value select[3] = {v, ir_const(f, IR_U32, 1), zero}, word = v;
    switch (ir_type_of(f, v)) {
    case IR_VOID: return;
    case IR_BOOL: word = put(f, IR_SELECT, IR_U32, select, 3, 0); break;
    case IR_F16: word = put(f, IR_ZEXT16, IR_U32, &v, 1, 0); break;
    case IR_F64: word = put(f, IR_CVT_F32_F64, IR_F32, &v, 1, 0); break;
    case IR_U64: word = put(f, IR_HI64, IR_U32, &v, 1, 0); break;
    default: break;
    }
    put(f, IR_STORE, IR_VOID, (ir_value[]){address, word}, 2, ir_access_pack(access));
}

static ir_type letter_type(char letter) {
    static const char letters[] = "vbufqdhHtT";
    static const ir_type types[] = {IR_VOID, IR_BOOL, IR_U32,   IR_F32,   IR_U64,
                                    IR_F64,  IR_F16,  IR_F16X2, IR_TOKEN, IR_TILE};
    const char *at = strchr(letters, letter);
    return at ? types[at - letters] : IR_U32;
}

static void make_with(ir_func *f, ir_op op) {
    uint64_t next = 0;
    ir_value args[8];
    size_t count = 0;
    ir_init(f);
    f->name = "every";
    f->wave_width = 32;
    f->converged = true;
    f->local_memory = 64;
    ir_value token = put(f, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0);
    for (const char *c = ir_ops[op].signature + 2; *c; c++) {
        char letter = op == IR_BITCAST ? 'f' : *c;
        args[count++] = operand(f, letter, token, &next);
    }
    f->arg_words = 8;
    ir_access access = {.space = IR_DEVICE, .bytes = 4, .scope = ISA_SCOPE_DEVICE};
    bool memory = op == IR_LOAD || op == IR_FENCE;
    keep(f, put(f, op, letter_type(ir_ops[op].signature[0]), args, count,
                memory ? ir_access_pack(access) : 0));
    put(f, IR_HALT, IR_VOID, NULL, 0, 0);
}

static bool print_with(ir_op op, emit_options o, wave_diags *diags, buf *text) {
    ir_func f;
    make_with(&f, op);
    cr_assert(!f.failed);
    o.symbol = "every";
    o.assert_trap = true;
    emit_ptx_header(&o, text);
    bool ok = emit_ptx_kernel(&f, &o, text, diags) && !text->failed;
    ir_free(&f);
    return ok;
}

Test(emit_ptx, prints_every_operation) {
    static const emit_options variants[] = {{.arch = 75, .fp_fast = true},
                                            {.arch = 80, .fp_fast = true},
                                            {.arch = 75, .fp_fast = true, .bounds = true}};
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        for (unsigned k = 0; k < sizeof variants / sizeof *variants && !needs_context((ir_op)op);
             k++) {
            buf text = {0};
            ptxvm_module *module = NULL;
            ptxvm_error error;
            cr_expect(print_with((ir_op)op, variants[k], NULL, &text), "%s is not printed",
                      ir_ops[op].name);
            cr_expect_eq(ptxvm_parse((char *)text.data, text.size, &module, &error), PTXVM_OK,
                         "%s: %s", ir_ops[op].name, error.message);
            ptxvm_free(module);
            buf_free(&text);
        }
}

Test(emit_ptx, refuses_what_was_not_lowered) {
    static const ir_op ops[] = {IR_FSIN, IR_FCOS, IR_FEXP2, IR_FLOG2};
    for (unsigned k = 0; k < 4; k++) {
        wave_diags *diags = wave_diags_create(0);
        buf text = {0};
        cr_expect(!print_with(ops[k], (emit_options){.arch = 75}, diags, &text));
        cr_assert_eq(wave_diags_count(diags), 1);
        cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_IR");
        buf_free(&text);
        wave_diags_destroy(diags);
    }
}

/* ---- Refusals ---- */

static void refused(uint32_t x, uint32_t y, uint32_t z, uint32_t local, uint32_t width,
                    unsigned arch) {
    wave_diags *diags = wave_diags_create(0);
    buf text = {0};
    ir_func f;
    make_with(&f, IR_IADD);
    const uint32_t group[3] = {x, y, z};
    memcpy(f.workgroup, group, sizeof group);
    f.local_memory = local;
    f.wave_width = width;
    const emit_options o = {.arch = arch, .symbol = "k"};
    cr_expect(!emit_ptx_kernel(&f, &o, &text, diags), "%u %u %u, local %u, width %u, sm_%u", x, y,
              z, local, width, arch);
    cr_assert_eq(wave_diags_count(diags), 1);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_TARGET_LIMIT");
    ir_free(&f);
    buf_free(&text);
    wave_diags_destroy(diags);
}

Test(emit_ptx, refuses_what_the_target_has_not) {
    refused(1025, 1, 1, 0, 32, 75);
    refused(1, 1, 65, 0, 32, 75);
    refused(32, 1, 1, 65537, 32, 75);
    refused(32, 1, 1, 0, 64, 75);
    refused(32, 1, 1, 0, 32, 74);
}

/* ---- Entry symbols ---- */

Test(emit_names, symbols_fit_the_target_and_differ) {
    static const char *const names[] = {"vadd",   "", "add",    "add_",          "a.b",
                                        "kernel", "", "9lives", "wave_kernel_6", "k_ax2Eb"};
    static const char *const ptx[] = {
        "vadd",   "wave_kernel_1",   "add__2",   "add_",          "k_ax2Eb_4",
        "kernel", "wave_kernel_6_6", "k_9lives", "wave_kernel_6", "k_ax2Eb"};
    enum { COUNT = sizeof names / sizeof *names };
    const char *symbols[COUNT];
    arena memory = {0};
    cr_assert(emit_symbols(EMIT_PTX, names, COUNT, &memory, symbols));
    for (unsigned k = 0; k < COUNT; k++)
        cr_expect_str_eq(symbols[k], ptx[k]);
    cr_assert(emit_symbols(EMIT_MSL, names, COUNT, &memory, symbols));
    cr_expect_str_eq(symbols[2], "add");
    cr_expect_str_eq(symbols[5], "kernel_");
    const char *first = "";
    cr_assert(emit_symbols(EMIT_HIP, &first, 1, &memory, symbols));
    cr_expect_str_eq(symbols[0], "wave_kernel");
    first = "main";
    cr_assert(emit_symbols(EMIT_SYCL, &first, 1, &memory, symbols));
    cr_expect_str_eq(symbols[0], "main_");
    arena_free(&memory);
}
