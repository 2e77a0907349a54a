/* Kernel names: where they may be, that they are UTF-8, and that they are unique. */
#include "base/text.h"
#include "frontend/ops.h"
#include "frontend/wbin.h"

#include <stdlib.h>
#include <string.h>

/* A copy with U+FFFD for each byte that is not UTF-8. */
static bool repair_utf8(wbin_reader *r, fe_record *record) {
    const uint8_t *s = (const uint8_t *)record->name;
    buf fixed = {0};
    for (size_t i = 0; i < record->name_length;) {
        size_t step = text_sequence(s + i, record->name_length - i);
        if (step)
            buf_bytes(&fixed, s + i, step);
        else
            buf_bytes(&fixed, "\xEF\xBF\xBD", 3);
        i += step ? step : 1;
    }
    char *copy = fixed.failed ? NULL : arena_text(r->memory, (char *)fixed.data, fixed.size);
    record->name = copy;
    record->name_length = copy ? fixed.size : 0;
    buf_free(&fixed);
    return copy != NULL;
}

static bool is_identifier(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++) {
        char c = name[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return length > 0;
}

/* Finds the string; false when there is none to continue with. `budget` bounds the bytes examined,
 * so that thousands of records pointing into one long string cost no more than the file's size. */
static bool find_name(wbin_reader *r, fe_record *record, size_t index, uint64_t offset,
                      uint64_t *budget) {
    uint64_t end = r->symbols.offset + r->symbols.size;
    if (offset < r->symbols.offset || offset >= end) {
        wbin_record_problem(r, DIAG_E_NAME, index, 0, "the name is not in the symbol section");
        if (r->symbols.size == 0 || offset >= r->size)
            return false;
        end = r->size;
    }
    const uint8_t *start = r->data + offset;
    uint64_t most = end - offset < *budget ? end - offset : *budget;
    const uint8_t *nul = memchr(start, 0, (size_t)most);
    if (!nul && most < end - offset) {
        wbin_record_error(r, DIAG_E_NAME, index, 0, "the names of the kernels overlap");
        return false;
    }
    if (!nul && end < r->size) {
        wbin_record_problem(r, DIAG_E_NAME, index, 0, "the name ends after the symbol section");
        most = r->size - offset < *budget ? r->size - offset : *budget;
        nul = memchr(start, 0, (size_t)most);
    }
    if (!nul) {
        wbin_record_error(r, DIAG_E_NAME, index, 0, "the name is not terminated");
        return false;
    }
    record->name = (const char *)start;
    record->name_length = (size_t)(nul - start);
    *budget -= record->name_length;
    return true;
}

static void read_name(wbin_reader *r, fe_record *record, size_t index, uint64_t *budget) {
    const uint8_t *at = r->data + r->metadata.offset + 4 + WBIN_RECORD * index;
    uint32_t offset = fe_u32(at);
    if (offset == 0 || !find_name(r, record, index, offset, budget))
        return;
    if (record->name_length == 0) {
        wbin_record_problem(r, DIAG_E_NAME, index, 0, "the name is empty");
        record->name = NULL;
        return;
    }
    if (!text_is_utf8(record->name, record->name_length)) {
        wbin_record_problem(r, DIAG_E_NAME, index, 0, "the name is not UTF-8");
        if (!repair_utf8(r, record))
            wbin_record_error(r, DIAG_E_MEMORY, index, 0, "out of memory");
    }
    if (record->name && !is_identifier(record->name, record->name_length)) {
        diag_place place = DIAG_NOWHERE;
        place.offset = (int64_t)offset;
        diag_report(r->diags, DIAG_W_NAME, &place, "kernel %zu: the name is not an identifier",
                    index);
    }
}

/* ---- Duplicates ---- */

typedef struct named {
    const char *name;
    size_t length, index;
} named;

static int compare_names(const void *left, const void *right) {
    const named *a = left, *b = right;
    int order = memcmp(a->name, b->name, a->length < b->length ? a->length : b->length);
    if (order == 0 && a->length == b->length)
        return a->index < b->index ? -1 : 1;
    return order ? order : a->length < b->length ? -1 : 1;
}

/* Sorts the names, because an attacker could force the worst case of a hash table. */
static void find_duplicates(wbin_reader *r) {
    const fe_record *records = r->out->records;
    size_t count = 0;
    named *list = malloc(r->out->record_count * sizeof *list);
    if (!list) {
        wbin_error(r, DIAG_E_MEMORY, r->metadata.offset, "out of memory");
        return;
    }
    for (size_t i = 0; i < r->out->record_count; i++)
        if (records[i].name)
            list[count++] = (named){records[i].name, records[i].name_length, i};
    if (count > 1)
        qsort(list, count, sizeof *list, compare_names);
    for (size_t i = 1; i < count; i++)
        if (list[i].length == list[i - 1].length &&
            memcmp(list[i].name, list[i - 1].name, list[i].length) == 0)
            wbin_record_problem(r, DIAG_E_DUPLICATE_NAME, list[i].index, 0,
                                "another kernel has the same name");
    free(list);
}

void wbin_read_names(wbin_reader *r) {
    uint64_t budget = 4 * (uint64_t)r->size;
    for (size_t i = 0; i < r->out->record_count; i++)
        read_name(r, &r->out->records[i], i, &budget);
    if (r->out->record_count > 1)
        find_duplicates(r);
}
