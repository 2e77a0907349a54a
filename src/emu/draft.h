/* A draft: a workgroup executed speculatively before its turn. Device memory does not change
 * meanwhile; what the workgroup stores stays in the draft, and the blocks it reads are recorded.
 * When its turn comes, the draft is valid if no earlier workgroup has written to a block it has
 * read: then its stores are committed. Otherwise, or when there is anything to report, the
 * workgroup is executed again in its turn. Either way memory ends up as if the workgroups had run
 * one after another. This is optimistic concurrency control (Kung and Robinson 1981) with a fixed
 * order of commits.
 *
 * Atomics whose result is unused are not executed but recorded, and carried out in turn. */
#ifndef EMU_DRAFT_H
#define EMU_DRAFT_H

#include "emu/machine.h"

enum { DRAFT_SHIFT = 8, DRAFT_BYTES = 1 << DRAFT_SHIFT, DRAFT_MASKS = DRAFT_BYTES / 64 };

typedef struct draft_block {
    uint32_t block;                /* address >> DRAFT_SHIFT */
    uint64_t written[DRAFT_MASKS]; /* one bit per byte */
    uint8_t bytes[DRAFT_BYTES];
} draft_block;

typedef struct draft_atomic {
    uint32_t insn, address;
    uint32_t value[2], other[2];
} draft_atomic;

typedef struct draft_list {
    void *items;
    uint32_t count, capacity;
} draft_list;

/* The effects of one workgroup. */
typedef struct emu_draft {
    draft_list blocks;  /* draft_block */
    draft_list atomics; /* draft_atomic */
    draft_list reads;   /* uint32_t: blocks */
    bool valid;         /* it ran to its end with nothing to report */
    uint64_t divergent, instructions;
    uint64_t *counts; /* executions and lanes of each instruction, when requested */
} emu_draft;

/* The state of the blocks of device memory in a machine that writes drafts. */
typedef struct emu_drafting {
    uint32_t *slot; /* 0: untouched; DEFERRED: has atomics; else 1 + index in the draft's blocks */
    uint64_t *read; /* one bit per block */
    emu_draft *draft;
} emu_drafting;

bool emu_drafting_init(emu_drafting *d, uint64_t device_size); /* false: out of memory */
void emu_drafting_free(emu_drafting *d);
void emu_draft_free(emu_draft *draft);

/* The handler of an instruction on a machine that writes drafts. */
emu_handler *emu_draft_handler(isa_op op, emu_handler *plain);
/* Abandons the draft: the workgroup has to be executed in its turn. */
void emu_draft_abandon(emu_machine *m);

/* Executes a workgroup into the draft, up to a limit of instructions. */
void emu_draft_workgroup(emu_machine *m, emu_draft *draft, const uint32_t workgroup[3],
                         uint64_t most);

/* The memory it occupies, in bytes. */
size_t emu_draft_weight(const emu_draft *draft);
/* Whether the draft has read a block that is in the set of written ones. */
bool emu_draft_is_stale(const emu_draft *draft, const uint64_t *written);
/* Applies the stores and atomics to the machine's memory, and adds their blocks to the set. */
void emu_draft_commit(emu_machine *m, const emu_draft *draft, uint64_t *written);
/* Removes the draft's blocks from the set again. */
void emu_draft_forget(const emu_draft *draft, uint64_t *written);

#endif
