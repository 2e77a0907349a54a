/* .macro, .include and .if: the directives that select the text to read. */
#include "asm/asm.h"

#include <string.h>

/* ---- Lines that are not read as statements ---- */

/* The directive at the start of the lexer's line, after blanks: its length, 0 when there is
 * none. */
static size_t line_directive(const asm_lexer *lexer, const char **start) {
    const char *at = lexer->at;
    while (at < lexer->end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    *start = at;
    if (at == lexer->end || *at != '.')
        return 0;
    do
        at++;
    while (at < lexer->end && asm_is_word(*at));
    return (size_t)(at - *start);
}

/* Whether the line ends with a newline in its own text, to which the lexer can return, and not with
 * the end of a macro or file. */
static bool at_newline(const asm_state *a) {
    return a->token.kind == ASM_NEWLINE && a->token.place.length == 1;
}

static void back_to_newline(asm_state *a) {
    a->lexer.at = a->token.place.at;
    a->lexer.line = a->token.place.line;
    a->lexer.line_start = a->lexer.at - (a->token.place.column - 1);
}

static bool same(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Moves the lexer to the start of the next line; false at the end of the text. */
static bool next_line(asm_lexer *lexer) {
    asm_lexer_skip_line(lexer);
    if (lexer->at == lexer->end)
        return false;
    lexer->line_start = ++lexer->at;
    lexer->line++;
    return true;
}

/* ---- .macro ---- */

static bool take_parameters(asm_state *a, asm_macro *macro) {
    while (a->token.kind == ASM_NAME) {
        if (macro->parameters == ASM_MAX_PARAMETERS) {
            asm_error(&a->reporter, DIAG_E_MACRO, &a->token.place, NULL,
                      "too many parameters; a macro has at most 64");
            return false;
        }
        for (unsigned i = 0; i < macro->parameters; i++)
            if (macro->parameter[i].length == a->token.place.length &&
                memcmp(macro->parameter[i].at, a->token.place.at, a->token.place.length) == 0) {
                asm_error(&a->reporter, DIAG_E_MACRO, &a->token.place, NULL,
                          "duplicate parameter name");
                return false;
            }
        macro->parameter[macro->parameters++] =
            (asm_span){a->token.place.at, a->token.place.length};
        asm_advance(a);
        if (a->token.kind == ASM_COMMA)
            asm_advance(a);
        else if (asm_line_ends(a))
            return true;
    }
    if (asm_line_ends(a))
        return true;
    if (a->token.kind != ASM_BAD)
        asm_error(&a->reporter, DIAG_E_MACRO, &a->token.place,
                  "parameters are names, not registers, separated by commas",
                  "expected a parameter name");
    return false;
}

/* Starts after the line of the .macro, where a->lexer continues, and takes everything up to the
 * .endm. */
static bool take_body(asm_state *a, asm_macro *macro) {
    asm_lexer *lexer = &a->lexer;
    const char *word;
    macro->body = *lexer;
    macro->body.no_labels = false;
    for (bool more = lexer->at < lexer->end; more; more = next_line(lexer)) {
        size_t length = line_directive(lexer, &word);
        if (same(word, length, ".macro"))
            break;
        if (!same(word, length, ".endm"))
            continue;
        asm_lexer_cut(&macro->body, lexer->at);
        asm_lexer_skip_line(lexer);
        return true;
    }
    asm_error(&a->reporter, DIAG_E_MACRO, &macro->place, "macros end with .endm and do not nest",
              "the macro is not closed");
    return false;
}

static bool name_macro(asm_state *a, const asm_token *name, asm_macro *macro) {
    bool created;
    asm_input *in = &a->input;
    if (asm_is_reserved_word(name->place.at, name->place.length)) {
        asm_error(&a->reporter, DIAG_E_MACRO, &name->place, NULL,
                  "'%.*s' is a reserved word and cannot name a macro",
                  asm_shown(name->place.length), name->place.at);
        return false;
    }
    const asm_name *entry = asm_names_insert(&in->macro_names, name->place.at, name->place.length,
                                             (uint32_t)in->macro_count, &created);
    if (!entry) {
        a->failed = true;
        return false;
    }
    if (!created) {
        asm_error(&a->reporter, DIAG_E_MACRO, &name->place, NULL,
                  "macro '%.*s' is already defined on line %u", asm_shown(name->place.length),
                  name->place.at, in->macros[entry->value]->place.line);
        return false;
    }
    if (!asm_grow(a, (void **)&in->macros, in->macro_count, &in->macro_room, sizeof(void *)))
        return false;
    in->macros[in->macro_count++] = macro;
    return true;
}

void asm_parse_macro(asm_state *a, const asm_token *directive) {
    asm_token name = a->token;
    asm_macro *macro = arena_alloc(&a->memory, sizeof *macro);
    if (!macro) {
        a->failed = true;
        return;
    }
    if (name.kind != ASM_NAME || asm_token_is(directive, ".endm")) {
        asm_error(&a->reporter, DIAG_E_MACRO, &directive->place, ".macro NAME a, b … .endm",
                  name.kind == ASM_NAME || !asm_token_is(directive, ".macro")
                      ? ".endm without a .macro"
                      : "expected the name of the macro");
        asm_recover(a);
        return;
    }
    macro->place = name.place;
    asm_advance(a);
    bool good = take_parameters(a, macro);
    asm_recover(a);
    /* The token is the newline: the lexer is at the start of the body. */
    bool body = at_newline(a);
    if (body && take_body(a, macro) && good)
        name_macro(a, &name, macro);
    else if (!body)
        asm_error(&a->reporter, DIAG_E_MACRO, &name.place, NULL, "the macro is not closed");
    if (body)
        asm_advance(a);
}

/* ---- .include ---- */

/* The path of the name relative to the including file, in the arena. */
static const char *included_path(asm_state *a, const asm_token *token, const char *path,
                                 size_t length) {
    const char *from = a->input.sources[token->place.file].name;
    if (!from)
        from = a->options->file ? a->options->file : "";
    const char *slash = strrchr(from, '/');
    size_t folder = path[0] == '/' || !slash ? 0 : (size_t)(slash + 1 - from);
    char *name = arena_alloc(&a->memory, folder + length + 1);
    a->failed |= !name;
    if (!name)
        return NULL;
    memcpy(name, from, folder);
    memcpy(name + folder, path, length);
    return name;
}

enum { SHOWN_PATH = 4096 }; /* no system opens a longer one */

/* The text of the file; false after an error. */
static bool read_included(asm_state *a, const asm_token *token, const char **name,
                          wave_blob *text) {
    size_t length;
    const char *path = asm_unquote(a, token, &length);
    if (!path)
        return false;
    bool good = a->options->include && length > 0 && strlen(path) == length;
    *name = good ? included_path(a, token, path, length) : path;
    if (good && *name && a->options->include(a->options->include_user, *name, text))
        return true;
    if (*name)
        asm_error(&a->reporter, DIAG_E_INCLUDE, &token->place,
                  good ? "names are relative to the folder of the including file" : NULL,
                  good ? "cannot read '%.*s'" : "cannot include '%.*s'", SHOWN_PATH, *name);
    return false;
}

void asm_parse_include(asm_state *a, const asm_token *directive) {
    asm_token token = a->token;
    wave_blob text = {0};
    const char *name;
    if (token.kind == ASM_STRING)
        asm_advance(a);
    if (token.kind != ASM_STRING || !asm_line_ends(a)) {
        if (a->token.kind != ASM_BAD)
            asm_error(&a->reporter, DIAG_E_INCLUDE, &directive->place, ".include \"FILE\"",
                      "expected a file name in quotes, and nothing else");
        asm_recover(a);
        return;
    }
    if (!read_included(a, &token, &name, &text))
        return;
    if (at_newline(a))
        back_to_newline(a); /* to be read again after the file */
    if (asm_push_file(a, &token.place, name, &text)) {
        asm_advance(a);
        return;
    }
    wave_blob_free(&text);
    asm_recover(a);
}

/* ---- .if ---- */

static void second_else(asm_state *a, const char *word, size_t length) {
    const asm_place place = {.at = word,
                             .line = a->lexer.line,
                             .column = (uint32_t)(word - a->lexer.line_start) + 1,
                             .length = (uint32_t)length,
                             .file = a->lexer.file};
    asm_error(&a->reporter, DIAG_E_CONDITION, &place, NULL, "the .if already has an .else");
}

/* Skips from the end of a line to the matching .else or .endif. */
static void skip_branch(asm_state *a, bool stop_at_else) {
    asm_lexer *lexer = &a->lexer;
    unsigned inner = 0;
    const char *word;
    while (next_line(lexer)) {
        size_t length = line_directive(lexer, &word);
        if (length == 0)
            continue;
        if (same(word, length, ".if")) {
            inner++;
        } else if (same(word, length, ".endif")) {
            if (inner-- > 0)
                continue;
            a->input.conditions--;
            asm_lexer_skip_line(lexer);
            break;
        } else if (inner == 0 && same(word, length, ".else")) {
            if (!stop_at_else) {
                second_else(a, word, length);
                continue;
            }
            a->input.else_seen[a->input.conditions - 1] = true;
            asm_lexer_skip_line(lexer);
            break;
        }
    }
    asm_advance(a);
}

static void open_condition(asm_state *a, const asm_token *directive) {
    asm_value value = {0};
    if (a->input.conditions == ASM_MAX_CONDITIONS) {
        asm_error(&a->reporter, DIAG_E_CONDITION, &directive->place, NULL,
                  ".if nested more than 64 levels deep");
        asm_recover(a);
        return;
    }
    if (!asm_expression(a, &value))
        asm_recover(a);
    bool ended = a->token.kind == ASM_NEWLINE && !at_newline(a); /* with its macro or file */
    if (ended) {
        asm_error(&a->reporter, DIAG_E_CONDITION, &directive->place, NULL, ".if without .endif");
        return;
    }
    a->input.condition_at[a->input.conditions] = directive->place;
    a->input.else_seen[a->input.conditions++] = false;
    if (!asm_line_ends(a)) {
        asm_error(&a->reporter, DIAG_E_CONDITION, &a->token.place, NULL,
                  "unexpected text after the condition");
        asm_recover(a);
    }
    bool holds = value.is_float ? value.number != 0 : value.integer != 0;
    if (holds || !at_newline(a))
        return;
    back_to_newline(a);
    skip_branch(a, true);
}

void asm_parse_condition(asm_state *a, const asm_token *directive) {
    unsigned outer = a->input.depth ? a->input.frame[a->input.depth - 1].conditions : 0;
    if (asm_token_is(directive, ".if")) {
        open_condition(a, directive);
        return;
    }
    bool otherwise = asm_token_is(directive, ".else");
    if (a->input.conditions == outer ||
        (otherwise && a->input.else_seen[a->input.conditions - 1])) {
        asm_error(&a->reporter, DIAG_E_CONDITION, &directive->place,
                  "the instructions else and endif have no dot", "%.*s without an .if",
                  (int)directive->place.length, directive->place.at);
        return;
    }
    if (!otherwise) {
        a->input.conditions--;
        return;
    }
    asm_recover(a);
    if (!at_newline(a))
        return;
    back_to_newline(a);
    skip_branch(a, false);
}
