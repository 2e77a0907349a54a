// The functions of src/opencl that are exact or need only a few roundings: against the C library on
// random and difficult arguments, and edge cases one by one. f32 and f64 come from one source, so
// both are tested in the same way.
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "base/scalar_bits.h"
#include "clmath/library.h"
#include "support/random.h"

#define ROUNDS 300000
#define LOW    0x1p-149f

static uint64_t state = 1;

static uint64_t next(void) {
    return random_next(&state);
}

/* Any number, or one close to an integer, a half, a power of two, or one of the edge cases. */
static float draw32(void) {
    static const float corners[] = {0,
                                    -0.0f,
                                    1,
                                    -1,
                                    0.5f,
                                    2.5f,
                                    LOW,
                                    -LOW,
                                    0x1p-126f,
                                    0x1.fffffcp-127f,
                                    0x1.fffffep127f,
                                    INFINITY,
                                    -INFINITY,
                                    NAN};
    uint64_t r = next();
    uint32_t bits = (uint32_t)(r >> 32);
    float value = sc_f32_of(bits);
    if (r % 8 == 0)
        return corners[(r >> 8) % (sizeof corners / sizeof *corners)];
    if (r % 8 < 4)
        return (float)(int32_t)bits / (float)(1 << (r >> 8) % 31);
    return value;
}

static double draw64(void) {
    static const double corners[] = {
        0,        -0.0,      1,  -1, 0.5, 2.5, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023,
        INFINITY, -INFINITY, NAN};
    uint64_t r = next(), bits = next();
    double value = sc_f64_of(bits);
    if (r % 8 == 0)
        return corners[(r >> 8) % (sizeof corners / sizeof *corners)];
    if (r % 8 < 4)
        return (double)(int64_t)bits / (double)((int64_t)1 << (r >> 8) % 62);
    return value;
}

static void same32(const char *name, float x, float y, float got, float want) {
    cr_assert(isnan(want) ? isnan(got) : sc_bits_of_f32(got) == sc_bits_of_f32(want),
              "%s(%a, %a) = %a, not %a", name, (double)x, (double)y, (double)got, (double)want);
}

static void same64(const char *name, double x, double y, double got, double want) {
    cr_assert(isnan(want) ? isnan(got) : sc_bits_of_f64(got) == sc_bits_of_f64(want),
              "%s(%a, %a) = %a, not %a", name, x, y, got, want);
}

/* The C library's quotient has at least three bits; with a NaN result it is undefined. */
static void same_quotient(double x, double y, double rest, int got, int want) {
    if (isnan(rest))
        cr_assert_eq(got, 0, "remquo(%a, %a): quotient %d of a NaN", x, y, got);
    else
        cr_assert((got & 7) == (want & 7) && got > -128 && got < 128,
                  "remquo(%a, %a): quotient %d, not %d", x, y, got, want);
}

/* A zero has the sign of x; glibc 2.36 loses it for subnormal divisors. */
static double remainder_of(double x, double y) {
    double r = remainder(x, y);
    return r == 0 ? copysign(0, x) : r;
}

Test(opencl_exact, f32_functions_agree_with_libm) {
    for (int i = 0; i < ROUNDS; i++) {
        float x = draw32(), y = draw32(), whole;
        int n = (int)(next() % 700) - 350, e = 0, quotient = 0;
        same32("fmod", x, y, __wave_fmod(x, y), fmodf(x, y));
        same32("remainder", x, y, __wave_remainder(x, y), (float)remainder_of(x, y));
        float2 r = __wave_remquo(x, y);
        float rest = remquof(x, y, &quotient);
        same32("remquo", x, y, r.x, (float)remainder_of(x, y));
        same_quotient(x, y, rest, (int)sc_bits_of_f32(r.y), quotient);
        same32("ldexp", x, (float)n, __wave_ldexp(x, n), ldexpf(x, n));
        r = __wave_frexp(x);
        same32("frexp", x, 0, r.x, frexpf(x, &e));
        if (isfinite(x))
            cr_assert_eq((int)sc_bits_of_f32(r.y), e, "frexp(%a): exponent %d", (double)x,
                         (int)sc_bits_of_f32(r.y));
        r = __wave_modf(x);
        same32("modf", x, 0, r.x, modff(x, &whole));
        same32("modf, whole", x, 0, r.y, whole);
        same32("logb", x, 0, __wave_logb(x), logbf(x));
        if (x != 0 && isfinite(x))
            cr_assert_eq(__wave_ilogb(x), ilogbf(x), "ilogb(%a)", (double)x);
        same32("nextafter", x, y, __wave_nextafter(x, y), nextafterf(x, y));
        same32("round", x, 0, __wave_round(x), roundf(x));
        same32("fdim", x, y, __wave_fdim(x, y), fdimf(x, y));
    }
}

Test(opencl_exact, f64_functions_agree_with_libm) {
    for (int i = 0; i < ROUNDS; i++) {
        double x = draw64(), y = draw64(), whole;
        int n = (int)(next() % 5000) - 2500, e = 0, quotient = 0;
        same64("fmod", x, y, __wave_fmod_f64(x, y), fmod(x, y));
        same64("remainder", x, y, __wave_remainder_f64(x, y), remainder_of(x, y));
        double2 r = __wave_remquo_f64(x, y);
        double rest = remquo(x, y, &quotient);
        same64("remquo", x, y, r.x, remainder_of(x, y));
        same_quotient(x, y, rest, (int)sc_bits_of_f64(r.y), quotient);
        same64("ldexp", x, n, __wave_ldexp_f64(x, n), ldexp(x, n));
        r = __wave_frexp_f64(x);
        same64("frexp", x, 0, r.x, frexp(x, &e));
        if (isfinite(x))
            cr_assert_eq((int)sc_bits_of_f64(r.y), e, "frexp(%a): exponent %d", x,
                         (int)sc_bits_of_f64(r.y));
        r = __wave_modf_f64(x);
        same64("modf", x, 0, r.x, modf(x, &whole));
        same64("modf, whole", x, 0, r.y, whole);
        same64("logb", x, 0, __wave_logb_f64(x), logb(x));
        if (x != 0 && isfinite(x))
            cr_assert_eq(__wave_ilogb_f64(x), ilogb(x), "ilogb(%a)", x);
        same64("nextafter", x, y, __wave_nextafter_f64(x, y), nextafter(x, y));
        same64("round", x, 0, __wave_round_f64(x), round(x));
        same64("fdim", x, y, __wave_fdim_f64(x, y), fdim(x, y));
    }
}

Test(opencl_exact, exponents_saturate_at_the_limits_of_int) {
    cr_expect_eq(__wave_ilogb(0.0f), INT_MIN);
    cr_expect_eq(__wave_ilogb(-INFINITY), INT_MAX);
    cr_expect_eq(__wave_ilogb(NAN), INT_MAX);
    cr_expect_eq(__wave_ilogb_f64(0.0), INT_MIN);
    cr_expect_eq(__wave_ilogb_f64((double)INFINITY), INT_MAX);
    same32("ldexp", LOW, 0, __wave_ldexp(LOW, INT_MAX), INFINITY);
    same32("ldexp", 1, 0, __wave_ldexp(-1.0f, INT_MIN), -0.0f);
}

Test(opencl_exact, fract_stays_below_one) {
    static const struct {
        float x, fraction, whole;
    } cases[] = {{2.75f, 0.75f, 2},     {-0.25f, 0.75f, -1},        {3, 0, 3},
                 {-3, 0, -3},           {-LOW, 0x1.fffffep-1f, -1}, {0, 0, 0},
                 {-0.0f, -0.0f, -0.0f}, {INFINITY, 0, INFINITY},    {-INFINITY, -0.0f, -INFINITY},
                 {NAN, NAN, NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float2 r = __wave_fract(cases[i].x);
        same32("fract", cases[i].x, 0, r.x, cases[i].fraction);
        same32("fract, whole", cases[i].x, 0, r.y, cases[i].whole);
    }
    double2 d = __wave_fract_f64(-0x1p-1074);
    same64("fract", -0x1p-1074, 0, d.x, 0x1.fffffffffffffp-1);
}

Test(opencl_exact, simple_functions_return_exact_values) {
    same32("maxmag", -3, 2, __wave_maxmag(-3, 2), -3);
    same32("maxmag", -2, 2, __wave_maxmag(-2, 2), 2);
    same32("maxmag", NAN, 2, __wave_maxmag(NAN, 2), 2);
    same32("minmag", -3, 2, __wave_minmag(-3, 2), 2);
    same32("minmag", -2, 2, __wave_minmag(-2, 2), -2);
    same32("minmag", 2, NAN, __wave_minmag(2, NAN), 2);
    same32("step", 1, 2, __wave_step(1, 2), 1);
    same32("step", 2, 1, __wave_step(2, 1), 0);
    same32("sign", -7, 0, __wave_sign(-7), -1);
    same32("sign", -0.0f, 0, __wave_sign(-0.0f), -0.0f);
    same32("sign", NAN, 0, __wave_sign(NAN), 0);
    same32("mix", 2, 4, __wave_mix(2, 4, 0.25f), 2.5f);
    same32("smoothstep", 0, 2, __wave_smoothstep(0, 2, 1), 0.5f);
    same32("smoothstep", 0, 2, __wave_smoothstep(0, 2, -1), 0);
    same32("smoothstep", 0, 2, __wave_smoothstep(0, 2, 3), 1);
    same32("degrees", 0, 0, __wave_degrees(0x1.921fb6p+1f), 180);
    same32("radians", 0, 0, __wave_radians(180), 0x1.921fb6p+1f);
    same64("degrees", 0, 0, __wave_degrees_f64(0x1.921fb54442d18p+1), 180);
    same64("rsqrt", 0, 0, __wave_rsqrt_f64(4), 0.5);
    same64("hypot", 0, 0, __wave_hypot_f64(0x3p1020, 0x4p1020), 0x5p1020);
}

/* Every pair of adjacent or equal halves, from zero to infinity, in both directions. */
Test(opencl_exact, nextafter_visits_every_half) {
    for (uint16_t bits = 0; bits < 0x7C00; bits++) {
        uint16_t up = (uint16_t)(bits + 1);
        cr_assert_eq(__wave_nextafter_f16(bits, 0x7C00), up);
        cr_assert_eq(__wave_nextafter_f16(up, 0x8001), bits);
        cr_assert_eq(__wave_nextafter_f16(0x8000 | bits, 0xFC00), 0x8000 | up);
        cr_assert_eq(__wave_nextafter_f16(0x8000 | up, 0x0001), 0x8000 | bits);
        cr_assert_eq(__wave_nextafter_f16(bits, bits), bits);
    }
    cr_expect_eq(__wave_nextafter_f16(0, 0x8001), 0x8001);
    cr_expect_eq(__wave_nextafter_f16(0x8000, 0), 0);
    cr_expect_eq(__wave_nextafter_f16(0x7E01, 0), 0x7E00);
    cr_expect_eq(__wave_nextafter_f16(0, 0xFC01), 0x7E00);
}
