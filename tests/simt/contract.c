/* The launch contract of emitted SYCL, in the form that the harness needs. */
#include "simt/simt_run.h"

#include "runner/sycl_contract.h"

simt_contract simt_sycl_contract(const wave_kernel_info *info, bool bounds, bool lockstep) {
    const sycl_contract c = sycl_contract_of(info, bounds, lockstep);
    return (simt_contract){.row = c.row,
                           .local_memory = c.local_memory,
                           .takes = (c.has_size ? SIMT_TAKES_SIZE : 0u) |
                                    (c.has_status ? SIMT_TAKES_STATUS : 0u) |
                                    (c.has_shape ? SIMT_TAKES_SHAPE : 0u)};
}
