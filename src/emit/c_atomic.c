/* Atomic operations, for the C family, from the target's texts (c_target.atomics):
 *
 *   __hip_atomic_fetch_add((mem_u32 *)(mem + u0), u1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)
 *   wave_atomic<uint32_t, sycl::memory_scope::device>(*(mem_u32 *)(mem + u0)).fetch_add(u1)
 *   atomic_fetch_add_explicit((device atomic_uint *)(mem + u0), u1, memory_order_relaxed) */
#include "emit/c_printer.h"

#include <string.h>

typedef struct atomic {
    ir_value v;
    ir_access access;
    unsigned type;   /* c_atomic_type */
    unsigned helper; /* 0: the target's own operation */
} atomic;

unsigned c_atomic_type(const c_printer *p, ir_value v) {
    ir_access a = ir_access_unpack(ir_at(p->f, v)->imm);
    bool wide = a.bytes == 8;
    switch (a.atomic) {
    case IR_ATOMIC_FADD: return C_MEM_F32;
    case IR_ATOMIC_IMIN:
    case IR_ATOMIC_IMAX: return wide ? C_MEM_I64 : C_MEM_I32;
    default: return wide ? C_MEM_U64 : C_MEM_U32;
    }
}

ir_type c_atomic_value(unsigned type) {
    return type == C_MEM_F32 ? IR_F32 : type == C_MEM_U64 || type == C_MEM_I64 ? IR_U64 : IR_U32;
}

static bool is_signed(unsigned type) {
    return type == C_MEM_I32 || type == C_MEM_I64;
}

static unsigned helper_of(const c_printer *p, ir_access a) {
    const c_atomics *t = p->t->atomics;
    if (a.atomic == IR_ATOMIC_CAS)
        return a.bytes == 8 ? t->cas64[a.space] : t->cas[a.space];
    bool own = a.atomic != IR_ATOMIC_FADD || (p->o->fp_fast && t->fast_fadd[a.space]);
    return own ? 0 : t->fadd[a.space];
}

ir_value c_find_wide_atomic(const ir_func *f) {
    const ir_node *nodes = f->nodes;
    ir_value count = ir_made(f, IR_ATOMIC) ? f->node_count : 0;
    for (ir_value v = 1; v < count; v++)
        if (nodes[v].op == IR_ATOMIC && ir_access_unpack(nodes[v].imm).bytes == 8)
            return v;
    return 0;
}

/* ---- Words ---- */

/* The function's name; a target without a subtraction adds the negated operand. */
static void put_name(c_printer *p, const atomic *a) {
    static const char *const names[IR_ATOMIC_COUNT] = {
        [IR_ATOMIC_ADD] = "fetch_add",  [IR_ATOMIC_SUB] = "fetch_sub",
        [IR_ATOMIC_MIN] = "fetch_min",  [IR_ATOMIC_MAX] = "fetch_max",
        [IR_ATOMIC_AND] = "fetch_and",  [IR_ATOMIC_OR] = "fetch_or",
        [IR_ATOMIC_XOR] = "fetch_xor",  [IR_ATOMIC_EXCHANGE] = "exchange",
        [IR_ATOMIC_FADD] = "fetch_add", [IR_ATOMIC_IMIN] = "fetch_min",
        [IR_ATOMIC_IMAX] = "fetch_max", [IR_ATOMIC_LOAD] = "load",
        [IR_ATOMIC_STORE] = "store",
    };
    bool adds = a->access.atomic == IR_ATOMIC_SUB && p->t->atomics->lacks_sub;
    buf_text(p->out, names[adds ? IR_ATOMIC_ADD : a->access.atomic]);
}

static void put_value(c_printer *p, const atomic *a, ir_value x) {
    bool negated = a->access.atomic == IR_ATOMIC_SUB && p->t->atomics->lacks_sub;
    if (is_signed(a->type)) {
        c_signed(p, x, C_ANY);
        return;
    }
    buf_text(p->out, negated ? "0u - " : "");
    c_bitcast(p, c_atomic_value(a->type), x, negated ? C_MULTIPLY : C_ANY);
}

static void put_values(c_printer *p, const atomic *a, const char *separator) {
    for (unsigned k = 1; k < ir_at(p->f, a->v)->arg_count; k++) {
        buf_text(p->out, separator);
        put_value(p, a, ir_arg(p->f, a->v, k));
    }
}

static void put_text(c_printer *p, const atomic *a, const char *text);

static void put_word(c_printer *p, const atomic *a, const char *word, size_t length) {
    const c_atomics *t = p->t->atomics;
    bool local = a->access.space == IR_LOCAL;
    /* A helper that adds floats works on the word that contains them. */
    unsigned type = a->helper && a->type == C_MEM_F32 ? C_MEM_U32 : a->type;
#define IS(text) (length == sizeof text - 1 && memcmp(word, text, length) == 0)
    if (IS("name")) {
        put_name(p, a);
    } else if (IS("helper")) {
        buf_text(p->out, p->t->helpers[a->helper - C_HELPERS].name);
    } else if (IS("scope")) {
        buf_text(p->out, t->scopes[local ? ISA_SCOPE_WORKGROUP : a->access.scope]);
    } else if (IS("word")) {
        buf_text(p->out, t->words[type]);
    } else if (IS("value")) {
        put_values(p, a, "");
    } else if (IS("values")) {
        put_values(p, a, ", ");
    } else if (IS("object")) {
        put_text(p, a, t->objects[a->access.space]);
    } else if (IS("pointer")) {
        c_address(p, a->v, type);
    } else if (IS("element")) {
        if (!c_element(p, a->v, type, "")) {
            buf_char(p->out, '*');
            c_address(p, a->v, type);
        }
    } else if (!c_element_pointer(p, a->v, C_HELPERS)) { /* "place" */
        buf_char(p->out, '(');
        c_place(p, a->v);
        buf_char(p->out, ')');
    }
#undef IS
}

static void put_text(c_printer *p, const atomic *a, const char *text) {
    for (size_t length; (length = c_put_to_word(&text, p->out)) != 0; text += length)
        put_word(p, a, text, length);
}

void c_atomic(c_printer *p, ir_value v) {
    const c_atomics *t = p->t->atomics;
    atomic a = {.v = v, .access = ir_access_unpack(ir_at(p->f, v)->imm)};
    a.type = c_atomic_type(p, v);
    a.helper = helper_of(p, a.access);
    if (t->object_helpers[a.access.space])
        c_need(p, t->object_helpers[a.access.space]);
    if (a.helper) {
        c_need(p, a.helper);
        put_text(p, &a, t->help);
        return;
    }
    /* A cast whose result is unused is a warning of some compilers. */
    if (is_signed(a.type) && (t->casts_unused || p->m.kind[v] == MAT_TEMPORARY))
        buf_text(p->out, a.type == C_MEM_I32 ? "(uint32_t)" : "(uint64_t)");
    put_text(p, &a, t->text);
}
