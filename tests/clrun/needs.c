/* See needs.h. */
#include "clrun/needs.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Identifiers with this prefix need one of the features or extensions. A row without features ends
 * the search: it is an exception to the rows that follow. */
static const struct {
    const char *start;
    const char *names[2];
} table[] = {
    {"double", {"__opencl_c_fp64", "cl_khr_fp64"}},
    {"convert_double", {"__opencl_c_fp64", "cl_khr_fp64"}},
    {"as_double", {"__opencl_c_fp64", "cl_khr_fp64"}},
    {"half_", {""}}, /* half_sin and others work on float */
    {"half", {"cl_khr_fp16"}},
    {"convert_half", {"cl_khr_fp16"}},
    {"as_half", {"cl_khr_fp16"}},
    {"bit_reverse", {"cl_khr_extended_bit_ops"}},
    {"bitfield_", {"cl_khr_extended_bit_ops"}},
    {"atom_", {"cl_khr_int64_base_atomics"}},
    {"atomic_long", {"cl_khr_int64_base_atomics"}},
    {"atomic_ulong", {"cl_khr_int64_base_atomics"}},
    {"sub_group_shuffle_up", {"cl_khr_subgroup_shuffle_relative"}},
    {"sub_group_shuffle_down", {"cl_khr_subgroup_shuffle_relative"}},
    {"sub_group_shuffle", {"cl_khr_subgroup_shuffle"}},
    {"sub_group_rotate", {"cl_khr_subgroup_rotate"}},
    {"sub_group_clustered_rotate", {"cl_khr_subgroup_rotate"}},
    {"sub_group_ballot", {"cl_khr_subgroup_ballot"}},
    {"sub_group_elect", {"cl_khr_subgroup_non_uniform_vote"}},
    {"sub_group_", {"__opencl_c_subgroups", "cl_khr_subgroups"}},
    {"get_sub_group", {"__opencl_c_subgroups", "cl_khr_subgroups"}},
    {"work_group_barrier", {""}}, /* built in from OpenCL 2.0 on */
    {"work_group_", {"__opencl_c_work_group_collective_functions", "opencl_2.0"}},
    {"memory_order_seq_cst", {"__opencl_c_atomic_order_seq_cst", "opencl_2.0"}},
    {"memory_order_ac", {"__opencl_c_atomic_order_acq_rel", "opencl_2.0"}},
    {"memory_order_release", {"__opencl_c_atomic_order_acq_rel", "opencl_2.0"}},
    {"atomic_fetch", {"__opencl_c_atomic_order_seq_cst", "opencl_2.0"}},
    {"generic", {"__opencl_c_generic_address_space", "opencl_2.0"}},
    {"get_enqueued_local_size", {"__opencl_c_device_enqueue", "opencl_2.0"}},
};

static bool has_word(const char *has, const char *name) {
    char wanted[80];
    snprintf(wanted, sizeof wanted, " %s ", name);
    return strstr(has, wanted) != NULL;
}

static const char *missing_for(const char *word, size_t length, const char *has) {
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        size_t n = strlen(table[k].start);
        if (length < n || memcmp(word, table[k].start, n) != 0)
            continue;
        const char *first = table[k].names[0], *second = table[k].names[1];
        bool fine = !*first || has_word(has, first) || (second && has_word(has, second));
        return fine ? NULL : first;
    }
    return NULL;
}

const char *needs_missing(const char *source, size_t size, const char *has) {
    for (size_t at = 0; at < size;) {
        if (at + 1 < size && source[at] == '/' && source[at + 1] == '/') {
            while (at < size && source[at] != '\n')
                at++;
            continue;
        }
        size_t start = at;
        while (at < size && (isalnum((unsigned char)source[at]) || source[at] == '_'))
            at++;
        const char *missing = at > start ? missing_for(source + start, at - start, has) : NULL;
        if (missing)
            return missing;
        at += at == start;
    }
    return NULL;
}
