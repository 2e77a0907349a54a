/* Memory for the contents of a test file. Only tools and test programs read test files: they exit
 * when out of memory. */
#ifndef TESTFILE_MEMORY_H
#define TESTFILE_MEMORY_H

#include <stddef.h>

/* Returns the pointer itself; NULL ends the program with status 2. */
void *tf_need(void *memory);

char *tf_copy(const char *text, size_t length);

/* Room for one more element, zeroed, after `count` of them. */
void *tf_grow(void *list, size_t count, size_t size);

#endif
