/* wave-gen: prints a random program as a `.wave` file of the test format. */
#include "gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    unsigned percent;
} features[GEN_FEATURES] = {
#define X(id, option, percent, text) {text, percent},
    GEN_FEATURE_LIST(X)
#undef X
};

static void help(void) {
    printf(
        "usage: wave-gen [--seed N] [--size=N] [--FEATURE=PERCENT]...\n\n"
        "Prints a program that is valid, ends, has no races and gives the same result under every\n"
        "schedule: a `.wave` file with its launch in comments. The same seed and features give "
        "the\n"
        "same program. PERCENT is the share of the seeds whose programs have the feature.\n\n"
        "  --seed N          which program (1)\n"
        "  --size=N          its length in percent of the usual one, up to 1000 (100)\n");
    for (int k = 0; k < GEN_FEATURES; k++)
        printf("  --%-15s %s (%u)\n", gen_feature_name[k], features[k].text, features[k].percent);
}

static bool set_seed(gen_options *o, const char *text) {
    char *end = NULL;
    o->seed = text ? strtoull(text, &end, 0) : 0;
    return text && *text && !*end;
}

int main(int argc, char **argv) {
    gen_options o;
    gen_options_init(&o, 1);
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k];
        bool ok;
        if (strcmp(word, "--help") == 0) {
            help();
            return 0;
        }
        if (strcmp(word, "--seed") == 0)
            ok = set_seed(&o, argv[++k]);
        else if (strncmp(word, "--seed=", 7) == 0)
            ok = set_seed(&o, word + 7);
        else
            ok = strncmp(word, "--", 2) == 0 && gen_set_option(&o, word + 2);
        if (!ok) {
            fprintf(stderr, "wave-gen: malformed %s (see --help)\n", word);
            return 2;
        }
    }
    size_t size;
    char *text = gen_program(&o, &size);
    if (!text) {
        fprintf(stderr, "wave-gen: out of memory\n");
        return 2;
    }
    bool ok = fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
    free(text);
    return ok ? 0 : 2;
}
