/* HIP, MSL and SYCL, executed on the CPU by tests/simt: all programs of a batch are compiled
 * together. */
#include "gen/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef GEN_SIMT
#include "simt/simt_run.h"

/* The lane schedules of a run: in order, and at random. */
enum { SCHEDULES = 2, UNIT = 48 };

typedef struct prepared {
    diff_run *run;
    wave_blob text;
    simt_launch launches[SCHEDULES];
} prepared;

/* By width (32, 64) and seed. */
static const struct chip {
    const char *arch;
    uint32_t generation;
} chips[2][2] = {{{"gfx1100", 11}, {"gfx1030", 10}}, {{"gfx942", 9}, {"gfx90a", 9}}};

static const struct kind {
    diff_target target;
    simt_target simt;
    const char *language;
} kinds[] = {
    {DIFF_HIP, SIMT_HIP, "hip"}, {DIFF_MSL, SIMT_MSL, "msl"}, {DIFF_SYCL_SIMT, SIMT_SYCL, "sycl"}};

bool diff_simt_available(char *why, size_t size) {
    if (system("sh scripts/find-clang.sh >/dev/null 2>&1") != 0) {
        snprintf(why, size, "no clang++ of version 19 or newer");
        return false;
    }
    return true;
}

static void visit(void *user, const simt_program *p, size_t launch, const simt_outcome *outcome) {
    (void)user;
    diff_run *run = ((prepared *)p->user)->run;
    if (run->verdict.kind != DIFF_NONE)
        return;
    if (outcome->error == SIMT_NO_COMPILE)
        diff_fail(&run->verdict, DIFF_REFUSED, "clang: %s", outcome->message);
    else if (outcome->error != SIMT_OK)
        diff_fail(&run->verdict, DIFF_FAILED, "schedule %zu: %s: %s", launch,
                  simt_error_name(outcome->error), outcome->message);
    else if (outcome->status[0])
        diff_fail(&run->verdict, DIFF_FAILED, "assert %u failed", outcome->status[1]);
    else
        diff_same(run->program, run->answer, outcome->memory, &run->verdict);
}

static bool prepare(prepared *p, diff_run *run, const struct kind *kind, simt_program *out) {
    const tf_run *launch = &run->answer->run;
    const struct chip *chip = &chips[launch->width == 64][run->program->seed % 2];
    *p = (prepared){.run = run};
    const char *arch = NULL;
    if (kind->simt == SIMT_HIP)
        arch = chip->arch;
    else if (kind->simt == SIMT_SYCL)
        arch = run->program->seed % 2 ? "cpu" : "gpu";
    if (!diff_compile(run, kind->language, arch, &p->text))
        return false;
    for (uint64_t k = 0; k < SCHEDULES; k++) {
        simt_launch *l = &p->launches[k];
        *l = (simt_launch){.args = launch->args,
                           .arg_count = run->program->info->argument_words,
                           .memory = launch->memory,
                           .memory_size = launch->size,
                           .seed = k ? run->program->seed + 2 : 0};
        memcpy(l->grid, launch->grid, sizeof l->grid);
        memcpy(l->group, run->program->group, sizeof l->group);
    }
    *out = (simt_program){.name = "random",
                          .target = kind->simt,
                          .width = launch->width,
                          .gfx = chip->generation,
                          .text = (const char *)p->text.data,
                          .launches = p->launches,
                          .launch_count = SCHEDULES,
                          .user = p};
    if (kind->simt == SIMT_SYCL)
        out->contract = simt_sycl_contract(run->program->info, diff_bounds(run->program), false);
    return true;
}

static void run_kind(diff_run **runs, size_t count, const struct kind *kind,
                     const diff_options *o) {
    prepared *all = calloc(count + 1, sizeof *all);
    simt_program *programs = calloc(count + 1, sizeof *programs);
    size_t used = 0;
    if (!all || !programs)
        abort();
    for (size_t k = 0; k < count; k++)
        if (runs[k]->target == kind->target && prepare(&all[k], runs[k], kind, &programs[used]))
            used++;
    simt_options options = simt_default_options();
    options.keep = o->cached;
    options.jobs = o->jobs;
    options.unit = UNIT;
    options.visit = visit;
    /* Optimisation takes most of clang's time, but reveals what -O0 does not: use it in every
     * fourth batch. */
    options.optimise = (runs[0]->program->seed >> 6) % 4 == 0 ? "-O1" : "-O0";
    if (o->folder)
        options.folder = o->folder;
    if (used && !simt_run(&options, programs, used))
        for (size_t k = 0; k < used; k++)
            diff_fail(&((prepared *)programs[k].user)->run->verdict, DIFF_REFUSED,
                      "nothing could be compiled");
    for (size_t k = 0; k < count; k++)
        wave_blob_free(&all[k].text);
    free(all);
    free(programs);
}

void diff_run_simt(diff_run **runs, size_t count, const diff_options *o) {
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        run_kind(runs, count, &kinds[k], o);
}

#else

bool diff_simt_available(char *why, size_t size) {
    snprintf(why, size, "it runs on Linux only");
    return false;
}

void diff_run_simt(diff_run **runs, size_t count, const diff_options *o) {
    (void)o;
    for (size_t k = 0; k < count; k++)
        diff_fail(&runs[k]->verdict, DIFF_REFUSED, "runs on Linux only");
}

#endif
