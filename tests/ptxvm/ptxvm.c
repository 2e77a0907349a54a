// The interpreter's public interface: parses a module, queries its kernels, frees it. Launching is
// in run.c.
#include "ptxvm/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CALL_DEPTH 64

const char *ptxvm_status_name(ptxvm_status status) {
    static const char *const names[] = {
#define X(name, text) #name,
        PTXVM_STATUS_LIST(X)
#undef X
    };
    return (size_t)status < sizeof names / sizeof *names ? names[status] : "?";
}

// Detects recursion, and computes the call depth below each function.
static bool call_depth(vm_parser *p, vm_function *f, uint32_t level) {
    enum { NEW, OPEN, DONE };
    if (f->visit == DONE) {
        return true;
    }
    if (f->visit == OPEN) {
        return vm_error_at(p, 0, PTXVM_UNSUPPORTED, "recursion through '%s'", f->name);
    }
    if (level > MAX_CALL_DEPTH) {
        return vm_error_at(p, 0, PTXVM_NO_MEMORY, "calls nested too deeply");
    }
    f->visit = OPEN;
    for (uint32_t i = 0; i < f->code_count; i++) {
        if (f->code[i].exec == vm_x_call) {
            vm_function *callee = p->module->functions[f->code[i].target];
            if (!call_depth(p, callee, level + 1)) {
                return false;
            }
            f->depth = callee->depth + 1 > f->depth ? callee->depth + 1 : f->depth;
        }
    }
    f->visit = DONE;
    return true;
}

// Device functions are not recursive, so each has a fixed place in a thread's registers, frames and
// local memory; the running kernel comes after all of them.
static bool lay_out(vm_parser *p) {
    ptxvm_module *m = p->module;
    uint64_t regs = 0, frame = 0, local = 0;
    for (uint32_t i = 0; i < m->function_count; i++) {
        vm_function *f = m->functions[i];
        if (!f->is_entry) {
            f->reg_base = (uint32_t)regs;
            f->frame_base = (uint32_t)frame;
            f->local_base = (uint32_t)local;
            regs += f->reg_count;
            frame += (f->frame_size + 15u) & ~15u;
            local += (f->local_size + 255u) & ~255u;
        }
        m->entry_count += f->is_entry && f->has_body;
        if (regs + frame + local > VM_MAX_STATIC) {
            return vm_error_at(p, 0, PTXVM_NO_MEMORY, "device functions too large");
        }
        if (!call_depth(p, f, 0)) {
            return false;
        }
    }
    m->func_regs = (uint32_t)regs;
    m->func_frame = (uint32_t)frame;
    m->func_local = (uint32_t)local;
    return true;
}

static bool finish(vm_parser *p) {
    ptxvm_module *m = p->module;
    if (!lay_out(p)) {
        return false;
    }
    m->entries = calloc(m->entry_count ? m->entry_count : 1, sizeof *m->entries);
    if (!m->entries) {
        return vm_no_memory(p);
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < m->function_count; i++) {
        vm_function *f = m->functions[i];
        if (!f->is_entry || !f->has_body) {
            continue;
        }
        f->reg_base = m->func_regs;
        f->frame_base = m->func_frame;
        f->local_base = m->func_local;
        f->entry.name = f->name;
        f->entry.params = f->params;
        f->entry.param_count = f->param_count;
        f->entry.static_shared_bytes = f->shared_size + m->module_shared;
        m->entries[next++] = i;
    }
    return true;
}

ptxvm_status ptxvm_parse(const char *text, size_t length, ptxvm_module **module,
                         ptxvm_error *error) {
    memset(error, 0, sizeof *error);
    *module = NULL;
    vm_parser *p = calloc(1, sizeof *p);
    ptxvm_module *m = calloc(1, sizeof *m);
    char *copy = length < UINT32_MAX / 2 ? malloc(length + 1) : NULL;
    if (!p || !m || !copy) {
        free(p);
        free(m);
        free(copy);
        error->status = PTXVM_NO_MEMORY;
        snprintf(error->message, sizeof error->message, "NO_MEMORY: the text is too long");
        return error->status;
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    m->text = copy;
    m->length = length;
    p->module = m;
    p->error = error;
    p->at = copy;
    p->line = 1;
    if (vm_parse_module(p) && finish(p)) {
        *module = m;
    } else {
        ptxvm_free(m);
    }
    free(p->symbols);
    free(p->buckets);
    free(p->fixups);
    free(p);
    return error->status;
}

void ptxvm_free(ptxvm_module *m) {
    if (!m) {
        return;
    }
    for (uint32_t i = 0; i < m->function_count; i++) {
        vm_function *f = m->functions[i];
        free(f->name);
        free(f->code);
        free(f->params);
        free(f->targets);
        free(f);
    }
    free(m->functions);
    free(m->entries);
    free(m->constants.bytes);
    free(m->globals.bytes);
    free(m->text);
    free(m);
}

size_t ptxvm_entry_count(const ptxvm_module *m) {
    return m->entry_count;
}

const ptxvm_entry *ptxvm_entry_at(const ptxvm_module *m, size_t index) {
    return index < m->entry_count ? &m->functions[m->entries[index]]->entry : NULL;
}

const ptxvm_entry *ptxvm_find_entry(const ptxvm_module *m, const char *name) {
    for (uint32_t i = 0; i < m->entry_count; i++) {
        if (!strcmp(m->functions[m->entries[i]]->name, name)) {
            return &m->functions[m->entries[i]]->entry;
        }
    }
    return NULL;
}
