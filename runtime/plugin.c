/* Plug-ins: shared libraries of ours for vendors that C alone cannot reach. */
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

/* Where make install puts them. */
#ifndef WAVE_PLUGIN_DIR
#define WAVE_PLUGIN_DIR "/usr/local/lib/wave"
#endif

enum { PATH_SIZE = 4096 };

/* FOLDER/libwave_rt_NAME.so, if that file is there. */
static bool in_folder(const char *folder, int length, const char *below, const char *name,
                      char path[PATH_SIZE]) {
    int size =
        snprintf(path, PATH_SIZE, "%.*s%s/libwave_rt_%s." ENDING, length, folder, below, name);
    return size > 0 && size < PATH_SIZE && access(path, R_OK) == 0;
}

/* Beside this library, or in ../lib of the program it is linked into, or where it was installed.
 * The folder that the process happens to be in is none of these. */
static bool find(const char *name, char path[PATH_SIZE]) {
    const char *asked = getenv("WAVE_RT_PLUGINS");
    if (asked)
        return *asked && in_folder(asked, (int)strlen(asked), "", name, path);
    char *own = rt_own_folder();
    int length = own ? (int)strlen(own) : 0;
    bool found = own && (in_folder(own, length, "/wave", name, path) ||
                         in_folder(own, length, "/../lib/wave", name, path));
    free(own);
    return found || in_folder(WAVE_PLUGIN_DIR, (int)strlen(WAVE_PLUGIN_DIR), "", name, path);
}

/* ---- Plug-ins ---- */

const rt_vendor *rt_plugin_load(const char *name, void **library, wave_rt_error *error) {
    char path[PATH_SIZE];
    rt_plugin_entry *entry = NULL;
    *library = NULL;
    if (!find(name, path)) {
        rt_fail(error, WAVE_RT_NO_DEVICE, "the plug-in libwave_rt_%s is not installed", name);
        return NULL;
    }
    /* It stays loaded, and with it the vendor's libraries that it needs. */
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!*library) {
        rt_fail(error, WAVE_RT_NO_DEVICE, "the plug-in does not load: %.400s", dlerror());
        return NULL;
    }
    const rt_vendor *vendor =
        rt_library_find(*library, RT_PLUGIN_SYMBOL, &entry) ? entry(RT_ABI) : NULL;
    if (vendor)
        return vendor;
    rt_fail(error, WAVE_RT_NO_DEVICE, "the plug-in %.300s is of another version", path);
    rt_library_close(*library);
    *library = NULL;
    return NULL;
}
