/* The sections of the extension table as directives that reproduce them. */
#include "asm/dis.h"
#include "asm/symbols.h"
#include "base/text.h"

#include <string.h>

enum {
    WORDS_PER_LINE = 8,
    COMPARED_NAMES = 256 /* each name is compared with all before it: bounds the quadratic cost */
};

void dis_put_quoted(buf *out, const char *text, size_t length) {
    buf_char(out, '"');
    for (size_t i = 0, n; i < length; i += n) {
        uint32_t code;
        bool hidden;
        n = text_next((const uint8_t *)text + i, length - i, &code, &hidden);
        for (size_t k = i; hidden && k < i + n; k++) {
            buf_text(out, "\\x");
            buf_hex(out, (unsigned char)text[k], 2);
        }
        if (code == '"' || code == '\\')
            buf_char(out, '\\');
        if (!hidden)
            buf_bytes(out, text + i, n);
    }
    buf_char(out, '"');
}

bool dis_is_identifier(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char c = name[i], lower = (char)(c | 0x20);
        bool digit = c >= '0' && c <= '9';
        if (!(lower >= 'a' && lower <= 'z') && c != '_' && (i == 0 || !digit))
            return false;
        if (i == 1 && digit && (name[0] == 'r' || name[0] == 'p'))
            return false; /* parses as a register */
        if (i == 1 && name[0] == 's' && c == 'r')
            return false; /* parses as a special register */
    }
    return length > 0;
}

/* ---- Constants ---- */

void dis_put_constants(dis_state *d) {
    const fe_extras *extras = &d->file.extras;
    if (!fe_has_section(extras, FE_SECTION_CNST))
        return;
    dis_put_directive(d, ".constant");
    buf_char(&d->out, '\n');
    uint32_t at = 0;
    for (uint32_t words = extras->constant_size / 4; at / 4 < words; at += 4) {
        const uint8_t *b = extras->constants + at;
        bool first = at / 4 % WORDS_PER_LINE == 0;
        if (first)
            dis_put_directive(d, "    .u32");
        buf_text(&d->out, first ? " 0x" : ", 0x");
        buf_hex(&d->out, b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24,
                8);
        if (at / 4 % WORDS_PER_LINE == WORDS_PER_LINE - 1 || at / 4 + 1 == words)
            buf_char(&d->out, '\n');
    }
    for (; at < extras->constant_size; at++) {
        dis_put_directive(d, "    .u8");
        buf_text(&d->out, " 0x");
        buf_hex(&d->out, extras->constants[at], 2);
        buf_char(&d->out, '\n');
    }
    buf_char(&d->out, '\n');
}

/* ---- Arguments ---- */

/* Whether the name can be used for the register in the text; otherwise it is quoted, as metadata
 * only. */
static bool is_usable(const dis_state *d, uint32_t index) {
    const wave_argument *list = d->extras->arguments;
    const char *name = list[index].name;
    size_t length = strlen(name);
    if (!dis_is_identifier(name, length) || asm_is_reserved_word(name, length) ||
        index >= COMPARED_NAMES)
        return false;
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(list[i].name, name) == 0)
            return false;
    return true;
}

static void put_argument(dis_state *d, const wave_argument *a, bool usable) {
    static const char *const access[] = {" unused", " in", " out", ""};
    dis_put_directive(d, ".arg");
    buf_char(&d->out, ' ');
    if (usable)
        buf_text(&d->out, a->name);
    else
        dis_put_quoted(&d->out, a->name, strlen(a->name));
    if (a->kind != WAVE_ARGUMENT_SCALAR)
        buf_text(&d->out, a->kind == WAVE_ARGUMENT_BUFFER ? " buffer" : " local");
    buf_char(&d->out, ' ');
    buf_text(&d->out, wave_type_name((wave_type)a->type));
    if (a->kind == WAVE_ARGUMENT_SCALAR && a->type == WAVE_TYPE_BYTES) {
        buf_char(&d->out, ' ');
        buf_decimal(&d->out, 4u * a->words);
    }
    if (a->kind == WAVE_ARGUMENT_BUFFER) {
        buf_text(&d->out, access[a->access]);
        if (a->flags & WAVE_ARGUMENT_RESTRICT)
            buf_text(&d->out, " restrict");
        if (a->flags & WAVE_ARGUMENT_CONTAINED)
            buf_text(&d->out, " contained");
    }
    buf_char(&d->out, '\n');
}

void dis_put_arguments(dis_state *d) {
    if (!d->extras || d->extras->argument_count == 0)
        return;
    for (uint32_t i = 0; i < d->extras->argument_count; i++)
        put_argument(d, &d->extras->arguments[i], is_usable(d, i));
}

/* ---- Names of registers ---- */

/* .reg "i" = r3 */
void dis_put_register_names(dis_state *d) {
    if (!d->extras || !d->options->source)
        return;
    for (uint32_t i = 0; i < d->extras->register_count; i++) {
        const wave_register_name *r = &d->extras->registers[i];
        dis_put_directive(d, r->predicate ? ".pred" : ".reg");
        buf_char(&d->out, ' ');
        dis_put_quoted(&d->out, r->name, strlen(r->name));
        if (r->width > 1) {
            buf_char(&d->out, ':');
            buf_decimal(&d->out, r->width);
        }
        buf_text(&d->out, r->predicate ? " = p" : " = r");
        buf_decimal(&d->out, r->number);
        buf_char(&d->out, '\n');
    }
}

/* ---- Lines and messages ---- */

enum { LONGEST_LINE = 400 };

/* The source line as a comment, if it can be read. */
static void put_source(dis_state *d, const char *file, uint32_t line) {
    const wave_dis_options *o = d->options;
    const char *text, *name = *file ? file : o->input ? o->input : "";
    size_t length;
    buf copy = {0};
    if (!o->read_line || !o->read_line(o->read_user, name, line, &text, &length))
        return;
    while (length && (*text == ' ' || *text == '\t'))
        text++, length--;
    buf_bytes(&copy, text, length < LONGEST_LINE ? length : LONGEST_LINE);
    buf_char(&copy, '\0');
    for (size_t i = 0; !copy.failed && i < copy.size; i++)
        if (copy.data[i] == '\t')
            copy.data[i] = ' ';
    buf_text(&d->out, " ; ");
    if (!copy.failed)
        text_visible(&d->out, (const char *)copy.data);
    d->failed |= copy.failed;
    buf_free(&copy);
}

void dis_put_location(dis_state *d, uint32_t offset) {
    const fe_kernel_extras *extras = d->extras;
    if (!extras || !d->options->source)
        return;
    while (d->next_line < extras->line_count && extras->lines[d->next_line].offset < offset)
        d->next_line++;
    if (d->next_line == extras->line_count || extras->lines[d->next_line].offset != offset)
        return;
    const fe_line *line = &extras->lines[d->next_line++];
    const char *file = d->file.extras.files[line->file];
    dis_put_directive(d, ".loc");
    buf_char(&d->out, ' ');
    dis_put_quoted(&d->out, file, strlen(file));
    buf_text(&d->out, ", ");
    buf_decimal(&d->out, line->line);
    if (line->column) {
        buf_text(&d->out, ", ");
        buf_decimal(&d->out, line->column);
    }
    put_source(d, file, line->line);
    buf_char(&d->out, '\n');
}

const fe_message *dis_message(const dis_state *d, const fe_insn *insn) {
    return insn->op == ISA_ASSERT ? fe_extras_message(&d->file.extras, insn->imm) : NULL;
}
