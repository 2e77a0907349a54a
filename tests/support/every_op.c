/* One operation at a time: see every_op.h. */
#include "support/every_op.h"

#include "isa/isa.h"

#include <criterion/criterion.h>

#include <ctype.h>
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
    case IR_FUNCTION:
    case IR_INPUT:
    case IR_CALL:
    case IR_RETURN:
    case IR_LOADS:
    case IR_LOAD64:
    case IR_STORE64:
    case IR_STORE:
    case IR_ATOMIC:
    case IR_MMA_LOAD:
    case IR_MMA_STORE:
    case IR_MMA_COMPUTE:
    case IR_TILE_LOAD: /* the types must match: tests/programs/matrix/wave */
    case IR_TILE_STORE:
    case IR_TILE_FILL:
    case IR_TILE_MMA:
    case IR_TILE_FIXED: return true;
    default: return false;
    }
}

static ir_value put(ir_func *f, ir_op op, ir_type type, const ir_value *args, size_t count,
                    uint64_t imm) {
    ir_value v = ir_make(f, op, type, args, count, imm);
    ir_append(f, 1, v);
    return v;
}

/* A value of the type that a letter of a signature denotes. */
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

/* Stores a value of any type, so that it is live. */
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
    bool memory = op == IR_LOAD || op == IR_FENCE || op == IR_LANE_FENCE;
    keep(f, put(f, op, letter_type(ir_ops[op].signature[0]), args, count,
                memory ? ir_access_pack(access) : 0));
    put(f, IR_HALT, IR_VOID, NULL, 0, 0);
}

bool every_op_needs_context_in_c(ir_op op) {
    return every_op_needs_context(op) || op == IR_POINTER || op == IR_BUFFER;
}

/* Appends a NUL to the text. */
static bool print(const emit_backend *target, ir_op op, emit_options o, emit_unit *unit,
                  wave_diags *diags) {
    ir_func f;
    o.arch = o.arch ? o.arch : target->archs[0].number;
    o.wave_width = o.wave_width ? o.wave_width : emit_arch_of(target, o.arch)->width;
    o.symbol = "every";
    o.assert_trap = true;
    every_op_make(&f, op, o.wave_width);
    cr_assert(!f.failed);
    if (ir_made_any(&f, IR_WAVE))
        o.uses |= WAVE_USES_WAVE_OPS;
    if (op == IR_ASSERT)
        o.uses |= WAVE_USES_ASSERT;
    bool ok = target->kernel(&f, &o, unit, diags) && !unit->text.failed;
    ir_free(&f);
    buf_char(&unit->text, '\0');
    return ok;
}

static bool in_name(char c) {
    return c == '_' || isalnum((unsigned char)c);
}

/* Whether a text contains the name as a complete word. */
static bool has_word(const char *text, const char *name, size_t length) {
    for (const char *c = text; (c = strstr(c, "wave_")); c++)
        if (strncmp(c, name, length) == 0 && !in_name(c[length]))
            return true;
    return false;
}

/* Our own functions begin with wave_. */
static void check_helpers(const char *op, const char *text, const char *top) {
    for (const char *c = text; (c = strstr(c, "wave_")); c++) {
        size_t length = 0;
        while (in_name(c[length]))
            length++;
        bool whole = c == text || !in_name(c[-1]), call = c[length] == '(' || c[length] == '<';
        cr_expect(!whole || !call || has_word(top, c, length), "%s: %.*s is not defined:\n%s%s", op,
                  (int)length, c, top, text);
    }
}

void every_op_check_c(const emit_backend *target, ir_op op, emit_options o) {
    const char *name = ir_ops[op].name;
    emit_unit unit = {0};
    buf top = {0};
    cr_expect(print(target, op, o, &unit, NULL), "%s is not printed for %s %u", name, target->name,
              o.arch);
    o.arch = o.arch ? o.arch : target->archs[0].number;
    target->top(&o, &unit, &top);
    buf_char(&top, '\0');
    const char *text = (const char *)unit.text.data;
    int round = 0, curly = 0;
    for (const char *c = text; *c; c++) {
        round += (*c == '(') - (*c == ')');
        curly += (*c == '{') - (*c == '}');
    }
    cr_expect(round == 0 && curly == 0, "%s: parentheses do not match:\n%s", name, text);
    cr_expect(!strpbrk(text, "$@") && !strstr(text, "#0"), "%s: not replaced:\n%s", name, text);
    check_helpers(name, text, (const char *)top.data);
    buf_free(&unit.text);
    buf_free(&top);
}

void every_op_check_refused(const emit_backend *target, ir_op op, emit_options o,
                            const char *code) {
    wave_diags *diags = wave_diags_create(0);
    emit_unit unit = {0};
    cr_expect(!print(target, op, o, &unit, diags), "%s: printed for %s", ir_ops[op].name,
              target->name);
    cr_assert_eq(wave_diags_count(diags), 1);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, code);
    buf_free(&unit.text);
    wave_diags_destroy(diags);
}

void every_op_check_limit(const emit_backend *target, every_op_limit l) {
    const emit_options o = {.arch = l.arch, .wave_width = l.wave_width, .symbol = "k"};
    wave_diags *diags = wave_diags_create(0);
    emit_unit unit = {0};
    ir_func f;
    every_op_make(&f, IR_IADD, l.wave_width);
    memcpy(f.workgroup, l.workgroup, sizeof f.workgroup);
    f.local_memory = l.local_memory;
    cr_expect(!target->kernel(&f, &o, &unit, diags),
              "%s %u accepts workgroup %u %u %u, local memory %u, width %u", target->name, l.arch,
              l.workgroup[0], l.workgroup[1], l.workgroup[2], l.local_memory, l.wave_width);
    cr_assert_eq(wave_diags_count(diags), 1);
    cr_expect_str_eq(wave_diags_at(diags, 0)->code, "E_TARGET_LIMIT");
    ir_free(&f);
    buf_free(&unit.text);
    wave_diags_destroy(diags);
}
