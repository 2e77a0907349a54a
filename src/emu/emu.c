/* wave_emulate: checks the launch, determines which of the kernel's and the launch's values apply,
 * sets up observers and the floating-point environment, and runs the grid. */
#include "emu/checks.h"
#include "emu/machine.h"
#include "emu/views.h"

#include <fenv.h>
#include <stdlib.h>
#include <string.h>

void wave_launch_init(wave_launch *launch) {
    *launch = (wave_launch){.grid = {1, 1, 1},
                            .workgroup = {32, 1, 1},
                            .wave_width = 32,
                            .max_instructions = 10000000,
                            .jobs = 1,
                            .poison_byte = 0xCD};
}

/* ---- The launch ---- */

#define REFUSE(...)                                                                                \
    do {                                                                                           \
        diag_report(diags, DIAG_E_LAUNCH, &place, __VA_ARGS__);                                    \
        return false;                                                                              \
    } while (0)

/* What the kernel declares overrides the launch. */
static void apply_kernel(const fe_kernel *kernel, wave_launch *launch) {
    const wave_kernel_info *info = &kernel->info;
    if (info->registers || !launch->registers)
        launch->registers = info->registers ? info->registers : kernel->register_limit;
    if (info->local_memory || !launch->local_memory)
        launch->local_memory = info->local_memory ? info->local_memory : ISA_DEFAULT_LOCAL;
    if (info->workgroup[0])
        memcpy(launch->workgroup, info->workgroup, sizeof launch->workgroup);
}

static bool check_shape(const wave_launch *launch, wave_diags *diags) {
    const diag_place place = DIAG_NOWHERE;
    const uint32_t *grid = launch->grid, *group = launch->workgroup;
    if (launch->wave_width < 1 || launch->wave_width > ISA_MAX_WIDTH)
        REFUSE("wave width %u is out of range: expected 1 to %d", launch->wave_width,
               ISA_MAX_WIDTH);
    for (int i = 0; i < 3; i++) {
        if (group[i] == 0 || group[i] > ISA_MAX_THREADS)
            REFUSE(
                "workgroup size %u x %u x %u is out of range: each dimension has 1 to %d threads",
                group[0], group[1], group[2], ISA_MAX_THREADS);
        if (grid[i] == 0)
            REFUSE(
                "grid size %u x %u x %u is out of range: each dimension has at least 1 workgroup",
                grid[0], grid[1], grid[2]);
    }
    const uint64_t threads = (uint64_t)group[0] * group[1] * group[2];
    if (threads > ISA_MAX_THREADS)
        REFUSE("the workgroup has %llu threads; the limit is %d", (unsigned long long)threads,
               ISA_MAX_THREADS);
    const uint64_t waves = (threads + launch->wave_width - 1) / launch->wave_width;
    if (waves > ISA_MAX_WAVES)
        REFUSE("a workgroup of %llu threads has %llu waves of width %u; the limit is %d",
               (unsigned long long)threads, (unsigned long long)waves, launch->wave_width,
               ISA_MAX_WAVES);
    if ((uint64_t)grid[0] * grid[1] > UINT64_MAX / grid[2])
        REFUSE("the grid of %u x %u x %u workgroups is too large", grid[0], grid[1], grid[2]);
    return true;
}

static bool check_memory(const wave_launch *launch, wave_diags *diags) {
    const diag_place place = DIAG_NOWHERE;
    if (launch->local_memory > ISA_MAX_LOCAL)
        REFUSE("%u bytes of local memory are too many; the limit is %d", launch->local_memory,
               ISA_MAX_LOCAL);
    if (!wave_mma_name(launch->mma))
        REFUSE("unknown model %u of matrix units: there are %d", (unsigned)launch->mma,
               WAVE_MMA_COUNT);
    if (!emu_handlers(launch->cpu))
        REFUSE("the emulator cannot use %s here: this processor or this build does not support it",
               wave_cpu_name(launch->cpu) ? wave_cpu_name(launch->cpu) : "an unknown processor");
    if (launch->device_size > (uint64_t)1 << 32)
        REFUSE("%llu bytes of device memory are too many; addresses have 32 bits",
               (unsigned long long)launch->device_size);
    if (launch->device_size && !launch->device_memory)
        REFUSE("the pointer to the %llu bytes of device memory is null",
               (unsigned long long)launch->device_size);
    if (launch->initial_count > ISA_MAX_REGISTERS || (launch->initial_count && !launch->initial))
        REFUSE("%u initial register values are too many; there are at most %d registers",
               launch->initial_count, ISA_MAX_REGISTERS);
    if (launch->observer_count && !launch->observers)
        REFUSE("the pointer to the %llu observers is null",
               (unsigned long long)launch->observer_count);
    if (launch->buffer_count && !launch->buffers)
        REFUSE("the pointer to the %llu buffers is null", (unsigned long long)launch->buffer_count);
    if (launch->buffer_count > ISA_MAX_REGISTERS - 1)
        REFUSE("%llu buffers are too many; a kernel has at most %d",
               (unsigned long long)launch->buffer_count, ISA_MAX_REGISTERS - 1);
    if (launch->initialised_count && !launch->initialised)
        REFUSE("the pointer to the %llu initialised ranges is null",
               (unsigned long long)launch->initialised_count);
    return true;
}

static bool check_registers(const wave_module *module, const wave_launch *launch,
                            wave_diags *diags) {
    const fe_kernel *kernel = &module->kernels[launch->kernel];
    diag_place place = DIAG_NOWHERE;
    place.kernel = kernel->info.name;
    if (launch->registers > ISA_MAX_REGISTERS && !kernel->info.registers)
        REFUSE("register count %u is out of range: a kernel has 1 to %d", launch->registers,
               ISA_MAX_REGISTERS);
    if (launch->initial_count > launch->registers)
        REFUSE("a value is given for r%u; the kernel has %u registers, r0 to r%u",
               launch->initial_count - 1, launch->registers, launch->registers - 1);
    /* Which registers read as 0 was decided when the file was read, for compilers too. */
    if (module->mode == WAVE_MODE_LENIENT && !kernel->info.registers &&
        launch->registers != kernel->register_limit)
        REFUSE("the kernel was loaded for %u registers, not %u", kernel->register_limit,
               launch->registers);
    const uint32_t used = emu_registers_used(kernel);
    if (used > launch->registers && module->mode != WAVE_MODE_LENIENT)
        REFUSE("the kernel uses r%u but is launched with %u registers", used - 1,
               launch->registers);
    return true;
}

/* *launch becomes the effective launch. */
static bool settle_launch(const wave_module *module, wave_launch *launch, wave_diags *diags) {
    const diag_place place = DIAG_NOWHERE;
    if (launch->kernel >= module->kernel_count)
        REFUSE("no kernel %llu; the module has %llu kernels", (unsigned long long)launch->kernel,
               (unsigned long long)module->kernel_count);
    apply_kernel(&module->kernels[launch->kernel], launch);
    return check_shape(launch, diags) && check_memory(launch, diags) &&
           check_registers(module, launch, diags);
}

/* ---- Observers ---- */

typedef struct watchers {
    wave_observer *list; /* the caller's, then ours */
    size_t count;
    wave_observer *race, *uninit, *buffers; /* ours, in the list */
} watchers;

static bool add_watchers(watchers *all, const fe_kernel *kernel, const wave_module *module,
                         const wave_launch *launch, wave_diags *diags) {
    all->list = calloc(launch->observer_count + 4, sizeof *all->list);
    if (!all->list)
        return false;
    if (launch->observer_count)
        memcpy(all->list, launch->observers, launch->observer_count * sizeof *all->list);
    all->count = launch->observer_count;
    if (launch->checks & WAVE_CHECK_RACE) {
        if (!emu_race_create(kernel, module, launch, diags, &all->list[all->count]))
            return false;
        all->race = &all->list[all->count++];
    }
    if (launch->checks & WAVE_CHECK_UNINIT) {
        if (!emu_uninit_create(kernel, module, launch, diags, &all->list[all->count]))
            return false;
        all->uninit = &all->list[all->count++];
    }
    if (emu_buffers_wanted(kernel, launch)) {
        if (!emu_buffers_create(kernel, module, launch, diags, &all->list[all->count]))
            return false;
        all->buffers = &all->list[all->count++];
    }
    if (launch->profile) {
        if (!emu_profile_create(kernel, module, launch, diags, launch->profile,
                                &all->list[all->count]))
            return false;
        all->count++;
    }
    return true;
}

static wave_status watchers_status(const watchers *all) {
    const wave_status race = all->race ? emu_race_status(all->race) : WAVE_OK;
    const wave_status uninit = all->uninit ? emu_uninit_status(all->uninit) : WAVE_OK;
    const wave_status buffers = all->buffers ? emu_buffers_status(all->buffers) : WAVE_OK;
    if (race == WAVE_ERROR_MEMORY || uninit == WAVE_ERROR_MEMORY || buffers == WAVE_ERROR_MEMORY)
        return WAVE_ERROR_MEMORY;
    return race != WAVE_OK ? race : uninit != WAVE_OK ? uninit : buffers;
}

static void remove_watchers(watchers *all) {
    if (all->race)
        emu_race_destroy(all->race);
    if (all->uninit)
        emu_uninit_destroy(all->uninit);
    if (all->buffers)
        emu_buffers_destroy(all->buffers);
    free(all->list);
}

static void attach(emu_machine *m, const watchers *all) {
    m->observers = all->list;
    m->observer_count = all->count;
    for (size_t i = 0; i < all->count; i++)
        m->watch_access |= all->list[i].access != NULL;
    m->step.module = m->module;
    m->step.kernel = m->launch->kernel;
    m->step.wave_width = m->launch->wave_width;
    m->step.machine = m;
    memcpy(m->step.grid, m->launch->grid, sizeof m->step.grid);
    memcpy(m->step.group_size, m->launch->workgroup, sizeof m->step.group_size);
}

/* ---- The run ---- */

bool emu_set_environment(void) {
    return fesetenv(FE_DFL_ENV) == 0;
}

/* Runs in the default floating-point environment, whatever the caller has set. */
static wave_status run(emu_machine *m) {
    fenv_t callers;
    if (fegetenv(&callers) != 0 || !emu_set_environment()) {
        diag_report(m->diags, DIAG_E_LAUNCH, &DIAG_NOWHERE,
                    "the floating-point environment cannot be set");
        return WAVE_ERROR_USAGE;
    }
    emu_run_grid(m);
    emu_count_quiet(m);
    if (m->views)
        emu_views_end_kernel(m);
    fesetenv(&callers);
    return m->status;
}

wave_status wave_emulate(const wave_module *module, const wave_launch *launch, wave_diags *diags) {
    if (!module || !launch)
        return WAVE_ERROR_USAGE;
    if (launch->stats)
        *launch->stats = (wave_stats){0};
    if (launch->profile)
        *launch->profile = NULL;
    wave_launch in_force = *launch;
    if (!settle_launch(module, &in_force, diags))
        return WAVE_ERROR_USAGE;

    const fe_kernel *kernel = &module->kernels[in_force.kernel];
    emu_machine m = {.launch = &in_force, .module = module, .kernel = kernel, .diags = diags};
    watchers all = {0};
    wave_status status = WAVE_ERROR_MEMORY;
    size_t before = diags ? diags->count : 0;
    if (emu_prepare(&m) && add_watchers(&all, kernel, module, &in_force, diags)) {
        attach(&m, &all);
        status = run(&m);
        if (launch->stats)
            emu_collect_stats(&m, launch->stats);
        if (status == WAVE_OK)
            status = watchers_status(&all);
    }
    if (status == WAVE_ERROR_MEMORY)
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "out of memory");
    remove_watchers(&all);
    emu_release(&m);
    fe_locate(&module->extras, &kernel->extras, diags, before);
    return status;
}
