/* Capabilities and the memory model: what the module declares it needs. Declaring an extension does
 * not mean using it; unsupported features are rejected where they are used. */
#include "spirv/reader.h"

#include <stddef.h>

/* Their texts are in one block, because pointers would have to be relocated at every start. */
static const struct texts {
#define CAPABILITY(number, name, feature) char name[sizeof #name], of_##name[sizeof(feature)];
#include "spirv/capabilities.def"
#undef CAPABILITY
} texts = {
#define CAPABILITY(number, name, feature) #name, feature,
#include "spirv/capabilities.def"
#undef CAPABILITY
};

static const struct capability {
    uint16_t number, name, feature; /* where the texts begin */
} capabilities[] = {
#define CAPABILITY(number, name, feature)                                                          \
    {number, offsetof(struct texts, name), offsetof(struct texts, of_##name)},
#include "spirv/capabilities.def"
#undef CAPABILITY
};

static const char *text(uint16_t at) {
    return (const char *)&texts + at;
}

enum { Float16Buffer = 8, Float16 = 9, Float64 = 10, Int64 = 11, Int16 = 22, Int8 = 39 };

static void note_type(spirv_reader *r, uint32_t number) {
    r->float16 |= number == Float16 || number == Float16Buffer;
    r->float64 |= number == Float64;
    r->int64 |= number == Int64;
    r->int16 |= number == Int16;
    r->int8 |= number == Int8;
}

static bool check_capability(spirv_reader *r, const spirv_insn *insn) {
    uint32_t number = spirv_word(r->m, insn, 1);
    note_type(r, number);
    for (size_t i = 0; i < sizeof capabilities / sizeof capabilities[0]; i++) {
        const struct capability *c = &capabilities[i];
        if (c->number != number)
            continue;
        return !*text(c->feature) ||
               spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE, "the module needs %s: WAVE has no %s",
                          text(c->name), text(c->feature));
    }
    return spirv_fail(r, insn, DIAG_E_SPIRV_FEATURE, "WAVE does not have capability %u", number);
}

enum { Logical, Physical32, Physical64, OpenCL = 2 };

static bool check_model(const spirv_reader *r, const spirv_insn *insn) {
    uint32_t addressing = spirv_word(r->m, insn, 1), memory = spirv_word(r->m, insn, 2);
    if (memory != OpenCL || addressing == Logical || addressing > Physical64)
        return spirv_fail(r, insn, DIAG_E_SPIRV_MODEL,
                          "the module is not for OpenCL: addressing model %u, memory model %u",
                          addressing, memory);
    if (addressing == Physical64)
        return spirv_fail(r, insn, DIAG_E_SPIRV_MODEL,
                          "the module has 64-bit pointers (Physical64); WAVE's are 32-bit");
    return true;
}

bool spirv_settings(spirv_reader *r) {
    const spirv_module *m = r->m;
    bool has_model = false;
    for (uint32_t i = 0; i < r->first_body; i++) {
        const spirv_insn *insn = &m->insns[i];
        if (insn->op == SPIRV_OpCapability && !check_capability(r, insn))
            return false;
        if (insn->op == SPIRV_OpMemoryModel && !check_model(r, insn))
            return false;
        has_model |= insn->op == SPIRV_OpMemoryModel;
    }
    return has_model || spirv_fail(r, NULL, DIAG_E_SPIRV_LAYOUT, "the module has no OpMemoryModel");
}
