/* What the parts of the generator share: the program being written, its registers, and the writing
 * of lines. A register belongs to one class for the whole program, so that a float's NaN bits,
 * which vendors choose, stay among registers whose NaN bits nobody looks at (plain.c says how they
 * leave). */
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

/* Registers with a purpose. The first ones are argument words: addresses of buffers and two numbers
 * that all lanes share. What a program does not need has no register. */
typedef enum fixed_reg {
    FIXED_IN,         /* u32 input, read only */
    FIXED_FLOATS,     /* f32 input, read only */
    FIXED_OUT,        /* one hash a lane */
    FIXED_OWN,        /* a slice of bytes a lane, of class INT */
    FIXED_OWN_F32,    /* likewise of the float classes: */
    FIXED_OWN_F16,    /* their buffers are compared as floats, */
    FIXED_OWN_BF16,   /* all NaNs equal */
    FIXED_OWN_F64,    /* … */
    FIXED_SHARED,     /* words that all lanes of the launch change by atomics */
    FIXED_SWAP,       /* one word per lane, exchanged across barriers or fences in a workgroup */
    FIXED_FLAG,       /* the workgroup's word that waves poll */
    FIXED_NUMBER,     /* the same in all lanes */
    FIXED_NUMBER_TOO, /* the last argument word */
    FIXED_THREAD,     /* number in the workgroup */
    FIXED_GLOBAL,     /* number in the launch */
    FIXED_LANE,
    FIXED_ZERO,
    FIXED_ONE,
    FIXED_FUEL,  /* iterations so far of all loops that have no counter of their own */
    FIXED_SLICE, /* the lane's slice of local memory */
    FIXED_COUNT
} fixed_reg;

enum {
    TEMPORARIES = 5,
    COUNTERS = 3,   /* loops with their own counter nest this deep */
    FUNCTIONS = 3,  /* one calls only later ones */
    OWN_BYTES = 32, /* a lane's slice of each device buffer */
    INPUT_WORDS = 256,
    SHARED_WORDS = 8,
    PRIVATE_BYTES = 32, /* a lane's private memory */
    CONSTANT_WORDS = 16,
    LAST_PREDICATE = 3, /* clobbered by sequences that need one */
    /* A lane's slice of local memory: where the classes' bytes are. */
    LOCAL_INT = 0,
    LOCAL_INT_BYTES = 16,
    LOCAL_F64 = 16,
    LOCAL_F16 = 24,
    LOCAL_BF16 = 28,
    LOCAL_F32 = 32,
    LOCAL_F32_BYTES = 32,
    LOCAL_TILE_BYTES = 80, /* of f32, when there is MMA: rows 16 or 20 bytes apart */
    LOCAL_COUNTERS = 4     /* words that the workgroup changes by atomics; one flag follows */
};

/* Where a statement stands. */
typedef struct place {
    unsigned depth;
    unsigned function; /* 0: the kernel */
    unsigned loops;    /* open in this function */
    unsigned counters; /* used by open loops */
    bool uniform;      /* all lanes of the workgroup that are alive get here together */
    bool loop_uniform; /* the innermost loop must be left by all of them together */
    bool no_continue;  /* the innermost loop counts at its end */
} place;

typedef struct author {
    uint64_t state; /* random numbers */
    char *text;
    size_t used, room;
    bool failed; /* out of memory */
    bool has[GEN_FEATURES];
    bool falls_off;     /* the code ends without a halt */
    bool sync_function; /* one that holds a barrier, called only where all lanes do */
    bool known_places;  /* private memory is accessed at known addresses only */

    uint32_t group[3], grid[3], threads, groups;
    bool fixed_group; /* the kernel declares it */
    uint32_t local_bytes, slice_bytes, f32_bytes;
    uint32_t swap_at, some_at, counters_at; /* words of exchanges of all lanes, of some; counters */

    unsigned fixed[FIXED_COUNT];
    bool has_fixed[FIXED_COUNT];
    unsigned temporary[TEMPORARIES], counter[COUNTERS];
    unsigned first[CLASS_COUNT], count[CLASS_COUNT]; /* registers; of F64 pairs */
    unsigned registers, argument_words;
    unsigned messages; /* sent so far, each with its number */
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
/* One indented line of the program. */
void au_say(author *a, const place *p, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
unsigned au_reg(author *a, reg_class c);        /* any of the class; of F64 a pair's first */
unsigned au_int_run(author *a, unsigned count); /* the first of so many INT registers in a row */
unsigned au_predicate(author *a);
uint32_t au_constant(author *a); /* an interesting one, or any */
/* "", or a guard and a blank. */
const char *au_guard(author *a);

/* plain.c: instructions without effects beyond their result */
void gen_plain(author *a, const place *p);
void gen_instruction(author *a, const place *p, const char *guard, isa_op op);
/* Makes the NaNs of a register the emulator's own. Afterwards it may be looked at as bits. */
void gen_canonical(author *a, const place *p, reg_class c, unsigned reg);
void gen_compare(author *a, const place *p, unsigned predicate);

/* memory.c: a lane's own memory, inputs, atomics, MMA */
void gen_memory(author *a, const place *p);
void gen_atomic(author *a, const place *p);
void gen_mma(author *a, const place *p);
/* Something of the kinds above or a wave operation: every statement that is not control flow. */
void gen_simple(author *a, const place *p);

/* sync.c: wave operations, barriers and what they order */
void gen_wave(author *a, const place *p);
void gen_sync(author *a, const place *p);
void gen_fence(author *a, const place *p);
void gen_exchange(author *a, const place *p);

/* flow.c: ifs, loops, calls, ways out */
void gen_body(author *a);
void gen_functions(author *a);

/* frame.c: sizes and registers, the lines before and after the body */
void gen_plan_frame(author *a);
void gen_head(author *a);
void gen_prologue(author *a);
void gen_epilogue(author *a);
/* dst = x + size_x * (y + size_y * z), of special registers: "sr_thread_id", "sr_workgroup_size" */
void gen_linear(author *a, unsigned dst, const char *position, const char *size);

/* path.c: the control-flow mode, a whole program */
void gen_path_program(author *a);

#endif
