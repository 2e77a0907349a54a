/* The section `regs`: the names of a kernel's registers and predicates, for readers of the file.
 * With -g these are the names of .reg and .pred. A quoted name, as printed by the disassembler, has
 * no meaning in the source and is always written:
 *
 *     .reg "i" = r3, "v":2 = r6        .pred "inside" = p1 */
#include "asm/asm.h"

#include "base/text.h"

#include <string.h>

const char *asm_take_register_name(asm_state *a) {
    asm_token token = a->token;
    size_t length;
    const char *text = asm_unquote(a, &token, &length);
    if (!text)
        return NULL;
    if (length == 0 || memchr(text, 0, length) || !text_is_utf8(text, length)) {
        asm_error(&a->reporter, DIAG_E_SYMBOL, &token.place, NULL,
                  length ? "the name is not UTF-8" : "the name is empty");
        return NULL;
    }
    asm_advance(a);
    const char *name = arena_text(&a->memory, text, length);
    a->failed |= !name;
    return name;
}

void asm_add_register_name(asm_state *a, const char *name, const asm_symbol *symbol) {
    if (!name || !asm_grow(a, (void **)&a->register_names, a->register_name_count,
                           &a->register_name_room, sizeof *a->register_names))
        return;
    a->register_names[a->register_name_count++] =
        (wave_register_name){.name = name,
                             .predicate = symbol->kind == ASM_SYMBOL_PREDICATE,
                             .number = (uint8_t)symbol->number,
                             .width = symbol->width};
    asm_last_kernel(a)->name_count++;
}

void asm_record_register_names(asm_state *a) {
    if (!a->options->debug)
        return;
    for (size_t i = a->registers.first_symbol; i < a->symbols.count && !a->failed; i++) {
        const asm_symbol *symbol = &a->symbols.list[i];
        if (symbol->kind == ASM_SYMBOL_NUMBER || symbol->argument)
            continue;
        const char *name = arena_text(&a->memory, symbol->place.at, symbol->place.length);
        a->failed |= !name;
        asm_add_register_name(a, name, symbol);
    }
}

uint32_t asm_count_register_names(asm_state *a, const asm_kernel *kernel) {
    uint32_t limit = kernel->registers ? kernel->registers : ISA_DEFAULT_REGISTERS, kept = 0;
    for (uint32_t i = 0; i < kernel->name_count; i++) {
        wave_register_name r = a->register_names[kernel->name_start + i];
        if (r.predicate || (uint32_t)r.number + r.width <= limit)
            a->register_names[kernel->name_start + kept++] = r;
    }
    return kept;
}
