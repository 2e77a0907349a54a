/* SYCL: not in this build. */
#include "gen/diff.h"

#include <stdio.h>

bool diff_sycl_available(char *why, size_t size) {
    snprintf(why, size, "not in this build");
    return false;
}

void diff_run_sycl(diff_run **runs, size_t count, const diff_options *o) {
    (void)o;
    for (size_t k = 0; k < count; k++)
        diff_fail(&runs[k]->verdict, DIFF_REFUSED, "not in this build");
}
