/* Parsing the `;@` and `//@` lines. Each keyword is one small function in a table. */
#include "testfile/testfile.h"

#include "testfile/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFERS = 256 }; /* the lookup is linear */

typedef struct parser {
    tf_test *test;
    char **last_owner; /* the generator text a `+` line continues */
    size_t last_length;
    unsigned line;
    char *error;
    size_t error_size;
} parser;

static bool fail(parser *p, const char *what, const char *word) {
    const char *quote = *word ? "'" : "";
    snprintf(p->error, p->error_size, "line %u: %s%s%s%s%s", p->line, what, *word ? " " : "", quote,
             word, quote);
    return false;
}

/* ---- Small text helpers ---- */

/* The next blank-separated word of *text as a fresh string, or NULL. */
static char *word(char **text) {
    *text += strspn(*text, " \t");
    size_t n = strcspn(*text, " \t");
    if (n == 0)
        return NULL;
    char *w = tf_copy(*text, n);
    *text += n;
    return w;
}

static bool number(parser *p, char **text, uint64_t *out) {
    char *w = word(text), *stop = w;
    if (w)
        *out = strtoull(w, &stop, 0);
    bool ok = w && stop != w && *stop == '\0';
    if (!ok)
        fail(p, "expected a number, not", w ? w : "");
    free(w);
    return ok;
}

static bool number32(parser *p, char **text, uint32_t *out) {
    uint64_t value = 0;
    if (!number(p, text, &value))
        return false;
    *out = (uint32_t)value;
    return value <= UINT32_MAX || fail(p, "the number is too large", "");
}

/* Nothing may follow what a keyword takes. */
static bool ends(parser *p, const char *rest) {
    rest += strspn(rest, " \t");
    return *rest == '\0' || fail(p, "unexpected text", rest);
}

/* ---- Keywords ---- */

static bool on_test(parser *p, char *rest) {
    free(p->test->title);
    p->test->title = tf_copy(rest, strlen(rest));
    return true;
}

static bool on_kernel(parser *p, char *rest) {
    free(p->test->kernel);
    p->test->kernel = word(&rest);
    return p->test->kernel ? ends(p, rest) : fail(p, "expected a kernel name", "");
}

static bool on_widths(parser *p, char *rest) {
    for (;;) {
        rest += strspn(rest, " \t");
        if (!*rest)
            return p->test->width_count > 0 || fail(p, "expected widths", "");
        uint32_t width = 0;
        if (!number32(p, &rest, &width) || p->test->width_count == TF_MAX_WIDTHS)
            return fail(p, "malformed widths", rest);
        p->test->widths[p->test->width_count++] = width;
    }
}

static bool three(parser *p, char *rest, char *out[3]) {
    for (int k = 0; k < 3; k++) {
        free(out[k]);
        out[k] = word(&rest);
    }
    return out[0] ? ends(p, rest) : fail(p, "expected a size", "");
}

static bool on_grid(parser *p, char *rest) {
    return three(p, rest, p->test->grid);
}

static bool on_group(parser *p, char *rest) {
    return three(p, rest, p->test->group);
}

static bool on_registers(parser *p, char *rest) {
    return number32(p, &rest, &p->test->registers) && ends(p, rest);
}

static bool on_local(parser *p, char *rest) {
    return number32(p, &rest, &p->test->local_memory) && ends(p, rest);
}

static bool on_memory(parser *p, char *rest) {
    return number(p, &rest, &p->test->memory) && ends(p, rest);
}

static bool on_max_instructions(parser *p, char *rest) {
    return number(p, &rest, &p->test->max_instructions) && ends(p, rest);
}

static bool on_schedules(parser *p, char *rest) {
    uint32_t count = 0;
    bool ok = number32(p, &rest, &count) && count <= 1000;
    p->test->schedules = (int)count;
    return ok ? ends(p, rest) : fail(p, "malformed count", rest);
}

/* Text after `=`, which `+` lines may continue. */
static bool take_values(parser *p, char *rest, char **owner) {
    p->last_length = strlen(rest);
    *owner = tf_copy(rest, p->last_length);
    p->last_owner = owner;
    return true;
}

static bool find_buffer(const tf_test *t, const char *name, size_t length, size_t *out) {
    for (size_t k = 0; k < t->buffer_count; k++)
        if (strlen(t->buffers[k].name) == length && memcmp(t->buffers[k].name, name, length) == 0) {
            *out = k;
            return true;
        }
    return false;
}

static bool on_buffer(parser *p, char *rest) {
    tf_test *t = p->test;
    if (t->buffer_count == MAX_BUFFERS)
        return fail(p, "too many buffers", "");
    t->buffers = tf_grow(t->buffers, t->buffer_count, sizeof *t->buffers);
    tf_buffer *b = &t->buffers[t->buffer_count++];
    b->name = word(&rest);
    char *type = word(&rest);
    b->count = word(&rest);
    bool typed = type && val_type_parse(type, &b->type);
    if (!b->name || !b->count || !typed) {
        fail(p, "malformed buffer", type ? type : "");
        free(type);
        return false;
    }
    free(type);
    size_t first;
    if (find_buffer(t, b->name, strlen(b->name), &first) && first + 1 < t->buffer_count)
        return fail(p, "there are two buffers", b->name);
    rest += strspn(rest, " \t");
    if (strncmp(rest, "at ", 3) == 0) {
        rest += 3;
        b->at = word(&rest);
        rest += strspn(rest, " \t");
    }
    if (*rest == '=')
        return take_values(p, rest + 1, &b->values);
    return *rest == '\0' || fail(p, "unexpected text", rest);
}

static bool on_continue(parser *p, char *rest) {
    if (!p->last_owner)
        return fail(p, "nothing to continue with", rest);
    size_t old = p->last_length, more = strlen(rest);
    char *joined = tf_need(realloc(*p->last_owner, old + more + 2));
    joined[old] = ' ';
    memcpy(joined + old + 1, rest, more + 1);
    *p->last_owner = joined;
    p->last_length = old + 1 + more;
    return true;
}

static bool on_args(parser *p, char *rest) {
    tf_test *t = p->test;
    for (char *w; (w = word(&rest));) {
        if (t->arg_count == TF_MAX_ARGS) {
            free(w);
            return fail(p, "too many argument words", "");
        }
        t->args[t->arg_count++] = w;
    }
    return true;
}

/* "out[0..16]" or "out" */
static bool expect_subject(parser *p, tf_expect *e, char *subject) {
    size_t n = strcspn(subject, "[");
    if (!find_buffer(p->test, subject, n, &e->buffer))
        return fail(p, "unknown buffer", subject);
    e->type = p->test->buffers[e->buffer].type;
    if (!subject[n])
        return true;
    char *dots = strstr(subject + n, ".."), *close = strchr(subject + n, ']');
    if (!dots || !close || close < dots || close[1])
        return fail(p, "malformed range", subject);
    e->low = tf_copy(subject + n + 1, (size_t)(dots - subject) - n - 1);
    e->high = tf_copy(dots + 2, (size_t)(close - dots) - 2);
    return true;
}

/* Follows `ulp` or `abs`. */
static bool take_tolerance(parser *p, const char *w, char **rest, val_mode *mode, double *value) {
    char *tolerance = word(rest), *stop = tolerance;
    *mode = *w == 'u' ? VAL_ULP : VAL_ABS;
    if (tolerance)
        *value = strtod(tolerance, &stop);
    bool ok = tolerance && stop != tolerance && !*stop;
    free(tolerance);
    return ok || fail(p, "malformed tolerance after", w);
}

static bool is_tolerance(const char *w) {
    return strcmp(w, "ulp") == 0 || strcmp(w, "abs") == 0;
}

static bool expect_word(parser *p, tf_expect *e, const char *w, char **rest) {
    uint64_t width = 0;
    if (val_type_parse(w, &e->type))
        return true;
    if (strcmp(w, "exact") == 0)
        return true;
    if (strcmp(w, "flushed") == 0) {
        e->flushed = true;
        return true;
    }
    if (is_tolerance(w))
        return take_tolerance(p, w, rest, &e->mode, &e->tolerance);
    if (strncmp(w, "width=", 6) == 0) {
        char *stop;
        width = strtoull(w + 6, &stop, 10);
        e->width = (uint32_t)width;
        return (*stop == '\0' && width > 0 && width <= 64) || fail(p, "malformed width", w);
    }
    return fail(p, "unknown word in expect", w);
}

static tf_expect *new_expect(parser *p) {
    tf_test *t = p->test;
    t->expects = tf_grow(t->expects, t->expect_count, sizeof *t->expects);
    tf_expect *e = &t->expects[t->expect_count++];
    e->line = p->line;
    return e;
}

static bool on_expect(parser *p, char *rest) {
    tf_expect *e = new_expect(p);
    char *subject = word(&rest);
    bool ok = subject ? expect_subject(p, e, subject) : fail(p, "expected a buffer", "");
    free(subject);
    while (ok) {
        char *w = word(&rest);
        if (!w)
            return fail(p, "expected =", "");
        if (strcmp(w, "=") == 0) {
            free(w);
            return take_values(p, rest, &e->values);
        }
        ok = expect_word(p, e, w, &rest);
        free(w);
    }
    return false;
}

static bool on_unchanged(parser *p, char *rest) {
    for (char *w; (w = word(&rest));) {
        bool ok = expect_subject(p, new_expect(p), w);
        free(w);
        if (!ok)
            return false;
    }
    return true;
}

/* "out abs 0.01" */
static bool on_fast(parser *p, char *rest) {
    char *name = word(&rest), *mode = word(&rest);
    size_t buffer = 0;
    bool ok = name && find_buffer(p->test, name, strlen(name), &buffer);
    tf_buffer *b = ok ? &p->test->buffers[buffer] : NULL;
    if (!ok)
        fail(p, "unknown buffer", name ? name : "");
    else if (!mode || !is_tolerance(mode))
        ok = fail(p, "expected ulp or abs after", name);
    else
        ok = take_tolerance(p, mode, &rest, &b->fast_mode, &b->fast_tolerance) && ends(p, rest);
    free(name);
    free(mode);
    return ok;
}

static bool on_check(parser *p, char *rest) {
    for (char *w; (w = word(&rest));) {
        unsigned bit = strcmp(w, "race") == 0     ? WAVE_CHECK_RACE
                       : strcmp(w, "uninit") == 0 ? WAVE_CHECK_UNINIT
                                                  : 0;
        if (!bit)
            fail(p, "unknown checker", w);
        free(w);
        if (!bit)
            return false;
        p->test->checks |= bit;
    }
    return true;
}

static bool event(parser *p, char *rest, tf_event **list, size_t *count) {
    *list = tf_grow(*list, *count, sizeof **list);
    tf_event *e = &(*list)[(*count)++];
    e->pc = -1;
    e->code = word(&rest);
    if (!e->code)
        return fail(p, "expected a code", "");
    char *at = word(&rest);
    if (!at)
        return true;
    uint64_t pc = 0;
    bool ok = strcmp(at, "at") == 0 && number(p, &rest, &pc);
    free(at);
    e->pc = (int64_t)pc;
    return ok ? ends(p, rest) : fail(p, "expected 'at PC' after", e->code);
}

static bool on_error(parser *p, char *rest) {
    return event(p, rest, &p->test->errors, &p->test->error_count);
}

static bool on_status(parser *p, char *rest) {
    uint64_t id = 0;
    if (!number(p, &rest, &id) || id > UINT32_MAX)
        return fail(p, "expected the number of an assert", rest);
    p->test->fails = true;
    p->test->status = (uint32_t)id;
    return ends(p, rest);
}

static bool on_bounded(parser *p, char *rest) {
    p->test->bounded = true;
    return ends(p, rest);
}

static bool on_warning(parser *p, char *rest) {
    return event(p, rest, &p->test->warnings, &p->test->warning_count);
}

static bool on_allow(parser *p, char *rest) {
    return event(p, rest, &p->test->allowed, &p->test->allowed_count);
}

/* The program is deliberately incorrect. Only the emulator runs it, and must report the race. */
static bool on_race(parser *p, char *rest) {
    char code[] = "E_RACE";
    char *w = word(&rest);
    bool ok = !w || strcmp(w, "hidden") == 0 || fail(p, "expected nothing or hidden after", "race");
    p->test->race = true;
    p->test->race_hidden = w != NULL;
    p->test->targets = TF_EMU;
    free(w);
    ok = ok && ends(p, rest);
    return ok && event(p, code, &p->test->errors, &p->test->error_count);
}

static bool on_option(parser *p, char *rest) {
    char *w = word(&rest);
    bool ok = true;
    if (w && strcmp(w, "strict-align") == 0)
        p->test->strict_align = true;
    else if (w && strcmp(w, "poison") == 0)
        p->test->poison = true;
    else if (w && strcmp(w, "lenient") == 0)
        p->test->lenient = true;
    else
        ok = fail(p, "unknown option", w ? w : "");
    free(w);
    return ok && ends(p, rest);
}

static unsigned target_bit(const char *name) {
    static const char *const names[] = {"emu", "ptx", "hip", "sycl", "msl"};
    if (strcmp(name, "all") == 0)
        return TF_ALL;
    for (unsigned k = 0; k < 5; k++)
        if (strcmp(names[k], name) == 0)
            return 1u << k;
    return 0;
}

static bool on_targets(parser *p, char *rest) {
    unsigned chosen = 0, left_out = 0;
    for (char *w; (w = word(&rest));) {
        bool minus = *w == '-';
        unsigned bit = target_bit(w + minus);
        if (!bit)
            fail(p, "unknown target", w);
        free(w);
        if (!bit)
            return false;
        *(minus ? &left_out : &chosen) |= bit;
    }
    p->test->targets = (chosen ? chosen : (unsigned)TF_ALL) & ~left_out;
    return true;
}

static bool on_todo(parser *p, char *rest) {
    char *w = word(&rest);
    unsigned bit = w ? target_bit(w) : 0;
    free(w);
    p->test->todo |= bit;
    return (bit && *rest) || fail(p, "expected a target and a reason", "");
}

static bool on_ftz_sensitive(parser *p, char *rest) {
    p->test->ftz_sensitive = true;
    return ends(p, rest);
}

static const struct {
    const char *name;
    bool (*parse)(parser *p, char *rest);
} keywords[] = {
    {"test", on_test},
    {"kernel", on_kernel},
    {"widths", on_widths},
    {"grid", on_grid},
    {"group", on_group},
    {"registers", on_registers},
    {"local", on_local},
    {"memory", on_memory},
    {"buffer", on_buffer},
    {"+", on_continue},
    {"args", on_args},
    {"expect", on_expect},
    {"unchanged", on_unchanged},
    {"fast", on_fast},
    {"check", on_check},
    {"error", on_error},
    {"warning", on_warning},
    {"allow", on_allow},
    {"max-instructions", on_max_instructions},
    {"option", on_option},
    {"schedules", on_schedules},
    {"targets", on_targets},
    {"ftz-sensitive", on_ftz_sensitive},
    {"todo", on_todo},
    {"status", on_status},
    {"bounded", on_bounded},
    {"race", on_race},
};

static bool parse_line(parser *p, char *rest) {
    char *keyword = word(&rest);
    if (!keyword)
        return true;
    rest += strspn(rest, " \t");
    bool known = false, ok = false;
    for (size_t k = 0; k < sizeof keywords / sizeof *keywords && !known; k++)
        if (strcmp(keywords[k].name, keyword) == 0) {
            known = true;
            if (strcmp(keyword, "+") != 0)
                p->last_owner = NULL;
            ok = keywords[k].parse(p, rest);
        }
    if (!known)
        fail(p, "unknown keyword", keyword);
    free(keyword);
    return ok;
}

/* ";@" in assembly, "//@" in OpenCL C, where "//@ cc:" is for wave-cc; 0: not a test line. */
static size_t mark_length(const char *at, const char *stop) {
    size_t size = (size_t)(stop - at);
    if (size >= 2 && memcmp(at, ";@", 2) == 0)
        return 2;
    if (size >= 7 && memcmp(at, "//@ cc:", 7) == 0)
        return 0;
    return size >= 3 && memcmp(at, "//@", 3) == 0 ? 3 : 0;
}

static bool parse_source(parser *p, const char *source, size_t size) {
    for (const char *at = source, *end = source + size; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        p->line++;
        while (at < stop && (*at == ' ' || *at == '\t'))
            at++;
        size_t mark = mark_length(at, stop);
        if (mark) {
            p->test->is_opencl |= *at == '/';
            size_t n = (size_t)(stop - at) - mark;
            while (n && strchr(" \t\r", at[mark + n - 1]))
                n--;
            char *line = tf_copy(at + mark, n);
            bool ok = parse_line(p, line);
            free(line);
            if (!ok)
                return false;
        }
        at = newline ? newline + 1 : end;
    }
    if (!p->test->title)
        return fail(p, "no ';@ test' line (in OpenCL C: '//@ test')", "");
    return true;
}

tf_test *tf_parse(const char *source, size_t size, char *error, size_t error_size) {
    tf_test *test = tf_need(calloc(1, sizeof *test));
    test->targets = TF_ALL;
    test->max_instructions = 10000000;
    test->schedules = -1;
    parser p = {.test = test, .error = error, .error_size = error_size};
    if (!parse_source(&p, source, size)) {
        tf_destroy(test);
        return NULL;
    }
    if (test->width_count == 0)
        test->widths[test->width_count++] = 32;
    return test;
}

wave_load_options tf_load_options(const tf_test *test) {
    return (wave_load_options){.mode = test->lenient ? WAVE_MODE_LENIENT : WAVE_MODE_DEFAULT,
                               .registers = test->registers,
                               .local_memory = test->local_memory};
}

void tf_destroy(tf_test *test) {
    if (!test)
        return;
    free(test->title);
    free(test->kernel);
    for (int k = 0; k < 3; k++) {
        free(test->grid[k]);
        free(test->group[k]);
    }
    for (size_t k = 0; k < test->arg_count; k++)
        free(test->args[k]);
    for (size_t k = 0; k < test->buffer_count; k++) {
        free(test->buffers[k].name);
        free(test->buffers[k].count);
        free(test->buffers[k].at);
        free(test->buffers[k].values);
    }
    for (size_t k = 0; k < test->expect_count; k++) {
        free(test->expects[k].low);
        free(test->expects[k].high);
        free(test->expects[k].values);
    }
    for (size_t k = 0; k < test->error_count; k++)
        free(test->errors[k].code);
    for (size_t k = 0; k < test->warning_count; k++)
        free(test->warnings[k].code);
    for (size_t k = 0; k < test->allowed_count; k++)
        free(test->allowed[k].code);
    free(test->allowed);
    free(test->buffers);
    free(test->expects);
    free(test->errors);
    free(test->warnings);
    free(test);
}

char *tf_read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    *size = 0;
    if (!f)
        return NULL;
    for (size_t room = 1 << 16;; room *= 2) {
        data = tf_need(realloc(data, room));
        *size += fread(data + *size, 1, room - *size, f);
        if (*size < room)
            break;
    }
    fclose(f);
    return data;
}
