/* The generator's output: random numbers, text, the choice of registers, constants and guards. */
#include "gen/author.h"
#include "support/random.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t au_bits(author *a) {
    return (uint32_t)(random_next(&a->state) >> 32);
}

uint32_t au_pick(author *a, uint32_t below) {
    return (uint32_t)((random_next(&a->state) >> 33) % below);
}

bool au_chance(author *a, unsigned percent) {
    return au_pick(a, 100) < percent;
}

static bool make_room(author *a, size_t more) {
    if (a->failed)
        return false;
    if (a->used + more + 1 <= a->room)
        return true;
    size_t room = a->room * 2 + more + 4096;
    char *text = realloc(a->text, room);
    a->failed = !text;
    if (!text)
        return false;
    a->text = text;
    a->room = room;
    return true;
}

static void append(author *a, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0 || !make_room(a, (size_t)length))
        return;
    vsnprintf(a->text + a->used, (size_t)length + 1, format, arguments);
    a->used += (size_t)length;
}

void au_raw(author *a, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(a, format, arguments);
    va_end(arguments);
}

void au_say(author *a, const place *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    au_raw(a, "%*s", (int)(4 * (1 + (p->depth < 12 ? p->depth : 12))), "");
    append(a, format, arguments);
    au_raw(a, "\n");
    va_end(arguments);
}

unsigned au_reg(author *a, reg_class c) {
    return a->first[c] + au_pick(a, a->count[c]) * (c == CLASS_F64 ? 2 : 1);
}

unsigned au_int_run(author *a, unsigned count) {
    return a->first[CLASS_INT] + au_pick(a, a->count[CLASS_INT] - count + 1);
}

unsigned au_predicate(author *a) {
    return au_pick(a, ISA_PREDICATES);
}

uint32_t au_constant(author *a) {
    static const uint32_t interesting[] = {
        0,          1,          2,          3,          4,          5,          7,
        8,          15,         16,         31,         32,         33,         63,
        64,         127,        255,        0xFFFF,     0x10000,    0x7FFFFFFF, 0x80000000,
        0xFFFFFFFF, 0xFFFFFFFE, 0x3F800000, 0xBF800000, 0x3F000000, 0x40490FDB, 0x7F800000,
        0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0x00800000, 0x00000001, 0x80000001, 0x3C003C00,
        0x7BFF0400, 0x80008000, 0x7C00FC00, 0x3F803F80, 0x7FF00000, 0x4B000000, 0x4F000000};
    if (au_chance(a, 75))
        return interesting[au_pick(a, sizeof interesting / sizeof *interesting)];
    return au_bits(a) >> au_pick(a, 32);
}

const char *au_guard(author *a) {
    static const char *const guards[] = {"@p1 ",  "@p2 ",  "@p3 ", "@!p0 ",
                                         "@!p1 ", "@!p2 ", "@!p3 "};
    return a->has[GEN_GUARDS] && au_chance(a, 35) ? guards[au_pick(a, 7)] : "";
}
