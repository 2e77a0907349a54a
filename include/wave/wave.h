/* libwave: load, validate, assemble, disassemble and emulate WAVE kernels.
 *
 * The library prints nothing, never exits and keeps no global state: every function may be called
 * from any thread on objects that thread owns. Results are a status; what went wrong is told by
 * diagnostics with a code, a place and a hint (docs/errors.md). */
#ifndef WAVE_WAVE_H
#define WAVE_WAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define WAVE_API __attribute__((visibility("default")))
#else
#define WAVE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define WAVE_VERSION_MAJOR 0
#define WAVE_VERSION_MINOR 1
#define WAVE_VERSION_PATCH 0
#define WAVE_VERSION_TEXT  "0.1.0"

/* The version of the library that is linked, which may differ from the header's. */
WAVE_API const char *wave_version(void);

typedef enum wave_status {
    WAVE_OK = 0,
    WAVE_ERROR_INPUT = 1,  /* the input is wrong; the diagnostics say how */
    WAVE_ERROR_USAGE = 2,  /* the call is wrong (an option out of range, a null pointer) */
    WAVE_ERROR_MEMORY = 3, /* an allocation failed */
    WAVE_ERROR_LIMIT = 4   /* the emulator's instruction limit */
} wave_status;

/* Memory the library hands over; free it with wave_blob_free. Text blobs are also terminated by a
 * NUL that size does not count. */
typedef struct wave_blob {
    uint8_t *data;
    size_t size;
} wave_blob;

WAVE_API void wave_blob_free(wave_blob *blob);

/* Text from outside, such as a kernel's name, made fit for a terminal: control characters and those
 * that turn or hide text are spelled \u{202E}, bytes that are no UTF-8 \xHH. */
WAVE_API wave_status wave_visible_text(const char *text, wave_blob *out);

/* ---- Diagnostics ---- */

typedef enum wave_severity { WAVE_WARNING, WAVE_ERROR } wave_severity;

typedef struct wave_diag {
    wave_severity severity;
    const char *code;    /* "E_REGISTER": stable, documented in docs/errors.md */
    const char *kernel;  /* kernel the place is in, or NULL */
    int64_t offset;      /* byte offset from the start of the kernel's code, or of the file when
                            kernel is NULL; -1: none */
    const char *file;    /* source file the place is in; NULL: the input itself */
    uint32_t line;       /* source place, counted from 1; 0: none */
    uint32_t column;     /* in bytes, counted from 1 */
    uint32_t length;     /* bytes to underline */
    const char *message; /* one sentence without the code */
    const char *text;    /* source line or disassembled instruction, or NULL */
    const char *hint;    /* what to do about it, or NULL */
    const char *chain; /* how the place was reached, one line each: "in macro 'x', used at line 7",
                          innermost first; or NULL */
} wave_diag;

/* A bounded list: what comes after the limit is counted, not kept. */
typedef struct wave_diags wave_diags;

WAVE_API wave_diags *wave_diags_create(size_t limit); /* 0: 100. NULL when out of memory */
WAVE_API void wave_diags_destroy(wave_diags *diags);
WAVE_API size_t wave_diags_count(const wave_diags *diags); /* kept */
WAVE_API const wave_diag *wave_diags_at(const wave_diags *diags, size_t index);
WAVE_API size_t wave_diags_total(const wave_diags *diags, wave_severity severity); /* reported */

typedef enum wave_diag_style { WAVE_DIAG_TEXT, WAVE_DIAG_COLOR, WAVE_DIAG_JSON } wave_diag_style;

/* All diagnostics as text, `input` naming the file they are about. */
WAVE_API wave_status wave_diags_format(const wave_diags *diags, const char *input,
                                       wave_diag_style style, wave_blob *out);

/* ---- Modules: a WBIN file, decoded and validated ---- */

typedef enum wave_mode {
    WAVE_MODE_DEFAULT, /* reserved bits are warnings */
    WAVE_MODE_STRICT,  /* reserved bits are errors */
    WAVE_MODE_LENIENT  /* registers out of range read 0, stripped files are repaired, … */
} wave_mode;

typedef struct wave_load_options {
    wave_mode mode;
    bool compat;           /* accept upstream's stripped files in the stricter modes too */
    bool fix_upstream_cas; /* read upstream's mis-encoded compare-and-swap as one */
    bool fix_upstream_cvt; /* read conversions in the direction the upstream compiler means */
} wave_load_options;

typedef struct wave_module wave_module;

/* What a kernel uses: bits of wave_kernel_info.uses. */
enum {
    WAVE_USES_F16 = 1 << 0,
    WAVE_USES_BF16 = 1 << 1,
    WAVE_USES_F64 = 1 << 2,
    WAVE_USES_LOCAL = 1 << 3,
    WAVE_USES_ATOMIC = 1 << 4,
    WAVE_USES_WAVE_OPS = 1 << 5, /* fences too: the lanes of a wave meet there */
    WAVE_USES_BARRIER = 1 << 6,
    WAVE_USES_MMA = 1 << 7,
    WAVE_USES_CALL = 1 << 8,
    WAVE_USES_ASSERT = 1 << 9
};

typedef struct wave_kernel_info {
    const char *name;        /* "" for an anonymous kernel */
    uint32_t registers;      /* as declared; 0: launcher's default */
    uint32_t local_memory;   /* bytes; 0: launcher's default */
    uint32_t workgroup[3];   /* 0,0,0: chosen at launch */
    uint32_t code_offset;    /* in the code section */
    uint32_t code_size;      /* bytes */
    uint32_t instructions;   /* decoded instructions */
    uint32_t argument_words; /* r0 … r(n-1): as declared, or those read before they are written */
    uint32_t max_depth;      /* deepest if/loop nesting */
    uint32_t uses;           /* WAVE_USES_… */
    uint32_t arguments;      /* declared in the file; 0: none are, only their words are known */
    uint32_t private_memory; /* bytes for each lane */
} wave_kernel_info;

/* A declared argument (docs/wbin.md, section ARGS). */
typedef enum wave_argument_kind {
    WAVE_ARGUMENT_SCALAR,
    WAVE_ARGUMENT_BUFFER, /* its word is an offset in device memory */
    WAVE_ARGUMENT_LOCAL   /* in local memory, at a fixed place: takes no word */
} wave_argument_kind;

typedef enum wave_type {
    WAVE_TYPE_U32,
    WAVE_TYPE_I32,
    WAVE_TYPE_F32,
    WAVE_TYPE_U64,
    WAVE_TYPE_I64,
    WAVE_TYPE_F64,
    WAVE_TYPE_F16,
    WAVE_TYPE_BF16,
    WAVE_TYPE_U8,
    WAVE_TYPE_I8,
    WAVE_TYPE_U16,
    WAVE_TYPE_I16,
    WAVE_TYPE_BYTES, /* a structure by value */
    WAVE_TYPE_COUNT
} wave_type;

enum {
    WAVE_ARGUMENT_READ = 1 << 0, /* wave_argument.access */
    WAVE_ARGUMENT_WRITTEN = 1 << 1,
    WAVE_ARGUMENT_RESTRICT = 1 << 0, /* wave_argument.flags: overlaps no other argument */
    WAVE_ARGUMENT_CONTAINED = 1 << 1 /* accesses stay inside the buffer */
};

typedef struct wave_argument {
    const char *name; /* "" when it has none */
    uint8_t kind;     /* wave_argument_kind */
    uint8_t type;     /* wave_type */
    uint8_t access;
    uint8_t flags;
    uint16_t first_word, words; /* the registers it arrives in */
} wave_argument;

/* "f32", …; NULL when there is no such type. */
WAVE_API const char *wave_type_name(wave_type type);
/* Bytes of one value; 1 for WAVE_TYPE_BYTES, 0 when there is no such type. */
WAVE_API size_t wave_type_size(wave_type type);

/* A place in the source a kernel was made from. */
typedef struct wave_source_place {
    const char *file; /* as the assembler was told; may be "" */
    uint32_t line;
    uint32_t column; /* 0: unknown */
} wave_source_place;

/* `data` is borrowed: it must outlive the module. `options` and `diags` may be NULL. The module is
 * made only when there is no error; otherwise *module is NULL. */
WAVE_API wave_status wave_module_load(const void *data, size_t size,
                                      const wave_load_options *options, wave_module **module,
                                      wave_diags *diags);
WAVE_API void wave_module_destroy(wave_module *module);
WAVE_API size_t wave_module_kernel_count(const wave_module *module);
WAVE_API const wave_kernel_info *wave_module_kernel(const wave_module *module, size_t index);
/* Argument `index` of a kernel, which has info.arguments of them; else NULL. */
WAVE_API const wave_argument *wave_module_argument(const wave_module *module, size_t kernel,
                                                   size_t index);
/* Where the instruction at this byte offset of the kernel's code comes from; false: not known. */
WAVE_API bool wave_module_source(const wave_module *module, size_t kernel, uint32_t offset,
                                 wave_source_place *place);
/* The text of an assert's message id, not terminated, or NULL. */
WAVE_API const char *wave_module_message(const wave_module *module, uint32_t id, size_t *size);
/* Constant memory, shared by all kernels of the file; *size is 0 when there is none. */
WAVE_API const void *wave_module_constants(const wave_module *module, size_t *size);
/* Index of the kernel with this name, or -1. */
WAVE_API long wave_module_find_kernel(const wave_module *module, const char *name);

/* ---- Assembler and disassembler ---- */

typedef enum wave_warnings {
    WAVE_WARN_ALL,
    WAVE_WARN_NONE,
    WAVE_WARN_ERROR /* every warning is an error */
} wave_warnings;

/* Reads the file that an .include names; `name` is relative to what the source's own name is
 * relative to. The text is freed with wave_blob_free, and so made with malloc. False: there is no
 * such file. */
typedef bool (*wave_include)(void *user, const char *name, wave_blob *text);

typedef struct wave_asm_options {
    bool compat_upstream; /* reproduce the bytes of the upstream assembler, defects included */
    bool no_symbols;      /* leave the kernel names out */
    wave_warnings warnings;
    /* When not NULL: a uint32_t for each instruction of the file, in order: its source line. */
    wave_blob *lines;
    const char *file; /* name of the source in `line` records and for `include`; NULL: "" */
    bool debug;       /* write the section `line` */
    /* Numbers the source can use: "NAME=EXPRESSION" or "NAME", which is 1. */
    const char *const *defines;
    size_t define_count;
    wave_include include; /* NULL: .include is an error */
    void *include_user;
} wave_asm_options;

/* On error *out is empty. `options` and `diags` may be NULL. */
WAVE_API wave_status wave_assemble(const char *source, size_t size, const wave_asm_options *options,
                                   wave_blob *out, wave_diags *diags);

typedef struct wave_dis_options {
    wave_load_options load;
    bool offsets; /* absolute file offset before each instruction */
    bool raw;     /* the words too */
    bool json;
    bool color;  /* ANSI colours */
    bool source; /* .loc before instructions whose source place is known; not in JSON */
} wave_dis_options;

/* Text that assembles to the same bytes for every canonical file. Words that do not decode print
 * as `.unknown` and make the status WAVE_ERROR_INPUT, with the text still in *out. */
WAVE_API wave_status wave_disassemble(const void *data, size_t size,
                                      const wave_dis_options *options, wave_blob *out,
                                      wave_diags *diags);

/* The file without what only people read: source lines, texts of asserts, names of arguments. It
 * launches as before. */
WAVE_API wave_status wave_strip(const void *data, size_t size, const wave_load_options *options,
                                wave_blob *out, wave_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
