/* Switching stacks: seven instructions on x86-64, ucontext (a system call per switch) elsewhere. */
#include "simt/fiber.h"

#include <stdint.h>

#ifdef SIMT_UCONTEXT

void fiber_make(fiber *f, void *stack, size_t size, void (*start)(void)) {
    getcontext(f);
    f->uc_stack.ss_sp = stack;
    f->uc_stack.ss_size = size;
    f->uc_link = NULL;
    makecontext(f, start, 0);
}

void fiber_switch(fiber *from, fiber *to) {
    swapcontext(from, to);
}

#else

/* Pushes the callee-saved registers. The caller expects all others to be clobbered anyway. */
__asm__(".text\n"
        ".globl simt_switch_stacks\n"
        ".hidden simt_switch_stacks\n"
        ".type simt_switch_stacks, @function\n"
        "simt_switch_stacks:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size simt_switch_stacks, . - simt_switch_stacks\n");

void simt_switch_stacks(void **from, void *to);

void fiber_make(fiber *f, void *stack, size_t size, void (*start)(void)) {
    uintptr_t *top = (uintptr_t *)(((uintptr_t)stack + size) & ~(uintptr_t)15);
    enum { SAVED = 6 };
    *--top = 0; /* start()'s return address; it also aligns the stack as a call does */
    *--top = (uintptr_t)start;
    for (int k = 0; k < SAVED; k++)
        *--top = 0;
    *f = top;
}

void fiber_switch(fiber *from, fiber *to) {
    simt_switch_stacks(from, *to);
}

#endif
