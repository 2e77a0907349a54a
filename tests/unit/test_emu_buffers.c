/* Which launches the checker of contained buffers watches: only those with such a buffer. Every
 * other launch keeps its threads and its fast paths. */
#include "emu/checks.h"
#include "emu_helpers.h"

static bool wanted(const char *declaration, uint32_t word) {
    char source[256];
    snprintf(source, sizeof source, ".kernel k\n.registers 8\n%s\nhalt\n.end\n", declaration);
    emu_case c = emu_open(source);
    const wave_launch_buffer buffer = {.word = word, .size = 64};
    const uint32_t initial[2] = {0, 128};
    c.launch.registers = 8;
    c.launch.initial = initial;
    c.launch.initial_count = 2;
    c.launch.buffers = &buffer;
    c.launch.buffer_count = 1;
    bool answer = emu_buffers_wanted(&c.module->kernels[0], &c.launch);
    emu_close(&c);
    return answer;
}

Test(buffers, only_contained_ones_are_watched) {
    cr_expect(wanted(".arg x buffer f32 contained", 0));
    cr_expect(wanted(".arg n u32\n.arg x buffer f32 contained", 1));
    cr_expect_not(wanted(".arg x buffer f32", 0));
    cr_expect_not(wanted(".arg x buffer f32\n.arg y buffer f32 contained", 0), "y has no size");
    cr_expect_not(wanted(".arg n u32", 0), "no buffer");
    cr_expect_not(wanted(".arg n u32\n.arg m u32\n.arg x buffer f32 contained", 2),
                  "its word is not given");
}
