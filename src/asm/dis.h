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
    /* Of the kernel at work: one bit a word where a call goes to, and, of these, where an
     * instruction starts (or the code ends): these get a label. NULL when nothing is called. */
    const fe_record *record;
    unsigned index;
    uint32_t *targets, *labels;
    wave_source_place place; /* of the instruction before; its line is 0 where there is none */
} dis_state;

/* Decodes the instruction at *offset, reporting what does not decode, and moves *offset on. */
void dis_next(dis_state *d, uint32_t *offset, fe_insn *insn);
bool dis_has_label(const dis_state *d, uint32_t offset);
void dis_put_label(dis_state *d, uint32_t offset); /* loc_K_XXXX */
/* The instruction as assembly, into `to`. */
void dis_put_insn(dis_state *d, const fe_insn *insn, buf *to);
static inline uint32_t dis_word(const dis_state *d, uint32_t offset) {
    const uint8_t *at = d->record->code + offset;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---- dis_source.c ---- */

/* --source: the line that the instruction at this offset comes from, if it is a new one. */
void dis_put_source(dis_state *d, uint32_t offset);

/* ---- dis_json.c ---- */

void dis_json_start(dis_state *d);
void dis_json_kernel(dis_state *d);
void dis_json_end(dis_state *d);

#endif
