/* Register names as names of variables: emitted code uses the source's name for a value. Such a
 * name must not collide with a vendor's name, an argument, or a name that the printers generate:
 *
 *   i        i, and i_2 for a second variable
 *   int      int_
 *   x_2      x_2_
 *
 * A name for which this fails, or that ends with _ itself, is not used. */
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64 }; /* of a name: each use repeats it in the text */

typedef struct entry {
    const char *name;
    uint16_t id;
} entry;

static int by_name(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

/* The length without a trailing number; the whole length if there is none. */
static size_t without_number(const char *name) {
    size_t length = strlen(name), n = length;
    while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
        n--;
    return n < length && n > 1 && name[n - 1] == '_' ? n - 1 : length;
}

/* Whether an argument has this name, with or without a number appended. */
static bool is_argument(const emit_arguments *arguments, const char *name) {
    size_t length = strlen(name), stem = length - (name[length - 1] == '_');
    for (size_t k = 0; k < arguments->count; k++) {
        const char *other = arguments->at[k].name;
        bool numbered = without_number(other) == stem && memcmp(other, name, stem) == 0;
        if (strcmp(other, name) == 0 || (numbered && other[stem]))
            return true;
    }
    return false;
}

static bool ends(const char *name, size_t length, const char *suffix) {
    size_t n = strlen(suffix);
    return length > n && memcmp(name + length - n, suffix, n) == 0;
}

/* Whether the name looks like that of a structure or function printed along with a kernel. */
static bool is_definition(const char *name) {
    size_t length = strlen(name), stem = length;
    while (stem > 0 && name[stem - 1] >= '0' && name[stem - 1] <= '9')
        stem--;
    return ends(name, length, "_args") || ends(name, length, "_state") ||
           (stem < length && ends(name, stem, "_part"));
}

static bool is_taken(const entry *list, size_t count, const char *name) {
    const entry key = {name, 0};
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_name(&list[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && strcmp(list[low].name, name) == 0;
}

/* NULL if the name cannot be used; sets *failed when out of memory. */
static const char *spell(const entry *list, size_t count, const char *name,
                         const emit_arguments *arguments, arena *memory, bool *failed) {
    char text[LONGEST + 2];
    size_t length = strlen(name);
    if (length > LONGEST || !emit_is_plain(name) || name[length - 1] == '_')
        return NULL;
    memcpy(text, name, length + 1);
    if (without_number(name) < length || emit_is_taken(name) || is_definition(name) ||
        is_argument(arguments, name)) {
        text[length++] = '_';
        text[length] = '\0';
        if (emit_is_taken(text) || is_argument(arguments, text) || is_taken(list, count, text))
            return NULL;
    }
    const char *spelled = arena_text(memory, text, length);
    *failed |= !spelled;
    return spelled;
}

bool emit_find_registers(const wave_register_name *names, size_t count,
                         const emit_arguments *arguments, arena *memory, emit_registers *out) {
    *out = (emit_registers){0};
    if (count == 0)
        return true;
    if (count >= UINT16_MAX)
        count = UINT16_MAX - 1;
    entry *list = malloc(count * sizeof *list);
    emit_register *at = arena_alloc(memory, (count + 1) * sizeof *at);
    bool failed = !list || !at;
    for (size_t k = 0; k < count && !failed; k++)
        list[k] = (entry){names[k].name, (uint16_t)(k + 1)};
    if (!failed)
        qsort(list, count, sizeof *list, by_name);
    for (size_t k = 0; k < count && !failed; k++) {
        bool again = k && strcmp(list[k].name, list[k - 1].name) == 0;
        at[list[k].id].first = again ? at[list[k - 1].id].first : list[k].id;
        at[list[k].id].name = again ? at[list[k - 1].id].name
                                    : spell(list, count, list[k].name, arguments, memory, &failed);
    }
    free(list);
    *out = (emit_registers){at, count};
    return !failed;
}
