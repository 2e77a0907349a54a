/* libwave: load, validate, assemble, disassemble and emulate WAVE kernels.
 *
 * The library prints nothing, never exits and keeps no global state: every function may be called
 * from any thread on objects that thread owns. Functions return a status; diagnostics with a code,
 * a place and a hint explain what went wrong (docs/using/errors.md). */
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

/* The version of the linked library, which may differ from the header's. */
WAVE_API const char *wave_version(void);

typedef enum wave_status {
    WAVE_OK = 0,
    WAVE_ERROR_INPUT = 1,  /* the input is wrong; the diagnostics say how */
    WAVE_ERROR_USAGE = 2,  /* the call is wrong (an option out of range, a null pointer) */
    WAVE_ERROR_MEMORY = 3, /* an allocation failed */
    WAVE_ERROR_LIMIT = 4   /* the emulator's instruction limit was reached */
} wave_status;

/* Memory that the library allocates for the caller, to be freed with wave_blob_free. Text blobs end
 * with a NUL that is not included in `size`. */
typedef struct wave_blob {
    uint8_t *data;
    size_t size;
} wave_blob;

WAVE_API void wave_blob_free(wave_blob *blob); /* NULL: nothing */

/* Escapes untrusted text, such as a kernel's name, for a terminal: control characters and those
 * that reverse or hide text become \x1B and \u{202E}, bytes that are not UTF-8 become \xFF. */
WAVE_API wave_status wave_visible_text(const char *text, wave_blob *out);

/* ---- Diagnostics ---- */

typedef enum wave_severity { WAVE_WARNING, WAVE_ERROR } wave_severity;

/* A further place that a diagnostic refers to: the other side of a race, a line that uses a macro.
 */
typedef struct wave_related {
    const char *file; /* as in wave_diag */
    uint32_t line, column;
    int64_t offset;      /* in the diagnostic's kernel; -1: none */
    const char *message; /* what is there */
} wave_related;

typedef struct wave_diag {
    wave_severity severity;
    const char *code;    /* "E_REGISTER": stable, documented in docs/using/errors.md */
    const char *kernel;  /* kernel that contains the place, or NULL */
    int64_t offset;      /* byte offset from the start of the kernel's code, or of the file when
                            kernel is NULL; -1: none */
    const char *file;    /* the source file of the line; NULL: the input */
    uint32_t line;       /* source place, counted from 1; 0: none */
    uint32_t column;     /* in bytes, counted from 1; 0: unknown */
    uint32_t length;     /* bytes to underline */
    const char *message; /* one sentence without the code */
    const char *text;    /* the disassembled instruction if there is a kernel, otherwise the source
                            line; or NULL */
    const char *hint;    /* what to do about it, or NULL */
    const wave_related *related;
    size_t related_count;
} wave_diag;

/* A bounded list: diagnostics past the limit are counted, not kept. */
typedef struct wave_diags wave_diags;

WAVE_API wave_diags *wave_diags_create(size_t limit); /* 0: 100. NULL when out of memory */
WAVE_API void wave_diags_destroy(wave_diags *diags);
WAVE_API size_t wave_diags_count(const wave_diags *diags); /* kept */
WAVE_API const wave_diag *wave_diags_at(const wave_diags *diags, size_t index);
WAVE_API size_t wave_diags_total(const wave_diags *diags, wave_severity severity); /* reported */

typedef enum wave_diag_style { WAVE_DIAG_TEXT, WAVE_DIAG_COLOR, WAVE_DIAG_JSON } wave_diag_style;

/* Reads a line of a source file, for diagnostics about a kernel whose source is known. Lines count
 * from 1; the text is not terminated. Returns false if there is no such line. */
typedef bool (*wave_read_line)(void *user, const char *file, uint32_t line, const char **text,
                               size_t *length);
/* Sets the reader that wave_diags_format uses; the lines must stay valid until it returns. */
WAVE_API void wave_diags_read_lines(wave_diags *diags, wave_read_line read, void *user);

/* The place of a diagnostic, as all tools print it: the line first, the offset second, such as
 * "k.wave:31 (vadd+0x18)" or "k.wbin:vadd+0x18". */
WAVE_API wave_status wave_diag_place(const wave_diag *diag, const char *input, wave_blob *out);
/* The same for a related place: "k.wave:31". */
WAVE_API wave_status wave_related_place(const wave_diag *diag, const wave_related *related,
                                        const char *input, wave_blob *out);

/* Formats all diagnostics. `input` names the file they are about. */
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
    bool fix_upstream_cas; /* read upstream's mis-encoded compare-and-swap as intended */
    bool fix_upstream_cvt; /* read conversions in the direction the upstream compiler means */
    /* For kernels that declare 0; checked as if the kernel declared these values. */
    uint32_t registers;    /* at most 256; 0: 32 */
    uint32_t local_memory; /* bytes, at most 65536; 0: 16384 */
} wave_load_options;

typedef struct wave_module wave_module;

/* What a kernel uses: bits of wave_kernel_info.uses. */
enum {
    WAVE_USES_F16 = 1 << 0,
    WAVE_USES_BF16 = 1 << 1,
    WAVE_USES_F64 = 1 << 2,
    WAVE_USES_LOCAL = 1 << 3,
    WAVE_USES_ATOMIC = 1 << 4,
    WAVE_USES_WAVE_OPS = 1 << 5, /* includes fences: the lanes of a wave converge there */
    WAVE_USES_BARRIER = 1 << 6,
    WAVE_USES_MMA = 1 << 7,
    WAVE_USES_CALL = 1 << 8,
    WAVE_USES_ASSERT = 1 << 9,
    WAVE_USES_PRIVATE = 1 << 10,
    WAVE_USES_CONSTANT = 1 << 11,
    WAVE_USES_ATOMIC_64 = 1 << 12, /* in addition to WAVE_USES_ATOMIC */
    WAVE_USES_TILE = 1 << 13       /* tiles of a wave; WAVE_USES_MMA: fragments of a lane */
};

typedef struct wave_kernel_info {
    const char *name;        /* "" for an anonymous kernel */
    uint32_t registers;      /* as declared, else from the load options; 0: 32 */
    uint32_t local_memory;   /* bytes, likewise; 0: 16384 if the kernel has local accesses */
    uint32_t workgroup[3];   /* 0,0,0: chosen at launch */
    uint32_t code_offset;    /* in the code section */
    uint32_t code_size;      /* bytes */
    uint32_t instructions;   /* decoded instructions */
    uint32_t argument_words; /* r0 … r(n-1): as declared, else those read before written */
    uint32_t max_depth;      /* deepest if/loop nesting */
    uint32_t uses;           /* WAVE_USES_… */
    uint32_t arguments;      /* number declared in the file; 0: only argument_words is known */
    uint32_t private_memory; /* bytes per lane */
} wave_kernel_info;

/* A declared argument (docs/reference/wbin.md, section ARGS). */
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
    const char *name; /* "" if unnamed */
    uint8_t kind;     /* wave_argument_kind */
    uint8_t type;     /* wave_type */
    uint8_t access;
    uint8_t flags;
    uint16_t first_word, words; /* the registers it arrives in */
} wave_argument;

/* The name in the source of a predicate, or of a register, pair or quad (width 1, 2, 4). */
typedef struct wave_register_name {
    const char *name;
    bool predicate;
    uint8_t number, width;
} wave_register_name;

/* "f32", …; NULL when there is no such type. */
WAVE_API const char *wave_type_name(wave_type type);
/* Size of a value in bytes; 1 for WAVE_TYPE_BYTES, 0 when there is no such type. */
WAVE_API size_t wave_type_size(wave_type type);

/* A place in the source of a kernel. */
typedef struct wave_source_place {
    const char *file; /* as given to the assembler; may be "" */
    uint32_t line;
    uint32_t column; /* 0: unknown */
} wave_source_place;

/* `data` is borrowed: it must outlive the module. SPIR-V, recognised by its first word, is
 * converted as by wave_from_spirv without options; such `data` is not needed after the call.
 * `options` and `diags` may be NULL. On error *module is NULL. */
WAVE_API wave_status wave_module_load(const void *data, size_t size,
                                      const wave_load_options *options, wave_module **module,
                                      wave_diags *diags);
WAVE_API void wave_module_destroy(wave_module *module);
WAVE_API size_t wave_module_kernel_count(const wave_module *module);
WAVE_API const wave_kernel_info *wave_module_kernel(const wave_module *module, size_t index);
/* Argument `index` of a kernel, or NULL unless index < info.arguments. */
WAVE_API const wave_argument *wave_module_argument(const wave_module *module, size_t kernel,
                                                   size_t index);
/* Name `index` of a kernel's registers and predicates, or NULL if the file has no such name. */
WAVE_API const wave_register_name *wave_module_register(const wave_module *module, size_t kernel,
                                                        size_t index);
/* Whether the kernel may read register `word` before it writes it. */
WAVE_API bool wave_module_reads_word(const wave_module *module, size_t kernel, uint32_t word);
/* The source place of the instruction at this byte offset in the kernel's code; false: unknown. */
WAVE_API bool wave_module_source(const wave_module *module, size_t kernel, uint32_t offset,
                                 wave_source_place *place);
/* The text of an assert by its message id, not terminated, or NULL. */
WAVE_API const char *wave_module_message(const wave_module *module, uint32_t id, size_t *size);
/* Constant memory, shared by all kernels of the file; *size is 0 if there is none. */
WAVE_API const void *wave_module_constants(const wave_module *module, size_t *size);
/* Index of the kernel with this name, or -1. */
WAVE_API long wave_module_find_kernel(const wave_module *module, const char *name);

/* ---- Assembler and disassembler ---- */

typedef enum wave_warnings {
    WAVE_WARN_ALL,
    WAVE_WARN_NONE,
    WAVE_WARN_ERROR /* every warning is an error */
} wave_warnings;

/* Reads the file that an .include names; `name` is relative to the same folder as the source's own
 * name. Allocate the text with malloc: the library frees it with wave_blob_free. Return false if
 * there is no such file. */
typedef bool (*wave_include)(void *user, const char *name, wave_blob *text);

typedef struct wave_asm_options {
    bool compat_upstream; /* reproduce the bytes of the upstream assembler, defects included */
    bool no_symbols;      /* omit the kernel names */
    wave_warnings warnings;
    /* When not NULL: receives the source line of each instruction of the file, in order, as
     * uint32_t. */
    wave_blob *lines;
    const char *file; /* name of the source in `line` records and for `include`; NULL: "" */
    bool debug;       /* write source lines and register names (sections `line` and `regs`) */
    /* Predefined constants: "NAME=EXPRESSION", or "NAME" for 1. */
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
    bool offsets;      /* print the offset in the kernel before each instruction */
    bool file_offsets; /* print the offset in the file */
    bool raw;          /* print the encoded words */
    bool json;
    bool color; /* ANSI colours */
    /* Print .loc before instructions whose source place is known, with the source line as a
     * comment, and .reg and .pred for register names; not in JSON. `read_line` may be NULL; `input`
     * names the file of lines that have no file name. */
    bool source;
    wave_read_line read_line;
    void *read_user;
    const char *input;
} wave_dis_options;

/* For every canonical file the text assembles to the same bytes. Words that do not decode print as
 * `.unknown` and make the status WAVE_ERROR_INPUT, with the text still in *out. */
WAVE_API wave_status wave_disassemble(const void *data, size_t size,
                                      const wave_dis_options *options, wave_blob *out,
                                      wave_diags *diags);

/* ---- SPIR-V ---- */

/* Overrides the value of a specialisation constant. */
typedef struct wave_spirv_spec {
    uint32_t id;    /* its SpecId */
    bool is_float;  /* the value is `number`, otherwise `bits` */
    bool is_signed; /* `bits` is a signed integer, in two's complement */
    uint64_t bits;  /* an integer or bool */
    double number;
} wave_spirv_spec;

/* The size of the local memory that a kernel's argument points to. */
typedef struct wave_spirv_local {
    const char *name; /* of the argument */
    uint32_t bytes;
} wave_spirv_local;

typedef struct wave_spirv_options {
    const char *kernel; /* convert only this kernel; NULL: all */
    const wave_spirv_spec *specs;
    size_t spec_count;
    const wave_spirv_local *locals;
    size_t local_count;
    bool no_optimise;
    bool debug;       /* write the section `line` */
    bool no_warnings; /* do not warn about defects that are tolerated (W_SPIRV) */
} wave_spirv_options;

/* Converts a SPIR-V module for OpenCL (docs/using/opencl.md) to a WBIN file. On error *out is
 * empty. `options` and `diags` may be NULL. */
WAVE_API wave_status wave_from_spirv(const void *data, size_t size,
                                     const wave_spirv_options *options, wave_blob *out,
                                     wave_diags *diags);

/* Removes debug information: source lines, texts of asserts, names of arguments and registers. The
 * file launches as before. */
WAVE_API wave_status wave_strip(const void *data, size_t size, const wave_load_options *options,
                                wave_blob *out, wave_diags *diags);

#ifdef __cplusplus
}
#endif

#endif
