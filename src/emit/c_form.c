/* Prints forms: texts with marks for operands (c_form in c_printer.h). A text is taken apart when
 * it is first printed. From then on its pieces are copied:
 *
 *   wave_fmin($0, $1)       "wave_fmin(" $0    ", " $1    ")" */
#include "emit/c_printer.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 16 };

/* Text, and the operand or word that follows it. */
typedef struct piece {
    char text[SHORT]; /* its first letters, with zeros after them */
    uint8_t start, length;
    char mark;       /* $ # ! % @, or 0: nothing follows */
    uint8_t operand; /* its number */
} piece;

enum { PIECES = 6, SHAPES = 256, MOST_SHAPES = SHAPES * 3 / 4 };

/* A text in pieces; `rest` is the part that did not fit, or NULL. */
typedef struct shape {
    const char *rest;
    uint8_t count;
    piece pieces[PIECES];
} shape;

/* Shapes by the address of their text: an open hash table that never drops an entry, because
 * operands are printed between the pieces of a form. */
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
        memcpy(to->text, text + to->start, to->length < SHORT ? to->length : SHORT);
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

/* Adds the shape of a text to the table, at the place for it; NULL if the table is full. */
EMIT_OUTLINE static const shape *new_shape(c_shapes *all, unsigned at, const char *text) {
    if (all->count == MOST_SHAPES)
        return NULL;
    all->count++;
    all->texts[at] = text;
    take_apart(&all->shapes[at], text);
    return &all->shapes[at];
}

static inline const shape *shape_of(c_shapes *all, const char *text) {
    unsigned at = (unsigned)(uintptr_t)text % SHAPES; /* within a page: the same in every run */
    for (; all->texts[at]; at = (at + 1) % SHAPES)
        if (all->texts[at] == text)
            return &all->shapes[at];
    return new_shape(all, at, text);
}

/* Whether the value is printed inline, with this same form. */
static bool is_chained(c_printer *p, const c_form *form, ir_value v) {
    return p->m.kind[v] == MAT_INLINE && c_form_of(p, ir_op_of(p->f, v)) == form;
}

/* An operand or word that is not marked by $. `word` is its text. */
EMIT_OUTLINE static void put_marked(c_printer *p, const piece *at, const char *word,
                                    const c_form *form, const ir_value *operands) {
    unsigned level = form->operands[at->operand];
    uint32_t bits = 0;
    switch (at->mark) {
    case '@': c_wave_word(p, word, operands); break;
    case '#': c_signed(p, operands[at->operand], level); break;
    case '!': c_condition(p, operands[at->operand], true, level); break;
    default:
        (void)c_const(p, operands[at->operand], &bits);
        buf_decimal(p->out, bits);
        break;
    }
}

/* Most texts are short and take one move; what follows overwrites the zeros. */
static inline void put_text(buf *out, const piece *at, const char *text) {
    if (at->length > SHORT || out->capacity - out->size < SHORT) {
        buf_bytes(out, text + at->start, at->length);
        return;
    }
    memcpy(put_at(out), at->text, SHORT);
    out->size += at->length;
}

static inline void put_pieces(c_printer *p, const shape *s, const char *text, const c_form *form,
                              const ir_value *operands) {
    for (const piece *at = s->pieces, *end = at + s->count; at < end; at++) {
        unsigned k = at->operand;
        put_text(p->out, at, text);
        if (at->mark == '$' && form->chains && k == 0 && is_chained(p, form, operands[0]))
            c_expression(p, operands[0], form->level);
        else if (at->mark == '$')
            c_expression(p, operands[k], form->operands[k]);
        else if (at->mark)
            put_marked(p, at, text + at->start + at->length, form, operands);
    }
}

/* Prints the rest of a shape, a text that has a shape itself. */
EMIT_OUTLINE static void put_rest(c_printer *p, const char *text, const c_form *form,
                                  const ir_value *operands) {
    shape apart;
    for (; text; text = apart.rest) {
        take_apart(&apart, text);
        put_pieces(p, &apart, text, form, operands);
    }
}

/* Prints a text with its shape; NULL: it has no place in the table. */
static void put_shape(c_printer *p, const shape *s, const char *text, const c_form *form,
                      const ir_value *operands) {
    if (s)
        put_pieces(p, s, text, form, operands);
    if (!s || s->rest)
        put_rest(p, s ? s->rest : text, form, operands);
}

void c_format(c_printer *p, const c_form *form, const ir_value *operands) {
    if (form->helper)
        c_need(p, form->helper - 1u);
    c_need_names(p, form->names);
    if (form->text)
        put_shape(p, shape_of(p->shapes, form->text), form->text, form, operands);
}

void c_format_cast(c_printer *p, const char *text, const ir_value *operand) {
    static const c_form call = {.level = C_POSTFIX},
                        cast = {.level = C_POSTFIX, .operands = {C_UNARY}};
    const shape *s = shape_of(p->shapes, text);
    size_t before = s ? s->pieces[0].length : strcspn(text, "$");
    put_shape(p, s, text, before && text[before - 1] == ')' ? &cast : &call, operand);
}

void c_form_at(c_printer *p, const c_form *form, const ir_value *operands, unsigned level) {
    bool parentheses = form->level < level;
    if (!parentheses) {
        c_format(p, form, operands);
        return;
    }
    buf_char(p->out, '(');
    c_format(p, form, operands);
    buf_char(p->out, ')');
}
