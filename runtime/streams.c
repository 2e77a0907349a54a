/* Devices with streams and events, as in CUDA's driver API and HIP: see streams.h. */
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Errors ---- */

/* HIP uses CUDA's numbers, but not all of these. */
static wave_rt_status classify(int result) {
    static const struct {
        int first, last;
        wave_rt_status status;
    } list[] = {
        {2, 2, WAVE_RT_DEVICE_MEMORY},                                /* out of memory */
        {46, 46, WAVE_RT_LOST},                                       /* device unavailable */
        {100, 100, WAVE_RT_NO_DEVICE}, {200, 200, WAVE_RT_BAD_BUILD}, /* invalid image */
        {209, 209, WAVE_RT_BAD_BUILD},                                /* no binary for this GPU */
        {214, 214, WAVE_RT_LOST},                                     /* ECC error */
        {218, 218, WAVE_RT_BAD_BUILD}, /* invalid PTX; HIP: invalid kernel file */
        {220, 220, WAVE_RT_LOST},      /* NVLink error */
        {221, 223, WAVE_RT_BAD_BUILD}, /* no compiler; PTX too new; compilation turned off */
        {226, 226, WAVE_RT_LOST},      /* contained error */
        {700, 702, WAVE_RT_LAUNCH},    /* illegal address; out of resources; timeout */
        {709, 709, WAVE_RT_LOST},      /* the context is destroyed */
        {710, 710, WAVE_RT_LAUNCH},    /* assert */
        {714, 719, WAVE_RT_LAUNCH}, /* other errors that stop a kernel, starting with its stack */
    };
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if (result >= list[k].first && result <= list[k].last)
            return list[k].status;
    return WAVE_RT_VENDOR;
}

/* The common name of a call: cuMemcpyHtoD, not cuMemcpyHtoDAsync_v2. */
static void shorten(const char *symbol, char *name, size_t size) {
    static const char *const endings[] = {"_v2", "Async", "WithFlags"};
    rt_copy(name, size, symbol);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
        size_t length = strlen(name), ending = strlen(endings[k]);
        if (length > ending && strcmp(name + length - ending, endings[k]) == 0)
            name[length - ending] = '\0';
    }
}

void rt_run_check(rt_run *run, const char *symbol, int result) {
    char name[64];
    if (result == 0)
        return;
    shorten(symbol, name, sizeof name);
    run->status = rt_fail_call(run->error, classify(result), name,
                               run->device->vendor->error_words(run->device, result), result);
}

/* ---- Runs of calls ---- */

rt_run rt_run_begin(rt_stream_device *device, wave_rt_error *error) {
    rt_run run = {.device = device, .error = error};
    device->vendor->enter(&run);
    run.inside = run.status == WAVE_RT_OK;
    return run;
}

rt_run rt_run_begin_known(rt_stream_device *device, wave_rt_error *error) {
    if (!device->vendor->objects_know_device)
        return rt_run_begin(device, error);
    return (rt_run){.device = device, .error = error};
}

wave_rt_status rt_run_end(rt_run *run) {
    if (run->inside)
        run->device->vendor->leave(run);
    return run->status;
}

/* ---- Libraries ---- */

static const char *find_calls(rt_stream_device *d) {
    const rt_stream_symbols *symbols = &d->vendor->symbols;
    const char *missing = d->vendor->find_calls(d);
#define X(member, parameters)                                                                      \
    if (!rt_library_find(d->libraries[0], symbols->member, &d->calls.member))                      \
        missing = symbols->member;
    RT_STREAM_CALLS(X)
#undef X
    if (!rt_library_find(d->libraries[0], d->vendor->uuid, &d->uuid))
        d->uuid = NULL;
    return missing;
}

static void start_library(rt_run *run) {
    rt_stream_device *d = run->device;
    for (int k = 0; k < RT_STREAM_LIBRARIES && d->vendor->libraries[k].variable; k++) {
        const rt_stream_library *library = &d->vendor->libraries[k];
        d->libraries[k] =
            rt_library_open(library->variable, library->names, library->folders, run->error);
        if (!d->libraries[k]) {
            run->status = WAVE_RT_NO_DEVICE;
            return;
        }
    }
    const char *missing = find_calls(d);
    if (missing)
        run->status = rt_fail(run->error, WAVE_RT_NO_DEVICE, "the %s is too old: it has no %s",
                              d->vendor->library, missing);
    RT_CALL(run, init, 0);
}

/* Counts the devices. Call `unload` whatever the result. */
static rt_run load(const rt_stream_vendor *vendor, int *count, wave_rt_error *error) {
    rt_run run = {.device = calloc(1, vendor->device_size), .error = error};
    if (!run.device) {
        run.status = rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
        return run;
    }
    run.device->vendor = vendor;
    start_library(&run);
    RT_CALL(&run, device_count, count);
    return run;
}

static void unload(rt_stream_device *d) {
    for (int k = RT_STREAM_LIBRARIES - 1; d && k >= 0; k--)
        rt_library_close(d->libraries[k]);
    free(d);
}

/* ---- Describing a device ---- */

static unsigned attribute(rt_run *run, int which) {
    int value = 0;
    RT_CALL(run, device_attribute, &value, which, run->device->device);
    return value < 0 ? 0 : (unsigned)value;
}

/* An attribute that a driver may not know or not report. */
static unsigned optional(const rt_run *run, int which) {
    const rt_stream_device *d = run->device;
    int value = 0;
    if (!which || d->calls.device_attribute(&value, which, d->device) != 0 || value < 0)
        return 0;
    return (unsigned)value;
}

static void describe_sizes(rt_run *run, wave_rt_device_info *info) {
    const rt_stream_attributes *a = &run->device->vendor->attributes;
    info->wave_width = attribute(run, a->wave_width);
    info->max_workgroup_size = attribute(run, a->max_workgroup_size);
    for (int k = 0; k < 3; k++) {
        info->max_workgroup[k] = attribute(run, a->max_workgroup_x + k);
        info->max_grid[k] = attribute(run, a->max_grid_x + k);
    }
    unsigned more = optional(run, a->more_local_memory_size);
    info->local_memory_size = more ? more : attribute(run, a->local_memory_size);
    info->cores = attribute(run, a->cores);
    if (info->wave_width)
        info->max_waves_per_core = attribute(run, a->max_threads_per_core) / info->wave_width;
    info->register_file_size = 4 * (uint64_t)optional(run, a->registers_per_core);
    info->max_workgroups_per_core = optional(run, a->max_workgroups_per_core);
    info->shared = optional(run, a->shared_memory) != 0;
}

/* Address and UUID, as far as the driver reports them. */
static void describe_identity(const rt_run *run, wave_rt_device_info *info) {
    const rt_stream_device *d = run->device;
    uint8_t b[16] = {0};
    char *text = info->uuid;
    if (d->calls.device_pci(info->pci, sizeof info->pci, d->device) != 0)
        info->pci[0] = '\0';
    info->pci[sizeof info->pci - 1] = '\0';
    if (!d->uuid || d->uuid(b, d->device) != 0)
        return;
    for (int k = 0; k < 16; k++) {
        bool dash = k == 4 || k == 6 || k == 8 || k == 10;
        text += snprintf(text, 4, "%s%02x", dash ? "-" : "", b[k]);
    }
}

/* Two operations per lane and clock; converts kHz to Hz and bits to bytes. */
static void describe_peaks(const rt_run *run, wave_rt_device_info *info) {
    const rt_stream_attributes *a = &run->device->vendor->attributes;
    info->peak_bytes = 1e3 * run->device->transfers * optional(run, a->memory_clock) / 8 *
                       optional(run, a->memory_bus_width);
    info->peak_flops = 2e3 * optional(run, a->clock) * run->device->float_lanes * info->cores;
}

static void describe(rt_run *run, int index, wave_rt_device_info *info) {
    rt_stream_device *d = run->device;
    size_t memory = 0;
    int version = 0;
    *info = (wave_rt_device_info){.target = d->vendor->target,
                                  .capabilities = WAVE_RT_CAP_F64 | WAVE_RT_CAP_ATOMIC_64 |
                                                  WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA};
    d->device = index;
    if (d->vendor->select)
        d->vendor->select(run, index);
    RT_CALL(run, device_name, info->title, sizeof info->title, d->device);
    RT_CALL(run, device_memory, &memory, d->device);
    RT_CALL(run, version, &version);
    if (run->status == WAVE_RT_OK)
        d->vendor->identify(run, version, info);
    if (run->status != WAVE_RT_OK)
        return;
    describe_sizes(run, info);
    if (run->status == WAVE_RT_OK)
        describe_identity(run, info);
    if (run->status == WAVE_RT_OK)
        describe_peaks(run, info);
    info->device_memory_size = memory;
    (void)snprintf(info->name, sizeof info->name, "%s:%d", d->vendor->name, index);
}

/* ---- Finding and opening ---- */

static void tell_absence(const rt_stream_vendor *vendor, rt_found *found, int index,
                         const wave_rt_error *reason) {
    char text[256];
    (void)snprintf(text, sizeof text, "%s:%d: %.200s", vendor->name, index, reason->message);
    found->nothing(found, text);
}

wave_rt_status rt_stream_enumerate(const rt_stream_vendor *vendor, rt_found *found,
                                   wave_rt_error *error) {
    int count = 0;
    rt_run run = load(vendor, &count, error);
    for (int k = 0; k < count && run.status == WAVE_RT_OK; k++) {
        wave_rt_device_info info;
        wave_rt_error reason = {.message = ""};
        rt_run one = {.device = run.device, .error = &reason};
        describe(&one, k, &info);
        if (one.status != WAVE_RT_OK)
            tell_absence(vendor, found, k, &reason);
        else if (!found->device(found, &info))
            run.status = rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    }
    unload(run.device);
    return run.status;
}

wave_rt_status rt_stream_open(const rt_stream_vendor *vendor, const char *which, void **device,
                              wave_rt_device_info *info, wave_rt_error *error) {
    unsigned index;
    int count = 0;
    if (!rt_index(which, &index))
        return rt_fail(error, WAVE_RT_NO_DEVICE, "expected %s device %s:NUMBER, not %s:%.40s",
                       vendor->title, vendor->name, vendor->name, which);
    rt_run run = load(vendor, &count, error);
    if (run.status == WAVE_RT_OK && index >= (unsigned)count)
        run.status = rt_fail(error, WAVE_RT_NO_DEVICE, "there is no %s:%u; %s has %d devices",
                             vendor->name, index, vendor->title, count);
    if (run.status == WAVE_RT_OK)
        describe(&run, (int)index, info);
    if (run.status == WAVE_RT_OK && vendor->retain)
        vendor->retain(&run);
    if (run.status == WAVE_RT_OK)
        *device = run.device;
    else
        unload(run.device);
    return run.status;
}

void rt_stream_close(void *device) {
    rt_stream_device *d = device;
    if (d->vendor->release)
        d->vendor->release(d);
    unload(d);
}
