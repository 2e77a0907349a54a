/* The checker of contained buffers: an access whose address is computed from the word of such a
 * buffer stays inside it, and no sum on the way wraps. The checker tracks the words through
 * additions, moves and selects; a value computed from them in any other way belongs to no buffer.
 * Each instruction reports at most once. */
#include "emu/check_who.h"
#include "emu/checks.h"

#include <stdlib.h>
#include <string.h>

enum { NO_BUFFER = 0, LANES = ISA_MAX_WIDTH, NO_ADDRESS = 0xFFFF };

typedef struct contained {
    const wave_argument *argument;
    uint32_t offset;
    uint64_t size;
} contained;

typedef struct checker {
    const fe_kernel *kernel;
    const wave_launch *launch;
    wave_diags *diags;
    wave_status status;
    uint32_t registers, waves;
    contained *buffers; /* numbered from 1 */
    uint8_t *of;        /* [wave][register][lane]: the buffer that the value points into */
    uint16_t *address;  /* by instruction: its address register */
    uint8_t *reported;  /* by instruction */
    uint8_t accessed[LANES];
} checker;

static uint8_t *row(checker *c, uint32_t wave, uint32_t reg) {
    return c->of + ((size_t)wave * c->registers + reg) * LANES;
}

static const uint8_t *row_read(checker *c, const wave_step *step, uint32_t reg) {
    static const uint8_t none[LANES];
    return reg < c->registers ? row(c, step->wave, reg) : none;
}

/* ---- Reports ---- */

static void report(checker *c, const wave_step *step, uint32_t lane, const contained *b,
                   const char *what, uint64_t value) {
    c->status = c->status == WAVE_OK ? WAVE_ERROR_INPUT : c->status;
    if (c->reported[step->index] || !diag_has_room(c->diags))
        return;
    c->reported[step->index] = 1;
    buf text = {0}, who = {0};
    diag_place place = DIAG_NOWHERE;
    fe_insn_text(&text, &c->kernel->insns[step->index], c->kernel->insns,
                 (unsigned)c->launch->kernel);
    check_who(&who, c->launch, step->workgroup, step->wave, lane);
    buf_char(&who, '\0');
    if (text.failed || who.failed) {
        c->status = WAVE_ERROR_MEMORY;
    } else {
        place.kernel = c->kernel->info.name;
        place.offset = step->pc;
        place.text = (const char *)text.data;
        place.text_length = text.size;
        diag_report(c->diags, DIAG_E_BUFFER_BOUNDS, &place,
                    "%s: %s 0x%llx, outside buffer '%s', which has %llu bytes at 0x%x",
                    (const char *)who.data, what, (unsigned long long)value, b->argument->name,
                    (unsigned long long)b->size, (unsigned)b->offset);
    }
    buf_free(&text);
    buf_free(&who);
}

/* ---- Tracking words ---- */

/* The amount added to a register that points into a buffer. */
static uint32_t added(const wave_step *step, const fe_insn *insn, uint32_t lane, bool first) {
    const uint8_t *r = insn->field;
    if (insn->op == ISA_IMAD)
        return wave_step_register(step, r[1], lane) * wave_step_register(step, r[2], lane);
    return wave_step_register(step, r[first ? 2 : 1], lane);
}

/* The buffer that the sum points into in this lane. */
static uint8_t sum_of(checker *c, const wave_step *step, const fe_insn *insn, uint32_t lane) {
    const uint8_t *r = insn->field;
    bool fused = insn->op == ISA_IMAD;
    uint8_t first = fused ? 0 : row_read(c, step, r[1])[lane];
    uint8_t second = row_read(c, step, fused ? r[3] : r[2])[lane];
    uint8_t which = first ? first : second;
    if (!which || (first && second))
        return NO_BUFFER;
    uint64_t sum = (uint64_t)wave_step_register(step,
                                                first   ? r[1]
                                                : fused ? r[3]
                                                        : r[2],
                                                lane) +
                   added(step, insn, lane, first);
    if (sum > UINT32_MAX)
        report(c, step, lane, &c->buffers[which], "the sum wraps at", sum);
    return which;
}

static uint8_t result_of(checker *c, const wave_step *step, const fe_insn *insn, uint32_t lane) {
    const uint8_t *r = insn->field;
    bool chosen;
    switch (insn->op) {
    case ISA_IADD:
    case ISA_IMAD: return sum_of(c, step, insn, lane);
    case ISA_ISUB:
    case ISA_MOV: return row_read(c, step, r[1])[lane];
    case ISA_SELECT:
        chosen = wave_step_predicate(step, r[1] & FE_OPERAND_PRED, lane);
        return row_read(c, step, chosen ? r[2] : r[3])[lane];
    default: return NO_BUFFER;
    }
}

static void follow(checker *c, const wave_step *step, const fe_insn *insn, isa_role role) {
    uint32_t reg = insn->field[ISA_FIELD_RD];
    if (isa_role_discards(role) && reg == 0)
        return;
    for (unsigned k = 0; k < isa_role_registers(role) && reg + k < c->registers; k++) {
        uint8_t *to = row(c, step->wave, reg + k);
        for (uint32_t lane = 0; lane < step->wave_width; lane++)
            if (step->executing >> lane & 1)
                to[lane] = k == 0 ? result_of(c, step, insn, lane) : NO_BUFFER;
    }
}

static bool on_before(void *user, const wave_step *step) {
    checker *c = user;
    const fe_insn *insn = &c->kernel->insns[step->index];
    isa_role role = (isa_role)isa_table[insn->op].role[ISA_FIELD_RD];
    if (!step->executing)
        return true;
    if (c->address[step->index] != NO_ADDRESS) /* a load may overwrite its address */
        memcpy(c->accessed, row_read(c, step, c->address[step->index]), LANES);
    if (isa_role_writes(role))
        follow(c, step, insn, role);
    return true;
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    checker *c = user;
    uint8_t which = c->accessed[access->lane];
    if (access->space != WAVE_SPACE_DEVICE || !which)
        return;
    const contained *b = &c->buffers[which];
    uint64_t from = access->address, end = from + access->bytes;
    if (from < b->offset || end > b->offset + b->size)
        report(c, step, access->lane, b, "access at", from);
}

/* Every lane starts with the argument words. */
static void on_workgroup(void *user, const uint32_t workgroup[3]) {
    checker *c = user;
    (void)workgroup;
    memset(c->of, NO_BUFFER, (size_t)c->waves * c->registers * LANES);
    for (size_t k = 0; k < c->launch->buffer_count; k++)
        for (uint32_t wave = 0; wave < c->waves && c->buffers[k + 1].argument; wave++)
            memset(row(c, wave, c->buffers[k + 1].argument->first_word), (int)k + 1, LANES);
}

/* ---- Creation and destruction ---- */

static const wave_argument *argument_at(const fe_kernel *kernel, uint32_t word) {
    for (uint32_t k = 0; k < kernel->extras.argument_count; k++) {
        const wave_argument *a = &kernel->extras.arguments[k];
        if (a->kind == WAVE_ARGUMENT_BUFFER && a->first_word == word)
            return a;
    }
    return NULL;
}

/* The argument whose buffer is checked, or NULL: only contained buffers are checked. */
static const wave_argument *checked(const fe_kernel *kernel, const wave_launch *launch,
                                    const wave_launch_buffer *b) {
    const wave_argument *a = argument_at(kernel, b->word);
    bool known = b->word < launch->registers && b->word < launch->initial_count;
    return known && a && a->flags & WAVE_ARGUMENT_CONTAINED ? a : NULL;
}

static void find_buffers(checker *c) {
    for (size_t k = 0; k < c->launch->buffer_count; k++) {
        const wave_launch_buffer *b = &c->launch->buffers[k];
        const wave_argument *a = checked(c->kernel, c->launch, b);
        if (a)
            c->buffers[k + 1] = (contained){a, c->launch->initial[b->word], b->size};
    }
}

bool emu_buffers_wanted(const fe_kernel *kernel, const wave_launch *launch) {
    for (size_t k = 0; k < launch->buffer_count; k++)
        if (checked(kernel, launch, &launch->buffers[k]))
            return true;
    return false;
}

static void find_addresses(checker *c, const wave_module *module) {
    for (uint32_t i = 0; i < c->kernel->info.instructions; i++) {
        wave_operand operands[WAVE_MAX_OPERANDS];
        size_t count =
            wave_instruction_operands(module, c->launch->kernel, c->kernel->insns[i].pc, operands);
        c->address[i] = NO_ADDRESS;
        for (size_t k = 0; k < count; k++)
            if (operands[k].address)
                c->address[i] = (uint16_t)operands[k].index;
    }
}

static void destroy(checker *c) {
    free(c->buffers);
    free(c->of);
    free(c->address);
    free(c->reported);
    free(c);
}

bool emu_buffers_create(const fe_kernel *kernel, const wave_module *module,
                        const wave_launch *launch, wave_diags *diags, wave_observer *out) {
    checker *c = calloc(1, sizeof *c);
    if (!c)
        return false;
    const uint32_t *size = launch->workgroup;
    size_t count = kernel->info.instructions;
    c->kernel = kernel;
    c->launch = launch;
    c->diags = diags;
    c->registers = launch->registers;
    c->waves = (size[0] * size[1] * size[2] + launch->wave_width - 1) / launch->wave_width;
    c->buffers = calloc(launch->buffer_count + 1, sizeof *c->buffers);
    c->of = calloc((size_t)c->waves * c->registers + 1, LANES);
    c->address = calloc(count + 1, sizeof *c->address);
    c->reported = calloc(count + 1, 1);
    if (!c->buffers || !c->of || !c->address || !c->reported) {
        destroy(c);
        return false;
    }
    find_buffers(c);
    find_addresses(c, module);
    *out = (wave_observer){
        .user = c, .workgroup_begin = on_workgroup, .before = on_before, .access = on_access};
    return true;
}

wave_status emu_buffers_status(const wave_observer *observer) {
    return ((const checker *)observer->user)->status;
}

void emu_buffers_destroy(wave_observer *observer) {
    destroy(observer->user);
}
