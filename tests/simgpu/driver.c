/* The part of a simulated driver that CUDA and HIP share: objects and their handles, devices,
 * memory, streams and events. Codes and checks are those of a driver. */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): MAP_ANONYMOUS
#include "simgpu/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
    if (object->kind == SIM_MEMORY)
        driver.allocated -= object->size;
    while (object->arrivals) {
        sim_arrival *next = object->arrivals->next;
        free(object->arrivals);
        object->arrivals = next;
    }
    if (object->drop)
        object->drop(object->own);
    if (object->mapped)
        (void)munmap(object->bytes, object->size);
    else
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

int sim_pci(const char *call, char *text, int size, int device) {
    SIM_BEGIN(call)
    (void)snprintf(text, (size_t)size, "0000:%02x:00.0", 0x3b + device);
    SIM_END(SUCCESS);
}

int sim_uuid(const char *call, uint8_t bytes[16], int device) {
    SIM_BEGIN(call)
    for (int k = 0; k < 16; k++)
        bytes[k] = (uint8_t)(0x10 * (device + 1) + k);
    SIM_END(SUCCESS);
}

int sim_attribute(const char *call, int *value, int which, const sim_pair *list, size_t count) {
    SIM_BEGIN(call)
    if (sim_number("WAVE_SIM_OLD", 0))
        count--;
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

static int allocate(sim_kind kind, size_t size, sim_object **made) {
    if (size == 0)
        return INVALID_VALUE;
    uint8_t *bytes = size <= total() - driver.allocated ? malloc(size) : NULL;
    if (!bytes)
        return OUT_OF_MEMORY;
    memset(bytes, 0xA5, size); /* fresh memory is uninitialised */
    sim_object *o = *made = sim_make(kind);
    o->size = size;
    o->bytes = bytes;
    driver.allocated += kind == SIM_MEMORY ? size : 0;
    return SUCCESS;
}

/* Addresses are not host addresses: dereferencing one on the host is detected. */
int sim_alloc(const char *call, void **address, size_t size) {
    sim_object *o = NULL;
    SIM_BEGIN(call)
    SIM_READY
    result = allocate(SIM_MEMORY, size, &o);
    if (result != SUCCESS)
        SIM_END(result);
    o->address = driver.next_address;
    driver.next_address += (size + 0x1fffff) & ~(size_t)0xfffff; /* with a gap */
    *address = (void *)o->address; // NOLINT(performance-no-int-to-ptr): as a driver does
    SIM_END(SUCCESS);
}

/* Addresses are also host addresses, and low enough for the PTX interpreter. */
int sim_shared_alloc(const char *call, void **address, size_t size, unsigned flags) {
    void *low = (void *)0x300000000000; // NOLINT(performance-no-int-to-ptr): a hint for mmap
    SIM_BEGIN(call)
    SIM_READY
    if (size == 0 || flags != 1)
        SIM_END(INVALID_VALUE);
    void *bytes = size <= total() - driver.allocated
                      ? mmap(low, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                      : MAP_FAILED;
    if (bytes == MAP_FAILED)
        SIM_END(OUT_OF_MEMORY);
    sim_object *o = sim_make(SIM_MEMORY);
    o->address = (uintptr_t)bytes;
    o->size = size;
    o->bytes = bytes;
    o->mapped = true;
    driver.allocated += size;
    *address = bytes;
    SIM_END(SUCCESS);
}

int sim_host_alloc(const char *call, void **address, size_t size, unsigned flags) {
    sim_object *o = NULL;
    SIM_BEGIN(call)
    SIM_READY
    result = flags == 0 ? allocate(SIM_HOST, size, &o) : INVALID_VALUE;
    if (o)
        *address = o->bytes;
    SIM_END(result);
}

int sim_host_free(const char *call, const void *address) {
    int fault = sim_enter(call);
    sim_object *o = driver.objects;
    while (o && (o->kind != SIM_HOST || o->bytes != address))
        o = o->next;
    return give_back(fault, o);
}

int sim_free(const char *call, const void *address) {
    int fault = sim_enter(call);
    sim_object *o = sim_memory(address, 0);
    return give_back(fault, o && o->address == (uintptr_t)address ? o : NULL);
}

/* Finds the host bytes at an address. */
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
    if (result != SUCCESS)
        SIM_END(result);
    sim_object *s = sim_find(stream, SIM_STREAM);
    sim_arrival *a = malloc(sizeof *a + size);
    if (!a)
        abort();
    *a = (sim_arrival){.next = s->arrivals, .to = to, .size = size};
    memcpy(a->bytes, at, size);
    s->arrivals = a;
    SIM_END(SUCCESS);
}

/* Delivers the bytes of queued copies, which must not be read earlier. The newest comes first in
 * the list. */
static void arrive(sim_object *stream) {
    sim_arrival *oldest = NULL;
    while (stream && stream->arrivals) {
        sim_arrival *a = stream->arrivals;
        stream->arrivals = a->next;
        a->next = oldest;
        oldest = a;
    }
    while (oldest) {
        sim_arrival *next = oldest->next;
        memcpy(oldest->to, oldest->bytes, oldest->size);
        free(oldest);
        oldest = next;
    }
}

int sim_copy(const char *call, const void *to, const void *from, size_t size, const void *stream) {
    uint8_t *source, *target;
    SIM_BEGIN(call)
    SIM_READY
    result = locate(from, size, stream, &source);
    if (result == SUCCESS)
        result = locate(to, size, stream, &target);
    if (result == SUCCESS)
        memcpy(target, source, size);
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
    sim_object *o = sim_find(stream, SIM_STREAM);
    while (o && o->hanging)
        (void)pause();
    arrive(o);
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
    e->of = s;
    SIM_END(SUCCESS);
}

/* Behaves like the first query of an event on a busy device: a copy that nobody waited for has not
 * arrived yet. */
int sim_event_query(const char *call, const void *event) {
    SIM_BEGIN(call)
    SIM_READY
    const sim_object *e = sim_find(event, SIM_EVENT);
    const sim_object *s = e ? sim_find(e->of, SIM_STREAM) : NULL;
    if (!e)
        SIM_END(INVALID_HANDLE);
    SIM_END(s && (s->arrivals || s->hanging) ? NOT_READY : SUCCESS);
}

int sim_event_wait(const char *call, const void *event) {
    SIM_BEGIN(call)
    SIM_READY
    const sim_object *e = sim_find(event, SIM_EVENT);
    if (!e)
        SIM_END(INVALID_HANDLE);
    arrive(sim_find(e->of, SIM_STREAM));
    SIM_END(SUCCESS);
}

int sim_stream_follow(const char *call, const void *stream, const void *event, unsigned flags) {
    SIM_BEGIN(call)
    SIM_READY
    sim_object *s = sim_find(stream, SIM_STREAM);
    const sim_object *e = sim_find(event, SIM_EVENT);
    if (!s || !e || flags)
        SIM_END(flags ? INVALID_VALUE : INVALID_HANDLE);
    s->clock = s->clock > e->clock ? s->clock : e->clock;
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
enum { MAX_THREADS = 0, SHARED_SIZE = 1, LOCAL_SIZE = 3, NUM_REGS = 4 };

static unsigned registers(void) {
    return sim_number("WAVE_SIM_REGISTERS", 32);
}

unsigned sim_most_threads(unsigned width) {
    unsigned threads = REGISTER_FILE / registers() / width * width;
    return threads < MOST_THREADS ? threads : MOST_THREADS;
}

/* By CUfunction_attribute; HIP has the same numbers. */
int sim_kernel_attribute(int *value, int which, unsigned width) {
    switch (which) {
    case MAX_THREADS: *value = (int)sim_most_threads(width); return SUCCESS;
    case SHARED_SIZE: *value = (int)sim_number("WAVE_SIM_LOCAL", 0); return SUCCESS;
    case LOCAL_SIZE: *value = (int)sim_number("WAVE_SIM_SPILLS", 0); return SUCCESS;
    case NUM_REGS: *value = (int)registers(); return SUCCESS;
    default: return INVALID_VALUE;
    }
}

void sim_kernel_failed(int code, const char *message) {
    driver.sticky = code;
    if (sim_number("WAVE_SIM_VERBOSE", 0))
        fprintf(stderr, "simulated GPU: %s\n", message);
}
