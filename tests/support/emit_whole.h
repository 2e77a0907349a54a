/* Emits one kernel as a complete file of a target. */
#ifndef TESTS_SUPPORT_EMIT_WHOLE_H
#define TESTS_SUPPORT_EMIT_WHOLE_H

#include "emit/emit.h"

static inline bool emit_whole(const emit_backend *target, const ir_func *f, const emit_options *o,
                              buf *out, wave_diags *diags) {
    emit_unit unit = {0};
    bool ok = target->kernel(f, o, &unit, diags);
    target->top(o, &unit, out);
    buf_bytes(out, unit.text.data, unit.text.size);
    buf_free(&unit.text);
    return ok && !out->failed;
}

#endif
