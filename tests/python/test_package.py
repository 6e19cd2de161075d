# SPDX-License-Identifier: Apache-2.0
"""The Python package itself: its copy of the C declarations, its import, version and descriptions."""

import ctypes
import inspect
import os
import re
import subprocess
import sys
import unittest

import mlmq
from mlmq import _library
from package_test import ROOT


class Header(unittest.TestCase):
    """The package's copy of the declarations of mlmq/mlmq.h."""

    KINDS = {"size_t": 8, "uint64_t": 8, "uint32_t": 4, "mlmq_vertex": 4, "int": 4, "unsigned": 4, "double": "double",
             "mlmq_status": "status", "void": None}

    def setUp(self):
        with open(f"{ROOT}/library/mlmq/mlmq.h", encoding="utf-8") as file:
            self.text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL)

    def kind_of_c(self, declaration):
        words = declaration.replace("*", " * ").split()
        if "*" in words or "mlmq_take_distances" in words:
            return "pointer"
        kind = next(word for word in words if word != "const")
        return self.KINDS.get(kind, 4)  # else an enumeration

    @staticmethod
    def kind_of_ctypes(kind):
        if kind is None:
            return None
        if kind in (_library.Status, _library.LongStatus):
            return "status"
        if kind is ctypes.c_double:
            return "double"
        if kind in (ctypes.c_void_p, ctypes.c_char_p) or hasattr(kind, "contents") or kind is _library.TakeDistances:
            return "pointer"
        return ctypes.sizeof(kind)

    def test_functions(self):
        functions = {}
        for declaration in re.findall(r"^MLMQ_API\s+([^;{]*);", self.text, re.MULTILINE | re.DOTALL):
            result, name, arguments = re.fullmatch(r"(.*?)\bmlmq_(\w+)\((.*)\)", declaration.strip(),
                                                   re.DOTALL).groups()
            kinds = [self.kind_of_c(argument.replace("mlmq_status ", "int ")) for argument in arguments.split(",")
                     if argument.strip() != "void"]
            functions[name] = (self.kind_of_c(result), *kinds)
        self.assertGreater(len(functions), 100)
        believed = {name: tuple(map(self.kind_of_ctypes, kinds)) for name, kinds in _library.FUNCTIONS.items()}
        self.assertEqual(believed, functions)

    def test_structures(self):
        seen = 0
        for name, body in re.findall(r"typedef struct mlmq_(\w+) \{(.*?)\} mlmq_\1;", self.text, re.DOTALL):
            if not hasattr(_library, name):
                self.assertIn(name, ("cell", "grid_pair"))
                continue
            members = []
            for member in body.split(";"):
                if not member.strip():
                    continue
                pointer = re.fullmatch(r"\s*void \(\*(\w+)\)\(.*\)", member)
                members.append((pointer.group(1), "pointer") if pointer else
                               (re.search(r"(\w+)$", member.strip()).group(1), self.kind_of_c(member)))
            believed = [(member, self.kind_of_ctypes(kind)) for member, kind in getattr(_library, name)._fields_]
            self.assertEqual(believed, members, name)
            seen += 1
        self.assertGreaterEqual(seen, 13)

    def test_statuses(self):
        names = dict(re.findall(r"\bMLMQ_(\w+) = (\d+)", self.text[:self.text.index("} mlmq_status;")]))
        for name, value in names.items():
            self.assertEqual(_library.library().mlmq_status_name(int(value)).decode(), name.lower())
        self.assertEqual(_library.STOPPED, int(names["STOPPED"]))
        self.assertEqual(set(_library._ERRORS), {int(value) for value in names.values()} - {0, _library.STOPPED})


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
        self.assertIn("as MLMQ_LIBRARY says", done.stdout)
        self.assertIn("/nonexistent.so", done.stdout)
        done = self.run_python("import mlmq\ntry:\n  mlmq.Device('cpu')\nexcept mlmq.LibraryError as error:\n"
                               "  print(error)",
                               MLMQ_LIBRARY="libc.so.6")
        self.assertIn("another library", done.stdout)

    def test_version(self):
        self.assertEqual(mlmq.library_version(), mlmq.__version__)
        with open(f"{ROOT}/CMakeLists.txt", encoding="utf-8") as file:
            self.assertIn(f"project(mlmq VERSION {mlmq.__version__} ", file.read())

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
