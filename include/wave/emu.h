/* The reference emulator of libwave: runs a kernel on the CPU with the exact semantics of the ISA.
 * Observers see every step and every memory access; tracing, the checkers and the profiler use
 * only this interface. */
#ifndef WAVE_EMU_H
#define WAVE_EMU_H

#include <wave/wave.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which host instructions the emulator uses. The results are bit-identical. */
typedef enum wave_cpu {
    WAVE_CPU_BEST, /* the best that the host supports */
    WAVE_CPU_PLAIN,
    WAVE_CPU_AVX2, /* x86-64 with AVX2, FMA and BMI2; an error where one is missing */
    WAVE_CPU_COUNT
} wave_cpu;
/* "best", "plain", "avx2"; NULL when `cpu` is out of range. */
WAVE_API const char *wave_cpu_name(wave_cpu cpu);

/* The architecture whose matrix units define the products of f16 and bf16 tiles. The products of
 * other types are the same everywhere. */
typedef enum wave_mma {
    WAVE_MMA_EXACT, /* the ISA: one rounding for each k, in order */
    WAVE_MMA_SM_75,
    WAVE_MMA_SM_80,
    WAVE_MMA_SM_90,
    WAVE_MMA_GFX90A,
    WAVE_MMA_GFX942,
    WAVE_MMA_COUNT
} wave_mma;
/* "exact", "sm_75", …; NULL when `mma` is out of range. */
WAVE_API const char *wave_mma_name(wave_mma mma);

/* Fill with wave_launch_init, then change what differs. All pointers are borrowed. */
typedef struct wave_launch {
    size_t kernel;         /* index in the module; default 0 */
    uint32_t grid[3];      /* workgroups; default 1,1,1 */
    uint32_t workgroup[3]; /* threads, for a kernel that does not declare it; default 32,1,1 */
    uint32_t registers;    /* for a kernel that declares 0; default 0: as in the load options */
    uint32_t local_memory; /* bytes, for a kernel that declares 0; default 0: likewise */
    uint32_t wave_width;   /* 1 … 64; default 32 */

    uint8_t *device_memory;
    uint64_t device_size;

    const uint32_t *initial; /* r0, r1, … of every lane; the rest start at 0. At most as many
                                as the kernel has registers */
    uint32_t initial_count;

    /* Limit of wave-instructions per workgroup; 0: unlimited; default 10,000,000 */
    uint64_t max_instructions;
    bool random_schedule; /* interleave waves pseudo-randomly; the seed determines the order */
    uint64_t seed;
    /* Stores become visible to other lanes, waves and workgroups only as fences, barriers and
     * atomics order them, and loads may return stale values. The seed determines which. A program
     * without races leaves the same memory. */
    bool scoped_memory;
    uint64_t memory_seed;
    /* Subnormal f32 operands and results of arithmetic become zeros of the same sign, as on
     * hardware that flushes them; docs/using/emulator.md lists the instructions. */
    bool flush_subnormals;
    wave_mma mma;
    bool strict_align; /* a misaligned access is an error */
    bool bounds;       /* an out-of-bounds load returns 0, any other such access is dropped */
    bool skip_asserts; /* a failing assert does nothing */
    bool poison;       /* fill local and private memory with poison_byte */
    uint8_t poison_byte;

    unsigned checks; /* WAVE_CHECK_… */
    /* For WAVE_CHECK_RACE: the lanes of a wave count as ordered, as if a wave fence preceded every
     * access. */
    bool lockstep;
    /* For WAVE_CHECK_UNINIT: the device bytes the host initialised. Default: all. */
    const struct wave_range *initialised;
    size_t initialised_count;
    bool initialised_known; /* false: all of device memory counts as initialised */

    /* Sizes of the buffers that arguments point to. Accesses to buffers declared `contained` are
     * checked against them: E_BUFFER_BOUNDS. */
    const struct wave_launch_buffer *buffers;
    size_t buffer_count;

    const struct wave_observer *observers;
    size_t observer_count;

    wave_cpu cpu;
    /* Threads that execute workgroups; 0: as many as the processor has cores; default 1. The result
     * is the same for any number. Launches with observers, checks, a profile, a random schedule or
     * scoped memory use one. */
    uint32_t jobs;

    struct wave_stats *stats;      /* filled when not NULL, on errors too */
    struct wave_profile **profile; /* when not NULL: a profile to free with wave_profile_destroy */
} wave_launch;

enum { WAVE_CHECK_RACE = 1 << 0, WAVE_CHECK_UNINIT = 1 << 1 };

typedef struct wave_range {
    uint64_t offset, size;
} wave_range;

typedef struct wave_launch_buffer {
    uint32_t word; /* argument word that holds its offset */
    uint64_t size;
} wave_launch_buffer;

WAVE_API void wave_launch_init(wave_launch *launch);

/* WAVE_OK, WAVE_ERROR_INPUT (the program misbehaved: see the diagnostics), WAVE_ERROR_LIMIT,
 * WAVE_ERROR_USAGE (the launch does not fit the kernel or the limits: E_LAUNCH), WAVE_ERROR_MEMORY.
 * After an error, device memory holds what was written before it. */
WAVE_API wave_status wave_emulate(const wave_module *module, const wave_launch *launch,
                                  wave_diags *diags);

/* The same launch under many seeds: the first run uses the seeds of the launch, every further run
 * increments the chosen ones. */
typedef struct wave_sweep {
    uint64_t runs;
    bool schedules; /* increment launch.seed; needs random_schedule */
    bool memories;  /* increment launch.memory_seed; needs scoped_memory */
} wave_sweep;

/* Runs the launch in the plain order with one coherent memory, then under every seed, until a run
 * leaves different memory: E_SCHEDULE names the seed, the first byte and the first access that
 * differ. Device memory is that of this run, or of the plain order when all agree. Observers,
 * stats and the profile describe the plain order. */
WAVE_API wave_status wave_emulate_seeds(const wave_module *module, const wave_launch *launch,
                                        const wave_sweep *sweep, wave_diags *diags);

/* An instruction counts as executed when a wave processes it, even if its guard holds for no lane.
 * Instructions that a wave skips because no lane is active do not count; the else, endif or endloop
 * at which it resumes does. */
typedef struct wave_stats {
    uint64_t instructions; /* wave-instructions */
    uint64_t integer_ops, float_ops, memory_ops, control_ops, wave_ops;
    uint64_t atomic_ops; /* per lane */
    uint64_t lane_ops;   /* sum of executing lanes over all instructions */
    uint64_t device_loads, device_load_bytes, device_stores, device_store_bytes; /* per lane */
    uint64_t local_loads, local_load_bytes, local_stores, local_store_bytes;
    uint64_t barriers;           /* barrier instructions, counted per wave */
    uint64_t divergent_branches; /* ifs with lanes on both sides */
    uint64_t workgroups, waves;  /* started */
    uint64_t private_loads, private_load_bytes, private_stores, private_store_bytes;
    uint64_t constant_loads, constant_load_bytes;
} wave_stats;

/* The text of wave-emu --stats. */
WAVE_API wave_status wave_stats_format(const wave_stats *stats, wave_blob *out);

/* ---- Watching ---- */

/* A wave that is about to execute, or has just executed, one instruction. Valid during the call.
 * Even in `after`, the sets of lanes are those before the instruction. */
typedef struct wave_step {
    const wave_module *module;
    size_t kernel;
    uint32_t workgroup[3];
    uint32_t grid[3];
    uint32_t group_size[3];
    uint32_t wave;
    uint32_t wave_width;
    uint32_t pc;        /* byte offset in the kernel */
    uint32_t index;     /* instruction index in the kernel */
    uint64_t live;      /* lanes that have not halted */
    uint64_t active;    /* lanes on this control-flow path */
    uint64_t executing; /* active lanes whose guard holds */
    const struct wave_machine *machine;
} wave_step;

/* State of the wave of a step. Out-of-range registers read 0. */
WAVE_API uint32_t wave_step_register(const wave_step *step, uint32_t reg, uint32_t lane);
WAVE_API bool wave_step_predicate(const wave_step *step, uint32_t predicate, uint32_t lane);
WAVE_API uint32_t wave_step_register_count(const wave_step *step);
WAVE_API const uint8_t *wave_step_local(const wave_step *step, uint64_t *size);
WAVE_API const uint8_t *wave_step_device(const wave_step *step, uint64_t *size);
/* Private memory of a lane; NULL and a size of 0 when it has none. */
WAVE_API const uint8_t *wave_step_private(const wave_step *step, uint32_t lane, uint64_t *size);
/* The control-flow frames of the wave, outermost first, as text (for `where`). */
WAVE_API wave_status wave_step_frames(const wave_step *step, wave_blob *out);

typedef enum wave_space {
    WAVE_SPACE_LOCAL,
    WAVE_SPACE_DEVICE,
    WAVE_SPACE_PRIVATE, /* of the lane */
    WAVE_SPACE_CONSTANT,
    WAVE_SPACE_COUNT
} wave_space;
/* "local", "device", "private", "constant"; NULL when `space` is out of range. */
WAVE_API const char *wave_space_name(wave_space space);
typedef enum wave_access_kind {
    WAVE_LOAD,
    WAVE_STORE,
    WAVE_ATOMIC, /* reads and writes: add, exchange, compare-and-swap, … */
    WAVE_ATOMIC_LOAD,
    WAVE_ATOMIC_STORE
} wave_access_kind;

/* One lane's access, reported after its bounds check and before the next lane's access. A tile
 * access is reported in pieces of 16 bytes, attributed to the lanes in turn; each piece is an
 * access by all lanes of the wave. */
typedef struct wave_access {
    wave_space space;
    wave_access_kind kind;
    uint32_t lane;
    uint32_t address;
    uint32_t bytes;
    uint32_t scope;    /* of an atomic: 0 wave, 1 workgroup, 2 device, 3 system */
    uint32_t value[4]; /* loaded, stored, or the old value of an atomic */
} wave_access;

/* Any callback may be NULL. Observers are called in order. */
typedef struct wave_observer {
    void *user;
    void (*workgroup_begin)(void *user, const uint32_t workgroup[3]);
    void (*workgroup_end)(void *user, const uint32_t workgroup[3]);
    /* Returning false stops the run with WAVE_ERROR_INPUT and no diagnostic. Callbacks run in the
     * default floating-point environment. */
    bool (*before)(void *user, const wave_step *step);
    void (*after)(void *user, const wave_step *step); /* not called if the instruction failed */
    void (*access)(void *user, const wave_step *step, const wave_access *access);
    /* All waves of the workgroup have arrived and are released. */
    void (*barrier)(void *user, const uint32_t workgroup[3], uint32_t pc);
} wave_observer;

/* The disassembled instruction at a PC ("iadd r2, r0, r1"), or WAVE_ERROR_USAGE. */
WAVE_API wave_status wave_instruction_text(const wave_module *module, size_t kernel, uint32_t pc,
                                           wave_blob *out);

/* The byte offset of instruction `index` in the kernel; UINT32_MAX when there is none. */
WAVE_API uint32_t wave_instruction_offset(const wave_module *module, size_t kernel, uint32_t index);

typedef enum wave_value {
    WAVE_VALUE_U32,
    WAVE_VALUE_F32,
    WAVE_VALUE_F16,   /* in bits 15:0 */
    WAVE_VALUE_F16X2, /* two, bits 15:0 first */
    WAVE_VALUE_BF16,
    WAVE_VALUE_BF16X2,
    WAVE_VALUE_F64, /* two registers, low half first */
    WAVE_VALUE_U64,
    WAVE_VALUE_U128,
    WAVE_VALUE_PREDICATE
} wave_value;

/* A register or predicate operand of an instruction. Guards are not included. */
typedef struct wave_operand {
    wave_value value; /* how the instruction interprets it */
    uint32_t index;   /* of the first register, or of the predicate */
    uint32_t count;   /* registers: 1, 2 or 4 */
    bool written;
    bool address; /* of a memory access */
} wave_operand;

enum { WAVE_MAX_OPERANDS = 5 };

/* The operands of the instruction at a PC, in the order of the text. Returns their number. */
WAVE_API size_t wave_instruction_operands(const wave_module *module, size_t kernel, uint32_t pc,
                                          wave_operand operands[WAVE_MAX_OPERANDS]);

/* ---- Profiles ---- */

typedef struct wave_profile wave_profile;
typedef enum wave_profile_style {
    WAVE_PROFILE_TEXT, /* a table next to the disassembly */
    WAVE_PROFILE_JSON,
    WAVE_PROFILE_HTML /* one self-contained page */
} wave_profile_style;

/* Sets the source of the lines that the profile shows, as wave_diags_read_lines does. */
WAVE_API void wave_profile_read_lines(wave_profile *profile, wave_read_line read, void *user);
WAVE_API wave_status wave_profile_format(const wave_profile *profile, const char *title,
                                         wave_profile_style style, wave_blob *out);
WAVE_API void wave_profile_destroy(wave_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
