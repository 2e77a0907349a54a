/* The checker for uninitialised reads: bytes of local, private and device memory, and registers
 * beyond the supplied argument words. Each instruction reports each register once, memory once and
 * each tile operand once. Predicates and MMA fragments are not checked: they are false and zero
 * initially by definition. */
#include "emu/check_who.h"
#include "emu/checks.h"
#include "isa/tile.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAGE_BITS = 12,
    PAGE_BYTES = 1 << PAGE_BITS,
    MAX_REPORTS = 4096,
    REPORTED_MEMORY = 1 << 20, /* bits 0 … 19: register k of field f is bit 4 * f + k */
    REPORTED_TILE = 1 << 21    /* the tile of the first field; the other fields follow */
};

typedef struct uninit {
    const fe_kernel *kernel;
    const wave_launch *launch;
    wave_diags *diags;
    wave_status status;
    uint32_t registers;
    uint32_t waves;
    uint64_t *written;  /* [wave][register]: lanes that have a value */
    uint64_t *tiles;    /* [wave]: tiles that have a value, 16 bits per bank */
    uint32_t *reported; /* by instruction */
    uint32_t reports;
    uint8_t *local; /* one bit per byte */
    size_t local_size;
    uint8_t *lanes; /* private memory of all lanes, also one bit per byte */
    size_t private_size;
    uint8_t **pages; /* of device memory, one bit per byte; NULL: nothing written */
    size_t page_count;
    uint8_t all_written; /* its address represents the bitmap of a fully written page */
} uninit;

/* ---- Bitmaps ---- */

static void set_bits(uint8_t *bits, uint64_t from, uint64_t count) {
    for (; count && (from & 7); from++, count--)
        bits[from >> 3] |= (uint8_t)(1u << (from & 7));
    memset(bits + (from >> 3), 0xFF, (size_t)(count >> 3));
    for (from += count & ~(uint64_t)7, count &= 7; count; from++, count--)
        bits[from >> 3] |= (uint8_t)(1u << (from & 7));
}

static bool get_bit(const uint8_t *bits, uint64_t at) {
    return bits[at >> 3] >> (at & 7) & 1;
}

static void mark_device(uninit *u, uint64_t from, uint64_t count) {
    while (count) {
        uint8_t **page = &u->pages[from >> PAGE_BITS];
        uint64_t inside = from & (PAGE_BYTES - 1);
        uint64_t length = count < PAGE_BYTES - inside ? count : PAGE_BYTES - inside;
        if (length == PAGE_BYTES) {
            if (*page != &u->all_written)
                free(*page);
            *page = &u->all_written;
        }
        if (!*page && !(*page = calloc(PAGE_BYTES / 8, 1))) {
            u->status = WAVE_ERROR_MEMORY;
            return;
        }
        if (*page != &u->all_written)
            set_bits(*page, inside, length);
        from += length;
        count -= length;
    }
}

static bool device_written(const uninit *u, uint64_t at) {
    const uint8_t *page = u->pages[at >> PAGE_BITS];
    return page == &u->all_written || (page && get_bit(page, at & (PAGE_BYTES - 1)));
}

/* ---- Reports ---- */

static bool first_report(uninit *u, const wave_step *step, uint32_t bit) {
    if (u->status == WAVE_OK)
        u->status = WAVE_ERROR_INPUT;
    if (u->reported[step->index] & bit || u->reports == MAX_REPORTS)
        return false;
    u->reported[step->index] |= bit;
    u->reports++;
    return diag_has_room(u->diags);
}

/* Text of the instruction, and of the lane at the start of every message. */
static bool place_of(uninit *u, const wave_step *step, uint32_t lane, buf *text, buf *who,
                     diag_place *place) {
    const fe_insn *insns = u->kernel->insns;
    fe_insn_text(text, &insns[step->index], insns, (unsigned)u->launch->kernel);
    check_who(who, u->launch, step->workgroup, step->wave, lane);
    buf_char(who, '\0');
    bool failed = text->failed || who->failed;
    if (failed)
        u->status = WAVE_ERROR_MEMORY;
    *place = DIAG_NOWHERE;
    place->kernel = u->kernel->info.name;
    place->offset = step->pc;
    place->text = (const char *)text->data;
    place->text_length = text->size;
    return !failed;
}

static void report_register(uninit *u, const wave_step *step, uint32_t reg, uint32_t lane,
                            uint32_t bit) {
    if (!first_report(u, step, bit))
        return;
    buf text = {0}, who = {0};
    diag_place place;
    if (place_of(u, step, lane, &text, &who, &place)) {
        place.hint = reg < u->kernel->info.argument_words
                         ? "write it first, or supply it as an argument word"
                         : "write it on every path that leads here";
        diag_report(
            u->diags, DIAG_E_UNINIT, &place,
            "%s: r%u is read at PC 0x%04x before it is written (argument words supplied: %u)",
            (const char *)who.data, (unsigned)reg, (unsigned)step->pc,
            (unsigned)u->launch->initial_count);
    }
    buf_free(&text);
    buf_free(&who);
}

static void report_memory(uninit *u, const wave_step *step, const wave_access *access,
                          uint64_t byte) {
    if (!first_report(u, step, REPORTED_MEMORY))
        return;
    static const char *const hints[WAVE_SPACE_COUNT] = {
        [WAVE_SPACE_LOCAL] = "local memory has no defined contents until a lane stores to it",
        [WAVE_SPACE_PRIVATE] = "private memory has no defined contents until its lane stores to it",
        [WAVE_SPACE_DEVICE] = "store to it first, or initialise it before the launch"};
    buf text = {0}, who = {0};
    diag_place place;
    if (place_of(u, step, access->lane, &text, &who, &place)) {
        place.hint = hints[access->space];
        diag_report(
            u->diags, DIAG_E_UNINIT, &place,
            "%s: %s memory at 0x%llx is read at PC 0x%04x (%u bytes at 0x%x) before it is written",
            (const char *)who.data, wave_space_name(access->space), (unsigned long long)byte,
            (unsigned)step->pc, (unsigned)access->bytes, (unsigned)access->address);
    }
    buf_free(&text);
    buf_free(&who);
}

static void report_tile(uninit *u, const wave_step *step, uint32_t bank, uint32_t tile,
                        uint32_t bit) {
    if (!first_report(u, step, bit))
        return;
    const char name = "ABC"[bank];
    buf text = {0}, who = {0};
    diag_place place;
    if (place_of(u, step, 0, &text, &who, &place)) {
        place.hint = "load it first, or fill it";
        diag_report(u->diags, DIAG_E_UNINIT, &place,
                    "%s: t%u of bank %c is read at PC 0x%04x before it is written",
                    (const char *)who.data, (unsigned)tile, name, (unsigned)step->pc);
    }
    buf_free(&text);
    buf_free(&who);
}

/* ---- Tiles ---- */

static void check_tile(uninit *u, const wave_step *step, isa_role role, uint32_t tile,
                       unsigned field) {
    const bool writes = role <= ISA_ROLE_WTC;
    const uint32_t bank = (role - ISA_ROLE_WTA) % 3;
    const uint64_t bit = (uint64_t)1 << (bank * ISA_TILES + tile);
    if (!writes && !(u->tiles[step->wave] & bit))
        report_tile(u, step, bank, tile, (uint32_t)REPORTED_TILE << field);
}

static void mark_tile(uninit *u, const wave_step *step, const fe_insn *insn, isa_role role) {
    if (role < ISA_ROLE_WTA || role > ISA_ROLE_WTC)
        return;
    u->tiles[step->wave] |= (uint64_t)1
                            << ((role - ISA_ROLE_WTA) * ISA_TILES + insn->field[ISA_FIELD_RD]);
}

/* ---- Registers ---- */

static uint32_t lowest_lane(uint64_t lanes) {
    uint32_t lane = 0;
    while (!(lanes >> lane & 1))
        lane++;
    return lane;
}

/* The bit of a register at an instruction: that of the first field that reads it. */
static uint32_t register_bit(const fe_insn *insn, uint32_t reg) {
    const isa_desc *desc = &isa_table[insn->op];
    unsigned field = 0;
    for (; field + 1 < ISA_FIELDS; field++) {
        isa_role role = (isa_role)desc->role[field];
        uint32_t first = insn->field[field], count = isa_role_registers(role);
        if (!isa_role_writes(role) && reg >= first && reg < first + count)
            break;
    }
    return (uint32_t)1 << (4 * field + (reg - insn->field[field]) % 4);
}

/* Checks that the lanes have a value in the register. */
static void check_lanes(uninit *u, const wave_step *step, uint32_t reg, uint64_t lanes) {
    if (reg >= u->registers)
        return; /* lenient mode: reads 0 by definition */
    uint64_t written = u->written[(size_t)step->wave * u->registers + reg];
    uint64_t lacking = lanes & ~written;
    if (lacking)
        report_register(u, step, reg, lowest_lane(lacking),
                        register_bit(&u->kernel->insns[step->index], reg));
}

/* The lanes whose value a shuffle actually reads: sources that participate. */
static uint64_t shuffle_sources(const wave_step *step, const fe_insn *insn) {
    uint64_t sources = 0;
    uint8_t by = insn->field[ISA_FIELD_RS2];
    for (uint32_t lane = 0; lane < step->wave_width; lane++) {
        if (!(step->executing >> lane & 1))
            continue;
        uint64_t amount = wave_step_register(step, by, lane), from = amount;
        switch (insn->op) {
        case ISA_WAVE_SHUFFLE_UP: from = amount > lane ? UINT64_MAX : lane - amount; break;
        case ISA_WAVE_SHUFFLE_DOWN: from = lane + amount; break;
        case ISA_WAVE_SHUFFLE_XOR: from = lane ^ amount; break;
        default: break;
        }
        if (from < step->wave_width)
            sources |= (uint64_t)1 << from;
        if (insn->op == ISA_WAVE_BROADCAST)
            break; /* the lowest executing lane chooses for all */
    }
    return sources & step->executing;
}

static uint64_t predicate_lanes(const wave_step *step, uint32_t predicate) {
    uint64_t lanes = 0;
    for (uint32_t lane = 0; lane < step->wave_width; lane++)
        lanes |= (uint64_t)wave_step_predicate(step, predicate, lane) << lane;
    return lanes;
}

/* The lanes for which the instruction uses the value of a field: a select uses one of its two. */
static uint64_t lanes_using(const wave_step *step, const fe_insn *insn, unsigned field) {
    uint64_t lanes = step->executing;
    switch (insn->op) {
    case ISA_SELECT: {
        uint64_t chosen = predicate_lanes(step, insn->field[ISA_FIELD_RS1] & FE_OPERAND_PRED);
        return field == ISA_FIELD_RS2 ? lanes & chosen : lanes & ~chosen;
    }
    case ISA_WAVE_BROADCAST:
        if (field == ISA_FIELD_RS2)
            return lanes & (~lanes + 1);
        return shuffle_sources(step, insn);
    case ISA_WAVE_SHUFFLE:
    case ISA_WAVE_SHUFFLE_UP:
    case ISA_WAVE_SHUFFLE_DOWN:
    case ISA_WAVE_SHUFFLE_XOR: return field == ISA_FIELD_RS1 ? shuffle_sources(step, insn) : lanes;
    default: return lanes;
    }
}

static void mark_written(uninit *u, const wave_step *step, const fe_insn *insn, isa_role role) {
    uint32_t reg = insn->field[ISA_FIELD_RD];
    if (isa_role_discards(role) && reg == 0)
        return;
    for (unsigned k = 0; k < isa_role_registers(role); k++)
        if (reg + k < u->registers)
            u->written[(size_t)step->wave * u->registers + reg + k] |= step->executing;
}

static bool on_before(void *user, const wave_step *step) {
    uninit *u = user;
    const fe_insn *insn = &u->kernel->insns[step->index];
    const isa_desc *desc = &isa_table[insn->op];
    if (!step->executing)
        return true;
    for (unsigned field = 0; field < ISA_FIELDS; field++) {
        isa_role role = (isa_role)desc->role[field];
        unsigned registers = isa_role_registers(role);
        if (isa_role_is_tile(role))
            check_tile(u, step, role, insn->field[field], field);
        if (!registers || isa_role_writes(role))
            continue;
        uint64_t lanes = lanes_using(step, insn, field);
        for (unsigned part = 0; part < registers; part++)
            check_lanes(u, step, insn->field[field] + part, lanes);
    }
    if (isa_role_writes((isa_role)desc->role[ISA_FIELD_RD]))
        mark_written(u, step, insn, (isa_role)desc->role[ISA_FIELD_RD]);
    mark_tile(u, step, insn, (isa_role)desc->role[ISA_FIELD_RD]);
    return true;
}

/* ---- Memory ---- */

/* The bits of a space that has a bitmap, and its size in bytes. NULL: device memory. */
static uint8_t *bits_of(const uninit *u, wave_space space, uint64_t *size) {
    *size = space == WAVE_SPACE_LOCAL     ? u->local_size
            : space == WAVE_SPACE_PRIVATE ? u->private_size
                                          : (uint64_t)u->page_count << PAGE_BITS;
    return space == WAVE_SPACE_LOCAL ? u->local : space == WAVE_SPACE_PRIVATE ? u->lanes : NULL;
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    uninit *u = user;
    uint64_t from = access->address, end = from + access->bytes, size;
    uint8_t *bits = bits_of(u, access->space, &size);
    if (access->space == WAVE_SPACE_CONSTANT || (!bits && !u->pages))
        return; /* everything counts as initialised */
    if (end > size)
        return;
    uint64_t lane = (uint64_t)step->wave * step->wave_width + access->lane;
    uint64_t first = access->space == WAVE_SPACE_PRIVATE ? lane * size : 0; /* of its bits */
    if (access->kind != WAVE_STORE && access->kind != WAVE_ATOMIC_STORE)
        for (uint64_t at = from; at < end; at++)
            if (!(bits ? get_bit(bits, first + at) : device_written(u, at))) {
                report_memory(u, step, access, at);
                break;
            }
    if (access->kind == WAVE_LOAD || access->kind == WAVE_ATOMIC_LOAD)
        return;
    if (bits)
        set_bits(bits, first + from, end - from);
    else
        mark_device(u, from, end - from);
}

static size_t private_bytes(const uninit *u) {
    return u->private_size * u->waves * u->launch->wave_width / 8 + 1;
}

static void on_workgroup(void *user, const uint32_t workgroup[3]) {
    uninit *u = user;
    (void)workgroup;
    memset(u->local, 0, u->local_size / 8 + 1);
    memset(u->lanes, 0, private_bytes(u));
    memset(u->tiles, 0, u->waves * sizeof *u->tiles);
    for (uint32_t wave = 0; wave < u->waves; wave++)
        for (uint32_t reg = 0; reg < u->registers; reg++)
            u->written[(size_t)wave * u->registers + reg] =
                reg < u->launch->initial_count ? UINT64_MAX : 0;
}

/* ---- Creation and destruction ---- */

static void destroy(uninit *u) {
    for (size_t i = 0; u->pages && i < u->page_count; i++)
        if (u->pages[i] != &u->all_written)
            free(u->pages[i]);
    free(u->pages);
    free(u->local);
    free(u->lanes);
    free(u->reported);
    free(u->written);
    free(u->tiles);
    free(u);
}

static bool mark_initialised(uninit *u) {
    uint64_t size = u->launch->device_size;
    u->page_count = (size_t)(size >> PAGE_BITS) + 1;
    u->pages = calloc(u->page_count, sizeof *u->pages);
    if (!u->pages)
        return false;
    for (size_t i = 0; i < u->launch->initialised_count; i++) {
        const wave_range *range = &u->launch->initialised[i];
        uint64_t room = range->offset < size ? size - range->offset : 0;
        mark_device(u, range->offset, range->size < room ? range->size : room);
    }
    return u->status == WAVE_OK;
}

bool emu_uninit_create(const fe_kernel *kernel, const wave_module *module,
                       const wave_launch *launch, wave_diags *diags, wave_observer *out) {
    uninit *u = calloc(1, sizeof *u);
    if (!u)
        return false;
    const uint32_t *size = launch->workgroup;
    (void)module;
    u->kernel = kernel;
    u->launch = launch;
    u->diags = diags;
    u->registers = launch->registers;
    u->waves = (size[0] * size[1] * size[2] + launch->wave_width - 1) / launch->wave_width;
    u->written = calloc((size_t)u->waves * u->registers + 1, sizeof *u->written);
    u->tiles = calloc(u->waves, sizeof *u->tiles);
    u->reported = calloc((size_t)kernel->info.instructions + 1, sizeof *u->reported);
    u->local_size = launch->local_memory;
    u->local = calloc(u->local_size / 8 + 1, 1);
    u->private_size = kernel->info.private_memory;
    u->lanes = calloc(private_bytes(u), 1);
    if (!u->written || !u->tiles || !u->reported || !u->local || !u->lanes ||
        (launch->initialised_known && !mark_initialised(u))) {
        destroy(u);
        return false;
    }
    *out = (wave_observer){
        .user = u, .workgroup_begin = on_workgroup, .before = on_before, .access = on_access};
    return true;
}

wave_status emu_uninit_status(const wave_observer *observer) {
    return ((const uninit *)observer->user)->status;
}

void emu_uninit_destroy(wave_observer *observer) {
    destroy(observer->user);
}
