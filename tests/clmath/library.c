/* src/opencl compiled as C, and the halves of sincos as separate functions. */
#include "clmath/library.h"

#include "clmath/host.h"

#include "opencl/library.cl"

float __wave_sincos_sin(float x) {
    return __wave_sincos(x).x;
}

float __wave_sincos_cos(float x) {
    return __wave_sincos(x).y;
}
