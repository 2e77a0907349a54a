/* --break: stopping before an instruction and the prompt. Commands come from standard input, so
 * that a session can be scripted; everything is printed on standard error, which leaves standard
 * output to the dumps. */
#include "cli/emu_memory.h"
#include "cli/emu_watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 256, MAX_REGISTERS = 256, DEFAULT_BYTES = 64 };

static const char help_text[] = "  c, continue, or nothing     run on\n"
                                "  s, step [N]                 N instructions of this wave (1)\n"
                                "  r, registers [LANE]         all lanes, or one\n"
                                "  m, memory [local:]ADDR [N]  N bytes (64)\n"
                                "  w, where                    place, lanes, control flow\n"
                                "  q, quit                     end with status 1\n";

/* ---- Showing ---- */

static void print_place(const emu_debugger *d, const char *what, const wave_step *step) {
    fprintf(stderr,
            "%s at PC=0x%03" PRIx32 " in wg(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") wave %" PRIu32
            ": %s\n",
            what, step->pc, step->workgroup[0], step->workgroup[1], step->workgroup[2], step->wave,
            emu_text_at(d->texts, step));
}

static const char *lane_note(const wave_step *step, uint32_t lane) {
    if (step->executing >> lane & 1)
        return "";
    if (step->active >> lane & 1)
        return ", guarded off";
    return step->live >> lane & 1 ? ", inactive" : ", halted";
}

static void print_lane(const wave_step *step, uint32_t lane) {
    uint32_t registers[MAX_REGISTERS], count = wave_step_register_count(step);
    unsigned predicates = 0;
    if (count > MAX_REGISTERS)
        count = MAX_REGISTERS;
    for (uint32_t reg = 0; reg < count; reg++)
        registers[reg] = wave_step_register(step, reg, lane);
    for (uint32_t p = 0; p < 4; p++)
        predicates |= (unsigned)wave_step_predicate(step, p, lane) << p;
    emu_print_lane(stderr, step, lane, lane_note(step, lane), registers, count, predicates);
}

static void print_registers(const wave_step *step) {
    for (uint32_t lane = 0; lane < emu_lanes_of(step); lane++)
        print_lane(step, lane);
}

static void registers_command(const wave_step *step, const char *lane_text) {
    uint64_t lane;
    if (!lane_text)
        print_registers(step);
    else if (cli_number(lane_text, UINT32_MAX, &lane) && lane < emu_lanes_of(step))
        print_lane(step, (uint32_t)lane);
    else
        fprintf(stderr, "the lanes of this wave are 0 to %" PRIu32 "\n", emu_lanes_of(step) - 1);
}

static void memory_command(const wave_step *step, const char *address_text,
                           const char *count_text) {
    uint64_t address, size, count = DEFAULT_BYTES;
    bool local = address_text && strncmp(address_text, "local:", 6) == 0;
    bool device = address_text && strncmp(address_text, "device:", 7) == 0;
    if (address_text)
        address_text += local ? 6 : device ? 7 : 0;
    if (!address_text || !cli_number(address_text, UINT32_MAX, &address) ||
        (count_text && !cli_number(count_text, UINT32_MAX, &count))) {
        fputs("usage: m [local:]ADDR [COUNT]\n", stderr);
        return;
    }
    const uint8_t *data = local ? wave_step_local(step, &size) : wave_step_device(step, &size);
    if (address >= size) {
        fprintf(stderr, "%s memory ends at 0x%" PRIx64 "\n", local ? "local" : "device", size);
        return;
    }
    emu_hex_lines(stderr, data + address, address, count < size - address ? count : size - address);
}

static void where_command(const emu_debugger *d, const wave_step *step) {
    wave_blob frames;
    print_place(d, "stopped", step);
    fprintf(stderr, "lanes: live 0x%" PRIx64 ", active 0x%" PRIx64 ", executing 0x%" PRIx64 "\n",
            step->live, step->active, step->executing);
    if (wave_step_frames(step, &frames) != WAVE_OK)
        return;
    if (frames.size) {
        fwrite(frames.data, 1, frames.size, stderr);
        if (frames.data[frames.size - 1] != '\n')
            fputc('\n', stderr);
    } else {
        fputs("no open if, loop or call\n", stderr);
    }
    wave_blob_free(&frames);
}

/* ---- The prompt ---- */

static bool is(const char *word, const char *letter, const char *name) {
    return strcmp(word, letter) == 0 || strcmp(word, name) == 0;
}

static void step_command(emu_debugger *d, const wave_step *step, uint64_t count) {
    d->steps_left = count;
    d->step_wave = step->wave;
    memcpy(d->step_workgroup, step->workgroup, sizeof d->step_workgroup);
}

/* Reads a line into at most three words; false at the end of the input. */
static bool read_words(char line[LINE_SIZE], char *words[3]) {
    words[0] = words[1] = words[2] = NULL;
    fputs("(wave-emu) ", stderr);
    fflush(stderr);
    if (!fgets(line, LINE_SIZE, stdin))
        return false;
    if (!strchr(line, '\n')) /* too long: the rest of the line belongs to it */
        for (int c = getchar(); c != '\n' && c != EOF; c = getchar())
            ;
    size_t count = 0;
    for (char *word = strtok(line, " \t\r\n"); word && count < 3; word = strtok(NULL, " \t\r\n"))
        words[count++] = word;
    return true;
}

/* True when the run goes on, false to ask again. */
static bool obey(emu_debugger *d, const wave_step *step, char *words[3]) {
    uint64_t count = 1;
    if (!words[0] || is(words[0], "c", "continue"))
        return true;
    if (is(words[0], "q", "quit")) {
        d->quit = true;
        return true;
    }
    if (is(words[0], "s", "step")) {
        if (!words[1] || (cli_number(words[1], UINT64_MAX, &count) && count > 0)) {
            step_command(d, step, count);
            return true;
        }
        fputs("usage: s [N]\n", stderr);
    } else if (is(words[0], "r", "registers")) {
        registers_command(step, words[1]);
    } else if (is(words[0], "m", "memory")) {
        memory_command(step, words[1], words[2]);
    } else if (is(words[0], "w", "where")) {
        where_command(d, step);
    } else {
        if (!is(words[0], "h", "help"))
            fprintf(stderr, "unknown command '%s'; the commands are\n", words[0]);
        fputs(help_text, stderr);
    }
    return false;
}

static void ask(emu_debugger *d, const wave_step *step) {
    char line[LINE_SIZE], *words[3];
    while (!d->input_ended) {
        if (!read_words(line, words)) {
            d->input_ended = true;
            fputc('\n', stderr);
            return;
        }
        if (obey(d, step, words))
            return;
    }
}

static bool has_break(const emu_debugger *d, uint32_t pc) {
    const uint32_t *breaks = d->options->breaks.at;
    for (size_t i = 0; i < d->options->breaks.count; i++)
        if (breaks[i] == pc)
            return true;
    return false;
}

static bool step_ends(emu_debugger *d, const wave_step *step) {
    if (!d->steps_left || step->wave != d->step_wave ||
        memcmp(step->workgroup, d->step_workgroup, sizeof step->workgroup) != 0)
        return false;
    return --d->steps_left == 0;
}

static bool on_before(void *user, const wave_step *step) {
    emu_debugger *d = user;
    bool stepped = step_ends(d, step);
    if (!has_break(d, step->pc)) {
        if (!stepped)
            return true;
        print_place(d, "step", step);
    } else {
        d->steps_left = 0;
        print_place(d, "break", step);
        print_registers(step);
    }
    ask(d, step);
    return !d->quit;
}

void emu_debugger_init(emu_debugger *d, const emu_options *options, emu_texts *texts,
                       wave_observer *observer) {
    *d = (emu_debugger){.options = options, .texts = texts};
    *observer = (wave_observer){.user = d, .before = on_before};
}
