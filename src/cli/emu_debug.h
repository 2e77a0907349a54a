/* The debugger of wave-emu, shared by its files: stops and the prompt (emu_debug.c), the display at
 * a stop (emu_debug_show.c), breakpoints and watchpoints (emu_points.c), expressions over the state
 * of a lane (emu_values.c). */
#ifndef CLI_EMU_DEBUG_H
#define CLI_EMU_DEBUG_H

#include "cli/emu_watch.h"

enum { EMU_MAX_LANES = 64, EMU_MAX_REGISTERS = 256, EMU_PREDICATES = 4 };

/* ---- emu_values.c ---- */

/* A lane of a stopped wave; `step` NULL: no particular lane, everything is 0. */
typedef struct emu_lane {
    const emu_texts *texts; /* of its kernel */
    const wave_step *step;
    uint32_t lane;
} emu_lane;

/* The source name of a register or predicate: the first of its names, or NULL. */
const char *emu_register_name(const emu_texts *texts, bool predicate, uint32_t number);

/* The value of an expression in a lane, as a double: registers are treated as unsigned numbers.
 * False, with a sentence in `error`, when the text is not an expression. */
bool emu_evaluate(const emu_lane *lane, const char *text, double *out, char *error,
                  size_t error_size);

/* The 32 bits of an expression's value: an integer modulo 2^32, or the bits of the nearest f32. */
uint32_t emu_bits_of(double value);

typedef enum emu_format {
    EMU_FORMAT_NUMBER, /* determined by the expression */
    EMU_FORMAT_HEX,
    EMU_FORMAT_SIGNED,
    EMU_FORMAT_UNSIGNED,
    EMU_FORMAT_FLOAT,
    EMU_FORMAT_HALF,
    EMU_FORMAT_BFLOAT
} emu_format;

extern const char *const emu_format_names[]; /* by emu_format - 1, then NULL */

enum { EMU_VALUE_TEXT = 64 };
void emu_value_text(emu_format format, double value, char out[EMU_VALUE_TEXT]);

/* ---- emu_points.c ---- */

enum { EMU_MAX_POINTS = 64, EMU_MAX_WATCHED = 64, EMU_CONDITION = 256 };

typedef struct emu_point {
    uint32_t number; /* counted from 1; 0: free */
    bool watch;
    char condition[EMU_CONDITION]; /* "": always */
    /* A breakpoint: the instruction, or every run of instructions of the line. */
    uint32_t pc;
    emu_line line; /* if line.line is 0: only the instruction */
    /* A watchpoint: the bytes, and their previous contents. */
    bool local;
    uint32_t address, size;
    uint8_t before[EMU_MAX_WATCHED];
    uint64_t writers; /* lanes that wrote there in this instruction */
} emu_point;

typedef struct emu_points {
    const emu_texts *texts;
    emu_point list[EMU_MAX_POINTS];
    size_t count; /* length of the list, including free entries */
    uint32_t last;
    uint8_t *at;  /* by instruction index: how many breakpoints are there */
    bool watches; /* there is a watchpoint */
} emu_points;

bool emu_points_init(emu_points *points, const emu_texts *texts);
void emu_points_free(emu_points *points);

/* Parses PLACE [if CONDITION] and [local:]ADDR [BYTES] [if CONDITION]. Returns the point, or NULL
 * with a sentence in `error`. */
emu_point *emu_add_break(emu_points *points, const char *text, char *error, size_t error_size);
emu_point *emu_add_watch(emu_points *points, const char *text, char *error, size_t error_size);

/* NUMBER, PLACE or "all". Returns how many were deleted, 0 with a sentence in `error`. */
size_t emu_delete_points(emu_points *points, const char *text, char *error, size_t error_size);

void emu_print_point(emu_texts *texts, const emu_point *point);

/* The breakpoint that stops this step, and the lanes for which its condition holds; NULL: none. */
const emu_point *emu_break_at(const emu_points *points, const wave_step *step, uint64_t *lanes);

/* Records a store or atomic of one lane; then, after the instruction, each call returns another
 * watchpoint that stops, whose writers the caller resets, or NULL when there are no more. */
void emu_note_access(emu_points *points, const wave_access *access);
emu_point *emu_watch_hit(emu_points *points, const wave_step *step);

/* ---- emu_debug_show.c ---- */

/* The state of the wave at the last stop. */
typedef struct emu_snapshot {
    bool taken;
    uint32_t workgroup[3], wave;
    uint32_t registers[EMU_MAX_LANES][EMU_MAX_REGISTERS];
    uint8_t predicates[EMU_MAX_LANES];
    uint8_t types[EMU_MAX_REGISTERS]; /* wave_value, as last written */
} emu_snapshot;

void emu_show_place(emu_texts *texts, const char *what, const wave_step *step);
void emu_show_lines(emu_texts *texts, const wave_step *step, uint32_t around);
void emu_show_registers(const wave_step *step, uint64_t lanes);
/* Shows registers and predicates that differ from the snapshot. */
void emu_show_changes(const emu_snapshot *snapshot, const emu_texts *texts, const wave_step *step,
                      uint64_t lanes);
void emu_show_value(const emu_texts *texts, const wave_step *step, uint64_t lanes, const char *text,
                    emu_format format);
void emu_show_where(emu_texts *texts, const wave_step *step);
/* "0-3,7" */
void emu_show_lane_set(uint64_t lanes);

void emu_take_snapshot(emu_snapshot *snapshot, const wave_step *step);
bool emu_same_wave(const emu_snapshot *snapshot, const wave_step *step);
/* Records the types with which the instruction writes its results. */
void emu_note_types(emu_snapshot *snapshot, const wave_step *step);

#endif
