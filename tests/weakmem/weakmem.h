/* Memory that shows a missing fence: what a lane stores stays invisible to other lanes until a
 * fence, barrier or wave synchronisation orders it, and a load may return an older value until its
 * lane acquires. It is the model of ISA.md 8.1 and 12.5, for the PTX interpreter and for the lane
 * harness. A program without a race (8.2) cannot tell it from plain memory.
 *
 * Stores wait in views: lane, wave, workgroup, memory. A release moves what waits upwards. An
 * acquire limits how far back in time a load may look. Atomics act on memory itself. */
#ifndef WEAKMEM_WEAKMEM_H
#define WEAKMEM_WEAKMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weakmem weakmem;

typedef enum weakmem_scope { WEAKMEM_WAVE, WEAKMEM_GROUP, WEAKMEM_DEVICE } weakmem_scope;

/* For `groups` workgroups at a time, each of `threads` threads in waves of `width` lanes. NULL: no
 * memory. The seed decides which loads look back. */
weakmem *weakmem_create(uint32_t groups, uint32_t threads, uint32_t width, uint64_t seed);
void weakmem_destroy(weakmem *w);

/* The number by which the other functions know a thread of a workgroup. */
uint32_t weakmem_lane(const weakmem *w, uint32_t group, uint32_t thread);

/* A plain access of bytes that exist at `at`. */
void weakmem_load(weakmem *w, uint32_t lane, const uint8_t *at, size_t size, uint8_t *bytes);
void weakmem_store(weakmem *w, uint32_t lane, uint8_t *at, size_t size, const uint8_t *bytes);

/* Before an atomic, which then reads and writes `at` directly. */
void weakmem_atomic(weakmem *w, uint32_t lane, uint8_t *at, size_t size);

/* The two halves of a fence that one lane executes. Every fence acts on the wave in both ways, as
 * 12.5 says. Where lanes synchronise, all of them release before the first one acquires. */
void weakmem_release(weakmem *w, uint32_t lane, weakmem_scope scope);
void weakmem_acquire(weakmem *w, uint32_t lane, weakmem_scope scope);

void weakmem_start_group(weakmem *w, uint32_t group);
/* The workgroup ends. What it has not released stays invisible until the kernel ends. */
void weakmem_end_group(weakmem *w, uint32_t group);
/* The kernel ends: all is in memory. */
void weakmem_finish(weakmem *w);

/* Whether an allocation failed. Stores then went to memory at once. */
bool weakmem_failed(const weakmem *w);

#endif
