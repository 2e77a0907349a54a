/* Shared by all command-line tools: options, files, diagnostics, exit statuses. The tools
 * themselves are wavec.c and wave_*.c; apart from the diagnostics, nothing here is specific to
 * WAVE. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <wave/wave.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses of every tool. */
enum { CLI_OK = 0, CLI_BAD_INPUT = 1, CLI_USAGE = 2 /* and I/O */ };

#if defined(__GNUC__) || defined(__clang__)
#define CLI_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define CLI_PRINTF(at, first)
#endif

/* Prints "tool: message" to stderr and returns CLI_USAGE, so that callers can return it. */
int cli_fail(const char *tool, const char *format, ...) CLI_PRINTF(2, 3);

/* ---- Options ----
 *
 *     static const cli_option options[] = {
 *         {"strict", 0, 's', "", "reserved bits are errors"},
 *         {"output", 'o', 'o', "FILE", "write to FILE"},
 *         {.id = 0}};
 *     cli_args args = {.tool = "wave-asm", .usage = "wave-asm [options] FILE", .options = options};
 *     int id;
 *     while ((id = cli_next(&args, argc, argv)) > 0)
 *         switch (id) { case 's': …; case 'o': output = args.value; break; }
 *     if (id < 0) return args.status;
 *
 * `--opt=value`, `--opt value`, `-ovalue`, `-o value` and `--` are understood; options and operands
 * may be mixed, and `-` is an operand. --help, --version and --completion=SHELL are
 * answered by cli_next itself. */

typedef struct cli_option {
    char name[20];  /* without the dashes; "": a heading in the help, not an option */
    char letter;    /* short form, or 0 */
    int id;         /* what cli_next returns; > 0 and not CLI_OPERAND */
    char value[40]; /* name of the value in the help, or "": takes none; in [brackets] it is
                       optional, and only --opt=value sets it */
    char help[92];  /* "": not in the help */
} cli_option;       /* no pointers, which would be relocated at every start */

/* False at the end of a table. */
static inline bool cli_is_option(const cli_option *o) {
    return *o->name || *o->help;
}

enum { CLI_OPERAND = 1 << 20 };

typedef struct cli_args {
    const char *tool;
    const char *usage;         /* "wave-dis [options] FILE" */
    const char *about;         /* paragraph of the help, or NULL */
    const char *notes;         /* printed after the options, or NULL */
    const cli_option *options; /* ends with an empty row */
    const char *value;         /* of the option or operand just returned */
    int status;                /* exit status after cli_next returned -1 */
    /* Private. */
    int at;
    bool only_operands;
} cli_args;

/* The id of the next option, CLI_OPERAND for an operand, 0 at the end, -1 to exit with args->status
 * (after a printed error, or --help and --version). */
int cli_next(cli_args *args, int argc, char **argv);

/* The next word of the command line whatever it is, or NULL: for an option whose value requires
 * another word. */
const char *cli_take(cli_args *args, int argc, char **argv);

/* Prints "tool: WHAT" and the usage; returns CLI_USAGE. */
int cli_fail_usage(const cli_args *args, const char *what);

/* Prints "tool: unexpected …, try --help"; returns CLI_USAGE. */
int cli_unexpected(const cli_args *args, const char *operand);

/* An unsigned integer, decimal or 0x…, with nothing after it, of at most `most`. */
bool cli_number(const char *text, uint64_t most, uint64_t *value);

/* Whether the text looks like a decimal number, or is inf, nan or NaN, with or without a sign: for
 * strtod, which alone would also accept blanks and hexadecimal. */
bool cli_is_real(const char *text);

/* X, X,Y or X,Y,Z: sizes from 1 to UINT32_MAX; omitted ones are 1. CLI_TRIPLE describes them. */
#define CLI_TRIPLE "X,Y,Z are up to three numbers from 1 to 4294967295"
bool cli_triple(const char *text, uint32_t out[3]);

/* Index of `text` in a NULL-terminated list, or -1. */
int cli_choice(const char *text, const char *const *choices);

/* The word closest to `text`, or NULL when none is close. */
const char *cli_nearest(const char *text, const char *const *words);

/* ---- Files ---- */

/* `path` with its suffix replaced, malloc'ed; NULL when out of memory. */
char *cli_with_suffix(const char *path, const char *suffix);

typedef struct cli_input {
    const uint8_t *data;
    size_t size;
    const char *name; /* for messages: the path, or "<stdin>" */
    bool mapped;
} cli_input;

/* The size limits of inputs: a WBIN or assembly file, and data for device memory. The size of
 * anything but a regular file is unknown; of such an input at most CLI_MOST_STREAM is read. */
#define CLI_MOST_PROGRAM ((uint64_t)64 << 20)
#define CLI_MOST_DATA    ((uint64_t)4 << 30)
#define CLI_MOST_STREAM  ((uint64_t)256 << 20)

/* Maps a regular file, reads anything else; "-" is standard input. False after printing an error;
 * at most `most` bytes are allowed. */
bool cli_read(const char *tool, const char *path, uint64_t most, cli_input *input);
void cli_close(cli_input *input);

/* Copies a regular file of at most `most` bytes to memory that wave_blob_free frees. The path may
 * come from an untrusted file: pipes and devices are refused. Prints nothing; false with errno set.
 */
bool cli_read_blob(const char *path, uint64_t most, wave_blob *contents);

/* True when the input starts like a WBIN file. */
bool cli_is_wbin(const cli_input *input);

/* Writes all of it or nothing: a temporary file next to the file that `path` refers to, then a
 * rename. Links are kept; anything but a regular file is written in place; a file that cli_read has
 * read is rejected. "-" is standard output. CLI_OK, or CLI_USAGE after printing an error. */
int cli_write(const char *tool, const char *path, const void *data, size_t size);

/* The same for the output of another program: creates a folder next to `path` for it to write to
 * ("PATH.XXXXXX", malloc'ed; NULL after printing an error), moves a file from there to its place,
 * and removes the folder with everything left in it. A signal that arrives meanwhile ends the
 * process once the folder is gone. */
char *cli_make_folder(const char *tool, const char *path);
int cli_move(const char *tool, const char *from, const char *path);
void cli_remove_folder(char *folder);

/* ---- Assembling ---- */

/* The files included by a source, for messages and dependencies. */
typedef struct cli_includes {
    char **paths;
    size_t count, room;
} cli_includes;

/* Options for the source at `path` ("-": standard input), which may include files; these are kept
 * in *includes. */
wave_asm_options cli_asm_options(const char *path, cli_includes *includes);
/* Adds a copy of a name; false: out of memory. */
bool cli_add_include(cli_includes *includes, const char *name, size_t length);
void cli_free_includes(cli_includes *includes);
/* wave_assemble with these options, for tools that do not need the list of includes. */
wave_status cli_assemble(const char *path, const cli_input *input, wave_blob *out,
                         wave_diags *diags);

/* ---- Standard output ---- */

/* Prints text to standard output; failures (a closed pipe, a full disk) are reported by
 * cli_finish. */
void cli_print(const char *text, size_t size);
void cli_printf(const char *format, ...) CLI_PRINTF(1, 2);

/* Prints untrusted text to a stream that may be a terminal: wave_visible_text, keeping line ends
 * and tabs if `lines` is set. */
void cli_put_text(FILE *stream, const char *text, bool lines);

/* Flushes standard output. Returns `status`, or CLI_USAGE when something could not be written. */
int cli_finish(const char *tool, int status);

/* ---- Diagnostics ---- */

typedef enum cli_diag_format { CLI_DIAG_TEXT, CLI_DIAG_JSON } cli_diag_format;

/* "text" or "json"; false after printing the allowed values. */
bool cli_diag_format_option(const char *tool, const char *text, cli_diag_format *format);

/* --registers and --local-memory: the values for kernels that declare 0; false after printing the
 * allowed values. */
bool cli_registers(const char *tool, const char *text, wave_load_options *load);
bool cli_local_memory(const char *tool, const char *text, wave_load_options *load);

/* Prints the diagnostics to stderr: in colour on a terminal unless NO_COLOR is set, or as JSON.
 * Text prints nothing when there are none; JSON is always a complete document. */
void cli_show_diags(const wave_diags *diags, const char *input, cli_diag_format format);

/* True when this stream (1 or 2) is a terminal and colours are wanted. */
bool cli_wants_color(int descriptor);

/* The exit status for a library status; prints a message for statuses without a diagnostic (out of
 * memory). */
int cli_status(const char *tool, wave_status status);

#endif
