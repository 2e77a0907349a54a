/* wave-reduce as a library: makes a program smaller while a question about it is answered yes. */
#ifndef GEN_REDUCE_H
#define GEN_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the text still shows what it is reduced for. It may be any text: that it assembles and
 * behaves is part of the question. */
typedef bool reduce_question(void *user, const char *text, size_t size);

typedef struct reduce_figures {
    unsigned questions, instructions; /* asked; left over */
} reduce_figures;

/* The smallest text found, malloc'ed: the text itself when nothing can go. Expectations are
 * dropped, since what is left computes something else. */
char *reduce_text(const char *text, size_t size, reduce_question *ask, void *user,
                  reduce_figures *figures);

#endif
