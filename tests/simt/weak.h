/* Weak memory for the lanes: kernels tell of every plain access before they perform it, and these
 * functions make memory hold what the lane may see. See docs/inside/testing-simt.md. */
#ifndef SIMT_WEAK_H
#define SIMT_WEAK_H

#include "simt/machine.h"

/* Around a launch, when its stores shall wait. False: no memory. */
bool weak_open(const simt_entry *entry, const machine_launch *launch, uint32_t threads);
/* What waits goes to memory. False: memory ran out on the way. */
bool weak_close(void);

void weak_start_workgroup(void);
/* Local memory is as the workgroup left it; device memory still lacks what was not released. */
void weak_end_workgroup(void);

/* Ends the plain access that the running lane told of last. Nothing else may touch memory before
 * it, and no other lane may run. */
void weak_settle(void);

/* Of the running lane; `spaces` says which memory. All do nothing when stores do not wait. */
void weak_atomic(const volatile void *at, size_t size);
void weak_release(simt_scope scope, uint32_t spaces);
void weak_acquire(simt_scope scope, uint32_t spaces);

#endif
