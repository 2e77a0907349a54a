/* Options shared by several tools: how a file is read and compiled, and the form of simple values.
 */
#ifndef CLI_COMMON_OPTIONS_H
#define CLI_COMMON_OPTIONS_H

#include "cli/cli.h"

/* ---- Reading a file ---- */

/* Ids above those of the tools' own options. */
enum {
    CLI_STRICT = 1 << 10,
    CLI_LENIENT,
    CLI_COMPAT,
    CLI_FIX_CAS,
    CLI_FIX_CVT,
    CLI_DIAGNOSTICS,
    CLI_OPTIMISE,
    CLI_FP,
    CLI_MMA,
    CLI_BOUNDS,
    CLI_ASSERT,
    CLI_ORDER,
    CLI_DETERMINISTIC
};

/* Rows of an option table. */
#define CLI_UPSTREAM_OPTIONS                                                                       \
    {"compat", 0, CLI_COMPAT, "", "accept stripped files of the upstream assembler"},              \
        {"fix-upstream-cas", 0, CLI_FIX_CAS, "",                                                   \
         "read upstream's encoding of compare-and-swap as one"},                                   \
        {"fix-upstream-cvt", 0, CLI_FIX_CVT, "",                                                   \
         "read conversions as the upstream compiler means them"},                                  \
    {                                                                                              \
        "diagnostics", 0, CLI_DIAGNOSTICS, "text|json",                                            \
            "how problems are printed on standard error"                                           \
    }
#define CLI_READING_OPTIONS                                                                        \
    {"strict", 0, CLI_STRICT, "", "treat reserved bits that are not 0 as errors"},                 \
        {"lenient", 0, CLI_LENIENT, "", "accept files with harmless defects, with warnings"},      \
        CLI_UPSTREAM_OPTIONS

typedef struct cli_reading {
    bool strict, lenient;
    cli_diag_format diagnostics;
} cli_reading;

static inline bool cli_is_reading(int id) {
    return id >= CLI_STRICT && id <= CLI_DIAGNOSTICS;
}

/* These print an error and return false. */
bool cli_reading_option(const char *tool, int id, const char *value, cli_reading *reading,
                        wave_load_options *load);
/* After all options are known: sets load->mode. */
bool cli_reading_mode(const char *tool, const cli_reading *reading, wave_load_options *load);

/* ---- Compiling it ---- */

/* Rows of an option table. */
#define CLI_COMPILE_OPTIONS                                                                        \
    {"optimise", 'O', CLI_OPTIMISE, "0|2", "-O0: required passes only; -O2: all passes (2)"},      \
        {"fp", 0, CLI_FP, "exact|fast",                                                            \
         "fast: use the vendor's approximations, and contraction (exact)"},                        \
        {"mma", 0, CLI_MMA, "exact|native",                                                        \
         "native: f16 and bf16 tiles use matrix units, with their rounding (exact)"},              \
        {"bounds", 0, CLI_BOUNDS, "", "check every access; out-of-bounds loads return 0"},         \
        {"assert", 0, CLI_ASSERT, "trap|off", "what a failing assert does (trap)"},                \
        {"wave-order", 0, CLI_ORDER, "fences|lockstep",                                            \
         "lockstep: insert fences where lanes of a wave may access the same bytes (fences)"},      \
    {                                                                                              \
        "deterministic", 0, CLI_DETERMINISTIC, "",                                                 \
            "fix the order of float sums by atomics, or report an error"                           \
    }

typedef struct cli_compiling {
    bool optimise, fast_math, native_mma, bounds, assert_trap, lockstep, deterministic;
} cli_compiling;

static inline bool cli_is_compiling(int id) {
    return id >= CLI_OPTIMISE && id <= CLI_DETERMINISTIC;
}

/* Prints an error and returns false when the value is wrong. */
bool cli_compiling_option(const char *tool, int id, const char *value, cli_compiling *compiling);

/* ---- Values ---- */

/* Prints "tool: --option value: why" and returns false. */
bool cli_bad_value(const char *tool, const char *option, const char *value, const char *why);
/* cli_triple, with such a message. */
bool cli_triple_option(const char *tool, const char *option, const char *text, uint32_t out[3]);

/* ---- A whole command line ---- */

/* Passes options to `apply` and stores at most one operand in *path. Returns 0 to continue, or a
 * negative value to exit with args->status. */
int cli_parse(cli_args *args, int argc, char **argv,
              bool (*apply)(void *options, int id, const char *value), void *options,
              const char **path);

#endif
