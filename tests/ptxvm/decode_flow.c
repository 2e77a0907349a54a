// Decoding of branches, calls, barriers and warp operations.
#include "ptxvm/parse.h"

bool vm_d_bra(vm_parser *p) {
    const raw_operand *to = &p->raw[0];
    vm_take(p, "uni");
    p->insn->exec = vm_x_bra;
    return vm_count(p, 1, 1) && (to->kind == RAW_NAME || vm_bad_operands(p)) &&
           vm_add_fixup(p, to->name, to->length, p->function->code_count, false);
}

bool vm_d_brx(vm_parser *p) {
    vm_insn *in = p->insn;
    in->exec = vm_x_brx;
    vm_take(p, "uni");
    if (!vm_take(p, "idx")) {
        return vm_bad_modifier(p);
    }
    if (!vm_count(p, 2, 2) || !vm_src(p, 0, &p->raw[0], VM_U32, 0)) {
        return false;
    }
    vm_symbol *s = p->raw[1].kind == RAW_NAME ? vm_find(p, p->raw[1].name, p->raw[1].length) : NULL;
    if (!s || s->kind != SYM_TARGETS) {
        return vm_error_at(p, in->line, PTXVM_UNDECLARED, "no list of branch targets");
    }
    in->target = (uint32_t)s->value;
    in->target_count = s->count;
    return true;
}

// Argument or result of a call: a .param variable of the caller with the callee's size.
static bool frame_slot(vm_parser *p, const raw_operand *raw, uint32_t size, uint32_t *offset) {
    if (raw->kind != RAW_SYMBOL) {
        return vm_error_at(p, p->insn->line, PTXVM_UNSUPPORTED, "a call takes .param variables");
    }
    const vm_symbol *s = &p->symbols[raw->symbol - 1];
    if (s->space != VM_FRAME_PARAM || s->count != size || raw->value) {
        return vm_bad_operands(p);
    }
    *offset = (uint32_t)s->value;
    return true;
}

static bool call_arguments(vm_parser *p, const vm_function *callee, const raw_operand *list) {
    vm_function *f = p->function;
    uint32_t count = list ? list->count : 0;
    if (count != callee->param_count) {
        return vm_bad_operands(p);
    }
    if (!vm_grow((void **)&f->targets, &f->target_capacity, f->target_count + count + 1,
                 sizeof *f->targets)) {
        return vm_no_memory(p);
    }
    p->insn->op[1].reg = f->target_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = 0;
        if (!frame_slot(p, &p->parts[list->first + i], callee->params[i].size, &offset)) {
            return false;
        }
        f->targets[f->target_count++] = offset;
    }
    return true;
}

// call (result), name, (arguments); the result and the arguments are optional.
bool vm_d_call(vm_parser *p) {
    vm_insn *in = p->insn;
    uint32_t at = 0;
    in->exec = vm_x_call;
    vm_take(p, "uni");
    const raw_operand *result = p->raw_count && p->raw[0].kind == RAW_LIST ? &p->raw[at++] : NULL;
    if (at >= p->raw_count || p->raw[at].kind != RAW_NAME) {
        return vm_error_at(p, in->line, PTXVM_UNSUPPORTED, "call through a register");
    }
    vm_symbol *s = vm_find(p, p->raw[at].name, p->raw[at].length);
    if (!s || s->kind != SYM_FUNCTION) {
        return vm_error_at(p, in->line, PTXVM_UNDECLARED, "no function '%.*s'",
                           (int)p->raw[at].length, p->raw[at].name);
    }
    at++;
    in->target = (uint32_t)s->value;
    const vm_function *callee = p->module->functions[s->value];
    const raw_operand *list =
        at < p->raw_count && p->raw[at].kind == RAW_LIST ? &p->raw[at++] : NULL;
    if (at != p->raw_count || callee->is_entry || (result != NULL) != callee->has_result ||
        (result && result->count != 1)) {
        return vm_bad_operands(p);
    }
    uint32_t offset = 0;
    if (result && !frame_slot(p, &p->parts[result->first], callee->result.size, &offset)) {
        return false;
    }
    in->op[0].imm = offset;
    return call_arguments(p, callee, list);
}

// ret 0, exit 1, trap and brkpt 2
bool vm_d_end(vm_parser *p) {
    static const vm_exec execs[] = {vm_x_ret, vm_x_exit, vm_x_trap};
    vm_take(p, "uni");
    p->insn->exec = execs[p->insn->sub];
    return vm_count(p, 0, 0);
}

// ---- block barriers

// bar.red: d, a{, b}, {!}c; the others a{, b}.
static bool barrier_operands(vm_parser *p) {
    vm_insn *in = p->insn;
    bool red = in->sub >= VM_BAR_POPC;
    uint32_t first = red ? 1 : 0, extra = red ? 2 : 0;
    uint32_t least = in->sub == VM_BAR_ARRIVE ? 2 : 1 + extra;
    if (!vm_count(p, least, 2 + extra)) {
        return false;
    }
    if (red && (!vm_dest(p, 0, &p->raw[0], in->sub == VM_BAR_POPC ? VM_U32 : VM_PRED, 0) ||
                !vm_src(p, 3, &p->raw[p->raw_count - 1], VM_PRED, 0))) {
        return false;
    }
    in->count = p->raw_count == 2 + extra;
    if (!vm_src(p, 1, &p->raw[first], VM_U32, 0) ||
        (in->count && !vm_src(p, 2, &p->raw[first + 1], VM_U32, 0))) {
        return false;
    }
    const vm_operand *id = &in->op[1], *count = &in->op[2];
    if ((id->kind == VM_O_IMM && id->imm > 15) ||
        (in->count && count->kind == VM_O_IMM && (count->imm == 0 || count->imm % PTXVM_WARP))) {
        return vm_error_at(p, in->line, PTXVM_TYPE, "bad barrier number or thread count");
    }
    return true;
}

static bool warp_barrier(vm_parser *p) {
    vm_insn *in = p->insn;
    in->exec = vm_x_warp;
    in->sub = VM_WARP_SYNC;
    return (vm_take(p, "sync") || vm_bad_modifier(p)) && vm_count(p, 1, 1) &&
           vm_src(p, 5, &p->raw[0], VM_B32, 0);
}

bool vm_d_bar(vm_parser *p) {
    vm_insn *in = p->insn;
    if (p->mnemonic_length == 3 && vm_take(p, "warp")) {
        return warp_barrier(p);
    }
    in->exec = vm_x_barrier;
    vm_take(p, "cta");
    bool aligned = vm_take(p, "aligned") || p->mnemonic_length == 3;
    in->flags = aligned ? VM_ALIGNED : 0;
    if (vm_take(p, "sync")) {
        in->sub = VM_BAR_SYNC;
    } else if (vm_take(p, "arrive")) {
        in->sub = VM_BAR_ARRIVE;
    } else if (vm_take(p, "red")) {
        in->sub = vm_take(p, "popc")  ? VM_BAR_POPC
                  : vm_take(p, "and") ? VM_BAR_AND
                  : vm_take(p, "or")  ? VM_BAR_OR
                                      : VM_BAR_SYNC;
        vm_type type = vm_take_type(p);
        if (in->sub == VM_BAR_SYNC || type != (in->sub == VM_BAR_POPC ? VM_U32 : VM_PRED)) {
            return vm_bad_type(p);
        }
    } else {
        return vm_bad_modifier(p);
    }
    return barrier_operands(p);
}

// ---- warp operations: op[0] result, op[4] second result, op[1..3] values, op[5] member mask

static bool warp_mask(vm_parser *p, const raw_operand *raw) {
    p->insn->exec = vm_x_warp;
    return vm_src(p, 5, raw, VM_B32, 0);
}

bool vm_d_vote(vm_parser *p) {
    vm_insn *in = p->insn;
    if (!vm_take(p, "sync")) {
        return vm_error_at(p, in->line, PTXVM_UNSUPPORTED,
                           "vote without .sync was removed in sm_70");
    }
    bool ballot = vm_take(p, "ballot");
    in->sub = ballot              ? VM_VOTE_BALLOT
              : vm_take(p, "all") ? VM_VOTE_ALL
              : vm_take(p, "any") ? VM_VOTE_ANY
              : vm_take(p, "uni") ? VM_VOTE_UNI
                                  : VM_WARP_SYNC;
    vm_type result = ballot ? VM_B32 : VM_PRED;
    if (in->sub == VM_WARP_SYNC || vm_take_type(p) != result) {
        return vm_bad_type(p);
    }
    return vm_count(p, 3, 3) && vm_dest(p, 0, &p->raw[0], result, 0) &&
           vm_src(p, 1, &p->raw[1], VM_PRED, 0) && warp_mask(p, &p->raw[2]);
}

// d or d|p.
static bool paired_dest(vm_parser *p, vm_type type) {
    const raw_operand *raw = &p->raw[0];
    if (raw->kind != RAW_PAIR) {
        return vm_dest(p, 0, raw, type, OP_SINK);
    }
    return vm_dest(p, 0, &p->parts[raw->first], type, OP_SINK) &&
           vm_dest(p, 4, &p->parts[raw->first + 1], VM_PRED, OP_SINK);
}

bool vm_d_shfl(vm_parser *p) {
    vm_insn *in = p->insn;
    if (!vm_take(p, "sync")) {
        return vm_error_at(p, in->line, PTXVM_UNSUPPORTED,
                           "shfl without .sync was removed in sm_70");
    }
    in->sub = vm_take(p, "up")     ? VM_SHFL_UP
              : vm_take(p, "down") ? VM_SHFL_DOWN
              : vm_take(p, "bfly") ? VM_SHFL_BFLY
              : vm_take(p, "idx")  ? VM_SHFL_IDX
                                   : VM_WARP_SYNC;
    if (in->sub == VM_WARP_SYNC || vm_take_type(p) != VM_B32) {
        return vm_bad_type(p);
    }
    return vm_count(p, 5, 5) && paired_dest(p, VM_B32) && vm_src(p, 1, &p->raw[1], VM_B32, 0) &&
           vm_src(p, 2, &p->raw[2], VM_B32, 0) && vm_src(p, 3, &p->raw[3], VM_B32, 0) &&
           warp_mask(p, &p->raw[4]);
}

// match.any, match.all, and elect.
bool vm_d_match(vm_parser *p) {
    vm_insn *in = p->insn;
    if (!vm_take(p, "sync")) {
        return vm_bad_modifier(p);
    }
    if (in->sub == VM_ELECT) {
        return vm_count(p, 2, 2) && paired_dest(p, VM_B32) && warp_mask(p, &p->raw[1]);
    }
    in->sub = vm_take(p, "all") ? VM_MATCH_ALL : VM_MATCH_ANY;
    if (in->sub == VM_MATCH_ANY && !vm_take(p, "any")) {
        return vm_bad_modifier(p);
    }
    vm_type type = vm_take_type(p);
    if (type != VM_B32 && type != VM_B64) {
        return vm_bad_type(p);
    }
    return vm_count(p, 3, 3) && paired_dest(p, VM_B32) && vm_src(p, 1, &p->raw[1], type, 0) &&
           warp_mask(p, &p->raw[2]);
}

bool vm_d_redux(vm_parser *p) {
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
    vm_insn *in = p->insn;
    bool found = false;
    if (!vm_take(p, "sync")) {
        return vm_bad_modifier(p);
    }
    for (uint8_t i = 0; i < 6 && !found; i++) {
        found = vm_take(p, names[i]);
        in->sub = VM_REDUX_ADD + i;
    }
    vm_type type = vm_take_type(p);
    in->type = (uint8_t)type;
    bool bits = in->sub >= VM_REDUX_AND;
    if (!found || (bits ? type != VM_B32 : type != VM_U32 && type != VM_S32)) {
        return vm_bad_type(p);
    }
    return vm_count(p, 3, 3) && vm_dest(p, 0, &p->raw[0], type, 0) &&
           vm_src(p, 1, &p->raw[1], type, 0) && warp_mask(p, &p->raw[2]);
}

bool vm_d_activemask(vm_parser *p) {
    p->insn->exec = vm_x_activemask;
    return (vm_take_type(p) == VM_B32 || vm_bad_type(p)) && vm_count(p, 1, 1) &&
           vm_dest(p, 0, &p->raw[0], VM_B32, 0);
}
