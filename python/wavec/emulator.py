"""The reference emulator with its checkers and its profiler."""

from __future__ import annotations

import ctypes as c
import html
import json
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Union

import numpy as np

from . import _library as lib
from .arguments import Binder, Use, check_host
from .errors import CompileError, Diagnostic, KernelError
from .module import Extent, extent
from .source import Loaded, Source, read

CHECKS = {"race": 1, "uninit": 2}
ALIGNMENT = 256


def _units() -> list[str]:
    names: list[str] = []
    while name := lib.wave.wave_mma_name(len(names)):
        names.append(name.decode())
    return names


UNITS = _units()


class Profile:
    """Where a kernel spent its instructions. A notebook shows it as a page; print() shows a table."""

    def __init__(self, text: str, page: str, data: dict[str, Any]):
        self.text, self.html, self.data = text, page, data

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        """In a frame, because the page has its own style."""
        return ('<iframe style="width: 100%; height: 32em; border: 0" sandbox="allow-scripts" '
                f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>')


@dataclass
class Result:
    """The results of a run, apart from the changed arrays."""

    stats: dict[str, int]
    warnings: tuple[Diagnostic, ...]
    profile: Optional[Profile] = None


def _bind(binder: Binder, arguments: Union[dict[str, Any], tuple[Any, ...], list[Any]]) -> tuple[Any, list[Use]]:
    words, uses = binder.bind((), arguments) if isinstance(arguments, dict) else binder.bind(tuple(arguments), {})
    for use in uses:
        if not isinstance(use.value, np.ndarray):
            raise TypeError(f"{binder.what(use.name)} is on a device; emulate takes arrays of the host")
    check_host(uses, binder.title)
    return words, uses


class _Memory:
    """Device memory with the arrays one after the other, none at 0, the null pointer of OpenCL C."""

    def __init__(self, uses: list[Use], words: Any):
        self.places: dict[int, int] = {}
        size = ALIGNMENT
        for use in uses:
            if id(use.value) not in self.places:
                self.places[id(use.value)] = size
                size += -(-use.value.nbytes // ALIGNMENT) * ALIGNMENT
            words[use.word] = self.places[id(use.value)]
        self.bytes, self.uses = np.zeros(size, np.uint8), uses
        for use in uses:
            self._part(use)[:] = np.ascontiguousarray(use.value).view(np.uint8).reshape(-1) if use.value.nbytes else 0

    def _part(self, use: Use) -> np.ndarray:
        start = self.places[id(use.value)]
        return self.bytes[start:start + use.value.nbytes]

    def ranges(self) -> Any:
        """The ranges that the host has initialised: not the arrays that a kernel only writes."""
        read = [use for use in self.uses if use.read]
        return (lib.Range * max(len(read), 1))(*[lib.Range(self.places[id(use.value)], use.value.nbytes) for use in read]), len(read)

    def bring_back(self) -> None:
        for use in self.uses:
            if use.written and use.value.nbytes:
                np.copyto(use.value, self._part(use).view(use.value.dtype).reshape(use.value.shape))


def _profile_of(handle: int, loaded: Loaded, title: str) -> Profile:
    lib.wave.wave_profile_read_lines(handle, loaded.program.lines.read, None)
    forms = []
    for style in range(3):
        out = lib.Blob()
        if lib.wave.wave_profile_format(handle, title.encode(), style, c.byref(out)) != 0:
            raise MemoryError("out of memory")
        forms.append(out.take().decode("utf-8", "replace"))
    return Profile(forms[0], forms[2], json.loads(forms[1]))


def _kernel_of(loaded: Loaded, kernel: Union[str, int]) -> Any:
    for info in loaded.kernels:
        if kernel in (info.name, info.index):
            return info
    raise CompileError(f"{loaded.program.name} has no kernel {kernel!r}; it has {', '.join(info.name for info in loaded.kernels)}")


def _number(value: int, name: str, least: int, most: int) -> int:
    if not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise ValueError(f"{name} is a number from {least} to {most}, not {value!r}")
    return int(value)


def emulate(source: Source, kernel: Union[str, int], grid: Extent, arguments: Union[dict[str, Any], tuple[Any, ...], list[Any]] = (),
            *, workgroup: Optional[Extent] = None, check: Union[str, Iterable[str]] = (), profile: bool = False, wave_width: int = 32,
            seed: Optional[int] = None, memory_seed: Optional[int] = None, bounds: bool = False, strict_align: bool = False,
            skip_asserts: bool = False, jobs: int = 1, max_instructions: int = 0, mode: str = "default", registers: int = 0,
            local_memory: int = 0, mma: str = "exact", defines: Optional[dict[str, Any]] = None, flags: tuple[str, ...] = ()) -> Result:
    """Runs a kernel on arrays of the host, which it changes in place.

    `check` is "race", "uninit" or a list of them; their findings, and any other error of the kernel, raise KernelError. `seed` interleaves
    waves pseudo-randomly, `memory_seed` delays stores where no fence orders them. `max_instructions` is per workgroup; 0 is no
    limit. `mma` names the architecture whose matrix units multiply tiles: "sm_80", "gfx942", as in wave-emu's --mma."""
    if mma not in UNITS:
        raise ValueError(f"there are no matrix units {mma!r}; choose from {', '.join(UNITS)}")
    checks = {check} if isinstance(check, str) else set(check)
    unknown = checks - set(CHECKS)
    if unknown:
        raise ValueError(f"there is no check {sorted(unknown)[0]!r}; choose from {', '.join(CHECKS)}")
    loaded = Loaded(read(source, defines=defines, flags=flags), mode=mode, registers=registers, local_memory=local_memory)
    info = _kernel_of(loaded, kernel)
    binder = Binder(info)
    words, uses = _bind(binder, arguments)
    memory = _Memory(uses, words)
    raw, stats, handle = lib.EmuLaunch(), lib.Stats(), c.c_void_p()
    lib.wave.wave_launch_init(c.byref(raw))
    raw.kernel, raw.grid = info.index, extent(grid, "grid")
    if workgroup is not None:
        raw.workgroup = extent(workgroup, "workgroup")
        if info.workgroup and tuple(raw.workgroup) != info.workgroup:
            raise ValueError(f"{binder.title} declares workgroups of {info.workgroup} threads, not {workgroup}")
    raw.wave_width = _number(wave_width, "wave_width", 1, 64)
    raw.max_instructions = _number(max_instructions, "max_instructions", 0, (1 << 64) - 1)
    raw.jobs = _number(jobs, "jobs", 0, (1 << 32) - 1)
    raw.device_memory, raw.device_size = memory.bytes.ctypes.data, memory.bytes.nbytes
    raw.initial, raw.initial_count = words, binder.count
    raw.mma = UNITS.index(mma)
    raw.bounds, raw.strict_align, raw.skip_asserts = bounds, strict_align, skip_asserts
    raw.random_schedule, raw.seed = seed is not None, _number(seed or 0, "seed", 0, (1 << 64) - 1)
    raw.scoped_memory, raw.memory_seed = memory_seed is not None, _number(memory_seed or 0, "memory_seed", 0, (1 << 64) - 1)
    raw.checks = sum(CHECKS[name] for name in checks)
    raw.initialised, raw.initialised_count = memory.ranges()
    raw.initialised_known = True
    sizes = [lib.LaunchBuffer(use.word, use.value.nbytes) for use in uses if use.contained]
    raw.buffers, raw.buffer_count = (lib.LaunchBuffer * max(len(sizes), 1))(*sizes), len(sizes)
    raw.stats = c.pointer(stats)
    raw.profile = c.pointer(handle) if profile else None
    try:
        with loaded.diagnostics() as found:
            status = lib.wave.wave_emulate(loaded.handle, c.byref(raw), found.handle)
            memory.bring_back()
            warnings = found.settle(status, KernelError)
        shown = _profile_of(handle.value, loaded, info.name) if handle.value else None
        return Result({name: getattr(stats, name) for name in lib.STATS}, warnings, shown)
    finally:
        if handle.value:
            lib.wave.wave_profile_destroy(handle)
