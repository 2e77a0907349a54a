/* Shared by all kernels of a module: the reachable functions, their call order, and constant
 * memory. */
#include "frontend/wbin_ext.h"
#include "spirv/to_ir.h"

#include <stdlib.h>
#include <string.h>

typedef struct visit {
    to_module *in;
    uint32_t function, insn, end; /* the next instruction */
} visit;

/* A global variable of one of the two modules. */
typedef struct reference {
    uint32_t module, variable;
} reference;

typedef struct finder {
    spirv_program *p;
    wave_diags *diags;
    visit *stack;
    uint32_t height, capacity;
    uint8_t *state[2];  /* by function: 1 open, 2 done */
    bool *used[2];      /* by variable: it is referenced */
    reference *pending; /* to variables whose data is not yet examined */
    uint32_t pending_count;
    bool failed;
} finder;

bool to_is_convergent(unsigned op) {
    return op == SPIRV_OpControlBarrier || op == SPIRV_OpMemoryBarrier ||
           (op >= SPIRV_OpAtomicLoad && op <= SPIRV_OpAtomicXor) ||
           op == SPIRV_OpAtomicFlagTestAndSet || op == SPIRV_OpAtomicFlagClear ||
           (op >= SPIRV_OpGroupAsyncCopy && op <= SPIRV_OpGroupSMax) ||
           (op >= SPIRV_OpGroupNonUniformElect && op <= SPIRV_OpGroupNonUniformLogicalXor) ||
           (op >= SPIRV_OpSubgroupBallotKHR && op <= SPIRV_OpGroupNonUniformRotateKHR) ||
           op == SPIRV_OpAtomicFAddEXT || op == SPIRV_OpAtomicFMinEXT ||
           op == SPIRV_OpAtomicFMaxEXT || op >= SPIRV_OpGroupIMulKHR;
}

/* ---- The reachable functions ---- */

static void fail(finder *w, const spirv_module *m, const spirv_insn *insn, diag_code code,
                 const char *text, const char *name) {
    spirv_report(m, insn, code, w->diags, text, name);
    w->failed = true;
}

static void fail_memory(finder *w) {
    diag_report(w->diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
    w->failed = true;
}

static void open_function(finder *w, to_module *in, uint32_t function, const spirv_insn *by) {
    const spirv_function *f = &in->m->functions[function];
    uint8_t *state = &w->state[in == &w->p->modules[1]][function];
    if (*state == 1)
        fail(w, in->m, by, DIAG_E_RECURSION, "%s calls itself",
             *f->name ? f->name : "the function");
    if (*state || !f->block_count)
        return;
    if (w->height == w->capacity) {
        uint32_t want = w->capacity ? w->capacity * 2 : 64;
        visit *bigger = realloc(w->stack, want * sizeof *bigger);
        if (!bigger) {
            fail_memory(w);
            return;
        }
        w->stack = bigger;
        w->capacity = want;
    }
    *state = 1;
    const spirv_block *last = &f->blocks[f->block_count - 1];
    w->stack[w->height++] = (visit){in, function, f->blocks[0].first, last->first + last->count};
}

/* The function that an instruction calls, by its library name or by its id. */
static void follow_call(finder *w, to_module *in, const spirv_insn *insn) {
    const spirv_module *m = in->m;
    to_module *to = in;
    uint32_t function = m->defs[spirv_word(m, insn, 3)].index;
    if (insn->op == SPIRV_OpFunctionCall) {
        if (!m->functions[function].block_count)
            to_find_function(w->p, m->functions[function].name, &to, &function);
        open_function(w, to, function, insn);
        return;
    }
    unsigned key = to_library_key(m, insn);
    if (key && to_find_library(w->p, key, &to, &function))
        open_function(w, to, function, insn);
}

static void note_variable(finder *w, to_module *in, uint32_t index) {
    unsigned which = in == &w->p->modules[1];
    if (w->used[which][index])
        return;
    w->used[which][index] = true;
    w->pending[w->pending_count++] = (reference){which, index}; /* there is room for each once */
}

/* Variables whose addresses occur in a constant. Each constant is visited once; types nest at most
 * DEEPEST_TYPE deep. */
static void note_constant(finder *w, to_module *in, spirv_id id) {
    const spirv_constant *c = spirv_constant_at(in->m, id);
    if (in->m->defs[id].kind == SPIRV_ID_VARIABLE)
        note_variable(w, in, in->m->defs[id].index);
    if (!c || in->m->defs[id].kind != SPIRV_ID_CONSTANT || in->noted[in->m->defs[id].index])
        return;
    in->noted[in->m->defs[id].index] = true;
    if (c->kind == SPIRV_ADDRESS) {
        note_variable(w, in, in->m->defs[c->variable].index);
        w->p->compares_pointers |= spirv_type_at(in->m, c->type)->kind != SPIRV_POINTER;
    }
    for (uint32_t k = 0; c->kind == SPIRV_COMPOSITE && k < c->count; k++)
        note_constant(w, in, c->elements[k]);
}

/* A bit cast of a pointer to an integer. */
static bool makes_number(const spirv_module *m, const spirv_insn *insn) {
    return insn->op == SPIRV_OpBitcast &&
           spirv_type_of(m, spirv_word(m, insn, 3))->kind == SPIRV_POINTER &&
           spirv_type_at(m, insn->type)->kind != SPIRV_POINTER;
}

static void note_variables(finder *w, to_module *in, const spirv_insn *insn) {
    spirv_cursor cursor = spirv_operands(in->m, insn);
    spirv_operand operand;
    while (spirv_next(in->m, insn, &cursor, &operand) && operand.words) {
        if (!spirv_letter_names(operand.letter))
            continue;
        spirv_id id = spirv_word(in->m, insn, operand.index);
        note_constant(w, in, id);
    }
    if (insn->op == SPIRV_OpPtrEqual || insn->op == SPIRV_OpPtrNotEqual ||
        insn->op == SPIRV_OpConvertPtrToU || makes_number(in->m, insn))
        w->p->compares_pointers = true;
}

/* A function is done when its callees are done. */
static void close_function(finder *w) {
    visit v = w->stack[--w->height];
    w->state[v.in == &w->p->modules[1]][v.function] = 2;
    if (v.in->convergent[v.function] && w->height)
        w->stack[w->height - 1].in->convergent[w->stack[w->height - 1].function] = true;
}

static void step_into(finder *w) {
    visit *v = &w->stack[w->height - 1];
    if (v->insn >= v->end) {
        close_function(w);
        return;
    }
    to_module *in = v->in;
    const spirv_insn *insn = &in->m->insns[v->insn++];
    uint32_t function = v->function;
    if (!spirv_row_of(insn->op))
        return;
    note_variables(w, in, insn);
    if (to_is_convergent(insn->op))
        in->convergent[function] = true;
    if (insn->op == SPIRV_OpFunctionCall || insn->op == SPIRV_OpExtInst ||
        insn->op == SPIRV_OpFRem || insn->op == SPIRV_OpFMod) {
        const spirv_module *m = in->m;
        uint32_t callee =
            insn->op == SPIRV_OpFunctionCall ? m->defs[spirv_word(m, insn, 3)].index : UINT32_MAX;
        if (callee != UINT32_MAX && w->state[in == &w->p->modules[1]][callee] == 2 &&
            in->convergent[callee])
            in->convergent[function] = true;
        follow_call(w, in, insn);
    }
}

static void find_functions(finder *w) {
    to_module *in = &w->p->modules[0];
    for (uint32_t k = 0; k < in->m->entry_count && !w->failed; k++) {
        open_function(w, in, in->m->entries[k].function, NULL);
        while (w->height && !w->failed)
            step_into(w);
    }
}

/* ---- Constant memory ---- */

/* Bytes of a constant; types nest at most DEEPEST_TYPE deep, and sizes bound the work. */
static void write_constant(finder *w, const to_module *in, spirv_id id, uint8_t *out) {
    const spirv_module *m = in->m;
    const spirv_constant *c = spirv_constant_at(m, id);
    const spirv_type *type = spirv_type_of(m, id);
    uint64_t bits = c ? c->bits : 0;
    if (!c || !type || !type->size || c->kind == SPIRV_NULL || c->kind == SPIRV_UNDEF)
        return;
    if (c->kind == SPIRV_COMPOSITE) {
        for (uint32_t k = 0; k < c->count && k < type->count; k++)
            write_constant(w, in, c->elements[k],
                           out + (type->kind == SPIRV_STRUCT ? type->members[k].offset
                                                             : k * spirv_element_size(m, type)));
        return;
    }
    if (c->kind == SPIRV_ADDRESS) {
        const spirv_variable *v = &m->variables[m->defs[c->variable].index];
        uint32_t at = in->variable_offset[m->defs[c->variable].index];
        if (!at)
            fail(w, m, &m->insns[m->defs[v->id].insn], DIAG_E_SPIRV_FEATURE,
                 "constant data contains the address of %s, which is not constant", v->name);
        bits = at - 1 + (uint64_t)c->offset;
    }
    for (uint32_t k = 0; k < type->size && k < 8; k++)
        out[k] = (uint8_t)(bits >> (8 * k));
}

static void place_constant(finder *w, to_module *in, uint32_t index) {
    const spirv_variable *v = &in->m->variables[index];
    const spirv_type *type = spirv_type_at(in->m, spirv_type_at(in->m, v->type)->element);
    uint64_t align = v->align ? v->align : 1;
    uint64_t at = (w->p->constant_size + align - 1) / align * align;
    if (v->imported) {
        fail(w, in->m, &in->m->insns[in->m->defs[v->id].insn], DIAG_E_SPIRV_IMPORT,
             "the variable %s is not defined", v->name);
    } else if (at + type->size > FE_MAX_CONSTANT) {
        fail(w, in->m, &in->m->insns[in->m->defs[v->id].insn], DIAG_E_SPIRV_LIMIT,
             "constant data exceeds 65536 bytes with %s", v->name);
    } else {
        in->variable_offset[index] = (uint32_t)at + 1;
        w->p->constant_size = (uint32_t)(at + type->size);
    }
}

/* clang keeps its switch tables in global memory, as constants. */
static bool is_constant(const spirv_module *m, uint32_t index) {
    const spirv_variable *v = &m->variables[index];
    return v->storage == SPIRV_UniformConstant ||
           (v->storage == SPIRV_CrossWorkgroup && v->initializer &&
            spirv_decorated(m, v->id, UINT32_MAX, SPIRV_Dec_Constant));
}

/* Offset 0 stays free if pointers are compared, including with null. */
static void place_constants(finder *w) {
    spirv_program *p = w->p;
    uint32_t start = p->compares_pointers ? 16 : 0;
    p->constant_size = start;
    for (uint32_t k = 0; k < p->module_count; k++)
        for (uint32_t n = 0; n < p->modules[k].m->variable_count && !w->failed; n++)
            if (w->used[k] && w->used[k][n] && is_constant(p->modules[k].m, n))
                place_constant(w, &p->modules[k], n);
    if (p->constant_size == start)
        p->constant_size = 0;
    p->constants = arena_alloc(&p->memory, p->constant_size + (size_t)16);
    if (!p->constants)
        fail_memory(w);
    for (uint32_t k = 0; k < p->module_count && !w->failed; k++)
        for (uint32_t n = 0; n < p->modules[k].m->variable_count; n++) {
            uint32_t at = p->modules[k].variable_offset[n];
            if (at && p->modules[k].m->variables[n].initializer)
                write_constant(w, &p->modules[k], p->modules[k].m->variables[n].initializer,
                               p->constants + at - 1);
        }
}

/* Addresses in the data of a used variable reference others. */
static void follow_addresses(finder *w) {
    while (w->pending_count && !w->failed) {
        reference next = w->pending[--w->pending_count];
        to_module *in = &w->p->modules[next.module];
        const spirv_variable *variable = &in->m->variables[next.variable];
        if (variable->initializer)
            note_constant(w, in, variable->initializer);
    }
}

/* ---- The object ---- */

static bool start_module(finder *w, to_module *in, const spirv_module *m, unsigned index) {
    arena *a = &w->p->memory;
    in->m = m;
    in->flat = arena_alloc(a, (m->type_count + (size_t)1) * sizeof *in->flat);
    in->slot = arena_alloc(a, (m->bound + (size_t)1) * sizeof *in->slot);
    in->variable_offset = arena_alloc(a, (m->variable_count + (size_t)1) * sizeof(uint32_t));
    in->plan = arena_alloc(a, (m->function_count + (size_t)1) * sizeof(void *));
    in->is_kernel = arena_alloc(a, m->function_count + (size_t)1);
    in->convergent = arena_alloc(a, m->function_count + (size_t)1);
    w->state[index] = arena_alloc(a, m->function_count + (size_t)1);
    w->used[index] = arena_alloc(a, m->variable_count + (size_t)1);
    in->noted = arena_alloc(a, m->constant_count + (size_t)1);
    if (!in->flat || !in->slot || !in->variable_offset || !in->plan || !in->is_kernel ||
        !in->convergent || !in->noted || !w->state[index] || !w->used[index])
        return false;
    for (uint32_t k = 0; k < m->entry_count && !index; k++)
        in->is_kernel[m->entries[k].function] = true;
    return true;
}

spirv_program *spirv_program_create(const spirv_module *module, const spirv_module *library,
                                    wave_diags *diags) {
    spirv_program *p = calloc(1, sizeof *p);
    finder w = {.p = p, .diags = diags};
    bool ok = p != NULL;
    if (ok) {
        p->module_count = library ? 2 : 1;
        ok = start_module(&w, &p->modules[0], module, 0) &&
             (!library || start_module(&w, &p->modules[1], library, 1));
        size_t most = module->variable_count + (library ? library->variable_count : (size_t)0);
        w.pending = arena_alloc(&p->memory, (most + 1) * sizeof *w.pending);
        ok = ok && w.pending && to_collect_names(p);
    }
    if (!ok) {
        diag_report(diags, DIAG_E_MEMORY, &DIAG_NOWHERE, "not enough memory to compile");
        spirv_program_destroy(p);
        return NULL;
    }
    find_functions(&w);
    if (!w.failed) {
        follow_addresses(&w);
        place_constants(&w);
    }
    free(w.stack);
    if (w.failed) {
        spirv_program_destroy(p);
        return NULL;
    }
    return p;
}

void spirv_program_destroy(spirv_program *p) {
    if (!p)
        return;
    arena_free(&p->memory);
    free(p);
}

const uint8_t *spirv_program_constants(const spirv_program *p, uint32_t *size) {
    *size = p->constant_size;
    return p->constants;
}
