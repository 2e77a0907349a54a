/* The native_* and half_* functions that are not a single operation of the IR. They use the IR's
 * exp2, log2, sin and cos, which --fp=fast turns into the vendor's instructions. */
#pragma once

#include "common.h"

float __wave_native_exp(float x) {
    return exp2(x * LOG2E);
}

float __wave_native_exp10(float x) {
    return exp2(x * LOG2_10);
}

float __wave_native_log(float x) {
    return log2(x) * LN2;
}

float __wave_native_log10(float x) {
    return log2(x) * LOG10_2;
}

float __wave_native_powr(float x, float y) {
    return exp2(y * log2(x));
}

float __wave_native_recip(float x) {
    return 1.0f / x;
}

float __wave_native_tan(float x) {
    return sin(x) / cos(x);
}
