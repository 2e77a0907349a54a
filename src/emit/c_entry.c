/* The start of a kernel, from a target's tables: parameters, and the values that are computed
 * before the code.
 *
 *   {C_MEM, "@it [[buffer(0)]]"}                   device uchar *mem [[buffer(0)]]
 *   {LANE_ID, C_IF_LINE, 0, "threadIdx.x & @last"}  const uint32_t lane = threadIdx.x & 31u; */
#include "emit/c_printer.h"

#include <string.h>

/* ---- Words ---- */

static void put_threads(const c_printer *p, buf *out) {
    if (p->f->workgroup[0])
        c_u32(out, emit_group_threads(p->f));
    else
        buf_text(out, p->t->threads);
}

/* A word that does not depend on a parameter. */
static void put_number(const c_printer *p, const char *word, size_t length, buf *out) {
    const uint32_t *group = p->f->workgroup;
    if (c_is_word(word, length, "symbol"))
        buf_text(out, p->o->symbol);
    else if (c_is_word(word, length, "threads"))
        put_threads(p, out);
    else if (c_is_word(word, length, "width"))
        c_u32(out, p->f->wave_width);
    else if (c_is_word(word, length, "last"))
        c_u32(out, p->f->wave_width - 1);
    else if (c_is_word(word, length, "bytes"))
        buf_decimal(out, p->f->local_memory);
    else
        c_u32(out, c_is_word(word, length, "x")   ? group[0]
                   : c_is_word(word, length, "y") ? group[1]
                                                  : group[0] * group[1]);
}

void c_put_parameter(const c_printer *p, unsigned name, const char *text, buf *out) {
    const c_entry *entry = &p->t->names[name];
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length) {
        if (c_is_word(text, length, "it"))
            c_parameter(p, entry->type, entry->name, out);
        else if (!c_is_word(text, length, "name"))
            put_number(p, text, length, out);
        else if (c_refers_to(p, (c_name)name))
            buf_text(out, entry->name);
        else
            out->size -= out->size && out->data[out->size - 1] == ' ';
    }
}

void c_put_parameters(const c_printer *p, const c_parameter_row *rows, const char *before,
                      const char *between, buf *out) {
    for (; rows->text; rows++) {
        bool own = rows->name >= C_OWN;
        if (own ? !c_refers_to(p, (c_name)rows->name) : !c_is_passed(p, rows->name))
            continue;
        buf_text(out, before);
        c_put_parameter(p, rows->name, rows->text, out);
        before = between;
    }
}

/* ---- Values ---- */

/* The rows that apply, one bit each: the first one for each name whose conditions hold. */
static uint64_t find_rows(const c_printer *p) {
    const uint32_t *group = p->f->workgroup;
    bool waves = p->o->uses & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER);
    unsigned holds = (waves ? C_IF_WAVES : C_IF_NO_WAVES) | (group[0] ? C_IF_FIXED : 0u) |
                     (group[2] == 1 ? C_IF_PLANE : 0u) |
                     (group[1] == 1 && group[2] == 1 ? C_IF_LINE : 0u);
    uint64_t rows = 0, names = 0;
    const c_value *row = p->t->values;
    for (unsigned k = 0; row[k].text; k++) {
        if ((row[k].when & ~holds) || (names & C_BIT(row[k].name)))
            continue;
        names |= C_BIT(row[k].name);
        rows |= (uint64_t)1 << k;
    }
    return rows;
}

/* A row refers only to names of earlier ones, so one walk from the last to the first finds all the
 * rows that are needed. */
void c_find_values(c_printer *p) {
    const c_value *row = p->t->values;
    bool fixed = p->f->workgroup[0] != 0;
    uint64_t rows = find_rows(p);
    for (unsigned k = 64; k-- > 0;)
        if ((rows >> k & 1) && c_refers_to(p, (c_name)row[k].name))
            c_need_names(p,
                         row[k].needs |
                             (!fixed && strstr(row[k].text, "@threads") ? p->t->threads_need : 0));
}

void c_put_values(const c_printer *p, buf *out) {
    const c_value *row = p->t->values;
    uint64_t rows = find_rows(p);
    for (unsigned k = 0; row[k].text; k++) {
        const c_entry *entry = &p->t->names[row[k].name];
        if (!(rows >> k & 1) || !c_refers_to(p, (c_name)row[k].name))
            continue;
        buf_text(out, "    const ");
        c_parameter(p, entry->type, entry->name, out);
        buf_text(out, " = ");
        c_put_parameter(p, row[k].name, row[k].text, out);
        buf_text(out, ";\n");
    }
}
