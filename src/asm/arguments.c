/* .arg: the next argument of a kernel, its registers and its record in ARGS. */
#include "asm/asm.h"

#include "base/text.h"

#include <string.h>

static bool complain(asm_state *a, const asm_place *place, const char *what) {
    asm_error(&a->reporter, DIAG_E_ARGUMENT, place, NULL, "%s", what);
    return false;
}

static bool take_word(asm_state *a, const char *word) {
    if (a->token.kind != ASM_NAME || !asm_token_is(&a->token, word))
        return false;
    asm_advance(a);
    return true;
}

static bool take_type(asm_state *a, wave_argument *argument) {
    for (wave_type type = WAVE_TYPE_U32; type < WAVE_TYPE_COUNT; type++)
        if (take_word(a, wave_type_name(type))) {
            argument->type = (uint8_t)type;
            return true;
        }
    if (a->token.kind == ASM_BAD)
        return false;
    return complain(a, &a->token.place,
                    "types are u32 i32 f32 u64 i64 f64 f16 bf16 u8 i8 u16 i16, and bytes");
}

static void take_flags(asm_state *a, wave_argument *argument) {
    static const struct {
        const char *word;
        uint8_t access;
    } accesses[] = {{"in", WAVE_ARGUMENT_READ},
                    {"out", WAVE_ARGUMENT_WRITTEN},
                    {"inout", WAVE_ARGUMENT_READ | WAVE_ARGUMENT_WRITTEN},
                    {"unused", 0}};
    argument->access = WAVE_ARGUMENT_READ | WAVE_ARGUMENT_WRITTEN;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
        if (take_word(a, accesses[i].word))
            argument->access = accesses[i].access;
    if (take_word(a, "restrict"))
        argument->flags |= WAVE_ARGUMENT_RESTRICT;
    if (take_word(a, "contained"))
        argument->flags |= WAVE_ARGUMENT_CONTAINED;
}

/* The kind, type and flags, which follow the name. */
static bool take_kind(asm_state *a, wave_argument *argument) {
    int64_t bytes;
    if (take_word(a, "buffer")) {
        argument->kind = WAVE_ARGUMENT_BUFFER;
        if (!take_type(a, argument))
            return false;
        take_flags(a, argument);
    } else if (take_word(a, "local")) {
        argument->kind = WAVE_ARGUMENT_LOCAL;
        argument->access = WAVE_ARGUMENT_READ | WAVE_ARGUMENT_WRITTEN;
        if (!take_type(a, argument))
            return false;
    } else {
        argument->access = WAVE_ARGUMENT_READ;
        if (!take_type(a, argument))
            return false;
        if (argument->type == WAVE_TYPE_BYTES) {
            if (!asm_integer(a, 1, 4 * (int64_t)FE_MAX_ARGUMENT_WORDS, &bytes))
                return false;
            argument->words = (uint16_t)((bytes + 3) / 4);
            return true;
        }
    }
    argument->words =
        (uint16_t)fe_argument_words((wave_argument_kind)argument->kind, (wave_type)argument->type);
    return true;
}

/* A quoted name is metadata only; it does not name a register. */
static bool take_name(asm_state *a, asm_token *name, wave_argument *argument) {
    size_t length = a->token.place.length;
    const char *text = a->token.place.at;
    *name = a->token;
    if (name->kind == ASM_STRING) {
        text = asm_unquote(a, name, &length);
        if (!text)
            return false;
        if (memchr(text, 0, length) || !text_is_utf8(text, length))
            return complain(a, &name->place, "the name is not UTF-8");
    } else if (name->kind != ASM_NAME) {
        return complain(a, &name->place, "expected the name of the argument");
    }
    argument->name = arena_text(&a->memory, text, length);
    a->failed |= !argument->name;
    asm_advance(a);
    return !a->failed;
}

static bool name_registers(asm_state *a, const asm_token *name, const wave_argument *argument) {
    asm_use_register(a, &name->place, argument->first_word, argument->words);
    if (name->kind != ASM_NAME)
        return true;
    asm_symbol *symbol = asm_define_symbol(a, name, ASM_SYMBOL_REGISTER);
    if (!symbol)
        return false;
    symbol->fixed = symbol->argument = true;
    symbol->number = argument->first_word;
    symbol->width = (uint8_t)(argument->words < 4 ? argument->words : 4);
    symbol->contained = argument->flags & WAVE_ARGUMENT_CONTAINED;
    return true;
}

static bool is_allowed_here(asm_state *a, const asm_token *directive) {
    if (!a->open)
        return complain(a, &directive->place, ".arg outside a kernel");
    asm_kernel *kernel = asm_last_kernel(a);
    if (a->code.size > kernel->code_start)
        return complain(a, &directive->place, ".arg after the first instruction");
    if (a->registers.named > kernel->argument_words)
        return complain(a, &directive->place, ".arg after .reg");
    return true;
}

void asm_parse_argument(asm_state *a, const asm_token *directive) {
    wave_argument argument = {0};
    asm_token name;
    if (!is_allowed_here(a, directive) || !take_name(a, &name, &argument) ||
        !take_kind(a, &argument) || !asm_sugar(a, &directive->place)) {
        asm_recover(a);
        return;
    }
    asm_kernel *kernel = asm_last_kernel(a);
    argument.first_word = (uint16_t)kernel->argument_words;
    if (kernel->argument_words + argument.words > FE_MAX_ARGUMENT_WORDS) {
        complain(a, &name.place, "too many argument words; a kernel has at most 256");
        return;
    }
    if (!asm_grow(a, (void **)&a->arguments, a->argument_count, &a->argument_room,
                  sizeof *a->arguments))
        return;
    if (argument.words && !name_registers(a, &name, &argument))
        return;
    a->arguments[a->argument_count++] = argument;
    kernel->argument_count++;
    kernel->argument_words += argument.words;
}
