// A launch: checks its arguments, sets up blocks, and schedules threads in a seeded random order.
// Instructions are executed in the exec files.
#include "ptxvm/vm.h"
#include "support/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT    UINT64_C(1000000000)
#define DEFAULT_RESIDENT 4
#define MAX_BLOCKS       (UINT64_C(1) << 24)
#define MAX_BYTES        (UINT64_C(1) << 31)

// ---- for the exec files

uint64_t vm_random(vm_run *run) {
    return random_next(&run->random);
}

static void copy_instruction(const vm_run *run, const vm_insn *insn, char *out, size_t size) {
    const char *text = run->module->text + insn->text;
    size_t length = 0;
    bool space = false;
    for (uint32_t i = 0; i < insn->text_length && length + 2 < size; i++) {
        char c = text[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            space = true;
            continue;
        }
        if (space && length) {
            out[length++] = ' ';
        }
        space = false;
        out[length++] = c;
    }
    out[length] = '\0';
}

vm_step vm_fail(vm_run *run, const vm_thread *t, const vm_insn *insn, ptxvm_status status,
                const char *format, ...) {
    ptxvm_error *e = run->error;
    char detail[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    e->status = status;
    e->line = insn->line;
    e->in_thread = true;
    memcpy(e->block, t->block->id, sizeof e->block);
    memcpy(e->thread, t->tid, sizeof e->thread);
    copy_instruction(run, insn, e->instruction, sizeof e->instruction);
    snprintf(e->message, sizeof e->message,
             "line %u: %s: block (%u,%u,%u) thread (%u,%u,%u): '%s': %s", (unsigned)e->line,
             ptxvm_status_name(status), (unsigned)e->block[0], (unsigned)e->block[1],
             (unsigned)e->block[2], (unsigned)e->thread[0], (unsigned)e->thread[1],
             (unsigned)e->thread[2], e->instruction, detail);
    return VM_ERROR;
}

void vm_wake(vm_run *run, vm_thread *t) {
    if (t->state == VM_BARRIER_WAIT) {
        t->block->warp_at_barrier[t->index / PTXVM_WARP]--;
    }
    t->state = VM_RUNNABLE;
    if (t->runnable_at == VM_NOT_LISTED) {
        t->runnable_at = run->runnable_count;
        run->runnable[run->runnable_count++] = t;
    }
}

static void unlist(vm_run *run, vm_thread *t) {
    vm_thread *last = run->runnable[--run->runnable_count];
    run->runnable[t->runnable_at] = last;
    last->runnable_at = t->runnable_at;
    t->runnable_at = VM_NOT_LISTED;
}

uint64_t vm_special_value(vm_run *run, const vm_thread *t, uint32_t special) {
    const ptxvm_launch_options *o = run->options;
    uint32_t bit = UINT32_C(1) << t->lane;
    if (special < VM_LANEID) {
        uint32_t part = special % 3;
        return special < VM_NTID_X     ? t->tid[part]
               : special < VM_CTAID_X  ? o->block[part]
               : special < VM_NCTAID_X ? t->block->id[part]
                                       : o->grid[part];
    }
    switch (special) {
    case VM_LANEID: return t->lane;
    case VM_WARPID: return t->index / PTXVM_WARP;
    case VM_NWARPID: return (t->block->thread_count + PTXVM_WARP - 1) / PTXVM_WARP;
    case VM_LANEMASK_EQ: return bit;
    case VM_LANEMASK_LE: return bit | (bit - 1);
    case VM_LANEMASK_LT: return bit - 1;
    case VM_LANEMASK_GE: return ~(bit - 1) & UINT32_MAX;
    case VM_LANEMASK_GT: return ~(bit | (bit - 1)) & UINT32_MAX;
    case VM_CLOCK: return (uint32_t)run->stats.instructions;
    case VM_CLOCK64: return run->stats.instructions;
    case VM_NSMID: return 1;
    case VM_DYNAMIC_SMEM: return o->dynamic_shared_bytes;
    case VM_TOTAL_SMEM: return run->shared_bytes;
    default: return 0;
    }
}

// ---- arguments

static bool refuse(ptxvm_error *error, ptxvm_status status, const char *format, ...) {
    char detail[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    error->status = status;
    snprintf(error->message, sizeof error->message, "%s: %s", ptxvm_status_name(status), detail);
    return false;
}

static bool check_shape(const vm_run *run, uint64_t *threads, uint64_t *blocks) {
    const ptxvm_launch_options *o = run->options;
    const ptxvm_entry *e = &run->entry->entry;
    *threads = *blocks = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (o->block[i] < 1 || o->block[i] > 1024 || o->grid[i] < 1) {
            return refuse(run->error, PTXVM_ARGUMENT, "bad grid or block size");
        }
        *threads *= o->block[i];
        *blocks *= o->grid[i];
        if (*threads > 1024 || *blocks > MAX_BLOCKS) {
            return refuse(run->error, PTXVM_ARGUMENT, "grid or block too large");
        }
        if (e->reqntid[0] && e->reqntid[i] != o->block[i]) {
            return refuse(run->error, PTXVM_ARGUMENT, "the kernel requires another block size");
        }
    }
    uint64_t most = (uint64_t)e->maxntid[0] * e->maxntid[1] * e->maxntid[2];
    if (e->maxntid[0] && *threads > most) {
        return refuse(run->error, PTXVM_ARGUMENT, "more threads than .maxntid allows");
    }
    return true;
}

static bool check_arguments(const vm_run *run) {
    const ptxvm_launch_options *o = run->options;
    if (o->param_bytes != run->entry->entry.param_bytes || (o->param_bytes && !o->params)) {
        return refuse(run->error, PTXVM_ARGUMENT, "%u parameter bytes expected",
                      (unsigned)run->entry->entry.param_bytes);
    }
    for (size_t i = 0; i < o->range_count; i++) {
        const ptxvm_range *a = &o->ranges[i];
        if (a->address == 0 || a->size > VM_USER_SPACE_END ||
            a->address > VM_USER_SPACE_END - a->size || (a->size && !a->host)) {
            return refuse(run->error, PTXVM_ARGUMENT, "bad address of a memory range");
        }
        for (size_t k = 0; k < i; k++) {
            const ptxvm_range *b = &o->ranges[k];
            if (a->address < b->address + b->size && b->address < a->address + a->size) {
                return refuse(run->error, PTXVM_ARGUMENT, "memory ranges overlap");
            }
        }
    }
    return true;
}

// ---- blocks

// Sizes of a thread's private state.
typedef struct {
    uint64_t regs, frame, local, stack;
} thread_sizes;

static thread_sizes sizes_of(const vm_run *run) {
    const ptxvm_module *m = run->module;
    const vm_function *f = run->entry;
    return (thread_sizes){(uint64_t)m->func_regs + f->reg_count,
                          vm_align16((uint64_t)m->func_frame + f->frame_size),
                          vm_align16((uint64_t)m->func_local + f->local_size), f->depth + 1u};
}

static bool allocate_block(vm_run *run, vm_block *b, uint32_t threads) {
    thread_sizes s = sizes_of(run);
    uint64_t bytes = (s.regs + s.frame + s.local) * threads + run->shared_bytes + 1;
    b->thread_count = threads;
    b->threads = calloc(threads, sizeof *b->threads);
    b->registers = malloc((s.regs * threads + 1) * sizeof *b->registers);
    b->memory = malloc(bytes);
    b->stacks = malloc(s.stack * threads * sizeof *b->stacks);
    if (!b->threads || !b->registers || !b->memory || !b->stacks) {
        return refuse(run->error, PTXVM_NO_MEMORY, "out of memory");
    }
    b->shared = b->memory + (s.regs + s.frame + s.local) * threads;
    for (uint32_t i = 0; i < threads; i++) {
        vm_thread *t = &b->threads[i];
        const uint32_t *size = run->options->block;
        t->index = i;
        t->weak_lane = run->weak ? weakmem_lane(run->weak, (uint32_t)(b - run->blocks), i) : 0;
        t->lane = (uint8_t)(i % PTXVM_WARP);
        t->tid[0] = i % size[0];
        t->tid[1] = i / size[0] % size[1];
        t->tid[2] = i / size[0] / size[1];
        t->block = b;
        t->runnable_at = VM_NOT_LISTED;
        t->all_regs = b->registers + s.regs * i;
        t->all_frames = b->memory + s.frame * i;
        t->local = b->memory + s.frame * threads + s.local * i;
        t->all_written = b->memory + (s.frame + s.local) * threads + s.regs * i;
        t->stack = b->stacks + s.stack * i;
    }
    return true;
}

static void fill(vm_run *run, uint8_t *bytes, uint64_t size) {
    int byte = run->options->shared_fill;
    if (byte >= 0) {
        memset(bytes, byte & 0xFF, size);
        return;
    }
    uint64_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t garbage = vm_random(run);
        memcpy(bytes + i, &garbage, 8);
    }
    for (; i < size; i++) {
        bytes[i] = (uint8_t)vm_random(run);
    }
}

static void start_block(vm_run *run, vm_block *b, uint64_t number) {
    const vm_function *f = run->entry;
    const uint32_t *grid = run->options->grid;
    thread_sizes s = sizes_of(run);
    b->id[0] = (uint32_t)(number % grid[0]);
    b->id[1] = (uint32_t)(number / grid[0] % grid[1]);
    b->id[2] = (uint32_t)(number / grid[0] / grid[1]);
    b->live = b->thread_count;
    if (run->weak) {
        weakmem_start_group(run->weak, (uint32_t)(b - run->blocks));
    }
    memset(b->barriers, 0, sizeof b->barriers);
    memset(b->warp_live, 0, sizeof b->warp_live);
    memset(b->warp_at_barrier, 0, sizeof b->warp_at_barrier);
    fill(run, b->shared, run->shared_bytes);
    fill(run, b->memory, (s.frame + s.local) * b->thread_count);
    memset(b->registers, (int)(vm_random(run) & 0xFF),
           s.regs * b->thread_count * sizeof *b->registers);
    memset(b->memory + (s.frame + s.local) * b->thread_count, 0, s.regs * b->thread_count);
    for (uint32_t i = 0; i < b->thread_count; i++) {
        vm_thread *t = &b->threads[i];
        t->function = f;
        t->pc = t->depth = 0;
        t->carry = 0;
        t->regs = t->all_regs + f->reg_base;
        t->written = t->all_written + f->reg_base;
        t->frame = t->all_frames + f->frame_base;
        t->state = VM_RUNNABLE;
        b->warp_live[i / PTXVM_WARP]++;
        vm_wake(run, t);
    }
}

// ---- the scheduler

static vm_step uninitialised(vm_run *run, const vm_thread *t, const vm_insn *in) {
    run->undefined = 0;
    if (run->error->status != PTXVM_OK) {
        return VM_ERROR;
    }
    return vm_fail(run, t, in, PTXVM_UNINITIALISED, "a register is read before it is written");
}

// One turn of a thread.
static vm_step take_turn(vm_run *run, vm_thread *t, uint64_t turns) {
    bool check = run->options->checks & PTXVM_CHECK_UNINITIALISED;
    for (; turns; turns--) {
        const vm_insn *in = &t->function->code[t->pc++];
        if (run->stats.instructions >= run->limit) {
            return vm_fail(run, t, in, PTXVM_LIMIT, "%llu instructions were executed",
                           (unsigned long long)run->limit);
        }
        run->stats.instructions++;
        if (in->guard) {
            uint32_t reg = in->guard - 1;
            if (check && !t->written[reg]) {
                return uninitialised(run, t, in);
            }
            if ((t->regs[reg] & 1) == in->guard_negate) {
                continue;
            }
        }
        vm_step step = in->exec(run, t, in);
        if (run->undefined) {
            if (check) {
                return uninitialised(run, t, in);
            }
            run->undefined = 0;
        }
        if (step != VM_NEXT) {
            return step;
        }
    }
    return VM_NEXT;
}

// Seeds differ in the longest turn, so that both fine and coarse interleavings occur.
static uint64_t longest_turn(uint64_t seed) {
    static const uint64_t lengths[] = {8, 64, 3, 500};
    return lengths[seed % 4];
}

static bool schedule(vm_run *run) {
    uint64_t longest = longest_turn(run->options->seed), next = 0;
    bool lockstep = run->options->lockstep; // random stays 0, so each turn is one instruction
    while (run->runnable_count) {
        // The upper half chooses the thread, the lower half the length of its turn.
        uint64_t random = lockstep ? 0 : vm_random(run);
        uint64_t pick =
            lockstep ? next++ % run->runnable_count : (random >> 32) * run->runnable_count >> 32;
        vm_thread *t = run->runnable[pick];
        vm_step step = take_turn(run, t, 1 + ((random & UINT32_MAX) * longest >> 32));
        if (step == VM_ERROR) {
            return false;
        }
        if (t->state != VM_RUNNABLE) {
            unlist(run, t);
        }
        if (t->block->live == 0 && run->weak) {
            weakmem_end_group(run->weak, (uint32_t)(t->block - run->blocks));
        }
        if (t->block->live == 0 && run->next_block < run->total_blocks) {
            start_block(run, t->block, run->order[run->next_block++]);
        }
    }
    if (run->weak) {
        weakmem_finish(run->weak);
        if (weakmem_failed(run->weak)) {
            return refuse(run->error, PTXVM_NO_MEMORY, "out of memory");
        }
    }
    return vm_deadlock(run) != VM_ERROR;
}

static bool set_up(vm_run *run, uint64_t threads) {
    const ptxvm_launch_options *o = run->options;
    thread_sizes s = sizes_of(run);
    uint64_t resident = o->resident_blocks ? o->resident_blocks : DEFAULT_RESIDENT;
    resident = resident < run->total_blocks ? resident : run->total_blocks;
    run->shared_bytes = vm_align16(run->entry->shared_size) +
                        vm_align16(run->module->module_shared) + o->dynamic_shared_bytes;
    uint64_t each = s.regs * 9 + s.frame + s.local + s.stack * sizeof(vm_frame) + sizeof(vm_thread);
    if (o->dynamic_shared_bytes > VM_MAX_STATIC ||
        (each * threads + run->shared_bytes) > MAX_BYTES / resident) {
        return refuse(run->error, PTXVM_NO_MEMORY, "the blocks need too much memory");
    }
    run->blocks = calloc(resident, sizeof *run->blocks);
    run->runnable = malloc(resident * threads * sizeof *run->runnable);
    run->order = malloc(run->total_blocks * sizeof *run->order);
    run->globals = malloc(run->module->globals.size + 1);
    if (o->weak) {
        run->weak = weakmem_create((uint32_t)resident, (uint32_t)threads, PTXVM_WARP, o->seed);
    }
    if (!run->blocks || !run->runnable || !run->order || !run->globals || (o->weak && !run->weak)) {
        return refuse(run->error, PTXVM_NO_MEMORY, "out of memory");
    }
    if (run->module->globals.size) {
        memcpy(run->globals, run->module->globals.bytes, run->module->globals.size);
    }
    // The inside-out Fisher-Yates shuffle.
    for (uint64_t i = 0; i < run->total_blocks; i++) {
        uint64_t other = o->lockstep ? i : vm_random(run) % (i + 1);
        run->order[i] = run->order[other];
        run->order[other] = (uint32_t)i;
    }
    for (run->block_count = 0; run->block_count < resident;) {
        if (!allocate_block(run, &run->blocks[run->block_count++], (uint32_t)threads)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < resident; i++) {
        start_block(run, &run->blocks[i], run->order[run->next_block++]);
    }
    return true;
}

static void tear_down(vm_run *run) {
    for (uint32_t i = 0; i < run->block_count; i++) {
        free(run->blocks[i].threads);
        free(run->blocks[i].registers);
        free(run->blocks[i].memory);
        free(run->blocks[i].stacks);
    }
    weakmem_destroy(run->weak);
    free(run->blocks);
    free(run->runnable);
    free(run->order);
    free(run->globals);
}

ptxvm_launch_options ptxvm_default_options(const char *entry) {
    return (ptxvm_launch_options){
        .entry = entry,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .checks = PTXVM_DEFAULT_CHECKS,
        .shared_fill = -1,
    };
}

ptxvm_status ptxvm_launch(const ptxvm_module *module, const ptxvm_launch_options *options,
                          ptxvm_stats *stats, ptxvm_error *error) {
    vm_run run = {.module = module, .options = options, .error = error};
    uint64_t threads;
    memset(error, 0, sizeof *error);
    for (uint32_t i = 0; i < module->entry_count; i++) {
        const vm_function *f = module->functions[module->entries[i]];
        if (!strcmp(f->name, options->entry)) {
            run.entry = f;
        }
    }
    run.random = options->seed * UINT64_C(0xD1342543DE82EF95) + 1;
    run.limit = options->instruction_limit ? options->instruction_limit : DEFAULT_LIMIT;
    bool plain = options->plain_nan;
    run.nan16 = plain ? 0x7E00 : 0x7FFF;
    run.nanb16 = plain ? 0x7FC0 : 0x7FFF;
    run.nan32 = plain ? 0x7FC00000 : 0x7FFFFFFF;
    run.nan64 = plain ? UINT64_C(0x7FF8000000000000) : UINT64_C(0xFFF8000000000000);
    if (!run.entry) {
        refuse(error, PTXVM_ARGUMENT, "no kernel '%s'", options->entry);
    } else if (check_shape(&run, &threads, &run.total_blocks) && check_arguments(&run) &&
               set_up(&run, threads)) {
        schedule(&run);
    }
    tear_down(&run);
    if (stats) {
        *stats = run.stats;
    }
    return error->status;
}
