// Shared by the parts of the PTX interpreter: types, decoded instructions, module and thread state.
// Internal; users of the interpreter include ptxvm.h.
#ifndef PTXVM_VM_H
#define PTXVM_VM_H

#include "ptxvm/ptxvm.h"
#include "weakmem/weakmem.h"

// ---- types of registers and instructions

typedef enum { VM_TRUTH, VM_BITS, VM_UINT, VM_SINT, VM_FLOAT } vm_class;

// X(name, text, bits, class)
#define VM_TYPES(X)                                                                                \
    X(PRED, "pred", 1, VM_TRUTH)                                                                   \
    X(B8, "b8", 8, VM_BITS)                                                                        \
    X(B16, "b16", 16, VM_BITS)                                                                     \
    X(B32, "b32", 32, VM_BITS)                                                                     \
    X(B64, "b64", 64, VM_BITS)                                                                     \
    X(U8, "u8", 8, VM_UINT)                                                                        \
    X(U16, "u16", 16, VM_UINT)                                                                     \
    X(U32, "u32", 32, VM_UINT)                                                                     \
    X(U64, "u64", 64, VM_UINT)                                                                     \
    X(S8, "s8", 8, VM_SINT)                                                                        \
    X(S16, "s16", 16, VM_SINT)                                                                     \
    X(S32, "s32", 32, VM_SINT)                                                                     \
    X(S64, "s64", 64, VM_SINT)                                                                     \
    X(F16, "f16", 16, VM_FLOAT)                                                                    \
    X(BF16, "bf16", 16, VM_FLOAT)                                                                  \
    X(F16X2, "f16x2", 32, VM_FLOAT)                                                                \
    X(BF16X2, "bf16x2", 32, VM_FLOAT)                                                              \
    X(F32, "f32", 32, VM_FLOAT)                                                                    \
    X(F64, "f64", 64, VM_FLOAT)

typedef enum {
    VM_NO_TYPE,
#define X(name, text, bits, class) VM_##name,
    VM_TYPES(X)
#undef X
        VM_TYPE_COUNT
} vm_type;

typedef struct {
    const char *text;
    uint8_t bits;
    vm_class class;
} vm_type_info;

extern const vm_type_info vm_types[VM_TYPE_COUNT];

// Whether instructions compute with this integer type: 8-bit ones occur only in memory instructions
// and cvt.
static inline bool vm_is_integer(vm_type type) {
    vm_type_info t = vm_types[type];
    return (t.class == VM_UINT || t.class == VM_SINT) && t.bits >= 16;
}

static inline unsigned vm_bytes(vm_type type) {
    return (vm_types[type].bits + 7u) / 8u;
}

static inline uint64_t vm_mask(unsigned bits) {
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static inline uint64_t vm_align16(uint64_t value) {
    return (value + 15) & ~UINT64_C(15);
}

static inline int64_t vm_sign_extend(uint64_t value, unsigned bits) {
    uint64_t sign = UINT64_C(1) << (bits - 1);
    value &= vm_mask(bits);
    return (int64_t)((value ^ sign) - sign);
}

// ---- addresses

// Shared and local addresses start above 0, which exposes a forgotten base. Shared variables of a
// kernel, those outside kernels, and dynamic shared memory are not adjacent: no rule says that one
// follows another.
#define VM_SHARED_BASE    UINT64_C(0x400)
#define VM_MODULE_SHARED  UINT64_C(0x800000)
#define VM_DYNAMIC_BASE   UINT64_C(0x1000000)
#define VM_LOCAL_BASE     UINT64_C(0x100)
#define VM_CONST_BASE     UINT64_C(0x500000000000)
#define VM_GLOBAL_BASE    UINT64_C(0x600000000000)
#define VM_SHARED_WINDOW  UINT64_C(0x7A0000000000)
#define VM_LOCAL_WINDOW   UINT64_C(0x7B0000000000)
#define VM_PARAM_WINDOW   UINT64_C(0x7C0000000000)
#define VM_WINDOW_BYTES   UINT64_C(0x100000000)
#define VM_MAX_STATIC     (UINT64_C(1) << 26)
#define VM_USER_SPACE_END VM_CONST_BASE

typedef enum {
    VM_GENERIC,
    VM_GLOBAL,
    VM_SHARED,
    VM_CONST,
    VM_LOCAL,
    VM_PARAM,      // of the kernel
    VM_FRAME_PARAM // .param variables of device functions and call sites
} vm_space;

// ---- decoded instructions

typedef enum { VM_O_NONE, VM_O_REG, VM_O_IMM, VM_O_SPECIAL, VM_O_LOCAL } vm_operand_kind;

// VM_O_REG: reg, and imm is the displacement if it is an address; VM_O_IMM: imm; VM_O_SPECIAL: reg
// is a vm_special; VM_O_LOCAL: imm is an offset into the function's local variables.
typedef struct {
    uint8_t kind;
    uint8_t negate; // of a predicate
    uint8_t type;   // of the register
    uint32_t reg;
    uint64_t imm;
} vm_operand;

typedef enum {
    VM_TID_X,
    VM_TID_Y,
    VM_TID_Z,
    VM_NTID_X,
    VM_NTID_Y,
    VM_NTID_Z,
    VM_CTAID_X,
    VM_CTAID_Y,
    VM_CTAID_Z,
    VM_NCTAID_X,
    VM_NCTAID_Y,
    VM_NCTAID_Z,
    VM_LANEID,
    VM_WARPID,
    VM_NWARPID,
    VM_LANEMASK_EQ,
    VM_LANEMASK_LE,
    VM_LANEMASK_LT,
    VM_LANEMASK_GE,
    VM_LANEMASK_GT,
    VM_CLOCK,
    VM_CLOCK64,
    VM_SMID,
    VM_NSMID,
    VM_GRIDID,
    VM_DYNAMIC_SMEM,
    VM_TOTAL_SMEM
} vm_special;

typedef enum { VM_NO_ROUND, VM_RN, VM_RZ, VM_RM, VM_RP, VM_RNI, VM_RZI, VM_RMI, VM_RPI } vm_round;

enum {
    VM_FTZ = 1,
    VM_SAT = 2,
    VM_APPROX = 4,  // .approx or .full
    VM_UNFUSED = 8, // float add/sub/mul without rounding modifier
    VM_CARRY_OUT = 16,
    VM_CARRY_IN = 32,
    VM_NAN = 64,     // min/max .NaN
    VM_ALIGNED = 64, // barriers
    VM_RELU = 128
};

typedef struct vm_run vm_run;
typedef struct vm_thread vm_thread;
typedef struct vm_insn vm_insn;

typedef enum { VM_NEXT, VM_YIELD, VM_ERROR } vm_step;
typedef vm_step (*vm_exec)(vm_run *, vm_thread *, const vm_insn *);

#define VM_MAX_OPERANDS 9

// How ld, st, atom and fence order memory, in vm_insn.mode; the scope of an acquire or release (a
// weakmem_scope) is in vm_insn.round. Barriers order memory without them.
enum { VM_WEAK = 0, VM_STRONG = 1, VM_ACQUIRE = 2, VM_RELEASE = 4 };

// op[0] is the destination if there is one. The execute function defines the meaning of the small
// fields.
struct vm_insn {
    vm_exec exec;
    uint8_t type, type2;
    uint8_t sub, mode; // sub-operation
    uint8_t round, flags;
    uint8_t space, count;
    uint8_t guard_negate;
    uint8_t operand_count;
    uint32_t guard; // register + 1, 0 if none
    // Of a branch: instruction; of a call: function; of brx: first entry of the table.
    uint32_t target;
    uint32_t target_count;
    uint32_t line, text, text_length;
    vm_operand op[VM_MAX_OPERANDS];
};

// ---- modules

typedef struct {
    uint32_t offset, size;
} vm_slot;

typedef struct {
    char *name;
    bool is_entry, has_body, declared;
    uint32_t signature; // of parameters and result
    vm_insn *code;
    uint32_t code_count, code_capacity;
    uint32_t reg_count, reg_base;    // base is an index into a thread's registers
    uint32_t frame_size, frame_base; // .param variables
    uint32_t local_size, local_base; // .local variables
    uint32_t shared_size;            // end of this entry's shared variables, from VM_SHARED_BASE
    ptxvm_param *params; // of an entry: offsets into the launch; of a function: into its frame
    uint32_t param_count, param_capacity;
    vm_slot result; // of a function: in its frame
    bool has_result;
    uint32_t *targets; // for brx.idx: instructions
    uint32_t target_count, target_capacity;
    uint8_t visit;  // used to detect recursion
    uint32_t depth; // of calls below this function
    ptxvm_entry entry;
} vm_function;

typedef struct {
    uint8_t *bytes;
    uint64_t size, capacity;
} vm_image;

struct ptxvm_module {
    char *text;
    size_t length;
    vm_function **functions;
    uint32_t function_count, function_capacity;
    uint32_t *entries;
    uint32_t entry_count;
    vm_image constants, globals;
    uint32_t module_shared;                     // bytes of shared variables outside entries
    uint32_t func_regs, func_frame, func_local; // total of all device functions
};

// ---- running

typedef enum { VM_RUNNABLE, VM_WARP_WAIT, VM_BARRIER_WAIT, VM_EXITED } vm_state;

#define VM_NOT_LISTED UINT32_MAX

typedef struct vm_block vm_block;

typedef struct {
    const vm_function *function;
    uint32_t pc;
} vm_frame;

struct vm_thread {
    uint64_t *regs; // of the current function
    uint8_t *written;
    uint8_t *frame; // its .param variables
    const vm_function *function;
    uint32_t pc;
    uint32_t depth;
    uint8_t state, carry, lane;
    uint32_t runnable_at; // index in vm_run.runnable, or VM_NOT_LISTED
    uint32_t index;       // linear, in the block
    uint32_t weak_lane;   // its index in vm_run.weak
    uint32_t tid[3];
    vm_block *block;
    vm_frame *stack;
    uint64_t *all_regs;
    uint8_t *all_written, *all_frames, *local;
    // While it waits:
    const vm_insn *wait;
    uint32_t wait_mask;  // member mask, or barrier number
    uint32_t wait_count; // thread count of a barrier
    uint64_t wait_value; // this lane's contribution
    uint32_t wait_b, wait_c;
};

typedef struct {
    uint32_t count; // requested threads; 0: all
    uint32_t warps; // arrived
    uint32_t popc, voters;
    const vm_insn *insn;
    bool active;
} vm_barrier;

struct vm_block {
    uint32_t id[3];
    uint32_t thread_count, live;
    uint8_t warp_live[32], warp_at_barrier[32]; // threads of each warp
    vm_thread *threads;
    uint8_t *shared;
    vm_barrier barriers[16];
    uint8_t *memory; // backing memory of the threads' pointers
    uint64_t *registers;
    vm_frame *stacks;
};

struct vm_run {
    const ptxvm_module *module;
    const vm_function *entry;
    const ptxvm_launch_options *options;
    ptxvm_error *error;
    ptxvm_stats stats;
    uint64_t random;
    uint64_t limit;
    uint32_t undefined; // register + 1 that was read before it was written
    uint32_t nan16, nanb16, nan32;
    uint64_t nan64;
    uint8_t *globals;
    weakmem *weak; // NULL: every access takes effect immediately
    uint64_t shared_bytes;
    vm_block *blocks;
    uint32_t block_count;
    vm_thread **runnable;
    uint32_t runnable_count;
    uint32_t *order; // of blocks
    uint64_t total_blocks, next_block;
};

// ---- run.c: state of the run

uint64_t vm_random(vm_run *run);
// Fills in run->error for the thread and returns VM_ERROR.
vm_step vm_fail(vm_run *run, const vm_thread *thread, const vm_insn *insn, ptxvm_status status,
                const char *format, ...);
void vm_wake(vm_run *run, vm_thread *thread);
uint64_t vm_special_value(vm_run *run, const vm_thread *thread, uint32_t special);

static inline uint64_t vm_source(vm_run *run, const vm_thread *thread, const vm_operand *op) {
    if (op->kind == VM_O_REG) {
        if (!thread->written[op->reg]) {
            run->undefined = op->reg + 1;
        }
        return thread->regs[op->reg];
    }
    if (op->kind == VM_O_IMM) {
        return op->imm;
    }
    if (op->kind == VM_O_LOCAL) {
        return VM_LOCAL_BASE + thread->function->local_base + op->imm;
    }
    return vm_special_value(run, thread, op->reg);
}

static inline bool vm_predicate(vm_run *run, const vm_thread *thread, const vm_operand *op) {
    return (vm_source(run, thread, op) & 1) != op->negate;
}

// The value must already be truncated to the register's size.
static inline void vm_write(vm_thread *thread, const vm_operand *op, uint64_t value) {
    if (op->kind == VM_O_REG) {
        thread->regs[op->reg] = value;
        thread->written[op->reg] = 1;
    }
}

// ---- execute functions

// exec_int.c
vm_step vm_x_mov(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_unpack(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_pack(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_add(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_mul(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_div(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_int2(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_logic(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_shift(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_bits(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_field(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_prmt(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_dp4a(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_selp(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_slct(vm_run *, vm_thread *, const vm_insn *);
// exec_float.c
vm_step vm_x_setp(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_set(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_float(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_testp(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_copysign(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_cvt(vm_run *, vm_thread *, const vm_insn *);
// exec_mem.c
vm_step vm_x_ld(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_st(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_atom(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_fence(vm_run *, vm_thread *, const vm_insn *);
// Applies the mode (VM_RELEASE, VM_ACQUIRE) and scope of an instruction to memory.
void vm_release(vm_run *run, const vm_thread *t, const vm_insn *in);
void vm_acquire(vm_run *run, const vm_thread *t, const vm_insn *in);
uint64_t vm_address_of(vm_run *run, const vm_thread *t, const vm_operand *op);
// One element of the instruction's memory, at its own address; false: the error is reported.
bool vm_access_at(vm_run *run, vm_thread *t, const vm_insn *in, uint64_t address, unsigned size,
                  bool write, uint32_t *value);
vm_step vm_x_cvta(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_isspacep(vm_run *, vm_thread *, const vm_insn *);

// wmma.c
vm_step vm_x_wmma(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_finish_wmma(vm_run *run, vm_thread *t);
// exec_flow.c
vm_step vm_x_nop(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_bra(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_brx(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_call(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_ret(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_exit(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_trap(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_warp(vm_run *, vm_thread *, const vm_insn *);
// Waits until all lanes of the warp have reached the same operation; the last one executes it.
vm_step vm_meet(vm_run *run, vm_thread *t);
// A lane of the same warp; NULL: none.
vm_thread *vm_lane_of(const vm_thread *t, uint32_t lane);
vm_step vm_x_activemask(vm_run *, vm_thread *, const vm_insn *);
vm_step vm_x_barrier(vm_run *, vm_thread *, const vm_insn *);
// Called after a thread has exited: others may have been waiting only for it.
vm_step vm_after_exit(vm_run *run, vm_thread *thread);
// Called when no thread can run: reports which one waits for what.
vm_step vm_deadlock(vm_run *run);

// Sub-operations, stored in vm_insn.sub.
enum {
    VM_SUB_ADD,
    VM_SUB_SUB,
    VM_SUB_MUL,
    VM_SUB_FMA,
    VM_SUB_DIV,
    VM_SUB_REM,
    VM_SUB_MIN,
    VM_SUB_MAX,
    VM_SUB_NEG,
    VM_SUB_ABS,
    VM_SUB_SQRT,
    VM_SUB_RCP,
    VM_SUB_RSQRT,
    VM_SUB_SIN,
    VM_SUB_COS,
    VM_SUB_LG2,
    VM_SUB_EX2,
    VM_SUB_TANH
};
enum { VM_SUB_AND, VM_SUB_OR, VM_SUB_XOR, VM_SUB_NOT, VM_SUB_CNOT, VM_SUB_LOP3 };
enum { VM_SUB_SHL, VM_SUB_SHR, VM_SUB_SHF_L, VM_SUB_SHF_R };
enum { VM_SUB_POPC, VM_SUB_CLZ, VM_SUB_BREV, VM_SUB_BFIND };
enum { VM_SUB_BFE, VM_SUB_BFI, VM_SUB_SAD };
enum { VM_MUL_LO, VM_MUL_HI, VM_MUL_WIDE };
enum {
    VM_EQ,
    VM_NE,
    VM_LT,
    VM_LE,
    VM_GT,
    VM_GE,
    VM_EQU,
    VM_NEU,
    VM_LTU,
    VM_LEU,
    VM_GTU,
    VM_GEU,
    VM_NUM,
    VM_CMP_NAN
};
enum { VM_BOOL_NONE, VM_BOOL_AND, VM_BOOL_OR, VM_BOOL_XOR };
enum {
    VM_TEST_FINITE,
    VM_TEST_INFINITE,
    VM_TEST_NUMBER,
    VM_TEST_NOTANUMBER,
    VM_TEST_NORMAL,
    VM_TEST_SUBNORMAL
};
enum {
    VM_ATOM_ADD,
    VM_ATOM_AND,
    VM_ATOM_OR,
    VM_ATOM_XOR,
    VM_ATOM_EXCH,
    VM_ATOM_CAS,
    VM_ATOM_MIN,
    VM_ATOM_MAX,
    VM_ATOM_INC,
    VM_ATOM_DEC
};
enum {
    VM_SHFL_UP,
    VM_SHFL_DOWN,
    VM_SHFL_BFLY,
    VM_SHFL_IDX,
    VM_VOTE_ALL,
    VM_VOTE_ANY,
    VM_VOTE_UNI,
    VM_VOTE_BALLOT,
    VM_MATCH_ANY,
    VM_MATCH_ALL,
    VM_REDUX_ADD,
    VM_REDUX_MIN,
    VM_REDUX_MAX,
    VM_REDUX_AND,
    VM_REDUX_OR,
    VM_REDUX_XOR,
    VM_WARP_SYNC,
    VM_ELECT,
    VM_WMMA_LOAD,
    VM_WMMA_STORE,
    VM_WMMA_MMA
};
enum { VM_BAR_SYNC, VM_BAR_ARRIVE, VM_BAR_POPC, VM_BAR_AND, VM_BAR_OR };

#endif
