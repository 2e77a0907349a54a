/* Shared by the two writers of the disassembler: disassemble.c (text) and dis_json.c. */
#ifndef ASM_DIS_H
#define ASM_DIS_H

#include "frontend/frontend.h"

typedef struct dis_state {
    const wave_dis_options *options;
    fe_container file;
    wave_diags *diags;
    buf out;
    arena memory;
    bool failed;    /* out of memory */
    size_t unknown; /* words that did not decode */
    /* Of the current kernel: one bit per word that a call targets, and the subset of these where an
     * instruction starts (or the code ends), which get a label. NULL when nothing is called. */
    const fe_record *record;
    unsigned index;
    uint32_t *targets, *labels;
    const fe_kernel_extras *extras; /* NULL: none */
    uint32_t next_line;             /* the next line record to print */
} dis_state;

/* Decodes the instruction at *offset, reports undecodable words, and advances *offset. */
void dis_next(dis_state *d, uint32_t *offset, fe_insn *insn);
bool dis_has_label(const dis_state *d, uint32_t offset);
void dis_put_label(dis_state *d, uint32_t offset); /* loc_K_XXXX */
/* The instruction as assembly, into `to`. */
void dis_put_insn(dis_state *d, const fe_insn *insn, buf *to);
static inline uint32_t dis_word(const dis_state *d, uint32_t offset) {
    const uint8_t *at = d->record->code + offset;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

void dis_put_directive(dis_state *d, const char *name);

/* ---- dis_sections.c ---- */

bool dis_is_identifier(const char *name, size_t length); /* also: does not parse as a register */
/* Characters that control a terminal or are ambiguous are escaped in hexadecimal. */
void dis_put_quoted(buf *out, const char *text, size_t length);
void dis_put_constants(dis_state *d);
void dis_put_arguments(dis_state *d);
void dis_put_register_names(dis_state *d);
/* The .loc before the instruction at this offset, if there is one and lines are enabled. */
void dis_put_location(dis_state *d, uint32_t offset);
/* The text of an assert, or NULL. */
const fe_message *dis_message(const dis_state *d, const fe_insn *insn);

/* ---- dis_json.c ---- */

/* dis_json_sections.c: the sections of the file, and their entries for the current kernel. */
void dis_json_file(dis_state *d);
void dis_json_extras(dis_state *d);
void dis_json_start(dis_state *d);
void dis_json_kernel(dis_state *d);
void dis_json_end(dis_state *d);

#endif
