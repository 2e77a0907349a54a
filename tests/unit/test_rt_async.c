/* Queued operations without a wait: transfers, copies, events; memory that the host can access. The
 * same scene on the emulator, the simulated CUDA and HIP drivers, and Intel's CPU device where it
 * is available. */
#include "rt_helpers.h"

/* ---- The scene: two queues, and an event between them ---- */

typedef struct scene {
    rt_scene base;
    wave_rt_queue *second;
    wave_rt_event *start, *stop;
    wave_rt_buffer copy;
    uint32_t *data; /* pinned */
    double seconds;
} scene;

enum { SIZE = RT_COUNT * 4 };

static wave_rt_status make(scene *s, const char *device, wave_rt_error *error) {
    wave_rt_status status;
    void *data = NULL;
    *s = (scene){0};
    if ((status = rt_scene_make(&s->base, device, error)) != WAVE_RT_OK ||
        (status = wave_rt_queue_create(s->base.device, &s->second, error)) != WAVE_RT_OK ||
        (status = wave_rt_event_create(s->base.device, &s->start, error)) != WAVE_RT_OK ||
        (status = wave_rt_event_create(s->base.device, &s->stop, error)) != WAVE_RT_OK ||
        (status = wave_rt_host_alloc(s->base.device, SIZE, &data, error)) != WAVE_RT_OK)
        return status;
    s->data = data;
    s->copy = (wave_rt_buffer){s->base.arena, 0, SIZE}; /* what rt_scene_make leaves unused */
    return WAVE_RT_OK;
}

static void destroy(scene *s) {
    wave_rt_host_free(s->base.device, s->data);
    wave_rt_event_destroy(s->start);
    wave_rt_event_destroy(s->stop);
    wave_rt_queue_destroy(s->second);
    rt_scene_free(&s->base);
}

static wave_rt_status launch(const scene *s, wave_rt_error *error) {
    const uint32_t words[4] = {(uint32_t)s->base.a.offset, (uint32_t)s->base.b.offset,
                               (uint32_t)s->base.c.offset, 3};
    wave_rt_launch l;
    wave_rt_launch_init(&l);
    l.module = s->base.module;
    l.arena = s->base.arena;
    l.grid[0] = RT_COUNT / 64;
    l.words = words;
    l.word_count = 4;
    return wave_rt_dispatch(s->base.queue, &l, error);
}

/* Everything is queued on the first queue; the second one copies the result. */
static wave_rt_status queue_all(scene *s, wave_rt_error *error) {
    wave_rt_queue *q = s->base.queue;
    wave_rt_status status;
    for (uint32_t k = 0; k < RT_COUNT; k++)
        s->data[k] = 1000 + k;
    if ((status = wave_rt_event_record(s->start, q, error)) != WAVE_RT_OK ||
        (status = wave_rt_upload_async(q, &s->base.a, 0, s->data, SIZE, error)) != WAVE_RT_OK ||
        (status = wave_rt_fill_async(q, &s->base.b, 1, error)) != WAVE_RT_OK ||
        (status = launch(s, error)) != WAVE_RT_OK ||
        (status = wave_rt_copy(q, &s->copy, 0, &s->base.c, 0, SIZE, error)) != WAVE_RT_OK ||
        (status = wave_rt_event_record(s->stop, q, error)) != WAVE_RT_OK ||
        (status = wave_rt_event_follow(s->second, s->stop, error)) != WAVE_RT_OK)
        return status;
    return wave_rt_download_async(s->second, &s->copy, 0, s->base.out, SIZE, error);
}

static wave_rt_status finish(scene *s, wave_rt_error *error) {
    bool done = false;
    wave_rt_status status = wave_rt_wait(s->second, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_event_wait(s->stop, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_event_query(s->stop, &done, error);
    if (status == WAVE_RT_OK && !done)
        return WAVE_RT_VENDOR;
    if (status == WAVE_RT_OK)
        status = wave_rt_event_elapsed(s->start, s->stop, &s->seconds, error);
    return status == WAVE_RT_OK ? wave_rt_wait(s->base.queue, error) : status;
}

static void run_queued(const char *device) {
    scene s;
    wave_rt_error error = {0};
    cr_assert_eq(make(&s, device, &error), WAVE_RT_OK, "%s", error.message);
    for (int round = 0; round < 3; round++) {
        memset(s.base.out, 0, sizeof s.base.out);
        cr_assert_eq(queue_all(&s, &error), WAVE_RT_OK, "%s", error.message);
        cr_assert_eq(finish(&s, &error), WAVE_RT_OK, "%s", error.message);
        rt_expect_sums(&s.base);
        cr_expect(s.seconds >= 0 && s.seconds < 60, "%g seconds", s.seconds);
    }
    destroy(&s);
}

/* The host writes the operands into the arena and reads the result there. */
static void run_shared(const char *device) {
    rt_scene s;
    wave_rt_arena *shared;
    wave_rt_buffer whole;
    wave_rt_error error = {0};
    void *bytes = NULL;
    cr_assert_eq(rt_scene_make(&s, device, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(wave_rt_arena_create_shared(s.device, 4 * SIZE, &shared, &error), WAVE_RT_OK, "%s",
                 error.message);
    whole = wave_rt_arena_whole(shared);
    wave_rt_arena_destroy(s.arena);
    s.arena = s.a.arena = s.b.arena = s.c.arena = shared;
    cr_assert_eq(wave_rt_buffer_map(&whole, &bytes, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    memcpy(s.out, (uint8_t *)bytes + s.c.offset, SIZE);
    rt_expect_sums(&s);
    uint32_t five = 5;
    memcpy((uint8_t *)bytes + s.a.offset, &five, sizeof five); /* the device sees it, too */
    cr_assert_eq(wave_rt_download(s.queue, &s.a, 0, s.out, 4, &error), WAVE_RT_OK);
    cr_expect_eq(s.out[0], 5);
    void *part = NULL;
    cr_assert_eq(wave_rt_buffer_map(&s.b, &part, &error), WAVE_RT_OK);
    cr_expect_eq((uint8_t *)part - (uint8_t *)bytes, (ptrdiff_t)s.b.offset);
    rt_scene_free(&s);
}

/* ---- On the emulator ---- */

Test(rt_async, the_emulator_runs_queued_operations, .init = rt_turn_off_vendors) {
    run_queued("emu");
    run_shared("emu");
}

Test(rt_async, wrong_calls_are_refused, .init = rt_turn_off_vendors) {
    scene s;
    wave_rt_device *other = rt_open("emu");
    wave_rt_arena *far;
    wave_rt_queue *far_queue;
    wave_rt_error error = {0};
    bool done = false;
    double seconds;
    void *p;
    cr_assert_eq(make(&s, "emu", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(wave_rt_arena_create(other, SIZE, &far, NULL), WAVE_RT_OK);
    cr_assert_eq(wave_rt_queue_create(other, &far_queue, NULL), WAVE_RT_OK);
    wave_rt_buffer there = wave_rt_arena_whole(far);
    wave_rt_queue *q = s.base.queue;
    const wave_rt_buffer *a = &s.base.a, *b = &s.base.b;

    cr_expect_eq(wave_rt_copy(q, a, 0, a, 0, 4, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_copy(q, a, 0, a, 8, 12, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_copy(q, a, 0, a, 8, 8, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_copy(q, a, 1, b, 0, SIZE, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_copy(q, a, 0, b, SIZE, 1, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_copy(q, a, UINT64_MAX, b, 0, 2, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_copy(q, a, SIZE, b, SIZE, 0, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_copy(q, a, 0, &there, 0, 4, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_copy(NULL, a, 0, b, 0, 4, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_upload_async(q, a, 0, NULL, 4, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_download_async(q, a, SIZE - 3, s.data, 4, &error), WAVE_RT_BOUNDS);
    cr_expect_eq(wave_rt_fill_async(q, &there, 0, &error), WAVE_RT_USAGE);

    cr_expect_eq(wave_rt_event_record(s.start, far_queue, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_event_record(NULL, q, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_event_query(s.start, &done, &error), WAVE_RT_OK);
    cr_expect(done, "an event that was not recorded counts as complete");
    cr_expect_eq(wave_rt_event_wait(s.start, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_event_follow(far_queue, s.start, &error), WAVE_RT_OK);
    cr_expect_eq(wave_rt_event_elapsed(s.start, s.stop, &seconds, &error), WAVE_RT_USAGE);
    cr_expect_str_eq(error.message, "an event was not recorded");
    cr_expect_eq(wave_rt_event_create(NULL, &s.start, &error), WAVE_RT_USAGE);

    cr_expect_eq(wave_rt_buffer_map(NULL, &p, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_host_alloc(other, 0, &p, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_host_alloc(NULL, 1, &p, &error), WAVE_RT_USAGE);
    wave_rt_host_free(other, NULL);
    wave_rt_event_destroy(NULL);
    wave_rt_queue_destroy(far_queue);
    wave_rt_arena_destroy(far);
    wave_rt_close(other);
    destroy(&s);
}

/* Two devices at once: the host waits for one before the other continues. */
Test(rt_async, two_devices_work_side_by_side) {
    char path[4096];
    scene emu, cuda;
    wave_rt_error error = {0};
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    cr_assert_eq(make(&emu, "emu", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(make(&cuda, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(queue_all(&cuda, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(queue_all(&emu, &error), WAVE_RT_OK, "%s", error.message);
    cr_expect_eq(wave_rt_event_follow(emu.second, cuda.stop, &error), WAVE_RT_OK);
    cr_assert_eq(finish(&cuda, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(finish(&emu, &error), WAVE_RT_OK, "%s", error.message);
    rt_expect_sums(&cuda.base);
    rt_expect_sums(&emu.base);
    destroy(&cuda);
    destroy(&emu);
}

/* ---- On the simulated drivers ---- */

static rt_sim use_cuda(void) {
    char path[4096];
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
    return rt_sim_open("libsimcuda.so");
}

Test(rt_async, cuda_runs_queued_operations, .init = rt_turn_off_vendors) {
    rt_sim sim = use_cuda();
    run_queued("cuda:0");
    run_shared("cuda:0");
    cr_expect(sim.live() == 0 && sim.left() == 0);
    dlclose(sim.library);
}

/* Queued operations do not wait: the driver delivers the bytes at the wait, not earlier. */
Test(rt_async, queueing_on_cuda_does_not_wait, .init = rt_turn_off_vendors) {
    rt_sim sim = use_cuda();
    scene s;
    wave_rt_event *event;
    wave_rt_error error = {0};
    bool done = true;
    cr_assert_eq(make(&s, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(wave_rt_event_create(s.base.device, &event, &error), WAVE_RT_OK);
    sim.reset();
    cr_assert_eq(queue_all(&s, &error), WAVE_RT_OK, "%s", error.message);
    cr_assert_eq(wave_rt_event_record(event, s.second, &error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_event_query(event, &done, &error), WAVE_RT_OK);
    cr_expect(!done && s.base.out[0] == 0);
    cr_expect_null(strstr(sim.trace(), "Synchronize"), "%s", sim.trace());
    cr_assert_eq(wave_rt_event_wait(event, &error), WAVE_RT_OK);
    cr_assert_eq(wave_rt_event_query(event, &done, &error), WAVE_RT_OK);
    cr_expect(done);
    rt_expect_sums(&s.base);
    wave_rt_event_destroy(event);
    destroy(&s);
    dlclose(sim.library);
}

/* A shared arena must be requested; the host cannot access other memory of a GPU. */
Test(rt_async, cuda_maps_only_shared_arenas, .init = rt_turn_off_vendors) {
    rt_sim sim = use_cuda();
    rt_scene s;
    wave_rt_error error = {0};
    void *pointer = &s;
    cr_assert_eq(rt_scene_make(&s, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
    cr_expect(wave_rt_device_describe(s.device)->shared);
    cr_expect_eq(wave_rt_buffer_map(&s.a, &pointer, &error), WAVE_RT_LIMIT);
    cr_expect_null(pointer);
    cr_expect_str_eq(error.message,
                     "the host cannot access this memory of cuda:0: the arena is not shared");
    rt_scene_free(&s);
    dlclose(sim.library);
}

/* Every call fails once, in turn: a clean error, and nothing is left behind. */
Test(rt_async, every_failing_call_of_cuda_is_a_clean_error, .init = rt_turn_off_vendors) {
    rt_sim sim = use_cuda();
    scene s;
    wave_rt_error error = {0};
    cr_assert_eq(make(&s, "cuda:0", &error), WAVE_RT_OK, "%s", error.message);
    unsigned first = sim.calls() + 1;
    cr_assert(queue_all(&s, &error) == WAVE_RT_OK && finish(&s, &error) == WAVE_RT_OK);
    unsigned last = sim.calls();
    destroy(&s);
    cr_assert_gt(last, first + 20);
    for (unsigned k = 1; k <= last; k++) {
        char name[64];
        sim.reset();
        sim.fail_at(k, 999);
        memset(&error, 0, sizeof error);
        wave_rt_status status = make(&s, "cuda:0", &error);
        if (status == WAVE_RT_OK)
            status = queue_all(&s, &error);
        if (status == WAVE_RT_OK)
            status = finish(&s, &error);
        rt_sim_call(&sim, k, name);
        cr_expect(k < first || status != WAVE_RT_OK || strcmp(name, "cuCtxPopCurrent_v2") == 0,
                  "call %u, %s: not noticed", k, name);
        cr_expect(status == WAVE_RT_OK || (error.vendor_code == 999 && *error.message),
                  "call %u, %s: %s", k, name, error.message);
        destroy(&s);
        cr_assert_eq(sim.live(), 0, "call %u, %s: %u objects are left", k, name, sim.live());
    }
    sim.reset();
    dlclose(sim.library);
    RT_EXPECT_NO_LEAK();
}

Test(rt_async, hip_runs_queued_operations, .init = rt_turn_off_vendors) {
    char path[4096];
    if (!rt_has_clang())
        return;
    setenv("WAVE_HIP_LIBRARY", rt_sim_path("libsimhip.so", path), 1);
    setenv("WAVE_HIPRTC_LIBRARY", path, 1);
    rt_sim sim = rt_sim_open("libsimhip.so");
    run_queued("hip:0");
    run_shared("hip:0");
    cr_expect(sim.live() == 0 && sim.left() == 0);
    dlclose(sim.library);
}

/* ---- On Intel's CPU device, where it is available ---- */

Test(rt_async, sycl_runs_queued_operations) {
    if (!rt_has_sycl())
        return;
    run_queued("sycl:cpu");
    run_shared("sycl:cpu");
}
