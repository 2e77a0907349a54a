"""Modules and their kernels on a device: mod.saxpy[grid, workgroup](x=x, y=y, a=2.0, n=n)."""

from __future__ import annotations

import contextlib
import ctypes as c
import json
import os
import sys
from dataclasses import dataclass
from typing import Any, Iterator, Optional, Union

import numpy as np

from . import _library as lib
from .arguments import Binder, Use, check_host
from .array import Array
from .device import ALIGNMENT, Device, Event, Handle, Queue, device as shared_device, made
from .errors import call, must_text, warn
from .source import MODES, KernelInfo, Loaded, Source, kernels_of, read

Extent = Union[int, tuple[int, ...]]
_UNKNOWN = 0xFFFFFFFF


@dataclass(frozen=True)
class Facts:
    """Facts about a compiled kernel; None: the vendor does not report it."""

    registers: Optional[int]  # per thread
    spill_bytes: Optional[int]  # per thread
    local_memory: Optional[int]
    max_threads: Optional[int]  # per workgroup
    resident_waves: Optional[int]  # per core, by the occupancy equation of the specification


def extent(value: Extent, what: str) -> tuple[int, int, int]:
    sizes = (value,) if isinstance(value, (int, np.integer)) else tuple(value)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(n, (int, np.integer)) and 0 < n < 1 << 32 for n in sizes):
        raise ValueError(f"a {what} is one to three positive numbers, not {value!r}")
    return tuple(int(n) for n in (*sizes, 1, 1)[:3])  # type: ignore[return-value]


class Launcher:
    """A kernel with its grid; calling it launches the kernel."""

    def __init__(self, kernel: Kernel, grid: Extent, workgroup: Optional[Extent], queue: Optional[Queue]):
        self.kernel, self.queue = kernel, queue
        self._raw = lib.RtLaunch()
        lib.rt.wave_rt_launch_init_sized(c.byref(self._raw), c.sizeof(self._raw))
        self._raw.kernel = kernel.info.index
        self._raw.grid = extent(grid, "grid")
        if workgroup is not None:
            self._raw.workgroup = extent(workgroup, "workgroup")

    def __call__(self, *arguments: Any, **named: Any) -> Optional[Event]:
        """Without a queue: arrays of the host are copied to the device and back, and all is done on return. With a queue the
        launch is queued and its event returned; arrays of the host must stay unchanged until then."""
        kernel = self.kernel
        words, uses = kernel.binder.bind(arguments, named)
        host = [use for use in uses if not isinstance(use.value, Array)]
        if host:
            check_host(host, kernel.binder.title)
        return _launch(self, words, uses, host)


def _contiguous(host: list[Use], queued: bool, title: str) -> list[tuple[Use, np.ndarray]]:
    """The bytes to transfer: each array once, a non-contiguous one as a copy."""
    copies: list[tuple[Use, np.ndarray]] = []
    for use in host:
        known = next((bytes_ for other, bytes_ in copies if other.value is use.value), None)
        if known is None and queued and not use.value.flags.c_contiguous:
            raise ValueError(f"argument {use.name!r} of {title} is not contiguous: a queued launch takes only contiguous arrays")
        copies.append((use, known if known is not None else np.ascontiguousarray(use.value)))
    return copies


class _Room:
    """A piece of the heap for the arrays of one launch."""

    def __init__(self, device: Device, copies: list[tuple[Use, np.ndarray]]):
        self.heap, self.size = device.heap, 0
        self.places: dict[int, int] = {}
        for _, data in copies:
            if id(data) not in self.places:
                self.places[id(data)] = self.size
                self.size += -(-max(data.nbytes, 1) // ALIGNMENT) * ALIGNMENT
        self.offset = self.heap.take(self.size)

    def of(self, data: np.ndarray) -> int:
        return self.offset + self.places[id(data)]

    def __del__(self) -> None:
        if hasattr(self, "offset"):
            self.heap.returned.append((self.offset, self.size))


def _transfer(function: Any, queue: Queue, arena: int, offset: int, data: np.ndarray) -> None:
    if data.nbytes:
        call(function, queue.handle, c.byref(lib.RtBuffer(arena, offset, data.nbytes)), 0, data.ctypes.data, data.nbytes)


def _launch(launcher: Launcher, words: Any, uses: list[Use], host: list[Use]) -> Optional[Event]:
    kernel, module = launcher.kernel, launcher.kernel.module
    device, queued = module.device, launcher.queue is not None
    queue = launcher.queue or device.queue
    if queue.device is not device:
        raise ValueError(f"the queue is on {queue.device.name}, the module on another device")
    copies = _contiguous(host, queued, kernel.binder.title) if host else []
    room = _Room(device, copies) if copies else None
    raw = lib.RtLaunch.from_buffer_copy(launcher._raw)
    raw.module, raw.words, raw.word_count = module.handle, words, kernel.binder.count
    arena = device.heap.enter()
    try:
        raw.arena = arena.value
        sizes = []
        places = {id(use): room.of(data) for use, data in copies} if room else {}
        for use in uses:
            value = use.value
            if id(use) in places:
                words[use.word] = places[id(use)]
            else:
                if value.device is not device:
                    raise ValueError(f"argument {use.name!r} of {kernel.binder.title} is on {value.device.name}, but the module is "
                                     f"on {device.name}; a device that was opened twice counts as two")
                words[use.word] = value.offset
            if use.contained:
                sizes.append(lib.LaunchBuffer(use.word, value.nbytes))
        if sizes:
            raw.buffers, raw.buffer_count = (lib.LaunchBuffer * len(sizes))(*sizes), len(sizes)
        with queue.lock:
            try:
                for use, data in copies:
                    # arrays that are only written are uploaded too: the kernel may leave parts unchanged
                    _transfer(lib.rt.wave_rt_upload_async, queue, arena.value, places[id(use)], data)
                call(lib.rt.wave_rt_dispatch, queue.handle, c.byref(raw))
                for use, data in copies:
                    if use.written:
                        _transfer(lib.rt.wave_rt_download_async, queue, arena.value, places[id(use)], data)
                if launcher.queue is not None:
                    event = queue.event()
                    queue._keep(event, (uses, copies, room, module))
                    return event
            except BaseException:
                with contextlib.suppress(Exception):  # transfers that are queued already still use the arrays
                    queue._keep(queue.event(), (uses, copies, room, module))
                raise
            queue.wait()
    finally:
        device.heap.leave()
    for use, data in copies:
        if use.written and data is not use.value:
            np.copyto(use.value, data)
    return None


class Kernel:
    """A kernel of a module. Launch it with kernel[grid, workgroup](…) or kernel[grid, workgroup, queue](…); the workgroup may be
    omitted, or None, where the kernel fixes it."""

    def __init__(self, module: Module, info: KernelInfo):
        self.module, self.info, self.binder = module, info, Binder(info)
        self._facts: Optional[Facts] = None

    def __getitem__(self, sizes: Any) -> Launcher:
        parts = sizes if isinstance(sizes, tuple) else (sizes,)
        if len(parts) > 3 or (len(parts) == 3 and parts[2] is not None and not isinstance(parts[2], Queue)):
            raise TypeError("kernel[grid, workgroup, queue]: a grid or workgroup of several dimensions is a tuple")
        grid, workgroup, queue = (*parts, None, None)[:3]
        return Launcher(self, grid, workgroup, queue)

    @property
    def facts(self) -> Facts:
        if self._facts is None:
            raw = lib.RtFacts(size=c.sizeof(lib.RtFacts))
            call(lib.rt.wave_rt_kernel_facts, self.module.handle, self.info.index, c.byref(raw))
            values = {name: getattr(raw, name) for name in Facts.__dataclass_fields__}
            self._facts = Facts(**{name: None if value == _UNKNOWN else value for name, value in values.items()})
        return self._facts

    def __repr__(self) -> str:
        arguments = ", ".join(f"{a.name}: {a.type}{'[]' if a.kind == 'buffer' else ''}" for a in self.binder.parameters)
        return f"<wavec.Kernel {self.info.name}({arguments or f'{self.info.argument_words} words'}) on {self.module.device.name}>"


class _Progress:
    """Reports steps that may take long, on one line of a terminal."""

    def __init__(self) -> None:
        self.shown = 0
        self.callback = lib.TELL(self._tell)

    def _tell(self, _user: Any, what: Optional[bytes]) -> None:
        text = f"wavec: {must_text(what)}"
        sys.stderr.write("\r" + text.ljust(self.shown))
        sys.stderr.flush()
        self.shown = len(text)

    def end(self) -> None:
        if self.shown:
            sys.stderr.write("\r" + " " * self.shown + "\r")
            sys.stderr.flush()


def _warn(_user: Any, what: Optional[bytes]) -> None:
    warn(must_text(what))


_warning = lib.TELL(_warn)


class Module(Handle):
    """The kernels of a file, compiled for a device: attributes by name, or module["name"]."""

    _destroy = staticmethod(lib.rt.wave_rt_module_destroy)

    def __init__(self, handle: Any, device: Device, name: str, kernels: list[KernelInfo]):
        super().__init__(handle)
        self.device, self.name = device, name
        self.kernels = {info.name: Kernel(self, info) for info in kernels}

    def __getattr__(self, name: str) -> Kernel:
        kernels: dict[str, Kernel] = self.__dict__.get("kernels", {})
        try:
            return kernels[name]
        except KeyError:
            raise AttributeError(f"{self.__dict__.get('name')} has no kernel {name!r}; it has "
                                 f"{', '.join(kernels) or 'none'}") from None

    def __getitem__(self, name: str) -> Kernel:
        return self.kernels[name]

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self.kernels.values())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.kernels]

    @property
    def text(self) -> str:
        """The text for the vendor's compiler; "" on the emulator."""
        size = c.c_size_t()
        address = lib.rt.wave_rt_module_text(self.handle, c.byref(size))
        return c.string_at(address, size.value).decode() if address else ""

    @property
    def cached(self) -> bool:
        """Whether the text came from the cache."""
        return bool(lib.rt.wave_rt_module_cached(self.handle))

    def __repr__(self) -> str:
        return f"<wavec.Module {os.path.basename(self.name)} on {self.device.name}: {', '.join(self.kernels)}>"


def load(source: Source, device: Union[str, Device] = "auto", *, wave_width: int = 0, optimise: bool = True, fast_math: bool = False,
         native_mma: bool = False, bounds: bool = False, lockstep: bool = False, deterministic: bool = False, assert_trap: bool = True, mode: str = "default",
         registers: int = 0, local_memory: int = 0, cache: Optional[str] = None, defines: Optional[dict[str, Any]] = None,
         flags: tuple[str, ...] = (), progress: Optional[bool] = None) -> Module:
    """A file, text or bytes, compiled for a device: "auto", a name such as "cuda:0", or an open one.

    `cache` is a folder for compiled kernels, "" for none. `progress` reports long steps on standard error; by default that happens
    only on a terminal. The rest is as for compile()."""
    loaded = Loaded(read(source, defines=defines, flags=flags), mode=mode, registers=registers, local_memory=local_memory)
    options = lib.RtModuleOptions()
    lib.rt.wave_rt_module_init_sized(c.byref(options), c.sizeof(options))
    options.load = lib.LoadOptions(mode=MODES[mode], registers=registers, local_memory=local_memory)
    for name, value in (("wave_width", wave_width), ("optimise", optimise), ("fast_math", fast_math), ("native_mma", native_mma),
                        ("bounds", bounds), ("lockstep", lockstep), ("deterministic", deterministic), ("assert_trap", assert_trap)):
        setattr(options, name, value)
    options.cache = None if cache is None else os.fspath(cache).encode()
    shown = _Progress() if (sys.stderr.isatty() if progress is None else progress) else None
    if shown:
        options.progress = shown.callback
    options.warning = _warning
    program, opened = loaded.program, shared_device(device)
    try:
        handle = made(lib.rt.wave_rt_module_load, opened.handle, program.data, len(program.data), c.byref(options))
    finally:
        if shown:
            shown.end()
    return Module(handle, opened, program.name, loaded.kernels)


def _bytes_of(source: Source) -> tuple[str, bytes]:
    """The name and the bytes of a path, a text (a str that contains a newline) or bytes."""
    if isinstance(source, str) and "\n" in source:
        return "<text>", source.encode()
    if isinstance(source, (bytes, bytearray, memoryview)):
        return "<bytes>", bytes(source)
    with open(source, "rb") as file:
        return os.fspath(source), file.read()


def load_native(kernels: Source, reflect: Union[Source, dict[str, Any]], device: Union[str, Device] = "auto") -> Module:
    """Kernels in the vendor's own form, compiled ahead of time: PTX or cubin, HIP or a code object, Metal's text or metallib, SYCL's
    text or SPIR-V. `reflect` describes them: the result of reflect() or the output of wavec --reflect, for the same target and
    options.

    Both can be a path, text or bytes. Nothing is cached. The emulator runs only WBIN."""
    name, data = _bytes_of(kernels)
    described = json.dumps(reflect, ensure_ascii=False).encode() if isinstance(reflect, dict) else _bytes_of(reflect)[1]
    opened = shared_device(device)
    handle = made(lib.rt.wave_rt_module_load_native, opened.handle, data, len(data), described, len(described))
    return Module(handle, opened, name, kernels_of(lib.rt.wave_rt_module_kernels(handle)))
