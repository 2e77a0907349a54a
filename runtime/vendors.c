/* The table of vendors, one row each; finding devices and opening them by name. */
#include "core.h"

#include <wave/compile.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Best first: "auto" takes the first device of the list. */
const rt_row rt_rows[] = {
    {"cuda", &rt_cuda}, {"hip", &rt_hip}, {"metal", NULL},
    {"sycl", NULL},     {"emu", &rt_emu}, {NULL, NULL},
};

/* ---- Finding ---- */

struct rt_found {
    wave_rt_list *list;
    const char *vendor;
    bool failed;
};

bool rt_found_device(rt_found *found, const wave_rt_device_info *info) {
    wave_rt_list *list = found->list;
    wave_rt_device_info *more = realloc(list->devices, (list->count + 1) * sizeof *more);
    if (!more) {
        found->failed = true;
        return false;
    }
    list->devices = more;
    list->devices[list->count++] = *info;
    return true;
}

void rt_found_nothing(rt_found *found, const char *format, ...) {
    wave_rt_list *list = found->list;
    va_list args;
    wave_rt_absence *more = realloc(list->absent, (list->absent_count + 1) * sizeof *more);
    if (!more) {
        found->failed = true;
        return;
    }
    list->absent = more;
    wave_rt_absence *absence = &list->absent[list->absent_count++];
    absence->vendor = found->vendor;
    va_start(args, format);
    (void)vsnprintf(absence->reason, sizeof absence->reason, format, args);
    va_end(args);
}

/* The strings of a plug-in go with it. */
static const char *lasting_target(const char *target) {
    int index = target ? wave_target_find(target) : -1;
    return index < 0 ? NULL : wave_target_name((wave_target)index);
}

static void find_devices(const rt_row *row, rt_found *found) {
    wave_rt_error error;
    void *library = NULL;
    size_t before = found->list->count, absent = found->list->absent_count;
    const rt_vendor *vendor = row->vendor;
    found->vendor = row->name;
    if (!vendor)
        vendor = rt_plugin_load(row->name, &library, &error);
    if (!vendor)
        rt_found_nothing(found, "%s", error.message);
    else if (vendor->enumerate(vendor, found, &error) != WAVE_RT_OK)
        rt_found_nothing(found, "%s", error.message);
    else if (found->list->count == before && found->list->absent_count == absent)
        rt_found_nothing(found, "no device");
    for (size_t k = before; k < found->list->count; k++)
        found->list->devices[k].target = lasting_target(found->list->devices[k].target);
    rt_library_close(library);
}

wave_rt_status wave_rt_enumerate(wave_rt_list *list, wave_rt_error *error) {
    if (!list)
        return rt_fail(error, WAVE_RT_USAGE, "no place for the list of devices");
    *list = (wave_rt_list){0};
    rt_found found = {.list = list};
    for (const rt_row *row = rt_rows; row->name; row++)
        find_devices(row, &found);
    if (!found.failed)
        return WAVE_RT_OK;
    wave_rt_list_free(list);
    return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
}

void wave_rt_list_free(wave_rt_list *list) {
    if (!list)
        return;
    free(list->devices);
    free(list->absent);
    *list = (wave_rt_list){0};
}

/* ---- Opening ---- */

static wave_rt_status open_vendor(const rt_vendor *vendor, void *library, const char *which,
                                  wave_rt_device **out, wave_rt_error *error) {
    wave_rt_device *device = calloc(1, sizeof *device);
    if (!device)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    wave_rt_status status = vendor->open(which, &device->own, &device->info, error);
    if (status != WAVE_RT_OK) {
        free(device);
        return status;
    }
    device->vendor = vendor;
    device->library = library;
    device->info.target = lasting_target(device->info.target);
    atomic_init(&device->users, 1);
    *out = device;
    return WAVE_RT_OK;
}

static wave_rt_status open_row(const rt_row *row, const char *which, wave_rt_device **out,
                               wave_rt_error *error) {
    void *library = NULL;
    wave_rt_error local;
    const rt_vendor *vendor = row->vendor;
    if (!vendor)
        vendor = rt_plugin_load(row->name, &library, &local);
    if (!vendor)
        return rt_fail(error, local.status, "%s", local.message);
    wave_rt_status status = open_vendor(vendor, library, which, out, error);
    if (status != WAVE_RT_OK)
        rt_library_close(library);
    return status;
}

static wave_rt_status open_first(wave_rt_device **out, wave_rt_error *error) {
    wave_rt_list list;
    wave_rt_status status = wave_rt_enumerate(&list, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_open(list.devices[0].name, out, error);
    wave_rt_list_free(&list);
    return status;
}

wave_rt_status wave_rt_open(const char *name, wave_rt_device **out, wave_rt_error *error) {
    if (!name || !out)
        return rt_fail(error, WAVE_RT_USAGE, "no name of a device, or no place for it");
    *out = NULL;
    if (strcmp(name, "auto") == 0)
        return open_first(out, error);
    size_t length = strcspn(name, ":");
    const char *which = name[length] ? name + length + 1 : "";
    for (const rt_row *row = rt_rows; row->name; row++)
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return open_row(row, which, out, error);
    return rt_fail(error, WAVE_RT_NO_DEVICE,
                   "there is no device '%.60s'; names are emu, cuda:0, hip:0, sycl:cpu, "
                   "sycl:gpu:0, metal:0 and auto",
                   name);
}

wave_rt_device *rt_device_use(wave_rt_device *device) {
    atomic_fetch_add(&device->users, 1);
    return device;
}

void rt_device_release(wave_rt_device *device) {
    if (atomic_fetch_sub(&device->users, 1) != 1)
        return;
    void *library = device->library;
    device->vendor->close(device->own);
    free(device);
    rt_library_close(library);
}

void wave_rt_close(wave_rt_device *device) {
    if (device)
        rt_device_release(device);
}

const wave_rt_device_info *wave_rt_device_describe(const wave_rt_device *device) {
    return device ? &device->info : NULL;
}
