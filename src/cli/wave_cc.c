/* wave-cc: OpenCL C or SPIR-V to WBIN. Files and printing only: clang compiles the source to SPIR-V
 * (opencl.c), the library converts that to WBIN. */
#include "cli/opencl.h"
#include "cli/sources.h"

#include <stdlib.h>
#include <string.h>

/* Whether clang compiles the input: everything that is not SPIR-V, such as standard input. */
static bool is_opencl_c(const cc_options *o, const cli_input *input) {
    opencl_language language = opencl_language_of(o->input, input);
    return language != OPENCL_SPIRV && language != OPENCL_TEXT;
}

/* ---- Output ---- */

/* Copies the "//@ …" lines of the source, so that the assembly is a test like the source. They stay
 * "//@" lines, so that no buffer is placed at offset 0. */
static bool add_test_lines(const cli_input *source, wave_blob *text) {
    const char *at = (const char *)source->data, *end = at + source->size;
    uint8_t *more = realloc(text->data, text->size + source->size + 2);
    if (!more)
        return false;
    text->data = more;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *stop = newline ? newline : end;
        while (at < stop && (*at == ' ' || *at == '\t'))
            at++;
        size_t length = (size_t)(stop - at);
        bool ours = length >= 7 && memcmp(at, "//@ cc:", 7) == 0;
        if (length > 3 && memcmp(at, "//@", 3) == 0 && !ours) {
            memcpy(text->data + text->size, at, length);
            text->data[text->size + length] = '\n';
            text->size += length + 1;
        }
        at = newline ? newline + 1 : end;
    }
    return true;
}

static int write_assembly(const cc_options *o, const cli_input *input, const char *output,
                          const wave_blob *file) {
    wave_blob text = {0};
    wave_status result = wave_disassemble(file->data, file->size, NULL, &text, NULL);
    int status = cli_status(o->tool, result);
    if (status == CLI_OK && is_opencl_c(o, input) && !add_test_lines(input, &text))
        status = cli_fail(o->tool, "out of memory");
    if (status == CLI_OK)
        status = cli_write(o->tool, output, text.data, text.size);
    wave_blob_free(&text);
    return status;
}

static int write_with_suffix(const cc_options *o, const char *output, const char *suffix,
                             const wave_blob *file) {
    char *path = cli_with_suffix(output, suffix);
    int status = path ? cli_write(o->tool, path, file->data, file->size)
                      : cli_fail(o->tool, "out of memory");
    free(path);
    return status;
}

static int write_all(const cc_options *o, const cli_input *input, const char *output,
                     const opencl_result *made, const wave_blob *file) {
    int status = o->assembly ? write_assembly(o, input, output, file)
                             : cli_write(o->tool, output, file->data, file->size);
    bool named = strcmp(output, "-") != 0;
    if (status == CLI_OK && o->save_temps && named && made->spirv.size)
        status = write_with_suffix(o, output, ".spv", &made->spirv);
    if (status != CLI_OK || !made->depend.size || !named)
        return status;
    if (o->depend.file)
        return cli_write(o->tool, o->depend.file, made->depend.data, made->depend.size);
    return write_with_suffix(o, output, ".d", &made->depend);
}

/* ---- Compiling ---- */

static int convert(const cc_options *o, const cli_input *input, const char *output,
                   const opencl_result *made, wave_diags *diags) {
    bool direct = made->spirv.size == 0;
    wave_blob file = {0};
    wave_status result =
        wave_from_spirv(direct ? input->data : made->spirv.data,
                        direct ? input->size : made->spirv.size, &o->spirv, &file, diags);
    int status = cli_status(o->tool, result);
    if (status == CLI_OK)
        status = write_all(o, input, output, made, &file);
    wave_blob_free(&file);
    return status;
}

static int compile(const cc_options *o, const cli_input *input, const char *output,
                   wave_diags *diags) {
    opencl_result made = {0};
    int status = CLI_OK;
    if (opencl_language_of(o->input, input) != OPENCL_SPIRV)
        status = opencl_to_spirv(o, input, output, &made);
    if (status == CLI_OK)
        status = convert(o, input, output, &made, diags);
    opencl_free(&made);
    return status;
}

/* A module that is refused is compiled again with line information, so that the error names a
 * line. */
static bool wants_lines(const cc_options *o, const cli_input *input, const wave_diags *diags) {
    return !o->spirv.debug && is_opencl_c(o, input) && wave_diags_total(diags, WAVE_ERROR) > 0;
}

static int compile_and_report(cc_options *o, const cli_input *input, const char *output) {
    cli_sources *sources = cli_sources_create();
    wave_diags *diags = wave_diags_create(0);
    int status = sources && diags ? CLI_OK : cli_fail(o->tool, "out of memory");
    if (status == CLI_OK) {
        wave_diags_read_lines(diags, cli_read_line, sources);
        status = compile(o, input, output, diags);
        if (wants_lines(o, input, diags)) {
            o->spirv.debug = o->silent = true;
            status = compile_and_report(o, input, output);
        } else {
            cli_show_diags(diags, input->name, o->diagnostics);
        }
    }
    wave_diags_destroy(diags);
    cli_sources_destroy(sources);
    return status;
}

static int work(cc_options *o, const cli_input *input) {
    bool standard = strcmp(o->input, "-") == 0;
    char *chosen =
        o->output || standard ? NULL : cli_with_suffix(o->input, o->assembly ? ".wave" : ".wbin");
    const char *output = o->output ? o->output : standard ? "-" : chosen;
    int status = CLI_USAGE;
    if (!output)
        cli_fail(o->tool, "out of memory");
    else if (depend_is_apart(o->tool, &o->depend, output))
        status = compile_and_report(o, input, output);
    free(chosen);
    return status;
}

int main(int argc, char **argv) {
    cc_options o = {.tool = "wave-cc"};
    cli_input input = {0};
    int status;
    if (cc_parse(&o, argc, argv, &status) && cli_read(o.tool, o.input, CLI_MOST_PROGRAM, &input)) {
        bool source = is_opencl_c(&o, &input);
        o.spirv.no_warnings = source; /* the user did not write the module */
        if (!source || cc_parse_source(&o, (const char *)input.data, input.size))
            status = work(&o, &input);
        cli_close(&input);
    }
    cc_free(&o);
    return cli_finish(o.tool, status);
}
