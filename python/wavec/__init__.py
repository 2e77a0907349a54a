"""GPU kernels in the WAVE binary format: compile, emulate and run them. The guide is docs/using/python.md."""

from . import _library
from .array import Array, array, empty, zeros
from .compiler import assemble, compile, disassemble, reflect, targets
from .device import Device, DeviceInfo, Devices, Event, Queue, device, devices
from .emulator import Profile, Result, emulate
from .errors import CompileError, DeviceError, Diagnostic, KernelError, LaunchError, Place, WaveError, WaveWarning, must_text
from .module import Facts, Kernel, Launcher, Module, load, load_native

__version__ = must_text(_library.wave.wave_version())
__all__ = ["Array", "CompileError", "Device", "DeviceError", "DeviceInfo", "Devices", "Diagnostic", "Event", "Facts", "Kernel",
           "KernelError", "LaunchError", "Launcher", "Module", "Place", "Profile", "Queue", "Result", "WaveError", "WaveWarning",
           "array", "assemble", "compile", "device", "devices", "disassemble", "emulate", "empty", "load", "load_native", "reflect",
           "targets", "zeros"]
