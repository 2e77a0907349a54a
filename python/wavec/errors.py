"""Errors as exceptions. str() of one is what the command line prints; `diagnostics` is the same as data."""

from __future__ import annotations

import ctypes
import sys
import threading
import warnings
from dataclasses import dataclass
from typing import Any, Optional

from . import _library as lib


@dataclass(frozen=True)
class Place:
    """A further location that a diagnostic refers to."""

    file: Optional[str]
    line: int  # from 1; 0: none
    column: int
    offset: int  # in the kernel; -1: none
    message: str


@dataclass(frozen=True)
class Diagnostic:
    """One error or warning. The codes are documented in docs/using/errors.md."""

    severity: str  # "error" or "warning"
    code: str  # "E_REGISTER"
    message: str
    kernel: Optional[str] = None
    offset: int = -1  # in the kernel's code
    file: Optional[str] = None
    line: int = 0  # from 1; 0: none
    column: int = 0
    length: int = 0
    text: Optional[str] = None  # the source line or the instruction
    hint: Optional[str] = None
    related: tuple[Place, ...] = ()


class WaveError(Exception):
    """Base class of all errors that this package raises, except for wrong types and values in
    calls."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()):
        super().__init__(message)
        self.diagnostics = diagnostics


class CompileError(WaveError):
    """The source or the file is invalid, or the target does not support it."""


class KernelError(WaveError):
    """The kernel failed while it ran: it left its memory, raced, failed an assert."""


class DeviceError(WaveError):
    """An error of the device or its driver. `status` describes the kind of error, `vendor_code` is the driver's number, `log` the
    output of its compiler."""

    def __init__(self, message: str, status: str = "", vendor_code: int = 0, log: str = ""):
        super().__init__(message + ("\n" + log.rstrip() if log else ""))
        self.status, self.vendor_code, self.log = status, vendor_code, log


class LaunchError(DeviceError, KernelError):
    """A kernel that failed on a device."""


class WaveWarning(UserWarning):
    """Warnings of the compiler: see the module warnings for how to hide them or to make them errors."""


def warn(text: str) -> None:
    """Issues a warning at the line that called into this package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, WaveWarning, stacklevel=level)


def text_of(raw: Optional[bytes]) -> Optional[str]:
    return None if raw is None else raw.decode("utf-8", "replace")


def must_text(raw: Optional[bytes]) -> str:
    return text_of(raw) or ""


def diagnostic_of(raw: lib.Diag) -> Diagnostic:
    related = tuple(Place(text_of(r.file), r.line, r.column, r.offset, must_text(r.message))
                    for r in (raw.related[k] for k in range(raw.related_count)))
    return Diagnostic("error" if raw.severity == 1 else "warning", must_text(raw.code), must_text(raw.message), text_of(raw.kernel),
                      raw.offset, text_of(raw.file), raw.line, raw.column, raw.length, text_of(raw.text), text_of(raw.hint), related)


# wave_rt_status
USAGE, NO_MEMORY, NO_DEVICE, BAD_INPUT, BAD_BUILD, BOUNDS, LIMIT, DEVICE_MEMORY, LAUNCH, LOST, VENDOR, UNKNOWN = range(1, 13)


def check(status: int, error: lib.RtError) -> None:
    """Raises the error that a call of the runtime reports."""
    if status == 0:
        return
    message = must_text(error.message)
    if status == NO_MEMORY:
        raise MemoryError(message)
    if status == BAD_INPUT:
        raise CompileError(must_text(error.log).rstrip() or message)
    kind = LaunchError if status == LAUNCH else DeviceError
    raise kind(message, must_text(lib.rt.wave_rt_status_text(status)), error.vendor_code, must_text(error.log))


_thread = threading.local()


def call(function: Any, *arguments: Any) -> None:
    """Calls a function of the runtime whose last argument is the error."""
    try:
        error = _thread.error
    except AttributeError:
        error = _thread.error = lib.RtError()
    status = function(*arguments, ctypes.byref(error))
    if status:
        check(status, error)
