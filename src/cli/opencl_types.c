/* Types of kernels' arguments, from the metadata of LLVM IR (opencl_details.h). */
#include "cli/llvm_text.h"
#include "cli/opencl_details.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct finder {
    llvm_span *values; /* by number: what follows "!9 = " */
    uint32_t count;
    opencl_details *details;
} finder;

/* "!9 = …" */
static void read_value(finder *x, llvm_span line) {
    llvm_span value;
    uint32_t k = llvm_number((llvm_span){line.at + 1, line.end});
    if (k < x->count && llvm_find(line, " = ", &value))
        x->values[k] = value;
}

static bool read_values(finder *x, llvm_span rest) {
    llvm_span line, again = rest;
    while (llvm_next_line(&again, &line))
        x->count += llvm_starts(line, "!");
    x->values = calloc((size_t)x->count + 1, sizeof *x->values);
    if (!x->values)
        return false;
    while (llvm_next_line(&rest, &line))
        if (llvm_starts(line, "!"))
            read_value(x, line);
    return true;
}

/* The name that follows the @, possibly in quotes. */
static char *name_of(llvm_span s) {
    if (llvm_starts(s, "\"")) {
        s.at++;
        return llvm_unescaped(llvm_quoted(s));
    }
    const char *stop = memchr(s.at, '(', (size_t)(s.end - s.at));
    return llvm_unescaped((llvm_span){s.at, stop ? stop : s.at});
}

/* !{!"uint*", !"int"} as "uint*,int,". A comma inside a type would end it. */
static void put_types(FILE *out, llvm_span list) {
    while (llvm_find(list, "!\"", &list)) {
        llvm_span type = llvm_quoted(list);
        for (const char *at = type.at; at < type.end; at++)
            fputc(*at == ',' ? ' ' : *at, out);
        fputc(',', out);
        list.at = type.end + (type.end < list.end);
    }
}

static bool add_kernel(finder *x, llvm_span name, llvm_span types) {
    opencl_details *d = x->details;
    char **more = realloc(d->types, (d->type_count + 1) * sizeof *more);
    if (!more)
        return false;
    d->types = more;
    char *text = NULL, *kernel = name_of(name);
    size_t size;
    FILE *out = kernel ? open_memstream(&text, &size) : NULL;
    if (out) {
        fprintf(out, "kernel_arg_base_type.%s.", kernel);
        put_types(out, types);
    }
    bool ok = out && !ferror(out);
    ok = out && fclose(out) == 0 && ok;
    free(kernel);
    if (ok)
        d->types[d->type_count++] = text;
    else
        free(text);
    return ok;
}

/* A definition of a kernel that has arguments. */
static bool read_kernel(finder *x, llvm_span line) {
    llvm_span name;
    uint32_t types = llvm_number_after(line, "!kernel_arg_base_type !");
    if (types >= x->count || !x->values[types].at || !llvm_find(line, " spir_kernel ", &name) ||
        !llvm_find(name, " @", &name))
        return true;
    return llvm_starts(x->values[types], "!{}") || add_kernel(x, name, x->values[types]);
}

bool opencl_find_types(const char *text, size_t size, opencl_details *details) {
    llvm_span rest = {text, text + size}, line;
    finder x = {.details = details};
    bool ok = read_values(&x, rest);
    while (ok && llvm_next_line(&rest, &line))
        if (llvm_starts(line, "define "))
            ok = read_kernel(&x, line);
    free(x.values);
    return ok;
}
