/* The jobs of wavec: one per requested target and architecture, and their output files. */
#include "cli/wavec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- Jobs ---- */

static unsigned count_targets(const wavec_settings *s) {
    unsigned count = 0;
    for (int k = 0; k < WAVE_TARGET_COUNT; k++)
        count += s->targets[k];
    return count;
}

/* An architecture applies to the targets that know it. With a single target it is always passed on:
 * the compiler reports what is wrong with it. */
static void add_jobs(wavec_settings *s, wave_target target, bool unchecked) {
    size_t first = s->job_count;
    for (size_t k = 0; k < s->arch_count; k++)
        if (unchecked || wave_target_widths(target, s->archs[k]))
            s->jobs[s->job_count++] = (wavec_job){.target = target, .arch = s->archs[k]};
    if (s->job_count == first)
        s->jobs[s->job_count++] = (wavec_job){.target = target};
    bool named = s->job_count - first > 1;
    for (size_t k = first; k < s->job_count; k++)
        s->jobs[k].named = named;
}

static bool some_job_has(const wavec_settings *s, const char *arch) {
    for (size_t k = 0; k < s->job_count; k++)
        if (s->jobs[k].arch == arch)
            return true;
    return false;
}

static bool some_job_has_width(const wavec_settings *s, uint32_t width) {
    bool power = (width & (width - 1)) == 0;
    for (size_t k = 0; k < s->job_count && power; k++)
        if (wave_target_widths(s->jobs[k].target, s->jobs[k].arch) & width)
            return true;
    return false;
}

/* With several jobs: a setting that applies to none of them is an error. */
static bool all_is_used(const wavec_settings *s) {
    uint32_t width = s->compile.wave_width;
    for (size_t k = 0; k < s->arch_count; k++)
        if (!some_job_has(s, s->archs[k])) {
            cli_fail(s->tool,
                     "none of these targets has an architecture '%.40s'; --arch=help lists them",
                     s->archs[k]);
            return false;
        }
    if (!width || some_job_has_width(s, width))
        return true;
    cli_fail(s->tool,
             "none of these targets has waves of %u lanes; --arch=help lists what they have",
             width);
    return false;
}

bool wavec_plan_jobs(wavec_settings *s) {
    unsigned targets = count_targets(s);
    bool single = targets <= 1 && s->arch_count <= 1;
    for (int k = 0; k < WAVE_TARGET_COUNT; k++)
        if (s->targets[k] || (!targets && k == WAVE_TARGET_PTX))
            add_jobs(s, (wave_target)k, single);
    return single || all_is_used(s);
}

/* ---- Files ---- */

/* folder/file, where the folder may end with a slash */
static char *inside(const char *folder, const char *path) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    size_t length = strlen(folder), size = length + strlen(file) + 2;
    char *name = malloc(size);
    if (name)
        (void)snprintf(name, size, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", file);
    return name;
}

char *wavec_common_path(const wavec_settings *s, const char *suffix) {
    char *name = cli_with_suffix(strcmp(s->path, "-") == 0 ? "kernel" : s->path, suffix);
    if (!name || !s->folder || !s->output)
        return name;
    char *moved = inside(s->output, name);
    free(name);
    return moved;
}

char *wavec_output_path(const wavec_settings *s, const wavec_job *job) {
    char suffix[80];
    if (s->output && !s->folder)
        return strdup(s->output);
    if (!s->output && strcmp(s->path, "-") == 0)
        return strdup("-");
    (void)snprintf(suffix, sizeof suffix, "%s%.40s%s", job->named ? "." : "",
                   job->named ? job->arch : "", wave_target_suffix(job->target));
    return wavec_common_path(s, suffix);
}

bool wavec_wants_folder(const wavec_settings *s) {
    struct stat there;
    if (!s->output)
        return false;
    if (s->all_targets || s->output[strlen(s->output) - 1] == '/')
        return true;
    return s->job_count > 1 && stat(s->output, &there) == 0 && S_ISDIR(there.st_mode);
}

int wavec_make_folder(const wavec_settings *s) {
    struct stat there;
    if (!s->folder || mkdir(s->output, 0777) == 0)
        return CLI_OK;
    int why = errno;
    if (stat(s->output, &there) != 0)
        return cli_fail(s->tool, "cannot create the folder %s: %s", s->output, strerror(why));
    return S_ISDIR(there.st_mode) ? CLI_OK : cli_fail(s->tool, "%s is not a folder", s->output);
}
