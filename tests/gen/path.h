/* The control-flow mode's program as a tree, and the paths planned through it (path.c writes it
 * down, path_plan.c walks it). */
#ifndef GEN_PATH_H
#define GEN_PATH_H

#include "gen/author.h"

typedef enum path_kind {
    PATH_BLOCK,    /* records its number */
    PATH_IF,       /* one decision */
    PATH_LOOP,     /* begins with the decision to leave, so that it can be made to end */
    PATH_BREAK,    /* a decision, or two of which both must hold */
    PATH_CONTINUE, /* the same */
    PATH_HALT,     /* a decision */
    PATH_RETURN,   /* a decision */
    PATH_CALL,
    PATH_WAVE, /* a wave operation whose result is the same whoever takes part */
    PATH_KINDS
} path_kind;

enum {
    PATH_NODES = 200,
    PATH_RING = 16,     /* blocks remembered by number */
    PATH_LONG = 60,     /* decisions after which a lane hurries to the end */
    PATH_PLANNED = 4096 /* decisions at most */
};

#define PATH_MULTIPLIER 0x01000193u

typedef struct path_node {
    path_kind kind;
    uint32_t number; /* block: what it records; wave: the constant; call: the function */
    unsigned form;   /* which way it is written */
    int next;        /* in its list, or -1 */
    int inside, otherwise;
} path_node;

typedef struct path_tree {
    path_node nodes[PATH_NODES];
    int count;
    int start[FUNCTIONS + 1]; /* the kernel, then the functions */
    bool halts;
} path_tree;

/* What one lane does. */
typedef struct path_record {
    uint8_t *decisions; /* 0 or 1 each */
    uint32_t decision_count;
    uint32_t hash, blocks;
    uint8_t ring[PATH_RING];
} path_record;

/* Decides a path for one lane, at random; false: out of memory, or no end in sight. */
bool path_plan(author *a, const path_tree *tree, path_record *record);

#endif
