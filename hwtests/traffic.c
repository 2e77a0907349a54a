/* Background load for litmus programs: a kernel on its own queue streams through memory, so that
 * caches and buses are busy while the programs run. */
#include "hwtest.h"

#include <stdlib.h>
#include <string.h>

/* Thread t of T adds 1 to the words t, t + T, t + 2T …, wrapping around in the buffer. T divides
 * the number of words, both powers of two, so no two threads share a word. */
static const char source[] = ".kernel traffic\n" /* r0: buffer, r1: words - 1, r2: steps, r3: T */
                             ".registers 12\n"
                             ".workgroup_size 256, 1, 1\n"
                             "    mov_sr r4, sr_workgroup_id_x\n"
                             "    mov_imm r5, 256\n"
                             "    mov_sr r6, sr_thread_id_x\n"
                             "    imad r4, r4, r5, r6\n"
                             "    mov_imm r7, 0\n"
                             "    mov_imm r8, 1\n"
                             "    mov_imm r9, 2\n"
                             "    loop\n"
                             "        icmp_eq p1, r2, r7\n"
                             "        break p1\n"
                             "        and r10, r4, r1\n"
                             "        shl r10, r10, r9\n"
                             "        iadd r10, r10, r0\n"
                             "        device_load_u32 r11, r10\n"
                             "        iadd r11, r11, r8\n"
                             "        device_store_u32 r10, r11\n"
                             "        iadd r4, r4, r3\n"
                             "        isub r2, r2, r8\n"
                             "    endloop\n"
                             "    halt\n"
                             ".end\n";

enum { THREADS = 256 };

struct hw_traffic {
    wave_rt_module *module;
    wave_rt_arena *arena;
    wave_rt_queue *queue;
    uint32_t words; /* words of the arena */
    uint32_t groups, steps;
};

static wave_rt_status load(wave_rt_device *device, hw_traffic *t, wave_rt_error *error) {
    wave_rt_module_options options;
    wave_blob binary = {0};
    if (wave_assemble(source, strlen(source), NULL, &binary, NULL) != WAVE_OK)
        abort();
    wave_rt_module_init(&options);
    options.cache = "";
    wave_rt_status status =
        wave_rt_module_load(device, binary.data, binary.size, &options, &t->module, error);
    wave_blob_free(&binary);
    return status;
}

wave_rt_status hw_traffic_start(wave_rt_device *device, bool simulated, hw_traffic **out,
                                wave_rt_error *error) {
    hw_traffic *t = hw_allocate(sizeof *t);
    /* Larger than any cache, with workgroups for only some cores: the program needs the rest. */
    t->words = simulated ? 1u << 12 : 1u << 24;
    t->groups = simulated ? 1 : 16;
    t->steps = simulated ? 1 : 64;
    wave_rt_status status = load(device, t, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_arena_create(device, (uint64_t)t->words * 4, &t->arena, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_queue_create(device, &t->queue, error);
    if (status == WAVE_RT_OK) {
        wave_rt_buffer whole = wave_rt_arena_whole(t->arena);
        status = wave_rt_fill(t->queue, &whole, 0, error);
    }
    if (status == WAVE_RT_OK)
        *out = t;
    else
        hw_traffic_end(t);
    return status;
}

wave_rt_status hw_traffic_push(const hw_traffic *t, unsigned round, wave_rt_error *error) {
    wave_rt_launch l;
    const uint32_t groups = t->groups >> round % 3; /* varies */
    const uint32_t words[] = {0, t->words - 1, t->steps << round % 5,
                              (groups ? groups : 1) * THREADS};
    wave_rt_launch_init(&l);
    l.module = t->module;
    l.arena = t->arena;
    l.words = words;
    l.word_count = sizeof words / sizeof *words;
    l.grid[0] = groups ? groups : 1;
    return wave_rt_dispatch(t->queue, &l, error);
}

wave_rt_status hw_traffic_wait(const hw_traffic *t, wave_rt_error *error) {
    return wave_rt_wait(t->queue, error);
}

void hw_traffic_end(hw_traffic *t) {
    if (!t)
        return;
    wave_rt_queue_destroy(t->queue);
    wave_rt_arena_destroy(t->arena);
    wave_rt_module_destroy(t->module);
    free(t);
}
