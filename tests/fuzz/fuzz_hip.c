/* libFuzzer target: compiles arbitrary bytes to HIP. */
#define FUZZ_TARGET "hip"
#include "fuzz/compile_target.h"
