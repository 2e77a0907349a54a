/* Memory that exposes a missing fence: a lane's stores stay invisible to other lanes until a fence,
 * barrier or wave synchronisation orders them, and a load may return an older value until its lane
 * acquires. It implements the model of ISA.md 8.1 and 12.5 for the PTX interpreter and the lane
 * harness. A program without a race (8.2) cannot distinguish it from plain memory.
 *
 * Stores wait in views: lane, wave, workgroup, memory. A release moves pending stores upwards. An
 * acquire limits how far back in time a load may look. Atomics act on memory itself. */
#ifndef WEAKMEM_WEAKMEM_H
#define WEAKMEM_WEAKMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct weakmem weakmem;

typedef enum weakmem_scope { WEAKMEM_WAVE, WEAKMEM_GROUP, WEAKMEM_DEVICE } weakmem_scope;

/* For `groups` workgroups at a time, each of `threads` threads in waves of `width` lanes. NULL: out
 * of memory. The seed decides which loads look back. */
weakmem *weakmem_create(uint32_t groups, uint32_t threads, uint32_t width, uint64_t seed);
void weakmem_destroy(weakmem *w);

/* The number that identifies a thread of a workgroup in the other functions. */
uint32_t weakmem_lane(const weakmem *w, uint32_t group, uint32_t thread);

/* A plain access of bytes that exist at `at`. */
void weakmem_load(weakmem *w, uint32_t lane, const uint8_t *at, size_t size, uint8_t *bytes);
void weakmem_store(weakmem *w, uint32_t lane, uint8_t *at, size_t size, const uint8_t *bytes);

/* Call before an atomic, which then reads and writes `at` directly. */
void weakmem_atomic(weakmem *w, uint32_t lane, uint8_t *at, size_t size);

/* The two halves of a fence that one lane executes. Every fence acts on the wave in both ways, as
 * 12.5 specifies. Where lanes synchronise, all of them release before the first one acquires. */
void weakmem_release(weakmem *w, uint32_t lane, weakmem_scope scope);
void weakmem_acquire(weakmem *w, uint32_t lane, weakmem_scope scope);

void weakmem_start_group(weakmem *w, uint32_t group);
/* The workgroup ends. Stores that it has not released stay invisible until the kernel ends. */
void weakmem_end_group(weakmem *w, uint32_t group);
/* The kernel ends: everything is in memory. */
void weakmem_finish(weakmem *w);

/* Whether an allocation failed. Stores after that went to memory immediately. */
bool weakmem_failed(const weakmem *w);

#endif
