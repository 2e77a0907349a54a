/* The core's own objects: reference-counted devices, arenas, modules, queues. */
#ifndef RUNTIME_CORE_H
#define RUNTIME_CORE_H

#include "rt.h"

#include <stdatomic.h>

struct wave_rt_device {
    const rt_vendor *vendor;
    void *own; /* the vendor's object */
    wave_rt_device_info info;
    void *library;      /* the plug-in that the vendor came from, or NULL */
    atomic_uint users;  /* the device itself, and every arena, module and queue */
    atomic_bool warned; /* already reported that the cache is not used */
};

struct wave_rt_arena {
    wave_rt_device *device;
    void *own;
    uint8_t *host; /* host address, or NULL when the host cannot access it */
    uint64_t size;
    _Atomic uint64_t used;
};

/* A WBIN file and the module read from it; both are freed with the last user. */
typedef struct rt_file {
    atomic_uint users;
    uint8_t *data;
    wave_module *module;
} rt_file;

struct wave_rt_module {
    wave_rt_device *device;
    void *own;
    rt_file *file;
    const uint8_t *data; /* points into the file */
    size_t size;
    wave_rt_module_options options; /* as given at creation; `cache` is a copy */
    char *cache;
    /* The same file for launches with different registers or local memory: variant.c. */
    struct wave_rt_module *_Atomic variants;
    struct wave_rt_module *next; /* next variant */
    const wave_module *module;   /* belongs to the file */
    wave_blob text, binary;
    rt_program program;
    rt_entry *entries;
    rt_limits *limits; /* one per entry */
    bool cached;
};

struct wave_rt_queue {
    wave_rt_device *device;
    void *own;
    bool timed; /* a timed launch was queued */
    /* The file of the launches with asserts since the last wait; NULL: there was none. */
    rt_file *asserts;
    bool ambiguous; /* the launches came from several files */
};

struct wave_rt_event {
    wave_rt_device *device;
    void *own;
    atomic_bool recorded;
};

/* asserts.c */
rt_file *rt_file_use(rt_file *file);
void rt_file_release(rt_file *file); /* may be NULL */
void rt_remember_asserts(wave_rt_queue *queue, const wave_rt_module *module, size_t kernel);
void rt_forget_asserts(wave_rt_queue *queue);
/* Adds the text of the assert that the error reports, if there is one. */
void rt_explain_assert(const wave_rt_queue *queue, wave_rt_status status, wave_rt_error *error);

/* choose.c: opens the device that "pci:…", "uuid:…" or "auto" denotes. */
bool rt_is_choice(const char *name);
wave_rt_status rt_open_choice(const char *wanted, wave_rt_device **device, wave_rt_error *error);

/* Copies a caller's structure, in any version, over our defaults. The first word of both is the
 * size. False: the size is missing. */
bool rt_take_sized(void *ours, uint32_t size, const void *given);
/* The reverse: copies our defaults as far as the caller's version reaches, then zeros. */
void rt_give_sized(void *given, uint32_t given_size, const void *ours, uint32_t size);

wave_rt_device *rt_device_use(wave_rt_device *device);
void rt_device_release(wave_rt_device *device);

/* variant.c: returns the module for a launch: the module itself, or a variant with the launch's
 * registers and local memory, created at the first such launch. */
wave_rt_status rt_module_for(const wave_rt_launch *launch, const wave_rt_module **module,
                             wave_rt_error *error);
void rt_variants_destroy(wave_rt_module *module);

/* The table of vendors; the last row has no name. A row is either a vendor in this library or the
 * name of a plug-in. */
typedef struct rt_row {
    const char *name;
    const rt_vendor *vendor; /* NULL: it is in a plug-in */
} rt_row;
extern const rt_row rt_rows[];

/* The folder of this library or of the program that contains it, absolute and without links; NULL
 * where it is unknown. Free it. */
char *rt_own_folder(void);

/* Returns a plug-in's table, or NULL with the reason in `error`. The caller closes `library`. */
const rt_vendor *rt_plugin_load(const char *name, void **library, wave_rt_error *error);

/* Compiles the program in another process to find out whether this process would survive it. Fails
 * when that process died; succeeds where no trial is possible. */
wave_rt_status rt_trial(const wave_rt_device *device, const rt_program *program,
                        wave_rt_error *error);

extern const rt_vendor rt_emu, rt_cuda, rt_hip;

#endif
