/* --registers and --local-memory: the launcher's defaults for kernels that declare 0, the same in
 * every tool. */
#include "cli/cli.h"

#include <inttypes.h>

static bool parse(const char *tool, const char *option, const char *text, uint64_t most,
                  uint32_t *out) {
    uint64_t value;
    if (!cli_number(text, most, &value) || value == 0) {
        cli_fail(tool, "--%s is a number from 1 to %" PRIu64 ", not '%.80s'", option, most, text);
        return false;
    }
    *out = (uint32_t)value;
    return true;
}

bool cli_registers(const char *tool, const char *text, wave_load_options *load) {
    return parse(tool, "registers", text, 256, &load->registers);
}

bool cli_local_memory(const char *tool, const char *text, wave_load_options *load) {
    return parse(tool, "local-memory", text, 65536, &load->local_memory);
}
