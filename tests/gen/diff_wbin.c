/* Targets that end as WBIN on the emulator: `wbin`, the output of wavec --target=wbin, and
 * `passes`, the IR after each pass converted to WBIN, which identifies the first pass that changes
 * a program's behaviour. */
#include "gen/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void refuse(diff_run *run, const char *what, const wave_diags *diags) {
    const wave_diag *d = wave_diags_count(diags) ? wave_diags_at(diags, 0) : NULL;
    diff_fail(&run->verdict, DIFF_REFUSED, "%s: %s: %s", what, d ? d->code : "?",
              d ? d->message : "");
}

static void options_for(const diff_run *run, wave_compile_options *o) {
    wave_compile_init(o);
    o->target = WAVE_TARGET_WBIN;
    o->optimise = run->optimise;
    o->verify_ir = true;
}

void diff_run_wbin(diff_run *run) {
    wave_compile_options o;
    wave_blob binary = {0};
    wave_diags *diags = wave_diags_create(0);
    options_for(run, &o);
    o.extensions = run->program->seed % 2;
    o.always = true;
    if (wave_compile(run->program->module, &o, &binary, diags) != WAVE_OK)
        refuse(run, "does not compile", diags);
    else
        diff_run_bytes(run, &binary, run->program->seed * 2 + 1);
    wave_diags_destroy(diags);
    wave_blob_free(&binary);
}

/* ---- After each pass ---- */

/* Runs the function as it was after one pass. */
static void run_text(diff_run *run, const char *text, size_t size) {
    wave_compile_options o;
    wave_blob binary = {0};
    wave_diags *diags = wave_diags_create(0);
    options_for(run, &o);
    o.optimise = false;
    o.extensions = true;
    if (wave_compile_ir(text, size, &o, &binary, diags) != WAVE_OK)
        refuse(run, "the IR does not compile", diags);
    else
        diff_run_bytes(run, &binary, 0);
    wave_diags_destroy(diags);
    wave_blob_free(&binary);
}

/* "; after NAME" starts the text after each pass. */
static void run_dump(diff_run *run, const char *dump, size_t size) {
    static const char head[] = "; after ";
    const char *at = dump, *end = dump + size, *last = NULL;
    size_t last_size = 0;
    while (at < end && run->verdict.kind == DIFF_NONE) {
        const char *name = at + strlen(head), *text = memchr(name, '\n', (size_t)(end - name));
        if (!text)
            return;
        const char *next = strstr(++text, head);
        size_t length = (size_t)((next ? next : end) - text);
        bool same = last && length == last_size && memcmp(last, text, length) == 0;
        if (!same)
            run_text(run, text, length);
        if (run->verdict.kind != DIFF_NONE) {
            char why[DIFF_WHY];
            memcpy(why, run->verdict.why, sizeof why);
            diff_fail(&run->verdict, run->verdict.kind, "after pass %.*s: %.500s",
                      (int)(text - 1 - name), name, why);
        }
        last = text;
        last_size = length;
        at = next ? next : end;
    }
}

/* Uses the passes of a GPU target at that target's widths, those for WBIN at all others. */
void diff_run_passes(diff_run *run) {
    wave_compile_options o;
    wave_blob text = {0}, dump = {0};
    uint32_t width = run->answer->run.width;
    wave_diags *diags = wave_diags_create(0);
    options_for(run, &o);
    o.target = width == 32 ? WAVE_TARGET_PTX : width == 64 ? WAVE_TARGET_HIP : WAVE_TARGET_WBIN;
    o.wave_width = o.target == WAVE_TARGET_WBIN ? 0 : width;
    o.dump_ir = "all";
    o.dump = &dump;
    wave_status status = wave_compile(run->program->module, &o, &text, diags);
    run_dump(run, dump.data ? (const char *)dump.data : "", dump.size);
    if (status != WAVE_OK && run->verdict.kind == DIFF_NONE)
        refuse(run, "does not compile", diags);
    wave_diags_destroy(diags);
    wave_blob_free(&text);
    wave_blob_free(&dump);
}
