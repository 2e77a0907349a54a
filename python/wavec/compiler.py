"""Compiles WAVE kernels to the text of a target, and describes them without a device."""

from __future__ import annotations

import ctypes as c
import json
import os
from typing import Any, Optional, Union

from . import _library as lib
from .errors import must_text
from .source import Diagnostics, Loaded, Source, read


def targets() -> dict[str, list[str]]:
    """The targets and their architectures, the default first."""
    found: dict[str, list[str]] = {}
    number = 0
    while name := lib.wave.wave_target_name(number):
        archs: list[str] = []
        while arch := lib.wave.wave_target_arch(number, len(archs)):
            archs.append(must_text(arch))
        found[must_text(name)] = archs
        number += 1
    return found


class _Options:
    """wave_compile_options, with the objects that they point to."""

    def __init__(self, target: str, arch: Optional[str], kernels: Optional[list[str]], source: str, choices: dict[str, Any]):
        number = lib.wave.wave_target_find(target.encode())
        if number < 0:
            raise ValueError(f"there is no target {target!r}; choose from {', '.join(targets())}")
        self.raw = lib.CompileOptions()
        lib.wave.wave_compile_init(c.byref(self.raw))
        self.raw.target, self.raw.source = number, source.encode()
        self.raw.arch = arch.encode() if arch else None
        if kernels is not None:
            self._kernels = (c.c_char_p * len(kernels))(*[name.encode() for name in kernels])
            self.raw.kernels, self.raw.kernel_count = self._kernels, len(kernels)
        for name, value in choices.items():
            setattr(self.raw, name, value)


def compile(source: Source, target: str, arch: Optional[str] = None, *, kernels: Optional[list[str]] = None, wave_width: int = 0,
            optimise: bool = True, fast_math: bool = False, native_mma: bool = False, bounds: bool = False, lockstep: bool = False,
            deterministic: bool = False, assert_trap: bool = True, extensions: bool = False, debug: bool = False, mode: str = "default",
            defines: Optional[dict[str, Any]] = None, flags: tuple[str, ...] = ()) -> Union[str, bytes]:
    """The text of a target ("ptx", "hip", "sycl", "msl"), or for "wbin" the bytes of an optimised WBIN file.

    The options are those of the command wavec. Warnings are Python's, of the category WaveWarning; errors raise CompileError.
    `defines` are numbers for assembly and OpenCL C, `flags` options of wave-cc for OpenCL C."""
    loaded = Loaded(read(source, defines=defines, flags=flags), mode=mode)
    options = _Options(target, arch, kernels, os.path.basename(loaded.program.name), {
        "wave_width": wave_width, "optimise": optimise, "fast_math": fast_math, "native_mma": native_mma, "bounds": bounds,
        "lockstep": lockstep, "deterministic": deterministic, "assert_trap": assert_trap, "extensions": extensions, "debug": debug, "warn": True,
        "warn_order": True, "warn_width": True})
    out = lib.Blob()
    with loaded.diagnostics() as found:
        found.settle(lib.wave.wave_compile(loaded.handle, c.byref(options.raw), c.byref(out), found.handle))
    data = out.take()
    return data if target == "wbin" else data.decode()


def reflect(source: Source, target: str = "ptx", arch: Optional[str] = None, *, kernels: Optional[list[str]] = None,
            wave_width: int = 0, bounds: bool = False, lockstep: bool = False, deterministic: bool = False, assert_trap: bool = True,
            mode: str = "default", defines: Optional[dict[str, Any]] = None, flags: tuple[str, ...] = ()) -> dict[str, Any]:
    """The kernels of a file as a target sees them: symbols, argument words, sizes. What wavec --reflect prints.

    The options are those of compile() that change what a kernel is given; load_native() takes the results of both."""
    loaded = Loaded(read(source, defines=defines, flags=flags), mode=mode, quiet=True)
    options = _Options(target, arch, kernels, os.path.basename(loaded.program.name), {
        "wave_width": wave_width, "bounds": bounds, "lockstep": lockstep, "deterministic": deterministic, "assert_trap": assert_trap})
    out = lib.Blob()
    with loaded.diagnostics() as found:
        found.settle(lib.wave.wave_reflect(loaded.handle, c.byref(options.raw), c.byref(out), found.handle))
    result: dict[str, Any] = json.loads(out.take())
    return result


def assemble(source: Source, *, defines: Optional[dict[str, Any]] = None, flags: tuple[str, ...] = ()) -> bytes:
    """A source as the bytes of a WBIN file, with lines for diagnostics."""
    return read(source, defines=defines, flags=flags).data


def disassemble(source: Source) -> str:
    """The assembly of a file."""
    program = read(source)
    out = lib.Blob()
    with Diagnostics(program.lines, program.name) as found:
        status = lib.wave.wave_disassemble(program.data, len(program.data), None, c.byref(out), found.handle)
        text = out.take().decode()
        found.settle(status)
    return text
