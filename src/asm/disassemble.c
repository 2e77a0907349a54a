/* wave_disassemble: a WBIN file as text that assembles to the same file. Decodes word by word, so
 * that files rejected by the validator can still be inspected. The text of one instruction comes
 * from the frontend (text.c), JSON is in dis_json.c. */
#include "asm/dis.h"

#include "base/text.h"
#include "frontend/inspect.h"

#include <string.h>

/* ---- Decoding ---- */

static const char *kernel_name(const dis_state *d) {
    return d->record->name ? d->record->name : "";
}

static void report_unknown(dis_state *d, const fe_insn *insn) {
    uint32_t word = dis_word(d, insn->pc);
    diag_place place = DIAG_NOWHERE;
    place.kernel = kernel_name(d);
    place.offset = insn->pc;
    unsigned opcode = word >> 24, modifier = word >> 4 & 15;
    d->unknown++;
    if (!isa_opcode_defined((uint8_t)opcode))
        diag_report(d->diags, DIAG_E_OPCODE, &place, "opcode 0x%02X is not defined", opcode);
    else if (isa_by_encoding[opcode << 4 | modifier] == ISA_NONE)
        diag_report(d->diags, DIAG_E_MODIFIER, &place,
                    "modifier %u of opcode 0x%02X is not defined", modifier, opcode);
    else
        diag_report(d->diags, DIAG_E_TRUNCATED, &place, "the kernel ends inside an instruction");
}

/* Upstream writes compare-and-swap as an add with a third source, which an add never has. */
static void check_cas(dis_state *d, fe_insn *insn) {
    uint8_t desired = d->record->code[insn->pc + 6];
    if (desired == 0)
        return;
    if (d->options->load.fix_upstream_cas) {
        insn->op = insn->op == ISA_ATOMIC_ADD ? ISA_ATOMIC_CAS : ISA_LOCAL_ATOMIC_CAS;
        insn->field[ISA_FIELD_RS3] = desired;
        return;
    }
    diag_place place = DIAG_NOWHERE;
    place.kernel = kernel_name(d);
    place.offset = insn->pc;
    diag_report(d->diags, DIAG_W_UPSTREAM_CAS, &place,
                "this atomic add looks like upstream's compare-and-swap");
}

void dis_next(dis_state *d, uint32_t *offset, fe_insn *insn) {
    uint32_t size;
    fe_decode_one(d->record->code, d->record->code_size, *offset, insn, &size);
    if (insn->op == ISA_NONE)
        report_unknown(d, insn);
    else if (insn->op == ISA_ATOMIC_ADD || insn->op == ISA_LOCAL_ATOMIC_ADD)
        check_cas(d, insn);
    if (d->options->load.fix_upstream_cvt)
        insn->op = (uint16_t)fe_reversed_cvt(insn->op);
    *offset += size;
}

/* ---- Labels ---- */

static bool bit_at(const uint32_t *bits, uint32_t offset) {
    return bits[offset / 128] >> (offset / 4 % 32) & 1;
}

static void set_bit(uint32_t *bits, uint32_t offset) {
    bits[offset / 128] |= UINT32_C(1) << (offset / 4 % 32);
}

bool dis_has_label(const dis_state *d, uint32_t offset) {
    return d->labels && offset <= d->record->code_size && offset % 4 == 0 &&
           bit_at(d->labels, offset);
}

/* First marks the words that calls target, then which of them start an instruction. */
static bool find_labels(dis_state *d) {
    const uint32_t size = d->record->code_size;
    const size_t words = size / 128 + 1;
    fe_insn insn;
    uint32_t step;
    d->targets = NULL;
    d->labels = NULL;
    for (uint32_t at = 0; at < size; at += step) {
        fe_decode_one(d->record->code, size, at, &insn, &step);
        if (insn.op != ISA_CALL || insn.imm > size || insn.imm % 4)
            continue;
        if (!d->targets)
            d->targets = arena_alloc(&d->memory, words * sizeof *d->targets);
        if (!d->targets)
            return false;
        set_bit(d->targets, insn.imm);
    }
    if (!d->targets)
        return true;
    d->labels = arena_alloc(&d->memory, words * sizeof *d->labels);
    if (!d->labels)
        return false;
    for (uint32_t at = 0; at < size; at += step) {
        fe_decode_one(d->record->code, size, at, &insn, &step);
        if (bit_at(d->targets, at))
            set_bit(d->labels, at);
    }
    if (bit_at(d->targets, size))
        set_bit(d->labels, size);
    return true;
}

void dis_put_label(dis_state *d, uint32_t offset) {
    buf_text(&d->out, "loc_");
    buf_decimal(&d->out, d->index);
    buf_char(&d->out, '_');
    buf_hex(&d->out, offset, 4);
}

/* [@p1 ]assert p1, 7 becomes [@p1 ].assert p1, 7, "text". */
static void put_message(dis_state *d, const fe_message *message, size_t start, buf *to) {
    if (to->failed || d->options->json)
        return;
    const uint8_t *word = to->data + start;
    while (*word != 'a') /* the start of the mnemonic: a guard contains no a */
        word++;
    size_t at = (size_t)(word - to->data), rest = to->size - at;
    buf_char(to, ' ');
    if (to->failed)
        return;
    memmove(to->data + at + 1, to->data + at, rest);
    to->data[at] = '.';
    buf_text(to, ", ");
    dis_put_quoted(to, message->text, message->length);
}

void dis_put_insn(dis_state *d, const fe_insn *insn, buf *to) {
    size_t start = to->size;
    fe_insn_text(to, insn, NULL, d->index);
    const fe_message *message = dis_message(d, insn);
    if (message)
        put_message(d, message, start, to);
    if (insn->op != ISA_CALL || dis_has_label(d, insn->imm) || to->failed)
        return;
    /* No label is possible at the target: prints its offset instead. */
    while (to->size > start && to->data[to->size - 1] != ' ')
        to->size--;
    buf_text(to, "0x");
    buf_hex(to, insn->imm, 1);
}

/* ---- Text ---- */

typedef enum ink { INK_DIRECTIVE, INK_LABEL, INK_GUARD, INK_MNEMONIC, INK_ADDRESS, INK_BAD } ink;

static void color(dis_state *d, ink which) {
    static const char *const codes[] = {"\033[35m", "\033[33m", "\033[36m",
                                        "\033[1m",  "\033[2m",  "\033[31m"};
    if (d->options->color)
        buf_text(&d->out, codes[which]);
}

static void color_off(dis_state *d) {
    if (d->options->color)
        buf_text(&d->out, "\033[0m");
}

static void put_name(dis_state *d) {
    const char *name = d->record->name;
    size_t length = d->record->name_length;
    buf_char(&d->out, ' ');
    if (dis_is_identifier(name, length))
        buf_bytes(&d->out, name, length);
    else
        dis_put_quoted(&d->out, name, length);
}

void dis_put_directive(dis_state *d, const char *name) {
    color(d, INK_DIRECTIVE);
    buf_text(&d->out, name);
    color_off(d);
}

static void put_setting(dis_state *d, const char *name, const uint32_t *values, size_t count) {
    dis_put_directive(d, name);
    for (size_t i = 0; i < count; i++) {
        buf_text(&d->out, i ? ", " : " ");
        buf_decimal(&d->out, values[i]);
    }
    buf_char(&d->out, '\n');
}

static void put_header(dis_state *d) {
    const fe_record *record = d->record;
    dis_put_directive(d, ".kernel");
    if (record->name)
        put_name(d);
    buf_char(&d->out, '\n');
    put_setting(d, ".registers", &record->registers, 1);
    if (record->workgroup[0] || record->workgroup[1] || record->workgroup[2])
        put_setting(d, ".workgroup_size", record->workgroup, 3);
    if (record->local_memory)
        put_setting(d, ".local_memory", &record->local_memory, 1);
    if (fe_has_section(&d->file.extras, FE_SECTION_PRIV))
        put_setting(d, ".private_memory", &d->extras->private_memory, 1);
    dis_put_arguments(d);
    dis_put_register_names(d);
}

static void put_label_line(dis_state *d, uint32_t offset) {
    color(d, INK_LABEL);
    dis_put_label(d, offset);
    buf_char(&d->out, ':');
    color_off(d);
    buf_char(&d->out, '\n');
}

static void put_prefix(dis_state *d, const fe_insn *insn) {
    color(d, INK_ADDRESS);
    if (d->options->file_offsets) {
        buf_text(&d->out, "0x");
        buf_hex(&d->out, (uint64_t)d->file.code_offset + d->record->code_offset + insn->pc, 4);
        buf_text(&d->out, ": ");
    }
    if (d->options->offsets) {
        buf_text(&d->out, "0x");
        buf_hex(&d->out, insn->pc, 4);
        buf_text(&d->out, ": ");
    }
    if (d->options->raw) {
        buf_hex(&d->out, dis_word(d, insn->pc), 8);
        buf_text(&d->out, "  ");
    }
    color_off(d);
}

/* The instruction's text again, with colours between its parts. */
static void put_colored(dis_state *d, const fe_insn *insn, buf *scratch) {
    scratch->size = 0;
    dis_put_insn(d, insn, scratch);
    if (scratch->failed)
        return;
    const uint8_t *at = scratch->data, *end = at + scratch->size;
    if (insn->guard && insn->op != ISA_NONE) {
        const uint8_t *blank = memchr(at, ' ', (size_t)(end - at));
        color(d, INK_GUARD);
        buf_bytes(&d->out, at, (size_t)(blank + 1 - at));
        color_off(d);
        at = blank + 1;
    }
    const uint8_t *blank = memchr(at, ' ', (size_t)(end - at));
    const uint8_t *stop = blank ? blank : end;
    color(d, insn->op == ISA_NONE ? INK_BAD : INK_MNEMONIC);
    buf_bytes(&d->out, at, (size_t)(stop - at));
    color_off(d);
    buf_bytes(&d->out, stop, (size_t)(end - stop));
}

static void put_second_word(dis_state *d, const fe_insn *insn) {
    buf_fill(&d->out, ' ', 8);
    color(d, INK_ADDRESS);
    buf_hex(&d->out, dis_word(d, insn->pc + 4), 8);
    color_off(d);
    buf_char(&d->out, '\n');
}

static void put_kernel(dis_state *d) {
    buf scratch = {0};
    fe_insn insn;
    bool prefixed = d->options->offsets || d->options->file_offsets || d->options->raw;
    put_header(d);
    for (uint32_t next = 0; next < d->record->code_size && !d->out.failed;) {
        if (d->labels && dis_has_label(d, next))
            put_label_line(d, next);
        dis_put_location(d, next);
        dis_next(d, &next, &insn);
        buf_bytes(&d->out, "    ", 4);
        if (prefixed)
            put_prefix(d, &insn);
        if (d->options->color)
            put_colored(d, &insn, &scratch);
        else
            dis_put_insn(d, &insn, &d->out);
        buf_char(&d->out, '\n');
        if (d->options->raw && next - insn.pc == 8)
            put_second_word(d, &insn);
    }
    if (dis_has_label(d, d->record->code_size))
        put_label_line(d, d->record->code_size);
    dis_put_directive(d, ".end");
    buf_char(&d->out, '\n');
    d->failed |= scratch.failed;
    buf_free(&scratch);
}

/* ---- The whole file ---- */

static void put_file(dis_state *d) {
    if (d->options->json)
        dis_json_start(d);
    else
        dis_put_constants(d);
    for (size_t i = 0; i < d->file.record_count && !d->failed; i++) {
        d->record = &d->file.records[i];
        d->index = (unsigned)i;
        d->extras = d->file.extras.kernels ? &d->file.extras.kernels[i] : NULL;
        d->next_line = 0;
        if (!find_labels(d))
            d->failed = true;
        else if (d->options->json)
            dis_json_kernel(d);
        else
            put_kernel(d);
        if (!d->options->json && i + 1 < d->file.record_count)
            buf_char(&d->out, '\n');
    }
    if (d->options->json)
        dis_json_end(d);
}

wave_status wave_disassemble(const void *data, size_t size, const wave_dis_options *options,
                             wave_blob *out, wave_diags *diags) {
    static const wave_dis_options defaults = {0};
    if (!out)
        return WAVE_ERROR_USAGE;
    *out = (wave_blob){0};
    if (!data && size > 0)
        return WAVE_ERROR_USAGE;
    dis_state d = {.options = options ? options : &defaults, .diags = diags};
    diag_scope scope;
    wave_status status = WAVE_ERROR_INPUT;
    diags = d.diags = diag_begin(&scope, diags);
    if (fe_read_container(data ? data : "", size, &d.options->load, &d.memory, &d.file, diags)) {
        put_file(&d);
        if (d.failed)
            d.out.failed = true;
        status = buf_take(&d.out, out);
        if (status == WAVE_ERROR_MEMORY)
            diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "out of memory");
        else if (d.unknown > 0)
            status = WAVE_ERROR_INPUT;
    }
    buf_free(&d.out);
    arena_free(&d.memory);
    return diag_end(&scope, status);
}
