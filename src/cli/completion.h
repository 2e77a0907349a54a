/* Completion of a tool's command line in a shell. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/cli.h"

/* Prints the script; false when there is none for that shell. */
bool cli_print_completion(const cli_args *args, const char *shell);

#endif
