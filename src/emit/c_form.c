/* Prints forms: texts with marks for operands (c_form in c_printer.h). A text is taken apart when
 * it is first printed. From then on its pieces are copied:
 *
 *   wave_fmin($0, $1)       "wave_fmin(" $0    ", " $1    ")" */
#include "emit/c_printer.h"

#include <stdlib.h>

/* Text, and the operand or word that follows it. */
typedef struct piece {
    uint8_t start, length;
    char mark;       /* $ # ! % @, or 0: nothing follows */
    uint8_t operand; /* its number */
} piece;

enum { PIECES = 6, SHAPES = 256, MOST_SHAPES = SHAPES * 3 / 4 };

/* A text in pieces; `rest` is what has not fitted, or NULL. */
typedef struct shape {
    const char *rest;
    uint8_t count;
    piece pieces[PIECES];
} shape;

/* Shapes by the address of their text: an open hash table that drops nothing, because operands are
 * printed between the pieces of a form. */
struct c_shapes {
    const char *texts[SHAPES];
    shape shapes[SHAPES];
    unsigned count;
};

c_shapes *c_make_shapes(void) {
    c_shapes *s = malloc(sizeof *s);
    if (s)
        memset(s->texts, 0, sizeof s->texts);
    if (s)
        s->count = 0;
    return s;
}

static bool is_operand(const char *c) {
    return (*c == '$' || *c == '#' || *c == '!' || *c == '%') && c[1] >= '0' && c[1] <= '3';
}

static void take_apart(shape *s, const char *text) {
    const char *c = text;
    s->count = 0;
    while (s->count < PIECES && *c && c - text < UINT8_MAX) {
        piece *to = &s->pieces[s->count++];
        *to = (piece){.start = (uint8_t)(c - text)};
        while (*c && *c != '@' && !is_operand(c) && c - text < UINT8_MAX)
            c++;
        to->length = (uint8_t)(c - text - to->start);
        if (c - text == UINT8_MAX)
            break;
        to->mark = *c;
        if (*c == '@') {
            for (c++; *c >= 'a' && *c <= 'z';)
                c++;
        } else if (*c) {
            to->operand = (uint8_t)(c[1] - '0');
            c += 2;
        }
    }
    s->rest = *c ? c : NULL;
}

/* The shape of a text; `own` is room for it if the table is full. */
static const shape *shape_of(c_shapes *all, const char *text, shape *own) {
    unsigned at = (unsigned)((uintptr_t)text ^ (uintptr_t)text >> 8) % SHAPES;
    for (; all->texts[at]; at = (at + 1) % SHAPES)
        if (all->texts[at] == text)
            return &all->shapes[at];
    shape *made = own;
    if (all->count < MOST_SHAPES) {
        all->count++;
        all->texts[at] = text;
        made = &all->shapes[at];
    }
    take_apart(made, text);
    return made;
}

/* Whether the value is printed inline, with this same form. */
static bool is_chained(c_printer *p, const c_form *form, ir_value v) {
    return form->chains && p->m.kind[v] == MAT_INLINE && c_form_of(p, ir_op_of(p->f, v)) == form;
}

/* One operand of a form, as its mark says. */
static void put_operand(c_printer *p, char mark, ir_value v, unsigned level) {
    uint32_t bits = 0;
    switch (mark) {
    case '$': c_expression(p, v, level); break;
    case '#': c_signed(p, v, level); break;
    case '!': c_condition(p, v, true, level); break;
    default:
        (void)c_const(p, v, &bits);
        buf_decimal(p->out, bits);
        break;
    }
}

void c_format(c_printer *p, const c_form *form, const ir_value *operands) {
    shape own;
    if (form->helper)
        c_need(p, form->helper - 1u);
    c_need_names(p, form->names);
    for (const char *text = form->text; text;) {
        const shape *s = shape_of(p->shapes, text, &own);
        for (const piece *at = s->pieces, *end = at + s->count; at < end; at++) {
            put_piece(p->out, text + at->start, at->length);
            if (at->mark == '@') {
                c_wave_word(p, text + at->start + at->length, operands);
            } else if (at->mark) {
                unsigned level = form->operands[at->operand];
                if (at->operand == 0 && is_chained(p, form, operands[0]))
                    level = form->level;
                put_operand(p, at->mark, operands[at->operand], level);
            }
        }
        text = s->rest;
    }
}

void c_form_at(c_printer *p, const c_form *form, const ir_value *operands, unsigned level) {
    bool parentheses = form->level < level;
    if (parentheses)
        buf_char(p->out, '(');
    c_format(p, form, operands);
    if (parentheses)
        buf_char(p->out, ')');
}
