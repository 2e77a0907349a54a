/* wave-gen as a library: from a seed, the text of a `.wave` file in the test format
 * (docs/using/test-format.md). Programs are valid, terminate, have no races and produce the same
 * memory under every schedule, at a given wave width; NaN bits that vendors choose never reach
 * memory that is compared bit for bit. Each feature has a weight. */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* X(id, option, default percentage of programs with the feature, description) */
#define GEN_FEATURE_LIST(X)                                                                        \
    X(GUARDS, "guards", 80, "guards on instructions, @!p0 among them")                             \
    X(BRANCHES, "branches", 85, "if, else, endif")                                                 \
    X(LOOPS, "loops", 70, "loops with bounded trip counts")                                        \
    X(JUMPS, "jumps", 60, "break and continue at any depth")                                       \
    X(HALTS, "halts", 40, "lanes that halt or return early")                                       \
    X(CALLS, "calls", 40, "calls of functions with early returns")                                 \
    X(WAVES, "waves", 65, "wave operations, in divergent flow too")                                \
    X(BARRIERS, "barriers", 40, "barriers and exchange of values across them")                     \
    X(LOCAL, "local", 60, "local memory")                                                          \
    X(DEVICE, "device", 75, "a lane's own device memory")                                          \
    X(ATOMICS, "atomics", 45, "atomics with results that do not depend on their order")            \
    X(ATOMICS64, "atomics64", 40, "64-bit atomics, where there are others (not for MSL)")          \
    X(FLOAT, "float", 70, "f32 arithmetic")                                                        \
    X(MATH, "math", 12, "fsin, fcos, fexp2, flog2")                                                \
    X(HALF, "half", 35, "f16 arithmetic")                                                          \
    X(BFLOAT, "bfloat", 30, "bf16 arithmetic")                                                     \
    X(DOUBLE, "double", 25, "f64 arithmetic (not for MSL)")                                        \
    X(WIDE, "wide", 40, "64-bit integers")                                                         \
    X(PRIVATE, "private", 30, "private memory, half of the time with known addresses only")        \
    X(CONSTANT, "constant", 25, "constant memory")                                                 \
    X(MMA, "mma", 15, "matrix fragments, through local memory")                                    \
    X(TILES, "tiles", 12, "tiles of a wave; no lane halts then")                                   \
    X(FENCES, "fences", 30, "fences of every scope")                                               \
    X(EXCHANGE, "exchange", 35, "values handed to lanes of the same wave through memory")          \
    X(POLLING, "polling", 30, "waves that wait for a message from another (with barriers)")        \
    X(ASSERTS, "asserts", 20, "assertions that hold")                                              \
    X(DEEP, "deep", 5, "nesting far deeper than usual")                                            \
    X(PATH, "path", 10,                                                                            \
      "control-flow mode: every lane's path is planned, and what it records is compared")

typedef enum gen_feature {
#define X(id, option, percent, text) GEN_##id,
    GEN_FEATURE_LIST(X)
#undef X
        GEN_FEATURES
} gen_feature;

typedef struct gen_options {
    uint64_t seed;
    unsigned percent[GEN_FEATURES]; /* 0 … 100 */
    unsigned size;                  /* of the programs, in percent of the default */
} gen_options;

extern const char *const gen_feature_name[GEN_FEATURES];

void gen_options_init(gen_options *options, uint64_t seed);

/* Parses "NAME=NUMBER" with exactly this name and a number of at most `most`. */
bool gen_set_number(const char *text, const char *name, unsigned most, unsigned *number);

/* "size=N" or "FEATURE=PERCENT". False: malformed, or no such option. */
bool gen_set_option(gen_options *options, const char *text);

/* Returns the text, terminated by a NUL that *size does not count; free() it. NULL: no memory. */
char *gen_program(const gen_options *options, size_t *size);

#endif
