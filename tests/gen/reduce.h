/* wave-reduce as a library: shrinks a program while a test on it succeeds. */
#ifndef GEN_REDUCE_H
#define GEN_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text still shows the behaviour of interest. It may be any text: the test also decides
 * whether it assembles and behaves. */
typedef bool reduce_question(void *user, const char *text, size_t size);

/* The text followed by a NUL, malloc'ed. Without memory the program ends. */
char *reduce_copy(const char *text, size_t size);

typedef struct reduce_figures {
    unsigned questions, instructions; /* tests made; instructions left */
} reduce_figures;

/* Returns the smallest text found, malloc'ed: the text itself when nothing can be removed.
 * Expectations are dropped, since the reduced program computes something else. */
char *reduce_text(const char *text, size_t size, reduce_question *ask, void *user,
                  reduce_figures *figures);

#endif
