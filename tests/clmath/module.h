/* The SPIR-V module of the library, executed: a small interpreter for clang's output from
 * src/opencl, with the emulator's arithmetic (base/scalar.h). It replaces a GPU in the tests of the
 * module. */
#ifndef CLMATH_MODULE_H
#define CLMATH_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Components as bits, in the low end; scalars have one. */
typedef struct clmath_value {
    uint64_t c[4];
} clmath_value;

typedef struct clmath_module clmath_module;

/* NULL when out of memory. */
clmath_module *clmath_module_open(const uint32_t *words, size_t count);
void clmath_module_close(clmath_module *module);

/* An exported function by name; 0: there is none. */
uint32_t clmath_find(const clmath_module *module, const char *name);

/* Its result and parameters, a letter each: u i32, q i64, s i16, f f32, d f64, digits before for
 * vectors: "f:ff", "2f:f", "s:ss". */
void clmath_signature(const clmath_module *module, uint32_t function, char *text, size_t size);

/* The number of operations, including those of its callees. Operations that cost nothing or belong
 * to control flow are not counted (labels, phis, branches, bit casts, parts of vectors). */
unsigned clmath_operations(const clmath_module *module, uint32_t function);

/* False with a text in `error` (at least 80 bytes) for an instruction that is not known here. */
bool clmath_call(clmath_module *module, uint32_t function, const clmath_value *arguments,
                 clmath_value *result, char *error);

#endif
