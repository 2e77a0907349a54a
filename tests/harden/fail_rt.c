/* wave-fail-rt: a whole session of the runtime on the emulator's device (list, open, arena, module,
 * launch, download, with and without the cache), once for every allocation it makes, with that one
 * failing and with all from there on failing. Every call must then say so, or give the right
 * answer; nothing may be left behind. */
#include "harden/alloc_hook.h"
#include "wave_rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = ".kernel twice\n.registers 8\n.workgroup_size 32, 1, 1\n"
                             "mov_sr r1, sr_thread_id_x\nmov_imm r2, 2\nshl r2, r1, r2\n"
                             "iadd r3, r0, r2\ndevice_load_u32 r4, r3\niadd r4, r4, r4\n"
                             "device_store_u32 r3, r4\nhalt\n.end\n";

enum { COUNT = 32 };

/* The first status that is not OK. */
static wave_rt_status session(const wave_blob *binary, const char *cache, uint32_t data[COUNT]) {
    wave_rt_list list = {0};
    wave_rt_device *device = NULL;
    wave_rt_arena *arena = NULL;
    wave_rt_module *module = NULL;
    wave_rt_queue *queue = NULL;
    wave_rt_buffer buffer = {0};
    wave_rt_error error;
    wave_rt_module_options options;
    wave_rt_launch launch;
    uint32_t words[1] = {0};
    wave_rt_module_init(&options);
    options.cache = cache;
    wave_rt_status status = wave_rt_enumerate(&list, &error);
    wave_rt_list_free(&list);
    if (status == WAVE_RT_OK)
        status = wave_rt_open("emu", &device, &error);
    if (status == WAVE_RT_OK)
        status = wave_rt_arena_create(device, 4096, &arena, &error);
    if (status == WAVE_RT_OK)
        status = wave_rt_arena_take(arena, COUNT * sizeof *data, &buffer, &error);
    if (status == WAVE_RT_OK)
        status = wave_rt_module_load(device, binary->data, binary->size, &options, &module, &error);
    if (status == WAVE_RT_OK)
        status = wave_rt_queue_create(device, &queue, &error);
    if (status == WAVE_RT_OK)
        status = wave_rt_upload(queue, &buffer, 0, data, COUNT * sizeof *data, &error);
    if (status == WAVE_RT_OK) {
        wave_rt_launch_init(&launch);
        words[0] = (uint32_t)buffer.offset;
        launch.module = module;
        launch.arena = arena;
        launch.words = words;
        launch.word_count = 1;
        status = wave_rt_dispatch(queue, &launch, &error);
    }
    if (status == WAVE_RT_OK)
        status = wave_rt_wait(queue, &error);
    if (status == WAVE_RT_OK)
        status = wave_rt_download(queue, &buffer, 0, data, COUNT * sizeof *data, &error);
    wave_rt_queue_destroy(queue);
    wave_rt_module_destroy(module);
    wave_rt_arena_destroy(arena);
    wave_rt_close(device);
    return status;
}

typedef struct totals {
    unsigned long passed, failed;
} totals;

static bool run(const wave_blob *binary, const char *cache, unsigned long at, bool after,
                totals *sum) {
    uint32_t data[COUNT];
    for (uint32_t k = 0; k < COUNT; k++)
        data[k] = k + 1;
    alloc = (alloc_hook){.armed = true, .fail_at = at, .ever_after = after};
    wave_rt_status status = session(binary, cache, data);
    alloc.armed = false;
    bool right = true;
    for (uint32_t k = 0; k < COUNT; k++)
        right &= data[k] == 2 * (k + 1);
    /* the device's memory is the host's here */
    bool missing = status == WAVE_RT_NO_MEMORY || status == WAVE_RT_DEVICE_MEMORY;
    bool good = alloc.live == 0 && (status == WAVE_RT_OK ? right : at != 0 && missing);
    *(good ? &sum->passed : &sum->failed) += 1;
    if (!good)
        printf("FAIL allocation %lu%s: status %d (%s), %s, %ld blocks left\n", at,
               after ? " and all after it" : "", (int)status, wave_rt_status_text(status),
               right ? "right" : "wrong", alloc.live);
    return alloc.calls >= at || at == 0;
}

int main(int argc, char **argv) {
    wave_blob binary;
    totals sum = {0};
    if (argc != 2 || wave_assemble(source, strlen(source), NULL, &binary, NULL) != WAVE_OK) {
        fprintf(stderr, "usage: wave-fail-rt FOLDER      a folder for the cache\n");
        return 2;
    }
    const char *caches[2] = {"", argv[1]};
    for (int c = 0; c < 2; c++) {
        run(&binary, caches[c], 0, false, &sum);
        unsigned long count = alloc.calls;
        for (unsigned long k = 1; k <= count + 20; k++)
            for (int after = 0; after < 2; after++)
                run(&binary, caches[c], k, after, &sum);
    }
    wave_blob_free(&binary);
    printf("wave-fail-rt: %lu passed, %lu failed\n", sum.passed, sum.failed);
    return sum.failed || !sum.passed ? 1 : 0;
}
