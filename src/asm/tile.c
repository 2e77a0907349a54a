/* Operands of tile instructions. To the lexer their words are names; symbols.c reserves them. */
#include "asm/asm.h"

#include <string.h>

/* The number after the t; -1 when the token is not a tile, ISA_TILES when the number is too
 * high. */
static int tile_number(const asm_token *token) {
    const char *text = token->place.at;
    size_t length = token->place.length;
    if (token->kind != ASM_NAME || length < 2 || text[0] != 't')
        return -1;
    int number = 0;
    for (size_t i = 1; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        number = number * 10 + (text[i] - '0');
        if (number > ISA_TILES)
            number = ISA_TILES;
    }
    return length > 2 && text[1] == '0' ? -1 : number;
}

bool asm_encode_tile(asm_state *a, const asm_statement *s, const asm_token *token, unsigned role,
                     uint32_t *field) {
    int number = tile_number(token);
    if (number < 0)
        return asm_wrong_kind(a, s, token, role, "tile");
    if (number >= ISA_TILES) {
        asm_error(&a->reporter, DIAG_E_REGISTER, &token->place, "tiles are t0 to t15",
                  "unknown tile '%.*s'", asm_shown(token->place.length), token->place.at);
        return false;
    }
    *field = (uint32_t)number;
    return true;
}

/* One of two words. */
static bool choose(asm_state *a, const asm_statement *s, const asm_token *token,
                   const char *const words[2], const char *what, uint32_t bit, uint32_t *field) {
    for (unsigned i = 0; i < 2; i++)
        if (token->kind == ASM_NAME && asm_token_is(token, words[i])) {
            *field |= i ? bit : 0;
            return true;
        }
    asm_error(&a->reporter, DIAG_E_OPERAND, &token->place, NULL,
              "%.*s takes its %s here, %s or %s, not '%.*s'", asm_shown(s->mnemonic.place.length),
              s->mnemonic.place.at, what, words[0], words[1], asm_shown(token->place.length),
              token->place.at);
    return false;
}

bool asm_encode_place(asm_state *a, const asm_statement *s, const asm_token *tokens,
                      uint32_t *field) {
    static const char *const spaces[2] = {"local", "device"}, *const layouts[2] = {"row", "col"};
    *field = 0;
    return choose(a, s, &tokens[0], spaces, "space", ISA_TILE_DEVICE, field) &&
           choose(a, s, &tokens[1], layouts, "layout", ISA_TILE_COL, field);
}

bool asm_encode_tile_type(asm_state *a, const asm_statement *s, asm_encoding *e) {
    if (s->tile == ISA_TILE_TYPES) {
        const char *mnemonic = isa_table[s->op].mnemonic;
        bool sums = isa_tile_mnemonic(s->op, ISA_TILE_I32) != NULL;
        asm_error(&a->reporter, DIAG_E_MNEMONIC, &s->mnemonic.place,
                  s->op == ISA_TILE_MMA ? "mma_f16_f32, mma_bf16_f32, mma_f32_f32, mma_i8_i32 or "
                                          "mma_u8_i32"
                  : sums                ? "the types are _f32 and _i32"
                                        : "the types are _f16, _bf16, _f32, _i8 and _u8",
                  "the mnemonic %s must name its element type", mnemonic);
        return false;
    }
    e->field[isa_tile_type_field(s->op)] = s->tile;
    return true;
}
