//@ test    what exp, log, pow, sin, atan2 give at zeros, infinities and NaN
//@ group   1
//@ buffer  out u32 8
//@ args    out
//@ expect  out = fill 1

kernel void special(global uint *out) {
    float zero = (float)get_global_id(0), inf = INFINITY, none = nan(0u);
    float minus = -zero;
    out[0] = exp(zero) == 1.0f && exp(-inf) == 0.0f && exp(inf) == inf && exp(200.0f + zero) == inf;
    out[1] = log(zero) == -inf && log(1.0f + zero) == 0.0f && isnan(log(-1.0f + zero)) && log(inf) == inf;
    out[2] = pow(zero, 0.0f) == 1.0f && pow(none, zero) == 1.0f && pow(1.0f + zero, none) == 1.0f && pow(-2.0f + zero, 3.0f) == -8.0f;
    out[3] = pow(zero, -1.0f) == inf && isnan(pow(-1.5f + zero, 0.5f)) && pow(inf, -2.0f) == 0.0f && signbit(pow(minus, 3.0f));
    out[4] = isnan(sin(inf)) && sin(zero) == 0.0f && signbit(sin(minus)) && cos(zero) == 1.0f && isnan(tan(-inf));
    out[5] = atan2(zero, 1.0f) == 0.0f && signbit(atan2(minus, 1.0f)) && atan(inf) > 1.57f && isnan(acos(2.0f + zero));
    out[6] = isnan(powr(zero, zero)) && isnan(sqrt(-1.0f + zero)) && signbit(sqrt(minus)) && cbrt(minus) == 0.0f;
    out[7] = fmax(none, 2.0f) == 2.0f && fmin(1.0f, none + zero) == 1.0f && isnan(fmod(1.0f, zero)) && hypot(inf, none) == inf;
}
