/* Structures of callers that were built with another version of wave_rt.h. The first word is their
 * size, and versions differ only in members added at the end. */
#include "core.h"

#include <string.h>

bool rt_take_sized(void *ours, uint32_t size, const void *given) {
    uint32_t have;
    memcpy(&have, given, sizeof have);
    if (have < sizeof have)
        return false;
    memcpy(ours, given, have < size ? have : size);
    memcpy(ours, &size, sizeof size);
    return true;
}

void rt_give_sized(void *given, uint32_t given_size, const void *ours, uint32_t size) {
    memset(given, 0, given_size);
    memcpy(given, ours, given_size < size ? given_size : size);
    if (given_size >= sizeof given_size)
        memcpy(given, &given_size, sizeof given_size);
}
