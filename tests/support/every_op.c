/* One operation at a time: see every_op.h. */
#include "support/every_op.h"

#include "isa/isa.h"

#include <criterion/criterion.h>

#include <string.h>

bool every_op_needs_context(ir_op op) {
    switch (op) {
    case IR_NONE:
    case IR_CONST:
    case IR_ARG:
    case IR_SPECIAL:
    case IR_IF:
    case IR_LOOP:
    case IR_RESULT:
    case IR_PARAM:
    case IR_YIELD:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_HALT:
    case IR_NEW_TOKEN:
    case IR_LOADS:
    case IR_STORE:
    case IR_ATOMIC:
    case IR_MMA_LOAD:
    case IR_MMA_STORE:
    case IR_MMA_COMPUTE: return true;
    default: return false;
    }
}

static ir_value put(ir_func *f, ir_op op, ir_type type, const ir_value *args, size_t count,
                    uint64_t imm) {
    ir_value v = ir_make(f, op, type, args, count, imm);
    ir_append(f, 1, v);
    return v;
}

/* A value of the type a letter of a signature asks for. */
static ir_value operand(ir_func *f, char letter, ir_value token, uint64_t *arg) {
    ir_value word = ir_leaf(f, IR_ARG, IR_U32, (*arg)++), pair[2] = {word, word};
    switch (letter) {
    case 't': return token;
    case 'b': return put(f, IR_ICMP_LT, IR_BOOL, pair, 2, 0);
    case 'f': return put(f, IR_BITCAST, IR_F32, &word, 1, 0);
    case 'h': return put(f, IR_LOW16, IR_F16, &word, 1, 0);
    case 'H': return put(f, IR_BITCAST, IR_F16X2, &word, 1, 0);
    case 'q': return put(f, IR_PACK64, IR_U64, pair, 2, 0);
    case 'd':
        word = put(f, IR_PACK64, IR_U64, pair, 2, 0);
        return put(f, IR_BITCAST, IR_F64, &word, 1, 0);
    default: return word;
    }
}

/* Stores a value, whatever its type, so that it is needed. */
static void keep(ir_func *f, ir_value v) {
    ir_value address = ir_const(f, IR_U32, 0), zero = ir_const(f, IR_U32, 0);
    ir_access access = {.space = IR_DEVICE, .bytes = 4};
    ir_value select[3] = {v, ir_const(f, IR_U32, 1), zero}, word = v;
    switch (ir_type_of(f, v)) {
    case IR_VOID: return;
    case IR_BOOL: word = put(f, IR_SELECT, IR_U32, select, 3, 0); break;
    case IR_F16: word = put(f, IR_ZEXT16, IR_U32, &v, 1, 0); break;
    case IR_F64: word = put(f, IR_CVT_F32_F64, IR_F32, &v, 1, 0); break;
    case IR_U64: word = put(f, IR_HI64, IR_U32, &v, 1, 0); break;
    default: break;
    }
    put(f, IR_STORE, IR_VOID, (ir_value[]){address, word}, 2, ir_access_pack(access));
}

static ir_type letter_type(char letter) {
    static const char letters[] = "vbufqdhHtT";
    static const ir_type types[] = {IR_VOID, IR_BOOL, IR_U32,   IR_F32,   IR_U64,
                                    IR_F64,  IR_F16,  IR_F16X2, IR_TOKEN, IR_TILE};
    const char *at = strchr(letters, letter);
    return at ? types[at - letters] : IR_U32;
}

void every_op_make(ir_func *f, ir_op op, uint32_t wave_width) {
    uint64_t next = 0;
    ir_value args[8];
    size_t count = 0;
    ir_init(f);
    f->name = "every";
    f->wave_width = wave_width;
    f->converged = true;
    f->local_memory = 64;
    ir_value token = put(f, IR_NEW_TOKEN, IR_TOKEN, NULL, 0, 0);
    for (const char *c = ir_ops[op].signature + 2; *c; c++) {
        char letter = op == IR_BITCAST ? 'f' : *c;
        args[count++] = operand(f, letter, token, &next);
    }
    f->arg_words = 8;
    ir_access access = {.space = IR_DEVICE, .bytes = 4, .scope = ISA_SCOPE_DEVICE};
    bool memory = op == IR_LOAD || op == IR_FENCE;
    keep(f, put(f, op, letter_type(ir_ops[op].signature[0]), args, count,
                memory ? ir_access_pack(access) : 0));
    put(f, IR_HALT, IR_VOID, NULL, 0, 0);
}

bool every_op_needs_context_in_c(ir_op op) {
    return every_op_needs_context(op) || op == IR_POINTER;
}

void every_op_check_c(ir_op op, const char *text) {
    const char *name = ir_ops[op].name;
    int round = 0, curly = 0;
    for (const char *c = text; *c; c++) {
        round += (*c == '(') - (*c == ')');
        curly += (*c == '{') - (*c == '}');
    }
    cr_expect(round == 0 && curly == 0, "%s: parentheses do not match:\n%s", name, text);
    cr_expect(!strpbrk(text, "$@") && !strstr(text, "#0"), "%s: not replaced:\n%s", name, text);
}
