/* The launch contract of emitted SYCL, as docs/sycl.md states it. */
#include "simt/simt_run.h"

#include "isa/isa.h"

simt_contract simt_sycl_contract(const wave_kernel_info *info, bool bounds) {
    bool local = info->uses & (WAVE_USES_LOCAL | WAVE_USES_MMA);
    bool row = info->uses & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER);
    simt_contract c = {.row = row, .local_memory = info->local_memory};
    if (local && !c.local_memory)
        c.local_memory = ISA_DEFAULT_LOCAL;
    if (bounds)
        c.takes |= SIMT_TAKES_SIZE;
    if (info->uses & WAVE_USES_ASSERT)
        c.takes |= SIMT_TAKES_STATUS;
    if (row && !info->workgroup[0])
        c.takes |= SIMT_TAKES_SHAPE;
    return c;
}
