// Tests wave/rt.hpp on a device: results, moving of objects, and errors as exceptions with their details. Usage:
// rt DEVICE KERNELS.wbin (examples/saxpy.wave, assembled)
#include <wave/rt.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>

static int passed, failed;

static void check(const char *what, bool holds) {
    (holds ? passed : failed)++;
    if (!holds)
        std::printf("failed: %s\n", what);
}

template <class F> static void check_error(const char *what, wave_rt_status status, F call) {
    try {
        call();
        check(what, false);
    } catch (const wave::error &problem) {
        check(what, problem.status() == status && *problem.what());
    }
}

int main(int count, char **words) {
    if (count != 3)
        return 2;
    std::ifstream file(words[2], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};

    wave::device opened(words[1]);
    wave::device device(std::move(opened)); // moved: there is still only one owner
    check("the device has a name", !device.name().empty());
    check("a constant", device.constant("WAVE_WIDTH") > 0);
    check("the list has it", !wave::devices().devices.empty());

    wave::module kernels(device, bytes);
    wave::queue queue(device);
    wave::arena arena(device, 1 << 20);
    auto x = arena.take<float>(1000), y = arena.take<float>(1000), z = arena.take<float>(1000);
    std::vector<float> in(1000), out(1000, 1.0f);
    for (std::size_t k = 0; k < in.size(); k++)
        in[k] = static_cast<float>(k);
    queue.upload(x, in);
    queue.upload_async(y, out);
    wave::event before(device), after(device);
    before.record(queue);
    queue.launch(kernels["saxpy"], {4}, wave::arg("x", x), wave::arg("y", y), wave::arg("a", 2.0f), wave::arg("n", 1000u));
    queue.copy(z, y);
    after.record(queue);
    queue.follow(before);
    queue.download(z, out);
    bool right = true;
    for (std::size_t k = 0; k < out.size(); k++)
        right &= out[k] == 2.0f * static_cast<float>(k) + 1.0f;
    check("y = a * x + y", right);
    after.wait();
    check("events are done, in order", before.done() && after.done() && after.seconds_since(before) >= 0);
    check("facts", kernels.at(0).facts().max_threads > 0 && kernels.size() == 1);

    std::vector<float> two(2);
    queue.download(z.part(10, 2), two);
    check("a part of a buffer", two[0] == 21.0f && two[1] == 23.0f);

    check_error("no such device", WAVE_RT_NO_DEVICE, [] { wave::device("none:7"); });
    check_error("no such kernel", WAVE_RT_USAGE, [&] { (void)kernels["nothing"]; });
    check_error("no such argument", WAVE_RT_USAGE, [&] { queue.launch(kernels["saxpy"], {1}, wave::arg("q", 1u)); });
    check_error("an argument of another size", WAVE_RT_USAGE, [&] { queue.launch(kernels["saxpy"], {1}, wave::arg("a", 2.0)); });
    check_error("more than the arena has", WAVE_RT_BOUNDS, [&] { arena.take<float>(1 << 20); });
    check_error("not a WBIN file", WAVE_RT_BAD_INPUT, [&] { wave::module(device, std::string("nonsense")); });
    std::printf("rt.hpp: %d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
