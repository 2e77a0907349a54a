/* Shared by the files of the reader. Stages run in the order of read.c; each stops at its first
 * error and returns false. */
#ifndef SPIRV_READER_H
#define SPIRV_READER_H

#include "spirv/spirv.h"

#include <string.h>

enum {
    HEADER_WORDS = 5,
    MOST_IDS = 0x3FFFFF,     /* the specification's universal limit */
    MOST_PARTS = 16,         /* of a folded vector */
    DEEPEST_TYPE = 64,       /* nesting of arrays and structures */
    LARGEST_TYPE = INT32_MAX /* bytes */
};

typedef enum spirv_section {
    SECTION_ANY,
    SECTION_CAPABILITY,
    SECTION_EXTENSION,
    SECTION_IMPORT,
    SECTION_MODEL,
    SECTION_ENTRY,
    SECTION_MODE,
    SECTION_SOURCE,
    SECTION_NAME,
    SECTION_PROCESSED,
    SECTION_DECORATION,
    SECTION_GLOBAL,
    SECTION_BOTH,
    SECTION_FUNCTION,
    SECTION_BODY,
    SECTION_END
} spirv_section;

/* A row of ops.def. No pointers: they would have to be relocated at every start. */
typedef struct spirv_row {
    uint16_t number;
    uint16_t text; /* where its name is (grammar.c) */
    uint8_t section;
    char operands[9];
} spirv_row;

const spirv_row *spirv_row_of(unsigned op); /* NULL: no such instruction */
/* What WAVE lacks, if the instruction is refused; otherwise empty. */
const char *spirv_row_feature(const spirv_row *row);
/* The `=` of a row is its first letter, or its second if the result has a type. */
static inline bool spirv_row_typed(const spirv_row *row) {
    return row->operands[0] && row->operands[1] == '=';
}
static inline bool spirv_row_gives(const spirv_row *row) {
    return row->operands[0] == '=' || spirv_row_typed(row);
}

typedef struct spirv_reader {
    spirv_module *m;
    const spirv_options *options;
    wave_diags *diags;
    bool library; /* functions only: no kernels are needed */
    /* Room for the definitions of the instructions, counted by the scan. */
    uint32_t most_types, most_constants, most_variables, most_functions, most_blocks;
    uint32_t first_body;                       /* index of the first OpFunction, or insn_count */
    bool int8, int16, int64, float16, float64; /* capabilities of types */
    bool *spec_used;                           /* by index in options->specs */
    uint32_t spare_ids;                        /* for the parts of folded constants */
    uint32_t function_now;                     /* the one being type-checked */
    uint32_t *entry_of;        /* by function: number of its entry point + 1; 0: none */
    const char **source_types; /* strings of source_types.c, sorted */
    uint32_t source_type_count;
} spirv_reader;

/* Reports and returns false, so that a check can return the result. */
bool spirv_fail(const spirv_reader *r, const spirv_insn *insn, diag_code code, const char *format,
                ...) BUF_PRINTF(4, 5);
void spirv_warn(const spirv_reader *r, const spirv_insn *insn, const char *format, ...)
    BUF_PRINTF(3, 4);
bool spirv_no_memory(const spirv_reader *r);
/* Zeroed room in the module's arena for `count` elements; NULL is reported. */
void *spirv_room(const spirv_reader *r, size_t count, size_t size);

/* ---- Walking the operands of an instruction by its row ---- */

typedef struct spirv_operand {
    char letter;    /* of ops.def; the halves of a pair are v or k (the number of a case), and l */
    uint32_t index; /* word of the instruction */
    uint32_t words;
} spirv_operand;

typedef struct spirv_cursor {
    const char *at; /* in the row's operands, after `=` */
    uint32_t index; /* the next word */
    bool second;    /* inside P or S: the next is the second of a pair */
} spirv_cursor;

/* The operands after type and result; for an OpExtInst or OpSpecConstantOp those of the inner
 * instruction. The words up to there must exist. */
spirv_cursor spirv_operands(const spirv_module *m, const spirv_insn *insn);
/* The letters of the row, starting with those of the result. */
const char *spirv_result_letters(const spirv_module *m, const spirv_insn *insn);
/* The properties of the letters. */
enum {
    LETTER_LITERAL = 1, /* a number, a string … */
    LETTER_TYPED = 2,   /* a value, whose type is checked */
    LETTER_SHAPED = 4,  /* a scalar or vector of the row's size */
    LETTER_WORD = 8     /* always one word */
};
extern const uint8_t spirv_letters[128];

static inline bool spirv_letter_is(char letter, unsigned what) {
    return spirv_letters[(unsigned char)letter & 127] & what;
}
/* Ids that may be values: neither literals nor types. */
static inline bool spirv_letter_names(char letter) {
    return letter != 'T' && !spirv_letter_is(letter, LETTER_LITERAL);
}

bool spirv_next_special(const spirv_module *m, const spirv_insn *insn, spirv_cursor *cursor,
                        spirv_operand *operand);
/* False at the end. Missing words yield words == 0, so that the form check can report them. */
static inline bool spirv_next(const spirv_module *m, const spirv_insn *insn, spirv_cursor *cursor,
                              spirv_operand *operand) {
    char letter = *cursor->at;
    if (!spirv_letter_is(letter, LETTER_WORD) || cursor->index >= insn->count)
        return spirv_next_special(m, insn, cursor, operand);
    char after = cursor->at[1];
    if (after != '*')
        cursor->at += after == '?' ? 2 : 1;
    *operand = (spirv_operand){.letter = letter, .index = cursor->index++, .words = 1};
    return true;
}
/* The number of words of each case literal of an OpSwitch: 1 or 2. */
uint32_t spirv_case_words(const spirv_module *m, const spirv_insn *insn);

/* The number of words of the string that starts here; 0: it does not end in `count` words. The
 * first character is in a word's lowest byte; on a big-endian machine the bytes are reordered.
 * form.c */
uint32_t spirv_lay_out_string(uint32_t *words, uint32_t count);
/* The number of words of a string, including its terminator. */
static inline uint32_t spirv_string_words(const char *text) {
    return (uint32_t)(strlen(text) / 4 + 1);
}
/* The name under which other modules know a function or variable, or else its OpName; and whether
 * another module defines it. module.c */
const char *spirv_linkage_name(const spirv_module *m, spirv_id id, bool *imported);
/* Whether a string is UTF-8: WBIN accepts no other names. */
bool spirv_is_text(const char *text);

/* ---- Stages ---- */

bool spirv_scan(spirv_reader *r);       /* scan.c: instructions, ids, the order of sections */
bool spirv_form(spirv_reader *r);       /* form.c: the words of every instruction by its row */
bool spirv_locate(spirv_reader *r);     /* places.c */
bool spirv_settings(spirv_reader *r);   /* settings.c: capabilities, memory model, imports */
bool spirv_annotate(spirv_reader *r);   /* annotate.c: names and decorations */
bool spirv_declare(spirv_reader *r);    /* declare.c: types, constants and variables, in order */
bool spirv_shape(spirv_reader *r);      /* shape.c: functions, blocks and their targets */
bool spirv_check_phis(spirv_reader *r); /* phis.c: the last step of spirv_shape */
bool spirv_enter(spirv_reader *r);      /* entries.c: entry points, modes and arguments */
bool spirv_type_check(spirv_reader *r); /* typing.c: the types of all operands in functions */

/* ---- Steps of declare.c ---- */

bool spirv_declare_type(spirv_reader *r, const spirv_insn *insn);
bool spirv_declare_constant(spirv_reader *r, const spirv_insn *insn);
/* OpSpecConstantOp: fills in the constant, whose id and type are set. fold.c */
bool spirv_fold(spirv_reader *r, const spirv_insn *insn, spirv_constant *out);
/* Conversion to and from a float of 16, 32 or 64 bits. */
uint64_t spirv_float_bits(double value, unsigned bits);
double spirv_float_value(uint64_t bits_of, unsigned bits);
/* The result of an operation on one component; false: it does not fold. `from` is the scalar type
 * of the first operand, `to` that of the result. fold_number.c */
bool spirv_fold_number(unsigned op, const spirv_type *from, const spirv_type *to,
                       const uint64_t values[3], uint64_t *result);
/* Adds a constant that no instruction defines, such as a component of a folded vector. */
spirv_constant *spirv_add_constant(spirv_reader *r, spirv_id type);

/* ---- typing.c, check_memory.c, check_values.c ---- */

/* Whether two types are equivalent: the sign of integers and the pointee of pointers do not
 * matter. */
bool spirv_same_type(const spirv_module *m, spirv_id a, spirv_id b);
/* The rules of single instructions that their rows cannot express. check_memory.c,
 * check_values.c */
bool spirv_check_memory(const spirv_reader *r, const spirv_insn *insn);
bool spirv_check_value(const spirv_reader *r, const spirv_insn *insn);
/* The type of the part selected by literal indices; 0 is reported. */
spirv_id spirv_part_type(const spirv_reader *r, const spirv_insn *insn, spirv_id id,
                         uint32_t first_index);

/* Bytes from one element of an array or vector to the next. */
static inline uint32_t spirv_element_size(const spirv_module *m, const spirv_type *type) {
    const spirv_type *element = type->element ? spirv_type_at(m, type->element) : NULL;
    return element ? element->size : 0;
}

/* The scalar inside a scalar or vector type. */
static inline const spirv_type *spirv_scalar_of(const spirv_module *m, const spirv_type *type) {
    return type && type->kind == SPIRV_VECTOR ? spirv_type_at(m, type->element) : type;
}

/* ---- source_types.c ---- */

/* The types of a kernel's arguments that have not been read. */
typedef struct spirv_source_list {
    const char *at; /* NULL: the module does not have them */
    bool resolved;  /* typedefs are */
} spirv_source_list;

/* Finds the strings with types of arguments in the source. */
bool spirv_find_source_types(spirv_reader *r);
spirv_source_list spirv_source_types(const spirv_reader *r, const char *kernel);
/* spirv_argument.source_type of the next argument. */
uint8_t spirv_next_source_type(spirv_source_list *list);

#endif
