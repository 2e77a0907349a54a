/* The text around a kernel's code: the body's parameters and first lines, the free-function kernel
 * for run-time compilation, and the host's launcher.
 *
 *   static inline void vadd_body(uint8_t *mem, const vadd_args &args, const nd_item<3> &item) { … }
 *   extern "C" … void vadd_kernel(uint8_t *mem, vadd_args args) { vadd_body(…); }
 *   sycl::event vadd(sycl::queue &queue, uint8_t *mem, vadd_args args, range<3> grid, …) { … }
 *
 * The entries take every parameter of the launch contract, the body only those that it uses. */
#include "emit_sycl/sycl.h"

#define EXPERIMENTAL "sycl::ext::oneapi::experimental::"
#define SR(id)       C_SPECIAL_NAME(id)

/* On some devices sub-groups end with the rows of a work-group. So a workgroup with waves is
 * launched as one row; its shape then comes from the file or from two more parameters. */
static bool is_row(const c_printer *p) {
    return p->o->uses & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER);
}

/* Whether the shape of the workgroup is a parameter: it is launched as a row, and the file does not
 * fix its size. */
static bool has_shape(const c_printer *p) {
    return is_row(p) && !p->f->workgroup[0];
}

/* ---- Values ---- */

/* SYCL numbers x, y and z as 2, 1 and 0. */
#define AXES(id, when, query)                                                                      \
    {SR(id##_X), when, C_BIT(SYCL_ITEM), "(uint32_t)item." query "(2)"},                           \
        {SR(id##_Y), when, C_BIT(SYCL_ITEM), "(uint32_t)item." query "(1)"}, {                     \
        SR(id##_Z), when, C_BIT(SYCL_ITEM), "(uint32_t)item." query "(0)"                          \
    }
#define SHAPE C_BIT(SR(WORKGROUP_SIZE_X)) | C_BIT(SR(WORKGROUP_SIZE_Y))

/* With waves, from the sub-group: SYCL does not specify which threads its lanes are. The position
 * follows from the number of the thread. Without waves, a wave is only a number. */
const c_value sycl_values[] = {
    {SYCL_WAVE, C_IF_WAVES, C_BIT(SYCL_ITEM), "item.get_sub_group()"},
    {SYCL_THREAD, C_IF_NO_WAVES, C_BIT(SYCL_ITEM), "(uint32_t)item.get_local_linear_id()"},
    {SR(LANE_ID), C_IF_WAVES, C_BIT(SYCL_WAVE), "wave.get_local_linear_id()"},
    {SR(LANE_ID), 0, C_BIT(SYCL_THREAD), "thread % @width"},
    {SR(WAVE_ID), C_IF_WAVES, C_BIT(SYCL_WAVE), "wave.get_group_linear_id()"},
    {SR(WAVE_ID), 0, C_BIT(SYCL_THREAD), "thread / @width"},
    {SYCL_THREAD, 0, C_BIT(SYCL_WAVE),
     "wave.get_group_linear_id() * @width + wave.get_local_linear_id()"},
    AXES(WORKGROUP_SIZE, C_IF_NO_WAVES, "get_local_range"),
    {SR(WORKGROUP_SIZE_Z), 0, C_BIT(SYCL_ITEM) | SHAPE,
     "(uint32_t)item.get_local_range(2) / (size_x * size_y)"},
    AXES(THREAD_ID, C_IF_NO_WAVES, "get_local_id"),
    {SR(THREAD_ID_X), C_IF_LINE, C_BIT(SYCL_THREAD), "thread"},
    {SR(THREAD_ID_X), C_IF_FIXED, C_BIT(SYCL_THREAD), "thread % @x"},
    {SR(THREAD_ID_X), 0, C_BIT(SYCL_THREAD) | C_BIT(SR(WORKGROUP_SIZE_X)), "thread % size_x"},
    {SR(THREAD_ID_Y), C_IF_PLANE, C_BIT(SYCL_THREAD), "thread / @x"},
    {SR(THREAD_ID_Y), C_IF_FIXED, C_BIT(SYCL_THREAD), "thread / @x % @y"},
    {SR(THREAD_ID_Y), 0, C_BIT(SYCL_THREAD) | SHAPE, "thread / size_x % size_y"},
    {SR(THREAD_ID_Z), C_IF_FIXED, C_BIT(SYCL_THREAD), "thread / @xy"},
    {SR(THREAD_ID_Z), 0, C_BIT(SYCL_THREAD) | SHAPE, "thread / (size_x * size_y)"},
    {SR(NUM_WAVES), 0, C_BIT(SYCL_ITEM),
     "((uint32_t)item.get_local_range().size() + @last) / @width"},
    AXES(WORKGROUP_ID, 0, "get_group"),
    AXES(GRID_SIZE, 0, "get_group_range"),
    {SYCL_SIGN, 0, 0, "wave_sign()"},
    {0}};

/* ---- Parameters ---- */

typedef enum list {
    BODY_PARAMETERS, /* with types, only used ones */
    KERNEL_PARAMETERS,
    LAUNCHER_PARAMETERS,
    LAUNCH_MEMBERS,
    KERNEL_CALL,
    LAUNCH_CALL,
    LAUNCH_VALUES, /* of the members */
    LISTS
} list;

/* A parameter with the same type everywhere, and one whose type in the body differs. */
#define PARAMETER(type) OTHER(type, type)
#define OTHER(body, type)                                                                          \
    { body "@name", type "@name", type "@name", type "@name", "@name", "@name", "@name" }
#define SIZE(value)                                                                                \
    { "uint32_t @name", "uint32_t @name", NULL, "uint32_t @name", "@name", "@name", value }
#define ACCESSOR "sycl::local_accessor<uint8_t, 1>"

/* In the order of the lists; a list lacks a parameter without a text. */
static const struct {
    unsigned name;
    const char *of[LISTS];
} parameters[] = {
    {C_MEM, PARAMETER("uint8_t *")},
    {C_ARGS, OTHER("const @symbol_args &", "@symbol_args ")},
    {C_LOCAL,
     {"uint8_t *@name", EXPERIMENTAL "work_group_memory<uint8_t[@bytes]> @name", NULL,
      ACCESSOR " @name", "(uint8_t *)&@name", "&@name[0]",
      ACCESSOR "(sycl::range<1>(@bytes), handler)"}},
    {C_SIZE, PARAMETER("uint64_t ")},
    {C_STATUS, PARAMETER("uint32_t *")},
    {SR(WORKGROUP_SIZE_X), SIZE("(uint32_t)group[0]")},
    {SR(WORKGROUP_SIZE_Y), SIZE("(uint32_t)group[1]")},
    {SYCL_ITEM,
     {[BODY_PARAMETERS] = "const sycl::nd_item<3> &@name",
      [KERNEL_CALL] = "sycl::ext::oneapi::this_work_item::get_nd_item<3>()",
      [LAUNCH_CALL] = "@name"}},
};

/* Whether the launch contract has the parameter. */
static bool is_passed(const c_printer *p, unsigned name) {
    switch (name) {
    case C_LOCAL: return p->f->local_memory != 0;
    case SYCL_ITEM: return true;
    case SR(WORKGROUP_SIZE_X):
    case SR(WORKGROUP_SIZE_Y): return has_shape(p);
    default: return c_is_passed(p, name);
    }
}

static void put_list(const c_printer *p, list kind, buf *out) {
    bool whole = kind == KERNEL_PARAMETERS || kind == LAUNCHER_PARAMETERS; /* the contract */
    bool members = kind == LAUNCH_MEMBERS;
    const char *separator = kind == LAUNCHER_PARAMETERS ? ", " : "";
    for (unsigned k = 0; k < sizeof parameters / sizeof *parameters; k++) {
        unsigned name = parameters[k].name;
        const char *text = parameters[k].of[kind];
        if (!text || !is_passed(p, name) || (!whole && !c_refers_to(p, (c_name)name)))
            continue;
        buf_text(out, members ? "    " : separator);
        c_put_parameter(p, name, text, out);
        buf_text(out, members ? ";\n" : "");
        separator = ", ";
    }
}

/* ---- The entries ---- */

void sycl_contract(c_printer *p, buf *out) {
    if (has_shape(p))
        buf_text(out, "//   size_x, size_y: of the workgroup, which is launched as one row\n");
    if (is_row(p))
        buf_text(out, "//   launch: global range {grid.z, grid.y, grid.x * threads}, local range "
                      "{1, 1, threads}\n");
    else
        buf_text(out,
                 "//   launch: local range {z, y, x} of the workgroup, global range that times "
                 "the grid\n");
}

static const char signature[] = "static inline void @symbol_body(@body) {\n";

/* The free-function kernel, then the function object that icpx turns into a kernel, and the
 * launcher. */
static const char entries[] =
    "\nextern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((" EXPERIMENTAL "nd_range_kernel<3>))\n"
    "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((" EXPERIMENTAL "sub_group_size<@lanes>))\n"
    "void @symbol_kernel(@kernel) {\n"
    "    @symbol_body(@kernelcall);\n"
    "}\n"
    "\n#ifndef WAVE_SYCL_RTC\n"
    "struct @symbol_launch {\n"
    "@members"
    "    void operator()(sycl::nd_item<3>@item) const {\n"
    "        @symbol_body(@launchcall);\n"
    "    }\n"
    "    auto get(" EXPERIMENTAL "properties_tag) const {\n"
    "        return " EXPERIMENTAL "properties{" EXPERIMENTAL "sub_group_size<@lanes>};\n"
    "    }\n"
    "};\n"
    "\n// Numbers of workgroups and of threads in each, as {x, y, z}.\n"
    "sycl::event @symbol(sycl::queue &queue@launcher, sycl::range<3> grid,\n"
    "    sycl::range<3>@group) {\n"
    "    const sycl::range<3> local_range(@range);\n"
    "    const sycl::range<3> groups(grid[2], grid[1], grid[0]);\n"
    "    return queue.submit([&](sycl::handler &handler) {\n"
    "        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),\n"
    "                             @symbol_launch{@values});\n"
    "    });\n"
    "}\n"
    "#endif\n";

/* The local range: {z, y, x}, or one row. */
static void put_range(const c_printer *p, buf *out) {
    const uint32_t *g = p->f->workgroup;
    if (g[0] && is_row(p))
        buf_printf(out, "1, 1, %u", emit_group_threads(p->f));
    else if (g[0])
        buf_printf(out, "%u, %u, %u", g[2], g[1], g[0]);
    else
        buf_text(out, is_row(p) ? "1, 1, group.size()" : "group[2], group[1], group[0]");
}

static void put_text(const c_printer *p, const char *text, buf *out) {
    static const char *const lists[LISTS] = {"body",       "kernel",     "launcher", "members",
                                             "kernelcall", "launchcall", "values"};
    for (size_t length; (length = c_put_to_word(&text, out)) != 0; text += length) {
        for (unsigned k = 0; k < LISTS; k++)
            if (c_is_word(text, length, lists[k]))
                put_list(p, (list)k, out);
        if (c_is_word(text, length, "symbol"))
            buf_text(out, p->o->symbol);
        else if (c_is_word(text, length, "lanes"))
            buf_decimal(out, p->f->wave_width);
        else if (c_is_word(text, length, "item"))
            buf_text(out, c_refers_to(p, (c_name)SYCL_ITEM) ? " item" : "");
        else if (c_is_word(text, length, "group"))
            buf_text(out, p->f->workgroup[0] ? "" : " group");
        else if (c_is_word(text, length, "range"))
            put_range(p, out);
    }
}

void sycl_signature(c_printer *p, buf *out) {
    put_text(p, signature, out);
}

void sycl_tail(c_printer *p, buf *out) {
    put_text(p, entries, out);
}
