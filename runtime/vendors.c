/* The table of vendors, one row each; finds devices and opens them by name. */
#include "core.h"

#include <wave/compile.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Best first: "auto" takes the first device of the list. */
const rt_row rt_rows[] = {
    {"cuda", &rt_cuda}, {"hip", &rt_hip}, {"metal", NULL},
    {"sycl", NULL},     {"emu", &rt_emu}, {NULL, NULL},
};

/* ---- Finding ---- */

typedef struct finder {
    rt_found found; /* must be first: vendors get its address */
    wave_rt_list *list;
    const char *vendor;
    bool failed;
} finder;

static bool add_device(rt_found *found, const wave_rt_device_info *info) {
    finder *f = (finder *)found;
    wave_rt_list *list = f->list;
    wave_rt_device_info *more = realloc(list->devices, (list->count + 1) * sizeof *more);
    if (!more) {
        f->failed = true;
        return false;
    }
    list->devices = more;
    list->devices[list->count] = *info;
    list->devices[list->count++].size = offsetof(wave_rt_device_info, later);
    return true;
}

static void add_absence(rt_found *found, const char *reason) {
    finder *f = (finder *)found;
    wave_rt_list *list = f->list;
    wave_rt_absence *more = realloc(list->absent, (list->absent_count + 1) * sizeof *more);
    if (!more) {
        f->failed = true;
        return;
    }
    list->absent = more;
    wave_rt_absence *absence = &list->absent[list->absent_count++];
    absence->vendor = f->vendor;
    rt_copy(absence->reason, sizeof absence->reason, reason);
}

/* Strings in a plug-in are unloaded with it. */
static const char *lasting_target(const char *target) {
    int index = target ? wave_target_find(target) : -1;
    return index < 0 ? NULL : wave_target_name((wave_target)index);
}

static void find_devices(finder *f, const rt_row *row) {
    wave_rt_error error;
    void *library = NULL;
    size_t before = f->list->count, absent = f->list->absent_count;
    const rt_vendor *vendor = row->vendor;
    f->vendor = row->name;
    if (!vendor)
        vendor = rt_plugin_load(row->name, &library, &error);
    wave_rt_status status =
        vendor ? vendor->enumerate(vendor, &f->found, &error) : WAVE_RT_NO_DEVICE;
    if (status == WAVE_RT_NO_MEMORY)
        f->failed = true; /* not a plain absence: "auto" would pick another device */
    else if (status != WAVE_RT_OK)
        add_absence(&f->found, error.message);
    else if (f->list->count == before && f->list->absent_count == absent)
        add_absence(&f->found, "no device");
    for (size_t k = before; k < f->list->count; k++)
        f->list->devices[k].target = lasting_target(f->list->devices[k].target);
    rt_library_close(library);
}

wave_rt_status wave_rt_enumerate(wave_rt_list *list, wave_rt_error *error) {
    return wave_rt_enumerate_watched(list, NULL, NULL, error);
}

wave_rt_status wave_rt_enumerate_watched(wave_rt_list *list, wave_rt_looking *looking, void *user,
                                         wave_rt_error *error) {
    if (!list)
        return rt_fail(error, WAVE_RT_USAGE, "the pointer to the list of devices is NULL");
    *list = (wave_rt_list){0};
    finder f = {.found = {add_device, add_absence}, .list = list};
    for (const rt_row *row = rt_rows; row->name; row++) {
        if (looking)
            looking(user, row->name);
        find_devices(&f, row);
    }
    if (!f.failed)
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
    device->info.size = offsetof(wave_rt_device_info, later);
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

wave_rt_status wave_rt_open(const char *name, wave_rt_device **out, wave_rt_error *error) {
    if (!name || !out)
        return rt_fail(error, WAVE_RT_USAGE, "device name or device is NULL");
    *out = NULL;
    if (rt_is_choice(name))
        return rt_open_choice(name, out, error);
    size_t length = strcspn(name, ":");
    const char *which = name[length] ? name + length + 1 : "";
    for (const rt_row *row = rt_rows; row->name; row++)
        if (strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return open_row(row, which, out, error);
    return rt_fail(error, WAVE_RT_NO_DEVICE,
                   "unknown device '%.60s'; names are emu, cuda:0, hip:0, sycl:cpu, sycl:gpu:0, "
                   "metal:0, pci:ADDRESS, uuid:START and auto",
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
