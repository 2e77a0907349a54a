// Names and scopes of a PTX module: one hash table whose chains are popped when a scope closes.
// Branch targets may follow the branch, so they wait as fixups until their scope closes.
#include "ptxvm/parse.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

bool vm_grow(void **items, uint32_t *capacity, uint32_t needed, size_t size) {
    if (needed <= *capacity) {
        return true;
    }
    uint32_t larger = *capacity ? *capacity : 16;
    while (larger < needed) {
        if (larger > UINT32_MAX / 2) {
            return false;
        }
        larger *= 2;
    }
    if ((size_t)larger > SIZE_MAX / size) {
        return false;
    }
    void *grown = realloc(*items, larger * size);
    if (!grown) {
        return false;
    }
    *items = grown;
    *capacity = larger;
    return true;
}

bool vm_no_memory(vm_parser *p) {
    return vm_error_at(p, p->token.line, PTXVM_NO_MEMORY, "out of memory");
}

// FNV-1a. Prefixes of register ranges coexist with ordinary names: %r<4> and %r are different
// symbols.
static uint32_t hash_of(const char *name, uint32_t length, bool range) {
    uint32_t h = range ? 2166136261u ^ 77u : 2166136261u;
    for (uint32_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    }
    return h;
}

static bool rehash(vm_parser *p) {
    uint32_t count = p->bucket_count ? p->bucket_count * 4 : 256;
    uint32_t *buckets = malloc(count * sizeof *buckets);
    if (!buckets) {
        return vm_no_memory(p);
    }
    memset(buckets, 0xFF, count * sizeof *buckets);
    for (uint32_t i = 0; i < p->symbol_count; i++) {
        uint32_t *head = &buckets[p->symbols[i].hash & (count - 1)];
        p->symbols[i].next = *head;
        *head = i;
    }
    free(p->buckets);
    p->buckets = buckets;
    p->bucket_count = count;
    return true;
}

static vm_symbol *find(vm_parser *p, const char *name, uint32_t length, bool range) {
    if (!p->bucket_count) {
        return NULL;
    }
    uint32_t hash = hash_of(name, length, range);
    for (uint32_t i = p->buckets[hash & (p->bucket_count - 1)]; i != NONE; i = p->symbols[i].next) {
        vm_symbol *s = &p->symbols[i];
        if (s->hash == hash && s->length == length && (s->kind == SYM_REG_RANGE) == range &&
            !memcmp(s->name, name, length)) {
            return s;
        }
    }
    return NULL;
}

vm_symbol *vm_find(vm_parser *p, const char *name, uint32_t length) {
    return find(p, name, length, false);
}

bool vm_find_register(vm_parser *p, const char *name, uint32_t length, vm_type *type,
                      uint32_t *reg) {
    vm_symbol *s = find(p, name, length, false);
    if (s) {
        *type = s->type;
        *reg = (uint32_t)s->value;
        return s->kind == SYM_REG;
    }
    // %r12 is number 12 of %r<…>, or number 2 of %r1<…>; a number has no leading zero.
    uint64_t number = 0, place = 1;
    for (uint32_t split = length; split > 1 && length - split < 9; place *= 10) {
        char digit = name[--split];
        if (digit < '0' || digit > '9') {
            return false;
        }
        number += place * (uint64_t)(digit - '0');
        if (digit == '0' && length - split > 1) {
            continue;
        }
        s = find(p, name, split, true);
        if (s && number < s->count) {
            *type = s->type;
            *reg = (uint32_t)(s->value + number);
            return true;
        }
    }
    return false;
}

bool vm_declare(vm_parser *p, symbol_kind kind, const char *name, uint32_t length,
                vm_symbol **out) {
    bool range = kind == SYM_REG_RANGE;
    vm_symbol *old = find(p, name, length, range);
    if (old && old->scope == p->scope) {
        return vm_error_at(p, p->token.line, PTXVM_SYNTAX, "'%.*s' is declared twice", (int)length,
                           name);
    }
    if (p->symbol_count >= p->bucket_count && !rehash(p)) {
        return false;
    }
    if (!vm_grow((void **)&p->symbols, &p->symbol_capacity, p->symbol_count + 1,
                 sizeof *p->symbols)) {
        return vm_no_memory(p);
    }
    vm_symbol *s = &p->symbols[p->symbol_count];
    uint32_t hash = hash_of(name, length, range);
    uint32_t *head = &p->buckets[hash & (p->bucket_count - 1)];
    *s = (vm_symbol){.name = name,
                     .length = length,
                     .hash = hash,
                     .next = *head,
                     .scope = p->scope,
                     .kind = kind};
    *head = p->symbol_count++;
    *out = s;
    return true;
}

bool vm_open_scope(vm_parser *p) {
    if (p->scope + 1 >= SCOPES_MAX) {
        return vm_error_at(p, p->token.line, PTXVM_NO_MEMORY, "blocks nested too deeply");
    }
    p->scope++;
    p->scope_symbols[p->scope] = p->symbol_count;
    p->scope_fixups[p->scope] = p->fixup_count;
    return true;
}

// A fixup whose label is not in this scope moves to the enclosing one; there it is looked up again.
static bool resolve(vm_parser *p, bool outermost) {
    uint32_t kept = p->scope_fixups[p->scope];
    for (uint32_t i = kept; i < p->fixup_count; i++) {
        vm_fixup f = p->fixups[i];
        vm_symbol *s = find(p, f.name, f.length, false);
        if (s && s->kind == SYM_LABEL) {
            if (f.in_table) {
                p->function->targets[f.index] = (uint32_t)s->value;
            } else {
                p->function->code[f.index].target = (uint32_t)s->value;
            }
        } else if (outermost) {
            return vm_error_at(p, f.line, PTXVM_UNDECLARED, "no label '%.*s'", (int)f.length,
                               f.name);
        } else {
            p->fixups[kept++] = f;
        }
    }
    p->fixup_count = kept;
    return true;
}

bool vm_close_scope(vm_parser *p) {
    if (p->function && !resolve(p, p->scope == 1)) {
        return false;
    }
    while (p->symbol_count > p->scope_symbols[p->scope]) {
        vm_symbol *s = &p->symbols[--p->symbol_count];
        p->buckets[s->hash & (p->bucket_count - 1)] = s->next;
    }
    p->scope--;
    return true;
}

bool vm_add_fixup(vm_parser *p, const char *name, uint32_t length, uint32_t index, bool in_table) {
    if (!vm_grow((void **)&p->fixups, &p->fixup_capacity, p->fixup_count + 1, sizeof *p->fixups)) {
        return vm_no_memory(p);
    }
    p->fixups[p->fixup_count++] = (vm_fixup){name, length, p->token.line, index, in_table};
    return true;
}
