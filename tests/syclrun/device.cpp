// A C interface to Intel's run-time compiler and CPU device. One driver serves every kernel:
// arguments are passed raw, local memory by its size.
#include "syclrun/device.h"

#include <sycl/sycl.hpp>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace syclexp = sycl::ext::oneapi::experimental;

struct sycl_device {
    sycl::queue queue;
    std::optional<sycl::kernel_bundle<sycl::bundle_state::executable>> bundle;
};

namespace {

// Guard bytes before and after the memory, which show whether a kernel writes there.
constexpr std::size_t guard_bytes = 4096;
constexpr std::uint8_t guard_value = 0xA5;

char *copy_of(const std::string &text) {
    return strdup(text.c_str());
}

// Memory of a launch with its guards; freed by the destructor.
class guarded_memory {
  public:
    guarded_memory(sycl::queue &q, const syclrun_launch &launch) : queue(q), size(launch.size) {
        base = sycl::aligned_alloc_shared<std::uint8_t>(4096, size + 2 * guard_bytes, queue);
        if (!base)
            throw std::bad_alloc();
        std::memset(base, guard_value, size + 2 * guard_bytes);
        std::memcpy(start(), launch.memory, size);
    }
    ~guarded_memory() {
        sycl::free(base, queue);
    }
    guarded_memory(const guarded_memory &) = delete;
    guarded_memory &operator=(const guarded_memory &) = delete;

    std::uint8_t *start() const {
        return base + guard_bytes;
    }
    bool intact() const {
        for (std::size_t k = 0; k < guard_bytes; k++)
            if (base[k] != guard_value || start()[size + k] != guard_value)
                return false;
        return true;
    }

  private:
    sycl::queue &queue;
    std::size_t size;
    std::uint8_t *base;
};

// x is the fastest dimension: 2. Sub-groups end with the rows of this device, so a kernel with
// waves gets one row.
sycl::nd_range<3> range_of(const syclrun_launch &launch) {
    const std::uint32_t *grid = launch.grid, *group = launch.group;
    sycl::range<3> local(group[2], group[1], group[0]);
    if (launch.row)
        local = sycl::range<3>(1, 1, local.size());
    return {sycl::range<3>(grid[2], grid[1], grid[0]) * local, local};
}

void submit(sycl::queue &queue, const sycl::kernel &kernel, const syclrun_launch &launch,
            std::uint8_t *memory, std::uint32_t *status) {
    queue
        .submit([&](sycl::handler &handler) {
            int next = 0;
            handler.set_arg(next++, memory);
            if (launch.arg_words)
                handler.set_arg(next++, syclexp::raw_kernel_arg(launch.args, 4 * launch.arg_words));
            // must stay alive: the handler keeps its address
            syclexp::work_group_memory<std::uint8_t[]> local(launch.local_memory, handler);
            if (launch.local_memory)
                handler.set_arg(next++, local);
            if (launch.has_size)
                handler.set_arg(next++, static_cast<std::uint64_t>(launch.size));
            if (launch.has_status)
                handler.set_arg(next++, status);
            if (launch.has_shape) {
                handler.set_arg(next++, launch.group[0]);
                handler.set_arg(next++, launch.group[1]);
            }
            handler.parallel_for(range_of(launch), kernel);
        })
        .wait_and_throw();
}

sycl_device *open_device(char **message) {
    try {
        auto throws = [](sycl::exception_list errors) {
            for (const auto &error : errors)
                std::rethrow_exception(error);
        };
        return new sycl_device{sycl::queue(sycl::cpu_selector_v, throws), std::nullopt};
    } catch (const std::exception &error) {
        *message = copy_of(error.what());
        return nullptr;
    }
}

bool build(sycl_device *device, const char *unit, bool optimise, char **message) {
    std::string log;
    try {
        auto source = syclexp::create_kernel_bundle_from_source(
            device->queue.get_context(), syclexp::source_language::sycl, std::string(unit));
        std::vector<std::string> options{"-ffp-contract=off", "-fno-fast-math",
                                         "-fno-finite-loops"};
        if (!optimise)
            options.push_back("-fno-sycl-early-optimizations");
        device->bundle = syclexp::build(
            source, syclexp::properties{syclexp::save_log{&log}, syclexp::build_options{options}});
        return true;
    } catch (const std::exception &error) {
        *message = copy_of(log + error.what() + "\n");
        return false;
    }
}

bool launch_kernel(sycl_device *device, const char *entry, syclrun_launch *launch, char **message) {
    try {
        if (launch->only_compile ||
            (launch->has_matrices && !device->bundle->ext_oneapi_has_kernel(entry))) {
            // without matrix units for these elements the run time does not have the kernel
            launch->outcome = SYCLRUN_ONLY_COMPILED;
            return true;
        }
        sycl::kernel kernel = device->bundle->ext_oneapi_get_kernel(entry);
        guarded_memory memory(device->queue, *launch);
        std::uint32_t *status = sycl::malloc_shared<std::uint32_t>(2, device->queue);
        if (!status)
            throw std::bad_alloc();
        status[0] = status[1] = 0;
        submit(device->queue, kernel, *launch, memory.start(), status);
        std::memcpy(launch->status, status, sizeof launch->status);
        sycl::free(status, device->queue);
        std::memcpy(launch->memory, memory.start(), launch->size);
        launch->outcome = memory.intact() ? SYCLRUN_DONE : SYCLRUN_OUT_OF_BOUNDS;
        return true;
    } catch (const std::exception &error) {
        *message = copy_of(error.what());
        return false;
    }
}

} // namespace

extern "C" const sycl_device_functions sycl_device_table = {open_device, build, launch_kernel};
