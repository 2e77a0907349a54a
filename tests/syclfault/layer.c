/* An OpenCL layer that makes a wait for the device fail, as a GPU's driver does after a page fault
 * or a reset, to test how runtime/sycl.cpp handles it. The loader inserts it between itself and the
 * driver if OPENCL_LAYERS names it. With WAVE_CL_FAULT=CODE:NUMBER, waits fail with this code from
 * the wait of this number on, counted from 1. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>

#include <stdlib.h>
#include <string.h>

static const cl_icd_dispatch *driver;
static cl_icd_dispatch table;

static cl_int fault(void) {
    static int waits;
    const char *text = getenv("WAVE_CL_FAULT");
    const char *number = text ? strchr(text, ':') : NULL;
    return number && ++waits >= atoi(number + 1) ? (cl_int)atoi(text) : CL_SUCCESS;
}

static cl_int CL_API_CALL finish(cl_command_queue queue) {
    cl_int result = fault();
    return result ? result : driver->clFinish(queue);
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events) {
    cl_int result = fault();
    return result ? result : driver->clWaitForEvents(count, events);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void *value,
                                               size_t *needed) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name != CL_LAYER_API_VERSION || (value && size < sizeof version))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, &version, sizeof version);
    if (needed)
        *needed = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count,
                                                          const cl_icd_dispatch *target,
                                                          cl_uint *own_count,
                                                          const cl_icd_dispatch **own,
                                                          const cl_layer_properties *properties) {
    const cl_uint all = sizeof table / sizeof(void *);
    (void)properties;
    if (!target || !own_count || !own)
        return CL_INVALID_VALUE;
    driver = target;
    memcpy(&table, target, (count < all ? count : all) * sizeof(void *));
    table.clFinish = finish;
    table.clWaitForEvents = wait_for_events;
    *own = &table;
    *own_count = count < all ? count : all;
    return CL_SUCCESS;
}

/* The name that older loaders use. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target,
                                            cl_uint *own_count, const cl_icd_dispatch **own) {
    return clInitLayerWithProperties(count, target, own_count, own, NULL);
}

CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void) {
    return CL_SUCCESS;
}
