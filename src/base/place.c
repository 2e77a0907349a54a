/* See place.h. */
#include "base/place.h"

#include "base/text.h"

const char *place_file(const place *p) {
    return p->line && p->file && *p->file ? p->file : p->input;
}

static void put_offset(buf *out, const place *p) {
    text_visible(out, *p->kernel ? p->kernel : "(anonymous)");
    if (p->offset >= 0)
        buf_printf(out, "+0x%02llx", (unsigned long long)p->offset);
}

void place_head(buf *out, const place *p) {
    text_visible(out, place_file(p));
    if (p->line) {
        buf_char(out, ':');
        buf_decimal(out, p->line);
        if (p->column) {
            buf_char(out, ':');
            buf_decimal(out, p->column);
        }
    } else if (p->kernel) {
        buf_char(out, ':');
        put_offset(out, p);
    } else if (p->offset >= 0) {
        buf_printf(out, ":0x%02llx", (unsigned long long)p->offset);
    }
}

bool place_tail(buf *out, const place *p) {
    if (!p->line || !p->kernel)
        return false;
    put_offset(out, p);
    return true;
}

void place_text(buf *out, const place *p) {
    place_head(out, p);
    size_t head = out->size;
    buf_text(out, " (");
    if (place_tail(out, p))
        buf_char(out, ')');
    else if (!out->failed)
        out->size = head;
}
