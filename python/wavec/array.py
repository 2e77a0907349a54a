"""Arrays that stay on a device between launches."""

from __future__ import annotations

import ctypes as c
import math
import operator
from typing import Any, Optional, Union

import numpy as np

from . import _dlpack
from . import _library as lib
from .arguments import host_array
from .device import Device, Queue, device as shared_device
from .errors import call

Shape = Union[int, tuple[int, ...]]


class Array:
    """Numbers in the memory of a device, without gaps. numpy.asarray copies them to the host; where the host can access the memory,
    on the emulator and on Metal, numpy and DLPack use it without a copy."""

    _wavec_array = True

    def __init__(self, shape: Shape, dtype: Any, device: Union[str, Device] = "auto"):
        self.shape = tuple(operator.index(n) for n in ((shape,) if isinstance(shape, (int, np.integer)) else shape))
        self.dtype = np.dtype(dtype)
        if any(n < 0 for n in self.shape) or self.dtype.hasobject:
            raise ValueError(f"no array of shape {self.shape} and type {self.dtype}")
        self.size = math.prod(self.shape)
        self.nbytes = self.size * self.dtype.itemsize
        self.device = shared_device(device)
        self._owner: Optional[Array] = None  # of a view: the array that the memory belongs to
        self._offset: Optional[int] = self.device.heap.take(self.nbytes)

    @property
    def _root(self) -> Array:
        return self if self._owner is None else self._owner

    @property
    def _place(self) -> Optional[int]:
        """The offset, or None if the array is closed. A view is closed with the array that the memory belongs to."""
        return None if self._root._offset is None or self.device.closed else self._offset

    @property
    def offset(self) -> int:
        """Its offset in the device's memory: the address in a kernel."""
        place = self._place
        if place is None:
            raise ValueError("this array is closed")
        return place

    def __repr__(self) -> str:
        where = "closed" if self._place is None else f"on {self.device.name}"
        return f"<wavec.Array {self.shape} {self.dtype} {where}>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def close(self) -> None:
        """Frees the memory."""
        offset, self._offset = self._offset, None
        if offset is not None and self._owner is None:
            self.device.heap.returned.append((offset, self.nbytes))

    def __enter__(self) -> Array:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_offset", None) is not None:
            self.close()

    def reshape(self, *shape: Any) -> Array:
        """The same numbers in another shape."""
        wanted = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple) else shape
        probe = np.empty(self.shape, np.int8).reshape(wanted) if self.size < 1 << 16 else np.broadcast_to(np.int8(0), self.size).reshape(wanted)
        view = Array.__new__(Array)
        view.__dict__.update(self.__dict__)
        view.shape, view._owner = probe.shape, self._root
        return view

    # ---- Transfers ----

    def _transfer(self, function: Any, address: int, queue: Optional[Queue]) -> None:
        offset, heap = self.offset, self.device.heap
        if not self.nbytes:
            return
        arena = heap.enter()
        try:
            buffer = lib.RtBuffer(arena.value, offset, self.nbytes)
            queue = queue or self.device.queue
            with queue.lock:
                call(function, queue.handle, c.byref(buffer), 0, address, self.nbytes)
        finally:
            heap.leave()

    def set(self, values: Any, queue: Optional[Queue] = None) -> Array:
        """Copies values of this shape and type to the device; with a queue, after the operations
        queued there."""
        if isinstance(values, (int, float, list)):
            host = np.broadcast_to(np.asarray(values, self.dtype), self.shape)
        else:
            host = host_array(values, "the values")
        if host.dtype != self.dtype or host.shape != self.shape:
            raise ValueError(f"values of shape {host.shape} and type {host.dtype} for {self!r}")
        data = np.ascontiguousarray(host)  # of one dimension if the array has none
        self._transfer(lib.rt.wave_rt_upload, data.ctypes.data, queue)
        return self

    def numpy(self, out: Optional[np.ndarray] = None, queue: Optional[Queue] = None) -> np.ndarray:
        """A copy on the host; with a queue, taken after all queued operations."""
        if out is None:
            out = np.empty(self.shape, self.dtype)
        elif out.dtype != self.dtype or out.shape != self.shape or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"{self!r} does not fit into an array of shape {out.shape} and type {out.dtype}")
        self._transfer(lib.rt.wave_rt_download, out.ctypes.data, queue)
        return out

    def fill(self, byte: int = 0) -> Array:
        """Sets every byte to this value."""
        if not 0 <= byte <= 255:
            raise OverflowError(f"a byte is 0 to 255, not {byte}")

        def fill(queue: Any, buffer: Any, _offset: int, _data: int, _size: int, error: Any) -> int:
            status: int = lib.rt.wave_rt_fill_async(queue, buffer, byte, error)
            return status or lib.rt.wave_rt_wait(queue, error)
        self._transfer(fill, 0, None)
        return self

    # ---- Arrays of other libraries ----

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        if copy is False:
            raise ValueError("the array is on a device: a copy is required")
        values = self.numpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    def _address(self) -> Optional[int]:
        """The host address, or None. The memory stays there as long as anyone holds the address."""
        arena = self.device.heap.enter()
        try:
            place, error = c.c_void_p(), lib.RtError()
            buffer = lib.RtBuffer(arena.value, self.offset, self.nbytes)
            status = lib.rt.wave_rt_buffer_map(c.byref(buffer), c.byref(place), c.byref(error))
            return place.value if status == 0 else None
        finally:
            self.device.heap.leave()

    @property
    def __array_interface__(self) -> dict[str, Any]:
        address = self._address()
        if address is None:
            raise AttributeError(f"the host cannot access the memory of {self.device.name}")
        self._pin()
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (address, False), "version": 3}

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self.device.name.startswith("cuda"):
            raise AttributeError(f"{self.device.name} is not a CUDA device")
        self._pin()
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self._device_address(), False), "version": 3, "stream": None}

    def _device_address(self) -> int:
        arena = self.device.heap.enter()
        try:
            return (lib.rt.wave_rt_arena_native(arena.handle) or 0) + self.offset
        finally:
            self.device.heap.leave()

    def _pin(self) -> None:
        """The address is now shared: this array's memory stays where it is until the array is gone."""
        owner = self._root
        if not owner.__dict__.get("_pinned"):
            owner.__dict__["_pinned"] = _Pin(self.device)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _dlpack.device_of(self.device.name, self._address() is not None)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Optional[bool] = None) -> Any:
        if copy:
            raise BufferError("wavec.Array makes no copies for DLPack; numpy() does")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the array is on {self.device.name}")
        address = self._address()
        self._pin()
        return _dlpack.export(self, self.__dlpack_device__(), self._device_address() if address is None else address)


class _Pin:
    """Pins an array whose address is shared: the arena is neither moved nor freed."""

    def __init__(self, device: Device):
        self.arena = device.heap.arena
        device.heap.pins.add(self)


def empty(shape: Shape, dtype: Any = np.float32, device: Union[str, Device] = "auto") -> Array:
    """An array with undefined contents."""
    return Array(shape, dtype, device)


def zeros(shape: Shape, dtype: Any = np.float32, device: Union[str, Device] = "auto") -> Array:
    return Array(shape, dtype, device).fill(0)


def array(values: Any, dtype: Any = None, device: Union[str, Device] = "auto") -> Array:
    """A copy on a device of a numpy array, a DLPack array or a list."""
    host = np.asarray(values, dtype) if isinstance(values, (list, tuple, int, float, np.generic)) else host_array(values, "the value")
    host = np.ascontiguousarray(host if dtype is None else host.astype(dtype, copy=False)).reshape(host.shape)
    return Array(host.shape, host.dtype, device).set(host)
