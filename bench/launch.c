/* Measures the cost of a launch on the host: many launches of an empty kernel on the named device,
 * timed here and counted by callgrind (bench/launch.sh). */
#include "wave_rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char source[] =
    ".kernel nothing\n.registers 4\n.workgroup_size 32, 1, 1\n halt\n.end\n";

/* Counted by name. */
wave_rt_status launch_many(wave_rt_queue *queue, const wave_rt_launch *launch, unsigned long count,
                           wave_rt_error *error);
wave_rt_status launch_many(wave_rt_queue *queue, const wave_rt_launch *launch, unsigned long count,
                           wave_rt_error *error) {
    wave_rt_status status = WAVE_RT_OK;
    for (unsigned long k = 0; k < count && status == WAVE_RT_OK; k++)
        status = wave_rt_dispatch(queue, launch, error);
    return status;
}

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static wave_rt_status measure(const char *name, unsigned long count, wave_rt_error *error) {
    wave_rt_device *device = NULL;
    wave_rt_module *module = NULL;
    wave_rt_queue *queue = NULL;
    wave_rt_module_options options;
    wave_rt_launch launch;
    wave_blob binary = {0};
    (void)wave_assemble(source, sizeof source - 1, NULL, &binary, NULL);
    wave_rt_module_init(&options);
    options.cache = "";
    wave_rt_status status = wave_rt_open(name, &device, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_module_load(device, binary.data, binary.size, &options, &module, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_queue_create(device, &queue, error);
    wave_rt_launch_init(&launch);
    launch.module = module;
    double begin = now();
    if (status == WAVE_RT_OK)
        status = launch_many(queue, &launch, count, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_wait(queue, error);
    if (status == WAVE_RT_OK)
        printf("%s: %lu launches, %.3f us each\n", name, count,
               1e6 * (now() - begin) / (double)count);
    wave_rt_queue_destroy(queue);
    wave_rt_module_destroy(module);
    wave_rt_close(device);
    wave_blob_free(&binary);
    return status;
}

int main(int argc, char **argv) {
    wave_rt_error error = {0};
    unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    if (!count) {
        fprintf(stderr, "usage: launch DEVICE COUNT\n");
        return 2;
    }
    if (measure(argv[1], count, &error) == WAVE_RT_OK)
        return 0;
    fprintf(stderr, "launch: %s\n", error.message);
    return 1;
}
