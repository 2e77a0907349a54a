// wave_rt.h for C++17: the same objects with destructors, and errors as exceptions.
//
//     wave::device device("auto");
//     wave::module kernels(device, bytes);
//     wave::queue queue(device);
//     wave::arena arena(device, 1 << 20);
//     auto x = arena.take<float>(1000), y = arena.take<float>(1000);
//     queue.upload(x, host_x);
//     queue.launch(kernels["saxpy"], {4}, wave::arg("x", x), wave::arg("y", y), wave::arg("a", 2.0f), wave::arg("n", 1000u));
//     queue.download(y, host_y);
//
// Objects can be moved, not copied. Call everything else through get(). Guide: docs/using/runtime.md.
#ifndef WAVE_RT_HPP
#define WAVE_RT_HPP

#include <wave/wave_rt.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace wave {

// An error: what() is the message, detail() has the rest.
class error : public std::runtime_error {
public:
    explicit error(const wave_rt_error &from) : std::runtime_error(text_of(from)), detail_(std::make_shared<wave_rt_error>(from)) {}
    wave_rt_status status() const noexcept { return detail_->status; }
    const wave_rt_error &detail() const noexcept { return *detail_; }

private:
    static std::string text_of(const wave_rt_error &from) {
        return from.message[0] ? from.message : wave_rt_status_text(from.status);
    }
    std::shared_ptr<wave_rt_error> detail_; // copying an exception must not throw
};

namespace detail {

// Calls `function` with an error as its last argument.
template <class F, class... A> void check(F function, A &&...arguments) {
    wave_rt_error problem{};
    wave_rt_status status = function(std::forward<A>(arguments)..., &problem);
    if (status == WAVE_RT_OK)
        return;
    problem.status = status;
    throw error(problem);
}

template <class T, void (*Destroy)(T *)> struct destroyer {
    void operator()(T *object) const noexcept { Destroy(object); }
};
template <class T, void (*Destroy)(T *)> using handle = std::unique_ptr<T, destroyer<T, Destroy>>;

} // namespace detail

class device {
public:
    explicit device(const std::string &name = "auto") {
        wave_rt_device *made = nullptr;
        detail::check(wave_rt_open, name.c_str(), &made);
        handle_.reset(made);
    }
    wave_rt_device *get() const noexcept { return handle_.get(); }
    const wave_rt_device_info &info() const noexcept { return *wave_rt_device_describe(get()); }
    std::string name() const { return info().name; }
    std::uint64_t constant(const std::string &name) const {
        std::uint64_t value = 0;
        detail::check(wave_rt_query_constant, get(), name.c_str(), &value);
        return value;
    }
    bool has(const std::string &capability) const {
        bool present = false;
        detail::check(wave_rt_query_capability, get(), capability.c_str(), &present);
        return present;
    }

private:
    detail::handle<wave_rt_device, wave_rt_close> handle_;
};

// The available devices, and why other vendors have none.
struct device_list {
    std::vector<wave_rt_device_info> devices;
    std::vector<wave_rt_absence> absent;
};
inline device_list devices() {
    wave_rt_list list{};
    detail::check(wave_rt_enumerate, &list);
    std::unique_ptr<wave_rt_list, detail::destroyer<wave_rt_list, wave_rt_list_free>> owner(&list);
    return {{list.devices, list.devices + list.count}, {list.absent, list.absent + list.absent_count}};
}

// Elements in an arena, which must outlive the buffer.
template <class T> class buffer {
    static_assert(std::is_trivially_copyable<T>::value, "device memory holds plain values");

public:
    buffer() = default;
    explicit buffer(const wave_rt_buffer &raw) : raw_(raw) {}
    std::size_t size() const noexcept { return static_cast<std::size_t>(raw_.size / sizeof(T)); }
    const wave_rt_buffer &get() const noexcept { return raw_; }
    buffer part(std::size_t first, std::size_t count) const {
        wave_rt_buffer made{};
        detail::check(wave_rt_buffer_part, &raw_, first * sizeof(T), count * sizeof(T), &made);
        return buffer(made);
    }
    // The host address; throws where the host cannot access it.
    T *map() const {
        void *pointer = nullptr;
        detail::check(wave_rt_buffer_map, &raw_, &pointer);
        return static_cast<T *>(pointer);
    }

private:
    wave_rt_buffer raw_{};
};

enum class memory { of_device, shared };

class arena {
public:
    arena(const device &on, std::uint64_t bytes, memory kind = memory::of_device) {
        wave_rt_arena *made = nullptr;
        detail::check(kind == memory::shared ? wave_rt_arena_create_shared : wave_rt_arena_create, on.get(), bytes, &made);
        handle_.reset(made);
    }
    wave_rt_arena *get() const noexcept { return handle_.get(); }
    std::uint64_t size() const noexcept { return wave_rt_arena_size(get()); }
    template <class T> buffer<T> take(std::size_t count) {
        wave_rt_buffer made{};
        detail::check(wave_rt_arena_take, get(), static_cast<std::uint64_t>(count) * sizeof(T), &made);
        return buffer<T>(made);
    }
    void reset() noexcept { wave_rt_arena_reset(get()); }

private:
    detail::handle<wave_rt_arena, wave_rt_arena_destroy> handle_;
};

// A kernel of a module, which must outlive the kernel.
class kernel {
public:
    kernel(const wave_rt_module *module, std::size_t index) noexcept : module_(module), index_(index) {}
    const wave_rt_module *module() const noexcept { return module_; }
    std::size_t index() const noexcept { return index_; }
    const wave_kernel_info &info() const noexcept { return *wave_module_kernel(wave_rt_module_kernels(module_), index_); }
    wave_rt_facts facts() const {
        wave_rt_facts facts{};
        facts.size = sizeof facts;
        detail::check(wave_rt_kernel_facts, module_, index_, &facts);
        return facts;
    }

private:
    const wave_rt_module *module_;
    std::size_t index_;
};

class module {
public:
    // A WBIN or SPIR-V file. Initialise `options` with wave_rt_module_init.
    module(const device &on, const void *data, std::size_t size, const wave_rt_module_options *options = nullptr) {
        wave_rt_module *made = nullptr;
        detail::check(wave_rt_module_load, on.get(), data, size, options, &made);
        handle_.reset(made);
    }
    template <class Bytes> module(const device &on, const Bytes &bytes, const wave_rt_module_options *options = nullptr)
        : module(on, bytes.data(), bytes.size() * sizeof *bytes.data(), options) {}
    wave_rt_module *get() const noexcept { return handle_.get(); }
    std::size_t size() const noexcept { return wave_module_kernel_count(wave_rt_module_kernels(get())); }
    kernel at(std::size_t index) const {
        if (index >= size())
            refuse("there is no kernel " + std::to_string(index));
        return {get(), index};
    }
    kernel operator[](const std::string &name) const {
        long index = wave_module_find_kernel(wave_rt_module_kernels(get()), name.c_str());
        if (index < 0)
            refuse("there is no kernel '" + name + "'");
        return {get(), static_cast<std::size_t>(index)};
    }

private:
    [[noreturn]] static void refuse(const std::string &why) {
        wave_rt_error problem{};
        problem.status = WAVE_RT_USAGE;
        why.copy(problem.message, sizeof problem.message - 1);
        throw error(problem);
    }
    detail::handle<wave_rt_module, wave_rt_module_destroy> handle_;
};

// An argument by name: a buffer, or a value of the declared type's size.
template <class T> struct named {
    const char *name;
    T value;
};
template <class T> named<T> arg(const char *name, const T &value) {
    return {name, value};
}

// Workgroups of a grid, or threads of a workgroup: {4}, {4, 4}, {4, 4, 4}.
struct extent {
    std::array<std::uint32_t, 3> size;
    extent(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) noexcept : size{{x, y, z}} {}
};

class event;

class queue {
public:
    explicit queue(const device &on) {
        wave_rt_queue *made = nullptr;
        detail::check(wave_rt_queue_create, on.get(), &made);
        handle_.reset(made);
    }
    wave_rt_queue *get() const noexcept { return handle_.get(); }

    // Transfers to and from anything with data() and size(), for as many elements as that holds.
    template <class T, class Host> void upload(const buffer<T> &to, const Host &from) {
        detail::check(wave_rt_upload, get(), &to.get(), std::uint64_t{0}, from.data(), bytes_of<T>(from));
    }
    template <class T, class Host> void download(const buffer<T> &from, Host &to) {
        detail::check(wave_rt_download, get(), &from.get(), std::uint64_t{0}, to.data(), bytes_of<T>(to));
    }
    template <class T, class Host> void upload_async(const buffer<T> &to, const Host &from) {
        detail::check(wave_rt_upload_async, get(), &to.get(), std::uint64_t{0}, from.data(), bytes_of<T>(from));
    }
    template <class T, class Host> void download_async(const buffer<T> &from, Host &to) {
        detail::check(wave_rt_download_async, get(), &from.get(), std::uint64_t{0}, to.data(), bytes_of<T>(to));
    }
    template <class T> void fill(const buffer<T> &to, std::uint8_t byte) { detail::check(wave_rt_fill, get(), &to.get(), byte); }
    template <class T> void copy(const buffer<T> &to, const buffer<T> &from) {
        detail::check(wave_rt_copy, get(), &to.get(), std::uint64_t{0}, &from.get(), std::uint64_t{0}, from.get().size);
    }

    // Queues a launch; follow it with wait() or a transfer that is complete on return.
    template <class... T> void launch(const kernel &what, const extent &grid, const named<T> &...arguments) {
        launch_groups(what, grid, extent{32}, arguments...);
    }
    // The same for a kernel that does not fix its workgroup size.
    template <class... T> void launch_groups(const kernel &what, const extent &grid, const extent &group, const named<T> &...arguments) {
        std::vector<std::uint32_t> words(what.info().argument_words + 1);
        wave_rt_launch launch;
        wave_rt_launch_init(&launch);
        (set(what, arguments, words, launch), ...);
        launch.module = what.module();
        launch.kernel = what.index();
        for (int k = 0; k < 3; k++) {
            launch.grid[k] = grid.size[static_cast<std::size_t>(k)];
            launch.workgroup[k] = group.size[static_cast<std::size_t>(k)];
        }
        launch.words = words.data();
        launch.word_count = what.info().argument_words;
        detail::check(wave_rt_dispatch, get(), &launch);
    }
    void wait() { detail::check(wave_rt_wait, get()); }
    void follow(const event &before);

private:
    template <class T, class Host> static std::uint64_t bytes_of(const Host &host) {
        static_assert(std::is_same<T, std::remove_cv_t<std::remove_reference_t<decltype(*host.data())>>>::value, "elements of another type");
        return static_cast<std::uint64_t>(host.size()) * sizeof(T);
    }
    template <class T>
    static void set(const kernel &what, const named<buffer<T>> &argument, std::vector<std::uint32_t> &words, wave_rt_launch &launch) {
        detail::check(wave_rt_set_buffer, what.module(), what.index(), argument.name, &argument.value.get(), words.data());
        launch.arena = argument.value.get().arena;
    }
    template <class T> static void set(const kernel &what, const named<T> &argument, std::vector<std::uint32_t> &words, wave_rt_launch &) {
        static_assert(std::is_trivially_copyable<T>::value, "arguments are plain values");
        detail::check(wave_rt_set_scalar, what.module(), what.index(), argument.name, &argument.value, sizeof(T), words.data());
    }
    detail::handle<wave_rt_queue, wave_rt_queue_destroy> handle_;
};

class event {
public:
    explicit event(const device &on) {
        wave_rt_event *made = nullptr;
        detail::check(wave_rt_event_create, on.get(), &made);
        handle_.reset(made);
    }
    wave_rt_event *get() const noexcept { return handle_.get(); }
    void record(const queue &in) { detail::check(wave_rt_event_record, get(), in.get()); }
    void wait() const { detail::check(wave_rt_event_wait, get()); }
    bool done() const {
        bool is = false;
        detail::check(wave_rt_event_query, get(), &is);
        return is;
    }
    double seconds_since(const event &start) const {
        double seconds = 0;
        detail::check(wave_rt_event_elapsed, start.get(), get(), &seconds);
        return seconds;
    }

private:
    detail::handle<wave_rt_event, wave_rt_event_destroy> handle_;
};

inline void queue::follow(const event &before) {
    detail::check(wave_rt_event_follow, get(), before.get());
}

} // namespace wave

#endif
