/* Weak memory for the lanes: kernels announce every plain access before they make it, and these
 * functions fill memory with what the lane may see. See docs/inside/testing-simt.md. */
#ifndef SIMT_WEAK_H
#define SIMT_WEAK_H

#include "simt/machine.h"

/* Called around a launch whose stores are delayed. False: out of memory. */
bool weak_open(const simt_entry *entry, const machine_launch *launch, uint32_t threads);
/* Writes delayed stores to memory. False: memory ran out during the launch. */
bool weak_close(void);

void weak_start_workgroup(void);
/* Local memory is as the workgroup left it; device memory still lacks the stores that were not
 * released. */
void weak_end_workgroup(void);

/* Completes the plain access that the running lane announced last. Until then nothing else may
 * access memory, and no other lane may run. */
void weak_settle(void);

/* For the running lane; `spaces` says which memory. All do nothing when stores are not delayed. */
void weak_atomic(const volatile void *at, size_t size);
void weak_release(simt_scope scope, uint32_t spaces);
void weak_acquire(simt_scope scope, uint32_t spaces);

#endif
