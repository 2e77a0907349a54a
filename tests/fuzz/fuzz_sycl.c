/* libFuzzer target: compiles arbitrary bytes to SYCL. */
#define FUZZ_TARGET "sycl"
#include "fuzz/compile_target.h"
