/* SYCL, compiled and executed by Intel's run time on its CPU device through tests/syclrun: all
 * programs of a batch are compiled together. */
#include "gen/diff.h"
#include "isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef GEN_SYCL_LIBRARY
#include "syclrun/syclrun.h"

static const syclrun_way way_of[DIFF_WAYS] = {[DIFF_WAY_OPTIMISED] = SYCLRUN_OPTIMISED,
                                              [DIFF_WAY_PLAIN] = SYCLRUN_PLAIN,
                                              [DIFF_WAY_KEPT_FLOW] = SYCLRUN_KEPT_FLOW,
                                              [DIFF_WAY_KEPT_LOOPS] = SYCLRUN_KEPT_LOOPS};

bool diff_sycl_available(char *why, size_t size) {
    if (wave_target_find("sycl") < 0)
        snprintf(why, size, "the library does not have the target");
    else if (access(GEN_SYCL_LIBRARY, R_OK) != 0)
        snprintf(why, size, "its run time is not installed, or `make sycl-tests` has not run");
    else
        return true;
    return false;
}

static syclrun_launch launch_of(const diff_run *run, uint8_t *memory) {
    const diff_program *p = run->program;
    const tf_run *launch = &run->answer->run;
    syclrun_launch l = {.args = launch->args, .memory = memory, .size = launch->size};
    syclrun_contract(&l, p->info, diff_bounds(p), false);
    memcpy(l.grid, launch->grid, sizeof l.grid);
    memcpy(l.group, p->group, sizeof l.group);
    memcpy(memory, launch->memory, launch->size);
    return l;
}

static void judge(diff_run *run, const syclrun_launch *l) {
    if (l->outcome == SYCLRUN_NOT_COMPILED)
        diff_fail(&run->verdict, DIFF_REFUSED, "%s", l->message ? l->message : "");
    else if (l->outcome != SYCLRUN_DONE)
        diff_fail(&run->verdict, DIFF_FAILED, "%s: %s", syclrun_outcome_name(l->outcome),
                  l->message ? l->message : "");
    else if (l->status[0])
        diff_fail(&run->verdict, DIFF_FAILED, "assert %u failed", l->status[1]);
    else
        diff_same(run->program, run->answer, l->memory, &run->verdict);
}

/* Runs programs of one width. */
static void run_once(diff_run **runs, size_t count, diff_way way, const diff_options *o) {
    wave_blob *blobs = calloc(count + 1, sizeof *blobs);
    syclrun_text *texts = calloc(count + 1, sizeof *texts);
    syclrun_launch *launches = calloc(count + 1, sizeof *launches);
    diff_run **chosen = calloc(count + 1, sizeof *chosen);
    char(*names)[80] = calloc(count + 1, sizeof *names);
    const char **entries = calloc(count + 1, sizeof *entries);
    size_t used = 0;
    if (!blobs || !texts || !launches || !chosen || !names || !entries)
        abort();
    for (size_t k = 0; k < count; k++) {
        if (!diff_compile(runs[k], "sycl", "cpu", &blobs[used]))
            continue;
        uint8_t *memory = malloc(runs[k]->answer->run.size);
        if (!memory)
            abort();
        snprintf(names[used], sizeof *names, "%.70s_kernel", runs[k]->program->info->name);
        entries[used] = names[used];
        texts[used] =
            (syclrun_text){(const char *)blobs[used].data, blobs[used].size, &entries[used], 1};
        launches[used] = launch_of(runs[k], memory);
        launches[used].text = used;
        chosen[used++] = runs[k];
    }
    const syclrun_options options = {.processes = o->jobs, .way = way_of[way]};
    bool ran = !used || syclrun_all(texts, used, launches, used, &options);
    for (size_t k = 0; k < used; k++) {
        if (ran)
            judge(chosen[k], &launches[k]);
        else
            diff_fail(&chosen[k]->verdict, DIFF_REFUSED, "no process can be started");
        free(launches[k].memory);
        free(launches[k].message);
        wave_blob_free(&blobs[k]);
    }
    free(blobs);
    free(texts);
    free(launches);
    free(chosen);
    free(names);
    free(entries);
}

/* Reruns programs that failed. Where this way is correct, the compiler is to blame and the run says
 * so; otherwise the first verdict stays. */
static void run_again(diff_run **runs, size_t count, diff_way way, const diff_options *o) {
    diff_verdict *first = calloc(count, sizeof *first);
    if (!first)
        abort();
    for (size_t k = 0; k < count; k++) {
        first[k] = runs[k]->verdict;
        runs[k]->verdict = (diff_verdict){0};
    }
    run_once(runs, count, way, o);
    for (size_t k = 0; k < count; k++) {
        char text[DIFF_WHY + 100];
        if (runs[k]->verdict.kind != DIFF_NONE) {
            runs[k]->verdict = first[k];
            continue;
        }
        snprintf(text, sizeof text, "correct with %s; plain: %s", diff_way_name[way], first[k].why);
        runs[k]->vendor = strdup(text);
        if (!runs[k]->vendor)
            abort();
    }
    free(first);
}

static void run_any(diff_run **runs, size_t count, const diff_options *o) {
    run_once(runs, count, DIFF_WAY_PLAIN, o);
    for (int way = DIFF_WAY_PLAIN + 1; way < DIFF_WAYS; way++) {
        size_t wrong = 0;
        for (size_t k = 0; k < count; k++)
            if (runs[k]->verdict.kind != DIFF_NONE)
                runs[wrong++] = runs[k];
        count = wrong;
        if (count)
            run_again(runs, count, (diff_way)way, o);
    }
}

/* All kernels of one unit have the same sub-group size. */
void diff_run_sycl(diff_run **runs, size_t count, const diff_options *o) {
    diff_run **chosen = calloc(count + 1, sizeof *chosen);
    if (!chosen)
        abort();
    for (uint32_t width = 1; width <= ISA_MAX_WIDTH; width++) {
        size_t used = 0;
        for (size_t k = 0; k < count; k++)
            if (runs[k]->answer->run.width == width)
                chosen[used++] = runs[k];
        if (used && o->way == DIFF_WAY_ANY)
            run_any(chosen, used, o);
        else if (used)
            run_once(chosen, used, o->way, o);
    }
    free(chosen);
}

#else

bool diff_sycl_available(char *why, size_t size) {
    snprintf(why, size, "runs on Linux only");
    return false;
}

void diff_run_sycl(diff_run **runs, size_t count, const diff_options *o) {
    (void)o;
    for (size_t k = 0; k < count; k++)
        diff_fail(&runs[k]->verdict, DIFF_REFUSED, "runs on Linux only");
}

#endif
