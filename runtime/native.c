/* Kernels in a vendor's own form, described by the JSON of wave_reflect. The core accepts only WBIN
 * files, so it assembles one that declares the same kernels and does nothing:
 *   {"name": "saxpy", "workgroup_size": [256, 1, 1], "arguments": [{"name": "x", …
 * becomes
 *   .kernel "saxpy" .registers 256 .workgroup_size 256, 1, 1 .arg x buffer f32 inout … */
#include "native.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *data;
    size_t size, room;
    bool failed;
} text;

static void put(text *t, const char *format, ...) RT_PRINTF(2, 3);
static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0 || t->failed)
        return;
    if (t->size + (size_t)size + 1 > t->room) {
        size_t room = 2 * (t->size + (size_t)size + 1);
        char *more = realloc(t->data, room);
        t->failed = !more;
        if (!more)
            return;
        t->data = more;
        t->room = room;
    }
    va_start(args, format);
    t->size += (size_t)vsnprintf(t->data + t->size, t->room - t->size, format, args);
    va_end(args);
}

/* Writes a JSON string unchanged if it is a single word, which the assembler can read. */
static bool put_word(text *t, rt_json value, const char *before) {
    char *word = rt_json_string(value);
    bool good = word && *word && strspn(word, RT_WORD_LETTERS) == strlen(word);
    if (good)
        put(t, "%s%s", before, word);
    free(word);
    return good;
}

static bool put_argument(text *t, rt_json argument) {
    uint32_t words = 0;
    rt_json kind = rt_json_member(argument, "kind"), type = rt_json_member(argument, "type");
    if (rt_json_is(kind, "local"))
        return true; /* takes no words */
    if (!rt_json_number(rt_json_member(argument, "words"), &words) || words == 0 || words > 256 ||
        !put_word(t, rt_json_member(argument, "name"), " .arg "))
        return false;
    if (rt_json_is(kind, "buffer")) {
        bool good =
            put_word(t, type, " buffer ") && put_word(t, rt_json_member(argument, "access"), " ");
        put(t, "%s%s\n", rt_json_bool(rt_json_member(argument, "restrict")) ? " restrict" : "",
            rt_json_bool(rt_json_member(argument, "contained")) ? " contained" : "");
        return good;
    }
    bool good = rt_json_is(kind, "scalar") && put_word(t, type, " ");
    if (rt_json_is(type, "bytes"))
        put(t, " %u", 4 * words);
    put(t, "\n");
    return good;
}

static bool put_kernel(text *t, rt_json kernel) {
    uint32_t words = 0, sizes[3] = {0};
    rt_json name = rt_json_member(kernel, "name"), group = rt_json_member(kernel, "workgroup_size");
    rt_json arguments = rt_json_member(kernel, "arguments"), size = rt_json_first(group);
    if (!name.at || *name.at != '"' || memchr(name.at, '\\', (size_t)(name.end - name.at)) ||
        !rt_json_number(rt_json_member(kernel, "arg_words"), &words) || words > 256)
        return false;
    for (int k = 0; k < 3; k++, size = rt_json_next(group, size))
        if (!rt_json_number(size, &sizes[k]))
            return false;
    put(t, ".kernel %.*s\n.registers 256\n", (int)(name.end - name.at), name.at);
    if (sizes[0])
        put(t, ".workgroup_size %u, %u, %u\n", sizes[0], sizes[1], sizes[2]);
    for (rt_json a = rt_json_first(arguments); a.at; a = rt_json_next(arguments, a))
        if (!put_argument(t, a))
            return false;
    if (!arguments.at && words)
        put(t, " mov r0, r%u\n", words - 1); /* a register that is read becomes an argument */
    put(t, " halt\n.end\n");
    return true;
}

wave_rt_status rt_native_declare(rt_json description, wave_blob *wbin, wave_rt_error *error) {
    rt_json kernels = rt_json_member(description, "kernels");
    text t = {0};
    bool good = rt_json_first(kernels).at != NULL;
    for (rt_json k = rt_json_first(kernels); k.at && good; k = rt_json_next(kernels, k))
        good = put_kernel(&t, k);
    wave_status status = t.failed ? WAVE_ERROR_MEMORY : WAVE_ERROR_INPUT;
    if (good && !t.failed) {
        const wave_asm_options quiet = {.warnings = WAVE_WARN_NONE};
        status = wave_assemble(t.data, t.size, &quiet, wbin, NULL);
    }
    free(t.data);
    if (status == WAVE_ERROR_MEMORY)
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    return status == WAVE_OK ? WAVE_RT_OK
                             : rt_fail(error, WAVE_RT_BAD_INPUT,
                                       "the description is not what wavec --reflect prints");
}

/* By name: the uses that matter for a launch. */
static uint32_t uses_of(rt_json kernel) {
    uint32_t uses = 0;
    rt_json list = rt_json_member(kernel, "uses");
    for (rt_json use = rt_json_first(list); use.at; use = rt_json_next(list, use))
        uses |= rt_json_is(use, "local")     ? (uint32_t)WAVE_USES_LOCAL
                : rt_json_is(use, "waves")   ? (uint32_t)WAVE_USES_WAVE_OPS
                : rt_json_is(use, "barrier") ? (uint32_t)WAVE_USES_BARRIER
                : rt_json_is(use, "assert")  ? (uint32_t)WAVE_USES_ASSERT
                                             : 0;
    return uses | (rt_json_bool(rt_json_member(kernel, "row")) ? (uint32_t)WAVE_USES_BARRIER : 0);
}

wave_rt_status rt_native_entries(rt_json description, const wave_module *module, rt_entry *entries,
                                 rt_program *program, wave_rt_error *error) {
    rt_json kernels = rt_json_member(description, "kernels"), kernel = rt_json_first(kernels);
    for (size_t k = 0; k < program->count; k++, kernel = rt_json_next(kernels, kernel)) {
        const wave_kernel_info *info = wave_module_kernel(module, k);
        rt_entry *entry = &entries[k];
        uint32_t words = 0;
        if (!rt_json_number(rt_json_member(kernel, "arg_words"), &words) ||
            words != info->argument_words ||
            !rt_json_number(rt_json_member(kernel, "local_memory"), &entry->local_memory) ||
            !rt_json_number(rt_json_member(kernel, "wave_width"), &program->wave_width))
            return rt_fail(error, WAVE_RT_BAD_INPUT, "the description of kernel %zu is incomplete",
                           k);
        entry->symbol = rt_json_string(rt_json_member(kernel, "symbol"));
        if (!entry->symbol)
            return rt_fail(error, WAVE_RT_BAD_INPUT, "kernel %zu has no symbol", k);
        entry->words = words;
        entry->uses = uses_of(kernel);
        entry->open_workgroup = info->workgroup[0] == 0;
        entry->status = rt_json_bool(rt_json_member(kernel, "status"));
        program->bounds = rt_json_bool(rt_json_member(kernel, "bounds"));
        program->assert_trap |= entry->status;
    }
    return WAVE_RT_OK;
}
