/* Decoding and checking a kernel. An ordinary instruction passes a few masks computed from isa.def
 * (ops.h) and nothing else is done with it here; inspect.c looks closely at all others, structure.c
 * matches the control flow, args.c looks at the registers. */
#include "frontend/inspect.h"
#include "frontend/ops.h"
#include "frontend/structure.h"

#include <stdlib.h>
#include <string.h>

typedef struct pass {
    fe_context *context;
    fe_structure *structure;
    fe_insn *insns;
    uint32_t size;     /* bytes of code, whole words only */
    uint32_t count;    /* decoded */
    uint32_t capacity; /* of insns */
    uint32_t uses;
} pass;

static bool resize(pass *p, uint32_t capacity) {
    fe_insn *insns = realloc(p->insns, (size_t)capacity * sizeof *insns);
    if (!insns)
        return false;
    p->insns = insns;
    p->capacity = capacity;
    return true;
}

/* Room for more instructions; never for more than the code can hold. */
static bool grow(pass *p) {
    uint64_t capacity = p->capacity + p->capacity / 2 + 16;
    if (capacity > p->size / 4)
        capacity = p->size / 4;
    return resize(p, (uint32_t)capacity);
}

/* What the masks do not settle. */
static void examine(pass *p, uint32_t index, uint32_t word0, uint32_t word1) {
    fe_insn *insn = &p->insns[index];
    const fe_op *info = &fe_ops[insn->op];
    bool odd = (word0 & info->zero0) | (word1 & info->zero1);
    odd |= (info->flags & FE_OP_EXTENSION) && !p->context->extended;
    odd |= (info->flags & FE_OP_SPECIAL) && insn->field[ISA_FIELD_RS1] >= ISA_SPECIAL_COUNT;
    if (odd)
        fe_inspect(p->context, insn, word0, word1);
    if (info->flags & FE_OP_CONTROL) {
        p->structure->insns = p->insns;
        fe_structure_step(p->structure, index);
    }
}

/* Decodes from `at` while a word pair can be read; `words` is where that one starts. Returns where
 * it stopped, or UINT32_MAX when out of memory. This is the loop every instruction goes through. */
static uint32_t run(pass *p, const uint8_t *words, uint32_t at, uint32_t end) {
    uint32_t count = p->count, capacity = p->capacity, uses = 0;
    fe_insn *insns = p->insns;
    while (at < end) {
        uint32_t word0 = fe_u32(words), word1 = fe_u32(words + 4);
        unsigned op = isa_by_encoding[fe_encoding(word0)];
        const fe_op *info = &fe_ops[op];
        if (count == capacity) {
            p->count = count;
            if (!grow(p))
                return UINT32_MAX;
            capacity = p->capacity;
            insns = p->insns;
        }
        uint64_t packed = fe_pack(op, word0, word1 & info->operands);
        fe_insn *insn = &insns[count];
        fe_unpack(insn, packed);
        insn->imm = word1 & info->immediate;
        insn->pc = at;
        uses |= info->uses;
        if (info->flags | (word0 & info->zero0) | (word1 & info->zero1)) {
            if (op == ISA_NONE) {
                uint32_t next = fe_skip_unknown(p->context, p->size, at);
                p->structure->unsure = true;
                words += next - at;
                at = next;
                continue;
            }
            examine(p, count, word0, word1);
        }
        words += info->bytes;
        at += info->bytes;
        count++;
    }
    p->count = count;
    p->uses |= uses;
    return at;
}

/* The last word may be an instruction, but has no second word to read. */
static bool run_all(pass *p) {
    const uint8_t *code = p->context->record->code;
    uint32_t at = run(p, code, 0, p->size - 4);
    if (at == UINT32_MAX)
        return false;
    if (at >= p->size)
        return true;
    uint8_t last[8] = {0};
    memcpy(last, code + at, 4);
    if (fe_words[fe_encoding(fe_u32(last))]) {
        fe_skip_unknown(p->context, p->size, at);
        p->structure->unsure = true;
        return true;
    }
    return run(p, last, at, p->size) != UINT32_MAX;
}

/* Register numbers are checked together: only when one is too large each is looked at. */
static bool check_registers(fe_context *context, fe_kernel *kernel) {
    uint32_t registers = UINT32_MAX;
    if (context->errors == 0 && !fe_find_arguments(kernel, &registers))
        return false;
    if (registers > kernel->register_limit)
        for (uint32_t i = 0; i < kernel->info.instructions; i++)
            fe_inspect_registers(context, &kernel->insns[i], kernel->register_limit);
    return true;
}

static bool load(pass *p, fe_kernel *out) {
    if (!p->structure || !grow(p))
        return false;
    p->structure->context = p->context;
    bool ok = run_all(p);
    out->insns = p->insns;
    if (!ok)
        return false;
    p->structure->insns = p->insns;
    fe_structure_end(p->structure, p->count);
    if (p->count && p->count < p->capacity && resize(p, p->count))
        out->insns = p->insns; /* no slack */
    out->info.instructions = p->count;
    out->info.uses = p->uses;
    out->info.max_depth = p->structure->max_depth;
    return check_registers(p->context, out);
}

bool fe_load_kernel(fe_context *context, fe_kernel *out) {
    const fe_record *record = context->record;
    uint32_t limit = record->registers ? record->registers : ISA_DEFAULT_REGISTERS;
    out->register_limit = limit < ISA_MAX_REGISTERS ? limit : ISA_MAX_REGISTERS;
    out->code = record->code;
    pass p = {.context = context, .size = record->code_size & ~3u};
    p.structure = calloc(1, sizeof *p.structure);
    if (p.size && !load(&p, out))
        fe_report(context, WAVE_ERROR, DIAG_E_MEMORY, NULL, NULL, "no memory for the code");
    free(p.structure);
    return context->errors == 0;
}
