/* SPIR-V to WBIN, from end to end: read, build the IR of each kernel, run the passes, emit. */
#include "emit_wbin/emit_wbin.h"
#include "ir/passes.h"
#include "ir/text.h"
#include "spirv/kernel.h"
#include "spirv/library.h"
#include "spirv/to_ir.h"

#include <stdlib.h>
#include <string.h>

/* ---- Lines ---- */

enum { MOST_FILES = 256 };

/* The places of the module in file form: an operation's pc is the index of its place. */
typedef struct lines {
    const char *files[MOST_FILES]; /* the first is "" */
    uint32_t file_count;
    fe_line *list;
    uint32_t count;
} lines;

/* Files beyond the limit have no name. */
static uint16_t file_number(lines *l, const char *file) {
    for (uint32_t i = l->file_count; i-- > 0;)
        if (strcmp(l->files[i], file) == 0)
            return (uint16_t)i;
    if (l->file_count == MOST_FILES)
        return 0;
    l->files[l->file_count] = file;
    return (uint16_t)l->file_count++;
}

static bool find_lines(spirv_module *m, lines *l, wave_diags *diags) {
    l->files[l->file_count++] = "";
    l->list = arena_alloc(&m->memory, m->place_count * sizeof *l->list);
    if (!l->list) {
        spirv_report(m, NULL, DIAG_E_MEMORY, diags, "out of memory");
        return false;
    }
    for (uint32_t i = 0; i < m->place_count; i++) {
        const spirv_place *p = &m->places[i];
        l->list[l->count++] =
            (fe_line){.offset = i,
                      .line = p->line,
                      .file = file_number(l, p->file),
                      .column = p->column <= UINT16_MAX ? (uint16_t)p->column : 0};
    }
    return true;
}

/* ---- Kernels ---- */

typedef struct conversion {
    spirv_module module, library;
    const spirv_options *options;
    spirv_program *program;
    wbin_unit *unit;
    lines lines;
    wave_diags *diags;
} conversion;

/* Reads the library functions that the module calls; nothing if it calls none. */
static bool read_library(conversion *c) {
    size_t count, words = 0;
    spirv_library_name *names = to_library_calls(&c->module, &count);
    uint32_t *part = names && count ? spirv_library_part(names, count, &words) : NULL;
    bool ok = names && (part || !count);
    if (!ok)
        spirv_report(&c->module, NULL, DIAG_E_MEMORY, c->diags, "out of memory");
    if (part)
        ok = spirv_read_library(part, words * sizeof *part, &c->library, c->diags);
    free(part);
    free(names);
    return ok;
}

static bool read_modules(conversion *c, const uint8_t *data, size_t size) {
    return spirv_read(data, size, c->options, &c->module, c->diags) && read_library(c);
}

static bool finish_kernel(conversion *c, const spirv_entry *entry, ir_func *f,
                          const spirv_kernel *made) {
    const ir_pass_options passes = {.optimise = !c->options->no_optimise, .wbin = true};
    const wbin_kernel kernel = {.name = entry->name,
                                .local_memory = f->local_memory,
                                .arguments = made->arguments,
                                .argument_count = made->argument_count,
                                .lines = c->lines.list,
                                .line_count = c->lines.count};
    return ir_verify(f, "build", c->diags) && ir_run_passes(f, &passes, c->diags) &&
           wbin_add_kernel(c->unit, f, &kernel, c->diags);
}

static bool convert_kernel(conversion *c, uint32_t entry) {
    ir_func f;
    spirv_kernel made;
    bool ok = spirv_build_kernel(c->program, entry, c->options, &f, &made, c->diags) &&
              finish_kernel(c, &c->module.entries[entry], &f, &made);
    ir_free(&f);
    return ok;
}

/* Reports the errors of all kernels. */
static bool convert_kernels(conversion *c) {
    bool ok = true;
    for (uint32_t i = 0; i < c->module.entry_count; i++)
        ok = convert_kernel(c, i) && ok;
    return ok;
}

static bool convert(conversion *c, const uint8_t *data, size_t size, buf *out) {
    if (!read_modules(c, data, size))
        return false;
    c->program = spirv_program_create(&c->module, c->library.words ? &c->library : NULL, c->diags);
    if (!c->program || (c->options->debug && !find_lines(&c->module, &c->lines, c->diags)))
        return false;
    wbin_settings settings = {
        .extensions = true, .files = c->lines.files, .file_count = c->lines.file_count};
    settings.constants = spirv_program_constants(c->program, &settings.constant_size);
    c->unit = wbin_unit_create(&settings);
    if (!c->unit) {
        spirv_report(&c->module, NULL, DIAG_E_MEMORY, c->diags, "out of memory");
        return false;
    }
    return convert_kernels(c) && wbin_write(c->unit, out, c->diags);
}

bool spirv_to_wbin(const uint8_t *data, size_t size, const spirv_options *options, buf *out,
                   wave_diags *diags) {
    static const spirv_options none = {0};
    conversion c = {.options = options ? options : &none, .diags = diags};
    bool ok = convert(&c, data, size, out);
    wbin_unit_destroy(c.unit);
    spirv_program_destroy(c.program);
    spirv_module_free(&c.library);
    spirv_module_free(&c.module);
    if (!ok)
        buf_free(out);
    return ok;
}

wave_status wave_from_spirv(const void *data, size_t size, const wave_spirv_options *options,
                            wave_blob *out, wave_diags *diags) {
    if (!out || (!data && size))
        return WAVE_ERROR_USAGE;
    *out = (wave_blob){0};
    diag_scope scope;
    buf made = {0};
    bool ok = spirv_to_wbin(data, size, options, &made, diag_begin(&scope, diags));
    wave_status status = ok ? buf_take(&made, out) : WAVE_ERROR_INPUT;
    return diag_end(&scope, status);
}
