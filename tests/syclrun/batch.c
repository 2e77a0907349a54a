/* Distributes texts and launches over processes, one batch each, and reads their messages. If a
 * process dies or stays silent, its current launch fails, and a new process gets the rest of its
 * batch. */
#include "syclrun/batch.h"
#include "runner/reference.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSES = 16, SECONDS_PER_TEXT = 20, SECONDS_PER_BUILD = 120 };

typedef struct worker {
    pid_t pid; /* 0: idle */
    int from;
    batch b;
    bool built;
    size_t at;       /* launch that has begun; SIZE_MAX: none */
    size_t next;     /* first launch without an outcome */
    time_t deadline; /* of the next message */
    uint8_t *received;
    size_t received_size, received_capacity;
} worker;

typedef struct pool {
    const syclrun_text *texts;
    syclrun_launch *launches;
    const syclrun_options *options;
    unsigned seconds;
    batch *queue; /* batches still to run, last first */
    size_t queued, capacity;
    worker workers[MOST_PROCESSES];
    size_t worker_count;
} pool;

static const char *const outcome_names[] = {
    [SYCLRUN_NOT_RUN] = "did not run",
    [SYCLRUN_DONE] = "done",
    [SYCLRUN_NOT_COMPILED] = "is rejected by the device compiler",
    [SYCLRUN_REFUSED] = "is rejected by the run time",
    [SYCLRUN_CRASHED] = "crashed",
    [SYCLRUN_HUNG] = "hung",
    [SYCLRUN_OUT_OF_BOUNDS] = "wrote outside its memory",
    [SYCLRUN_ONLY_COMPILED] = "was only compiled",
};

const char *syclrun_outcome_name(syclrun_outcome outcome) {
    return outcome_names[outcome];
}

static time_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* ---- The queue ---- */

static void enqueue(pool *p, batch b) {
    if (b.launch_count == 0)
        return;
    if (p->queued == p->capacity) {
        p->capacity = 2 * p->capacity + 8;
        p->queue = realloc(p->queue, p->capacity * sizeof *p->queue);
        if (!p->queue)
            abort();
    }
    p->queue[p->queued++] = b;
}

/* A batch with some of the launches of another one. */
static batch part_of(const pool *p, size_t first, size_t end) {
    batch b = {.first_launch = first, .launch_count = end - first};
    if (first < end) {
        b.first_text = p->launches[first].text;
        b.text_count = p->launches[end - 1].text + 1 - b.first_text;
    }
    return b;
}

static void fill_queue(pool *p, size_t launch_count, size_t size) {
    for (size_t first = 0, end; first < launch_count; first = end) {
        size_t limit = p->launches[first].text + size;
        for (end = first; end < launch_count && p->launches[end].text < limit;)
            end++;
        enqueue(p, part_of(p, first, end));
    }
}

/* ---- Outcomes ---- */

static void finish(pool *p, size_t launch, syclrun_outcome outcome, char *message) {
    p->launches[launch].outcome = outcome;
    p->launches[launch].message = message;
    if (p->options->finished)
        p->options->finished(p->options->user, launch);
}

/* The compiler rejects a batch. If its log names texts, these fail and the others are tried again.
 * If it names none, each half is tried separately. */
static void not_built(pool *p, const worker *w, const char *log) {
    size_t end = w->b.first_launch + w->b.launch_count, first = w->b.first_launch;
    size_t named = 0;
    for (size_t k = first; k < end; k++) {
        char *mine = syclrun_log_of(log, p->launches[k].text);
        if (!mine && w->b.text_count == 1)
            mine = strdup(log);
        if (!mine)
            continue;
        enqueue(p, part_of(p, first, k));
        finish(p, k, SYCLRUN_NOT_COMPILED, mine);
        first = k + 1;
        named++;
    }
    if (named) {
        enqueue(p, part_of(p, first, end));
        return;
    }
    size_t text = w->b.first_text + w->b.text_count / 2, middle = first;
    while (middle < end && p->launches[middle].text < text)
        middle++;
    enqueue(p, part_of(p, first, middle));
    enqueue(p, part_of(p, middle, end));
}

/* ---- Messages ---- */

static void take_news(pool *p, worker *w, const news *n, const uint8_t *bytes) {
    syclrun_launch *launch = &p->launches[n->launch];
    w->deadline = now() + p->seconds;
    switch ((news_kind)n->kind) {
    case NEWS_NOT_BUILT:
        not_built(p, w, (const char *)bytes);
        w->next = w->b.first_launch + w->b.launch_count; /* all of them have an outcome */
        w->built = true;
        break;
    case NEWS_BUILT: w->built = true; break;
    case NEWS_BEGUN: w->at = n->launch; break;
    case NEWS_ENDED:
        memcpy(launch->memory, bytes, n->bytes);
        memcpy(launch->status, n->status, sizeof launch->status);
        finish(p, n->launch, (syclrun_outcome)n->outcome, NULL);
        break;
    case NEWS_REFUSED:
        finish(p, n->launch, SYCLRUN_REFUSED, n->bytes ? strdup((const char *)bytes) : NULL);
        break;
    }
    if (n->kind == NEWS_ENDED || n->kind == NEWS_REFUSED) {
        w->at = SIZE_MAX;
        w->next = n->launch + 1;
    }
}

/* Takes complete messages from the bytes received so far. */
static void take_received(pool *p, worker *w) {
    size_t used = 0;
    news n;
    while (w->received_size - used >= sizeof n) {
        memcpy(&n, w->received + used, sizeof n);
        if (w->received_size - used - sizeof n < n.bytes)
            break;
        take_news(p, w, &n, w->received + used + sizeof n);
        used += sizeof n + n.bytes;
    }
    memmove(w->received, w->received + used, w->received_size - used);
    w->received_size -= used;
}

/* False at the end of the pipe. */
static bool receive(pool *p, worker *w) {
    if (w->received_capacity - w->received_size < 1 << 16) {
        w->received_capacity = 2 * w->received_capacity + (1 << 17);
        w->received = realloc(w->received, w->received_capacity);
        if (!w->received)
            abort();
    }
    ssize_t n =
        read(w->from, w->received + w->received_size, w->received_capacity - w->received_size);
    if (n < 0 && errno == EINTR)
        return true;
    if (n <= 0)
        return false;
    w->received_size += (size_t)n;
    take_received(p, w);
    return true;
}

/* ---- Processes ---- */

static bool start(pool *p, worker *w, batch b) {
    int ends[2];
    time_t deadline =
        now() + SECONDS_PER_BUILD +
        (time_t)(b.text_count * SECONDS_PER_TEXT); /* generous: other tests load the machine, too */
    fflush(NULL);
    if (pipe(ends) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        batch_child(p->texts, p->launches, b, p->options->way, ends[1]);
    }
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return false;
    }
    w->pid = pid;
    w->from = ends[0];
    w->b = b;
    w->built = false;
    w->at = SIZE_MAX;
    w->next = b.first_launch;
    w->deadline = deadline;
    w->received_size = 0;
    return true;
}

static char *describe_end(int status) {
    char text[100] = "";
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
    else if (WIFEXITED(status))
        snprintf(text, sizeof text, "exit status %d", WEXITSTATUS(status));
    return strdup(text);
}

/* The process has ended, by itself or because it was silent for too long. */
static void reap(pool *p, worker *w, bool hung) {
    int status = 0;
    if (hung)
        kill(w->pid, SIGKILL);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    close(w->from);
    w->pid = 0;
    size_t end = w->b.first_launch + w->b.launch_count;
    if (w->next == end)
        return;
    char *how = describe_end(status);
    syclrun_outcome outcome = hung ? SYCLRUN_HUNG : SYCLRUN_CRASHED;
    if (w->at != SIZE_MAX) {
        finish(p, w->at, outcome, how);
        enqueue(p, part_of(p, w->at + 1, end));
    } else if (!w->built && w->b.text_count > 1) {
        free(how);
        not_built(p, w, ""); /* the compiler itself died: which text is it? */
    } else {
        finish(p, w->next, w->built ? outcome : SYCLRUN_NOT_COMPILED, how);
        enqueue(p, part_of(p, w->next + 1, end));
    }
}

static bool start_idle(pool *p) {
    for (size_t k = 0; k < p->worker_count; k++)
        if (!p->workers[k].pid && p->queued && !start(p, &p->workers[k], p->queue[--p->queued]))
            return false;
    return true;
}

/* False when no process remains. */
static bool listen_once(pool *p) {
    struct pollfd waits[MOST_PROCESSES];
    bool any = false;
    for (size_t k = 0; k < p->worker_count; k++) {
        const worker *w = &p->workers[k];
        waits[k] = (struct pollfd){.fd = w->pid ? w->from : -1, .events = POLLIN};
        any |= w->pid != 0;
    }
    if (!any)
        return false;
    poll(waits, p->worker_count, 1000);
    for (size_t k = 0; k < p->worker_count; k++) {
        worker *w = &p->workers[k];
        if (!w->pid)
            continue;
        if (waits[k].revents && !receive(p, w))
            reap(p, w, false);
        else if (now() > w->deadline)
            reap(p, w, true);
    }
    return true;
}

bool syclrun_all(const syclrun_text *texts, size_t text_count, syclrun_launch *launches,
                 size_t launch_count, const syclrun_options *options) {
    pool p = {.texts = texts, .launches = launches, .options = options};
    size_t size = options->batch ? options->batch : 80;
    p.worker_count = options->processes ? options->processes : 2;
    if (p.worker_count > MOST_PROCESSES)
        p.worker_count = MOST_PROCESSES;
    p.seconds = options->seconds ? options->seconds : 60;
    (void)text_count;
    fill_queue(&p, launch_count, size);
    bool ok = start_idle(&p);
    while (ok && listen_once(&p))
        ok = start_idle(&p);
    for (size_t k = 0; k < p.worker_count; k++) {
        if (p.workers[k].pid)
            reap(&p, &p.workers[k], true);
        free(p.workers[k].received);
    }
    free(p.queue);
    return ok;
}
