/* Functions of libm in integer arithmetic, for constant folding. wavec needs nothing else of libm
 * and is not linked with it, which saves a tenth of its start-up time. The emulator, where speed
 * matters, uses the machine's instructions or libm. */
#ifndef BASE_PLAIN_MATH_H
#define BASE_PLAIN_MATH_H

/* a * b + c with one rounding, to nearest even. A NaN may be any NaN. */
float plain_fmaf(float a, float b, float c);
double plain_fma(double a, double b, double c);
/* The exact remainder, with the sign of a. */
double plain_fmod(double a, double b);
/* 2^exponent, from -1022 to 1023. */
double plain_power(int exponent);

#endif
