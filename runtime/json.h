/* A JSON reader that builds no tree: a value is its span of the text. It supports all that
 * wave_reflect writes, and is safe on any other input. */
#ifndef RUNTIME_JSON_H
#define RUNTIME_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rt_json {
    const char *at, *end; /* exactly one value; NULL: there is none */
} rt_json;

/* Parses a text that consists of one value; returns none when it is not JSON or is nested too
 * deeply. */
rt_json rt_json_parse(const char *text, size_t size);
/* Finds a member of an object. */
rt_json rt_json_member(rt_json object, const char *name);
/* The first element of a list, and the next one. */
rt_json rt_json_first(rt_json list);
rt_json rt_json_next(rt_json list, rt_json element);

bool rt_json_number(rt_json value, uint32_t *number); /* false: not an unsigned 32-bit number */
bool rt_json_bool(rt_json value);                     /* false also when it is not a Boolean */
bool rt_json_is(rt_json value, const char *text);     /* compares with a string without escapes */
/* Returns a string without escapes, malloc'd; NULL when it is not one or memory runs out. */
char *rt_json_string(rt_json value);

#endif
