/* Compiles kernels one after the other, then writes the file around them: records, and those
 * sections of the extension table that are not empty. */
#include "emit_wbin/code.h"

#include "frontend/encode.h"
#include "frontend/frontend.h"
#include "ir/lower.h"
#include "ir/opt.h"

#include <stdlib.h>
#include <string.h>

struct wbin_unit {
    wbin_settings settings;
    uint16_t same[IR_OP_COUNT]; /* by ir_op: the instruction of the same name */
    fe_record *records;
    fe_kernel_extras *extras;
    uint32_t count, record_capacity, extras_capacity;
    bool extended;
};

/* ---- Creating ---- */

/* Pure operations of the IR have the names of their instructions. */
static void find_names(wbin_unit *unit) {
    for (unsigned op = IR_NONE + 1; op < IR_OP_COUNT; op++) {
        bool plain = (ir_op_flags[op] & IR_PURE) && !(ir_op_flags[op] & (IR_LEAF | IR_UNIQUE)) &&
                     op != IR_SELECT && !ir_op_involves((ir_op)op, "T");
        if (plain)
            unit->same[op] = (uint16_t)isa_find_name(ir_ops[op].name, strlen(ir_ops[op].name));
    }
}

wbin_unit *wbin_unit_create(const wbin_settings *settings) {
    wbin_unit *unit = calloc(1, sizeof *unit);
    if (!unit)
        return NULL;
    unit->settings = *settings;
    find_names(unit);
    return unit;
}

void wbin_unit_destroy(wbin_unit *unit) {
    if (!unit)
        return;
    for (uint32_t k = 0; k < unit->count; k++) {
        free((void *)unit->records[k].code);
        free((void *)unit->extras[k].lines);
    }
    free(unit->records);
    free(unit->extras);
    free(unit);
}

/* ---- One kernel: select, allocate, encode ---- */

/* Frees all but the lists of registers and instructions: they are the largest, and the next attempt
 * reuses them. */
static void clear_code(wb_code *c) {
    wb_plan_free(c);
    ir_free_ends(&c->ends);
    free(c->moves);
    free(c->holes);
    free(c->lines);
    free(c->loop_list);
    buf_free(&c->bytes);
    *c = (wb_code){.insns = c->insns,
                   .insn_capacity = c->insn_capacity,
                   .vregs = c->vregs,
                   .vreg_capacity = c->vreg_capacity};
}

static void free_code(wb_code *c) {
    clear_code(c);
    free(c->insns);
    free(c->vregs);
}

static wb_code start_code(const wbin_unit *unit, ir_func *f, const wbin_kernel *kernel,
                          const wb_code *last, wave_diags *diags) {
    return (wb_code){.f = f,
                     .insns = last->insns,
                     .insn_capacity = last->insn_capacity,
                     .vregs = last->vregs,
                     .vreg_capacity = last->vreg_capacity,
                     .settings = &unit->settings,
                     .same = unit->same,
                     .diags = diags,
                     .source_lines = kernel->lines,
                     .source_line_count = kernel->line_count};
}

/* Whether allocation may succeed for the same instructions once p0 is reserved. */
static bool may_reserve_p0(const wb_code *c) {
    return c->four && c->scratch && !c->truth && !c->frame && !c->failed && !c->no_tiles;
}

static bool allocate(wb_code *c) {
    if (wb_allocate(c))
        return true;
    if (!may_reserve_p0(c))
        return false;
    c->four = c->scratch = false;
    return wb_allocate(c);
}

/* Spilling is the last resort, tried only once constants are made at each use. */
static bool find_registers(wb_code *c) {
    enum { MOST_TRIES = 64 };
    for (unsigned k = 0; k < MOST_TRIES; k++) {
        if (!wb_find_intervals(c))
            return false;
        if (allocate(c))
            return true;
        if (c->failed || c->no_tiles || !c->at_use || !c->settings->extensions || !wb_spill(c))
            return false;
    }
    return false;
}

/* False if registers run out, tiles do not fit fragments, or memory is exhausted. */
static bool make_code(wb_code *c) {
    /* Before the plan allocates its lists, so that later lists can take the place of these. */
    wb_reserve(c);
    if (c->failed || !wb_plan(c)) {
        c->failed = true;
        return false;
    }
    if (!wb_select_code(c) || c->no_tiles)
        return false;
    wb_plan_free(c); /* frees a quarter of the memory before registers are allocated */
    return find_registers(c) && wb_encode(c) && !c->no_tiles && !(c->four && c->scratch);
}

static bool no_memory(wave_diags *diags) {
    diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
    return false;
}

/* The function is too large, or memory is exhausted. */
static bool no_function(const ir_func *f, wave_diags *diags) {
    if (!f->failed)
        return no_memory(diags);
    ir_report_failure(f, diags);
    return false;
}

static bool no_registers(const ir_func *f, wave_diags *diags) {
    diag_place place = DIAG_NOWHERE;
    place.kernel = f->name;
    diag_report(diags, DIAG_E_REGISTERS, &place,
                "more than %u registers are needed at one point of the kernel", ISA_MAX_REGISTERS);
    return false;
}

/* Tries several strategies: first p0 as an ordinary predicate, then reserved; first constants kept
 * in registers, then made at each use. Tiles become plain code if fragments cannot hold them. */
static bool compile(const wbin_unit *unit, ir_func *f, const wbin_kernel *kernel, wb_code *c,
                    wave_diags *diags) {
    bool at_use = false, lowered = false, four = true, cleaned = false;
    ir_lower_tile(f); /* tiles as values, in IR that was made for another target */
    if (f->failed || !wb_prepare(f))
        return no_function(f, diags);
    for (;;) {
        *c = start_code(unit, f, kernel, c, diags);
        c->at_use = at_use;
        c->four = four;
        if (make_code(c))
            return true;
        bool failed = c->failed, no_tiles = c->no_tiles, scratch = c->scratch;
        four = c->four;
        clear_code(c);
        if (failed || f->failed)
            return no_function(f, diags);
        if (no_tiles && !lowered) {
            lowered = true;
            ir_lower_mma(f);
            if (f->failed || !wb_prepare(f))
                return no_function(f, diags);
        } else if (four && scratch) {
            four = false;
        } else if (!at_use) {
            at_use = true;
        } else if (!cleaned) { /* unused values may occupy registers */
            cleaned = true;
            ir_opt_dead_code(f);
        } else {
            return no_registers(f, diags);
        }
    }
}

/* ---- The registers that a launch sets ---- */

static void put(buf *out, isa_op op, unsigned rd, unsigned rs1, uint32_t guard) {
    const uint32_t field[ISA_FIELDS] = {rd, rs1};
    if (buf_reserve(out, 8))
        out->size += fe_encode(out->data + out->size, &isa_table[op], isa_table[op].modifier, field,
                               0, guard);
}

static unsigned written_predicates(const fe_kernel *kernel) {
    unsigned written = 0;
    for (uint32_t i = 0; i < kernel->info.instructions; i++) {
        const fe_insn *insn = &kernel->insns[i];
        if (isa_table[insn->op].role[ISA_FIELD_RD] == ISA_ROLE_PW)
            written |= 1u << insn->field[ISA_FIELD_RD];
    }
    return written;
}

/* Adds a read of a register that nothing else uses. Predicates are initially false, so `@!p halt`
 * halts all lanes if nothing writes p:
 *
 *   halt          →   @!p0 halt
 *                     mov r4, r4
 *                     halt
 *
 * False if there is no such predicate, or if the register is used: then `@p1 mov r4, r4` precedes
 * all other code. */
static bool name_after_halt(wb_code *c, const fe_kernel *kernel, unsigned reg) {
    enum { HALT_SIZE = 4, NOT = 4 };
    unsigned written = written_predicates(kernel), p = 0;
    while (p < ISA_PREDICATES && written >> p & 1)
        p++;
    if (p == ISA_PREDICATES || c->registers + c->spare_register > reg)
        return false;
    c->bytes.size -= HALT_SIZE;
    put(&c->bytes, ISA_HALT, 0, 0, p | NOT);
    put(&c->bytes, ISA_MOV, reg, reg, 0);
    put(&c->bytes, ISA_HALT, 0, 0, 0);
    return true;
}

/* The registers that are read before they are written determine how many arguments a kernel has
 * (ISA.md 3.4). A register that is only written under guards is cleared at the start. If the last
 * argument is no longer read and nothing declares it, an instruction that no lane executes reads
 * it: see name_after_halt. Returns the number of instructions added at the start. */
static unsigned fix_arguments(wb_code *c, const fe_kernel *kernel, bool declared, buf *out) {
    const ir_func *f = c->f;
    unsigned count = 0;
    for (unsigned r = f->arg_words; r < ISA_MAX_REGISTERS; r++)
        if (kernel->reads[r / 64] >> (r % 64) & 1) {
            put(out, ISA_MOV_IMM, r, 0, 0);
            count++;
        }
    unsigned last = f->arg_words - 1;
    if (f->arg_words && !declared && !(kernel->reads[last / 64] >> (last % 64) & 1) &&
        !name_after_halt(c, kernel, last)) {
        put(out, ISA_MOV, last, last, 1);
        count++;
    }
    return count;
}

/* The validator's view of the code: whether it is valid, and which registers it reads. */
static wave_status check_code(const wb_code *c, const fe_record *record, fe_kernel *kernel) {
    const fe_kernel_extras none = {0};
    diag_scope scope;
    fe_context context = {.record = record,
                          .name = c->f->name,
                          .alone = true,
                          .options = {.mode = WAVE_MODE_DEFAULT},
                          .extended = true,
                          .extras = &none,
                          .diags = diag_begin(&scope, NULL)};
    kernel->info.registers = ISA_MAX_REGISTERS;
    return fe_load_kernel(&context, kernel) ? WAVE_OK : diag_end(&scope, WAVE_ERROR_INPUT);
}

static bool bad_code(const ir_func *f, wave_diags *diags) {
    diag_place place = DIAG_NOWHERE;
    place.kernel = f->name;
    diag_report(diags, DIAG_E_IR, &place, "the code generated for this kernel is not valid");
    return false;
}

static bool too_deep(const ir_func *f, wave_diags *diags) {
    diag_place place = DIAG_NOWHERE;
    place.kernel = f->name;
    diag_report(diags, DIAG_E_DEPTH, &place,
                "with all calls inlined, ifs and loops nest more than %u deep", ISA_MAX_DEPTH);
    return false;
}

static uint32_t register_count(const wb_code *c, const wbin_kernel *kernel) {
    uint32_t used = c->registers + c->spare_register;
    uint32_t most = used > c->f->arg_words ? used : c->f->arg_words;
    if (kernel->registers > most)
        most = kernel->registers;
    return most ? most : 1;
}

/* Prepends the instructions of fix_arguments to the code, and estimates its cost. */
static bool finish_code(wb_code *c, bool declared, buf *out, wb_cost *cost, wave_diags *diags) {
    if (c->deepest > ISA_MAX_DEPTH)
        return too_deep(c->f, diags);
    fe_record record = {.code = c->bytes.data, .code_size = (uint32_t)c->bytes.size};
    fe_kernel kernel = {0};
    wave_status status = check_code(c, &record, &kernel);
    if (status == WAVE_OK &&
        !wb_estimate(kernel.insns, kernel.info.instructions, c->loop_list, c->loop_count, cost))
        status = WAVE_ERROR_MEMORY;
    if (status == WAVE_OK) {
        unsigned more = fix_arguments(c, &kernel, declared, out);
        cost->few += more;
        cost->many += more;
    }
    free((void *)kernel.insns);
    if (status != WAVE_OK)
        return status == WAVE_ERROR_MEMORY ? no_memory(diags) : bad_code(c->f, diags);
    for (uint32_t k = out->size ? 1 : 0; k < c->line_count; k++)
        c->lines[k].offset += (uint32_t)out->size;
    buf_bytes(out, c->bytes.data, c->bytes.size);
    return !out->failed || no_memory(diags);
}

static bool grow(wbin_unit *unit) {
    wb_code lists = {0};
    unit->records =
        wb_grow(&lists, unit->records, unit->count, &unit->record_capacity, sizeof *unit->records);
    unit->extras =
        wb_grow(&lists, unit->extras, unit->count, &unit->extras_capacity, sizeof *unit->extras);
    return !lists.failed;
}

static uint32_t words_of(const wbin_kernel *kernel) {
    uint32_t words = 0;
    for (uint32_t k = 0; k < kernel->argument_count; k++)
        words += kernel->arguments[k].words;
    return words;
}

/* Takes ownership of the code and the lines. */
static void keep(wbin_unit *unit, wb_code *c, const wbin_kernel *kernel, buf *code) {
    const ir_func *f = c->f;
    fe_record *record = &unit->records[unit->count];
    *record = (fe_record){.name = kernel->name,
                          .name_length = kernel->name ? strlen(kernel->name) : 0,
                          .registers = register_count(c, kernel),
                          .local_memory = kernel->local_memory,
                          .code = code->data,
                          .code_size = (uint32_t)code->size};
    memcpy(record->workgroup, f->workgroup, sizeof record->workgroup);
    unit->extras[unit->count++] =
        (fe_kernel_extras){.arguments = kernel->arguments,
                           .argument_count = kernel->argument_count,
                           .argument_words = words_of(kernel),
                           .lines = c->lines,
                           .line_count = c->line_count,
                           .private_memory = c->frame ? c->frame : f->private_memory};
    unit->extended |= c->extended;
    *code = (buf){0};
    c->lines = NULL;
}

/* Keeps the kernel as it was in its file. */
static bool keep_original(wbin_unit *unit, const ir_func *f, const wbin_kernel *kernel) {
    const fe_kernel *o = kernel->original;
    const fe_kernel_extras *extras = &o->extras;
    size_t line_size = extras->line_count * sizeof *extras->lines;
    uint8_t *code = malloc(o->info.code_size);
    fe_line *lines = malloc(line_size + 1);
    if (!code || !lines) {
        free(code);
        free(lines);
        return false;
    }
    memcpy(code, o->code, o->info.code_size);
    if (line_size)
        memcpy(lines, extras->lines, line_size);
    fe_record *record = &unit->records[unit->count];
    *record = (fe_record){.name = kernel->name,
                          .name_length = kernel->name ? strlen(kernel->name) : 0,
                          .registers = o->info.registers,
                          .local_memory = kernel->local_memory,
                          .code = code,
                          .code_size = o->info.code_size};
    memcpy(record->workgroup, f->workgroup, sizeof record->workgroup);
    fe_kernel_extras *kept = &unit->extras[unit->count++];
    *kept = *extras;
    kept->lines = lines;
    unit->extended |= unit->settings.extended;
    return true;
}

/* Whether the new code is estimated to be faster. */
static bool is_faster(const wb_code *c, wb_cost cost, const fe_kernel *original, bool *failed) {
    wb_cost before = {0};
    *failed = !wb_estimate_source(c, original, &before);
    return cost.few < before.few && cost.many < before.many;
}

bool wbin_add_kernel(wbin_unit *unit, ir_func *f, const wbin_kernel *kernel, wave_diags *diags) {
    wb_code c = {0};
    buf code = {0};
    if (!compile(unit, f, kernel, &c, diags)) {
        free_code(&c);
        return false;
    }
    wb_cost cost = {0};
    bool failed = false;
    bool ok = finish_code(&c, kernel->argument_count > 0, &code, &cost, diags);
    if (ok && !grow(unit))
        ok = no_memory(diags);
    if (ok && kernel->original && !is_faster(&c, cost, kernel->original, &failed))
        failed = failed || !keep_original(unit, f, kernel);
    else if (ok)
        keep(unit, &c, kernel, &code);
    ok = ok && (!failed || no_memory(diags));
    buf_free(&code);
    free_code(&c);
    return ok;
}

/* ---- The file ---- */

static uint32_t sections_of(const wbin_unit *unit) {
    uint32_t sections = 0;
    for (uint32_t k = 0; k < unit->count; k++) {
        const fe_kernel_extras *e = &unit->extras[k];
        sections |= e->argument_count ? 1u << FE_SECTION_ARGS : 0;
        sections |= e->line_count ? 1u << FE_SECTION_LINE : 0;
        sections |= e->private_memory ? 1u << FE_SECTION_PRIV : 0;
    }
    if (unit->settings.message_count)
        sections |= 1u << FE_SECTION_TEXT;
    if (unit->settings.constant_size)
        sections |= 1u << FE_SECTION_CNST;
    return sections;
}

bool wbin_write(const wbin_unit *unit, buf *out, wave_diags *diags) {
    const wbin_settings *s = &unit->settings;
    const fe_extras extras = {.sections = sections_of(unit),
                              .kernels = unit->extras,
                              .files = s->files,
                              .file_count = s->file_count,
                              .messages = s->messages,
                              .message_count = s->message_count,
                              .constants = s->constants,
                              .constant_size = s->constant_size};
    if (!fe_write_container(unit->records, unit->count, unit->extended, s->stripped, false, &extras,
                            out)) {
        diag_report(diags, DIAG_E_SIZE_LIMIT, &DIAG_NOWHERE, "the file is too large");
        return false;
    }
    return !out->failed || no_memory(diags);
}
