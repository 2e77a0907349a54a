/* libFuzzer target: arbitrary bytes through the whole compile to SYCL. */
#define FUZZ_TARGET "sycl"
#include "fuzz/compile_target.h"
