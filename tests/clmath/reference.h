/* What a function of the library should give, in higher precision. */
#ifndef CLMATH_REFERENCE_H
#define CLMATH_REFERENCE_H

typedef struct reference {
    long double (*of_one)(long double);
    long double (*of_two)(long double, long double);
} reference;

/* Both 0 for a name without one. */
reference reference_of(const char *name);

#endif
