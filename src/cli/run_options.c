/* The options of wave-run: the table, its help, and the syntax of their values. */
#include "cli/run_options.h"

#include "cli/emu_float.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_DEVICE = 1,
    OPT_LIST,
    OPT_QUERY,
    OPT_KERNEL,
    OPT_GRID,
    OPT_WORKGROUP,
    OPT_REGISTERS,
    OPT_LOCAL,
    OPT_BUFFER,
    OPT_SCALAR,
    OPT_ARG,
    OPT_MEMORY,
    OPT_PRINT,
    OPT_OUTPUT,
    OPT_TIME,
    OPT_REPEAT,
    OPT_WIDTH,
    OPT_EMIT,
    OPT_CACHE
};

static const cli_option table[] = {
    {"", 0, 0, "", "Device"},
    {"device", 'd', OPT_DEVICE, "NAME", "emu, cuda:0, hip:0, sycl:cpu, sycl:gpu:0, metal:0 (auto)"},
    {"list", 'l', OPT_LIST, "", "list the available devices, and why others are not available"},
    {"query", 'q', OPT_QUERY, "", "print the constants and capabilities of the device"},

    {"", 0, 0, "", "Launch"},
    {"kernel", 'k', OPT_KERNEL, "NAME|INDEX", "which kernel of the file (0)"},
    {"grid", 0, OPT_GRID, "X,Y,Z", "workgroups (1,1,1)"},
    {"workgroup", 0, OPT_WORKGROUP, "X,Y,Z",
     "threads of a workgroup, if the kernel declares none (32,1,1)"},
    {"registers", 0, OPT_REGISTERS, "N", "registers, if the kernel declares 0 (32)"},
    {"local-memory", 0, OPT_LOCAL, "BYTES", "local memory, if the kernel declares 0 (16384)"},
    {"buffer", 'b', OPT_BUFFER, "BUFFER", "next argument word: a buffer, see below"},
    {"scalar", 's', OPT_SCALAR, "VALUE", "next argument word: 12, -1, 0xFF, 1.5 (f32)"},
    {"arg", 'a', OPT_ARG, "NAME=VALUE", "a declared argument by its name, see below"},
    {"device-memory", 0, OPT_MEMORY, "BYTES", "minimum size of the arena (what the buffers need)"},

    {"", 0, 0, "", "What to do with the result, in the order given"},
    {"print", 'p', OPT_PRINT, "NAME[:TYPE[:COUNT]]", "print a buffer, one value per line"},
    {"output", 'o', OPT_OUTPUT, "NAME:FILE", "write a buffer to a file"},
    {"time", 't', OPT_TIME, "", "print the start-up time and the launch time on standard error"},
    {"repeat", 0, OPT_REPEAT, "N", "launch N times; --time prints the shortest time (1)"},

    {"", 0, 0, "", "How to compile"},
    {"wave-width", 0, OPT_WIDTH, "N", "lanes of a wave, if the device supports several widths"},
    CLI_COMPILE_OPTIONS,
    {"emit", 0, OPT_EMIT, "FILE", "write the text that the vendor's compiler gets"},
    {"cache", 0, OPT_CACHE, "FOLDER", "folder in which compiled kernels are kept; none: no cache"},

    {"", 0, 0, "", "Reading the file"},
    CLI_READING_OPTIONS,

    {"", 0, 0, "", "Other"},
    {.id = 0}};

static const char notes[] =
    "A BUFFER is FILE (its contents; the name is that of the file without folder and suffix, and "
    "a\n"
    "suffix like .f32 is its type), NAME=FILE, NAME:BYTES (zeros) or NAME:TYPE:COUNT (zeros).\n"
    "TYPE is u8, u16, u32, i32, u64, f16, bf16, f32, f64, or hex for --print. Buffers and scalars "
    "are\n"
    "the argument words r0, r1, ... in the order of the command line.\n"
    "Arguments that the kernel declares are given by --arg NAME=NUMBER for a scalar, NAME=@FILE,\n"
    "NAME=out:BYTES or out:TYPE:COUNT (zeros) for a buffer, NAME=OFFSET for one at a given "
    "offset;\n"
    "--print and --output take their names.\n"
    "\n"
    "Examples:\n"
    "  wave-run k.wbin --grid 4,1,1 --buffer in.f32 --buffer out:4096 --scalar 1024 --print "
    "out:f32:16\n"
    "  wave-run k.wave --device=emu --buffer a=data.bin --buffer sum:u32:1 --print sum\n"
    "  wave-run scale.wave --grid 4,1,1 --arg n=1024 --arg x=@in.f32 --arg y=out:4096 --print "
    "y:f32:16\n"
    "  wave-run --list\n"
    "\n"
    "Exit status: 0 ok; 1 the file is not valid or the kernel failed; 2 wrong usage, no such "
    "device,\n"
    "or I/O error.";

static bool bad_value(const char *option, const char *text, const char *why) {
    return cli_bad_value(RUN_TOOL, option, text, why);
}

/* ---- Types ---- */

static bool find_type(const char *text, size_t length, emu_type *type) {
    for (int k = 0; emu_type_names[k]; k++)
        if (strlen(emu_type_names[k]) == length && memcmp(emu_type_names[k], text, length) == 0) {
            *type = (emu_type)k;
            return true;
        }
    return false;
}

void run_print_value(const uint8_t *at, emu_type type) {
    char text[EMU_FLOAT_TEXT];
    uint64_t value = 0;
    for (uint32_t k = 0; k < emu_type_size(type); k++)
        value |= (uint64_t)at[k] << (8 * k);
    switch (type) {
    case EMU_F16: emu_f16_text((uint16_t)value, text); break;
    case EMU_BF16: emu_bf16_text((uint16_t)value, text); break;
    case EMU_F32: emu_f32_text((uint32_t)value, text); break;
    case EMU_F64: emu_f64_text(value, text); break;
    case EMU_I32: (void)snprintf(text, sizeof text, "%" PRId32, (int32_t)value); break;
    default: (void)snprintf(text, sizeof text, "%" PRIu64, value); break;
    }
    cli_printf("%s\n", text);
}

/* ---- Values ---- */

static char *copy(const char *text, size_t length) {
    char *made = malloc(length + 1);
    if (!made) {
        cli_fail(RUN_TOOL, "out of memory");
        return NULL;
    }
    memcpy(made, text, length);
    made[length] = '\0';
    return made;
}

static bool take_word(run_options *o, size_t *word) {
    if (o->word_count == RUN_MAX_WORDS) {
        cli_fail(RUN_TOOL, "a kernel takes at most %d argument words", RUN_MAX_WORDS);
        return false;
    }
    *word = o->word_count++;
    return true;
}

/* Integers, including negative ones, by their bits; a number with a point or an exponent is an
 * f32. */
static bool parse_scalar(run_options *o, const char *text) {
    bool negative = *text == '-';
    uint64_t value;
    size_t word;
    char *end;
    if (!take_word(o, &word))
        return false;
    if (cli_number(text + negative, negative ? 0x80000000u : UINT32_MAX, &value)) {
        o->words[word] = (uint32_t)(negative ? 0 - value : value);
        return true;
    }
    errno = 0;
    float number = strtof(text, &end);
    if (!cli_is_real(text) || *end || end == text || !strpbrk(text, ".eEnN") ||
        (errno == ERANGE && isinf(number)))
        return bad_value("scalar", text, "expected a 32-bit integer or an f32 number");
    memcpy(&o->words[word], &number, sizeof number);
    return true;
}

static bool base_name(const char *path, run_buffer *buffer) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    if (dot && dot != name)
        (void)find_type(dot + 1, strlen(dot + 1), &buffer->type);
    buffer->path = path;
    buffer->name = copy(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
    return buffer->name != NULL;
}

/* BYTES or TYPE:COUNT after the name's colon. */
static bool parse_size(const char *text, run_buffer *buffer) {
    const char *colon = strchr(text, ':');
    const uint64_t most = (uint64_t)1 << 32;
    uint64_t count;
    if (!colon)
        return cli_number(text, most, &buffer->size);
    if (!find_type(text, (size_t)(colon - text), &buffer->type) ||
        !cli_number(colon + 1, most, &count))
        return false;
    buffer->size = count * emu_type_size(buffer->type);
    return true;
}

static bool parse_buffer(run_options *o, const char *text) {
    const char *equals = strchr(text, '='), *colon = strchr(text, ':');
    run_buffer *buffer = emu_add(&o->buffers, sizeof *buffer);
    if (!buffer || !take_word(o, &buffer->word))
        return false;
    buffer->type = EMU_U32;
    bool zeros = colon && !equals && colon != text && parse_size(colon + 1, buffer);
    if (!zeros && equals && equals != text && equals[1]) {
        if (!base_name(equals + 1, buffer))
            return false;
        free(buffer->name);
        buffer->name = copy(text, (size_t)(equals - text));
    } else if (zeros) {
        buffer->name = copy(text, (size_t)(colon - text));
    } else if (*text && !colon && !equals) {
        return base_name(text, buffer);
    } else {
        return bad_value("buffer", text, "expected FILE, NAME=FILE, NAME:BYTES or NAME:TYPE:COUNT");
    }
    return buffer->name != NULL;
}

/* If the argument is a buffer, it can be printed. */
static bool parse_argument(run_options *o, const char *text) {
    if (!arg_is_named(text))
        return bad_value("arg", text, "expected NAME=VALUE");
    if (!arg_parse(RUN_TOOL, text, &o->arguments))
        return false;
    const arg_named *a = (const arg_named *)o->arguments.at + o->arguments.count - 1;
    run_buffer *buffer = a->value ? NULL : emu_add(&o->buffers, sizeof *buffer);
    if (!buffer)
        return a->value != NULL;
    *buffer = (run_buffer){.name = copy(a->name, strlen(a->name)),
                           .size = a->size,
                           .type = EMU_U32,
                           .argument = o->arguments.count};
    return buffer->name != NULL;
}

static bool parse_print(run_options *o, const char *text) {
    const char *type = strchr(text, ':'), *count = type ? strchr(type + 1, ':') : NULL;
    size_t length = count ? (size_t)(count - type - 1) : type ? strlen(type + 1) : 0;
    run_result *result = emu_add(&o->results, sizeof *result);
    if (!result)
        return false;
    result->name = copy(text, type ? (size_t)(type - text) : strlen(text));
    if (!result->name)
        return false;
    if (type) {
        result->typed = true;
        result->hex = length == 3 && memcmp(type + 1, "hex", 3) == 0;
        if (!result->hex && !find_type(type + 1, length, &result->type))
            return bad_value("print", text,
                             "the type is u8, u16, u32, i32, u64, f16, bf16, f32, f64 or hex");
    }
    result->counted = count != NULL;
    if (count && !cli_number(count + 1, UINT64_MAX, &result->count))
        return bad_value("print", text, "COUNT is a number");
    return true;
}

static bool parse_output(run_options *o, const char *text) {
    const char *colon = strchr(text, ':');
    if (!colon || colon == text || !colon[1])
        return bad_value("output", text, "expected NAME:FILE");
    run_result *result = emu_add(&o->results, sizeof *result);
    if (!result)
        return false;
    result->name = copy(text, (size_t)(colon - text));
    result->path = colon + 1;
    return result->name != NULL;
}

static bool parse_number(const char *option, const char *text, uint64_t least, uint64_t most,
                         uint64_t *value) {
    if (cli_number(text, most, value) && *value >= least)
        return true;
    cli_fail(RUN_TOOL, "--%s is a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option, least,
             most, text);
    return false;
}

/* ---- Options ---- */

static bool apply(void *options, int id, const char *value) {
    run_options *o = options;
    uint64_t number;
    if (cli_is_reading(id))
        return cli_reading_option(RUN_TOOL, id, value, &o->reading, &o->load);
    if (cli_is_compiling(id))
        return cli_compiling_option(RUN_TOOL, id, value, &o->compiling);
    switch (id) {
    case OPT_DEVICE: o->device = value; return true;
    case OPT_LIST: o->list = true; return true;
    case OPT_QUERY: o->query = true; return true;
    case OPT_KERNEL: o->kernel = value; return true;
    case OPT_GRID: return cli_triple_option(RUN_TOOL, "grid", value, o->grid);
    case OPT_WORKGROUP: return cli_triple_option(RUN_TOOL, "workgroup", value, o->workgroup);
    case OPT_REGISTERS: return cli_registers(RUN_TOOL, value, &o->load);
    case OPT_LOCAL: return cli_local_memory(RUN_TOOL, value, &o->load);
    case OPT_BUFFER: return parse_buffer(o, value);
    case OPT_ARG: return parse_argument(o, value);
    case OPT_SCALAR: return parse_scalar(o, value);
    case OPT_MEMORY: return parse_number("device-memory", value, 0, (uint64_t)1 << 32, &o->memory);
    case OPT_PRINT: return parse_print(o, value);
    case OPT_OUTPUT: return parse_output(o, value);
    case OPT_TIME: o->time = true; return true;
    case OPT_REPEAT:
        if (!parse_number("repeat", value, 1, 1000000, &number))
            return false;
        o->repeat = (uint32_t)number;
        return true;
    case OPT_WIDTH:
        if (!parse_number("wave-width", value, 1, 64, &number))
            return false;
        o->wave_width = (uint32_t)number;
        return true;
    case OPT_EMIT: o->save_text = value; return true;
    default: o->cache = strcmp(value, "none") == 0 ? "" : value; return true;
    }
}

const run_buffer *run_find_buffer(const run_options *options, const char *name) {
    const run_buffer *buffers = options->buffers.at;
    for (size_t k = 0; k < options->buffers.count; k++)
        if (strcmp(buffers[k].name, name) == 0)
            return &buffers[k];
    return NULL;
}

static bool consistent(run_options *o) {
    const run_buffer *buffers = o->buffers.at;
    const run_result *results = o->results.at;
    for (size_t k = 0; k < o->buffers.count; k++)
        if (run_find_buffer(o, buffers[k].name) != &buffers[k])
            return bad_value("buffer", buffers[k].name, "there are two buffers with this name");
    for (size_t k = 0; k < o->results.count; k++)
        if (!run_find_buffer(o, results[k].name))
            return bad_value(results[k].path ? "output" : "print", results[k].name,
                             "there is no buffer with this name");
    if (!o->path && !o->list && !o->query) {
        cli_fail(RUN_TOOL, "no input file; try wave-run --help");
        return false;
    }
    return cli_reading_mode(RUN_TOOL, &o->reading, &o->load);
}

int run_parse(run_options *o, int argc, char **argv, int *status) {
    cli_args args = {.tool = RUN_TOOL,
                     .usage = "wave-run [options] FILE",
                     .about = "Compiles a kernel of a WBIN or assembly file (- is standard input) "
                              "for the available\ndevice, launches it and shows the result.",
                     .notes = notes,
                     .options = table};
    *o = (run_options){.device = "auto",
                       .grid = {1, 1, 1},
                       .workgroup = {32, 1, 1},
                       .repeat = 1,
                       .compiling = {.optimise = true, .assert_trap = true}};
    if (cli_parse(&args, argc, argv, apply, o, &o->path) < 0) {
        *status = args.status;
        return -1;
    }
    *status = CLI_USAGE;
    return consistent(o) ? 0 : -1;
}

void run_options_free(run_options *o) {
    run_buffer *buffers = o->buffers.at;
    run_result *results = o->results.at;
    for (size_t k = 0; k < o->buffers.count; k++)
        free(buffers[k].name);
    for (size_t k = 0; k < o->results.count; k++)
        free(results[k].name);
    free(o->buffers.at);
    free(o->results.at);
    arg_free(&o->arguments);
}
