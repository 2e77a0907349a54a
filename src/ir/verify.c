/* The rules of ir.h, checked on the whole function: what a pass may rely on and must preserve.
 * Linear time. */
#include "ir/analyse.h"
#include "ir/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct verifier {
    const ir_func *f;
    const char *stage;
    wave_diags *diags;
    uint8_t *visible; /* by value: defined in an open region or a leaf */
    bool calls;       /* there may be functions */
    bool inside;      /* inside a function */
    ir_functions functions;
    bool ok;
} verifier;

static bool complain(verifier *c, ir_value v, const char *what) {
    c->ok = false;
    diag_place place = DIAG_NOWHERE;
    place.kernel = c->f->name;
    place.offset = c->f->nodes[v].pc;
    diag_report(c->diags, DIAG_E_IR, &place, "after %s, operation %u (%s): %s", c->stage, v,
                ir_ops[c->f->nodes[v].op].name, what);
    return false;
}

/* ---- Types ---- */

static bool letter_fits(char letter, ir_type type, ir_type *x) {
    switch (letter) {
    case 'v': return type == IR_VOID;
    case 'b': return type == IR_BOOL;
    case 'u': return type == IR_U32;
    case 'f': return type == IR_F32;
    case 'q': return type == IR_U64;
    case 'd': return type == IR_F64;
    case 'h': return type == IR_F16;
    case 'H': return type == IR_F16X2;
    case 't': return type == IR_TOKEN;
    case 'T': return type == IR_TILE;
    case 'k': return ir_is_wave_tile(type);
    case 'm': return type == IR_U32 || type == IR_U64;
    case 'a': return type == IR_U32 || type == IR_F32;
    case 'A': return type == IR_U32 || type == IR_U64 || type == IR_F32 || type == IR_VOID;
    case 'y': return true;
    case 'x':
        if (*x == IR_TYPE_COUNT)
            *x = type;
        return type == *x && type != IR_VOID;
    default: return false;
    }
}

static bool check_types(verifier *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    const char *signature = ir_ops[n->op].signature;
    ir_type x = IR_TYPE_COUNT;
    if (!letter_fits(signature[0], (ir_type)n->type, &x))
        return complain(c, v, "has the wrong type");
    if (signature[2] == '*')
        return true;
    if (strlen(signature + 2) != n->arg_count)
        return complain(c, v, "has the wrong number of operands");
    for (unsigned k = 0; k < n->arg_count; k++)
        if (!letter_fits(signature[2 + k], ir_type_of(c->f, ir_arg(c->f, v, k)), &x))
            return complain(c, v, "has an operand of the wrong type");
    return true;
}

static bool check_bitcast(verifier *c, ir_value v) {
    ir_type from = ir_type_of(c->f, ir_arg(c->f, v, 0)), to = ir_type_of(c->f, v);
    if (ir_type_bits(from) < 32 || ir_type_bits(from) != ir_type_bits(to))
        return complain(c, v, "reinterprets a value of another size");
    return true;
}

static bool check_memory(verifier *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    ir_access a = ir_access_unpack(n->imm);
    unsigned words = a.bytes <= 4 ? 1 : a.bytes / 4u;
    bool wide = n->op == IR_ATOMIC && a.bytes == 8;
    if (n->arg_count < 1)
        return complain(c, v, "has no address");
    if (n->op == IR_STORE && n->arg_count != 1 + words)
        return complain(c, v, "stores the wrong number of values");
    for (unsigned k = 0; k < n->arg_count; k++) {
        ir_type type = ir_type_of(c->f, ir_arg(c->f, v, k));
        bool fits = k && wide ? type == IR_U64 : type == IR_U32 || type == (k ? IR_F32 : IR_U64);
        bool differs = n->op == IR_ATOMIC && n->type != IR_VOID && type != n->type;
        if (!fits || (k && differs))
            return complain(c, v, "has an operand of the wrong type");
    }
    if (a.space >= IR_SPACE_COUNT || (n->op == IR_STORE && a.space == IR_CONSTANT) ||
        (n->op == IR_ATOMIC && !ir_space_shared(a.space)))
        return complain(c, v, "is an access that this memory does not have");
    if (a.space != IR_DEVICE && ir_type_of(c->f, ir_arg(c->f, v, 0)) == IR_U64)
        return complain(c, v, "has a pointer to memory of another kind");
    if (n->op == IR_ATOMIC && (a.bytes == 8) != (n->type == IR_U64) && n->type != IR_VOID)
        return complain(c, v, "has the wrong type");
    if (n->op != IR_ATOMIC && a.hint >= ISA_HINT_COUNT)
        return complain(c, v, "has an undefined cache hint");
    if (n->op == IR_LOADS ? a.bytes != 8 && a.bytes != 16 : n->op == IR_LOAD && a.bytes > 4)
        return complain(c, v, "loads an unsupported number of bytes");
    if (n->op != IR_ATOMIC && a.space != IR_PRIVATE && a.object)
        return complain(c, v, "has an object, which only private memory has");
    if (n->op == IR_ATOMIC && n->arg_count != ir_atomic_operands((ir_atomic)a.atomic))
        return complain(c, v, "has the wrong number of operands");
    if (n->op == IR_ATOMIC && (n->type == IR_VOID) != (a.atomic == IR_ATOMIC_STORE))
        return complain(c, v, "has the wrong type");
    return true;
}

static bool check_element(verifier *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    ir_access a = ir_access_unpack(n->imm);
    ir_type type = n->op == IR_LOAD64 ? (ir_type)n->type : ir_type_of(c->f, ir_arg(c->f, v, 1));
    if (a.space != IR_DEVICE || a.bytes != 8 || ir_op_of(c->f, ir_arg(c->f, v, 0)) != IR_BUFFER)
        return complain(c, v, "is not an access to 8 bytes of a buffer");
    return type == IR_U64 || type == IR_F64 || complain(c, v, "has the wrong type");
}

/* Banks and elements of the tiles match, and the memory space is one that tiles can be in. */
static bool check_tile(verifier *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    ir_access a = ir_access_unpack(n->imm);
    if (n->op == IR_TILE_MMA) {
        ir_type t[3];
        for (unsigned k = 0; k < 3; k++)
            t[k] = ir_type_of(c->f, ir_arg(c->f, v, k));
        bool integer = ir_tile_element(t[0]) >= IR_ELEMENT_I8;
        bool fits = ir_tile_bank(t[0]) == IR_BANK_A && ir_tile_bank(t[1]) == IR_BANK_B &&
                    ir_tile_element(t[0]) == ir_tile_element(t[1]) &&
                    t[2] == (integer ? IR_C_I32 : IR_C_F32) && n->type == t[2];
        return (fits && n->imm < IR_MMA_LAYOUTS) ||
               complain(c, v, "multiplies tiles that do not match");
    }
    if (n->op == IR_TILE_FIXED) { /* the modifier: see build_fixed */
        uint64_t modifier = n->imm >> 20;
        return (modifier >= isa_table[ISA_TILE_LOAD_A].modifier &&
                modifier <= isa_table[ISA_TILE_FILL_C].modifier) ||
               complain(c, v, "is not an instruction");
    }
    if (n->op == IR_TILE_FILL)
        return true;
    if (!ir_space_shared(a.space) || a.layout >= IR_LAYOUT_COUNT)
        return complain(c, v, "is an access that this memory does not have");
    if (a.space != IR_DEVICE && ir_type_of(c->f, ir_arg(c->f, v, 0)) == IR_U64)
        return complain(c, v, "has a pointer to memory of another kind");
    return n->op == IR_TILE_LOAD ||
           ir_tile_bank(ir_type_of(c->f, ir_arg(c->f, v, 2))) == IR_BANK_C ||
           complain(c, v, "stores a tile that is not a result");
}

/* ---- Structure ---- */

/* A yield, break or continue must match the results or parameters of what it belongs to. */
static bool check_transfer(verifier *c, ir_value v, ir_value owner) {
    const ir_node *n = ir_at(c->f, v);
    const ir_node *o = ir_at(c->f, owner);
    if (n->op == IR_CONTINUE) {
        if (n->arg_count != o->arg_count)
            return complain(c, v, "does not match the loop's parameters");
        for (unsigned k = 0; k < n->arg_count; k++)
            if (ir_type_of(c->f, ir_arg(c->f, v, k)) != ir_type_of(c->f, ir_arg(c->f, owner, k)))
                return complain(c, v, "carries a value of the wrong type");
        return true;
    }
    /* the first result directly follows the owner */
    ir_value result = o->next;
    for (unsigned k = 0; k < n->arg_count; k++, result = c->f->nodes[result].next) {
        const ir_node *r = ir_at(c->f, result);
        if (!result || r->op != IR_RESULT || ir_arg(c->f, result, 0) != owner)
            return complain(c, v, "has more values than there are results");
        if (r->type != ir_type_of(c->f, ir_arg(c->f, v, k)))
            return complain(c, v, "has a value that differs in type from its result");
    }
    if (result && c->f->nodes[result].op == IR_RESULT && ir_arg(c->f, result, 0) == owner)
        return complain(c, v, "has fewer values than there are results");
    return true;
}

static bool check_end(verifier *c, ir_value v, ir_region region) {
    const ir_node *n = ir_at(c->f, v);
    if (n->next)
        return complain(c, v, "ends the region before its last operation");
    ir_value owner = c->f->regions[region].owner;
    ir_value loop = ir_loop_around(c->f, region);
    switch (n->op) {
    case IR_YIELD:
        if (!owner || ir_op_of(c->f, owner) != IR_IF)
            return complain(c, v, "is outside an if");
        return check_transfer(c, v, owner);
    case IR_BREAK:
    case IR_CONTINUE:
        if (!loop)
            return complain(c, v, "is outside a loop");
        return check_transfer(c, v, loop);
    default: return true;
    }
}

static bool check_result(verifier *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    ir_value owner = ir_arg(c->f, v, 0);
    const ir_node *before = ir_at(c->f, n->prev);
    bool first = n->prev == owner && n->imm == 0;
    bool later = n->prev && before->op == IR_RESULT && before->imm + 1 == n->imm &&
                 ir_arg(c->f, n->prev, 0) == owner;
    if (!first && !later)
        return complain(c, v, "does not follow its operation");
    const ir_node *o = ir_at(c->f, owner);
    if (o->op == IR_LOADS && n->imm >= ir_access_unpack(o->imm).bytes / 4u)
        return complain(c, v, "is one result too many");
    return o->op == IR_IF || o->op == IR_LOOP || o->op == IR_LOADS ||
           complain(c, v, "belongs to an operation without results");
}

static bool check_param(verifier *c, ir_value v, ir_region region) {
    const ir_node *n = ir_at(c->f, v);
    ir_value loop = c->f->regions[region].owner;
    if (!loop || ir_op_of(c->f, loop) != IR_LOOP || c->f->nodes[loop].regions[0] != region)
        return complain(c, v, "is outside a loop body");
    bool first = !n->prev && n->imm == 0;
    bool later =
        n->prev && ir_op_of(c->f, n->prev) == IR_PARAM && ir_at(c->f, n->prev)->imm + 1 == n->imm;
    if (!first && !later)
        return complain(c, v, "is not at the head of the loop body");
    if (n->imm >= ir_at(c->f, loop)->arg_count)
        return complain(c, v, "has no initial value");
    if (n->type != ir_type_of(c->f, ir_arg(c->f, loop, (unsigned)n->imm)))
        return complain(c, v, "differs in type from its initial value");
    return true;
}

/* A loop has as many parameters as initial values. */
static bool check_loop(verifier *c, ir_value v) {
    uint32_t count = 0;
    ir_value p = c->f->regions[ir_at(c->f, v)->regions[0]].first;
    for (; p && ir_op_of(c->f, p) == IR_PARAM; p = c->f->nodes[p].next)
        count++;
    return count == ir_at(c->f, v)->arg_count ||
           complain(c, v, "does not have one parameter per initial value");
}

static bool check_visible(verifier *c, ir_value v) {
    const ir_node *n = ir_at(c->f, v);
    for (unsigned k = 0; k < n->arg_count; k++) {
        ir_value a = ir_arg(c->f, v, k);
        if (a == 0 || a >= c->f->node_count)
            return complain(c, v, "has an operand that does not exist");
        bool owner = n->op == IR_RESULT; /* names a void operation */
        if (!ir_has(c->f, a, IR_LEAF) && !c->visible[a] && !owner)
            return complain(c, v, "uses a value that is not visible here");
        if (ir_type_of(c->f, a) == IR_VOID && !owner)
            return complain(c, v, "uses an operation without a value");
    }
    return true;
}

static void check_op(verifier *c, ir_value v, ir_region region) {
    const ir_node *n = ir_at(c->f, v);
    if (n->op == IR_NONE || n->op >= IR_OP_COUNT || ir_has(c->f, v, IR_LEAF)) {
        complain(c, v, "is not allowed in a region");
        return;
    }
    if (!check_visible(c, v) || !check_types(c, v))
        return;
    if (ir_has(c->f, v, IR_ENDS))
        check_end(c, v, region);
    else if (!n->next)
        complain(c, v, "is last in its region but does not end it");
    if (n->op == IR_LOAD || n->op == IR_LOADS || n->op == IR_STORE || n->op == IR_ATOMIC)
        check_memory(c, v);
    if (n->op == IR_LOAD64 || n->op == IR_STORE64)
        check_element(c, v);
    switch (n->op) {
    case IR_TILE_LOAD:
    case IR_TILE_STORE:
    case IR_TILE_FILL:
    case IR_TILE_MMA:
    case IR_TILE_FIXED: check_tile(c, v); break;
    case IR_BITCAST: check_bitcast(c, v); break;
    case IR_BUFFER:
        if (n->imm > (IR_INDEX_SHIFT | IR_INDEX_EXACT))
            complain(c, v, "has an undefined scale");
        break;
    case IR_RESULT: check_result(c, v); break;
    case IR_PARAM: check_param(c, v, region); break;
    case IR_LOOP: check_loop(c, v); break;
    case IR_LANE_FENCE:
        if (ir_access_unpack(n->imm).scope == ISA_SCOPE_WAVE)
            complain(c, v, "synchronises a wave outside wave-uniform control flow");
        break;
    default: break;
    }
    const char *fault = c->calls ? ir_function_fault(c->f, &c->functions, v, c->inside) : NULL;
    if (fault)
        complain(c, v, fault);
    c->inside |= n->op == IR_FUNCTION;
    c->visible[v] = 1;
}

/* Values defined in a region are not visible after it. */
static void close_region(verifier *c, ir_region r) {
    if (!c->f->regions[r].first)
        complain(c, c->f->regions[r].owner, "has an empty region");
    for (ir_value v = c->f->regions[r].first; v; v = c->f->nodes[v].next)
        c->visible[v] = 0;
    if (ir_op_of(c->f, c->f->regions[r].owner) == IR_FUNCTION)
        c->inside = false;
}

/* ---- After the convergence lowering: all lanes reach every convergent operation ---- */

enum { LEFT = 1, HALTED_BEFORE = 2, HALTED_THEN = 4 }; /* a loop's break; lanes gone at an if */

typedef struct convergence {
    verifier *c;
    ir_uniformity u;
    uint8_t *notes;     /* by loop and if */
    uint32_t divergent; /* enclosing blocks that not all lanes enter */
    bool halted;        /* some lanes are gone */
} convergence;

/* A halt on one side of an if does not affect the other side. If the side ends the kernel for the
 * whole wave, it does not affect the code after the if either. */
static void turn_at_if(convergence *v, ir_value op, ir_region side, bool enters) {
    uint8_t *notes = &v->notes[op];
    bool then = ir_at(v->c->f, op)->regions[0] == side;
    bool ends = ir_op_of(v->c->f, v->c->f->regions[side].last) == IR_HALT;
    if (enters && then)
        *notes = v->halted ? HALTED_BEFORE : 0;
    else if (enters)
        v->halted = *notes & HALTED_BEFORE;
    else if (ends && !v->u.divergent[op])
        v->halted = false;
    if (!enters && then)
        *notes |= v->halted ? HALTED_THEN : 0;
    else if (!enters)
        v->halted |= (*notes & HALTED_THEN) != 0;
}

static void check_block(convergence *v, ir_region region, bool enters) {
    ir_value owner = v->c->f->regions[region].owner;
    if (!owner)
        return;
    if (enters)
        v->divergent += v->u.divergent[owner];
    else
        v->divergent -= v->u.divergent[owner];
    if (ir_op_of(v->c->f, owner) == IR_IF)
        turn_at_if(v, owner, region, enters);
}

/* An unreachable halt removes no lane. */
static void check_reached(convergence *v, ir_value op, ir_region region) {
    const ir_func *f = v->c->f;
    ir_value before = ir_at(f, op)->prev;
    if (ir_op_of(f, op) == IR_BREAK)
        v->notes[ir_loop_around(f, region)] = LEFT;
    else if (ir_op_of(f, op) == IR_HALT)
        v->halted |= v->divergent && ir_goes_on(f, before, v->notes[before] & LEFT);
    else if (ir_has(f, op, IR_WAVE) && (v->divergent || v->halted))
        complain(v->c, op, "is not reached by all lanes of the wave together");
}

static void check_converged(verifier *c) {
    convergence v = {.c = c, .notes = calloc(c->f->node_count, 1)};
    if (!v.notes || !ir_find_uniformity(c->f, &v.u)) {
        free(v.notes);
        diag_report(c->diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
        c->ok = false;
        return;
    }
    ir_walk w;
    ir_walk_init(&w, c->f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_AT_OP)
            check_reached(&v, w.op, w.region);
        else
            check_block(&v, w.region, e == IR_ENTER_REGION);
    }
    ir_free_uniformity(&v.u);
    free(v.notes);
}

bool ir_verify(const ir_func *f, const char *stage, wave_diags *diags) {
    verifier c = {.f = f, .stage = stage, .diags = diags, .ok = true};
    c.visible = calloc(f->node_count, 1);
    c.calls = ir_made(f, IR_FUNCTION) || ir_made(f, IR_CALL) || ir_made(f, IR_INPUT) ||
              ir_made(f, IR_RETURN);
    bool found = ir_find_functions(f, &c.functions);
    if (!c.visible || f->failed || !found) {
        ir_free_functions(&c.functions);
        free(c.visible);
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
        return false;
    }
    ir_walk w;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        if (e == IR_AT_OP)
            check_op(&c, w.op, w.region);
        else if (e == IR_LEAVE_REGION)
            close_region(&c, w.region);
    }
    ir_free_functions(&c.functions);
    free(c.visible);
    if (c.ok && f->converged)
        check_converged(&c);
    return c.ok;
}
