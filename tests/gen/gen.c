/* One program from a seed: which features it has, then its parts in order. */
#include "gen/gen.h"

#include "gen/author.h"

#include <stdlib.h>

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

char *gen_program(const gen_options *options, size_t *size) {
    author a = {.state = options->seed * 0xD1342543DE82EF95u + 1, .size = options->size};
    for (int k = 0; k < GEN_FEATURES; k++)
        a.has[k] = au_chance(&a, options->percent[k]);
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
