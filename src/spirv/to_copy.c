/* Memory copies. clang uses OpCopyMemorySized for memmove too: source and target may overlap.
 *
 * A small copy of known size reads everything before it writes anything. A larger one is a loop:
 * downwards from the last piece if the target is after the source, else upwards. */
#include "spirv/to_ir.h"

enum { MOST_PIECES = 64 };

typedef struct copy {
    to_pointer to, from;
    uint32_t piece; /* bytes moved at a time */
} copy;

static uint32_t aligned(builder *b, uint32_t word, uint32_t fallback) {
    if (to_has_word(b, word + 1) && to_word(b, word) & SPIRV_Access_Aligned) {
        uint32_t align = to_word(b, word + 1);
        return align && !(align & (align - 1)) ? align : 1;
    }
    return fallback;
}

static ir_value load_piece(builder *b, const copy *c, ir_value at) {
    const to_scalar s = {.type = IR_U32, .bits = (uint8_t)(8 * c->piece)};
    to_pointer p = {at, c->from.space, c->from.object};
    return to_load_scalar(b, p, &s, c->piece);
}

static void store_piece(builder *b, const copy *c, ir_value at, ir_value v) {
    const to_scalar s = {.type = IR_U32, .bits = (uint8_t)(8 * c->piece)};
    to_pointer p = {at, c->to.space, c->to.object};
    to_store_scalar(b, p, &s, c->piece, v);
}

static void copy_small(builder *b, const copy *c, uint32_t bytes) {
    ir_value v[MOST_PIECES];
    for (uint32_t k = 0; k < bytes / c->piece; k++)
        v[k] = load_piece(b, c, to_add(b, c->from.offset, k * c->piece));
    for (uint32_t k = 0; k < bytes / c->piece; k++)
        store_piece(b, c, to_add(b, c->to.offset, k * c->piece), v[k]);
}

/* Counts the remaining bytes down to 0 while the offset moves up from the first piece or down from
 * the last. */
static bool copy_loop(builder *b, const copy *c, ir_value bytes) {
    ir_value down = c->to.space == c->from.space
                        ? to_2(b, IR_UCMP_LT, IR_BOOL, c->from.offset, c->to.offset)
                        : to_zero(b, IR_BOOL);
    ir_value size = to_u32(b, c->piece);
    ir_value stride = to_select(b, down, to_u32(b, 0u - c->piece), size);
    ir_value first = to_select(b, down, to_2(b, IR_ISUB, IR_U32, bytes, size), to_u32(b, 0));
    uint32_t *v = arena_alloc(&b->memory, 2 * sizeof *v);
    if (!v) {
        b->s.f->failed = true;
        return false;
    }
    v[0] = to_variable(b, IR_U32, bytes); /* remaining bytes */
    v[1] = to_variable(b, IR_U32, first); /* offset */
    to_open_loop(b, v, 2);
    ir_value left = ssa_read(&b->s, v[0]), at = ssa_read(&b->s, v[1]);
    to_break_if(b, to_2(b, IR_ICMP_EQ, IR_BOOL, left, to_u32(b, 0)));
    ir_value piece = load_piece(b, c, to_2(b, IR_IADD, IR_U32, c->from.offset, at));
    store_piece(b, c, to_2(b, IR_IADD, IR_U32, c->to.offset, at), piece);
    ssa_write(&b->s, v[0], to_2(b, IR_ISUB, IR_U32, left, size));
    ssa_write(&b->s, v[1], to_2(b, IR_IADD, IR_U32, at, stride));
    to_close_loop(b);
    b->s.unused[v[0]] = b->s.unused[v[1]] = true;
    return true;
}

bool to_copy_bytes(builder *b, to_pointer to, to_pointer from, uint32_t bytes, uint32_t align) {
    copy c = {.to = to, .from = from, .piece = 4};
    while (c.piece > 1 && (c.piece > align || bytes % c.piece))
        c.piece /= 2;
    if (bytes / c.piece > MOST_PIECES)
        return copy_loop(b, &c, to_u32(b, bytes));
    copy_small(b, &c, bytes);
    return true;
}

bool to_copy(builder *b) {
    copy c = {.piece = 4};
    const spirv_module *m = to_module_of(b);
    if (!to_read_pointer(b, to_word(b, 1), &c.to) || !to_read_pointer(b, to_word(b, 2), &c.from))
        return false;
    const spirv_type *type = spirv_type_at(m, to_type_of(b, to_word(b, 1))->element);
    bool sized = b->insn->op == SPIRV_OpCopyMemorySized;
    uint32_t access = sized ? 4 : 3,
             align = aligned(b, access, type && type->align ? type->align : 1);
    ir_value bytes = sized ? to_read_index(b, to_word(b, 3)) : to_u32(b, type ? type->size : 0);
    uint64_t known = 0;
    if (!bytes)
        return false;
    bool constant = ir_is_const(to_func(b), bytes, &known);
    while (c.piece > 1 && (c.piece > align || known % c.piece || !constant))
        c.piece /= 2;
    if (c.to.space >= IR_SPACE_COUNT || c.to.space == IR_CONSTANT || c.from.space >= IR_SPACE_COUNT)
        return to_fail(b, DIAG_E_SPIRV_TYPE, "copy to or from memory that does not allow it");
    if (constant && known / c.piece <= MOST_PIECES) {
        copy_small(b, &c, (uint32_t)known);
        return true;
    }
    return copy_loop(b, &c, bytes);
}
