/* --source: comments between the instructions that say which line they come from. */
#include "asm/dis.h"

#include "base/place.h"
#include "base/text.h"

#include <string.h>

enum { LONGEST_LINE = 400 };

static void put_text(dis_state *d, const char *text, size_t length) {
    buf line = {0};
    buf_bytes(&line, text, length < LONGEST_LINE ? length : LONGEST_LINE);
    buf_char(&line, '\0');
    for (size_t i = 0; !line.failed && i < line.size; i++)
        if (line.data[i] == '\t')
            line.data[i] = ' ';
    if (!line.failed)
        text_visible(&d->out, (const char *)line.data);
    d->failed |= line.failed;
    buf_free(&line);
}

void dis_put_source(dis_state *d, uint32_t offset) {
    wave_source_place at;
    const wave_dis_options *o = d->options;
    const fe_extras *extras = &d->file.extras;
    if (!extras->kernels || !fe_extras_source(extras, &extras->kernels[d->index], offset, &at) ||
        !at.line)
        return;
    if (at.line == d->place.line && strcmp(at.file, d->place.file) == 0)
        return;
    d->place = at;
    const place where = {
        .input = o->input ? o->input : "", .file = at.file, .line = at.line, .offset = -1};
    const char *text;
    size_t length;
    buf_text(&d->out, "; ");
    place_head(&d->out, &where);
    if (o->read_line && o->read_line(o->read_user, place_file(&where), at.line, &text, &length)) {
        buf_text(&d->out, " | ");
        put_text(d, text, length);
    }
    buf_char(&d->out, '\n');
}
