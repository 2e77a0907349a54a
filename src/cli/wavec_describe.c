/* wavec --check, --reflect, --header and --arch=help: prints what is known about kernels and
 * targets. */
#include "cli/wavec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- --check: one line per kernel ---- */

static void print_uses(uint32_t uses) {
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{WAVE_USES_F16, "f16"},
                 {WAVE_USES_BF16, "bf16"},
                 {WAVE_USES_F64, "f64"},
                 {WAVE_USES_LOCAL, "local"},
                 {WAVE_USES_ATOMIC, "atomic"},
                 {WAVE_USES_WAVE_OPS, "wave-ops"},
                 {WAVE_USES_BARRIER, "barrier"},
                 {WAVE_USES_MMA, "mma"},
                 {WAVE_USES_CALL, "call"},
                 {WAVE_USES_ASSERT, "assert"},
                 {WAVE_USES_ATOMIC_64, "atomic64"},
                 {WAVE_USES_PRIVATE, "private"},
                 {WAVE_USES_CONSTANT, "constant"},
                 {WAVE_USES_TILE, "tile"}};
    const char *separator = " uses=";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (uses & names[i].bit) {
            cli_printf("%s%s", separator, names[i].name);
            separator = ",";
        }
}

static void print_kernel(const wave_kernel_info *kernel) {
    cli_put_text(stdout, *kernel->name ? kernel->name : "(anonymous)", false);
    cli_printf(": instructions=%" PRIu32 " registers=%" PRIu32, kernel->instructions,
               kernel->registers);
    cli_printf(" local=%" PRIu32, kernel->local_memory);
    if (kernel->private_memory)
        cli_printf(" private=%" PRIu32, kernel->private_memory);
    if (kernel->workgroup[0])
        cli_printf(" workgroup=%" PRIu32 "x%" PRIu32 "x%" PRIu32, kernel->workgroup[0],
                   kernel->workgroup[1], kernel->workgroup[2]);
    else
        cli_printf(" workgroup=any");
    cli_printf(" arguments=%" PRIu32, kernel->argument_words);
    print_uses(kernel->uses);
    cli_printf("\n");
}

int wavec_print_kernels(const wave_module *module) {
    for (size_t i = 0; i < wave_module_kernel_count(module); i++)
        print_kernel(wave_module_kernel(module, i));
    return CLI_OK;
}

/* ---- --reflect, --header ---- */

/* A macro name derived from the file name. */
static void make_guard(const char *path, char *guard, size_t size) {
    const char *slash = strrchr(path, '/');
    size_t n = (size_t)snprintf(guard, size, "WAVE_");
    for (const char *c = slash ? slash + 1 : path; *c && n + 3 < size; c++) {
        bool letter =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        guard[n++] = (char)(!letter ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
    snprintf(guard + n, size - n, "_H");
}

static wave_status describe_for(wavec_work *w, const wavec_job *job, wave_blob *text) {
    char guard[128];
    make_guard(w->s->path, guard, sizeof guard);
    wavec_set_job(w, job);
    if (w->s->mode == WAVEC_REFLECT)
        return wave_reflect(w->module, &w->options, text, w->diags);
    return wave_host_header(w->module, &w->options, guard, text, w->diags);
}

static int write_description(const wavec_work *w, const wave_blob *text) {
    const wavec_settings *s = w->s;
    const depend_inputs inputs = {s->path, cli_sources_includes(w->sources)};
    return depend_write_output(s->tool, &s->depend, s->output ? s->output : "-", text, &inputs);
}

/* Targets that give the kernels different symbols cannot share a header. */
static int same_header(const wavec_settings *s, const wave_blob *first, const wave_blob *other) {
    if (first->size == other->size && memcmp(first->data, other->data, first->size) == 0)
        return CLI_OK;
    return cli_fail(s->tool, "--header: the kernels' symbols differ between targets; make one "
                             "header per target: --target=ptx and so on");
}

/* For several targets or architectures: a JSON array of their descriptions, or the header they
 * share. */
static int describe_several(wavec_work *w) {
    const wavec_settings *s = w->s;
    wave_blob first = {0};
    char *all = NULL;
    size_t size = 0;
    const char *separator = "[";
    int status = CLI_OK;
    FILE *f = open_memstream(&all, &size);
    if (!f)
        return cli_fail(s->tool, "out of memory");
    for (size_t k = 0; k < s->job_count && status == CLI_OK; k++) {
        wave_blob text = {0};
        status = cli_status(s->tool, describe_for(w, &s->jobs[k], &text));
        if (status == CLI_OK && s->mode == WAVEC_REFLECT) {
            fputs(separator, f);
            fwrite(text.data, 1, text.size, f);
            separator = ",";
        } else if (status == CLI_OK && first.data) {
            status = same_header(s, &first, &text);
        } else if (status == CLI_OK) {
            first = text;
            continue;
        }
        wave_blob_free(&text);
    }
    fputs("]\n", f);
    if (fclose(f) != 0)
        status = cli_fail(s->tool, "out of memory");
    if (status == CLI_OK)
        status = write_description(w, first.data ? &first : &(wave_blob){(uint8_t *)all, size});
    wave_blob_free(&first);
    free(all);
    return status;
}

int wavec_describe(wavec_work *w) {
    wave_blob text = {0};
    if (w->s->job_count > 1)
        return describe_several(w);
    wave_status result = describe_for(w, &w->s->jobs[0], &text);
    int status = cli_status(w->s->tool, result);
    if (result == WAVE_OK)
        status = write_description(w, &text);
    wave_blob_free(&text);
    return status;
}

/* ---- --arch=help ---- */

int wavec_list_archs(void) {
    for (int k = 0; k < WAVE_TARGET_VENDORS; k++) {
        wave_target target = (wave_target)k;
        for (unsigned i = 0; wave_target_arch(target, i); i++) {
            const char *arch = wave_target_arch(target, i), *separator = "";
            cli_printf("%-5s %-9s waves of ", wave_target_name(target), arch);
            for (uint32_t rest = wave_target_widths(target, arch); rest; rest &= rest - 1) {
                cli_printf("%s%" PRIu32, separator, rest & (0 - rest));
                separator = ", ";
            }
            cli_printf(" lanes%s\n", i ? "" : " (default)");
        }
    }
    return CLI_OK;
}
