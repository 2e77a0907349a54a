/* Plug-ins: our shared libraries for vendors that cannot be reached from C alone. */
#include "core.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __APPLE__
#define ENDING "dylib"
#else
#define ENDING "so"
#endif

/* The folder that make install puts them in. */
#ifndef WAVE_PLUGIN_DIR
#define WAVE_PLUGIN_DIR "/usr/local/lib/wave"
#endif

enum { PATH_SIZE = 4096 };

/* How to obtain each plug-in. */
static const struct {
    const char *name, *remedy;
} remedies[] = {
#ifdef __APPLE__
    {"metal", "\"make plugins\" in wavec's sources builds it"},
    {"sycl", "Intel's run time is for Linux"},
#else
    {"metal", "Metal is for macOS"},
    {"sycl", "\"sh scripts/find-sycl.sh --install && make plugins\" in wavec's sources builds it"},
#endif
};

static const char *remedy_of(const char *name) {
    for (size_t k = 0; k < sizeof remedies / sizeof *remedies; k++)
        if (strcmp(remedies[k].name, name) == 0)
            return remedies[k].remedy;
    return "it is not a plug-in of wavec";
}

/* ---- Finding ---- */

/* FOLDER/libwave_rt_NAME.so, if that file exists. */
static bool in_folder(const char *folder, const char *below, const char *name,
                      char path[PATH_SIZE]) {
    int size = snprintf(path, PATH_SIZE, "%s%s/libwave_rt_%s." ENDING, folder, below, name);
    return size > 0 && size < PATH_SIZE && access(path, R_OK) == 0;
}

/* Searches next to this library, in the lib folder of the program that it is linked into, and in
 * the installation folder. The current folder is never searched. */
static bool find_own(const char *name, char path[PATH_SIZE]) {
    static const char *const below[] = {"/wave", "/../lib/wave", "/../lib64/wave"};
    char *own = rt_own_folder();
    bool found = false;
    for (size_t k = 0; own && !found && k < sizeof below / sizeof *below; k++)
        found = in_folder(own, below[k], name, path);
    free(own);
    return found || in_folder(WAVE_PLUGIN_DIR, "", name, path);
}

static bool find(const char *name, char path[PATH_SIZE], wave_rt_error *error) {
    const char *asked = getenv("WAVE_RT_PLUGINS");
    if (asked && !*asked)
        rt_fail(error, WAVE_RT_NO_DEVICE, "turned off: WAVE_RT_PLUGINS is empty");
    else if (asked && !in_folder(asked, "", name, path))
        rt_fail(error, WAVE_RT_NO_DEVICE,
                "the plug-in libwave_rt_%s is not in %.120s, given by WAVE_RT_PLUGINS", name,
                asked);
    else if (!asked && !find_own(name, path))
        rt_fail(error, WAVE_RT_NO_DEVICE, "the plug-in libwave_rt_%s is not installed; %s", name,
                remedy_of(name));
    else
        return true;
    return false;
}

/* ---- Loading ---- */

const rt_vendor *rt_plugin_load(const char *name, void **library, wave_rt_error *error) {
    char path[PATH_SIZE];
    rt_plugin_entry *entry = NULL;
    *library = NULL;
    if (!find(name, path, error))
        return NULL;
    /* The plug-in stays loaded, and so do the vendor's libraries that it depends on. */
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!*library) {
        rt_fail(error, WAVE_RT_NO_DEVICE, "the plug-in cannot be loaded: %.400s", dlerror());
        return NULL;
    }
    const rt_vendor *vendor =
        rt_library_find(*library, RT_PLUGIN_SYMBOL, &entry) ? entry(RT_ABI) : NULL;
    if (vendor)
        return vendor;
    rt_fail(error, WAVE_RT_NO_DEVICE, "the plug-in %.160s has a different version; %s", path,
            remedy_of(name));
    rt_library_close(*library);
    *library = NULL;
    return NULL;
}
