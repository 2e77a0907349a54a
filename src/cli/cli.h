/* What all command-line tools share: options, files, diagnostics, exit statuses. The tools
 * themselves are wavec.c and wave_*.c; nothing here knows about WAVE beyond the diagnostics. */
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
 *         {"strict", 0, 's', NULL, "reserved bits are errors"},
 *         {"output", 'o', 'o', "FILE", "write to FILE"},
 *         {0}};
 *     cli_args args = {.tool = "wave-asm", .usage = "wave-asm [options] FILE", .options = options};
 *     int id;
 *     while ((id = cli_next(&args, argc, argv)) > 0)
 *         switch (id) { case 's': …; case 'o': output = args.value; break; }
 *     if (id < 0) return args.status;
 *
 * `--opt=value`, `--opt value`, `-ovalue`, `-o value` and `--` are understood; options and operands
 * may be mixed, and `-` is an operand. --help and --version are answered by cli_next itself. */

typedef struct cli_option {
    const char *name;  /* without the dashes; "": a heading in the help, and no option */
    char letter;       /* short form, or 0 */
    int id;            /* what cli_next returns; > 0 and not CLI_OPERAND */
    const char *value; /* name of the value in the help, or NULL: takes none; in [brackets] it may
                          be left out, and only --opt=value gives one */
    const char *help;  /* NULL: not in the help */
} cli_option;

enum { CLI_OPERAND = 1 << 20 };

typedef struct cli_args {
    const char *tool;
    const char *usage;         /* "wave-dis [options] FILE" */
    const char *about;         /* paragraph of the help, or NULL */
    const char *notes;         /* printed after the options, or NULL */
    const cli_option *options; /* ends with a row without a name */
    const char *value;         /* of the option or operand just returned */
    int status;                /* exit status after cli_next returned -1 */
    /* Private. */
    int at;
    bool only_operands;
} cli_args;

/* The id of the next option, CLI_OPERAND for an operand, 0 at the end, -1 to exit with
 * args->status (after an error that has been printed, or --help and --version). */
int cli_next(cli_args *args, int argc, char **argv);

/* Prints "tool: WHAT" and the usage; returns CLI_USAGE. */
int cli_fail_usage(const cli_args *args, const char *what);

/* Prints "tool: unexpected …, try --help"; returns CLI_USAGE. */
int cli_unexpected(const cli_args *args, const char *operand);

/* A whole unsigned number, decimal or 0x…, with nothing after it, of at most `most`. */
bool cli_number(const char *text, uint64_t most, uint64_t *value);

/* Index of `text` in a NULL-terminated list, or -1. */
int cli_choice(const char *text, const char *const *choices);

/* The nearest of the words to `text`, or NULL when none is near. */
const char *cli_nearest(const char *text, const char *const *words);

/* ---- Files ---- */

typedef struct cli_input {
    const uint8_t *data;
    size_t size;
    const char *name; /* for messages: the path, or "<stdin>" */
    bool mapped;
} cli_input;

/* Maps a regular file, reads anything else; "-" is standard input. False after printing why. */
bool cli_read(const char *tool, const char *path, cli_input *input);
void cli_close(cli_input *input);

/* True when the input starts like a WBIN file. */
bool cli_is_wbin(const cli_input *input);

/* Writes all of it or nothing: a temporary file beside the file that `path` means, then a rename.
 * Links stay; what is no regular file is written to; a file that cli_read has read is refused. "-"
 * is standard output. CLI_OK, or CLI_USAGE after printing why. */
int cli_write(const char *tool, const char *path, const void *data, size_t size);

/* The same for what another program writes: a folder beside `path` for it to write to
 * ("PATH.XXXXXX", malloc'ed; NULL after printing why), a file from there to its place, and the end
 * of the folder with all that is left in it. */
char *cli_make_folder(const char *tool, const char *path);
int cli_move(const char *tool, const char *from, const char *path);
void cli_remove_folder(char *folder);

/* ---- Assembling ---- */

/* The files that a source included, for messages and dependencies. */
typedef struct cli_includes {
    char **paths;
    size_t count, room;
} cli_includes;

/* Options for the source at `path` ("-": standard input), which may include files; they are kept in
 * *includes. */
wave_asm_options cli_asm_options(const char *path, cli_includes *includes);
void cli_free_includes(cli_includes *includes);
/* wave_assemble with them, for tools that need not know what was included. */
wave_status cli_assemble(const char *path, const cli_input *input, wave_blob *out,
                         wave_diags *diags);

/* Text to standard output; failures (a closed pipe, a full disk) are kept for cli_finish. */
void cli_print(const char *text, size_t size);
void cli_printf(const char *format, ...) CLI_PRINTF(1, 2);

/* Text from outside to a stream that may be a terminal: wave_visible_text, with line ends and tabs
 * where `lines` is set. */
void cli_put_text(FILE *stream, const char *text, bool lines);

/* Flushes standard output: `status`, or CLI_USAGE when something could not be written. */
int cli_finish(const char *tool, int status);

/* ---- Diagnostics ---- */

typedef enum cli_diag_format { CLI_DIAG_TEXT, CLI_DIAG_JSON } cli_diag_format;

/* "text" or "json"; false after printing what is allowed. */
bool cli_diag_format_option(const char *tool, const char *text, cli_diag_format *format);

/* Prints the diagnostics on stderr: in colour on a terminal unless NO_COLOR is set, or as JSON.
 * Text prints nothing when there are none; JSON is always a complete document. */
void cli_show_diags(const wave_diags *diags, const char *input, cli_diag_format format);

/* True when this stream (1 or 2) is a terminal that wants colours. */
bool cli_wants_color(int descriptor);

/* The exit status that goes with a library status; prints what has no diagnostic (out of memory).
 */
int cli_status(const char *tool, wave_status status);

#endif
