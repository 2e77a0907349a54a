/* Decoding and checking a kernel in one pass. An ordinary instruction passes a few masks computed
 * from isa.def (ops.h); anything else goes to `inspect`, which looks at it field by field and says
 * what is wrong. Nesting and calls are in structure.c. */
#include "frontend/ops.h"
#include "frontend/structure.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TOP_BITS 0x8080808080808080u

void fe_report(fe_context *context, wave_severity severity, diag_code code, const fe_insn *insn,
               const char *hint, const char *format, ...) {
    if (severity == WAVE_ERROR)
        context->errors++;
    diag_place place = DIAG_NOWHERE;
    place.kernel = context->name;
    place.hint = hint;
    buf text = {0}, message = {0};
    if (diag_has_room(context->diags)) {
        va_list args;
        va_start(args, format);
        buf_vprintf(&message, format, args);
        va_end(args);
        if (insn)
            fe_insn_text(&text, insn, NULL, context->index);
    }
    if (insn) {
        place.offset = insn->pc;
        place.text = (const char *)text.data;
        place.text_length = text.size;
    }
    diag_report_as(context->diags, severity, code, &place, "%.*s", (int)message.size,
                   message.data ? (const char *)message.data : "");
    buf_free(&text);
    buf_free(&message);
}

/* ---- The slow path: what exactly is wrong ---- */

typedef struct instruction {
    fe_context *context;
    fe_insn *insn;
    const isa_desc *desc;
    uint32_t word0, word1;
} instruction;

static wave_severity by_mode(const fe_context *context) {
    return context->options.mode == WAVE_MODE_LENIENT ? WAVE_WARNING : WAVE_ERROR;
}

static bool is_add(unsigned op) {
    return op == ISA_ATOMIC_ADD || op == ISA_LOCAL_ATOMIC_ADD;
}

/* Upstream writes compare-and-swap as an add with a third source. True when that explains rs3. */
static bool inspect_upstream_cas(instruction *i) {
    if (!is_add(i->insn->op) || i->insn->field[ISA_FIELD_RS3] == 0)
        return false;
    if (i->context->options.fix_upstream_cas) {
        i->insn->op = i->insn->op == ISA_ATOMIC_ADD ? ISA_ATOMIC_CAS : ISA_LOCAL_ATOMIC_CAS;
        i->desc = &isa_table[i->insn->op];
    } else if (i->context->options.mode == WAVE_MODE_STRICT) {
        fe_report(i->context, WAVE_ERROR, DIAG_E_RESERVED, i->insn,
                  "re-assemble, or read it with --fix-upstream-cas",
                  "rs3 is not 0: a compare-and-swap of the upstream assembler");
    } else {
        fe_report(i->context, WAVE_WARNING, DIAG_W_UPSTREAM_CAS, i->insn, NULL,
                  "an upstream compare-and-swap reads as an atomic add");
    }
    return true;
}

static void inspect_reserved(instruction *i) {
    static const char *const names[ISA_FIELDS] = {"rd", "rs1", "rs2", "rs3", "rs4"};
    bool cas = inspect_upstream_cas(i);
    buf list = {0};
    if (i->word0 & 8)
        buf_text(&list, ", bit 3 of word 0");
    for (unsigned f = 0; f < ISA_FIELDS; f++) {
        bool known = cas && f == ISA_FIELD_RS3;
        if (i->desc->role[f] == ISA_ROLE_NONE && i->insn->field[f] && !known)
            buf_printf(&list, ", %s", names[f]);
    }
    if (i->desc->words == 2 && i->desc->tail <= ISA_TAIL_SCOPE) {
        if (i->word1 & 0xFC)
            buf_text(&list, ", bits 7:2 of word 1");
        if (i->desc->tail == ISA_TAIL_NONE && i->word1 & 3)
            buf_text(&list, ", the scope");
    }
    if (list.size > 2 || list.failed) {
        bool strict = i->context->options.mode == WAVE_MODE_STRICT;
        fe_report(i->context, strict ? WAVE_ERROR : WAVE_WARNING,
                  strict ? DIAG_E_RESERVED : DIAG_W_RESERVED, i->insn, NULL,
                  "reserved bits are not 0: %.*s", list.failed ? 0 : (int)list.size - 2,
                  list.failed ? "" : (const char *)list.data + 2);
    }
    buf_free(&list);
}

static void inspect_register(instruction *i, isa_role role, unsigned number, uint32_t limit) {
    unsigned last = number + isa_role_registers(role) - 1;
    if (last < limit)
        return;
    const char *unit = last == number ? "" : last == number + 1 ? "pair " : "quad ";
    fe_report(i->context, by_mode(i->context), DIAG_E_REGISTER, i->insn, NULL,
              "register %sr%u does not exist: the kernel has %u registers", unit, number, limit);
}

static void inspect_predicate(instruction *i, isa_role role, unsigned value) {
    unsigned number = role == ISA_ROLE_PN ? value & ~(unsigned)FE_OPERAND_NEG : value;
    if (number >= ISA_PREDICATES)
        fe_report(i->context, WAVE_ERROR, DIAG_E_PRED_INDEX, i->insn, NULL,
                  "predicate number 0x%02X does not exist", value);
    else if (number != value && !i->context->extended)
        fe_report(i->context, WAVE_ERROR, DIAG_E_EXTENSION, i->insn, NULL,
                  "a negated predicate operand is an extension");
}

static void inspect_operands(instruction *i, uint32_t limit) {
    for (unsigned f = 0; f < ISA_FIELDS; f++) {
        isa_role role = (isa_role)i->desc->role[f];
        unsigned value = i->insn->field[f];
        if (isa_role_registers(role))
            inspect_register(i, role, value, limit);
        else if (role == ISA_ROLE_PW || role == ISA_ROLE_PR || role == ISA_ROLE_PN)
            inspect_predicate(i, role, value);
        else if (role == ISA_ROLE_SR && value >= ISA_SPECIAL_COUNT)
            fe_report(i->context, by_mode(i->context), DIAG_E_SPECIAL, i->insn, NULL,
                      "special register %u does not exist", value);
    }
}

static void inspect(fe_context *context, fe_insn *insn, uint32_t word0, uint32_t word1,
                    uint32_t limit) {
    instruction i = {context, insn, &isa_table[insn->op], word0, word1};
    if ((i.desc->flags & ISA_EXTENSION) && !context->extended)
        fe_report(context, WAVE_ERROR, DIAG_E_EXTENSION, insn, NULL,
                  "%s is an extension and the file does not declare any", i.desc->mnemonic);
    inspect_reserved(&i);
    inspect_operands(&i, limit);
    if ((i.desc->flags & ISA_UNGUARDED) && insn->guard)
        fe_report(context, WAVE_ERROR, DIAG_E_GUARD, insn, NULL, "%s takes no guard",
                  i.desc->mnemonic);
}

/* ---- Words that do not decode ---- */

static bool decodes(const uint8_t *code, uint32_t size, uint32_t at) {
    unsigned op = isa_by_encoding[fe_encoding(fe_u32(code + at))];
    return op != ISA_NONE && size - at >= fe_ops[op].words * 4u;
}

/* Reports the word at `at` and steps over it and all such words that follow, so that data in the
 * code gives one message and not thousands. Returns where to go on. */
static uint32_t skip_unknown(fe_context *context, uint32_t size, uint32_t at) {
    const uint8_t *code = context->record->code;
    fe_insn insn;
    uint32_t step, end = at + 4;
    fe_decode_one(code, size, at, &insn, &step);
    while (end < size && !decodes(code, size, end))
        end += 4;
    uint32_t more = (end - at) / 4 - 1;
    char also[48] = "";
    if (more && diag_has_room(context->diags)) {
        buf text = {0};
        buf_printf(&text, "; nor do the next %u words decode", more);
        if (!text.failed)
            memcpy(also, text.data, text.size);
        buf_free(&text);
    }
    uint8_t opcode = (uint8_t)(insn.imm >> 24);
    unsigned modifier = insn.imm >> 4 & 15;
    if (!isa_opcode_defined(opcode))
        fe_report(context, WAVE_ERROR, DIAG_E_OPCODE, &insn, NULL, "opcode 0x%02X is not defined%s",
                  opcode, also);
    else if (isa_by_encoding[fe_encoding(insn.imm)] == ISA_NONE)
        fe_report(context, WAVE_ERROR, DIAG_E_MODIFIER, &insn, NULL,
                  "opcode 0x%02X has no modifier %u%s", opcode, modifier, also);
    else
        fe_report(context, WAVE_ERROR, DIAG_E_TRUNCATED, &insn, NULL,
                  "the code ends inside this %s",
                  isa_table[isa_by_encoding[fe_encoding(insn.imm)]].mnemonic);
    return end;
}

/* ---- The pass ---- */

typedef struct pass {
    fe_context *context;
    fe_structure *structure;
    fe_insn *insns;
    uint32_t size, limit;
    uint32_t count; /* decoded */
    uint32_t uses;
    bool suspicious; /* nothing is ordinary: very small register limits */
} pass;

/* True when some byte of a + b does not fit 8 bits. */
static inline bool any_carry(uint64_t a, uint64_t b) {
    uint64_t sum = ((a & ~TOP_BITS) + (b & ~TOP_BITS)) ^ ((a ^ b) & TOP_BITS);
    return (((a & b) | ((a | b) & ~sum)) & TOP_BITS) != 0;
}

static void run(pass *p) {
    const uint8_t *code = p->context->record->code;
    const uint64_t missing = ISA_MAX_REGISTERS - p->limit; /* register numbers that do not exist */
    const bool extended = p->context->extended;
    uint32_t size = p->size, count = 0, uses = 0;
    for (uint32_t at = 0; at < size;) {
        uint32_t word0 = fe_u32(code + at);
        unsigned op = isa_by_encoding[fe_encoding(word0)];
        const fe_op *info = &fe_ops[op];
        uint32_t bytes = info->words * 4u, word1 = 0;
        if (op == ISA_NONE || size - at < bytes) {
            at = skip_unknown(p->context, size, at);
            p->structure->unsure = true;
            continue;
        }
        if (bytes == 8)
            word1 = fe_u32(code + at + 4);
        fe_insn *insn = &p->insns[count];
        uint64_t packed = fe_pack(op, word0, word1 & info->operands1);
        fe_unpack(insn, packed);
        insn->imm = info->immediate ? word1 : 0;
        insn->pc = at;
        uses |= info->uses;
        if ((word0 & info->zero0) | (word1 & info->zero1) | p->suspicious |
            (info->extension & !extended) |
            any_carry(packed, info->registers * missing + info->excess))
            inspect(p->context, insn, word0, word1, p->limit);
        if (info->control)
            fe_structure_step(p->structure, count);
        at += bytes;
        count++;
    }
    p->count = count;
    p->uses = uses;
}

static void out_of_memory(fe_context *context) {
    fe_report(context, WAVE_ERROR, DIAG_E_MEMORY, NULL, NULL, "no memory for the kernel's code");
}

bool fe_load_kernel(fe_context *context, arena *memory, fe_kernel *out) {
    const fe_record *record = context->record;
    uint32_t declared = record->registers ? record->registers : ISA_DEFAULT_REGISTERS;
    pass p = {.context = context, .size = record->code_size & ~3u};
    p.limit = declared < ISA_MAX_REGISTERS ? declared : ISA_MAX_REGISTERS;
    p.suspicious = p.limit < 4; /* a quad's excess would wrap its byte */
    uint32_t count = fe_count(record->code, p.size);
    p.insns = arena_alloc(memory, (size_t)count * sizeof *p.insns);
    p.structure = calloc(1, sizeof *p.structure);
    if (!p.insns || !p.structure) {
        free(p.structure);
        out_of_memory(context);
        return false;
    }
    p.structure->context = context;
    p.structure->insns = p.insns;
    run(&p);
    fe_structure_end(p.structure, p.count);
    out->insns = p.insns;
    out->code = record->code;
    out->register_limit = p.limit;
    out->info.instructions = p.count;
    out->info.uses = p.uses;
    out->info.max_depth = p.structure->max_depth;
    free(p.structure);
    if (context->errors)
        return false;
    if (fe_find_arguments(out))
        return true;
    out_of_memory(context);
    return false;
}
