/* The table opencl.def: the operands of each OpenCL.std instruction and how it is implemented. */
#ifndef SPIRV_OPENCL_TABLE_H
#define SPIRV_OPENCL_TABLE_H

#include <stdint.h>

typedef enum opencl_how {
    OPENCL_UNKNOWN,
    OPENCL_OPERATION,
    OPENCL_CALL,
    OPENCL_DIRECT,
    OPENCL_REFUSED
} opencl_how;

typedef enum opencl_shape { OPENCL_LIBRARY, OPENCL_PAIR, OPENCL_VECTOR } opencl_shape;

enum { OPENCL_F32 = 1, OPENCL_F64 = 2, OPENCL_F16 = 4 };

typedef struct opencl_row {
    const char *name, *operands; /* NULL: there is no such instruction */
    uint8_t how, shape, types;
    uint8_t f32_op, f64_op; /* ir_op; 0: none */
    const char *function;
} opencl_row;

/* Unknown numbers have a row without a name. */
opencl_row opencl_row_of(uint32_t number);

#endif
