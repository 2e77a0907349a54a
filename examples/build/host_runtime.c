/* Any device, through libwave_rt: the kernel is compiled when the program runs. The binary is
 * linked in (scale_wbin.h); $SCALE_DEVICE names the device. */
#include "scale.h"
#include "scale_host.h"
#include "scale_wbin.h"

#include <stdio.h>
#include <stdlib.h>
#include <wave/wave_rt.h>

static wave_rt_status run(wave_rt_device *device, const float *in, float *out, uint32_t n,
                          float factor, wave_rt_error *error) {
    wave_rt_module *module = NULL;
    wave_rt_arena *arena = NULL;
    wave_rt_queue *queue = NULL;
    wave_rt_launch launch;
    uint32_t words[scale_ARG_WORDS];
    uint64_t size = scale_buffer_bytes(n);
    wave_rt_status status =
        wave_rt_module_load(device, scale_wbin, sizeof scale_wbin, NULL, &module, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_arena_create(device, 2 * size, &arena, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_queue_create(device, &queue, error);
    wave_rt_buffer whole = wave_rt_arena_whole(arena);
    scale_fill_words(words, n, factor);
    wave_rt_launch_init(&launch);
    launch.module = module;
    launch.arena = arena;
    launch.grid[0] = (n + scale_WORKGROUP_X - 1) / scale_WORKGROUP_X;
    launch.words = words;
    launch.word_count = scale_ARG_WORDS;
    if (status == WAVE_RT_OK)
        status = wave_rt_upload(queue, &whole, 0, in, 4 * (uint64_t)n, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_dispatch(queue, &launch, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_wait(queue, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_download(queue, &whole, size, out, 4 * (uint64_t)n, error);
    wave_rt_queue_destroy(queue);
    wave_rt_arena_destroy(arena);
    wave_rt_module_destroy(module);
    return status;
}

int scale_on_device(const float *in, float *out, uint32_t n, float factor) {
    const char *name = getenv("SCALE_DEVICE");
    wave_rt_device *device;
    wave_rt_error error;
    wave_rt_status status = wave_rt_open(name ? name : "auto", &device, &error);
    if (status == WAVE_RT_OK) {
        printf("on %s\n", wave_rt_device_describe(device)->title);
        status = run(device, in, out, n, factor, &error);
        wave_rt_close(device);
    }
    if (status != WAVE_RT_OK)
        fprintf(stderr, "%s: %s\n%s\n", wave_rt_status_text(status), error.message, error.log);
    return status == WAVE_RT_OK ? 0 : 1;
}
