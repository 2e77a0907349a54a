/* The emulator's own structures: the dense program, a wave, the machine that runs one launch. Only
 * files of src/emu include this; observers see wave_step (wave/emu.h).
 *
 * Registers are rows of lanes: register r of a wave is `stride` consecutive words, one per lane.
 * Lanes that do not exist pad the row to whole groups of 8; they hold arbitrary values and no
 * instruction makes them observable. */
#ifndef EMU_MACHINE_H
#define EMU_MACHINE_H

#include "frontend/frontend.h"
#include "isa/tile.h"

#include <wave/emu.h>

/* The coverage build defines EMU_INLINE itself: without inlined copies every line counts once. */
#if defined(__GNUC__) || defined(__clang__)
#ifndef EMU_INLINE
#define EMU_INLINE static inline __attribute__((always_inline))
#endif
#if defined(__clang__)
#define EMU_OUTLINE __attribute__((noinline))
#else /* gcc's clones have other parameters, which callers would have to move */
#define EMU_OUTLINE __attribute__((noinline, noclone))
#endif
#else
#define EMU_INLINE static inline
#define EMU_OUTLINE
#endif

typedef struct wave_machine emu_machine;
typedef struct emu_wave emu_wave;
typedef struct emu_insn emu_insn;

/* Executes one instruction for the lanes in `lanes` (E of the reference). w->next already points at
 * the following instruction. */
typedef void emu_handler(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes);

/* Rows in addition to the general registers, for all other operands. */
enum {
    EMU_ROW_ZERO,  /* reads of registers that do not exist */
    EMU_ROW_TRASH, /* writes to them */
    EMU_ROW_THREAD_X,
    EMU_ROW_THREAD_Y,
    EMU_ROW_THREAD_Z,
    EMU_ROW_LANE,
    EMU_ROW_FLUSHED,                     /* three sources without subnormals: flush.c */
    EMU_ROW_DRAFT = EMU_ROW_FLUSHED + 3, /* five operands of an atomic: draft.c */
    EMU_EXTRA_ROWS = EMU_ROW_DRAFT + 5
};

enum { EMU_GROUP = 8 }; /* lanes are computed in groups of this many */

/* One decoded instruction, with everything resolved that does not change during a launch. Register
 * operands are offsets of rows from the wave's first register. Pairs and quads name each row,
 * because in lenient modules some rows of a pair may exist and others not. */
struct emu_insn {
    emu_handler *run;
    uint64_t executions; /* times a wave executed it */
    uint64_t lanes;      /* executing lanes, summed over those */
    union {
        uint16_t rd[4];
        uint8_t pd; /* predicate written: such an instruction writes no register */
    };
    uint16_t rs1[2], rs2[4], rs3[2]; /* rs3[1] is rs4 if there is one */
    uint16_t op;                     /* isa_op */
    uint8_t guard;                   /* FE_GUARD_… */
    uint8_t ps;                      /* predicate read, with FE_OPERAND_NEG */
    union {
        struct {
            uint32_t value; /* immediate, special register or scope */
            uint32_t jump;  /* partner of the control flow instruction */
            uint32_t skip;  /* where a wave continues when it has no active lane left here */
        };
        struct {
            uint32_t a, b, c; /* MMA: first rows of the fragments */
        };
        struct {
            uint8_t tile[4];     /* by field: numbers in emu_wave.tiles */
            uint8_t type, place; /* isa_tile_type; ISA_TILE_… bits */
        };
    };
};

/* By instruction: the length of the run of quiet instructions that starts here, and the number of
 * runs that start here minus those that end. */
typedef struct emu_quiet {
    uint64_t executions;
    uint64_t length; /* separates the counts: compilers would add both at once, which is slower */
    uint64_t lanes;
} emu_quiet;

typedef enum emu_frame_kind { EMU_IF, EMU_LOOP, EMU_CALL } emu_frame_kind;

typedef struct emu_frame {
    uint8_t kind;
    bool else_seen;
    uint16_t outer_loop; /* LOOP, CALL: the value that w->loop is restored to */
    uint16_t outer_call; /* CALL: the value that w->call is restored to */
    uint32_t origin;     /* index of the if, loop or call */
    /* IF: the lanes of the other side, and those that have finished theirs. LOOP: broken,
     * continued. CALL: returned. */
    uint64_t first, second;
} emu_frame;

/* One of the wave's tiles, row by row. In narrower elements the unused bits are 0. */
typedef struct emu_tile {
    uint32_t element[ISA_TILE_ELEMENTS];
    uint8_t type; /* the type it was last written with; ISA_TILE_TYPES: never written, zeros */
} emu_tile;

enum { EMU_TILES = 3 * ISA_TILES }; /* banks A, B, C */

struct emu_wave {
    emu_insn *next;
    uint64_t active; /* A */
    uint64_t live;   /* L */
    uint64_t all;    /* the lanes that exist */
    uint64_t pred[ISA_PREDICATES];
    uint32_t *regs;
    uint32_t groups; /* of EMU_GROUP lanes in a row */
    uint32_t count;  /* lanes that exist: 0 … count-1 */
    uint32_t number;
    uint16_t depth; /* frames in use */
    uint16_t nest;  /* ifs and loops among them */
    uint16_t calls; /* calls among them */
    uint16_t loop;  /* 1 + frame of the innermost loop of this function, or 0 */
    uint16_t call;  /* 1 + frame of the innermost call, or 0 */
    emu_frame *frames;
    uint32_t *fragments;     /* rows like registers: 16 for each fragment in use */
    emu_tile *tiles;         /* EMU_TILES of them; NULL: the kernel has none */
    uint8_t *private_memory; /* of lane 0; the other lanes follow */
};

_Static_assert(sizeof(emu_insn) == 64, "one cache line per instruction");

/* Sets of waves are bit masks, like sets of lanes: there are at most 64. */
struct wave_machine {
    emu_insn *code;   /* one more than the kernel has: the extra one ends the wave */
    uint64_t ready;   /* waves that can execute; when 0, the scheduler examines the rest */
    uint64_t left;    /* instructions until the limit */
    uint64_t waiting; /* waves at a barrier */
    uint64_t ended;
    emu_wave *waves;
    uint32_t wave_count;
    emu_handler *const *handlers; /* by isa_op */
    emu_quiet *quiet;             /* one more than the kernel has instructions */

    uint8_t *local;
    uint64_t local_size;
    uint8_t local_fill;
    bool local_used;
    uint8_t *device;
    uint64_t device_size;
    uint8_t *private_memory; /* of all waves; each lane's bytes are contiguous */
    uint64_t private_size;   /* per lane */
    uint8_t *constants;      /* a copy */
    uint64_t constant_size;
    uint8_t outside[16]; /* used for accesses out of bounds, with launch->bounds */

    uint32_t registers, stride, width, fragment_rows;
    uint32_t group[3];
    uint32_t special[ISA_SPECIAL_COUNT]; /* those with the same value in all waves */

    const wave_observer *observers; /* the caller's, then the checkers */
    size_t observer_count;
    bool watch_access; /* some observer wants individual accesses */
    wave_step step;    /* of the instruction being executed, when there are observers */

    const wave_launch *launch; /* with the effective values */
    const wave_module *module;
    const fe_kernel *kernel;
    wave_diags *diags;
    uint8_t *warned; /* by instruction: bits of emu_warning */
    uint32_t warnings;
    wave_status status; /* other than WAVE_OK: the launch is over */
    uint32_t workgroup[3];
    uint64_t workgroups_begun, divergent;
    uint64_t random;               /* state of the random schedule */
    struct emu_views *views;       /* with scoped memory only */
    struct emu_drafting *drafting; /* in a machine that executes workgroups before their turn */

    void *memory[5]; /* to free, besides waves and local */
};

static inline uint64_t emu_operand_mask(const emu_wave *w, uint32_t field) {
    uint64_t mask = w->pred[field & FE_OPERAND_PRED];
    return field & FE_OPERAND_NEG ? ~mask : mask;
}

static inline uint64_t emu_executing(const emu_wave *w, const emu_insn *in) {
    if (in->guard == 0)
        return w->active;
    uint64_t mask = w->pred[in->guard & FE_GUARD_REG];
    return w->active & (in->guard & FE_GUARD_NEG ? ~mask : mask);
}

/* The number of set bits, counted in parallel (Warren, "Hacker's Delight", 5-1). */
static inline uint32_t emu_lane_count(uint64_t mask) {
    mask = mask - ((mask >> 1) & 0x5555555555555555u);
    mask = (mask & 0x3333333333333333u) + ((mask >> 2) & 0x3333333333333333u);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)((mask * 0x0101010101010101u) >> 56);
}

/* The index of the lowest set bit; the mask is not 0. */
static inline uint32_t emu_lowest(uint64_t mask) {
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(mask);
#else
    return emu_lane_count((mask & (0 - mask)) - 1);
#endif
}

/* SplitMix64 (Steele, Lea and Flood, 2014): any seed is a good one, and the sequence is the same
 * everywhere. */
static inline uint64_t emu_next_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline uint32_t emu_index(const emu_machine *m, const emu_insn *in) {
    return (uint32_t)(in - m->code);
}

/* ---- prepare.c: launch and kernel to machine ---- */

/* False: out of memory. emu_release accepts a machine at any stage. */
bool emu_prepare(emu_machine *m);
void emu_begin_workgroup(emu_machine *m, const uint32_t workgroup[3]);
void emu_release(emu_machine *m);
/* One more than the highest register the kernel names. */
uint32_t emu_registers_used(const fe_kernel *kernel);

/* ---- emu.c ---- */

/* Round to nearest, keep subnormals, trap nothing; false when this cannot be set. */
bool emu_set_environment(void);

/* ---- jobs.c ---- */

/* Executes all workgroups of the grid; stops early when m->status is set. */
void emu_run_grid(emu_machine *m);

/* ---- run.c ---- */

/* Runs the current workgroup to its end; stops early when m->status is set. */
void emu_run_workgroup(emu_machine *m);
void emu_end_wave(emu_machine *m, emu_wave *w);

/* ---- quiet.c ---- */

bool emu_find_quiet(emu_machine *m); /* false: out of memory */
/* A wave executes its next `length` instructions, all of them quiet. */
void emu_run_quiet_wave(emu_machine *m, emu_wave *w, uint64_t length);
/* At the start of a turn of all ready waves: each executes its next quiet instructions, as many as
 * all of them have in common. */
void emu_run_quiet_waves(emu_machine *m);

/* How many quiet instructions a wave executes next. */
static inline uint64_t emu_quiet_length(const emu_machine *m, const emu_wave *w) {
    return m->quiet[w->next - m->code].length;
}
/* Adds the runs to the counts of their instructions. */
void emu_count_quiet(emu_machine *m);

/* ---- report.c ---- */

enum { EMU_NO_LANE = 64 };
typedef enum emu_warning {
    EMU_WARN_MISALIGNED = 1,
    EMU_WARN_SHUFFLE = 2,
    EMU_WARN_BALLOT = 4
} emu_warning;

/* Reports an error and ends the launch. EMU_NO_LANE as the lane: the wave as a whole. */
void emu_fail(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane, diag_code code,
              const char *format, ...) BUF_PRINTF(6, 7);
/* Reports a warning once per instruction. */
void emu_warn(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane,
              emu_warning which, diag_code code, const char *format, ...) BUF_PRINTF(7, 8);

/* ---- stats.c ---- */

void emu_collect_stats(const emu_machine *m, wave_stats *stats);

/* ---- Instructions ---- */

/* Handlers by isa_op; NULL if the host processor cannot run them. */
emu_handler *const *emu_handlers(wave_cpu cpu);
/* alu.c: those for any processor. */
emu_handler *const *emu_plain_handlers(void);
/* alu_wide.c: those compiled for wider vectors; NULL if there are none or the processor cannot run
 * them. */
emu_handler *const *emu_wide_handlers(void);
/* After the last instruction of the kernel: lanes that reach it halt. */
emu_handler emu_end_of_code;

/* control.c, memory.c, atomics.c, waveops.c, mma.c, tile.c */
#define EMU_DECLARE(name) emu_handler emu_##name;
#define LANES(id, shape, name)
#define WHOLE(id, name) EMU_DECLARE(name)
#include "emu/ops.def"
#undef LANES
#undef WHOLE
#undef EMU_DECLARE

/* ---- flush.c ---- */

/* Replaces a subnormal f32 with a zero of the same sign. */
static inline uint32_t emu_flush_word(uint32_t word) {
    return word & 0x7F800000u ? word : word & 0x80000000u;
}

/* The handler of an instruction that flushes subnormals. */
emu_handler *emu_flush_handler(isa_op op, emu_handler *plain);

#endif
