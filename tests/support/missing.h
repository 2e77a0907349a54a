/* What a test needs and a machine may lack. */
#ifndef TESTS_SUPPORT_MISSING_H
#define TESTS_SUPPORT_MISSING_H

#include <criterion/criterion.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Skips the test when this is not present. In CI, where everything is installed, the test fails. */
static inline bool present_or_skip(bool present, const char *missing) {
    const char *ci = getenv("CI");
    if (!present && ci && strcmp(ci, "true") == 0)
        cr_assert_fail("%s", missing);
    if (!present)
        cr_skip_test("%s", missing);
    return present;
}

static inline bool has_ptxas(void) {
    return present_or_skip(system("sh scripts/find-ptxas.sh >/dev/null 2>&1") == 0, "no ptxas");
}

#endif
