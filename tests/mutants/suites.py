"""The tests to run for a defect in each file, fastest and most specific first; then all the others. All of them are part of
make check, which runs more of the same kind: a mutant killed here is also killed by make check."""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Suite:
    def __init__(self, name, targets, command):
        self.name, self.targets, self.command = name, targets, command


# The runtime's tests open the simulated drivers while they run.
DRIVERS = ["build/tests/libsimcuda.so", "build/tests/libsimhip.so"]


def unit(name):
    program = "build/tests/test_" + name
    return Suite("test_" + name, (DRIVERS if name.startswith("rt_") else []) + [program], program)


PROGRAMS = "$(find examples tests/programs -name '*.wave' | LC_ALL=C sort)"


def tool(name):
    return Suite("cli/" + name, ["all"], "WAVE_BIN=$PWD/build/bin sh tests/cli/%s.sh" % name)


# Texts on the CPU harness: clang++ compiles them, which is slow, so these are a few programs that together use every kind
# of operation.
HARNESS = ("examples/bitonic_sort examples/softmax examples/calls examples/histogram examples/cas_loop examples/crc32 "
           "tests/programs/wave/random/random_divergence_04 tests/programs/wave/random/random_calls_02 "
           "tests/programs/wave/reduce/reduce_add_with_continue tests/programs/wave/shuffle/shuffle_up_delta_per_lane "
           "tests/programs/wave/shuffle/shuffle_up_by_one tests/programs/wave/shuffle/shuffle_out_of_range "
           "tests/programs/wave/shuffle/shuffle_xor_butterfly_sum tests/programs/wave/prefix_sum/prefix_sum_in_branch "
           "tests/programs/wave/vote/all_some_and_all tests/programs/arithmetic/integer/idiv_edges tests/programs/arithmetic/bits/sar_edges "
           "tests/programs/arithmetic/bits/shl_edges tests/programs/wave/shuffle/shuffle_xor_by_constants "
           "tests/programs/optimiser/loops/registers_change_places tests/programs/arithmetic/f16/hmul2_of_a_choice "
           "tests/programs/wave/ballot/ballot64 tests/programs/memory/atomic64/atomic64_imin_edges")
DEEP = "tests/programs/control/nesting/nest_mixed_256"


def harness(name, flags, programs):
    files = " ".join(program + ".wave" for program in programs.split())
    return Suite(name, ["build/tests/wave-simt-test"], "build/tests/wave-simt-test --half --schedules=1 %s %s" % (flags, files))


def suite(name):
    if name == "simt-hip":
        return harness(name, "--target=hip --arch=gfx942", HARNESS)
    if name == "simt-msl":
        return harness(name, "--target=msl", HARNESS)
    if name == "simt-deep":
        return harness(name, "--target=hip --arch=gfx942", DEEP)
    if name == "programs":
        return Suite(name, ["build/bin/wave-test"], "build/bin/wave-test " + PROGRAMS)
    if name == "ptx":
        return Suite(name, ["build/tests/wave-ptx-test"],
                     "build/tests/wave-ptx-test {0} && build/tests/wave-ptx-test --arch=80 {0} && "
                     "build/tests/wave-ptx-test --arch=80 --bounds {0}".format(PROGRAMS))
    if name == "fail-alloc":
        return Suite(name, ["build/tests/wave-fail-alloc"], "build/tests/wave-fail-alloc tests/golden/allops.wave "
                     "tests/programs/wave/reduce/reduce_add_with_continue.wave")
    if name.startswith("cli/"):
        return tool(name[4:])
    return unit(name)


# By folder: the tests to run first.
NEAREST = {
    "src/base": "scalar_edges scalar_int container asm_diag programs scalar_f32 scalar_f64 scalar_f16 exact_math mma_model",
    "src/isa": "isa_table decode asm roundtrip programs",
    "src/frontend": "decode details validate container args dis roundtrip cli/wavec_check",
    "src/asm": "asm details dis roundtrip asm_diag cli/wave_asm cli/wave_dis",
    "src/emu": "programs emu_control emu_memory emu_launch emu_waves emu_observe check_race check_uninit profile details emu_lanes "
               "emu_random check_race_random tiles cli/wave_emu",
    "src/ir": "ir_build ir_verify ir_uniform ir_simplify ir_opt ir_opt_loops ir_functions ir_text ir_math fences wave_order ptx emit_ptx sycl_exits",
    "src/emit": "materialise c_literal c_range emit_hip emit_msl emit_sycl simt-hip ptx emit_ptx cli/wavec_compile",
    "src/emit_hip": "emit_hip simt-hip cli/details",
    "src/emit_sycl": "emit_sycl sycl_exits cli/wavec_sycl",
    "src/emit_msl": "emit_msl simt-msl cli/wavec_msl",
    "src/emit_ptx": "emit_ptx ptx cli/wavec_compile",
    "src/compile": "emit_ptx cli/wavec_compile cli/wavec_check",
    "src/cli": "cli/wave_asm cli/wave_dis cli/wavec_check cli/wavec_compile cli/wave_emu cli/details cli/floats cli/outputs",
    "runtime": "rt_core rt_cache rt_cuda rt_hip rt_alloc cli/wave_run",
}

# Run last, unless already run.
REST = ("details programs ptx asm dis roundtrip decode validate container args emit_ptx materialise ir_build ir_opt ir_opt_loops "
        "ir_text ir_math check_race check_uninit profile emu_launch emu_observe asm_diag cli/wavec_check cli/wavec_compile "
        "cli/wave_emu cli/wave_asm cli/wave_dis fail-alloc cli/outputs")


def for_file(path, first=None):
    folder = os.path.dirname(path)
    names = ([first] if first else []) + NEAREST.get(folder, "").split()
    names += [name for name in REST.split() if not path.startswith("runtime/")]
    return [suite(name) for name in dict.fromkeys(names)]


def everything():
    names = " ".join(list(NEAREST.values()) + [REST]).split()
    return [suite(name) for name in dict.fromkeys(names)]
