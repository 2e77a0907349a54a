// Tokens of PTX text, and the parser's error report. No grammar here.
#include "ptxvm/parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const vm_type_info vm_types[VM_TYPE_COUNT] = {{"", 0, VM_BITS},
#define X(name, text, bits, class) {text, bits, class},
                                              VM_TYPES(X)
#undef X
};

bool vm_error_at(vm_parser *p, uint32_t line, ptxvm_status status, const char *format, ...) {
    if (p->error->status != PTXVM_OK) {
        return false;
    }
    char detail[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    p->error->status = status;
    p->error->line = line;
    snprintf(p->error->message, sizeof p->error->message, "line %u: %s: %s", (unsigned)line,
             ptxvm_status_name(status), detail);
    return false;
}

static bool is_name(int c) {
    return isalnum(c) || c == '_' || c == '$';
}

static bool skip_space(vm_parser *p) {
    for (;;) {
        char c = *p->at;
        if (c == '\n') {
            p->line++;
            p->at++;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
            p->at++;
        } else if (c == '/' && p->at[1] == '/') {
            while (*p->at && *p->at != '\n') {
                p->at++;
            }
        } else if (c == '/' && p->at[1] == '*') {
            uint32_t line = p->line;
            for (p->at += 2; !(p->at[0] == '*' && p->at[1] == '/'); p->at++) {
                if (!*p->at) {
                    return vm_error_at(p, line, PTXVM_SYNTAX, "unterminated comment");
                }
                p->line += *p->at == '\n';
            }
            p->at += 2;
        } else {
            return true;
        }
    }
}

static bool hex_float(vm_parser *p, unsigned digits, token_kind kind) {
    uint64_t value = 0;
    p->at += 2;
    for (unsigned i = 0; i < digits; i++, p->at++) {
        int c = tolower((unsigned char)*p->at);
        if (!isxdigit(c)) {
            return vm_error_at(p, p->line, PTXVM_SYNTAX, "a float constant needs %u digits",
                               digits);
        }
        value = value << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
    }
    p->token.kind = kind;
    p->token.value = value;
    return true;
}

static bool decimal_float(vm_parser *p) {
    char *end;
    double value = strtod(p->at, &end);
    p->at = end;
    p->token.kind = TK_DECIMAL;
    memcpy(&p->token.value, &value, sizeof value);
    return true;
}

static bool number(vm_parser *p) {
    const char *s = p->at;
    if (s[0] == '0' && (s[1] == 'f' || s[1] == 'F')) {
        return hex_float(p, 8, TK_F32);
    }
    if (s[0] == '0' && (s[1] == 'd' || s[1] == 'D')) {
        return hex_float(p, 16, TK_F64);
    }
    unsigned base = 10;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        base = 16;
        s += 2;
    } else if (s[0] == '0' && (s[1] == 'b' || s[1] == 'B')) {
        base = 2;
        s += 2;
    } else {
        const char *end = s;
        while (isdigit((unsigned char)*end)) {
            end++;
        }
        if (*end == '.' || *end == 'e' || *end == 'E') {
            return decimal_float(p);
        }
        base = s[0] == '0' ? 8 : 10;
    }
    uint64_t value = 0;
    const char *first = s;
    for (;; s++) {
        int c = tolower((unsigned char)*s);
        unsigned digit = isdigit(c)    ? (unsigned)(c - '0')
                         : isxdigit(c) ? (unsigned)(c - 'a' + 10)
                                       : 99;
        if (digit >= base) {
            break;
        }
        if (value > (UINT64_MAX - digit) / base) {
            return vm_error_at(p, p->line, PTXVM_SYNTAX, "integer constant too large");
        }
        value = value * base + digit;
    }
    if (s == first) {
        return vm_error_at(p, p->line, PTXVM_SYNTAX, "bad number");
    }
    if (*s == 'U') {
        s++;
    }
    if (is_name((unsigned char)*s)) {
        return vm_error_at(p, p->line, PTXVM_SYNTAX, "bad number");
    }
    p->at = s;
    p->token.kind = TK_INT;
    p->token.value = value;
    return true;
}

static void dotted_word(vm_parser *p) {
    p->token.kind = TK_DOT;
    p->token.text = ++p->at;
    while (is_name((unsigned char)*p->at) || (p->at[0] == ':' && p->at[1] == ':')) {
        p->at += p->at[0] == ':' ? 2 : 1;
    }
    p->token.length = (uint32_t)(p->at - p->token.text);
}

bool vm_advance(vm_parser *p) {
    if (!skip_space(p)) {
        return false;
    }
    unsigned char c = (unsigned char)*p->at;
    p->token = (vm_token){TK_END, p->at, 0, p->line, 0};
    if (!c) {
        if (p->at != p->module->text + p->module->length) {
            return vm_error_at(p, p->line, PTXVM_SYNTAX, "a zero byte in the text");
        }
        return true;
    }
    if (isdigit(c)) {
        return number(p);
    }
    if (isalpha(c) || c == '_' || c == '$' || c == '%') {
        p->at++;
        while (is_name((unsigned char)*p->at)) {
            p->at++;
        }
        p->token.kind = TK_WORD;
        p->token.length = (uint32_t)(p->at - p->token.text);
    } else if (c == '.' && is_name((unsigned char)p->at[1])) {
        dotted_word(p);
    } else if (c == '"') {
        const char *end = p->at + 1;
        while (*end && *end != '"' && *end != '\n') {
            end++;
        }
        if (*end != '"') {
            return vm_error_at(p, p->line, PTXVM_SYNTAX, "unterminated string");
        }
        p->token.kind = TK_STRING;
        p->token.length = (uint32_t)(end + 1 - p->at);
        p->at = end + 1;
    } else if (strchr(",;:{}[]()<>=|@!+-~", c)) {
        p->token.kind = TK_PUNCT;
        p->token.value = c;
        p->token.length = 1;
        p->at++;
    } else {
        return vm_error_at(p, p->line, PTXVM_SYNTAX, "unexpected character 0x%02x", (unsigned)c);
    }
    return true;
}

// .loc and .file have no terminator: they extend to the end of the line.
bool vm_skip_line(vm_parser *p) {
    p->at = p->token.text;
    while (*p->at && *p->at != '\n') {
        p->at++;
    }
    return vm_advance(p);
}

bool vm_token_is(const vm_token *t, const char *word) {
    return strlen(word) == t->length && memcmp(t->text, word, t->length) == 0;
}

bool vm_is_punct(const vm_parser *p, char c) {
    return p->token.kind == TK_PUNCT && p->token.value == (uint64_t)(unsigned char)c;
}

bool vm_is_dot(const vm_parser *p, const char *word) {
    return p->token.kind == TK_DOT && vm_token_is(&p->token, word);
}

bool vm_is_word(const vm_parser *p, const char *word) {
    return p->token.kind == TK_WORD && vm_token_is(&p->token, word);
}

bool vm_accept(vm_parser *p, char c, bool *taken) {
    *taken = vm_is_punct(p, c);
    return *taken ? vm_advance(p) : true;
}

bool vm_expect(vm_parser *p, char c) {
    if (!vm_is_punct(p, c)) {
        if (p->token.kind == TK_END) {
            return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "'%c' expected at the end", c);
        }
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "'%c' expected before '%.20s'", c,
                           p->token.text);
    }
    return vm_advance(p);
}

bool vm_integer(vm_parser *p, int64_t *value) {
    bool minus;
    if (!vm_accept(p, '-', &minus)) {
        return false;
    }
    if (p->token.kind != TK_INT) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "an integer is expected");
    }
    *value = (int64_t)(minus ? 0 - p->token.value : p->token.value);
    return vm_advance(p);
}

vm_type vm_type_named(const char *text, uint32_t length) {
    for (vm_type type = VM_PRED; type < VM_TYPE_COUNT; type++) {
        if (strlen(vm_types[type].text) == length && !memcmp(vm_types[type].text, text, length)) {
            return type;
        }
    }
    return VM_NO_TYPE;
}
