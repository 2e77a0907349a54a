/* Prints helper functions and types at the top of a file when a kernel uses them. Their texts are
 * in src/emit/helpers; each @word in a text is replaced by the target's spelling. */
#include "emit/c_printer.h"

#include <string.h>

const c_helper c_helpers[C_HELPERS] = {
#include "common_helpers.inc"
};

static const c_helper *helper_at(const c_target *t, unsigned k) {
    return k < C_HELPERS ? &c_helpers[k] : &t->helpers[k - C_HELPERS];
}

bool c_is_helper(const c_target *t, const char *name) {
    /* Every name begins with one of these. */
    if (strncmp(name, "wave_", 5) != 0 && strncmp(name, "mem_", 4) != 0)
        return false;
    for (unsigned k = 0; k < C_HELPERS + t->helper_count; k++) {
        const char *helper = helper_at(t, k)->name;
        if (*helper == *name && strcmp(helper, name) == 0)
            return true;
    }
    return strcmp(name, EMIT_CONSTANTS) == 0;
}

static bool is_in_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

size_t c_put_to_word(const char **text, buf *out) {
    const char *word = strchr(*text, '@');
    size_t plain = word ? (size_t)(word - *text) : strlen(*text), length = 0;
    buf_bytes(out, *text, plain);
    *text += plain;
    if (**text)
        ++*text;
    while (is_in_word((*text)[length]))
        length++;
    return length;
}

bool c_is_word(const char *at, size_t length, const char *word) {
    return *at == *word && strncmp(at, word, length) == 0 && !word[length];
}

static const char *find_word(const char *const *words, const char *word, size_t length) {
    while (words[0] && !c_is_word(word, length, words[0]))
        words += 2;
    return words[0] ? words[1] : "";
}

void c_put_words(const char *const *words, const char *text, buf *out) {
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length)
        buf_text(out, find_word(words, text, length));
}

/* A function's name from its call. */
static bool put_function(const char *call, buf *out) {
    buf_bytes(out, call, strcspn(call, "("));
    return true;
}

static bool put_implied(const c_target *t, const char *word, size_t length, buf *out) {
    if (c_is_word(word, length, "asfloat"))
        return put_function(t->bitcasts[IR_F32][IR_U32], out);
    if (c_is_word(word, length, "asuint"))
        return put_function(t->bitcasts[IR_U32][IR_F32], out);
    if (c_is_word(word, length, "floor"))
        return put_function(t->forms[IR_FFLOOR].text, out);
    if (!c_is_word(word, length, "function"))
        return false;
    buf_bytes(out, t->function, strlen(t->function) - 1); /* without its blank */
    return true;
}

/* Words that the rest of the target's table implies come before its own. */
static void put_helper(const c_target *t, const char *text, buf *out) {
    const char *const implied[] = {"alias", "__attribute__((may_alias))", "half", t->types[IR_F16],
                                   "ull",   t->wide ? t->wide : "ull",    NULL};
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length) {
        if (put_implied(t, text, length, out))
            continue;
        const char *found = find_word(implied, text, length);
        buf_text(out, *found ? found : find_word(t->words, text, length));
    }
}

static uint64_t with_needed(const c_target *t, uint64_t used) {
    for (uint64_t before = 0; before != used;) {
        before = used;
        for (unsigned k = 0; k < C_HELPERS + t->helper_count; k++)
            if (used >> k & 1)
                used |= helper_at(t, k)->needs;
    }
    return used;
}

static void put_constants(const c_target *t, const emit_unit *unit, buf *out) {
    if (!(unit->uses & EMIT_USES_CONSTANTS))
        return;
    buf_printf(out, "\n// Constant memory, %u bytes.\n%s " EMIT_CONSTANTS "[%u] = {",
               unit->constant_size, t->constant_array, emit_constant_words(unit));
    emit_put_constants(unit, "u", out);
    buf_text(out, "};\n");
}

void c_print_helpers(const c_target *t, const emit_unit *unit, buf *out) {
    uint64_t used = with_needed(t, unit->used);
    bool types = false;
    for (unsigned k = 0; k < C_HELPERS + t->helper_count; k++) {
        if (!(used >> k & 1))
            continue;
        bool type = k <= C_MEM_F32X4;
        if (type && !types)
            buf_text(out, "\n// Memory is untyped: what these types refer to may overlap.");
        if (!type || !types)
            buf_char(out, '\n');
        types |= type;
        put_helper(t, helper_at(t, k)->text, out);
    }
    put_constants(t, unit, out);
}
