/* libFuzzer target: compiles arbitrary bytes to PTX. */
#define FUZZ_TARGET "ptx"
#include "fuzz/compile_target.h"
