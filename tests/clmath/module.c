/* The interpreter: definitions by id, blocks, phis, calls. Ids are unique in the module and the
 * library does not recurse, so one array holds the values of all functions. */
#include "clmath/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clmath/module_ops.h"

enum {
    OP_UNDEF = 1,
    OP_EXT_INST = 12,
    OP_TYPE_BOOL = 20,
    OP_TYPE_INT = 21,
    OP_TYPE_FLOAT = 22,
    OP_TYPE_VECTOR = 23,
    OP_TYPE_STRUCT = 30,
    OP_CONSTANT_TRUE = 41,
    OP_CONSTANT = 43,
    OP_CONSTANT_COMPOSITE = 44,
    OP_CONSTANT_NULL = 46,
    OP_FUNCTION = 54,
    OP_FUNCTION_PARAMETER = 55,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_DECORATE = 71,
    OP_VECTOR_SHUFFLE = 79,
    OP_COMPOSITE_CONSTRUCT = 80,
    OP_COMPOSITE_EXTRACT = 81,
    OP_COMPOSITE_INSERT = 82,
    OP_BITCAST = 124,
    OP_IADD_CARRY = 149,
    OP_SELECT = 169,
    OP_PHI = 245,
    OP_LABEL = 248,
    OP_BRANCH = 249,
    OP_BRANCH_CONDITIONAL = 250,
    OP_RETURN_VALUE = 254,
    LINKAGE_ATTRIBUTES = 41,
    HEADER_WORDS = 5,
    MOST_PHIS = 32,
    MOST_STEPS = 20000
};

struct clmath_module {
    const uint32_t *words;
    size_t count;
    uint32_t bound;
    uint32_t *defs; /* word of the instruction that defines an id; 0: none */
    clmath_value *values;
};

typedef struct shape {
    unsigned count, bits; /* components and their width */
    bool is_float;
} shape;

static uint32_t op_at(const clmath_module *m, size_t at) {
    return m->words[at] & 0xFFFF;
}

static size_t after(const clmath_module *m, size_t at) {
    return at + (m->words[at] >> 16);
}

static shape shape_of_type(const clmath_module *m, uint32_t type) {
    const uint32_t *w = m->words + m->defs[type];
    switch (*w & 0xFFFF) {
    case OP_TYPE_BOOL: return (shape){1, 1, false};
    case OP_TYPE_INT: return (shape){1, w[2], false};
    case OP_TYPE_FLOAT: return (shape){1, w[2], true};
    case OP_TYPE_STRUCT: {
        shape s = shape_of_type(m, w[2]);
        s.count = (*w >> 16) - 2;
        return s;
    }
    case OP_TYPE_VECTOR: {
        shape s = shape_of_type(m, w[2]);
        s.count = w[3];
        return s;
    }
    default: return (shape){0, 0, false};
    }
}

static shape shape_of(const clmath_module *m, uint32_t id) {
    return shape_of_type(m, m->words[m->defs[id] + 1]);
}

/* The position of an instruction's result id, or 0; only for instructions that occur in the
 * library. */
static unsigned result_word(uint32_t op) {
    if (op == 11 || (op >= OP_TYPE_BOOL - 1 && op <= 33) || op == OP_LABEL)
        return 1;
    bool none =
        op == 17 || op == 14 || op == OP_DECORATE || op == 56 || (op >= OP_BRANCH && op <= 255);
    return none ? 0 : 2;
}

static void load_constant(clmath_module *m, const uint32_t *w) {
    clmath_value *v = &m->values[w[2]];
    switch (*w & 0xFFFF) {
    case OP_CONSTANT_TRUE: v->c[0] = 1; break;
    case OP_CONSTANT: v->c[0] = w[3] | (*w >> 16 > 4 ? (uint64_t)w[4] << 32 : 0); break;
    case OP_CONSTANT_COMPOSITE:
        for (unsigned i = 0; i + 3 < *w >> 16 && i < 4; i++)
            v->c[i] = m->values[w[3 + i]].c[0];
        break;
    default: break; // false, null and undef are zeros
    }
}

clmath_module *clmath_module_open(const uint32_t *words, size_t count) {
    clmath_module *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    *m = (clmath_module){words, count, words[3], calloc(words[3], sizeof *m->defs),
                         calloc(words[3], sizeof *m->values)};
    if (!m->defs || !m->values) {
        clmath_module_close(m);
        return NULL;
    }
    for (size_t at = HEADER_WORDS; at < count; at = after(m, at)) {
        uint32_t op = op_at(m, at);
        if (result_word(op))
            m->defs[words[at + result_word(op)]] = (uint32_t)at;
        if (op == OP_UNDEF || (op >= OP_CONSTANT_TRUE && op <= OP_CONSTANT_NULL))
            load_constant(m, words + at);
    }
    return m;
}

void clmath_module_close(clmath_module *m) {
    if (m) {
        free(m->defs);
        free(m->values);
    }
    free(m);
}

uint32_t clmath_find(const clmath_module *m, const char *name) {
    for (size_t at = HEADER_WORDS; at < m->count && op_at(m, at) != OP_FUNCTION;
         at = after(m, at)) {
        const uint32_t *w = m->words + at;
        if (op_at(m, at) == OP_DECORATE && w[2] == LINKAGE_ATTRIBUTES &&
            strcmp((const char *)&w[3], name) == 0)
            return w[1];
    }
    return 0;
}

static size_t print_type(const clmath_module *m, uint32_t type, char *text, size_t size) {
    shape s = shape_of_type(m, type);
    char letter = s.is_float     ? (s.bits == 64 ? 'd' : 'f')
                  : s.bits == 64 ? 'q'
                  : s.bits == 16 ? 's'
                                 : 'u';
    int n = s.count > 1 ? snprintf(text, size, "%u%c", s.count, letter)
                        : snprintf(text, size, "%c", letter);
    return (size_t)n;
}

void clmath_signature(const clmath_module *m, uint32_t function, char *text, size_t size) {
    const uint32_t *type = m->words + m->defs[m->words[m->defs[function] + 4]];
    size_t used = print_type(m, type[2], text, size);
    used += (size_t)snprintf(text + used, size - used, ":");
    for (unsigned i = 3; i < *type >> 16; i++)
        used += print_type(m, type[i], text + used, size - used);
}

static bool is_free(uint32_t op) {
    return (op >= OP_COMPOSITE_CONSTRUCT && op <= OP_COMPOSITE_INSERT) || op == OP_BITCAST ||
           op == OP_FUNCTION_PARAMETER || op >= OP_PHI;
}

// NOLINTNEXTLINE(misc-no-recursion): the library calls a few levels deep
unsigned clmath_operations(const clmath_module *m, uint32_t function) {
    unsigned total = 0;
    for (size_t at = after(m, m->defs[function]); op_at(m, at) != OP_FUNCTION_END;
         at = after(m, at)) {
        if (op_at(m, at) == OP_FUNCTION_CALL)
            total += clmath_operations(m, m->words[at + 3]);
        else if (!is_free(op_at(m, at)))
            total++;
    }
    return total;
}

/* All phis of a block read before any of them is written. Returns the instruction after them. */
static size_t enter(clmath_module *m, size_t label, uint32_t from) {
    clmath_value taken[MOST_PHIS];
    size_t first = after(m, label), at = first;
    unsigned n = 0;
    for (; op_at(m, at) == OP_PHI && n < MOST_PHIS; at = after(m, at), n++)
        for (const uint32_t *w = m->words + at + 3; w < m->words + after(m, at); w += 2)
            if (w[1] == from)
                taken[n] = m->values[w[0]];
    n = 0;
    for (size_t p = first; p < at; p = after(m, p), n++)
        m->values[m->words[p + 2]] = taken[n];
    return at;
}

/* Component by component */
static bool per_component(clmath_module *m, const uint32_t *w) {
    uint32_t op = *w & 0xFFFF;
    bool is_extended = op == OP_EXT_INST;
    const uint32_t *operands = w + (is_extended ? 5 : 3);
    size_t n = (size_t)(*w >> 16) - (is_extended ? 5 : 3);
    shape to = shape_of_type(m, w[1]), from = shape_of(m, operands[0]);
    clmath_value *out = &m->values[w[2]];
    for (unsigned i = 0; i < to.count; i++) {
        uint64_t v[3] = {0, 0, 0};
        for (size_t k = 0; k < n && k < 3; k++)
            v[k] = m->values[operands[k]].c[i];
        bool known = is_extended ? clmath_extended_op(w[4], to.bits, v, &out->c[i])
                     : from.is_float
                         ? clmath_float_op(op, from.bits, to.bits, v[0], v[1], &out->c[i])
                         : clmath_integer_op(op, from.bits, to.bits, v[0], v[1], &out->c[i]);
        if (!known)
            return false;
    }
    return true;
}

/* Operations that move components */
static bool move(clmath_module *m, const uint32_t *w) {
    clmath_value *out = &m->values[w[2]], *in = m->values;
    unsigned count = *w >> 16;
    switch (*w & 0xFFFF) {
    case OP_COMPOSITE_EXTRACT: out->c[0] = in[w[3]].c[w[4]]; return true;
    case OP_COMPOSITE_CONSTRUCT:
        for (unsigned i = 3; i < count; i++)
            out->c[i - 3] = in[w[i]].c[0];
        return true;
    case OP_COMPOSITE_INSERT: {
        clmath_value v = in[w[4]];
        v.c[w[5]] = in[w[3]].c[0];
        *out = v;
        return true;
    }
    case OP_VECTOR_SHUFFLE: {
        clmath_value v = {{0}};
        unsigned first = shape_of(m, w[3]).count;
        for (unsigned i = 5; i < count; i++)
            if (w[i] != 0xFFFFFFFFu)
                v.c[i - 5] = w[i] < first ? in[w[3]].c[w[i]] : in[w[4]].c[w[i] - first];
        *out = v;
        return true;
    }
    case OP_SELECT: {
        bool scalar = shape_of(m, w[3]).count == 1;
        for (unsigned i = 0; i < 4; i++)
            out->c[i] = in[w[in[w[3]].c[scalar ? 0 : i] ? 4 : 5]].c[i];
        return true;
    }
    case OP_IADD_CARRY:
        out->c[0] = (uint32_t)(in[w[3]].c[0] + in[w[4]].c[0]);
        out->c[1] = out->c[0] < in[w[3]].c[0];
        return shape_of(m, w[3]).bits == 32;
    default: return false;
    }
}

// NOLINTNEXTLINE(misc-no-recursion)
static bool call_function(clmath_module *m, const uint32_t *w, char *error) {
    clmath_value arguments[8];
    for (unsigned i = 4; i < *w >> 16 && i < 12; i++)
        arguments[i - 4] = m->values[w[i]];
    return clmath_call(m, w[3], arguments, &m->values[w[2]], error);
}

// NOLINTNEXTLINE(misc-no-recursion)
bool clmath_call(clmath_module *m, uint32_t function, const clmath_value *arguments,
                 clmath_value *result, char *error) {
    size_t at = after(m, m->defs[function]);
    for (; op_at(m, at) == OP_FUNCTION_PARAMETER; at = after(m, at))
        m->values[m->words[at + 2]] = *arguments++;
    uint32_t block = m->words[at + 1];
    at = after(m, at);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        const uint32_t *w = m->words + at;
        uint32_t op = *w & 0xFFFF, target = 0;
        if (op == OP_RETURN_VALUE) {
            *result = m->values[w[1]];
            return true;
        }
        if (op == OP_BRANCH)
            target = w[1];
        else if (op == OP_BRANCH_CONDITIONAL)
            target = m->values[w[1]].c[0] ? w[2] : w[3];
        if (target) {
            at = enter(m, m->defs[target], block);
            block = target;
            continue;
        }
        bool good =
            op == OP_FUNCTION_CALL ? call_function(m, w, error) : move(m, w) || per_component(m, w);
        if (!good) {
            snprintf(error, 80, "instruction %u at word %zu", (unsigned)op, at);
            return false;
        }
        at = after(m, at);
    }
    snprintf(error, 80, "no end after %d steps", MOST_STEPS);
    return false;
}
