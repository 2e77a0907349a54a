/* wave-rt-trial PLUGIN DEVICE SYMBOL... <TEXT: compiles a kernel's text with a plug-in. It exits
 * with 0 whatever the compiler reports, unless the compiler kills the process: the runtime tests
 * for exactly that (trial.c). */
#include "rt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Reads standard input, NUL-terminated; NULL: out of memory. */
static char *read_text(size_t *size) {
    size_t room = 1 << 16;
    char *text = malloc(room);
    *size = 0;
    while (text) {
        size_t got = fread(text + *size, 1, room - 1 - *size, stdin);
        *size += got;
        if (got == 0)
            break;
        if (*size + 1 == room) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            text = more;
        }
    }
    if (text)
        text[*size] = '\0';
    return text;
}

static const rt_vendor *load(const char *path) {
    rt_plugin_entry *entry = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *address = library ? dlsym(library, RT_PLUGIN_SYMBOL) : NULL;
    memcpy(&entry, &address, sizeof entry);
    return entry ? entry(RT_ABI) : NULL;
}

int main(int argc, char **argv) {
    const struct rlimit no_core = {0, 0};
    size_t size = 0, count = argc > 3 ? (size_t)argc - 3 : 0;
    const rt_vendor *vendor = argc > 3 ? load(argv[1]) : NULL;
    rt_entry *entries = calloc(count + 1, sizeof *entries);
    char *text = read_text(&size);
    wave_rt_device_info info;
    wave_rt_error error = {0};
    void *device = NULL, *module = NULL;
    (void)setrlimit(RLIMIT_CORE, &no_core);
    if (vendor && entries && text && vendor->open(argv[2], &device, &info, &error) == WAVE_RT_OK) {
        for (size_t k = 0; k < count; k++)
            entries[k].symbol = argv[3 + k];
        const rt_program program = {.text = text, .size = size, .entries = entries, .count = count};
        if (vendor->module_create(device, &program, &module, &error) == WAVE_RT_OK)
            vendor->module_destroy(device, module);
        vendor->close(device);
    }
    free(entries);
    free(text);
    return 0;
}
