/* libFuzzer target: compiles arbitrary bytes to MSL. */
#define FUZZ_TARGET "msl"
#include "fuzz/compile_target.h"
