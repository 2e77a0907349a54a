/* Targets that run in this process: the emulator itself, the emulator with a planted defect, and
 * PTX on the interpreter. Also groups the runs by target. */
#include "gen/diff.h"
#include "ptxvm/ptxvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_WIDTH = 32, PTX_SCHEDULES = 2, STATIC_SHARED = 48 * 1024, PTX_LIMIT = 100000000 };
#define ARENA_ADDRESS  0x10000000u
#define STATUS_ADDRESS 0x8000000u

static uint8_t *room_for(const diff_answer *answer) {
    uint8_t *memory = malloc(answer->run.size);
    if (!memory)
        abort();
    return memory;
}

bool diff_bounds(const diff_program *p) {
    return p->seed % 8 == 3;
}

bool diff_compile(diff_run *run, const char *target, const char *arch, wave_blob *text) {
    wave_compile_options o;
    wave_compile_init(&o);
    o.target = (wave_target)wave_target_find(target);
    o.arch = arch;
    o.wave_width = run->answer->run.width;
    o.optimise = run->optimise;
    o.assert_trap = true;
    o.bounds = diff_bounds(run->program);
    o.verify_ir = true;
    wave_diags *diags = wave_diags_create(0);
    bool ok = wave_compile(run->program->module, &o, text, diags) == WAVE_OK;
    if (!ok) {
        const wave_diag *d = wave_diags_count(diags) ? wave_diags_at(diags, 0) : NULL;
        diff_fail(&run->verdict, DIFF_REFUSED, "does not compile: %s: %s", d ? d->code : "?",
                  d ? d->message : "");
    }
    wave_diags_destroy(diags);
    return ok;
}

/* ---- The emulator ---- */

void diff_run_bytes(diff_run *run, const wave_blob *binary, uint64_t schedule) {
    wave_module *module = NULL;
    uint8_t *memory = room_for(run->answer);
    if (wave_module_load(binary->data, binary->size, NULL, &module, NULL) != WAVE_OK)
        diff_fail(&run->verdict, DIFF_REFUSED, "does not load");
    else if (!diff_emulate(run->program, run->answer, module, 0, schedule, memory, &run->verdict))
        run->verdict.kind = DIFF_FAILED;
    else
        diff_same(run->program, run->answer, memory, &run->verdict);
    free(memory);
    wave_module_destroy(module);
}

void diff_run_emu(diff_run *run) {
    const wave_blob *binary = &run->program->binary;
    wave_blob text = {0}, again = {0};
    bool ok = wave_disassemble(binary->data, binary->size, NULL, &text, NULL) == WAVE_OK &&
              wave_assemble((const char *)text.data, text.size, NULL, &again, NULL) == WAVE_OK;
    if (!ok)
        diff_fail(&run->verdict, DIFF_REFUSED, "its disassembly does not assemble");
    else if (again.size != binary->size || memcmp(again.data, binary->data, again.size))
        diff_fail(&run->verdict, DIFF_MEMORY, "its disassembly assembles to other bytes");
    else
        diff_run_bytes(run, &again, run->program->seed * 2 + 1);
    wave_blob_free(&text);
    wave_blob_free(&again);
}

/* Replaces one mnemonic in every line of the disassembly by another with the same operands. */
static char *with_defect(const char *text, size_t size, const char *from, const char *to) {
    size_t extra = strlen(to), from_length = strlen(from), used = 0;
    char *out = malloc(size * (extra + 1) + 1);
    if (!out)
        abort();
    for (size_t k = 0; k < size;) {
        bool starts = k == 0 || text[k - 1] == ' ';
        bool found = starts && size - k > from_length && memcmp(text + k, from, from_length) == 0 &&
                     (text[k + from_length] == ' ' || text[k + from_length] == '\n');
        if (found) {
            memcpy(out + used, to, extra);
            used += extra;
            k += from_length;
        } else {
            out[used++] = text[k++];
        }
    }
    out[used] = '\0';
    return out;
}

void diff_run_defect(diff_run *run, const diff_options *o) {
    const wave_blob *binary = &run->program->binary;
    wave_blob text = {0}, wrong = {0};
    if (wave_disassemble(binary->data, binary->size, NULL, &text, NULL) == WAVE_OK) {
        char *changed =
            with_defect((const char *)text.data, text.size, o->defect_from, o->defect_to);
        if (wave_assemble(changed, strlen(changed), NULL, &wrong, NULL) == WAVE_OK)
            diff_run_bytes(run, &wrong, 0);
        free(changed);
    }
    wave_blob_free(&text);
    wave_blob_free(&wrong);
}

/* ---- PTX ---- */

static void launch_ptx(diff_run *run, const ptxvm_module *module, uint64_t seed, bool weak) {
    const diff_program *p = run->program;
    const tf_run *launch = &run->answer->run;
    struct {
        uint64_t mem;
        uint32_t args[TF_MAX_ARGS];
        uint64_t more[2]; /* size, status */
    } params = {.mem = ARENA_ADDRESS};
    uint32_t status[2] = {0};
    uint8_t *bytes = (uint8_t *)&params;
    for (uint32_t k = 0; k < p->info->argument_words && k < launch->arg_count; k++)
        params.args[k] = launch->args[k];
    uint8_t *memory = room_for(run->answer);
    memcpy(memory, launch->memory, launch->size);
    const ptxvm_range ranges[2] = {
        {.address = ARENA_ADDRESS, .host = memory, .size = launch->size},
        {.address = STATUS_ADDRESS, .host = status, .size = sizeof status}};
    ptxvm_launch_options o = ptxvm_default_options(p->info->name);
    memcpy(o.grid, launch->grid, sizeof o.grid);
    memcpy(o.block, p->group, sizeof o.block);
    o.params = &params;
    o.param_bytes = 8 + 4 * (size_t)p->info->argument_words;
    if (diff_bounds(p)) {
        o.param_bytes = (o.param_bytes + 7) / 8 * 8 + 8;
        memcpy(bytes + o.param_bytes - 8, &launch->size, 8);
    }
    if (p->info->uses & WAVE_USES_ASSERT) {
        const uint64_t address = STATUS_ADDRESS;
        o.param_bytes = (o.param_bytes + 7) / 8 * 8 + 8;
        memcpy(bytes + o.param_bytes - 8, &address, 8);
    }
    o.dynamic_shared_bytes = p->info->local_memory > STATIC_SHARED ? p->info->local_memory : 0;
    o.ranges = ranges;
    o.range_count = 2;
    o.seed = seed;
    o.weak = weak;
    /* masks are full, but the last warp may be partial */
    o.checks = (uint32_t)PTXVM_ALL_CHECKS & ~(uint32_t)PTXVM_CHECK_MASK_LANES;
    o.instruction_limit = PTX_LIMIT;
    ptxvm_error error;
    if (ptxvm_launch(module, &o, NULL, &error) != PTXVM_OK)
        diff_fail(&run->verdict, DIFF_FAILED, "%s", error.message);
    else if (status[0])
        diff_fail(&run->verdict, DIFF_FAILED, "assert %u failed", (unsigned)status[1]);
    else
        diff_same(p, run->answer, memory, &run->verdict);
    free(memory);
}

void diff_run_ptx(diff_run *run) {
    wave_blob text = {0};
    ptxvm_module *module = NULL;
    ptxvm_error error;
    if (!diff_compile(run, "ptx", run->program->seed % 3 ? "sm_75" : "sm_80", &text))
        return;
    if (ptxvm_parse((const char *)text.data, text.size, &module, &error) != PTXVM_OK)
        diff_fail(&run->verdict, DIFF_REFUSED, "%s", error.message);
    for (unsigned k = 0; k < PTX_SCHEDULES && run->verdict.kind == DIFF_NONE; k++)
        launch_ptx(run, module, run->program->seed * PTX_SCHEDULES + k, k + 1 == PTX_SCHEDULES);
    ptxvm_free(module);
    wave_blob_free(&text);
}

/* ---- All targets ---- */

bool diff_available(diff_target target, const diff_options *o, char *why, size_t size) {
    switch (target) {
    case DIFF_HIP:
    case DIFF_MSL:
    case DIFF_SYCL_SIMT: return diff_simt_available(why, size);
    case DIFF_SYCL: return diff_sycl_available(why, size);
    case DIFF_DEFECT:
        snprintf(why, size, "no --defect=FROM:TO");
        return o->defect_from && o->defect_to;
    default: return true;
    }
}

bool diff_applies(const diff_program *p, diff_target target, uint32_t width) {
    static const unsigned flags[DIFF_TARGETS] = {TF_EMU,  TF_PTX, TF_HIP, TF_MSL, TF_SYCL,
                                                 TF_SYCL, TF_EMU, TF_EMU, TF_EMU};
    if (!(p->test->targets & flags[target]))
        return false;
    switch (target) {
    case DIFF_PTX:
    case DIFF_MSL: return width == PTX_WIDTH;
    case DIFF_HIP: return width == 32 || width == 64;
    case DIFF_SYCL:
    case DIFF_SYCL_SIMT: return width >= 8;
    default: return true;
    }
}

static bool is_simt(diff_target target) {
    return target == DIFF_HIP || target == DIFF_MSL || target == DIFF_SYCL_SIMT;
}

/* Runs the batches for the harness, or those for Intel's device. */
static void execute_batch(diff_run *runs, size_t count, bool simt, const diff_options *o) {
    diff_run **chosen = calloc(count + 1, sizeof *chosen);
    size_t chosen_count = 0;
    if (!chosen)
        abort();
    for (size_t k = 0; k < count; k++)
        if (simt ? is_simt(runs[k].target) : runs[k].target == DIFF_SYCL)
            chosen[chosen_count++] = &runs[k];
    if (chosen_count)
        (simt ? diff_run_simt : diff_run_sycl)(chosen, chosen_count, o);
    free(chosen);
}

void diff_execute(diff_run *runs, size_t count, const diff_options *o) {
    for (size_t k = 0; k < count; k++) {
        if (o->before)
            o->before(&runs[k]);
        if (runs[k].target == DIFF_EMU)
            diff_run_emu(&runs[k]);
        else if (runs[k].target == DIFF_DEFECT)
            diff_run_defect(&runs[k], o);
        else if (runs[k].target == DIFF_WBIN)
            diff_run_wbin(&runs[k]);
        else if (runs[k].target == DIFF_PASSES)
            diff_run_passes(&runs[k]);
        else if (runs[k].target == DIFF_PTX)
            diff_run_ptx(&runs[k]);
    }
    execute_batch(runs, count, true, o);
    execute_batch(runs, count, false, o);
}
