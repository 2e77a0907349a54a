/* Fibers: a minimal switch between stacks. */
#ifndef SIMT_FIBER_H
#define SIMT_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#if !defined(__x86_64__) && !defined(SIMT_UCONTEXT)
#define SIMT_UCONTEXT 1
#endif

#ifdef SIMT_UCONTEXT
#include <ucontext.h>
typedef ucontext_t fiber;
#else
typedef void *fiber; /* the stack pointer of a suspended fiber */
#endif

/* The fiber begins with start(), which must not return. */
void fiber_make(fiber *f, void *stack, size_t size, void (*start)(void));

/* Continues with `to`; the current fiber continues when another one switches to `from`. */
void fiber_switch(fiber *from, fiber *to);

#endif
