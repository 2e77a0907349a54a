/* Targets by name, and the checks before compilation: the architecture, the width, the requested
 * kernels, their symbols. */
#include "compile/compile.h"

#include <stdio.h>
#include <string.h>

static const emit_target targets[WAVE_TARGET_COUNT] = {
    [WAVE_TARGET_PTX] = EMIT_PTX,
    [WAVE_TARGET_HIP] = EMIT_HIP,
    [WAVE_TARGET_SYCL] = EMIT_SYCL,
    [WAVE_TARGET_MSL] = EMIT_MSL,
};

/* WBIN runs on waves of any width and has no other architecture properties. */
static const emit_arch wbin_archs[] = {
    {"wbin", 0, ISA_MAX_LOCAL, 2 * ISA_MAX_WIDTH - 1, 0, ISA_MAX_THREADS}, {0}};
static const emit_backend wbin = {.name = "wbin", .suffix = ".wbin", .archs = wbin_archs};

const emit_backend *plan_backend(wave_target target) {
    return target == WAVE_TARGET_WBIN ? &wbin : emit_backends[targets[target]];
}

const char *wave_target_name(wave_target target) {
    return (unsigned)target < WAVE_TARGET_COUNT ? plan_backend(target)->name : NULL;
}

const char *wave_target_suffix(wave_target target) {
    return (unsigned)target < WAVE_TARGET_COUNT ? plan_backend(target)->suffix : NULL;
}

int wave_target_find(const char *name) {
    for (int k = 0; k < WAVE_TARGET_COUNT; k++)
        if (strcmp(wave_target_name((wave_target)k), name) == 0)
            return k;
    return -1;
}

const char *wave_target_arch(wave_target target, unsigned index) {
    if ((unsigned)target >= WAVE_TARGET_COUNT)
        return NULL;
    const emit_arch *a = plan_backend(target)->archs;
    for (unsigned k = 0; a->name && k < index; k++)
        a++;
    return a->name;
}

uint32_t wave_target_widths(wave_target target, const char *arch) {
    if ((unsigned)target >= WAVE_TARGET_COUNT)
        return 0;
    const emit_backend *backend = plan_backend(target);
    const emit_arch *a = arch ? emit_find_arch(backend, arch) : backend->archs;
    return a ? a->widths : 0;
}

void wave_compile_init(wave_compile_options *options) {
    *options = (wave_compile_options){.optimise = true, .assert_trap = true};
}

static bool fail(wave_diags *diags, diag_code code, const char *what, const char *name) {
    diag_report(diags, code, &DIAG_NOWHERE, what, name);
    return false;
}

/* "32, 64" */
static void list_widths(uint32_t widths, char *text, size_t size) {
    const char *separator = "";
    size_t n = 0;
    for (uint32_t rest = widths; rest && n < size; rest &= rest - 1, separator = ", ")
        n += (size_t)snprintf(text + n, size - n, "%s%u", separator, rest & (0 - rest));
}

static void list_archs(const emit_backend *target, char *text, size_t size) {
    const char *separator = "";
    size_t n = 0;
    for (const emit_arch *a = target->archs; a->name && n < size; a++, separator = ", ")
        n += (size_t)snprintf(text + n, size - n, "%s%s", separator, a->name);
}

static bool find_arch(plan *p, wave_diags *diags) {
    const emit_backend *target = plan_backend(p->options->target);
    const char *name = p->options->arch;
    char list[200];
    p->arch = target->archs;
    if (!name)
        return true;
    p->arch = target == &wbin ? NULL : emit_find_arch(target, name);
    if (p->arch)
        return true;
    diag_place place = DIAG_NOWHERE;
    list_archs(target, list, sizeof list);
    place.hint = "choose one of these; --arch=help lists those of all targets";
    if (target == &wbin)
        diag_report(diags, DIAG_E_TARGET_LIMIT, &DIAG_NOWHERE, "wbin has no architectures");
    else
        diag_report(diags, DIAG_E_TARGET_LIMIT, &place, "%s has no architecture '%.40s'; it has %s",
                    target->name, name, list);
    return false;
}

static bool find_width(plan *p, wave_diags *diags) {
    uint32_t want = p->options->wave_width;
    char list[60];
    p->wave_width = want ? want : p->arch->width;
    bool one = (p->wave_width & (p->wave_width - 1)) == 0;
    if (one && (p->wave_width == p->arch->width || (p->arch->widths & p->wave_width)))
        return true;
    list_widths(p->arch->widths, list, sizeof list);
    diag_report(diags, DIAG_E_TARGET_LIMIT, &DIAG_NOWHERE, "%s has waves of %s lanes, not %u",
                p->arch->name, list, want);
    return false;
}

static bool choose_kernels(plan *p, wave_diags *diags) {
    const wave_compile_options *o = p->options;
    size_t all = p->module->kernel_count, count = o->kernels ? o->kernel_count : all;
    p->kernels = arena_alloc(&p->memory, (count + 1) * sizeof *p->kernels);
    bool *chosen = arena_alloc(&p->memory, (all + 1) * sizeof *chosen);
    if (!p->kernels || !chosen)
        return fail(diags, DIAG_E_MEMORY, "%s", "not enough memory to compile");
    for (size_t k = 0; k < count; k++) {
        long index = o->kernels ? wave_module_find_kernel(p->module, o->kernels[k]) : (long)k;
        if (index < 0)
            return fail(diags, DIAG_E_KERNEL, "there is no kernel '%.80s'", o->kernels[k]);
        if (!chosen[index])
            p->kernels[p->kernel_count++] = (size_t)index;
        chosen[index] = true;
    }
    return true;
}

/* Kernels of a WBIN file may have any name. */
static bool find_symbols(plan *p, const char *const *names) {
    if (p->options->target != WAVE_TARGET_WBIN)
        return emit_symbols(targets[p->options->target], names, p->kernel_count, &p->memory,
                            p->symbols);
    for (size_t k = 0; k < p->kernel_count; k++)
        p->symbols[k] = names[k];
    return true;
}

static bool name_kernels(plan *p, wave_diags *diags) {
    size_t n = p->kernel_count + 1;
    const char **names = arena_alloc(&p->memory, n * sizeof *names);
    p->symbols = arena_alloc(&p->memory, n * sizeof *p->symbols);
    for (size_t k = 0; names && k < p->kernel_count; k++)
        names[k] = p->module->kernels[p->kernels[k]].info.name;
    if (!names || !p->symbols || !find_symbols(p, names))
        return fail(diags, DIAG_E_MEMORY, "%s", "not enough memory to compile");
    return true;
}

static bool find_names(plan *p, wave_diags *diags) {
    bool ok = true;
    p->arguments = arena_alloc(&p->memory, (p->kernel_count + 1) * sizeof *p->arguments);
    p->registers = arena_alloc(&p->memory, (p->kernel_count + 1) * sizeof *p->registers);
    for (size_t k = 0; p->arguments && p->registers && ok && k < p->kernel_count; k++) {
        const fe_kernel_extras *extras = &p->module->kernels[p->kernels[k]].extras;
        ok = emit_find_arguments(extras->arguments, extras->argument_count, &p->memory,
                                 &p->arguments[k]) &&
             emit_find_registers(extras->registers, extras->register_count, &p->arguments[k],
                                 &p->memory, &p->registers[k]);
    }
    return (p->arguments && p->registers && ok) ||
           fail(diags, DIAG_E_MEMORY, "%s", "not enough memory to compile");
}

ir_units plan_units(const plan *p, const ir_func *f) {
    const wave_compile_options *o = p->options;
    const emit_backend *target = plan_backend(o->target);
    if (o->bounds || o->lockstep)
        return (ir_units){0};
    return emit_units(target, f, p->arch->number, o->native_mma || o->fast_math);
}

bool plan_advances(const plan *p) {
    unsigned from = plan_backend(p->options->target)->advances_from;
    return from && p->arch->number >= from && !p->options->bounds;
}

uint32_t plan_uses(const plan *p, uint32_t uses) {
    return p->options->lockstep || p->options->deterministic ? uses | (uint32_t)WAVE_USES_WAVE_OPS
                                                             : uses;
}

bool plan_make_for_ir(plan *p, const char *name, const wave_compile_options *options,
                      wave_diags *diags) {
    *p = (plan){.options = options};
    p->symbols = arena_alloc(&p->memory, sizeof *p->symbols);
    p->kernel_count = 1;
    if (!p->symbols || !find_symbols(p, &name))
        return fail(diags, DIAG_E_MEMORY, "%s", "not enough memory to compile");
    return find_arch(p, diags) && find_width(p, diags);
}

bool plan_make(plan *p, const wave_module *module, const wave_compile_options *options,
               wave_diags *diags) {
    *p = (plan){.module = module, .options = options};
    return find_arch(p, diags) && find_width(p, diags) && choose_kernels(p, diags) &&
           name_kernels(p, diags) && find_names(p, diags) &&
           (plan_find_lines(p) || fail(diags, DIAG_E_MEMORY, "%s", "not enough memory to compile"));
}

void plan_free(plan *p) {
    arena_free(&p->memory);
}
