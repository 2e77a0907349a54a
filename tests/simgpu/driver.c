/* The part of a simulated driver that CUDA and HIP have alike: objects and their handles, devices,
 * memory, streams and events. Codes and checks are those of a driver. */
#include "simgpu/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

sim_driver driver = {.next_address = 0x200000000};

/* ---- Objects ---- */

sim_object *sim_make(sim_kind kind) {
    sim_object *o = calloc(1, sizeof *o);
    if (!o)
        abort();
    o->kind = kind;
    o->next = driver.objects;
    driver.objects = o;
    sim_born(kind);
    return o;
}

sim_object *sim_find(const void *handle, sim_kind kind) {
    for (sim_object *o = driver.objects; o; o = o->next)
        if (o == handle && o->kind == kind)
            return o;
    return NULL;
}

void sim_forget(sim_object *object) {
    for (sim_object **at = &driver.objects; *at; at = &(*at)->next)
        if (*at == object) {
            *at = object->next;
            break;
        }
    driver.allocated -= object->size;
    if (object->drop)
        object->drop(object->own);
    free(object->bytes);
    free(object);
}

static int give_back(int fault, sim_object *o) {
    int result = sim_driver_current();
    if (result != SUCCESS)
        SIM_END(result);
    if (!o)
        SIM_END(INVALID_HANDLE);
    sim_died(o->kind);
    sim_forget(o);
    SIM_END(fault);
}

int sim_destroy(const char *call, const void *handle, sim_kind kind) {
    int fault = sim_enter(call);
    return give_back(fault, sim_find(handle, kind));
}

/* ---- Devices ---- */

int sim_init(const char *call, unsigned flags) {
    SIM_BEGIN(call)
    driver.initialised = true;
    SIM_END(flags == 0 ? SUCCESS : INVALID_VALUE);
}

int sim_tell(const char *call, int *place, int value) {
    SIM_BEGIN(call)
    *place = value;
    SIM_END(SUCCESS);
}

int sim_devices(void) {
    return (int)sim_number("WAVE_SIM_DEVICES", 1);
}

int sim_count(const char *call, int *count) {
    SIM_BEGIN(call)
    *count = sim_devices();
    SIM_END(driver.initialised ? SUCCESS : NOT_INITIALIZED);
}

int sim_name(const char *call, char *name, int size, const char *title, int device) {
    const char *other = getenv("WAVE_SIM_TITLE");
    SIM_BEGIN(call)
    (void)snprintf(name, (size_t)size, "%s %d", other ? other : title, device);
    SIM_END(SUCCESS);
}

static size_t total(void) {
    return (size_t)sim_number("WAVE_SIM_MEMORY", 256) << 20;
}

int sim_total(const char *call, size_t *size, int device) {
    SIM_BEGIN(call)
    *size = total();
    SIM_END(device >= 0 ? SUCCESS : INVALID_DEVICE);
}

int sim_attribute(const char *call, int *value, int which, const sim_pair *list, size_t count) {
    SIM_BEGIN(call)
    for (size_t k = 0; k < count; k++)
        if (list[k].which == which) {
            *value = list[k].value;
            SIM_END(SUCCESS);
        }
    SIM_END(INVALID_VALUE);
}

const char *sim_words(int code) {
    switch (code) {
    case INVALID_VALUE: return "invalid argument";
    case OUT_OF_MEMORY: return "out of memory";
    case NOT_INITIALIZED: return "initialization error";
    case INVALID_DEVICE: return "invalid device ordinal";
    case INVALID_IMAGE: return "device kernel image is invalid";
    case INVALID_CONTEXT: return "invalid device context";
    case NO_BINARY_FOR_GPU: return "no kernel image is available for execution on the device";
    case INVALID_PTX: return "a PTX JIT compilation failed";
    case INVALID_HANDLE: return "invalid resource handle";
    case NOT_FOUND: return "named symbol not found";
    case ILLEGAL_ADDRESS: return "an illegal memory access was encountered";
    case LAUNCH_FAILED: return "unspecified launch failure";
    case 46: return "CUDA-capable device(s) is/are busy or unavailable";
    default: return NULL;
    }
}

/* ---- Memory ---- */

sim_object *sim_memory(const void *address, size_t size) {
    uintptr_t at = (uintptr_t)address;
    for (sim_object *o = driver.objects; o; o = o->next)
        if (o->kind == SIM_MEMORY && at >= o->address && at - o->address <= o->size &&
            size <= o->size - (at - o->address))
            return o;
    return NULL;
}

/* Addresses are not the host's: who uses one as such is found out. */
int sim_alloc(const char *call, void **address, size_t size) {
    SIM_BEGIN(call)
    SIM_READY
    if (size == 0)
        SIM_END(INVALID_VALUE);
    uint8_t *bytes = size <= total() - driver.allocated ? malloc(size) : NULL;
    if (!bytes)
        SIM_END(OUT_OF_MEMORY);
    memset(bytes, 0xA5, size); /* fresh memory holds anything */
    sim_object *o = sim_make(SIM_MEMORY);
    o->address = driver.next_address;
    o->size = size;
    o->bytes = bytes;
    driver.allocated += size;
    driver.next_address += (size + 0x1fffff) & ~(size_t)0xfffff; /* with a gap */
    *address = (void *)o->address; // NOLINT(performance-no-int-to-ptr): what a driver gives
    SIM_END(SUCCESS);
}

int sim_free(const char *call, const void *address) {
    int fault = sim_enter(call);
    sim_object *o = sim_memory(address, 0);
    return give_back(fault, o && o->address == (uintptr_t)address ? o : NULL);
}

/* Where the bytes at an address are. */
static int locate(const void *address, size_t size, const void *stream, uint8_t **at) {
    const sim_object *o = sim_memory(address, size);
    if (!sim_find(stream, SIM_STREAM))
        return INVALID_HANDLE;
    if (!o)
        return INVALID_VALUE;
    *at = o->bytes + ((uintptr_t)address - o->address);
    return SUCCESS;
}

int sim_upload(const char *call, const void *to, const void *from, size_t size,
               const void *stream) {
    uint8_t *at;
    SIM_BEGIN(call)
    SIM_READY
    result = locate(to, size, stream, &at);
    if (result == SUCCESS)
        memcpy(at, from, size);
    SIM_END(result);
}

int sim_download(const char *call, void *to, const void *from, size_t size, const void *stream) {
    uint8_t *at;
    SIM_BEGIN(call)
    SIM_READY
    result = locate(from, size, stream, &at);
    if (result == SUCCESS)
        memcpy(to, at, size);
    SIM_END(result);
}

int sim_fill(const char *call, const void *to, int byte, size_t size, const void *stream) {
    uint8_t *at;
    SIM_BEGIN(call)
    SIM_READY
    result = locate(to, size, stream, &at);
    if (result == SUCCESS)
        memset(at, byte, size);
    SIM_END(result);
}

/* ---- Streams and events ---- */

int sim_stream_create(const char *call, void **stream, unsigned flags) {
    SIM_BEGIN(call)
    SIM_READY
    if (flags > 1)
        SIM_END(INVALID_VALUE);
    *stream = sim_make(SIM_STREAM);
    SIM_END(SUCCESS);
}

int sim_stream_wait(const char *call, const void *stream) {
    SIM_BEGIN(call)
    SIM_READY
    const sim_object *o = sim_find(stream, SIM_STREAM);
    while (o && o->hanging)
        (void)pause();
    SIM_END(o ? SUCCESS : INVALID_HANDLE);
}

int sim_event_create(const char *call, void **event, unsigned flags) {
    SIM_BEGIN(call)
    SIM_READY
    if (flags > 7)
        SIM_END(INVALID_VALUE);
    *event = sim_make(SIM_EVENT);
    SIM_END(SUCCESS);
}

int sim_event_record(const char *call, const void *event, const void *stream) {
    SIM_BEGIN(call)
    SIM_READY
    sim_object *e = sim_find(event, SIM_EVENT), *s = sim_find(stream, SIM_STREAM);
    if (!e || !s)
        SIM_END(INVALID_HANDLE);
    e->clock = s->clock;
    e->recorded = true;
    SIM_END(SUCCESS);
}

int sim_event_elapsed(const char *call, float *milliseconds, const void *start, const void *stop) {
    SIM_BEGIN(call)
    SIM_READY
    const sim_object *a = sim_find(start, SIM_EVENT), *b = sim_find(stop, SIM_EVENT);
    if (!a || !b || !a->recorded || !b->recorded)
        SIM_END(INVALID_HANDLE);
    *milliseconds = (float)((b->clock - a->clock) * 1e3);
    SIM_END(SUCCESS);
}

/* ---- Kernels ---- */

enum { MOST_THREADS = 1024, REGISTER_FILE = 65536 };

static unsigned registers(void) {
    return sim_number("WAVE_SIM_REGISTERS", 32);
}

unsigned sim_most_threads(unsigned width) {
    unsigned threads = REGISTER_FILE / registers() / width * width;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

int sim_kernel_attribute(int *value, int which, unsigned width) {
    switch (which) {
    case 0: *value = (int)sim_most_threads(width); return SUCCESS;
    case 1: *value = (int)sim_number("WAVE_SIM_LOCAL", 0); return SUCCESS;
    case 4: *value = (int)registers(); return SUCCESS;
    default: return INVALID_VALUE;
    }
}

void sim_kernel_failed(int code, const char *message) {
    driver.sticky = code;
    if (sim_number("WAVE_SIM_VERBOSE", 0))
        fprintf(stderr, "simulated GPU: %s\n", message);
}
