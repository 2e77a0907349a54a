/* The emitters: one function each, from a lowered kernel to the text of a target.
 *
 * What all targets share lives in this folder: entry symbols (names.c), the decision which value is
 * printed where (materialise.c), and the printer of the C family (c_printer.h). Each target's own
 * text lives in its folder. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "base/arena.h"
#include "ir/ir.h"

typedef enum emit_target { EMIT_PTX, EMIT_HIP, EMIT_SYCL, EMIT_MSL, EMIT_TARGET_COUNT } emit_target;

/* An architecture of a target. The last of a list has no name. */
typedef struct emit_arch {
    const char *name;      /* "sm_75" */
    unsigned number;       /* 75; 0x942 for gfx942; 32 for metal3.2 */
    uint32_t local_memory; /* bytes a workgroup may have */
    uint32_t widths;       /* of waves, as a sum of powers of two */
    uint32_t width;        /* the one it has unless asked */
    uint32_t most_z;       /* threads of a workgroup in z */
} emit_arch;

/* Where an instruction comes from. */
typedef struct emit_line {
    uint32_t file; /* its number in emit_options.files, from 1 */
    uint32_t line; /* 0: unknown */
    uint32_t column;
} emit_line;

/* A declared argument that takes words: a member of the kernel's structure of arguments. */
typedef struct emit_argument {
    const char *name; /* an identifier on every target and host, and no other member's */
    const wave_argument *is;
} emit_argument;

/* In the order of their words; none when the kernel declares none. */
typedef struct emit_arguments {
    const emit_argument *at;
    size_t count;
} emit_arguments;

typedef struct emit_options {
    unsigned arch;            /* number of the emit_arch: 75 for sm_75 */
    uint32_t wave_width;      /* of the kernels */
    bool fp_fast;             /* the vendor's fsin, fcos, fexp2, flog2 and float atomics */
    bool bounds;              /* check every access against the sizes of the memories */
    bool assert_trap;         /* asserts are checked; otherwise they are left out */
    bool unoptimised;         /* -O0: only the vendor's compiler folds and simplifies */
    bool debug;               /* show the instruction each group of lines comes from */
    const char *source;       /* name of the file compiled, or NULL */
    const char *const *files; /* those that lines are in; a name that is NULL: `source` */
    uint32_t file_count;
    const char *command; /* how the text was made, for its first comment, or NULL */
    const char *symbol;  /* of the kernel: see emit_symbols */
    uint32_t uses;       /* WAVE_USES_… of the kernel, before any optimisation */
    emit_arguments arguments;

    /* For `debug`: appends the instruction at a byte offset of the kernel's code and tells its
     * line. NULL: no text. */
    void (*instruction)(void *context, uint32_t pc, buf *text, emit_line *line);
    void *instruction_context;
} emit_options;

/* The name of file number 1 …, or NULL when there is none. */
static inline const char *emit_file(const emit_options *o, uint32_t number) {
    const char *name = number && number <= o->file_count ? o->files[number - 1] : NULL;
    return name || !number || number > o->file_count ? name : o->source;
}

/* ---- names.c ---- */

/* The entry symbols of a file's kernels, in their order: the name itself where the target can take
 * it, with a trailing _ when it is reserved there, spelled out in hexadecimal where it is no
 * identifier; wave_kernel and wave_kernel_<i> for anonymous ones. No two are the same. False when
 * out of memory. */
bool emit_symbols(emit_target target, const char *const *names, size_t count, arena *memory,
                  const char **symbols);
bool emit_is_reserved(emit_target target, const char *name);

/* ---- vendor_names.c ---- */

bool emit_is_vendor_name(emit_target target, const char *name);

/* ---- arguments.c ---- */

/* Those of a kernel that take words, in `memory`. False when out of memory. */
bool emit_find_arguments(const wave_argument *arguments, size_t count, arena *memory,
                         emit_arguments *out);
/* The member that this word is part of; NULL when there are no members. */
const emit_argument *emit_argument_at(const emit_arguments *arguments, uint32_t word);
/* Where a structure of arguments stands: in a host's header or in a kernel, there with 64-bit
 * numbers as they are (the structure is then packed to 4 bytes) or as two words. */
typedef enum emit_structure {
    EMIT_STRUCTURE_HOST,
    EMIT_STRUCTURE_WHOLE,
    EMIT_STRUCTURE_WORDS
} emit_structure;
void emit_put_structure(const emit_arguments *arguments, const char *symbol, emit_structure kind,
                        buf *out);
/* Whether the word is that of a buffer that nothing writes while the kernel runs: contained,
 * read only, overlapping no other. */
bool emit_is_constant(const emit_arguments *arguments, uint32_t word);
/* A scalar of 64 bits. */
bool emit_is_wide(const wave_argument *argument);

/* ---- A file on its way ---- */

typedef struct emit_unit {
    buf text;                 /* of the kernels */
    uint64_t used;            /* helpers they use; see c_printer.h */
    uint32_t uses;            /* EMIT_USES_… of any kernel */
    const uint8_t *constants; /* constant memory, when a kernel reads it */
    uint32_t constant_size;
} emit_unit;

enum { EMIT_USES_F16 = 1, EMIT_USES_F64 = 2, EMIT_USES_CONSTANTS = 4 };

/* One target. Kernels come one after the other; the top of the file is printed last, when it is
 * known what they need. */
typedef struct emit_backend {
    const char *name, *suffix; /* "ptx", ".ptx" */
    const emit_arch *archs;    /* the first is the default */
    /* A kernel that is verified and lowered (convergence, MMA, and math unless fp_fast). False with
     * a diagnostic (E_TARGET_…, E_IR, E_MEMORY); the unit then holds rubbish. */
    bool (*kernel)(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags);
    /* Everything above the kernels. */
    void (*top)(const emit_options *o, const emit_unit *unit, buf *out);
    /* Whether a function or type of that name may be printed on top of a file; may be NULL. */
    bool (*reserves)(const char *name);
} emit_backend;

extern const emit_backend emit_ptx, emit_hip, emit_sycl, emit_msl;
extern const emit_backend *const emit_backends[EMIT_TARGET_COUNT];
const emit_arch *emit_find_arch(const emit_backend *target, const char *name); /* NULL: unknown */
const emit_arch *emit_arch_of(const emit_backend *target, unsigned number);    /* the same */
/* False with E_TARGET_LIMIT when the kernel's workgroup, its local memory or its wave is more than
 * the architecture has. */
bool emit_within_limits(const emit_backend *target, const ir_func *f, const emit_options *o,
                        wave_diags *diags);
/* Special registers whose value is known before the kernel runs. */
bool emit_special_constant(const ir_func *f, uint64_t special, uint32_t *value);
/* ---- Constant memory: one array for the file ---- */

#define EMIT_CONSTANTS "wave_constants"
/* Puts it into the unit when the kernel has loads from it. */
void emit_note_constants(const ir_func *f, emit_unit *unit);
unsigned emit_constant_words(const emit_unit *unit); /* whole 16 bytes, at least one time */
/* Bytes of a kernel's private memory as an array, which has some even where every access is
 * outside. */
unsigned emit_private_bytes(const ir_func *f);
/* The words between the braces of an initialiser, each with a suffix. */
void emit_put_constants(const emit_unit *unit, const char *suffix, buf *out);

/* Text from outside, in a comment: nothing in it may end the line, and ptxas takes ASCII only. */
void emit_comment_text(buf *out, const char *text);
void emit_quoted_name(buf *out, const char *name); /* the same, between quotes */

#endif
