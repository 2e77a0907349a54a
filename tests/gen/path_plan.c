/* The path oracle: one lane's path through the tree, decided at random and recorded. This is plain
 * sequential execution, independent of waves, masks and the emulator. */
#include "gen/path.h"

#include <stdlib.h>

typedef enum outcome { GO_ON, BROKEN, CONTINUED, RETURNED, HALTED, LOST } outcome;

typedef struct walk {
    author *a;
    const path_tree *tree;
    path_record *record;
    uint32_t room;
} walk;

static outcome walk_list(walk *w, int first);

/* One decision: true with this probability in percent, or `hurried` for a lane that heads for the
 * end. */
static bool decide(walk *w, unsigned percent, bool hurried) {
    path_record *r = w->record;
    bool yes = r->decision_count < PATH_LONG ? au_chance(w->a, percent) : hurried;
    if (r->decision_count == w->room) {
        uint32_t room = w->room * 2 + 64;
        uint8_t *more = realloc(r->decisions, room);
        if (!more) {
            w->a->failed = true;
            return yes;
        }
        r->decisions = more;
        w->room = room;
    }
    r->decisions[r->decision_count++] = yes;
    return yes;
}

static void fold(walk *w, uint32_t value) {
    w->record->hash = w->record->hash * PATH_MULTIPLIER + value;
}

static void visit(walk *w, uint32_t number) {
    path_record *r = w->record;
    fold(w, number);
    r->ring[r->blocks % PATH_RING] = (uint8_t)number;
    r->blocks++;
}

static outcome walk_loop(walk *w, const path_node *n) {
    for (;;) {
        if (w->a->failed || w->record->decision_count > PATH_PLANNED)
            return LOST;
        if (decide(w, 30, true))
            return GO_ON;
        outcome s = walk_list(w, n->inside);
        if (s == BROKEN)
            return GO_ON;
        if (s != GO_ON && s != CONTINUED)
            return s;
    }
}

/* Forms 2 and up of a jump take two decisions; both are always made. */
static bool jumps(walk *w, const path_node *n, unsigned percent, bool hurried) {
    bool yes = decide(w, percent, hurried);
    if (n->form >= 2)
        yes &= decide(w, 70, hurried);
    return yes;
}

static outcome walk_node(walk *w, const path_node *n) {
    outcome s;
    switch (n->kind) {
    case PATH_BLOCK: visit(w, n->number); return GO_ON;
    case PATH_WAVE: fold(w, n->number); return GO_ON;
    case PATH_IF: return walk_list(w, decide(w, 50, false) ? n->inside : n->otherwise);
    case PATH_LOOP: return walk_loop(w, n);
    case PATH_BREAK: return jumps(w, n, 25, true) ? BROKEN : GO_ON;
    case PATH_CONTINUE: return jumps(w, n, 30, false) ? CONTINUED : GO_ON;
    case PATH_HALT: return decide(w, 8, false) ? HALTED : GO_ON;
    case PATH_RETURN: return decide(w, 20, true) ? RETURNED : GO_ON;
    case PATH_CALL: s = walk_list(w, w->tree->start[n->number]); return s == RETURNED ? GO_ON : s;
    default: return LOST;
    }
}

static outcome walk_list(walk *w, int first) {
    for (int k = first; k >= 0; k = w->tree->nodes[k].next) {
        outcome s = walk_node(w, &w->tree->nodes[k]);
        if (s != GO_ON)
            return s;
    }
    return GO_ON;
}

bool path_plan(author *a, const path_tree *tree, path_record *record) {
    walk w = {.a = a, .tree = tree, .record = record};
    return walk_list(&w, tree->start[0]) != LOST && !a->failed;
}
