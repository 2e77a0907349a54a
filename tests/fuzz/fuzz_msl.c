/* libFuzzer target: arbitrary bytes through the whole compile to MSL. */
#define FUZZ_TARGET "msl"
#include "fuzz/compile_target.h"
