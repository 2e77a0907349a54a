/* The disassembly as one JSON object: kernels with their metadata, instructions with their parts.
 */
#include "asm/dis.h"

#include <string.h>

static void key_number(dis_state *d, const char *key, uint64_t value) {
    buf_text(&d->out, key);
    buf_decimal(&d->out, value);
}

void dis_json_start(dis_state *d) {
    buf_text(&d->out, "{\"extended\":");
    buf_text(&d->out, d->file.extended ? "true" : "false");
    buf_text(&d->out, ",\"stripped\":");
    buf_text(&d->out, d->file.stripped ? "true" : "false");
    dis_json_file(d);
    buf_text(&d->out, ",\"kernels\":[");
}

static void put_header(dis_state *d) {
    const fe_record *record = d->record;
    key_number(d, "{\"index\":", d->index);
    buf_text(&d->out, ",\"name\":");
    if (record->name)
        buf_json_string(&d->out, record->name);
    else
        buf_text(&d->out, "null");
    key_number(d, ",\"registers\":", record->registers);
    key_number(d, ",\"workgroup_size\":[", record->workgroup[0]);
    key_number(d, ",", record->workgroup[1]);
    key_number(d, ",", record->workgroup[2]);
    key_number(d, "],\"local_memory\":", record->local_memory);
    key_number(d, ",\"code_offset\":", record->code_offset);
    key_number(d, ",\"code_size\":", record->code_size);
    dis_json_extras(d);
    buf_text(&d->out, ",\"instructions\":[");
}

static void put_quoted(dis_state *d, const uint8_t *text, size_t length) {
    buf_char(&d->out, '"');
    buf_bytes(&d->out, text, length); /* assembly text: nothing to escape */
    buf_char(&d->out, '"');
}

static void put_words(dis_state *d, uint32_t from, uint32_t to) {
    buf_text(&d->out, ",\"words\":[");
    for (uint32_t at = from; at < to; at += 4) {
        buf_text(&d->out, at > from ? ",\"0x" : "\"0x");
        buf_hex(&d->out, dis_word(d, at), 8);
        buf_char(&d->out, '"');
    }
    buf_char(&d->out, ']');
}

/* The operands follow the mnemonic, separated by commas. */
static void put_operands(dis_state *d, const uint8_t *at, const uint8_t *end) {
    buf_text(&d->out, ",\"operands\":[");
    for (bool first = true; at < end; first = false) {
        const uint8_t *comma = memchr(at, ',', (size_t)(end - at));
        const uint8_t *stop = comma ? comma : end;
        if (!first)
            buf_char(&d->out, ',');
        put_quoted(d, at, (size_t)(stop - at));
        at = comma ? comma + 2 : end;
    }
    buf_char(&d->out, ']');
}

static void put_parts(dis_state *d, const fe_insn *insn, const buf *text) {
    const uint8_t *at = text->data, *end = at + text->size;
    buf_text(&d->out, ",\"guard\":");
    if (insn->guard) {
        const uint8_t *blank = memchr(at, ' ', text->size);
        put_quoted(d, at, (size_t)(blank - at));
        at = blank + 1;
    } else {
        buf_text(&d->out, "null");
    }
    buf_text(&d->out, ",\"mnemonic\":\"");
    buf_text(&d->out, fe_mnemonic(insn));
    buf_char(&d->out, '"');
    const uint8_t *blank = memchr(at, ' ', (size_t)(end - at));
    put_operands(d, blank ? blank + 1 : end, end);
}

static void put_instruction(dis_state *d, const fe_insn *insn, uint32_t next, buf *text) {
    text->size = 0;
    dis_put_insn(d, insn, text);
    if (text->failed)
        return;
    key_number(d, "{\"pc\":", insn->pc);
    key_number(d,
               ",\"offset\":", (uint64_t)d->file.code_offset + d->record->code_offset + insn->pc);
    if (dis_has_label(d, insn->pc)) {
        buf_text(&d->out, ",\"label\":\"");
        dis_put_label(d, insn->pc);
        buf_char(&d->out, '"');
    }
    put_words(d, insn->pc, next);
    if (insn->op == ISA_NONE)
        buf_text(&d->out, ",\"guard\":null,\"mnemonic\":null,\"operands\":[]");
    else
        put_parts(d, insn, text);
    buf_text(&d->out, ",\"text\":");
    put_quoted(d, text->data, text->size);
    buf_char(&d->out, '}');
}

void dis_json_kernel(dis_state *d) {
    buf text = {0};
    fe_insn insn;
    buf_text(&d->out, d->index ? ",\n" : "\n");
    put_header(d);
    for (uint32_t next = 0; next < d->record->code_size && !d->out.failed && !text.failed;) {
        buf_text(&d->out, next ? ",\n  " : "\n  ");
        dis_next(d, &next, &insn);
        put_instruction(d, &insn, next, &text);
    }
    buf_text(&d->out, "]}");
    d->failed |= text.failed;
    buf_free(&text);
}

void dis_json_end(dis_state *d) {
    buf_text(&d->out, "]}\n");
}
