/* The contents of the known extension sections. A section is accepted only as a whole: each reader
 * stores its results at the end, when nothing was wrong. */
#include "base/text.h"
#include "frontend/inspect.h"
#include "frontend/ops.h"
#include "frontend/wbin.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENT_SIZE = 12, LINE_SIZE = 12, REGISTER_SIZE = 8 };

static bool wrong(wbin_ext *s, const char *what) {
    s->wrong = what;
    return false;
}

static bool no_memory(wbin_ext *s) {
    wbin_error(s->r, DIAG_E_MEMORY, s->offset, "out of memory");
    return wrong(s, "no memory");
}

static uint32_t left(const wbin_ext *s) {
    return s->size - s->at;
}

static bool take_u32(wbin_ext *s, uint32_t *value) {
    if (left(s) < 4)
        return wrong(s, "truncated");
    *value = fe_u32(s->data + s->at);
    s->at += 4;
    return true;
}

/* Bytes, and zeros up to the next multiple of 4. */
static bool take_padded(wbin_ext *s, uint32_t size, const uint8_t **bytes) {
    if (size > left(s))
        return wrong(s, "truncated");
    *bytes = s->data + s->at;
    s->at += size;
    for (; s->at % 4; s->at++)
        if (s->at == s->size || s->data[s->at] != 0)
            return wrong(s, "the padding is not zero");
    return true;
}

static bool at_end(wbin_ext *s) {
    return left(s) == 0 || wrong(s, "bytes follow the last record");
}

/* The per-kernel extras, allocated by the first section that has entries for kernels. */
static fe_kernel_extras *kernel_extras(wbin_ext *s) {
    fe_extras *extras = &s->r->out->extras;
    if (!extras->kernels)
        extras->kernels =
            arena_alloc(s->r->memory, s->r->out->record_count * sizeof *extras->kernels);
    return (fe_kernel_extras *)extras->kernels; /* mutable until the reader returns the module */
}

/* ---- String pools ---- */

typedef struct pool {
    const char *text;
    uint32_t size;
} pool;

static bool take_pool(wbin_ext *s, pool *names) {
    const uint8_t *bytes;
    if (!take_u32(s, &names->size) || !take_padded(s, names->size, &bytes))
        return false;
    if (names->size == 0 || bytes[0] != 0 || bytes[names->size - 1] != 0)
        return wrong(s, "the name pool does not start and end with a zero byte");
    for (size_t i = 0, step; i < names->size; i += step)
        if ((step = text_sequence(bytes + i, names->size - i)) == 0)
            return wrong(s, "the names are not UTF-8");
    names->text = (const char *)bytes;
    return true;
}

/* A name of the pool; NULL when there is none at that offset. `budget` bounds the total size of all
 * names, which may share the pool's strings. */
static const char *pooled_name(wbin_ext *s, const pool *names, uint32_t name, uint64_t *budget) {
    if (name >= names->size || (name > 0 && names->text[name - 1] != '\0')) {
        wrong(s, "a name is outside the name pool");
        return NULL;
    }
    const char *text = names->text + name;
    size_t most = names->size - name;
    const char *end = memchr(text, 0, most < *budget ? most : (size_t)*budget);
    if (!end) {
        wrong(s, "the names are longer than the file");
        return NULL;
    }
    *budget -= (uint64_t)(end - text);
    return text;
}

static uint32_t registers_of(const fe_record *record) {
    uint32_t count = record->registers ? record->registers : ISA_DEFAULT_REGISTERS;
    return count < ISA_MAX_REGISTERS ? count : ISA_MAX_REGISTERS;
}

/* ---- ARGS ---- */

static bool read_argument(wbin_ext *s, const pool *names, wave_argument *a, uint64_t *budget) {
    const uint8_t *at = s->data + s->at;
    *a = (wave_argument){.kind = at[4],
                         .type = at[5],
                         .access = at[6],
                         .flags = at[7],
                         .first_word = (uint16_t)(at[8] | at[9] << 8),
                         .words = (uint16_t)(at[10] | at[11] << 8)};
    a->name = pooled_name(s, names, fe_u32(at), budget);
    if (!a->name)
        return false;
    if (a->kind > WAVE_ARGUMENT_LOCAL || a->type >= WAVE_TYPE_COUNT || a->access > 3 ||
        a->flags > 3)
        return wrong(s, "an argument has an undefined kind, type, access or flags");
    bool bytes = a->kind == WAVE_ARGUMENT_SCALAR && a->type == WAVE_TYPE_BYTES;
    if (bytes ? a->words == 0
              : a->words != fe_argument_words((wave_argument_kind)a->kind, (wave_type)a->type))
        return wrong(s, "an argument has the wrong number of words");
    s->at += ARGUMENT_SIZE;
    return true;
}

static bool read_kernel_arguments(wbin_ext *s, const pool *names, const fe_record *record,
                                  fe_kernel_extras *kernel, uint64_t *budget) {
    uint32_t count, words = 0, limit = registers_of(record);
    if (!take_u32(s, &count))
        return false;
    if (count > left(s) / ARGUMENT_SIZE)
        return wrong(s, "truncated");
    wave_argument *list = count ? arena_alloc(s->r->memory, count * sizeof *list) : NULL;
    if (count && !list)
        return no_memory(s);
    for (uint32_t i = 0; i < count; i++) {
        if (!read_argument(s, names, &list[i], budget))
            return false;
        if (list[i].first_word != words)
            return wrong(s, "the words of the arguments have gaps or overlap");
        words += list[i].words;
        if (words > limit)
            return wrong(s, "there are more argument words than registers");
    }
    kernel->arguments = list;
    kernel->argument_count = count;
    kernel->argument_words = words;
    return true;
}

typedef bool read_kernel(wbin_ext *s, const pool *names, const fe_record *record,
                         fe_kernel_extras *kernel, uint64_t *budget);

/* A pool of names, then an entry per kernel, and nothing after that. */
static bool read_kernels(wbin_ext *s, fe_kernel_extras *kernels, read_kernel *read) {
    const fe_container *file = s->r->out;
    uint64_t budget = 4 * (uint64_t)s->r->size;
    pool names;
    if (!kernels)
        return no_memory(s);
    bool good = take_pool(s, &names);
    for (size_t i = 0; good && i < file->record_count; i++)
        good = read(s, &names, &file->records[i], &kernels[i], &budget);
    return good && at_end(s);
}

static void forget_arguments(fe_kernel_extras *kernels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        kernels[i].arguments = NULL;
        kernels[i].argument_count = kernels[i].argument_words = 0;
    }
}

bool wbin_read_args(wbin_ext *s) {
    fe_kernel_extras *kernels = kernel_extras(s);
    const bool good = read_kernels(s, kernels, read_kernel_arguments);
    if (!good && kernels)
        forget_arguments(kernels, s->r->out->record_count);
    return good;
}

/* ---- line ---- */

static bool list_files(wbin_ext *s, const pool *names, fe_extras *extras) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < names->size; i++)
        count += names->text[i] == '\0';
    const char **files = arena_alloc(s->r->memory, count * sizeof *files);
    if (!files)
        return no_memory(s);
    const char *at = names->text;
    for (uint32_t i = 0; i < count; i++) {
        files[i] = at;
        at += strlen(at) + 1;
    }
    extras->files = files;
    extras->file_count = count;
    return true;
}

static bool read_kernel_lines(wbin_ext *s, const fe_record *record, uint32_t file_count,
                              fe_kernel_extras *kernel) {
    uint32_t count;
    if (!take_u32(s, &count))
        return false;
    if (count > left(s) / LINE_SIZE)
        return wrong(s, "truncated");
    fe_line *lines = count ? arena_alloc(s->r->memory, count * sizeof *lines) : NULL;
    if (count && !lines)
        return no_memory(s);
    for (uint32_t i = 0; i < count; i++, s->at += LINE_SIZE) {
        const uint8_t *at = s->data + s->at;
        lines[i] = (fe_line){.offset = fe_u32(at),
                             .line = fe_u32(at + 4),
                             .file = (uint16_t)(at[8] | at[9] << 8),
                             .column = (uint16_t)(at[10] | at[11] << 8)};
        if (lines[i].offset % 4 || lines[i].offset >= record->code_size ||
            (i > 0 && lines[i].offset <= lines[i - 1].offset))
            return wrong(s, "code offsets do not ascend or are outside the kernel");
        if (lines[i].file >= file_count)
            return wrong(s, "a file name is outside the name pool");
    }
    kernel->lines = lines;
    kernel->line_count = count;
    return true;
}

bool wbin_read_lines(wbin_ext *s) {
    fe_container *file = s->r->out;
    fe_kernel_extras *kernels = kernel_extras(s);
    pool names;
    if (!kernels)
        return no_memory(s);
    bool good = take_pool(s, &names) && list_files(s, &names, &file->extras);
    for (size_t i = 0; good && i < file->record_count; i++)
        good = read_kernel_lines(s, &file->records[i], file->extras.file_count, &kernels[i]);
    good = good && at_end(s);
    for (size_t i = 0; !good && i < file->record_count; i++) {
        kernels[i].lines = NULL;
        kernels[i].line_count = 0;
    }
    return good;
}

bool fe_check_lines(fe_context *context, fe_kernel *kernel) {
    if (!kernel->extras.line_count)
        return true;
    const fe_line *line = kernel->extras.lines, *end = line + kernel->extras.line_count;
    const fe_insn *insn = kernel->insns, *last = insn + kernel->info.instructions;
    for (; line < end && insn < last; insn++)
        if (insn->pc == line->offset)
            line++;
    if (line == end)
        return true;
    bool strict = context->options.mode == WAVE_MODE_STRICT;
    fe_report(context, strict ? WAVE_ERROR : WAVE_WARNING,
              strict ? DIAG_E_EXT_SECTION : DIAG_W_EXT_SECTION, NULL, NULL,
              "section 'line': a record does not point to the start of an instruction");
    kernel->extras.lines = NULL;
    kernel->extras.line_count = 0;
    return !strict;
}

/* ---- text ---- */

static int compare_messages(const void *left_one, const void *right_one) {
    const fe_message *a = left_one, *b = right_one;
    return a->id < b->id ? -1 : a->id > b->id;
}

static uint32_t count_messages(wbin_ext *s) {
    uint32_t count = 0, id, length;
    const uint8_t *text;
    for (; left(s) > 0; count++)
        if (!take_u32(s, &id) || !take_u32(s, &length) || !take_padded(s, length, &text))
            return UINT32_MAX;
    s->at = 0;
    return count;
}

bool wbin_read_messages(wbin_ext *s) {
    uint32_t count = count_messages(s);
    if (count == UINT32_MAX)
        return false;
    fe_message *list = count ? arena_alloc(s->r->memory, count * sizeof *list) : NULL;
    if (count && !list)
        return no_memory(s);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *text;
        if (!take_u32(s, &list[i].id) || !take_u32(s, &list[i].length) ||
            !take_padded(s, list[i].length, &text))
            return false; /* impossible: they were counted */
        list[i].text = (const char *)text;
    }
    if (count)
        qsort(list, count, sizeof *list, compare_messages);
    for (uint32_t i = 1; i < count; i++)
        if (list[i].id == list[i - 1].id)
            return wrong(s, "duplicate message id");
    s->r->out->extras.messages = list;
    s->r->out->extras.message_count = count;
    return true;
}

/* ---- PRIV, CNST ---- */

bool wbin_read_private(wbin_ext *s) {
    size_t count = s->r->out->record_count;
    fe_kernel_extras *kernels = kernel_extras(s);
    if (!kernels)
        return no_memory(s);
    if (s->size != 4 * (uint64_t)count)
        return wrong(s, "the size is not 4 bytes per kernel");
    for (size_t i = 0; i < count; i++)
        if (fe_u32(s->data + 4 * i) > FE_MAX_PRIVATE)
            return wrong(s, "a kernel has more than 65536 bytes of private memory");
    for (size_t i = 0; i < count; i++)
        kernels[i].private_memory = fe_u32(s->data + 4 * i);
    return true;
}

bool wbin_read_constants(wbin_ext *s) {
    if (s->size > FE_MAX_CONSTANT)
        return wrong(s, "more than 65536 bytes");
    s->r->out->extras.constants = s->data;
    s->r->out->extras.constant_size = s->size;
    return true;
}

/* ---- regs ---- */

static bool read_register(wbin_ext *s, const pool *names, uint32_t limit, wave_register_name *r,
                          uint64_t *budget) {
    const uint8_t *at = s->data + s->at;
    *r = (wave_register_name){.predicate = at[4] == 1, .number = at[5], .width = at[6]};
    r->name = pooled_name(s, names, fe_u32(at), budget);
    if (!r->name)
        return false;
    if (!*r->name)
        return wrong(s, "a register has an empty name");
    bool width = r->width == 1 || (!r->predicate && (r->width == 2 || r->width == 4));
    if (at[4] > 1 || !width || at[7])
        return wrong(s, "a name has an undefined kind or width");
    if ((uint32_t)r->number + r->width > (r->predicate ? ISA_PREDICATES : limit))
        return wrong(s, "a name refers to a register that the kernel does not have");
    s->at += REGISTER_SIZE;
    return true;
}

static bool read_kernel_registers(wbin_ext *s, const pool *names, const fe_record *record,
                                  fe_kernel_extras *kernel, uint64_t *budget) {
    uint32_t count;
    if (!take_u32(s, &count))
        return false;
    if (count > left(s) / REGISTER_SIZE)
        return wrong(s, "truncated");
    wave_register_name *list = count ? arena_alloc(s->r->memory, count * sizeof *list) : NULL;
    if (count && !list)
        return no_memory(s);
    for (uint32_t i = 0; i < count; i++)
        if (!read_register(s, names, registers_of(record), &list[i], budget))
            return false;
    kernel->registers = list;
    kernel->register_count = count;
    return true;
}

bool wbin_read_registers(wbin_ext *s) {
    fe_kernel_extras *kernels = kernel_extras(s);
    const bool good = read_kernels(s, kernels, read_kernel_registers);
    for (size_t i = 0; !good && kernels && i < s->r->out->record_count; i++) {
        kernels[i].registers = NULL;
        kernels[i].register_count = 0;
    }
    return good;
}
