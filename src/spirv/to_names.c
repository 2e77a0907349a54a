/* Functions by name: a hash table of all functions with a body. The library's function takes
 * precedence. */
#include "spirv/to_ir.h"

#include <string.h>

/* FNV-1a */
static uint32_t hash_of(const char *name) {
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

/* The slot of a name, or the free slot where it belongs: the table is at most half full. */
static to_named *place_of(const to_names *names, const char *name) {
    uint32_t at = hash_of(name) & names->mask;
    while (names->list[at].name && strcmp(names->list[at].name, name) != 0)
        at = (at + 1) & names->mask;
    return &names->list[at];
}

static void add_names(to_names *names, to_module *in) {
    for (uint32_t n = 0; n < in->m->function_count; n++) {
        const spirv_function *f = &in->m->functions[n];
        if (!f->block_count || !*f->name)
            continue;
        to_named *place = place_of(names, f->name);
        if (!place->name)
            *place = (to_named){f->name, in, n};
    }
}

bool to_collect_names(spirv_program *p) {
    uint32_t functions = 0, size = 16;
    for (uint32_t k = 0; k < p->module_count; k++)
        functions += p->modules[k].m->function_count;
    while (size < 2 * functions)
        size *= 2;
    p->names.mask = size - 1;
    p->names.list = arena_alloc(&p->memory, size * sizeof *p->names.list);
    p->library = arena_alloc(&p->memory, TO_LIBRARY_KEYS * sizeof(void *));
    if (!p->names.list || !p->library)
        return false;
    for (uint32_t k = p->module_count; k-- > 0;)
        add_names(&p->names, &p->modules[k]);
    return true;
}

static bool found(const to_named *place, to_module **in, uint32_t *function) {
    if (!place->name)
        return false;
    *in = place->in;
    *function = place->function;
    return true;
}

bool to_find_function(spirv_program *p, const char *name, to_module **in, uint32_t *function) {
    return found(place_of(&p->names, name), in, function);
}

bool to_find_library(spirv_program *p, unsigned key, to_module **in, uint32_t *function) {
    if (!p->library[key]) {
        spirv_library_name name = to_library_name(key);
        p->library[key] = place_of(&p->names, name.text);
    }
    return found(p->library[key], in, function);
}
