// Intel, and any other device that SYCL supports, as a plug-in: built where Intel's run time is
// installed, loaded at run time. The run time's own compiler compiles the emitted text. Exceptions
// do not leave this file: every function returns a status.
#include "rt.h"
#include "sycl_errors.h"

#include <sycl/sycl.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
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
    std::uint32_t *status; // two words in which kernels with asserts report which one failed
    bool has_status;       // a kernel launched since the last wait may fail an assert
};

struct event_state {
    std::mutex lock;
    sycl::event event; // marks the recorded position
};

struct module_state {
    bundle executable;
    std::vector<sycl::kernel> kernels; // one per kernel of the program
};

// ---- Errors ----

// Returns `otherwise` for errors that neither SYCL nor its back end classifies.
wave_rt_status classify(const sycl::exception &error, wave_rt_status otherwise) {
    if (error.code() == sycl::errc::memory_allocation)
        return WAVE_RT_DEVICE_MEMORY;
    if (error.code() == sycl::errc::build)
        return WAVE_RT_BAD_BUILD;
    if (error.code() == sycl::errc::nd_range || error.code() == sycl::errc::kernel_argument)
        return WAVE_RT_LIMIT;
    return rt_sycl_classify(error.what(), otherwise);
}

// Calls `action`, which returns a status, and converts exceptions to one.
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

// For calls that wait for the device: an unclassified error comes from a kernel, and the device can
// no longer be trusted.
template <typename function>
wave_rt_status guarded_wait(const char *what, wave_rt_error *error, function action) {
    return guarded(what, error, action, WAVE_RT_LAUNCH);
}

// ---- Devices ----

// The query whether text can be built for a device has two names: before oneAPI 2025.3 there is
// only ext_oneapi_can_compile. Overload resolution prefers the int overload where it is valid.
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

// A GPU may be listed twice, through Level Zero and through OpenCL; the first one wins.
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

// Address and UUID, for devices that report them: GPUs.
void identify(const sycl::device &device, wave_rt_device_info *info) {
    namespace intel = sycl::ext::intel::info::device;
    if (device.has(sycl::aspect::ext_intel_pci_address))
        rt_copy(info->pci, sizeof info->pci, device.get_info<intel::pci_address>().c_str());
    if (!device.has(sycl::aspect::ext_intel_device_info_uuid))
        return;
    std::string text;
    for (unsigned byte : device.get_info<intel::uuid>()) {
        static const char digits[] = "0123456789abcdef";
        if (text.size() == 8 || text.size() == 13 || text.size() == 18 || text.size() == 23)
            text += '-';
        text += digits[byte / 16 % 16];
        text += digits[byte % 16];
    }
    rt_copy(info->uuid, sizeof info->uuid, text.c_str());
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
    // SYCL does not report the limits on workgroups, waves and registers.
    info->shared = device.has(sycl::aspect::usm_shared_allocations);
    identify(device, info);
    info->capabilities = WAVE_RT_CAP_ATOMIC_F32 | WAVE_RT_CAP_MMA;
    if (device.has(sycl::aspect::fp64))
        info->capabilities |= WAVE_RT_CAP_F64;
    if (device.has(sycl::aspect::atomic64))
        info->capabilities |= WAVE_RT_CAP_ATOMIC_64;
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
                   : rt_fail(error, WAVE_RT_NO_DEVICE,
                             "SYCL has no device that can compile kernels at run time");
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
    return rt_fail(error, WAVE_RT_NO_DEVICE,
                   "there is no device sycl:%.40s that can compile kernels at run time", which);
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

wave_rt_status memory_create(void *state, std::uint64_t size, bool shared, void **memory,
                             void **host, wave_rt_error *error) {
    auto *d = static_cast<device_state *>(state);
    return guarded("sycl::malloc", error, [&]() -> wave_rt_status {
        *memory = shared ? sycl::aligned_alloc_shared(4096, size, d->device, d->context)
                         : sycl::aligned_alloc_device(4096, size, d->device, d->context);
        if (shared)
            *host = *memory;
        return *memory ? WAVE_RT_OK
                       : rt_fail(error, WAVE_RT_DEVICE_MEMORY, "sycl::malloc: no memory");
    });
}

void memory_destroy(void *state, void *memory) {
    if (memory)
        (void)guarded("sycl::free", nullptr, [&]() -> wave_rt_status {
            sycl::free(memory, static_cast<device_state *>(state)->context);
            return WAVE_RT_OK;
        });
}

wave_rt_status host_create(void *state, std::uint64_t size, void **memory, wave_rt_error *error) {
    return guarded("sycl::malloc_host", error, [&]() -> wave_rt_status {
        *memory = sycl::malloc_host(size, static_cast<device_state *>(state)->context);
        return *memory ? WAVE_RT_OK
                       : rt_fail(error, WAVE_RT_NO_MEMORY, "sycl::malloc_host: no memory");
    });
}

std::uint8_t *bytes_of(rt_span span) {
    return static_cast<std::uint8_t *>(span.memory) + span.offset;
}

// Runs `submit` on the queue and waits where required.
template <typename function>
wave_rt_status transfer(const char *what, void *state, bool wait, wave_rt_error *error,
                        function submit) {
    return guarded_wait(what, error, [&]() -> wave_rt_status {
        sycl::event event = submit(static_cast<queue_state *>(state)->queue);
        if (wait)
            event.wait_and_throw();
        return WAVE_RT_OK;
    });
}

wave_rt_status upload(void *state, rt_span to, const void *data, bool wait, wave_rt_error *error) {
    return transfer("copying to the device", state, wait, error,
                    [&](sycl::queue &queue) { return queue.memcpy(bytes_of(to), data, to.size); });
}

wave_rt_status download(void *state, rt_span from, void *data, bool wait, wave_rt_error *error) {
    return transfer("copying from the device", state, wait, error, [&](sycl::queue &queue) {
        return queue.memcpy(data, bytes_of(from), from.size);
    });
}

wave_rt_status fill(void *state, rt_span to, std::uint8_t byte, bool wait, wave_rt_error *error) {
    return transfer("filling device memory", state, wait, error,
                    [&](sycl::queue &queue) { return queue.memset(bytes_of(to), byte, to.size); });
}

// cppcheck-suppress passedByValue ; the type of the table's entry
wave_rt_status copy(void *state, rt_span to, rt_span from, wave_rt_error *error) {
    return transfer("copying on the device", state, false, error, [=](sycl::queue &queue) {
        return queue.memcpy(bytes_of(to), bytes_of(from), to.size);
    });
}

// ---- Modules ----

// -fno-finite-loops: a kernel may wait for another workgroup in a loop without side effects.
// -fno-discard-value-names: without names the device compiler crashes on bit reversal.
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

// SYCL caches machine code itself when that is enabled before its first compilation. The user's own
// settings of these variables take precedence. Above the limit SYCL evicts old entries.
void use_cache(void *, const char *folder, std::uint64_t limit) {
    static std::once_flag once;
    std::call_once(once, [&] {
        try {
            std::string inner = std::string(folder) + "/sycl";
            (void)setenv("SYCL_CACHE_DIR", inner.c_str(), 0);
            (void)setenv("SYCL_CACHE_MAX_SIZE", std::to_string(limit).c_str(), 0);
            (void)setenv("SYCL_CACHE_PERSISTENT", "1", 0);
        } catch (const std::bad_alloc &) { // then without a cache
        }
    });
}

// Intel's CPU compiler runs in this process.
bool may_die(void *state) {
    return static_cast<device_state *>(state)->device.is_cpu();
}

// Loads SPIR-V that the caller provided; it has no text.
bundle load_spirv(const device_state &d, const rt_program &program, std::string *log) {
    const auto *bytes = reinterpret_cast<const std::byte *>(program.binary);
    auto source = syclexp::create_kernel_bundle_from_source(
        d.context, syclexp::source_language::spirv,
        std::vector<std::byte>(bytes, bytes + program.binary_size));
    return syclexp::build(source, std::vector<sycl::device>{d.device},
                          syclexp::properties{syclexp::save_log{log}});
}

wave_rt_status module_create(void *state, const rt_program *program, void **module,
                             wave_rt_error *error) {
    std::string log;
    bool spirv = program->native && program->binary;
    wave_rt_status status = guarded("building with SYCL", error, [&]() -> wave_rt_status {
        auto &d = *static_cast<device_state *>(state);
        auto made = std::make_unique<module_state>(
            module_state{spirv ? load_spirv(d, *program, &log) : compile(d, *program, &log), {}});
        for (std::size_t k = 0; k < program->count; k++)
            made->kernels.push_back(made->executable.ext_oneapi_get_kernel(
                std::string(program->entries[k].symbol) + (spirv ? "" : "_kernel")));
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
    return guarded("querying a kernel's limits", error, [&]() -> wave_rt_status {
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
    return guarded("creating a SYCL queue", error, [&]() -> wave_rt_status {
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
    (void)guarded("destroying a SYCL queue", nullptr, [&]() -> wave_rt_status {
        q->queue.wait();
        sycl::free(q->status, static_cast<device_state *>(state)->context);
        return WAVE_RT_OK;
    });
    delete q;
}

// x is the fastest dimension: 2. A kernel with wave operations or barriers is launched as one row,
// because sub-groups may end at the end of a workgroup's row.
sycl::nd_range<3> range_of(const rt_dispatch &d, bool row) {
    sycl::range<3> local(d.group[2], d.group[1], d.group[0]);
    if (row)
        local = sycl::range<3>(1, 1, local.size());
    return {sycl::range<3>(d.grid[2], d.grid[1], d.grid[0]) * local, local};
}

// oneAPI 2025.0 does not support such parameters.
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

// The parameters of ISA 3.4 in order; those that the kernel does not have are omitted.
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
    return guarded("querying the time", error, [&]() -> wave_rt_status {
        namespace about = sycl::info::event_profiling;
        const sycl::event &event = static_cast<queue_state *>(queue)->last;
        auto start = event.get_profiling_info<about::command_start>();
        auto end = event.get_profiling_info<about::command_end>();
        *seconds = 1e-9 * static_cast<double>(end - start);
        return WAVE_RT_OK;
    });
}

// ---- Events ----

wave_rt_status event_create(void *, void **event, wave_rt_error *error) {
    return guarded("creating an event", error, [&]() -> wave_rt_status {
        *event = new event_state;
        return WAVE_RT_OK;
    });
}

void event_destroy(void *, void *event) {
    delete static_cast<event_state *>(event);
}

// SYCL's events are values: a copy refers to the same position.
sycl::event place_of(void *event) {
    auto *e = static_cast<event_state *>(event);
    std::lock_guard<std::mutex> guard(e->lock);
    return e->event;
}

wave_rt_status event_record(void *queue, void *event, wave_rt_error *error) {
    return guarded("recording an event", error, [&]() -> wave_rt_status {
        auto *e = static_cast<event_state *>(event);
        sycl::event place = static_cast<queue_state *>(queue)->queue.ext_oneapi_submit_barrier();
        std::lock_guard<std::mutex> guard(e->lock);
        e->event = place;
        return WAVE_RT_OK;
    });
}

wave_rt_status event_follow(void *queue, void *event, wave_rt_error *error) {
    return guarded("waiting for an event", error, [&]() -> wave_rt_status {
        (void)static_cast<queue_state *>(queue)->queue.ext_oneapi_submit_barrier({place_of(event)});
        return WAVE_RT_OK;
    });
}

wave_rt_status event_query(void *, void *event, bool *done, wave_rt_error *error) {
    return guarded_wait("querying an event", error, [&]() -> wave_rt_status {
        *done = place_of(event).get_info<sycl::info::event::command_execution_status>() ==
                sycl::info::event_command_status::complete;
        return WAVE_RT_OK;
    });
}

wave_rt_status event_wait(void *, void *event, wave_rt_error *error) {
    return guarded_wait("waiting for an event", error, [&]() -> wave_rt_status {
        place_of(event).wait();
        return WAVE_RT_OK;
    });
}

wave_rt_status event_elapsed(void *, void *start, void *stop, double *seconds,
                             wave_rt_error *error) {
    return guarded("querying the time", error, [&]() -> wave_rt_status {
        using end = sycl::info::event_profiling::command_end;
        auto begun = place_of(start).get_profiling_info<end>();
        auto ended = place_of(stop).get_profiling_info<end>();
        *seconds = 1e-9 * (static_cast<double>(ended) - static_cast<double>(begun));
        return WAVE_RT_OK;
    });
}

void *native(rt_native kind, void *object) {
    switch (kind) {
    case RT_NATIVE_DEVICE: return &static_cast<device_state *>(object)->device;
    case RT_NATIVE_QUEUE: return &static_cast<queue_state *>(object)->queue;
    default: return object; // memory is its address
    }
}

// A pass of Intel's CPU compiler (2026.2) frees memory it never allocated for some kernels with a
// barrier in a loop: "free(): invalid pointer", intermittently. The pass is disabled unless the
// user has set options of their own; other devices ignore the variable. The compiler reads it on
// load.
void disable_crashing_pass() {
    (void)setenv("CL_CONFIG_LLVM_OPTIONS",
                 "-opt-bisect-verbose=0 -opt-disable=sycl-kernel-reduce-cross-barrier-values", 0);
}

// Intel's packages from PyPI include the CPU's driver, but do not register it with OpenCL's loader,
// which would find no device. This names the driver next to libsycl, unless the user names others.
void name_cpu_driver() {
    Dl_info libsycl;
    if (std::getenv("OCL_ICD_FILENAMES") || std::getenv("OCL_ICD_VENDORS") ||
        !dladdr(reinterpret_cast<const void *>(&sycl::device::get_devices), &libsycl))
        return;
    const std::string path = libsycl.dli_fname;
    const std::string driver = path.substr(0, path.rfind('/') + 1) + "libintelocl.so";
    if (driver[0] == '/' && access(driver.c_str(), R_OK) == 0)
        (void)setenv("OCL_ICD_FILENAMES", driver.c_str(), 1);
}

rt_vendor make_table() {
    disable_crashing_pass();
    name_cpu_driver();
    rt_vendor table{};
    table.abi = RT_ABI;
    table.name = "sycl";
    table.target = "sycl";
    table.enumerate = enumerate;
    table.open = open;
    table.close = close;
    table.memory_create = memory_create;
    table.memory_destroy = memory_destroy;
    table.host_create = host_create;
    table.host_destroy = memory_destroy;
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
    table.copy = copy;
    table.launch = launch;
    table.wait = wait;
    table.elapsed = elapsed;
    table.event_create = event_create;
    table.event_destroy = event_destroy;
    table.event_record = event_record;
    table.event_follow = event_follow;
    table.event_query = event_query;
    table.event_wait = event_wait;
    table.event_elapsed = event_elapsed;
    table.native = native;
    return table;
}

} // namespace

extern "C" WAVE_API const rt_vendor *wave_rt_plugin(std::uint32_t abi) {
    static const rt_vendor table = make_table();
    return abi == RT_ABI ? &table : nullptr;
}
