/* The stack of texts of input.h. An argument is not copied into the macro's text: its own text is
 * read at each use of the parameter, so that places remain those of the source. */
#include "asm/asm.h"

#include <stdlib.h>
#include <string.h>

/* The limit on what all expansions together may read and emit: a few lines of source can request
 * any amount. */
static const uint64_t EXPANDED_BYTES = UINT64_C(1) << 26;
/* After this many errors expansion stops: further messages would not help the user. */
static const size_t MOST_ERRORS = 1000;

static asm_frame *top(asm_state *a) {
    return &a->input.frame[a->input.depth - 1];
}

static bool charge(asm_state *a, uint64_t bytes, const asm_place *place) {
    bool before = a->input.expanded_bytes <= EXPANDED_BYTES;
    a->input.expanded_bytes += bytes + 16;
    if (a->input.expanded_bytes <= EXPANDED_BYTES)
        return true;
    if (before)
        asm_error(&a->reporter, DIAG_E_MACRO, place, NULL,
                  "macros and included files expand to more than 64 MiB of text");
    return false;
}

static bool push(asm_state *a, const asm_frame *frame, const asm_lexer *text) {
    asm_input *in = &a->input;
    bool nests = frame->kind != ASM_FRAME_ARGUMENT;
    if (nests && a->reporter.errors > MOST_ERRORS)
        return false;
    if (in->depth == ASM_MAX_FRAMES || (nests && in->nesting == ASM_MAX_DEPTH)) {
        asm_error(&a->reporter, DIAG_E_MACRO, &frame->from,
                  "does a macro or an included file include itself?",
                  "macros and included files nested more than 64 levels deep");
        return false;
    }
    if (!charge(a, (uint64_t)(text->end - text->at), &frame->from))
        return false;
    if (!in->frame)
        in->frame = arena_alloc(&a->memory, ASM_MAX_FRAMES * sizeof *in->frame);
    if (!in->frame) {
        a->failed = true;
        return false;
    }
    in->frame[in->depth++] = *frame;
    in->nesting += nests;
    a->lexer = *text;
    return true;
}

static void pop(asm_state *a) {
    asm_frame *frame = top(a);
    if (frame->kind != ASM_FRAME_ARGUMENT) {
        a->input.nesting--;
        if (a->input.conditions > frame->conditions)
            asm_error(&a->reporter, DIAG_E_CONDITION,
                      &a->input.condition_at[a->input.conditions - 1], NULL, ".if without .endif");
        a->input.conditions = frame->conditions;
    }
    if (frame->kind == ASM_FRAME_MACRO)
        asm_leave_scope(a, frame->outer_scope);
    bool no_labels = a->lexer.no_labels;
    a->lexer = frame->below;
    a->lexer.no_labels = no_labels && frame->kind == ASM_FRAME_ARGUMENT;
    a->input.depth--;
}

/* ---- Parameters ---- */

/* The argument for the parameter with this name; NULL when the macro has no such parameter. */
static const asm_lexer *find_argument(const asm_frame *frame, const asm_place *name) {
    for (unsigned i = 0; i < frame->macro->parameters; i++) {
        const asm_span *parameter = &frame->macro->parameter[i];
        if (parameter->length == name->length && memcmp(parameter->at, name->at, name->length) == 0)
            return &frame->arguments[i];
    }
    return NULL;
}

/* The same for a name in the current text; *macro is the frame of its macro. */
static const asm_lexer *find_parameter(const asm_state *a, const asm_place *name,
                                       const asm_frame **macro) {
    unsigned owner = a->input.frame[a->input.depth - 1].owner;
    if (owner == 0)
        return NULL;
    *macro = &a->input.frame[owner - 1];
    return find_argument(*macro, name);
}

/* The argument for @x in a macro, which must be a single predicate. */
static void replace_guard(asm_state *a, const asm_lexer *argument, unsigned caller) {
    asm_token inner;
    asm_lexer text = *argument;
    asm_lexer_next(&text, &inner);
    bool negative = a->token.negative != (inner.kind == ASM_NOT_PREDICATE);
    if (inner.kind != ASM_PREDICATE && inner.kind != ASM_NOT_PREDICATE && inner.kind != ASM_NAME) {
        asm_error(&a->reporter, DIAG_E_MACRO, &inner.place, NULL,
                  "expected a predicate here, for the guard in the macro");
        a->token.kind = ASM_BAD;
        return;
    }
    asm_token guard = inner;
    guard.kind = ASM_GUARD;
    guard.negative = negative;
    guard.named = inner.kind == ASM_NAME;
    a->token = guard;
    if (!guard.named || caller == 0)
        return;
    /* The name may be a parameter of the enclosing macro. */
    const asm_frame *enclosing = &a->input.frame[caller - 1];
    const asm_lexer *next = find_argument(enclosing, &inner.place);
    if (next)
        replace_guard(a, next, enclosing->caller);
}

/* Reads the argument's text next. A label keeps its colon. */
static void enter_argument(asm_state *a, const asm_lexer *argument, const asm_frame *macro) {
    bool label = a->token.kind == ASM_LABEL;
    asm_frame frame = {.kind = ASM_FRAME_ARGUMENT,
                       .below = a->lexer,
                       .from = a->token.place,
                       .owner = macro->caller,
                       .conditions = a->input.conditions};
    asm_lexer text = *argument;
    text.no_labels = a->lexer.no_labels;
    if (!push(a, &frame, &text)) {
        a->token.kind = ASM_BAD;
        return;
    }
    asm_lexer_next(&a->lexer, &a->token);
    if (label && a->token.kind == ASM_NAME)
        a->token.kind = ASM_LABEL;
}

void asm_input_resolve(asm_state *a) {
    while (a->input.depth) {
        const asm_frame *macro = NULL;
        const asm_lexer *argument = NULL;
        if (a->token.kind == ASM_EOF) {
            bool inline_text = top(a)->kind == ASM_FRAME_ARGUMENT;
            pop(a);
            if (!inline_text) { /* a statement never continues after a macro or a file */
                a->token.kind = ASM_NEWLINE;
                return;
            }
            asm_lexer_next(&a->lexer, &a->token);
            continue;
        }
        bool name = a->token.kind == ASM_NAME || a->token.kind == ASM_LABEL;
        bool guard = a->token.kind == ASM_GUARD && a->token.named;
        if (name || guard)
            argument = find_parameter(a, &a->token.place, &macro);
        if (!argument)
            return;
        if (guard) {
            replace_guard(a, argument, macro->caller);
            return;
        }
        enter_argument(a, argument, macro);
        if (a->token.kind == ASM_BAD)
            return;
    }
}

/* ---- Macros ---- */

const asm_macro *asm_find_macro(const asm_state *a, const asm_token *name) {
    const asm_name *entry =
        asm_names_find(&a->input.macro_names, name->place.at, name->place.length);
    return entry ? a->input.macros[entry->value] : NULL;
}

/* The end of an argument: the comma outside brackets, or the end of the line or its comment. */
static const char *argument_end(const char *at, const char *end) {
    unsigned open = 0;
    bool quoted = false;
    for (; at < end && *at != '\n'; at++) {
        bool comment = *at == ';' || *at == '#' || (*at == '/' && at + 1 < end && at[1] == '/');
        if (*at == '"')
            quoted = !quoted;
        else if (quoted)
            at += *at == '\\' && at + 1 < end && at[1] != '\n';
        else if (comment || (*at == ',' && open == 0))
            break;
        else if (*at == '(' || *at == '[')
            open++;
        else if ((*at == ')' || *at == ']') && open > 0)
            open--;
    }
    return at;
}

/* Takes the arguments on the rest of the line; leaves the lexer at the line's end. */
static bool take_arguments(asm_state *a, const asm_macro *macro, const asm_token *name,
                           asm_lexer *arguments) {
    asm_lexer *lexer = &a->lexer;
    unsigned count = 0;
    for (;;) {
        while (lexer->at < lexer->end && (*lexer->at == ' ' || *lexer->at == '\t'))
            lexer->at++;
        const char *end = argument_end(lexer->at, lexer->end);
        bool comma = end < lexer->end && *end == ',';
        if (count == 0 && end == lexer->at && !comma)
            break;
        if (count < macro->parameters) {
            arguments[count] = *lexer;
            asm_lexer_cut(&arguments[count], end);
            arguments[count].no_labels = false;
        }
        count++;
        lexer->at = end + comma;
        if (!comma)
            break;
    }
    asm_lexer_skip_line(lexer);
    if (count == macro->parameters)
        return true;
    asm_error(&a->reporter, DIAG_E_MACRO, &name->place, NULL,
              "macro '%.*s' (line %u) takes %u argument%s, not %u", asm_shown(macro->place.length),
              macro->place.at, macro->place.line, macro->parameters,
              macro->parameters == 1 ? "" : "s", count);
    return false;
}

static uint32_t new_expansion(asm_state *a) {
    asm_input *in = &a->input;
    uint32_t parent = asm_expansion(a);
    if (!asm_grow(a, (void **)&in->parents, in->expansion_count, &in->parent_room,
                  sizeof *in->parents))
        return 0;
    in->parents[in->expansion_count++] = parent;
    return (uint32_t)in->expansion_count;
}

void asm_expand(asm_state *a, const asm_macro *macro, const asm_token *name) {
    asm_lexer **arguments = &a->input.arguments[a->input.nesting];
    if (!*arguments)
        *arguments = arena_alloc(&a->memory, ASM_MAX_PARAMETERS * sizeof **arguments);
    if (!*arguments) {
        a->failed = true;
        return;
    }
    if (!take_arguments(a, macro, name, *arguments)) {
        asm_advance(a);
        return;
    }
    unsigned caller = a->input.depth ? top(a)->owner : 0;
    asm_frame frame = {.kind = ASM_FRAME_MACRO,
                       .below = a->lexer,
                       .from = name->place,
                       .macro = macro,
                       .arguments = *arguments,
                       .owner = a->input.depth + 1,
                       .caller = caller,
                       .expansion = new_expansion(a),
                       .conditions = a->input.conditions};
    if (push(a, &frame, &macro->body))
        top(a)->outer_scope = asm_enter_scope(a);
    asm_advance(a);
}

uint32_t asm_expansion(const asm_state *a) {
    for (unsigned i = a->input.depth; i-- > 0;)
        if (a->input.frame[i].kind == ASM_FRAME_MACRO)
            return a->input.frame[i].expansion;
    return 0;
}

const asm_place *asm_outer_place(const asm_state *a, const asm_place *place) {
    for (unsigned i = 0; i < a->input.depth; i++)
        if (a->input.frame[i].kind == ASM_FRAME_MACRO)
            return &a->input.frame[i].from;
    return place;
}

/* ---- Files ---- */

bool asm_push_file(asm_state *a, const asm_place *from, const char *name, wave_blob *text) {
    asm_input *in = &a->input;
    if (!asm_grow(a, (void **)&in->sources, in->source_count, &in->source_room,
                  sizeof *in->sources))
        return false;
    uint32_t index = (uint32_t)in->source_count++;
    const char *bytes = text->data ? (const char *)text->data : "";
    in->sources[index] =
        (asm_source){.name = name, .text = bytes, .size = text->size, .owned = *text};
    *text = (wave_blob){0};
    a->reporter.sources = in->sources;
    asm_lexer lexer;
    asm_lexer_init(&lexer, bytes, in->sources[index].size, index, a->compat, &a->reporter);
    asm_frame frame = {
        .kind = ASM_FRAME_FILE, .below = a->lexer, .from = *from, .conditions = in->conditions};
    return push(a, &frame, &lexer);
}

void asm_input_relate(const void *state, wave_diags *diags) {
    const asm_state *a = state;
    for (unsigned i = a->input.depth; i-- > 0;) {
        const asm_frame *frame = &a->input.frame[i];
        if (frame->kind == ASM_FRAME_ARGUMENT)
            continue;
        diag_place place = DIAG_NOWHERE;
        place.file = a->input.sources[frame->from.file].name;
        place.line = frame->from.line;
        place.column = frame->from.column;
        if (frame->kind == ASM_FRAME_MACRO)
            diag_relate(diags, &place, "in macro '%.*s', used here",
                        asm_shown(frame->macro->place.length), frame->macro->place.at);
        else
            diag_relate(diags, &place, "included here");
    }
}

void asm_input_free(asm_state *a) {
    asm_input *in = &a->input;
    for (size_t i = 0; i < in->source_count; i++)
        wave_blob_free(&in->sources[i].owned);
    free(in->sources);
    free(in->macros);
    free(in->parents);
    asm_names_free(&in->macro_names);
}
