/* Finds the devices of this machine in a child process: side effects of loading a vendor's library,
 * and drivers that do not survive a fork, affect only the child. */
#include "hwtest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The child's output: each vendor before it is queried, devices, then absences, then the end. */
typedef struct record {
    enum { LOOKING = 1, DEVICE, ABSENCE, PROBLEM, END } kind;
    unsigned target;
    wave_rt_device_info info;
    char vendor[32];
    char text[512];
} record;

static unsigned target_bit(const char *target) {
    static const struct {
        const char *name;
        unsigned bit;
    } bits[] = {{"ptx", TF_PTX}, {"hip", TF_HIP}, {"sycl", TF_SYCL}, {"msl", TF_MSL}};
    for (size_t k = 0; target && k < sizeof bits / sizeof *bits; k++)
        if (strcmp(bits[k].name, target) == 0)
            return bits[k].bit;
    return TF_EMU;
}

static void put(int out, const record *r) {
    if (write(out, r, sizeof *r) != (ssize_t)sizeof *r)
        _exit(1);
}

static void put_device(int out, const wave_rt_device_info *info) {
    record r = {.kind = DEVICE, .target = target_bit(info->target), .info = *info};
    r.info.target = NULL; /* a pointer of the child */
    put(out, &r);
}

static void put_looking(void *user, const char *vendor) {
    record r = {.kind = LOOKING};
    snprintf(r.vendor, sizeof r.vendor, "%s", vendor);
    put(*(const int *)user, &r);
}

static void list_all(int out) {
    wave_rt_list list;
    wave_rt_error error;
    if (wave_rt_enumerate_watched(&list, put_looking, &out, &error) != WAVE_RT_OK)
        _exit(1);
    for (size_t k = 0; k < list.count; k++)
        put_device(out, &list.devices[k]);
    for (size_t k = 0; k < list.absent_count; k++) {
        record r = {.kind = ABSENCE};
        snprintf(r.vendor, sizeof r.vendor, "%s", list.absent[k].vendor);
        snprintf(r.text, sizeof r.text, "%s", list.absent[k].reason);
        put(out, &r);
    }
    wave_rt_list_free(&list);
}

static void list_named(const hw_options *o, int out) {
    for (size_t k = 0; k < o->name_count; k++) {
        wave_rt_device *device;
        wave_rt_error error;
        put_looking(&out, o->names[k]);
        if (wave_rt_open(o->names[k], &device, &error) == WAVE_RT_OK) {
            put_device(out, wave_rt_device_describe(device));
            wave_rt_close(device);
        } else {
            record r = {.kind = PROBLEM};
            snprintf(r.text, sizeof r.text, "%.30s: %.450s", o->names[k], error.message);
            put(out, &r);
        }
    }
}

_Noreturn void hw_list_devices(const hw_options *o) {
    record end = {.kind = END};
    const int out = HW_ANSWERS;
    char nothing;
    if (!hw_read_job(&nothing, 0)) {
        fprintf(stderr, "%s: --child is only for processes that %s starts itself\n", o->tool,
                o->tool);
        exit(2);
    }
    hw_limit_silence(o->timeout);
    if (o->name_count)
        list_named(o, out);
    else
        list_all(out);
    put(out, &end);
    _exit(0);
}

static const char *target_name(unsigned bit) {
    static const char *const names[] = {"ptx", "hip", "sycl", "msl"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (target_bit(names[k]) == bit)
            return names[k];
    return NULL;
}

static void keep(hw_session *s, const record *r) {
    if (r->kind == DEVICE) {
        s->devices = realloc(s->devices, (s->device_count + 1) * sizeof *s->devices);
        if (!s->devices)
            abort();
        hw_device *d = &s->devices[s->device_count++];
        *d = (hw_device){.info = r->info, .target = r->target};
        d->info.target = target_name(r->target);
    } else if (r->kind == ABSENCE) {
        s->absent = realloc(s->absent, (s->absent_count + 1) * sizeof *s->absent);
        if (!s->absent)
            abort();
        wave_rt_absence *a = &s->absent[s->absent_count++];
        a->vendor = hw_copy(r->vendor);
        snprintf(a->reason, sizeof a->reason, "%.250s", r->text);
    }
}

/* Reads up to the last record. False after printing why there is none. */
static bool read_all(hw_session *s, int in) {
    record r;
    int got;
    char vendor[sizeof r.vendor] = "";
    while ((got = hw_read_answer(in, &r, sizeof r, s->options.timeout)) > 0 && r.kind != END) {
        if (r.kind == LOOKING)
            memcpy(vendor, r.vendor, sizeof vendor);
        if (r.kind == PROBLEM) {
            fprintf(stderr, "%s: %s\n", s->options.tool, r.text);
            return false;
        }
        keep(s, &r);
    }
    if (got < 0)
        fprintf(stderr,
                "%s: the driver of %s did not answer for %u seconds during the search for "
                "devices\n",
                s->options.tool, vendor, s->options.timeout);
    else if (got == 0)
        fprintf(stderr, "%s: the driver of %s crashed during the search for devices\n",
                s->options.tool, vendor);
    return got > 0;
}

bool hw_find_devices(hw_session *s) {
    int answers, status;
    pid_t child = hw_start_child(s->arguments, "devices", "", 0, &answers);
    if (child < 0) {
        fprintf(stderr, "%s: cannot start a child process: %s\n", s->options.tool, strerror(errno));
        return false;
    }
    bool good = read_all(s, answers);
    close(answers);
    /* All records have arrived; the exit of a driver does not matter. */
    if (!hw_wait_child(child, good ? 1 : 0, &status))
        (void)hw_end_child(child, &status);
    return good;
}
