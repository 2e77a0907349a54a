/* --require=cuda,hip,metal,sycl: a machine dedicated to a device must not pass without it. */
#include "hwtest.h"

#include <string.h>

static const char *const vendors[] = {"cuda", "hip", "metal", "sycl"};
enum { VENDORS = sizeof vendors / sizeof *vendors };

static bool is_vendor(const char *text, size_t length, size_t k) {
    return strlen(vendors[k]) == length && memcmp(vendors[k], text, length) == 0;
}

bool hw_parse_required(const char *list, unsigned *required) {
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ","), k = 0;
        while (k < VENDORS && !is_vendor(at, length, k))
            k++;
        if (k == VENDORS)
            return false;
        *required |= 1U << k;
        at += length;
        if (!*at)
            return true;
    }
}

static bool has_run(const hw_session *s, size_t vendor) {
    for (size_t k = 0; k < s->device_count; k++) {
        const hw_device *d = &s->devices[k];
        if (is_vendor(d->info.name, strcspn(d->info.name, ":"), vendor) && d->passed)
            return true;
    }
    return false;
}

static const char *absence(const hw_session *s, size_t vendor) {
    for (size_t k = 0; k < s->absent_count; k++)
        if (strcmp(s->absent[k].vendor, vendors[vendor]) == 0)
            return s->absent[k].reason;
    return "none of its devices passed a test";
}

unsigned hw_report_missing(const hw_session *s) {
    unsigned missing = 0;
    for (size_t k = 0; k < VENDORS; k++)
        if ((s->options.required & (1U << k)) && !has_run(s, k)) {
            missing++;
            printf("FAIL %s is required: %s\n", vendors[k], absence(s, k));
        }
    return missing;
}
