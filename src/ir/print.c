/* The IR as text, values numbered in the order they are printed:
 *
 *   kernel "sum" args 2 group 64,1,1 local 0 width 32 {
 *     %1:token = token
 *     %2:u32 = load(device, 4, +0) arg0
 *     %3:bool = ucmp_lt %2, 0x10:u32
 *     if %3 {
 *       store(device, 4, +8) arg1, %2
 *       yield
 *     } else {
 *       yield
 *     }
 *     halt
 *   }
 */
#include "ir/text.h"

#include <stdlib.h>

typedef struct printer {
    const ir_func *f;
    buf *out;
    uint32_t *number; /* by value */
    uint32_t next;
    unsigned depth;
    bool places; /* where operations come from, as comments */
} printer;

static void indent(printer *p) {
    buf_fill(p->out, ' ', 2 * (size_t)p->depth);
}

static void print_leaf(printer *p, const ir_node *n) {
    if (n->op == IR_ARG) {
        buf_text(p->out, "arg");
        buf_decimal(p->out, n->imm);
    } else if (n->op == IR_SPECIAL) {
        buf_text(p->out, isa_special_name[n->imm]);
    } else if (n->type == IR_BOOL) {
        buf_text(p->out, n->imm ? "true" : "false");
    } else {
        buf_text(p->out, "0x");
        buf_hex(p->out, n->imm, 1);
        buf_char(p->out, ':');
        buf_text(p->out, ir_type_name[n->type]);
    }
}

static void print_operand(printer *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    if (ir_has(p->f, v, IR_LEAF)) {
        print_leaf(p, n);
        return;
    }
    buf_char(p->out, '%');
    buf_decimal(p->out, p->number[v]);
}

static void print_offset(printer *p, int32_t offset) {
    buf_text(p->out, offset < 0 ? ", -" : ", +");
    buf_decimal(p->out, offset < 0 ? (uint64_t)(-(int64_t)offset) : (uint64_t)offset);
}

/* The attributes in parentheses. */
static void print_attributes(printer *p, const ir_node *n) {
    ir_access a = ir_access_unpack(n->imm);
    switch (n->op) {
    case IR_LOAD:
    case IR_LOADS:
    case IR_STORE:
    case IR_LOAD64:
    case IR_STORE64:
        buf_char(p->out, '(');
        buf_text(p->out, ir_space_name[a.space]);
        buf_text(p->out, ", ");
        buf_decimal(p->out, a.bytes);
        print_offset(p, a.offset);
        if (a.hint)
            buf_printf(p->out, ", %s", isa_hint_name[a.hint]);
        if (a.space == IR_PRIVATE && a.object)
            buf_printf(p->out, ", object %u", (unsigned)a.object);
        buf_char(p->out, ')');
        break;
    case IR_ATOMIC:
        buf_char(p->out, '(');
        buf_text(p->out, ir_space_name[a.space]);
        buf_text(p->out, ", ");
        buf_text(p->out, ir_atomic_name[a.atomic]);
        buf_text(p->out, ", ");
        buf_text(p->out, isa_scope_name[a.scope]);
        print_offset(p, a.offset);
        if (a.bytes == 8)
            buf_text(p->out, ", 64");
        buf_char(p->out, ')');
        break;
    case IR_FENCE:
    case IR_LANE_FENCE:
        buf_char(p->out, '(');
        buf_text(p->out, ir_fence_name[a.atomic]);
        buf_text(p->out, ", ");
        buf_text(p->out, isa_scope_name[a.scope]);
        buf_char(p->out, ')');
        break;
    case IR_TILE_LOAD:
    case IR_TILE_STORE:
        buf_printf(p->out, "(%s, %s", ir_space_name[a.space], ir_layout_name[a.layout]);
        print_offset(p, a.offset);
        buf_char(p->out, ')');
        break;
    case IR_TILE_MMA: buf_printf(p->out, "(%s)", ir_mma_layout_name[n->imm]); break;
    case IR_RESULT:
    case IR_PARAM:
    case IR_INPUT:
    case IR_CALL:
    case IR_ASSERT:
    case IR_BUFFER:
    case IR_TILE_FIXED:
        buf_char(p->out, '(');
        buf_decimal(p->out, n->imm);
        buf_char(p->out, ')');
        break;
    default: break;
    }
}

static void print_op(printer *p, ir_value v) {
    const ir_node *n = ir_at(p->f, v);
    indent(p);
    if (n->type != IR_VOID) {
        p->number[v] = ++p->next;
        buf_char(p->out, '%');
        buf_decimal(p->out, p->number[v]);
        buf_char(p->out, ':');
        buf_text(p->out, ir_type_name[n->type]);
        buf_text(p->out, " = ");
    }
    buf_text(p->out, ir_ops[n->op].name);
    print_attributes(p, n);
    /* a result names its owner by following it */
    unsigned count = n->op == IR_RESULT ? 0 : n->arg_count;
    for (unsigned k = 0; k < count; k++) {
        buf_text(p->out, k ? ", " : " ");
        print_operand(p, ir_arg(p->f, v, k));
    }
    if (ir_has(p->f, v, IR_REGIONS))
        return;
    if (p->places)
        buf_printf(p->out, " ; +0x%x", (unsigned)n->pc);
    buf_char(p->out, '\n');
}

static void print_enter(printer *p, ir_region r) {
    ir_value owner = p->f->regions[r].owner;
    if (owner && ir_at(p->f, owner)->op == IR_IF && ir_at(p->f, owner)->regions[1] == r) {
        buf_text(p->out, " else {\n");
    } else if (owner && p->places) {
        buf_printf(p->out, " { ; +0x%x\n", (unsigned)ir_at(p->f, owner)->pc);
    } else {
        buf_text(p->out, " {\n");
    }
    p->depth++;
}

static void print_leave(printer *p, ir_region r) {
    ir_value owner = p->f->regions[r].owner;
    bool more = owner && ir_at(p->f, owner)->op == IR_IF && ir_at(p->f, owner)->regions[0] == r;
    p->depth--;
    indent(p);
    buf_text(p->out, more ? "}" : "}\n");
}

/* Private and constant memory, if any. */
static void print_memories(const ir_func *f, buf *out) {
    if (f->private_memory)
        buf_printf(out, " private %u", f->private_memory);
    if (!f->constant_size)
        return;
    buf_text(out, " constant ");
    for (uint32_t k = 0; k < f->constant_size; k++)
        buf_hex(out, f->constants[k], 2);
}

static void print_function(const ir_func *f, buf *out, bool places) {
    printer p = {.f = f, .out = out, .places = places};
    p.number = calloc(f->node_count, sizeof(uint32_t));
    if (!p.number) {
        out->failed = true;
        return;
    }
    buf_text(out, "kernel ");
    buf_json_string(out, f->name);
    buf_printf(out, " args %u group %u,%u,%u local %u", f->arg_words, f->workgroup[0],
               f->workgroup[1], f->workgroup[2], f->local_memory);
    print_memories(f, out);
    buf_printf(out, " width %u%s", f->wave_width, f->converged ? " converged" : "");
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_AT_OP)
            print_op(&p, w.op);
        else if (e == IR_ENTER_REGION)
            print_enter(&p, w.region);
        else
            print_leave(&p, w.region);
    }
    free(p.number);
}

void ir_print(const ir_func *f, buf *out) {
    print_function(f, out, false);
}

void ir_print_places(const ir_func *f, buf *out) {
    print_function(f, out, true);
}
