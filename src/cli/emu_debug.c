/* --break: when the run stops, and the prompt. Commands are read from standard input, so that a
 * session can be scripted; everything is printed to standard error, which leaves standard output to
 * the dumps. */
#include "cli/emu_debug.h"
#include "cli/emu_memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512, DEFAULT_BYTES = 64, AROUND = 2, LIST_AROUND = 5, ERROR_SIZE = 320 };

struct emu_debugger {
    emu_texts *texts;
    emu_points points;
    emu_snapshot snapshot;
    uint64_t lanes; /* shown ones */
    bool full;      /* every stop shows all registers */
    bool input_ended, quit;
    /* What remains of a step or next: instructions, or changes of line, of the wave below. */
    uint64_t steps_left;
    bool by_line;
    emu_line step_line;
    uint32_t step_workgroup[3], step_wave;
};

/* ---- Commands ---- */

typedef enum answer { ASK_AGAIN, RESUME } answer;

static char *trimmed(char *text) {
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static answer usage(const char *text) {
    fprintf(stderr, "usage: %s\n", text);
    return ASK_AGAIN;
}

static answer say(const char *text) {
    cli_put_text(stderr, text, false);
    fputc('\n', stderr);
    return ASK_AGAIN;
}

static answer on_continue(emu_debugger *d, const wave_step *step, const char *rest) {
    (void)d;
    (void)step;
    (void)rest;
    return RESUME;
}

static answer on_quit(emu_debugger *d, const wave_step *step, const char *rest) {
    (void)step;
    (void)rest;
    d->quit = true;
    return RESUME;
}

static answer go(emu_debugger *d, const wave_step *step, const char *rest, bool by_line,
                 const char *how) {
    uint64_t count = 1;
    if (*rest && (!cli_number(rest, UINT64_MAX, &count) || count == 0))
        return usage(how);
    d->steps_left = count;
    d->by_line = by_line;
    d->step_line = emu_line_at(d->texts, step->index);
    d->step_wave = step->wave;
    memcpy(d->step_workgroup, step->workgroup, sizeof d->step_workgroup);
    return RESUME;
}

static answer on_step(emu_debugger *d, const wave_step *step, const char *rest) {
    return go(d, step, rest, false, "s [N]");
}

static answer on_next(emu_debugger *d, const wave_step *step, const char *rest) {
    return go(d, step, rest, d->texts->has_lines, "n [N]");
}

static answer on_registers(emu_debugger *d, const wave_step *step, const char *rest) {
    uint64_t lane;
    if (!*rest)
        emu_show_registers(step, d->lanes);
    else if (cli_number(rest, UINT32_MAX, &lane) && lane < emu_lanes_of(step))
        emu_show_registers(step, (uint64_t)1 << lane);
    else
        fprintf(stderr, "the lanes of this wave are 0 to %" PRIu32 "\n", emu_lanes_of(step) - 1);
    return ASK_AGAIN;
}

static answer on_memory(emu_debugger *d, const wave_step *step, const char *rest) {
    uint64_t address, size, count = DEFAULT_BYTES;
    char copy[LINE_SIZE];
    (void)snprintf(copy, sizeof copy, "%s", rest);
    char *where = strtok(copy, " \t"), *number = strtok(NULL, " \t");
    bool local = where && strncmp(where, "local:", 6) == 0;
    bool device = where && strncmp(where, "device:", 7) == 0;
    (void)d;
    if (where)
        where += local ? 6 : device ? 7 : 0;
    if (!where || !cli_number(where, UINT32_MAX, &address) ||
        (number && !cli_number(number, UINT32_MAX, &count)))
        return usage("m [local:]ADDR [COUNT]");
    const uint8_t *data = local ? wave_step_local(step, &size) : wave_step_device(step, &size);
    if (address >= size)
        fprintf(stderr, "%s memory ends at 0x%" PRIx64 "\n", local ? "local" : "device", size);
    else
        emu_hex_lines(stderr, data + address, address,
                      count < size - address ? count : size - address);
    return ASK_AGAIN;
}

static answer on_where(emu_debugger *d, const wave_step *step, const char *rest) {
    (void)rest;
    emu_show_where(d->texts, step);
    return ASK_AGAIN;
}

static answer on_list(emu_debugger *d, const wave_step *step, const char *rest) {
    (void)rest;
    emu_show_lines(d->texts, step, LIST_AROUND);
    return ASK_AGAIN;
}

static answer on_full(emu_debugger *d, const wave_step *step, const char *rest) {
    (void)step;
    (void)rest;
    d->full = !d->full;
    return say(d->full ? "every stop shows all registers"
                       : "a stop shows what has changed in the wave");
}

/* 0-3,7 */
static bool parse_lanes(const char *text, uint64_t *out) {
    uint64_t lanes = 0;
    char *end;
    for (;;) {
        if (*text < '0' || *text > '9')
            return false;
        unsigned long low = strtoul(text, &end, 10), high = low;
        if (*end == '-' && end[1] >= '0' && end[1] <= '9')
            high = strtoul(end + 1, &end, 10);
        if (low > high || high >= EMU_MAX_LANES)
            return false;
        for (unsigned long lane = low; lane <= high; lane++)
            lanes |= (uint64_t)1 << lane;
        if (*end == '\0')
            break;
        if (*end != ',')
            return false;
        text = end + 1;
    }
    *out = lanes;
    return true;
}

static answer on_lanes(emu_debugger *d, const wave_step *step, const char *rest) {
    (void)step;
    if (strcmp(rest, "all") == 0)
        d->lanes = UINT64_MAX;
    else if (*rest && !parse_lanes(rest, &d->lanes))
        return usage("lanes 0-3,7 | all");
    fputs("lanes ", stderr);
    emu_show_lane_set(d->lanes);
    fputc('\n', stderr);
    return ASK_AGAIN;
}

/* EXPRESSION [FORMAT] */
static answer on_print(emu_debugger *d, const wave_step *step, const char *rest) {
    char copy[LINE_SIZE];
    (void)snprintf(copy, sizeof copy, "%s", rest);
    char *last = strrchr(copy, ' ');
    int format = last ? cli_choice(last + 1, emu_format_names) : -1;
    if (!*rest)
        return usage("p EXPRESSION [hex|signed|unsigned|float|half|bfloat]");
    if (format >= 0)
        *last = '\0';
    emu_show_value(d->texts, step, d->lanes, trimmed(copy), (emu_format)(format + 1));
    return ASK_AGAIN;
}

static answer list_points(emu_debugger *d) {
    bool any = false;
    for (size_t k = 0; k < d->points.count; k++)
        if (d->points.list[k].number) {
            emu_print_point(d->texts, &d->points.list[k]);
            any = true;
        }
    return any ? ASK_AGAIN : say("there are no breakpoints or watchpoints");
}

static answer on_break(emu_debugger *d, const wave_step *step, const char *rest) {
    char error[ERROR_SIZE];
    (void)step;
    if (!*rest)
        return list_points(d);
    const emu_point *point = emu_add_break(&d->points, rest, error, sizeof error);
    if (!point)
        return say(error);
    emu_print_point(d->texts, point);
    return ASK_AGAIN;
}

static void remember_bytes(emu_point *point, const wave_step *step) {
    uint64_t size;
    const uint8_t *data =
        point->local ? wave_step_local(step, &size) : wave_step_device(step, &size);
    memset(point->before, 0, sizeof point->before);
    for (uint32_t k = 0; k < point->size && point->address + (uint64_t)k < size; k++)
        point->before[k] = data[point->address + k];
}

static answer on_watch(emu_debugger *d, const wave_step *step, const char *rest) {
    char error[ERROR_SIZE];
    emu_point *point = emu_add_watch(&d->points, rest, error, sizeof error);
    if (!point)
        return say(error);
    remember_bytes(point, step);
    emu_print_point(d->texts, point);
    return ASK_AGAIN;
}

static answer on_delete(emu_debugger *d, const wave_step *step, const char *rest) {
    char error[ERROR_SIZE];
    (void)step;
    size_t count = emu_delete_points(&d->points, rest, error, sizeof error);
    if (!count)
        return say(error);
    fprintf(stderr, "%zu deleted\n", count);
    return ASK_AGAIN;
}

static answer on_help(emu_debugger *d, const wave_step *step, const char *rest);

static const struct command {
    const char *letter, *name;
    answer (*obey)(emu_debugger *d, const wave_step *step, const char *rest);
    const char *form, *help;
} commands[] = {
    {"c", "continue", on_continue, "c, continue, or nothing", "continue running"},
    {"s", "step", on_step, "s, step [N]", "N instructions of this wave (1)"},
    {"n", "next", on_next, "n, next [N]", "until this wave is on another line, N times (1)"},
    {"b", "break", on_break, "b, break [PLACE [if COND]]",
     "stop at a line, offset (0x10) or label; alone: list"},
    {"", "watch", on_watch, "watch [local:]ADDR [N] [if COND]",
     "stop after a write to these N bytes (4)"},
    {"d", "delete", on_delete, "d, delete PLACE|#N|all", "delete a breakpoint or watchpoint"},
    {"p", "print", on_print, "p, print EXPR [FORMAT]",
     "its value in each lane; as hex, signed, unsigned, float, half, bfloat"},
    {"r", "registers", on_registers, "r, registers [LANE]", "all lanes, or one"},
    {"m", "memory", on_memory, "m, memory [local:]ADDR [N]", "N bytes (64)"},
    {"w", "where", on_where, "w, where", "place, lanes, control flow"},
    {"l", "list", on_list, "l, list", "the surrounding lines"},
    {"", "lanes", on_lanes, "lanes 0-3,7|all", "show these lanes only"},
    {"", "full", on_full, "full", "show all registers at every stop, or only what has changed"},
    {"h", "help", on_help, "h, help", "this list"},
    {"q", "quit", on_quit, "q, quit", "end with status 1"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static answer on_help(emu_debugger *d, const wave_step *step, const char *rest) {
    (void)d;
    (void)step;
    (void)rest;
    for (size_t k = 0; k < COMMANDS; k++)
        fprintf(stderr, "  %-33s %s\n", commands[k].form, commands[k].help);
    fputs("COND and EXPR: r5, p1, lane, wave, pc, wg_x, thread_x, active, signed(r5), float(r5),\n"
          "half(r5), bfloat(r5), mem(ADDR), local(ADDR), numbers, and the operators of C\n",
          stderr);
    return ASK_AGAIN;
}

/* ---- The prompt ---- */

/* A line, or less if it is too long: then *whole is false and the rest is discarded. False at the
 * end of the input. */
static bool read_line(char line[LINE_SIZE], bool *whole) {
    fputs("(wave-emu) ", stderr);
    fflush(stderr);
    if (!fgets(line, LINE_SIZE, stdin))
        return false;
    *whole = strchr(line, '\n') || feof(stdin);
    for (int c = *whole ? '\n' : getchar(); c != '\n' && c != EOF; c = getchar())
        ;
    return true;
}

static answer obey(emu_debugger *d, const wave_step *step, char *line) {
    char *word = trimmed(line);
    if (!*word)
        return RESUME;
    char *rest = word + strcspn(word, " \t");
    if (*rest)
        *rest++ = '\0';
    rest = trimmed(rest);
    for (size_t k = 0; k < COMMANDS; k++)
        if (strcmp(word, commands[k].letter) == 0 || strcmp(word, commands[k].name) == 0)
            return commands[k].obey(d, step, rest);
    fputs("unknown command '", stderr);
    cli_put_text(stderr, word, false);
    fputs("'; the commands are\n", stderr);
    return on_help(d, step, rest);
}

static void ask(emu_debugger *d, const wave_step *step) {
    char line[LINE_SIZE];
    answer got = ASK_AGAIN;
    bool whole = true;
    while (!d->input_ended && got == ASK_AGAIN) {
        d->input_ended = !read_line(line, &whole);
        if (d->input_ended)
            fputc('\n', stderr);
        else
            got = whole ? obey(d, step, line) : say("the line is too long");
    }
    emu_take_snapshot(&d->snapshot, step);
}

/* ---- Stopping ---- */

/* Shows all registers the first time a wave stops, later only the changes. */
static void show_stop(emu_debugger *d, const wave_step *step) {
    emu_show_lines(d->texts, step, AROUND);
    if (d->full || !emu_same_wave(&d->snapshot, step))
        emu_show_registers(step, d->lanes);
    else
        emu_show_changes(&d->snapshot, d->texts, step, d->lanes);
}

static bool step_ends(emu_debugger *d, const wave_step *step) {
    if (!d->steps_left || step->wave != d->step_wave ||
        memcmp(step->workgroup, d->step_workgroup, sizeof step->workgroup) != 0)
        return false;
    emu_line now = emu_line_at(d->texts, step->index);
    if (d->by_line && now.line == d->step_line.line && now.file == d->step_line.file)
        return false;
    d->step_line = now;
    return --d->steps_left == 0;
}

static bool on_before(void *user, const wave_step *step) {
    emu_debugger *d = user;
    uint64_t lanes = 0;
    bool stepped = step_ends(d, step);
    const emu_point *point = emu_break_at(&d->points, step, &lanes);
    if (d->quit)
        return false;
    if (!point && !stepped)
        return true;
    d->steps_left = 0;
    emu_show_place(d->texts, point ? "break" : "step", step);
    if (point && *point->condition) {
        fprintf(stderr, "  %s in lanes ", point->condition);
        emu_show_lane_set(lanes);
        fputc('\n', stderr);
    }
    show_stop(d, step);
    ask(d, step);
    return !d->quit;
}

static void show_bytes(const char *what, const uint8_t *bytes, uint32_t count) {
    fprintf(stderr, "  %s", what);
    for (uint32_t k = 0; k < count; k++)
        fprintf(stderr, " %02x", bytes[k]);
    fputc('\n', stderr);
}

static void stop_at_watch(emu_debugger *d, const wave_step *step, emu_point *point) {
    uint8_t before[EMU_MAX_WATCHED];
    d->steps_left = 0;
    memcpy(before, point->before, sizeof before);
    remember_bytes(point, step);
    emu_show_place(d->texts, "watch", step);
    fprintf(stderr, "  %s 0x%" PRIx32 " was written by lanes ", point->local ? "local" : "device",
            point->address);
    emu_show_lane_set(point->writers);
    fputc('\n', stderr);
    point->writers = 0;
    show_bytes("was", before, point->size);
    show_bytes("is ", point->before, point->size);
    show_stop(d, step);
    ask(d, step);
}

/* Stops once for each watchpoint that was hit. */
static void on_after(void *user, const wave_step *step) {
    emu_debugger *d = user;
    emu_point *point;
    if (emu_same_wave(&d->snapshot, step))
        emu_note_types(&d->snapshot, step);
    while (!d->quit && (point = emu_watch_hit(&d->points, step)))
        stop_at_watch(d, step, point);
}

static void on_access(void *user, const wave_step *step, const wave_access *access) {
    (void)step;
    emu_note_access(&((emu_debugger *)user)->points, access);
}

emu_debugger *emu_debugger_create(const emu_options *options, emu_texts *texts,
                                  wave_observer *observer, int *status) {
    const char *const *breaks = options->breaks.at;
    emu_debugger *d = calloc(1, sizeof *d);
    *status = CLI_USAGE;
    if (!d || !emu_points_init(&d->points, texts)) {
        cli_fail(EMU_ERROR, "out of memory");
        free(d);
        return NULL;
    }
    d->texts = texts;
    d->lanes = UINT64_MAX;
    for (size_t k = 0; k < options->breaks.count; k++) {
        char error[ERROR_SIZE];
        if (!emu_add_break(&d->points, breaks[k], error, sizeof error)) {
            cli_fail(EMU_TOOL, "--break %s", error);
            emu_debugger_destroy(d);
            return NULL;
        }
    }
    *observer =
        (wave_observer){.user = d, .before = on_before, .after = on_after, .access = on_access};
    return d;
}

bool emu_debugger_quit(const emu_debugger *d) {
    return d && d->quit;
}

void emu_debugger_destroy(emu_debugger *d) {
    if (d)
        emu_points_free(&d->points);
    free(d);
}
