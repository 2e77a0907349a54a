"""Kernels for the tests, and the devices they run on: the emulator, the simulated CUDA driver, and Intel's CPU device where its plug-in
is built."""

import os
import pathlib
import platform
import tempfile

import pytest

os.environ.setdefault("WAVE_HIP_LIBRARY", "")
os.environ.pop("WAVE_DEVICE", None)
ROOT = pathlib.Path(os.environ.get("WAVEC_ROOT") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("WAVEC_BUILD") or ROOT / "build")
SIMULATED = BUILD / "tests" / "libsimcuda.so"
os.environ.setdefault("WAVE_CUDA_LIBRARY", str(SIMULATED) if SIMULATED.exists() else "")
PLUGIN = BUILD / "lib" / "wave" / "libwave_rt_sycl.so"
os.environ.setdefault("WAVE_RT_PLUGINS", str(PLUGIN.parent) if PLUGIN.exists() else "")
CACHE = tempfile.TemporaryDirectory(prefix="wavec-tests-")  # Intel's compiler takes seconds, so a kernel is compiled once
os.environ.setdefault("WAVE_CACHE_DIR", CACHE.name)

SAXPY = """.kernel saxpy
.workgroup_size 256, 1, 1
.arg x buffer f32 in
.arg y buffer f32 inout
.arg n u32
.arg a f32
.reg i, xi, yi
.pred inside
    imad    i, sr_workgroup_id_x, sr_workgroup_size_x, sr_thread_id_x
    icmp_lt inside, i, n
    if inside
        device_load_u32 xi, [x + i*4]
        device_load_u32 yi, [y + i*4]
        fma     yi, a, xi, yi
        device_store_u32 [y + i*4], yi
    endif
    halt
.end
"""

# Stores r1 at the address r0, and r2 after it; declares nothing.
WORDS = ".kernel words\n.registers 8\n device_store_u32 r0, r1\n mov_imm r3, 4\n iadd r0, r0, r3\n device_store_u32 r0, r2\n halt\n.end\n"


@pytest.fixture(scope="session")
def root():
    return ROOT


def need(name):
    """Skips where the device's driver is not built. In CI everything that the system supports is built."""
    possible = {"emu": True, "cuda:0": True, "sycl:cpu": (platform.system(), platform.machine()) == ("Linux", "x86_64")}[name]
    missing = {"emu": "", "cuda:0": "" if SIMULATED.exists() else "the simulated CUDA driver is not built: make tests",
               "sycl:cpu": "" if PLUGIN.exists() else "Intel's CPU device: sh scripts/find-sycl.sh --install && make plugins"}[name]
    if missing and possible and os.environ.get("CI") == "true":
        pytest.fail(missing)
    if missing:
        pytest.skip(missing)


@pytest.fixture(params=["emu", "cuda:0", "sycl:cpu"])
def device(request):
    """A device for one test only."""
    import wavec
    need(request.param)
    with wavec.Device(request.param) as opened:
        yield opened


@pytest.fixture
def saxpy(device):
    import wavec
    with wavec.load(SAXPY, device=device) as module:
        yield module
