/* libFuzzer target: arbitrary bytes through the whole compile to PTX. */
#define FUZZ_TARGET "ptx"
#include "fuzz/compile_target.h"
