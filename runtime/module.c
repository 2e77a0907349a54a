/* From the bytes of a WBIN file to a vendor module: load, compile or find in the cache, describe,
 * pass to the driver. */
#include "cache.h"
#include "core.h"
#include "native.h"

#include <wave/compile.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LOCAL = 16384, MOST_LOCAL = 65536, MOST_REGISTERS = 256, DIAGNOSTICS = 20 };

/* The kinds of cache entries for a module. */
typedef enum kept { KEPT_TEXT, KEPT_BINARY, KEPT_SURVIVED, KEPT_KINDS } kept;

typedef struct kept_entry {
    char key[RT_KEY_SIZE];
    bool found; /* found and used */
} kept_entry;

typedef struct work {
    wave_rt_device *device;
    wave_rt_module *module;
    const wave_rt_module_options *options;
    wave_compile_options compile;
    wave_diags *diags;
    size_t size; /* size of the file */
    rt_cache cache;
    kept_entry kept[KEPT_KINDS];
    rt_json description; /* of native kernels */
    bool fresh;          /* ignore the cache */
    wave_rt_error *error;
} work;

static const wave_rt_module_options defaults = {
    .size = sizeof defaults, .optimise = true, .assert_trap = true};

void wave_rt_module_init_sized(wave_rt_module_options *options, uint32_t size) {
    rt_give_sized(options, size, &defaults, sizeof defaults);
}

static wave_rt_status no_memory(const work *w) {
    return rt_fail(w->error, WAVE_RT_NO_MEMORY, "out of memory");
}

static void report_progress(const work *w, const char *what, const char *of) {
    char text[160];
    if (!w->options->progress)
        return;
    (void)snprintf(text, sizeof text, "%s %s", what, of);
    w->options->progress(w->options->user, text);
}

/* The message is the first error; the log has all of them. */
static wave_rt_status bad_input(const work *w, wave_status status) {
    wave_blob text = {0};
    const char *first = "the file is not valid";
    if (status == WAVE_ERROR_MEMORY)
        return no_memory(w);
    for (size_t k = wave_diags_count(w->diags); k-- > 0;)
        if (wave_diags_at(w->diags, k)->severity == WAVE_ERROR)
            first = wave_diags_at(w->diags, k)->message;
    rt_fail(w->error, WAVE_RT_BAD_INPUT, "%.400s", first);
    if (wave_diags_format(w->diags, "kernel", WAVE_DIAG_TEXT, &text) == WAVE_OK && text.data)
        rt_log(w->error, (const char *)text.data, text.size);
    wave_blob_free(&text);
    return WAVE_RT_BAD_INPUT;
}

/* ---- Loading and compiling ---- */

/* Keeps the options for variants of the module, without pointers lent only for this call. */
static bool keep_options(const work *w) {
    wave_rt_module *m = w->module;
    const char *cache = w->options->cache;
    m->options = *w->options;
    m->options.progress = NULL;
    m->options.warning = NULL;
    m->options.user = NULL;
    if (!cache)
        return true;
    size_t size = strlen(cache) + 1;
    m->cache = malloc(size);
    if (!m->cache)
        return false;
    memcpy(m->cache, cache, size);
    m->options.cache = m->cache;
    return true;
}

static wave_rt_status load(work *w, const void *data, size_t size) {
    wave_rt_module *m = w->module;
    w->size = size;
    rt_file *file = m->file = calloc(1, sizeof *m->file);
    if (!file)
        return no_memory(w);
    atomic_init(&file->users, 1);
    file->data = malloc(size ? size : 1);
    if (!file->data)
        return no_memory(w);
    memcpy(file->data, data, size);
    m->data = file->data;
    m->size = size;
    if (!keep_options(w))
        return no_memory(w);
    const wave_load_options *o = &w->options->load;
    if (o->registers > MOST_REGISTERS || o->local_memory > MOST_LOCAL)
        return rt_fail(w->error, WAVE_RT_USAGE,
                       "%u registers and %u bytes of local memory exceed the limits of %d and %d",
                       o->registers, o->local_memory, MOST_REGISTERS, MOST_LOCAL);
    wave_status status = wave_module_load(m->data, size, o, &file->module, w->diags);
    m->module = file->module;
    return status == WAVE_OK ? WAVE_RT_OK : bad_input(w, status);
}

static wave_rt_status choose(work *w) {
    const wave_rt_device_info *info = &w->device->info;
    int target = info->target ? wave_target_find(info->target) : -1;
    uint32_t width = w->options->wave_width ? w->options->wave_width : info->wave_width;
    w->module->program.wave_width = width;
    w->module->program.bounds = w->options->bounds;
    w->module->program.assert_trap = w->options->assert_trap;
    if (!w->device->vendor->target)
        return WAVE_RT_OK;
    if (target < 0)
        return rt_fail(w->error, WAVE_RT_BAD_INPUT, "this libwave has no target %s",
                       w->device->vendor->target);
    wave_compile_init(&w->compile);
    w->compile.target = (wave_target)target;
    w->compile.arch = *info->arch ? info->arch : NULL;
    w->compile.wave_width = width;
    w->compile.optimise = w->options->optimise;
    w->compile.fast_math = w->options->fast_math;
    w->compile.native_mma = w->options->native_mma;
    w->compile.bounds = w->options->bounds;
    w->compile.assert_trap = w->options->assert_trap;
    w->compile.lockstep = w->options->lockstep;
    w->compile.deterministic = w->options->deterministic;
    return WAVE_RT_OK;
}

/* Adds everything that determines the text. */
static void add_to_key(const work *w, rt_sha256 *h) {
    const wave_rt_module_options *o = w->options;
    const uint32_t numbers[] = {w->module->program.wave_width,
                                o->optimise,
                                o->fast_math,
                                o->native_mma,
                                o->bounds,
                                o->assert_trap,
                                o->lockstep,
                                o->deterministic,
                                (uint32_t)o->load.mode,
                                o->load.compat,
                                o->load.fix_upstream_cas,
                                o->load.fix_upstream_cvt,
                                o->load.registers,
                                o->load.local_memory};
    rt_key_text(h, w->device->vendor->target);
    rt_key_text(h, w->device->info.arch);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        uint8_t bytes[4];
        for (int b = 0; b < 4; b++)
            bytes[b] = (uint8_t)(numbers[k] >> (8 * b));
        rt_key_add(h, bytes, sizeof bytes);
    }
    rt_key_add(h, w->module->data, w->size);
}

/* ---- Caching ---- */

/* The vendor's output also depends on the driver version and on the exact device: `arch` may be
 * only the newest known one that this device can run. */
static bool find_kept(work *w, kept kind, wave_blob *out) {
    static const char *const names[KEPT_KINDS] = {"text", "binary", "survived"};
    kept_entry *entry = &w->kept[kind];
    rt_sha256 h;
    rt_key_start(&h);
    rt_key_text(&h, names[kind]);
    if (kind != KEPT_TEXT) {
        rt_key_text(&h, w->device->info.driver);
        rt_key_text(&h, w->device->info.title);
    }
    add_to_key(w, &h);
    rt_key_end(&h, entry->key);
    entry->found = !w->fresh && rt_cache_read(&w->cache, entry->key, out);
    return entry->found;
}

static void keep(const work *w, kept kind, const wave_blob *blob) {
    if (!w->kept[kind].found && blob->data)
        (void)rt_cache_write(&w->cache, w->kept[kind].key, blob->data, blob->size);
}

static wave_rt_status compile(work *w) {
    wave_rt_module *m = w->module;
    m->cached = find_kept(w, KEPT_TEXT, &m->text);
    if (!m->cached) {
        report_progress(w, "compiling for",
                        *w->device->info.arch ? w->device->info.arch : w->device->info.target);
        wave_status status = wave_compile(m->module, &w->compile, &m->text, w->diags);
        if (status != WAVE_OK)
            return bad_input(w, status);
    }
    m->program.text = (const char *)m->text.data;
    m->program.size = m->text.size;
    return WAVE_RT_OK;
}

static wave_rt_status build(work *w) {
    wave_rt_module *m = w->module;
    const rt_vendor *vendor = w->device->vendor;
    if (!vendor->build)
        return WAVE_RT_OK;
    if (!find_kept(w, KEPT_BINARY, &m->binary)) {
        report_progress(w, "building with", w->device->info.driver);
        wave_rt_status status = vendor->build(w->device->own, &m->program, &m->binary, w->error);
        if (status != WAVE_RT_OK)
            return status;
    }
    m->program.binary = m->binary.data;
    m->program.binary_size = m->binary.size;
    return WAVE_RT_OK;
}

/* A compiler that may crash is tried in another process, once per text and compiler version. */
static wave_rt_status try_compiler(work *w) {
    const rt_vendor *vendor = w->device->vendor;
    wave_blob known = {0};
    if (!vendor->may_die || !vendor->may_die(w->device->own))
        return WAVE_RT_OK;
    bool survived = find_kept(w, KEPT_SURVIVED, &known);
    wave_blob_free(&known);
    if (survived)
        return WAVE_RT_OK;
    report_progress(w, "trying the compiler of", w->device->info.driver);
    wave_rt_status status = rt_trial(w->device, &w->module->program, w->error);
    if (status == WAVE_RT_OK)
        keep(w, KEPT_SURVIVED, &(wave_blob){.data = (uint8_t[]){"survived"}, .size = 8});
    return status;
}

/* ---- Entries ---- */

static wave_rt_status read_entry(const work *w, rt_json kernel, rt_entry *entry) {
    rt_json symbol = rt_json_member(kernel, "symbol");
    if (!symbol.at || *symbol.at != '"' ||
        !rt_json_number(rt_json_member(kernel, "local_memory"), &entry->local_memory))
        return rt_fail(w->error, WAVE_RT_BAD_INPUT, "libwave does not describe the kernel");
    entry->symbol = rt_json_string(symbol); /* symbols contain no escapes */
    return entry->symbol ? WAVE_RT_OK : no_memory(w);
}

/* Reads the output of wave_reflect. */
static wave_rt_status read_entries(const work *w, const wave_blob *json) {
    rt_json description = rt_json_parse((const char *)json->data, json->size);
    rt_json kernels = rt_json_member(description, "kernels"), kernel = rt_json_first(kernels);
    wave_rt_status status = WAVE_RT_OK;
    for (size_t k = 0; k < w->module->program.count && status == WAVE_RT_OK; k++) {
        status = read_entry(w, kernel, &w->module->entries[k]);
        kernel = rt_json_next(kernels, kernel);
    }
    return status;
}

static wave_rt_status make_entries(const work *w) {
    wave_rt_module *m = w->module;
    m->program.count = wave_module_kernel_count(m->module);
    m->entries = calloc(m->program.count + 1, sizeof *m->entries);
    m->limits = calloc(m->program.count + 1, sizeof *m->limits);
    m->program.module = m->module;
    m->program.text = "";
    m->program.entries = m->entries;
    return m->entries && m->limits ? WAVE_RT_OK : no_memory(w);
}

static wave_rt_status describe(work *w) {
    wave_rt_module *m = w->module;
    if (make_entries(w) != WAVE_RT_OK)
        return WAVE_RT_NO_MEMORY;
    for (size_t k = 0; k < m->program.count; k++) {
        const wave_kernel_info *info = wave_module_kernel(m->module, k);
        m->entries[k].words = info->argument_words;
        /* the fences that the compiler inserts are wave operations too */
        bool fences = w->options->lockstep || w->options->deterministic;
        m->entries[k].uses = info->uses | (fences ? WAVE_USES_WAVE_OPS : 0u);
        m->entries[k].open_workgroup = info->workgroup[0] == 0;
        m->entries[k].status = w->options->assert_trap && (info->uses & WAVE_USES_ASSERT);
        m->entries[k].local_memory = info->local_memory ? info->local_memory : DEFAULT_LOCAL;
    }
    if (!w->device->vendor->target)
        return WAVE_RT_OK;
    wave_blob json = {0};
    wave_status status = wave_reflect(m->module, &w->compile, &json, w->diags);
    wave_rt_status result = status == WAVE_OK ? read_entries(w, &json) : bad_input(w, status);
    wave_blob_free(&json);
    return result;
}

/* ---- The complete path ---- */

static wave_rt_status hand_over(work *w) {
    wave_rt_module *m = w->module;
    const rt_vendor *vendor = w->device->vendor;
    wave_rt_status status = vendor->target ? compile(w) : WAVE_RT_OK;
    if (status == WAVE_RT_OK)
        status = build(w);
    if (status == WAVE_RT_OK)
        status = try_compiler(w);
    if (status != WAVE_RT_OK)
        return status;
    report_progress(w, "loading on", w->device->info.name);
    return vendor->module_create(w->device->own, &m->program, &m->own, w->error);
}

/* Queries the vendor here, not at each launch. */
static wave_rt_status query_limits(const work *w) {
    const wave_rt_module *m = w->module;
    const rt_vendor *vendor = w->device->vendor;
    wave_rt_status status = WAVE_RT_OK;
    for (size_t k = 0; k < m->program.count && status == WAVE_RT_OK; k++)
        status = vendor->kernel_limits(w->device->own, m->own, k, &m->limits[k], w->error);
    return status;
}

/* Removes the cache entries that the vendor rejected; false when none was used. */
static bool drop_rejected(work *w) {
    bool any = false;
    for (kept k = KEPT_TEXT; k <= KEPT_BINARY; k++)
        if (w->kept[k].found) {
            rt_cache_remove(&w->cache, w->kept[k].key);
            any = true;
        }
    if (any) {
        wave_blob_free(&w->module->text);
        wave_blob_free(&w->module->binary);
        w->fresh = true;
    }
    return any;
}

/* Only what the vendor accepted is cached. */
static wave_rt_status make(work *w, const void *data, size_t size) {
    wave_rt_module *m = w->module;
    wave_rt_status status = load(w, data, size);
    if (status == WAVE_RT_OK)
        status = choose(w);
    if (status == WAVE_RT_OK)
        status = describe(w);
    if (status != WAVE_RT_OK)
        return status;
    status = hand_over(w);
    if (status == WAVE_RT_BAD_BUILD && drop_rejected(w))
        status = hand_over(w);
    if (status == WAVE_RT_OK) {
        keep(w, KEPT_TEXT, &m->text);
        keep(w, KEPT_BINARY, &m->binary);
        status = query_limits(w);
    }
    return status;
}

/* For vendors that cache machine code themselves, next to our cache. */
static void share_cache(const work *w) {
    char *path = w->device->vendor->use_cache ? rt_cache_folder(w->options->cache) : NULL;
    if (path)
        w->device->vendor->use_cache(w->device->own, path, w->cache.limit);
    free(path);
}

static void open_cache(work *w) {
    wave_rt_error why = {0};
    char text[600];
    w->cache.folder = -1;
    if (!w->device->vendor->target)
        return;
    bool opened = rt_cache_open(&w->cache, w->options->cache, &why);
    if (opened)
        share_cache(w);
    if (opened || !*why.message || !w->options->warning ||
        atomic_exchange(&w->device->warned, true))
        return;
    (void)snprintf(text, sizeof text, "compiled kernels are not kept: %s", why.message);
    w->options->warning(w->options->user, text);
}

/* ---- Native form ---- */

static wave_rt_status load_declarations(work *w) {
    wave_blob wbin = {0};
    wave_rt_status status = rt_native_declare(w->description, &wbin, w->error);
    if (status == WAVE_RT_OK)
        status = load(w, wbin.data, wbin.size);
    wave_blob_free(&wbin);
    return status;
}

/* Text is built by the vendor, if it supports that. */
static wave_rt_status hand_over_native(work *w, const void *data, size_t size) {
    wave_rt_module *m = w->module;
    const rt_vendor *vendor = w->device->vendor;
    bool binary = memchr(data, 0, size) != NULL;
    wave_blob *copy = binary ? &m->binary : &m->text;
    wave_rt_status status = WAVE_RT_OK;
    copy->data = malloc(size + 1);
    if (!copy->data)
        return no_memory(w);
    memcpy(copy->data, data, size);
    copy->data[size] = '\0';
    copy->size = size;
    if (!binary) {
        m->program.text = (const char *)m->text.data;
        m->program.size = size;
        if (vendor->build)
            status = vendor->build(w->device->own, &m->program, &m->binary, w->error);
    }
    m->program.binary = m->binary.data;
    m->program.binary_size = m->binary.size;
    if (status == WAVE_RT_OK && !binary)
        status = try_compiler(w);
    return status == WAVE_RT_OK
               ? vendor->module_create(w->device->own, &m->program, &m->own, w->error)
               : status;
}

static wave_rt_status make_native(work *w, const void *data, size_t size) {
    const wave_rt_device_info *info = &w->device->info;
    if (!w->device->vendor->target)
        return rt_fail(w->error, WAVE_RT_USAGE, "%s runs WBIN files only", info->name);
    if (!w->description.at || !rt_json_is(rt_json_member(w->description, "target"), info->target))
        return rt_fail(w->error, WAVE_RT_BAD_INPUT,
                       "the description is not JSON, or not for target %s, which %s uses",
                       info->target, info->name);
    wave_rt_status status = load_declarations(w);
    if (status == WAVE_RT_OK)
        status = make_entries(w);
    w->module->program.native = true;
    if (status == WAVE_RT_OK)
        status = rt_native_entries(w->description, w->module->module, w->module->entries,
                                   &w->module->program, w->error);
    if (status == WAVE_RT_OK)
        status = hand_over_native(w, data, size);
    return status == WAVE_RT_OK ? query_limits(w) : status;
}

/* ---- Calls ---- */

typedef wave_rt_status maker(work *w, const void *data, size_t size);

static wave_rt_status make_cached(work *w, const void *data, size_t size) {
    open_cache(w);
    wave_rt_status status = make(w, data, size);
    rt_cache_close(&w->cache);
    return status;
}

static wave_rt_status make_module(work *w, maker *way, const void *data, size_t size,
                                  wave_rt_module **out) {
    *out = NULL;
    w->cache.folder = -1;
    w->module = calloc(1, sizeof *w->module);
    w->diags = wave_diags_create(DIAGNOSTICS);
    if (w->module)
        w->module->device = rt_device_use(w->device);
    wave_rt_status status = w->module && w->diags ? way(w, data, size) : no_memory(w);
    if (status == WAVE_RT_OK)
        *out = w->module;
    else
        wave_rt_module_destroy(w->module);
    wave_diags_destroy(w->diags);
    return status;
}

wave_rt_status wave_rt_module_load(wave_rt_device *device, const void *data, size_t size,
                                   const wave_rt_module_options *options, wave_rt_module **out,
                                   wave_rt_error *error) {
    wave_rt_module_options own = defaults;
    if (!device || !data || !out)
        return rt_fail(error, WAVE_RT_USAGE, "device, file or module is NULL");
    *out = NULL;
    if (options && !rt_take_sized(&own, sizeof own, options))
        return rt_fail(error, WAVE_RT_USAGE, "wave_rt_module_init was not called on the options");
    work w = {.device = device, .options = &own, .error = error};
    return make_module(&w, make_cached, data, size, out);
}

wave_rt_status wave_rt_module_load_native(wave_rt_device *device, const void *data, size_t size,
                                          const char *reflect, size_t reflect_size,
                                          wave_rt_module **out, wave_rt_error *error) {
    if (!device || !data || !size || !reflect || !out)
        return rt_fail(error, WAVE_RT_USAGE, "device, kernels, description or module is NULL");
    work w = {.device = device,
              .options = &defaults,
              .description = rt_json_parse(reflect, reflect_size),
              .error = error};
    return make_module(&w, make_native, data, size, out);
}

void wave_rt_module_destroy(wave_rt_module *module) {
    if (!module)
        return;
    rt_variants_destroy(module);
    if (module->own)
        module->device->vendor->module_destroy(module->device->own, module->own);
    for (size_t k = 0; module->entries && k < module->program.count; k++)
        free(module->entries[k].symbol);
    free(module->entries);
    free(module->limits);
    wave_blob_free(&module->text);
    wave_blob_free(&module->binary);
    rt_file_release(module->file);
    free(module->cache);
    rt_device_release(module->device);
    free(module);
}

const wave_module *wave_rt_module_kernels(const wave_rt_module *module) {
    return module ? module->module : NULL;
}

const char *wave_rt_module_text(const wave_rt_module *module, size_t *size) {
    if (size)
        *size = module ? module->program.size : 0;
    return module ? module->program.text : "";
}

bool wave_rt_module_cached(const wave_rt_module *module) {
    return module && module->cached;
}
