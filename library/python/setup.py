# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel; with libmlmq and its dependencies if MLMQ_TREE names an install tree."""

import os
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

TREE = os.environ.get("MLMQ_TREE")
# Folders that the library looks for below the parent of its own folder.
PARTS = ("lib/mlmq", "share/mlmq/kernels")


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
        if len(libraries) != 1 or not all((tree / part).is_dir() for part in PARTS):
            sys.exit(f"MLMQ_TREE: {TREE} is not an install tree: "
                     f"expected to find lib/libmlmq.so.VERSION, {' and '.join(PARTS)} in it")
        to = Path(self.build_lib) / "mlmq" / "_tree"
        shutil.rmtree(to, ignore_errors=True)
        for part in PARTS:
            shutil.copytree(tree / part, to / part)
        # A wheel has no links: copy one file, named like the soname.
        soname = ".".join(libraries[0].name.split(".")[:4])
        shutil.copy2(libraries[0], to / "lib" / soname)


class TreeWheel(bdist_wheel):
    def get_tag(self):
        if not TREE:
            return super().get_tag()
        # Any Python 3, because nothing is compiled for a specific one.
        return "py3", "none", super().get_tag()[2]


setup(distclass=TreeDistribution, cmdclass={"build_py": BuildWithTree, "bdist_wheel": TreeWheel})
