/* Loads, stores, atomics and asserts. Memory is an array of bytes; an access casts a pointer into
 * it to a type that may alias any other. Addresses wrap at 32 bits before they become pointers:
 *
 *   load(device, 4, +8) %3        *(mem_f32 *)(mem + u3 + 8)
 *   with --bounds                 (uint64_t)u3 + 12 <= mem_size ? *(mem_f32 *)(mem + u3 + 8) : 0.0f
 */
#include "emit/c_printer.h"

#include <string.h>

static ir_access access_of(const c_printer *p, ir_value v) {
    return ir_access_unpack(ir_at(p->f, v)->imm);
}

/* ---- Addresses ---- */

static bool is_buffer(const c_printer *p, ir_value address) {
    return ir_op_of(p->f, address) == IR_BUFFER;
}

static bool is_kept(const c_printer *p, ir_value address) {
    bool pointer = ir_op_of(p->f, address) == IR_POINTER || is_buffer(p, address);
    return pointer && p->m.kind[address] != MAT_INLINE;
}

/* The address of an access, in parts. */
typedef struct location {
    ir_value base;     /* a pointer or buffer that has a variable, or 0: the memory itself */
    ir_value word;     /* of a buffer: added to the memory, or 0 */
    ir_value offset;   /* added to the base, or 0 */
    unsigned shift;    /* of the offset */
    uint64_t constant; /* added as well */
} location;

static location location_of(const c_printer *p, ir_value v) {
    ir_value at = ir_arg(p->f, v, 0);
    location a = {.offset = at, .constant = (uint32_t)access_of(p, v).offset};
    uint32_t bits = 0;
    if (is_kept(p, at)) {
        a.base = at;
        a.offset = 0;
        return a;
    }
    if (is_buffer(p, at)) {
        a.word = ir_arg(p->f, at, 0);
        a.offset = ir_arg(p->f, at, 1);
        a.shift = ir_at(p->f, at)->imm & IR_INDEX_SHIFT;
    } else if (ir_op_of(p->f, at) == IR_POINTER) {
        a.offset = ir_arg(p->f, at, 0);
    }
    if (c_const(p, a.offset, &bits)) {
        a.constant += bits << a.shift;
        a.offset = 0;
    }
    return a;
}

/* Constant memory is a file-scope variable, so it is never passed as a parameter. */
static void put_base(c_printer *p, unsigned space) {
    static const uint8_t names[IR_SPACE_COUNT] = {
        [IR_LOCAL] = C_LOCAL, [IR_DEVICE] = C_MEM, [IR_PRIVATE] = C_PRIVATE};
    if (space == IR_CONSTANT)
        buf_text(p->out, p->t->constants);
    else
        c_use(p, (c_name)names[space]);
}

/* The address space that precedes a type in a cast. */
static const char *space_name(const c_printer *p, unsigned space) {
    switch (space) {
    case IR_LOCAL: return p->t->local;
    case IR_PRIVATE: return p->t->own;
    case IR_CONSTANT: return p->t->constant;
    default: return p->t->device;
    }
}

/* "(mem_u32 *)", put together once. */
static void put_cast(c_printer *p, unsigned space, unsigned type) {
    c_cast *cast = &p->casts[space][type];
    size_t start = p->out->size;
    if (cast->length) {
        put_piece(p->out, cast->text, cast->length);
        return;
    }
    buf_char(p->out, '(');
    buf_text(p->out, space_name(p, space));
    buf_text(p->out, c_helpers[type].name);
    buf_text(p->out, " *)");
    size_t length = p->out->size - start;
    if (p->out->failed || length > sizeof cast->text)
        return;
    memcpy(cast->text, p->out->data + start, length);
    cast->length = (uint8_t)length;
}

/* " + args.x" */
static void put_word(c_printer *p, ir_value word) {
    put_piece(p->out, " + ", 3);
    c_expression(p, word, C_MULTIPLY);
}

/* " + u1" or " + (u1 << 2)" */
static void put_offset(c_printer *p, ir_value offset, unsigned shift) {
    put_piece(p->out, " + (", shift ? 4 : 3);
    c_expression(p, offset, shift ? C_UNARY : C_MULTIPLY);
    if (!shift)
        return;
    put_piece(p->out, " << ", 4);
    buf_decimal(p->out, shift);
    buf_char(p->out, ')');
}

static void put_place(c_printer *p, unsigned space, const location *a) {
    if (a->base)
        c_variable(p, a->base);
    else
        put_base(p, space);
    if (a->word)
        put_word(p, a->word);
    if (a->offset)
        put_offset(p, a->offset, a->shift);
    if (a->constant) {
        put_piece(p->out, " + ", 3);
        buf_decimal(p->out, a->constant);
    }
}

/* The base and the offset, between the parentheses of a cast. */
void c_place(c_printer *p, ir_value v) {
    location a = location_of(p, v);
    put_place(p, access_of(p, v).space, &a);
}

void c_address(c_printer *p, ir_value v, unsigned type) {
    unsigned space = access_of(p, v).space;
    if (ir_op_of(p->f, v) == IR_ATOMIC && c_element_pointer(p, v, type))
        return;
    location a = location_of(p, v);
    bool sum = a.word || a.offset || a.constant;
    c_need(p, type);
    put_cast(p, space, type);
    if (sum)
        buf_char(p->out, '(');
    put_place(p, space, &a);
    if (sum)
        buf_char(p->out, ')');
}

/* The function that an access with a cache hint calls, or NULL. */
static const char *hinted(const c_printer *p, ir_value v) {
    return access_of(p, v).hint ? p->t->hinted[ir_op_of(p->f, v) == IR_STORE] : NULL;
}

/* A pointer to the location that a load reads or a store writes, as a function's operand. */
static void put_pointer_to(c_printer *p, ir_value v, unsigned type) {
    if (c_element(p, v, type, "&"))
        return;
    if (access_of(p, v).bytes == 1)
        c_place(p, v);
    else
        c_address(p, v, type);
}

/* The location that a load reads or a store writes, as an lvalue. */
static void put_content(c_printer *p, ir_value v, unsigned type) {
    if (ir_op_of(p->f, v) != IR_STORE && hinted(p, v)) {
        buf_text(p->out, hinted(p, v));
        put_pointer_to(p, v, type);
        buf_char(p->out, ')');
        return;
    }
    if (c_element(p, v, type, ""))
        return;
    if (access_of(p, v).bytes == 1) {
        buf_text(p->out, "*(");
        c_place(p, v);
        buf_char(p->out, ')');
    } else {
        buf_char(p->out, '*');
        c_address(p, v, type);
    }
}

/* ---- Bounds ---- */

/* The condition that an access is in bounds; false without --bounds. */
static bool put_inside(c_printer *p, ir_value v) {
    if (!p->o->bounds)
        return false;
    ir_access a = access_of(p, v);
    ir_value address = ir_arg(p->f, v, 0);
    if (ir_op_of(p->f, address) == IR_POINTER)
        address = ir_arg(p->f, address, 0);
    if (is_buffer(p, address)) { /* only in IR that is given as text */
        c_reject(p, v);
        return true;
    }
    buf_text(p->out, "(uint64_t)");
    c_expression(p, address, C_UNARY);
    buf_text(p->out, " + ");
    buf_decimal(p->out, (uint32_t)a.offset + a.bytes);
    buf_text(p->out, " <= ");
    switch (a.space) {
    case IR_LOCAL: c_u32(p->out, p->f->local_memory); break;
    case IR_PRIVATE: c_u32(p->out, p->f->private_memory); break;
    case IR_CONSTANT: c_u32(p->out, p->f->constant_size); break;
    default: c_use(p, C_SIZE); break;
    }
    return true;
}

static bool put_inside_then(c_printer *p, ir_value v, const char *then) {
    bool any = put_inside(p, v);
    if (any)
        buf_text(p->out, then);
    return any;
}

/* "if (inside) " before a statement. */
static void put_guard(c_printer *p, ir_value v) {
    if (!p->o->bounds)
        return;
    buf_text(p->out, "if (");
    put_inside_then(p, v, ") ");
}

/* ---- Loads and stores ---- */

static unsigned type_of(unsigned bytes, ir_type words) {
    if (words == IR_U64 || words == IR_F64)
        return words == IR_F64 ? C_MEM_F64 : C_MEM_U64;
    bool is_float = words == IR_F32;
    switch (bytes) {
    case 2: return C_MEM_U16;
    case 8: return is_float ? C_MEM_F32X2 : C_MEM_U32X2;
    case 16: return is_float ? C_MEM_F32X4 : C_MEM_U32X4;
    default: return is_float ? C_MEM_F32 : C_MEM_U32;
    }
}

static void put_load(c_printer *p, ir_value v) {
    ir_type type = ir_type_of(p->f, v);
    c_begin(p, v);
    bool guarded = put_inside_then(p, v, " ? ");
    put_content(p, v, type_of(access_of(p, v).bytes, type));
    if (guarded)
        buf_text(p->out, type == IR_F32 ? " : 0.0f" : " : 0u");
    c_end(p);
}

ir_type c_parts_type(const c_printer *p, ir_value load) {
    for (ir_value r = ir_at(p->f, load)->next;
         r && ir_op_of(p->f, r) == IR_RESULT && ir_arg(p->f, r, 0) == load;
         r = ir_at(p->f, r)->next)
        if (p->m.kind[r] != MAT_UNUSED && ir_type_of(p->f, r) != IR_F32)
            return IR_U32;
    return IR_F32;
}

/* A vector in a variable; its words are printed as components where they are used. */
static void put_loads(c_printer *p, ir_value v) {
    unsigned bytes = access_of(p, v).bytes;
    ir_type words = c_parts_type(p, v);
    unsigned type = type_of(bytes, words);
    const char *zero = words == IR_F32 ? "0.0f" : "0u";
    c_line(p);
    buf_text(p->out, c_helpers[type].name);
    buf_char(p->out, ' ');
    c_variable(p, v);
    buf_text(p->out, " = ");
    bool guarded = put_inside_then(p, v, " ? ");
    put_content(p, v, type);
    if (guarded) {
        buf_text(p->out, " : ");
        buf_text(p->out, c_helpers[type].name);
        buf_text(p->out, p->t->vectors[0]);
        for (unsigned k = 0; k < bytes / 4; k++) {
            buf_text(p->out, k ? ", " : "");
            buf_text(p->out, zero);
        }
        buf_text(p->out, p->t->vectors[1]);
    }
    c_end(p);
}

static void put_stored_vector(c_printer *p, ir_value v, unsigned type, ir_type words) {
    unsigned count = ir_at(p->f, v)->arg_count - 1u;
    buf_text(p->out, c_helpers[type].name);
    buf_text(p->out, p->t->vectors[0]);
    for (unsigned k = 0; k < count; k++) {
        put_piece(p->out, ", ", k ? 2 : 0);
        c_bitcast(p, words, ir_arg(p->f, v, k + 1), C_ANY);
    }
    buf_text(p->out, p->t->vectors[1]);
}

static void put_stored(c_printer *p, ir_value v, unsigned type, ir_type words) {
    unsigned bytes = access_of(p, v).bytes;
    if (bytes > 4) {
        put_stored_vector(p, v, type, words);
    } else if (bytes == 4) {
        c_bitcast(p, words, ir_arg(p->f, v, 1), C_ANY);
    } else {
        buf_text(p->out, bytes == 1 ? "(uint8_t)" : "(uint16_t)");
        c_bitcast(p, IR_U32, ir_arg(p->f, v, 1), C_UNARY);
    }
}

static void put_store(c_printer *p, ir_value v) {
    unsigned count = ir_at(p->f, v)->arg_count - 1u, bytes = access_of(p, v).bytes;
    ir_type words = IR_F32;
    for (unsigned k = 1; k <= count; k++)
        if (ir_type_of(p->f, ir_arg(p->f, v, k)) != IR_F32)
            words = IR_U32;
    unsigned type = type_of(bytes, words);
    c_line(p);
    put_guard(p, v);
    if (hinted(p, v)) {
        buf_text(p->out, hinted(p, v));
        put_stored(p, v, type, words);
        buf_text(p->out, ", ");
        put_pointer_to(p, v, type);
        buf_char(p->out, ')');
    } else {
        put_content(p, v, type);
        buf_text(p->out, " = ");
        put_stored(p, v, type, words);
    }
    c_end(p);
}

/* Stores a 64-bit element. */
static void put_store_whole(c_printer *p, ir_value v) {
    ir_value value = ir_arg(p->f, v, 1);
    c_line(p);
    put_guard(p, v);
    put_content(p, v, type_of(8, ir_type_of(p->f, value)));
    buf_text(p->out, " = ");
    c_expression(p, value, C_ANY);
    c_end(p);
}

/* ---- Atomics and asserts ---- */

/* The old value, converted to the type of its use. */
static void put_old_value(c_printer *p, ir_value v) {
    unsigned type = c_atomic_type(p, v);
    ir_type as = ir_type_of(p->f, v), is = c_atomic_value(type);
    if (as == is || p->m.kind[v] != MAT_TEMPORARY) {
        c_atomic(p, v);
        return;
    }
    for (const char *c = p->t->bitcasts[as][is]; *c; c++) {
        if (*c != '$') {
            buf_char(p->out, *c);
            continue;
        }
        c++;
        c_atomic(p, v);
    }
}

static void put_atomic(c_printer *p, ir_value v) {
    bool used = p->m.kind[v] == MAT_TEMPORARY;
    c_begin(p, v);
    bool guarded = used && put_inside_then(p, v, " ? ");
    if (!used)
        put_guard(p, v);
    put_old_value(p, v);
    if (guarded)
        buf_text(p->out, ir_type_of(p->f, v) == IR_F32 ? " : 0.0f" : " : 0u");
    c_end(p);
}

/* The builder puts most asserts in a block that only failing lanes reach; these have a constant
 * condition. */
static void put_assert(c_printer *p, ir_value v) {
    ir_value holds = ir_arg(p->f, v, 0);
    if (!p->o->assert_trap)
        return;
    c_line(p);
    if (ir_op_of(p->f, holds) != IR_CONST || ir_at(p->f, holds)->imm) {
        buf_text(p->out, "if (");
        c_condition(p, holds, true, C_ANY);
        buf_text(p->out, ") ");
    }
    c_need(p, p->t->fail_helper);
    buf_text(p->out, "wave_fail(");
    c_use(p, C_STATUS);
    buf_text(p->out, ", ");
    c_u32(p->out, (uint32_t)ir_at(p->f, v)->imm);
    buf_char(p->out, ')');
    c_end(p);
}

static void put_pointer(c_printer *p, ir_value v) {
    bool buffer = is_buffer(p, v);
    c_begin(p, v);
    c_use(p, C_MEM);
    if (buffer)
        put_word(p, ir_arg(p->f, v, 0));
    put_offset(p, ir_arg(p->f, v, buffer), buffer ? ir_at(p->f, v)->imm & IR_INDEX_SHIFT : 0);
    c_end(p);
}

bool c_memory(c_printer *p, ir_value v) {
    switch (ir_op_of(p->f, v)) {
    case IR_POINTER:
    case IR_BUFFER: put_pointer(p, v); return true;
    case IR_LOAD:
    case IR_LOAD64: put_load(p, v); return true;
    case IR_LOADS: put_loads(p, v); return true;
    case IR_STORE: put_store(p, v); return true;
    case IR_STORE64: put_store_whole(p, v); return true;
    case IR_ATOMIC: put_atomic(p, v); return true;
    case IR_ASSERT: put_assert(p, v); return true;
    default: return false;
    }
}
