/* Reads the text that print.c writes. A statement ends at the end of its line; blank lines and
 * comments from ; to the end of the line are ignored. Values may have any numbers, each defined
 * once before its use; the verifier checks everything else at the end. No recursion: the open
 * regions are the ancestors of the current one. */
#include "ir/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DEPTH = 4096,
    MOST_OPERANDS = 4096,
    MOST_LOCAL = 65536,
    MOST_PRIVATE = 65536,
    MOST_CONSTANT = 65536,
    MOST_THREADS = 1024
};

typedef struct parser {
    ir_func *f;
    const char *at, *end, *line_start;
    uint32_t line, depth;
    ir_region region;
    ir_value *values; /* by number; 0: not defined */
    size_t value_limit;
    arena *memory;
    wave_diags *diags;
    bool failed;
    ir_value operands[MOST_OPERANDS];
} parser;

static bool fail(parser *p, const char *format, ...) BUF_PRINTF(2, 3);

/* Only the first error is reported. */
static bool fail(parser *p, const char *format, ...) {
    char message[160];
    if (p->failed || p->f->failed)
        return false;
    va_list args;
    va_start(args, format);
    buf text = {0};
    buf_vprintf(&text, format, args);
    va_end(args);
    size_t n = text.size < sizeof message - 1 ? text.size : sizeof message - 1;
    if (n)
        memcpy(message, text.data, n);
    message[n] = '\0';
    buf_free(&text);
    const char *end = memchr(p->line_start, '\n', (size_t)(p->end - p->line_start));
    diag_place place = DIAG_NOWHERE;
    place.line = p->line;
    place.column = (uint32_t)(p->at - p->line_start) + 1;
    place.length = 1;
    place.text = p->line_start;
    place.text_length = (size_t)((end ? end : p->end) - p->line_start);
    place.hint = "the text form of the IR is described in docs/inside/ir.md";
    diag_report(p->diags, DIAG_E_IR, &place, "%s", message);
    p->failed = true;
    return false;
}

/* ---- Characters ---- */

static int peek(const parser *p) {
    return p->at < p->end ? (unsigned char)*p->at : -1;
}

static void skip_blanks(parser *p) {
    while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\r')
        p->at++;
}

static void skip_lines(parser *p) {
    for (;;) {
        skip_blanks(p);
        if (peek(p) == ';')
            while (peek(p) != -1 && peek(p) != '\n')
                p->at++;
        if (peek(p) != '\n')
            return;
        p->line_start = ++p->at;
        p->line++;
    }
}

/* Checks that the rest of the line is empty. */
static bool end_line(parser *p) {
    skip_blanks(p);
    int c = peek(p);
    return c == '\n' || c == ';' || c == -1 || fail(p, "more than one statement on a line");
}

static bool accept(parser *p, char c) {
    skip_blanks(p);
    if (peek(p) != c)
        return false;
    p->at++;
    return true;
}

static bool expect(parser *p, char c) {
    return accept(p, c) || fail(p, "expected '%c'", c);
}

static bool is_word(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Letters, digits and _; empty when there are none. */
static size_t word(parser *p, const char **start) {
    skip_blanks(p);
    *start = p->at;
    while (is_word(peek(p)))
        p->at++;
    return (size_t)(p->at - *start);
}

static bool same(const char *word_start, size_t n, const char *name) {
    return strlen(name) == n && memcmp(word_start, name, n) == 0;
}

/* The index of the next word in a list of names, or `count`. */
static unsigned choose(parser *p, const char *const *names, unsigned count) {
    const char *start;
    size_t n = word(p, &start);
    unsigned k = 0;
    while (k < count && !same(start, n, names[k]))
        k++;
    if (k == count) {
        p->at = start;
        fail(p, "unknown name '%.*s'", (int)(n < 40 ? n : 40), start);
    }
    return k;
}

static bool keyword(parser *p, const char *name) {
    const char *start;
    size_t n = word(p, &start);
    if (same(start, n, name))
        return true;
    p->at = start;
    return fail(p, "expected '%s'", name);
}

static bool number(parser *p, uint64_t most, uint64_t *value) {
    skip_blanks(p);
    const char *start = p->at;
    *value = 0;
    for (; peek(p) >= '0' && peek(p) <= '9'; p->at++) {
        unsigned digit = (unsigned)(peek(p) - '0');
        if (*value > (most - digit) / 10 || digit > most) {
            p->at = start;
            return fail(p, "number too large");
        }
        *value = *value * 10 + digit;
    }
    return p->at != start || fail(p, "expected a number");
}

static bool u32_number(parser *p, uint32_t most, uint32_t *out) {
    uint64_t value;
    bool ok = number(p, most, &value);
    *out = ok ? (uint32_t)value : 0;
    return ok;
}

/* ---- Operands ---- */

static bool type_name(parser *p, ir_type *type) {
    *type = (ir_type)choose(p, ir_type_name, IR_TYPE_COUNT);
    return !p->failed && (*type != IR_VOID || fail(p, "a value cannot have this type"));
}

static int hex_digit(int c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* 0x3F800000:f32 */
static ir_value constant(parser *p) {
    uint64_t bits = 0;
    ir_type type;
    p->at += 2;
    const char *start = p->at;
    for (; hex_digit(peek(p)) >= 0; p->at++) {
        if (bits >> 60) {
            fail(p, "number too large");
            return 0;
        }
        bits = bits << 4 | (unsigned)hex_digit(peek(p));
    }
    if (p->at == start || peek(p) != ':') {
        fail(p, "expected hexadecimal digits, ':' and a type");
        return 0;
    }
    p->at++;
    if (!type_name(p, &type))
        return 0;
    unsigned width = ir_type_bits(type);
    if (type == IR_TOKEN || type == IR_BOOL || (width < 64 && bits >> width)) {
        fail(p, "not a valid constant of type %s", ir_type_name[type]);
        return 0;
    }
    return ir_const(p->f, type, bits);
}

static ir_value named_leaf(parser *p) {
    const char *start;
    size_t n = word(p, &start);
    if (same(start, n, "true") || same(start, n, "false"))
        return ir_const(p->f, IR_BOOL, *start == 't');
    for (unsigned k = 0; k < ISA_SPECIAL_COUNT; k++)
        if (same(start, n, isa_special_name[k]))
            return ir_leaf(p->f, IR_SPECIAL, IR_U32, k);
    p->at = start;
    uint32_t index;
    if (n > 3 && memcmp(start, "arg", 3) == 0) {
        p->at += 3;
        if (p->f->arg_words && u32_number(p, p->f->arg_words - 1, &index))
            return ir_leaf(p->f, IR_ARG, IR_U32, index);
    }
    fail(p, "expected a value");
    return 0;
}

static ir_value operand(parser *p) {
    uint64_t n;
    skip_blanks(p);
    if (peek(p) == '%') {
        const char *start = p->at++;
        if (!number(p, p->value_limit, &n))
            return 0;
        if (!p->values[n]) {
            p->at = start;
            fail(p, "%%%llu is not defined yet", (unsigned long long)n);
        }
        return p->values[n];
    }
    if (peek(p) == '0' && p->end - p->at > 1 && p->at[1] == 'x')
        return constant(p);
    return named_leaf(p);
}

/* The operands on the rest of the line. */
static bool operands(parser *p, unsigned *count) {
    *count = 0;
    skip_blanks(p);
    int c = peek(p);
    if (c == '\n' || c == ';' || c == '{' || c == -1)
        return true;
    do {
        if (*count == MOST_OPERANDS)
            return fail(p, "too many operands");
        p->operands[(*count)++] = operand(p);
    } while (!p->failed && accept(p, ','));
    return !p->failed;
}

/* ---- Attributes in parentheses ---- */

static bool offset(parser *p, int32_t *value) {
    uint64_t n;
    if (!expect(p, ','))
        return false;
    bool minus = accept(p, '-');
    if ((!minus && !expect(p, '+')) || !number(p, (uint64_t)INT32_MAX + minus, &n))
        return false;
    *value = (int32_t)(minus ? -(int64_t)n : (int64_t)n);
    return true;
}

/* ", streaming, object 3", each optional */
static bool hint_and_object(parser *p, ir_access *a) {
    uint32_t number = 0;
    bool more = accept(p, ',');
    skip_blanks(p);
    if (more && peek(p) != 'o') {
        a->hint = (uint8_t)choose(p, isa_hint_name, ISA_HINT_COUNT);
        more = !p->failed && accept(p, ',');
    }
    if (more && keyword(p, "object") && u32_number(p, IR_LAST_OBJECT, &number))
        a->object = (uint8_t)number;
    return !p->failed;
}

static bool access_of(parser *p, ir_op op, ir_access *a) {
    uint32_t bytes;
    if (op == IR_FENCE || op == IR_LANE_FENCE) {
        a->atomic = (uint8_t)choose(p, ir_fence_name, IR_FENCE_KINDS);
        if (p->failed || !expect(p, ','))
            return false;
        a->scope = (uint8_t)choose(p, isa_scope_name, ISA_SCOPE_COUNT);
        return !p->failed;
    }
    a->space = (uint8_t)choose(p, ir_space_name, IR_SPACE_COUNT);
    if (p->failed || !expect(p, ','))
        return false;
    if (op == IR_ATOMIC) {
        a->bytes = 4;
        a->atomic = (uint8_t)choose(p, ir_atomic_name, IR_ATOMIC_COUNT);
        if (p->failed || !expect(p, ','))
            return false;
        a->scope = (uint8_t)choose(p, isa_scope_name, ISA_SCOPE_COUNT);
        if (p->failed || !offset(p, &a->offset) || !accept(p, ','))
            return !p->failed;
        a->bytes = 8;
        return u32_number(p, 64, &bytes) && (bytes == 64 || fail(p, "atomics have 32 or 64 bits"));
    }
    if (op == IR_TILE_LOAD || op == IR_TILE_STORE) {
        a->layout = (uint8_t)choose(p, ir_layout_name, IR_LAYOUT_COUNT);
        return !p->failed && offset(p, &a->offset);
    }
    if (!u32_number(p, 16, &bytes))
        return false;
    if (bytes == 0 || (bytes & (bytes - 1)))
        return fail(p, "an access cannot have %u bytes", bytes);
    a->bytes = (uint8_t)bytes;
    return offset(p, &a->offset) && hint_and_object(p, a);
}

static bool attributes(parser *p, ir_op op, uint64_t *imm) {
    ir_access a = {0};
    *imm = 0;
    switch (op) {
    case IR_LOAD:
    case IR_LOADS:
    case IR_STORE:
    case IR_LOAD64:
    case IR_STORE64:
    case IR_ATOMIC:
    case IR_FENCE:
    case IR_LANE_FENCE:
    case IR_TILE_LOAD:
    case IR_TILE_STORE:
        if (!expect(p, '(') || !access_of(p, op, &a))
            return false;
        *imm = ir_access_pack(a);
        break;
    case IR_RESULT:
    case IR_PARAM:
    case IR_INPUT:
    case IR_CALL:
    case IR_ASSERT:
    case IR_BUFFER:
    case IR_TILE_FIXED:
        if (!expect(p, '(') || !number(p, UINT32_MAX, imm))
            return false;
        break;
    case IR_TILE_MMA:
        if (!expect(p, '('))
            return false;
        *imm = choose(p, ir_mma_layout_name, IR_MMA_LAYOUTS);
        break;
    default: return true;
    }
    return expect(p, ')');
}

/* ---- Statements ---- */

static bool op_name(parser *p, ir_op *op) {
    const char *start;
    size_t n = word(p, &start);
    for (unsigned k = IR_NONE + 1; k < IR_OP_COUNT; k++)
        if (!(ir_ops[k].flags & IR_LEAF) && same(start, n, ir_ops[k].name)) {
            *op = (ir_op)k;
            return true;
        }
    p->at = start;
    return fail(p, "expected an operation");
}

/* A result belongs to the operation it follows. */
static bool find_owner(parser *p) {
    ir_value last = p->f->regions[p->region].last;
    if (last && ir_op_of(p->f, last) == IR_RESULT)
        last = ir_arg(p->f, last, 0);
    ir_op op = ir_op_of(p->f, last);
    p->operands[0] = last;
    return (last && (op == IR_IF || op == IR_LOOP || op == IR_LOADS)) ||
           fail(p, "a result must follow an if, a loop or loads");
}

static bool open_regions(parser *p, ir_value v) {
    if (!expect(p, '{'))
        return false;
    if (++p->depth > MOST_DEPTH)
        return fail(p, "nested too deeply");
    unsigned count = ir_op_of(p->f, v) == IR_IF ? 2 : 1;
    for (unsigned k = 0; k < count; k++) {
        ir_region r = ir_new_region(p->f, v);
        ir_at(p->f, v)->regions[k] = r;
    }
    p->region = ir_at(p->f, v)->regions[0];
    return true;
}

static void statement(parser *p) {
    uint64_t n = 0, imm;
    ir_type type = IR_VOID;
    ir_op op = IR_NONE;
    unsigned count;
    const char *start = p->at;
    if (accept(p, '%')) {
        if (!number(p, p->value_limit, &n))
            return;
        if (n == 0 || p->values[n]) {
            p->at = start;
            fail(p, "%%%llu cannot be defined here", (unsigned long long)n);
            return;
        }
        if (!expect(p, ':') || !type_name(p, &type) || !expect(p, '='))
            return;
    }
    if (!op_name(p, &op) || !attributes(p, op, &imm) || !operands(p, &count))
        return;
    if (op == IR_RESULT && (count++ || !find_owner(p))) {
        fail(p, "a result has no operands");
        return;
    }
    bool is_void = ir_ops[op].signature[0] == 'v' ||
                   (op == IR_ATOMIC && ir_access_unpack(imm).atomic == IR_ATOMIC_STORE);
    if ((type == IR_VOID) != is_void) {
        fail(p, type == IR_VOID ? "the value needs a number" : "the operation has no value");
        return;
    }
    ir_value v = ir_make(p->f, op, type, p->operands, count, imm);
    ir_append(p->f, p->region, v);
    if (n)
        p->values[n] = v;
    if (!p->f->failed && ir_has(p->f, v, IR_REGIONS) && !open_regions(p, v))
        return;
    end_line(p);
}

/* Closes the region at its brace; false after the last one. */
static bool close_region(parser *p) {
    ir_value owner = p->f->regions[p->region].owner;
    const ir_node *n = ir_at(p->f, owner);
    if (!owner)
        return false;
    if (n->op == IR_IF && n->regions[0] == p->region) {
        p->region = n->regions[1];
        if (!keyword(p, "else") || !expect(p, '{'))
            return false;
    } else {
        p->region = n->region;
        p->depth--;
    }
    return end_line(p);
}

/* ---- The header ---- */

/* \uHHHH, optionally followed by a second surrogate. -1: there is none. */
static long unit(parser *p) {
    long code = 0;
    if (p->end - p->at < 6 || p->at[0] != '\\' || p->at[1] != 'u')
        return -1;
    for (unsigned k = 2; k < 6; k++) {
        int digit = hex_digit((unsigned char)p->at[k]);
        if (digit < 0)
            return -1;
        code = code * 16 + digit;
    }
    p->at += 6;
    return code;
}

static void escape(parser *p, buf *text) {
    long code = unit(p);
    if (code >= 0xD800 && code < 0xDC00) {
        long low = unit(p);
        code =
            low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + low - 0xDC00 : -1;
    }
    if (code <= 0 || (code >= 0xD800 && code < 0xE000)) {
        fail(p, "invalid escape sequence");
        return;
    }
    unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned leads[] = {0, 0xC0, 0xE0, 0xF0};
    buf_char(text, (char)(leads[more] | (unsigned long)code >> (6 * more)));
    while (more-- > 0)
        buf_char(text, (char)(0x80 | ((unsigned long)code >> (6 * more) & 0x3F)));
}

static bool string(parser *p, const char **out) {
    buf text = {0};
    if (!expect(p, '"'))
        return false;
    while (!p->failed && peek(p) != '"') {
        int c = peek(p);
        if (c < 0x20) {
            fail(p, "the name is not terminated");
        } else if (c == '\\' && p->end - p->at > 5 && p->at[1] == 'u') {
            escape(p, &text);
        } else {
            p->at += c == '\\';
            if (c == '\\' && peek(p) != '"' && peek(p) != '\\')
                fail(p, "invalid escape sequence");
            else
                buf_char(&text, *p->at++);
        }
    }
    *out = p->failed || text.failed ? NULL : arena_text(p->memory, (char *)text.data, text.size);
    buf_free(&text);
    if (!*out && !p->failed)
        p->f->failed = true;
    return *out && expect(p, '"');
}

static bool constant_bytes(parser *p) {
    ir_func *f = p->f;
    skip_blanks(p);
    const char *start = p->at;
    while (p->at < p->end && hex_digit((unsigned char)*p->at) >= 0)
        p->at++;
    size_t digits = (size_t)(p->at - start);
    if (digits == 0 || digits % 2 || digits / 2 > MOST_CONSTANT)
        return fail(p, "expected at most %d bytes, two digits each", MOST_CONSTANT);
    uint8_t *bytes = arena_alloc(p->memory, digits / 2);
    f->failed |= !bytes;
    for (size_t k = 0; k < digits / 2 && bytes; k++)
        bytes[k] = (uint8_t)(hex_digit((unsigned char)start[2 * k]) * 16 +
                             hex_digit((unsigned char)start[2 * k + 1]));
    f->constants = bytes;
    f->constant_size = (uint32_t)(digits / 2);
    return bytes != NULL;
}

/* Private and constant memory, both optional. */
static bool memories(parser *p) {
    skip_blanks(p);
    if (peek(p) == 'p' &&
        (!keyword(p, "private") || !u32_number(p, MOST_PRIVATE, &p->f->private_memory)))
        return false;
    skip_blanks(p);
    return peek(p) != 'c' || (keyword(p, "constant") && constant_bytes(p));
}

static bool head(parser *p) {
    ir_func *f = p->f;
    skip_lines(p);
    if (!keyword(p, "kernel") || !string(p, &f->name) || !keyword(p, "args") ||
        !u32_number(p, ISA_MAX_REGISTERS, &f->arg_words) || !keyword(p, "group"))
        return false;
    for (unsigned k = 0; k < 3; k++)
        if ((k && !expect(p, ',')) || !u32_number(p, MOST_THREADS, &f->workgroup[k]))
            return false;
    if (f->workgroup[0] * f->workgroup[1] * f->workgroup[2] > MOST_THREADS)
        return fail(p, "more than %d threads", MOST_THREADS);
    if (!keyword(p, "local") || !u32_number(p, MOST_LOCAL, &f->local_memory) || !memories(p) ||
        !keyword(p, "width") || !u32_number(p, 64, &f->wave_width))
        return false;
    if (f->wave_width & (f->wave_width - 1))
        return fail(p, "the wave width is not a power of two");
    skip_blanks(p);
    f->converged = peek(p) == 'c';
    return (!f->converged || keyword(p, "converged")) && expect(p, '{') && end_line(p);
}

static bool body(parser *p) {
    for (bool open = true; open && !p->failed && !p->f->failed;) {
        skip_lines(p);
        if (peek(p) == -1)
            return fail(p, "the kernel is not closed");
        if (accept(p, '}'))
            open = close_region(p);
        else
            statement(p);
    }
    skip_lines(p);
    return !p->failed && !p->f->failed &&
           (peek(p) == -1 || fail(p, "unexpected text after the kernel"));
}

bool ir_parse(ir_func *f, const char *text, size_t size, arena *memory, wave_diags *diags) {
    ir_init(f);
    f->name = "";
    parser *p = calloc(1, sizeof *p);
    ir_value *values = size < UINT32_MAX / 8 ? calloc(size + 1, sizeof *values) : NULL;
    bool ok = p && values && !f->failed;
    if (ok) {
        *p = (parser){.f = f,
                      .at = text,
                      .end = text + size,
                      .line_start = text,
                      .line = 1,
                      .region = 1,
                      .values = values,
                      .value_limit = size,
                      .memory = memory,
                      .diags = diags};
        ok = head(p) && body(p);
    }
    if (!ok && (!p || !p->failed))
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to read the IR");
    free(values);
    free(p);
    return ok && ir_verify(f, "parsing", diags);
}
