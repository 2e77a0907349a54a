/* The text around a kernel's code, and the comment at the top of a file. The code is printed first,
 * because only then are the names, variables and helpers that it needs known. */
#include "emit/c_printer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Comments in the output ---- */

void c_print_title(const emit_options *o, const emit_arch *arch, buf *out) {
    buf_printf(out, "// WAVE kernels for %s, %u lanes to a wave", arch->name, o->wave_width);
    emit_put_source(o, out);
    buf_text(out, "//\n");
}

static void put_symbol_text(const c_printer *p, const char *text, size_t length, buf *out) {
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '%')
            buf_text(out, p->o->symbol);
        else
            buf_char(out, text[k]);
    }
}

void c_symbol_text(const c_printer *p, const char *text, buf *out) {
    put_symbol_text(p, text, strlen(text), out);
}

void c_parameter(const c_printer *p, const char *type, const char *name, buf *out) {
    size_t length = strlen(type);
    bool blank = length && type[length - 1] == ' ' && !name;
    put_symbol_text(p, type, length - blank, out);
    buf_text(out, name ? name : "");
}

bool c_refers_to(const c_printer *p, c_name name) {
    return p->part->names >> name & 1;
}

bool c_is_passed(const c_printer *p, unsigned name) {
    switch (name) {
    case C_MEM: return true;
    case C_ARGS: return p->f->arg_words != 0;
    case C_LOCAL: return !p->t->local_array && p->f->local_memory;
    case C_SIZE: return p->o->bounds;
    case C_STATUS:
        return emit_has_status(p->o) && (!p->t->status_if_used || c_refers_to(p, C_STATUS));
    default: return false;
    }
}

/* The launch contract. */
static void put_contract(c_printer *p, buf *out) {
    const ir_func *f = p->f;
    emit_put_kernel_name(f, p->o, out);
    buf_text(out, "//   mem: the arena, which device addresses are offsets into\n");
    if (f->arg_words == 1)
        buf_text(out, "//   args: the first register\n");
    else if (f->arg_words)
        buf_printf(out, "//   args: the first %u registers\n", f->arg_words);
    if (p->o->bounds)
        buf_text(out, "//   mem_size: bytes in the arena; accesses past it do nothing\n");
    emit_put_workgroup(f, out);
    if (f->local_memory)
        buf_printf(out, "//   local memory: %u bytes\n", f->local_memory);
    if (c_is_passed(p, C_STATUS))
        buf_text(out,
                 "//   status: two words, 0; after the first assert that fails 1 and its number\n");
    c_put_text(p, p->t->contract, out);
}

/* ---- The structures ---- */

static void put_arguments(const c_printer *p, buf *out) {
    if (p->o->arguments.count) {
        emit_put_structure(&p->o->arguments, p->o->symbol, p->t->structure, out);
        buf_char(out, '\n');
    } else if (p->f->arg_words)
        buf_printf(out, "struct %s_args {\n    uint32_t r[%u];\n};\n\n", p->o->symbol,
                   p->f->arg_words);
}

/* The structure of all variables, for a kernel that is printed as several functions. */
static void put_state(const c_printer *p, buf *out) {
    if (!p->split)
        return;
    buf_text(out, "// The variables of a kernel that nests too deeply for one function.\nstruct ");
    buf_text(out, p->o->symbol);
    buf_text(out, "_state {\n");
    for (unsigned type = IR_BOOL; type <= IR_TYPE_COUNT; type++)
        for (uint32_t k = 0; c_prefix[type].length && k < p->counts[type]; k++) {
            buf_text(out, "    ");
            buf_text(out, type == IR_TYPE_COUNT ? p->t->pointer : p->t->types[type]);
            buf_text(out, type == IR_TYPE_COUNT ? "" : " ");
            buf_text(out, c_prefix[type].text);
            buf_decimal(out, k);
            buf_text(out, ";\n");
        }
    buf_text(out, "};\n");
    buf_bytes(out, p->parts.data, p->parts.size);
    buf_char(out, '\n');
}

static void put_memories(const c_printer *p, buf *out) {
    if (p->t->local_array && c_refers_to(p, C_LOCAL))
        buf_printf(out, "    %s[%u];\n", p->t->local_array, p->f->local_memory);
    if (c_refers_to(p, C_PRIVATE))
        buf_printf(out, "    %s[%u];\n", p->t->own_array, emit_private_bytes(p->f));
}

/* ---- One kernel ---- */

/* Bytes of text per node: a generous estimate, so that the buffer is rarely copied to grow. */
enum { TEXT_OF_NODE = 48 };

static void label_types(c_printer *p) {
    for (unsigned type = 0; type < IR_TYPE_COUNT; type++) {
        put_label *label = &p->types[type];
        size_t length = p->t->types[type] ? strlen(p->t->types[type]) : sizeof label->text;
        if (length >= sizeof label->text)
            continue;
        memcpy(label->text, p->t->types[type], length);
        label->text[length] = ' ';
        label->length = (uint8_t)(length + 1);
    }
}

static bool prepare(c_printer *p) {
    const ir_func *f = p->f;
    const uint32_t *group = f->workgroup;
    size_t n = f->node_count, regions = f->region_count;
    p->whole = group[0] && (uint64_t)group[0] * group[1] * group[2] % f->wave_width == 0;
    p->indent = 1;
    p->pc = UINT32_MAX;
    buf_reserve(p->out, n * TEXT_OF_NODE);
    label_types(p);
    p->shapes = c_make_shapes();
    p->variable = calloc(n, sizeof *p->variable);
    p->uses = calloc(p->o->registers.count + 1, sizeof *p->uses);
    p->first_declared = calloc(regions, sizeof *p->first_declared);
    p->next_declared = malloc(n * sizeof *p->next_declared);
    p->header = calloc(regions, 1);
    p->handed_on = p->t->find_loops ? calloc(n, 1) : NULL;
    p->skip = calloc(regions, 1);
    p->flags = calloc(regions, 1);
    if (!p->shapes || !p->variable || !p->uses || !p->first_declared || !p->next_declared ||
        !p->header || (p->t->find_loops && !p->handed_on) || !p->skip || !p->flags)
        return false;
    if (!mat_find(&p->m, f, p->o->bounds ? &c_mat_target_bounds : &c_mat_target))
        return false;
    p->split = p->m.deepest >= C_MOST_LEVELS;
    p->loop = p->m.loop;
    c_find_scopes(p);
    mat_forget_lives(&p->m);
    return !p->t->find_loops || p->t->find_loops(p);
}

static void finish(c_printer *p, c_part *kernel) {
    while (p->part != kernel) { /* rejected inside a part */
        c_part *part = p->part;
        p->part = part->caller;
        buf_free(&part->text);
        free(part);
    }
    mat_free(&p->m);
    ir_free_uniformity(&p->uniformity);
    free(p->shapes);
    free(p->variable);
    free(p->names);
    free(p->uses);
    free(p->first_declared);
    free(p->next_declared);
    free(p->header);
    free(p->handed_on);
    free(p->skip);
    free(p->flags);
    buf_free(&p->parts);
    buf_free(&p->functions);
    buf_free(&p->function);
    buf_free(&kernel->text);
}

bool c_makes(const ir_func *f, const char *types) {
    for (unsigned op = 0; op < IR_OP_COUNT; op++)
        if (ir_made(f, (ir_op)op) && ir_op_involves((ir_op)op, types))
            return true;
    return false;
}

static void note_uses(const ir_func *f, emit_unit *unit) {
    unit->uses |= (c_find_wide_atomic(f) ? EMIT_USES_ATOMIC64 : 0u) |
                  (c_makes(f, "hH") ? EMIT_USES_F16 : 0u) | (c_makes(f, "d") ? EMIT_USES_F64 : 0u);
}

static bool print(c_printer *p, buf *out) {
    p->releases = c_find_fence(p->f, ISA_SCOPE_DEVICE, true);
    c_code(p);
    if (p->rejected)
        return false;
    c_find_values(p);
    if (p->m.loads_constants)
        emit_note_constants(p->f, p->unit);
    size_t start = out->size;
    c_start_lines(p, out);
    p->out->failed |= p->functions.failed;
    buf_bytes(out, p->functions.data, p->functions.size);
    put_contract(p, out);
    put_arguments(p, out);
    put_state(p, out);
    c_put_text(p, p->t->signature, out);
    put_memories(p, out);
    c_put_values(p, out);
    c_put_buffers(p, out);
    if (p->split)
        buf_printf(out, "    %s_state s;\n", p->o->symbol);
    buf_join(out, &p->part->text);
    buf_text(out, "}\n");
    c_put_text(p, p->t->tail, out);
    if (p->o->debug)
        c_repeat_lines(out, start);
    note_uses(p->f, p->unit);
    return !p->part->text.failed && !p->parts.failed && !out->failed;
}

bool c_print_kernel(const c_target *t, const ir_func *f, const emit_options *o, emit_unit *unit,
                    wave_diags *diags) {
    c_part kernel = {.region = 1};
    c_printer p = {
        .f = f, .o = o, .t = t, .diags = diags, .unit = unit, .part = &kernel, .out = &kernel.text};
    bool ok = prepare(&p) && print(&p, &unit->text);
    if (!ok && !p.rejected)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile %s",
                    f->name);
    finish(&p, &kernel);
    return ok;
}
