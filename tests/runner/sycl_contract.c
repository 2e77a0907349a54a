#include "runner/sycl_contract.h"

#include "isa/isa.h"

sycl_contract sycl_contract_of(const wave_kernel_info *info, bool bounds) {
    bool local = info->uses & (WAVE_USES_LOCAL | WAVE_USES_MMA);
    bool row = info->uses & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER);
    return (sycl_contract){.arg_words = info->argument_words,
                           .local_memory = info->local_memory ? info->local_memory
                                           : local            ? ISA_DEFAULT_LOCAL
                                                              : 0,
                           .has_size = bounds,
                           .has_status = info->uses & WAVE_USES_ASSERT,
                           .row = row,
                           .has_shape = row && !info->workgroup[0]};
}
