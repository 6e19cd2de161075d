# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel; with libmlmq and its dependencies if MLMQ_TREE names an install tree."""

import os
import platform
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

TREE = os.environ.get("MLMQ_TREE")
# Folders that the library and the program look for below the parent of their own folders. Without the recorded results,
# which are large, `mlmq tune` learns from the given workloads only.
PARTS = ("bin", "lib/mlmq", "share/mlmq/charts", "share/mlmq/experiments", "share/mlmq/kernels")


class TreeDistribution(Distribution):
    def has_ext_modules(self):
        return bool(TREE)


class BuildWithTree(build_py):
    def run(self):
        super().run()
        if not TREE:
            return
        tree = Path(TREE)
        libraries = sorted(tree.glob("lib/libmlmq.so.*.*.*"))
        needed = [part for part in PARTS if part != "share/mlmq/charts"]  # a build without a network lacks it
        if len(libraries) != 1 or not all((tree / part).is_dir() for part in needed):
            sys.exit(f"MLMQ_TREE: {TREE} is not an install tree: "
                     f"expected to find lib/libmlmq.so.VERSION, {', '.join(needed)} in it")
        to = Path(self.build_lib) / "mlmq" / "_tree"
        shutil.rmtree(to, ignore_errors=True)
        for part in PARTS:
            if (tree / part).is_dir():
                shutil.copytree(tree / part, to / part, ignore=shutil.ignore_patterns("recorded", "__pycache__"))
        # A wheel has no links: copy one file, named like the soname.
        soname = ".".join(libraries[0].name.split(".")[:4])
        shutil.copy2(libraries[0], to / "lib" / soname)


class TreeWheel(bdist_wheel):
    def get_tag(self):
        if not TREE:
            return super().get_tag()
        # Any Python 3, because nothing is compiled for a specific one, and any Linux with this C library or a newer
        # one: the wheel brings all other libraries (PEP 600).
        libc, version = platform.libc_ver()
        system = super().get_tag()[2]
        return "py3", "none", system.replace("linux_", f"manylinux_{version.replace('.', '_')}_", 1) \
            if libc == "glibc" else system


setup(distclass=TreeDistribution, cmdclass={"build_py": BuildWithTree, "bdist_wheel": TreeWheel})
