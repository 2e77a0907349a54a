#!/bin/sh
# wavec --query: the specification's constants and capabilities (S0 section 7) of every architecture, none below its
# minimum. Run with WAVE_BIN=build/bin.
. "$(dirname "$0")/../support/cli.sh"
wavec=$bin/wavec

check "AMD's gfx942" 0 "$wavec" --query --target=hip --arch=gfx942
said out "WAVE_WIDTH               64"
said out "LOCAL_MEMORY_SIZE        65536"
said out "CAP_F64                  yes"
said out "CAP_ATOMIC_64            yes"
said out "MMA_TYPES                f16_f32 bf16_f32 f32_f32 i8_i32 u8_i32"
silent err
check "another option order, a default architecture" 0 "$wavec" --target=msl --query
said out "architecture             msl metal3.2"
said out "LOCAL_MEMORY_SIZE        32768"
said out "CAP_F64                  no"
said out "CAP_ATOMIC_64            no"
check "a width" 0 "$wavec" --query --target=sycl --wave-width=16
said out "WAVE_WIDTH               16"
check "wave-run prints the types by name too" 0 "$bin/wave-run" --device=emu --query
said out "MMA_TYPES                f16_f32 bf16_f32 f32_f32 i8_i32 u8_i32"

check "JSON of all targets" 0 "$wavec" --query=json --target=all
ok "JSON of all targets: four" python3 -c 'import json; assert [t["target"] for t in json.load(open("out"))] == ["ptx", "hip", "sycl", "msl"]'
cat >minimums.py <<'END'
import json, subprocess, sys
least = {"WAVE_WIDTH": 8, "MAX_REGISTERS": 64, "REGISTER_FILE_SIZE": 16384, "LOCAL_MEMORY_SIZE": 16384, "MAX_WORKGROUP_SIZE": 256,
         "MAX_WORKGROUPS_PER_CORE": 1, "MAX_WAVES_PER_CORE": 4, "DEVICE_MEMORY_SIZE": 1, "CLUSTER_SIZE": 1, "MAX_CALL_DEPTH": 8,
         "MIN_DIVERGENCE_DEPTH": 32, "MMA_M": 16, "MMA_N": 16, "MMA_K": 16}
capabilities = ["CAP_F64", "CAP_ATOMIC_64", "CAP_ATOMIC_F32", "CAP_MMA", "CAP_RECURSION", "CAP_CLUSTER"]
# From NVIDIA's programming guide: blocks and warps per multiprocessor.
resident = {"sm_75": (16, 32), "sm_80": (32, 64), "sm_89": (24, 48), "sm_90": (32, 64), "sm_120": (24, 48)}
count = 0
for line in subprocess.run([sys.argv[1], "--arch=help"], capture_output=True, text=True, check=True).stdout.splitlines():
    target, arch = line.split()[:2]
    text = subprocess.run([sys.argv[1], "--query=json", "--target=" + target, "--arch=" + arch], capture_output=True, text=True, check=True).stdout
    answer = json.loads(text)
    constants = answer["constants"]
    assert answer["target"] == target and answer["arch"] == arch, answer
    assert list(constants) == list(least) + ["MMA_TYPES"], constants
    assert all(constants[name] >= value for name, value in least.items()), constants
    assert constants["MMA_TYPES"] == ["f16_f32", "bf16_f32", "f32_f32", "i8_i32", "u8_i32"] and constants["WAVE_WIDTH"] in answer["wave_widths"], answer
    assert list(answer["capabilities"]) == capabilities, answer
    assert answer["capabilities"]["CAP_ATOMIC_64"] == (target != "msl"), answer
    if arch in resident:
        assert (constants["MAX_WORKGROUPS_PER_CORE"], constants["MAX_WAVES_PER_CORE"]) == resident[arch], constants
    count += 1
assert count >= 20, count
END
ok "every architecture: all names, none below its minimum" python3 minimums.py "$wavec"

check "no target" 2 "$wavec" --query
said err "--query needs a target"
check "no such architecture" 2 "$wavec" --query --target=hip --arch=sm_75
said err "hip has no architecture 'sm_75'"
check "no such width" 2 "$wavec" --query --target=ptx --wave-width=64
said err "ptx has no waves of 64 lanes"
check "no such form" 2 "$wavec" --query=xml --target=ptx
said err "--query prints text or json, not 'xml'"
check "a file" 2 "$wavec" --query --target=ptx k.wave
said err "k.wave"
finish wavec_query
