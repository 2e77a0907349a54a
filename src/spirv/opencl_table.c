/* The rows of opencl.def by number. Their texts are in one block, and the rows hold offsets:
 * pointers would have to be relocated at every start. */
#include "spirv/opencl_table.h"

#include "ir/ir.h"

#include <stddef.h>

enum { F32 = OPENCL_F32, F64 = OPENCL_F64, F16 = OPENCL_F16, MOST_ROWS = 256 };

static const struct texts {
    char none;
#define CL_OP(number, title, letters, f, d)                                                        \
    char name_##number[sizeof #title], operands_##number[sizeof(letters)];
#define CL_CALL(number, title, letters, form, called, kinds)                                       \
    char name_##number[sizeof #title], operands_##number[sizeof(letters)],                         \
        function_##number[sizeof #called];
#define CL_CODE(number, title, letters, kind)                                                      \
    char name_##number[sizeof #title], operands_##number[sizeof(letters)];
#include "spirv/opencl.def"
#undef CL_OP
#undef CL_CALL
#undef CL_CODE
} texts = {
    0,
#define CL_OP(number, title, letters, f, d)                  #title, letters,
#define CL_CALL(number, title, letters, form, called, kinds) #title, letters, #called,
#define CL_CODE(number, title, letters, kind)                #title, letters,
#include "spirv/opencl.def"
#undef CL_OP
#undef CL_CALL
#undef CL_CODE
};

#define AT(member) (uint16_t) offsetof(struct texts, member)

static const struct {
    uint16_t name, operands, function; /* 0: none */
    uint8_t how, shape, types, f32_op, f64_op;
} rows[MOST_ROWS] = {
#define CL_OP(number, title, letters, f, d)                                                        \
    [number] = {.name = AT(name_##number),                                                         \
                .operands = AT(operands_##number),                                                 \
                .how = OPENCL_OPERATION,                                                           \
                .f32_op = (f),                                                                     \
                .f64_op = (d)},
#define CL_CALL(number, title, letters, form, called, kinds)                                       \
    [number] = {.name = AT(name_##number),                                                         \
                .operands = AT(operands_##number),                                                 \
                .how = OPENCL_CALL,                                                                \
                .shape = OPENCL_##form,                                                            \
                .function = AT(function_##number),                                                 \
                .types = (kinds)},
#define CL_CODE(number, title, letters, kind)                                                      \
    [number] = {.name = AT(name_##number), .operands = AT(operands_##number), .how = OPENCL_##kind},
#include "spirv/opencl.def"
};

static const char *text(uint16_t at) {
    return at ? (const char *)&texts + at : NULL;
}

opencl_row opencl_row_of(uint32_t number) {
    uint32_t k = number < MOST_ROWS ? number : MOST_ROWS - 1;
    return (opencl_row){.name = text(rows[k].name),
                        .operands = text(rows[k].operands),
                        .how = rows[k].how,
                        .shape = rows[k].shape,
                        .types = rows[k].types,
                        .f32_op = rows[k].f32_op,
                        .f64_op = rows[k].f64_op,
                        .function = text(rows[k].function)};
}
