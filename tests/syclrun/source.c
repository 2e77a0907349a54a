/* Several emitted files as one translation unit, which of them a compiler's messages are about, and
 * the parameters of a kernel. */
#include "syclrun/syclrun.h"

#include "runner/sycl_contract.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *data;
    size_t size, capacity;
} text;

static void add_bytes(text *t, const char *data, size_t size) {
    if (t->size + size + 1 > t->capacity) {
        t->capacity = 2 * (t->size + size + 1);
        t->data = realloc(t->data, t->capacity);
        if (!t->data)
            abort();
    }
    memcpy(t->data + t->size, data, size);
    t->size += size;
    t->data[t->size] = '\0';
}

static void add(text *t, const char *format, ...) {
    char line[600];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(line, sizeof line, format, list);
    va_end(list);
    add_bytes(t, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

void syclrun_entry_name(char *name, size_t size, size_t index, const char *entry) {
    snprintf(name, size, "t%zu_%s", index, entry);
}

char *syclrun_unit(const syclrun_text *texts, size_t first, size_t count, bool device) {
    text t = {0};
    char name[400];
    if (device)
        add(&t, "#define WAVE_SYCL_RTC 1\n");
    add(&t, "#include <cstdint>\n#include <sycl/sycl.hpp>\n");
    for (size_t k = first; k < first + count; k++) {
        for (size_t e = 0; e < texts[k].entry_count; e++) {
            syclrun_entry_name(name, sizeof name, k, texts[k].entries[e]);
            add(&t, "#define %s %s\n", texts[k].entries[e], name);
        }
        add(&t, "namespace t%zu {\n#line 1 \"text_%zu\"\n", k, k);
        add_bytes(&t, texts[k].text, texts[k].size);
        add(&t, "\n}\n");
        for (size_t e = 0; e < texts[k].entry_count; e++)
            add(&t, "#undef %s\n", texts[k].entries[e]);
    }
    return t.data;
}

char *syclrun_log_of(const char *log, size_t index) {
    enum { MOST = 4000 };
    text t = {0};
    char start[40];
    size_t length = (size_t)snprintf(start, sizeof start, "text_%zu:", index);
    bool mine = false;
    for (const char *at = log; *at && t.size < MOST;) {
        const char *end = strchr(at, '\n');
        size_t size = end ? (size_t)(end - at) + 1 : strlen(at);
        /* A line without a file name belongs to the message before it. */
        if (strncmp(at, "text_", 5) == 0)
            mine = strncmp(at, start, length) == 0;
        if (mine)
            add_bytes(&t, at, size);
        at += size;
    }
    return t.data;
}

void syclrun_contract(syclrun_launch *launch, const wave_kernel_info *info, bool bounds,
                      bool lockstep) {
    const sycl_contract c = sycl_contract_of(info, bounds, lockstep);
    launch->arg_words = c.arg_words;
    launch->local_memory = c.local_memory;
    launch->has_size = c.has_size;
    launch->has_status = c.has_status;
    launch->row = c.row;
    launch->has_shape = c.has_shape;
}
