/* Memory as lanes, waves and workgroups see it under wave_launch.scoped_memory (ISA 12.5): stores
 * wait in the view of their lane until a fence, barrier or atomic moves them to a wider one, and a
 * view may answer a load with what it remembers. Without the option there are no views: prepare.c
 * chooses other handlers for the instructions concerned. */
#ifndef EMU_VIEWS_H
#define EMU_VIEWS_H

#include "emu/machine.h"

typedef struct emu_views emu_views;

/* NULL: out of memory. */
emu_views *emu_views_create(const emu_machine *m);
void emu_views_destroy(emu_views *views);

/* The views' handler of an instruction that accesses memory, otherwise the plain one. */
emu_handler *emu_views_handler(isa_op op, emu_handler *plain);

void emu_views_barrier(emu_machine *m);
/* What the workgroup stored without a release waits for the end of the kernel. */
void emu_views_end_workgroup(emu_machine *m);
void emu_views_end_kernel(emu_machine *m);

/* ---- For views_access.c ---- */

/* One lane's access of `bytes` at an address in bounds, as 4-byte register words. */
void emu_views_load(emu_machine *m, const emu_wave *w, wave_space space, uint32_t lane,
                    uint32_t address, uint32_t bytes, uint32_t value[4]);
/* Before the stores of one execution: of several to the same byte the last one counts. */
void emu_views_begin_stores(emu_machine *m);
void emu_views_store(emu_machine *m, const emu_wave *w, wave_space space, uint32_t lane,
                     uint32_t address, uint32_t bytes, const uint32_t value[4]);
/* Moves pending bytes of the aligned word to memory and forgets what is remembered of it. */
void emu_views_settle(emu_machine *m, const emu_wave *w, wave_space space, uint32_t lane,
                      uint32_t address);
void emu_views_fence(emu_machine *m, const emu_wave *w, uint64_t lanes, bool acquires,
                     bool releases, uint32_t scope);

#endif
