/* The core's own objects: devices with a count of those who need them, arenas, modules, queues. */
#ifndef RUNTIME_CORE_H
#define RUNTIME_CORE_H

#include "rt.h"

#include <stdatomic.h>

struct wave_rt_device {
    const rt_vendor *vendor;
    void *own; /* the vendor's */
    wave_rt_device_info info;
    void *library;      /* of the plug-in the vendor came from, or NULL */
    atomic_uint users;  /* itself, and every arena, module and queue */
    atomic_bool warned; /* that the cache is not used */
};

struct wave_rt_arena {
    wave_rt_device *device;
    void *own;
    uint64_t size;
    _Atomic uint64_t used;
};

struct wave_rt_module {
    wave_rt_device *device;
    void *own;
    uint8_t *data; /* the WBIN */
    size_t size;
    wave_rt_module_options options; /* as it was made; `cache` is a copy */
    char *cache;
    /* The same file for launches that give other registers or local memory: variant.c. */
    struct wave_rt_module *_Atomic variants;
    struct wave_rt_module *next; /* of them */
    wave_module *module;
    wave_blob text, binary;
    rt_program program;
    rt_entry *entries;
    bool cached;
};

struct wave_rt_queue {
    wave_rt_device *device;
    void *own;
    bool timed; /* a launch was */
};

wave_rt_device *rt_device_use(wave_rt_device *device);
void rt_device_release(wave_rt_device *device);

/* variant.c: the module for a launch: itself, or a variant of it for the launcher's registers and
 * local memory, made at the first such launch. */
wave_rt_status rt_module_for(const wave_rt_launch *launch, const wave_rt_module **module,
                             wave_rt_error *error);
void rt_variants_destroy(wave_rt_module *module);

/* The rows: table[0] … until NULL. A row is a vendor of this library or the name of a plug-in. */
typedef struct rt_row {
    const char *name;
    const rt_vendor *vendor; /* NULL: in a plug-in */
} rt_row;
extern const rt_row rt_rows[];

/* The folder that this library or the program around it is in, absolute and without links; NULL
 * where that is not known. Free it. */
char *rt_own_folder(void);

/* A plug-in's table; NULL, with the reason in `error`. `library` is to be closed after use. */
const rt_vendor *rt_plugin_load(const char *name, void **library, wave_rt_error *error);

/* Whether this process would survive compiling the program: it is compiled in another one. Fails
 * when that died; where nothing can be tried, nothing is wrong. */
wave_rt_status rt_trial(const wave_rt_device *device, const rt_program *program,
                        wave_rt_error *error);

extern const rt_vendor rt_emu, rt_cuda, rt_hip;

#endif
