/* The emulator's own structures: the dense program, a wave, the machine that runs one launch. Only
 * files of src/emu include this; observers see wave_step (wave/emu.h).
 *
 * Registers are rows of lanes: register r of a wave is `stride` consecutive words, one a lane.
 * Lanes that do not exist round the row up to whole groups of 8; they hold arbitrary values and no
 * instruction lets them be seen. */
#ifndef EMU_MACHINE_H
#define EMU_MACHINE_H

#include "frontend/frontend.h"

#include <wave/emu.h>

/* The build that measures coverage defines EMU_INLINE itself: without copies every line counts
 * once. */
#if defined(__GNUC__) || defined(__clang__)
#ifndef EMU_INLINE
#define EMU_INLINE static inline __attribute__((always_inline))
#endif
#define EMU_OUTLINE __attribute__((noinline))
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

/* Rows besides the general registers, for operands that are none of them. */
enum {
    EMU_ROW_ZERO,  /* reads of registers that do not exist */
    EMU_ROW_TRASH, /* writes to them */
    EMU_ROW_THREAD_X,
    EMU_ROW_THREAD_Y,
    EMU_ROW_THREAD_Z,
    EMU_ROW_LANE,
    EMU_ROW_FLUSHED, /* three sources without subnormals: flush.c */
    EMU_EXTRA_ROWS = EMU_ROW_FLUSHED + 3
};

enum { EMU_GROUP = 8 }; /* lanes are computed in groups of this many */

/* One decoded instruction with everything resolved that does not change during a launch. Register
 * operands are offsets of rows from the wave's first register; pairs and quads name each row,
 * because in lenient modules some rows of one may exist and others not. */
struct emu_insn {
    emu_handler *run;
    uint64_t executions;                    /* times a wave executed it */
    uint64_t lanes;                         /* executing lanes, summed over those */
    uint16_t rd[4], rs1[2], rs2[4], rs3[2]; /* rs3[1] is rs4 where there is one */
    uint8_t op;                             /* isa_op */
    uint8_t guard;                          /* FE_GUARD_… */
    uint8_t pd, ps; /* predicate written; predicate read, with FE_OPERAND_NEG */
    union {
        struct {
            uint32_t value; /* immediate, special register or scope */
            uint32_t jump;  /* partner of the control flow instruction */
            uint32_t skip;  /* where a wave goes on that has no active lane left here */
        };
        struct {
            uint32_t a, b, c; /* MMA: first rows of the fragments */
        };
    };
};

typedef enum emu_frame_kind { EMU_IF, EMU_LOOP, EMU_CALL } emu_frame_kind;

typedef struct emu_frame {
    uint8_t kind;
    bool else_seen;
    uint16_t outer_loop; /* LOOP, CALL: what w->loop goes back to */
    uint16_t outer_call; /* CALL: what w->call goes back to */
    uint32_t origin;     /* index of the if, loop or call */
    /* IF: the lanes of the other side, those done with theirs. LOOP: broken, continued. CALL:
     * returned. */
    uint64_t first, second;
} emu_frame;

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
    uint32_t *fragments; /* rows like registers: 16 for each fragment in use */
};

_Static_assert(sizeof(emu_insn) == 64, "one cache line an instruction");

/* Waves are sets of bits, like lanes: there are at most 64. */
struct wave_machine {
    emu_insn *code;   /* one more than the kernel has: the last ends the wave */
    uint64_t ready;   /* waves that can execute; 0 makes the scheduler look at the rest */
    uint64_t left;    /* instructions until the limit */
    uint64_t waiting; /* waves at a barrier */
    uint64_t ended;
    emu_wave *waves;
    uint32_t wave_count;

    uint8_t *local;
    uint64_t local_size;
    uint8_t local_fill;
    bool local_used;
    uint8_t *device;
    uint64_t device_size;
    uint8_t outside[16]; /* stands for the bytes of an access out of bounds, with launch->bounds */

    uint32_t registers, stride, width, fragment_rows;
    uint32_t group[3];
    uint32_t special[ISA_SPECIAL_COUNT]; /* those that are the same for all waves */

    const wave_observer *observers; /* the caller's, then the checkers */
    size_t observer_count;
    bool watch_access; /* some observer wants single accesses */
    wave_step step;    /* of the instruction being executed, when there are observers */

    const wave_launch *launch; /* with the values in force */
    const wave_module *module;
    const fe_kernel *kernel;
    wave_diags *diags;
    uint8_t *warned; /* by instruction: bits of emu_warning */
    uint32_t warnings;
    wave_status status; /* other than WAVE_OK: the launch is over */
    uint32_t workgroup[3];
    uint64_t workgroups_begun, divergent;
    uint64_t random;         /* state of the random schedule */
    struct emu_views *views; /* with scoped memory only */

    void *memory[4]; /* to free, besides waves and local */
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

static inline uint32_t emu_lane_count(uint64_t mask) {
    mask = mask - ((mask >> 1) & 0x5555555555555555u);
    mask = (mask & 0x3333333333333333u) + ((mask >> 2) & 0x3333333333333333u);
    mask = (mask + (mask >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (uint32_t)((mask * 0x0101010101010101u) >> 56);
}

/* The lowest bit set; the mask is not 0. */
static inline uint32_t emu_lowest(uint64_t mask) {
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(mask);
#else
    return emu_lane_count((mask & (0 - mask)) - 1);
#endif
}

static inline uint32_t emu_index(const emu_machine *m, const emu_insn *in) {
    return (uint32_t)(in - m->code);
}

/* ---- prepare.c: launch and kernel to machine ---- */

/* False: out of memory. emu_release works on a machine at any stage. */
bool emu_prepare(emu_machine *m);
void emu_begin_workgroup(emu_machine *m, const uint32_t workgroup[3]);
void emu_release(emu_machine *m);
/* One more than the highest register the kernel names. */
uint32_t emu_registers_used(const fe_kernel *kernel);

/* ---- run.c ---- */

/* Runs the workgroup that has begun to its end, or until m->status tells why not. */
void emu_run_workgroup(emu_machine *m);
void emu_end_wave(emu_machine *m, emu_wave *w);

/* ---- report.c ---- */

enum { EMU_NO_LANE = 64 };
typedef enum emu_warning { EMU_WARN_MISALIGNED = 1, EMU_WARN_SHUFFLE = 2 } emu_warning;

/* Reports an error and ends the launch. A lane of EMU_NO_LANE: the wave as a whole. */
void emu_fail(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane, diag_code code,
              const char *format, ...) BUF_PRINTF(6, 7);
/* Reports a warning the first time it comes up at this instruction. */
void emu_warn(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane,
              emu_warning which, diag_code code, const char *format, ...) BUF_PRINTF(7, 8);

/* ---- stats.c ---- */

void emu_collect_stats(const emu_machine *m, wave_stats *stats);

/* ---- Instructions ---- */

/* Handlers by isa_op, for the processor this runs on. */
emu_handler *const *emu_handlers(void);
/* alu.c: those for any processor. */
emu_handler *const *emu_plain_handlers(void);
/* alu_wide.c: those compiled for wider vectors, or NULL where there are none or they cannot run. */
emu_handler *const *emu_wide_handlers(void);
/* After the last instruction of the kernel: the lanes that come here halt. */
emu_handler emu_end_of_code;

/* control.c, memory.c, atomics.c, waveops.c, mma.c */
#define EMU_DECLARE(name) emu_handler emu_##name;
#define LANES(id, shape, name)
#define WHOLE(id, name) EMU_DECLARE(name)
#include "emu/ops.def"
#undef LANES
#undef WHOLE
#undef EMU_DECLARE

/* ---- flush.c ---- */

/* A zero of its sign for an f32 that is subnormal. */
static inline uint32_t emu_flush_word(uint32_t word) {
    return word & 0x7F800000u ? word : word & 0x80000000u;
}

/* The handler of an instruction where subnormals are flushed. */
emu_handler *emu_flush_handler(isa_op op, emu_handler *plain);

#endif
