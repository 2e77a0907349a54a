/* Options shared by several tools. */
#include "cli/common_options.h"

#include <string.h>

bool cli_reading_option(const char *tool, int id, const char *value, cli_reading *reading,
                        wave_load_options *load) {
    switch (id) {
    case CLI_STRICT: reading->strict = true; return true;
    case CLI_LENIENT: reading->lenient = true; return true;
    case CLI_COMPAT: load->compat = true; return true;
    case CLI_FIX_CAS: load->fix_upstream_cas = true; return true;
    case CLI_FIX_CVT: load->fix_upstream_cvt = true; return true;
    default: return cli_diag_format_option(tool, value, &reading->diagnostics);
    }
}

bool cli_reading_mode(const char *tool, const cli_reading *reading, wave_load_options *load) {
    if (reading->strict && reading->lenient) {
        cli_fail(tool, "--strict and --lenient cannot be combined");
        return false;
    }
    load->mode = reading->strict    ? WAVE_MODE_STRICT
                 : reading->lenient ? WAVE_MODE_LENIENT
                                    : WAVE_MODE_DEFAULT;
    return true;
}

/* Sets *chosen to whether the value is the second of two words. */
static bool choose(const char *tool, const char *option, const char *value, const char *first,
                   const char *second, bool *chosen) {
    *chosen = strcmp(value, second) == 0;
    if (*chosen || strcmp(value, first) == 0)
        return true;
    cli_fail(tool, "%s is %s or %s, not '%.80s'", option, first, second, value);
    return false;
}

bool cli_compiling_option(const char *tool, int id, const char *value, cli_compiling *c) {
    switch (id) {
    case CLI_OPTIMISE: return choose(tool, "-O", value, "0", "2", &c->optimise);
    case CLI_FP: return choose(tool, "--fp", value, "exact", "fast", &c->fast_math);
    case CLI_MMA: return choose(tool, "--mma", value, "exact", "native", &c->native_mma);
    case CLI_BOUNDS: c->bounds = true; return true;
    case CLI_ASSERT: return choose(tool, "--assert", value, "off", "trap", &c->assert_trap);
    case CLI_ORDER: return choose(tool, "--wave-order", value, "fences", "lockstep", &c->lockstep);
    default: c->deterministic = true; return true;
    }
}

bool cli_bad_value(const char *tool, const char *option, const char *value, const char *why) {
    cli_fail(tool, "--%s %s: %s", option, value, why);
    return false;
}

bool cli_triple_option(const char *tool, const char *option, const char *text, uint32_t out[3]) {
    return cli_triple(text, out) || cli_bad_value(tool, option, text, CLI_TRIPLE);
}

int cli_parse(cli_args *args, int argc, char **argv,
              bool (*apply)(void *options, int id, const char *value), void *options,
              const char **path) {
    int id;
    while ((id = cli_next(args, argc, argv)) > 0) {
        if (id == CLI_OPERAND && *path) {
            args->status = cli_unexpected(args, args->value);
            return -1;
        }
        if (id == CLI_OPERAND) {
            *path = args->value;
        } else if (!apply(options, id, args->value)) {
            args->status = CLI_USAGE;
            return -1;
        }
    }
    return id;
}
