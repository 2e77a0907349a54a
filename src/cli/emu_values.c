/* Expressions over the state of a lane: conditions of breakpoints and the `print` command. */
#include "cli/emu_debug.h"
#include "cli/emu_float.h"
#include "testfile/expr.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *const emu_format_names[] = {"hex",  "signed", "unsigned", "float",
                                        "half", "bfloat", NULL};

static bool is(const char *name, size_t length, const char *word) {
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

static double f32_value(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* A letter and a number below `limit`: r12, p3. */
static bool numbered(const char *name, size_t length, char letter, uint32_t limit, uint32_t *out) {
    char digits[4] = "";
    uint64_t number;
    if (length < 2 || length > 4 || name[0] != letter)
        return false;
    memcpy(digits, name + 1, length - 1);
    if (!cli_number(digits, limit - 1, &number))
        return false;
    *out = (uint32_t)number;
    return true;
}

static uint32_t thread_of(const emu_lane *l, unsigned axis) {
    const uint32_t *size = l->step->group_size;
    uint32_t thread = l->step->wave * l->step->wave_width + l->lane;
    return axis == 0   ? thread % size[0]
           : axis == 1 ? thread / size[0] % size[1]
                       : thread / size[0] / size[1];
}

static bool find_place(const emu_lane *l, const char *name, size_t length, double *out) {
    static const char *const names[] = {"lane",     "wave",     "pc",     "wg_x",
                                        "wg_y",     "wg_z",     "active", "thread_x",
                                        "thread_y", "thread_z", NULL};
    const wave_step *s = l->step;
    int which = 0;
    while (names[which] && !is(name, length, names[which]))
        which++;
    if (!names[which])
        return false;
    if (!s)
        return true;
    const double values[] = {l->lane,
                             s->wave,
                             s->pc,
                             s->workgroup[0],
                             s->workgroup[1],
                             s->workgroup[2],
                             (double)(s->active >> l->lane & 1),
                             thread_of(l, 0),
                             thread_of(l, 1),
                             thread_of(l, 2)};
    *out = values[which];
    return true;
}

/* ---- Names of the source ---- */

const char *emu_register_name(const emu_texts *texts, bool predicate, uint32_t number) {
    const wave_argument *a;
    const wave_register_name *r;
    for (size_t k = 0; (r = wave_module_register(texts->module, texts->kernel, k)); k++)
        if (r->predicate == predicate && r->number == number && r->width == 1)
            return r->name;
    for (size_t k = 0; (a = wave_module_argument(texts->module, texts->kernel, k)); k++)
        if (!predicate && a->first_word == number && a->words == 1 && *a->name)
            return a->name;
    return NULL;
}

/* The only register (the first of a pair) or predicate with that name. False when there is none, or
 * when several uses of a macro define it. */
static bool find_register(const emu_texts *texts, const char *name, size_t length, bool *predicate,
                          uint32_t *number) {
    const wave_argument *a;
    const wave_register_name *r;
    unsigned found = 0;
    for (size_t k = 0; (a = wave_module_argument(texts->module, texts->kernel, k)); k++) {
        if (!a->words || !is(name, length, a->name))
            continue;
        *predicate = false;
        *number = a->first_word;
        found++;
    }
    for (size_t k = 0; (r = wave_module_register(texts->module, texts->kernel, k)); k++) {
        if (!is(name, length, r->name) ||
            (found && *predicate == r->predicate && *number == r->number))
            continue;
        *predicate = r->predicate;
        *number = r->number;
        found++;
    }
    return found == 1;
}

static double value_of(const emu_lane *l, bool predicate, uint32_t number) {
    if (!l->step)
        return 0;
    return predicate ? wave_step_predicate(l->step, number, l->lane)
                     : wave_step_register(l->step, number, l->lane);
}

static bool find_name(void *user, const char *name, size_t length, expr_value *out) {
    const emu_lane *l = user;
    uint32_t number;
    bool predicate = false;
    *out = (expr_value){0};
    if (find_place(l, name, length, &out->f))
        return true;
    bool found = numbered(name, length, 'r', EMU_MAX_REGISTERS, &number);
    if (!found)
        found = predicate = numbered(name, length, 'p', EMU_PREDICATES, &number);
    if (!found)
        found = find_register(l->texts, name, length, &predicate, &number);
    if (found)
        out->f = value_of(l, predicate, number);
    return found;
}

/* The word at an address; 0 outside of memory. */
static uint32_t word_at(const emu_lane *l, bool local, uint32_t address) {
    uint64_t size = 0;
    const uint8_t *data = !l->step ? NULL
                          : local  ? wave_step_local(l->step, &size)
                                   : wave_step_device(l->step, &size);
    uint32_t word = 0;
    for (unsigned k = 0; k < 4 && data && address + (uint64_t)k < size; k++)
        word |= (uint32_t)data[address + k] << 8 * k;
    return word;
}

static bool call(void *user, const char *name, size_t length, expr_value argument,
                 expr_value *out) {
    uint32_t bits = emu_bits_of(argument.f);
    *out = (expr_value){0};
    if (is(name, length, "signed"))
        out->f = (double)(int64_t)(bits ^ 0x80000000u) - 2147483648.0;
    else if (is(name, length, "float"))
        out->f = f32_value(bits);
    else if (is(name, length, "half"))
        out->f = f32_value(emu_f32_of_f16((uint16_t)bits));
    else if (is(name, length, "bfloat"))
        out->f = f32_value(bits << 16);
    else if (is(name, length, "mem"))
        out->f = word_at(user, false, bits);
    else if (is(name, length, "local"))
        out->f = word_at(user, true, bits);
    else
        return false;
    return true;
}

bool emu_evaluate(const emu_lane *lane, const char *text, double *out, char *error,
                  size_t error_size) {
    emu_lane copy = *lane;
    const expr_scope scope = {.name = find_name, .call = call, .user = &copy};
    expr_value value;
    bool good = expr_evaluate_in(text, strlen(text), true, &scope, &value, error, error_size);
    *out = value.f;
    return good;
}

uint32_t emu_bits_of(double value) {
    float single = (float)value;
    uint32_t bits;
    if (value == floor(value) && fabs(value) < 9.0e18)
        return (uint32_t)(uint64_t)(int64_t)value;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

void emu_value_text(emu_format format, double value, char out[EMU_VALUE_TEXT]) {
    uint32_t bits = emu_bits_of(value);
    uint64_t wide;
    switch (format) {
    case EMU_FORMAT_HEX: snprintf(out, EMU_VALUE_TEXT, "0x%08" PRIx32, bits); return;
    case EMU_FORMAT_SIGNED:
        snprintf(out, EMU_VALUE_TEXT, "%" PRId64,
                 (int64_t)(bits ^ 0x80000000u) - (int64_t)2147483648);
        return;
    case EMU_FORMAT_UNSIGNED: snprintf(out, EMU_VALUE_TEXT, "%" PRIu32, bits); return;
    case EMU_FORMAT_FLOAT: emu_f32_text(bits, out); return;
    case EMU_FORMAT_HALF: emu_f16_text((uint16_t)bits, out); return;
    case EMU_FORMAT_BFLOAT: emu_bf16_text((uint16_t)bits, out); return;
    default: break;
    }
    if (value == floor(value) && fabs(value) < 9.0e15) {
        snprintf(out, EMU_VALUE_TEXT, "%.0f", value);
        return;
    }
    memcpy(&wide, &value, sizeof wide);
    emu_f64_text(wide, out);
}
