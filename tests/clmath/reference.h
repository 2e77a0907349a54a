/* The correct result of a function of the library, in higher precision. */
#ifndef CLMATH_REFERENCE_H
#define CLMATH_REFERENCE_H

typedef struct reference {
    long double (*of_one)(long double);
    long double (*of_two)(long double, long double);
} reference;

/* Both are 0 for a name without a reference. */
reference reference_of(const char *name);

#endif
