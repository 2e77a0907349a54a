/* JSON: see json.h. One pass checks the text. Afterwards values are found by counting brackets,
 * which are ignored only inside strings. */
#include "json.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 };

static const char *skip_space(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
        at++;
    return at;
}

/* Returns the position after a string; NULL when it is unterminated. */
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '"')
            return at + 1;
        if (*at == '\\' && ++at == end)
            return NULL;
    }
    return NULL;
}

static const char *skip_word(const char *at, const char *end) {
    const char *start = at;
    while (at < end &&
           (strchr("+-.", *at) || (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') ||
            *at == 'E') &&
           *at)
        at++;
    return at == start ? NULL : at;
}

/* Returns the position after the value that starts here; NULL: it is unterminated, or its brackets
 * do not match. */
static const char *skip_value(const char *at, const char *end) {
    char open[DEEPEST];
    int depth = 0;
    do {
        at = skip_space(at, end);
        if (at == end)
            return NULL;
        char c = *at;
        if (c == '{' || c == '[') {
            if (depth == DEEPEST)
                return NULL;
            open[depth++] = c == '{' ? '}' : ']';
            at++;
        } else if (c == '}' || c == ']') {
            if (depth == 0 || open[--depth] != c)
                return NULL;
            at++;
        } else if (depth && (c == ',' || c == ':')) {
            at++;
        } else {
            at = c == '"' ? skip_string(at, end) : skip_word(at, end);
        }
    } while (at && depth);
    return at;
}

static rt_json value_at(const char *at, const char *end) {
    at = skip_space(at, end);
    const char *after = at < end ? skip_value(at, end) : NULL;
    return after ? (rt_json){at, after} : (rt_json){0};
}

rt_json rt_json_parse(const char *text, size_t size) {
    rt_json value = text ? value_at(text, text + size) : (rt_json){0};
    if (!value.at || skip_space(value.end, text + size) != text + size)
        return (rt_json){0};
    return value;
}

/* The element after a comma. */
static rt_json element_at(rt_json list, const char *at, bool first) {
    const char *end = list.end - 1;
    at = skip_space(at, end);
    if (!first && (at == end || *at++ != ','))
        return (rt_json){0};
    return value_at(at, end);
}

rt_json rt_json_first(rt_json list) {
    return list.at && *list.at == '[' ? element_at(list, list.at + 1, true) : (rt_json){0};
}

rt_json rt_json_next(rt_json list, rt_json element) {
    return element.at ? element_at(list, element.end, false) : (rt_json){0};
}

rt_json rt_json_member(rt_json object, const char *name) {
    if (!object.at || *object.at != '{')
        return (rt_json){0};
    const char *end = object.end - 1;
    rt_json key = element_at(object, object.at + 1, true);
    while (key.at) {
        const char *colon = skip_space(key.end, end);
        if (*key.at != '"' || colon == end || *colon != ':')
            return (rt_json){0};
        rt_json value = value_at(colon + 1, end);
        if (!value.at || rt_json_is(key, name))
            return value;
        key = element_at(object, value.end, false);
    }
    return (rt_json){0};
}

bool rt_json_number(rt_json value, uint32_t *number) {
    uint64_t sum = 0;
    if (!value.at)
        return false;
    for (const char *at = value.at; at < value.end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        sum = 10 * sum + (uint64_t)(*at - '0');
        if (sum > UINT32_MAX)
            return false;
    }
    *number = (uint32_t)sum;
    return true;
}

bool rt_json_bool(rt_json value) {
    return value.end - value.at == 4 && memcmp(value.at, "true", 4) == 0;
}

bool rt_json_is(rt_json value, const char *text) {
    size_t length = strlen(text);
    return value.at && *value.at == '"' && (size_t)(value.end - value.at) == length + 2 &&
           memcmp(value.at + 1, text, length) == 0;
}

char *rt_json_string(rt_json value) {
    if (!value.at || *value.at != '"')
        return NULL;
    size_t length = (size_t)(value.end - value.at) - 2;
    char *text = memchr(value.at, '\\', length + 1) ? NULL : malloc(length + 1);
    if (text) {
        memcpy(text, value.at + 1, length);
        text[length] = '\0';
    }
    return text;
}
