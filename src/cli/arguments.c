/* Arguments by name: parsing NAME=VALUE and checking it against the kernel's declarations. */
#include "cli/arguments.h"

#include "cli/emu_float.h"
#include "testfile/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char arg_help[] =
    "An argument by name is NAME=NUMBER for a scalar, NAME=@FILE or NAME=out:BYTES (zeros; also\n"
    "out:TYPE:COUNT) for a buffer, NAME=OFFSET for one at a given offset. An argument without\n"
    "a name is identified by its register, such as r3.\n";

static bool bad(const char *tool, const arg_named *a, const char *why) {
    cli_fail(tool, "--arg %s: %s", a->name, why);
    return false;
}

/* ---- The command line ---- */

/* A name takes precedence over a number: kernels may have any name. */
bool arg_find_kernel(const wave_module *module, const char *wanted, size_t *kernel) {
    uint64_t index = 0;
    long named = wanted ? wave_module_find_kernel(module, wanted) : 0;
    if (named >= 0)
        index = (uint64_t)named;
    else if (!cli_number(wanted, wave_module_kernel_count(module) - 1, &index))
        return false;
    *kernel = (size_t)index;
    return true;
}

bool arg_is_named(const char *text) {
    const char *first = strpbrk(text, ":=");
    return first && *first == '=' && first != text;
}

/* BYTES or TYPE:COUNT */
static bool parse_zeros(const char *text, uint64_t *size) {
    const uint64_t most = (uint64_t)1 << 32;
    const char *colon = strchr(text, ':');
    uint64_t count;
    if (!colon)
        return cli_number(text, most, size);
    for (int type = 0; type < WAVE_TYPE_BYTES; type++) {
        const char *name = wave_type_name((wave_type)type);
        size_t length = strlen(name);
        if (length != (size_t)(colon - text) || memcmp(name, text, length) != 0)
            continue;
        *size = 0;
        if (!cli_number(colon + 1, most, &count))
            return false;
        *size = count * wave_type_size((wave_type)type);
        return *size <= most;
    }
    return false;
}

bool arg_parse(const char *tool, const char *text, emu_list *list) {
    const char *equals = strchr(text, '='), *value = equals + 1;
    size_t length = (size_t)(equals - text);
    arg_named *a = emu_add(list, sizeof *a);
    if (!a)
        return false;
    a->name = malloc(length + 1);
    if (!a->name) {
        cli_fail(tool, "out of memory");
        return false;
    }
    memcpy(a->name, text, length);
    a->name[length] = '\0';
    const arg_named *all = list->at;
    for (size_t k = 0; k + 1 < list->count; k++)
        if (strcmp(all[k].name, a->name) == 0)
            return bad(tool, a, "given twice");
    if (*value == '@' && value[1])
        a->path = value + 1;
    else if (strncmp(value, "out:", 4) != 0)
        a->value = value;
    else if (!parse_zeros(value + 4, &a->size))
        return bad(tool, a, "expected out:BYTES or out:TYPE:COUNT, up to 4294967296 bytes");
    return true;
}

void arg_free(emu_list *list) {
    arg_named *all = list->at;
    for (size_t k = 0; k < list->count; k++) {
        if (all[k].file.data)
            cli_close(&all[k].file);
        free(all[k].name);
    }
    free(list->at);
}

/* ---- Scalars ---- */

static const struct {
    uint8_t bits;
    bool is_signed, is_float;
} shapes[WAVE_TYPE_COUNT] = {
    [WAVE_TYPE_U32] = {32, false, false}, [WAVE_TYPE_I32] = {32, true, false},
    [WAVE_TYPE_F32] = {32, true, true},   [WAVE_TYPE_U64] = {64, false, false},
    [WAVE_TYPE_I64] = {64, true, false},  [WAVE_TYPE_F64] = {64, true, true},
    [WAVE_TYPE_F16] = {16, true, true},   [WAVE_TYPE_BF16] = {16, true, true},
    [WAVE_TYPE_U8] = {8, false, false},   [WAVE_TYPE_I8] = {8, true, false},
    [WAVE_TYPE_U16] = {16, false, false}, [WAVE_TYPE_I16] = {16, true, false},
};

static bool parse_float(const char *text, wave_type type, uint64_t *bits) {
    char *end;
    if (!cli_is_real(text))
        return false;
    double wide = strtod(text, &end);
    bool written = strstr(text, "inf") != NULL;
    if (*end || end == text || (isinf(wide) && !written))
        return false;
    float narrow = strtof(text, NULL);
    uint32_t single;
    memcpy(&single, &narrow, sizeof single);
    if (type != WAVE_TYPE_F64 && isinf(narrow) && !written)
        return false;
    switch (type) {
    case WAVE_TYPE_F64: memcpy(bits, &wide, sizeof *bits); return true;
    case WAVE_TYPE_F16:
        *bits = val_from_double(VAL_F16, wide);
        return written || (*bits & 0x7FFF) != 0x7C00;
    case WAVE_TYPE_BF16: *bits = emu_bf16_of_f32(single); return true;
    default: *bits = single; return true;
    }
}

/* Signed numbers are sign-extended to whole words. */
static bool parse_integer(const char *text, wave_type type, uint64_t *bits) {
    bool negative = *text == '-';
    uint64_t half = (uint64_t)1 << (shapes[type].bits - 1), magnitude;
    uint64_t most = negative ? half : shapes[type].is_signed ? half - 1 : 2 * (half - 1) + 1;
    if ((negative && !shapes[type].is_signed) || !cli_number(text + negative, most, &magnitude))
        return false;
    *bits = negative ? 0 - magnitude : magnitude;
    return true;
}

static bool set_scalar(const char *tool, const arg_named *a, arg_words *words) {
    wave_type type = (wave_type)a->is->type;
    uint64_t bits = 0;
    char why[80];
    bool good = a->value && (shapes[type].is_float ? parse_float(a->value, type, &bits)
                                                   : parse_integer(a->value, type, &bits));
    if (!good) {
        (void)snprintf(why, sizeof why, "expected a number that fits in %s: it is a scalar",
                       wave_type_name(type));
        return bad(tool, a, why);
    }
    for (unsigned k = 0; k < a->is->words; k++) {
        words->word[a->is->first_word + k] = (uint32_t)(bits >> (32 * k));
        words->given[a->is->first_word + k] = true;
    }
    return true;
}

/* A structure by value: the bytes of a file. */
static bool set_bytes(const char *tool, const arg_named *a, arg_words *words) {
    char why[80];
    if (!a->path || a->size == 0 || (a->size + 3) / 4 != a->is->words) {
        (void)snprintf(why, sizeof why, "expected @FILE of %u to %u bytes: it is a structure",
                       4u * a->is->words - 3, 4u * a->is->words);
        return bad(tool, a, why);
    }
    for (uint64_t k = 0; k < a->size; k++)
        words->word[a->is->first_word + k / 4] |= (uint32_t)a->file.data[k] << (8 * (k % 4));
    for (unsigned k = 0; k < a->is->words; k++)
        words->given[a->is->first_word + k] = true;
    return true;
}

/* ---- Buffers ---- */

/* The type named by a file's suffix, or WAVE_TYPE_COUNT. */
static wave_type suffix_type(const char *path) {
    const char *dot = strrchr(path, '.');
    int type = 0;
    while (type < WAVE_TYPE_BYTES &&
           (!dot || strcmp(dot + 1, wave_type_name((wave_type)type)) != 0))
        type++;
    return type < WAVE_TYPE_BYTES ? (wave_type)type : WAVE_TYPE_COUNT;
}

static bool set_offset(const char *tool, arg_named *a, arg_words *words) {
    size_t unit = wave_type_size((wave_type)a->is->type);
    uint64_t offset;
    char why[120];
    if (!cli_number(a->value, UINT32_MAX, &offset))
        return bad(tool, a, "expected @FILE, out:BYTES or an offset: it is a buffer");
    if (offset % unit) {
        (void)snprintf(why, sizeof why,
                       "a buffer of %s starts at a multiple of %zu bytes, not at %" PRIu64
                       " [E_ARG_ALIGNMENT]",
                       wave_type_name((wave_type)a->is->type), unit, offset);
        return bad(tool, a, why);
    }
    arg_place(a, offset, words);
    return true;
}

static bool check_contents(const char *tool, const arg_named *a) {
    wave_type type = (wave_type)a->is->type, named = a->path ? suffix_type(a->path) : type;
    size_t unit = wave_type_size(type);
    char why[120];
    if (named != WAVE_TYPE_COUNT && named != type && type != WAVE_TYPE_BYTES) {
        (void)snprintf(why, sizeof why, "it is a buffer of %s, but the file contains %s",
                       wave_type_name(type), wave_type_name(named));
        return bad(tool, a, why);
    }
    if (a->size % unit == 0)
        return true;
    (void)snprintf(why, sizeof why, "%" PRIu64 " bytes are not a whole number of %s values",
                   a->size, wave_type_name(type));
    return bad(tool, a, why);
}

bool arg_needs_place(const arg_named *a) {
    return a->is && a->is->kind == WAVE_ARGUMENT_BUFFER && !a->value;
}

void arg_place(arg_named *a, uint64_t offset, arg_words *words) {
    a->offset = offset;
    words->word[a->is->first_word] = (uint32_t)offset;
    words->given[a->is->first_word] = true;
}

wave_launch_buffer *arg_buffers(const emu_list *list, size_t *count) {
    const arg_named *all = list->at;
    wave_launch_buffer *buffers = calloc(list->count + 1, sizeof *buffers);
    *count = 0;
    for (size_t k = 0; buffers && k < list->count; k++)
        if (arg_needs_place(&all[k]))
            buffers[(*count)++] = (wave_launch_buffer){all[k].is->first_word, all[k].size};
    return buffers;
}

/* ---- Against the kernel ---- */

/* The display name of an argument: its name, or its first register. */
static void name_of(const wave_argument *a, char *text, size_t size) {
    if (*a->name)
        (void)snprintf(text, size, "%s", a->name);
    else
        (void)snprintf(text, size, "r%u", a->first_word);
}

static const wave_argument *find(const wave_module *module, size_t kernel, const char *name) {
    const wave_argument *a;
    char text[16];
    for (size_t k = 0; (a = wave_module_argument(module, kernel, k)); k++) {
        name_of(a, text, sizeof text);
        if (strcmp(*a->name ? a->name : text, name) == 0)
            return a;
    }
    return NULL;
}

static bool unknown(const char *tool, const wave_module *module, size_t kernel,
                    const arg_named *named) {
    const wave_argument *a;
    char list[400] = "";
    size_t n = 0;
    if (!wave_module_kernel(module, kernel)->arguments)
        return bad(tool, named, "the kernel declares no arguments; it takes them in registers");
    for (size_t k = 0; (a = wave_module_argument(module, kernel, k)) && n < sizeof list - 80; k++) {
        char name[72];
        name_of(a, name, sizeof name);
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", name);
    }
    cli_fail(tool, "--arg %s: the kernel has no such argument; it has %s", named->name, list);
    return false;
}

static bool bind_one(const char *tool, arg_named *a, arg_words *words) {
    switch (a->is->kind) {
    case WAVE_ARGUMENT_LOCAL: return bad(tool, a, "it is in local memory and takes no value");
    case WAVE_ARGUMENT_BUFFER:
        return a->value ? set_offset(tool, a, words) : check_contents(tool, a);
    default:
        return a->is->type == WAVE_TYPE_BYTES ? set_bytes(tool, a, words)
                                              : set_scalar(tool, a, words);
    }
}

bool arg_bind(const char *tool, const wave_module *module, size_t kernel, emu_list *list,
              arg_words *words) {
    arg_named *all = list->at;
    for (size_t k = 0; k < list->count; k++) {
        arg_named *a = &all[k];
        a->is = find(module, kernel, a->name);
        if (!a->is)
            return unknown(tool, module, kernel, a);
        for (unsigned w = 0; w < a->is->words; w++)
            if (words->given[a->is->first_word + w])
                return bad(tool, a, "its register already has a value");
        if (a->path && !cli_read(tool, a->path, CLI_MOST_DATA, &a->file))
            return false;
        a->size = a->path ? a->file.size : a->size;
        if (!bind_one(tool, a, words))
            return false;
    }
    return true;
}

/* ---- Missing arguments ---- */

static bool refuse_missing(const char *tool, const wave_module *module, size_t kernel,
                           const arg_words *words) {
    const wave_argument *a;
    bool complete = true;
    for (size_t k = 0; (a = wave_module_argument(module, kernel, k)); k++) {
        char name[72];
        bool given = true;
        for (unsigned w = 0; w < a->words; w++)
            given &= words->given[a->first_word + w];
        if (given)
            continue;
        name_of(a, name, sizeof name);
        cli_fail(tool, "argument %s (%s%s, r%u) is not given: --arg %s=%s", name,
                 a->kind == WAVE_ARGUMENT_BUFFER ? "buffer of " : "",
                 wave_type_name((wave_type)a->type), a->first_word, name,
                 a->kind == WAVE_ARGUMENT_BUFFER ? "@FILE" : "VALUE");
        complete = false;
    }
    return complete;
}

bool arg_complete(const char *tool, const wave_module *module, size_t kernel,
                  const arg_words *words) {
    const wave_kernel_info *info = wave_module_kernel(module, kernel);
    char list[120] = "";
    size_t n = 0;
    unsigned missing = 0;
    if (info->arguments)
        return refuse_missing(tool, module, kernel, words);
    for (uint32_t w = 0; w < info->argument_words && w < ARG_MAX_WORDS; w++) {
        if (words->given[w] || !wave_module_reads_word(module, kernel, w))
            continue;
        if (missing++ < 8)
            n += (size_t)snprintf(list + n, sizeof list - n, "%sr%u", n ? ", " : "", w);
    }
    if (missing)
        cli_fail(tool, "warning: the kernel reads %s%s, which %s not given and %s 0", list,
                 missing > 8 ? ", ..." : "", missing > 1 ? "were" : "was",
                 missing > 1 ? "are" : "is");
    return true;
}
