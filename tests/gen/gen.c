/* Generates one program from a seed: chooses its features, then writes its parts in order. */
#include "gen/gen.h"

#include "gen/author.h"

#include <stdlib.h>
#include <string.h>

const char *const gen_feature_name[GEN_FEATURES] = {
#define X(id, option, percent, text) option,
    GEN_FEATURE_LIST(X)
#undef X
};

void gen_options_init(gen_options *options, uint64_t seed) {
    static const unsigned defaults[GEN_FEATURES] = {
#define X(id, option, percent, text) percent,
        GEN_FEATURE_LIST(X)
#undef X
    };
    options->seed = seed;
    options->size = 100;
    for (int k = 0; k < GEN_FEATURES; k++)
        options->percent[k] = defaults[k];
}

bool gen_set_number(const char *text, const char *name, unsigned most, unsigned *number) {
    const size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || text[length] != '=')
        return false;
    char *end;
    const unsigned long value = strtoul(text + length + 1, &end, 10);
    if (end == text + length + 1 || *end || value > most)
        return false;
    *number = (unsigned)value;
    return true;
}

bool gen_set_option(gen_options *options, const char *text) {
    for (int k = 0; k < GEN_FEATURES; k++)
        if (gen_set_number(text, gen_feature_name[k], 100, &options->percent[k]))
            return true;
    return gen_set_number(text, "size", 1000, &options->size);
}

char *gen_program(const gen_options *options, size_t *size) {
    author a = {.state = options->seed * 0xD1342543DE82EF95u + 1, .size = options->size};
    author tiles = {.state = ~a.state}; /* separate: seeds without tiles keep their programs */
    for (int k = 0; k < GEN_FEATURES; k++)
        a.has[k] = au_chance(k == GEN_TILES ? &tiles : &a, options->percent[k]);
    au_raw(&a, ";@ test    random program, seed %llu\n", (unsigned long long)options->seed);
    if (a.has[GEN_PATH]) {
        gen_path_program(&a);
    } else {
        gen_plan_frame(&a);
        gen_head(&a);
        gen_prologue(&a);
        gen_body(&a);
        gen_epilogue(&a);
        gen_functions(&a);
        au_raw(&a, ".end\n");
    }
    if (a.failed) {
        free(a.text);
        return NULL;
    }
    *size = a.used;
    return a.text;
}
