"""Devices and their objects: memory, queues, events."""

from __future__ import annotations

import bisect
import contextlib
import ctypes as c
import threading
import weakref
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, List, Optional, Union

from . import _library as lib
from .errors import UNKNOWN, call, check, must_text

ALIGNMENT = 256
LARGEST = 1 << 32
FIRST_HEAP = 64 << 20


@dataclass(frozen=True)
class DeviceInfo:
    """A device of this machine. Values that the vendor does not report are 0 or ""."""

    name: str
    title: str
    driver: str
    target: Optional[str]
    arch: str
    wave_width: int
    max_workgroup_size: int
    max_workgroup: tuple[int, ...]
    max_grid: tuple[int, ...]
    local_memory_size: int
    device_memory_size: int
    register_file_size: int
    cores: int
    max_workgroups_per_core: int
    max_waves_per_core: int
    peak_bytes: float
    peak_flops: float
    pci: str
    uuid: str
    shared: bool


def _info_of(raw: lib.RtDeviceInfo) -> DeviceInfo:
    values = {}
    for name in DeviceInfo.__dataclass_fields__:
        value = getattr(raw, name)
        if isinstance(value, bytes):
            value = must_text(value)
        elif isinstance(value, c.Array):
            value = tuple(value)
        values[name] = value
    return DeviceInfo(**values)


class Devices(List[DeviceInfo]):
    """The devices of this machine, the best first; `absent` tells why others are missing."""

    def __init__(self, found: list[DeviceInfo], absent: dict[str, str]):
        super().__init__(found)
        self.absent = absent

    def __repr__(self) -> str:
        here = [f"{d.name:12} {d.title} ({d.arch + ', ' if d.arch else ''}waves of {d.wave_width}; {d.driver})" for d in self]
        return "\n".join(here + [f"{vendor:12} not here: {reason}" for vendor, reason in self.absent.items()])


def devices() -> Devices:
    """The available devices, and why others are missing."""
    raw = lib.RtList()
    call(lib.rt.wave_rt_enumerate, c.byref(raw))
    try:
        absent: dict[str, str] = {}
        for k in range(raw.absent_count):
            vendor, reason = must_text(raw.absent[k].vendor), must_text(raw.absent[k].reason)
            absent[vendor] = f"{absent[vendor]}; {reason}" if vendor in absent else reason
        return Devices([_info_of(raw.devices[k]) for k in range(raw.count)], absent)
    finally:
        lib.rt.wave_rt_list_free(c.byref(raw))


class Handle:
    """An object of the C library that must be destroyed; with `with`, at the end of the block."""

    _destroy: Callable[[Any], None]

    def __init__(self, handle: Any):
        self._handle = handle

    @property
    def handle(self) -> Any:
        if not self._handle:
            raise ValueError(f"this {type(self).__name__.lower()} is closed")
        return self._handle

    @property
    def closed(self) -> bool:
        return not self._handle

    def close(self) -> None:
        handle, self._handle = self._handle, None
        if handle:
            type(self)._destroy(handle)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and lib is not None and lib.rt is not None:
            self.close()


def made(function: Any, *arguments: Any) -> Any:
    """The handle that a function of the runtime returns through its last but one argument."""
    handle = c.c_void_p()
    call(function, *arguments, c.byref(handle))
    return handle


class Event(Handle):
    """A position in a queue: everything queued before it."""

    _destroy = staticmethod(lib.rt.wave_rt_event_destroy)

    def __init__(self, device: Device):
        super().__init__(made(lib.rt.wave_rt_event_create, device.handle))
        self.device = device

    def record(self, queue: Queue) -> Event:
        with queue.lock:
            call(lib.rt.wave_rt_event_record, self.handle, queue.handle)
        return self

    @property
    def done(self) -> bool:
        answer = c.c_bool()
        call(lib.rt.wave_rt_event_query, self.handle, c.byref(answer))
        return answer.value

    def wait(self) -> None:
        """Waits until the device has reached the event. Errors in a kernel are raised by the
        queue's wait."""
        call(lib.rt.wave_rt_event_wait, self.handle)

    def seconds_since(self, start: Event) -> float:
        """Device time between two events that are done."""
        seconds = c.c_double()
        call(lib.rt.wave_rt_event_elapsed, start.handle, self.handle, c.byref(seconds))
        return seconds.value


class Queue(Handle):
    """Launches and transfers in order. Threads may share a queue: each call is atomic."""

    _destroy = staticmethod(lib.rt.wave_rt_queue_destroy)

    def __init__(self, device: Device):
        super().__init__(made(lib.rt.wave_rt_queue_create, device.handle))
        self.device, self.lock = device, threading.RLock()
        self._pending: deque[tuple[Event, Any]] = deque()  # kept alive until their launches are done
        device._queues.add(self)

    def follow(self, event: Event) -> None:
        """Everything queued from now on starts after the event."""
        with self.lock:
            call(lib.rt.wave_rt_event_follow, self.handle, event.handle)

    def event(self) -> Event:
        """A new event, recorded here."""
        return Event(self.device).record(self)

    def wait(self) -> None:
        """Waits until all is done. Raises the errors of a kernel."""
        with self.lock:
            try:
                call(lib.rt.wave_rt_wait, self.handle)
            finally:
                self._pending.clear()

    def _keep(self, event: Event, needed: Any) -> None:
        self._pending.append((event, needed))
        while self._pending and self._pending[0][0].done:
            self._pending.popleft()

    @property
    def native(self) -> Optional[int]:
        """The vendor's own object: CUstream, hipStream_t, MTLCommandQueue, sycl::queue *."""
        address: Optional[int] = lib.rt.wave_rt_queue_native(self.handle)
        return address

    def close(self) -> None:
        if self._handle:
            with contextlib.suppress(Exception):
                self.wait()
        super().close()


class Arena(Handle):
    """Device memory. It lives as long as someone holds it: the heap, or an array whose address is shared."""

    _destroy = staticmethod(lib.rt.wave_rt_arena_destroy)

    def __init__(self, device: Device, size: int):
        super().__init__(made(lib.rt.wave_rt_arena_create, device.handle, size))

    @property
    def value(self) -> int:
        return int(self.handle.value)


class Heap:
    """The arena of a device, which holds all its arrays: a launch uses one arena. A first-fit allocator: free pieces are kept in
    order of their offsets and coalesced; the first that fits is taken. When none fits, a larger arena replaces the old one, with
    everything at its old offset. No array is at 0, the null pointer of OpenCL C."""

    def __init__(self, device: Device, size: int):
        self.device, self.size = device, size + ALIGNMENT if size < LARGEST else size
        self.pins: weakref.WeakSet[Any] = weakref.WeakSet()  # pins of arrays whose address is shared
        self.returned: deque[tuple[int, int]] = deque()  # pieces freed during garbage collection
        self.changed = threading.Condition(threading.RLock())
        self.users = 0  # calls that currently use the arena
        self.movers = 0  # threads that wait until it is unused; later users wait for them
        self.arena: Optional[Arena] = None
        self.free = [(ALIGNMENT, self.size - ALIGNMENT)]  # offset, size

    def _fitting(self, size: int) -> Optional[int]:
        for k, (offset, room) in enumerate(self.free):
            if room >= size:
                if room == size:
                    del self.free[k]
                else:
                    self.free[k] = (offset + size, room - size)
                return offset
        return None

    def take(self, size: int) -> int:
        size = -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
        with self.changed:
            while self.returned:
                self.give(*self.returned.popleft())
            offset = self._fitting(size)
            while offset is None:
                self._grow(size)
                offset = self._fitting(size)
            return offset

    def give(self, offset: int, size: int) -> None:
        size = -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
        with self.changed:
            k = bisect.bisect(self.free, (offset, 0))
            self.free.insert(k, (offset, size))
            for at in (k, k - 1):  # coalesce with the next piece, and with the previous one
                if 0 <= at < len(self.free) - 1 and sum(self.free[at]) == self.free[at + 1][0]:
                    self.free[at:at + 2] = [(self.free[at][0], self.free[at][1] + self.free[at + 1][1])]

    def _grow(self, size: int) -> None:
        """Requires that the arena is not in use, and that its address is not shared."""
        largest = min(LARGEST, self.device.info.device_memory_size // ALIGNMENT * ALIGNMENT)
        offset, room = self.free[-1] if self.free else (0, 0)
        needed = size + (offset if offset + room == self.size else self.size)  # a free piece at the end becomes part of it
        wanted = self.size
        while wanted < needed and wanted < largest:
            wanted = min(2 * wanted, largest)
        if wanted < needed:
            raise MemoryError(f"{self.device.info.name}: {size} bytes do not fit; all arrays of a device have at most {largest} bytes together")
        if len(self.pins):
            raise MemoryError(f"{self.device.info.name}: {size} bytes do not fit, and the memory cannot move while other libraries hold "
                              "its address; open the device with more: wavec.Device(name, memory=…)")
        if self.users:
            self._wait_for_users()
            return  # others may have freed memory, or moved it: look again
        if self.arena:
            for queue in list(self.device._queues):
                if not queue.closed:
                    queue.wait()
            arena = Arena(self.device, wanted)
            queue = self.device.queue
            old, new = lib.RtBuffer(self.arena.value, 0, self.size), lib.RtBuffer(arena.value, 0, wanted)
            call(lib.rt.wave_rt_copy, queue.handle, c.byref(new), 0, c.byref(old), 0, self.size)
            queue.wait()
            self.arena.close()
            self.arena = arena
        self.give(self.size, wanted - self.size)
        self.size = wanted

    def _wait_for_users(self) -> None:
        self.movers += 1
        try:
            while self.users:
                self.changed.wait()
        finally:
            self.movers -= 1
            self.changed.notify_all()

    def enter(self) -> Arena:
        """The arena, which is not moved until `leave`."""
        with self.changed:
            while self.movers:
                self.changed.wait()
            if not self.arena:
                self.arena = Arena(self.device, self.size)
            self.users += 1
            return self.arena

    def leave(self) -> None:
        with self.changed:
            self.users -= 1
            if not self.users:
                self.changed.notify_all()

    def close(self) -> None:
        self.arena = None


class Device(Handle):
    """An open device. `memory` is the initial size in bytes for its arrays; it grows on demand, up to 4 GiB."""

    _destroy = staticmethod(lib.rt.wave_rt_close)

    def __init__(self, name: str = "auto", *, memory: int = FIRST_HEAP):
        if not 0 < memory <= LARGEST:
            raise ValueError(f"a device has 1 to {LARGEST} bytes of memory, not {memory}")
        super().__init__(made(lib.rt.wave_rt_open, name.encode()))
        self.info = _info_of(lib.rt.wave_rt_device_describe(self.handle).contents)
        self._queues: weakref.WeakSet[Queue] = weakref.WeakSet()
        self._thread = threading.local()
        self.heap = Heap(self, -(-memory // ALIGNMENT) * ALIGNMENT)

    def __repr__(self) -> str:
        return f"<wavec.Device {self.info.name}: {self.info.title}{' (closed)' if self.closed else ''}>"

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def queue(self) -> Queue:
        """This thread's own queue, for calls that wait."""
        queue: Optional[Queue] = getattr(self._thread, "queue", None)
        if queue is None or queue.closed:
            queue = self._thread.queue = Queue(self)
        return queue

    def constants(self) -> dict[str, Optional[int]]:
        """By the names of the specification; None for values that the vendor does not report."""
        found: dict[str, Optional[int]] = {}
        while name := lib.rt.wave_rt_constant_name(len(found)):
            value, error = c.c_uint64(), lib.RtError()
            status = lib.rt.wave_rt_query_constant(self.handle, name, c.byref(value), c.byref(error))
            if status != UNKNOWN:
                check(status, error)
            found[must_text(name)] = value.value if status == 0 else None
        return found

    @property
    def native(self) -> Optional[int]:
        """The vendor's own object: CUcontext, MTLDevice, sycl::device *."""
        address: Optional[int] = lib.rt.wave_rt_device_native(self.handle)
        return address

    def close(self) -> None:
        if not self._handle:
            return
        for queue in list(self._queues):
            queue.close()
        self.heap.close()
        super().close()


_shared: dict[str, Device] = {}
_shared_lock = threading.Lock()


def device(name: Union[str, Device] = "auto") -> Device:
    """A device shared by the entire process: opened at the first call with this name."""
    if isinstance(name, Device):
        return name
    with _shared_lock:
        found = _shared.get(name)
        if found is None or found.closed:
            found = Device(name)
            found = _shared.setdefault(found.name, found) if not _shared.get(found.name, found).closed else found
            _shared[found.name] = _shared[name] = found
        return found
