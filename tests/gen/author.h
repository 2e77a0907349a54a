/* Shared by the parts of the generator: the program being written, its registers, and the output of
 * lines. A register belongs to one class for the entire program, so that a float's NaN bits, which
 * vendors choose, stay in registers whose NaN bits are never observed (plain.c says how a float
 * leaves them). */
#ifndef GEN_AUTHOR_H
#define GEN_AUTHOR_H

#include "gen/gen.h"
#include "isa/isa.h"

typedef enum reg_class {
    CLASS_INT, /* any bits, the same for every vendor */
    CLASS_F32,
    CLASS_F16,  /* one or two */
    CLASS_BF16, /* one or two */
    CLASS_F64,  /* pairs */
    CLASS_COUNT
} reg_class;

/* Registers with a fixed purpose. The first ones are argument words: addresses of buffers and two
 * numbers that all lanes share. Those that a program does not need get no register. */
typedef enum fixed_reg {
    FIXED_IN,     /* u32 input, read only */
    FIXED_FLOATS, /* f32 input, read only */
    FIXED_OUT,    /* one hash per lane */
    FIXED_OWN,    /* a slice of bytes per lane, of class INT */
    /* The same for the float classes; these buffers are compared as floats, with all NaNs equal. */
    FIXED_OWN_F32,
    FIXED_OWN_F16,
    FIXED_OWN_BF16,
    FIXED_OWN_F64,
    FIXED_SHARED,     /* words that all lanes of the launch update atomically */
    FIXED_SWAP,       /* one word per lane, exchanged across barriers or fences in a workgroup */
    FIXED_FLAG,       /* the workgroup's word that waves poll */
    FIXED_HALVES,     /* f16 input for tiles, read only */
    FIXED_TILES_F32,  /* the wave's space for two tiles of sums */
    FIXED_TILES_I32,  /* the same for integers */
    FIXED_NUMBER,     /* the same in all lanes */
    FIXED_NUMBER_TOO, /* the last argument word */
    FIXED_THREAD,     /* number in the workgroup */
    FIXED_GLOBAL,     /* number in the launch */
    FIXED_LANE,
    FIXED_ZERO,
    FIXED_ONE,
    FIXED_FUEL,  /* total iterations of all loops without a counter of their own */
    FIXED_SLICE, /* the lane's slice of local memory */
    FIXED_COUNT
} fixed_reg;

enum {
    TEMPORARIES = 5,
    COUNTERS = 3,   /* nesting limit of loops with their own counter */
    FUNCTIONS = 3,  /* a function calls only later ones */
    OWN_BYTES = 32, /* a lane's slice of each device buffer */
    INPUT_WORDS = 256,
    SHARED_WORDS = 8,   /* followed by two words for tickets and as many pairs */
    TILE_BYTES = 1024,  /* size of a tile of sums; a wave has two of each type */
    PRIVATE_BYTES = 32, /* a lane's private memory */
    CONSTANT_WORDS = 16,
    LAST_PREDICATE = 3, /* clobbered by sequences that need a temporary */
    /* A lane's slice of local memory: the offset of each class. */
    LOCAL_INT = 0,
    LOCAL_INT_BYTES = 16,
    LOCAL_F64 = 16,
    LOCAL_F16 = 24,
    LOCAL_BF16 = 28,
    LOCAL_F32 = 32,
    LOCAL_F32_BYTES = 32,
    LOCAL_TILE_BYTES = 80, /* for f32 tiles, with MMA: rows 16 or 20 bytes apart */
    LOCAL_COUNTERS = 4     /* words that the workgroup updates atomically; one flag follows */
};

/* The context of a statement. */
typedef struct place {
    unsigned depth;
    unsigned function; /* 0: the kernel itself */
    unsigned loops;    /* open in this function */
    unsigned counters; /* used by open loops */
    bool uniform;      /* all live lanes of the workgroup get here together */
    bool loop_uniform; /* all of them must leave the innermost loop together */
    bool no_continue;  /* the innermost loop counts at its end */
} place;

typedef struct author {
    uint64_t state; /* random numbers */
    char *text;
    size_t used, room;
    bool failed; /* out of memory */
    bool has[GEN_FEATURES];
    bool falls_off;     /* the code ends without a halt */
    bool sync_function; /* a function that contains a barrier, called only by all lanes together */
    bool known_places;  /* private memory is accessed only at constant addresses */

    uint32_t group[3], grid[3], threads, groups;
    bool fixed_group; /* the kernel declares it */
    uint32_t local_bytes, slice_bytes, f32_bytes;
    uint32_t tiles_at; /* in local memory: one per wave */
    bool tiles_in_local;
    uint32_t swap_at, some_at, counters_at; /* exchanges of all, of some lanes; counters */

    unsigned fixed[FIXED_COUNT];
    bool has_fixed[FIXED_COUNT];
    unsigned temporary[TEMPORARIES], counter[COUNTERS];
    unsigned first[CLASS_COUNT], count[CLASS_COUNT]; /* registers; for F64 pairs */
    unsigned registers, argument_words;
    unsigned messages; /* messages sent so far, each with its number */
    uint32_t fuel;
    unsigned size; /* percent */
    int budget;    /* statements left */
    unsigned depth_limit;
} author;

/* author.c: random numbers and text */
uint32_t au_pick(author *a, uint32_t below);
uint32_t au_bits(author *a);
bool au_chance(author *a, unsigned percent);
void au_raw(author *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes one indented line of the program. */
void au_say(author *a, const place *p, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
unsigned au_reg(author *a, reg_class c);        /* any of the class; for F64 the first of a pair */
unsigned au_int_run(author *a, unsigned count); /* the first of `count` consecutive INT registers */
unsigned au_predicate(author *a);
uint32_t au_constant(author *a); /* an interesting value, or any */
/* "", or a guard and a blank. */
const char *au_guard(author *a);

/* plain.c: instructions without side effects */
void gen_plain(author *a, const place *p);
void gen_instruction(author *a, const place *p, const char *guard, isa_op op);
/* Replaces the NaNs of a register by the emulator's. Afterwards its bits may be observed. */
void gen_canonical(author *a, const place *p, reg_class c, unsigned reg);
void gen_compare(author *a, const place *p, unsigned predicate);

/* memory.c: a lane's own memory, inputs, atomics, MMA */
void gen_memory(author *a, const place *p);
void gen_atomic(author *a, const place *p);
void gen_mma(author *a, const place *p);
/* tile.c: tiles of a wave, where all lanes are active; before the body and after it */
void gen_tile(author *a, const place *p);
void gen_first_tiles(author *a, const place *p);
void gen_last_tiles(author *a, const place *p);
/* One of the kinds above or a wave operation: every statement except control flow. */
void gen_simple(author *a, const place *p);

/* sync.c: wave operations, barriers and the accesses that they order */
void gen_wave(author *a, const place *p);
void gen_sync(author *a, const place *p);
void gen_fence(author *a, const place *p);
void gen_exchange(author *a, const place *p);

/* flow.c: ifs, loops, calls, exits */
void gen_body(author *a);
void gen_functions(author *a);

/* frame.c: sizes and registers, the lines before and after the body */
void gen_plan_frame(author *a);
void gen_head(author *a);
void gen_prologue(author *a);
void gen_epilogue(author *a);
/* dst = x + size_x * (y + size_y * z), of special registers: "sr_thread_id", "sr_workgroup_size" */
void gen_linear(author *a, unsigned dst, const char *position, const char *size);

/* path.c: the control-flow mode, a complete program */
void gen_path_program(author *a);

#endif
