/* The sections of the extension table in the JSON of the disassembler. Absent sections are omitted,
 * except in the list of sections. */
#include "asm/dis.h"

static void open_list(dis_state *d, const char *name) {
    buf_text(&d->out, ",\"");
    buf_text(&d->out, name);
    buf_text(&d->out, "\":[");
}

static void put_tags(dis_state *d) {
    const char *separator = "\"";
    open_list(d, "sections");
    for (fe_section which = FE_SECTION_ARGS; which < FE_SECTION_COUNT; which++) {
        if (!fe_has_section(&d->file.extras, which))
            continue;
        buf_text(&d->out, separator);
        buf_text(&d->out, fe_section_tag[which]);
        buf_char(&d->out, '"');
        separator = ",\"";
    }
    buf_char(&d->out, ']');
}

static void put_messages(dis_state *d) {
    const fe_extras *extras = &d->file.extras;
    open_list(d, "messages");
    for (uint32_t k = 0; k < extras->message_count; k++) {
        const fe_message *m = &extras->messages[k];
        buf_printf(&d->out, "%s{\"id\":%u,\"text\":", k ? "," : "", (unsigned)m->id);
        buf_json_bytes(&d->out, m->text, m->length);
        buf_char(&d->out, '}');
    }
    buf_char(&d->out, ']');
}

void dis_json_file(dis_state *d) {
    const fe_extras *extras = &d->file.extras;
    put_tags(d);
    if (fe_has_section(extras, FE_SECTION_TEXT))
        put_messages(d);
    if (!fe_has_section(extras, FE_SECTION_CNST))
        return;
    buf_text(&d->out, ",\"constants\":\"");
    for (uint32_t k = 0; k < extras->constant_size; k++)
        buf_hex(&d->out, extras->constants[k], 2);
    buf_char(&d->out, '"');
}

static void put_arguments(dis_state *d) {
    open_list(d, "arguments");
    for (uint32_t k = 0; k < d->extras->argument_count; k++) {
        buf_text(&d->out, k ? ",\n  " : "\n  ");
        fe_argument_json(&d->extras->arguments[k], &d->out);
    }
    buf_char(&d->out, ']');
}

static void put_lines(dis_state *d) {
    open_list(d, "lines");
    for (uint32_t k = 0; k < d->extras->line_count; k++) {
        const fe_line *line = &d->extras->lines[k];
        buf_printf(&d->out, "%s{\"pc\":%u,\"file\":", k ? ",\n  " : "\n  ", (unsigned)line->offset);
        buf_json_string(&d->out, d->file.extras.files[line->file]);
        buf_printf(&d->out, ",\"line\":%u,\"column\":%u}", (unsigned)line->line, line->column);
    }
    buf_char(&d->out, ']');
}

static void put_names(dis_state *d) {
    open_list(d, "names");
    for (uint32_t k = 0; k < d->extras->register_count; k++) {
        const wave_register_name *r = &d->extras->registers[k];
        buf_text(&d->out, k ? ",{\"name\":" : "{\"name\":");
        buf_json_string(&d->out, r->name);
        buf_printf(&d->out, ",\"register\":\"%c%u\",\"width\":%u}", r->predicate ? 'p' : 'r',
                   r->number, r->width);
    }
    buf_char(&d->out, ']');
}

void dis_json_extras(dis_state *d) {
    const fe_extras *extras = &d->file.extras;
    if (!d->extras)
        return;
    if (fe_has_section(extras, FE_SECTION_PRIV))
        buf_printf(&d->out, ",\"private_memory\":%u", (unsigned)d->extras->private_memory);
    if (fe_has_section(extras, FE_SECTION_ARGS))
        put_arguments(d);
    if (fe_has_section(extras, FE_SECTION_REGS))
        put_names(d);
    if (fe_has_section(extras, FE_SECTION_LINE))
        put_lines(d);
}
