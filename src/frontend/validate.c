/* Decoding and checking a kernel. An ordinary instruction passes a few masks computed from isa.def
 * (ops.h) and needs no further work here; inspect.c checks all others in detail, structure.c
 * matches the control flow, args.c analyses the registers. */
#include "frontend/inspect.h"
#include "frontend/ops.h"
#include "frontend/structure.h"
#include "isa/tile.h"

#include <stdlib.h>

typedef struct pass {
    fe_context *context;
    fe_structure *structure;
    fe_insn *insns;
    uint32_t size;     /* bytes of code, rounded down to whole words */
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

/* Makes room for more instructions when those before `at` are decoded: at first as if all had two
 * words, then by extrapolating from those decoded. Never more than the code can hold. */
static bool grow(pass *p, uint32_t at) {
    uint64_t capacity = at ? (uint64_t)p->count * p->size / at + p->count / 64 : p->size / 8;
    capacity += 16;
    if (capacity > p->size / 4)
        capacity = p->size / 4;
    return resize(p, (uint32_t)capacity);
}

/* Something about the instruction may be wrong. */
FE_NOINLINE static void inspect(pass *p, fe_insn *insn, const uint8_t *words) {
    uint32_t word1 = fe_ops.bytes[insn->op] == 8 ? fe_u32(words + 4) : 0;
    fe_inspect(p->context, insn, fe_u32(words), word1);
}

/* The properties of the kernel that follow from the fields of a tile instruction. */
static uint32_t tile_uses(const fe_insn *insn) {
    static const uint16_t by_type[ISA_TILE_TYPES] = {
        [ISA_TILE_F16] = WAVE_USES_F16, [ISA_TILE_BF16] = WAVE_USES_BF16};
    const isa_desc *desc = &isa_table[insn->op];
    unsigned type = insn->field[isa_tile_type_field((isa_op)insn->op)];
    bool local = desc->role[ISA_FIELD_RS4] == ISA_ROLE_PLACE &&
                 !(insn->field[ISA_FIELD_RS4] & ISA_TILE_DEVICE);
    return (type < ISA_TILE_TYPES ? by_type[type] : 0u) | (local ? (uint32_t)WAVE_USES_LOCAL : 0u);
}

/* An instruction that is not ordinary or always needs inspection. */
static void examine(pass *p, fe_insn *insn, const uint8_t *words) {
    unsigned op = insn->op, flags = fe_ops.flags[op];
    uint32_t zero1 = fe_ops.zero1[op];
    if (flags & FE_OP_SCOPE)
        insn->scope = words[4] & 3;
    if ((fe_u32(words) & fe_ops.zero0[op]) || (zero1 && (fe_u32(words + 4) & zero1)) ||
        (flags & (FE_OP_SPECIAL | FE_OP_TILE)))
        inspect(p, insn, words);
    if (flags & FE_OP_TILE)
        p->uses |= tile_uses(insn);
    if (flags & FE_OP_CONTROL)
        fe_structure_step(p->structure, (uint32_t)(insn - p->insns));
}

/* Decodes from `at` up to `end`; there is room, and eight bytes can be read at every place before
 * `end`. Every instruction goes through this loop. Returns where it stopped: at `end`, or earlier
 * at an undecodable word. */
FE_NOINLINE static size_t run(pass *p, size_t at, size_t end) {
    const uint8_t *code = p->context->record->code;
    fe_insn *insn = p->insns + p->count;
    uint32_t uses = 0;
    while (at < end) {
        unsigned op = isa_by_encoding[fe_encoding(code + at)];
        uint32_t word1 = fe_u32(code + at + 4);
        fe_fill(insn, op, code + at, word1 & fe_ops.operands[op]);
        insn->imm = word1 & fe_ops.immediate[op];
        insn->pc = (uint32_t)at;
        size_t bytes = fe_ops.bytes[op];
        uses |= fe_ops.uses[op];
        if (fe_u64(code + at) & fe_ops.unusual[op]) {
            if (insn->op == ISA_NONE)
                break;
            examine(p, insn, code + at);
        }
        at += bytes;
        insn++;
    }
    p->count = (uint32_t)(insn - p->insns);
    p->uses |= uses;
    return at;
}

/* The last word of the code has no second word to read. */
static void run_last(pass *p, uint32_t at) {
    uint32_t size;
    fe_insn *insn = &p->insns[p->count];
    fe_decode_one(p->context->record->code, p->size, at, insn, &size);
    if (insn->op == ISA_NONE) {
        fe_skip_unknown(p->context, p->size, at);
        p->structure->unsure = true;
        return;
    }
    p->uses |= fe_ops.uses[insn->op];
    examine(p, insn, p->context->record->code + at);
    p->count++;
}

static bool run_all(pass *p) {
    for (uint32_t at = 0; at < p->size;) {
        if (p->count == p->capacity && !grow(p, at))
            return false;
        p->structure->insns = p->insns;
        uint32_t left = (p->size - at) / 4, room = p->capacity - p->count;
        uint32_t end = room < left ? at + room * 4 : p->size - 4;
        uint32_t stop = (uint32_t)run(p, at, end);
        if (stop < end) {
            stop = fe_skip_unknown(p->context, p->size, stop);
            p->structure->unsure = true;
        } else if (stop == p->size - 4 && p->count < p->capacity) {
            run_last(p, stop);
            stop = p->size;
        }
        at = stop;
    }
    return true;
}

/* Register numbers and extensions are checked for the kernel as a whole; single instructions are
 * examined only when something is wrong. */
static bool check_together(pass *p, fe_kernel *kernel) {
    fe_register_use use = {.named = UINT32_MAX, .undefined = UINT32_MAX};
    const fe_kernel_extras *extras = p->context->extras;
    if ((p->uses & FE_USES_EXTENSION) && !p->context->extended)
        for (uint32_t i = 0; i < p->count; i++)
            fe_inspect_extension(p->context, &p->insns[i]);
    const fe_indices *targets = &p->structure->targets;
    if (p->context->errors == 0 && !fe_find_arguments(kernel, extras ? extras->argument_words : 0,
                                                      targets->at, targets->count, &use))
        return false;
    if (extras && use.undefined != UINT32_MAX)
        fe_report(p->context,
                  p->context->options.mode == WAVE_MODE_STRICT ? WAVE_ERROR : WAVE_WARNING,
                  DIAG_W_UNDEFINED_REGISTER, NULL, NULL,
                  "r%u may be read before it is written, and is not an argument: the kernel "
                  "declares %u argument word%s",
                  (unsigned)use.undefined, (unsigned)extras->argument_words,
                  extras->argument_words == 1 ? "" : "s");
    if (use.named > kernel->register_limit)
        for (uint32_t i = 0; i < p->count; i++)
            fe_inspect_registers(p->context, &p->insns[i], kernel->register_limit);
    return true;
}

static bool load(pass *p, fe_kernel *out) {
    if (!p->structure)
        return false;
    bool ok = run_all(p);
    out->insns = p->insns;
    if (!ok)
        return false;
    fe_structure_end(p->structure, p->count);
    if (p->context->options.fix_upstream_cvt)
        fe_reverse_cvts(p->insns, p->count);
    else
        fe_look_for_upstream_cvt(p->context, p->insns, p->count);
    if (p->count && p->count < p->capacity && resize(p, p->count))
        out->insns = p->insns; /* no slack */
    out->info.instructions = p->count;
    out->info.uses = p->uses & ~(uint32_t)FE_USES_EXTENSION;
    out->info.max_depth = p->structure->max_depth;
    return check_together(p, out);
}

bool fe_load_kernel(fe_context *context, fe_kernel *out) {
    const fe_record *record = context->record;
    uint32_t limit = out->info.registers ? out->info.registers : ISA_DEFAULT_REGISTERS;
    out->register_limit = limit < ISA_MAX_REGISTERS ? limit : ISA_MAX_REGISTERS;
    out->code = record->code;
    pass p = {.context = context, .size = record->code_size & ~3u};
    p.structure = fe_structure_create(context);
    if (p.size && !load(&p, out))
        fe_report(context, WAVE_ERROR, DIAG_E_MEMORY, NULL, NULL, "out of memory");
    fe_structure_free(p.structure);
    return context->errors == 0;
}
