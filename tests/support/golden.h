/* Golden texts of a target: every NAME.wave of tests/golden/TARGET is compiled and compared with
 * the text next to it, which is reviewed like code. WAVE_UPDATE_GOLDEN=1 rewrites the texts.
 * Options are in a comment of the source that starts with the target's name:
 *
 *   ; hip: -O2 --bounds --assert -g --fp=fast --arch=gfx1030 --wave-width=64
 *
 * Without them the kernel is compiled with -O0 and --assert=off for the target's default
 * architecture. */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

#include <wave/compile.h>

/* A text file, malloc'ed; NULL when there is none. */
char *golden_read(const char *path);
/* Compiles a source with the options in its comment; malloc'ed. */
char *golden_compile(wave_target target, const char *name);
/* Calls `visit` for every source in the target's folder, in the order of names; returns their
 * number. */
unsigned golden_each(wave_target target,
                     void (*visit)(wave_target target, const char *name, void *context),
                     void *context);
/* Compares all of them; returns their number. */
unsigned golden_check(wave_target target);
/* "tests/golden/hip/NAME.hip" */
void golden_path(wave_target target, const char *name, char *path, size_t size);

#endif
