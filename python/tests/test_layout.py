"""Compares the declarations of _library.py with the headers, using a C compiler: structures, numbers of parameters,
constants."""

import ctypes
import os
import shutil
import subprocess

import pytest

from wavec import _library as lib, errors, source

STRUCTURES = {
    "Blob": "wave_blob", "Related": "wave_related", "Diag": "wave_diag", "LoadOptions": "wave_load_options",
    "KernelInfo": "wave_kernel_info", "ArgumentInfo": "wave_argument", "AsmOptions": "wave_asm_options",
    "CompileOptions": "wave_compile_options", "Range": "wave_range", "LaunchBuffer": "wave_launch_buffer", "Stats": "wave_stats",
    "EmuLaunch": "wave_launch", "RtError": "wave_rt_error", "RtDeviceInfo": "wave_rt_device_info", "RtAbsence": "wave_rt_absence",
    "RtList": "wave_rt_list", "RtBuffer": "wave_rt_buffer", "RtModuleOptions": "wave_rt_module_options", "RtFacts": "wave_rt_facts",
    "RtLaunch": "wave_rt_launch"}
STATUSES = ("USAGE", "NO_MEMORY", "NO_DEVICE", "BAD_INPUT", "BAD_BUILD", "BOUNDS", "LIMIT", "DEVICE_MEMORY", "LAUNCH", "LOST", "VENDOR",
            "UNKNOWN")
HEADERS = '#include <stddef.h>\n#include <stdio.h>\n#include <wave/compile.h>\n#include "wave_rt.h"\n'

pytestmark = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


def build(root, folder, text):
    """The finished compiler process, and the program it built. Warnings are errors."""
    code = folder / "layout.c"
    code.write_text(HEADERS + text)
    command = ["cc", "-std=c11", "-Wextra", "-Wmissing-field-initializers", "-Werror", f"-I{root}/include", f"-I{root}/runtime", "-o",
               folder / "layout", code]
    return subprocess.run(command, capture_output=True, text=True, check=False), folder / "layout"


def numbers(root, folder, expressions):
    """Evaluates expressions in C."""
    prints = "".join(f'    printf("%lld\\n", (long long)({e}));\n' for e in expressions)
    done, program = build(root, folder, f"int main(void) {{\n{prints}}}\n")
    assert done.returncode == 0, done.stderr
    printed = subprocess.run([os.fspath(program)], capture_output=True, text=True, check=True).stdout
    return dict(zip(expressions, map(int, printed.split())))


def test_every_structure_is_compared():
    ours = {name for name, value in vars(lib).items() if isinstance(value, type) and issubclass(value, ctypes.Structure)}
    assert ours - {"Structure"} == set(STRUCTURES)


def test_sizes_and_offsets(root, tmp_path):
    expected = {}
    for ours, theirs in STRUCTURES.items():
        structure = getattr(lib, ours)
        expected[f"sizeof({theirs})"] = ctypes.sizeof(structure)
        for field, *_ in structure._fields_:
            place = getattr(structure, field)
            expected[f"offsetof({theirs}, {field})"] = place.offset
            expected[f"sizeof((({theirs} *)0)->{field})"] = place.size
    assert numbers(root, tmp_path, list(expected)) == expected


def initialisers(without=0):
    """A constant of each structure with an initialiser for each known field, except the last ones."""
    text = ""
    for k, (ours, theirs) in enumerate(STRUCTURES.items()):
        kinds = [kind for _, kind in getattr(lib, ours)._fields_]
        zeros = ["{0}" if issubclass(kind, (ctypes.Structure, ctypes.Array)) else "0" for kind in kinds]
        text += f"extern const {theirs} a{k};\nconst {theirs} a{k} = {{{', '.join(zeros[:len(zeros) - without])}}};\n"
    return text + "int main(void) {\n    return 0;\n}\n"


def test_no_field_is_missing(root, tmp_path):
    """A field in former padding changes no size and no offset; the compiler counts the fields."""
    done, _ = build(root, tmp_path, initialisers())
    assert done.returncode == 0, done.stderr
    done, _ = build(root, tmp_path, initialisers(without=1))
    seen = [ours for ours in STRUCTURES if len(getattr(lib, ours)._fields_) > 2]  # {0} alone is the universal zero initialiser
    assert done.stderr.count("error: missing") == len(seen), done.stderr


def test_numbers_of_parameters(root, tmp_path):
    """Functions are called with as many zeros as we declare parameters; nothing is run."""
    with open(lib.__file__, encoding="utf-8") as file:
        words = file.read().replace("=", " ").split()
    names = sorted(word for word in set(words) if word.startswith("wave_") and word.isidentifier())
    calls = ""
    for name in names:
        function = getattr(lib.rt if name.startswith("wave_rt_") else lib.wave, name)
        assert function.argtypes is not None, name
        calls += f"    {name}({', '.join(['0'] * len(function.argtypes))});\n"
    assert len(names) > 60
    done, _ = build(root, tmp_path, f"void calls(void);\nvoid calls(void) {{\n{calls}}}\n")
    assert "error: too" not in done.stderr and "implicit" not in done.stderr, done.stderr


def test_constants(root, tmp_path):
    expected = {f"WAVE_RT_{name}": getattr(errors, name) for name in STATUSES}
    expected |= {f"WAVE_MODE_{name.upper()}": value for name, value in source.MODES.items()}
    expected |= {"WAVE_RT_VERSION": lib.VERSION, "WAVE_RT_STATUS_COUNT": len(STATUSES) + 1, "WAVE_ERROR_MEMORY": 3,
                 "sizeof(wave_stats) / sizeof(uint64_t)": len(lib.STATS)}
    assert numbers(root, tmp_path, list(expected)) == expected
