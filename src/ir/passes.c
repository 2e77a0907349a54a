/* The pipeline as a list. Passes marked ALWAYS are required to make the function printable; the
 * others improve it. */
#include "ir/passes.h"

#include "ir/lower.h"
#include "ir/opt.h"
#include "ir/text.h"

#include <string.h>
#include <time.h>

enum {
    OPTIMISE = 1,
    ALWAYS = 2,
    EXACT_MATH = 4,
    CLEAN = 8,
    SHAPED = 16,
    UNCHECKED = 32,
    LOCKSTEP = 64,
    DETERMINISTIC = 128,
    INDEXED = 256,
    VENDOR = 512,
    FAST_MATH = 1024,
    MASKS = 2048,
    NUMBERS = 4096,
    OFFSETS = 8192
};

/* CLEAN: clean-up; skipped when only clean-up has changed the function since its last run.
 * MASKS: adds masks around operations, but computes no new numbers; a pass that considers only
 * NUMBERS need not run again after it.
 * SHAPED: handles ifs and loops; skipped when there are none.
 * VENDOR: lowers WBIN's operations to those of a GPU vendor's language; skipped for WBIN.
 * INDEXED: for targets that print elements of buffers.
 * OFFSETS: for PTX on GPUs whose accesses add a 32-bit offset, sm_75.
 * UNCHECKED: merges accesses or relies on promises; skipped with --bounds, where part of an access
 * may be out of bounds. */
static const struct {
    const char *name;
    bool (*run)(ir_func *f);
    unsigned when;
} passes[] = {
    /* simplify first: fewer divergent values mean less work for the convergence lowering */
    {"prune", ir_opt_prune, OPTIMISE | CLEAN | SHAPED},
    {"simplify", ir_opt_simplify, OPTIMISE | CLEAN | SHAPED},
    {"bits", ir_opt_bits, OPTIMISE | SHAPED},
    {"number", ir_opt_number, OPTIMISE | CLEAN | SHAPED},
    {"dead-code", ir_opt_dead_code, OPTIMISE | CLEAN | SHAPED},
    {"ends", ir_opt_ends, OPTIMISE | SHAPED},
    /* lower to operations that the targets have, then clean up what the lowerings leave */
    {"tile", ir_lower_tile, ALWAYS | VENDOR},
    {"fences", ir_lower_fences, ALWAYS | VENDOR},
    {"sums", ir_lower_sums, ALWAYS | DETERMINISTIC},
    {"wave-order", ir_lower_wave_order, ALWAYS | LOCKSTEP},
    {"convergence", ir_lower_convergence, ALWAYS | VENDOR | MASKS},
    {"mma", ir_lower_mma, ALWAYS | VENDOR},
    {"math", ir_lower_math, ALWAYS | EXACT_MATH | VENDOR},
    {"prune-2", ir_opt_prune, OPTIMISE | CLEAN | SHAPED},
    {"simplify-2", ir_opt_simplify, OPTIMISE | CLEAN},
    {"bits-2", ir_opt_bits, OPTIMISE | CLEAN | NUMBERS},
    {"dead-code-2", ir_opt_dead_code, ALWAYS | CLEAN},
    /* restructure: loops, branches, types */
    {"unroll", ir_opt_unroll, OPTIMISE | SHAPED},
    {"select", ir_opt_select, OPTIMISE | SHAPED},
    {"types", ir_opt_types, OPTIMISE | CLEAN},
    {"simplify-3", ir_opt_simplify, OPTIMISE | CLEAN},
    {"unroll-2", ir_opt_unroll, OPTIMISE | SHAPED},
    {"invariant", ir_opt_invariant, OPTIMISE | SHAPED | VENDOR},
    {"groups", ir_opt_groups, OPTIMISE | SHAPED | VENDOR},
    {"constants", ir_opt_constants, OPTIMISE},
    {"private", ir_opt_private, OPTIMISE},
    {"fast", ir_opt_fast, ALWAYS | FAST_MATH | VENDOR},
    {"simplify-4", ir_opt_simplify, OPTIMISE | CLEAN},
    /* memory accesses, then hoist the new address arithmetic out of loops */
    {"buffers", ir_opt_buffers, OPTIMISE | UNCHECKED | VENDOR},
    {"address", ir_opt_address, OPTIMISE | VENDOR},
    {"invariant-2", ir_opt_invariant, OPTIMISE | SHAPED},
    {"number-2", ir_opt_number, OPTIMISE | CLEAN},
    {"reads", ir_opt_reads, OPTIMISE | UNCHECKED | VENDOR},
    {"wide", ir_opt_wide, OPTIMISE | UNCHECKED},
    {"index", ir_opt_index, OPTIMISE | INDEXED | VENDOR},
    {"elements", ir_opt_elements, OPTIMISE | UNCHECKED | INDEXED | VENDOR},
    {"dead-code-3", ir_opt_dead_code, OPTIMISE},
    {"products", ir_opt_products, OPTIMISE | OFFSETS | VENDOR},
    /* last, because no other pass handles functions */
    {"outline", ir_opt_outline, OPTIMISE | VENDOR},
};

enum { COUNT = sizeof passes / sizeof *passes };

const char *ir_pass_name(unsigned index) {
    return index == 0 ? "build" : index <= COUNT ? passes[index - 1].name : NULL;
}

/* The number of changes so far, and of those that were more than masks. */
typedef struct edits {
    unsigned all, numbers;
    bool ran; /* of a row: whether the pass ran */
} edits;

static bool is_stale(unsigned k, const edits *seen, const edits *now) {
    for (unsigned row = k; row-- > 0;)
        if (passes[row].run == passes[k].run && seen[row].ran)
            return passes[k].when & NUMBERS ? seen[row].numbers != now->numbers
                                            : seen[row].all != now->all;
    return true;
}

static void count(edits *now, unsigned when) {
    now->all += !(when & CLEAN);
    now->numbers += !(when & (CLEAN | MASKS));
}

static bool wanted(unsigned when, const ir_func *f, const ir_pass_options *o) {
    if ((when & EXACT_MATH && o->fast_math) || (when & LOCKSTEP && !o->lockstep))
        return false;
    if ((when & DETERMINISTIC && !o->deterministic) || (when & FAST_MATH && !o->fast_math))
        return false;
    if ((when & UNCHECKED && o->bounds) || (when & INDEXED && !o->indexed))
        return false;
    if (when & OFFSETS && (o->indexed || f->advances))
        return false;
    if (when & VENDOR && o->wbin)
        return false;
    if (when & SHAPED && ir_is_straight(f))
        return false;
    /* unneeded code does no harm in a WBIN file, for which --parse-ir -O0 changes nothing */
    return (when & ALWAYS && !(when & CLEAN && o->wbin)) || o->optimise;
}

/* A skipped pass is dumped when requested by name. */
static void dump(const ir_func *f, const char *pass, const ir_pass_options *o, bool ran) {
    if (!o->dump || !o->dump_after)
        return;
    bool all = strcmp(o->dump_after, "all") == 0;
    if (all ? !ran : strcmp(o->dump_after, pass) != 0)
        return;
    if (all)
        buf_printf(o->dump, "; after %s\n", pass);
    if (o->places)
        ir_print_places(f, o->dump);
    else
        ir_print(f, o->dump);
}

static bool finish(ir_func *f, const char *pass, const ir_pass_options *o, wave_diags *diags) {
    if (f->failed) {
        ir_report_failure(f, diags);
        return false;
    }
    dump(f, pass, o, true);
    return !o->verify || ir_verify(f, pass, diags);
}

bool ir_run_passes(ir_func *f, const ir_pass_options *o, wave_diags *diags) {
    if (!finish(f, "build", o, diags))
        return false;
    edits now = {0}, seen[COUNT];
    for (unsigned k = 0; k < COUNT; k++) {
        bool clean = passes[k].when & CLEAN;
        bool runs = wanted(passes[k].when, f, o);
        seen[k] = now;
        seen[k].ran = runs;
        if (!runs || (clean && !is_stale(k, seen, &now))) {
            dump(f, passes[k].name, o, false);
            continue;
        }
        clock_t start = o->timed ? clock() : 0;
        bool changed = passes[k].run(f);
        if (changed)
            count(&now, passes[k].when);
        seen[k] = now; /* its own changes leave it nothing to do */
        seen[k].ran = true;
        if (o->timed)
            o->timed(o->user, passes[k].name, (double)(clock() - start) / CLOCKS_PER_SEC,
                     f->node_count);
        if (!finish(f, passes[k].name, o, diags))
            return false;
    }
    return true;
}
