/* The targets by number, and what they have in common: limits, constants, comments. */
#include "emit/c_printer.h"

#include "base/text.h"
#include "isa/tile.h"

#include <string.h>

const emit_backend *const emit_backends[EMIT_TARGET_COUNT] = {[EMIT_PTX] = &emit_ptx,
                                                              [EMIT_HIP] = &emit_hip,
                                                              [EMIT_SYCL] = &emit_sycl,
                                                              [EMIT_MSL] = &emit_msl};

const emit_arch *emit_find_arch(const emit_backend *target, const char *name) {
    const emit_arch *a = target->archs;
    while (a->name && strcmp(a->name, name) != 0)
        a++;
    return a->name ? a : NULL;
}

const emit_arch *emit_arch_of(const emit_backend *target, unsigned number) {
    const emit_arch *a = target->archs;
    while (a->name && a->number != number)
        a++;
    return a->name ? a : NULL;
}

ir_units emit_units(const emit_backend *target, const ir_func *f, unsigned arch, bool native) {
    if (target->units)
        return target->units(f, arch, native);
    return target->c ? c_units_of(target->c, f, arch, native) : (ir_units){0}; /* WBIN has none */
}

bool emit_reserves(const emit_backend *target, const char *name) {
    if (target->reserves)
        return target->reserves(name);
    return target->c && c_is_helper(target->c, name);
}

enum { MOST_THREADS = 1024 };

bool emit_within_limits(const emit_backend *target, const ir_func *f, const emit_options *o,
                        wave_diags *diags) {
    const emit_arch *arch = emit_arch_of(target, o->arch);
    const uint32_t *group = f->workgroup;
    uint64_t threads = (uint64_t)group[0] * group[1] * group[2];
    diag_place place = DIAG_NOWHERE;
    place.kernel = f->name;
    if (!arch)
        diag_report(diags, DIAG_E_TARGET_LIMIT, &place, "%s has no architecture with number %u",
                    target->name, o->arch);
    else if (!(arch->widths & f->wave_width))
        diag_report(diags, DIAG_E_TARGET_LIMIT, &place, "%s has no waves of %u lanes", arch->name,
                    f->wave_width);
    else if (threads > MOST_THREADS || group[2] > arch->most_z)
        diag_report(
            diags, DIAG_E_TARGET_LIMIT, &place,
            "a workgroup of %u x %u x %u threads is too large: %s allows %u threads, %u in z",
            group[0], group[1], group[2], arch->name, MOST_THREADS, arch->most_z);
    else if (f->local_memory > arch->local_memory)
        diag_report(diags, DIAG_E_TARGET_LIMIT, &place,
                    "%u bytes of local memory are too many: %s has %u per workgroup",
                    f->local_memory, arch->name, arch->local_memory);
    else if (o->uses & WAVE_USES_TILE && threads % f->wave_width)
        diag_report(diags, DIAG_E_TARGET_LIMIT, &place,
                    "a workgroup of %u x %u x %u threads does not consist of whole waves of %u "
                    "lanes, which tiles require",
                    group[0], group[1], group[2], f->wave_width);
    else
        return true;
    return false;
}

bool emit_special_constant(const ir_func *f, uint64_t special, uint32_t *value) {
    const uint32_t *group = f->workgroup;
    switch (special) {
    case ISA_SR_WORKGROUP_SIZE_X:
    case ISA_SR_WORKGROUP_SIZE_Y:
    case ISA_SR_WORKGROUP_SIZE_Z: *value = group[special - ISA_SR_WORKGROUP_SIZE_X]; break;
    case ISA_SR_NUM_WAVES:
        *value = (group[0] * group[1] * group[2] + f->wave_width - 1) / f->wave_width;
        break;
    case ISA_SR_WAVE_WIDTH: *value = f->wave_width; return true;
    case ISA_SR_MMA_SUPPORTED: *value = 1; return true;
    case ISA_SR_MMA_M:
    case ISA_SR_MMA_N:
    case ISA_SR_MMA_K: *value = 4; return true;
    case ISA_SR_TILE_M:
    case ISA_SR_TILE_N:
    case ISA_SR_TILE_K: *value = ISA_TILE_SIDE; return true;
    case ISA_SR_THREAD_ID_X:
    case ISA_SR_THREAD_ID_Y:
    case ISA_SR_THREAD_ID_Z: *value = 0; return group[special - ISA_SR_THREAD_ID_X] == 1;
    default: return false;
    }
    return group[0] != 0;
}

void emit_comment_text(buf *out, const char *text) {
    text_ascii(out, text);
}

void emit_quoted_name(buf *out, const char *name) {
    buf_char(out, '"');
    text_ascii(out, name);
    buf_char(out, '"');
}

void emit_put_source(const emit_options *o, buf *out) {
    buf_text(out, o->source ? ", compiled from " : "");
    emit_comment_text(out, o->source ? o->source : "");
    buf_text(out, "\n");
    if (o->command) {
        buf_text(out, "// ");
        emit_comment_text(out, o->command);
        buf_text(out, "\n");
    }
}

void emit_put_kernel_name(const ir_func *f, const emit_options *o, buf *out) {
    buf_text(out, "\n// ");
    buf_text(out, o->symbol);
    if (strcmp(o->symbol, f->name) != 0) {
        buf_text(out, ", the kernel ");
        emit_quoted_name(out, f->name);
    }
    buf_text(out, "\n");
}

void emit_put_workgroup(const ir_func *f, buf *out) {
    if (f->workgroup[0])
        buf_printf(out, "//   workgroup: %u x %u x %u threads\n", f->workgroup[0], f->workgroup[1],
                   f->workgroup[2]);
    else
        buf_text(out, "//   workgroup: any size up to 1024 threads\n");
}

/* ---- Diagnostics ---- */

diag_place emit_place(const ir_func *f, ir_value v) {
    diag_place place = DIAG_NOWHERE;
    place.kernel = f->name;
    place.offset = ir_at(f, v)->pc;
    return place;
}

void emit_report_unlowered(const ir_func *f, ir_value v, wave_diags *diags) {
    diag_place place = emit_place(f, v);
    diag_report(diags, DIAG_E_IR, &place, "%s was not lowered before it was printed",
                ir_ops[ir_op_of(f, v)].name);
}

/* ---- Constant memory ---- */

void emit_note_constants(const ir_func *f, emit_unit *unit) {
    unit->uses |= EMIT_USES_CONSTANTS;
    unit->constants = f->constants;
    unit->constant_size = f->constant_size;
}

unsigned emit_constant_words(const emit_unit *unit) {
    return unit->constant_size ? (unit->constant_size + 15) / 16 * 4 : 4;
}

unsigned emit_private_bytes(const ir_func *f) {
    return f->private_memory ? f->private_memory : 16;
}

void emit_put_constants(const emit_unit *unit, const char *suffix, buf *out) {
    enum { PER_LINE = 6 };
    unsigned words = emit_constant_words(unit);
    for (unsigned k = 0; k < words; k++) {
        uint32_t word = 0;
        for (unsigned byte = 0; byte < 4 && 4 * k + byte < unit->constant_size; byte++)
            word |= (uint32_t)unit->constants[4 * k + byte] << 8 * byte;
        buf_text(out, k % PER_LINE ? " 0x" : "\n    0x");
        buf_hex(out, word, 8);
        buf_text(out, suffix);
        buf_text(out, k + 1 < words ? "," : "\n");
    }
}
