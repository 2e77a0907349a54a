/* The rows of opencl.def by number. */
#include "spirv/opencl_table.h"

#include "ir/ir.h"

enum { F32 = OPENCL_F32, F64 = OPENCL_F64, F16 = OPENCL_F16, MOST_ROWS = 256 };

static const opencl_row rows[MOST_ROWS] = {
#define CL_OP(number, title, letters, f, d)                                                        \
    [number] = {.name = #title,                                                                    \
                .operands = (letters),                                                             \
                .how = OPENCL_OPERATION,                                                           \
                .single = (f),                                                                     \
                .twice = (d)},
#define CL_CALL(number, title, letters, form, called, kinds)                                       \
    [number] = {.name = #title,                                                                    \
                .operands = (letters),                                                             \
                .how = OPENCL_CALL,                                                                \
                .shape = OPENCL_##form,                                                            \
                .function = #called,                                                               \
                .types = (kinds)},
#define CL_CODE(number, title, letters, kind)                                                      \
    [number] = {.name = #title, .operands = (letters), .how = OPENCL_##kind},
#include "spirv/opencl.def"
};

const opencl_row *opencl_row_of(uint32_t number) {
    return &rows[number < MOST_ROWS ? number : MOST_ROWS - 1];
}
