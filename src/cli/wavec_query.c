/* wavec --query: the device properties that the specification lets a program query, for
 * architectures. */
#include "cli/wavec.h"

#include <string.h>

static int fail(const wavec_settings *s, wave_target target, const wave_compile_options *o) {
    if (o->arch && !wave_target_widths(target, o->arch))
        return cli_fail(s->tool, "%s has no architecture '%.40s'; --arch=help lists them",
                        wave_target_name(target), o->arch);
    return cli_fail(s->tool, "%s has no waves of %u lanes; --arch=help lists what it has",
                    o->arch ? o->arch : wave_target_name(target), o->wave_width);
}

/* For several architectures: one JSON array, or one block of lines after the other. */
int wavec_query(const wavec_settings *s) {
    wavec_work w = {.s = s};
    bool several = s->job_count > 1;
    int status = CLI_OK;
    if (!s->any_target)
        return cli_fail(s->tool, "--query needs a target: --target=ptx, hip, sycl, msl or all");
    for (size_t k = 0; k < s->job_count && status == CLI_OK; k++) {
        wave_blob text = {0};
        wave_target target = s->jobs[k].target;
        wavec_set_job(&w, &s->jobs[k]);
        wave_status result =
            wave_query_format(target, w.options.arch, w.options.wave_width, s->json, &text);
        if (result == WAVE_ERROR_USAGE)
            status = fail(s, target, &w.options);
        else
            status = cli_status(s->tool, result);
        if (status == CLI_OK) {
            if (several)
                cli_printf("%s", s->json ? (k == 0 ? "[" : ",") : k == 0 ? "" : "\n");
            cli_print((const char *)text.data, text.size);
        }
        wave_blob_free(&text);
    }
    if (several && s->json && status == CLI_OK)
        cli_printf("]\n");
    return status;
}
