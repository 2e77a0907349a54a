/* A signal that ends a tool must not leave partial output behind. Handles SIGHUP, SIGINT and
 * SIGTERM; a signal that was ignored when the tool started stays ignored. */
#include "cli/signals.h"

#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

static const int ending[] = {SIGHUP, SIGINT, SIGTERM};
enum { ENDING = sizeof ending / sizeof *ending };

static const char *volatile temporary; /* the file to remove */
static volatile sig_atomic_t deferred, pending;

/* The signal is blocked here; raised again, it ends the process on return. */
static void handle(int number) {
    if (deferred) {
        pending = number;
        return;
    }
    if (temporary)
        (void)unlink(temporary);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void install(void) {
    static bool installed;
    for (int k = 0; k < ENDING && !installed; k++) {
        struct sigaction now;
        if (sigaction(ending[k], NULL, &now) != 0 || now.sa_handler != SIG_DFL)
            continue;
        now = (struct sigaction){.sa_handler = handle};
        (void)sigemptyset(&now.sa_mask);
        (void)sigaction(ending[k], &now, NULL);
    }
    installed = true;
}

void cli_block_signals(sigset_t *before) {
    sigset_t set;
    install();
    (void)sigemptyset(&set);
    for (int k = 0; k < ENDING; k++)
        (void)sigaddset(&set, ending[k]);
    (void)sigprocmask(SIG_BLOCK, &set, before);
}

void cli_unblock_signals(const sigset_t *before) {
    (void)sigprocmask(SIG_SETMASK, before, NULL);
}

void cli_set_temporary(const char *path) {
    temporary = path;
}

void cli_defer_signals(void) {
    install();
    deferred = 1;
}

int cli_pending_signal(void) {
    return pending;
}

void cli_end_deferral(void) {
    deferred = 0;
    if (pending)
        (void)raise(pending);
}
