/* A SPIR-V module after reading and checking: the result of the reader (read.c and related files)
 * for the IR builder, and the conversion from SPIR-V to WBIN as one call.
 *
 * Guarantees for a module that spirv_read accepted:
 * - every id is below `bound`, defined once, and of the kind that the grammar requires: a type, a
 *   label, a function or a value; operands and results have the types the specification requires;
 * - instructions are in the order of the specification's logical layout; blocks end in a terminator
 *   and are targets only inside their own function; OpPhi comes first in its block and names each
 *   predecessor once;
 * - constants are folded, specialisation constants have their final value;
 * - nothing is outside the Kernel set: images, samplers, pipes, queues are rejected by name.
 * The reader does not check dominance: the definition of a used id may not have been executed. Code
 * with a dominator tree checks it with E_SPIRV_DOMINANCE (a definition reaches a use when its block
 * dominates the use's block, or precedes it in the same block; the use of an OpPhi is at the end of
 * the predecessor). Recursion is not checked either. */
#ifndef SPIRV_SPIRV_H
#define SPIRV_SPIRV_H

#include "base/arena.h"
#include "base/diag.h"
#include "spirv/enums.h"

typedef uint32_t spirv_id; /* 0: none */

/* ---- Instructions ---- */

/* Word i of an instruction is m->words[insn->word + i]; word 0 is count and opcode. */
typedef struct spirv_insn {
    uint32_t word; /* index of its first word in the file, including the header */
    uint16_t op;   /* spirv_op */
    uint16_t count;
    spirv_id type, result; /* 0: it has none */
    uint32_t place;        /* index in spirv_module.places */
} spirv_insn;

/* The source location, from OpLine or debug information. places[0]: unknown. */
typedef struct spirv_place {
    const char *file; /* never NULL */
    uint32_t line, column;
} spirv_place;

/* ---- Types ---- */

typedef enum spirv_type_kind {
    SPIRV_VOID,
    SPIRV_BOOL,
    SPIRV_INT,   /* bits 8, 16, 32 or 64 */
    SPIRV_FLOAT, /* bits 16, 32 or 64 */
    SPIRV_VECTOR,
    SPIRV_ARRAY,
    SPIRV_STRUCT,
    SPIRV_POINTER,
    SPIRV_FUNCTION,
    SPIRV_EVENT,
    SPIRV_OPAQUE /* OpTypeOpaque: only usable through pointers */
} spirv_type_kind;

typedef struct spirv_member {
    spirv_id type;
    uint32_t offset; /* by the rules of C, or packed with CPacked */
} spirv_member;

typedef struct spirv_type {
    spirv_id id;
    uint8_t kind; /* spirv_type_kind */
    uint8_t bits; /* of an integer or float; 32 for pointers, 1 for bool */
    bool is_signed;
    uint8_t storage;      /* spirv_storage, of a pointer */
    spirv_id element;     /* of a vector, array or pointer; what a function returns */
    uint8_t depth;        /* nesting of arrays and structures */
    uint32_t count;       /* components, elements, members or parameters; 1 for scalars */
    uint32_t size, align; /* in memory: a vector of 3 takes 4, a bool 1; 0: has no size */
    union {
        const spirv_member *members;
        const spirv_id *parameters;
    };
} spirv_type;

/* ---- Constants ---- */

typedef enum spirv_constant_kind {
    SPIRV_SCALAR,    /* bits: a bool, integer (its upper bits are 0), float, number as a pointer */
    SPIRV_COMPOSITE, /* elements: constants, one per component, element or member */
    SPIRV_NULL,      /* zeros of any type */
    SPIRV_UNDEF,
    SPIRV_ADDRESS /* of a global variable and an offset in bytes, as a pointer or an integer; the
                     variable itself too */
} spirv_constant_kind;

typedef struct spirv_constant {
    spirv_id id, type;
    uint8_t kind; /* spirv_constant_kind */
    uint64_t bits;
    const spirv_id *elements;
    uint32_t count;
    spirv_id variable;
    int64_t offset;
} spirv_constant;

/* ---- Decorations ---- */

typedef struct spirv_decoration {
    uint32_t decoration; /* spirv_decoration_kind */
    uint32_t member;     /* UINT32_MAX: of the id itself */
    const uint32_t *operands;
    uint32_t count;
} spirv_decoration;

/* ---- Variables, functions, entry points ---- */

typedef struct spirv_variable {
    spirv_id id, type;    /* the type is a pointer */
    spirv_id initializer; /* a constant; 0: none */
    uint8_t storage;
    int32_t builtin;  /* spirv_builtin; -1: none */
    uint32_t align;   /* by the decoration or the type */
    const char *name; /* OpName or "%31": for messages */
    bool imported;
} spirv_variable;

typedef struct spirv_block {
    spirv_id label;
    uint32_t first; /* index in spirv_module.insns of the instruction after the label */
    uint32_t count; /* including the terminator, which is the last */
    /* Blocks of this function, in the order of the terminator's operands: OpBranch 1;
     * OpBranchConditional 2; OpSwitch the default and one per case. */
    const uint32_t *targets;
    uint32_t target_count;
} spirv_block;

typedef struct spirv_function {
    spirv_id id, type, result; /* the OpTypeFunction; what it returns */
    uint32_t insn;             /* of the OpFunction */
    const spirv_id *parameters;
    uint32_t parameter_count;
    const spirv_block *blocks; /* blocks[0] is the entry */
    uint32_t block_count;      /* 0: an import */
    const char *name;          /* linkage name, entry point's name or OpName; may be "" */
} spirv_function;

typedef struct spirv_argument {
    spirv_id id, type;
    const char *name;   /* "" when unnamed */
    spirv_id by_value;  /* the structure's type if the parameter is a ByVal pointer, else 0 */
    bool sign_extended; /* FuncParamAttr Sext: a signed integer smaller than 32 bits */
    bool no_write, no_alias;
    uint8_t source_type; /* the wave_type of the scalars of its type in the source; BYTES for a
                          * structure or another type, WAVE_TYPE_COUNT if the module does not say */
} spirv_argument;

typedef struct spirv_entry {
    const char *name;
    uint32_t function;               /* index in spirv_module.functions */
    uint32_t workgroup[3];           /* reqd_work_group_size; 0,0,0: chosen at launch */
    const spirv_argument *arguments; /* one per parameter of the function */
    uint32_t argument_count;
} spirv_entry;

/* ---- The module ---- */

/* The kind of an id; `index` is an index into the list of its kind. */
typedef enum spirv_id_kind {
    SPIRV_ID_NONE,
    SPIRV_ID_TYPE,      /* types */
    SPIRV_ID_CONSTANT,  /* constants; OpUndef at module level too */
    SPIRV_ID_VARIABLE,  /* variables: the global ones */
    SPIRV_ID_FUNCTION,  /* functions */
    SPIRV_ID_PARAMETER, /* position in its function */
    SPIRV_ID_LABEL,     /* index of the block in its function */
    SPIRV_ID_VALUE,     /* result of an instruction of a function; index 0 */
    SPIRV_ID_STRING,
    SPIRV_ID_SET, /* OpExtInstImport; index: spirv_set */
    SPIRV_ID_GROUP,
    SPIRV_ID_DEBUG /* result of a non-semantic instruction */
} spirv_id_kind;

typedef struct spirv_def {
    uint8_t kind;      /* spirv_id_kind */
    bool announced;    /* by OpTypeForwardPointer */
    uint32_t insn;     /* the instruction that defines it */
    uint32_t index;    /* see spirv_id_kind */
    spirv_id type;     /* of a constant, variable, parameter, value, function; else 0 */
    uint32_t function; /* of a parameter, label or value: index of the function it belongs to */
    uint32_t block;    /* of a value: index of its block in the function */
    const char *name;  /* OpName, or "" */
    uint32_t decorations, decoration_count; /* in spirv_module.decorations */
} spirv_def;

typedef enum spirv_set { SPIRV_SET_OPENCL, SPIRV_SET_DEBUG, SPIRV_SET_IGNORED } spirv_set;

typedef struct spirv_module {
    arena memory;
    uint32_t *words; /* in host order; word_count of them */
    uint32_t word_count;
    uint32_t version; /* 0x00010400 */
    uint32_t bound;
    spirv_insn *insns; /* in file order */
    uint32_t insn_count;
    spirv_def *defs; /* by id */
    spirv_place *places;
    uint32_t place_count;
    spirv_type *types;
    uint32_t type_count;
    spirv_constant *constants;
    uint32_t constant_count;
    spirv_decoration *decorations; /* grouped by id */
    uint32_t decoration_count;
    spirv_variable *variables;
    spirv_constant *addresses; /* one per variable */
    uint32_t variable_count;
    spirv_function *functions;
    uint32_t function_count;
    spirv_entry *entries;
    uint32_t entry_count;
} spirv_module;

/* ---- Reading ---- */

/* The options --spec, --local and so on use the public types. */
typedef wave_spirv_spec spirv_spec;
typedef wave_spirv_local spirv_local;
typedef wave_spirv_options spirv_options;

/* False when an error was reported. In either case the caller frees the module. The data is copied.
 * `options` may be NULL. */
bool spirv_read(const void *data, size_t size, const spirv_options *options, spirv_module *out,
                wave_diags *diags);
/* The same for a module of functions, which needs no kernels. */
bool spirv_read_library(const void *data, size_t size, spirv_module *out, wave_diags *diags);
void spirv_module_free(spirv_module *module);
/* Whether the bytes start like a module, in either byte order. */
bool spirv_looks_like(const void *data, size_t size);

/* ---- Lookups; all take O(1) or time proportional to the result ---- */

static inline uint32_t spirv_word(const spirv_module *m, const spirv_insn *insn, uint32_t index) {
    return m->words[insn->word + index];
}
/* The type with this id, or NULL. */
static inline const spirv_type *spirv_type_at(const spirv_module *m, spirv_id id) {
    return m->defs[id].kind == SPIRV_ID_TYPE ? &m->types[m->defs[id].index] : NULL;
}
/* The type of a value, or NULL. */
static inline const spirv_type *spirv_type_of(const spirv_module *m, spirv_id value) {
    return m->defs[value].type ? spirv_type_at(m, m->defs[value].type) : NULL;
}
/* The constant with this id, or NULL; the address of a global variable is a constant too. */
const spirv_constant *spirv_constant_at(const spirv_module *m, spirv_id id);
/* The value of a constant integer; false: it is not one. */
bool spirv_constant_number(const spirv_module *m, spirv_id id, uint64_t *bits);
/* The decoration of an id (member UINT32_MAX) or of a member, or NULL. */
const spirv_decoration *spirv_decorated(const spirv_module *m, spirv_id id, uint32_t member,
                                        uint32_t decoration);
/* Whether the id has FuncParamAttr with this attribute. */
bool spirv_has_attribute(const spirv_module *m, spirv_id id, uint32_t attribute);
/* Literal string that starts at this word of the file; it ends inside its instruction. */
const char *spirv_string(const spirv_module *m, uint32_t word);

/* "OpIAdd"; "?" if there is no such opcode. */
const char *spirv_op_name(unsigned op);

/* Reports with the source location, the byte offset in the file and the instruction's name. `insn`
 * may be NULL. */
void spirv_report(const spirv_module *m, const spirv_insn *insn, diag_code code, wave_diags *diags,
                  const char *format, ...) BUF_PRINTF(5, 6);

/* ---- convert.c ---- */

/* Converts all kernels of the module (or options->kernel) to a WBIN file. False when an error was
 * reported; *out is then empty. */
bool spirv_to_wbin(const uint8_t *data, size_t size, const spirv_options *options, buf *out,
                   wave_diags *diags);

#endif
