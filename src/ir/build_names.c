/* Register names, from the section `regs` to the values that instructions write there. A register
 * with several names contributes none: the file does not say which name applies where. */
#include "ir/build.h"

#include <stdlib.h>
#include <string.h>

/* Pairs and quads by their first register, then the slots. */
enum { PAIRS = 0, QUADS = PAIRS + ISA_MAX_REGISTERS, SLOTS = QUADS + ISA_MAX_REGISTERS };

static unsigned place_of(unsigned first, unsigned width) {
    return first + (unsigned)(width == 1 ? SLOTS + SLOT_REGISTER : width == 2 ? PAIRS : QUADS);
}

static unsigned place_of_name(const wave_register_name *r) {
    return place_of(r->number, r->width) + (r->predicate ? SLOT_PREDICATE : 0u);
}

void build_make_names(builder *b) {
    const fe_kernel_extras *extras = &b->kernel->extras;
    uint32_t count = extras->register_count < UINT16_MAX ? extras->register_count : UINT16_MAX - 1;
    uint16_t *names = count ? calloc(SLOTS + slot_limit(b->kernel), sizeof *names) : NULL;
    if (count && (!names || !ir_start_names(b->s.f))) {
        free(names);
        b->s.f->failed = true;
        return;
    }
    bool many[SLOTS + SLOT_RETURNED] = {false}; /* registers and predicates */
    for (uint32_t k = 0; k < count; k++) {
        const wave_register_name *r = &extras->registers[k];
        unsigned place = place_of_name(r);
        many[place] |=
            names[place] && strcmp(extras->registers[names[place] - 1].name, r->name) != 0;
        names[place] = (uint16_t)(k + 1);
    }
    for (uint32_t k = 0; k < count; k++)
        if (many[place_of_name(&extras->registers[k])])
            names[place_of_name(&extras->registers[k])] = 0;
    b->names = names;
    b->s.names = names ? names + SLOTS : NULL;
}

void build_name(builder *b, ir_value v, unsigned reg, unsigned width) {
    if (b->names && reg < ISA_MAX_REGISTERS)
        ir_give_name(b->s.f, v, b->names[place_of(reg, width)]);
}
