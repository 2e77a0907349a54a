/* Names that a kernel may refer to, and the types of the tables from which c_entry.c prints the
 * text around its code: parameters, entries, and the values that are computed first. */
#ifndef EMIT_C_ENTRY_H
#define EMIT_C_ENTRY_H

#include "isa/isa.h"

#include <stdint.h>

/* ---- Names ---- */

typedef enum c_name {
    C_MEM,     /* the arena */
    C_ARGS,    /* the structure of argument words */
    C_LOCAL,   /* local memory */
    C_SIZE,    /* bytes of the arena, for --bounds */
    C_STATUS,  /* two words: whether an assert failed, and the number of the first */
    C_PRIVATE, /* private memory */
    C_OWN,     /* other values that a target passes around: C_OWN, C_OWN + 1, … */
    C_SPECIAL = 16,
    C_NAMES = C_SPECIAL + ISA_SPECIAL_COUNT
} c_name;

/* The name of a special register. The cast makes the mix of two enumerations explicit. */
#define C_SPECIAL_NAME(id) (C_SPECIAL + (int)ISA_SR_##id)

#define C_BIT(name) ((uint64_t)1 << (name))
#define C_LANE      C_BIT(C_SPECIAL_NAME(LANE_ID)) /* for forms whose text contains the lane's name */

/* A name and its type. The type ends with a blank or star, and % in it is the kernel's symbol. A
 * special register without a type is an expression, printed verbatim. `needs` is the bit set of
 * names that it depends on. */
typedef struct c_entry {
    const char *name, *type;
    uint64_t needs;
} c_entry;

/* ---- Rows with conditions ---- */

/* A row applies if all its conditions hold. */
enum {
    C_IF_WAVES = 1, /* the kernel has wave operations or barriers */
    C_IF_NO_WAVES = 2,
    C_IF_FIXED = 4, /* the file fixes the size of the workgroup … */
    C_IF_PLANE = 8, /* … with one thread in z */
    C_IF_LINE = 16, /* … and in y */
    C_IF_NOT_FIXED = 32,
    C_IF_USED = 64, /* of parameters: the code refers to the name */
    C_IF_UNUSED = 128
};

/* Words of all these texts:
 *
 *   @symbol         the kernel's
 *   @width, @last   lanes of a wave; one less
 *   @bytes          of local memory
 *   @x, @y, @z      threads of a fixed workgroup; @xy: x * y
 *   @most           threads of a fixed workgroup, otherwise the most that it may have
 *
 * Each table ends with a row without a text. */

/* A name that a kernel computes before its code, if something refers to it. For each name the first
 * row that applies is printed. `needs` is the bit set of the names in the text; those that are
 * computed too have earlier rows. Numbers are unsigned literals; @symbol is not known, but one more
 * word:
 *
 *   @threads        of the workgroup; c_target.threads if it is not fixed */
typedef struct c_value {
    unsigned name;
    unsigned when; /* sum of C_IF_… */
    uint64_t needs;
    const char *text;
} c_value;

/* A parameter of a kernel: its text in each list that has it; all are in the first list. Names
 * before C_OWN are printed only if the launch contract has them. More words:
 *
 *   @it             type and name as in c_entry
 *   @name           only the name, after a blank where a type precedes it: "uint64_t@name";
 *                   nothing if the code does not use it */
enum { C_MOST_LISTS = 8 };
typedef struct c_parameter_row {
    unsigned name;
    unsigned when;
    const char *texts[C_MOST_LISTS];
} c_parameter_row;

/* A list of parameters: the @word that it replaces, conditions of all its rows, and the text
 * between two of them. Its index is that of its texts in c_parameter_row. */
typedef struct c_list {
    const char *word;
    unsigned when;
    const char *between;
} c_list;

/* A piece of the text around the code. Its words may also be lists. */
typedef struct c_text {
    unsigned when;
    const char *text;
} c_text;

#endif
