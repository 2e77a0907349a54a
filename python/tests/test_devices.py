"""Which devices are present, which is chosen, and how other libraries share their arrays."""

import ctypes

import numpy as np
import pytest

import wavec
from conftest import need


def test_list():
    found = wavec.devices()
    assert found[-1].name == "emu" and found[-1].cores == 1
    assert "WAVE_HIP_LIBRARY is empty" in found.absent["hip"]
    assert "not here: turned off: WAVE_HIP_LIBRARY is empty" in repr(found)
    assert repr(found).splitlines()[-1].startswith("sycl ") or "sycl" not in found.absent


def test_shared_devices():
    assert wavec.device("emu") is wavec.device("emu")
    assert wavec.Device("emu") is not wavec.device("emu")
    before = wavec.device("emu")
    before.close()
    assert not wavec.device("emu").closed


def test_choosing(monkeypatch):
    monkeypatch.setenv("WAVE_DEVICE", "emu")
    assert wavec.Device().name == "emu"
    monkeypatch.setenv("WAVE_DEVICE", "cuda:77")
    with pytest.raises(wavec.DeviceError, match="WAVE_DEVICE is 'cuda:77'") as raised:
        wavec.Device()
    assert raised.value.status == "no such device"
    with pytest.raises(ValueError):
        wavec.Device("emu", memory=0)


def test_by_address():
    need("cuda:0")
    with wavec.Device("pci:0000:3b:00.0") as device:
        assert device.name == "cuda:0" and device.info.uuid.startswith("10111213-")


def test_by_uuid(monkeypatch):
    need("sycl:cpu")
    (cpu,) = (info for info in wavec.devices() if info.name == "sycl:cpu")
    assert len(cpu.uuid) == 36 and cpu.target == "sycl" and cpu.shared
    monkeypatch.setenv("WAVE_DEVICE", f"uuid:{cpu.uuid}")
    with wavec.Device() as device:
        assert device.name == "sycl:cpu"


class Foreign:
    """Another library's array: it supports DLPack, or numpy's interface, and nothing else."""

    def __init__(self, values, by):
        self._values = values
        if by == "dlpack":
            self.__class__ = type("Foreign", (Foreign,), {
                "__dlpack__": lambda self, **options: self._values.__dlpack__(**options),
                "__dlpack_device__": lambda self: self._values.__dlpack_device__()})
        else:
            self.__class__ = type("Foreign", (Foreign,), {"__array_interface__": property(lambda self: self._values.__array_interface__)})


@pytest.mark.parametrize("by", ["dlpack", "interface"])
def test_arrays_of_others(saxpy, device, by):
    x, y = np.arange(1000, dtype=np.float32), np.ones(1000, np.float32)
    assert (wavec.array(Foreign(x, by), device=device).numpy() == x).all()
    saxpy.saxpy[4](Foreign(x, by), Foreign(y, by), 1000, 2.0)
    assert (y == 2 * x + 1).all()


def test_arrays_for_others_on_the_emulator():
    with wavec.Device("emu", memory=1 << 20) as device:
        a = wavec.array(np.arange(6, dtype=np.int32), device=device)
        seen, interface = np.from_dlpack(a), np.asarray(a)
        assert (seen == np.arange(6)).all() and a.__dlpack_device__() == (1, 0)
        interface[2] = 77
        assert a.numpy()[2] == 77 and seen[2] == 77
        with pytest.raises(MemoryError, match="the memory cannot move"):
            wavec.empty(1 << 21, np.uint8, device=device)
        with pytest.raises(BufferError):
            a.__dlpack__(copy=True)
    assert seen[2] == 77  # the memory lives as long as anyone holds it
    del a, seen, interface


def test_an_unconsumed_capsule():
    from wavec import _dlpack
    with wavec.Device("emu") as device:
        before = len(_dlpack._alive)
        capsule = wavec.zeros(4, device=device).__dlpack__()
        assert len(_dlpack._alive) == before + 1
        del capsule
        assert len(_dlpack._alive) == before


def test_arrays_for_others_on_cuda():
    need("cuda:0")
    from wavec import _dlpack
    with wavec.Device("cuda:0") as device:
        a = wavec.array(np.arange(6, dtype=np.float16).reshape(2, 3), device=device)
        assert a.__dlpack_device__() == (_dlpack.CUDA, 0)
        capsule = a.__dlpack__()
        get = ctypes.pythonapi["PyCapsule_GetPointer"]
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = _dlpack.Managed.from_address(get(capsule, b"dltensor")).tensor
        assert tensor.data == a.__cuda_array_interface__["data"][0] and tensor.data >= 0x200000000
        assert (tensor.dtype.code, tensor.dtype.bits, tensor.ndim, list(tensor.shape[:2])) == (2, 16, 2, [2, 3])
        assert not hasattr(a, "__array_interface__")
        assert (np.asarray(a) == a.numpy()).all()
        with pytest.raises(TypeError, match="not in the host's memory"):
            wavec.array(type("GPU", (), {"__dlpack__": lambda self, **o: capsule, "__dlpack_device__": lambda self: (2, 0)})())
