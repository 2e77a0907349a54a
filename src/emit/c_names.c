/* Names of variables: the source's name for the values they hold if there is one, otherwise the
 * type's letter and a number.
 *
 *   iadd i, i, 4                             i += 4u;
 *   a second variable for values called i    i_2
 *   values with no name, or two              u0, u1, …; pointers p0, vectors x0 */
#include "emit/c_printer.h"
#include "ir/names.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX(text)                                                                               \
    { text, sizeof(text) - 1 }
const put_label c_prefix[IR_TYPE_COUNT + 1] = {
    [IR_VOID] = PREFIX("x"),        [IR_BOOL] = PREFIX("b"),
    [IR_U32] = PREFIX("u"),         [IR_F32] = PREFIX("f"),
    [IR_U64] = PREFIX("q"),         [IR_F64] = PREFIX("d"),
    [IR_F16] = PREFIX("h"),         [IR_F16X2] = PREFIX("g"),
    [IR_A_F16] = PREFIX("ta_f16_"), [IR_A_BF16] = PREFIX("ta_bf16_"),
    [IR_A_I8] = PREFIX("ta_i8_"),   [IR_A_U8] = PREFIX("ta_u8_"),
    [IR_B_F16] = PREFIX("tb_f16_"), [IR_B_BF16] = PREFIX("tb_bf16_"),
    [IR_B_I8] = PREFIX("tb_i8_"),   [IR_B_U8] = PREFIX("tb_u8_"),
    [IR_C_F32] = PREFIX("tc_f32_"), [IR_C_I32] = PREFIX("tc_i32_"),
    [IR_TYPE_COUNT] = PREFIX("p"),
};
#undef PREFIX

static void put_numbered(c_printer *p, unsigned type, uint32_t number) {
    if (p->split && type != IR_VOID)
        buf_text(p->out, "s.");
    put_labelled(p->out, &c_prefix[type]);
    buf_decimal(p->out, number);
}

/* The number of the only name that the values of a home have; 0 for none or several. */
EMIT_OUTLINE static uint16_t name_of(const c_printer *p, ir_value home) {
    uint16_t name = 0;
    ir_value v = home;
    if (p->split || c_is_pointer(p, home))
        return 0;
    do {
        uint16_t own = ir_name_of(p->f, v);
        own = own <= p->o->registers.count ? p->o->registers.at[own].first : 0;
        if (own && name && own != name)
            return 0;
        name = own ? own : name;
        v = p->m.place[v].member;
    } while (v != home);
    return name && p->o->registers.at[name].name ? name : 0;
}

static void put_named(c_printer *p, const c_named *n) {
    const char *name = p->o->registers.at[n->name].name;
    buf_text(p->out, name);
    if (n->number == 1)
        return;
    if (name[strlen(name) - 1] != '_')
        buf_char(p->out, '_');
    buf_decimal(p->out, n->number);
}

static void put_name(c_printer *p, const c_named *n, unsigned type) {
    if (n->name)
        put_named(p, n);
    else
        put_numbered(p, type, n->number - 1);
}

/* Makes room for more names; false when out of memory. */
EMIT_OUTLINE static bool grow(c_printer *p) {
    enum { FEWEST = 64 };
    uint32_t capacity = p->name_capacity ? p->name_capacity * 2 : FEWEST;
    c_named *names = realloc(p->names, capacity * sizeof *names);
    p->out->failed |= !names;
    if (!names)
        return false;
    p->names = names;
    p->name_capacity = capacity;
    return true;
}

/* Gives a variable its name; 0 when out of memory. */
static uint32_t name_variable(c_printer *p, ir_value home, unsigned type) {
    uint32_t index = p->name_count ? p->name_count : 1;
    if (index >= p->name_capacity && !grow(p))
        return 0;
    uint16_t name = p->f->names ? name_of(p, home) : 0;
    p->names[index] = (c_named){.number = name ? ++p->uses[name] : ++p->counts[type], .name = name};
    p->name_count = index + 1;
    p->variable[home] = index;
    return index;
}

/* Most numbers differ from the previous variable's in the last digit only. */
static void number_label(c_named *before, c_named *n, unsigned type) {
    uint32_t last_digit = (n->number - 1) % 10;
    if (before->number + 1 == n->number && last_digit) {
        n->label = before->label;
        n->label.text[n->label.length - 1] = (char)('0' + last_digit);
    } else {
        n->label = c_prefix[type];
        n->label.length =
            (uint8_t)(buf_digits(n->label.text + n->label.length, n->number - 1) - n->label.text);
    }
    *before = *n;
}

/* A variable's printed form is its label, if it fits. */
EMIT_OUTLINE static void print_label(c_printer *p, c_named *n, unsigned type) {
    size_t start = p->out->size;
    put_name(p, n, type);
    size_t length = p->out->size - start;
    if (p->out->failed || length > sizeof n->label.text)
        return;
    memcpy(n->label.text, p->out->data + start, length);
    n->label.length = (uint8_t)length;
}

/* The label of a numbered variable is its prefix and number. */
static void make_label(c_printer *p, c_named *n, unsigned type) {
    enum { SHORT = 1000000 }; /* fits after any prefix */
    if (!n->name && !p->split && n->number < SHORT) {
        number_label(&p->numbered[type], n, type);
        put_labelled(p->out, &n->label);
    } else {
        print_label(p, n, type);
    }
}

void c_new_variable(c_printer *p, ir_value v) {
    ir_value home = mat_home(&p->m, v);
    uint32_t index = p->variable[home];
    unsigned type = c_is_pointer(p, v) ? IR_TYPE_COUNT : ir_type_of(p->f, v);
    if (!index)
        index = name_variable(p, home, type);
    if (index)
        make_label(p, &p->names[index], type);
}

uint32_t c_new_scratch(c_printer *p, ir_type type) {
    return p->counts[type]++;
}

void c_scratch(c_printer *p, ir_type type, uint32_t number) {
    put_numbered(p, type, number);
}
