/* Declared arguments for host code: as JSON, as a typed structure, and as functions that launch a
 * kernel through CUDA, HIP, Metal or the runtime. SYCL's launcher is in the emitted text; the
 * header declares it. Each function is available if its vendor's header is included first. */
#include "compile/compile.h"

/* ---- JSON ---- */

void compile_arguments_json(const fe_kernel *kernel, buf *out) {
    if (!kernel->info.arguments)
        return;
    buf_text(out, ",\n     \"arguments\": [\n");
    for (uint32_t k = 0; k < kernel->info.arguments; k++) {
        buf_text(out, "      ");
        fe_argument_json(&kernel->extras.arguments[k], out);
        buf_text(out, k + 1 < kernel->info.arguments ? ",\n" : "\n     ]");
    }
}

/* ---- The header ---- */

void compile_launch_includes(buf *out) {
    buf_text(out,
             "#include <string.h>\n#ifdef __OBJC__\n#import <Metal/Metal.h>\n#endif\n\n"
             "/* Include cuda.h, hip_runtime.h, sycl.hpp or wave_rt.h before this file for the "
             "functions that launch\n"
             " * through it. Buffers are offsets in mem; grid counts workgroups. */\n");
}

/* The launch contract, besides memory and arguments. */
typedef struct contract {
    const char *symbol;
    const wave_kernel_info *info;
    bool args, bounds, status;
} contract;

/* ", k_args args, uint64_t mem_size, uint32_t *status" */
static void put_parameters(const contract *c, const char *status, buf *out) {
    if (c->args)
        buf_printf(out, ",\n    %s_args args", c->symbol);
    if (c->bounds)
        buf_text(out, ", uint64_t mem_size");
    if (c->status)
        buf_printf(out, ", %sstatus", status);
}

/* "grid[0], grid[1], grid[2], 64, 1, 1, 0" */
static void put_sizes(const contract *c, buf *out) {
    const uint32_t *w = c->info->workgroup;
    buf_text(out, "grid[0], grid[1], grid[2], ");
    if (w[0])
        buf_printf(out, "%u, %u, %u", w[0], w[1], w[2]);
    else
        buf_text(out, "group[0], group[1], group[2]");
}

static void put_pointers(const contract *c, buf *out) {
    buf_text(out, "    void *parameters[] = {&mem");
    buf_text(out, c->args ? ", &args" : "");
    buf_text(out, c->bounds ? ", &mem_size" : "");
    buf_text(out, c->status ? ", &status" : "");
    buf_text(out, "};\n");
}

static void put_grid(const contract *c, const char *type, buf *out) {
    buf_printf(out, ", const %s grid[3]", type);
    if (!c->info->workgroup[0])
        buf_printf(out, ", const %s group[3]", type);
}

/* CUDA's driver API and HIP's module API have the same shape. */
static void put_driver(const contract *c, bool cuda, uint32_t shared, buf *out) {
    buf_printf(out, "%s\nstatic inline %s %s_launch_%s(\n    ",
               cuda ? "#ifdef CUDA_VERSION" : "#ifdef HIP_INCLUDE_HIP_HIP_RUNTIME_API_H",
               cuda ? "CUresult" : "hipError_t", c->symbol, cuda ? "cuda" : "hip");
    buf_text(out, cuda ? "CUfunction function, CUstream stream, CUdeviceptr mem"
                       : "hipFunction_t function, hipStream_t stream, void *mem");
    put_parameters(c, cuda ? "CUdeviceptr " : "uint32_t *", out);
    put_grid(c, "unsigned", out);
    buf_text(out, ") {\n");
    put_pointers(c, out);
    buf_printf(out, "    return %s(function, ", cuda ? "cuLaunchKernel" : "hipModuleLaunchKernel");
    put_sizes(c, out);
    buf_printf(out, ",\n        %u, stream, parameters, 0);\n}\n#endif\n", shared);
}

static void put_sycl(const contract *c, buf *out) {
    buf_printf(out,
               "#ifdef SYCL_LANGUAGE_VERSION\n"
               "sycl::event %s(sycl::queue &queue, uint8_t *mem",
               c->symbol);
    put_parameters(c, "uint32_t *", out);
    buf_text(out, ", sycl::range<3> grid, sycl::range<3> group);\n#endif\n");
}

static void put_metal(const contract *c, buf *out) {
    const uint32_t *w = c->info->workgroup;
    buf_printf(out,
               "#ifdef __OBJC__\nstatic inline void %s_launch_metal("
               "id<MTLComputeCommandEncoder> encoder,\n"
               "    id<MTLComputePipelineState> pipeline, id<MTLBuffer> mem",
               c->symbol);
    put_parameters(c, "id<MTLBuffer> ", out);
    buf_text(out, ", MTLSize grid");
    buf_text(out, w[0] ? ") {\n" : ", MTLSize group) {\n");
    buf_text(out, "    [encoder setComputePipelineState:pipeline];\n"
                  "    [encoder setBuffer:mem offset:0 atIndex:0];\n");
    if (c->args)
        buf_text(out, "    [encoder setBytes:&args length:sizeof args atIndex:1];\n");
    if (c->status)
        buf_text(out, "    [encoder setBuffer:status offset:0 atIndex:2];\n");
    if (c->bounds)
        buf_text(out, "    [encoder setBytes:&mem_size length:sizeof mem_size atIndex:3];\n");
    buf_text(out, "    [encoder dispatchThreadgroups:grid threadsPerThreadgroup:");
    if (w[0])
        buf_printf(out, "MTLSizeMake(%u, %u, %u)", w[0], w[1], w[2]);
    else
        buf_text(out, "group");
    buf_text(out, "];\n}\n#endif\n");
}

/* The runtime passes the memory size and the status itself. */
static void put_runtime(const contract *c, buf *out) {
    buf_printf(out,
               "#ifdef WAVE_RT_H\nstatic inline wave_rt_status %s_launch_rt("
               "wave_rt_queue *queue, const wave_rt_module *module,\n"
               "    size_t kernel, wave_rt_arena *mem",
               c->symbol);
    if (c->args)
        buf_printf(out, ",\n    %s_args args", c->symbol);
    put_grid(c, "uint32_t", out);
    buf_text(out, ", wave_rt_error *error) {\n");
    if (c->args)
        buf_printf(out, "    uint32_t words[%s_ARG_WORDS];\n", c->symbol);
    buf_text(out, "    wave_rt_launch launch;\n    int k;\n    wave_rt_launch_init(&launch);\n");
    if (c->args)
        buf_printf(out,
                   "    memcpy(words, &args, sizeof words);\n    launch.words = words;\n"
                   "    launch.word_count = %s_ARG_WORDS;\n",
                   c->symbol);
    buf_text(out, "    launch.module = module;\n    launch.kernel = kernel;\n"
                  "    launch.arena = mem;\n    for (k = 0; k < 3; k++) {\n"
                  "        launch.grid[k] = grid[k];\n");
    buf_text(out, c->info->workgroup[0] ? "" : "        launch.workgroup[k] = group[k];\n");
    buf_text(out, "    }\n    return wave_rt_dispatch(queue, &launch, error);\n}\n#endif\n");
}

void compile_arguments_header(const plan *p, size_t index, buf *out) {
    const wave_kernel_info *info = &p->module->kernels[p->kernels[index]].info;
    const emit_arguments *arguments = &p->arguments[index];
    contract c = {.symbol = p->symbols[index],
                  .info = info,
                  .args = arguments->count != 0,
                  .bounds = p->options->bounds,
                  .status = plan_has_status(p, info)};
    if (c.args)
        emit_put_structure(arguments, c.symbol, EMIT_STRUCTURE_HOST, out);
    put_driver(&c, true, emit_ptx_dynamic(info->local_memory), out);
    put_driver(&c, false, 0, out);
    put_sycl(&c, out);
    put_metal(&c, out);
    put_runtime(&c, out);
}
