"""Kernels in a vendor's own form, with the description of their parameters."""

import json
import shutil
import subprocess

import numpy as np
import pytest

import wavec
from conftest import BUILD, SAXPY, need

N = 1000
TARGETS = {"cuda:0": "ptx", "sycl:cpu": "sycl"}


@pytest.fixture(params=TARGETS)
def native(request):
    need(request.param)
    with wavec.Device(request.param) as opened:
        yield opened


@pytest.fixture
def cuda():
    need("cuda:0")
    with wavec.Device("cuda:0") as opened:
        yield opened


def launch(module):
    x, y = np.arange(N, dtype=np.float32), np.ones(N, np.float32)
    module.saxpy[4](x=x, y=y, a=2.0, n=N)
    assert (y == 2 * x + 1).all()


def test_text(native):
    target = TARGETS[native.name]
    with wavec.load_native(wavec.compile(SAXPY, target), wavec.reflect(SAXPY, target), device=native) as module:
        assert repr(module) == f"<wavec.Module <text> on {native.name}: saxpy>" and not module.cached
        assert "saxpy(x: f32[], y: f32[], n: u32, a: f32)" in repr(module.saxpy)
        assert module.saxpy.info.workgroup == (256, 1, 1)
        with pytest.raises(TypeError, match="saxpy has no argument 'b'"):
            module.saxpy[4](b=1)
        launch(module)


def simulated_cubin(text):
    """The simulated driver's linker output for a text (tests/simgpu/cuda.c)."""
    return b"\x7fSIMCUB\n" + (75).to_bytes(4, "little") + text.encode() + b"\0"


def test_machine_code_from_files(cuda, tmp_path):
    code, described = tmp_path / "saxpy.cubin", tmp_path / "saxpy.json"
    code.write_bytes(simulated_cubin(wavec.compile(SAXPY, "ptx")))
    described.write_text(json.dumps(wavec.reflect(SAXPY, "ptx")))
    launch(wavec.load_native(code, described, device=cuda))
    launch(wavec.load_native(code.read_bytes(), described.read_text() + "\n", device=cuda))


@pytest.mark.skipif(not (BUILD / "bin" / "wavec").exists(), reason="the tools are not built")
def test_what_the_command_prints(cuda, tmp_path):
    (tmp_path / "saxpy.wave").write_text(SAXPY)
    for option, name in ((["--reflect"], "saxpy.json"), ([], "saxpy.ptx")):
        subprocess.run([BUILD / "bin" / "wavec", "--target=ptx", *option, "saxpy.wave", "-o", name], cwd=tmp_path, check=True)
    launch(wavec.load_native(tmp_path / "saxpy.ptx", str(tmp_path / "saxpy.json"), device=cuda))


@pytest.mark.skipif(not shutil.which("clang-22"), reason="no clang 22")
def test_spirv_of_another_compiler(tmp_path):
    """The arena and the words are the parameters of the kernel."""
    need("sycl:cpu")
    (tmp_path / "k.cl").write_text(
        "struct words { uint x, y, n; float a; };\n"
        "kernel void saxpy(global uchar *memory, const struct words w) {\n"
        "  uint i = get_global_id(0);\n"
        "  global float *x = (global float *)(memory + w.x), *y = (global float *)(memory + w.y);\n"
        "  if (i < w.n) y[i] += w.a * x[i];\n}\n")
    subprocess.run(["clang-22", "-x", "cl", "-cl-std=CL2.0", "-target", "spirv64", "-O1", "-c", "k.cl", "-o", "k.spv"], cwd=tmp_path,
                   check=True)
    with wavec.Device("sycl:cpu") as device:
        launch(wavec.load_native(tmp_path / "k.spv", wavec.reflect(SAXPY, "sycl"), device=device))


def test_options_of_both(cuda):
    """With bounds a kernel also takes the size of the memory, and the description says so."""
    source = ".kernel far\n.arg out buffer u32 out\n mov_imm r1, 0xfffffff0\n device_store_u32 r1, r0\n device_store_u32 [out], r1\n halt\n.end\n"
    described = wavec.reflect(source, "ptx", bounds=True)
    assert described["kernels"][0]["bounds"] and not wavec.reflect(source, "ptx")["kernels"][0]["bounds"]
    out = np.zeros(1, np.uint32)
    wavec.load_native(wavec.compile(source, "ptx", bounds=True), described, device=cuda).far[1, 1](out)
    assert out[0] == 0xFFFFFFF0


def test_refused(cuda):
    text, described = wavec.compile(SAXPY, "ptx"), wavec.reflect(SAXPY, "ptx")
    with pytest.raises(wavec.DeviceError, match="emu runs WBIN files only"):
        wavec.load_native(text, described, device="emu")
    with pytest.raises(wavec.CompileError, match="not for target ptx, which cuda:0 uses"):
        wavec.load_native(text, wavec.reflect(SAXPY, "hip"), device=cuda)
    with pytest.raises(wavec.CompileError, match="not what wavec --reflect prints"):
        wavec.load_native(text, {"target": "ptx"}, device=cuda)
    with pytest.raises(wavec.DeviceError) as raised:
        wavec.load_native("hello\n", described, device=cuda)
    assert raised.value.status == "the vendor's compiler rejects the kernel"
    with pytest.raises(FileNotFoundError):
        wavec.load_native("none.ptx", described, device=cuda)
