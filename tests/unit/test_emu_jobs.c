/* Workgroups on several threads produce the same memory, counts, status and diagnostics as
 * sequential ones. The programs depend on order: workgroups that read what others have written,
 * atomics with and without results, sums of floats, errors, waiting. */
#include "emu_helpers.h"

/* Enough work to make threads worthwhile: 300 iterations. r1: the thread, r2: its word in the grid,
 * r5: the workgroup, r20 and r21: 0 and 1. */
#define WORK                                                                                       \
    "mov_sr r1, sr_thread_id_x\n mov_sr r5, sr_workgroup_id_x\n mov_imm r6, 8\n"                   \
    "imul r2, r5, r6\n iadd r2, r2, r1\n mov_imm r6, 2\n shl r2, r2, r6\n mov_imm r20, 0\n"        \
    "mov_imm r21, 1\n mov_imm r22, 300\n mov_imm r7, 0\n loop\n icmp_ge p1, r7, r22\n break p1\n"  \
    "iadd r7, r7, r21\n endloop\n"

#define CHAIN   "what the previous workgroup has written"
#define TICKETS "tickets"

static const struct {
    const char *name, *code;
} programs[] = {
    {"lanes on both sides",
     WORK "and r8, r1, r21\n icmp_eq p2, r8, r20\n if p2\n mov r9, r5\n else\n"
          "mov r9, r1\n endif\n device_store_u32 r2, r9\n halt"},
    {"own counts", WORK "atomic_add r9, r2, r5, .device\n atomic_sub r9, r2, r1, .device\n halt"},
    {"own words", WORK "iadd r8, r2, r7\n device_store_u32 r2, r8\n device_load_u32 r9, r2\n"
                       "iadd r9, r9, r9\n device_store_u32 r2, r9\n halt"},
    {"bytes of shared blocks",
     WORK "mov_imm r6, 2\n shr r8, r2, r6\n device_store_u8 r8, r5\n halt"},
    {CHAIN, WORK "mov_imm r6, 32\n isub r8, r2, r6\n imax r8, r8, r20\n device_load_u32 r9, r8\n"
                 "iadd r9, r9, r21\n device_store_u32 r2, r9\n halt"},
    {"one word for all", WORK "device_load_u32 r9, r20\n iadd r9, r9, r5\n mov_imm r6, 3\n"
                              "imul r9, r9, r6\n device_store_u32 r20, r9\n halt"},
    {TICKETS,
     WORK "mov_imm r8, 4096\n atomic_add r9, r8, r21, .device\n device_store_u32 r2, r9\n halt"},
    {"counts",
     WORK "mov_imm r8, 4096\n atomic_add r0, r8, r5, .device\n atomic_max r0, r8, r1, .device\n"
          "device_store_u32 r2, r5\n halt"},
    {"a count that is read", WORK "mov_imm r8, 4096\n atomic_add r0, r8, r21, .device\n"
                                  "device_load_u32 r9, r8\n device_store_u32 r2, r9\n halt"},
    {"a count in a block of stores",
     WORK "device_store_u32 r2, r5\n atomic_add r0, r2, r21, .device\n"
          "atomic_exchange r9, r2, r1, .device\n iadd r9, r9, r9\n"
          "device_store_u32 r2, r9\n halt"},
    /* the sum depends on its order: 1, then many halves of its last bit */
    {"a sum of floats", WORK "mov_imm r8, 4096\n cvt_f32_u32 r9, r5\n mov_imm r10, 0x33400000\n"
                             "fma r9, r9, r10, r10\n mov_imm r11, 1.0\n icmp_eq p2, r5, r20\n"
                             "select r9, p2, r11, r9\n atomic_fadd r0, r8, r9, .device\n halt"},
    {"64 bits", WORK "mov_imm r8, 4096\n mov_imm r10, -1\n mov_imm r11, 0\n"
                     "atomic64_add r0, r8, r10, .device\n mov_imm r8, 4104\n"
                     "atomic64_add r12, r8, r10, .device\n device_store_u32 r2, r13\n halt"},
    {"atomic stores and loads",
     WORK "mov_imm r8, 4096\n atomic_store r8, r5, .device\n"
          "atomic_load r9, r8, .device\n device_store_u32 r2, r9\n halt"},
    {"an error in the middle",
     WORK "mov_imm r8, 333\n icmp_eq p2, r5, r8\n device_store_u32 r2, r5\n"
          "mov_imm r9, 0x7FFFFFF0\n @p2 device_store_u32 r9, r5\n halt"},
    {"a warning in the middle",
     WORK "mov_imm r8, 333\n icmp_eq p2, r5, r8\n device_store_u32 r2, r5\n"
          "mov_imm r9, 4098\n @p2 device_store_u32 r9, r5\n halt"},
    /* a workgroup waits until the one before it has stored its number */
    {"waiting", WORK "mov_imm r6, 32\n isub r8, r2, r6\n icmp_gt p2, r5, r20\n loop\n"
                     "mov r9, r5\n @p2 device_load_u32 r9, r8\n icmp_eq p3, r9, r5\n break p3\n"
                     "endloop\n iadd r9, r5, r21\n device_store_u32 r2, r9\n halt"},
};

enum { GROUPS = 400 };

typedef struct outcome {
    wave_status status;
    wave_stats stats;
    uint32_t *memory;
    char said[1000];
} outcome;

static outcome run(const char *code, uint32_t jobs) {
    emu_case c = emu_open_code(code);
    c.launch.workgroup[0] = 8;
    c.launch.wave_width = 4;
    c.launch.grid[0] = GROUPS;
    c.launch.jobs = jobs;
    c.launch.max_instructions = 0;
    c.launch.stats = &c.stats;
    outcome o = {.status = wave_emulate(c.module, &c.launch, c.diags)};
    o.stats = c.stats;
    o.memory = malloc(EMU_WORDS * sizeof *o.memory);
    cr_assert_not_null(o.memory);
    memcpy(o.memory, c.memory, EMU_WORDS * sizeof *o.memory);
    size_t used = 0;
    for (size_t i = 0; i < wave_diags_count(c.diags) && used < sizeof o.said; i++)
        used += (size_t)snprintf(o.said + used, sizeof o.said - used, "%s\n",
                                 wave_diags_at(c.diags, i)->message);
    emu_close(&c);
    return o;
}

Test(jobs, several_threads_equal_sequential_execution) {
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++) {
        const outcome one = run(programs[k].code, 1);
        cr_assert_gt(one.stats.instructions, 300000, "%s: too little work", programs[k].name);
        for (uint32_t jobs = 0; jobs <= 5; jobs += jobs ? 3 : 2) {
            const outcome more = run(programs[k].code, jobs);
            cr_assert_eq(more.status, one.status, "%s, %u jobs: %d, not %d", programs[k].name, jobs,
                         (int)more.status, (int)one.status);
            cr_assert_str_eq(more.said, one.said, "%s, %u jobs", programs[k].name, jobs);
            cr_assert_arr_eq(more.memory, one.memory, EMU_WORDS * sizeof *one.memory, "%s, %u jobs",
                             programs[k].name, jobs);
            cr_assert_eq(memcmp(&more.stats, &one.stats, sizeof one.stats), 0,
                         "%s, %u jobs: counts differ", programs[k].name, jobs);
            free(more.memory);
        }
        free(one.memory);
    }
}

static const char *code_of(const char *name) {
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (strcmp(programs[k].name, name) == 0)
            return programs[k].code;
    cr_assert_fail("there is no program '%s'", name);
    return NULL;
}

/* Two programs have known results: the comparison above would not notice if nothing ran. */
Test(jobs, the_programs_compute_their_results) {
    const outcome chain = run(code_of(CHAIN), 4);
    for (uint32_t g = 0; g < GROUPS; g++)
        cr_assert_eq(chain.memory[8 * g], g + 1, "workgroup %u of the chain", g);
    free(chain.memory);
    const outcome tickets = run(code_of(TICKETS), 4);
    for (uint32_t t = 0; t < 1024; t++)
        cr_assert_eq(tickets.memory[t], t, "ticket of thread %u", t);
    free(tickets.memory);
}
