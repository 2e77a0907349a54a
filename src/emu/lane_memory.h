/* Memory as the instructions see it: little-endian bytes of four spaces, each access checked. The
 * fast path is in lanes.h; everything here works lane by lane. */
#ifndef EMU_LANE_MEMORY_H
#define EMU_LANE_MEMORY_H

#include "emu/machine.h"

#include <string.h>

/* 1, 2 or 4 bytes. */
static inline uint32_t emu_get(const uint8_t *from, uint32_t bytes) {
    uint32_t value = from[0];
    if (bytes >= 2)
        value |= (uint32_t)from[1] << 8;
    if (bytes == 4)
        value |= (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
    return value;
}

static inline void emu_put(uint8_t *to, uint32_t value, uint32_t bytes) {
    to[0] = (uint8_t)value;
    if (bytes >= 2)
        to[1] = (uint8_t)(value >> 8);
    if (bytes == 4) {
        to[2] = (uint8_t)(value >> 16);
        to[3] = (uint8_t)(value >> 24);
    }
}

static inline uint64_t emu_space_size(const emu_machine *m, wave_space space) {
    switch (space) {
    case WAVE_SPACE_LOCAL: return m->local_size;
    case WAVE_SPACE_PRIVATE: return m->private_size;
    case WAVE_SPACE_CONSTANT: return m->constant_size;
    default: return m->device_size;
    }
}

/* The first byte of a space as lane 0 sees it; for other lanes add multiples of
 * `emu_lane_distance`. */
static inline uint8_t *emu_space_bytes(const emu_machine *m, const emu_wave *w, wave_space space) {
    switch (space) {
    case WAVE_SPACE_LOCAL: return m->local;
    case WAVE_SPACE_PRIVATE: return w->private_memory;
    case WAVE_SPACE_CONSTANT: return m->constants;
    default: return m->device;
    }
}

static inline size_t emu_lane_distance(const emu_machine *m, wave_space space) {
    return space == WAVE_SPACE_PRIVATE ? (size_t)m->private_size : 0;
}

static inline bool emu_outside(const emu_machine *m, wave_space space, uint32_t address,
                               uint32_t bytes) {
    return (uint64_t)address + bytes > emu_space_size(m, space);
}

/* Handles an invalid access. Returns NULL after an error, which ends the launch; otherwise the
 * bytes to use. For an access out of bounds in a launch with bounds these are zeros that are never
 * read again. */
uint8_t *emu_odd_access(emu_machine *m, const emu_wave *w, const emu_insn *in, wave_space space,
                        wave_access_kind kind, uint32_t lane, uint32_t address, uint32_t bytes);

/* The bytes of one lane's access. NULL when it is out of bounds or, if this is an error,
 * misaligned: the error has been reported and the launch is over. */
static inline uint8_t *emu_access(emu_machine *m, const emu_wave *w, const emu_insn *in,
                                  wave_space space, wave_access_kind kind, uint32_t lane,
                                  uint32_t address, uint32_t bytes) {
    if ((uint64_t)address + bytes <= emu_space_size(m, space) && (address & (bytes - 1)) == 0)
        return emu_space_bytes(m, w, space) + lane * emu_lane_distance(m, space) + address;
    return emu_odd_access(m, w, in, space, kind, lane, address, bytes);
}

/* Notifies the observers of an access. Call only when m->watch_access. */
void emu_tell_access(const emu_machine *m, wave_space space, wave_access_kind kind, uint32_t lane,
                     uint32_t address, uint32_t bytes, uint32_t scope, const uint32_t value[4]);

/* Loads and stores lane by lane, with guards, errors, warnings and observers. */
void emu_load_lanes(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                    wave_space space, uint32_t bytes);
void emu_store_lanes(emu_machine *m, emu_wave *w, const emu_insn *in, uint64_t lanes,
                     wave_space space, uint32_t bytes);

#endif
