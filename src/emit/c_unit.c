/* A kernel around its code, and the comment on top of a file. The code is printed first: only then
 * is it known which names, variables and helpers it needs. */
#include "emit/c_printer.h"

#include <stdlib.h>
#include <string.h>

/* ---- Text for people ---- */

void c_print_title(const emit_options *o, const emit_arch *arch, buf *out) {
    buf_printf(out, "// WAVE kernels for %s, %u lanes to a wave", arch->name, o->wave_width);
    buf_text(out, o->source ? ", compiled from " : "");
    emit_comment_text(out, o->source ? o->source : "");
    buf_text(out, "\n");
    if (o->command) {
        buf_text(out, "// ");
        emit_comment_text(out, o->command);
        buf_text(out, "\n");
    }
    buf_text(out, "//\n");
}

void c_symbol_text(const c_printer *p, const char *text, buf *out) {
    for (const char *c = text; *c; c++) {
        if (*c == '%')
            buf_text(out, p->o->symbol);
        else
            buf_char(out, *c);
    }
}

bool c_refers_to(const c_printer *p, c_name name) {
    return p->part->names >> name & 1;
}

/* How to launch it. */
static void put_contract(c_printer *p, buf *out) {
    const ir_func *f = p->f;
    buf_text(out, "\n// ");
    buf_text(out, p->o->symbol);
    if (strcmp(p->o->symbol, f->name) != 0) {
        buf_text(out, ", the kernel ");
        emit_quoted_name(out, f->name);
    }
    buf_text(out, "\n//   mem: the arena, which device addresses are offsets into\n");
    if (f->arg_words == 1)
        buf_text(out, "//   args: the first register\n");
    else if (f->arg_words)
        buf_printf(out, "//   args: the first %u registers\n", f->arg_words);
    if (p->o->bounds)
        buf_text(out, "//   mem_size: bytes in the arena; accesses past it do nothing\n");
    if (f->workgroup[0])
        buf_printf(out, "//   workgroup: %u x %u x %u threads\n", f->workgroup[0], f->workgroup[1],
                   f->workgroup[2]);
    else
        buf_text(out, "//   workgroup: any size up to 1024 threads\n");
    if (f->local_memory)
        buf_printf(out, "//   local memory: %u bytes\n", f->local_memory);
    if (p->t->contract)
        p->t->contract(p, out);
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

/* All variables of a kernel that is printed as several functions. */
static void put_state(const c_printer *p, buf *out) {
    static const char letters[IR_TYPE_COUNT + 1] = {
        [IR_BOOL] = 'b', [IR_U32] = 'u', [IR_F32] = 'f',   [IR_U64] = 'q',
        [IR_F64] = 'd',  [IR_F16] = 'h', [IR_F16X2] = 'g', [IR_TYPE_COUNT] = 'p'};
    if (!p->split)
        return;
    buf_text(out, "// The variables of a kernel that nests too deeply for one function.\nstruct ");
    buf_text(out, p->o->symbol);
    buf_text(out, "_state {\n");
    for (unsigned type = 0; type <= IR_TYPE_COUNT; type++)
        for (uint32_t k = 0; letters[type] && k < p->counts[type]; k++) {
            buf_text(out, "    ");
            buf_text(out, type == IR_TYPE_COUNT ? p->t->pointer : p->t->types[type]);
            buf_text(out, type == IR_TYPE_COUNT ? "" : " ");
            buf_char(out, letters[type]);
            buf_decimal(out, k);
            buf_text(out, ";\n");
        }
    buf_text(out, "};\n");
    buf_bytes(out, p->parts.data, p->parts.size);
    buf_char(out, '\n');
}

/* ---- One kernel ---- */

static bool prepare(c_printer *p) {
    const ir_func *f = p->f;
    const uint32_t *group = f->workgroup;
    size_t n = f->node_count, regions = f->region_count;
    p->whole = group[0] && (uint64_t)group[0] * group[1] * group[2] % f->wave_width == 0;
    p->indent = 1;
    p->pc = UINT32_MAX;
    p->number = calloc(n, sizeof *p->number);
    p->declared = calloc(n, 1);
    p->first_declared = calloc(n, sizeof *p->first_declared);
    p->next_declared = calloc(n, sizeof *p->next_declared);
    p->header = calloc(n, 1);
    p->handed_on = calloc(n, 1);
    p->skip = calloc(regions, 1);
    p->flags = calloc(regions, 1);
    p->depth = calloc(regions, sizeof *p->depth);
    p->loop = calloc(regions, sizeof *p->loop);
    if (!p->number || !p->declared || !p->first_declared || !p->next_declared || !p->header ||
        !p->handed_on || !p->skip || !p->flags || !p->depth || !p->loop)
        return false;
    p->split = c_look_around(p);
    c_find_handed_on(p);
    if (!c_find_endless(p))
        return false;
    mat_target target = p->o->bounds ? c_mat_target_bounds : c_mat_target;
    target.inline_parts = !p->split;
    return mat_find(&p->m, f, &target) && c_find_scopes(p);
}

static void finish(c_printer *p, c_part *kernel) {
    while (p->part != kernel) { /* rejected inside a part */
        c_part *part = p->part;
        p->part = part->caller;
        buf_free(&part->text);
        free(part);
    }
    mat_free(&p->m);
    free(p->number);
    free(p->declared);
    free(p->first_declared);
    free(p->next_declared);
    free(p->header);
    free(p->handed_on);
    free(p->skip);
    free(p->flags);
    free(p->depth);
    free(p->loop);
    buf_free(&p->parts);
    buf_free(&kernel->text);
}

static bool releases_to_device(const ir_func *f) {
    ir_walk w;
    if (!ir_made(f, IR_FENCE) && !ir_made(f, IR_LANE_FENCE))
        return false;
    ir_walk_init(&w, f);
    for (ir_event e; (e = ir_walk_next(&w)) != IR_AT_END;) {
        ir_op op = e == IR_AT_OP ? ir_op_of(f, w.op) : IR_NONE;
        if (op != IR_FENCE && op != IR_LANE_FENCE)
            continue;
        ir_access a = ir_access_unpack(ir_at(f, w.op)->imm);
        if (a.scope >= ISA_SCOPE_DEVICE && a.atomic != IR_FENCE_ACQUIRE)
            return true;
    }
    return false;
}

static void note_uses(const ir_func *f, emit_unit *unit) {
    for (unsigned op = 0; op < IR_OP_COUNT; op++) {
        if (!ir_made(f, (ir_op)op))
            continue;
        if (ir_op_involves((ir_op)op, "hH"))
            unit->uses |= EMIT_USES_F16;
        if (ir_op_involves((ir_op)op, "d"))
            unit->uses |= EMIT_USES_F64;
    }
}

static bool print(c_printer *p, buf *out) {
    p->releases = releases_to_device(p->f);
    c_code(p);
    if (p->rejected)
        return false;
    emit_note_constants(p->f, p->unit);
    put_contract(p, out);
    put_arguments(p, out);
    put_state(p, out);
    p->t->signature(p, out);
    p->t->prologue(p, out);
    c_put_buffers(p, out);
    if (p->split)
        buf_printf(out, "    %s_state s;\n", p->o->symbol);
    buf_bytes(out, p->part->text.data, p->part->text.size);
    buf_text(out, "}\n");
    if (p->t->tail)
        p->t->tail(p, out);
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
