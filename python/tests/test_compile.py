"""Compiling, assembling, reflection; errors as exceptions that print like the command line."""

import shutil
import subprocess
import warnings

import numpy as np
import pytest

import wavec
from conftest import BUILD, SAXPY

BAD = ".kernel k\n.registers 4\n iadd r9, r0, r1\n halt\n.end\n"


def command(*arguments):
    """The standard error of a tool of the build."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_targets():
    found = wavec.targets()
    assert list(found) == ["ptx", "hip", "sycl", "msl", "wbin"]
    assert found["ptx"][0] == "sm_75" and "gfx942" in found["hip"]


@pytest.mark.parametrize("target, words", [("ptx", ".visible .entry saxpy("), ("hip", "__global__"), ("sycl", "sycl"), ("msl", "kernel void")])
def test_every_target(target, words):
    assert words in wavec.compile(SAXPY, target)


def test_text_equals_the_output_of_the_command(root, tmp_path):
    tool = BUILD / "bin" / "wavec"
    if not tool.exists():
        pytest.skip("the tools are not built")
    path = root / "examples" / "saxpy.wave"
    code, text, _ = command(tool, path, "--target=hip", "--arch=gfx942", "-o", "-")
    def body(text):
        return [line for line in text.splitlines() if not line.startswith("//")]
    assert code == 0 and body(wavec.compile(path, "hip", "gfx942")) == body(text)


def test_wbin_round_trip():
    data = wavec.assemble(SAXPY)
    assert data[:4] == b"WAVE"
    assert wavec.compile(data, "ptx").count("fma.rn.f32") == 1
    again = wavec.compile(data, "wbin")
    assert isinstance(again, bytes) and again[:4] == b"WAVE"
    assert "fma" in wavec.disassemble(again)


def test_files(tmp_path):
    source, binary = tmp_path / "k.wave", tmp_path / "k.wbin"
    source.write_text(SAXPY)
    binary.write_bytes(wavec.assemble(str(source)))
    assert wavec.compile(source, "ptx") .splitlines()[5:] == wavec.compile(str(binary), "ptx").splitlines()[5:]
    (tmp_path / "part.wave").write_text(".kernel inner\n halt\n.end\n")
    source.write_text('.include "part.wave"\n')
    assert [k["name"] for k in wavec.reflect(source)["kernels"]] == ["inner"]
    with pytest.raises(FileNotFoundError):
        wavec.compile(tmp_path / "none.wave", "ptx")
    (tmp_path / "k.txt").write_text("hello")
    with pytest.raises(wavec.CompileError, match="neither WBIN, nor SPIR-V"):
        wavec.compile(tmp_path / "k.txt", "ptx")


def test_defines():
    source = ".kernel k\n.arg out buffer u32 out\n mov_imm r3, SEVEN\n device_store_u32 r0, r3\n halt\n.end\n"
    out = np.zeros(1, np.uint32)
    wavec.emulate(source, "k", 1, [out], workgroup=1, defines={"SEVEN": 7})
    assert out[0] == 7


def test_reflect():
    kernel = wavec.reflect(SAXPY, "hip")["kernels"][0]
    assert kernel["arg_words"] == 4 and [a["name"] for a in kernel["arguments"]] == ["x", "y", "n", "a"]


def test_error_has_diagnostics_and_prints_like_the_command(tmp_path):
    path = tmp_path / "bad.wave"
    path.write_text(BAD)
    with pytest.warns(wavec.WaveWarning, match="W_REGISTER") as warned, pytest.raises(wavec.CompileError) as raised:
        wavec.compile(str(path), "ptx")
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.severity, diagnostic.code, diagnostic.kernel, diagnostic.offset) == ("error", "E_REGISTER", "k", 0)
    assert (diagnostic.file, diagnostic.line, diagnostic.column) == (str(path), 3, 2)
    assert diagnostic.hint.startswith("raise .registers")
    tool = BUILD / "bin" / "wavec"
    if tool.exists():
        printed = command(tool, str(path), "--target=ptx", "-o", "-")[2]
        assert f"{warned[0].message}\n{raised.value}\n" == printed


def test_assembler_error_of_text():
    with pytest.raises(wavec.CompileError, match=r"<text>:2:2: error: E_") as raised:
        wavec.compile(".kernel k\n frobnicate r1\n halt\n.end\n", "ptx")
    assert raised.value.diagnostics[0].line == 2


def test_warnings_name_the_callers_line():
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(wavec.CompileError):
            wavec.compile(BAD, "ptx")
    assert warned[0].filename == __file__


def test_wrong_calls():
    with pytest.raises(ValueError, match="no target 'cuda'"):
        wavec.compile(SAXPY, "cuda")
    with pytest.raises(wavec.CompileError, match="E_"):
        wavec.compile(SAXPY, "hip", "gfx1")
    with pytest.raises(wavec.CompileError, match="E_"):
        wavec.compile(SAXPY, "ptx", kernels=["other"])
    with pytest.raises(ValueError, match="mode is one of"):
        wavec.compile(SAXPY, "ptx", mode="loose")
    with pytest.raises(wavec.CompileError):
        wavec.compile(b"WAVE" + bytes(40), "ptx")


@pytest.mark.skipif(not shutil.which("clang-22"), reason="no clang 22")
def test_opencl(tmp_path):
    path = tmp_path / "k.cl"
    path.write_text("kernel void twice(global int *a) { int i = get_global_id(0); a[i] *= 2; }\n")
    a = np.arange(64, dtype=np.int32)
    wavec.load(path, device="emu").twice[2, 32](a)
    assert (a == 2 * np.arange(64)).all()
    path.write_text("kernel void twice(global int *a) { a[0] = b; }\n")
    with pytest.raises(wavec.CompileError, match="use of undeclared identifier 'b'"):
        wavec.compile(path, "ptx")


@pytest.mark.skipif(not shutil.which("clang-22"), reason="no clang 22")
def test_opencl_text():
    text = """
__kernel void shifted(__global uint *a, __global const short *b, __local float *unused, int by) {
    size_t i = get_global_id(0);
    a[2 * i + 1] = b[2 * i] * FACTOR + by;
}
"""
    module = wavec.load(text, device="emu", defines={"FACTOR": 3}, flags=("--local=unused=64",))
    assert "a: u32[], b: i16[], by: i32" in repr(module.shifted)
    a, b = np.zeros(64, np.uint32), np.arange(64, dtype=np.int16)
    module.shifted[1, 32](a, b, -4)
    assert (a[1::2].astype(np.int32) == 3 * np.arange(0, 64, 2) - 4).all() and not a[::2].any()
    with pytest.raises(TypeError, match="'a' of shifted is a buffer of u32"):
        module.shifted[1, 32](a.astype(np.uint8), b, 0)
    with pytest.raises(wavec.CompileError, match="<text>:4:31: error: use of undeclared identifier 'FACTOR'"):
        wavec.load(text, flags=("--local=unused=64",))
    with pytest.raises(wavec.CompileError, match="--local NAME=BYTES"):
        wavec.compile(text, "hip", defines={"FACTOR": 3})


def test_assembly_that_mentions_kernels():
    text = "; a kernel of nothing # kernel void\n.kernel k\nhalt ; kernel void\n.end\n"
    assert list(wavec.load(text, device="emu").kernels) == ["k"]
    text = "// the kernel does nothing\n.kernel k\nhalt // kernel void\n.end\n"
    assert list(wavec.load(text, device="emu").kernels) == ["k"]
