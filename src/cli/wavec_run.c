/* The work of wavec: read, load, then validate, describe or compile, and write the results. */
#include "cli/wavec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Compiling ---- */

static void print_time(void *user, const char *kernel, const char *pass, double seconds,
                       uint32_t operations) {
    (void)user;
    fprintf(stderr, "%-24s %-14s %10.3f ms %10" PRIu32 " operations\n",
            *kernel ? kernel : "(anonymous)", pass, seconds * 1000, operations);
}

/* Writes the text of a job and the vendor compiler's output for it. First checks that the
 * dependency file can express all names. */
static int write_output(wavec_work *w, const wavec_job *job, const wave_blob *text) {
    const wavec_settings *s = w->s;
    char *path = wavec_output_path(s, job);
    if (!path)
        return cli_fail(s->tool, "out of memory");
    bool standard = strcmp(path, "-") == 0, complete = false;
    bool depend = s->depend.wanted && !standard;
    int status = CLI_USAGE;
    const depend_inputs inputs = {s->path, cli_sources_includes(w->sources)};
    if (!depend ||
        (depend_is_apart(s->tool, &s->depend, path) && depend_can_name(s->tool, path, &inputs)))
        status = wavec_make_folder(s);
    if (status == CLI_OK)
        status = cli_write(s->tool, path, text->data, text->size);
    bool written = status == CLI_OK;
    if (written && s->build)
        status = standard ? cli_fail(s->tool, "--build needs a file: -o FILE")
                          : wavec_build(s, job, path, text, &complete);
    w->apart[job->target] |= !job->named || !complete || status != CLI_OK;
    if (written && depend)
        w->outputs[w->output_count++] = path;
    else
        free(path);
    return status;
}

/* One dependency file for all outputs: next to the only one, or named after the input. */
static int write_depend(const wavec_work *w) {
    const wavec_settings *s = w->s;
    const depend_inputs inputs = {s->path, cli_sources_includes(w->sources)};
    char *chosen = s->depend.file      ? NULL
                   : s->job_count == 1 ? cli_with_suffix(w->outputs[0], ".d")
                                       : wavec_common_path(s, ".d");
    const char *path = s->depend.file ? s->depend.file : chosen;
    int status = path ? depend_write(s->tool, path, (const char *const *)w->outputs,
                                     w->output_count, &inputs)
                      : cli_fail(s->tool, "out of memory");
    free(chosen);
    return status;
}

/* With several jobs a wave width applies to those that support it; the others use their own. */
void wavec_set_job(wavec_work *w, const wavec_job *job) {
    uint32_t width = w->s->compile.wave_width;
    w->options.target = job->target;
    w->options.arch = job->arch;
    w->options.wave_width = width;
    if (w->s->job_count == 1 || (wave_target_widths(job->target, job->arch) & width))
        return;
    if (width && w->s->reading.diagnostics == CLI_DIAG_TEXT)
        cli_fail(w->s->tool, "%s has no waves of %u lanes; its default width is used",
                 job->named ? job->arch : wave_target_name(job->target), width);
    w->options.wave_width = 0;
}

static bool has_code(const wave_diags *diags, size_t from, const char *code) {
    for (size_t k = from; k < wave_diags_count(diags); k++)
        if (strcmp(wave_diags_at(diags, k)->code, code) == 0)
            return true;
    return false;
}

static int compile_one(wavec_work *w, const wavec_job *job) {
    wave_blob text = {0}, dump = {0};
    wavec_set_job(w, job);
    w->options.dump = &dump;
    w->options.timed = w->s->time_passes ? print_time : NULL;
    w->options.warn_order = w->options.warn = !w->warned; /* once, not for every target */
    w->options.warn_width = !w->warned_width;
    w->warned = true;
    size_t before = wave_diags_count(w->diags);
    wave_status result = w->ir ? wave_compile_ir((const char *)w->ir->data, w->ir->size,
                                                 &w->options, &text, w->diags)
                               : wave_compile(w->module, &w->options, &text, w->diags);
    w->warned_width |= has_code(w->diags, before, "W_BALLOT_WIDTH");
    int status = cli_status(w->s->tool, result);
    if (w->s->mode == WAVEC_DUMP_IR)
        cli_print((const char *)dump.data, dump.size);
    else if (result == WAVE_OK)
        status = write_output(w, job, &text);
    wave_blob_free(&text);
    wave_blob_free(&dump);
    return status;
}

/* Whether the last problem is specific to this target: another may not have it. */
static bool is_refusal(const wave_diags *diags, size_t before) {
    size_t count = wave_diags_count(diags);
    return count > before && strncmp(wave_diags_at(diags, count - 1)->code, "E_TARGET_", 9) == 0;
}

/* If one of several targets rejects the kernel, the others still get their files. The same holds
 * for a missing vendor tool. A problem of the kernel itself is reported once. */
static int compile_all(wavec_work *w) {
    int status = CLI_OK;
    for (size_t k = 0; k < w->s->job_count; k++) {
        size_t before = wave_diags_count(w->diags);
        int got = compile_one(w, &w->s->jobs[k]);
        bool refused = got == CLI_BAD_INPUT && is_refusal(w->diags, before);
        w->refused[k] = refused && w->s->job_count > 1;
        if (got != CLI_OK && (status == CLI_OK || got == CLI_BAD_INPUT))
            status = got;
        bool only_the_tool = w->s->build && wave_diags_count(w->diags) == before;
        if (got != CLI_OK && !refused && !only_the_tool)
            return status;
    }
    return status;
}

/* Bundles several architectures into one file, for the targets that have built them all. */
static int bundle_all(const wavec_work *w) {
    int status = CLI_OK;
    for (size_t k = 0; k < w->s->job_count; k++) {
        wave_target target = w->s->jobs[k].target;
        bool first = k == 0 || w->s->jobs[k - 1].target != target;
        if (!w->s->build || !first || w->apart[target] || w->refused[k])
            continue;
        int got = wavec_build_fat(w->s, target);
        status = got != CLI_OK ? got : status;
    }
    return status;
}

static int compile_jobs(wavec_work *w) {
    int status = compile_all(w);
    int bundled = w->s->mode == WAVEC_COMPILE ? bundle_all(w) : CLI_OK;
    status = status == CLI_OK ? bundled : status;
    int noted = w->output_count ? write_depend(w) : CLI_OK;
    for (size_t k = 0; k < w->output_count; k++)
        free(w->outputs[k]);
    w->output_count = 0;
    return status == CLI_OK ? noted : status;
}

static int check(wavec_work *w) {
    const wave_compile_options *o = &w->options;
    wave_status result = wave_check_kernels(w->module, o->wave_width, o->lockstep, w->diags);
    if (result == WAVE_OK)
        result = wave_check_arguments(w->module, w->diags);
    return result == WAVE_OK ? wavec_print_kernels(w->module) : cli_status(w->s->tool, result);
}

static int strip(wavec_work *w) {
    wave_blob file;
    wave_status result = wave_strip(w->data, w->size, &w->s->load, &file, NULL);
    int status = cli_status(w->s->tool, result);
    const depend_inputs inputs = {w->s->path, cli_sources_includes(w->sources)};
    if (result == WAVE_OK)
        status = depend_write_output(w->s->tool, &w->s->depend, w->s->output, &file, &inputs);
    wave_blob_free(&file);
    return status;
}

static int work_on(wavec_work *w) {
    switch (w->s->mode) {
    case WAVEC_STRIP: return strip(w);
    case WAVEC_CHECK: return check(w);
    case WAVEC_REFLECT:
    case WAVEC_HEADER: return wavec_describe(w);
    default: return compile_jobs(w);
    }
}

/* ---- Reading ---- */

static int read_ir_and_work(wavec_work *w, const cli_input *input) {
    w->ir = input;
    return compile_jobs(w);
}

/* -g for a file without line information: the lines are those of its disassembly, which is written
 * next to the output. */
static int write_listing(wavec_work *w, const void *data, size_t size, const char *path) {
    const wave_dis_options options = {.load.mode = WAVE_MODE_LENIENT};
    wave_blob text = {0};
    int status = wavec_make_folder(w->s);
    if (status == CLI_OK)
        status = cli_status(w->s->tool, wave_disassemble(data, size, &options, &text, NULL));
    if (status == CLI_OK)
        status = cli_write(w->s->tool, path, text.data, text.size);
    wave_blob_free(&text);
    return status;
}

static bool knows_lines(const wave_module *module) {
    wave_source_place place;
    for (size_t k = 0; k < wave_module_kernel_count(module); k++)
        if (wave_module_source(module, k, 0, &place))
            return true;
    return false;
}

/* The path of the disassembly, or NULL when there is no place next to the output: then there are no
 * lines. */
static char *listing_path(const wavec_settings *s) {
    char *output = s->job_count ? wavec_output_path(s, &s->jobs[0]) : NULL;
    bool nowhere = !output || strcmp(output, "-") == 0;
    char *path = nowhere             ? NULL
                 : s->job_count == 1 ? cli_with_suffix(output, ".dis")
                                     : wavec_common_path(s, ".dis");
    free(output);
    return path;
}

static int load_and_work(wavec_work *w, const void *data, size_t size) {
    const wavec_settings *s = w->s;
    wave_module *module;
    wave_status result = wave_module_load(data, size, &s->load, &module, w->diags);
    int status = cli_status(s->tool, result);
    if (result == WAVE_OK) {
        bool needed = s->compile.debug && s->mode == WAVEC_COMPILE && !knows_lines(module);
        char *listing = needed ? listing_path(s) : NULL;
        w->module = module;
        w->data = data;
        w->size = size;
        w->options.listing = listing;
        status = work_on(w);
        if (status == CLI_OK && listing)
            status = write_listing(w, data, size, listing);
        free(listing);
    }
    wave_module_destroy(module);
    return status;
}

static int assemble_and_work(wavec_work *w, const cli_input *input) {
    wave_blob binary;
    int status = cli_assemble_source(w->sources, w->s->tool, w->s->path, input, &binary, w->diags);
    if (status == CLI_OK)
        status = load_and_work(w, binary.data, binary.size);
    wave_blob_free(&binary);
    return status;
}

/* After the diagnostics: names the targets they are about. */
static void report_refused_targets(const wavec_work *w) {
    for (size_t k = 0; k < w->s->job_count && w->s->reading.diagnostics == CLI_DIAG_TEXT; k++) {
        const wavec_job *job = &w->s->jobs[k];
        if (w->refused[k])
            cli_fail(w->s->tool, "nothing is written for %s",
                     job->named ? job->arch : wave_target_name(job->target));
    }
}

int wavec_run(const wavec_settings *s) {
    cli_input input;
    if (!cli_read(s->tool, s->path, CLI_MOST_PROGRAM, &input))
        return CLI_USAGE;
    wavec_work w = {.s = s,
                    .options = s->compile,
                    .diags = wave_diags_create(s->limit),
                    .sources = cli_sources_create()};
    int status = CLI_USAGE;
    w.options.source = s->path;
    if (!w.diags || !w.sources) {
        cli_fail(s->tool, "out of memory");
    } else {
        bool source = cli_is_source(s->path, &input);
        wave_diags_read_lines(w.diags, cli_read_line, w.sources);
        status = s->parse_ir ? read_ir_and_work(&w, &input)
                 : source    ? assemble_and_work(&w, &input)
                             : load_and_work(&w, input.data, input.size);
        cli_show_diags(w.diags, input.name, s->reading.diagnostics);
        report_refused_targets(&w);
    }
    wave_diags_destroy(w.diags);
    cli_sources_destroy(w.sources);
    cli_close(&input);
    return cli_finish(s->tool, status);
}
