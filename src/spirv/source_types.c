/* Types of kernels' arguments in the source. SPIR-V has no signs, and what its pointers point to
 * may be a guess, because LLVM's pointers are opaque. So producers add strings:
 *
 *   OpString "kernel_arg_type.k.real*,int4,"          the names in the source
 *   OpString "kernel_arg_base_type.k.float*,int4,"    the same with typedefs resolved */
#include "frontend/wbin_ext.h"
#include "spirv/reader.h"

#include <stdlib.h>
#include <string.h>

static const char base_types[] = "kernel_arg_base_type.", types[] = "kernel_arg_type.";

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* ---- The strings, sorted ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool spirv_find_source_types(spirv_reader *r) {
    const spirv_module *m = r->m;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->first_body; i++)
        count += m->insns[i].op == SPIRV_OpString;
    r->source_types = spirv_room(r, count, sizeof *r->source_types);
    if (!r->source_types)
        return false;
    for (uint32_t i = 0; i < r->first_body; i++) {
        if (m->insns[i].op != SPIRV_OpString)
            continue;
        const char *text = spirv_string(m, m->insns[i].word + 2);
        if (starts(text, base_types) || starts(text, types))
            r->source_types[r->source_type_count++] = text;
    }
    if (r->source_type_count > 1)
        qsort(r->source_types, r->source_type_count, sizeof *r->source_types, by_text);
    return true;
}

/* What follows "PREFIX.KERNEL." in the string that begins with it, or NULL. */
static const char *find(const spirv_reader *r, const char *prefix, const char *kernel) {
    size_t first = strlen(prefix), length = strlen(kernel);
    char *key = spirv_room(r, first + length + 2, 1);
    if (!key)
        return NULL;
    memcpy(key, prefix, first);
    memcpy(key + first, kernel, length);
    key[first + length] = '.';
    uint32_t low = 0, high = r->source_type_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(r->source_types[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < r->source_type_count && starts(r->source_types[low], key);
    return found ? r->source_types[low] + first + length + 1 : NULL;
}

spirv_source_list spirv_source_types(const spirv_reader *r, const char *kernel) {
    spirv_source_list list = {NULL, false};
    if (r->source_type_count == 0)
        return list;
    list.at = find(r, base_types, kernel);
    list.resolved = list.at != NULL;
    if (!list.at)
        list.at = find(r, types, kernel);
    return list;
}

/* ---- Their words ---- */

static const struct {
    char name[8];
    uint8_t type;
} scalars[] = {{"char", WAVE_TYPE_I8},    {"uchar", WAVE_TYPE_U8},  {"short", WAVE_TYPE_I16},
               {"ushort", WAVE_TYPE_U16}, {"int", WAVE_TYPE_I32},   {"uint", WAVE_TYPE_U32},
               {"long", WAVE_TYPE_I64},   {"ulong", WAVE_TYPE_U64}, {"half", WAVE_TYPE_F16},
               {"float", WAVE_TYPE_F32},  {"double", WAVE_TYPE_F64}};

/* Of "int", "float4*", "uchar __attribute__((ext_vector_type(2)))*", "_Atomic(int)*". */
static uint8_t scalar_of(const char *type, size_t length) {
    static const char atomic[] = "_Atomic(";
    if (starts(type, atomic)) {
        type += sizeof atomic - 1;
        length -= sizeof atomic - 1;
    }
    const char *star = memchr(type, '*', length);
    if (star && memchr(star + 1, '*', length - (size_t)(star + 1 - type)))
        return WAVE_TYPE_COUNT; /* pointers to pointers */
    size_t letters = strspn(type, "abcdefghijklmnopqrstuvwxyz");
    size_t digits = strspn(type + letters, "0123456789");
    if (!memchr("*, )[", type[letters + digits], 6))
        return WAVE_TYPE_COUNT;
    for (size_t k = 0; k < sizeof scalars / sizeof *scalars; k++)
        if (strlen(scalars[k].name) == letters && memcmp(scalars[k].name, type, letters) == 0)
            return scalars[k].type;
    return WAVE_TYPE_COUNT;
}

uint8_t spirv_next_source_type(spirv_source_list *list) {
    if (!list->at || !*list->at)
        return WAVE_TYPE_COUNT;
    size_t length = strcspn(list->at, ",");
    uint8_t type = scalar_of(list->at, length);
    list->at += length + (list->at[length] == ',');
    return type == WAVE_TYPE_COUNT && list->resolved ? WAVE_TYPE_BYTES : type;
}
