/* Numbers for the names and temporaries of a kernel. They are assigned once the whole kernel is
 * known, because a name takes the lowest register that nothing else in the kernel uses. Until then
 * the bytes of the code that hold such numbers are 0, and a list records them. */
#include "asm/asm.h"

static bool is_free(const asm_registers *r, uint32_t first, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        if (r->used[first + i])
            return false;
    return true;
}

/* An atomic whose destination is r0 has no result, so a name used as an atomic's result never gets
 * r0. */
static bool place_register(asm_state *a, asm_symbol *symbol) {
    asm_registers *r = &a->registers;
    for (uint32_t first = symbol->guards; first + symbol->width <= ISA_MAX_REGISTERS; first++) {
        if (!is_free(r, first, symbol->width))
            continue;
        for (unsigned i = 0; i < symbol->width; i++)
            r->used[first + i] = 1;
        symbol->number = (uint16_t)first;
        symbol->fixed = true;
        return true;
    }
    asm_error(&a->reporter, DIAG_E_REGISTER, &symbol->place, "a kernel has at most 256 registers",
              "no register is free for '%.*s'", asm_shown(symbol->place.length), symbol->place.at);
    return false;
}

/* p0 comes last, because it cannot be a guard: @p0 would encode that there is none. */
static bool place_predicate(asm_state *a, asm_symbol *symbol) {
    static const uint8_t order[ISA_PREDICATES] = {1, 2, 3, 0};
    for (unsigned i = 0; i < ISA_PREDICATES; i++) {
        unsigned p = order[i];
        if ((a->registers.predicates >> p & 1) || (p == 0 && symbol->guards))
            continue;
        a->registers.predicates |= (uint8_t)(1u << p);
        symbol->number = (uint16_t)p;
        symbol->fixed = true;
        return true;
    }
    asm_error(&a->reporter, DIAG_E_PRED_INDEX, &symbol->place,
              "predicates are p0 to p3, and p0 cannot be a guard",
              "no predicate is free for '%.*s'", asm_shown(symbol->place.length), symbol->place.at);
    return false;
}

static bool place_symbols(asm_state *a) {
    for (size_t i = a->registers.first_symbol; i < a->symbols.count; i++) {
        asm_symbol *symbol = &a->symbols.list[i];
        if (symbol->fixed || symbol->kind == ASM_SYMBOL_NUMBER)
            continue;
        bool good = symbol->kind == ASM_SYMBOL_REGISTER ? place_register(a, symbol)
                                                        : place_predicate(a, symbol);
        if (!good)
            return false; /* one such error is enough: most names after it would fail, too */
        if (symbol->kind == ASM_SYMBOL_REGISTER &&
            (uint32_t)symbol->number + symbol->width > a->register_top)
            asm_use_register(a, &symbol->place, symbol->number, symbol->width);
    }
    return true;
}

static uint32_t highest_used(const asm_registers *r) {
    uint32_t top = ISA_MAX_REGISTERS;
    while (top > 0 && !r->used[top - 1])
        top--;
    return top;
}

static void fill_in(asm_state *a, uint32_t first_temporary) {
    for (size_t i = a->registers.first_fixup; i < a->fixup_count; i++) {
        asm_ref ref = a->fixups[i].ref;
        uint32_t number = ref & ASM_TEMPORARY ? first_temporary + (ref & ~ASM_TEMPORARY)
                                              : a->symbols.list[ref - 1].number;
        a->code.data[a->fixups[i].at] |= (uint8_t)number;
    }
    a->fixup_count = a->registers.first_fixup;
}

void asm_retire_kernel(asm_state *a) {
    if (a->kernel_count == 0 || a->code.failed || a->failed || asm_last_kernel(a)->retired)
        return;
    asm_kernel *kernel = asm_last_kernel(a);
    kernel->retired = true;
    if (!place_symbols(a))
        return;
    asm_record_register_names(a);
    asm_registers *r = &a->registers;
    uint32_t top = highest_used(r), needed = top + r->most_temporaries;
    bool declared = kernel->registers_at.at != NULL;
    uint32_t limit = declared && kernel->registers ? kernel->registers
                     : declared                    ? ISA_DEFAULT_REGISTERS
                                                   : ISA_MAX_REGISTERS;
    if (limit > ISA_MAX_REGISTERS)
        limit = ISA_MAX_REGISTERS;
    if (r->most_temporaries && needed > limit)
        asm_error(&a->reporter, DIAG_E_TEMPORARIES, &kernel->place, NULL,
                  "the kernel names %u registers and needs %u more for temporaries: %u are missing",
                  (unsigned)top, (unsigned)r->most_temporaries, (unsigned)(needed - limit));
    else
        fill_in(a, top);
    if (kernel->sugared && !declared && needed > ISA_DEFAULT_REGISTERS && needed <= limit)
        kernel->registers = needed;
}
