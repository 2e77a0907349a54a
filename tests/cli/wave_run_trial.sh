#!/bin/sh
# A plug-in's compiler that dies is an error of the runtime, not the end of wave-run: the compiler is tried in a separate
# process. The plug-in here is made for the test; its compiler dies when DIE names a signal. Run with WAVE_BIN=build/bin.
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/../support/cli.sh"
run=$bin/wave-run
cc=${CC:-cc}
mkdir plugins
WAVE_CUDA_LIBRARY=
WAVE_HIP_LIBRARY=
WAVE_RT_PLUGINS=$dir/plugins
WAVE_CACHE_DIR=$dir/cache
export WAVE_CUDA_LIBRARY WAVE_HIP_LIBRARY WAVE_RT_PLUGINS WAVE_CACHE_DIR

cat >plugin.c <<'END'
#include "rt.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static wave_rt_status open_device(const char *which, void **device, wave_rt_device_info *info, wave_rt_error *error) {
    (void)error;
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "sycl:%s", which);
    snprintf(info->driver, sizeof info->driver, "test");
    info->target = "sycl";
    info->wave_width = 32;
    *device = info;
    return WAVE_RT_OK;
}
static void close_device(void *device) { (void)device; }
static bool may_die(void *device) { return device != NULL; }
/* One line of the file MODULES for each process that compiles. */
static wave_rt_status module_create(void *device, const rt_program *program, void **module, wave_rt_error *error) {
    FILE *notes = fopen(getenv("MODULES"), "a");
    (void)device;
    (void)module;
    fprintf(notes, "%s %s\n", program->entries[0].symbol, strstr(program->text, "void plain_kernel") ? "text" : "none");
    fclose(notes);
    if (getenv("DIE")) {
        fprintf(stderr, "Stack dump: here\n");
        kill(getpid(), atoi(getenv("DIE")));
        pause();
    }
    if (error) {
        error->status = WAVE_RT_BAD_BUILD;
        snprintf(error->message, sizeof error->message, "refused after all");
    }
    return WAVE_RT_BAD_BUILD;
}
static void module_destroy(void *device, void *module) { (void)device, (void)module; }
WAVE_API const rt_vendor *wave_rt_plugin(uint32_t abi);
const rt_vendor *wave_rt_plugin(uint32_t abi) {
    static const rt_vendor table = {.abi = RT_ABI, .name = "sycl", .target = "sycl", .open = open_device,
        .close = close_device, .may_die = may_die, .module_create = module_create, .module_destroy = module_destroy};
    return abi == RT_ABI ? &table : NULL;
}
END
$cc -std=c11 -D_POSIX_C_SOURCE=200809L -fPIC -shared -I"$root/include" -I"$root/runtime" plugin.c -o plugins/libwave_rt_sycl.so &&
    $cc -std=c11 -D_POSIX_C_SOURCE=200809L -I"$root/include" -I"$root/runtime" "$root/runtime/helper/wave_rt_trial.c" \
        -o plugins/wave-rt-trial -ldl || exit 2
printf '.kernel plain\n.registers 4\n    device_store_u32 r1, r0\n    halt\n.end\n' >plain.wave
MODULES=$dir/modules
export MODULES

# dies SIGNAL: wave-run reports it, with the compiler's output, and exits normally.
dies() {
    rm -rf modules cache
    DIE=$1 status 1 "$run" plain.wave -d sycl:cpu &&
        has err "the compiler of sycl:cpu crashed on this kernel (signal $1)" && has err "Stack dump: here" &&
        [ "$(wc -l <modules)" -eq 1 ]
}
ok "a compiler that dies by SIGSEGV" dies 11
ok "a compiler that dies by SIGALRM" dies 14
ok "a compiler that dies by SIGABRT" dies 6

# The trial survives, so the process itself compiles and reports the error.
lives() { rm -rf modules cache && status 1 "$run" plain.wave -d sycl:cpu && has err "refused after all" && [ "$(wc -l <modules)" -eq 2 ]; }
ok "a compiler that survives runs again in this process" lives
passed_on() { [ "$(sort -u modules)" = "plain text" ]; }
ok "both get the text and the symbol" passed_on
remembered() { rm -f modules && status 1 "$run" plain.wave -d sycl:cpu && has err "refused after all" && [ "$(wc -l <modules)" -eq 1 ]; }
ok "a text that has survived is not tried again" remembered
no_cache() { rm -f modules && status 1 "$run" plain.wave -d sycl:cpu --cache none && [ "$(wc -l <modules)" -eq 2 ]; }
ok "without the cache it is" no_cache
off() { rm -f modules && WAVE_RT_TRIAL=off status 1 "$run" plain.wave -d sycl:cpu --cache none && [ "$(wc -l <modules)" -eq 1 ]; }
ok "WAVE_RT_TRIAL=off" off

finish "cli/wave_run_trial"
