/* wave-diff: runs random programs on the emulator and on every target and compares the results.
 * Batches run in separate processes; a difference is reduced to a small program and printed. */
#include "gen/diff.h"
#include "gen/gen.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_JOBS = 64, MOST_RANGES = 4096, MOST_BATCH = 10000, LEVEL_BOTH = -1, LEVEL_ONE = -2 };

typedef struct settings {
    gen_options gen;
    uint64_t first, last; /* seeds, inclusive */
    bool seeded;          /* they are given */
    bool targets[DIFF_TARGETS];
    uint32_t widths[DIFF_WIDTHS];
    size_t width_count;
    unsigned jobs, batch;
    unsigned sycl_share; /* percentage of the seeds, because its compiler is so slow */
    unsigned reduce;     /* number of differences to reduce per batch */
    bool forever, progress;
    int level; /* 0 or 2; LEVEL_BOTH; LEVEL_ONE: chosen by the seed, where compilation is slow */
    const char *keep; /* folder for reduced programs */
    diff_options diff;
} settings;

typedef struct range {
    uint64_t first, last;
} range;

typedef struct totals {
    unsigned long long programs, differences, executions[DIFF_TARGETS];
    unsigned long long vendor; /* correct, but not in every way that SYCL was run */
} totals;

/* ---- One batch, in a child ---- */

static void before_run(const diff_run *run) {
    printf("@at %llu %d %d %u\n", (unsigned long long)run->program->seed, (int)run->target,
           run->optimise, run->answer->run.width);
    fflush(stdout);
}

static void describe(const diff_run *run) {
    printf("%s seed %llu, %s", run->vendor ? "INTEL" : "DIFFERENCE",
           (unsigned long long)run->program->seed, diff_target_name[run->target]);
    if (run->target != DIFF_EMU && run->target != DIFF_DEFECT)
        printf(" -O%d", run->optimise ? 2 : 0);
    if (run->answer)
        printf(", width %u", run->answer->run.width);
    printf(": %s\n", run->vendor ? run->vendor : run->verdict.why);
}

static void show_reduced(const settings *s, const diff_run *run) {
    unsigned instructions;
    fflush(stdout); /* otherwise the processes that the reduction starts would print it again */
    char *text = diff_reduce(run, &s->diff, &instructions);
    printf("reduced to %u instructions:\n%s", instructions, text);
    if (s->keep) {
        char path[600];
        snprintf(path, sizeof path, "%s/seed%llu-%s-O%d-w%u.wave", s->keep,
                 (unsigned long long)run->program->seed, diff_target_name[run->target],
                 run->optimise ? 2 : 0, run->answer->run.width);
        FILE *f = fopen(path, "w");
        if (f) {
            fputs(text, f);
            fclose(f);
        }
    }
    free(text);
}

static bool wants_target(const settings *s, const diff_program *p, diff_target target,
                         uint32_t width) {
    return s->targets[target] && diff_applies(p, target, width) &&
           (target != DIFF_SYCL || p->seed % 100 < s->sycl_share);
}

static bool wants_level(const settings *s, const diff_program *p, uint32_t width, int level) {
    if (s->level == LEVEL_ONE) /* every level is combined with every width */
        return (p->seed + width / 16) % 2 == (level == 2);
    return s->level == LEVEL_BOTH || s->level == level;
}

/* Appends all executions of one program to the runs. */
static size_t plan_runs(const settings *s, const diff_program *p, diff_run *runs) {
    size_t count = 0;
    for (size_t w = 0; w < p->answer_count; w++)
        for (int t = 0; t < DIFF_TARGETS; t++) {
            if (!wants_target(s, p, (diff_target)t, p->answers[w].run.width))
                continue;
            bool levels = t != DIFF_EMU && t != DIFF_DEFECT;
            for (int level = 0; level <= (levels ? 2 : 0); level += 2)
                if (!levels || wants_level(s, p, p->answers[w].run.width, level))
                    runs[count++] = (diff_run){.program = p,
                                               .answer = &p->answers[w],
                                               .target = (diff_target)t,
                                               .optimise = level == 2};
        }
    return count;
}

static char *generate(const settings *s, uint64_t seed, size_t *size) {
    gen_options options = s->gen;
    options.seed = seed;
    char *text = gen_program(&options, size);
    if (!text)
        abort();
    return text;
}

/* Counts programs, not executions. */
static void judge(const settings *s, const diff_run *runs, size_t count, totals *sum) {
    const diff_program *last = NULL, *last_vendor = NULL;
    unsigned reduced = 0;
    for (size_t k = 0; k < count; k++) {
        sum->executions[runs[k].target]++;
        if (runs[k].vendor) {
            describe(&runs[k]);
            sum->vendor += runs[k].program != last_vendor;
            last_vendor = runs[k].program;
        }
        if (runs[k].verdict.kind == DIFF_NONE)
            continue;
        describe(&runs[k]);
        sum->differences += runs[k].program != last;
        if (runs[k].program != last && reduced++ < s->reduce)
            show_reduced(s, &runs[k]);
        last = runs[k].program;
        fflush(stdout);
    }
}

static void run_batch(const settings *s, range seeds) {
    size_t count = (size_t)(seeds.last - seeds.first + 1), run_count = 0;
    diff_program *programs = calloc(count, sizeof *programs);
    diff_run *runs = calloc(count * DIFF_TARGETS * DIFF_WIDTHS * 2, sizeof *runs);
    totals sum = {.programs = count};
    if (!programs || !runs)
        abort();
    for (size_t k = 0; k < count; k++) {
        size_t size;
        diff_run opened = {.program = &programs[k]};
        char *text = generate(s, seeds.first + k, &size);
        if (!diff_open(&programs[k], text, size, s->widths, s->width_count, &opened.verdict)) {
            programs[k].seed = seeds.first + k;
            describe(&opened);
            sum.differences++;
            continue;
        }
        programs[k].seed = seeds.first + k;
        run_count += plan_runs(s, &programs[k], runs + run_count);
    }
    diff_execute(runs, run_count, &s->diff);
    judge(s, runs, run_count, &sum);
    printf("@sum %llu %llu", sum.differences, sum.vendor);
    for (int t = 0; t < DIFF_TARGETS; t++)
        printf(" %llu", sum.executions[t]);
    printf("\n");
    for (size_t k = 0; k < run_count; k++)
        free(runs[k].vendor);
    for (size_t k = 0; k < count; k++)
        diff_close(&programs[k]);
    free(programs);
    free(runs);
}

/* ---- The parent ---- */

typedef struct worker {
    pid_t pid; /* 0: none */
    FILE *out;
    range seeds;
} worker;

typedef struct campaign {
    const settings *s;
    worker workers[MOST_JOBS];
    unsigned running;
    range again[MOST_RANGES]; /* to be rerun, without a seed that crashed */
    size_t again_count;
    uint64_t next;
    totals sum;
    time_t started, shown;
} campaign;

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
    (void)number;
    stopped = 1;
}

static void start(campaign *c, range seeds) {
    worker *w = c->workers;
    while (w->pid)
        w++;
    *w = (worker){.out = tmpfile(), .seeds = seeds};
    fflush(stdout);
    w->pid = w->out ? fork() : -1;
    if (w->pid < 0) {
        perror("wave-diff");
        exit(2);
    }
    if (w->pid == 0) {
        signal(SIGINT, SIG_IGN);
        dup2(fileno(w->out), STDOUT_FILENO);
        run_batch(c->s, seeds);
        fflush(stdout);
        _exit(0);
    }
    c->running++;
}

/* A child has crashed: the program that it was running is reduced by itself, and the other seeds of
 * its batch are rerun. */
static void crashed(campaign *c, const worker *w, const char *at) {
    unsigned long long seed = w->seeds.first;
    unsigned target = 0, width = 0;
    int level = 0;
    bool known = sscanf(at, "@at %llu %u %d %u", &seed, &target, &level, &width) == 4;
    c->sum.differences++;
    c->sum.programs++;
    printf("DIFFERENCE seed %llu, %s -O%d, width %u: crashed\n", seed,
           known ? diff_target_name[target] : "emu", level ? 2 : 0, width);
    if (known && c->s->reduce) {
        size_t size;
        diff_program p;
        diff_run run = {.program = &p,
                        .answer = &p.answers[0],
                        .target = (diff_target)target,
                        .optimise = level != 0};
        char *text = generate(c->s, seed, &size);
        bool opened = diff_open(&p, text, size, &width, 1, &run.verdict);
        p.seed = seed;
        run.verdict.kind = DIFF_CRASHED;
        if (opened)
            show_reduced(c->s, &run);
        diff_close(&p);
    }
    if (seed > w->seeds.first && c->again_count < MOST_RANGES)
        c->again[c->again_count++] = (range){w->seeds.first, seed - 1};
    if (seed < w->seeds.last && c->again_count < MOST_RANGES)
        c->again[c->again_count++] = (range){seed + 1, w->seeds.last};
}

static bool add_sum(campaign *c, const char *line, const worker *w) {
    unsigned long long n[DIFF_TARGETS], differences, vendor;
    char *at = NULL;
    if (strncmp(line, "@sum ", 5) != 0 || !strchr(line, '\n'))
        return false;
    differences = strtoull(line + 5, &at, 10);
    vendor = strtoull(at, &at, 10);
    for (int t = 0; t < DIFF_TARGETS; t++)
        n[t] = strtoull(at, &at, 10);
    c->sum.programs += w->seeds.last - w->seeds.first + 1;
    c->sum.differences += differences;
    c->sum.vendor += vendor;
    for (int t = 0; t < DIFF_TARGETS; t++)
        c->sum.executions[t] += n[t];
    return true;
}

static void print_sum(const campaign *c) {
    unsigned long long all = 0;
    for (int t = 0; t < DIFF_TARGETS; t++)
        all += c->sum.executions[t];
    printf("wave-diff: %llu programs, %llu executions (", c->sum.programs, all);
    const char *separator = "";
    for (int t = 0; t < DIFF_TARGETS; t++)
        if (c->s->targets[t]) {
            printf("%s%s %llu", separator, diff_target_name[t], c->sum.executions[t]);
            separator = ", ";
        }
    printf("), %llu differences, ", c->sum.differences);
    if (c->s->targets[DIFF_SYCL])
        printf("%llu broken by Intel's compiler, ", c->sum.vendor);
    printf("%lld s, next seed %llu\n", (long long)(time(NULL) - c->started),
           (unsigned long long)c->next);
    fflush(stdout);
}

static void collect(campaign *c) {
    int status;
    pid_t pid = wait(&status);
    worker *w = c->workers;
    while (w < c->workers + MOST_JOBS && w->pid != pid)
        w++;
    if (pid <= 0 || w == c->workers + MOST_JOBS)
        return;
    char line[2000], at[2000] = "";
    bool summed = false;
    rewind(w->out);
    while (fgets(line, sizeof line, w->out))
        if (line[0] != '@')
            fputs(line, stdout);
        else if (strncmp(line, "@at", 3) == 0)
            snprintf(at, sizeof at, "%s", line);
        else
            summed |= add_sum(c, line, w);
    if (!summed && !stopped)
        crashed(c, w, at);
    fclose(w->out);
    w->pid = 0;
    c->running--;
    if (c->s->progress && time(NULL) - c->shown >= 10) {
        c->shown = time(NULL);
        print_sum(c);
    }
}

static bool next_range(campaign *c, range *out) {
    if (c->again_count) {
        *out = c->again[--c->again_count];
        return true;
    }
    if (c->next > c->s->last && !c->s->forever)
        return false;
    *out = (range){c->next, c->next + c->s->batch - 1};
    if (out->last > c->s->last && !c->s->forever)
        out->last = c->s->last;
    c->next = out->last + 1;
    return true;
}

static int run_campaign(const settings *s) {
    campaign c = {.s = s, .next = s->first, .started = time(NULL), .shown = time(NULL)};
    range seeds;
    for (;;) {
        while (!stopped && c.running < s->jobs && next_range(&c, &seeds))
            start(&c, seeds);
        if (!c.running)
            break;
        collect(&c);
    }
    print_sum(&c);
    printf("wave-diff: %llu passed, %llu failed\n", c.sum.programs - c.sum.differences,
           c.sum.differences);
    return c.sum.differences ? 1 : 0;
}

/* ---- The command line ---- */

static int usage(int status) {
    fprintf(
        status ? stderr : stdout,
        "usage: wave-diff --seeds A..B [options]\n"
        "       wave-diff [options] FILE.wave...\n\n"
        "Runs the random programs of the seeds (wave-gen --seed N shows one) on the emulator and\n"
        "on targets, at -O0 and -O2, and reports every difference, reduced to a small program.\n\n"
        "  --seeds A..B       the first and the last seed\n"
        "  --targets=LIST     some of emu, ptx, hip, msl, sycl (all of these); or sycl-simt, the\n"
        "                     SYCL text through clang; wbin, the output of wavec --target=wbin;\n"
        "                     passes, see --passes\n"
        "  --passes           runs the IR after each pass as WBIN on the emulator, and names the\n"
        "                     first pass that changes the result\n"
        "  --sycl-share=N     percent of the seeds that run on sycl, which takes seconds per\n"
        "                     program (100)\n"
        "  --sycl-way=WAY     what Intel's compilers may do: optimised, plain, kept-flow,\n"
        "                     kept-loops; any: plain first, the other ways for programs that are\n"
        "                     wrong then (any)\n"
        "  --widths=LIST      wave widths (4,8,16,32,64); each target uses those that it has\n"
        "  --jobs=N           processes at the same time (1)\n"
        "  --batch=N          programs per process, compiled together where a target can (50)\n"
        "  --level=L          0, 2, both, or one: chosen by seed and width, where compilation is\n"
        "                     slow (both)\n"
        "  --FEATURE=PERCENT  as for wave-gen, and --size=N\n"
        "  --reduce=N         differences per batch that are reduced (3)\n"
        "  --keep=FOLDER      writes the reduced programs there\n"
        "  --folder=FOLDER    for files of the compilers\n"
        "  --cached           keeps compiled objects in that folder for reuse\n"
        "  --forever          continues after B until interrupted\n"
        "  --progress         prints a summary every ten seconds\n"
        "  --defect=FROM:TO   the target `defect`: the emulator executes FROM as TO\n");
    return status;
}

static bool set_targets(settings *s, const char *list) {
    memset(s->targets, 0, sizeof s->targets);
    for (size_t length; *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        int target = diff_find_target(list, length);
        if (target < 0)
            return false;
        s->targets[target] = true;
    }
    return true;
}

static bool set_widths(settings *s, const char *list) {
    s->width_count = 0;
    while (*list) {
        char *end;
        unsigned long width = strtoul(list, &end, 10);
        if (end == list || width < 1 || width > 64 || s->width_count == DIFF_WIDTHS)
            return false;
        s->widths[s->width_count++] = (uint32_t)width;
        list = end + (*end == ',');
    }
    return s->width_count > 0;
}

static bool set_level(settings *s, const char *text) {
    static const struct {
        const char *name;
        int level;
    } levels[] = {{"0", 0}, {"2", 2}, {"both", LEVEL_BOTH}, {"one", LEVEL_ONE}};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (strcmp(text, levels[k].name) == 0) {
            s->level = levels[k].level;
            return true;
        }
    return false;
}

static bool set_seeds(settings *s, const char *text) {
    unsigned long long first, last;
    int length;
    if (!text || sscanf(text, "%llu..%llu%n", &first, &last, &length) != 2 || text[length] ||
        first > last)
        return false;
    s->first = first;
    s->last = last;
    s->seeded = true;
    return true;
}

static bool set_defect(settings *s, char *text) {
    char *colon = strchr(text, ':');
    if (!colon)
        return false;
    *colon = '\0';
    s->diff.defect_from = text;
    s->diff.defect_to = colon + 1;
    return true;
}

static const char *value_of(const char *word, const char *name) {
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 ? word + length : NULL;
}

static bool set_option(settings *s, char *word) {
    const char *v;
    if ((v = value_of(word, "--targets=")))
        return set_targets(s, v);
    if (strcmp(word, "--passes") == 0)
        return set_targets(s, "passes");
    if ((v = value_of(word, "--widths=")))
        return set_widths(s, v);
    if ((v = value_of(word, "--seeds=")))
        return set_seeds(s, v);
    if ((v = value_of(word, "--level=")))
        return set_level(s, v);
    if (value_of(word, "--jobs="))
        return gen_set_number(word, "--jobs", MOST_JOBS, &s->jobs) && s->jobs >= 1;
    if (value_of(word, "--batch="))
        return gen_set_number(word, "--batch", MOST_BATCH, &s->batch) && s->batch >= 1;
    if ((v = value_of(word, "--sycl-way=")))
        return diff_find_way(v, &s->diff.way);
    if (value_of(word, "--sycl-share="))
        return gen_set_number(word, "--sycl-share", 100, &s->sycl_share);
    if (value_of(word, "--reduce="))
        return gen_set_number(word, "--reduce", MOST_BATCH, &s->reduce);
    if (value_of(word, "--defect="))
        return set_defect(s, word + strlen("--defect="));
    if ((v = value_of(word, "--keep=")))
        s->keep = v;
    else if ((v = value_of(word, "--folder=")))
        s->diff.folder = v;
    else if (strcmp(word, "--cached") == 0)
        s->diff.cached = true;
    else if (strcmp(word, "--forever") == 0)
        s->forever = true;
    else if (strcmp(word, "--progress") == 0)
        s->progress = true;
    else
        return value_of(word, "--") && gen_set_option(&s->gen, word + 2);
    return true;
}

/* Skips targets that cannot run here, by name; where everything is required, that is an error. */
static bool check_targets(settings *s) {
    const char *ci = getenv("CI");
    for (int t = 0; t < DIFF_TARGETS; t++) {
        char why[300] = "";
        if (!s->targets[t] || diff_available((diff_target)t, &s->diff, why, sizeof why))
            continue;
        printf("wave-diff: %s left out: %s\n", diff_target_name[t], why);
        s->targets[t] = false;
        if (ci && strcmp(ci, "true") == 0)
            return false;
    }
    return true;
}

int main(int argc, char **argv) {
    settings s = {.targets = {[DIFF_EMU] = true,
                              [DIFF_PTX] = true,
                              [DIFF_HIP] = true,
                              [DIFF_MSL] = true,
                              [DIFF_SYCL] = true},
                  .widths = {4, 8, 16, 32, 64},
                  .width_count = 5,
                  .jobs = 1,
                  .batch = 50,
                  .sycl_share = 100,
                  .reduce = 3,
                  .level = LEVEL_BOTH,
                  .diff = {.jobs = 1, .before = before_run}};
    gen_options_init(&s.gen, 0);
    size_t files = 0;
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--help") == 0)
            return usage(0);
        if (argv[k][0] != '-') {
            argv[files++] = argv[k]; /* the earlier ones have been read */
            continue;
        }
        bool ok =
            strcmp(argv[k], "--seeds") == 0 ? set_seeds(&s, argv[++k]) : set_option(&s, argv[k]);
        if (!ok) {
            fprintf(stderr, "wave-diff: malformed %s (see --help)\n",
                    argv[k] ? argv[k] : argv[k - 1]);
            return 2;
        }
    }
    if (!s.seeded && !files)
        return usage(2);
    if (!check_targets(&s))
        return 1;
    if (files)
        return diff_files(argv, files, s.targets, s.widths, s.width_count, &s.diff);
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return run_campaign(&s);
}
