# SPDX-License-Identifier: Apache-2.0
"""The Python package itself: its import, version and descriptions."""

import builtins
import inspect
import os
import subprocess
import sys
import unittest

import mlmq
from package_test import ROOT


class Package(unittest.TestCase):
    def run_python(self, code, **environment):
        variables = {name: value for name, value in os.environ.items() if name in ("PYTHONPATH", "MLMQ_LIBRARY",
                                                                              "MLMQ_CACHE")}
        return subprocess.run([sys.executable, "-B", "-c", code], env={**variables, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=240)

    def test_without_gpu_and_compiler(self):
        done = self.run_python("import mlmq\n"
                               "answer = mlmq.Solver(mlmq.Graph.open('road10')).solve(0)\n"
                               "print(answer.choice.device[:3], answer.check() == '')",
                               PATH="/nonexistent", CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.stdout, done.stderr), ("cpu True\n", ""))

    def test_importing_loads_no_library(self):
        done = self.run_python("import mlmq, mlmq.networkx\nprint(mlmq._library._loaded)",
                               MLMQ_LIBRARY="/nonexistent.so")
        self.assertEqual((done.stdout, done.stderr), ("None\n", ""))

    def test_library_that_is_not_there(self):
        done = self.run_python("import mlmq\ntry:\n  mlmq.Device('cpu')\nexcept ImportError as error:\n  print(error)",
                               MLMQ_LIBRARY="/nonexistent.so")
        self.assertIn("the path in MLMQ_LIBRARY", done.stdout)
        self.assertIn("/nonexistent.so", done.stdout)
        done = self.run_python("import mlmq\ntry:\n  mlmq.Device('cpu')\nexcept mlmq.LibraryError as error:\n"
                               "  print(error)",
                               MLMQ_LIBRARY="libc.so.6")
        self.assertIn("it is not libmlmq", done.stdout)

    def test_library_of_the_source_tree(self):
        self.assertIn(f"{os.path.realpath(ROOT)}/build/library/{mlmq._library.SONAME}",
                      list(mlmq._library.candidates()))

    def test_version(self):
        self.assertEqual(mlmq.library_version(), mlmq.__version__)
        with open(f"{ROOT}/CMakeLists.txt", encoding="utf-8") as file:
            self.assertIn(f"project(mlmq VERSION {mlmq.__version__} ", file.read())

    def test_no_name_hides_a_builtin(self):
        names = {}
        exec("from mlmq import *", names)  # pylint: disable=exec-used
        self.assertIn("DeviceMemoryError", names)
        self.assertEqual(set(names) & set(dir(builtins)), set())

    def test_everything_public_is_described(self):
        for name in mlmq.__all__:
            thing = getattr(mlmq, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isclass(thing) and thing.__module__.startswith("mlmq"):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (inspect.isfunction(value)
                                                       or isinstance(value, (property, classmethod))):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
