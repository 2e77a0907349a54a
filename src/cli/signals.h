/* Signals that end a tool must not leave partial output behind. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include <signal.h>

/* SIGHUP, SIGINT and SIGTERM remove the temporary file and end the process; NULL: there is none. */
void cli_set_temporary(const char *path);

/* Between these two calls signals are only recorded; the second call ends the process if one
 * arrived. */
void cli_defer_signals(void);
void cli_end_deferral(void);
/* The signal that arrived, or 0. */
int cli_pending_signal(void);

/* Between these two calls signals are blocked. */
void cli_block_signals(sigset_t *before);
void cli_unblock_signals(const sigset_t *before);

#endif
