/* Source locations of code: .loc, the lines of -g, and the messages of .assert. */
#include "asm/asm.h"

#include "base/text.h"

#include <string.h>

/* The file's number in the section `line`; 0 is the empty name. */
static uint16_t file_index(asm_state *a, const char *name, size_t length) {
    bool created;
    if (length == 0)
        return 0;
    const asm_name *entry =
        asm_names_insert(&a->file_names, name, length, (uint32_t)a->file_names.count + 1, &created);
    a->failed |= !entry;
    return entry ? (uint16_t)(entry->value < UINT16_MAX ? entry->value : UINT16_MAX) : 0;
}

static void put_line(asm_state *a, asm_kernel *kernel, const fe_line *line) {
    fe_line *last = NULL;
    if (a->line_records.failed)
        return;
    if (kernel->line_count)
        last = (fe_line *)(void *)(a->line_records.data + a->line_records.size) - 1;
    if (last && last->offset == line->offset) {
        *last = *line;
        return;
    }
    buf_bytes(&a->line_records, line, sizeof *line);
    kernel->line_count++;
}

void asm_parse_location(asm_state *a, const asm_token *directive) {
    asm_token file = a->token;
    int64_t line, column = 0;
    size_t length;
    if (file.kind != ASM_STRING || !a->open) {
        if (file.kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_DIRECTIVE, &directive->place,
                      ".loc \"FILE\", LINE[, COLUMN], inside a kernel",
                      a->open ? "expected a file name" : ".loc outside a kernel");
        asm_recover(a);
        return;
    }
    const char *name = asm_unquote(a, &file, &length);
    asm_advance(a);
    bool good = name && a->token.kind == ASM_COMMA;
    if (good) {
        asm_advance(a);
        good = asm_integer(a, 0, UINT32_MAX, &line);
        if (good && a->token.kind == ASM_COMMA) {
            asm_advance(a);
            good = asm_integer(a, 0, UINT16_MAX, &column);
        }
    } else if (name) {
        asm_error(&a->reporter, DIAG_E_DIRECTIVE, &directive->place, NULL,
                  "expected a line number");
    }
    if (!good || memchr(name, 0, length) || !text_is_utf8(name, length)) {
        if (good)
            asm_error(&a->reporter, DIAG_E_DIRECTIVE, &file.place, NULL,
                      "the file name is not UTF-8");
        asm_recover(a);
        return;
    }
    asm_kernel *kernel = asm_last_kernel(a);
    kernel->located = kernel->sugared = a->located = true;
    a->loc = (fe_line){.offset = (uint32_t)(a->code.size - kernel->code_start),
                       .line = (uint32_t)line,
                       .file = file_index(a, name, length),
                       .column = (uint16_t)column};
    put_line(a, kernel, &a->loc);
}

/* Drops a .loc after the last instruction, which has no effect. */
void asm_close_lines(asm_state *a, asm_kernel *kernel) {
    if (kernel->line_count == 0 || a->line_records.failed)
        return;
    const fe_line *last =
        (const fe_line *)(const void *)(a->line_records.data + a->line_records.size) - 1;
    if (last->offset < kernel->code_size)
        return;
    a->line_records.size -= sizeof *last;
    kernel->line_count--;
}

static bool same_line(const fe_line *x, const fe_line *y) {
    return x->line == y->line && x->file == y->file && x->column == y->column;
}

void asm_note_location(asm_state *a) {
    const asm_place *place = asm_outer_place(a, &a->line_at);
    if (a->lines)
        buf_bytes(a->lines, &place->line, sizeof place->line);
    asm_kernel *kernel = asm_last_kernel(a);
    if (!a->options->debug || kernel->located)
        return;
    const char *name = a->input.sources[place->file].name;
    if (!name)
        name = a->options->file ? a->options->file : "";
    fe_line line = {.offset = (uint32_t)(a->code.size - kernel->code_start),
                    .line = place->line,
                    .file = file_index(a, name, strlen(name)),
                    .column = (uint16_t)(place->column <= UINT16_MAX ? place->column : 0)};
    bool same = kernel->line_count && same_line(&line, &a->loc);
    if (!same)
        put_line(a, kernel, &line);
    a->loc = line;
}

/* ---- .assert ---- */

static bool complain(asm_state *a, const asm_place *place, const char *what) {
    asm_error(&a->reporter, DIAG_E_DIRECTIVE, place,
              ".assert p, \"text\" or .assert p, ID, \"text\"", "%s", what);
    return false;
}

static bool take_assert(asm_state *a, asm_statement *s, asm_text *text) {
    size_t length = 0;
    s->operand[0] = a->token;
    if (!asm_line_ends(a)) /* the next line is unaffected */
        asm_advance(a);
    if (a->token.kind != ASM_COMMA)
        return complain(a, &s->mnemonic.place, "expected a predicate and a comma");
    asm_advance(a);
    if (a->token.kind != ASM_STRING) {
        if (!asm_integer(a, 0, UINT32_MAX, &text->id))
            return false;
        if (a->token.kind != ASM_COMMA)
            return complain(a, &s->mnemonic.place, "expected a comma and a string");
        asm_advance(a);
    }
    if (a->token.kind != ASM_STRING)
        return complain(a, &a->token.place, "expected a string in quotes");
    text->place = a->token.place;
    text->text = asm_unquote(a, &a->token, &length);
    text->length = (uint32_t)length;
    asm_advance(a);
    return text->text != NULL;
}

/* An assert whose message id is only known once the file is complete: its words are emitted with id
 * 0. */
void asm_parse_assert(asm_state *a, const asm_token *guard) {
    asm_statement s = {.guard = *guard, .mnemonic = a->token, .op = ISA_ASSERT, .count = 2};
    asm_text text = {.id = -1};
    asm_advance(a);
    if (!a->open) {
        complain(a, &s.mnemonic.place, ".assert outside a kernel");
        asm_recover(a);
        return;
    }
    if (!take_assert(a, &s, &text) || !asm_sugar(a, &s.mnemonic.place)) {
        asm_recover(a);
        return;
    }
    s.operand[1] =
        (asm_token){.kind = ASM_INTEGER, .place = text.place, .value = text.id < 0 ? 0 : text.id};
    a->line_at = s.mnemonic.place;
    if (a->tree)
        asm_tree_instruction(a, &s);
    if (!asm_encode(a, &s) ||
        !asm_grow(a, (void **)&a->texts, a->text_count, &a->text_room, sizeof *a->texts))
        return;
    text.at = a->code.size - 4;
    a->texts[a->text_count++] = text;
}
