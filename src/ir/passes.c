/* The pipeline as a list. Passes marked ALWAYS make the function printable; the others make it
 * good. */
#include "ir/passes.h"

#include "ir/lower.h"
#include "ir/opt.h"
#include "ir/text.h"

#include <string.h>
#include <time.h>

enum { OPTIMISE = 1, ALWAYS = 2, EXACT_MATH = 4 };

static const struct {
    const char *name;
    bool (*run)(ir_func *f);
    unsigned when;
} passes[] = {
    {"prune", ir_opt_prune, OPTIMISE},
    {"simplify", ir_opt_simplify, OPTIMISE},
    {"number", ir_opt_number, OPTIMISE},
    {"dead-code", ir_opt_dead_code, OPTIMISE},
    {"convergence", ir_lower_convergence, ALWAYS},
    {"mma", ir_lower_mma, ALWAYS},
    {"math", ir_lower_math, ALWAYS | EXACT_MATH},
    {"prune-2", ir_opt_prune, OPTIMISE},
    {"simplify-2", ir_opt_simplify, OPTIMISE},
    {"number-2", ir_opt_number, OPTIMISE},
    {"dead-code-2", ir_opt_dead_code, ALWAYS},
    {"select", ir_opt_select, OPTIMISE},
    {"types", ir_opt_types, OPTIMISE},
    {"invariant", ir_opt_invariant, OPTIMISE},
    {"simplify-3", ir_opt_simplify, OPTIMISE},
    {"number-3", ir_opt_number, OPTIMISE},
    {"dead-code-3", ir_opt_dead_code, OPTIMISE},
};

enum { COUNT = sizeof passes / sizeof *passes };

const char *ir_pass_name(unsigned index) {
    return index == 0 ? "build" : index <= COUNT ? passes[index - 1].name : NULL;
}

static bool wanted(unsigned when, const ir_pass_options *o) {
    if (when & EXACT_MATH && o->fast_math)
        return false;
    return when & ALWAYS || o->optimise;
}

static void dump(const ir_func *f, const char *pass, const ir_pass_options *o) {
    if (!o->dump || !o->dump_after)
        return;
    bool all = strcmp(o->dump_after, "all") == 0;
    if (!all && strcmp(o->dump_after, pass) != 0)
        return;
    if (all)
        buf_printf(o->dump, "; after %s\n", pass);
    ir_print(f, o->dump);
}

static bool finish(ir_func *f, const char *pass, const ir_pass_options *o, wave_diags *diags) {
    if (f->failed) {
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile %s",
                    f->name);
        return false;
    }
    dump(f, pass, o);
    return !o->verify || ir_verify(f, pass, diags);
}

bool ir_run_passes(ir_func *f, const ir_pass_options *o, wave_diags *diags) {
    if (!finish(f, "build", o, diags))
        return false;
    for (unsigned k = 0; k < COUNT; k++) {
        if (!wanted(passes[k].when, o))
            continue;
        clock_t start = o->timed ? clock() : 0;
        passes[k].run(f);
        if (o->timed)
            o->timed(o->user, passes[k].name, (double)(clock() - start) / CLOCKS_PER_SEC,
                     f->node_count);
        if (!finish(f, passes[k].name, o, diags))
            return false;
    }
    return true;
}
