/* Which runs have passed before: a file of hashes. A run is everything that decides its result —
 * text, options, launch, expected memory, and the run time that compiled and ran it — so a run
 * whose hash is present would only repeat an earlier one. */
#ifndef SYCLRUN_PASSED_H
#define SYCLRUN_PASSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct passed_key {
    uint64_t half[2];
} passed_key;

void passed_begin(passed_key *key); /* starts with the identity of the run time */
void passed_add(passed_key *key, const void *data, size_t size);

typedef struct passed_list {
    passed_key *keys; /* sorted */
    size_t count;
    const char *path; /* NULL: nothing is recorded */
} passed_list;

/* A file that does not exist is an empty list. */
void passed_load(passed_list *list, const char *path);
bool passed_has(const passed_list *list, const passed_key *key);
/* Appends to the file immediately; the list in memory is unchanged. */
void passed_note(const passed_list *list, const passed_key *key);
void passed_free(passed_list *list);

#endif
