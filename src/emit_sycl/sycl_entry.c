/* The text around a kernel's code: the body's parameters and first lines, the free-function kernel
 * for run-time compilation, and the host's launcher.
 *
 *   static inline void vadd_body(uint8_t *mem, const vadd_args &args, const nd_item<3> &item) { … }
 *   extern "C" … void vadd_kernel(uint8_t *mem, vadd_args args) { vadd_body(…); }
 *   sycl::event vadd(sycl::queue &queue, uint8_t *mem, vadd_args args, range<3> grid, …) { … }
 *
 * The entries take every parameter of the launch contract, the body only those that it uses. */
#include "emit_sycl/sycl.h"

#include <stdio.h>

#define EXPERIMENTAL "sycl::ext::oneapi::experimental::"

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

/* ---- Names ---- */

#define SR(id) C_SPECIAL_NAME(id)

/* The names that the first lines need to compute those that the code refers to. */
static uint64_t needed(const c_printer *p, uint64_t names) {
    const uint64_t x = C_BIT(SR(THREAD_ID_X)), y = C_BIT(SR(THREAD_ID_Y)),
                   z = C_BIT(SR(THREAD_ID_Z)), lane = C_BIT(SR(LANE_ID)), wave = C_BIT(SR(WAVE_ID));
    const uint64_t size_x = C_BIT(SR(WORKGROUP_SIZE_X)), size_y = C_BIT(SR(WORKGROUP_SIZE_Y));
    bool row = is_row(p);
    if (names & (row ? x | y | z : lane | wave))
        names |= C_BIT(SYCL_THREAD);
    if (has_shape(p) && (names & (x | y | z | C_BIT(SR(WORKGROUP_SIZE_Z)))))
        names |= size_x;
    if (has_shape(p) && (names & (y | z | C_BIT(SR(WORKGROUP_SIZE_Z)))))
        names |= size_y;
    if (row && (names & (C_BIT(SYCL_THREAD) | lane | wave)))
        names |= C_BIT(SYCL_WAVE);
    uint64_t passed = C_BIT(C_MEM) | C_BIT(C_ARGS) | C_BIT(C_LOCAL) | C_BIT(C_SIZE) |
                      C_BIT(C_STATUS) | (has_shape(p) ? size_x | size_y : 0);
    if (names & ~(passed | C_BIT(SYCL_SIGN) | C_BIT(C_PRIVATE)))
        names |= C_BIT(SYCL_ITEM);
    return names;
}

static bool uses(const c_printer *p, unsigned name) {
    return needed(p, p->part->names) >> name & 1;
}

/* ---- Parameters ---- */

typedef enum list_kind {
    BODY_PARAMETERS, /* with types, only used ones */
    KERNEL_PARAMETERS,
    KERNEL_CALL,
    LAUNCHER_PARAMETERS,
    LAUNCH_MEMBERS,
    LAUNCH_VALUES, /* of the members */
    LAUNCH_CALL
} list_kind;

enum { MOST = 96 };

/* `room` is space for a type that contains a number. */
static const char *type_of(const c_printer *p, unsigned name, list_kind kind, char room[MOST]) {
    if (name == C_ARGS && kind != BODY_PARAMETERS)
        return "%_args ";
    if (name == C_LOCAL && kind == LAUNCH_MEMBERS)
        return "sycl::local_accessor<uint8_t, 1> ";
    if (name != C_LOCAL || kind != KERNEL_PARAMETERS)
        return p->t->names[name].type;
    (void)snprintf(room, MOST, EXPERIMENTAL "work_group_memory<uint8_t[%u]> ", p->f->local_memory);
    return room;
}

/* The value of a parameter in a call to the body, or of a member. */
static void put_value(const c_printer *p, unsigned name, list_kind kind, buf *out) {
    if (name == C_LOCAL && kind == KERNEL_CALL)
        buf_text(out, "(uint8_t *)&local");
    else if (name == C_LOCAL && kind == LAUNCH_CALL)
        buf_text(out, "&local[0]");
    else if (name == C_LOCAL)
        buf_printf(out, "sycl::local_accessor<uint8_t, 1>(sycl::range<1>(%u), handler)",
                   p->f->local_memory);
    else if (name == SR(WORKGROUP_SIZE_X) && kind == LAUNCH_VALUES)
        buf_text(out, "(uint32_t)group[0]");
    else if (name == SR(WORKGROUP_SIZE_Y) && kind == LAUNCH_VALUES)
        buf_text(out, "(uint32_t)group[1]");
    else if (name == SYCL_ITEM && kind == KERNEL_CALL)
        buf_text(out, "sycl::ext::oneapi::this_work_item::get_nd_item<3>()");
    else
        buf_text(out, p->t->names[name].name);
}

/* Whether the launch contract has this parameter. */
static bool is_passed(const c_printer *p, unsigned name, list_kind kind) {
    switch (name) {
    case C_MEM:
    case C_ARGS:
    case C_SIZE:
    case C_STATUS: return c_is_passed(p, name);
    case C_LOCAL: return p->f->local_memory != 0 && kind != LAUNCHER_PARAMETERS;
    case SYCL_ITEM: return kind == BODY_PARAMETERS || kind == KERNEL_CALL || kind == LAUNCH_CALL;
    default: return has_shape(p) && kind != LAUNCHER_PARAMETERS;
    }
}

static void put_list(const c_printer *p, list_kind kind, buf *out) {
    static const unsigned order[] = {
        C_MEM,     C_ARGS, C_LOCAL, C_SIZE, C_STATUS, SR(WORKGROUP_SIZE_X), SR(WORKGROUP_SIZE_Y),
        SYCL_ITEM,
    };
    bool whole = kind == KERNEL_PARAMETERS || kind == LAUNCHER_PARAMETERS; /* the contract */
    bool types = whole || kind == BODY_PARAMETERS || kind == LAUNCH_MEMBERS;
    const char *separator = kind == LAUNCHER_PARAMETERS ? ", " : "";
    char room[MOST];
    for (unsigned k = 0; k < sizeof order / sizeof *order; k++) {
        unsigned name = order[k];
        if (!is_passed(p, name, kind) || (!whole && !uses(p, name)))
            continue;
        buf_text(out, kind == LAUNCH_MEMBERS ? "    " : separator);
        if (types)
            c_parameter(p, type_of(p, name, kind, room),
                        uses(p, name) ? p->t->names[name].name : NULL, out);
        else
            put_value(p, name, kind, out);
        buf_text(out, kind == LAUNCH_MEMBERS ? ";\n" : "");
        separator = ", ";
    }
}

/* ---- The body ---- */

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

void sycl_signature(c_printer *p, buf *out) {
    buf_printf(out, "static inline void %s_body(", p->o->symbol);
    put_list(p, BODY_PARAMETERS, out);
    buf_text(out, ") {\n");
}

static void put_constant(const c_printer *p, unsigned name, const char *value, buf *out) {
    if (uses(p, name))
        buf_printf(out, "    const uint32_t %s = %s;\n", p->t->names[name].name, value);
}

/* The thread's position in the workgroup, from its number. */
static void put_position(const c_printer *p, buf *out) {
    const uint32_t *g = p->f->workgroup;
    if (has_shape(p)) {
        put_constant(p, SR(THREAD_ID_X), "thread % size_x", out);
        put_constant(p, SR(THREAD_ID_Y), "thread / size_x % size_y", out);
        put_constant(p, SR(THREAD_ID_Z), "thread / (size_x * size_y)", out);
        return;
    }
    if (uses(p, SR(THREAD_ID_X)))
        buf_printf(out,
                   g[1] == 1 && g[2] == 1 ? "    const uint32_t thread_x = thread;\n"
                                          : "    const uint32_t thread_x = thread %% %uu;\n",
                   g[0]);
    if (uses(p, SR(THREAD_ID_Y)))
        buf_printf(out,
                   g[2] == 1 ? "    const uint32_t thread_y = thread / %uu;\n"
                             : "    const uint32_t thread_y = thread / %uu %% %uu;\n",
                   g[0], g[1]);
    if (uses(p, SR(THREAD_ID_Z)))
        buf_printf(out, "    const uint32_t thread_z = thread / %uu;\n", g[0] * g[1]);
}

/* From the sub-group: SYCL does not specify which threads its lanes are. */
static void put_row(const c_printer *p, buf *out) {
    if (uses(p, SYCL_WAVE))
        buf_text(out, "    const sycl::sub_group wave = item.get_sub_group();\n");
    put_constant(p, SR(LANE_ID), "wave.get_local_linear_id()", out);
    put_constant(p, SR(WAVE_ID), "wave.get_group_linear_id()", out);
    if (uses(p, SYCL_THREAD))
        buf_printf(out,
                   "    const uint32_t thread = wave.get_group_linear_id() * %uu + "
                   "wave.get_local_linear_id();\n",
                   p->f->wave_width);
    put_constant(p, SR(WORKGROUP_SIZE_Z), "(uint32_t)item.get_local_range(2) / (size_x * size_y)",
                 out);
    put_position(p, out);
}

/* The x, y and z of a query, which SYCL numbers 2, 1 and 0. */
static void put_axes(const c_printer *p, unsigned x, const char *query, buf *out) {
    for (unsigned k = 0; k < 3; k++)
        if (uses(p, x + k))
            buf_printf(out, "    const uint32_t %s = (uint32_t)item.%s(%u);\n",
                       p->t->names[x + k].name, query, 2 - k);
}

/* Without wave operations, a wave is only a number. */
static void put_plain(const c_printer *p, buf *out) {
    put_constant(p, SYCL_THREAD, "(uint32_t)item.get_local_linear_id()", out);
    if (uses(p, SR(LANE_ID)))
        buf_printf(out, "    const uint32_t lane = thread %% %uu;\n", p->f->wave_width);
    if (uses(p, SR(WAVE_ID)))
        buf_printf(out, "    const uint32_t wave_id = thread / %uu;\n", p->f->wave_width);
    put_axes(p, SR(WORKGROUP_SIZE_X), "get_local_range", out);
    put_axes(p, SR(THREAD_ID_X), "get_local_id", out);
}

void sycl_prologue(c_printer *p, buf *out) {
    if (is_row(p))
        put_row(p, out);
    else
        put_plain(p, out);
    if (uses(p, SR(NUM_WAVES)))
        buf_printf(out,
                   "    const uint32_t wave_count = ((uint32_t)item.get_local_range().size() + "
                   "%uu) / %uu;\n",
                   p->f->wave_width - 1, p->f->wave_width);
    put_axes(p, SR(WORKGROUP_ID_X), "get_group", out);
    put_axes(p, SR(GRID_SIZE_X), "get_group_range", out);
    put_constant(p, SYCL_SIGN, "wave_sign()", out);
}

/* ---- The entries ---- */

static void put_kernel(const c_printer *p, buf *out) {
    buf_printf(out,
               "\nextern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((" EXPERIMENTAL
               "nd_range_kernel<3>))\n"
               "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((" EXPERIMENTAL "sub_group_size<%u>))\n"
               "void %s_kernel(",
               p->f->wave_width, p->o->symbol);
    put_list(p, KERNEL_PARAMETERS, out);
    buf_printf(out, ") {\n    %s_body(", p->o->symbol);
    put_list(p, KERNEL_CALL, out);
    buf_text(out, ");\n}\n");
}

/* The function object that icpx turns into a kernel. */
static void put_object(const c_printer *p, buf *out) {
    buf_printf(out, "\n#ifndef WAVE_SYCL_RTC\nstruct %s_launch {\n", p->o->symbol);
    put_list(p, LAUNCH_MEMBERS, out);
    buf_printf(out, "    void operator()(sycl::nd_item<3>%s) const {\n        %s_body(",
               uses(p, SYCL_ITEM) ? " item" : "", p->o->symbol);
    put_list(p, LAUNCH_CALL, out);
    buf_printf(out,
               ");\n    }\n    auto get(" EXPERIMENTAL "properties_tag) const {\n"
               "        return " EXPERIMENTAL "properties{" EXPERIMENTAL "sub_group_size<%u>};\n"
               "    }\n};\n",
               p->f->wave_width);
}

/* The local range: {z, y, x}, or one row. */
static void put_local_range(const c_printer *p, buf *out) {
    const uint32_t *g = p->f->workgroup;
    bool row = is_row(p);
    if (g[0] && row)
        buf_printf(out, "1, 1, %u", emit_group_threads(p->f));
    else if (g[0])
        buf_printf(out, "%u, %u, %u", g[2], g[1], g[0]);
    else
        buf_text(out, row ? "1, 1, group.size()" : "group[2], group[1], group[0]");
}

static void put_launcher(const c_printer *p, buf *out) {
    buf_printf(out,
               "\n// Numbers of workgroups and of threads in each, as {x, y, z}.\n"
               "sycl::event %s(sycl::queue &queue",
               p->o->symbol);
    put_list(p, LAUNCHER_PARAMETERS, out);
    buf_printf(out, ", sycl::range<3> grid,\n    sycl::range<3>%s) {\n",
               p->f->workgroup[0] ? "" : " group");
    buf_text(out, "    const sycl::range<3> local_range(");
    put_local_range(p, out);
    buf_text(out, ");\n    const sycl::range<3> groups(grid[2], grid[1], grid[0]);\n"
                  "    return queue.submit([&](sycl::handler &handler) {\n"
                  "        handler.parallel_for(sycl::nd_range<3>(groups * local_range, "
                  "local_range),\n");
    buf_printf(out, "                             %s_launch{", p->o->symbol);
    put_list(p, LAUNCH_VALUES, out);
    buf_text(out, "});\n    });\n}\n#endif\n");
}

void sycl_tail(c_printer *p, buf *out) {
    put_kernel(p, out);
    put_object(p, out);
    put_launcher(p, out);
}
