/* query_constant and query_capability of the specification, section 7, for an architecture:
 * everything known without a device. The runtime uses the same list of names. */
#include "compile/compile.h"
#include "isa/tile.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_REGISTERS = ISA_MAX_REGISTERS,
    PORTABLE_DEPTH = 32, /* levels of nesting that every target supports */
    /* Tiles of a wave, which every target supports. */
    MMA_TYPES =
        WAVE_MMA_F16_F32 | WAVE_MMA_BF16_F32 | WAVE_MMA_F32_F32 | WAVE_MMA_I8_I32 | WAVE_MMA_U8_I32,
    /* What one workgroup of the largest size may declare, for targets whose registers per core are
     * unknown. */
    REGISTERS_OF_A_WORKGROUP = 4 * ISA_MAX_REGISTERS * ISA_MAX_THREADS
};

static const char *const constants[WAVE_CONSTANT_COUNT] = {
    [WAVE_CONSTANT_WAVE_WIDTH] = "WAVE_WIDTH",
    [WAVE_CONSTANT_MAX_REGISTERS] = "MAX_REGISTERS",
    [WAVE_CONSTANT_REGISTER_FILE_SIZE] = "REGISTER_FILE_SIZE",
    [WAVE_CONSTANT_LOCAL_MEMORY_SIZE] = "LOCAL_MEMORY_SIZE",
    [WAVE_CONSTANT_MAX_WORKGROUP_SIZE] = "MAX_WORKGROUP_SIZE",
    [WAVE_CONSTANT_MAX_WORKGROUPS_PER_CORE] = "MAX_WORKGROUPS_PER_CORE",
    [WAVE_CONSTANT_MAX_WAVES_PER_CORE] = "MAX_WAVES_PER_CORE",
    [WAVE_CONSTANT_DEVICE_MEMORY_SIZE] = "DEVICE_MEMORY_SIZE",
    [WAVE_CONSTANT_CLUSTER_SIZE] = "CLUSTER_SIZE",
    [WAVE_CONSTANT_MAX_CALL_DEPTH] = "MAX_CALL_DEPTH",
    [WAVE_CONSTANT_MIN_DIVERGENCE_DEPTH] = "MIN_DIVERGENCE_DEPTH",
    [WAVE_CONSTANT_MMA_M] = "MMA_M",
    [WAVE_CONSTANT_MMA_N] = "MMA_N",
    [WAVE_CONSTANT_MMA_K] = "MMA_K",
    [WAVE_CONSTANT_MMA_TYPES] = "MMA_TYPES",
};

/* Capabilities and the targets that have them; only the emulator has recursion. */
enum { PTX = 1 << WAVE_TARGET_PTX, HIP = 1 << WAVE_TARGET_HIP, SYCL = 1 << WAVE_TARGET_SYCL };
enum { MSL = 1 << WAVE_TARGET_MSL, ALL = PTX | HIP | SYCL | MSL };
static const struct {
    const char *name;
    unsigned targets;
} capabilities[WAVE_CAPABILITY_COUNT] = {
    [WAVE_CAPABILITY_F64] = {"CAP_F64", ALL & ~MSL},
    [WAVE_CAPABILITY_ATOMIC_64] = {"CAP_ATOMIC_64", ALL & ~MSL},
    [WAVE_CAPABILITY_ATOMIC_F32] = {"CAP_ATOMIC_F32", ALL},
    [WAVE_CAPABILITY_MMA] = {"CAP_MMA", ALL},
    [WAVE_CAPABILITY_RECURSION] = {"CAP_RECURSION", 0},
    [WAVE_CAPABILITY_CLUSTER] = {"CAP_CLUSTER", 0},
};

static const struct {
    uint64_t bit;
    const char *name;
} mma_types[] = {{WAVE_MMA_F16_F32, "f16_f32"},
                 {WAVE_MMA_BF16_F32, "bf16_f32"},
                 {WAVE_MMA_F32_F32, "f32_f32"},
                 {WAVE_MMA_I8_I32, "i8_i32"},
                 {WAVE_MMA_U8_I32, "u8_i32"}};

/* Limits of a core. NVIDIA: the CUDA programming guide, technical specifications by compute
 * capability (8.8 is not listed and gets the smallest numbers of its family). AMD: registers and
 * waves of the four SIMDs of a CDNA unit, of the two of an RDNA unit; a workgroup of one wave needs
 * no barrier, so there are as many workgroups as waves. */
typedef struct core {
    const char *arch;
    uint32_t register_file, workgroups, waves;
} core;
static const core cores[] = {
    {"sm_75", 262144, 16, 32},   {"sm_80", 262144, 32, 64},  {"sm_86", 262144, 16, 48},
    {"sm_87", 262144, 16, 48},   {"sm_88", 262144, 16, 48},  {"sm_89", 262144, 24, 48},
    {"sm_90", 262144, 32, 64},   {"sm_100", 262144, 32, 64}, {"sm_103", 262144, 32, 64},
    {"sm_110", 262144, 24, 48},  {"sm_120", 262144, 24, 48}, {"sm_121", 262144, 24, 48},
    {"gfx942", 524288, 32, 32},  {"gfx90a", 524288, 32, 32}, {"gfx1030", 262144, 32, 32},
    {"gfx1100", 393216, 32, 32},
};

const char *wave_constant_name(unsigned index) {
    return index < WAVE_CONSTANT_COUNT ? constants[index] : NULL;
}

const char *wave_capability_name(unsigned index) {
    return index < WAVE_CAPABILITY_COUNT ? capabilities[index].name : NULL;
}

/* ---- Values ---- */

typedef struct machine {
    wave_target target;
    const emit_arch *arch;
    uint32_t width;
    core core;
} machine;

enum { DEFAULT_WIDTH = 32 }; /* of the emulator */

static wave_status find_machine(wave_target target, const char *arch, uint32_t width, machine *m) {
    if ((unsigned)target >= WAVE_TARGET_COUNT)
        return WAVE_ERROR_USAGE;
    const emit_backend *backend = plan_backend(target);
    m->target = target;
    m->arch = arch ? emit_find_arch(backend, arch) : backend->archs;
    if (!m->arch || (width & (width - 1)) || (width && !(m->arch->widths & width)))
        return WAVE_ERROR_USAGE;
    m->width = width ? width : m->arch->width ? m->arch->width : DEFAULT_WIDTH;
    m->core = (core){NULL, REGISTERS_OF_A_WORKGROUP, 1, ISA_MAX_THREADS / m->width};
    for (size_t k = 0; k < sizeof cores / sizeof *cores; k++)
        if (strcmp(cores[k].arch, m->arch->name) == 0)
            m->core = cores[k];
    return WAVE_OK;
}

static uint64_t value_of(const machine *m, wave_constant which) {
    switch (which) {
    case WAVE_CONSTANT_WAVE_WIDTH: return m->width;
    case WAVE_CONSTANT_MAX_REGISTERS: return MOST_REGISTERS;
    case WAVE_CONSTANT_REGISTER_FILE_SIZE: return m->core.register_file;
    case WAVE_CONSTANT_LOCAL_MEMORY_SIZE: return m->arch->local_memory;
    case WAVE_CONSTANT_MAX_WORKGROUP_SIZE: return ISA_MAX_THREADS;
    case WAVE_CONSTANT_MAX_WORKGROUPS_PER_CORE: return m->core.workgroups;
    case WAVE_CONSTANT_MAX_WAVES_PER_CORE: return m->core.waves;
    case WAVE_CONSTANT_DEVICE_MEMORY_SIZE: return (uint64_t)1 << 32;
    case WAVE_CONSTANT_CLUSTER_SIZE: return 1;
    case WAVE_CONSTANT_MAX_CALL_DEPTH: return ISA_MAX_CALL_DEPTH;
    case WAVE_CONSTANT_MIN_DIVERGENCE_DEPTH: return PORTABLE_DEPTH;
    case WAVE_CONSTANT_MMA_TYPES: return MMA_TYPES;
    default: return ISA_TILE_SIDE;
    }
}

wave_status wave_query_constant(wave_target target, const char *arch, uint32_t wave_width,
                                const char *name, uint64_t *value) {
    machine m;
    if (!name || !value || find_machine(target, arch, wave_width, &m) != WAVE_OK)
        return WAVE_ERROR_USAGE;
    for (unsigned k = 0; k < WAVE_CONSTANT_COUNT; k++)
        if (strcmp(constants[k], name) == 0) {
            *value = value_of(&m, (wave_constant)k);
            return WAVE_OK;
        }
    return WAVE_ERROR_USAGE;
}

wave_status wave_query_capability(wave_target target, const char *arch, const char *name,
                                  bool *present) {
    machine m;
    if (!name || !present || find_machine(target, arch, 0, &m) != WAVE_OK)
        return WAVE_ERROR_USAGE;
    for (unsigned k = 0; k < WAVE_CAPABILITY_COUNT; k++)
        if (strcmp(capabilities[k].name, name) == 0) {
            *present = capabilities[k].targets >> target & 1;
            return WAVE_OK;
        }
    return WAVE_ERROR_USAGE;
}

/* ---- Text ---- */

static void put_types(buf *out, uint64_t types, const char *quote, const char *separator) {
    const char *before = "";
    for (size_t k = 0; k < sizeof mma_types / sizeof *mma_types; k++)
        if (types & mma_types[k].bit) {
            buf_printf(out, "%s%s%s%s", before, quote, mma_types[k].name, quote);
            before = separator;
        }
}

wave_status wave_mma_types_text(uint64_t types, wave_blob *out) {
    buf text = {0};
    put_types(&text, types, "", " ");
    wave_status status = buf_take(&text, out);
    buf_free(&text);
    return status;
}

static void put_text(const machine *m, buf *out) {
    buf_printf(out, "%-24s %s %s\n", "architecture", wave_target_name(m->target), m->arch->name);
    for (unsigned k = 0; k < WAVE_CONSTANT_COUNT; k++) {
        buf_printf(out, "%-24s ", constants[k]);
        if (k == WAVE_CONSTANT_MMA_TYPES)
            put_types(out, value_of(m, (wave_constant)k), "", " ");
        else
            buf_decimal(out, value_of(m, (wave_constant)k));
        buf_char(out, '\n');
    }
    for (unsigned k = 0; k < WAVE_CAPABILITY_COUNT; k++)
        buf_printf(out, "%-24s %s\n", capabilities[k].name,
                   capabilities[k].targets >> m->target & 1 ? "yes" : "no");
}

static void put_json(const machine *m, buf *out) {
    buf_printf(out, "{\"target\": \"%s\", \"arch\": \"%s\", \"wave_widths\": [",
               wave_target_name(m->target), m->arch->name);
    const char *separator = "";
    for (uint32_t rest = m->arch->widths; rest; rest &= rest - 1, separator = ", ")
        buf_printf(out, "%s%u", separator, rest & (0 - rest));
    buf_text(out, "],\n \"constants\": {");
    for (unsigned k = 0; k < WAVE_CONSTANT_COUNT; k++) {
        buf_printf(out, "%s\n  \"%s\": ", k ? "," : "", constants[k]);
        if (k == WAVE_CONSTANT_MMA_TYPES) {
            buf_char(out, '[');
            put_types(out, value_of(m, (wave_constant)k), "\"", ", ");
            buf_char(out, ']');
        } else {
            buf_decimal(out, value_of(m, (wave_constant)k));
        }
    }
    buf_text(out, "},\n \"capabilities\": {");
    for (unsigned k = 0; k < WAVE_CAPABILITY_COUNT; k++)
        buf_printf(out, "%s\n  \"%s\": %s", k ? "," : "", capabilities[k].name,
                   capabilities[k].targets >> m->target & 1 ? "true" : "false");
    buf_text(out, "}}\n");
}

wave_status wave_query_format(wave_target target, const char *arch, uint32_t wave_width, bool json,
                              wave_blob *out) {
    machine m;
    buf text = {0};
    *out = (wave_blob){0};
    if (find_machine(target, arch, wave_width, &m) != WAVE_OK)
        return WAVE_ERROR_USAGE;
    (json ? put_json : put_text)(&m, &text);
    wave_status status = buf_take(&text, out);
    buf_free(&text);
    return status;
}
