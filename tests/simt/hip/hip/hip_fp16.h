// The half type of HIP is the compiler's _Float16; everything else that emitted code needs is in
// hip_runtime.h.
#ifndef SIMT_HIP_FP16_H
#define SIMT_HIP_FP16_H

#include "hip_runtime.h"

#endif
