"""Converts the arguments of a call to launch words: names, types and sizes are checked against the kernel's
declaration."""

from __future__ import annotations

import ctypes as c
import operator
import struct
from dataclasses import dataclass
from typing import Any, Callable, Optional

import numpy as np

from .source import Argument, KernelInfo

#: The array types that a buffer of a type may have. bf16 has none in numpy: its bits are uint16, or the bfloat16 of ml_dtypes.
DTYPES = {"u32": "uint32", "i32": "int32", "f32": "float32", "u64": "uint64", "i64": "int64", "f64": "float64", "f16": "float16",
          "bf16": "uint16", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16"}
_INTEGERS = {"u8": ("I", 0, 2**8 - 1), "u16": ("I", 0, 2**16 - 1), "u32": ("I", 0, 2**32 - 1), "u64": ("Q", 0, 2**64 - 1),
             "i8": ("i", -2**7, 2**7 - 1), "i16": ("i", -2**15, 2**15 - 1), "i32": ("i", -2**31, 2**31 - 1),
             "i64": ("q", -2**63, 2**63 - 1)}
_FLOATS = {"f16": "e", "f32": "f", "f64": "d"}


@dataclass
class Use:
    """An array in a call: where its address goes, and in which direction its bytes are copied."""

    word: int
    value: Any  # an Array of a device, or a numpy array
    read: bool
    written: bool
    name: str
    contained: bool = False


def host_array(value: Any, what: str) -> np.ndarray:
    """The caller's own memory as a numpy array, never a copy."""
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        try:
            return np.from_dlpack(value)
        except (RuntimeError, BufferError, ValueError) as reason:
            raise TypeError(f"{what}: not in the host's memory: {reason}") from None
    if isinstance(value, (bytearray, memoryview)):
        return np.frombuffer(value, np.uint8)
    raise TypeError(f"{what} is an array, not {type(value).__name__}")


def _fits(dtype: np.dtype, type_name: str) -> bool:
    """Integers of one size match with either sign: SPIR-V has no signs, so kernels of OpenCL C declare none."""
    if type_name != "bytes" and not dtype.isnative:  # kernels read numbers in the host's byte order
        return False
    if type_name in _INTEGERS:
        return dtype.kind in "iu" and 8 * dtype.itemsize == int(type_name[1:])
    return type_name == "bytes" or dtype.name == DTYPES[type_name] or dtype.name == {"bf16": "bfloat16"}.get(type_name)


def _integer_setter(what: str, type_name: str, at: int) -> Callable[[Any, Any], None]:
    form, low, high = _INTEGERS[type_name]
    pack = struct.Struct("=" + form).pack_into
    size = int(type_name[1:]) // 8

    def set_integer(words: Any, value: Any) -> None:
        try:
            number = operator.index(value)
        except TypeError:
            raise TypeError(f"{what} is {type_name}, not {type(value).__name__}") from None
        if number < low and isinstance(value, np.signedinteger) and value.itemsize == size:
            number += 1 << 8 * size  # a number of known size: its bits, as in a buffer
        if not low <= number <= high:
            raise OverflowError(f"{what} is {type_name}: {low} to {high}, not {number}")
        pack(words, at, number)
    return set_integer


def _bf16(number: float) -> int:
    """Rounded to nearest, ties to even."""
    bits: int = struct.unpack("=I", struct.pack("=f", number))[0]
    if number != number:
        return bits >> 16 | 0x40
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _float_setter(what: str, type_name: str, at: int) -> Callable[[Any, Any], None]:
    pack = struct.Struct("=" + _FLOATS.get(type_name, "I")).pack_into

    def set_float(words: Any, value: Any) -> None:
        if isinstance(value, (str, bytes, np.ndarray)):
            raise TypeError(f"{what} is {type_name}, not {type(value).__name__}")
        try:
            number = float(value)
        except TypeError:
            raise TypeError(f"{what} is {type_name}, not {type(value).__name__}") from None
        try:
            pack(words, at, _bf16(number) if type_name == "bf16" else number)
        except OverflowError:
            raise OverflowError(f"{what} is {type_name}, which {number} is too large for") from None
    return set_float


def _bytes_setter(what: str, argument: Argument) -> Callable[[Any, Any], None]:
    at, size = 4 * argument.first_word, 4 * argument.words

    def set_bytes(words: Any, value: Any) -> None:
        try:
            data = bytes(memoryview(value).cast("B"))
        except TypeError:
            raise TypeError(f"{what} is a structure: bytes, not {type(value).__name__}") from None
        if not size - 4 < len(data) <= size:
            raise ValueError(f"{what} is a structure of {size - 3} to {size} bytes, not {len(data)}")
        memoryview(words).cast("B")[at:at + len(data)] = data
    return set_bytes


class Binder:
    """Built once per kernel, used by every call."""

    def __init__(self, info: KernelInfo):
        self.info, self.title = info, info.name or f"kernel {info.index}"
        self.parameters = [a for a in info.arguments if a.words]
        self.count = info.argument_words
        self._type = c.c_uint32 * max(self.count, 1)
        self._names = [a.name for a in self.parameters]
        self._by_name = {a.name: a for a in self.parameters if a.name}
        self._setters = {a.first_word: self._setter(a) for a in self.parameters if a.kind == "scalar"}

    def what(self, name: str) -> str:
        return f"argument {name!r} of {self.title}"

    def _setter(self, a: Argument) -> Callable[[Any, Any], None]:
        what = self.what(a.name)
        if a.type == "bytes":
            return _bytes_setter(what, a)
        return (_integer_setter if a.type in _INTEGERS else _float_setter)(what, a.type, 4 * a.first_word)

    def bind(self, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, list[Use]]:
        """The words, with 0 in place of addresses, and the arrays."""
        words = self._type()
        uses: list[Use] = []
        if not self.parameters:
            self._bind_words(given, named, words, uses)
            return words, uses
        for a, value in self._match(given, named):
            if a.kind == "scalar":
                self._setters[a.first_word](words, value)
            else:
                uses.append(self._use(a, value))
        return words, uses

    def _match(self, given: tuple[Any, ...], named: dict[str, Any]) -> list[tuple[Argument, Any]]:
        parameters = self.parameters
        if not given and len(named) == len(parameters):
            try:
                return [(a, named[a.name]) for a in parameters]
            except KeyError:
                pass
        if len(given) > len(parameters):
            raise TypeError(f"{self.title} takes {len(parameters)} arguments ({', '.join(self._names)}), not {len(given)}")
        pairs = list(zip(parameters, given))
        for name in named:
            if name not in self._by_name:
                raise TypeError(f"{self.title} has no argument {name!r}; it takes {', '.join(self._names)}")
            if any(a.name == name for a, _ in pairs[:len(given)]):
                raise TypeError(f"{self.what(name)} is given twice")
            pairs.append((self._by_name[name], named[name]))
        missing = [a.name for a in parameters if all(a is not b for b, _ in pairs)]
        if missing:
            raise TypeError(f"{self.title} also takes {', '.join(missing)}")
        return pairs

    def _use(self, a: Argument, value: Any) -> Use:
        dtype: Optional[np.dtype] = getattr(value, "dtype", None) if getattr(value, "_wavec_array", False) else None
        if dtype is None:
            value = host_array(value, self.what(a.name))
            dtype = value.dtype
        if not _fits(dtype, a.type):
            raise TypeError(f"{self.what(a.name)} is a buffer of {a.type} ({DTYPES[a.type]}), not of {dtype}")
        read, written = (a.read, a.written) if a.read or a.written else (True, True)
        return Use(a.first_word, value, read, written, a.name, a.contained)

    def _bind_words(self, given: tuple[Any, ...], named: dict[str, Any], words: Any, uses: list[Use]) -> None:
        """For a kernel that declares nothing: an array, an integer or a float for each word."""
        if named:
            raise TypeError(f"{self.title} declares no arguments: its {self.count} words are given in order, not by name")
        if len(given) != self.count:
            raise TypeError(f"{self.title} takes {self.count} argument words, not {len(given)}")
        for k, value in enumerate(given):
            name = f"r{k}"
            if isinstance(value, float) or isinstance(value, np.floating):
                _float_setter(self.what(name), "f32", 4 * k)(words, value)
            elif isinstance(value, (int, np.integer)):
                _integer_setter(self.what(name), "i32" if value < 0 else "u32", 4 * k)(words, value)
            else:
                array = value if getattr(value, "_wavec_array", False) else host_array(value, self.what(name))
                uses.append(Use(k, array, True, True, name))


def _overlap(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether they share a byte; the columns of a table do not. Patterns that are hard to compare count as overlapping."""
    work: Any = 1000  # numpy's stubs know only -1 and 0
    try:
        return bool(np.shares_memory(a, b, max_work=work))
    except RuntimeError:  # numpy's TooHardError
        return True


def check_host(uses: list[Use], title: str) -> None:
    """An array that is written must be writable, and must not overlap another."""
    for k, use in enumerate(uses):
        if use.written and not use.value.flags.writeable:
            raise ValueError(f"argument {use.name!r} of {title} is written, and the array is read-only")
        for other in uses[:k]:
            if (use.written or other.written) and use.value is not other.value and _overlap(use.value, other.value):
                raise ValueError(f"arguments {other.name!r} and {use.name!r} of {title} overlap in memory")
