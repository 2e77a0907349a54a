/* Reading the text of LLVM IR, line by line. */
#ifndef CLI_LLVM_TEXT_H
#define CLI_LLVM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LLVM_NO_NUMBER UINT32_MAX

/* A line of the text, or a part of one. */
typedef struct llvm_span {
    const char *at, *end;
} llvm_span;

/* Removes the first line from the rest; false at the end. */
bool llvm_next_line(llvm_span *rest, llvm_span *line);

bool llvm_starts(llvm_span s, const char *with);

/* The decimal number that the span starts with, or LLVM_NO_NUMBER. */
uint32_t llvm_number(llvm_span s);

/* What follows the text, outside of quotes; LLVM writes a quote inside quotes as \22. */
bool llvm_find(llvm_span s, const char *text, llvm_span *after);

/* The number that follows the text, or LLVM_NO_NUMBER. */
uint32_t llvm_number_after(llvm_span s, const char *text);

/* What precedes the next quote. */
llvm_span llvm_quoted(llvm_span s);

/* A copy of a name whose special characters are written as \XX; malloc'ed. */
char *llvm_unescaped(llvm_span name);

#endif
