/* The crit-bit tree of names.h: each inner node holds the first bit in which the names of its two
 * subtrees differ; the leaves are the names. */
#include "asm/names.h"

#include <stdlib.h>
#include <string.h>

typedef struct asm_names_node {
    uint32_t byte;     /* which byte of the name */
    uint8_t bit;       /* which bit of it, as a mask */
    uint32_t child[2]; /* an inner node, or LEAF | index into the list */
} asm_names_node;

static const uint32_t LEAF = 0x80000000u;

/* A name reads as if NUL bytes followed it, so no name is a prefix of another one. */
static unsigned byte_at(const char *text, size_t length, size_t at) {
    return at < length ? (unsigned char)text[at] : 0;
}

static unsigned side(const asm_names_node *node, const char *text, size_t length) {
    return (byte_at(text, length, node->byte) & node->bit) != 0;
}

/* The leaf that the search reaches: the name itself if it is present. Requires at least one
 * entry. */
static asm_name *nearest(const asm_names *names, const char *text, size_t length) {
    uint32_t at = names->root;
    while (!(at & LEAF))
        at = names->nodes[at].child[side(&names->nodes[at], text, length)];
    return &names->list[at & ~LEAF];
}

static bool same(const asm_name *entry, const char *text, size_t length) {
    return entry->length == length && memcmp(entry->text, text, length) == 0;
}

const asm_name *asm_names_find(const asm_names *names, const char *text, size_t length) {
    if (names->count == 0)
        return NULL;
    const asm_name *entry = nearest(names, text, length);
    return same(entry, text, length) ? entry : NULL;
}

static bool grow(asm_names *names) {
    if (names->list && names->count < names->capacity)
        return true;
    size_t capacity = names->capacity ? names->capacity * 2 : 16;
    asm_name *list = realloc(names->list, capacity * sizeof *list);
    if (list)
        names->list = list;
    asm_names_node *nodes = realloc(names->nodes, capacity * sizeof *nodes);
    if (nodes)
        names->nodes = nodes;
    if (!list || !nodes)
        return false;
    names->capacity = capacity;
    return true;
}

/* Splits the tree where `text` first differs from `other`. Inner node n belongs to entry n. */
static void link_leaf(asm_names *names, const asm_name *other, uint32_t index) {
    const asm_name *entry = &names->list[index];
    size_t at = 0;
    while (byte_at(entry->text, entry->length, at) == byte_at(other->text, other->length, at))
        at++;
    unsigned mine = byte_at(entry->text, entry->length, at);
    unsigned mask = mine ^ byte_at(other->text, other->length, at);
    while (mask & (mask - 1)) /* the highest differing bit */
        mask &= mask - 1;
    uint32_t *link = &names->root;
    while (!(*link & LEAF)) {
        asm_names_node *node = &names->nodes[*link];
        if (node->byte > at || (node->byte == at && node->bit < mask))
            break;
        link = &node->child[side(node, entry->text, entry->length)];
    }
    asm_names_node *split = &names->nodes[index];
    split->byte = (uint32_t)at;
    split->bit = (uint8_t)mask;
    unsigned which = (mine & mask) != 0;
    split->child[which] = LEAF | index;
    split->child[!which] = *link;
    *link = index;
}

asm_name *asm_names_insert(asm_names *names, const char *text, size_t length, uint32_t value,
                           bool *created) {
    *created = false;
    asm_name *other = names->count ? nearest(names, text, length) : NULL;
    if (other && same(other, text, length))
        return other;
    size_t place = other ? (size_t)(other - names->list) : 0;
    if (!grow(names))
        return NULL;
    uint32_t index = (uint32_t)names->count++;
    names->list[index] = (asm_name){.text = text, .length = length, .value = value};
    if (index == 0)
        names->root = LEAF | 0;
    else
        link_leaf(names, &names->list[place], index);
    *created = true;
    return &names->list[index];
}

void asm_names_free(asm_names *names) {
    free(names->nodes);
    free(names->list);
    *names = (asm_names){0};
}
