/* Extracts the part of the library that a module needs, so that the cost of reading depends on what
 * is used: functions by name, those they call, and the types and constants they mention. The
 * library is our own file, so nothing here validates it. */
#include "spirv/enums.h"
#include "spirv/library.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 5, BOUND = 3, LINKAGE_ATTRIBUTES = 41 };

typedef struct part {
    const uint32_t *words;
    size_t count, first_function;
    uint32_t bound;
    uint32_t *function_at;  /* by id: where the function starts; 0: no function */
    bool *mentioned, *kept; /* by id: it occurs in a kept word; its definition is kept */
    uint32_t *starts;       /* of the declarations */
    uint32_t start_count;
    uint32_t *stack; /* functions whose words have not been scanned */
    uint32_t height;
} part;

static unsigned op_at(const part *p, size_t at) {
    return p->words[at] & 0xFFFF;
}

static size_t next_of(const part *p, size_t at) {
    return at + (p->words[at] >> 16);
}

/* Where the declarations and the functions start. */
static void find_starts(part *p) {
    size_t at = HEADER;
    for (; at < p->count && op_at(p, at) != SPIRV_OpFunction; at = next_of(p, at))
        p->starts[p->start_count++] = (uint32_t)at;
    p->first_function = at;
    for (; at < p->count; at = next_of(p, at))
        if (op_at(p, at) == SPIRV_OpFunction)
            p->function_at[p->words[at + 2]] = (uint32_t)at;
}

/* Numbers and strings look like ids too; keeping an unneeded constant is harmless. */
static void mention(part *p, size_t at) {
    for (size_t k = at + 1; k < next_of(p, at); k++)
        if (p->words[k] < p->bound)
            p->mentioned[p->words[k]] = true;
}

static void want_function(part *p, uint32_t id) {
    if (p->kept[id])
        return;
    p->kept[id] = true;
    p->stack[p->height++] = id;
}

static bool is_exported(const part *p, size_t at) {
    return op_at(p, at) == SPIRV_OpDecorate && p->words[at + 2] == LINKAGE_ATTRIBUTES;
}

static void want_named(part *p, const spirv_library_name *names, size_t count) {
    for (uint32_t k = 0; k < p->start_count; k++) {
        size_t at = p->starts[k];
        for (size_t n = 0; is_exported(p, at) && n < count; n++)
            if (strcmp((const char *)&p->words[at + 3], names[n].text) == 0)
                want_function(p, p->words[at + 1]);
    }
}

static void follow_functions(part *p) {
    while (p->height) {
        size_t at = p->function_at[p->stack[--p->height]];
        for (; op_at(p, at) != SPIRV_OpFunctionEnd; at = next_of(p, at)) {
            mention(p, at);
            if (op_at(p, at) == SPIRV_OpFunctionCall)
                want_function(p, p->words[at + 3]);
        }
    }
}

/* The id that a declaration defines; 0: none. */
static uint32_t defined_by(const part *p, size_t at) {
    unsigned op = op_at(p, at);
    if (op >= SPIRV_OpTypeVoid && op <= SPIRV_OpTypeFunction)
        return p->words[at + 1];
    if (op == SPIRV_OpUndef || (op >= SPIRV_OpConstantTrue && op <= SPIRV_OpConstantNull))
        return p->words[at + 2];
    return 0;
}

/* Backwards, so that a declaration is visited before those it mentions. */
static void follow_declarations(part *p) {
    for (uint32_t k = p->start_count; k-- > 0;) {
        uint32_t id = defined_by(p, p->starts[k]);
        if (id && p->mentioned[id]) {
            p->kept[id] = true;
            mention(p, p->starts[k]);
        }
    }
}

static bool is_kept(const part *p, size_t at) {
    uint32_t id = defined_by(p, at);
    if (op_at(p, at) == SPIRV_OpDecorate)
        id = p->words[at + 1];
    return id == 0 || p->kept[id];
}

static size_t copy(const part *p, size_t at, uint32_t *out, size_t count) {
    size_t words = p->words[at] >> 16;
    memcpy(out + count, p->words + at, words * sizeof *out);
    return count + words;
}

static size_t copy_kept(const part *p, uint32_t *out) {
    size_t count = HEADER;
    memcpy(out, p->words, HEADER * sizeof *out);
    for (uint32_t k = 0; k < p->start_count; k++)
        if (is_kept(p, p->starts[k]))
            count = copy(p, p->starts[k], out, count);
    bool kept = false;
    for (size_t at = p->first_function; at < p->count; at = next_of(p, at)) {
        if (op_at(p, at) == SPIRV_OpFunction)
            kept = p->kept[p->words[at + 2]];
        if (kept)
            count = copy(p, at, out, count);
    }
    return count;
}

uint32_t *spirv_library_part(const spirv_library_name *names, size_t name_count,
                             size_t *word_count) {
    part p = {0};
    uint32_t *made;
    p.words = spirv_library(&p.count, &made);
    if (!p.words)
        return NULL;
    p.bound = p.words[BOUND];
    p.function_at = calloc(p.bound, sizeof *p.function_at);
    p.mentioned = calloc(p.bound, sizeof *p.mentioned);
    p.kept = calloc(p.bound, sizeof *p.kept);
    p.stack = calloc(p.bound, sizeof *p.stack);
    p.starts = calloc(p.count, sizeof *p.starts);
    uint32_t *out = calloc(p.count, sizeof *out);
    if (p.function_at && p.mentioned && p.kept && p.stack && p.starts && out) {
        find_starts(&p);
        want_named(&p, names, name_count);
        follow_functions(&p);
        follow_declarations(&p);
        *word_count = copy_kept(&p, out);
    } else {
        free(out);
        out = NULL;
    }
    free(made);
    free(p.function_at);
    free(p.mentioned);
    free(p.kept);
    free(p.stack);
    free(p.starts);
    return out;
}
