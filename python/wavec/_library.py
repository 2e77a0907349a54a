"""libwave and libwave_rt through ctypes: the structures and functions of wave.h, compile.h, emu.h and wave_rt.h that the package
uses, and nothing else. tests/test_layout.py compares the structures with the headers. Calls release the GIL."""

from __future__ import annotations

import ctypes as c
import os
import sys
from typing import Any

FOLDER = os.environ.get("WAVEC_LIBRARIES") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "_lib")


def _open(name: str) -> c.CDLL:
    file = f"lib{name}.0.dylib" if sys.platform == "darwin" else f"lib{name}.so.0"
    path = os.path.join(FOLDER, file)
    try:
        return c.CDLL(path)
    except OSError as reason:
        raise ImportError(f"wavec: {path} does not load: {reason}") from None


wave = _open("wave")
rt = _open("wave_rt")
_libc = c.CDLL(None)
_libc.malloc.restype, _libc.malloc.argtypes = c.c_void_p, [c.c_size_t]
malloc = _libc.malloc

U32x3 = c.c_uint32 * 3


class Blob(c.Structure):
    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t)]

    def take(self) -> bytes:
        """Returns its bytes and frees the memory."""
        data = c.string_at(self.data, self.size) if self.data else b""
        wave.wave_blob_free(c.byref(self))
        return data


READ_LINE = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.c_char_p, c.c_uint32, c.POINTER(c.c_void_p), c.POINTER(c.c_size_t))
INCLUDE = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.c_char_p, c.POINTER(Blob))
TELL = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)


class Related(c.Structure):
    _fields_ = [("file", c.c_char_p), ("line", c.c_uint32), ("column", c.c_uint32), ("offset", c.c_int64), ("message", c.c_char_p)]


class Diag(c.Structure):
    _fields_ = [("severity", c.c_int), ("code", c.c_char_p), ("kernel", c.c_char_p), ("offset", c.c_int64), ("file", c.c_char_p),
                ("line", c.c_uint32), ("column", c.c_uint32), ("length", c.c_uint32), ("message", c.c_char_p), ("text", c.c_char_p),
                ("hint", c.c_char_p), ("related", c.POINTER(Related)), ("related_count", c.c_size_t)]


class LoadOptions(c.Structure):
    _fields_ = [("mode", c.c_int), ("compat", c.c_bool), ("fix_upstream_cas", c.c_bool), ("fix_upstream_cvt", c.c_bool),
                ("registers", c.c_uint32), ("local_memory", c.c_uint32)]


class KernelInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("registers", c.c_uint32), ("local_memory", c.c_uint32), ("workgroup", U32x3),
                ("code_offset", c.c_uint32), ("code_size", c.c_uint32), ("instructions", c.c_uint32), ("argument_words", c.c_uint32),
                ("max_depth", c.c_uint32), ("uses", c.c_uint32), ("arguments", c.c_uint32), ("private_memory", c.c_uint32)]


class ArgumentInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_uint8), ("type", c.c_uint8), ("access", c.c_uint8), ("flags", c.c_uint8),
                ("first_word", c.c_uint16), ("words", c.c_uint16)]


class AsmOptions(c.Structure):
    _fields_ = [("compat_upstream", c.c_bool), ("no_symbols", c.c_bool), ("warnings", c.c_int), ("lines", c.POINTER(Blob)),
                ("file", c.c_char_p), ("debug", c.c_bool), ("defines", c.POINTER(c.c_char_p)), ("define_count", c.c_size_t),
                ("include", INCLUDE), ("include_user", c.c_void_p)]


class CompileOptions(c.Structure):
    _fields_ = [("target", c.c_int), ("arch", c.c_char_p), ("wave_width", c.c_uint32), ("kernels", c.POINTER(c.c_char_p)),
                ("kernel_count", c.c_size_t), ("optimise", c.c_bool), ("fast_math", c.c_bool), ("native_mma", c.c_bool), ("bounds", c.c_bool),
                ("lockstep", c.c_bool), ("warn_order", c.c_bool), ("deterministic", c.c_bool), ("warn_width", c.c_bool),
                ("warn", c.c_bool), ("assert_trap", c.c_bool), ("extensions", c.c_bool), ("always", c.c_bool), ("debug", c.c_bool), ("verify_ir", c.c_bool),
                ("source", c.c_char_p), ("command", c.c_char_p), ("listing", c.c_char_p), ("dump_ir", c.c_char_p),
                ("dump", c.POINTER(Blob)), ("timed", c.c_void_p), ("user", c.c_void_p)]


class Range(c.Structure):
    _fields_ = [("offset", c.c_uint64), ("size", c.c_uint64)]


class LaunchBuffer(c.Structure):
    _fields_ = [("word", c.c_uint32), ("size", c.c_uint64)]


STATS = (
    "instructions", "integer_ops", "float_ops", "memory_ops", "control_ops", "wave_ops", "atomic_ops", "lane_ops", "device_loads",
    "device_load_bytes", "device_stores", "device_store_bytes", "local_loads", "local_load_bytes", "local_stores",
    "local_store_bytes", "barriers", "divergent_branches", "workgroups", "waves", "private_loads", "private_load_bytes",
    "private_stores", "private_store_bytes", "constant_loads", "constant_load_bytes")


class Stats(c.Structure):
    _fields_ = [(name, c.c_uint64) for name in STATS]


class EmuLaunch(c.Structure):
    _fields_ = [("kernel", c.c_size_t), ("grid", U32x3), ("workgroup", U32x3), ("registers", c.c_uint32), ("local_memory", c.c_uint32),
                ("wave_width", c.c_uint32), ("device_memory", c.c_void_p), ("device_size", c.c_uint64),
                ("initial", c.POINTER(c.c_uint32)), ("initial_count", c.c_uint32), ("max_instructions", c.c_uint64),
                ("random_schedule", c.c_bool), ("seed", c.c_uint64), ("scoped_memory", c.c_bool), ("memory_seed", c.c_uint64),
                ("flush_subnormals", c.c_bool), ("mma", c.c_int), ("strict_align", c.c_bool), ("bounds", c.c_bool), ("skip_asserts", c.c_bool),
                ("poison", c.c_bool), ("poison_byte", c.c_uint8), ("checks", c.c_uint), ("lockstep", c.c_bool),
                ("initialised", c.POINTER(Range)), ("initialised_count", c.c_size_t), ("initialised_known", c.c_bool),
                ("buffers", c.POINTER(LaunchBuffer)), ("buffer_count", c.c_size_t), ("observers", c.c_void_p),
                ("observer_count", c.c_size_t), ("cpu", c.c_int), ("jobs", c.c_uint32), ("stats", c.POINTER(Stats)),
                ("profile", c.POINTER(c.c_void_p))]


class RtError(c.Structure):
    _fields_ = [("status", c.c_int), ("vendor_code", c.c_long), ("message", c.c_char * 512), ("log", c.c_char * 4096)]


class RtDeviceInfo(c.Structure):
    _fields_ = [("size", c.c_uint32), ("name", c.c_char * 32), ("title", c.c_char * 128), ("driver", c.c_char * 128),
                ("target", c.c_char_p), ("arch", c.c_char * 32), ("wave_width", c.c_uint32), ("max_workgroup_size", c.c_uint32),
                ("max_workgroup", U32x3), ("max_grid", U32x3), ("local_memory_size", c.c_uint64), ("device_memory_size", c.c_uint64),
                ("register_file_size", c.c_uint64), ("cores", c.c_uint32), ("max_workgroups_per_core", c.c_uint32),
                ("max_waves_per_core", c.c_uint32), ("capabilities", c.c_uint), ("peak_bytes", c.c_double), ("peak_flops", c.c_double),
                ("pci", c.c_char * 16), ("uuid", c.c_char * 40), ("shared", c.c_bool), ("later", c.c_uint8 * 127)]


class RtAbsence(c.Structure):
    _fields_ = [("vendor", c.c_char_p), ("reason", c.c_char * 256)]


class RtList(c.Structure):
    _fields_ = [("devices", c.POINTER(RtDeviceInfo)), ("count", c.c_size_t), ("absent", c.POINTER(RtAbsence)),
                ("absent_count", c.c_size_t)]


class RtBuffer(c.Structure):
    _fields_ = [("arena", c.c_void_p), ("offset", c.c_uint64), ("size", c.c_uint64)]


class RtModuleOptions(c.Structure):
    _fields_ = [("size", c.c_uint32), ("load", LoadOptions), ("optimise", c.c_bool), ("fast_math", c.c_bool), ("native_mma", c.c_bool), ("bounds", c.c_bool),
                ("assert_trap", c.c_bool), ("lockstep", c.c_bool), ("deterministic", c.c_bool), ("wave_width", c.c_uint32),
                ("cache", c.c_char_p), ("progress", TELL), ("warning", TELL), ("user", c.c_void_p)]


class RtFacts(c.Structure):
    _fields_ = [("size", c.c_uint32), ("registers", c.c_uint32), ("spill_bytes", c.c_uint32), ("local_memory", c.c_uint32),
                ("max_threads", c.c_uint32), ("resident_waves", c.c_uint32)]


class RtLaunch(c.Structure):
    _fields_ = [("size", c.c_uint32), ("module", c.c_void_p), ("kernel", c.c_size_t), ("arena", c.c_void_p), ("grid", U32x3),
                ("workgroup", U32x3), ("registers", c.c_uint32), ("local_memory", c.c_uint32), ("words", c.POINTER(c.c_uint32)),
                ("word_count", c.c_uint32), ("timed", c.c_bool), ("buffers", c.POINTER(LaunchBuffer)), ("buffer_count", c.c_size_t)]


def _declare(library: c.CDLL, result: Any, **functions: list[Any]) -> None:
    for name, arguments in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


_P, _S, _U32, _U64, _SIZE = c.c_void_p, c.c_char_p, c.c_uint32, c.c_uint64, c.c_size_t
_BLOB = c.POINTER(Blob)

_declare(wave, c.c_int,
         wave_diags_format=[_P, _S, c.c_int, _BLOB], wave_module_load=[_S, _SIZE, c.POINTER(LoadOptions), c.POINTER(_P), _P],
         wave_assemble=[_S, _SIZE, c.POINTER(AsmOptions), _BLOB, _P], wave_disassemble=[_S, _SIZE, _P, _BLOB, _P],
         wave_target_find=[_S], wave_compile=[_P, c.POINTER(CompileOptions), _BLOB, _P],
         wave_reflect=[_P, c.POINTER(CompileOptions), _BLOB, _P], wave_emulate=[_P, c.POINTER(EmuLaunch), _P],
         wave_from_spirv=[_S, _SIZE, _P, _BLOB, _P], wave_check_kernels=[_P, _U32, c.c_bool, _P],
         wave_check_arguments=[_P, _P], wave_profile_format=[_P, _S, c.c_int, _BLOB])
_declare(wave, _SIZE, wave_diags_count=[_P], wave_module_kernel_count=[_P], wave_type_size=[c.c_int])
_declare(wave, None, wave_blob_free=[_BLOB], wave_diags_destroy=[_P], wave_diags_read_lines=[_P, READ_LINE, _P],
         wave_module_destroy=[_P], wave_compile_init=[c.POINTER(CompileOptions)], wave_launch_init=[c.POINTER(EmuLaunch)],
         wave_profile_destroy=[_P], wave_profile_read_lines=[_P, READ_LINE, _P])
_declare(wave, _P, wave_diags_create=[_SIZE])
_declare(wave, _S, wave_mma_name=[c.c_int], wave_version=[], wave_type_name=[c.c_int], wave_target_name=[c.c_int], wave_target_arch=[c.c_int, c.c_uint])
_declare(wave, c.POINTER(Diag), wave_diags_at=[_P, _SIZE])
_declare(wave, c.POINTER(KernelInfo), wave_module_kernel=[_P, _SIZE])
_declare(wave, c.POINTER(ArgumentInfo), wave_module_argument=[_P, _SIZE, _SIZE])
_declare(wave, c.c_long, wave_module_find_kernel=[_P, _S])

_BUFFER, _ERROR = c.POINTER(RtBuffer), c.POINTER(RtError)
_declare(rt, c.c_int,
         wave_rt_enumerate=[c.POINTER(RtList), _ERROR], wave_rt_open=[_S, c.POINTER(_P), _ERROR],
         wave_rt_arena_create=[_P, _U64, c.POINTER(_P), _ERROR], wave_rt_buffer_map=[_BUFFER, c.POINTER(_P), _ERROR],
         wave_rt_module_load=[_P, _S, _SIZE, c.POINTER(RtModuleOptions), c.POINTER(_P), _ERROR],
         wave_rt_module_load_native=[_P, _S, _SIZE, _S, _SIZE, c.POINTER(_P), _ERROR],
         wave_rt_kernel_facts=[_P, _SIZE, c.POINTER(RtFacts), _ERROR], wave_rt_queue_create=[_P, c.POINTER(_P), _ERROR],
         wave_rt_upload=[_P, _BUFFER, _U64, _P, _U64, _ERROR], wave_rt_upload_async=[_P, _BUFFER, _U64, _P, _U64, _ERROR],
         wave_rt_download=[_P, _BUFFER, _U64, _P, _U64, _ERROR], wave_rt_download_async=[_P, _BUFFER, _U64, _P, _U64, _ERROR],
         wave_rt_fill_async=[_P, _BUFFER, c.c_uint8, _ERROR], wave_rt_copy=[_P, _BUFFER, _U64, _BUFFER, _U64, _U64, _ERROR],
         wave_rt_dispatch=[_P, c.POINTER(RtLaunch), _ERROR], wave_rt_wait=[_P, _ERROR],
         wave_rt_event_create=[_P, c.POINTER(_P), _ERROR], wave_rt_event_record=[_P, _P, _ERROR],
         wave_rt_event_follow=[_P, _P, _ERROR], wave_rt_event_query=[_P, c.POINTER(c.c_bool), _ERROR],
         wave_rt_event_wait=[_P, _ERROR], wave_rt_event_elapsed=[_P, _P, c.POINTER(c.c_double), _ERROR],
         wave_rt_query_constant=[_P, _S, c.POINTER(_U64), _ERROR])
_declare(rt, None, wave_rt_list_free=[c.POINTER(RtList)], wave_rt_close=[_P], wave_rt_arena_destroy=[_P],
         wave_rt_module_init_sized=[c.POINTER(RtModuleOptions), _U32], wave_rt_module_destroy=[_P], wave_rt_queue_destroy=[_P],
         wave_rt_launch_init_sized=[c.POINTER(RtLaunch), _U32], wave_rt_event_destroy=[_P])
_declare(rt, c.c_uint, wave_rt_version=[])
_declare(rt, _S, wave_rt_status_text=[c.c_int], wave_rt_constant_name=[c.c_uint])
_declare(rt, c.POINTER(RtDeviceInfo), wave_rt_device_describe=[_P])
_declare(rt, _P, wave_rt_module_kernels=[_P], wave_rt_module_text=[_P, c.POINTER(_SIZE)], wave_rt_device_native=[_P],
         wave_rt_queue_native=[_P], wave_rt_arena_native=[_P])
_declare(rt, c.c_bool, wave_rt_module_cached=[_P])

VERSION = 1  # of wave_rt.h, as declared above
if rt.wave_rt_version() // 1000 != VERSION // 1000 or rt.wave_rt_version() < VERSION:
    raise ImportError(f"wavec: libwave_rt in {FOLDER} has interface {rt.wave_rt_version()}, this package needs {VERSION}")
