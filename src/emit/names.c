/* Entry symbols: a kernel's name, adapted to a target. A name keeps its spelling unless the target
 * rejects it. Keywords are listed here; names from vendors' headers are recognised by their shape
 * or listed in vendor_names.c. */
#include "emit/emit.h"

#include <stdlib.h>
#include <string.h>

/* Rows are sorted and have a fixed width. An array of pointers would have to be relocated at every
 * start of the program. */

/* PTX: instruction names and other words of its grammar. A7 is here because ptxas 13.0, which has a
 * symbol of that name, crashes on a kernel called A7. */
static const char ptx_words[][21] = {"A7",
                                     "WARP_SZ",
                                     "_",
                                     "abs",
                                     "activemask",
                                     "add",
                                     "addc",
                                     "alloca",
                                     "and",
                                     "applypriority",
                                     "atom",
                                     "bar",
                                     "barrier",
                                     "bfe",
                                     "bfi",
                                     "bfind",
                                     "bmsk",
                                     "bra",
                                     "brev",
                                     "brkpt",
                                     "brx",
                                     "call",
                                     "clusterlaunchcontrol",
                                     "clz",
                                     "cnot",
                                     "copysign",
                                     "cos",
                                     "cp",
                                     "createpolicy",
                                     "cvt",
                                     "cvta",
                                     "discard",
                                     "div",
                                     "dp2a",
                                     "dp4a",
                                     "elect",
                                     "ex2",
                                     "exit",
                                     "fence",
                                     "fma",
                                     "fns",
                                     "getctarank",
                                     "griddepcontrol",
                                     "isspacep",
                                     "istypep",
                                     "ld",
                                     "ldmatrix",
                                     "ldu",
                                     "lg2",
                                     "lop3",
                                     "mad",
                                     "mad24",
                                     "madc",
                                     "mapa",
                                     "match",
                                     "max",
                                     "mbarrier",
                                     "membar",
                                     "min",
                                     "mma",
                                     "mov",
                                     "movmatrix",
                                     "mul",
                                     "mul24",
                                     "multimem",
                                     "nanosleep",
                                     "neg",
                                     "not",
                                     "or",
                                     "pmevent",
                                     "popc",
                                     "prefetch",
                                     "prefetchu",
                                     "prmt",
                                     "rcp",
                                     "red",
                                     "redux",
                                     "rem",
                                     "ret",
                                     "rsqrt",
                                     "sad",
                                     "selp",
                                     "set",
                                     "setmaxnreg",
                                     "setp",
                                     "shf",
                                     "shfl",
                                     "shl",
                                     "shr",
                                     "sin",
                                     "slct",
                                     "sqrt",
                                     "st",
                                     "stackrestore",
                                     "stacksave",
                                     "stmatrix",
                                     "sub",
                                     "subc",
                                     "suld",
                                     "suq",
                                     "sured",
                                     "sust",
                                     "szext",
                                     "tanh",
                                     "tcgen05",
                                     "tensormap",
                                     "testp",
                                     "tex",
                                     "tld4",
                                     "trap",
                                     "txq",
                                     "vote",
                                     "wgmma",
                                     "wmma",
                                     "xor"};

/* The keywords of C++, for all other targets. */
static const char cpp_words[][17] = {
    "alignas",      "alignof",      "and",           "and_eq",
    "asm",          "auto",         "bitand",        "bitor",
    "bool",         "break",        "case",          "catch",
    "char",         "char16_t",     "char32_t",      "char8_t",
    "class",        "co_await",     "co_return",     "co_yield",
    "compl",        "concept",      "const",         "const_cast",
    "consteval",    "constexpr",    "constinit",     "continue",
    "decltype",     "default",      "delete",        "do",
    "double",       "dynamic_cast", "else",          "enum",
    "explicit",     "export",       "extern",        "false",
    "float",        "for",          "friend",        "goto",
    "if",           "inline",       "int",           "long",
    "main",         "mutable",      "namespace",     "new",
    "noexcept",     "not",          "not_eq",        "nullptr",
    "operator",     "or",           "or_eq",         "private",
    "protected",    "public",       "register",      "reinterpret_cast",
    "requires",     "return",       "short",         "signed",
    "sizeof",       "static",       "static_assert", "static_cast",
    "struct",       "switch",       "template",      "this",
    "thread_local", "throw",        "true",          "try",
    "typedef",      "typeid",       "typename",      "typeof",
    "union",        "unsigned",     "using",         "virtual",
    "void",         "volatile",     "wchar_t",       "while",
    "xor",          "xor_eq"};

static const char hip_words[][10] = {
    "abort",  "abs",      "assert", "blockDim", "blockIdx",  "dim3",    "exit",
    "free",   "gridDim",  "half",   "half2",    "malloc",    "max",     "memcpy",
    "memset", "min",      "printf", "std",      "threadIdx", "uint",    "uint16_t",
    "uint2",  "uint32_t", "uint4",  "uint64_t", "uint8_t",   "warpSize"};
static const char sycl_words[][9] = {"abort",  "abs",      "assert",   "exit",     "free",
                                     "group",  "half",     "malloc",   "max",      "memcpy",
                                     "memset", "min",      "printf",   "std",      "sycl",
                                     "uint",   "uint16_t", "uint32_t", "uint64_t", "uint8_t"};
static const char msl_words[][38] = {"INFINITY",
                                     "MAXFLOAT",
                                     "NAN",
                                     "abs",
                                     "array",
                                     "as_type",
                                     "assert",
                                     "atomic",
                                     "atomic_bool",
                                     "atomic_compare_exchange_weak_explicit",
                                     "atomic_exchange_explicit",
                                     "atomic_fetch_add_explicit",
                                     "atomic_fetch_and_explicit",
                                     "atomic_fetch_max_explicit",
                                     "atomic_fetch_min_explicit",
                                     "atomic_fetch_or_explicit",
                                     "atomic_fetch_sub_explicit",
                                     "atomic_fetch_xor_explicit",
                                     "atomic_float",
                                     "atomic_int",
                                     "atomic_load_explicit",
                                     "atomic_store_explicit",
                                     "atomic_thread_fence",
                                     "atomic_uint",
                                     "atomic_ulong",
                                     "bfloat",
                                     "bfloat2",
                                     "bfloat3",
                                     "bfloat4",
                                     "bool2",
                                     "bool3",
                                     "bool4",
                                     "ceil",
                                     "char2",
                                     "char3",
                                     "char4",
                                     "clz",
                                     "coherent",
                                     "constant",
                                     "device",
                                     "fabs",
                                     "fast",
                                     "float2",
                                     "float3",
                                     "float4",
                                     "floor",
                                     "fma",
                                     "fragment",
                                     "half",
                                     "half2",
                                     "half3",
                                     "half4",
                                     "int16_t",
                                     "int2",
                                     "int3",
                                     "int32_t",
                                     "int4",
                                     "int64_t",
                                     "int8_t",
                                     "intersection",
                                     "kernel",
                                     "long2",
                                     "long3",
                                     "long4",
                                     "matrix",
                                     "max",
                                     "mem_flags",
                                     "memory_order",
                                     "memory_order_relaxed",
                                     "memory_order_seq_cst",
                                     "mesh",
                                     "metal",
                                     "min",
                                     "mulhi",
                                     "object",
                                     "object_data",
                                     "packed",
                                     "popcount",
                                     "precise",
                                     "ptrdiff_t",
                                     "ray_data",
                                     "reverse_bits",
                                     "rint",
                                     "sampler",
                                     "select",
                                     "short2",
                                     "short3",
                                     "short4",
                                     "simd_all",
                                     "simd_and",
                                     "simd_any",
                                     "simd_ballot",
                                     "simd_broadcast",
                                     "simd_broadcast_first",
                                     "simd_max",
                                     "simd_min",
                                     "simd_or",
                                     "simd_prefix_exclusive_sum",
                                     "simd_shuffle",
                                     "simd_shuffle_down",
                                     "simd_shuffle_up",
                                     "simd_shuffle_xor",
                                     "simd_sum",
                                     "simd_vote",
                                     "simd_xor",
                                     "simdgroup_barrier",
                                     "size_t",
                                     "std",
                                     "stitchable",
                                     "texture",
                                     "thread",
                                     "thread_scope",
                                     "threadgroup",
                                     "threadgroup_barrier",
                                     "threadgroup_imageblock",
                                     "trunc",
                                     "uchar",
                                     "uchar2",
                                     "uchar3",
                                     "uchar4",
                                     "uint",
                                     "uint16_t",
                                     "uint2",
                                     "uint3",
                                     "uint32_t",
                                     "uint4",
                                     "uint64_t",
                                     "uint8_t",
                                     "ulong",
                                     "ulong2",
                                     "ulong3",
                                     "ulong4",
                                     "ushort",
                                     "ushort2",
                                     "ushort3",
                                     "ushort4",
                                     "vec",
                                     "vertex",
                                     "visible"};

typedef struct words {
    const char *rows;
    size_t width, count;
} words;

#define WORDS(rows)                                                                                \
    { rows[0], sizeof *rows, sizeof rows / sizeof *rows }
static const words cpp = WORDS(cpp_words);
static const words reserved[EMIT_TARGET_COUNT] = {
    [EMIT_PTX] = WORDS(ptx_words),
    [EMIT_HIP] = WORDS(hip_words),
    [EMIT_SYCL] = WORDS(sycl_words),
    [EMIT_MSL] = WORDS(msl_words),
};

static bool is_among(const words *w, const char *name) {
    size_t low = 0, high = w->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *row = w->rows + middle * w->width;
        int order = (unsigned char)*name - (unsigned char)*row; /* usually decides */
        if (order == 0)
            order = strcmp(name, row);
        if (order == 0)
            return true;
        *(order < 0 ? &high : &low) = order < 0 ? middle : middle + 1;
    }
    return false;
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

/* Names in capitals are macros and enumerators, POSIX reserves names that end with _t, and vendors
 * prefix theirs with their own word: hipMalloc, cl_mem, pthread_create. */
static bool has_reserved_shape(const char *name) {
    static const char prefixes[][8] = {"cl", "hip", "hsa", "pthread", "sycl", "ur"};
    size_t length = strlen(name), capitals = 0;
    while (is_upper(name[capitals]) || name[capitals] == '_' ||
           (name[capitals] >= '0' && name[capitals] <= '9'))
        capitals++;
    if (length > 1 && (capitals == length || strcmp(name + length - 2, "_t") == 0))
        return true;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        size_t n = 0;
        while (prefixes[k][n] && prefixes[k][n] == name[n])
            n++;
        if (!prefixes[k][n] && (is_upper(name[n]) || name[n] == '_'))
            return true;
    }
    return false;
}

bool emit_is_reserved(emit_target target, const char *name) {
    if (is_among(&reserved[target], name))
        return true;
    if (target != EMIT_PTX &&
        (is_among(&cpp, name) || has_reserved_shape(name) || emit_is_vendor_name(target, name)))
        return true;
    const emit_backend *backend = emit_backends[target];
    return backend && emit_reserves(backend, name);
}

/* ---- Spelling ---- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_plain(char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
}

/* Appends a _, or several if a header also declares the name with one. */
static void spell_reserved(buf *out, emit_target target) {
    do {
        buf_bytes(out, "_", 2); /* with its terminator */
        out->size -= !out->failed;
    } while (!out->failed && emit_is_vendor_name(target, (char *)out->data));
}

/* Bytes that no identifier may contain become x and two hexadecimal digits: "a.b" is k_ax2Eb. The
 * k_ avoids reserved words, leading digits, and the leading _ that C++ reserves for its headers and
 * ptxas for its own symbols. */
static void spell(buf *out, emit_target target, const char *name, size_t index) {
    bool plain = is_letter(name[0]) && name[0] != '_';
    for (const char *c = name; *c; c++)
        plain &= is_plain(*c);
    if (!*name) {
        buf_text(out, "wave_kernel");
        if (index) {
            buf_char(out, '_');
            buf_decimal(out, index);
        }
    } else if (plain) {
        buf_text(out, name);
        if (emit_is_reserved(target, name))
            spell_reserved(out, target);
    } else {
        buf_text(out, "k_");
        for (const char *c = name; *c; c++) {
            if (is_plain(*c)) {
                buf_char(out, *c);
            } else {
                buf_char(out, 'x');
                buf_hex(out, (uint8_t)*c, 2);
            }
        }
    }
}

/* ---- Uniqueness ---- */

typedef struct symbol_set {
    const char **table; /* size: a power of two, at least twice the number of entries */
    size_t mask;
} symbol_set;

/* The hash is FNV-1a (Fowler, Noll and Vo). */
static size_t find_slot(const symbol_set *set, const char *symbol) {
    uint64_t h = 14695981039346656037u;
    for (const char *c = symbol; *c; c++)
        h = (h ^ (uint8_t)*c) * 1099511628211u;
    size_t at = (size_t)(h ^ h >> 32) & set->mask;
    while (set->table[at] && strcmp(set->table[at], symbol) != 0)
        at = (at + 1) & set->mask;
    return at;
}

/* Definitions printed along with a kernel have its symbol and one of these suffixes as their name.
 * No other kernel may have such a name; ptxas crashes if one has. _part is followed by a number;
 * symbols that end that way are also in the set without the number. */
static const char suffixes[][9] = {"_args", "_state", "_body", "_kernel",  "_launch", "_local",
                                   "_mem",  "_size",  "_part", "_private", "_status"};

/* The length without the number of a part; the whole length if there is none. */
static size_t without_number(const char *symbol, size_t length) {
    static const char part[] = "_part";
    size_t n = length, end = sizeof part - 1;
    while (n > 0 && symbol[n - 1] >= '0' && symbol[n - 1] <= '9')
        n--;
    return n < length && n > end && memcmp(symbol + n - end, part, end) == 0 ? n : length;
}

static bool has(const symbol_set *set, buf *text, size_t length) {
    char cut = (char)text->data[length];
    text->data[length] = '\0';
    bool found = set->table[find_slot(set, (char *)text->data)] != NULL;
    text->data[length] = (uint8_t)cut;
    return found;
}

static bool is_taken(const symbol_set *set, buf *text) {
    size_t length = text->size;
    bool taken = false;
    for (size_t k = 0; k <= sizeof suffixes / sizeof *suffixes && !taken; k++) {
        const char *suffix = k ? suffixes[k - 1] : "";
        size_t n = strlen(suffix);
        buf_bytes(text, suffix, n + 1);
        taken = !text->failed && set->table[find_slot(set, (char *)text->data)];
        text->size = length;
    }
    size_t stem = text->failed ? 0 : without_number((char *)text->data, length);
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes && !taken; k++) {
        size_t n = strlen(suffixes[k]); /* the converse: strip a suffix */
        if (stem > n && memcmp(text->data + stem - n, suffixes[k], n) == 0)
            taken = has(set, text, stem - n);
    }
    return taken;
}

/* An unused symbol: a number is appended if another kernel already has it. */
static const char *claim(symbol_set *set, buf *text, size_t index, arena *memory) {
    size_t length = text->size;
    for (size_t number = index; !text->failed && is_taken(set, text); number++) {
        text->size = length;
        buf_char(text, '_');
        buf_decimal(text, number);
    }
    if (text->failed)
        return NULL;
    const char *symbol = arena_text(memory, (char *)text->data, text->size);
    size_t stem = without_number((char *)text->data, text->size);
    const char *part = stem < text->size ? arena_text(memory, (char *)text->data, stem) : symbol;
    if (!symbol || !part)
        return NULL;
    set->table[find_slot(set, symbol)] = symbol;
    set->table[find_slot(set, part)] = part;
    return symbol;
}

/* Names that need no change are claimed first, so that they keep their spelling whatever the others
 * become. */
bool emit_symbols(emit_target target, const char *const *names, size_t count, arena *memory,
                  const char **symbols) {
    size_t room = 16;
    while (room < count * 4)
        room *= 2;
    symbol_set set = {.table = calloc(room, sizeof *set.table), .mask = room - 1};
    buf text = {0};
    bool ok = set.table != NULL;
    memset(symbols, 0, count * sizeof *symbols);
    for (unsigned changed = 0; changed < 2; changed++) {
        for (size_t k = 0; k < count && ok; k++) {
            if (symbols[k])
                continue;
            text.size = 0;
            spell(&text, target, names[k], k);
            bool same = text.size == strlen(names[k]) && !text.failed &&
                        memcmp(text.data, names[k], text.size) == 0;
            if (changed || same)
                symbols[k] = claim(&set, &text, k, memory);
            ok = !text.failed && (symbols[k] || !(changed || same));
        }
    }
    free(set.table);
    buf_free(&text);
    return ok;
}
