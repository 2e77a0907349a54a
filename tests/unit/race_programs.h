/* Random programs of loads, stores, atomics, fences and barriers, some with races and some without,
 * for the tests of the race checker and of scoped memory. */
#ifndef TESTS_UNIT_RACE_PROGRAMS_H
#define TESTS_UNIT_RACE_PROGRAMS_H

#include "emu_helpers.h"
#include "support/random.h"

static inline const char *choose(uint64_t *state, const char *const *from, size_t count) {
    return from[random_next(state) % count];
}

#define CHOOSE(state, ...)                                                                         \
    choose(state, (const char *const[]){__VA_ARGS__},                                              \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

typedef struct writer {
    uint64_t *state;
    char *out;
    size_t used, size;
    const char *guard;
} writer;

static inline void line(writer *w, const char *format, ...) {
    va_list args;
    w->used += (size_t)snprintf(w->out + w->used, w->size - w->used, "%s", w->guard);
    va_start(args, format);
    w->used += (size_t)vsnprintf(w->out + w->used, w->size - w->used, format, args);
    va_end(args);
    w->used += (size_t)snprintf(w->out + w->used, w->size - w->used, "\n");
    cr_assert_lt(w->used, w->size);
}

/* Mixes the result in r6 into r18. */
static inline void mix_in(writer *w) {
    line(w, "imad r18, r18, r23, r6");
}

/* Usually a scope that includes the other lane, sometimes one that is too narrow. */
static inline const char *scope(uint64_t *state) {
    return CHOOSE(state, ".wave", ".workgroup", ".workgroup", ".device", ".device", ".device",
                  ".device", ".system");
}

static inline void data_access(writer *w) {
    const char *space = CHOOSE(w->state, "device", "device", "local");
    const char *width = CHOOSE(w->state, "u8", "u16", "u32", "u32", "u64");
    const char *address = CHOOSE(w->state, "r8", "r9", "r10", "r11", "r15", "r16");
    if (random_next(w->state) % 2) {
        line(w, "%s_load_%s r6, %s", space, width, address);
        mix_in(w);
    } else {
        line(w, "iadd r19, r19, r21");
        line(w, "%s_store_%s %s, r19", space, width, address);
    }
}

static inline void flag_access(writer *w) {
    const char *flag = CHOOSE(w->state, "r13", "r13", "r13", "r14");
    switch (random_next(w->state) % 9) {
    case 0: line(w, "local_atomic_add %s, r21", flag); break;
    case 1:
        line(w, "atomic_cas r6, %s, r12, r23, %s", flag, scope(w->state));
        mix_in(w);
        break;
    case 2:
        line(w, "atomic_load r6, %s, %s", flag, scope(w->state));
        mix_in(w);
        break;
    case 3: line(w, "atomic_store %s, r21, %s", flag, scope(w->state)); break;
    case 4:
        line(w, "local_atomic_load r6, %s", flag);
        mix_in(w);
        break;
    default: line(w, "atomic_add %s, r21, %s", flag, scope(w->state)); break;
    }
}

static inline void fence(writer *w, const char *kind) {
    if (random_next(w->state) % 8 == 0)
        kind = CHOOSE(w->state, "release", "acquire", "acq_rel", "sc");
    line(w, "fence_%s %s", kind, scope(w->state));
}

/* Sends a message, receives one, does both, accesses data, or waits at a barrier. */
static inline void phrase(writer *w) {
    uint64_t what = random_next(w->state) % 14;
    w->guard = CHOOSE(w->state, "", "", "@p1 ", "@!p1 ", "@p2 ", "@!p2 ", "@p3 ", "@!p3 ");
    if (what < 4) {
        data_access(w);
        fence(w, "release");
        flag_access(w);
    } else if (what < 8) {
        flag_access(w);
        fence(w, "acquire");
        data_access(w);
    } else if (what < 9) {
        fence(w, "acq_rel");
        flag_access(w);
        fence(w, "acq_rel");
    } else if (what < 11) {
        data_access(w);
    } else if (what < 13) {
        data_access(w);
        line(w, "fence_acq_rel .wave");
        data_access(w);
    } else {
        w->guard = "";
        line(w, "barrier");
    }
}

/* r8 … r11, r15 and r16 are addresses of data; r15 and r16 differ between the lanes of a wave. r13
 * and r14 are addresses of flags. A lane records its observations in its own word, from byte 128
 * on; each lane stores different values. p1: wave 0, p2: workgroup 0, p3: even lanes, or workgroups
 * where a wave has one lane. */
static inline void random_program(uint64_t *state, bool one_lane, char *out, size_t size) {
    static const char start[] =
        "mov_sr r0, sr_wave_id\n mov_sr r3, sr_lane_id\n mov_sr r4, sr_workgroup_id_x\n" EMU_DIGITS
        "mov r8, r20\n mov r9, r24\n mov r10, r28\n mov_imm r11, 12\n mov r12, r20\n"
        "mov_imm r13, 64\n mov_imm r14, 68\n mov_imm r5, 16\n imad r15, r3, r24, r5\n"
        "xor r16, r15, r24\n mov_sr r17, sr_thread_id_x\n mov_sr r5, sr_workgroup_size_x\n"
        "imad r17, r4, r5, r17\n mov_imm r5, 128\n imul r19, r17, r5\n imad r17, r17, r24, r5\n"
        "mov r18, r20\n icmp_eq p1, r0, r20\n icmp_eq p2, r4, r20\n";
    writer w = {.state = state, .out = out, .size = size, .guard = ""};
    line(&w, "%sand r5, %s, r21\n icmp_eq p3, r5, r20", start, one_lane ? "r4" : "r3");
    for (uint64_t phrases = 2 + random_next(state) % 6; phrases; phrases--)
        phrase(&w);
    w.guard = "";
    line(&w, "device_store_u32 r17, r18\n halt");
}

#endif
