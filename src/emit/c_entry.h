/* Names that a kernel may refer to, and the types of the tables from which c_entry.c prints
 * parameters and the values that are computed before the code. */
#ifndef EMIT_C_ENTRY_H
#define EMIT_C_ENTRY_H

#include "isa/isa.h"

#include <stdint.h>

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

/* A name and its type. The type ends with a blank or star, and % in it is the kernel's symbol. A
 * special register without a type is an expression, printed verbatim. `needs` is the bit set of
 * names that it depends on. */
typedef struct c_entry {
    const char *name, *type;
    uint64_t needs;
} c_entry;

#define C_BIT(name) ((uint64_t)1 << (name))
#define C_LANE      C_BIT(C_SPECIAL_NAME(LANE_ID)) /* for forms whose text contains the lane's name */

/* A parameter of a kernel. Words of the text:
 *
 *   @it       type and name as in c_entry; @name: only the name, nothing if the code does not
 *             use it
 *   @symbol   the kernel's; @bytes: of local memory
 *
 * A list ends with a row without a text. Names of the launch contract are always passed, others
 * only if the code uses them. */
typedef struct c_parameter_row {
    unsigned name;
    const char *text;
} c_parameter_row;

/* Conditions of a c_value. */
enum {
    C_IF_WAVES = 1, /* the kernel has wave operations or barriers */
    C_IF_NO_WAVES = 2,
    C_IF_FIXED = 4, /* the file fixes the size of the workgroup … */
    C_IF_PLANE = 8, /* … with one thread in z */
    C_IF_LINE = 16  /* … and in y */
};

/* A name that a kernel computes before its code, if something refers to it. For each name the first
 * row applies whose conditions all hold. `needs` is the bit set of the names in the text; those
 * that are computed too have earlier rows. Words of the text, apart from those of a parameter:
 *
 *   @width, @last   lanes of a wave; one less
 *   @x, @y, @xy     of a fixed workgroup
 *   @threads        of the workgroup; c_target.threads if it is not fixed */
typedef struct c_value {
    unsigned name;
    unsigned when; /* sum of C_IF_… */
    uint64_t needs;
    const char *text;
} c_value;

#endif
