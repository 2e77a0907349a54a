/* Drafts: the handlers that keep device accesses in a draft, and committing drafts. See draft.h. */
#include "emu/draft.h"
#include "emu/lane_memory.h"
#include "emu/tile.h"

#include <stdlib.h>

#define DEFERRED UINT32_MAX

static uint32_t block_of(uint32_t address) {
    return address >> DRAFT_SHIFT;
}

static void *list_add(draft_list *list, size_t size) {
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity ? 2 * list->capacity : 16;
        void *items = realloc(list->items, capacity * size);
        if (!items)
            return NULL;
        list->items = items;
        list->capacity = capacity;
    }
    return (char *)list->items + size * list->count++;
}

static draft_block *blocks_of(const emu_draft *draft) {
    return draft->blocks.items;
}

static const draft_atomic *atomics_of(const emu_draft *draft) {
    return draft->atomics.items;
}

static const uint32_t *reads_of(const emu_draft *draft) {
    return draft->reads.items;
}

bool emu_drafting_init(emu_drafting *d, uint64_t device_size) {
    const size_t blocks = (size_t)(device_size >> DRAFT_SHIFT) + 1;
    d->slot = calloc(blocks, sizeof *d->slot);
    d->read = calloc(blocks / 64 + 1, sizeof *d->read);
    return d->slot && d->read;
}

void emu_drafting_free(emu_drafting *d) {
    free(d->slot);
    free(d->read);
}

void emu_draft_free(emu_draft *draft) {
    free(draft->blocks.items);
    free(draft->atomics.items);
    free(draft->reads.items);
    free(draft->counts);
}

void emu_draft_abandon(emu_machine *m) {
    m->drafting->draft->valid = false;
    m->status = WAVE_ERROR_INPUT;
    m->ready = 0;
}

/* ---- Access ---- */

static bool mark_read(emu_drafting *d, uint32_t block) {
    uint64_t *bits = &d->read[block / 64];
    const uint64_t bit = (uint64_t)1 << block % 64;
    if (*bits & bit)
        return true;
    uint32_t *entry = list_add(&d->draft->reads, sizeof *entry);
    if (!entry)
        return false;
    *entry = block;
    *bits |= bit;
    return true;
}

/* The bytes of a block to read from; NULL: they depend on deferred atomics. */
static const uint8_t *readable(emu_machine *m, uint32_t block) {
    emu_drafting *d = m->drafting;
    const uint32_t slot = d->slot[block];
    if (slot == DEFERRED || !mark_read(d, block))
        return NULL;
    return slot ? blocks_of(d->draft)[slot - 1].bytes : m->device + ((size_t)block << DRAFT_SHIFT);
}

static draft_block *writable(emu_machine *m, uint32_t block) {
    emu_drafting *d = m->drafting;
    if (d->slot[block] == DEFERRED)
        return NULL;
    if (d->slot[block])
        return &blocks_of(d->draft)[d->slot[block] - 1];
    draft_block *b = list_add(&d->draft->blocks, sizeof *b);
    if (!b)
        return NULL;
    const uint64_t start = (uint64_t)block << DRAFT_SHIFT, left = m->device_size - start;
    b->block = block;
    memset(b->written, 0, sizeof b->written);
    memcpy(b->bytes, m->device + start, left < DRAFT_BYTES ? (size_t)left : DRAFT_BYTES);
    d->slot[block] = d->draft->blocks.count;
    return b;
}

static void mark_written(draft_block *b, uint32_t at, uint32_t bytes) {
    b->written[at / 64] |= (((uint64_t)1 << bytes) - 1) << at % 64;
}

/* Aligned accesses do not cross blocks; others wait for the workgroup's turn. */
static bool is_good(const emu_machine *m, uint32_t address, uint32_t bytes) {
    return (address & (bytes - 1)) == 0 && (uint64_t)address + bytes <= m->device_size;
}

/* Marks a block as read; false if the draft has written to it. */
static bool mark_plain(emu_machine *m, uint32_t block) {
    return !m->drafting->slot[block] && mark_read(m->drafting, block);
}

static bool mark_each(emu_machine *m, const uint32_t *addresses, uint32_t count, uint32_t bytes) {
    for (uint32_t i = 0; i < count; i++)
        if ((uint64_t)addresses[i] + bytes > m->device_size ||
            !mark_plain(m, block_of(addresses[i])))
            return false;
    return true;
}

/* Whether the plain handler can load for all lanes: the addresses are good, and the draft has
 * written to none of their blocks. Neighbouring lanes are usually in the same block. */
static bool is_plain_load(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t bytes) {
    enum { RUN = 16 };
    const uint32_t *addresses = w->regs + in->rs1[0], count = w->count;
    for (uint32_t at = 0; at < count; at += RUN) {
        const uint32_t *run = addresses + at, length = count - at < RUN ? count - at : RUN;
        uint32_t differ = 0, bits = 0;
        for (uint32_t i = 0; i < length; i++) {
            differ |= run[i] ^ run[0];
            bits |= run[i];
        }
        if (bits & (bytes - 1))
            return false;
        const uint64_t end = ((uint64_t)block_of(run[0]) + 1) << DRAFT_SHIFT;
        const bool one = block_of(differ) == 0 && end <= m->device_size;
        if (!(one ? mark_plain(m, block_of(run[0])) : mark_each(m, run, length, bytes)))
            return false;
    }
    return true;
}

static void load(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const uint32_t bytes = isa_table[in->op].bytes, each = bytes < 4 ? bytes : 4;
    if (lanes == w->all && is_plain_load(m, w, in, bytes)) {
        m->handlers[in->op](m, w, in, lanes);
        return;
    }
    const uint32_t *addresses = w->regs + in->rs1[0];
    const uint8_t *base = NULL;
    uint32_t last = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes), address = addresses[lane];
        if (!is_good(m, address, bytes)) {
            emu_draft_abandon(m);
            return;
        }
        if (!base || block_of(address) != last) {
            last = block_of(address);
            base = readable(m, last);
        }
        if (!base) {
            emu_draft_abandon(m);
            return;
        }
        const uint8_t *from = base + address % DRAFT_BYTES;
        for (uint32_t k = 0; 4 * k < bytes; k++)
            w->regs[in->rd[k] + lane] = emu_get(from + 4 * k, each);
    }
}

static void store(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const uint32_t bytes = isa_table[in->op].bytes, each = bytes < 4 ? bytes : 4;
    const uint32_t *addresses = w->regs + in->rs1[0];
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes), address = addresses[lane];
        draft_block *b = is_good(m, address, bytes) ? writable(m, block_of(address)) : NULL;
        if (!b) {
            emu_draft_abandon(m);
            return;
        }
        const uint32_t at = address % DRAFT_BYTES;
        for (uint32_t k = 0; 4 * k < bytes; k++)
            emu_put(b->bytes + at + 4 * k, w->regs[in->rs2[k] + lane], each);
        mark_written(b, at, bytes);
    }
}

/* Moves a whole piece; a tile that leaves memory waits for the workgroup's turn. */
static bool move_bytes(emu_machine *m, emu_wave *w, const emu_insn *in, wave_access_kind kind,
                       uint32_t lane, uint32_t address, uint32_t bytes, uint32_t words[4]) {
    (void)w;
    (void)in;
    (void)lane;
    const uint32_t at = address % DRAFT_BYTES;
    const bool good = bytes == EMU_TILE_PIECE && is_good(m, address, bytes);
    const uint8_t *from = good && kind == WAVE_LOAD ? readable(m, block_of(address)) : NULL;
    draft_block *to = good && kind == WAVE_STORE ? writable(m, block_of(address)) : NULL;
    if (!from && !to) {
        emu_draft_abandon(m);
        return false;
    }
    for (uint32_t k = 0; k < 4 && from; k++)
        words[k] = emu_get(from + at + 4 * k, 4);
    for (uint32_t k = 0; k < 4 && to; k++)
        emu_put(to->bytes + at + 4 * k, words[k], 4);
    if (to)
        mark_written(to, at, bytes);
    return true;
}

static void tile(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    if (emu_tile_space(in) == WAVE_SPACE_LOCAL)
        m->handlers[in->op](m, w, in, lanes);
    else
        emu_tile_move(m, w, in, lanes, move_bytes);
}

/* ---- Atomics ---- */

/* The instruction with the rows of its operands replaced by scratch rows of the machine: one for
 * the address, two each for value and other. */
static emu_insn with_own_rows(const emu_machine *m, const emu_insn *in) {
    emu_insn own = *in;
    const uint32_t first = (m->registers + EMU_ROW_DRAFT) * m->stride;
    own.rs1[0] = (uint16_t)first;
    for (uint32_t k = 0; k < 2; k++) {
        own.rs2[k] = (uint16_t)(first + (1 + k) * m->stride);
        own.rs3[k] = (uint16_t)(first + (3 + k) * m->stride);
    }
    return own;
}

/* Runs the plain handler on one block instead of all of memory. */
static void run_on_block(emu_machine *m, emu_wave *w, const emu_insn *in, uint32_t lane,
                         uint32_t address, draft_block *b) {
    const emu_insn rows = with_own_rows(m, in);
    emu_insn own = *in;
    uint8_t *const device = m->device;
    const uint64_t size = m->device_size;
    own.rs1[0] = rows.rs1[0];
    w->regs[own.rs1[0] + lane] = address % DRAFT_BYTES;
    m->device = b->bytes;
    m->device_size = DRAFT_BYTES;
    m->handlers[in->op](m, w, &own, (uint64_t)1 << lane);
    m->device = device;
    m->device_size = size;
}

static bool defer(emu_machine *m, const emu_wave *w, const emu_insn *in, uint32_t lane,
                  uint32_t address) {
    emu_drafting *d = m->drafting;
    draft_atomic *a = list_add(&d->draft->atomics, sizeof *a);
    if (!a)
        return false;
    *a = (draft_atomic){.insn = emu_index(m, in), .address = address};
    for (uint32_t k = 0; k < 2; k++) {
        a->value[k] = w->regs[in->rs2[k] + lane];
        a->other[k] = w->regs[in->rs3[k] + lane];
    }
    d->slot[block_of(address)] = DEFERRED;
    return true;
}

static bool atomic_of_lane(emu_machine *m, emu_wave *w, const emu_insn *in, uint32_t lane,
                           uint32_t address) {
    const isa_desc *desc = &isa_table[in->op];
    const uint32_t block = block_of(address), slot = m->drafting->slot[block];
    const bool reads = desc->flags & ISA_READS, writes = desc->flags & ISA_WRITES;
    const bool unused = in->rd[0] == (m->registers + EMU_ROW_TRASH) * m->stride;
    if (reads && writes && unused && (slot == 0 || slot == DEFERRED))
        return defer(m, w, in, lane, address);
    draft_block *b = writable(m, block);
    if (!b || (reads && !mark_read(m->drafting, block)))
        return false;
    run_on_block(m, w, in, lane, address, b);
    if (writes)
        mark_written(b, address % DRAFT_BYTES, desc->bytes);
    return true;
}

static void atomic(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes) {
    const uint32_t bytes = isa_table[in->op].bytes;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t lane = emu_lowest(lanes), address = w->regs[in->rs1[0] + lane];
        if (!is_good(m, address, bytes) || !atomic_of_lane(m, w, in, lane, address)) {
            emu_draft_abandon(m);
            return;
        }
    }
}

emu_handler *emu_draft_handler(isa_op op, emu_handler *plain) {
    const isa_desc *d = &isa_table[op];
    if (!(d->flags & ISA_DEVICE))
        return plain;
    if (isa_is_tile(op))
        return tile;
    return d->klass == ISA_CLASS_ATOMIC ? atomic : d->flags & ISA_WRITES ? store : load;
}

/* ---- One workgroup ---- */

static void clear(emu_drafting *d) {
    const emu_draft *draft = d->draft;
    for (uint32_t i = 0; i < draft->blocks.count; i++)
        d->slot[blocks_of(draft)[i].block] = 0;
    for (uint32_t i = 0; i < draft->atomics.count; i++)
        d->slot[block_of(atomics_of(draft)[i].address)] = 0;
    for (uint32_t i = 0; i < draft->reads.count; i++)
        d->read[reads_of(draft)[i] / 64] = 0;
}

static void take_counts(emu_machine *m, emu_draft *draft) {
    emu_count_quiet(m);
    for (uint32_t i = 0; i <= m->kernel->info.instructions; i++) {
        if (draft->counts) {
            draft->counts[2 * (size_t)i] = m->code[i].executions;
            draft->counts[2 * (size_t)i + 1] = m->code[i].lanes;
        }
        m->code[i].executions = m->code[i].lanes = 0;
    }
    draft->divergent = m->divergent;
    m->divergent = 0;
}

void emu_draft_workgroup(emu_machine *m, emu_draft *draft, const uint32_t workgroup[3],
                         uint64_t most) {
    draft->blocks.count = draft->atomics.count = draft->reads.count = 0;
    draft->valid = true;
    m->drafting->draft = draft;
    m->status = WAVE_OK;
    emu_begin_workgroup(m, workgroup);
    m->left = m->left < most ? m->left : most;
    const uint64_t before = m->left;
    emu_run_workgroup(m);
    draft->instructions = before - m->left;
    if (m->launch->stats)
        take_counts(m, draft);
    clear(m->drafting);
}

/* ---- Committing ---- */

size_t emu_draft_weight(const emu_draft *draft) {
    return draft->blocks.count * sizeof(draft_block) + draft->atomics.count * sizeof(draft_atomic) +
           draft->reads.count * sizeof(uint32_t);
}

bool emu_draft_is_stale(const emu_draft *draft, const uint64_t *written) {
    for (uint32_t i = 0; i < draft->reads.count; i++) {
        const uint32_t block = reads_of(draft)[i];
        if (written[block / 64] >> block % 64 & 1)
            return true;
    }
    return false;
}

static void add(uint64_t *set, uint32_t block) {
    set[block / 64] |= (uint64_t)1 << block % 64;
}

static void commit_block(emu_machine *m, const draft_block *b) {
    uint8_t *to = m->device + ((size_t)b->block << DRAFT_SHIFT);
    for (uint32_t k = 0; k < DRAFT_MASKS; k++) {
        uint64_t left = b->written[k];
        if (~left == 0)
            memcpy(to + 64 * k, b->bytes + 64 * k, 64);
        else
            for (; left; left &= left - 1)
                to[64 * k + emu_lowest(left)] = b->bytes[64 * k + emu_lowest(left)];
    }
}

static void commit_atomic(emu_machine *m, const draft_atomic *a) {
    emu_wave *w = &m->waves[0];
    const emu_insn in = with_own_rows(m, &m->code[a->insn]);
    w->regs[in.rs1[0]] = a->address;
    for (uint32_t k = 0; k < 2; k++) {
        w->regs[in.rs2[k]] = a->value[k];
        w->regs[in.rs3[k]] = a->other[k];
    }
    in.run(m, w, &in, 1);
}

static void commit_counts(emu_machine *m, const emu_draft *draft) {
    for (uint32_t i = 0; draft->counts && i <= m->kernel->info.instructions; i++) {
        m->code[i].executions += draft->counts[2 * (size_t)i];
        m->code[i].lanes += draft->counts[2 * (size_t)i + 1];
    }
    m->divergent += draft->divergent;
    m->workgroups_begun++;
}

void emu_draft_commit(emu_machine *m, const emu_draft *draft, uint64_t *written) {
    for (uint32_t i = 0; i < draft->blocks.count; i++) {
        commit_block(m, &blocks_of(draft)[i]);
        add(written, blocks_of(draft)[i].block);
    }
    for (uint32_t i = 0; i < draft->atomics.count; i++) {
        commit_atomic(m, &atomics_of(draft)[i]);
        add(written, block_of(atomics_of(draft)[i].address));
    }
    commit_counts(m, draft);
}

void emu_draft_forget(const emu_draft *draft, uint64_t *written) {
    for (uint32_t i = 0; i < draft->blocks.count; i++)
        written[blocks_of(draft)[i].block / 64] = 0;
    for (uint32_t i = 0; i < draft->atomics.count; i++)
        written[block_of(atomics_of(draft)[i].address) / 64] = 0;
}
