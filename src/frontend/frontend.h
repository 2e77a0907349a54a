/* The decoded form of a WBIN file, for the disassembler, the emulator and the IR builder. Reading
 * and checking the bytes is in wbin.c, decode.c and validate.c. */
#ifndef FRONTEND_FRONTEND_H
#define FRONTEND_FRONTEND_H

#include "base/arena.h"
#include "base/diag.h"
#include "frontend/wbin_ext.h"
#include "isa/isa.h"

/* One instruction, 16 bytes. */
typedef struct fe_insn {
    uint16_t op;      /* isa_op */
    uint8_t guard;    /* FE_GUARD_… bits; 0: no guard */
    uint8_t field[5]; /* rd, rs1, rs2, rs3, rs4 as encoded; index with ISA_FIELD_… */
    union {
        uint32_t imm;   /* ISA_TAIL_IMM; the word itself when op is ISA_NONE */
        uint32_t scope; /* ISA_SCOPE_… if the tail is a scope */
        /* Index of the instruction this one belongs to: if -> its else, or its endif when there is
         * none; else -> endif; endif -> if; loop -> endloop; endloop -> loop; break, continue ->
         * loop; call -> target. */
        uint32_t partner;
    };
    uint32_t pc; /* byte offset from the start of the kernel's code */
} fe_insn;

_Static_assert(sizeof(fe_insn) == 16, "the decoded form is compact");

enum {
    FE_GUARD_REG = 3,      /* mask of the predicate number */
    FE_GUARD_NEG = 4,      /* as in word0 bits 2:0; 0 means unguarded, not @p0 */
    FE_OPERAND_NEG = 0x80, /* in a field of ISA_ROLE_PN */
    FE_OPERAND_PRED = 0x03
};

typedef struct fe_kernel {
    wave_kernel_info info;
    const fe_insn *insns;    /* info.instructions of them; malloc */
    const uint8_t *code;     /* info.code_size bytes inside the file */
    uint32_t register_limit; /* registers that exist: info.registers, or 32 when that is 0 */
    fe_kernel_extras extras; /* its entries in the extension table */
    uint64_t reads[4];       /* registers that may be read before they are written, one bit each */
} fe_kernel;

struct wave_module {
    arena memory;
    const uint8_t *data; /* borrowed */
    size_t size;
    void *owned;          /* freed with the module; NULL: nothing */
    uint32_t code_offset; /* of the code section in the file */
    bool extended;        /* EXT flag */
    bool stripped;        /* no symbol section */
    wave_mode mode;
    bool reinterpreted; /* instructions differ in meaning from their bytes: fix_upstream_cvt */
    fe_kernel *kernels;
    size_t kernel_count;
    fe_extras extras;
};

/* Size of a kernel's local memory in bytes; 0 when it uses none. */
uint32_t fe_local_memory(const wave_kernel_info *info);

/* ---- wbin.c: the container ---- */

typedef struct fe_record {
    const char *name; /* NULL: anonymous */
    size_t name_length;
    uint32_t registers, local_memory, workgroup[3];
    const uint8_t *code;
    uint32_t code_offset; /* in the code section; the writer computes its own */
    uint32_t code_size;
} fe_record;

typedef struct fe_container {
    const uint8_t *data;
    size_t size;
    uint32_t code_offset, code_size;
    bool extended, stripped;
    fe_record *records; /* in the arena; their number is checked against the file's size */
    size_t record_count;
    fe_extras extras;
} fe_container;

/* False when an error was reported. The records are filled as far as they could be read, with code
 * NULL if it is unusable. Names and code point into `data` (a repaired name into the arena). */
bool fe_read_container(const void *data, size_t size, const wave_load_options *options,
                       arena *memory, fe_container *out, wave_diags *diags);

/* Writes header, code, symbols (unless stripped), metadata, and the sections of `extras` (NULL:
 * none; upper-case ones set the EXT flag). False when a size exceeds 32 bits. upstream_metadata:
 * write metadata_offset 0 in a stripped file, as upstream does. */
bool fe_write_container(const fe_record *records, size_t count, bool extended, bool stripped,
                        bool upstream_metadata, const fe_extras *extras, buf *out);

/* ---- decode.c ---- */

/* Decodes one instruction at `offset` of a kernel's code; `*size` is 4 or 8, and 4 when the words
 * do not decode. For an undefined opcode or modifier, or a missing second word, insn->op is
 * ISA_NONE. Does not check reserved bits or ranges. */
void fe_decode_one(const uint8_t *code, uint32_t code_size, uint32_t offset, fe_insn *insn,
                   uint32_t *size);
/* The index of the instruction at a byte offset, or UINT32_MAX. Instructions are in order of
 * their offsets. */
uint32_t fe_find_pc(const fe_insn *insns, uint32_t count, uint32_t pc);
static inline const fe_insn *fe_insn_at(const fe_kernel *kernel, uint32_t pc) {
    uint32_t index = fe_find_pc(kernel->insns, kernel->info.instructions, pc);
    return index == UINT32_MAX ? NULL : &kernel->insns[index];
}

/* ---- validate.c, structure.c ---- */

/* One kernel being loaded. Reports refer to the kernel by `name`. */
typedef struct fe_context {
    const fe_record *record;
    const char *name; /* NUL-terminated */
    unsigned index;   /* of the kernel in the file */
    bool alone;       /* it is the only kernel */
    wave_load_options options;
    bool extended;
    const fe_kernel_extras *extras; /* NULL: none */
    wave_diags *diags;
    size_t errors;
} fe_context;

/* Decodes and checks the kernel, reporting every problem. False when there was an error. In either
 * case the caller frees out->insns. */
bool fe_load_kernel(fe_context *context, fe_kernel *out);

/* ---- module.c ---- */

/* wave_module_load for WBIN only. */
wave_status fe_module_load(const void *data, size_t size, const wave_load_options *options,
                           wave_module **module, wave_diags *diags);
/* Transfers ownership of the bytes (malloc) to the module. */
void fe_module_keep(wave_module *module, void *data);

/* Adds source lines from the file to the diagnostics from number `first` on, which are about this
 * kernel. `diags` may be NULL. */
void fe_locate(const fe_extras *extras, const fe_kernel_extras *kernel, wave_diags *diags,
               size_t first);

/* ---- args.c ---- */

/* Results of fe_find_arguments besides info.argument_words. */
typedef struct fe_register_use {
    uint32_t named;     /* registers the instructions name: the highest number + 1 */
    uint32_t undefined; /* the first at or above the declared words that may be read before it is
                           written; UINT32_MAX: none */
} fe_register_use;

/* Fills info.argument_words of a kernel whose structure is valid: `declared` if not 0, else what
 * the code reads. `targets` are the indices of call targets, in any order, possibly with
 * duplicates. False when out of memory. */
bool fe_find_arguments(fe_kernel *kernel, uint32_t declared, const uint32_t *targets,
                       uint32_t target_count, fe_register_use *use);

/* ---- json.c ---- */

/* One argument as an object, on one line. */
void fe_argument_json(const wave_argument *argument, buf *out);

/* ---- text.c: one instruction as assembly, for diagnostics, traces and the disassembler ---- */

/* Writes "[@p1 ]mnemonic operands" without a newline, or ".unknown 0xOP ; WORD". `kernel_index`
 * names call targets; `insns` is the kernel's code, or NULL while a call's imm is still the byte
 * offset of its target, as fe_decode_one leaves it. */
void fe_insn_text(buf *out, const fe_insn *insn, const fe_insn *insns, unsigned kernel_index);

/* The mnemonic of the instruction; for a tile, including the element type if it has one. */
const char *fe_mnemonic(const fe_insn *insn);

#endif
