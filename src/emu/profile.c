/* The profiler: an observer that counts, for each instruction, executions, lanes, branch
 * directions, and how well its memory accesses suit the hardware. Rendering is elsewhere. */
#include "emu/profile.h"
#include "isa/tile.h"

#include <stdlib.h>
#include <string.h>

enum {
    BANKS = 32,        /* of local memory, 4 bytes wide */
    MAX_PER_LANE = 64, /* accesses of one lane in one instruction: at most a whole tile */
    MAX_WORDS = 4 * ISA_MAX_WIDTH /* a piece of a tile has 4 words; 8 unaligned bytes touch 3 */
};

typedef struct span {
    uint32_t address, bytes;
} span;

/* The accesses of the instruction that is executing. The k-th accesses of all lanes belong
 * together: hardware would issue them as one. */
typedef struct profile_pending {
    const fe_kernel *kernel;
    span spans[MAX_PER_LANE][ISA_MAX_WIDTH];
    uint32_t count[MAX_PER_LANE];
    uint8_t of_lane[ISA_MAX_WIDTH];
    bool any;
} profile_pending;

static const uint32_t segment_size[PROFILE_SEGMENTS] = {32, 64, 128};

static uint32_t lane_count(uint64_t lanes) {
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1)
        count++;
    return count;
}

/* ---- Memory ---- */

/* Insertion sort: the lanes are usually in ascending order already. */
static void sort_spans(span *spans, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        span moving = spans[i];
        uint32_t at = i;
        for (; at > 0 && spans[at - 1].address > moving.address; at--)
            spans[at] = spans[at - 1];
        spans[at] = moving;
    }
}

static void sort_words(uint32_t *words, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moving = words[i], at = i;
        for (; at > 0 && words[at - 1] > moving; at--)
            words[at] = words[at - 1];
        words[at] = moving;
    }
}

/* The number of distinct bytes in sorted spans. */
static uint64_t covered(const span *spans, uint32_t count) {
    uint64_t bytes = 0, end = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t from = spans[i].address, to = from + spans[i].bytes;
        if (from < end)
            from = end;
        if (to > from)
            bytes += to - from;
        if (to > end)
            end = to;
    }
    return bytes;
}

/* The number of distinct aligned segments that sorted spans touch. */
static uint64_t touched(const span *spans, uint32_t count, uint32_t size) {
    uint64_t segments = 0, next = 0; /* the first segment not counted yet */
    for (uint32_t i = 0; i < count; i++) {
        uint64_t first = spans[i].address / size;
        uint64_t last = ((uint64_t)spans[i].address + spans[i].bytes - 1) / size;
        if (first < next)
            first = next;
        if (last < first)
            continue;
        segments += last - first + 1;
        next = last + 1;
    }
    return segments;
}

static void add_device(profile_row *row, span *spans, uint32_t count) {
    sort_spans(spans, count);
    uint64_t bytes = covered(spans, count);
    row->bytes += bytes;
    for (unsigned i = 0; i < PROFILE_SEGMENTS; i++) {
        row->segments[i] += touched(spans, count, segment_size[i]);
        row->ideal[i] += (bytes + segment_size[i] - 1) / segment_size[i];
    }
}

/* A bank delivers one word at a time, to every lane that requests it. */
static void add_local(profile_row *row, span *spans, uint32_t count) {
    uint32_t words[MAX_WORDS], word_count = 0, of_bank[BANKS] = {0}, distinct = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = (uint32_t)(((uint64_t)spans[i].address + spans[i].bytes - 1) / 4);
        for (uint32_t word = spans[i].address / 4; word <= last && word_count < MAX_WORDS; word++)
            words[word_count++] = word;
    }
    sort_words(words, word_count);
    for (uint32_t i = 0; i < word_count; i++) {
        if (i > 0 && words[i] == words[i - 1])
            continue;
        distinct++;
        uint32_t load = ++of_bank[words[i] % BANKS];
        if (load > most)
            most = load;
    }
    sort_spans(spans, count);
    row->bytes += covered(spans, count);
    row->passes += most;
    row->ideal_passes += (distinct + BANKS - 1) / BANKS;
    if (most > row->worst)
        row->worst = most;
}

/* Private memory: the same address is a different byte in each lane. */
static void add_private(profile_row *row, const span *spans, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        row->bytes += spans[i].bytes;
}

static void add_constant(profile_row *row, span *spans, uint32_t count) {
    sort_spans(spans, count);
    row->bytes += covered(spans, count);
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    wave_profile *profile = user;
    profile_pending *pending = profile->pending;
    uint8_t *turn = &pending->of_lane[access->lane];
    (void)step;
    if (*turn >= MAX_PER_LANE)
        return;
    pending->spans[*turn][pending->count[*turn]++] = (span){access->address, access->bytes};
    (*turn)++;
    pending->any = true;
}

static void forget_pending(profile_pending *pending) {
    memset(pending->count, 0, sizeof pending->count);
    memset(pending->of_lane, 0, sizeof pending->of_lane);
    pending->any = false;
}

static void on_after(void *user, const wave_step *step) {
    wave_profile *profile = user;
    profile_pending *pending = profile->pending;
    if (!pending->any || step->index >= profile->count)
        return;
    profile_row *row = &profile->rows[step->index];
    for (unsigned k = 0; k < MAX_PER_LANE && pending->count[k]; k++) {
        row->accesses++;
        row->lane_accesses += pending->count[k];
        if (row->device)
            add_device(row, pending->spans[k], pending->count[k]);
        else if (row->own)
            add_private(row, pending->spans[k], pending->count[k]);
        else if (row->constant)
            add_constant(row, pending->spans[k], pending->count[k]);
        else
            add_local(row, pending->spans[k], pending->count[k]);
    }
    forget_pending(pending);
}

/* ---- Execution ---- */

static void count_branch(profile_row *row, const wave_step *step, const fe_insn *insn) {
    uint8_t operand = insn->field[ISA_FIELD_RS1];
    uint64_t lanes = step->executing, going = 0;
    for (uint32_t lane = 0; lane < step->wave_width; lane++) {
        bool value = wave_step_predicate(step, operand & FE_OPERAND_PRED, lane);
        going |= (uint64_t)(value != ((operand & FE_OPERAND_NEG) != 0)) << lane;
    }
    going &= lanes;
    row->all += going == lanes;
    row->none += going == 0;
    row->split += going != 0 && going != lanes;
}

static bool on_before(void *user, const wave_step *step) {
    wave_profile *profile = user;
    if (profile->pending->any)
        forget_pending(profile->pending);
    if (step->index >= profile->count)
        return true;
    profile_row *row = &profile->rows[step->index];
    row->executions++;
    row->lanes += lane_count(step->executing);
    if (row->branch && step->executing)
        count_branch(row, step, &profile->pending->kernel->insns[step->index]);
    return true;
}

static void on_workgroup_end(void *user, const uint32_t workgroup[3]) {
    wave_profile *profile = user;
    (void)workgroup;
    profile->workgroups++;
}

/* ---- Creation and destruction ---- */

/* The line of each row. A name is stored again whenever the file changes. Long names are cut, so
 * that a hostile table that repeats a name stays small. */
static void fill_lines(wave_profile *profile, const wave_module *module, size_t kernel) {
    enum { LONGEST_NAME = 256 };
    const char *last = "";
    size_t at = 0;
    for (uint32_t i = 0; i < profile->count; i++) {
        profile_row *row = &profile->rows[i];
        wave_source_place place;
        if (!wave_module_source(module, kernel, row->pc, &place) || !place.line)
            continue;
        if (place.file != last && strcmp(place.file, last) != 0) {
            size_t length = strlen(place.file);
            at = *place.file ? profile->texts.size : 0;
            if (at)
                buf_bytes(&profile->texts, place.file,
                          length < LONGEST_NAME ? length : LONGEST_NAME);
            if (at)
                buf_char(&profile->texts, '\0');
        }
        last = place.file;
        row->file = at;
        row->line = place.line;
        profile->has_lines = true;
    }
}

static void fill_rows(wave_profile *profile, const fe_kernel *kernel, unsigned kernel_index) {
    uint32_t depth = 0;
    for (uint32_t i = 0; i < profile->count; i++) {
        const fe_insn *insn = &kernel->insns[i];
        const isa_desc *desc = &isa_table[insn->op];
        profile_row *row = &profile->rows[i];
        bool closes = insn->op == ISA_ENDIF || insn->op == ISA_ENDLOOP;
        if (closes && depth > 0)
            depth--;
        row->pc = insn->pc;
        row->depth = insn->op == ISA_ELSE && depth > 0 ? depth - 1 : depth;
        row->branch = insn->op == ISA_IF || insn->op == ISA_BREAK || insn->op == ISA_CONTINUE;
        row->device = desc->flags & ISA_DEVICE;
        row->local = desc->flags & ISA_LOCAL;
        if (row->device && row->local) { /* a tile, whose operand says where it is */
            row->device = insn->field[ISA_FIELD_RS4] & ISA_TILE_DEVICE;
            row->local = !row->device;
        }
        row->multiplies = insn->op == ISA_TILE_MMA;
        row->own = desc->flags & ISA_PRIVATE;
        row->constant = desc->flags & ISA_CONSTANT;
        row->text = profile->texts.size;
        fe_insn_text(&profile->texts, insn, kernel->insns, kernel_index);
        buf_char(&profile->texts, '\0');
        if (insn->op == ISA_IF || insn->op == ISA_LOOP)
            depth++;
    }
}

static char *copy_text(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

bool emu_profile_create(const fe_kernel *kernel, const wave_module *module,
                        const wave_launch *launch, wave_diags *diags, wave_profile **profile,
                        wave_observer *out) {
    (void)diags;
    wave_profile *made = calloc(1, sizeof *made);
    *profile = NULL;
    if (!made)
        return false;
    made->count = kernel->info.instructions;
    made->rows = calloc((size_t)made->count + 1, sizeof *made->rows);
    made->pending = calloc(1, sizeof *made->pending);
    made->kernel = copy_text(kernel->info.name);
    buf_char(&made->texts, '\0');
    if (made->rows && made->pending) {
        fill_rows(made, kernel, (unsigned)launch->kernel);
        fill_lines(made, module, launch->kernel);
    }
    if (!made->rows || !made->pending || !made->kernel || made->texts.failed) {
        wave_profile_destroy(made);
        return false;
    }
    made->pending->kernel = kernel;
    memcpy(made->grid, launch->grid, sizeof made->grid);
    memcpy(made->group, launch->workgroup, sizeof made->group);
    made->width = launch->wave_width;
    *profile = made;
    *out = (wave_observer){.user = made,
                           .workgroup_end = on_workgroup_end,
                           .before = on_before,
                           .after = on_after,
                           .access = on_access};
    return true;
}

void wave_profile_destroy(wave_profile *profile) {
    if (!profile)
        return;
    free(profile->rows);
    free(profile->pending);
    free(profile->kernel);
    buf_free(&profile->texts);
    free(profile);
}
