// A strict PTX interpreter for tests: parses a PTX module and runs its kernels on host memory.
// Written from the PTX ISA. No global state; a module may be launched any number of times, also
// from several threads at once when the memory ranges differ. See docs/inside/testing-ptx.md for
// its use.
#ifndef PTXVM_H
#define PTXVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTXVM_WARP 32

// X(name, meaning)
#define PTXVM_STATUS_LIST(X)                                                                       \
    X(OK, "no error")                                                                              \
    X(SYNTAX, "the text is not PTX")                                                               \
    X(UNDECLARED, "a register, variable, label or function is not declared")                       \
    X(TYPE, "an operand does not fit the instruction's type")                                      \
    X(UNSUPPORTED, "PTX that this interpreter does not support")                                   \
    X(ARGUMENT, "a launch argument is wrong")                                                      \
    X(NO_MEMORY, "out of memory, or a limit of the interpreter")                                   \
    X(OUT_OF_BOUNDS, "an access outside every allowed range")                                      \
    X(READ_ONLY, "a write to read-only memory")                                                    \
    X(MISALIGNED, "an access that is not aligned to its size")                                     \
    X(UNINITIALISED, "a register is read before any write")                                        \
    X(NOT_IN_MASK, "a lane executes a .sync operation whose mask leaves it out")                   \
    X(SYNC_MISMATCH, "lanes of one mask wait at different operations or with different masks")     \
    X(MASK_LANES, "a mask names a lane that has exited or does not exist")                         \
    X(SYNC_DEADLOCK, "a lane of a mask never arrives")                                             \
    X(BARRIER_DEADLOCK, "a thread never arrives at a barrier")                                     \
    X(BARRIER_MISMATCH, "a warp arrives at different barriers, or a barrier is used wrongly")      \
    X(BARRIER_EXITED, "a barrier is reached after some threads have exited")                       \
    X(TRAP, "trap or brkpt was executed")                                                          \
    X(LIMIT, "the instruction limit is reached")                                                   \
    X(UNFUSED, "a float add, sub or mul without rounding modifier: may be fused")                  \
    X(INEXACT, "an .approx or .full instruction: its bits are not specified")

typedef enum {
#define X(name, text) PTXVM_##name,
    PTXVM_STATUS_LIST(X)
#undef X
} ptxvm_status;

typedef struct {
    ptxvm_status status;
    uint32_t line;      // line of the PTX text, from 1; 0 if the error has none
    bool in_thread;     // block and thread below are valid
    uint32_t block[3];  // %ctaid
    uint32_t thread[3]; // %tid
    char instruction[120];
    char message[600]; // the complete report in one line of text
} ptxvm_error;

// Checks beyond the errors that are always reported. A correct compiler for sm_70 and newer should
// pass PTXVM_DEFAULT_CHECKS; PTXVM_ALL_CHECKS is for code that claims exact float results and never
// lets a thread exit early.
enum {
    PTXVM_CHECK_UNINITIALISED = 1 << 0,  // reading a register that was never written
    PTXVM_CHECK_MASK_LANES = 1 << 1,     // masks naming exited or missing lanes
    PTXVM_CHECK_EXITED_BARRIER = 1 << 2, // a full-block barrier after some thread has exited
    PTXVM_CHECK_UNFUSED = 1 << 3,        // add/sub/mul on floats without .rn (or another mode)
    PTXVM_CHECK_INEXACT = 1 << 4,        // .approx and .full
    PTXVM_CHECK_SAME_SYNC = 1 << 5,      // lanes of one mask must meet at the same line
    PTXVM_CHECK_SAME_BARRIER = 1 << 6,   // warps of a block must meet at the same bar.sync line
    PTXVM_DEFAULT_CHECKS = PTXVM_CHECK_UNINITIALISED | PTXVM_CHECK_SAME_SYNC,
    PTXVM_ALL_CHECKS = (1 << 7) - 1
};

typedef struct ptxvm_module ptxvm_module;

typedef struct {
    const char *name; // not NUL-terminated
    size_t name_length;
    uint32_t offset, size, align; // in the parameter bytes of a launch
} ptxvm_param;

typedef struct {
    const char *name; // NUL-terminated
    const ptxvm_param *params;
    size_t param_count;
    uint32_t param_bytes;
    uint32_t reqntid[3]; // 0 if not given
    uint32_t maxntid[3];
    uint32_t static_shared_bytes;
} ptxvm_entry;

// One piece of global memory: addresses [address, address + size) are the bytes at host.
typedef struct {
    uint64_t address;
    void *host;
    size_t size;
    bool read_only;
} ptxvm_range;

typedef struct {
    const char *entry;
    uint32_t grid[3], block[3];
    const void *params; // param_bytes of them, laid out according to ptxvm_entry.params
    size_t param_bytes;
    uint32_t dynamic_shared_bytes;
    const ptxvm_range *ranges;
    size_t range_count;

    uint64_t seed;   // determines the order of blocks and threads, the length of turns, and all
                     // garbage values
    uint32_t checks; // PTXVM_CHECK_…
    uint64_t instruction_limit; // for all threads together; 0: 10^9
    uint32_t resident_blocks;   // blocks that run interleaved; 0: 4
    bool weak;       // stores wait for a fence, loads may see old values: exposes a missing fence
    bool lockstep;   // turns of one instruction in thread order instead of random ones
    int shared_fill; // initial byte of shared and local memory; -1: garbage
    // The result of wmma.mma for 16 pairs of f16 or bf16 and a sum; NULL: a chain of fmas.
    uint32_t (*dot)(int unit, bool bf16, const uint16_t *a, const uint16_t *b, uint32_t c);
    int unit;       // first argument of dot
    bool noise;     // .approx and .full of f32 are off by as much as PTX allows
    bool plain_nan; // NaN results 7FC00000, 7E00, 7FC0, 7FF8… instead of the GPU's 7FFFFFFF…
} ptxvm_launch_options;

typedef struct {
    uint64_t instructions; // executed by all threads, guarded-off ones included
    uint64_t inexact;      // .approx and .full instructions among them
    uint64_t unfused;      // float add/sub/mul without rounding modifier among them
    uint64_t barriers;     // completed block barriers
} ptxvm_stats;

// On error *module is NULL and *error has the reason. The text is copied.
ptxvm_status ptxvm_parse(const char *text, size_t length, ptxvm_module **module,
                         ptxvm_error *error);
void ptxvm_free(ptxvm_module *module);

size_t ptxvm_entry_count(const ptxvm_module *module);
const ptxvm_entry *ptxvm_entry_at(const ptxvm_module *module, size_t index);
const ptxvm_entry *ptxvm_find_entry(const ptxvm_module *module, const char *name);

// Grid and block 1×1×1, default checks, garbage in shared memory.
ptxvm_launch_options ptxvm_default_options(const char *entry);

// Runs the kernel to its end or to the first error. Variables of the module (.global) are
// reinitialised at each launch. stats may be NULL.
ptxvm_status ptxvm_launch(const ptxvm_module *module, const ptxvm_launch_options *options,
                          ptxvm_stats *stats, ptxvm_error *error);

// "OUT_OF_BOUNDS" and so on.
const char *ptxvm_status_name(ptxvm_status status);

#endif
