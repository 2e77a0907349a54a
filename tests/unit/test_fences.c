/* The printed form of fences: the table of ISA.md 8.3, typed from it, on all four targets, and the
 * cases where a fence that only one lane executes needs no wave synchronisation. */
#include "support/count.h"
#include "wave/compile.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const scopes[] = {"wave", "workgroup", "device", "system"};
static const char *const kinds[] = {"acquire", "release", "acq_rel", "sc"};

/* The synchronisation of the wave, and fences by scope: acq_rel, then sc. */
typedef struct spelling {
    wave_target target;
    const char *sync;
    const char *fence[2][4];
} spelling;

#define BOTH "mem_flags::mem_device | mem_flags::mem_threadgroup"
#define METAL_FENCE(scope)                                                                         \
    "atomic_thread_fence(" BOTH ", memory_order_seq_cst, thread_scope_" scope ");"
#define SYCL_FENCE(order, scope)                                                                   \
    "sycl::atomic_fence(sycl::memory_order::" order ", sycl::memory_scope::" scope ");"
#define HIP_FENCE(order, scope) "__builtin_amdgcn_fence(__ATOMIC_" order ", \"" scope "\");"

static const spelling spellings[] = {
    {WAVE_TARGET_PTX,
     "bar.warp.sync -1;",
     {{NULL, "fence.acq_rel.cta;", "fence.acq_rel.gpu;", "fence.acq_rel.sys;"},
      {NULL, "fence.sc.cta;", "fence.sc.gpu;", "fence.sc.sys;"}}},
    {WAVE_TARGET_HIP,
     HIP_FENCE("ACQ_REL", "wavefront") "__builtin_amdgcn_wave_barrier();",
     {{NULL, HIP_FENCE("ACQ_REL", "workgroup"), HIP_FENCE("ACQ_REL", "agent"),
       HIP_FENCE("ACQ_REL", "")},
      {NULL, HIP_FENCE("SEQ_CST", "workgroup"), HIP_FENCE("SEQ_CST", "agent"),
       HIP_FENCE("SEQ_CST", "")}}},
    {WAVE_TARGET_SYCL,
     "sycl::group_barrier(wave, sycl::memory_scope::sub_group);",
     {{NULL, SYCL_FENCE("acq_rel", "work_group"), SYCL_FENCE("acq_rel", "device"),
       SYCL_FENCE("acq_rel", "system")},
      {NULL, SYCL_FENCE("seq_cst", "work_group"), SYCL_FENCE("seq_cst", "device"),
       SYCL_FENCE("seq_cst", "system")}}},
    {WAVE_TARGET_MSL,
     "simdgroup_barrier(" BOTH ");",
     {{NULL, METAL_FENCE("threadgroup"), METAL_FENCE("device"), METAL_FENCE("device")},
      {NULL, METAL_FENCE("threadgroup"), METAL_FENCE("device"), METAL_FENCE("device")}}},
};
enum { TARGETS = sizeof spellings / sizeof *spellings };

/* ---- Compiling ---- */

/* The text of a kernel without blanks at line starts, line ends and runs of blanks. */
static char *compile(wave_target target, bool optimise, const char *head, const char *body) {
    char source[2000];
    wave_compile_options o;
    wave_blob binary = {0}, text = {0};
    wave_module *module = NULL;
    wave_diags *diags = wave_diags_create(0);
    snprintf(source, sizeof source, ".kernel k\n.registers 16\n%s%s\nhalt\n.end\n", head, body);
    wave_compile_init(&o);
    o.target = target;
    o.optimise = optimise;
    o.verify_ir = true;
    cr_assert_eq(wave_assemble(source, strlen(source), NULL, &binary, diags), WAVE_OK, "%s", body);
    cr_assert_eq(wave_module_load(binary.data, binary.size, NULL, &module, diags), WAVE_OK);
    wave_status status = wave_compile(module, &o, &text, diags);
    cr_assert_eq(status, WAVE_OK, "%s: %s", body,
                 wave_diags_count(diags) ? wave_diags_at(diags, 0)->message : "");
    char *copy = calloc(1, text.size + 1), *to = copy;
    cr_assert(copy);
    for (size_t i = 0; i < text.size; i++) {
        char c = (char)text.data[i];
        bool blank = c == ' ' || c == '\n';
        if (!blank)
            *to++ = c;
        else if (to > copy && to[-1] != ' ' && to[-1] != ';')
            *to++ = ' ';
    }
    wave_blob_free(&text);
    wave_blob_free(&binary);
    wave_module_destroy(module);
    wave_diags_destroy(diags);
    return copy;
}

/* "sync fence sync" of a fence that the entire wave executes. */
static void whole_fence(const spelling *s, unsigned kind, unsigned scope, char *out, size_t size) {
    const char *fence = s->fence[kind == 3][scope];
    bool before = scope == 0 || kind != 0, after = scope != 0 && kind != 1;
    snprintf(out, size, "%s%s%s", before ? s->sync : "", fence ? fence : "", after ? s->sync : "");
}

/* HIP's synchronisation itself contains one fence, which does not count. */
static unsigned fences_in(const spelling *s, const char *text) {
    static const char *const calls[] = {"fence.", "__builtin_amdgcn_fence(", "sycl::atomic_fence(",
                                        "atomic_thread_fence("};
    unsigned all = count_text(text, calls[s - spellings]);
    return s->target == WAVE_TARGET_HIP ? all - count_text(text, s->sync) : all;
}

/* ---- The table ---- */

static void check_one(const spelling *s, unsigned kind, unsigned scope, bool optimise) {
    char body[300], wanted[1000];
    snprintf(body, sizeof body,
             "device_store_u32 r0, r1\nfence_%s .%s\ndevice_load_u32 r2, r3\n"
             "device_store_u32 r0, r2",
             kinds[kind], scopes[scope]);
    whole_fence(s, kind, scope, wanted, sizeof wanted);
    char *text = compile(s->target, optimise, "", body);
    cr_expect_eq(count_text(text, wanted), 1, "%s: no\n%s\nin\n%s", body, wanted, text);
    cr_expect_eq(count_text(text, s->sync), count_text(wanted, s->sync), "%s:\n%s", body, text);
    cr_expect_eq(fences_in(s, text), scope ? 1 : 0, "%s:\n%s", body, text);
    free(text);
}

Test(fences, fences_are_printed_as_in_the_table) {
    for (unsigned t = 0; t < TARGETS; t++)
        for (unsigned kind = 0; kind < 4; kind++)
            for (unsigned scope = 0; scope < 4; scope++)
                for (unsigned level = 0; level < 2; level++)
                    check_one(&spellings[t], kind, scope, level);
}

/* ---- One lane ---- */

#define LANE     "mov_sr r4, sr_lane_id\n"
#define THREAD   "mov_sr r4, sr_thread_id_x\n"
#define INSIDE   "device_store_u32 r0, r1\nfence_release .device\natomic_store r2, r1, .device\nendif"
#define IF_EQUAL "icmp_eq p1, r4, r5\nif p1\n" INSIDE

static const struct {
    const char *head, *body;
    bool one; /* at most one lane of a wave gets there */
} cases[] = {
    {"", LANE IF_EQUAL, true}, /* r5 is an argument: the same in all lanes */
    {"", LANE "mov_imm r6, 5\nicmp_eq p1, r6, r4\nif p1\n" INSIDE, true},
    {"", LANE "icmp_ne p1, r4, r5\nif p1\nelse\n" INSIDE, true},
    {"", LANE "icmp_ne p1, r4, r5\nif !p1\n" INSIDE, true},
    {"", LANE "icmp_eq p1, r4, r5\n@p1 fence_release .device", true},
    {"", LANE "icmp_ne p1, r4, r5\n@!p1 fence_release .device", true},
    {"", LANE "iadd r4, r4, r6\n" IF_EQUAL, true},
    {"", LANE "isub r4, r6, r4\n" IF_EQUAL, true},
    {"", LANE "mov_imm r6, 3\nshl r4, r4, r6\n" IF_EQUAL, true},
    {"", LANE "mov_imm r6, 12\nimul r4, r4, r6\n" IF_EQUAL, true},
    {"",
     LANE "icmp_eq p1, r4, r5\nif p1\nloop\n@p1 fence_release .device\nbreak p1\nendloop\nendif",
     true},
    {".workgroup_size 256, 1, 1\n", THREAD IF_EQUAL, true},
    {".workgroup_size 64, 4, 1\n", THREAD IF_EQUAL, true}, /* a wave is a part of a row */
    {"", THREAD IF_EQUAL, false},                          /* may be launched as 1, 64, 1 */
    {".workgroup_size 16, 16, 1\n", THREAD IF_EQUAL, false},
    {"", LANE "icmp_le p1, r4, r5\nif p1\n" INSIDE, false},
    {"", LANE "icmp_ne p1, r4, r5\nif p1\n" INSIDE, false},
    {"", LANE "icmp_eq p1, r4, r5\nif p1\nelse\n" INSIDE, false},
    {"", LANE "mov r5, r4\n" IF_EQUAL, false}, /* compared with itself */
    {"", LANE "mov_imm r6, 30\nshl r4, r4, r6\n" IF_EQUAL, false},
    {"", LANE "mov_imm r6, 1\nand r4, r4, r6\n" IF_EQUAL, false},
    {"", LANE "device_load_u32 r5, r4\n" IF_EQUAL, false}, /* the other side diverges */
    {"", "mov_sr r4, sr_wave_id\n" IF_EQUAL, false},
};

/* For one lane a release is just the fence; for several lanes a synchronisation precedes it. */
Test(fences, a_fence_of_one_lane_needs_no_synchronisation) {
    for (unsigned t = 0; t < TARGETS; t++)
        for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++)
            for (unsigned level = 0; level < 2; level++) {
                const spelling *s = &spellings[t];
                char *text = compile(s->target, level, cases[k].head, cases[k].body);
                cr_expect_eq(fences_in(s, text), 1, "%s:\n%s", cases[k].body, text);
                cr_expect_eq(count_text(text, s->sync), cases[k].one ? 0 : 1, "%s%s:\n%s",
                             cases[k].head, cases[k].body, text);
                free(text);
            }
}

/* A fence of wave scope is the synchronisation itself: the entire wave gets there. */
Test(fences, a_fence_of_wave_scope_always_synchronises_the_wave) {
    for (unsigned t = 0; t < TARGETS; t++) {
        const spelling *s = &spellings[t];
        char *text =
            compile(s->target, true, "", LANE "icmp_eq p1, r4, r5\n@p1 fence_acq_rel .wave");
        cr_expect_eq(count_text(text, s->sync), 1, "%s", text);
        free(text);
    }
}

/* No access moves across a fence and none is eliminated: two loads with a fence in between remain
 * two. */
Test(fences, accesses_do_not_move_across_fences) {
    static const char *const loads[] = {"ld.global.u32", "*(mem_u32 *)(mem + args.r[0])",
                                        "*(mem_u32 *)(mem + args.r[0])",
                                        "*(device mem_u32 *)(mem + args.r[0])"};
    for (unsigned t = 0; t < TARGETS; t++)
        for (unsigned kind = 0; kind < 4; kind++) {
            char body[300];
            const spelling *s = &spellings[t];
            snprintf(body, sizeof body,
                     "device_load_u32 r2, r0\nfence_%s .wave\ndevice_load_u32 r3, r0\n"
                     "iadd r2, r2, r3\ndevice_store_u32 r1, r2",
                     kinds[kind]);
            char *text = compile(s->target, true, "", body);
            const char *first = strstr(text, loads[t]), *sync = strstr(text, s->sync);
            cr_assert(first && sync, "%s", text);
            cr_expect(first < sync && strstr(sync, loads[t]), "%s", text);
            cr_expect_eq(count_text(text, loads[t]), 2, "%s", text);
            free(text);
        }
}

/* ---- HIP: a release to the device covers what a barrier has ordered ---- */

Test(fences, a_barrier_is_widened_where_one_wave_releases_for_all) {
    static const char agent[] =
        "__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"agent\");__syncthreads();";
    static const struct {
        const char *fence;
        bool widened;
    } fences[] = {{"fence_release .device", true},     {"fence_sc .system", true},
                  {"fence_acq_rel .device", true},     {"fence_acquire .device", false},
                  {"fence_release .workgroup", false}, {"", false}};
    for (unsigned k = 0; k < sizeof fences / sizeof *fences; k++) {
        char body[300];
        snprintf(body, sizeof body,
                 "device_store_u32 r0, r1\nbarrier\n%s\natomic_store r2, r1, .device",
                 fences[k].fence);
        char *text = compile(WAVE_TARGET_HIP, k & 1, "", body);
        cr_expect_eq(count_text(text, agent), fences[k].widened ? 1 : 0, "%s:\n%s", body, text);
        cr_expect_eq(count_text(text, "__syncthreads()"), 1, "%s", text);
        free(text);
    }
    char *text =
        compile(WAVE_TARGET_HIP, true, "",
                "device_store_u32 r0, r1\nfence_release .workgroup\n"
                "atomic_store r2, r1, .workgroup\nfence_acquire .workgroup\n"
                "device_load_u32 r3, r2\nfence_release .device\natomic_store r2, r3, .device");
    cr_expect_eq(count_text(text, "__ATOMIC_ACQ_REL, \"agent\""), 2, "%s", text);
    cr_expect_eq(count_text(text, "__ATOMIC_ACQ_REL, \"workgroup\""), 1, "%s", text);
    free(text);
}
