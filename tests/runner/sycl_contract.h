/* The parameters of a SYCL kernel and the shape of its workgroups, as specified in
 * docs/reference/sycl.md. */
#ifndef RUNNER_SYCL_CONTRACT_H
#define RUNNER_SYCL_CONTRACT_H

#include "isa/isa.h"

#include <wave/wave.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct sycl_contract {
    uint32_t arg_words;    /* 0: no args parameter */
    uint32_t local_memory; /* bytes; 0: no local parameter */
    bool has_size;         /* --bounds */
    bool has_status;       /* asserts are enabled */
    bool row;              /* a workgroup is launched as one row of threads */
    bool has_shape;        /* the true x and y of the workgroup, last */
} sycl_contract;

/* Inline: the harness, which uses it, is also built as a library without the runner. */
static inline sycl_contract sycl_contract_of(const wave_kernel_info *info, bool bounds,
                                             bool lockstep) {
    bool local = info->uses & (WAVE_USES_LOCAL | WAVE_USES_MMA);
    bool row = lockstep || info->uses & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER);
    return (sycl_contract){.arg_words = info->argument_words,
                           .local_memory = info->local_memory ? info->local_memory
                                           : local            ? ISA_DEFAULT_LOCAL
                                                              : 0,
                           .has_size = bounds,
                           .has_status = info->uses & WAVE_USES_ASSERT,
                           .row = row,
                           .has_shape = row && !info->workgroup[0]};
}

#endif
