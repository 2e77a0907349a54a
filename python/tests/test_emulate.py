"""The emulator: results, checkers, profiles."""

import json

import numpy as np
import pytest

import wavec
from conftest import SAXPY

RACE = """.kernel race
.arg out buffer u32 inout
.reg t
    mov t, sr_thread_id_x
    device_store_u32 [out], t
    halt
.end
"""


PLACE = """.kernel place
.arg out buffer u32 inout
.workgroup_size 1, 1, 1
    device_store_u32 [out], out
    halt
.end
"""


def test_no_array_is_at_0_which_is_null_in_opencl():
    out = np.zeros(1, np.uint32)
    wavec.emulate(PLACE, "place", 1, dict(out=out))
    assert out[0] != 0


def test_results_statistics_profile():
    x, y = np.arange(512, dtype=np.float32), np.ones(512, np.float32)
    result = wavec.emulate(SAXPY, "saxpy", 2, dict(x=x, y=y, a=2.0, n=512), check=["race", "uninit"], profile=True)
    assert (y == 2 * x + 1).all()
    # two workgroups of 256 threads, 8 waves each; two loads and one store per lane, 512 lanes
    assert result.stats["workgroups"] == 2 and result.stats["waves"] == 16
    assert result.stats["device_loads"] == 1024 and result.stats["device_store_bytes"] == 2048
    assert "fma" in str(result.profile) and "<text>:14" in str(result.profile)
    page = result.profile._repr_html_()
    assert page.startswith("<iframe") and "srcdoc=" in page and "<html" not in page.split("srcdoc=")[1].split('"')[1]
    assert "<html" in result.profile.html.lower() and isinstance(result.profile.data, dict)
    json.dumps(result.profile.data)


def test_without_a_profile():
    out = np.zeros(1, np.uint32)
    assert wavec.emulate(RACE, 0, 1, [out], workgroup=1).profile is None


def test_a_race_is_found():
    out = np.zeros(1, np.uint32)
    wavec.emulate(RACE, "race", 1, [out], workgroup=64)
    with pytest.raises(wavec.KernelError, match="E_RACE") as raised:
        wavec.emulate(RACE, "race", 1, [out], workgroup=64, check=(name for name in ["race"]))
    with pytest.raises(wavec.KernelError, match="E_RACE"):
        wavec.emulate(RACE, "race", 1, [out], workgroup=64, check="race")
    diagnostic = next(d for d in raised.value.diagnostics if d.severity == "error")
    assert diagnostic.code.startswith("E_RACE") and diagnostic.line == 5 and diagnostic.related


def test_uninitialised_reads_are_found():
    source = RACE.replace("inout", "out").replace("device_store_u32 [out], t", "device_load_u32 t, [out]")
    with pytest.raises(wavec.KernelError, match="E_UNINIT"):
        wavec.emulate(source.replace("race", "read"), "read", 1, [np.zeros(1, np.uint32)], workgroup=1, check=["uninit"])


def test_leaving_memory():
    source = ".kernel far\n.registers 4\n.arg out buffer u32 out\n mov_imm r1, 4096\n device_store_u32 r1, r1\n halt\n.end\n"
    with pytest.raises(wavec.KernelError, match="E_OUT_OF_BOUNDS") as raised:
        wavec.emulate(source, "far", 1, [np.zeros(1, np.uint32)], workgroup=1)
    assert raised.value.diagnostics[0].line == 5
    wavec.emulate(source, "far", 1, [np.zeros(1, np.uint32)], workgroup=1, bounds=True)


def test_instruction_limit():
    source = ".kernel spin\n.registers 4\n loop\n endloop\n halt\n.end\n"
    with pytest.raises(wavec.KernelError):
        wavec.emulate(source, "spin", 1, workgroup=1, max_instructions=1000)


def test_seeds_and_jobs():
    for options in (dict(seed=3), dict(memory_seed=5), dict(jobs=2), dict(wave_width=8)):
        x, y = np.arange(512, dtype=np.float32), np.ones(512, np.float32)
        wavec.emulate(SAXPY, "saxpy", 2, dict(x=x, y=y, a=2.0, n=512), **options)
        assert (y == 2 * x + 1).all(), options


def test_wrong_calls():
    out = np.zeros(1, np.uint32)
    with pytest.raises(ValueError, match="no check 'speed'; choose from race, uninit"):
        wavec.emulate(RACE, "race", 1, [out], check=["speed"])
    with pytest.raises(ValueError, match="no check 'speed'; choose from race, uninit"):
        wavec.emulate(RACE, "race", 1, [out], check="speed")
    for name, wrong, wanted in (("jobs", -3, "0 to 4294967295"), ("wave_width", -1, "1 to 64"), ("wave_width", 65, "1 to 64"),
                                ("wave_width", "8", "1 to 64"), ("max_instructions", -1, "0 to 18446744073709551615"),
                                ("seed", -1, "0 to 18446744073709551615"), ("memory_seed", 1 << 64, "0 to 18446744073709551615")):
        with pytest.raises(ValueError, match=f"{name} is a number from {wanted}, not {wrong!r}"):
            wavec.emulate(RACE, "race", 1, [out], **{name: wrong})
    with pytest.raises(wavec.CompileError, match="has no kernel 'other'; it has race"):
        wavec.emulate(RACE, "other", 1, [out])
    with pytest.raises(TypeError, match="takes arrays of the host"):
        wavec.emulate(RACE, "race", 1, [wavec.zeros(1, np.uint32, device="emu")])
    with pytest.raises(ValueError, match="declares workgroups"):
        wavec.emulate(SAXPY, "saxpy", 1, [np.zeros(1, np.float32), np.zeros(1, np.float32), 1, 1], workgroup=2)


PRODUCT = """.kernel product
.workgroup_size 32, 1, 1
.arg a buffer f16 in
.arg b buffer f16 in
.arg c buffer f32 inout
    tile_load_a_f16 t0, a, 32, device, row
    tile_load_b_f16 t0, b, 32, device, row
    tile_load_c_f32 t0, c, 64, device, row
    mma_f16_f32 t0, t0, t0, t0
    tile_store_c_f32 t0, c, 64, device, row
    halt
.end
"""


def test_matrix_units():
    # by the ISA, 1 + 2^-24 is 1 at each k; a unit that sums 16 products first keeps them
    a, b = np.full((16, 16), 2.0**-12, np.float16), np.full((16, 16), 2.0**-12, np.float16)
    exact, native = np.ones((16, 16), np.float32), np.ones((16, 16), np.float32)
    wavec.emulate(PRODUCT, 0, 1, [a, b, exact])
    wavec.emulate(PRODUCT, 0, 1, [a, b, native], mma="gfx942")
    assert (exact == 1).all() and (native == 1 + 2.0**-20).all()
    with pytest.raises(ValueError, match="no matrix units 'sm_70'; choose from exact, sm_75"):
        wavec.emulate(PRODUCT, 0, 1, [a, b, exact], mma="sm_70")


def test_native_products():
    assert "wmma.mma" in wavec.compile(PRODUCT, "ptx", native_mma=True)
    assert "wmma.mma" not in wavec.compile(PRODUCT, "ptx")
    a, b, c = np.ones((16, 16), np.float16), np.ones((16, 16), np.float16), np.zeros((16, 16), np.float32)
    wavec.load(PRODUCT, "emu", native_mma=True).product[1](a, b, c)
    assert (c == 16).all()
