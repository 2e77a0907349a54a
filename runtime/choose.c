/* Chooses devices by something other than their name: by address, by identity, or the one preferred
 * by the user or by the order of the list. */
#include "core.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* True if `text` begins with `start`, ignoring case. */
static bool begins(const char *text, const char *start) {
    for (; *start; text++, start++)
        if (tolower((unsigned char)*text) != tolower((unsigned char)*start))
            return false;
    return true;
}

/* An address may omit the domain 0000. */
static bool is_at(const wave_rt_device_info *info, const char *address) {
    size_t length = strlen(info->pci), wanted = strlen(address);
    if (!length || !wanted || wanted > length)
        return false;
    return begins(info->pci + length - wanted, address) &&
           (wanted == length || (begins(info->pci, "0000:") && wanted + 5 == length));
}

/* NVIDIA's tools prefix it with "GPU-". */
static bool has_uuid(const wave_rt_device_info *info, const char *start) {
    if (begins(start, "GPU-"))
        start += 4;
    return *start && begins(info->uuid, start);
}

typedef bool match(const wave_rt_device_info *info, const char *text);

static const struct {
    const char *before;
    match *fits;
} kinds[] = {{"pci:", is_at}, {"uuid:", has_uuid}};
enum { KINDS = sizeof kinds / sizeof *kinds };

bool rt_is_choice(const char *name) {
    bool is = strcmp(name, "auto") == 0;
    for (size_t k = 0; k < KINDS; k++)
        is |= strncmp(name, kinds[k].before, strlen(kinds[k].before)) == 0;
    return is;
}

/* Finds the only device of the list that matches. */
static wave_rt_status find(const wave_rt_list *list, match *fits, const char *text,
                           const char **name, wave_rt_error *error) {
    for (size_t k = 0; k < list->count; k++) {
        if (!fits(&list->devices[k], text))
            continue;
        if (*name)
            return rt_fail(error, WAVE_RT_NO_DEVICE, "'%.60s' is ambiguous: it matches %s and %s",
                           text, *name, list->devices[k].name);
        *name = list->devices[k].name;
    }
    return *name ? WAVE_RT_OK
                 : rt_fail(error, WAVE_RT_NO_DEVICE, "no device matches '%.60s'", text);
}

static wave_rt_status choose(const char *wanted, const wave_rt_list *list, const char **name,
                             wave_rt_error *error) {
    for (size_t k = 0; k < KINDS; k++) {
        size_t length = strlen(kinds[k].before);
        if (strncmp(wanted, kinds[k].before, length) == 0)
            return find(list, kinds[k].fits, wanted + length, name, error);
    }
    *name = list->devices[0].name;
    return WAVE_RT_OK;
}

wave_rt_status rt_open_choice(const char *wanted, wave_rt_device **device, wave_rt_error *error) {
    const char *user = getenv("WAVE_DEVICE"), *name = NULL;
    wave_rt_error why = {0};
    wave_rt_list list;
    if (strcmp(wanted, "auto") == 0 && user && *user && strcmp(user, "auto") != 0) {
        wave_rt_status opened = wave_rt_open(user, device, &why);
        return opened == WAVE_RT_OK
                   ? opened
                   : rt_fail(error, opened, "WAVE_DEVICE is '%.60s': %.400s", user, why.message);
    }
    wave_rt_status status = wave_rt_enumerate(&list, error);
    if (status != WAVE_RT_OK)
        return status;
    status = choose(wanted, &list, &name, error);
    if (status == WAVE_RT_OK)
        status = wave_rt_open(name, device, error);
    wave_rt_list_free(&list);
    return status;
}
