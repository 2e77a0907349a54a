/* Filling, dumping and checking the device arena. Reading and printing only: execution is in the
 * library. */
#include "cli/emu_memory.h"

#include "cli/arguments.h"
#include "cli/emu_float.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_le(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t get_le(const uint8_t *at, unsigned bytes) {
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)at[i] << (8 * i);
    return value;
}

static uint32_t f32_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ---- Before the run ---- */

static bool fits(const emu_arena *arena, uint64_t offset, uint64_t size, const char *what) {
    if (offset <= arena->size && size <= arena->size - offset)
        return true;
    cli_fail(EMU_ERROR,
             "%s does not fit: %" PRIu64 " bytes at 0x%" PRIx64 ", the arena has %" PRIu64
             " (--device-memory)",
             what, size, offset, arena->size);
    return false;
}

static bool mark_initialised(emu_arena *arena, uint64_t offset, uint64_t size) {
    wave_range *range = emu_add(&arena->initialised, sizeof *range);
    if (range)
        *range = (wave_range){offset, size};
    return range != NULL;
}

/* i * scale, truncated, modulo the size of the type; 0 if it is infinite. A plain cast could be
 * undefined. */
static uint64_t whole_number(uint64_t i, double scale) {
    double value = trunc((double)i * scale);
    if (!isfinite(value))
        return 0;
    uint64_t magnitude = (uint64_t)fmod(fabs(value), 18446744073709551616.0);
    return value < 0 ? 0 - magnitude : magnitude;
}

static uint64_t iota_bits(const emu_fill *fill, uint64_t i) {
    uint32_t single = f32_bits((float)i * (float)fill->scale);
    double wide = (double)i * fill->scale;
    uint64_t bits;
    switch (fill->type) {
    case EMU_F16: return emu_f16_of_f32(single);
    case EMU_BF16: return emu_bf16_of_f32(single);
    case EMU_F32: return single;
    case EMU_F64: memcpy(&bits, &wide, sizeof bits); return bits;
    default: return whole_number(i, fill->scale);
    }
}

static bool apply_fill(emu_arena *arena, const emu_fill *fill, bool iota) {
    uint32_t size = emu_type_size(fill->type);
    uint64_t bytes = fill->count * size; /* both at most 2^32 */
    if (!fits(arena, fill->offset, bytes, iota ? "--fill-iota" : "--fill-zero"))
        return false;
    if (iota)
        for (uint64_t i = 0; i < fill->count; i++)
            put_le(arena->data + fill->offset + i * size, iota_bits(fill, i), size);
    else
        memset(arena->data + fill->offset, 0, (size_t)bytes);
    return mark_initialised(arena, fill->offset, bytes);
}

static bool apply_file(emu_arena *arena, const emu_file *file) {
    cli_input input;
    if (!cli_read(EMU_ERROR, file->path, CLI_MOST_DATA, &input))
        return false;
    bool good = fits(arena, file->offset, input.size, file->path);
    if (good && input.size)
        memcpy(arena->data + file->offset, input.data, input.size);
    good = good && mark_initialised(arena, file->offset, input.size);
    cli_close(&input);
    return good;
}

static uint32_t dump_unit(emu_dump_kind kind) {
    static const uint8_t unit[EMU_DUMP_KINDS] = {1, 4, 4, 2, 2};
    return unit[kind];
}

static bool check_places(const emu_arena *arena, const emu_options *o) {
    static const char *const names[EMU_DUMP_KINDS] = {"--dump-memory", "--dump-u32", "--dump-f32",
                                                      "--dump-f16", "--dump-bf16"};
    for (unsigned kind = 0; kind < EMU_DUMP_KINDS; kind++) {
        const emu_dump *dumps = o->dumps[kind].at;
        uint32_t unit = dump_unit((emu_dump_kind)kind);
        for (size_t i = 0; i < o->dumps[kind].count; i++)
            if (!fits(arena, dumps[i].offset, dumps[i].count * unit, names[kind]))
                return false;
    }
    const emu_assertion *assertions = o->assertions.at;
    for (size_t i = 0; i < o->assertions.count; i++)
        if (!fits(arena, assertions[i].offset, 4,
                  assertions[i].is_float ? "--assert-f32" : "--assert-u32"))
            return false;
    return true;
}

/* The contents of buffers that have been placed. */
static bool fill_buffers(emu_arena *arena, const emu_options *o) {
    const arg_named *all = o->arguments.at;
    for (size_t k = 0; k < o->arguments.count; k++) {
        if (!arg_needs_place(&all[k]) || !all[k].path || !all[k].size)
            continue;
        memcpy(arena->data + all[k].offset, all[k].file.data, (size_t)all[k].size);
        if (!mark_initialised(arena, all[k].offset, all[k].size))
            return false;
    }
    return true;
}

/* Resolves dumps that name an argument to its place. */
static bool find_dumps(emu_options *o) {
    const arg_named *all = o->arguments.at;
    for (unsigned kind = 0; kind < EMU_DUMP_KINDS; kind++) {
        emu_dump *dumps = o->dumps[kind].at;
        for (size_t i = 0; i < o->dumps[kind].count; i++) {
            size_t k = 0;
            while (k < o->arguments.count && strcmp(all[k].name, dumps[i].name) != 0)
                k++;
            bool buffer = k < o->arguments.count && all[k].is->kind == WAVE_ARGUMENT_BUFFER;
            if (*dumps[i].name && !buffer) {
                cli_fail(EMU_TOOL, "no buffer %s was given with --arg", dumps[i].name);
                return false;
            }
            if (*dumps[i].name)
                dumps[i].offset = all[k].offset;
        }
    }
    return true;
}

int emu_arena_prepare(emu_arena *arena, emu_options *o) {
    const emu_fill *zeros = o->zeros.at, *iotas = o->iotas.at;
    const emu_file *files = o->files.at;
    *arena = (emu_arena){.size = o->launch.device_size};
    arena->data = arena->size < SIZE_MAX ? calloc((size_t)arena->size + 1, 1) : NULL;
    if (!arena->data)
        return cli_fail(EMU_ERROR, "out of memory: no arena of %" PRIu64 " bytes", arena->size);
    bool good = find_dumps(o) && check_places(arena, o) && fill_buffers(arena, o);
    for (size_t i = 0; good && i < o->zeros.count; i++)
        good = apply_fill(arena, &zeros[i], false);
    for (size_t i = 0; good && i < o->iotas.count; i++)
        good = apply_fill(arena, &iotas[i], true);
    for (size_t i = 0; good && i < o->files.count; i++)
        good = apply_file(arena, &files[i]);
    return good ? CLI_OK : CLI_USAGE;
}

void emu_arena_free(emu_arena *arena) {
    free(arena->data);
    free(arena->initialised.at);
}

/* ---- After the run ---- */

void emu_hex_lines(FILE *out, const uint8_t *data, uint64_t start, uint64_t count) {
    for (uint64_t line = 0; line < count; line += 16) {
        unsigned length = count - line < 16 ? (unsigned)(count - line) : 16;
        const uint8_t *bytes = data + line;
        fprintf(out, "%08" PRIx64 ": ", start + line);
        for (unsigned i = 0; i < 16; i++) {
            if (i == 8)
                fputc(' ', out);
            if (i < length)
                fprintf(out, "%02x ", bytes[i]);
            else
                fputs("   ", out);
        }
        fputs(" |", out);
        for (unsigned i = 0; i < length; i++)
            fputc(bytes[i] >= 0x20 && bytes[i] < 0x7F ? bytes[i] : '.', out);
        fputs("|\n", out);
    }
}

static void dump_value(const uint8_t *at, emu_dump_kind kind) {
    char text[EMU_FLOAT_TEXT];
    uint32_t value = get_le(at, dump_unit(kind));
    switch (kind) {
    case EMU_DUMP_F32: emu_f32_text(value, text); break;
    case EMU_DUMP_F16: emu_f16_text((uint16_t)value, text); break;
    case EMU_DUMP_BF16: emu_bf16_text((uint16_t)value, text); break;
    default: cli_printf("%" PRIu32 "\n", value); return;
    }
    cli_printf("%s\n", text);
}

static void dump(const emu_arena *arena, const emu_dump *what, emu_dump_kind kind) {
    const uint8_t *from = arena->data + what->offset;
    if (kind == EMU_DUMP_HEX) {
        cli_printf("Device memory 0x%08" PRIx64 "-0x%08" PRIx64 ":\n", what->offset,
                   what->offset + what->count);
        emu_hex_lines(stdout, from, what->offset, what->count);
        return;
    }
    uint32_t unit = dump_unit(kind);
    for (uint64_t i = 0; i < what->count; i++)
        dump_value(from + i * unit, kind);
}

void emu_arena_dump(const emu_arena *arena, const emu_options *o) {
    for (unsigned kind = 0; kind < EMU_DUMP_KINDS; kind++) {
        const emu_dump *dumps = o->dumps[kind].at;
        for (size_t i = 0; i < o->dumps[kind].count; i++)
            dump(arena, &dumps[i], (emu_dump_kind)kind);
    }
}

/* A NaN equals any NaN; an infinity equals itself. */
static bool close_enough(const emu_assertion *assertion, float value) {
    float expected = assertion->number;
    if (isnan(expected) || isnan(value))
        return isnan(expected) && isnan(value);
    if (isinf(expected) || isinf(value))
        return expected == value;
    return fabs((double)value - (double)expected) <= assertion->tolerance;
}

static void report_assertion(const emu_assertion *a, uint32_t bits, bool json) {
    char value[EMU_FLOAT_TEXT], expected[EMU_FLOAT_TEXT];
    if (a->is_float) {
        emu_f32_text(bits, value);
        emu_f32_text(f32_bits(a->number), expected);
    } else {
        (void)snprintf(value, sizeof value, "%" PRIu32, bits);
        (void)snprintf(expected, sizeof expected, "%" PRIu32, a->integer);
    }
    const char *type = a->is_float ? "f32" : "u32";
    if (json) {
        fprintf(stderr,
                "{\"assertion\":\"%s\",\"address\":%" PRIu64
                ",\"value\":\"%s\",\"expected\":\"%s\"}\n",
                type, a->offset, value, expected);
        return;
    }
    fprintf(stderr, "Error: assertion failed: %s at 0x%" PRIx64 " is %s, expected %s", type,
            a->offset, value, expected);
    if (a->tolerance > 0)
        fprintf(stderr, " within %g", a->tolerance);
    fputc('\n', stderr);
}

size_t emu_arena_assert(const emu_arena *arena, const emu_options *o) {
    const emu_assertion *assertions = o->assertions.at;
    size_t failed = 0;
    for (size_t i = 0; i < o->assertions.count; i++) {
        const emu_assertion *a = &assertions[i];
        uint32_t bits = get_le(arena->data + a->offset, 4);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (a->is_float ? close_enough(a, value) : bits == a->integer)
            continue;
        report_assertion(a, bits, o->reading.diagnostics == CLI_DIAG_JSON);
        failed++;
    }
    return failed;
}
