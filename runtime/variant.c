/* Launches that give a kernel other registers or local memory than its module was loaded with. Both
 * are fixed when a kernel is checked and compiled, so such a launch gets its own module, kept with
 * the original until that is destroyed. Threads that share a module may both create the same
 * variant; the list only grows, so that is harmless. */
#include "core.h"

#include <stdatomic.h>

enum { DEFAULT_REGISTERS = 32, DEFAULT_LOCAL = 16384 };

static uint32_t or_default(uint32_t given, uint32_t by_default) {
    return given ? given : by_default;
}

static bool is_same(const wave_load_options *a, const wave_load_options *b) {
    return or_default(a->registers, DEFAULT_REGISTERS) ==
               or_default(b->registers, DEFAULT_REGISTERS) &&
           or_default(a->local_memory, DEFAULT_LOCAL) == or_default(b->local_memory, DEFAULT_LOCAL);
}

/* Values that the kernel itself declares are kept. */
static wave_load_options wanted(const wave_rt_launch *launch) {
    const wave_rt_module *m = launch->module;
    const wave_kernel_info *info = wave_module_kernel(m->module, launch->kernel);
    wave_load_options load = m->options.load;
    if (launch->registers && info->registers == load.registers)
        load.registers = launch->registers;
    if (launch->local_memory && (info->local_memory == load.local_memory || !info->local_memory))
        load.local_memory = launch->local_memory;
    return load;
}

static wave_rt_status add(wave_rt_module *module, const wave_load_options *load,
                          const wave_rt_module **out, wave_rt_error *error) {
    wave_rt_module_options options = module->options;
    wave_rt_module *made;
    options.load = *load;
    wave_rt_status status =
        wave_rt_module_load(module->device, module->data, module->size, &options, &made, error);
    if (status != WAVE_RT_OK)
        return status;
    made->next = atomic_load(&module->variants);
    while (!atomic_compare_exchange_weak(&module->variants, &made->next, made))
        continue;
    *out = made;
    return WAVE_RT_OK;
}

wave_rt_status rt_module_for(const wave_rt_launch *launch, const wave_rt_module **module,
                             wave_rt_error *error) {
    const wave_rt_module *m = launch->module;
    wave_load_options load = wanted(launch);
    *module = m;
    if (m->program.native || is_same(&load, &m->options.load))
        return WAVE_RT_OK;
    for (const wave_rt_module *k = atomic_load(&m->variants); k; k = k->next)
        if (is_same(&load, &k->options.load)) {
            *module = k;
            return WAVE_RT_OK;
        }
    /* The list is the only part of a module that changes; the cast is for it. */
    return add((wave_rt_module *)m, &load, module, error);
}

void rt_variants_destroy(wave_rt_module *module) {
    wave_rt_module *next;
    for (wave_rt_module *k = atomic_load(&module->variants); k; k = next) {
        next = k->next;
        wave_rt_module_destroy(k);
    }
}
