/* HIP and MSL on the CPU, through tests/simt: not in this build. */
#include "gen/diff.h"

#include <stdio.h>

bool diff_simt_available(diff_target target, char *why, size_t size) {
    snprintf(why, size, "%s is not in this build", diff_target_name[target]);
    return false;
}

void diff_run_simt(diff_run **runs, size_t count, const diff_options *o) {
    (void)o;
    for (size_t k = 0; k < count; k++)
        diff_fail(&runs[k]->verdict, DIFF_REFUSED, "not in this build");
}
