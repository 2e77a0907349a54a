/* From a decoded kernel and a launch to a machine ready to run: the dense program with rows, jumps
 * and handlers resolved, the memory of the waves, and their state at the start of a workgroup. */
#include "emu/draft.h"
#include "emu/machine.h"
#include "emu/views.h"

#include <stdlib.h>
#include <string.h>

/* ---- The program ---- */

typedef struct builder {
    emu_machine *m;
    uint32_t depth, max_depth; /* of ifs and loops */
    bool calls;
    uint32_t flags; /* ISA_… of all instructions */
    uint32_t fragment_count;
    uint16_t fragment[3][256]; /* 1 + number of the fragment, by bank and id */
} builder;

static uint16_t row(const emu_machine *m, uint32_t index) {
    return (uint16_t)(index * m->stride);
}

static uint16_t source_row(const emu_machine *m, uint32_t reg) {
    return row(m, reg < m->registers ? reg : m->registers + EMU_ROW_ZERO);
}

static uint16_t result_row(const emu_machine *m, uint32_t reg) {
    return row(m, reg < m->registers ? reg : m->registers + EMU_ROW_TRASH);
}

static void set_rows(const emu_machine *m, isa_role role, uint32_t reg, uint16_t *rows) {
    const unsigned count = isa_role_registers(role);
    const bool discarded = isa_role_discards(role) && reg == 0;
    for (unsigned k = 0; k < count; k++)
        rows[k] = discarded               ? row(m, m->registers + EMU_ROW_TRASH)
                  : isa_role_writes(role) ? result_row(m, reg + k)
                                          : source_row(m, reg + k);
}

static uint32_t fragment_rows(builder *b, unsigned bank, uint32_t id) {
    uint16_t *number = &b->fragment[bank][id];
    if (*number == 0)
        *number = (uint16_t)++b->fragment_count;
    return (*number - 1u) * 16u * b->m->stride;
}

static void set_operand(builder *b, emu_insn *out, unsigned field, isa_role role, uint32_t value) {
    uint16_t *const rows[ISA_FIELDS] = {out->rd, out->rs1, out->rs2, out->rs3, &out->rs3[1]};
    switch (role) {
    case ISA_ROLE_PW: out->pd = value & FE_OPERAND_PRED; break;
    case ISA_ROLE_PR: out->ps = value & FE_OPERAND_PRED; break;
    case ISA_ROLE_PN: out->ps = (uint8_t)value; break;
    case ISA_ROLE_SR: out->value = value; break;
    case ISA_ROLE_FA: out->a = fragment_rows(b, 0, value); break;
    case ISA_ROLE_FB: out->b = fragment_rows(b, 1, value); break;
    case ISA_ROLE_FC: out->c = fragment_rows(b, 2, value); break;
    case ISA_ROLE_WTA:
    case ISA_ROLE_WTB:
    case ISA_ROLE_WTC:
    case ISA_ROLE_TA:
    case ISA_ROLE_TB:
    case ISA_ROLE_TC:
        out->tile[field] = (uint8_t)((role - ISA_ROLE_WTA) % 3 * ISA_TILES + value % ISA_TILES);
        break;
    case ISA_ROLE_ABTYPE:
    case ISA_ROLE_CTYPE: out->type = (uint8_t)value; break;
    case ISA_ROLE_PLACE: out->place = (uint8_t)value; break;
    default: set_rows(b->m, role, value, rows[field]); break;
    }
}

/* Special registers that differ from lane to lane are rows, and reading one is a move. */
static void set_special(const builder *b, emu_insn *out) {
    uint32_t extra;
    switch (out->value) {
    case ISA_SR_THREAD_ID_X: extra = EMU_ROW_THREAD_X; break;
    case ISA_SR_THREAD_ID_Y: extra = EMU_ROW_THREAD_Y; break;
    case ISA_SR_THREAD_ID_Z: extra = EMU_ROW_THREAD_Z; break;
    case ISA_SR_LANE_ID: extra = EMU_ROW_LANE; break;
    default:
        if (out->value < ISA_SPECIAL_COUNT)
            return;
        extra = EMU_ROW_ZERO; /* no such register, in a lenient module */
    }
    out->rs1[0] = row(b->m, b->m->registers + extra);
    out->run = b->m->handlers[ISA_MOV];
}

static void translate(builder *b, const fe_insn *insn, emu_insn *out) {
    const isa_desc *d = &isa_table[insn->op];
    out->run = b->m->handlers[insn->op];
    if (b->m->launch->flush_subnormals)
        out->run = emu_flush_handler((isa_op)insn->op, out->run);
    if (b->m->launch->scoped_memory)
        out->run = emu_views_handler((isa_op)insn->op, out->run);
    if (b->m->drafting)
        out->run = emu_draft_handler((isa_op)insn->op, out->run);
    out->op = insn->op;
    out->guard = insn->guard;
    switch ((isa_tail)d->tail) {
    case ISA_TAIL_IMM: out->value = insn->imm; break;
    case ISA_TAIL_SCOPE: out->value = insn->scope; break;
    default:
        if (d->flags & ISA_CONTROL)
            out->jump = insn->partner;
    }
    for (unsigned field = 0; field < ISA_FIELDS; field++)
        set_operand(b, out, field, (isa_role)d->role[field], insn->field[field]);
    if (insn->op == ISA_MOV_SR)
        set_special(b, out);
    b->calls |= insn->op == ISA_CALL;
    b->flags |= d->flags;
}

/* The index of the endif or endloop of an if or loop. */
static uint32_t closing(const fe_insn *insns, uint32_t opening) {
    uint32_t partner = insns[opening].partner;
    return insns[partner].op == ISA_ELSE ? insns[partner].partner : partner;
}

/* Walks backwards, so that what follows is known: `around` is the else, endif or endloop that
 * encloses a position, or the next return if none does. */
static void link_skips(builder *b) {
    const fe_insn *insns = b->m->kernel->insns;
    emu_insn *code = b->m->code;
    uint32_t around = b->m->kernel->info.instructions;
    for (uint32_t i = around; i-- > 0;) {
        const uint16_t op = insns[i].op;
        const bool control = (isa_table[op].flags & ISA_CONTROL) != 0;
        if (control)
            code[i].skip = around;
        if (op == ISA_ENDIF || op == ISA_ENDLOOP) {
            b->depth++;
            b->max_depth = b->depth > b->max_depth ? b->depth : b->max_depth;
            around = i;
        } else if (op == ISA_ELSE || (op == ISA_RETURN && b->depth == 0)) {
            around = i;
        } else if (op == ISA_IF || op == ISA_LOOP) {
            b->depth--;
            around = code[closing(insns, i)].skip;
        }
    }
}

static bool build_code(builder *b) {
    emu_machine *m = b->m;
    const uint32_t count = m->kernel->info.instructions;
    m->memory[0] = m->code = calloc((size_t)count + 1, sizeof *m->code);
    m->memory[1] = m->warned = calloc((size_t)count + 1, 1);
    if (!m->code || !m->warned)
        return false;
    for (uint32_t i = 0; i < count; i++)
        translate(b, &m->kernel->insns[i], &m->code[i]);
    m->code[count].run = emu_end_of_code;
    link_skips(b);
    return true;
}

uint32_t emu_registers_used(const fe_kernel *kernel) {
    uint32_t used = 0;
    for (uint32_t i = 0; i < kernel->info.instructions; i++) {
        const fe_insn *insn = &kernel->insns[i];
        for (unsigned field = 0; field < ISA_FIELDS; field++) {
            const unsigned count = isa_role_registers((isa_role)isa_table[insn->op].role[field]);
            if (count && insn->field[field] + count > used)
                used = insn->field[field] + count;
        }
    }
    return used;
}

/* ---- The waves ---- */

static void place_threads(const emu_machine *m, emu_wave *w) {
    uint32_t *extra = w->regs + (size_t)m->registers * m->stride;
    for (uint32_t lane = 0; lane < m->stride; lane++) {
        const uint32_t thread = w->number * m->width + (lane < w->count ? lane : 0);
        extra[EMU_ROW_THREAD_X * m->stride + lane] = thread % m->group[0];
        extra[EMU_ROW_THREAD_Y * m->stride + lane] = thread / m->group[0] % m->group[1];
        extra[EMU_ROW_THREAD_Z * m->stride + lane] = thread / m->group[0] / m->group[1];
        extra[EMU_ROW_LANE * m->stride + lane] = lane;
    }
}

static uint64_t low_bits(uint32_t count) {
    return count == 64 ? ~(uint64_t)0 : ((uint64_t)1 << count) - 1;
}

static bool build_waves(builder *b) {
    emu_machine *m = b->m;
    const size_t rows = ((size_t)m->registers + EMU_EXTRA_ROWS) * m->stride;
    const size_t fragments = (size_t)m->fragment_rows * m->stride;
    const uint32_t levels = b->calls ? ISA_MAX_CALL_DEPTH + 1 : 1;
    const uint32_t nest =
        b->max_depth * levels < ISA_MAX_DEPTH ? b->max_depth * levels : ISA_MAX_DEPTH;
    const size_t frames = (size_t)nest + levels; /* one spare */
    uint32_t *words = calloc(m->wave_count * (rows + fragments), sizeof *words);
    emu_frame *stack = calloc(m->wave_count * frames, sizeof *stack);
    m->memory[2] = words;
    m->memory[3] = stack;
    m->waves = calloc(m->wave_count, sizeof *m->waves);
    if (!words || !stack || !m->waves)
        return false;

    const uint32_t threads = m->group[0] * m->group[1] * m->group[2];
    for (uint32_t i = 0; i < m->wave_count; i++) {
        emu_wave *w = &m->waves[i];
        const uint32_t rest = threads - i * m->width;
        w->number = i;
        w->count = rest < m->width ? rest : m->width;
        w->groups = (w->count + EMU_GROUP - 1) / EMU_GROUP;
        w->all = low_bits(w->count);
        w->regs = words + i * (rows + fragments);
        w->fragments = w->regs + rows;
        w->frames = stack + i * frames;
        place_threads(m, w);
    }
    return true;
}

static bool build_tiles(emu_machine *m) {
    if (!(m->kernel->info.uses & WAVE_USES_TILE))
        return true;
    emu_tile *tiles = malloc((size_t)m->wave_count * EMU_TILES * sizeof *tiles);
    m->memory[4] = tiles;
    for (uint32_t i = 0; i < m->wave_count && tiles; i++)
        m->waves[i].tiles = tiles + (size_t)i * EMU_TILES;
    return tiles != NULL;
}

static bool build_local(emu_machine *m, bool used) {
    const wave_launch *launch = m->launch;
    m->local_size = launch->local_memory;
    m->local_fill = launch->poison ? launch->poison_byte : 0;
    m->local_used = used;
    m->local = malloc(m->local_size ? (size_t)m->local_size : 1);
    if (!m->local)
        return false;
    memset(m->local, m->local_fill, (size_t)m->local_size);
    return true;
}

/* Lanes that do not exist have memory too, but their addresses are never used. */
static bool build_private(emu_machine *m, bool used) {
    m->private_size = m->kernel->info.private_memory;
    if (!used || !m->private_size)
        return true;
    const size_t of_wave = m->width * (size_t)m->private_size;
    m->private_memory = malloc(m->wave_count * of_wave);
    for (uint32_t i = 0; i < m->wave_count && m->private_memory; i++)
        m->waves[i].private_memory = m->private_memory + i * of_wave;
    return m->private_memory != NULL;
}

static bool build_constants(emu_machine *m, bool used) {
    size_t size;
    const void *bytes = wave_module_constants(m->module, &size);
    m->constant_size = size;
    if (!used || !size)
        return true;
    m->constants = malloc(size);
    if (m->constants)
        memcpy(m->constants, bytes, size);
    return m->constants != NULL;
}

bool emu_prepare(emu_machine *m) {
    const wave_launch *launch = m->launch;
    builder b = {.m = m};
    m->handlers = emu_handlers(launch->cpu);
    m->registers = launch->registers;
    m->width = launch->wave_width;
    m->stride = (m->width + EMU_GROUP - 1) / EMU_GROUP * EMU_GROUP;
    memcpy(m->group, launch->workgroup, sizeof m->group);
    const uint32_t threads = m->group[0] * m->group[1] * m->group[2];
    m->wave_count = (threads + m->width - 1) / m->width;
    m->device = launch->device_memory;
    m->device_size = launch->device_size;
    m->random = launch->seed;

    uint32_t *sr = m->special;
    for (int i = 0; i < 3; i++) {
        sr[ISA_SR_WORKGROUP_SIZE_X + i] = m->group[i];
        sr[ISA_SR_GRID_SIZE_X + i] = launch->grid[i];
    }
    sr[ISA_SR_WAVE_WIDTH] = m->width;
    sr[ISA_SR_NUM_WAVES] = m->wave_count;
    sr[ISA_SR_MMA_SUPPORTED] = 1;
    sr[ISA_SR_MMA_M] = sr[ISA_SR_MMA_N] = sr[ISA_SR_MMA_K] = 4;
    sr[ISA_SR_TILE_M] = sr[ISA_SR_TILE_N] = sr[ISA_SR_TILE_K] = ISA_TILE_SIDE;

    if (!build_code(&b) || !emu_find_quiet(m))
        return false;
    m->fragment_rows = b.fragment_count * 16;
    if (launch->scoped_memory && !(m->views = emu_views_create(m)))
        return false;
    return build_waves(&b) && build_tiles(m) && build_local(m, b.flags & ISA_LOCAL) &&
           build_private(m, b.flags & ISA_PRIVATE) && build_constants(m, b.flags & ISA_CONSTANT);
}

static void begin_wave(const emu_machine *m, emu_wave *w) {
    memset(w->regs, 0, (size_t)m->registers * m->stride * sizeof *w->regs);
    memset(w->fragments, 0, (size_t)m->fragment_rows * m->stride * sizeof *w->fragments);
    memset(w->pred, 0, sizeof w->pred);
    for (uint32_t t = 0; t < EMU_TILES && w->tiles; t++)
        w->tiles[t].type = ISA_TILE_TYPES;
    const wave_launch *launch = m->launch;
    for (uint32_t r = 0; r < launch->initial_count && r < m->registers; r++)
        for (uint32_t lane = 0; lane < m->stride; lane++)
            w->regs[r * m->stride + lane] = launch->initial[r];
    w->next = m->code;
    w->active = w->live = w->all;
    w->depth = w->nest = w->calls = w->loop = w->call = 0;
}

void emu_begin_workgroup(emu_machine *m, const uint32_t workgroup[3]) {
    for (int i = 0; i < 3; i++) {
        m->workgroup[i] = workgroup[i];
        m->step.workgroup[i] = workgroup[i];
        m->special[ISA_SR_WORKGROUP_ID_X + i] = workgroup[i];
    }
    if (m->local_used && m->workgroups_begun > 0)
        memset(m->local, m->local_fill, (size_t)m->local_size);
    if (m->private_memory)
        memset(m->private_memory, m->local_fill,
               m->wave_count * m->width * (size_t)m->private_size);
    for (uint32_t i = 0; i < m->wave_count; i++)
        begin_wave(m, &m->waves[i]);
    m->ready = low_bits(m->wave_count);
    m->waiting = m->ended = 0;
    const uint64_t limit = m->launch->max_instructions;
    m->left = limit ? limit : UINT64_MAX;
    m->workgroups_begun++;
}

void emu_release(emu_machine *m) {
    for (size_t i = 0; i < sizeof m->memory / sizeof *m->memory; i++)
        free(m->memory[i]);
    emu_views_destroy(m->views);
    free(m->quiet);
    free(m->waves);
    free(m->local);
    free(m->private_memory);
    free(m->constants);
}
