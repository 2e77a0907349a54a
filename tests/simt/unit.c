/* Combines several emitted files into one translation unit. The entries of HIP and SYCL have C
 * names, so they are renamed; the attributes of Metal's parameters say what to pass, so they are
 * parsed. */
#include "simt/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct span {
    const char *at;
    size_t size;
} span;

enum { MAX_PARAMETERS = 32, GUARD_BYTES = 1024 };

#define SYCL_MARK "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY"

/* The words that precede an entry. */
static const char *const marks[] = {
    [SIMT_HIP] = "__global__",
    [SIMT_MSL] = "kernel",
    [SIMT_SYCL] = SYCL_MARK,
};

typedef struct entry_text {
    span name;
    span parameters[MAX_PARAMETERS]; /* Metal only */
    size_t parameter_count;
    unsigned long width; /* SYCL only: the sub-group's size */
} entry_text;

/* ---- Reading ---- */

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Skips blanks and comments. */
static const char *skip_space(const char *p) {
    for (;;) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (p[0] == '/' && p[1] == '/') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

/* The next word at or after p, outside comments; size 0 at the end of the text. */
static span next_word(const char *p) {
    for (p = skip_space(p); *p && !is_name(*p); p = skip_space(p + 1))
        ;
    span word = {p, 0};
    while (is_name(p[word.size]))
        word.size++;
    return word;
}

static bool is_word(span word, const char *text) {
    return word.size == strlen(text) && memcmp(word.at, text, word.size) == 0;
}

/* The place after the bracket that closes the one at p. */
static const char *skip_brackets(const char *p) {
    int depth = 0;
    do {
        depth += (*p == '(' || *p == '[' || *p == '{') - (*p == ')' || *p == ']' || *p == '}');
        p++;
    } while (*p && depth > 0);
    return p;
}

/* The first function marked as an entry: the first word after the mark that has a parameter list
 * and is not an attribute. */
static bool find_entry(const char *text, const char *mark, span *name) {
    span word = next_word(text);
    while (word.size && !is_word(word, mark))
        word = next_word(word.at + word.size);
    for (word = next_word(word.at + word.size); word.size;) {
        const char *after = skip_space(word.at + word.size);
        if (*after != '(') {
            word = next_word(after);
        } else if (is_word(word, "__launch_bounds__") || is_word(word, "__attribute__") ||
                   is_word(word, SYCL_MARK)) {
            word = next_word(skip_brackets(after));
        } else {
            *name = word;
            return true;
        }
    }
    return false;
}

static bool read_parameters(entry_text *e) {
    const char *p = skip_space(e->name.at + e->name.size);
    const char *end = skip_brackets(p);
    const char *begin = ++p;
    for (; p < end; p = *p == '(' || *p == '[' ? skip_brackets(p) : p + 1) {
        if (*p != ',' && p + 1 != end)
            continue;
        if (e->parameter_count == MAX_PARAMETERS)
            return false;
        e->parameters[e->parameter_count++] = (span){begin, (size_t)(p - begin)};
        begin = p + 1;
    }
    return true;
}

/* The size that one of the properties before the entry's name requests. */
static bool read_width(const char *text, entry_text *e) {
    static const char property[] = "sub_group_size<";
    for (const char *p = text; (p = strstr(p, property)) && p < e->name.at;) {
        p += sizeof property - 1;
        e->width = strtoul(p, NULL, 10);
    }
    return e->width != 0;
}

static bool read_entry(const simt_program *program, entry_text *e) {
    if (!find_entry(program->text, marks[program->target], &e->name))
        return false;
    switch (program->target) {
    case SIMT_MSL: return read_parameters(e);
    case SIMT_SYCL: return read_width(program->text, e);
    default: return true;
    }
}

/* ---- Arguments for Metal's parameters ---- */

static const struct {
    const char *attribute, *value;
} metal_values[] = {
    {"buffer(0)", "p->memory"},
    {"buffer(1)", "simt::any_reference{p->args}"},
    {"buffer(2)", "reinterpret_cast<metal::atomic_uint *>(p->status)"},
    {"buffer(3)", "p->memory_size"},
    {"thread_position_in_threadgroup", "simt::triple(simt_self->position)"},
    {"threadgroup_position_in_grid", "simt::triple(simt_info.workgroup)"},
    {"threads_per_threadgroup", "simt::triple(simt_info.group)"},
    {"threadgroups_per_grid", "simt::triple(simt_info.grid)"},
    {"thread_position_in_grid", "simt::thread_in_grid()"},
    {"threads_per_grid", "simt::threads_in_grid()"},
    {"thread_index_in_threadgroup", "simt_self->linear"},
    {"thread_index_in_simdgroup", "simt_self->lane"},
    {"simdgroup_index_in_threadgroup", "simt_self->linear / simt_info.width"},
    {"threads_per_simdgroup", "simt_info.width"},
    {"simdgroups_per_threadgroup", "simt_info.waves"},
};

static const char *metal_value(span parameter) {
    for (size_t k = 0; k + 1 < parameter.size; k++) {
        if (parameter.at[k] != '[' || parameter.at[k + 1] != '[')
            continue;
        const char *attribute = parameter.at + k + 2;
        size_t left = parameter.size - k - 2;
        for (size_t v = 0; v < sizeof metal_values / sizeof metal_values[0]; v++) {
            size_t size = strlen(metal_values[v].attribute);
            if (left >= size + 2 && memcmp(attribute, metal_values[v].attribute, size) == 0 &&
                attribute[size] == ']')
                return metal_values[v].value;
        }
    }
    return NULL;
}

/* ---- Writing ---- */

/* A variable in threadgroup memory is declared like a pointer into it, which must not become
 * static: the line of a declaration has neither `*` nor `(` after the word, and ends with `;`. */
static const char *metal_variable(const char *line, size_t size) {
    const char *end = line + size;
    const char *word = NULL;
    span first = next_word(line);
    if (is_word(first, "threadgroup")) {
        word = first.at;
    } else if (is_word(first, "alignas")) {
        first = next_word(skip_brackets(skip_space(first.at + first.size)));
        word = is_word(first, "threadgroup") ? first.at : NULL;
    }
    if (!word || word >= end || !memchr(word, ';', (size_t)(end - word)) ||
        memchr(word, '*', (size_t)(end - word)) || memchr(word, '=', (size_t)(end - word)))
        return NULL;
    return word;
}

static void write_metal(FILE *out, const char *text) {
    for (const char *line = text; *line;) {
        size_t size = strcspn(line, "\n");
        size += line[size] == '\n';
        const char *word = metal_variable(line, size);
        if (word) {
            size_t before = (size_t)(word - line), mark = strlen("threadgroup");
            fwrite(line, 1, before, out);
            fputs("simt_threadgroup_variable", out);
            fwrite(word + mark, 1, size - before - mark, out);
        } else {
            fwrite(line, 1, size, out);
        }
        line += size;
    }
}

static void write_renamed(FILE *out, const char *text, size_t index, const entry_text *e) {
    fwrite(text, 1, (size_t)(e->name.at - text), out);
    fprintf(out, "simt_kernel_%zu", index);
    fputs(e->name.at + e->name.size, out);
}

static void write_guard(FILE *out, size_t index, const char *which) {
    fprintf(out, "SIMT_SHARED __attribute__((aligned(16))) uint8_t simt_%s_%zu[%d];\n", which,
            index, GUARD_BYTES);
}

/* Local memory is a parameter, whose type contains the size. */
static void write_local(FILE *out, size_t index) {
    fprintf(out,
            "SIMT_SHARED __attribute__((aligned(16))) uint8_t "
            "simt_local_%zu[simt::local_bytes(&simt_%zu::simt_kernel_%zu)];\n",
            index, index, index);
}

static bool write_program(FILE *out, const simt_program *program, size_t index, entry_text *e) {
    bool metal = program->target == SIMT_MSL;
    if (!read_entry(program, e))
        return false;
    fprintf(out, "// %s\n#undef SIMT_SECTION\n#define SIMT_SECTION \"simt_shared_%zu\"\n",
            program->name, index);
    write_guard(out, index, "low");
    if (!metal) /* pragmas of the previous text must not apply to this one */
        fputs("#pragma clang fp contract(fast)\n", out);
    fprintf(out, "namespace simt_%zu {\n#line 1 \"%s\"\n", index, program->name);
    if (metal)
        write_metal(out, program->text);
    else
        write_renamed(out, program->text, index, e);
    fputs("\n}\n", out);
    if (program->target == SIMT_SYCL)
        write_local(out, index);
    write_guard(out, index, "high");
    return true;
}

static bool write_call(FILE *out, const simt_program *program, size_t index, const entry_text *e,
                       char *error, size_t error_size) {
    fprintf(out, "static void simt_call_%zu(const simt_params *p) {\n", index);
    if (program->target == SIMT_HIP) {
        fprintf(out, "    simt::call(&simt_%zu::simt_kernel_%zu, p);\n}\n", index, index);
        return true;
    }
    if (program->target == SIMT_SYCL) {
        fprintf(out, "    simt::call(&simt_%zu::simt_kernel_%zu, %lu, p, simt_local_%zu);\n}\n",
                index, index, e->width, index);
        return true;
    }
    fprintf(out, "    simt_%zu::%.*s(", index, (int)e->name.size, e->name.at);
    for (size_t k = 0; k < e->parameter_count; k++) {
        const char *value = metal_value(e->parameters[k]);
        if (!value) {
            snprintf(error, error_size, "no argument for the parameter %.*s",
                     (int)e->parameters[k].size, e->parameters[k].at);
            return false;
        }
        fprintf(out, "%s%s", k ? ", " : "", value);
    }
    fputs(");\n}\n", out);
    return true;
}

static void write_entry(FILE *out, const simt_program *program, size_t index, const entry_text *e) {
    char kernel[40];
    snprintf(kernel, sizeof kernel, "simt_kernel_%zu", index);
    bool metal = program->target == SIMT_MSL;
    fprintf(out, "    {simt_call_%zu, simt::argument_bytes(&simt_%zu::%.*s), ", index, index,
            metal ? (int)e->name.size : (int)strlen(kernel), metal ? e->name.at : kernel);
    fprintf(out, "__start_simt_shared_%zu, __stop_simt_shared_%zu, {simt_low_%zu, simt_high_%zu},",
            index, index, index, index);
    fprintf(out, " %d", GUARD_BYTES);
    if (program->target == SIMT_SYCL)
        fprintf(out, ", simt::takes(&simt_%zu::%s), sizeof simt_local_%zu", index, kernel, index);
    fputs("},\n", out);
}

static const char *const headers[] = {
    [SIMT_HIP] = "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n",
    [SIMT_MSL] = "#include <metal_stdlib>\n",
    [SIMT_SYCL] = "#define WAVE_SYCL_RTC 1\n#include <sycl/sycl.hpp>\n",
};

bool unit_write(FILE *out, const simt_program *programs, size_t count, size_t *bad, char *error,
                size_t error_size) {
    entry_text entries[SIMT_MAX_UNIT];
    memset(entries, 0, sizeof entries);
    fputs(headers[programs[0].target], out);
    for (*bad = 0; *bad < count; ++*bad)
        if (!write_program(out, &programs[*bad], *bad, &entries[*bad])) {
            snprintf(error, error_size, "the text has no entry");
            return false;
        }
    for (*bad = 0; *bad < count; ++*bad) {
        fprintf(out,
                "extern \"C\" __attribute__((visibility(\"hidden\"))) uint8_t "
                "__start_simt_shared_%zu[], __stop_simt_shared_%zu[];\n",
                *bad, *bad);
        if (!write_call(out, &programs[*bad], *bad, &entries[*bad], error, error_size))
            return false;
    }
    fputs("extern \"C\" SIMT_EXPORT const simt_entry simt_entries[] = {\n", out);
    for (size_t k = 0; k < count; k++)
        write_entry(out, &programs[k], k, &entries[k]);
    fputs("};\n", out);
    return true;
}
