/* The command line of wave-emu as data. Parsing is in emu_options.c; nothing here touches files or
 * runs anything. */
#ifndef CLI_EMU_OPTIONS_H
#define CLI_EMU_OPTIONS_H

#include "cli/common_options.h"

#include <wave/emu.h>

/* The prefix of messages about the run and about files; messages about usage start with the tool's
 * name. */
#define EMU_ERROR "Error"
#define EMU_TOOL  "wave-emu"

enum { EMU_LIMIT_REACHED = 3 }; /* exit status, besides those of cli.h */

typedef enum emu_type {
    EMU_U8,
    EMU_U16,
    EMU_U32,
    EMU_I32,
    EMU_U64,
    EMU_F16,
    EMU_BF16,
    EMU_F32,
    EMU_F64
} emu_type;

/* --fill-zero, --fill-iota */
typedef struct emu_fill {
    uint64_t offset, count;
    emu_type type;
    double scale;
} emu_fill;

/* --arg */
typedef struct emu_file {
    uint64_t offset;
    const char *path;
} emu_file;

/* --dump-memory (count in bytes), --dump-u32 and the others */
typedef struct emu_dump {
    uint64_t offset, count;
    char name[64]; /* of the argument it is in, or "" */
} emu_dump;

typedef enum emu_dump_kind {
    EMU_DUMP_HEX,
    EMU_DUMP_U32,
    EMU_DUMP_F32,
    EMU_DUMP_F16,
    EMU_DUMP_BF16,
    EMU_DUMP_KINDS
} emu_dump_kind;

/* --assert-u32, --assert-f32 */
typedef struct emu_assertion {
    uint64_t offset;
    bool is_float;
    uint32_t integer;
    float number;
    double tolerance;
} emu_assertion;

/* A growing list of any of these; see emu_add. */
typedef struct emu_list {
    void *at;
    size_t count;
} emu_list;

typedef enum emu_trace_style { EMU_TRACE_OFF, EMU_TRACE_LANES, EMU_TRACE_WAVES } emu_trace_style;

typedef struct emu_options {
    const char *path;
    const char *kernel; /* name or number; NULL: the first */
    wave_load_options load;
    cli_reading reading;
    bool optimise; /* run the optimised form */
    bool test;     /* the file contains the launch */
    bool launch_given, width_given, limit_given;
    wave_launch launch;
    wave_sweep sweep; /* runs 0: only the requested run */
    /* Number of seeds of --schedule and --memory; 0: a single one, not a range. */
    uint64_t schedules, memories;
    uint32_t registers[256]; /* --set-reg */
    bool given[256];         /* which of them are set */
    emu_list arguments;      /* arg_named: --arg NAME=VALUE */
    emu_list zeros, iotas;   /* emu_fill */
    emu_list files;          /* emu_file */
    emu_list dumps[EMU_DUMP_KINDS];
    emu_list assertions; /* emu_assertion */
    emu_list breaks;     /* const char *: PLACE [if CONDITION] */
    bool dump_registers, stats;

    emu_trace_style trace;
    bool memory_trace;
    bool only_wave, only_lane;
    uint32_t wave, lane;
    uint32_t pc_low, pc_high; /* inclusive */

    bool profile;
    wave_profile_style profile_style;
    const char *profile_path;
} emu_options;

/* Appends a zeroed element of `size` bytes; NULL when out of memory. */
void *emu_add(emu_list *list, size_t size);

/* 0 to continue, or a negative value to exit with *status: --help, or an error that was printed. */
int emu_parse(emu_options *options, int argc, char **argv, int *status);
void emu_options_free(emu_options *options);

extern const char *const emu_type_names[]; /* by emu_type, then NULL */
uint32_t emu_type_size(emu_type type);

#endif
