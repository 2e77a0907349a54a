/* Arguments by name: a value becomes launch words, checked against the kernel's declaration. */
#include "core.h"

#include <string.h>

static const wave_argument *find(const wave_rt_module *module, size_t kernel, const char *name) {
    const wave_argument *a = NULL;
    for (size_t k = 0; (a = wave_module_argument(module->module, kernel, k)); k++)
        if (strcmp(a->name, name) == 0)
            break;
    return a;
}

static wave_rt_status look_up(const wave_rt_module *module, size_t kernel, const char *name,
                              const uint32_t *words, const wave_argument **out,
                              wave_rt_error *error) {
    if (!module || !name || !*name || !words)
        return rt_fail(error, WAVE_RT_USAGE, "module, name or words is NULL");
    *out = find(module, kernel, name);
    if (!*out || !(*out)->words)
        return rt_fail(error, WAVE_RT_USAGE, "the kernel has no argument '%.80s' that takes a word",
                       name);
    return WAVE_RT_OK;
}

wave_rt_status wave_rt_set_buffer(const wave_rt_module *module, size_t kernel, const char *name,
                                  const wave_rt_buffer *buffer, uint32_t *words,
                                  wave_rt_error *error) {
    const wave_argument *a = NULL;
    wave_rt_status status = look_up(module, kernel, name, words, &a, error);
    if (status != WAVE_RT_OK || !a)
        return status;
    if (!buffer || a->kind != WAVE_ARGUMENT_BUFFER)
        return rt_fail(error, WAVE_RT_USAGE, "buffer is NULL, or argument '%.80s' is not a buffer",
                       name);
    size_t unit = wave_type_size((wave_type)a->type);
    if (buffer->offset > UINT32_MAX || buffer->offset % unit)
        return rt_fail(error, WAVE_RT_USAGE,
                       "E_ARG_ALIGNMENT: argument '%.80s' is a buffer of %s, which starts at a "
                       "multiple of %zu bytes",
                       name, wave_type_name((wave_type)a->type), unit);
    words[a->first_word] = (uint32_t)buffer->offset;
    return WAVE_RT_OK;
}

/* Sign-extends signed values narrower than 32 bits and zero-extends all others. */
static uint32_t extend(const wave_argument *a, const void *value) {
    uint8_t byte;
    uint16_t half;
    switch (a->type) {
    case WAVE_TYPE_U8: memcpy(&byte, value, 1); return byte;
    case WAVE_TYPE_I8: memcpy(&byte, value, 1); return (uint32_t)(int32_t)(int8_t)byte;
    case WAVE_TYPE_I16: memcpy(&half, value, 2); return (uint32_t)(int32_t)(int16_t)half;
    default: memcpy(&half, value, 2); return half;
    }
}

wave_rt_status wave_rt_set_scalar(const wave_rt_module *module, size_t kernel, const char *name,
                                  const void *value, size_t size, uint32_t *words,
                                  wave_rt_error *error) {
    const wave_argument *a = NULL;
    wave_rt_status status = look_up(module, kernel, name, words, &a, error);
    if (status != WAVE_RT_OK || !a)
        return status;
    size_t unit = wave_type_size((wave_type)a->type), bytes = 4u * a->words;
    bool structure = a->type == WAVE_TYPE_BYTES;
    if (!value || a->kind != WAVE_ARGUMENT_SCALAR ||
        (structure ? size > bytes || size + 4 <= bytes : size != unit))
        return rt_fail(
            error, WAVE_RT_USAGE,
            "value is NULL, or argument '%.80s' is not a scalar of %zu bytes but %s", name, size,
            a->kind == WAVE_ARGUMENT_BUFFER ? "a buffer" : wave_type_name((wave_type)a->type));
    if (unit < 4 && !structure) {
        words[a->first_word] = extend(a, value);
        return WAVE_RT_OK;
    }
    memset(&words[a->first_word], 0, bytes);
    memcpy(&words[a->first_word], value, size);
    return WAVE_RT_OK;
}
