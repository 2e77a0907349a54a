/* See api.h. */
#include "clrun/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static bool find(void *library, const char *name, void *function, char *error, size_t error_size) {
    void *symbol = dlsym(library, name);
    if (!symbol)
        snprintf(error, error_size, "the library has no %s", name);
    memcpy(function, &symbol, sizeof symbol); /* an object pointer to a function pointer */
    return symbol != NULL;
}

bool cl_load(cl_api *api, const char *library, char *error, size_t error_size) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *why = dlerror();
        snprintf(error, error_size, "%s", why ? why : library);
        return false;
    }
#define FIND(RESULT, NAME, PARAMETERS)                                                             \
    if (!find(handle, #NAME, &api->NAME, error, error_size))                                       \
        return false;
    CL_FUNCTIONS(FIND)
#undef FIND
    return true;
}
