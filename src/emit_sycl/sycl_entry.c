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

enum { BODY, KERNEL, LAUNCHER, MEMBERS, KERNEL_CALL, LAUNCH_CALL, MEMBER_VALUES, OPERATOR };
const c_list sycl_lists[] = {[BODY] = {"body", C_IF_USED, ", "},
                             [KERNEL] = {"kernel", 0, ", "},
                             [LAUNCHER] = {"launcher", 0, ", "},
                             [MEMBERS] = {"members", C_IF_USED, ""},
                             [KERNEL_CALL] = {"kernelcall", C_IF_USED, ", "},
                             [LAUNCH_CALL] = {"launchcall", C_IF_USED, ", "},
                             [MEMBER_VALUES] = {"values", C_IF_USED, ", "},
                             [OPERATOR] = {"operator", 0, ""},
                             {0}};

/* In the order of the lists. A parameter with the same type everywhere, and one whose type in the
 * body differs. */
#define PARAMETER(type)   OTHER(type, type)
#define OTHER(body, type) TEXTS(body, type, type "@name", "@name")
#define TEXTS(body, type, launcher, value)                                                         \
    { body "@name", type "@name", launcher, "    " type "@name;\n", "@name", "@name", value }
#define ACCESSOR "sycl::local_accessor<uint8_t, 1>"

/* On some devices sub-groups end with the rows of a work-group. So a workgroup with waves is
 * launched as one row; its shape then comes from the file or from two more parameters. */
#define ROW_OF_ANY_SIZE (C_IF_WAVES | C_IF_NOT_FIXED)

const c_parameter_row sycl_parameters[] = {
    {C_MEM, 0, PARAMETER("uint8_t *")},
    {C_ARGS, 0, OTHER("const @symbol_args &", "@symbol_args")},
    {C_LOCAL,
     0,
     {"uint8_t *@name", EXPERIMENTAL "work_group_memory<uint8_t[@bytes]>@name", NULL,
      "    " ACCESSOR "@name;\n", "(uint8_t *)&@name", "&@name[0]",
      ACCESSOR "(sycl::range<1>(@bytes), handler)"}},
    {C_SIZE, 0, PARAMETER("uint64_t")},
    {C_STATUS, 0, PARAMETER("uint32_t *")},
    {SR(WORKGROUP_SIZE_X), ROW_OF_ANY_SIZE,
     TEXTS("uint32_t", "uint32_t", NULL, "(uint32_t)group[0]")},
    {SR(WORKGROUP_SIZE_Y), ROW_OF_ANY_SIZE,
     TEXTS("uint32_t", "uint32_t", NULL, "(uint32_t)group[1]")},
    {SYCL_ITEM,
     0,
     {[BODY] = "@it",
      [KERNEL_CALL] = "sycl::ext::oneapi::this_work_item::get_nd_item<3>()",
      [LAUNCH_CALL] = "@name",
      [OPERATOR] = "sycl::nd_item<3>@name"}},
    {0}};

/* ---- Around the code ---- */

const c_text sycl_contract[] = {
    {ROW_OF_ANY_SIZE, "//   size_x, size_y: of the workgroup, which is launched as one row\n"},
    {C_IF_WAVES, "//   launch: global range {grid.z, grid.y, grid.x * threads}, local range "
                 "{1, 1, threads}\n"},
    {C_IF_NO_WAVES, "//   launch: local range {z, y, x} of the workgroup, global range that times "
                    "the grid\n"},
    {0}};

const c_text sycl_signature[] = {{0, "static inline void @symbol_body(@body) {\n"}, {0}};

/* The free-function kernel, then the function object that icpx turns into a kernel, and the
 * launcher. */
const c_text sycl_entries[] = {
    {0, "\nextern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((" EXPERIMENTAL "nd_range_kernel<3>))\n"
        "SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((" EXPERIMENTAL "sub_group_size<@width>))\n"
        "void @symbol_kernel(@kernel) {\n"
        "    @symbol_body(@kernelcall);\n"
        "}\n"
        "\n#ifndef WAVE_SYCL_RTC\n"
        "struct @symbol_launch {\n"
        "@members"
        "    void operator()(@operator) const {\n"
        "        @symbol_body(@launchcall);\n"
        "    }\n"
        "    auto get(" EXPERIMENTAL "properties_tag) const {\n"
        "        return " EXPERIMENTAL "properties{" EXPERIMENTAL "sub_group_size<@width>};\n"
        "    }\n"
        "};\n"
        "\n// Numbers of workgroups and of threads in each, as {x, y, z}.\n"
        "sycl::event @symbol(sycl::queue &queue, @launcher, sycl::range<3> grid,\n"},
    {C_IF_FIXED, "    sycl::range<3>) {\n"},
    {C_IF_NOT_FIXED, "    sycl::range<3> group) {\n"},
    {C_IF_WAVES | C_IF_FIXED, "    const sycl::range<3> local_range(1, 1, @most);\n"},
    {ROW_OF_ANY_SIZE, "    const sycl::range<3> local_range(1, 1, group.size());\n"},
    {C_IF_NO_WAVES | C_IF_FIXED, "    const sycl::range<3> local_range(@z, @y, @x);\n"},
    {C_IF_NO_WAVES | C_IF_NOT_FIXED,
     "    const sycl::range<3> local_range(group[2], group[1], group[0]);\n"},
    {0, "    const sycl::range<3> groups(grid[2], grid[1], grid[0]);\n"
        "    return queue.submit([&](sycl::handler &handler) {\n"
        "        handler.parallel_for(sycl::nd_range<3>(groups * local_range, local_range),\n"
        "                             @symbol_launch{@values});\n"
        "    });\n"
        "}\n"
        "#endif\n"},
    {0}};
