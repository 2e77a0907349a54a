/* The table of directives, and those that only set a number of the kernel. */
#include "asm/asm.h"

#include <string.h>

static void parse_setting(asm_state *a, const asm_token *name);

typedef struct directive {
    const char *name;
    void (*parse)(asm_state *a, const asm_token *name);
    bool extension; /* rejected under --compat-upstream; has no labels; ends with its line */
} directive;

static const directive directives[] = {
    {".kernel", asm_parse_kernel, false},
    {".end", asm_parse_end, false},
    {".registers", parse_setting, false},
    {".local_memory", parse_setting, false},
    {".workgroup_size", parse_setting, false},
    {".private_memory", parse_setting, true},
    {".arg", asm_parse_argument, true},
    {".reg", asm_parse_register, true},
    {".pred", asm_parse_predicate, true},
    {".const", asm_parse_const, true},
    {".macro", asm_parse_macro, true},
    {".endm", asm_parse_macro, true},
    {".include", asm_parse_include, true},
    {".if", asm_parse_condition, true},
    {".else", asm_parse_condition, true},
    {".endif", asm_parse_condition, true},
    {".constant", asm_parse_constant, true},
    {".u8", asm_parse_data, true},
    {".u16", asm_parse_data, true},
    {".u32", asm_parse_data, true},
    {".f32", asm_parse_data, true},
    {".f64", asm_parse_data, true},
    {".ascii", asm_parse_data, true},
    {".align", asm_parse_align, true},
    {".loc", asm_parse_location, true},
    {".assert", NULL, true},
};
enum { DIRECTIVES = sizeof directives / sizeof *directives };

static const directive *find(const asm_token *token) {
    for (size_t i = 0; i < DIRECTIVES; i++)
        if (asm_token_is(token, directives[i].name))
            return &directives[i];
    return NULL;
}

bool asm_is_directive(const asm_token *token) {
    return find(token) != NULL;
}

/* ---- Settings ---- */

/* The value, truncated with a warning if it does not fit. */
static uint32_t to_u32(asm_state *a, const asm_token *at, int64_t value) {
    if (value < 0 || value > (int64_t)UINT32_MAX)
        asm_warning(&a->reporter, DIAG_W_DIRECTIVE, &at->place, NULL,
                    "the value is truncated to 32 bits: %u", (unsigned)(uint32_t)value);
    return (uint32_t)value;
}

/* One number: a plain integer, or an expression as syntactic sugar. */
static bool take_setting(asm_state *a, asm_token *token) {
    asm_value value;
    *token = a->token;
    if (token->kind == ASM_BAD)
        return false;
    if (token->kind != ASM_INTEGER && token->kind != ASM_NAME && !asm_is_operator(token, '('))
        return token->kind = ASM_EOF, false;
    bool sugar = token->kind != ASM_INTEGER;
    if (sugar ? !asm_expression(a, &value)
              : (asm_advance(a), !asm_expression_from(a, token, &value)))
        return token->kind = ASM_BAD, false;
    if (value.is_float || (sugar && !asm_sugar(a, &token->place)))
        return token->kind = value.is_float ? ASM_EOF : ASM_BAD, false;
    token->kind = ASM_INTEGER;
    token->value = value.integer;
    return true;
}

/* Exactly `count` integers separated by commas; false when an error was reported. */
static bool take_settings(asm_state *a, const asm_token *name, asm_token *values, size_t count) {
    bool comma = true;
    for (size_t i = 0; i < count && comma; i++) {
        if (!take_setting(a, &values[i])) {
            const asm_place *place = asm_line_ends(a) ? &name->place : &a->token.place;
            if (values[i].kind != ASM_BAD)
                asm_error(&a->reporter, DIAG_E_DIRECTIVE, place, NULL, "%.*s takes %s",
                          (int)name->place.length, name->place.at,
                          count == 1 ? "an integer" : "three integers, separated by commas");
            return false;
        }
        if (i + 1 == count)
            return true;
        comma = a->token.kind == ASM_COMMA;
        if (comma)
            asm_advance(a);
    }
    if (a->token.kind != ASM_BAD)
        asm_error(&a->reporter, DIAG_E_DIRECTIVE, &name->place, NULL,
                  "%.*s takes three integers, separated by commas", (int)name->place.length,
                  name->place.at);
    return false;
}

static void set(asm_state *a, const asm_token *name, const asm_token *values, asm_kernel *kernel) {
    if (asm_token_is(name, ".registers")) {
        kernel->registers = to_u32(a, &values[0], values[0].value);
        kernel->registers_at = values[0].place;
    } else if (asm_token_is(name, ".local_memory")) {
        kernel->local_memory = to_u32(a, &values[0], values[0].value);
        kernel->local_at = values[0].place;
    } else if (asm_token_is(name, ".private_memory")) {
        kernel->private_memory = to_u32(a, &values[0], values[0].value);
        kernel->private_at = values[0].place;
        kernel->sugared = a->has_private = true;
    } else {
        for (size_t i = 0; i < 3; i++)
            kernel->workgroup[i] = to_u32(a, &values[i], values[i].value);
        kernel->workgroup_at = name->place;
    }
}

static void parse_setting(asm_state *a, const asm_token *name) {
    asm_token values[3];
    size_t count = asm_token_is(name, ".workgroup_size") ? 3 : 1;
    if (!take_settings(a, name, values, count)) {
        asm_recover(a);
        return;
    }
    if (a->tree)
        asm_tree_directive(a, name, values, count);
    if (a->kernel_count == 0) {
        asm_warning(&a->reporter, DIAG_W_DIRECTIVE, &name->place,
                    "directives apply to the kernel started last; move it after .kernel",
                    "%.*s before any .kernel has no effect", (int)name->place.length,
                    name->place.at);
        return;
    }
    set(a, name, values, asm_last_kernel(a));
}

/* ---- All of them ---- */

static const char *habit_hint(const asm_token *name) {
    static const struct {
        const char *word, *hint;
    } habits[] = {{".equ", "use .const NAME = 4 to name a number"},
                  {".set", "use .const NAME = 4 to name a number"},
                  {".define", "use .const NAME = 4 to name a number"},
                  {".param", "use .arg NAME TYPE to declare an argument"},
                  {".global", "every kernel is visible; use .arg to declare a buffer"},
                  {".shared", "use .local_memory BYTES to set the size of local memory"},
                  {".entry", "use .kernel NAME to start a kernel"},
                  {".func", "a function is a label in a kernel; use call to call it"},
                  {".endmacro", "use .endm to end a macro"},
                  {".word", "use .u8 .u16 .u32 .f32 .f64 .ascii after .constant"},
                  {".byte", "use .u8 .u16 .u32 .f32 .f64 .ascii after .constant"}};
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
        if (asm_token_is(name, habits[i].word))
            return habits[i].hint;
    return NULL;
}

static void unknown_directive(asm_state *a, const asm_token *name) {
    char hint[ASM_HINT_SIZE];
    asm_suggestion s = asm_suggest(&a->reporter, name->place.at, name->place.length);
    for (size_t i = 0; i < DIRECTIVES; i++)
        asm_suggest_try(&s, directives[i].name, strlen(directives[i].name));
    const char *habit = habit_hint(name);
    asm_error(&a->reporter, DIAG_E_DIRECTIVE, &name->place,
              habit ? habit
                    : asm_suggest_hint(&s, hint,
                                       "the directives of a kernel are .kernel .end .registers "
                                       ".local_memory .workgroup_size .arg .reg .pred"),
              "unknown directive '%.*s'", asm_shown(name->place.length), name->place.at);
    /* It may have been meant as a .kernel: the following lines are not at fault. */
    a->outside_reported = true;
    asm_recover(a);
}

ASM_COLD void asm_parse_directive(asm_state *a) {
    asm_token name = a->token;
    const directive *which = find(&name);
    if (which && which->extension && a->compat) {
        asm_error(&a->reporter, DIAG_E_COMPAT, &name.place, NULL, "%s is an extension",
                  which->name);
        asm_recover(a);
        return;
    }
    if (which && !which->parse) {
        asm_token none = {.kind = ASM_EOF};
        asm_parse_assert(a, &none);
        return;
    }
    a->lexer.no_labels = which && which->extension;
    asm_advance(a);
    if (!which) {
        unknown_directive(a, &name);
        return;
    }
    size_t errors = a->reporter.errors;
    which->parse(a, &name);
    a->lexer.no_labels = false;
    if (!which->extension || asm_line_ends(a) || a->failed)
        return;
    if (which->parse == asm_parse_include || which->parse == asm_parse_condition)
        return; /* the token belongs to another text */
    if (a->reporter.errors == errors && a->token.kind != ASM_BAD)
        asm_error(&a->reporter, DIAG_E_SYNTAX, &a->token.place, NULL, "unexpected '%.*s' after %s",
                  asm_shown(a->token.place.length), a->token.place.at, which->name);
    asm_recover(a);
}
