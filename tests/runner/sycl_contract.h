/* The parameters of a SYCL kernel and the shape of its workgroups, as docs/sycl.md states them. */
#ifndef RUNNER_SYCL_CONTRACT_H
#define RUNNER_SYCL_CONTRACT_H

#include <wave/wave.h>

#include <stdbool.h>
#include <stdint.h>

typedef struct sycl_contract {
    uint32_t arg_words;    /* 0: no args parameter */
    uint32_t local_memory; /* bytes; 0: no local parameter */
    bool has_size;         /* --bounds */
    bool has_status;       /* asserts, which are on */
    bool row;              /* a workgroup is launched as one row of threads */
    bool has_shape;        /* the true x and y of the workgroup, last */
} sycl_contract;

sycl_contract sycl_contract_of(const wave_kernel_info *info, bool bounds);

#endif
