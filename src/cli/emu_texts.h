/* The display of the running kernel's instructions: their text, their offsets and, if known, their
 * source lines. */
#ifndef CLI_EMU_TEXTS_H
#define CLI_EMU_TEXTS_H

#include "cli/sources.h"

#include <stdio.h>
#include <wave/emu.h>

typedef struct emu_line {
    const char *file;
    uint32_t line; /* 0: unknown */
} emu_line;

typedef struct emu_texts {
    const wave_module *module;
    size_t kernel;
    cli_sources *sources;
    /* By instruction index. */
    char **at; /* texts; NULL: not requested yet */
    uint32_t *pcs;
    emu_line *lines;
    uint32_t count;
    bool has_lines;
    wave_blob shown; /* the file below, safe for a terminal */
    const char *shown_file;
} emu_texts;

/* `input` is the file of lines without a file name. */
bool emu_texts_init(emu_texts *texts, const wave_module *module, size_t kernel,
                    cli_sources *sources, const char *input);
void emu_texts_free(emu_texts *texts);

const char *emu_text_at(emu_texts *texts, uint32_t index);
/* The index of the instruction at a PC; `count` when there is none. */
uint32_t emu_index_of(const emu_texts *texts, uint32_t pc);

emu_line emu_line_at(const emu_texts *texts, uint32_t index);
/* Whether both are the same known line. */
bool emu_same_line(const emu_line *a, const emu_line *b);
/* Whether the instructions of a line start here. */
bool emu_line_begins(const emu_texts *texts, uint32_t index, const emu_line *line);
/* The first line with code at or after `line`, in this file (NULL: the kernel's first); its line is
 * 0 when there is none. */
emu_line emu_line_with_code(const emu_texts *texts, const char *file, uint32_t line);
/* A label of the source or the disassembly, or the kernel's name: its line, or its PC and no line.
 */
bool emu_label_place(const emu_texts *texts, const char *label, uint32_t *pc, emu_line *line);

/* "k.wave:31 ", or nothing if the line is unknown. */
void emu_put_place(FILE *out, emu_texts *texts, uint32_t index);
bool emu_has_source(const emu_texts *texts, const emu_line *line);
/* Whether the source line contains only the instruction, apart from blanks and a comment. */
bool emu_is_plain(emu_texts *texts, uint32_t index);
/* Prints the source line, safe for a terminal. */
void emu_put_source(FILE *out, const emu_texts *texts, const emu_line *line);

#endif
