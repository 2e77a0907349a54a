"""Exports arrays to other libraries by DLPack (its version before 1.0, which all of them accept): a capsule around a
DLManagedTensor."""

from __future__ import annotations

import ctypes as c
from typing import Any

CPU, CUDA, METAL, ROCM, ONEAPI = 1, 2, 8, 10, 14
_VENDORS = {"cuda": CUDA, "hip": ROCM, "metal": METAL, "sycl": ONEAPI}
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class _DataType(c.Structure):
    _fields_ = [("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16)]


class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32), ("dtype", _DataType),
                ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class Managed(c.Structure):
    pass


_DELETER = c.CFUNCTYPE(None, c.POINTER(Managed))
Managed._fields_ = [("tensor", _Tensor), ("context", c.c_void_p), ("deleter", _DELETER)]

_DESTRUCTOR = c.PYFUNCTYPE(None, c.c_void_p)
# By index: private function objects, whose types no one else can change.
_new, _is, _get = (c.pythonapi["PyCapsule_" + name] for name in ("New", "IsValid", "GetPointer"))
_new.restype, _new.argtypes = c.py_object, [c.c_void_p, c.c_char_p, _DESTRUCTOR]
_is.restype, _is.argtypes = c.c_int, [c.c_void_p, c.c_char_p]
_get.restype, _get.argtypes = c.c_void_p, [c.c_void_p, c.c_char_p]
_NAME = b"dltensor"

# What consumers still hold: the array and the C objects, by the address of the tensor.
_alive: dict[int, Any] = {}


def _delete(managed: Any) -> None:
    _alive.pop(c.addressof(managed.contents), None)


def _destroy(capsule: int) -> None:
    """Frees a capsule that nobody has consumed; a consumed one has another name."""
    if _is(capsule, _NAME):
        _alive.pop(_get(capsule, _NAME), None)


_deleter, _destructor = _DELETER(_delete), _DESTRUCTOR(_destroy)


def device_of(name: str, on_host: bool) -> tuple[int, int]:
    if on_host:
        return CPU, 0
    vendor, *rest = name.split(":")
    return _VENDORS[vendor], int(rest[-1]) if rest and rest[-1].isdigit() else 0


def export(array: Any, device: tuple[int, int], address: int) -> Any:
    if array.dtype.kind not in _CODES or not array.dtype.isnative:
        raise BufferError(f"DLPack has no type for {array.dtype}")
    shape = (c.c_int64 * max(len(array.shape), 1))(*array.shape)
    dtype = _DataType(_CODES[array.dtype.kind], 8 * array.dtype.itemsize, 1)
    managed = Managed(_Tensor(address, *device, len(array.shape), dtype, shape, None, 0), None, _deleter)
    key = c.addressof(managed)
    _alive[key] = (array, managed, shape)
    return _new(key, _NAME, _destructor)
