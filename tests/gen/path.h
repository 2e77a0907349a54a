/* The control-flow mode's program as a tree, and the paths planned through it (path.c writes the
 * program, path_plan.c plans the paths). */
#ifndef GEN_PATH_H
#define GEN_PATH_H

#include "gen/author.h"

typedef enum path_kind {
    PATH_BLOCK,    /* records its number */
    PATH_IF,       /* one decision */
    PATH_LOOP,     /* begins with the decision to leave, so that it can be forced to end */
    PATH_BREAK,    /* one decision, or two that must both hold */
    PATH_CONTINUE, /* the same */
    PATH_HALT,     /* one decision */
    PATH_RETURN,   /* one decision */
    PATH_CALL,
    PATH_WAVE, /* a wave operation whose result is independent of the active lanes */
    PATH_KINDS
} path_kind;

enum {
    PATH_NODES = 200,
    PATH_RING = 16,     /* blocks remembered by number */
    PATH_LONG = 60,     /* decisions after which a lane heads for the end */
    PATH_PLANNED = 4096 /* most decisions */
};

#define PATH_MULTIPLIER 0x01000193u

typedef struct path_node {
    path_kind kind;
    uint32_t number; /* block: what it records; wave: the constant; call: the function */
    unsigned form;   /* how it is written */
    int next;        /* in its list, or -1 */
    int inside, otherwise;
} path_node;

typedef struct path_tree {
    path_node nodes[PATH_NODES];
    int count;
    int start[FUNCTIONS + 1]; /* the kernel, then the functions */
    bool halts;
} path_tree;

/* The path of one lane. */
typedef struct path_record {
    uint8_t *decisions; /* 0 or 1 each */
    uint32_t decision_count;
    uint32_t hash, blocks;
    uint8_t ring[PATH_RING];
} path_record;

/* Plans a random path for one lane; false: out of memory, or the path does not end. */
bool path_plan(author *a, const path_tree *tree, path_record *record);

#endif
