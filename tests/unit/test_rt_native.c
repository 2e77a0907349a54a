/* Kernels in a vendor's own form with the JSON of wave_reflect: text and machine code on the
 * simulated CUDA and HIP drivers, text and SPIR-V on Intel's CPU device where it is available; and
 * invalid descriptions. */
#include "rt_helpers.h"

#include <wave/compile.h>

#include "../runtime/json.h"

typedef struct kernels {
    wave_blob text, reflect;
} kernels;

/* The output of wavec for a target. */
static kernels compile(const char *source, const char *target) {
    kernels k = {0};
    wave_compile_options options;
    wave_module *module;
    wave_blob binary = rt_assemble(source);
    cr_assert_eq(wave_module_load(binary.data, binary.size, NULL, &module, NULL), WAVE_OK);
    wave_compile_init(&options);
    options.target = (wave_target)wave_target_find(target);
    cr_assert_eq(wave_compile(module, &options, &k.text, NULL), WAVE_OK);
    cr_assert_eq(wave_reflect(module, &options, &k.reflect, NULL), WAVE_OK);
    wave_module_destroy(module);
    wave_blob_free(&binary);
    return k;
}

static void drop(kernels *k) {
    wave_blob_free(&k->text);
    wave_blob_free(&k->reflect);
}

static wave_rt_status load(wave_rt_device *device, const wave_blob *data, const wave_blob *reflect,
                           wave_rt_module **module, wave_rt_error *error) {
    return wave_rt_module_load_native(device, data->data, data->size, (const char *)reflect->data,
                                      reflect->size, module, error);
}

/* The scene of rt_helpers.h, with the same kernel in another form. */
static void run(const char *device, const wave_blob *data, const wave_blob *reflect) {
    rt_scene s;
    wave_rt_error error = {0};
    cr_assert_eq(rt_scene_make(&s, device, &error), WAVE_RT_OK, "%s", error.message);
    wave_rt_module_destroy(s.module);
    s.module = NULL;
    cr_assert_eq(load(s.device, data, reflect, &s.module, &error), WAVE_RT_OK, "%s\n%s",
                 error.message, error.log);
    const wave_module *known = wave_rt_module_kernels(s.module);
    cr_expect_eq(wave_module_kernel_count(known), 1);
    cr_expect_str_eq(wave_module_kernel(known, 0)->name, "madd");
    cr_expect_eq(wave_module_kernel(known, 0)->argument_words, 4);
    cr_assert_eq(rt_scene_launch(&s, &error), WAVE_RT_OK, "%s", error.message);
    rt_expect_sums(&s);
    rt_scene_free(&s);
}

static void use_cuda(void) {
    char path[4096];
    rt_turn_off_vendors();
    setenv("WAVE_CUDA_LIBRARY", rt_sim_path("libsimcuda.so", path), 1);
}

Test(rt_native, ptx_and_simulated_cubins_run, .init = use_cuda) {
    kernels k = compile(RT_MADD, "ptx");
    run("cuda:0", &k.text, &k.reflect);
    /* the simulated linker's output for a text (tests/simgpu/cuda.c) */
    uint8_t code[16384] = "\x7fSIMCUB\n";
    const unsigned capability = 75;
    cr_assert_lt(k.text.size, sizeof code - 16);
    memcpy(code + 8, &capability, sizeof capability);
    memcpy(code + 12, k.text.data, k.text.size);
    const wave_blob cubin = {.data = code, .size = 12 + k.text.size + 1};
    run("cuda:0", &cubin, &k.reflect);
    drop(&k);
}

/* ---- Files of the vendors' compilers, with the text appended that the simulated drivers execute
 * in their stead (tests/simgpu) ---- */

enum { ROOM = 65536 };

/* Runs a command on a file with this source; stores its output at `code` and returns the number of
 * bytes. */
static size_t translate(const char *command, const char *source, uint8_t code[ROOM]) {
    char folder[] = "/tmp/wave_native.XXXXXX", line[700], name[64];
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(name, sizeof name, "%s/in", folder);
    FILE *file = fopen(name, "w");
    cr_assert(file && fputs(source, file) >= 0 && fclose(file) == 0);
    (void)snprintf(line, sizeof line, "%s %s/in -o %s/out", command, folder, folder);
    cr_assert_eq(system(line), 0, "%s", line);
    (void)snprintf(name, sizeof name, "%s/out", folder);
    file = fopen(name, "rb");
    cr_assert_not_null(file);
    size_t size = fread(code, 1, ROOM, file);
    (void)fclose(file);
    (void)snprintf(line, sizeof line, "rm -r %s", folder);
    (void)system(line);
    cr_assert_lt(size, ROOM);
    return size;
}

static wave_blob with_text(uint8_t code[ROOM], size_t size, const kernels *k) {
    cr_assert_lt(k->text.size, ROOM - size);
    memcpy(code + size, k->text.data, k->text.size);
    return (wave_blob){.data = code, .size = size + k->text.size};
}

/* A valid file runs without compilation. One for another GPU, and one without the kernel, are
 * refused with the driver's message. */
static void run_objects(const char *name, const char *library, const char *compiling,
                        const wave_blob objects[3], const kernels *k, const kernels *absent) {
    rt_sim sim = rt_sim_open(library);
    run(name, &objects[0], &k->reflect);
    wave_rt_device *device = rt_open(name);
    wave_rt_module *module = NULL;
    wave_rt_error error = {0};
    sim.reset();
    cr_assert_eq(load(device, &objects[0], &k->reflect, &module, &error), WAVE_RT_OK, "%s",
                 error.message);
    cr_expect_null(strstr(sim.trace(), compiling), "nothing is compiled: %s", sim.trace());
    wave_rt_module_destroy(module);
    cr_expect_eq(load(device, &objects[1], &k->reflect, &module, &error), WAVE_RT_BAD_BUILD);
    cr_expect(strstr(error.message, "ModuleLoadData: no kernel image"), "%s", error.message);
    cr_expect_eq(load(device, &objects[2], &absent->reflect, &module, &error), WAVE_RT_VENDOR);
    cr_expect(strstr(error.message, "ModuleGetFunction"), "%s", error.message);
    cr_expect_null(module);
    wave_rt_close(device);
    cr_expect(sim.live() == 0 && sim.left() == 0);
    dlclose(sim.library);
}

Test(rt_native, a_cubin_of_ptxas_runs, .init = use_cuda) {
    static const char *const archs[] = {"sm_75", "sm_90", "sm_75"};
    static uint8_t code[3][ROOM];
    wave_blob objects[3];
    if (!has_ptxas())
        return;
    kernels k = compile(RT_MADD, "ptx"), absent = compile(RT_STORE, "ptx");
    for (int n = 0; n < 3; n++) {
        char command[100];
        (void)snprintf(command, sizeof command, "$(sh scripts/find-ptxas.sh) -arch=%s", archs[n]);
        size_t size = translate(command, (const char *)k.text.data, code[n]);
        objects[n] = with_text(code[n], size, n == 2 ? &absent : &k);
    }
    run_objects("cuda:0", "libsimcuda.so", "cuLink", objects, &k, &absent);
    drop(&absent);
    drop(&k);
}

/* Arguments by name come from the description. */
Test(rt_native, arguments_can_be_set_by_name, .init = use_cuda) {
    static const char source[] =
        ".kernel named\n.arg out buffer u32 out restrict\n.arg wide u64\n.arg pair bytes 8\n"
        ".arg small i16\n device_store_u32 r0, r5\n halt\n.end\n";
    kernels k = compile(source, "ptx");
    wave_rt_device *device = rt_open("cuda:0");
    wave_rt_module *module;
    wave_rt_error error = {0};
    uint32_t words[6] = {0};
    cr_assert_eq(load(device, &k.text, &k.reflect, &module, &error), WAVE_RT_OK, "%s",
                 error.message);
    int16_t small = -2;
    cr_expect_eq(wave_rt_set_scalar(module, 0, "small", &small, 2, words, &error), WAVE_RT_OK, "%s",
                 error.message);
    cr_expect_eq(words[5], UINT32_MAX - 1);
    cr_expect_eq(wave_rt_set_scalar(module, 0, "wide", &small, 2, words, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_module_argument(wave_rt_module_kernels(module), 0, 0)->flags,
                 WAVE_ARGUMENT_RESTRICT);
    wave_rt_module_destroy(module);
    wave_rt_close(device);
    drop(&k);
}

Test(rt_native, kernels_for_other_targets_are_refused, .init = use_cuda) {
    kernels k = compile(RT_MADD, "ptx"), hip = compile(RT_MADD, "hip");
    wave_rt_device *emu = rt_open("emu"), *cuda = rt_open("cuda:0");
    wave_rt_module *module = (wave_rt_module *)&module;
    wave_rt_error error = {0};
    cr_expect_eq(load(emu, &k.text, &k.reflect, &module, &error), WAVE_RT_USAGE);
    cr_expect_str_eq(error.message, "emu runs WBIN files only");
    cr_expect_null(module);
    cr_expect_eq(load(cuda, &k.text, &hip.reflect, &module, &error), WAVE_RT_BAD_INPUT);
    cr_expect(strstr(error.message, "not for target ptx"), "%s", error.message);
    cr_expect_eq(load(cuda, &hip.text, &k.reflect, &module, &error), WAVE_RT_BAD_BUILD);
    cr_expect_eq(load(cuda, &k.text, &(wave_blob){0}, &module, &error), WAVE_RT_USAGE);
    cr_expect_eq(wave_rt_module_load_native(cuda, "", 0, "{}", 2, &module, &error), WAVE_RT_USAGE);
    wave_rt_close(emu);
    wave_rt_close(cuda);
    drop(&k);
    drop(&hip);
}

/* Untrusted descriptions: truncated anywhere, or with a byte changed. */
Test(rt_native, hostile_descriptions_are_survived, .init = use_cuda, .timeout = 120) {
    static const char source[] =
        ".kernel named\n.arg out buffer u32 out\n.arg n u32\n halt\n.end\n";
    static const char changes[] = "\"{}[],:\\0x9-\n";
    kernels k = compile(source, "ptx");
    wave_rt_device *device = rt_open("cuda:0");
    wave_rt_module *module;
    wave_rt_error error = {0};
    unsigned refused = 0;
    for (size_t size = 0; size < k.reflect.size - 2; size++) {
        const wave_blob part = {k.reflect.data, size};
        cr_assert_neq(load(device, &k.text, &part, &module, &error), WAVE_RT_OK, "%zu", size);
    }
    for (size_t at = 0; at < k.reflect.size; at++) {
        uint8_t before = k.reflect.data[at];
        k.reflect.data[at] = (uint8_t)changes[at % (sizeof changes - 1)];
        if (load(device, &k.text, &k.reflect, &module, &error) == WAVE_RT_OK)
            wave_rt_module_destroy(module);
        else
            refused++;
        k.reflect.data[at] = before;
    }
    cr_expect_gt(refused, k.reflect.size / 4);
    wave_rt_close(device);
    drop(&k);
}

Test(rt_native, json_is_parsed_strictly) {
    static const char text[] = " {\"a\": [1, 4294967295, 4294967296, -1], \"b\\\"\": {\"a\": "
                               "true}, \"c\": \"x y\", \"d\": []} ";
    rt_json all = rt_json_parse(text, sizeof text - 1), list = rt_json_member(all, "a");
    uint32_t number = 0;
    rt_json one = rt_json_first(list);
    cr_expect(rt_json_number(one, &number) && number == 1);
    one = rt_json_next(list, one);
    cr_expect(rt_json_number(one, &number) && number == UINT32_MAX);
    one = rt_json_next(list, one);
    cr_expect_not(rt_json_number(one, &number));
    one = rt_json_next(list, one);
    cr_expect_not(rt_json_number(one, &number));
    cr_expect_null(rt_json_next(list, one).at);
    cr_expect(rt_json_is(rt_json_member(all, "c"), "x y"));
    cr_expect_null(rt_json_first(rt_json_member(all, "d")).at);
    cr_expect_null(rt_json_member(all, "e").at);
    char *string = rt_json_string(rt_json_member(all, "c"));
    cr_expect_str_eq(string, "x y");
    free(string);
    static const char *const bad[] = {"",      "{",      "[}", "{\"a\": ", "\"a", "{} {}",
                                      "\"a\\", "[1, 2)", "@",  "]",        ",",   "\"\\\""};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        cr_expect_null(rt_json_parse(bad[k], strlen(bad[k])).at, "%s", bad[k]);
    char deep[4000];
    memset(deep, '[', sizeof deep);
    cr_expect_null(rt_json_parse(deep, sizeof deep).at);
}

/* ---- Another compiler's kernel: the arena and the words are its parameters ---- */

static const char opencl[] =
    "struct args { uint a, b, c, s; };\n"
    "kernel void madd(global uchar *mem, const struct args w) {\n"
    "  uint i = 4 * get_global_id(0);\n"
    "  *(global uint *)(mem + w.c + i) = *(global uint *)(mem + w.a + i) +\n"
    "                                    *(global uint *)(mem + w.b + i) * w.s;\n}\n";

/* ---- On the simulated HIP driver ---- */

static bool use_hip(void) {
    char path[4096];
    if (!rt_has_clang())
        return false;
    setenv("WAVE_CUDA_LIBRARY", "", 1);
    setenv("WAVE_HIP_LIBRARY", rt_sim_path("libsimhip.so", path), 1);
    setenv("WAVE_HIPRTC_LIBRARY", path, 1);
    return true;
}

Test(rt_native, hip_text_runs) {
    if (!use_hip())
        return;
    kernels k = compile(RT_MADD, "hip");
    run("hip:0", &k.text, &k.reflect);
    drop(&k);
}

Test(rt_native, a_code_object_of_clang_runs) {
    static const char *const gpus[] = {"gfx942", "gfx1030", "gfx942"};
    static uint8_t code[3][ROOM];
    wave_blob objects[3];
    if (!use_hip())
        return;
    kernels k = compile(RT_MADD, "hip"), absent = compile(RT_STORE, "hip");
    for (int n = 0; n < 3; n++) {
        char command[400];
        (void)snprintf(
            command, sizeof command,
            "$(sh scripts/find-clang.sh) -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=%s "
            "-nogpulib -O2 '-Dget_global_id(d)=(64 * __builtin_amdgcn_workgroup_id_x() + "
            "__builtin_amdgcn_workitem_id_x())'",
            gpus[n]);
        objects[n] = with_text(code[n], translate(command, opencl, code[n]), n == 2 ? &absent : &k);
    }
    run_objects("hip:0", "libsimhip.so", "hiprtc", objects, &k, &absent);
    drop(&absent);
    drop(&k);
}

/* ---- On Intel's CPU device, where it is available ---- */

Test(rt_native, sycl_text_runs, .timeout = 200) {
    if (!rt_has_sycl())
        return;
    kernels k = compile(RT_MADD, "sycl");
    run("sycl:cpu", &k.text, &k.reflect);
    drop(&k);
}

Test(rt_native, spirv_of_clang_runs_on_sycl, .timeout = 200) {
    static uint8_t code[ROOM];
    if (!rt_has_sycl())
        return;
    if (system("command -v clang-22 >/dev/null 2>&1") != 0) {
        cr_skip_test("no clang 22");
        return;
    }
    size_t size = translate("clang-22 -x cl -cl-std=CL2.0 -target spirv64 -O1 -c", opencl, code);
    const wave_blob spirv = {.data = code, .size = size};
    kernels k = compile(RT_MADD, "sycl");
    run("sycl:cpu", &spirv, &k.reflect);
    drop(&k);
}
