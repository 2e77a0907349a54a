/* Metal: Apple's C++. Types, spellings, and the text around a kernel's code. Wave operations
 * are in msl_wave.c; docs/reference/msl.md says why each form is exact. */
#include "emit_msl/msl.h"

#include "emit/c_rows.h"

#include <string.h>

/* Every GPU that runs Metal 3 has 32 KiB of threadgroup memory and 1024 threads. */
static const emit_arch archs[] = {{"metal3.2", 32, 32768, 32, 32, 1024},
                                  {"metal3.1", 31, 32768, 32, 32, 1024},
                                  {"metal3.0", 30, 32768, 32, 32, 1024},
                                  {0}};

static const c_units units[] = {{32, 32, 0, C_FLOATS, MSL_TILE},
                                {31, 32, 0, C_FLOATS, MSL_TILE},
                                {30, 32, 0, 1u << IR_ELEMENT_F16, MSL_TILE},
                                {0}};

/* ---- Tables ---- */

#define CAST(to, x) "as_type<" to ">(" x ")"

static const c_form forms[IR_OP_COUNT] = {
    C_WORD_FORMS("", CAST, "half"),
    C_OVERLOADED_FORMS("", "half"),
    C_FLOAT_FORMS("", "", "precise::sqrt"),
    [IR_IMUL_HI] = C_CALL("mulhi($0, $1)"),
    [IR_LMUL_HI] = C_CALL("mulhi($0, $1)"),
    [IR_BITREV] = C_CALL("reverse_bits($0)"),
    [IR_FMIN] = C_HELP("wave_fmin($0, $1)", MSL_FMIN),
    [IR_FMAX] = C_HELP("wave_fmax($0, $1)", MSL_FMAX),
};

static const c_form fast[IR_OP_COUNT] = {
    C_FAST_FORMS("fast::"),
    C_FAST_QUOTIENTS("fast::"),
    [IR_FRCP] = C_CALL("fast::divide(1.0f, $0)"),
    [IR_FFRACT] = C_CALL("fast::fract($0)"),
};

static const char *const bitcasts[IR_TYPE_COUNT][IR_TYPE_COUNT] = {
    C_BITCASTS(CAST, "half", "half2")};

static const c_entry names[C_NAMES] = {
    [C_MEM] = {"mem", "device uchar *", 0},
    [C_ARGS] = {"args", "constant %_args &", 0},
    [C_LOCAL] = {"local", "threadgroup uchar *", 0},
    [C_SIZE] = {"mem_size", "constant ulong &", 0},
    [C_STATUS] = {"status", "device atomic_uint *", 0},
    [C_PRIVATE] = {"own", "thread uchar *", 0},
    [MSL_THREAD_ID] = {"thread_id", "uint3 ", 0},
    [MSL_GROUP_ID] = {"group_id", "uint3 ", 0},
    [MSL_GROUP_SIZE] = {"group_size", "uint3 ", 0},
    [MSL_GRID_SIZE] = {"grid_size", "uint3 ", 0},
    [MSL_LANES] = {"lanes", "uint ", 0},
    C_AXES(THREAD_ID, "thread_id.", NULL, C_BIT(MSL_THREAD_ID)),
    C_AXES(WORKGROUP_ID, "group_id.", NULL, C_BIT(MSL_GROUP_ID)),
    C_AXES(WORKGROUP_SIZE, "group_size.", NULL, C_BIT(MSL_GROUP_SIZE)),
    C_AXES(GRID_SIZE, "grid_size.", NULL, C_BIT(MSL_GRID_SIZE)),
    [C_SPECIAL_NAME(LANE_ID)] = {"lane", "uint ", 0},
    [C_SPECIAL_NAME(WAVE_ID)] = {"wave", "uint ", 0},
    [C_SPECIAL_NAME(NUM_WAVES)] = {"waves", "uint ", 0},
};

static const char *const words[] = {
    "u32x2",    "uint2",
    "f32x2",    "float2",
    "u32x4",    "uint4",
    "f32x4",    "float4",
    "clz",      "clz",
    "template", "template <typename T, typename P> static inline",
    "store",    "template <typename P, typename T> static inline void store",
    NULL,
};

/* ---- Atomics and fences ---- */

/* Scopes make no difference: Metal's atomics work on memory that all threadgroups share. */
static const c_atomics atomics = {
    .text = "atomic_@name_explicit(@object@values, memory_order_relaxed)",
    .help = "@helper(@object@values)",
    .objects = {[IR_LOCAL] = "(threadgroup @word *)@place", [IR_DEVICE] = "(device @word *)@place"},
    .words =
        {[C_MEM_U32] = "atomic_uint", [C_MEM_I32] = "atomic_int", [C_MEM_F32] = "atomic_float"},
    .cas = {[IR_LOCAL] = MSL_LOCAL_CAS, [IR_DEVICE] = MSL_CAS},
    .fadd = {[IR_LOCAL] = MSL_LOCAL_FADD, [IR_DEVICE] = MSL_FADD},
    .fast_fadd = {[IR_DEVICE] = true},
};

/* Only one memory order has an effect in Metal. Nothing is wider than the device: the host sees
 * results only after the kernel has ended. */
#define BOTH_MEMORIES "mem_flags::mem_device | mem_flags::mem_threadgroup"
static const c_fences fences = {
    .barrier = C_CALL("threadgroup_barrier(" BOTH_MEMORIES ")"),
    .sync = {C_CALL("simdgroup_barrier(" BOTH_MEMORIES ")")},
    .fence = "atomic_thread_fence(" BOTH_MEMORIES ", memory_order_seq_cst, @scope)",
    .scopes = {"thread_scope_simdgroup", "thread_scope_threadgroup", "thread_scope_device",
               "thread_scope_device"},
};

/* ---- Around the code ---- */

static const c_text signature[] = {{0, "[[max_total_threads_per_threadgroup(@most)]]\n"
                                       "kernel void @symbol(\n    @parameters) {\n@unused"},
                                   {0}};

enum { PARAMETERS, UNUSED };
static const c_list lists[] = {
    [PARAMETERS] = {"parameters", 0, ",\n    "}, [UNUSED] = {"unused", C_IF_UNUSED, ""}, {0}};

/* In the order of the ABI, then the values that Metal provides. */
static const c_parameter_row parameters[] = {
    {C_MEM, 0, {"@it [[buffer(0)]]", "    (void)mem;\n"}},
    {C_ARGS, 0, {"@it [[buffer(1)]]", "    (void)args;\n"}},
    {C_STATUS, 0, {"@it [[buffer(2)]]"}},
    {C_SIZE, 0, {"@it [[buffer(3)]]", "    (void)mem_size;\n"}},
    {MSL_THREAD_ID, C_IF_USED, {"@it [[thread_position_in_threadgroup]]"}},
    {MSL_GROUP_ID, C_IF_USED, {"@it [[threadgroup_position_in_grid]]"}},
    {MSL_GROUP_SIZE, C_IF_USED, {"@it [[threads_per_threadgroup]]"}},
    {MSL_GRID_SIZE, C_IF_USED, {"@it [[threadgroups_per_grid]]"}},
    {C_SPECIAL_NAME(LANE_ID), C_IF_USED, {"@it [[thread_index_in_simdgroup]]"}},
    {C_SPECIAL_NAME(WAVE_ID), C_IF_USED, {"@it [[simdgroup_index_in_threadgroup]]"}},
    {C_SPECIAL_NAME(NUM_WAVES), C_IF_USED, {"@it [[simdgroups_per_threadgroup]]"}},
    {0}};

static const c_value values[] = {
    {MSL_LANES, 0, C_BIT(C_SPECIAL_NAME(WAVE_ID)), "min(@threads - wave * 32u, 32u)"}, {0}};

static const c_target target = {
    .types = {C_TYPES("half", "half2")},
    .wide = "ul",
    .pointer = "device uchar *",
    .device = "device ",
    .local = "threadgroup ",
    .own = "thread ",
    .constant = "constant ",
    .constants = "(constant uchar *)" EMIT_CONSTANTS,
    .constant_array = "alignas(16) constant uint32_t",
    .local_array = "alignas(16) threadgroup uchar local",
    .own_array = "alignas(16) uchar own",
    .function = "static inline ",
    .apart = "static __attribute__((noinline)) ",
    .structure = EMIT_STRUCTURE_WORDS,
    .restricted = "",
    .state = "thread %_state &",
    .vectors = {"(", ")"},
    .component = {".x", ".y", ".z", ".w"},
    .half = "half(",
    .forms = forms,
    .fast = fast,
    .bitcasts = bitcasts,
    .names = names,
    .helpers = msl_helpers,
    .helper_count = MSL_END - C_HELPERS,
    .words = words,
    .waves = msl_waves,
    .constant_shuffles = msl_constant_shuffles,
    .uniform_shuffles = msl_uniform_shuffles,
    .lanes = (c_name)MSL_LANES,
    .fences = &fences,
    .units = units,
    .tile_columns = true,
    .bf16_helper = MSL_TILE_BFLOAT,
    .tile_elements =
        {[IR_ELEMENT_F16] = "half", [IR_ELEMENT_BF16] = "bfloat", [IR_ELEMENT_F32] = "float"},
    .tile_pointers = {[IR_LOCAL] = "(threadgroup % *)(", [IR_DEVICE] = "(device % *)("},
    .atomics = &atomics,
    .fail_helper = MSL_FAIL,
    .status_if_used = true,
    .signature = signature,
    .lists = lists,
    .parameters = parameters,
    .values = values,
    .threads = "group_size.x * group_size.y * group_size.z",
    .threads_need = C_BIT(MSL_GROUP_SIZE),
};

/* ---- The target ---- */

/* Whether other workgroups may observe the kernel's stores while it runs. */
static bool is_coherent(const ir_func *f) {
    return c_find_fence(f, ISA_SCOPE_DEVICE, false);
}

#define COHERENT "coherent(device) device "

static bool kernel(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags) {
    if (!emit_within_limits(&emit_msl, f, o, diags) || !msl_can_express(f, o, diags))
        return false;
    c_target t = target;
    c_entry own[C_NAMES];
    if (o->bounds) {
        t.turn = "wave_turn();";
        t.forever_helper = MSL_TURN;
        t.find_loops = c_flag_loops;
    }
    if (is_coherent(f)) {
        t.pointer = COHERENT "uchar *";
        t.device = COHERENT;
        t.names = memcpy(own, names, sizeof names);
        own[C_MEM].type = t.pointer;
    }
    return c_print_kernel(&t, f, o, unit, diags);
}

/* In a kernel with device-scope fences, pointers are coherent, and simdgroup_load rejects those. */
static ir_units kernel_units(const ir_func *f, unsigned arch, bool native) {
    return c_units_of(&target, f, arch, native && !is_coherent(f));
}

static void top(const emit_options *o, const emit_unit *unit, buf *out) {
    const emit_arch *arch = emit_arch_of(&emit_msl, o->arch);
    c_print_title(o, arch, out);
    buf_printf(out,
               "// Compile with xcrun -sdk macosx metal -std=%s -O2 -fno-fast-math"
               " -ffp-contract=off\n"
               "// or, at run time, with MTLCompileOptions that say mathMode = MTLMathModeSafe.\n",
               arch->name);
    buf_text(out,
             "\n#include <metal_stdlib>\nusing namespace metal;\n\n"
             "// No assumptions about numbers, and no fused multiply-adds but those written as "
             "fma.\n"
             "#pragma METAL fp math_mode(safe)\n#pragma METAL fp contract(off)\n");
    c_print_helpers(&target, unit, out);
}

const emit_backend emit_msl = {.name = "msl",
                               .suffix = ".metal",
                               .archs = archs,
                               .c = &target,
                               .units = kernel_units,
                               .kernel = kernel,
                               .top = top};
