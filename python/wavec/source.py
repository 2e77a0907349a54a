"""From a caller's source to a loaded WBIN file, with diagnostics that refer to the source's lines."""

from __future__ import annotations

import ctypes as c
import os
import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from typing import Any, Optional, Union

from . import _library as lib
from .errors import CompileError, Diagnostic, WaveError, diagnostic_of, must_text, warn

Source = Union[str, bytes, bytearray, memoryview, "os.PathLike[str]"]

WBIN_MAGIC, SPIRV_MAGIC = b"WAVE", (b"\x03\x02\x23\x07", b"\x07\x23\x02\x03")
OPENCL = (".cl", ".spvasm")
# "kernel void …", "__kernel …": assembly has only the directive .kernel, and comments after ;, # or //.
OPENCL_TEXT = re.compile(r"^(?:(?!//)[^;#.\n])*\b(?:__)?kernel\s+[A-Za-z_]", re.M)
MODES = {"default": 0, "strict": 1, "lenient": 2}
LARGEST = 64 << 20


class Lines:
    """The lines of sources, for libwave to quote. Files are read on first use."""

    def __init__(self) -> None:
        self._texts: dict[str, list[Any]] = {}
        self.read = lib.READ_LINE(self._read)

    def add(self, name: str, text: bytes) -> None:
        self._texts[name] = [c.create_string_buffer(line.rstrip(b"\r")) for line in text.split(b"\n")]

    def _read(self, _user: Any, file: Optional[bytes], line: int, text: Any, length: Any) -> bool:
        name = must_text(file)
        if name not in self._texts:
            self._texts[name] = []
            try:
                if os.path.isfile(name) and os.path.getsize(name) <= LARGEST:
                    with open(name, "rb") as opened:
                        self.add(name, opened.read())
            except OSError:
                pass
        lines = self._texts[name]
        if not 1 <= line <= len(lines):
            return False
        text[0] = c.addressof(lines[line - 1])
        length[0] = len(lines[line - 1]) - 1
        return True


class Diagnostics:
    """A list that calls of libwave fill; it becomes an exception, warnings, or nothing."""

    def __init__(self, lines: Lines, name: str):
        self.lines, self.name = lines, name
        self.handle = lib.wave.wave_diags_create(0)
        if not self.handle:
            raise MemoryError("out of memory")
        lib.wave.wave_diags_read_lines(self.handle, lines.read, None)

    def __enter__(self) -> Diagnostics:
        return self

    def __exit__(self, *_: object) -> None:
        lib.wave.wave_diags_destroy(self.handle)

    def list(self) -> tuple[Diagnostic, ...]:
        count = lib.wave.wave_diags_count(self.handle)
        return tuple(diagnostic_of(lib.wave.wave_diags_at(self.handle, k).contents) for k in range(count))

    def text(self) -> str:
        blob = lib.Blob()
        if lib.wave.wave_diags_format(self.handle, self.name.encode(), 0, c.byref(blob)) != 0:
            raise MemoryError("out of memory")
        return blob.take().decode("utf-8", "replace").rstrip("\n")

    def settle(self, status: int, kind: type[WaveError] = CompileError) -> tuple[Diagnostic, ...]:
        """The outcome of a call: the exception when it failed, warnings otherwise."""
        if status == 3:
            raise MemoryError("out of memory")
        found = self.list()
        if status != 0:
            raise kind(self.text() or "invalid use of libwave", found)
        if found:
            warn(self.text())
        return found


@dataclass
class Program:
    """A WBIN file in memory."""

    name: str  # its name in diagnostics
    data: bytes
    lines: Lines


def _include(user: Any, name: Optional[bytes], text: Any) -> bool:
    try:
        with open(must_text(name), "rb") as file:
            data = file.read(LARGEST + 1)
    except OSError:
        return False
    memory = lib.malloc(len(data) or 1) if len(data) <= LARGEST else None
    if not memory:
        return False
    c.memmove(memory, data, len(data))
    text[0].data, text[0].size = memory, len(data)
    return True


_INCLUDE = lib.INCLUDE(_include)


def _assemble(text: bytes, name: str, lines: Lines, defines: dict[str, Any]) -> bytes:
    words = [f"{key}={value}".encode() for key, value in defines.items()]
    options = lib.AsmOptions(file=name.encode(), debug=True, include=_INCLUDE, define_count=len(words),
                             defines=(c.c_char_p * len(words))(*words) if words else None)
    out = lib.Blob()
    lines.add(name, text)
    with Diagnostics(lines, name) as found:
        found.settle(lib.wave.wave_assemble(text, len(text), c.byref(options), c.byref(out), found.handle))
    return out.take()


def _compile_opencl(path: str, flags: list[str], text: Optional[str] = None) -> bytes:
    """Runs wave-cc: the package's own, or the one in the PATH. `path` is only a name if there is a text."""
    tool = os.path.join(lib.FOLDER, "wave-cc")
    if not os.path.exists(tool):
        tool = shutil.which("wave-cc") or ""
    if not tool:
        raise CompileError(f"{path}: wave-cc, which compiles OpenCL C, is not installed")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "k.wbin")
        given = None if text is None else f'#line 1 "{path}"\n{text}'
        done = subprocess.run([tool, "-g", *flags, "-o", out, path if text is None else "-"], input=given, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise CompileError(done.stderr.rstrip())
        if done.stderr.strip():
            warn(done.stderr.rstrip())
        with open(out, "rb") as file:
            return file.read()


def read(source: Source, *, defines: Optional[dict[str, Any]] = None, flags: tuple[str, ...] = ()) -> Program:
    """Reads a path (.wave, .wbin, .spv, .cl), text in OpenCL C or assembly (a str that contains a newline), or the bytes of a WBIN
    or SPIR-V file."""
    lines = Lines()
    options = [f"-D{name}={value}" for name, value in (defines or {}).items()] + list(flags)
    if isinstance(source, str) and "\n" in source:
        name = "<text>"
        if OPENCL_TEXT.search(source):
            lines.add(name, source.encode())
            return Program(name, _compile_opencl(name, options, source), lines)
        return Program(name, _assemble(source.encode(), name, lines, defines or {}), lines)
    if isinstance(source, (bytes, bytearray, memoryview)):
        name, data = "<bytes>", bytes(source)
    else:
        name = os.fspath(source)
        if name.endswith(OPENCL):
            return Program(name, _compile_opencl(name, options), lines)
        with open(name, "rb") as file:
            data = file.read()
    if data[:4] == WBIN_MAGIC:
        return Program(name, data, lines)
    if data[:4] in SPIRV_MAGIC:
        return Program(name, _from_spirv(data, name, lines), lines)
    if name.endswith(".wave"):
        return Program(name, _assemble(data, name, lines, defines or {}), lines)
    raise CompileError(f"{name}: neither WBIN, nor SPIR-V, nor a .wave or .cl file")


def _from_spirv(data: bytes, name: str, lines: Lines) -> bytes:
    out = lib.Blob()
    with Diagnostics(lines, name) as found:
        found.settle(lib.wave.wave_from_spirv(data, len(data), None, c.byref(out), found.handle))
    return out.take()


@dataclass(frozen=True)
class Argument:
    """A kernel's declaration of one argument."""

    name: str
    kind: str  # "scalar", "buffer" or "local"
    type: str  # "f32", …, "bytes"
    read: bool
    written: bool
    first_word: int
    words: int
    size: int  # bytes of one value
    contained: bool  # the kernel promises to stay inside the buffer


@dataclass(frozen=True)
class KernelInfo:
    """A file's description of a kernel."""

    name: str
    index: int
    registers: int
    local_memory: int
    workgroup: Optional[tuple[int, int, int]]  # None: chosen at launch
    instructions: int
    argument_words: int
    arguments: tuple[Argument, ...]  # declared; () when only the words are known


_KINDS = ("scalar", "buffer", "local")


def _argument_of(raw: lib.ArgumentInfo) -> Argument:
    access = raw.access if raw.kind else 1
    return Argument(must_text(raw.name), _KINDS[raw.kind], must_text(lib.wave.wave_type_name(raw.type)), bool(access & 1),
                    bool(access & 2), raw.first_word, raw.words, lib.wave.wave_type_size(raw.type), bool(raw.flags & 2))


def kernels_of(module: int) -> list[KernelInfo]:
    """The kernels of a wave_module."""
    found = []
    for k in range(lib.wave.wave_module_kernel_count(module)):
        raw = lib.wave.wave_module_kernel(module, k).contents
        arguments = tuple(_argument_of(lib.wave.wave_module_argument(module, k, a).contents) for a in range(raw.arguments))
        group = (raw.workgroup[0], raw.workgroup[1], raw.workgroup[2])
        found.append(KernelInfo(must_text(raw.name), k, raw.registers, raw.local_memory, group if group[0] else None,
                                raw.instructions, raw.argument_words, arguments))
    return found


class Loaded:
    """A program that libwave has decoded and validated; for compiling and emulating."""

    def __init__(self, program: Program, *, mode: str = "default", registers: int = 0, local_memory: int = 0, quiet: bool = False):
        if mode not in MODES:
            raise ValueError(f"mode is one of {', '.join(MODES)}, not {mode!r}")
        self.program, self.lock = program, threading.Lock()
        self._options = lib.LoadOptions(mode=MODES[mode], registers=registers, local_memory=local_memory)
        self.handle = c.c_void_p()
        with Diagnostics(program.lines, program.name) as found:
            status = lib.wave.wave_module_load(program.data, len(program.data), c.byref(self._options), c.byref(self.handle),
                                               found.handle)
            if status != 0 or not quiet:
                found.settle(status)
        self.kernels = kernels_of(self.handle.value or 0)

    def __del__(self) -> None:
        handle = getattr(self, "handle", None)
        if handle and handle.value and lib.wave:
            lib.wave.wave_module_destroy(handle)
            handle.value = None

    def diagnostics(self) -> Diagnostics:
        return Diagnostics(self.program.lines, self.program.name)
