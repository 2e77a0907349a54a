/* Errors as values, and small text helpers of the runtime. Also linked into plug-ins. */
#include "rt.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *wave_rt_status_text(wave_rt_status status) {
    static const char *const texts[WAVE_RT_STATUS_COUNT] = {
        [WAVE_RT_OK] = "no error",
        [WAVE_RT_USAGE] = "invalid use of the runtime",
        [WAVE_RT_NO_MEMORY] = "out of memory",
        [WAVE_RT_NO_DEVICE] = "no such device",
        [WAVE_RT_BAD_INPUT] = "the kernel cannot be compiled",
        [WAVE_RT_BAD_BUILD] = "the vendor's compiler rejects the kernel",
        [WAVE_RT_BOUNDS] = "out of bounds",
        [WAVE_RT_LIMIT] = "beyond the limits of the device",
        [WAVE_RT_DEVICE_MEMORY] = "out of device memory",
        [WAVE_RT_LAUNCH] = "the kernel failed",
        [WAVE_RT_LOST] = "the device is lost",
        [WAVE_RT_VENDOR] = "the vendor's library failed",
        [WAVE_RT_UNKNOWN] = "not known",
    };
    return (unsigned)status < WAVE_RT_STATUS_COUNT ? texts[status] : "unknown status";
}

wave_rt_status rt_fail(wave_rt_error *error, wave_rt_status status, const char *format, ...) {
    va_list args;
    if (!error)
        return status;
    error->status = status;
    error->vendor_code = 0;
    error->log[0] = '\0';
    va_start(args, format);
    (void)vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

wave_rt_status rt_fail_call(wave_rt_error *error, wave_rt_status status, const char *call,
                            const char *words, long code) {
    rt_fail(error, status, "%s: %.300s (%ld)", call, words ? words : "unknown error", code);
    if (error)
        error->vendor_code = code;
    return status;
}

void rt_log(wave_rt_error *error, const char *text, size_t size) {
    if (!error)
        return;
    size_t room = sizeof error->log - 1;
    size_t length = size < room ? size : room;
    memcpy(error->log, text, length);
    error->log[length] = '\0';
    length = strlen(error->log); /* some compilers include the NUL */
    while (length && (error->log[length - 1] == '\n' || error->log[length - 1] == ' '))
        error->log[--length] = '\0';
}

void rt_copy(char *to, size_t size, const char *from) {
    size_t length = strlen(from);
    length = length < size ? length : size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

bool rt_index(const char *text, unsigned *index) {
    unsigned value = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || value > 99999)
            return false;
        value = value * 10 + (unsigned)(*text - '0');
    }
    *index = value;
    return true;
}
