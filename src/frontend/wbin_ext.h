/* The extension table of a WBIN file in memory: arguments, source lines, assert messages, private
 * and constant memory, names of registers. Read by wbin_ext.c and wbin_sections.c, written by
 * wbin_ext_write.c. */
#ifndef FRONTEND_WBIN_EXT_H
#define FRONTEND_WBIN_EXT_H

#include "base/buf.h"

/* In the order of the file. */
typedef enum fe_section {
    FE_SECTION_ARGS,
    FE_SECTION_LINE,
    FE_SECTION_TEXT,
    FE_SECTION_PRIV,
    FE_SECTION_CNST,
    FE_SECTION_REGS,
    FE_SECTION_COUNT
} fe_section;

extern const char fe_section_tag[FE_SECTION_COUNT][5];

enum {
    FE_MAX_SECTIONS = 64,
    FE_MAX_PRIVATE = 65536,
    FE_MAX_CONSTANT = 65536,
    FE_MAX_ARGUMENT_WORDS = 256
};

/* Applies from `offset` to the next record. */
typedef struct fe_line {
    uint32_t offset; /* from the start of the kernel's code */
    uint32_t line;
    uint16_t file; /* index into fe_extras.files */
    uint16_t column;
} fe_line;

typedef struct fe_message {
    uint32_t id, length;
    const char *text; /* not terminated */
} fe_message;

typedef struct fe_kernel_extras {
    const wave_argument *arguments;
    uint32_t argument_count, argument_words;
    const fe_line *lines; /* by offset */
    uint32_t line_count;
    const wave_register_name *registers;
    uint32_t register_count;
    uint32_t private_memory;
} fe_kernel_extras;

typedef struct fe_extras {
    uint32_t sections;               /* 1 << fe_section: those the file has */
    const fe_kernel_extras *kernels; /* one per kernel, or NULL */
    const char *const *files;        /* the first is "" */
    uint32_t file_count;
    const fe_message *messages; /* by id */
    uint32_t message_count;
    const uint8_t *constants;
    uint32_t constant_size;
} fe_extras;

static inline bool fe_has_section(const fe_extras *extras, fe_section which) {
    return extras->sections >> which & 1;
}

/* Registers an argument of this kind and type takes; 0 for bytes, which have an explicit size. */
uint32_t fe_argument_words(wave_argument_kind kind, wave_type type);

/* The record that applies at the offset; NULL: none. */
const fe_line *fe_line_at(const fe_line *lines, uint32_t count, uint32_t offset);
bool fe_extras_source(const fe_extras *extras, const fe_kernel_extras *kernel, uint32_t offset,
                      wave_source_place *place);
const fe_message *fe_extras_message(const fe_extras *extras, uint32_t id);

/* ---- wbin_ext_write.c ---- */

typedef struct fe_extras_image {
    buf bytes; /* the sections, back to back */
    unsigned count;
    struct {
        fe_section which;
        uint32_t start, size; /* in bytes */
    } section[FE_SECTION_COUNT];
    bool extended;  /* some of them need the EXT flag */
    bool too_large; /* a size exceeds 32 bits, or the number of files 16 */
} fe_extras_image;

/* `extras` may be NULL. The caller frees image.bytes. */
fe_extras_image fe_extras_write(const fe_extras *extras, size_t kernel_count);
size_t fe_extras_table_size(size_t sections);
/* Writes the table, which ends the metadata at file offset `end`, and the sections. */
void fe_extras_put(const fe_extras_image *image, uint32_t end, buf *out);

#endif
