/* The slow path of validation: checks an instruction that is not ordinary field by field and
 * reports what is wrong. validate.c decides which instructions get here. */
#include "frontend/inspect.h"
#include "frontend/ops.h"
#include "isa/tile.h"

#include <stdarg.h>
#include <string.h>

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

/* Upstream writes compare-and-swap as an add with a third source. True when this explains rs3. */
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
    if (i->desc->role[ISA_FIELD_RS4] == ISA_ROLE_PLACE &&
        i->insn->field[ISA_FIELD_RS4] > (ISA_TILE_COL | ISA_TILE_DEVICE))
        buf_text(&list, ", bits 7:2 of rs4");
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

static void inspect_predicate(instruction *i, isa_role role, unsigned value) {
    unsigned number = role == ISA_ROLE_PN ? value & ~(unsigned)FE_OPERAND_NEG : value;
    if (number >= ISA_PREDICATES)
        fe_report(i->context, WAVE_ERROR, DIAG_E_PRED_INDEX, i->insn, NULL,
                  "predicate 0x%02X does not exist", value);
    else if (number != value && !i->context->extended)
        fe_report(i->context, WAVE_ERROR, DIAG_E_EXTENSION, i->insn, NULL,
                  "a negated predicate operand is an extension");
}

static void inspect_special(instruction *i, unsigned value) {
    if (value >= ISA_SPECIAL_COUNT)
        fe_report(i->context, by_mode(i->context), DIAG_E_SPECIAL, i->insn, NULL,
                  "special register %u does not exist", value);
    else if (value >= ISA_SPECIAL_EXTENDED && !i->context->extended)
        fe_report(i->context, by_mode(i->context), DIAG_E_SPECIAL, i->insn, NULL,
                  "%s is an extension and the file does not declare any", isa_special_name[value]);
}

static void inspect_tile(instruction *i, isa_role role, unsigned value) {
    if (isa_role_is_tile(role) && value >= ISA_TILES)
        fe_report(i->context, WAVE_ERROR, DIAG_E_MODIFIER, i->insn, "tiles are t0 to t15",
                  "tile %u does not exist", value);
    else if ((role == ISA_ROLE_ABTYPE || role == ISA_ROLE_CTYPE) &&
             !isa_tile_mnemonic((isa_op)i->insn->op, value))
        fe_report(i->context, WAVE_ERROR, DIAG_E_MODIFIER, i->insn, NULL,
                  "%s has no element type %u", i->desc->mnemonic, value);
}

static void inspect_operands(instruction *i) {
    for (unsigned f = 0; f < ISA_FIELDS; f++) {
        isa_role role = (isa_role)i->desc->role[f];
        unsigned value = i->insn->field[f];
        if (isa_role_is_predicate(role))
            inspect_predicate(i, role, value);
        else if (role == ISA_ROLE_SR)
            inspect_special(i, value);
        else
            inspect_tile(i, role, value);
    }
}

void fe_inspect(fe_context *context, fe_insn *insn, uint32_t word0, uint32_t word1) {
    instruction i = {context, insn, &isa_table[insn->op], word0, word1};
    inspect_reserved(&i);
    inspect_operands(&i);
    if ((i.desc->flags & ISA_UNGUARDED) && insn->guard)
        fe_report(context, WAVE_ERROR, DIAG_E_GUARD, insn,
                  isa_is_tile((isa_op)insn->op)
                      ? "every lane of the wave must reach it: no guard, no divergent if"
                      : NULL,
                  "%s takes no guard", i.desc->mnemonic);
    if (i.desc->role[ISA_FIELD_RS4] == ISA_ROLE_PLACE)
        insn->field[ISA_FIELD_RS4] &= ISA_TILE_COL | ISA_TILE_DEVICE;
}

void fe_inspect_extension(fe_context *context, const fe_insn *insn) {
    const isa_desc *desc = &isa_table[insn->op];
    if (desc->flags & ISA_EXTENSION)
        fe_report(context, WAVE_ERROR, DIAG_E_EXTENSION, insn, NULL,
                  "%s is an extension and the file does not declare any", desc->mnemonic);
}

void fe_inspect_registers(fe_context *context, const fe_insn *insn, uint32_t limit) {
    for (unsigned f = 0; f < ISA_FIELDS; f++) {
        unsigned count = isa_role_registers((isa_role)isa_table[insn->op].role[f]);
        unsigned number = insn->field[f];
        if (count == 0 || number + count <= limit)
            continue;
        fe_report(context, by_mode(context), DIAG_E_REGISTER, insn, NULL,
                  "%sr%u does not exist: the kernel has %u registers",
                  count == 1   ? ""
                  : count == 2 ? "the pair of "
                               : "the quad of ",
                  number, limit);
    }
}

/* ---- Words that do not decode ---- */

static bool decodes(const uint8_t *code, uint32_t size, uint32_t at) {
    unsigned op = isa_by_encoding[fe_encoding(code + at)];
    return op != ISA_NONE && size - at >= fe_ops.bytes[op];
}

uint32_t fe_skip_unknown(fe_context *context, uint32_t size, uint32_t at) {
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
        buf_printf(&text, "; the next %u words do not decode either", more);
        if (!text.failed)
            memcpy(also, text.data, text.size);
        buf_free(&text);
    }
    uint8_t opcode = (uint8_t)(insn.imm >> 24);
    unsigned modifier = insn.imm >> 4 & 15;
    if (!isa_opcode_defined(opcode))
        fe_report(context, WAVE_ERROR, DIAG_E_OPCODE, &insn, NULL, "opcode 0x%02X is not defined%s",
                  opcode, also);
    else if (isa_by_encoding[fe_encoding(code + at)] == ISA_NONE)
        fe_report(context, WAVE_ERROR, DIAG_E_MODIFIER, &insn, NULL,
                  "opcode 0x%02X has no modifier %u%s", opcode, modifier, also);
    else
        fe_report(context, WAVE_ERROR, DIAG_E_TRUNCATED, &insn, NULL,
                  "the code ends inside this %s",
                  isa_table[isa_by_encoding[fe_encoding(code + at)]].mnemonic);
    return end;
}
