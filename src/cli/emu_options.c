/* The options of wave-emu: the table, its help, and the syntax of their values. */
#include "cli/emu_options.h"

#include "cli/arguments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* With --test these come from the file. */
    OPT_GRID = 1,
    OPT_WORKGROUP,
    OPT_REGISTERS,
    OPT_LOCAL,
    OPT_DEVICE,
    OPT_KERNEL,
    OPT_ARG,
    OPT_SET_REG,
    OPT_IOTA,
    OPT_ZERO,
    /* The rest of the launch. */
    OPT_WIDTH,
    OPT_LIMIT,
    OPT_SCHEDULE,
    OPT_WAVE_ORDER,
    OPT_MEMORY,
    OPT_SUBNORMALS,
    OPT_MMA,
    OPT_CPU,
    OPT_JOBS,
    OPT_TEST,
    OPT_LEVEL,
    OPT_POISON,
    OPT_DUMP_MEMORY,
    OPT_DUMP_U32,
    OPT_DUMP_F32,
    OPT_DUMP_F16,
    OPT_DUMP_BF16,
    OPT_DUMP_REGS,
    OPT_STATS,
    OPT_ASSERT_U32,
    OPT_ASSERT_F32,
    OPT_CHECK,
    OPT_STRICT_ALIGN,
    OPT_TRACE,
    OPT_MEM_TRACE,
    OPT_TRACE_WAVE,
    OPT_TRACE_LANE,
    OPT_TRACE_PC,
    OPT_BREAK,
    OPT_PROFILE,
    OPT_OUTPUT
};

static const cli_option table[] = {
    {"", 0, 0, "", "Launch"},
    {"test", 0, OPT_TEST, "", "take the launch, memory and results from the file's ;@ lines"},
    {"optimise", 'O', OPT_LEVEL, "0|2",
     "-O2: run the output of wavec --target=wbin for the file (0)"},
    {"grid", 0, OPT_GRID, "X,Y,Z", "workgroups (1,1,1)"},
    {"workgroup", 0, OPT_WORKGROUP, "X,Y,Z",
     "threads of a workgroup, if the kernel declares none (32,1,1)"},
    {"wave-width", 0, OPT_WIDTH, "N", "lanes of a wave, 1 to 64 (32)"},
    {"registers", 0, OPT_REGISTERS, "N", "registers, if the kernel declares 0 (32)"},
    {"local-memory", 0, OPT_LOCAL, "BYTES", "local memory, if the kernel declares 0 (16384)"},
    {"device-memory", 0, OPT_DEVICE, "BYTES", "size of the arena, up to 4294967296 (1048576)"},
    {"max-instructions", 0, OPT_LIMIT, "N",
     "wave-instructions of a workgroup, 0: no limit (10000000)"},
    {"kernel", 0, OPT_KERNEL, "NAME|INDEX", "which kernel of the file (0)"},
    {"schedule", 0, OPT_SCHEDULE, "SEED|FIRST..LAST",
     "interleave waves pseudo-randomly; a range: run all seeds, compare with the plain order"},
    {"memory", 0, OPT_MEMORY, "sc|scoped[:SEED|:FIRST..LAST]",
     "scoped: unordered stores may stay invisible, as determined by the seed (sc)"},
    {"subnormals", 0, OPT_SUBNORMALS, "keep|flush",
     "flush: f32 arithmetic as on hardware that treats them as zeros (keep)"},
    {"mma", 0, OPT_MMA, "exact|sm_75|sm_80|sm_90|gfx90a|gfx942",
     "products of f16 and bf16 tiles as that architecture's matrix units compute them (exact)"},
    {"jobs", 0, OPT_JOBS, "N",
     "threads that execute workgroups; the results are the same (one per core)"},
    {"cpu", 0, OPT_CPU, "best|plain|avx2",
     "the instructions that the emulator itself uses; the results are the same (best)"},

    {"", 0, 0, "", "Memory and registers before the run"},
    {"fill-zero", 0, OPT_ZERO, "OFF:TYPE:COUNT", "store zeros"},
    {"fill-iota", 0, OPT_IOTA, "OFF:TYPE:COUNT[:SCALE]", "store 0, SCALE, 2*SCALE, ... (1.0)"},
    {"arg", 0, OPT_ARG, "NAME=VALUE|OFF:FILE", "an argument, see below; or load a file at OFF"},
    {"set-reg", 0, OPT_SET_REG, "REG:VALUE", "initial value of a register in every lane"},
    {"poison", 0, OPT_POISON, "[BYTE]",
     "fill local and private memory with BYTE (0xCD), not zeros"},

    {"", 0, 0, "", "What to print after the run, on standard output in this order"},
    {"dump-regs", 0, OPT_DUMP_REGS, "", "final registers and predicates of every lane"},
    {"dump-memory", 0, OPT_DUMP_MEMORY, "START:END", "hex dump of the arena, END exclusive"},
    {"dump-u32", 0, OPT_DUMP_U32, "OFF:COUNT", "numbers, one per line"},
    {"dump-f32", 0, OPT_DUMP_F32, "OFF:COUNT", "the same, f32"},
    {"dump-f16", 0, OPT_DUMP_F16, "OFF:COUNT", "the same, f16"},
    {"dump-bf16", 0, OPT_DUMP_BF16, "OFF:COUNT", "the same, bf16"},
    {"stats", 0, OPT_STATS, "", "what was executed, by kind"},
    {"profile", 0, OPT_PROFILE, "[text|json|html]",
     "per instruction: executions, lanes, divergence, memory"},
    {"profile-output", 'o', OPT_OUTPUT, "FILE", "where the profile goes (html: FILE.profile.html)"},

    {"", 0, 0, "", "Checks; a failure makes the exit status 1"},
    {"check", 0, OPT_CHECK, "LIST", "race, uninit, bounds (always on) or all, separated by commas"},
    {"wave-order", 0, OPT_WAVE_ORDER, "fences|lockstep",
     "lockstep: the race check treats all accesses of a wave as ordered (fences)"},
    {"assert-u32", 0, OPT_ASSERT_U32, "OFF:VALUE", "the word must hold VALUE after the run"},
    {"assert-f32", 0, OPT_ASSERT_F32, "OFF:VALUE[:TOL]", "the same, within TOL (0)"},
    {"strict-align", 0, OPT_STRICT_ALIGN, "", "a misaligned access is an error, not a warning"},

    {"", 0, 0, "", "Watching the run, on standard error"},
    {"trace", 0, OPT_TRACE, "[lanes|waves]", "every instruction, one line per lane or wave"},
    {"mem-trace", 0, OPT_MEM_TRACE, "", "every memory access"},
    {"trace-wave", 0, OPT_TRACE_WAVE, "N", "trace this wave only"},
    {"trace-lane", 0, OPT_TRACE_LANE, "N", "trace this lane only"},
    {"trace-pc", 0, OPT_TRACE_PC, "LO:HI", "trace LO <= PC <= HI only"},
    {"break", 0, OPT_BREAK, "PLACE[ if COND]",
     "stop at a line, offset (0x10) or label and prompt (help prints the commands)"},

    {"", 0, 0, "", "Reading the file"},
    CLI_READING_OPTIONS,
    {"", 0, 0, "", "Other"},
    {.id = 0}};

static const char notes[] =
    "Offsets, PCs and values are decimal or 0x...; TYPE is u8, u16, u32, i32, u64, f16, bf16, f32 "
    "or f64.\nOptions with OFF:..., --break, --arg and --set-reg may be repeated.\n"
    "Arguments that the kernel declares are given by --arg NAME=NUMBER for a scalar, NAME=@FILE,\n"
    "NAME=out:BYTES or out:TYPE:COUNT (zeros) for a buffer, NAME=OFFSET for one at a given "
    "offset.\n"
    "Buffers are placed in this order from 0 on, each at a multiple of 256; a dump's OFF may be\n"
    "the name of one.\n"
    "\nExamples:\n"
    "  wave-emu add.wbin --grid 4,1,1 --arg 0:a.bin --set-reg 1:0x400 --dump-f32 0x400:16\n"
    "  wave-emu scale.wave --arg x=@in.f32 --arg y=out:4096 --arg n=1024 --dump-f32 y:16\n"
    "  wave-emu add.wave --fill-iota 0:f32:256 --trace --trace-lane 0\n"
    "  wave-emu sum.wbin --check=race,uninit --schedule=7\n"
    "  wave-emu --test k.wave --trace --trace-lane 0\n"
    "  wave-emu sum.wbin --schedule=1..50 --memory=scoped:1..50\n"
    "  wave-emu gemm.wbin --profile=html -o gemm.html\n"
    "  printf 'r\\nm 0x100 32\\nc\\n' | wave-emu add.wbin --break 0x10\n"
    "  wave-emu --test k.wave --break '31 if lane == 3 && r5 > 10'\n"
    "\nExit status: 0 ok; 1 the program or an assertion failed, or the file is not valid; "
    "2 wrong usage\nor I/O error; 3 instruction limit.";

const char *const emu_type_names[] = {"u8",  "u16",  "u32", "i32", "u64",
                                      "f16", "bf16", "f32", "f64", NULL};

uint32_t emu_type_size(emu_type type) {
    static const uint8_t size[] = {1, 2, 4, 4, 8, 2, 2, 4, 8};
    return size[type];
}

void *emu_add(emu_list *list, size_t size) {
    /* The list is full when the count is 0 or a power of two: the capacity need not be stored. */
    if ((list->count & (list->count - 1)) == 0) {
        size_t capacity = list->count ? list->count * 2 : 1;
        void *at = realloc(list->at, capacity * size);
        if (!at) {
            cli_fail(EMU_ERROR, "out of memory");
            return NULL;
        }
        list->at = at;
    }
    void *element = (char *)list->at + list->count++ * size;
    memset(element, 0, size);
    return element;
}

void emu_options_free(emu_options *o) {
    free(o->zeros.at);
    free(o->iotas.at);
    free(o->files.at);
    for (unsigned i = 0; i < EMU_DUMP_KINDS; i++)
        free(o->dumps[i].at);
    free(o->assertions.at);
    free(o->breaks.at);
    arg_free(&o->arguments);
}

/* ---- Values ---- */

static const uint64_t max_arena = (uint64_t)1 << 32;

static bool bad_value(const char *option, const char *text, const char *why) {
    return cli_bad_value(EMU_TOOL, option, text, why);
}

enum { MAX_PARTS = 4, PART_SIZE = 64, MOST_SEEDS = 1000000 };

/* Splits A:B:… into copies; returns the number of parts, 0 when there are too many or one is too
 * long. */
static unsigned split(const char *text, char separator, char parts[MAX_PARTS][PART_SIZE]) {
    for (unsigned count = 0; count < MAX_PARTS; count++) {
        const char *end = strchr(text, separator);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length >= PART_SIZE)
            return 0;
        memcpy(parts[count], text, length);
        parts[count][length] = '\0';
        if (!end)
            return count + 1;
        text = end + 1;
    }
    return 0;
}

static bool parse_number(const char *option, const char *text, uint64_t most, uint64_t *out) {
    if (cli_number(text, most, out))
        return true;
    char wanted[64];
    (void)snprintf(wanted, sizeof wanted, "expected a number up to %llu", (unsigned long long)most);
    return bad_value(option, text, wanted);
}

static bool parse_u32(const char *option, const char *text, uint32_t *out) {
    uint64_t value;
    if (!parse_number(option, text, UINT32_MAX, &value))
        return false;
    *out = (uint32_t)value;
    return true;
}

/* A finite number. */
static bool parse_real(const char *text, double *out) {
    char *end;
    if (!cli_is_real(text))
        return false;
    *out = strtod(text, &end);
    return *end == '\0' && end != text && isfinite(*out);
}

/* The expected value of a float assertion, rounded once: strtod would round it to f64 first. */
static bool parse_expected(const char *text, float *out) {
    static const char *const names[] = {"NaN", "nan", "inf", "-inf", NULL};
    static const float values[] = {NAN, NAN, INFINITY, -INFINITY};
    int choice = cli_choice(text, names);
    char *end;
    *out = choice < 0 ? strtof(text, &end) : values[choice];
    return choice >= 0 || (cli_is_real(text) && *end == '\0' && end != text && isfinite(*out));
}

static bool parse_fill(const char *option, const char *text, bool scaled, emu_list *list) {
    char parts[MAX_PARTS][PART_SIZE];
    unsigned count = split(text, ':', parts);
    const char *wanted = scaled ? "expected OFF:TYPE:COUNT[:SCALE]" : "expected OFF:TYPE:COUNT";
    double scale = 1;
    uint64_t offset, elements;
    if (count != 3 && !(scaled && count == 4))
        return bad_value(option, text, wanted);
    int type = cli_choice(parts[1], emu_type_names);
    if (type < 0)
        return bad_value(option, text, "the type is u8, u16, u32, i32, u64, f16, bf16, f32 or f64");
    if (!cli_number(parts[0], max_arena, &offset) || !cli_number(parts[2], max_arena, &elements) ||
        (count == 4 && !parse_real(parts[3], &scale)))
        return bad_value(option, text, wanted);
    emu_fill *fill = emu_add(list, sizeof *fill);
    if (!fill)
        return false;
    *fill = (emu_fill){offset, elements, (emu_type)type, scale};
    return true;
}

static bool parse_arg(const char *text, emu_list *list) {
    const char *colon = strchr(text, ':');
    char number[PART_SIZE];
    size_t length = colon ? (size_t)(colon - text) : PART_SIZE;
    uint64_t offset;
    if (length >= PART_SIZE || !colon[1])
        return bad_value("arg", text, "expected NAME=VALUE or OFF:FILE");
    memcpy(number, text, length);
    number[length] = '\0';
    if (!cli_number(number, max_arena, &offset))
        return bad_value("arg", text, "expected NAME=VALUE or OFF:FILE");
    emu_file *file = emu_add(list, sizeof *file);
    if (!file)
        return false;
    *file = (emu_file){offset, colon + 1};
    return true;
}

static bool parse_set_reg(const char *text, emu_options *o) {
    char parts[MAX_PARTS][PART_SIZE];
    uint64_t reg, value;
    if (split(text, ':', parts) != 2 || parts[0][0] == 'r' || !cli_number(parts[0], 255, &reg))
        return bad_value("set-reg", text, "expected REG:VALUE, REG from 0 to 255 without an r");
    if (!cli_number(parts[1], UINT32_MAX, &value))
        return bad_value("set-reg", text, "VALUE is a number up to 4294967295");
    o->registers[reg] = (uint32_t)value;
    o->given[reg] = true;
    if (o->launch.initial_count <= reg)
        o->launch.initial_count = (uint32_t)reg + 1;
    return true;
}

/* OFF:COUNT, or START:END for the hex dump. */
static bool parse_dump(const char *option, const char *text, emu_dump_kind kind, emu_options *o) {
    char parts[MAX_PARTS][PART_SIZE];
    uint64_t first, second;
    bool range = kind == EMU_DUMP_HEX, good = split(text, ':', parts) == 2;
    bool named = good && !range && parts[0][0] && !strchr("0123456789", parts[0][0]);
    first = 0;
    if (!good || (!named && !cli_number(parts[0], max_arena, &first)) ||
        !cli_number(parts[1], max_arena, &second))
        return bad_value(option, text, range ? "expected START:END" : "expected OFF:COUNT");
    if (range && second < first)
        return bad_value(option, text, "END is before START");
    emu_dump *dump = emu_add(&o->dumps[kind], sizeof *dump);
    if (!dump)
        return false;
    *dump = (emu_dump){.offset = first, .count = range ? second - first : second};
    if (named)
        memcpy(dump->name, parts[0], sizeof dump->name);
    return true;
}

static bool parse_assertion(const char *option, const char *text, bool is_float, emu_list *list) {
    char parts[MAX_PARTS][PART_SIZE];
    unsigned count = split(text, ':', parts);
    uint64_t offset, integer = 0;
    float number = 0;
    double tolerance = 0;
    bool good =
        (count == 2 || (is_float && count == 3)) && cli_number(parts[0], max_arena, &offset);
    if (good && is_float)
        good = parse_expected(parts[1], &number) &&
               (count == 2 || (parse_real(parts[2], &tolerance) && tolerance >= 0));
    else if (good)
        good = cli_number(parts[1], UINT32_MAX, &integer);
    if (!good)
        return bad_value(option, text,
                         is_float ? "expected OFF:VALUE[:TOL], VALUE in the range of f32"
                                  : "expected OFF:VALUE");
    emu_assertion *assertion = emu_add(list, sizeof *assertion);
    if (!assertion)
        return false;
    *assertion = (emu_assertion){offset, is_float, (uint32_t)integer, number, tolerance};
    return true;
}

static bool parse_pc_range(const char *text, emu_options *o) {
    char parts[MAX_PARTS][PART_SIZE];
    uint64_t low, high;
    if (split(text, ':', parts) != 2 || !cli_number(parts[0], UINT32_MAX, &low) ||
        !cli_number(parts[1], UINT32_MAX, &high) || high < low)
        return bad_value("trace-pc", text, "expected LO:HI, LO not above HI");
    o->pc_low = (uint32_t)low;
    o->pc_high = (uint32_t)high;
    return true;
}

static bool parse_checks(const char *text, emu_options *o) {
    static const char *const names[] = {"race", "uninit", "bounds", "all", NULL};
    static const unsigned bits[] = {WAVE_CHECK_RACE, WAVE_CHECK_UNINIT, 0,
                                    WAVE_CHECK_RACE | WAVE_CHECK_UNINIT};
    char parts[MAX_PARTS][PART_SIZE];
    unsigned count = split(text, ',', parts);
    for (unsigned i = 0; i < count; i++) {
        int choice = cli_choice(parts[i], names);
        if (choice < 0)
            return bad_value("check", text, "expected race, uninit, bounds or all");
        o->launch.checks |= bits[choice];
    }
    return count > 0 || bad_value("check", text, "expected race, uninit, bounds or all");
}

static bool parse_style(const char *option, const char *text, const char *const *names,
                        const char *wanted, int *out) {
    *out = text ? cli_choice(text, names) : 0;
    return *out >= 0 || bad_value(option, text, wanted);
}

static bool parse_wave_order(const char *text, emu_options *o) {
    static const char *const names[] = {"fences", "lockstep", NULL};
    int choice;
    if (!parse_style("wave-order", text, names, "expected fences or lockstep", &choice))
        return false;
    o->launch.lockstep = choice == 1;
    return true;
}

/* SEED, or FIRST..LAST: their number in *count, which is 0 for a single seed. */
static bool parse_seeds(const char *text, uint64_t *first, uint64_t *count) {
    const char *dots = strstr(text, "..");
    char low[PART_SIZE] = "";
    uint64_t last;
    *count = 0;
    if (!dots)
        return cli_number(text, UINT64_MAX, first);
    if ((size_t)(dots - text) >= PART_SIZE)
        return false;
    memcpy(low, text, (size_t)(dots - text));
    if (!cli_number(low, UINT64_MAX, first) || !cli_number(dots + 2, UINT64_MAX, &last) ||
        last < *first || last - *first >= MOST_SEEDS)
        return false;
    *count = last - *first + 1;
    return true;
}

static bool parse_schedule(const char *text, emu_options *o) {
    o->launch.random_schedule = true;
    return parse_seeds(text, &o->launch.seed, &o->schedules) ||
           bad_value("schedule", text, "expected SEED or FIRST..LAST, at most 1000000 seeds");
}

static bool parse_memory(const char *text, emu_options *o) {
    static const char *const names[] = {"sc", "scoped", NULL};
    char parts[MAX_PARTS][PART_SIZE];
    const unsigned count = split(text, ':', parts);
    const int choice = count ? cli_choice(parts[0], names) : -1;
    o->launch.scoped_memory = choice == 1;
    o->launch.memory_seed = 0;
    o->memories = 0;
    if (choice < 0 || count > 1u + (choice == 1) ||
        (count == 2 && !parse_seeds(parts[1], &o->launch.memory_seed, &o->memories)))
        return bad_value("memory", text, "expected sc, scoped, scoped:SEED or scoped:FIRST..LAST");
    return true;
}

static bool parse_cpu(const char *text, emu_options *o) {
    for (unsigned k = 0; k < WAVE_CPU_COUNT; k++)
        if (strcmp(wave_cpu_name((wave_cpu)k), text) == 0) {
            o->launch.cpu = (wave_cpu)k;
            return true;
        }
    return bad_value("cpu", text, "expected best, plain or avx2");
}

static bool parse_mma(const char *text, emu_options *o) {
    for (unsigned k = 0; k < WAVE_MMA_COUNT; k++)
        if (strcmp(wave_mma_name((wave_mma)k), text) == 0) {
            o->launch.mma = (wave_mma)k;
            return true;
        }
    return bad_value("mma", text, "expected exact, sm_75, sm_80, sm_90, gfx90a or gfx942");
}

static bool parse_subnormals(const char *text, emu_options *o) {
    static const char *const names[] = {"keep", "flush", NULL};
    const int choice = cli_choice(text, names);
    o->launch.flush_subnormals = choice == 1;
    return choice >= 0 || bad_value("subnormals", text, "expected keep or flush");
}

static bool parse_trace(const char *text, emu_options *o) {
    static const char *const names[] = {"lanes", "waves", NULL};
    int choice;
    if (!parse_style("trace", text, names, "expected lanes or waves", &choice))
        return false;
    o->trace = choice ? EMU_TRACE_WAVES : EMU_TRACE_LANES;
    return true;
}

static bool parse_profile(const char *text, emu_options *o) {
    static const char *const names[] = {"text", "json", "html", NULL};
    int choice;
    if (!parse_style("profile", text, names, "expected text, json or html", &choice))
        return false;
    o->profile = true;
    o->profile_style = (wave_profile_style)choice;
    return true;
}

static bool parse_level(const char *text, emu_options *o) {
    static const char *const names[] = {"0", "2", NULL};
    int choice;
    if (!parse_style("optimise", text, names, "expected 0 or 2", &choice))
        return false;
    o->optimise = choice == 1;
    return true;
}

static bool parse_poison(const char *text, emu_options *o) {
    uint64_t byte = 0xCD;
    if (text && !parse_number("poison", text, 255, &byte))
        return false;
    o->launch.poison = true;
    o->launch.poison_byte = (uint8_t)byte;
    return true;
}

/* The place is looked up later, when the kernel is known. */
static bool parse_break(const char *text, emu_options *o) {
    const char **added = emu_add(&o->breaks, sizeof *added);
    if (added)
        *added = text;
    return added != NULL;
}

/* ---- Options ---- */

static bool apply_launch(emu_options *o, int id, const char *value) {
    o->launch_given |= id <= OPT_ZERO;
    switch (id) {
    case OPT_TEST: o->test = true; return true;
    case OPT_LEVEL: return parse_level(value, o);
    case OPT_GRID: return cli_triple_option(EMU_TOOL, "grid", value, o->launch.grid);
    case OPT_WORKGROUP: return cli_triple_option(EMU_TOOL, "workgroup", value, o->launch.workgroup);
    case OPT_REGISTERS: return cli_registers(EMU_TOOL, value, &o->load);
    case OPT_LOCAL: return cli_local_memory(EMU_TOOL, value, &o->load);
    case OPT_DEVICE: return parse_number("device-memory", value, max_arena, &o->launch.device_size);
    case OPT_WIDTH:
        o->width_given = true;
        return parse_u32("wave-width", value, &o->launch.wave_width);
    case OPT_LIMIT:
        o->limit_given = true;
        return parse_number("max-instructions", value, UINT64_MAX, &o->launch.max_instructions);
    case OPT_KERNEL: o->kernel = value; return true;
    case OPT_SCHEDULE: return parse_schedule(value, o);
    case OPT_MEMORY: return parse_memory(value, o);
    case OPT_JOBS: return parse_u32("jobs", value, &o->launch.jobs);
    case OPT_CPU: return parse_cpu(value, o);
    case OPT_SUBNORMALS: return parse_subnormals(value, o);
    case OPT_MMA: return parse_mma(value, o);
    case OPT_WAVE_ORDER: return parse_wave_order(value, o);
    case OPT_ARG:
        return arg_is_named(value) ? arg_parse(EMU_TOOL, value, &o->arguments)
                                   : parse_arg(value, &o->files);
    case OPT_SET_REG: return parse_set_reg(value, o);
    case OPT_IOTA: return parse_fill("fill-iota", value, true, &o->iotas);
    case OPT_ZERO: return parse_fill("fill-zero", value, false, &o->zeros);
    default: return parse_poison(value, o);
    }
}

static bool apply_output(emu_options *o, int id, const char *value) {
    switch (id) {
    case OPT_DUMP_MEMORY: return parse_dump("dump-memory", value, EMU_DUMP_HEX, o);
    case OPT_DUMP_U32: return parse_dump("dump-u32", value, EMU_DUMP_U32, o);
    case OPT_DUMP_F32: return parse_dump("dump-f32", value, EMU_DUMP_F32, o);
    case OPT_DUMP_F16: return parse_dump("dump-f16", value, EMU_DUMP_F16, o);
    case OPT_DUMP_BF16: return parse_dump("dump-bf16", value, EMU_DUMP_BF16, o);
    case OPT_DUMP_REGS: o->dump_registers = true; return true;
    case OPT_STATS: o->stats = true; return true;
    case OPT_ASSERT_U32: return parse_assertion("assert-u32", value, false, &o->assertions);
    case OPT_ASSERT_F32: return parse_assertion("assert-f32", value, true, &o->assertions);
    case OPT_PROFILE: return parse_profile(value, o);
    default: o->profile_path = value; return true;
    }
}

static bool apply_watch(emu_options *o, int id, const char *value) {
    switch (id) {
    case OPT_CHECK: return parse_checks(value, o);
    case OPT_STRICT_ALIGN: o->launch.strict_align = true; return true;
    case OPT_TRACE: return parse_trace(value, o);
    case OPT_MEM_TRACE: o->memory_trace = true; return true;
    case OPT_TRACE_WAVE: o->only_wave = true; return parse_u32("trace-wave", value, &o->wave);
    case OPT_TRACE_LANE: o->only_lane = true; return parse_u32("trace-lane", value, &o->lane);
    case OPT_TRACE_PC: return parse_pc_range(value, o);
    default: return parse_break(value, o);
    }
}

static bool apply(void *options, int id, const char *value) {
    emu_options *o = options;
    if (cli_is_reading(id))
        return cli_reading_option(EMU_TOOL, id, value, &o->reading, &o->load);
    if (id <= OPT_POISON)
        return apply_launch(o, id, value);
    if (id == OPT_PROFILE || id == OPT_OUTPUT || id <= OPT_ASSERT_F32)
        return apply_output(o, id, value);
    return apply_watch(o, id, value);
}

static bool consistent(emu_options *o) {
    const char *problem = NULL;
    if (!o->path)
        problem = "no input file; try wave-emu --help";
    else if (o->test && o->launch_given)
        problem = "with --test the kernel, grid, sizes, memory and arguments are those of the file";
    else if (o->profile_path && !o->profile)
        problem = "--profile-output needs --profile";
    else if ((o->only_wave || o->only_lane || o->pc_low || o->pc_high != UINT32_MAX) &&
             o->trace == EMU_TRACE_OFF && !o->memory_trace)
        problem = "--trace-wave, --trace-lane and --trace-pc need --trace or --mem-trace";
    else if (o->schedules && o->memories && o->schedules != o->memories)
        problem = "two ranges of seeds advance together: they must have the same length";
    if (problem) {
        cli_fail(EMU_TOOL, "%s", problem);
        return false;
    }
    o->sweep = (wave_sweep){.runs = o->schedules ? o->schedules : o->memories,
                            .schedules = o->schedules != 0,
                            .memories = o->memories != 0};
    return cli_reading_mode(EMU_TOOL, &o->reading, &o->load);
}

int emu_parse(emu_options *o, int argc, char **argv, int *status) {
    cli_args args = {.tool = EMU_TOOL,
                     .usage = "wave-emu [options] FILE",
                     .about = "Runs a kernel of a WBIN or assembly file on the CPU; - is standard "
                              "input.",
                     .notes = notes,
                     .options = table};
    *o = (emu_options){.pc_high = UINT32_MAX};
    wave_launch_init(&o->launch);
    o->launch.device_size = 1048576;
    o->launch.jobs = 0;
    if (cli_parse(&args, argc, argv, apply, o, &o->path) < 0) {
        *status = args.status;
        return -1;
    }
    *status = CLI_USAGE;
    return consistent(o) ? 0 : -1;
}
