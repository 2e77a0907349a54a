// Execution of branches and calls, of operations among the lanes of a warp, and of block barriers.
// A thread that must wait is suspended; the last one to arrive does the work for all.
#include "ptxvm/vm.h"

#include <stdio.h>
#include <string.h>

vm_step vm_x_nop(vm_run *run, vm_thread *t, const vm_insn *in) {
    (void)run;
    (void)t;
    (void)in;
    return VM_NEXT;
}

vm_step vm_x_bra(vm_run *run, vm_thread *t, const vm_insn *in) {
    (void)run;
    t->pc = in->target;
    return VM_NEXT;
}

vm_step vm_x_brx(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t index = vm_source(run, t, &in->op[0]);
    if (index >= in->target_count) {
        return vm_fail(run, t, in, PTXVM_OUT_OF_BOUNDS, "index %llu of %u branch targets",
                       (unsigned long long)index, (unsigned)in->target_count);
    }
    t->pc = t->function->targets[in->target + index];
    return VM_NEXT;
}

// ---- calls

static void enter(vm_thread *t, const vm_function *f, uint32_t pc) {
    t->function = f;
    t->pc = pc;
    t->regs = t->all_regs + f->reg_base;
    t->written = t->all_written + f->reg_base;
    t->frame = t->all_frames + f->frame_base;
}

vm_step vm_x_call(vm_run *run, vm_thread *t, const vm_insn *in) {
    const vm_function *callee = run->module->functions[in->target];
    if (!callee->has_body) {
        return vm_fail(run, t, in, PTXVM_UNSUPPORTED, "'%s' is not in this module", callee->name);
    }
    uint8_t *frame = t->all_frames + callee->frame_base;
    for (uint32_t i = 0; i < callee->param_count; i++) {
        uint32_t from = t->function->targets[in->op[1].reg + i];
        memcpy(frame + callee->params[i].offset, t->frame + from, callee->params[i].size);
    }
    t->stack[t->depth++] = (vm_frame){t->function, t->pc};
    enter(t, callee, 0);
    memset(t->written, 0, callee->reg_count);
    return VM_NEXT;
}

vm_step vm_x_ret(vm_run *run, vm_thread *t, const vm_insn *in) {
    if (t->depth == 0) {
        return vm_x_exit(run, t, in);
    }
    const vm_function *callee = t->function;
    const uint8_t *result = t->frame + callee->result.offset;
    vm_frame back = t->stack[--t->depth];
    enter(t, back.function, back.pc);
    if (callee->has_result) {
        const vm_insn *call = &t->function->code[t->pc - 1];
        memcpy(t->frame + call->op[0].imm, result, callee->result.size);
    }
    return VM_NEXT;
}

vm_step vm_x_exit(vm_run *run, vm_thread *t, const vm_insn *in) {
    (void)in;
    t->state = VM_EXITED;
    t->block->live--;
    t->block->warp_live[t->index / PTXVM_WARP]--;
    return vm_after_exit(run, t) == VM_ERROR ? VM_ERROR : VM_YIELD;
}

vm_step vm_x_trap(vm_run *run, vm_thread *t, const vm_insn *in) {
    return vm_fail(run, t, in, PTXVM_TRAP, "the program executed a trap or brkpt");
}

// ---- the lanes of a warp

static uint32_t warp_start(const vm_thread *t) {
    return t->index & ~(uint32_t)(PTXVM_WARP - 1);
}

// NULL if the block has no such lane.
vm_thread *vm_lane_of(const vm_thread *t, uint32_t lane) {
    uint32_t index = warp_start(t) + lane;
    return index < t->block->thread_count ? &t->block->threads[index] : NULL;
}

// Lanes of the mask that exist and have not exited.
static uint32_t live_lanes(const vm_thread *t, uint32_t mask) {
    uint32_t live = 0;
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        const vm_thread *other = vm_lane_of(t, lane);
        if ((mask >> lane & 1) && other && other->state != VM_EXITED) {
            live |= UINT32_C(1) << lane;
        }
    }
    return live;
}

static uint32_t shuffle_source(const vm_thread *t, unsigned mode, bool *in_range) {
    uint32_t lane = t->lane, b = t->wait_b & 31, clamp = t->wait_c & 31,
             segment = t->wait_c >> 8 & 31;
    uint32_t least = lane & segment, most = least | (clamp & ~segment & 31);
    int32_t j;
    switch (mode) {
    case VM_SHFL_UP:
        j = (int32_t)lane - (int32_t)b;
        *in_range = j >= (int32_t)most;
        break;
    case VM_SHFL_DOWN:
        j = (int32_t)(lane + b);
        *in_range = j <= (int32_t)most;
        break;
    case VM_SHFL_BFLY:
        j = (int32_t)(lane ^ b);
        *in_range = j <= (int32_t)most;
        break;
    default:
        j = (int32_t)(least | (b & ~segment & 31));
        *in_range = j <= (int32_t)most;
        break;
    }
    return *in_range ? (uint32_t)j : lane;
}

static uint32_t reduce(const vm_thread *t, uint32_t lanes, unsigned op, bool is_signed) {
    uint32_t result = 0;
    bool first = true;
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        if (!(lanes >> lane & 1)) {
            continue;
        }
        uint32_t value = (uint32_t)vm_lane_of(t, lane)->wait_value;
        bool less =
            is_signed ? vm_sign_extend(value, 32) < vm_sign_extend(result, 32) : value < result;
        if (first) {
            result = value;
            first = false;
            continue;
        }
        switch (op) {
        case VM_REDUX_ADD: result += value; break;
        case VM_REDUX_MIN: result = less ? value : result; break;
        case VM_REDUX_MAX: result = less ? result : value; break;
        case VM_REDUX_AND: result &= value; break;
        case VM_REDUX_OR: result |= value; break;
        default: result ^= value; break;
        }
    }
    return result;
}

// The lanes whose value is `value`; for votes, a predicate is a value of 0 or 1.
static uint32_t lanes_equal(const vm_thread *t, uint32_t lanes, uint64_t value) {
    uint32_t equal = 0;
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        if ((lanes >> lane & 1) && vm_lane_of(t, lane)->wait_value == value) {
            equal |= UINT32_C(1) << lane;
        }
    }
    return equal;
}

static uint32_t lowest_lane(uint32_t lanes) {
    uint32_t lane = 0;
    while (!(lanes >> lane & 1)) {
        lane++;
    }
    return lane;
}

// The result of one lane. All contributions are in wait_value, so lanes can be processed in any
// order.
static void warp_result(vm_run *run, vm_thread *t, uint32_t lanes) {
    const vm_insn *in = t->wait;
    uint32_t result = 0;
    bool second = false;
    switch (in->sub) {
    case VM_SHFL_UP:
    case VM_SHFL_DOWN:
    case VM_SHFL_BFLY:
    case VM_SHFL_IDX: {
        uint32_t from = shuffle_source(t, in->sub, &second);
        // A lane that does not participate yields an undefined value.
        result = lanes >> from & 1 ? (uint32_t)vm_lane_of(t, from)->wait_value
                                   : (uint32_t)vm_random(run);
        break;
    }
    case VM_VOTE_ALL: result = lanes_equal(t, lanes, 1) == lanes; break;
    case VM_VOTE_ANY: result = lanes_equal(t, lanes, 1) != 0; break;
    case VM_VOTE_UNI: result = lanes_equal(t, lanes, t->wait_value) == lanes; break;
    case VM_VOTE_BALLOT: result = lanes_equal(t, lanes, 1); break;
    case VM_MATCH_ANY: result = lanes_equal(t, lanes, t->wait_value); break;
    case VM_MATCH_ALL:
        second = lanes_equal(t, lanes, t->wait_value) == lanes;
        result = second ? lanes : 0;
        break;
    case VM_WARP_SYNC: return;
    case VM_ELECT:
        result = lowest_lane(lanes);
        second = result == t->lane;
        break;
    default: result = reduce(t, lanes, in->sub, in->type == VM_S32); break;
    }
    vm_write(t, &in->op[0], result);
    vm_write(t, &in->op[4], second);
}

// All lanes release before the first one acquires.
static void order_warp(vm_run *run, vm_thread *t, uint32_t lanes) {
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        if (lanes >> lane & 1) {
            weakmem_release(run->weak, vm_lane_of(t, lane)->weak_lane, WEAKMEM_WAVE);
        }
    }
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        if (lanes >> lane & 1) {
            weakmem_acquire(run->weak, vm_lane_of(t, lane)->weak_lane, WEAKMEM_WAVE);
        }
    }
}

static vm_step finish_warp(vm_run *run, vm_thread *t, uint32_t lanes) {
    bool tiles = t->wait->sub >= VM_WMMA_LOAD;
    if (tiles && vm_finish_wmma(run, t) == VM_ERROR) {
        return VM_ERROR;
    }
    if (run->weak && t->wait->sub == VM_WARP_SYNC) {
        order_warp(run, t, lanes);
    }
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        if (!tiles && (lanes >> lane & 1)) {
            warp_result(run, vm_lane_of(t, lane), lanes);
        }
    }
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        if (lanes >> lane & 1) {
            vm_wake(run, vm_lane_of(t, lane));
        }
    }
    return VM_YIELD;
}

static bool same_operation(const vm_run *run, const vm_insn *a, const vm_insn *b) {
    if (run->options->checks & PTXVM_CHECK_SAME_SYNC) {
        return a == b;
    }
    return a->sub == b->sub && a->type == b->type;
}

// Completes the operation that t waits at if every live lane of its mask has arrived.
static vm_step try_warp(vm_run *run, vm_thread *t) {
    uint32_t lanes = live_lanes(t, t->wait_mask);
    bool complete = true;
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        const vm_thread *other = lanes >> lane & 1 ? vm_lane_of(t, lane) : NULL;
        if (!other || other == t) {
            continue;
        }
        if (other->state != VM_WARP_WAIT) {
            complete = false;
        } else if (!same_operation(run, other->wait, t->wait) || other->wait_mask != t->wait_mask) {
            // If the other lane does not wait for this one, it may still arrive here.
            if (other->wait_mask >> t->lane & 1) {
                return vm_fail(run, t, t->wait, PTXVM_SYNC_MISMATCH,
                               "mask 0x%08x, but lane %u waits at line %u with mask 0x%08x",
                               (unsigned)t->wait_mask, (unsigned)lane, (unsigned)other->wait->line,
                               (unsigned)other->wait_mask);
            }
            complete = false;
        }
    }
    return complete ? finish_warp(run, t, lanes) : VM_YIELD;
}

vm_step vm_meet(vm_run *run, vm_thread *t) {
    if (live_lanes(t, UINT32_MAX) != UINT32_MAX) {
        return vm_fail(run, t, t->wait, PTXVM_MASK_LANES, "not all lanes of the warp are here");
    }
    t->state = VM_WARP_WAIT;
    return try_warp(run, t);
}

vm_step vm_x_warp(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint32_t mask = (uint32_t)vm_source(run, t, &in->op[5]);
    bool pred = in->sub >= VM_VOTE_ALL && in->sub <= VM_VOTE_BALLOT;
    t->wait = in;
    t->wait_mask = mask;
    t->wait_value = in->op[1].kind == VM_O_NONE ? 0
                    : pred                      ? vm_predicate(run, t, &in->op[1])
                                                : vm_source(run, t, &in->op[1]);
    t->wait_b = in->op[2].kind == VM_O_NONE ? 0 : (uint32_t)vm_source(run, t, &in->op[2]);
    t->wait_c = in->op[3].kind == VM_O_NONE ? 0 : (uint32_t)vm_source(run, t, &in->op[3]);
    if (!(mask >> t->lane & 1)) {
        return vm_fail(run, t, in, PTXVM_NOT_IN_MASK, "lane %u is not in mask 0x%08x",
                       (unsigned)t->lane, (unsigned)mask);
    }
    if ((run->options->checks & PTXVM_CHECK_MASK_LANES) && live_lanes(t, mask) != mask) {
        return vm_fail(run, t, in, PTXVM_MASK_LANES,
                       "mask 0x%08x names lanes 0x%08x, which have exited or do not exist",
                       (unsigned)mask, (unsigned)(mask & ~live_lanes(t, mask)));
    }
    t->state = VM_WARP_WAIT;
    return try_warp(run, t);
}

// With one program counter per thread, the active set depends on the schedule: this lane and those
// about to execute the same instruction.
vm_step vm_x_activemask(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint32_t mask = UINT32_C(1) << t->lane;
    (void)run;
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        const vm_thread *other = vm_lane_of(t, lane);
        if (other && other->state == VM_RUNNABLE && other->function == t->function &&
            other->pc + 1 == t->pc) {
            mask |= UINT32_C(1) << lane;
        }
    }
    vm_write(t, &in->op[0], mask);
    return VM_NEXT;
}

// ---- block barriers

// wait_b of a thread at a barrier: whether its warp has been counted.
enum { NOT_COUNTED, COUNTED };

static uint32_t live_warps(const vm_block *block) {
    uint32_t warps = 0;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        if (block->threads[i].state != VM_EXITED) {
            warps++;
            i |= PTXVM_WARP - 1;
        }
    }
    return warps;
}

// A thread that has exited counts as arrived at every later barrier (ISA.md 8.1).
static void release_exited(vm_run *run, const vm_block *block) {
    for (uint32_t i = 0; run->weak && i < block->thread_count; i++) {
        if (block->threads[i].state == VM_EXITED) {
            weakmem_release(run->weak, block->threads[i].weak_lane, WEAKMEM_GROUP);
        }
    }
}

static vm_step finish_barrier(vm_run *run, vm_thread *t, uint32_t id) {
    vm_block *block = t->block;
    vm_barrier *bar = &block->barriers[id];
    if (!bar->count && block->live < block->thread_count &&
        (run->options->checks & PTXVM_CHECK_EXITED_BARRIER)) {
        return vm_fail(run, t, bar->insn, PTXVM_BARRIER_EXITED, "%u of %u threads have exited",
                       (unsigned)(block->thread_count - block->live),
                       (unsigned)block->thread_count);
    }
    release_exited(run, block);
    for (uint32_t i = 0; i < block->thread_count; i++) {
        vm_thread *other = &block->threads[i];
        if (other->state != VM_BARRIER_WAIT || other->wait_mask != id || other->wait_b != COUNTED) {
            continue;
        }
        if (run->weak) {
            weakmem_acquire(run->weak, other->weak_lane, WEAKMEM_GROUP);
        }
        switch (other->wait->sub) {
        case VM_BAR_POPC: vm_write(other, &other->wait->op[0], bar->popc); break;
        case VM_BAR_AND: vm_write(other, &other->wait->op[0], bar->popc == bar->voters); break;
        case VM_BAR_OR: vm_write(other, &other->wait->op[0], bar->popc != 0); break;
        default: break;
        }
        vm_wake(run, other);
    }
    *bar = (vm_barrier){0};
    run->stats.barriers++;
    return VM_YIELD;
}

static vm_step try_barrier(vm_run *run, vm_thread *t, uint32_t id) {
    const vm_barrier *bar = &t->block->barriers[id];
    if (!bar->active) {
        return VM_YIELD;
    }
    bool complete =
        bar->count ? bar->warps * PTXVM_WARP >= bar->count : bar->warps >= live_warps(t->block);
    return complete ? finish_barrier(run, t, id) : VM_YIELD;
}

static vm_step count_warp(vm_run *run, vm_thread *t) {
    const vm_insn *in = t->wait;
    uint32_t id = t->wait_mask;
    vm_barrier *bar = &t->block->barriers[id];
    bool red = in->sub >= VM_BAR_POPC;
    if (bar->active) {
        bool other_red = bar->insn->sub >= VM_BAR_POPC;
        bool other_line = (run->options->checks & PTXVM_CHECK_SAME_BARRIER) && bar->insn != in &&
                          in->sub == VM_BAR_SYNC && bar->insn->sub == VM_BAR_SYNC;
        if (bar->count != t->wait_count || red != other_red || other_line ||
            (red && bar->insn->sub != in->sub)) {
            return vm_fail(run, t, in, PTXVM_BARRIER_MISMATCH, "barrier %u is in use by line %u",
                           (unsigned)id, (unsigned)bar->insn->line);
        }
    } else {
        *bar = (vm_barrier){.count = t->wait_count, .insn = in, .active = true};
    }
    bar->warps++;
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        vm_thread *other = vm_lane_of(t, lane);
        if (!other || other->state == VM_EXITED) {
            continue;
        }
        other->wait_b = COUNTED;
        bar->voters++;
        bar->popc += other->wait_value != 0;
        if (other->wait->sub == VM_BAR_ARRIVE) {
            vm_wake(run, other);
        }
    }
    return try_barrier(run, t, id);
}

// Counts the warp of t, which waits at a barrier, if all its live lanes have arrived.
static vm_step try_warp_arrival(vm_run *run, vm_thread *t) {
    uint32_t warp = t->index / PTXVM_WARP;
    bool complete = true;
    if (t->block->warp_at_barrier[warp] < t->block->warp_live[warp]) {
        return VM_YIELD;
    }
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        const vm_thread *other = vm_lane_of(t, lane);
        if (!other || other->state == VM_EXITED || other == t) {
            continue;
        }
        bool aligned = (other->wait->flags | t->wait->flags) & VM_ALIGNED;
        if (other->wait != t->wait && aligned) {
            return vm_fail(run, t, t->wait, PTXVM_BARRIER_MISMATCH,
                           "lane %u of the same warp waits at the barrier of line %u",
                           (unsigned)lane, (unsigned)other->wait->line);
        }
        complete = complete && other->wait_b == NOT_COUNTED && other->wait_mask == t->wait_mask &&
                   other->wait_count == t->wait_count;
    }
    return complete ? count_warp(run, t) : VM_YIELD;
}

vm_step vm_x_barrier(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t id = vm_source(run, t, &in->op[1]);
    uint64_t count = in->count ? vm_source(run, t, &in->op[2]) : 0;
    if (id > 15 || count % PTXVM_WARP || (in->count && count == 0)) {
        return vm_fail(run, t, in, PTXVM_BARRIER_MISMATCH, "barrier %llu with %llu threads",
                       (unsigned long long)id, (unsigned long long)count);
    }
    t->wait = in;
    t->wait_mask = (uint32_t)id;
    t->wait_count = (uint32_t)count;
    t->wait_b = NOT_COUNTED;
    t->wait_value = in->sub >= VM_BAR_POPC ? vm_predicate(run, t, &in->op[3]) : 0;
    if (run->weak) {
        weakmem_release(run->weak, t->weak_lane, WEAKMEM_GROUP);
    }
    t->state = VM_BARRIER_WAIT;
    t->block->warp_at_barrier[t->index / PTXVM_WARP]++;
    return try_warp_arrival(run, t);
}

// ---- the exit of a thread, and deadlock

static vm_step wake_warp_waiters(vm_run *run, vm_thread *t) {
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        vm_thread *other = vm_lane_of(t, lane);
        if (!other || other->state != VM_WARP_WAIT || !(other->wait_mask >> t->lane & 1)) {
            continue;
        }
        if (run->options->checks & PTXVM_CHECK_MASK_LANES) {
            return vm_fail(run, other, other->wait, PTXVM_MASK_LANES,
                           "lane %u of mask 0x%08x has exited", (unsigned)t->lane,
                           (unsigned)other->wait_mask);
        }
        if (try_warp(run, other) == VM_ERROR) {
            return VM_ERROR;
        }
    }
    return VM_YIELD;
}

vm_step vm_after_exit(vm_run *run, vm_thread *t) {
    if (wake_warp_waiters(run, t) == VM_ERROR) {
        return VM_ERROR;
    }
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        vm_thread *other = vm_lane_of(t, lane);
        if (other && other->state == VM_BARRIER_WAIT && other->wait_b == NOT_COUNTED) {
            if (try_warp_arrival(run, other) == VM_ERROR) {
                return VM_ERROR;
            }
            break;
        }
    }
    for (uint32_t id = 0; id < 16 && t->block->live; id++) {
        if (!t->block->barriers[id].count && try_barrier(run, t, id) == VM_ERROR) {
            return VM_ERROR;
        }
    }
    return VM_YIELD;
}

static vm_step warp_deadlock(vm_run *run, vm_thread *t) {
    uint32_t lanes = live_lanes(t, t->wait_mask), arrived = 0;
    const vm_thread *absent = NULL;
    for (uint32_t lane = 0; lane < PTXVM_WARP; lane++) {
        const vm_thread *other = lanes >> lane & 1 ? vm_lane_of(t, lane) : NULL;
        if (other && other->state == VM_WARP_WAIT && same_operation(run, other->wait, t->wait) &&
            other->wait_mask == t->wait_mask) {
            arrived |= UINT32_C(1) << lane;
        } else if (other && !absent) {
            absent = other;
        }
    }
    return vm_fail(run, t, t->wait, PTXVM_SYNC_DEADLOCK,
                   "mask 0x%08x: lanes 0x%08x never arrive; lane %u waits at line %u",
                   (unsigned)t->wait_mask, (unsigned)(lanes & ~arrived),
                   (unsigned)(absent ? absent->lane : 0),
                   (unsigned)(absent ? absent->wait->line : 0));
}

static vm_step barrier_deadlock(vm_run *run, vm_thread *t) {
    const vm_block *block = t->block;
    uint32_t here = 0;
    for (uint32_t i = 0; i < block->thread_count; i++) {
        const vm_thread *other = &block->threads[i];
        here += other->state == VM_BARRIER_WAIT && other->wait_mask == t->wait_mask;
    }
    return vm_fail(run, t, t->wait, PTXVM_BARRIER_DEADLOCK,
                   "barrier %u: %u threads wait, %u of %u are alive, and no other can arrive",
                   (unsigned)t->wait_mask, (unsigned)here, (unsigned)block->live,
                   (unsigned)block->thread_count);
}

vm_step vm_deadlock(vm_run *run) {
    vm_thread *at_barrier = NULL;
    for (uint32_t b = 0; b < run->block_count; b++) {
        vm_block *block = &run->blocks[b];
        for (uint32_t i = 0; i < block->thread_count; i++) {
            vm_thread *t = &block->threads[i];
            if (t->state == VM_WARP_WAIT) {
                return warp_deadlock(run, t);
            }
            if (t->state == VM_BARRIER_WAIT && !at_barrier) {
                at_barrier = t;
            }
        }
    }
    return at_barrier ? barrier_deadlock(run, at_barrier) : VM_YIELD;
}
