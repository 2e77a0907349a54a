// Execution of memory instructions: address translation, access checks, and atomics.
#include "ptxvm/num.h"

static const char *const space_names[] = {"generic", "global", "shared", "const",
                                          "local",   "param",  "param"};

// True if [address, address + size) is inside [base, base + length); *offset is relative to base.
static bool inside(uint64_t address, uint64_t size, uint64_t base, uint64_t length,
                   uint64_t *offset) {
    *offset = address - base;
    return address >= base && *offset <= length && size <= length - *offset;
}

static uint8_t *shared_bytes(const vm_run *run, const vm_thread *t, uint64_t address,
                             uint64_t size) {
    uint64_t offset, own = run->entry->shared_size, module = run->module->module_shared;
    if (inside(address, size, VM_SHARED_BASE, own, &offset)) {
        return t->block->shared + offset;
    }
    if (inside(address, size, VM_MODULE_SHARED, module, &offset)) {
        return t->block->shared + vm_align16(own) + offset;
    }
    if (inside(address, size, VM_DYNAMIC_BASE, run->options->dynamic_shared_bytes, &offset)) {
        return t->block->shared + vm_align16(own) + vm_align16(module) + offset;
    }
    return NULL;
}

static uint8_t *local_bytes(const vm_run *run, const vm_thread *t, uint64_t address,
                            uint64_t size) {
    uint64_t offset, length = (uint64_t)run->module->func_local + run->entry->local_size;
    return inside(address, size, VM_LOCAL_BASE, length, &offset) ? t->local + offset : NULL;
}

static uint8_t *global_bytes(vm_run *run, uint64_t address, uint64_t size, bool *read_only) {
    uint64_t offset;
    const ptxvm_launch_options *o = run->options;
    for (size_t i = 0; i < o->range_count; i++) {
        if (inside(address, size, o->ranges[i].address, o->ranges[i].size, &offset)) {
            *read_only = o->ranges[i].read_only;
            return (uint8_t *)o->ranges[i].host + offset;
        }
    }
    if (inside(address, size, VM_GLOBAL_BASE, run->module->globals.size, &offset)) {
        return run->globals + offset;
    }
    return NULL;
}

static const uint8_t *read_only_bytes(const vm_run *run, vm_space space, uint64_t address,
                                      uint64_t size) {
    uint64_t offset;
    if (space != VM_PARAM &&
        inside(address, size, VM_CONST_BASE, run->module->constants.size, &offset)) {
        return run->module->constants.bytes + offset;
    }
    if (space != VM_CONST &&
        inside(address, size, VM_PARAM_WINDOW, run->options->param_bytes, &offset)) {
        return (const uint8_t *)run->options->params + offset;
    }
    return NULL;
}

// Writable memory of the space; NULL if there is none at the address.
static uint8_t *writable_bytes(vm_run *run, const vm_thread *t, vm_space *space, uint64_t address,
                               uint64_t size, bool *read_only) {
    *read_only = false;
    switch (*space) {
    case VM_SHARED: return shared_bytes(run, t, address, size);
    case VM_LOCAL: return local_bytes(run, t, address, size);
    case VM_GLOBAL: return global_bytes(run, address, size, read_only);
    case VM_FRAME_PARAM:
        return address <= t->function->frame_size && size <= t->function->frame_size - address
                   ? t->frame + address
                   : NULL;
    case VM_GENERIC:
        if (address - VM_SHARED_WINDOW < VM_WINDOW_BYTES) {
            *space = VM_SHARED;
            return shared_bytes(run, t, address - VM_SHARED_WINDOW, size);
        }
        if (address - VM_LOCAL_WINDOW < VM_WINDOW_BYTES) {
            *space = VM_LOCAL;
            return local_bytes(run, t, address - VM_LOCAL_WINDOW, size);
        }
        *space = VM_GLOBAL;
        return global_bytes(run, address, size, read_only);
    default: return NULL;
    }
}

uint64_t vm_address_of(vm_run *run, const vm_thread *t, const vm_operand *op) {
    uint64_t address = vm_source(run, t, op);
    if (op->kind != VM_O_REG) {
        return address;
    }
    address += op->imm;
    return vm_types[op->type].bits == 32 ? (uint32_t)address : address;
}

// The bytes of an access, or NULL with the error reported. *space becomes the actual space.
static uint8_t *access_to(vm_run *run, const vm_thread *t, const vm_insn *in, vm_space *space,
                          uint64_t address, uint64_t size, bool write) {
    const char *name = space_names[*space];
    bool read_only;
    if (run->undefined && (run->options->checks & PTXVM_CHECK_UNINITIALISED)) {
        return NULL;
    }
    if (address & (size - 1)) {
        vm_fail(run, t, in, PTXVM_MISALIGNED, "%s address 0x%llx is not a multiple of %u", name,
                (unsigned long long)address, (unsigned)size);
        return NULL;
    }
    vm_space asked = *space;
    uint8_t *bytes = writable_bytes(run, t, space, address, size, &read_only);
    if (!bytes && (asked == VM_GENERIC || asked == VM_CONST || asked == VM_PARAM)) {
        // Only reads use this pointer; a write is refused below.
        const uint8_t *constant = read_only_bytes(run, asked, address, size);
        bytes = (uint8_t *)(uintptr_t)constant;
        read_only = true;
    }
    if (!bytes) {
        vm_fail(run, t, in, PTXVM_OUT_OF_BOUNDS, "%u bytes at %s address 0x%llx", (unsigned)size,
                name, (unsigned long long)address);
        return NULL;
    }
    if (write && read_only) {
        vm_fail(run, t, in, PTXVM_READ_ONLY, "%s address 0x%llx", name,
                (unsigned long long)address);
        return NULL;
    }
    return bytes;
}

static uint8_t *access(vm_run *run, const vm_thread *t, const vm_insn *in, vm_space *space,
                       uint64_t size, bool write) {
    return access_to(run, t, in, space, vm_address_of(run, t, &in->op[0]), size, write);
}

// PTX memory is little-endian. Written so that compilers generate a single load or store.
static uint32_t load32(const uint8_t *b) {
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void store32(uint8_t *b, uint32_t value) {
    b[0] = (uint8_t)value;
    b[1] = (uint8_t)(value >> 8);
    b[2] = (uint8_t)(value >> 16);
    b[3] = (uint8_t)(value >> 24);
}

static uint64_t load(const uint8_t *bytes, unsigned size) {
    switch (size) {
    case 1: return bytes[0];
    case 2: return bytes[0] | (uint64_t)bytes[1] << 8;
    case 4: return load32(bytes);
    default: return load32(bytes) | (uint64_t)load32(bytes + 4) << 32;
    }
}

static void store(uint8_t *bytes, unsigned size, uint64_t value) {
    switch (size) {
    case 1: bytes[0] = (uint8_t)value; break;
    case 2:
        bytes[0] = (uint8_t)value;
        bytes[1] = (uint8_t)(value >> 8);
        break;
    case 4: store32(bytes, (uint32_t)value); break;
    default:
        store32(bytes, (uint32_t)value);
        store32(bytes + 4, (uint32_t)(value >> 32));
        break;
    }
}

// ---- order

void vm_release(vm_run *run, const vm_thread *t, const vm_insn *in) {
    if (run->weak && (in->mode & VM_RELEASE)) {
        weakmem_release(run->weak, t->weak_lane, (weakmem_scope)in->round);
    }
}

void vm_acquire(vm_run *run, const vm_thread *t, const vm_insn *in) {
    if (run->weak && (in->mode & VM_ACQUIRE)) {
        weakmem_acquire(run->weak, t->weak_lane, (weakmem_scope)in->round);
    }
}

vm_step vm_x_fence(vm_run *run, vm_thread *t, const vm_insn *in) {
    vm_release(run, t, in);
    vm_acquire(run, t, in);
    return VM_NEXT;
}

// Whether other threads may share the memory.
static bool is_common(const vm_run *run, vm_space space) {
    return run->weak && (space == VM_GLOBAL || space == VM_SHARED);
}

// ---- accesses

vm_step vm_x_ld(vm_run *run, vm_thread *t, const vm_insn *in) {
    unsigned size = vm_bytes((vm_type)in->type);
    vm_space space = (vm_space)in->space;
    uint8_t *bytes = access(run, t, in, &space, (uint64_t)size * in->count, false);
    if (!bytes) {
        return VM_ERROR;
    }
    uint8_t seen[16];
    if (is_common(run, space)) {
        unsigned all = size * in->count;
        if (in->mode == VM_WEAK) {
            weakmem_load(run->weak, t->weak_lane, bytes, all, seen);
            bytes = seen;
        } else {
            weakmem_atomic(run->weak, t->weak_lane, bytes, all);
        }
    }
    bool extend = vm_types[in->type].class == VM_SINT;
    for (unsigned i = 0; i < in->count; i++) {
        uint64_t value = load(bytes + i * size, size);
        if (extend) {
            unsigned bits = vm_types[in->op[i + 1].type].bits;
            value = (uint64_t)vm_sign_extend(value, size * 8) & vm_mask(bits);
        }
        vm_write(t, &in->op[i + 1], value);
    }
    vm_acquire(run, t, in);
    return VM_NEXT;
}

vm_step vm_x_st(vm_run *run, vm_thread *t, const vm_insn *in) {
    unsigned size = vm_bytes((vm_type)in->type);
    vm_space space = (vm_space)in->space;
    uint8_t *bytes = access(run, t, in, &space, (uint64_t)size * in->count, true);
    if (!bytes) {
        return VM_ERROR;
    }
    uint8_t kept[16], *to = bytes;
    bool waits = is_common(run, space) && in->mode == VM_WEAK;
    if (waits) {
        to = kept;
    } else if (is_common(run, space)) {
        vm_release(run, t, in);
        weakmem_atomic(run->weak, t->weak_lane, bytes, size * in->count);
    }
    for (unsigned i = 0; i < in->count; i++) {
        store(to + i * size, size, vm_source(run, t, &in->op[i + 1]));
    }
    if (waits) {
        weakmem_store(run->weak, t->weak_lane, bytes, size * in->count, kept);
    }
    return VM_NEXT;
}

bool vm_access_at(vm_run *run, vm_thread *t, const vm_insn *in, uint64_t address, unsigned size,
                  bool write, uint32_t *value) {
    vm_space space = (vm_space)in->space;
    uint8_t *bytes = access_to(run, t, in, &space, address, size, write), seen[4];
    if (!bytes) {
        return false;
    }
    if (is_common(run, space) && write) {
        store(seen, size, *value);
        weakmem_store(run->weak, t->weak_lane, bytes, size, seen);
    } else if (write) {
        store(bytes, size, *value);
    } else if (is_common(run, space)) {
        weakmem_load(run->weak, t->weak_lane, bytes, size, seen);
        *value = (uint32_t)load(seen, size);
    } else {
        *value = (uint32_t)load(bytes, size);
    }
    return true;
}

static uint64_t atomic_result(const vm_run *run, const vm_insn *in, vm_space space, uint64_t old,
                              uint64_t b, uint64_t c) {
    vm_type_info info = vm_types[in->type];
    bool less = info.class == VM_SINT
                    ? vm_sign_extend(old, info.bits) < vm_sign_extend(b, info.bits)
                    : old < b;
    switch (in->sub) {
    case VM_ATOM_ADD:
        // On global memory the hardware flushes f32 subnormals; on shared memory it does not.
        return info.class == VM_FLOAT
                   ? vm_float_add(run, (vm_type)in->type, old, b, space == VM_GLOBAL)
                   : old + b;
    case VM_ATOM_AND: return old & b;
    case VM_ATOM_OR: return old | b;
    case VM_ATOM_XOR: return old ^ b;
    case VM_ATOM_EXCH: return b;
    case VM_ATOM_CAS: return old == b ? c : old;
    case VM_ATOM_MIN: return less ? old : b;
    case VM_ATOM_MAX: return less ? b : old;
    case VM_ATOM_INC: return old >= b ? 0 : old + 1;
    default: return old == 0 || old > b ? b : old - 1;
    }
}

vm_step vm_x_atom(vm_run *run, vm_thread *t, const vm_insn *in) {
    unsigned size = vm_bytes((vm_type)in->type);
    vm_space space = (vm_space)in->space;
    uint8_t *bytes = access(run, t, in, &space, size, true);
    if (!bytes) {
        return VM_ERROR;
    }
    if (is_common(run, space)) {
        vm_release(run, t, in);
        weakmem_atomic(run->weak, t->weak_lane, bytes, size);
    }
    uint64_t old = load(bytes, size), b = vm_source(run, t, &in->op[2]);
    uint64_t c = in->sub == VM_ATOM_CAS ? vm_source(run, t, &in->op[3]) : 0;
    store(bytes, size, atomic_result(run, in, space, old, b, c));
    vm_write(t, &in->op[1], old);
    vm_acquire(run, t, in);
    return VM_NEXT;
}

static uint64_t window_of(vm_space space) {
    return space == VM_SHARED ? VM_SHARED_WINDOW : space == VM_LOCAL ? VM_LOCAL_WINDOW : 0;
}

vm_step vm_x_cvta(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t value = vm_source(run, t, &in->op[1]), window = window_of((vm_space)in->space);
    vm_write(t, &in->op[0], in->mode ? value - window : value + window);
    return VM_NEXT;
}

vm_step vm_x_isspacep(vm_run *run, vm_thread *t, const vm_insn *in) {
    uint64_t address = vm_source(run, t, &in->op[1]);
    vm_space space = address - VM_SHARED_WINDOW < VM_WINDOW_BYTES           ? VM_SHARED
                     : address - VM_LOCAL_WINDOW < VM_WINDOW_BYTES          ? VM_LOCAL
                     : address - VM_PARAM_WINDOW < VM_WINDOW_BYTES          ? VM_PARAM
                     : address >= VM_CONST_BASE && address < VM_GLOBAL_BASE ? VM_CONST
                                                                            : VM_GLOBAL;
    vm_write(t, &in->op[0], space == (vm_space)in->space);
    return VM_NEXT;
}
