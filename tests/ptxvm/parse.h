// State of the PTX parser, shared by lex.c, symbols.c, module.c, operand.c and the decode files.
#ifndef PTXVM_PARSE_H
#define PTXVM_PARSE_H

#include "ptxvm/vm.h"

typedef enum {
    TK_END,
    TK_WORD, // name, may begin with % or $
    TK_DOT,  // .word; text and length without the dot
    TK_INT,
    TK_F32,     // 0f…: value holds the bits
    TK_F64,     // 0d…
    TK_DECIMAL, // 1.5: value holds the bits of a double
    TK_STRING,
    TK_PUNCT // value is the character
} token_kind;

typedef struct {
    token_kind kind;
    const char *text;
    uint32_t length, line;
    uint64_t value;
} vm_token;

typedef enum { SYM_REG, SYM_REG_RANGE, SYM_VAR, SYM_LABEL, SYM_FUNCTION, SYM_TARGETS } symbol_kind;

// value, by kind: register, first register, address or offset, instruction, function, first entry
// // of a table.
typedef struct {
    const char *name;
    uint32_t length, hash, next, scope;
    symbol_kind kind;
    vm_type type;
    vm_space space;
    uint64_t value;
    uint32_t count; // registers of a range, bytes of a variable, entries of a table
} vm_symbol;

typedef struct {
    const char *name;
    uint32_t length, line;
    uint32_t index; // instruction, or entry of the function's target table
    bool in_table;
} vm_fixup;

// An operand as written, before the instruction's types are known.
typedef enum {
    RAW_REG,
    RAW_INT,
    RAW_F32,
    RAW_F64,
    RAW_DECIMAL,
    RAW_SPECIAL,
    RAW_SYMBOL,
    RAW_VECTOR,
    RAW_ADDRESS,
    RAW_NAME,
    RAW_SINK,
    RAW_LIST,
    RAW_PAIR
} raw_kind;

typedef struct {
    raw_kind kind;
    vm_type type; // type of a register
    bool negate;
    uint64_t value;  // register, bits, special, displacement
    uint32_t symbol; // RAW_SYMBOL, and RAW_ADDRESS with a symbol as base: index + 1
    uint32_t base;   // RAW_ADDRESS: register + 1
    vm_type base_type;
    uint32_t first, count; // RAW_VECTOR, RAW_LIST, RAW_PAIR (p|q): parts in vm_parser.parts
    const char *name;
    uint32_t length;
} raw_operand;

#define RAW_MAX    12
#define PARTS_MAX  64
#define MODS_MAX   16
#define SCOPES_MAX 64

typedef struct {
    ptxvm_module *module;
    ptxvm_error *error;
    const char *at;
    uint32_t line;
    vm_token token; // current token

    vm_symbol *symbols;
    uint32_t symbol_count, symbol_capacity;
    uint32_t *buckets;
    uint32_t bucket_count;
    uint32_t scope_symbols[SCOPES_MAX], scope_fixups[SCOPES_MAX];
    uint32_t scope;

    vm_fixup *fixups;
    uint32_t fixup_count, fixup_capacity;

    vm_function *function;

    // The instruction being decoded.
    vm_insn *insn;
    const char *mnemonic;
    uint32_t mnemonic_length;
    vm_token mods[MODS_MAX];
    uint32_t mod_count, mods_used;
    raw_operand raw[RAW_MAX];
    uint32_t raw_count;
    raw_operand parts[PARTS_MAX];
    uint32_t part_count;
} vm_parser;

// ---- lex.c
bool vm_error_at(vm_parser *p, uint32_t line, ptxvm_status status, const char *format, ...);
bool vm_advance(vm_parser *p);
bool vm_skip_line(vm_parser *p);
bool vm_is_punct(const vm_parser *p, char c);
bool vm_is_dot(const vm_parser *p, const char *word);
bool vm_is_word(const vm_parser *p, const char *word);
// Takes the character if it is next; vm_expect reports an error if it is not.
bool vm_accept(vm_parser *p, char c, bool *taken);
bool vm_expect(vm_parser *p, char c);
bool vm_token_is(const vm_token *t, const char *word);
// A constant: [-] integer. Symbols are not accepted.
bool vm_integer(vm_parser *p, int64_t *value);
vm_type vm_type_named(const char *text, uint32_t length);

// ---- symbols.c
bool vm_grow(void **items, uint32_t *capacity, uint32_t needed, size_t size);
bool vm_no_memory(vm_parser *p);
bool vm_open_scope(vm_parser *p);
bool vm_close_scope(vm_parser *p);
// Declares a name in the innermost scope; *out may be modified until the next declaration.
bool vm_declare(vm_parser *p, symbol_kind kind, const char *name, uint32_t length, vm_symbol **out);
vm_symbol *vm_find(vm_parser *p, const char *name, uint32_t length);
// Finds a register by name, ranges included; false if there is none.
bool vm_find_register(vm_parser *p, const char *name, uint32_t length, vm_type *type,
                      uint32_t *reg);
bool vm_add_fixup(vm_parser *p, const char *name, uint32_t length, uint32_t index, bool in_table);

// ---- module.c
bool vm_parse_module(vm_parser *p);

// ---- variable.c
bool vm_take_name(vm_parser *p, vm_token *name);
bool vm_parameter(vm_parser *p, ptxvm_param *out);
bool vm_variable(vm_parser *p, vm_space space, bool is_extern);

// ---- body.c: function bodies
bool vm_parse_body(vm_parser *p);

// ---- operand.c
bool vm_parse_operands(vm_parser *p);
bool vm_take(vm_parser *p, const char *word);
vm_type vm_take_type(vm_parser *p);
vm_space vm_take_space(vm_parser *p);
bool vm_mods_done(vm_parser *p);
bool vm_count(vm_parser *p, uint32_t low, uint32_t high);
enum { OP_RELAXED = 1, OP_SPECIAL = 2, OP_SYMBOL = 4, OP_SINK = 8, OP_NO_IMM = 16 };
bool vm_dest(vm_parser *p, uint32_t slot, const raw_operand *raw, vm_type type, unsigned flags);
bool vm_src(vm_parser *p, uint32_t slot, const raw_operand *raw, vm_type type, unsigned flags);
bool vm_address(vm_parser *p, uint32_t slot, const raw_operand *raw, vm_space *space);
bool vm_bad_type(vm_parser *p);
bool vm_bad_modifier(vm_parser *p);
bool vm_bad_operands(vm_parser *p);

// ---- decode*.c: one function per family; false: error reported
typedef bool (*vm_decode)(vm_parser *p);
bool vm_decode_instruction(vm_parser *p);
bool vm_d_add(vm_parser *p);
bool vm_d_mul(vm_parser *p);
bool vm_d_div(vm_parser *p);
bool vm_d_unary(vm_parser *p);
bool vm_d_minmax(vm_parser *p);
bool vm_d_fma(vm_parser *p);
bool vm_d_math(vm_parser *p);
bool vm_d_logic(vm_parser *p);
bool vm_d_shift(vm_parser *p);
bool vm_d_shf(vm_parser *p);
bool vm_d_bits(vm_parser *p);
bool vm_d_field(vm_parser *p);
bool vm_d_prmt(vm_parser *p);
bool vm_d_dp4a(vm_parser *p);
bool vm_d_selp(vm_parser *p);
bool vm_d_slct(vm_parser *p);
bool vm_d_setp(vm_parser *p);
bool vm_d_testp(vm_parser *p);
bool vm_d_copysign(vm_parser *p);
bool vm_d_cvt(vm_parser *p);
bool vm_d_mov(vm_parser *p);
bool vm_d_ld(vm_parser *p);
bool vm_d_st(vm_parser *p);
bool vm_d_atom(vm_parser *p);
bool vm_d_cvta(vm_parser *p);
bool vm_d_isspacep(vm_parser *p);
bool vm_d_prefetch(vm_parser *p);
bool vm_d_bra(vm_parser *p);
bool vm_d_brx(vm_parser *p);
bool vm_d_call(vm_parser *p);
bool vm_d_end(vm_parser *p);
bool vm_d_fence(vm_parser *p);
bool vm_d_bar(vm_parser *p);
bool vm_d_vote(vm_parser *p);
bool vm_d_shfl(vm_parser *p);
bool vm_d_match(vm_parser *p);
bool vm_d_redux(vm_parser *p);
bool vm_d_wmma(vm_parser *p);
bool vm_d_activemask(vm_parser *p);
bool vm_d_nanosleep(vm_parser *p);

#endif
