// Measures fsin, fcos, fexp2 and flog2 of src/base/exact_math.c on every one of the 2^32 inputs (or
// every STEPth) against double precision libm. Prints the largest error in ULP, the input where it
// occurs and how many results are not the correctly rounded one. Exit status 1 if a result is
// wrong.
//
// Why libm's double is a fair reference: its error is below 1 ulp of a double, 2^-29 ulp of an f32,
// so a measured error is off by no more than that. Only results closer than 2^-20 ulp to a rounding
// boundary are not judged as correctly rounded or not; they are counted separately.
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exact_math.h"
#include "base/scalar_bits.h"

#define LIMIT_ULP 2.0 /* the ISA's limit */

typedef struct {
    const char *name;
    uint32_t (*ours)(uint32_t);
    double (*reference)(double);
    int symmetry; // +1 even, -1 odd: the sign bit of x is checked by comparing bits; 0 none
} function;

typedef struct {
    double worst;
    uint32_t worst_input;
    uint64_t inputs, misrounded, undecided, wrong;
    uint32_t first_wrong;
    uint32_t checksum; // of all result bits, to compare builds
} tally;

// One unit in the last place of the f32 nearest to `value`.
static double ulp_of(double value) {
    int exponent = (int)((sc_bits_of_f64(value) >> 52) & 0x7FF) - 1023;
    exponent = exponent < -126 ? -126 : exponent;
    return sc_f64_of((uint64_t)(exponent - 23 + 1023) << 52);
}

static void note_wrong(tally *t, uint32_t x) {
    if (t->wrong == 0)
        t->first_wrong = x;
    t->wrong++;
}

static void compare(tally *t, uint32_t x, uint32_t got, double want) {
    if (want != want || want == 0.0 || want - want != 0.0 || want >= 0x1p128) {
        // NaN, zeros and infinities follow the domain rules: the bits must match.
        uint32_t bits = want != want ? 0x7FC00000u : sc_bits_of_f32((float)want);
        if (got != bits)
            note_wrong(t, x);
        return;
    }
    double value = got == 0x7F800000u ? 0x1p128 : (double)sc_f32_of(got);
    double error = fabs(value - want) / ulp_of(want);
    if (!(error < LIMIT_ULP))
        note_wrong(t, x);
    if (error > t->worst) {
        t->worst = error;
        t->worst_input = x;
    }
    if (fabs(error - 0.5) < 0x1p-20)
        t->undecided++;
    else if (error > 0.5)
        t->misrounded++;
}

static void add_to_checksum(tally *t, uint32_t bits) {
    t->checksum = (t->checksum ^ bits) * 0x01000193u;
    t->checksum ^= t->checksum >> 15;
}

static void sweep(const function *f, uint32_t step, tally *t) {
    uint64_t end = f->symmetry != 0 ? UINT64_C(1) << 31 : UINT64_C(1) << 32;
    for (uint64_t i = 0; i < end; i += step) {
        uint32_t x = (uint32_t)i;
        uint32_t got = f->ours(x);
        compare(t, x, got, f->reference((double)sc_f32_of(x)));
        add_to_checksum(t, got);
        t->inputs++;
        if (f->symmetry == 0)
            continue;
        uint32_t mirrored = f->ours(x | 0x80000000u);
        uint32_t sign = f->symmetry < 0 && got != 0x7FC00000u ? 0x80000000u : 0u;
        if (mirrored != (got ^ sign))
            note_wrong(t, x | 0x80000000u);
        add_to_checksum(t, mirrored);
        t->inputs++;
    }
}

static void print(const function *f, const tally *t, uint32_t step) {
    uint64_t both = f->symmetry != 0 ? 2 : 1; // the mirrored half rounds the same way
    printf("%-5s  inputs %10" PRIu64 "%s  max error %.6f ULP at %08" PRIX32 " (%a)  not correctly "
           "rounded %" PRIu64 " (%.4f %%)  undecided %" PRIu64 "  wrong %" PRIu64
           "  checksum %08" PRIX32 "\n",
           f->name, t->inputs, step == 1 ? " (all)" : "", t->worst, t->worst_input,
           (double)sc_f32_of(t->worst_input), t->misrounded * both,
           100.0 * (double)(t->misrounded * both) / (double)t->inputs, t->undecided * both,
           t->wrong, t->checksum);
    if (t->wrong != 0)
        printf("%-5s  first wrong input %08" PRIX32 "\n", f->name, t->first_wrong);
}

int main(int argc, char **argv) {
    static const function functions[] = {
        {"fsin", sc_fsin, sin, -1},
        {"fcos", sc_fcos, cos, 1},
        {"fexp2", sc_fexp2, exp2, 0},
        {"flog2", sc_flog2, log2, 0},
    };
    uint32_t step = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    if (argc < 2 || step == 0) {
        fprintf(stderr, "usage: sweep_math fsin|fcos|fexp2|flog2|all [STEP]\n");
        return 2;
    }
    bool found = false, bad = false;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], functions[i].name) != 0)
            continue;
        tally t = {0};
        sweep(&functions[i], step, &t);
        print(&functions[i], &t, step);
        fflush(stdout);
        found = true;
        bad = bad || t.wrong != 0;
    }
    return !found ? 2 : bad ? 1 : 0;
}
