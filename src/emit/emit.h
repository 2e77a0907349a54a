/* The emitters: one function per target, from a lowered kernel to the target's text.
 *
 * This folder holds what all targets share: entry symbols (names.c), the placement of values
 * (materialise.c), and the printer of the C family (c_printer.h). Target-specific text is in each
 * target's folder. */
#ifndef EMIT_EMIT_H
#define EMIT_EMIT_H

#include "base/arena.h"
#include "ir/ir.h"

/* Keeps a function out of line, so that it does not compete with its caller for machine
 * registers. */
#if defined(__GNUC__) || defined(__clang__)
#define EMIT_OUTLINE __attribute__((noinline))
#else
#define EMIT_OUTLINE
#endif

typedef enum emit_target { EMIT_PTX, EMIT_HIP, EMIT_SYCL, EMIT_MSL, EMIT_TARGET_COUNT } emit_target;

/* An architecture of a target. The last entry of a list has no name. */
typedef struct emit_arch {
    const char *name;      /* "sm_75" */
    unsigned number;       /* 75; 0x942 for gfx942; 32 for metal3.2 */
    uint32_t local_memory; /* bytes available to a workgroup */
    uint32_t widths;       /* supported wave widths, as a sum of powers of two */
    uint32_t width;        /* the default width */
    uint32_t most_z;       /* maximum threads of a workgroup in z */
} emit_arch;

/* The source line of an instruction. */
typedef struct emit_line {
    uint32_t file; /* index in emit_options.files, from 1 */
    uint32_t line; /* 0: unknown */
    uint32_t column;
} emit_line;

/* A declared argument that occupies words: a member of the kernel's structure of arguments. */
typedef struct emit_argument {
    const char *name; /* an identifier on every target and host, unique among the members */
    const wave_argument *is;
} emit_argument;

/* In the order of their words; empty if the kernel declares none. */
typedef struct emit_arguments {
    const emit_argument *at;
    size_t count;
} emit_arguments;

/* A name that the source gives to a register, indexed by its number in the file's list, from 1. */
typedef struct emit_register {
    const char *name; /* NULL: no target can use it */
    uint16_t first;   /* the first number with this name */
} emit_register;

typedef struct emit_registers {
    const emit_register *at;
    size_t count;
} emit_registers;

typedef struct emit_options {
    unsigned arch;            /* number of the emit_arch: 75 for sm_75 */
    uint32_t wave_width;      /* of the kernels */
    bool fp_fast;             /* the vendor's approximations and float atomics */
    bool bounds;              /* check every access against the sizes of the memories */
    bool assert_trap;         /* asserts are checked; otherwise they are left out */
    bool unoptimised;         /* -O0: folding and simplifying is left to the vendor's compiler */
    bool debug;               /* show the instruction that each group of lines comes from */
    const char *source;       /* name of the compiled file, or NULL */
    const char *const *files; /* files that lines refer to; NULL in the list means `source` */
    uint32_t file_count;
    const char *command; /* command that made the text, for its first comment, or NULL */
    const char *symbol;  /* of the kernel: see emit_symbols */
    uint32_t uses;       /* WAVE_USES_… of the kernel, before any optimisation */
    emit_arguments arguments;
    emit_registers registers;

    /* For `debug`: appends the instruction at a byte offset of the kernel's code and sets its line.
     * NULL: no text. */
    void (*instruction)(void *context, uint32_t pc, buf *text, emit_line *line);
    void *instruction_context;
} emit_options;

/* The name of a file by its number, from 1, or NULL if there is none. */
static inline const char *emit_file(const emit_options *o, uint32_t number) {
    const char *name = number && number <= o->file_count ? o->files[number - 1] : NULL;
    return name || !number || number > o->file_count ? name : o->source;
}

/* ---- names.c ---- */

/* The entry symbols of a file's kernels, in order: the name itself if the target accepts it, with a
 * trailing _ if it is reserved there, with bytes spelled in hexadecimal if it is not an identifier;
 * wave_kernel and wave_kernel_<i> for anonymous kernels. Symbols are unique. False when out of
 * memory. */
bool emit_symbols(emit_target target, const char *const *names, size_t count, arena *memory,
                  const char **symbols);
bool emit_is_reserved(emit_target target, const char *name);

/* ---- vendor_names.c ---- */

bool emit_is_vendor_name(emit_target target, const char *name);

/* ---- arguments.c ---- */

/* The arguments of a kernel that occupy words, in `memory`. False when out of memory. */
bool emit_find_arguments(const wave_argument *arguments, size_t count, arena *memory,
                         emit_arguments *out);
/* The member that contains this word; NULL if there are no members. */
const emit_argument *emit_argument_at(const emit_arguments *arguments, uint32_t word);
/* Where a structure of arguments is printed: in a host's header, or in a kernel with 64-bit numbers
 * either as such (the structure is then packed to 4 bytes) or as two words. */
typedef enum emit_structure {
    EMIT_STRUCTURE_HOST,
    EMIT_STRUCTURE_WHOLE,
    EMIT_STRUCTURE_WORDS
} emit_structure;
void emit_put_structure(const emit_arguments *arguments, const char *symbol, emit_structure kind,
                        buf *out);
/* Whether the word belongs to a buffer that nothing writes while the kernel runs: contained,
 * read-only and disjoint from all others. */
bool emit_is_constant(const emit_arguments *arguments, uint32_t word);
/* Whether the argument is a 64-bit scalar. */
bool emit_is_wide(const wave_argument *argument);
/* Whether the name is a letter followed by letters, digits and _. */
bool emit_is_plain(const char *name);
/* Whether the name is already used by a target of the C family or by the text printed for it. */
bool emit_is_taken(const char *name);

/* ---- registers.c ---- */

/* The register names of a kernel's file, as names of variables. */
bool emit_find_registers(const wave_register_name *names, size_t count,
                         const emit_arguments *arguments, arena *memory, emit_registers *out);

/* ---- A file under construction ---- */

typedef struct emit_unit {
    buf text;                 /* of the kernels */
    uint64_t used;            /* helpers they use; see c_printer.h */
    uint32_t uses;            /* EMIT_USES_… of any kernel */
    const uint8_t *constants; /* constant memory, when a kernel reads it */
    uint32_t constant_size;
} emit_unit;

enum { EMIT_USES_F16 = 1, EMIT_USES_F64 = 2, EMIT_USES_CONSTANTS = 4, EMIT_USES_ATOMIC64 = 8 };

struct c_target; /* c_printer.h */

/* One target. Kernels are printed one after the other. The top of the file is printed last, once it
 * is known what they need. */
typedef struct emit_backend {
    const char *name, *suffix; /* "ptx", ".ptx" */
    const emit_arch *archs;    /* the first is the default */
    const struct c_target *c;  /* the table of a target of the C family, or NULL */
    /* The first architecture whose accesses cannot add a 32-bit offset to a 64-bit address; 0:
     * none, or it is not known. */
    unsigned advances_from;
    /* The matrix units that a kernel, as built, can use on an architecture; `native`: their results
     * may differ from the emulator's. NULL: those in the table `c`, or none without a table. */
    ir_units (*units)(const ir_func *f, unsigned arch, bool native);
    /* Prints a kernel that is verified and lowered (convergence, MMA, and math unless fp_fast).
     * False with a diagnostic (E_TARGET_…, E_IR, E_MEMORY); the unit's contents are then
     * undefined. */
    bool (*kernel)(const ir_func *f, const emit_options *o, emit_unit *unit, wave_diags *diags);
    /* Prints everything above the kernels. */
    void (*top)(const emit_options *o, const emit_unit *unit, buf *out);
    /* Whether the top of a file may define a function or type of that name. NULL: the helpers in
     * the table `c`. */
    bool (*reserves)(const char *name);
} emit_backend;

/* See emit_backend. */
ir_units emit_units(const emit_backend *target, const ir_func *f, unsigned arch, bool native);
bool emit_reserves(const emit_backend *target, const char *name);

extern const emit_backend emit_ptx, emit_hip, emit_sycl, emit_msl;
extern const emit_backend *const emit_backends[EMIT_TARGET_COUNT];
const emit_arch *emit_find_arch(const emit_backend *target, const char *name); /* NULL: unknown */
const emit_arch *emit_arch_of(const emit_backend *target, unsigned number);    /* the same */
/* False with E_TARGET_LIMIT if the kernel's workgroup, local memory or wave width exceeds the
 * limits of the architecture. */
bool emit_within_limits(const emit_backend *target, const ir_func *f, const emit_options *o,
                        wave_diags *diags);
/* Special registers whose value is known before the kernel runs. */
bool emit_special_constant(const ir_func *f, uint64_t special, uint32_t *value);

/* Bytes of dynamic shared memory that the launch of a PTX kernel with this much local memory must
 * request; 0: none. Up to 48 KiB, the most that PTX allows, local memory is static. */
static inline uint32_t emit_ptx_dynamic(uint32_t local_memory) {
    return local_memory > 48 * 1024 ? local_memory : 0;
}

/* ---- Constant memory: one array per file ---- */

#define EMIT_CONSTANTS "wave_constants"
/* Adds constant memory to the unit, for a kernel that loads from it. */
void emit_note_constants(const ir_func *f, emit_unit *unit);
unsigned emit_constant_words(const emit_unit *unit); /* a multiple of 16 bytes, at least 16 */
/* Whether the launch contract has the two status words for asserts. */
static inline bool emit_has_status(const emit_options *o) {
    return o->assert_trap && (o->uses & WAVE_USES_ASSERT);
}
/* Threads of a workgroup; 0: not fixed by the kernel. */
static inline uint32_t emit_group_threads(const ir_func *f) {
    return f->workgroup[0] * f->workgroup[1] * f->workgroup[2];
}
/* Bytes of the array for a kernel's private memory. Never 0, even if every access is out of
 * bounds. */
unsigned emit_private_bytes(const ir_func *f);
/* The words of an initialiser without its braces, each with a suffix. */
void emit_put_constants(const emit_unit *unit, const char *suffix, buf *out);

/* External text in a comment: nothing in it may end the line, and ptxas accepts ASCII only. */
void emit_comment_text(buf *out, const char *text);
void emit_quoted_name(buf *out, const char *name); /* the same, between quotes */
/* The end of a file's first comment line, ", compiled from FILE", and the command's line. */
void emit_put_source(const emit_options *o, buf *out);
/* Lines of the comment with a kernel's launch contract: its name, and the size of its workgroup. */
void emit_put_kernel_name(const ir_func *f, const emit_options *o, buf *out);
void emit_put_workgroup(const ir_func *f, buf *out);

/* The place of an operation's instruction, for diagnostics. */
diag_place emit_place(const ir_func *f, ir_value v);
/* Reports an operation that no emitter can print. */
void emit_report_unlowered(const ir_func *f, ir_value v, wave_diags *diags);

#endif
