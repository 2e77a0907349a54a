/* The text that wave-cc puts before every OpenCL C source: src/opencl/prelude.h, and the
 * definitions of convert_TYPE for every type. */
#ifndef CLI_PRELUDE_H
#define CLI_PRELUDE_H

#include "cli/cli.h"

/* The text, malloc'ed; NULL when out of memory. */
char *cli_prelude(void);

#endif
