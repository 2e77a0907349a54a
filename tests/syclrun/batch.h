/* Shared by batch.c, which starts processes and reads their messages, and child.c, which is what
 * they run. */
#ifndef SYCLRUN_BATCH_H
#define SYCLRUN_BATCH_H

#include "syclrun/syclrun.h"

/* A range of texts with the range of launches that use them. */
typedef struct batch {
    size_t first_text, text_count;
    size_t first_launch, launch_count;
} batch;

typedef enum news_kind {
    NEWS_NOT_BUILT, /* bytes: the log */
    NEWS_BUILT,
    NEWS_BEGUN,  /* of a launch */
    NEWS_ENDED,  /* bytes: memory */
    NEWS_REFUSED /* bytes: why */
} news_kind;

/* The head of a child's message, followed by `bytes` bytes. */
typedef struct news {
    uint32_t kind;
    uint32_t outcome, status[2];
    uint64_t launch; /* index */
    uint64_t bytes;
} news;

/* Runs the child; never returns. */
_Noreturn void batch_child(const syclrun_text *texts, syclrun_launch *launches, batch b,
                           syclrun_way way, int out);

#endif
