/* wave-fail-alloc: repeats everything that the library does with a file once for every allocation,
 * with that allocation failing; then with all from there on failing. The result must be the
 * out-of-memory status or the normal answer, without leaks or leftover files. */
#include "harden/actions.h"
#include "harden/alloc_hook.h"

#include <stdio.h>

enum { EVERY = 300, AT_MOST = 700 };

/* ---- Once for every allocation ---- */

typedef struct totals {
    unsigned long runs, allocations, failed;
} totals;

static outcome run_once(const subject *s, const action *a, unsigned variant, unsigned long fail_at,
                        bool ever_after) {
    static uint8_t memory[ACTION_MEMORY];
    alloc = (alloc_hook){.armed = true, .fail_at = fail_at, .ever_after = ever_after};
    outcome o = action_run(s, a, variant, memory);
    alloc.armed = false;
    return o;
}

static void judge(const subject *s, const action *a, unsigned variant, const outcome *good,
                  outcome got, unsigned long fail_at, bool ever_after, totals *sum) {
    const char *what = NULL;
    sum->runs++;
    if (alloc.live)
        what = "memory leaks";
    else if (got.status == WAVE_ERROR_MEMORY)
        return;
    else if (got.status != good->status)
        what = "the status is neither the normal one nor out-of-memory";
    else if (got.status == WAVE_OK && got.hash != good->hash)
        what = "success, but with a different result";
    if (!what)
        return;
    sum->failed++;
    if (sum->failed <= 40)
        printf("FAIL %s, %s %u, allocation %lu%s: %s (status %d, was %d; %ld blocks)\n", s->path,
               a->name, variant, fail_at, ever_after ? " and all after it" : "", what,
               (int)got.status, (int)good->status, alloc.live);
}

static void run_action(const subject *s, const action *a, unsigned variant, totals *sum) {
    outcome good = run_once(s, a, variant, 0, false);
    unsigned long count = alloc.calls;
    judge(s, a, variant, &good, good, 0, false, sum);
    sum->allocations += count;
    /* all of the first ones, then a selection that always includes the last */
    unsigned long step = count > AT_MOST ? (count - EVERY) / (AT_MOST - EVERY) + 1 : 1;
    for (unsigned long k = 1; k <= count; k += k < EVERY || k + step > count ? 1 : step)
        for (int after = 0; after < 2; after++)
            judge(s, a, variant, &good, run_once(s, a, variant, k, after), k, after, sum);
}

int main(int argc, char **argv) {
    totals sum = {0};
    for (int k = 1; k < argc; k++) {
        subject s;
        bool ok = subject_open(&s, argv[k]);
        sum.failed += !ok;
        for (const action *a = actions; ok && a < actions + action_count; a++)
            for (unsigned v = 0; subject_fits(&s, a) && v < a->variants; v++)
                run_action(&s, a, v, &sum);
        subject_close(&s);
    }
    printf("%lu allocations seen, made to fail alone and with all after them\n", sum.allocations);
    printf("wave-fail-alloc: %lu passed, %lu failed\n", sum.runs - sum.failed, sum.failed);
    return sum.failed || !sum.runs ? 1 : 0;
}
