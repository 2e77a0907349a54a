// Intel (and whatever else SYCL reaches) as a plug-in: built where Intel's run time is installed,
// found at run time. The emitted text is compiled on the spot by the run time's own compiler.
// Exceptions end here: every function returns a status.
#include "rt.h"
#include "sycl_errors.h"

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace syclexp = sycl::ext::oneapi::experimental;

namespace {

using bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

struct device_state {
    sycl::device device;
    sycl::context context;
};

struct queue_state {
    sycl::queue queue;
    sycl::event last;      // of the last timed launch
    std::uint32_t *status; // two words in which kernels with asserts say which one failed
    bool has_status;       // a kernel that was launched since the last wait can
};

struct module_state {
    bundle executable;
    std::vector<sycl::kernel> kernels; // one for each of the program
};

// ---- Errors ----

// `otherwise` for what neither SYCL nor its back end has a better word for.
wave_rt_status classify(const sycl::exception &error, wave_rt_status otherwise) {
    if (error.code() == sycl::errc::memory_allocation)
        return WAVE_RT_DEVICE_MEMORY;
    if (error.code() == sycl::errc::build)
        return WAVE_RT_BAD_BUILD;
    if (error.code() == sycl::errc::nd_range || error.code() == sycl::errc::kernel_argument)
        return WAVE_RT_LIMIT;
    return rt_sycl_classify(error.what(), otherwise);
}

// Calls `action`, which returns a status, and turns what it throws into one.
template <typename function>
wave_rt_status guarded(const char *what, wave_rt_error *error, function action,
                       wave_rt_status otherwise = WAVE_RT_VENDOR) {
    try {
        return action();
    } catch (const sycl::exception &e) {
        return rt_fail_call(error, classify(e, otherwise), what, e.what(), e.code().value());
    } catch (const std::bad_alloc &) {
        return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
    } catch (const std::exception &e) {
        return rt_fail_call(error, WAVE_RT_VENDOR, what, e.what(), 0);
    }
}

// For what waits for the device: an error without a name comes from a kernel, and the device is not
// to be trusted any more.
template <typename function>
wave_rt_status guarded_wait(const char *what, wave_rt_error *error, function action) {
    return guarded(what, error, action, WAVE_RT_LAUNCH);
}

// ---- Devices ----

// Whether text can be built for a device is asked by two names: before oneAPI 2025.3 there is only
// ext_oneapi_can_compile. Overload resolution prefers the int, where that declaration is valid.
template <typename device_type>
auto can_build_text(device_type &device, int)
    -> decltype(device.ext_oneapi_can_build(syclexp::source_language::sycl)) {
    return device.ext_oneapi_can_build(syclexp::source_language::sycl);
}

template <typename device_type> bool can_build_text(device_type &device, long) {
    return device.ext_oneapi_can_compile(syclexp::source_language::sycl);
}

bool can_build(const sycl::device &device) {
    return device.has(sycl::aspect::usm_device_allocations) &&
           can_build_text(const_cast<sycl::device &>(device), 0);
}

// A GPU may be there twice, through Level Zero and through OpenCL: then the first counts.
std::vector<sycl::device> devices_of(sycl::info::device_type type) {
    std::vector<sycl::device> all = sycl::device::get_devices(type), usable;
    bool level_zero = std::any_of(all.begin(), all.end(), [](const sycl::device &d) {
        return d.get_backend() == sycl::backend::ext_oneapi_level_zero;
    });
    for (const sycl::device &device : all)
        if (can_build(device) &&
            !(level_zero && device.get_backend() != sycl::backend::ext_oneapi_level_zero))
            usable.push_back(device);
    return usable;
}

std::uint32_t best_width(const sycl::device &device) {
    std::uint32_t best = 0;
    for (std::size_t width : device.get_info<sycl::info::device::sub_group_sizes>())
        if (width == 32 || (best != 32 && width > best && width <= 64))
            best = static_cast<std::uint32_t>(width);
    return best;
}

std::uint32_t clamp(std::size_t value) {
    return value < UINT32_MAX ? static_cast<std::uint32_t>(value) : UINT32_MAX;
}

void describe(const sycl::device &device, const std::string &name, wave_rt_device_info *info) {
    namespace about = sycl::info::device;
    *info = wave_rt_device_info{};
    rt_copy(info->name, sizeof info->name, name.c_str());
    rt_copy(info->title, sizeof info->title, device.get_info<about::name>().c_str());
    std::string driver = device.get_platform().get_info<sycl::info::platform::name>() + " " +
                         device.get_info<about::driver_version>();
    rt_copy(info->driver, sizeof info->driver, driver.c_str());
    info->target = "sycl";
    rt_copy(info->arch, sizeof info->arch, device.is_cpu() ? "cpu" : "gpu");
    info->wave_width = best_width(device);
    info->max_workgroup_size =
        std::min(1024u, clamp(device.get_info<about::max_work_group_size>()));
    auto sizes = device.get_info<about::max_work_item_sizes<3>>();
    for (int k = 0; k < 3; k++) { // x is dimension 2
        info->max_workgroup[k] = clamp(sizes[2 - k]);
        info->max_grid[k] = INT32_MAX;
    }
    info->local_memory_size = device.get_info<about::local_mem_size>();
    info->device_memory_size = device.get_info<about::global_mem_size>();
    info->cores = device.get_info<about::max_compute_units>();
    info->max_workgroups_per_core = 1;
    info->max_waves_per_core = info->wave_width ? info->max_workgroup_size / info->wave_width : 0;
    // Registers are the compiler's affair; what a full workgroup may declare is there.
    info->register_file_size = std::uint64_t{4} * 256 * info->max_workgroup_size;
    info->capabilities = WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA;
    if (device.has(sycl::aspect::fp64))
        info->capabilities |= WAVE_RT_CAP_F64;
}

std::string name_of(bool gpu, std::size_t index) {
    if (gpu)
        return "sycl:gpu:" + std::to_string(index);
    return index ? "sycl:cpu:" + std::to_string(index) : "sycl:cpu";
}

wave_rt_status enumerate(const rt_vendor *, rt_found *found, wave_rt_error *error) {
    return guarded("looking for SYCL devices", error, [&]() -> wave_rt_status {
        bool any = false;
        for (bool gpu : {true, false}) {
            auto devices =
                devices_of(gpu ? sycl::info::device_type::gpu : sycl::info::device_type::cpu);
            for (std::size_t k = 0; k < devices.size(); k++) {
                wave_rt_device_info info;
                describe(devices[k], name_of(gpu, k), &info);
                if (!found->device(found, &info))
                    return rt_fail(error, WAVE_RT_NO_MEMORY, "out of memory");
                any = true;
            }
        }
        return any ? WAVE_RT_OK
                   : rt_fail(error, WAVE_RT_NO_DEVICE, "SYCL has no device it can compile for");
    });
}

// "cpu", "gpu:0", "" (the first GPU, else the CPU).
wave_rt_status find(const char *which, sycl::device *device, std::string *name,
                    wave_rt_error *error) {
    bool any = !*which, gpu = std::strncmp(which, "gpu", 3) == 0;
    unsigned index = 0;
    if (!any && !gpu && std::strncmp(which, "cpu", 3) != 0)
        return rt_fail(error, WAVE_RT_NO_DEVICE, "a SYCL device is sycl:cpu or sycl:gpu:NUMBER");
    if (!any && which[3] && (which[3] != ':' || !rt_index(which + 4, &index)))
        return rt_fail(error, WAVE_RT_NO_DEVICE, "a SYCL device is sycl:cpu or sycl:gpu:NUMBER");
    for (bool try_gpu : {true, false}) {
        if (!any && try_gpu != gpu)
            continue;
        auto devices =
            devices_of(try_gpu ? sycl::info::device_type::gpu : sycl::info::device_type::cpu);
        if (index < devices.size()) {
            *device = devices[index];
            *name = name_of(try_gpu, index);
            return WAVE_RT_OK;
        }
    }
    return rt_fail(error, WAVE_RT_NO_DEVICE, "there is no sycl:%.40s it can compile for", which);
}

wave_rt_status open(const char *which, void **state, wave_rt_device_info *info,
                    wave_rt_error *error) {
    return guarded("opening a SYCL device", error, [&]() -> wave_rt_status {
        sycl::device device;
        std::string name;
        wave_rt_status status = find(which, &device, &name, error);
        if (status != WAVE_RT_OK)
            return status;
        describe(device, name, info);
        *state = new device_state{device, sycl::context(device)};
        return WAVE_RT_OK;
    });
}

void close(void *state) {
    delete static_cast<device_state *>(state);
}

// ---- Memory ----

wave_rt_status memory_create(void *state, std::uint64_t size, void **memory, wave_rt_error *error) {
    auto *d = static_cast<device_state *>(state);
    return guarded("sycl::malloc_device", error, [&]() -> wave_rt_status {
        *memory = sycl::aligned_alloc_device(4096, size, d->device, d->context);
        return *memory ? WAVE_RT_OK
                       : rt_fail(error, WAVE_RT_DEVICE_MEMORY, "sycl::malloc_device: no memory");
    });
}

void memory_destroy(void *state, void *memory) {
    if (memory)
        (void)guarded("sycl::free", nullptr, [&]() -> wave_rt_status {
            sycl::free(memory, static_cast<device_state *>(state)->context);
            return WAVE_RT_OK;
        });
}

wave_rt_status upload(void *state, void *memory, std::uint64_t offset, const void *data,
                      std::uint64_t size, wave_rt_error *error) {
    return guarded_wait("copying to the device", error, [&]() -> wave_rt_status {
        auto *q = static_cast<queue_state *>(state);
        q->queue.memcpy(static_cast<std::uint8_t *>(memory) + offset, data, size).wait_and_throw();
        return WAVE_RT_OK;
    });
}

wave_rt_status download(void *state, void *memory, std::uint64_t offset, void *data,
                        std::uint64_t size, wave_rt_error *error) {
    return guarded_wait("copying from the device", error, [&]() -> wave_rt_status {
        auto *q = static_cast<queue_state *>(state);
        q->queue.memcpy(data, static_cast<std::uint8_t *>(memory) + offset, size).wait_and_throw();
        return WAVE_RT_OK;
    });
}

wave_rt_status fill(void *state, void *memory, std::uint64_t offset, std::uint8_t byte,
                    std::uint64_t size, wave_rt_error *error) {
    return guarded_wait("filling device memory", error, [&]() -> wave_rt_status {
        auto *q = static_cast<queue_state *>(state);
        q->queue.memset(static_cast<std::uint8_t *>(memory) + offset, byte, size).wait_and_throw();
        return WAVE_RT_OK;
    });
}

// ---- Modules ----

// -fno-finite-loops: a kernel may wait for another workgroup in a loop without effects.
// -fno-discard-value-names: without names the device compiler crashes on reversed bits.
bundle compile(const device_state &d, const rt_program &program, std::string *log) {
    std::string text = "#define WAVE_SYCL_RTC 1\n#line 1 \"kernel\"\n" + std::string(program.text);
    const std::vector<std::string> options{"-ffp-contract=off", "-fno-fast-math",
                                           "-fno-finite-loops", "-fno-discard-value-names"};
    auto source =
        syclexp::create_kernel_bundle_from_source(d.context, syclexp::source_language::sycl, text);
    return syclexp::build(
        source, std::vector<sycl::device>{d.device},
        syclexp::properties{syclexp::save_log{log}, syclexp::build_options{options}});
}

// SYCL caches machine code by itself, when it is told so before its first compilation. What the
// user says in these variables holds. Beyond the limit SYCL removes old entries.
void use_cache(void *, const char *folder, std::uint64_t limit) {
    static std::once_flag once;
    std::call_once(once, [&] {
        try {
            std::string inner = std::string(folder) + "/sycl";
            (void)setenv("SYCL_CACHE_DIR", inner.c_str(), 0);
            (void)setenv("SYCL_CACHE_MAX_SIZE", std::to_string(limit).c_str(), 0);
            (void)setenv("SYCL_CACHE_PERSISTENT", "1", 0);
        } catch (const std::bad_alloc &) { // no cache, then
        }
    });
}

// Intel's CPU compiler works in this process.
bool may_die(void *state) {
    return static_cast<device_state *>(state)->device.is_cpu();
}

wave_rt_status module_create(void *state, const rt_program *program, void **module,
                             wave_rt_error *error) {
    std::string log;
    wave_rt_status status = guarded("building with SYCL", error, [&]() -> wave_rt_status {
        auto &d = *static_cast<device_state *>(state);
        auto made = std::make_unique<module_state>(module_state{compile(d, *program, &log), {}});
        for (std::size_t k = 0; k < program->count; k++)
            made->kernels.push_back(made->executable.ext_oneapi_get_kernel(
                std::string(program->entries[k].symbol) + "_kernel"));
        *module = made.release();
        return WAVE_RT_OK;
    });
    if (status != WAVE_RT_OK && !log.empty())
        rt_log(error, log.data(), log.size());
    return status;
}

void module_destroy(void *, void *module) {
    delete static_cast<module_state *>(module);
}

wave_rt_status kernel_limits(void *state, void *module, std::size_t kernel, rt_limits *limits,
                             wave_rt_error *error) {
    return guarded("asking for a kernel's limits", error, [&]() -> wave_rt_status {
        namespace about = sycl::info::kernel_device_specific;
        auto &d = *static_cast<device_state *>(state);
        auto &k = static_cast<module_state *>(module)->kernels[kernel];
        *limits = rt_limits{};
        limits->threads = clamp(k.get_info<about::work_group_size>(d.device));
        return WAVE_RT_OK;
    });
}

// ---- Queues ----

wave_rt_status queue_create(void *state, void **queue, wave_rt_error *error) {
    return guarded("making a SYCL queue", error, [&]() -> wave_rt_status {
        auto &d = *static_cast<device_state *>(state);
        auto throws = [](sycl::exception_list errors) {
            for (const auto &e : errors)
                std::rethrow_exception(e);
        };
        auto made = std::make_unique<queue_state>(
            queue_state{sycl::queue(d.context, d.device, throws,
                                    {sycl::property::queue::in_order(),
                                     sycl::property::queue::enable_profiling()}),
                        sycl::event(), nullptr, false});
        made->status = sycl::malloc_host<std::uint32_t>(2, d.context);
        if (!made->status)
            return rt_fail(error, WAVE_RT_DEVICE_MEMORY, "sycl::malloc_host: no memory");
        made->status[0] = made->status[1] = 0;
        *queue = made.release();
        return WAVE_RT_OK;
    });
}

void queue_destroy(void *state, void *queue) {
    auto *q = static_cast<queue_state *>(queue);
    if (!q)
        return;
    (void)guarded("closing a SYCL queue", nullptr, [&]() -> wave_rt_status {
        q->queue.wait();
        sycl::free(q->status, static_cast<device_state *>(state)->context);
        return WAVE_RT_OK;
    });
    delete q;
}

// x is the fastest dimension: 2. A kernel with wave operations or barriers is launched as one row,
// because sub-groups may end with a row of the workgroup.
sycl::nd_range<3> range_of(const rt_dispatch &d, bool row) {
    sycl::range<3> local(d.group[2], d.group[1], d.group[0]);
    if (row)
        local = sycl::range<3>(1, 1, local.size());
    return {sycl::range<3>(d.grid[2], d.grid[1], d.grid[0]) * local, local};
}

// oneAPI 2025.0 has no such parameters.
void set_local_memory(sycl::handler &handler, int place, std::size_t size) {
#ifdef SYCL_EXT_ONEAPI_WORK_GROUP_MEMORY
    syclexp::work_group_memory<std::uint8_t[]> local(size, handler);
    handler.set_arg(place, local);
#else
    (void)handler, (void)place, (void)size;
    throw sycl::exception(sycl::make_error_code(sycl::errc::feature_not_supported),
                          "local memory needs oneAPI 2025.1 or newer");
#endif
}

// The parameters of ISA 3.4 in their order; those the kernel does not have are left out.
void set_arguments(sycl::handler &handler, const rt_dispatch &d, const rt_entry &entry,
                   std::uint32_t *status, bool row) {
    int next = 0;
    handler.set_arg(next++, static_cast<std::uint8_t *>(d.memory));
    if (entry.words)
        handler.set_arg(next++, syclexp::raw_kernel_arg(d.words, 4 * entry.words));
    if (entry.local_memory)
        set_local_memory(handler, next++, entry.local_memory);
    if (d.program->bounds)
        handler.set_arg(next++, static_cast<std::uint64_t>(d.memory_size));
    if (entry.status)
        handler.set_arg(next++, status);
    if (row && entry.open_workgroup) {
        handler.set_arg(next++, d.group[0]);
        handler.set_arg(next++, d.group[1]);
    }
}

wave_rt_status launch(void *queue, const rt_dispatch *d, wave_rt_error *error) {
    return guarded("launching a kernel", error, [&]() -> wave_rt_status {
        auto *q = static_cast<queue_state *>(queue);
        const rt_entry &entry = d->program->entries[d->kernel];
        const sycl::kernel &kernel = static_cast<module_state *>(d->module)->kernels[d->kernel];
        bool row = (entry.uses & (WAVE_USES_WAVE_OPS | WAVE_USES_BARRIER)) != 0;
        q->has_status |= entry.status;
        sycl::event event = q->queue.submit([&](sycl::handler &handler) {
            set_arguments(handler, *d, entry, q->status, row);
            handler.parallel_for(range_of(*d, row), kernel);
        });
        if (d->timed)
            q->last = event;
        return WAVE_RT_OK;
    });
}

wave_rt_status wait(void *queue, wave_rt_error *error) {
    return guarded_wait("waiting for the device", error, [&]() -> wave_rt_status {
        auto *q = static_cast<queue_state *>(queue);
        q->queue.wait_and_throw();
        bool failed = q->has_status && q->status[0];
        q->has_status = false;
        q->status[0] = 0;
        return failed ? rt_fail(error, WAVE_RT_LAUNCH, RT_ASSERT_FAILED, q->status[1]) : WAVE_RT_OK;
    });
}

wave_rt_status elapsed(void *queue, double *seconds, wave_rt_error *error) {
    return guarded("asking for the time", error, [&]() -> wave_rt_status {
        namespace about = sycl::info::event_profiling;
        const sycl::event &event = static_cast<queue_state *>(queue)->last;
        auto start = event.get_profiling_info<about::command_start>();
        auto end = event.get_profiling_info<about::command_end>();
        *seconds = 1e-9 * static_cast<double>(end - start);
        return WAVE_RT_OK;
    });
}

// A pass of Intel's CPU compiler (2026.2) frees what it never got on some kernels with a barrier in
// a loop: "free(): invalid pointer", by chance. It is left out, unless the user has options of his
// own; other devices do not read this. The compiler reads it when it is loaded.
void leave_out_what_dies() {
    (void)setenv("CL_CONFIG_LLVM_OPTIONS",
                 "-opt-bisect-verbose=0 -opt-disable=sycl-kernel-reduce-cross-barrier-values", 0);
}

rt_vendor make_table() {
    leave_out_what_dies();
    rt_vendor table{};
    table.abi = RT_ABI;
    table.name = "sycl";
    table.target = "sycl";
    table.enumerate = enumerate;
    table.open = open;
    table.close = close;
    table.memory_create = memory_create;
    table.memory_destroy = memory_destroy;
    table.use_cache = use_cache;
    table.may_die = may_die;
    table.module_create = module_create;
    table.module_destroy = module_destroy;
    table.kernel_limits = kernel_limits;
    table.queue_create = queue_create;
    table.queue_destroy = queue_destroy;
    table.upload = upload;
    table.download = download;
    table.fill = fill;
    table.launch = launch;
    table.wait = wait;
    table.elapsed = elapsed;
    return table;
}

} // namespace

extern "C" WAVE_API const rt_vendor *wave_rt_plugin(std::uint32_t abi) {
    static const rt_vendor table = make_table();
    return abi == RT_ABI ? &table : nullptr;
}
