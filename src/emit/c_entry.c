/* The text around a kernel's code, from a target's tables: parameters, entries, and the values that
 * are computed before the code.
 *
 *   {0, "kernel void @symbol(@parameters) {\n"}     kernel void vadd(device uchar *mem) {
 *   {C_MEM, 0, {"@it [[buffer(0)]]"}}               device uchar *mem [[buffer(0)]]
 *   {LANE_ID, C_IF_LINE, 0, "threadIdx.x & @last"}  const uint32_t lane = threadIdx.x & 31u; */
#include "emit/c_printer.h"

#include <ctype.h>
#include <string.h>

/* ---- Conditions ---- */

/* Those that hold for the kernel. */
static unsigned find_conditions(const c_printer *p) {
    const uint32_t *group = p->f->workgroup;
    bool waves = p->o->uses & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER);
    return (waves ? C_IF_WAVES : C_IF_NO_WAVES) | (group[0] ? C_IF_FIXED : C_IF_NOT_FIXED) |
           (group[2] == 1 ? C_IF_PLANE : 0u) | (group[1] == 1 && group[2] == 1 ? C_IF_LINE : 0u);
}

/* ---- Words ---- */

enum { MOST_THREADS = 1024 };

static uint32_t find_number(const c_printer *p, const char *word, size_t length) {
    const ir_func *f = p->f;
    const uint32_t *group = f->workgroup, threads = emit_group_threads(f);
    const struct {
        const char *word;
        uint32_t number;
    } numbers[] = {
        {"width", f->wave_width},
        {"last", f->wave_width - 1},
        {"bytes", f->local_memory},
        {"threads", threads},
        {"most", threads ? threads : MOST_THREADS},
        {"x", group[0]},
        {"y", group[1]},
        {"z", group[2]},
        {"xy", group[0] * group[1]},
    };
    for (unsigned k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (c_is_word(word, length, numbers[k].word))
            return numbers[k].number;
    return 0;
}

/* A word that does not depend on a parameter. */
static void put_word(const c_printer *p, const char *word, size_t length, buf *out) {
    if (c_is_word(word, length, "symbol"))
        buf_text(out, p->o->symbol);
    else
        buf_decimal(out, find_number(p, word, length));
}

/* ---- Parameters ---- */

/* With a blank after the name of a type. */
static void put_name(const c_printer *p, unsigned name, buf *out) {
    char before = out->size ? (char)out->data[out->size - 1] : ' ';
    if (!c_refers_to(p, (c_name)name))
        return;
    if (before == '>' || before == '_' || isalnum((unsigned char)before))
        buf_char(out, ' ');
    buf_text(out, p->t->names[name].name);
}

static void put_parameter(const c_printer *p, unsigned name, const char *text, buf *out) {
    const c_entry *entry = &p->t->names[name];
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length) {
        if (c_is_word(text, length, "it"))
            c_parameter(p, entry->type, entry->name, out);
        else if (c_is_word(text, length, "name"))
            put_name(p, name, out);
        else
            put_word(p, text, length, out);
    }
}

/* Whether a row applies in a list whose conditions are `when`. */
static bool is_in_list(const c_printer *p, const c_parameter_row *row, unsigned when) {
    bool used = c_refers_to(p, (c_name)row->name);
    unsigned holds = find_conditions(p) | (used ? C_IF_USED : C_IF_UNUSED);
    return !((row->when | when) & ~holds) && (row->name >= C_OWN || c_is_passed(p, row->name));
}

static void put_list(const c_printer *p, unsigned index, buf *out) {
    const c_list *list = &p->t->lists[index];
    const char *between = "";
    for (const c_parameter_row *row = p->t->parameters; row->texts[0]; row++) {
        if (!row->texts[index] || !is_in_list(p, row, list->when))
            continue;
        buf_text(out, between);
        put_parameter(p, row->name, row->texts[index], out);
        between = list->between;
    }
}

/* ---- The text around the code ---- */

/* False: the word is not a list. */
static bool put_list_word(const c_printer *p, const char *word, size_t length, buf *out) {
    for (unsigned k = 0; p->t->lists[k].word; k++) {
        if (!c_is_word(word, length, p->t->lists[k].word))
            continue;
        put_list(p, k, out);
        return true;
    }
    return false;
}

void c_put_text(const c_printer *p, const c_text *rows, buf *out) {
    unsigned holds = find_conditions(p);
    for (; rows && rows->text; rows++) {
        const char *text = rows->text;
        if (rows->when & ~holds)
            continue;
        for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length)
            if (!put_list_word(p, text, length, out))
                put_word(p, text, length, out);
    }
}

/* ---- Values ---- */

/* The rows that apply, one bit each: the first one for each name whose conditions hold. */
static uint64_t find_rows(const c_printer *p) {
    unsigned holds = find_conditions(p);
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

static void put_value(const c_printer *p, const char *text, buf *out) {
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length) {
        if (!p->f->workgroup[0] && c_is_word(text, length, "threads"))
            buf_text(out, p->t->threads);
        else
            c_u32(out, find_number(p, text, length));
    }
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
        put_value(p, row[k].text, out);
        buf_text(out, ";\n");
    }
}
