/* The instruction set as data: enumerators, one descriptor per instruction, and lookup by encoding.
 * Facts only; nothing here decodes files, parses text or executes. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum isa_op {
    ISA_NONE = 0, /* no such instruction */
#define INSN(id, ...) ISA_##id,
#include "isa/isa.def"
#undef INSN
    ISA_OP_COUNT
} isa_op;

typedef enum isa_role {
    ISA_ROLE_NONE,
    ISA_ROLE_W,   /* general register, written */
    ISA_ROLE_W2,  /* register pair, written */
    ISA_ROLE_W4,  /* register quad, written */
    ISA_ROLE_WA,  /* atomic result: written unless the field is 0 */
    ISA_ROLE_WA2, /* the same, a pair */
    ISA_ROLE_R,
    ISA_ROLE_R2,
    ISA_ROLE_R4,
    ISA_ROLE_PW, /* predicate, written */
    ISA_ROLE_PR, /* predicate, read */
    ISA_ROLE_PN, /* predicate, read; bit 7 negates it (extension) */
    ISA_ROLE_SR,
    ISA_ROLE_FA, /* MMA fragment numbers: literal, no register is read */
    ISA_ROLE_FB,
    ISA_ROLE_FC,
    ISA_ROLE_WTA, /* tiles of the wave, by bank: written */
    ISA_ROLE_WTB,
    ISA_ROLE_WTC,
    ISA_ROLE_TA, /* read */
    ISA_ROLE_TB,
    ISA_ROLE_TC,
    ISA_ROLE_ABTYPE, /* isa_tile_type: all but i32 */
    ISA_ROLE_CTYPE,  /* f32 or i32 */
    ISA_ROLE_PLACE   /* ISA_TILE_COL, ISA_TILE_DEVICE */
} isa_role;

typedef enum isa_tail { ISA_TAIL_NONE, ISA_TAIL_SCOPE, ISA_TAIL_IMM, ISA_TAIL_TARGET } isa_tail;

typedef enum isa_type {
    ISA_TYPE_VOID,
    ISA_TYPE_U32,
    ISA_TYPE_F32,
    ISA_TYPE_F16,
    ISA_TYPE_F16X2,
    ISA_TYPE_BF16,
    ISA_TYPE_BF16X2,
    ISA_TYPE_F64,
    ISA_TYPE_PRED,
    ISA_TYPE_U64,
    ISA_TYPE_U128
} isa_type;

typedef enum isa_class {
    ISA_CLASS_INT,
    ISA_CLASS_FLOAT,
    ISA_CLASS_MEMORY,
    ISA_CLASS_CONTROL,
    ISA_CLASS_WAVE,
    ISA_CLASS_ATOMIC,
    ISA_CLASS_COUNT
} isa_class;

enum {
    ISA_PURE = 1 << 0,       /* result depends on operands only, no effect */
    ISA_READS = 1 << 1,      /* reads memory */
    ISA_WRITES = 1 << 2,     /* writes memory */
    ISA_CONVERGENT = 1 << 3, /* its effect depends on which lanes execute it together */
    ISA_MAY_TRAP = 1 << 4,
    ISA_CONTROL = 1 << 5,    /* changes the active lanes or the program counter */
    ISA_UNGUARDED = 1 << 6,  /* a guard is malformed */
    ISA_LOCAL = 1 << 7,      /* touches local memory */
    ISA_DEVICE = 1 << 8,     /* touches device memory; with ISA_LOCAL: a field selects */
    ISA_EXTENSION = 1 << 9,  /* needs the EXT flag of the file */
    ISA_NEWMNEM = 1 << 10,   /* plain v0.4 encoding without an upstream mnemonic */
    ISA_UPSTREAM8 = 1 << 11, /* upstream's label arithmetic counts 8 bytes (4 for all others) */
    ISA_PRIVATE = 1 << 12,   /* touches private memory */
    ISA_CONSTANT = 1 << 13,  /* reads constant memory */
    ISA_UNCACHED = 1 << 14,  /* cache hints, of device accesses */
    ISA_STREAMING = 1 << 15
};

enum { ISA_FIELD_RD, ISA_FIELD_RS1, ISA_FIELD_RS2, ISA_FIELD_RS3, ISA_FIELD_RS4, ISA_FIELDS };

typedef struct isa_desc {
    char mnemonic[28]; /* not a pointer, which would be relocated at every start */
    uint8_t opcode;
    uint8_t modifier;
    uint8_t words;
    uint8_t role[ISA_FIELDS]; /* isa_role of rd, rs1, rs2, rs3, rs4 */
    uint8_t tail;             /* isa_tail */
    uint8_t src_type;         /* isa_type */
    uint8_t result_type;      /* isa_type */
    uint8_t bytes;            /* per memory access, or 0 */
    uint8_t klass;            /* isa_class */
    uint16_t flags;
} isa_desc;

/* Indexed by isa_op; row 0 is empty. */
extern const isa_desc isa_table[ISA_OP_COUNT];

/* Indexed by opcode << 4 | modifier; ISA_NONE if undefined. */
extern const uint16_t isa_by_encoding[4096];

/* True when some modifier of the opcode is defined. */
bool isa_opcode_defined(uint8_t opcode);

/* ISA_NONE when there is no such mnemonic; alias.h has further names. */
isa_op isa_find_name(const char *name, size_t length);

enum { ISA_HINT_CACHED, ISA_HINT_UNCACHED, ISA_HINT_STREAMING, ISA_HINT_COUNT };
extern const char *const isa_hint_name[ISA_HINT_COUNT];
/* The variant of a plain device load or store with the hint; ISA_NONE for all other
 * instructions. */
isa_op isa_with_hint(isa_op op, unsigned hint);

typedef enum isa_special {
#define SPECIAL(id, name) ISA_SR_##id,
#include "isa/special.def"
#undef SPECIAL
    ISA_SPECIAL_COUNT
} isa_special;

/* Special registers from here on need the EXT flag of the file. */
enum { ISA_SPECIAL_EXTENDED = ISA_SR_TILE_M };

extern const char *const isa_special_name[ISA_SPECIAL_COUNT];
/* -1 when there is no such name. */
int isa_find_special(const char *name, size_t length);

enum { ISA_SCOPE_WAVE, ISA_SCOPE_WORKGROUP, ISA_SCOPE_DEVICE, ISA_SCOPE_SYSTEM, ISA_SCOPE_COUNT };
extern const char *const isa_scope_name[ISA_SCOPE_COUNT];

/* Limits of ISA.md 3.5 and the launcher's defaults for fields a kernel leaves 0. */
enum {
    ISA_MAX_REGISTERS = 256,
    ISA_MAX_LOCAL = 65536,
    ISA_MAX_THREADS = 1024,
    ISA_MAX_WAVES = 64,
    ISA_MAX_WIDTH = 64,
    ISA_MAX_CALL_DEPTH = 8,
    ISA_MAX_DEPTH = 256,
    ISA_PORTABLE_DEPTH = 32,
    ISA_DEFAULT_REGISTERS = 32,
    ISA_DEFAULT_LOCAL = 16384,
    ISA_PREDICATES = 4
};

/* The number of registers the role covers: 1, 2 or 4; 0 when it does not name a general
 * register. */
static inline unsigned isa_role_registers(isa_role role) {
    switch (role) {
    case ISA_ROLE_W:
    case ISA_ROLE_WA:
    case ISA_ROLE_R: return 1;
    case ISA_ROLE_W2:
    case ISA_ROLE_WA2:
    case ISA_ROLE_R2: return 2;
    case ISA_ROLE_W4:
    case ISA_ROLE_R4: return 4;
    default: return 0;
    }
}

static inline bool isa_role_is_predicate(isa_role role) {
    return role == ISA_ROLE_PW || role == ISA_ROLE_PR || role == ISA_ROLE_PN;
}

static inline bool isa_role_is_tile(isa_role role) {
    return role >= ISA_ROLE_WTA && role <= ISA_ROLE_TC;
}

/* The number of operands of a field in assembly text. */
static inline unsigned isa_role_operands(isa_role role) {
    if (role < ISA_ROLE_ABTYPE)
        return role != ISA_ROLE_NONE;
    return role == ISA_ROLE_PLACE ? 2 : 0;
}

static inline bool isa_role_discards(isa_role role) {
    return role == ISA_ROLE_WA || role == ISA_ROLE_WA2;
}

/* An atomic that changes memory may discard its result, and its text then omits it. One that only
 * loads always names it. */
static inline bool isa_result_optional(const isa_desc *desc) {
    return isa_role_discards((isa_role)desc->role[ISA_FIELD_RD]) && (desc->flags & ISA_WRITES);
}

static inline bool isa_role_writes(isa_role role) {
    return role == ISA_ROLE_W || role == ISA_ROLE_W2 || role == ISA_ROLE_W4 ||
           isa_role_discards(role);
}

#endif
