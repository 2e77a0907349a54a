/* libFuzzer target: arbitrary bytes through the whole compile to HIP. */
#define FUZZ_TARGET "hip"
#include "fuzz/compile_target.h"
