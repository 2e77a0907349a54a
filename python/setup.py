"""Builds libwave and libwave_rt with the project's own make and puts them into the wheel, which then needs no compiler."""

import os
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get("WAVEC_ROOT") or os.path.dirname(HERE)  # root of the project
MAC = sys.platform == "darwin"


def version():
    with open(os.path.join(ROOT, "include", "wave", "wave.h"), encoding="utf-8") as header:
        return re.search(r'WAVE_VERSION_TEXT\s+"(.*)"', header.read()).group(1)


def library(name):
    return f"lib{name}.0.dylib" if MAC else f"lib{name}.so.0"


class Libraries(build_py):
    """The package and, in _lib, the libraries and tools that it uses. WAVEC_BUILD names the folder
    that make builds in."""

    def run(self):
        super().run()
        build = os.path.abspath(os.environ.get("WAVEC_BUILD") or os.path.join(ROOT, "build"))
        ending = "dylib" if MAC else "so"
        command = [os.environ.get("MAKE", "make"), "-C", ROOT, f"-j{os.cpu_count() or 2}", f"BUILD={build}"]
        if MAC:  # each library finds the other in its own folder
            command.append("LIBDIR=@loader_path")
        subprocess.run([*command, f"{build}/lib/libwave.{ending}", f"{build}/lib/libwave_rt.{ending}", f"{build}/bin/wave-cc"],
                       check=True, env={k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")})
        folder = os.path.join(self.build_lib, "wavec", "_lib")
        os.makedirs(folder, exist_ok=True)
        for name in ("wave", "wave_rt"):
            shutil.copy(os.path.join(build, "lib", library(name)), os.path.join(folder, library(name)))
        shutil.copy(os.path.join(build, "bin", "wave-cc"), folder)
        self.copy_plugins(command, build, folder)

    def copy_plugins(self, command, build, folder):
        """Metal's is part of every Mac. Intel's depends on this machine's run time, so it is included only with
        WAVEC_PLUGINS=1."""
        if not MAC and os.environ.get("WAVEC_PLUGINS") != "1":
            return
        subprocess.run([*command, "plugins"], check=True)
        shutil.copytree(os.path.join(build, "lib", "wave"), os.path.join(folder, "wave"), dirs_exist_ok=True)


class Wheel(bdist_wheel):
    """For this system, and any Python 3: the libraries do not depend on its version."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2])


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), cmdclass={"build_py": Libraries, "bdist_wheel": Wheel}, distclass=Binary)
