/* The launch contract of compiled kernels for host code, as JSON and as a C header. */
#include "compile/compile.h"

#include "base/bits.h"

/* Indexed by bit of WAVE_USES_…. */
static const char *const use_names[] = {"f16",     "bf16",     "f64",      "local", "atomic",
                                        "waves",   "barrier",  "mma",      "call",  "assert",
                                        "private", "constant", "atomic64", "tile"};
_Static_assert(1u << (sizeof use_names / sizeof *use_names - 1) == WAVE_USES_TILE,
               "a name for each use");

static const wave_kernel_info *info_of(const plan *p, size_t index) {
    return &p->module->kernels[p->kernels[index]].info;
}

bool plan_has_status(const plan *p, const wave_kernel_info *info) {
    return p->options->assert_trap && (info->uses & WAVE_USES_ASSERT);
}

/* SYCL: whether a workgroup is launched as one row of threads, with its x and y sizes passed as
 * arguments. */
static void sycl_json(const plan *p, const wave_kernel_info *info, buf *out) {
    bool row = plan_uses(p, info->uses) & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER);
    if (p->options->target == WAVE_TARGET_SYCL)
        buf_printf(out, "\"row\": %s, \"shape\": %s, ", row ? "true" : "false",
                   row && !info->workgroup[0] ? "true" : "false");
}

static void kernel_json(const plan *p, size_t index, buf *out) {
    const wave_kernel_info *info = info_of(p, index);
    buf_text(out, "    {\"name\": ");
    buf_json_string(out, info->name);
    buf_text(out, ", \"symbol\": ");
    buf_json_string(out, p->symbols[index]);
    buf_printf(out, ", \"arg_words\": %u,\n     \"workgroup_size\": [%u, %u, %u]",
               info->argument_words, info->workgroup[0], info->workgroup[1], info->workgroup[2]);
    buf_printf(out, ", \"local_memory\": %u, \"private_memory\": %u, \"constant_memory\": %u",
               fe_local_memory(info), info->private_memory,
               info->uses & WAVE_USES_CONSTANT ? p->module->extras.constant_size : 0);
    buf_printf(out, ", \"wave_width\": %u", p->wave_width);
    buf_printf(out, ", \"bounds\": %s, \"status\": %s,\n     ",
               p->options->bounds ? "true" : "false", plan_has_status(p, info) ? "true" : "false");
    sycl_json(p, info, out);
    buf_text(out, "\"uses\": [");
    const char *separator = "";
    for (uint32_t rest = info->uses; rest; rest &= rest - 1) {
        buf_printf(out, "%s\"%s\"", separator, use_names[bits_lowest(rest)]);
        separator = ", ";
    }
    buf_char(out, ']');
    compile_arguments_json(&p->module->kernels[p->kernels[index]], out);
    buf_char(out, '}');
}

typedef void writer(const plan *p, const char *guard, buf *out);

static void write_json(const plan *p, const char *guard, buf *out) {
    (void)guard;
    buf_printf(out, "{\"target\": \"%s\", \"arch\": \"%s\",\n \"kernels\": [\n",
               wave_target_name(p->options->target), p->arch->name);
    for (size_t k = 0; k < p->kernel_count; k++) {
        kernel_json(p, k, out);
        buf_text(out, k + 1 < p->kernel_count ? ",\n" : "\n");
    }
    buf_text(out, " ]}\n");
}

static void kernel_header(const plan *p, size_t index, buf *out) {
    const wave_kernel_info *info = info_of(p, index);
    const char *symbol = p->symbols[index];
    buf_printf(out, "\n/* %s */\n#define %s_SYMBOL \"%s\"\n", symbol, symbol, symbol);
    buf_printf(out, "#define %s_ARG_WORDS %u\n", symbol, info->argument_words);
    buf_printf(out, "#define %s_LOCAL_MEMORY %u\n", symbol, fe_local_memory(info));
    if (info->workgroup[0])
        buf_printf(out,
                   "#define %s_WORKGROUP_X %u\n#define %s_WORKGROUP_Y %u\n"
                   "#define %s_WORKGROUP_Z %u\n",
                   symbol, info->workgroup[0], symbol, info->workgroup[1], symbol,
                   info->workgroup[2]);
    if (info->arguments)
        compile_arguments_header(p, index, out);
    else if (info->argument_words)
        buf_printf(out, "typedef struct %s_args {\n    uint32_t r[%u];\n} %s_args;\n", symbol,
                   info->argument_words, symbol);
}

static bool declares_arguments(const plan *p) {
    for (size_t k = 0; k < p->kernel_count; k++)
        if (info_of(p, k)->arguments)
            return true;
    return false;
}

static void write_header(const plan *p, const char *guard, buf *out) {
    buf_printf(
        out,
        "/* Made by wavec: the kernels' argument words, sizes and symbols for host code. */\n"
        "#ifndef %s\n#define %s\n\n#include <stdint.h>\n",
        guard, guard);
    if (declares_arguments(p))
        compile_launch_includes(out);
    for (size_t k = 0; k < p->kernel_count; k++)
        kernel_header(p, k, out);
    buf_text(out, "\n#endif\n");
}

static wave_status describe(const wave_module *module, const wave_compile_options *options,
                            writer *write, const char *guard, wave_blob *out, wave_diags *diags) {
    plan p;
    buf text = {0};
    *out = (wave_blob){0};
    if (!module || !options || (unsigned)options->target >= WAVE_TARGET_COUNT)
        return WAVE_ERROR_USAGE;
    diag_scope scope;
    bool ok = plan_make(&p, module, options, diag_begin(&scope, diags));
    if (ok)
        write(&p, guard, &text);
    plan_free(&p);
    wave_status status = ok ? buf_take(&text, out) : diag_end(&scope, WAVE_ERROR_INPUT);
    buf_free(&text);
    return status;
}

wave_status wave_reflect(const wave_module *module, const wave_compile_options *options,
                         wave_blob *out, wave_diags *diags) {
    return describe(module, options, write_json, NULL, out, diags);
}

wave_status wave_host_header(const wave_module *module, const wave_compile_options *options,
                             const char *guard, wave_blob *out, wave_diags *diags) {
    if (!guard)
        return WAVE_ERROR_USAGE;
    return describe(module, options, write_header, guard, out, diags);
}
