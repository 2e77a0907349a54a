/* wave2ptx: prints the PTX of a `.wave` file, for inspection and for ptxas:
 *   wave2ptx [-O0|-O2] [--arch=N] [--bounds] [--fast] [-g] FILE */
#include "emit/emit.h"
#include "frontend/frontend.h"
#include "ir/build.h"
#include "ir/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shown {
    const fe_kernel *kernel;
    unsigned index;
} shown;

static void show(void *context, uint32_t pc, buf *text, emit_line *line) {
    const shown *s = context;
    *line = (emit_line){0};
    for (uint32_t k = 0; k < s->kernel->info.instructions; k++)
        if (s->kernel->insns[k].pc == pc)
            fe_insn_text(text, &s->kernel->insns[k], s->kernel->insns, s->index);
}

static bool compile(const wave_module *m, emit_options *o, bool optimise, buf *out,
                    wave_diags *diags) {
    arena memory = {0};
    const char **names = calloc(m->kernel_count, sizeof *names),
               **symbols = calloc(m->kernel_count, sizeof *symbols);
    bool ok = names && symbols;
    for (size_t k = 0; k < m->kernel_count && ok; k++)
        names[k] = m->kernels[k].info.name;
    ok = ok && emit_symbols(EMIT_PTX, names, m->kernel_count, &memory, symbols);
    emit_unit unit = {0};
    for (size_t k = 0; k < m->kernel_count && ok; k++) {
        ir_func f;
        shown s = {&m->kernels[k], (unsigned)k};
        const ir_pass_options passes = {
            .optimise = optimise, .fast_math = o->fp_fast, .verify = true};
        o->symbol = symbols[k];
        o->instruction = show;
        o->instruction_context = &s;
        ok = ir_build(&f, &m->kernels[k], (unsigned)k, 32, IR_BUILD_ASSERTS, diags);
        ir_take_constants(&f, m);
        ok = ok && ir_run_passes(&f, &passes, diags) && emit_ptx.kernel(&f, o, &unit, diags);
        ir_free(&f);
    }
    emit_ptx.top(o, &unit, out);
    buf_bytes(out, unit.text.data, unit.text.size);
    buf_free(&unit.text);
    free(names);
    free(symbols);
    arena_free(&memory);
    return ok;
}

static bool run(const char *path, emit_options *o, bool optimise) {
    enum { MOST = 1 << 27 };
    char *source = malloc(MOST);
    FILE *file = source ? fopen(path, "rb") : NULL;
    size_t size = file ? fread(source, 1, MOST, file) : 0;
    if (file)
        fclose(file);
    wave_diags *diags = wave_diags_create(0);
    wave_blob binary = {0}, report = {0};
    wave_module *module = NULL;
    const wave_load_options load = {.mode = WAVE_MODE_LENIENT};
    buf out = {0};
    bool ok = file && wave_assemble(source, size, NULL, &binary, diags) == WAVE_OK &&
              wave_module_load(binary.data, binary.size, &load, &module, diags) == WAVE_OK &&
              compile(module, o, optimise, &out, diags);
    if (ok)
        fwrite(out.data, 1, out.size, stdout);
    else if (wave_diags_format(diags, path, WAVE_DIAG_TEXT, &report) == WAVE_OK && report.data)
        fprintf(stderr, "%s", (const char *)report.data);
    wave_blob_free(&report);
    wave_blob_free(&binary);
    buf_free(&out);
    wave_module_destroy(module);
    wave_diags_destroy(diags);
    free(source);
    return ok;
}

int main(int argc, char **argv) {
    emit_options o = {.arch = 75, .assert_trap = true};
    bool optimise = false, ok = true;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "-O2") == 0)
            optimise = true;
        else if (strcmp(argv[k], "-O0") == 0)
            optimise = false;
        else if (strncmp(argv[k], "--arch=", 7) == 0)
            o.arch = (unsigned)strtoul(argv[k] + 7, NULL, 10);
        else if (strcmp(argv[k], "--bounds") == 0)
            o.bounds = true;
        else if (strcmp(argv[k], "--fast") == 0)
            o.fp_fast = true;
        else if (strcmp(argv[k], "-g") == 0)
            o.debug = true;
        else
            ok &= run(argv[k], &o, optimise);
    }
    return ok ? 0 : 1;
}
