/* Declared arguments as members of a structure. Emitted code and host headers use the same names
 * and types. Every member occupies whole words, so the structure has the layout of the argument
 * words. */
#include "emit/c_printer.h"

#include <string.h>

/* ---- Names ---- */

/* Names that emitted code itself uses. Those of its variables are one of `letters` followed by a
 * number; tiles have longer prefixes. */
static const char own[][7] = {"args",  "grid",   "group",  "item", "lane", "lanes", "mem",
                              "own",   "local",  "queue",  "r",    "s",    "sign",  "size",
                              "shape", "status", "thread", "wave", "waves"};
static const char own_prefixes[][8] = {"mem_", "wave_", "thread_", "group_", "grid_", "size_"};
static const char letters[] = "bufqdhgxpr";

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_variable(const char *name) {
    const char *end = name + 1;
    while (*name && is_digit(*end))
        end++;
    return *name && end > name + 1 && *end == '\0' && strchr(letters, *name);
}

/* Whether the name begins like a tile's. Without its number too: a register's second variable is
 * called NAME_2. */
static bool is_tile(const char *name) {
    for (unsigned type = 0; type < IR_TYPE_COUNT; type++) {
        const put_label *prefix = &c_prefix[type];
        if (prefix->length > 1 && strncmp(name, prefix->text, prefix->length - 1u) == 0)
            return true;
    }
    return false;
}

/* Whether the name is the prefix followed by something. */
static bool begins(const char *name, const char *prefix) {
    while (*prefix && *prefix == *name) {
        prefix++;
        name++;
    }
    return *prefix == '\0' && *name != '\0';
}

/* `restrict` is a keyword of C that C++ lacks. */
static bool is_own(const char *name) {
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (*own[k] == *name && strcmp(name, own[k]) == 0)
            return true;
    for (size_t k = 0; k < sizeof own_prefixes / sizeof *own_prefixes; k++)
        if (begins(name, own_prefixes[k]))
            return true;
    return is_variable(name) || is_tile(name) || strcmp(name, "restrict") == 0;
}

bool emit_is_taken(const char *name) {
    for (unsigned t = EMIT_HIP; t < EMIT_TARGET_COUNT; t++)
        if (emit_is_reserved((emit_target)t, name))
            return true;
    return is_own(name);
}

static bool is_used(const emit_argument *members, size_t count, const char *name) {
    for (size_t k = 0; k < count; k++)
        if (strcmp(members[k].name, name) == 0)
            return true;
    return false;
}

bool emit_is_plain(const char *name) {
    const char *c = name;
    while (is_letter(*c) || (c > name && (is_digit(*c) || *c == '_')))
        c++;
    return c > name && *c == '\0';
}

/* The name itself where every target accepts it, with a trailing _ where one does not. The argument
 * in r3 is called arg3 when it has no name or its name is not an identifier. */
static void spell(buf *out, const wave_argument *a) {
    if (!emit_is_plain(a->name)) {
        buf_printf(out, "arg%u", a->first_word);
        return;
    }
    buf_text(out, a->name);
    if (emit_is_taken(a->name))
        buf_char(out, '_');
}

static const char *free_name(const wave_argument *a, const emit_argument *members, size_t count,
                             arena *memory) {
    buf text = {0};
    const char *name = NULL;
    spell(&text, a);
    for (;;) {
        buf_bytes(&text, "", 1);
        if (text.failed || !is_used(members, count, (char *)text.data))
            break;
        text.size--;
        buf_char(&text, '_');
    }
    if (!text.failed)
        name = arena_text(memory, (char *)text.data, text.size - 1);
    buf_free(&text);
    return name;
}

bool emit_find_arguments(const wave_argument *arguments, size_t count, arena *memory,
                         emit_arguments *out) {
    size_t members = 0;
    *out = (emit_arguments){0};
    for (size_t k = 0; k < count; k++)
        members += arguments[k].words != 0;
    emit_argument *at = arena_alloc(memory, (members + 1) * sizeof *at);
    if (!at)
        return false;
    for (size_t k = 0; k < count; k++) {
        if (!arguments[k].words)
            continue;
        const char *name = free_name(&arguments[k], at, out->count, memory);
        if (!name)
            return false;
        at[out->count++] = (emit_argument){name, &arguments[k]};
    }
    out->at = at;
    return true;
}

/* ---- Types ---- */

/* 16- and 8-bit scalars are extended to a word; a buffer's word is its offset in the arena. */
static const struct {
    const char *words, *whole;
} types[WAVE_TYPE_COUNT] = {
    [WAVE_TYPE_U32] = {"uint32_t", "uint32_t"},   [WAVE_TYPE_I32] = {"int32_t", "int32_t"},
    [WAVE_TYPE_F32] = {"float", "float"},         [WAVE_TYPE_U64] = {"uint32_t", "uint64_t"},
    [WAVE_TYPE_I64] = {"uint32_t", "int64_t"},    [WAVE_TYPE_F64] = {"uint32_t", "double"},
    [WAVE_TYPE_F16] = {"uint32_t", "uint32_t"},   [WAVE_TYPE_BF16] = {"uint32_t", "uint32_t"},
    [WAVE_TYPE_U8] = {"uint32_t", "uint32_t"},    [WAVE_TYPE_I8] = {"int32_t", "int32_t"},
    [WAVE_TYPE_U16] = {"uint32_t", "uint32_t"},   [WAVE_TYPE_I16] = {"int32_t", "int32_t"},
    [WAVE_TYPE_BYTES] = {"uint32_t", "uint32_t"},
};

/* "offset of a buffer of f32, read", "the bits of an f16", "u64, low word first" */
static void put_comment(const wave_argument *a, bool host, bool whole, buf *out) {
    static const char *const accesses[] = {"", ", read", ", written", ", read and written"};
    static const char *const notes[WAVE_TYPE_COUNT] = {[WAVE_TYPE_F16] = "the bits of an f16",
                                                       [WAVE_TYPE_BF16] = "the bits of a bf16",
                                                       [WAVE_TYPE_U8] = "u8",
                                                       [WAVE_TYPE_I8] = "i8",
                                                       [WAVE_TYPE_U16] = "u16",
                                                       [WAVE_TYPE_I16] = "i16",
                                                       [WAVE_TYPE_BYTES] = "a structure by value"};
    static const char *const wide[WAVE_TYPE_COUNT] = {[WAVE_TYPE_U64] = "u64, low word first",
                                                      [WAVE_TYPE_I64] = "i64, low word first",
                                                      [WAVE_TYPE_F64] = "f64, low word first"};
    const char *open = host ? " /* " : " // ", *close = host ? " */" : "";
    const char *note = notes[a->type] ? notes[a->type] : whole ? NULL : wide[a->type];
    if (a->kind == WAVE_ARGUMENT_BUFFER)
        buf_printf(out, "%soffset of a buffer of %s%s%s", open, wave_type_name((wave_type)a->type),
                   accesses[a->access & 3], close);
    else if (note)
        buf_printf(out, "%s%s%s", open, note, close);
}

/* The members, one per line. */
static void put_members(const emit_arguments *arguments, bool host, bool whole, buf *out) {
    for (size_t k = 0; k < arguments->count; k++) {
        const emit_argument *m = &arguments->at[k];
        const wave_argument *a = m->is;
        bool buffer = a->kind == WAVE_ARGUMENT_BUFFER;
        const char *type = whole ? types[a->type].whole : types[a->type].words;
        buf_printf(out, "    %s %s", buffer ? "uint32_t" : type, m->name);
        if (a->words > 1 && !(whole && emit_is_wide(a)))
            buf_printf(out, "[%u]", a->words);
        buf_char(out, ';');
        put_comment(a, host, whole, out);
        buf_char(out, '\n');
    }
}

bool emit_is_wide(const wave_argument *a) {
    return a->kind == WAVE_ARGUMENT_SCALAR && wave_type_size((wave_type)a->type) == 8;
}

void emit_put_structure(const emit_arguments *arguments, const char *symbol, emit_structure kind,
                        buf *out) {
    bool host = kind == EMIT_STRUCTURE_HOST, whole = kind != EMIT_STRUCTURE_WORDS, wide = false;
    for (size_t k = 0; k < arguments->count; k++)
        wide |= whole && emit_is_wide(arguments->at[k].is);
    buf_text(out, wide ? "#pragma pack(push, 4)\n" : "");
    buf_printf(out, "%sstruct %s_args {\n", host ? "typedef " : "", symbol);
    put_members(arguments, host, whole, out);
    if (host)
        buf_printf(out, "} %s_args;\n", symbol);
    else
        buf_text(out, "};\n");
    buf_text(out, wide ? "#pragma pack(pop)\n" : "");
}

const emit_argument *emit_argument_at(const emit_arguments *arguments, uint32_t word) {
    size_t low = 0, high = arguments->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(arguments->at[middle].is->first_word <= word ? &low : &high) = middle;
    }
    return arguments->count ? &arguments->at[low] : NULL;
}

bool emit_is_constant(const emit_arguments *arguments, uint32_t word) {
    const unsigned promises = WAVE_ARGUMENT_RESTRICT | WAVE_ARGUMENT_CONTAINED;
    const emit_argument *m = emit_argument_at(arguments, word);
    return m && m->is->kind == WAVE_ARGUMENT_BUFFER && m->is->access == WAVE_ARGUMENT_READ &&
           (m->is->flags & promises) == promises;
}
