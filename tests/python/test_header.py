# SPDX-License-Identifier: Apache-2.0
"""The package agrees with mlmq/mlmq.h, and the C, C++ and Python descriptions of the same function agree."""

import ctypes
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import mlmq
from mlmq import _c_interface, _library
from package_test import ROOT


def read(path):
    with open(f"{ROOT}/{path}", encoding="utf-8") as file:
        return file.read()


def load_generator():
    spec = importlib.util.spec_from_file_location("generate_c_interface",
                                                  f"{ROOT}/library/python/generate_c_interface.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(comment):
    """Returns the text of a comment in one line, without marks of comments and code."""
    return " ".join(re.sub(r"^\s*(\*|///)", "", re.sub(r"/\*\*|\*/|`", "", comment), flags=re.MULTILINE).split())


HEADER = read("library/mlmq/mlmq.h")
STRUCTURES = {name: kind for name, kind in vars(_c_interface).items()
              if inspect.isclass(kind) and issubclass(kind, ctypes.Structure)}
STATUSES = re.search(r"typedef enum mlmq_status \{(.*?)\}", HEADER, re.DOTALL).group(1)
STATUSES = {name: int(value) for name, value in re.findall(r"MLMQ_(\w+) = (\d+)", STATUSES)}


class Generated(unittest.TestCase):
    def test_module_is_current(self):
        self.assertEqual(read("library/python/mlmq/_c_interface.py"), load_generator().generate(HEADER),
                         "run library/python/generate_c_interface.py")

    def test_unknown_declarations_are_refused(self):
        generator = load_generator()
        changes = (("MLMQ_SSSP = 0, ", "MLMQ_SSSP, ", "unknown constant"),
                   ("typedef uint32_t mlmq_vertex;", "typedef long mlmq_vertex;", "unknown type long"),
                   ("  double array_ms;", "  double array_ms[2];", "unknown declaration"),
                   ("  uint32_t y;", "  uint32_t y : 8;", "unknown declaration"),
                   ("uint64_t seed);", "uint64_t seed, ...);", "unknown declaration"),
                   ("typedef struct mlmq_device mlmq_device;", "", "unknown type mlmq_device"),
                   ("MLMQ_API const char* mlmq_version(void);", "extern int mlmq_count;", "extern int mlmq_count;"))
        for before, after, message in changes:
            with self.subTest(after):
                self.assertIn(before, HEADER)
                with self.assertRaisesRegex(generator.HeaderError, rf"^line \d+: .*{re.escape(message)}"):
                    generator.generate(HEADER.replace(before, after, 1))

    def test_layout_is_that_of_a_compiler(self):
        compiler = os.environ.get("MLMQ_TEST_CXX") or shutil.which("c++")
        if not compiler:
            self.skipTest("no C++ compiler")
        expected = {f"sizeof(mlmq_{name})": ctypes.sizeof(kind) for name, kind in STRUCTURES.items()}
        for name, kind in STRUCTURES.items():
            for member, _ in kind._fields_:
                expected[f"offsetof(mlmq_{name}, {member})"] = getattr(kind, member).offset
                expected[f"sizeof(mlmq_{name}::{member})"] = getattr(kind, member).size
        for name, value in vars(_c_interface).items():
            if isinstance(value, int):
                expected[f"MLMQ_{name}"] = value
        self.assertGreater(len(expected), 200)
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "layout.cpp")
            with open(source, "w", encoding="utf-8") as file:
                file.write('#include "mlmq/mlmq.h"\n')
                # Compilers warn of constants that fit no signed type, unless these have the suffix.
                file.writelines(f'static_assert({text} == {value}{"u" if value > 2**63 - 1 else ""}, "{text}");\n'
                                for text, value in expected.items())
            done = subprocess.run([compiler, "-fsyntax-only", "-std=c++20", f"-I{ROOT}/library", source],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_statuses(self):
        for name, value in STATUSES.items():
            self.assertEqual(_library.library().mlmq_status_name(value).decode(), name.lower())
        self.assertEqual(set(_library._ERRORS), set(STATUSES.values()) - {_c_interface.OK, _c_interface.STOPPED})


def c_defaults(name):
    """Returns the default and its explanation by member: "[0: none]" in a comment is ("0", "none")."""
    body = re.search(rf"typedef struct mlmq_{name} \{{(.*?)\}} mlmq_{name};", HEADER, re.DOTALL).group(1)
    description, members, member = "", {}, ""
    for trailing, leading, declaration in re.findall(r"/\*\*<(.*?)\*/|/\*\*(.*?)\*/|([^;/]+);", body, re.DOTALL):
        if declaration:
            member = re.search(r"(\w+)\)?(\(.*\))?$", declaration.strip()).group(1)
            members[member] = description
            description = ""
        elif trailing:
            members[member] = trailing
        else:
            description = leading
    found = {member: re.search(r"\[([^\[\]]*)\]$", plain(text).strip()) for member, text in members.items()}
    return {member: (match[1].partition(":")[0], match[1].partition(":")[2].strip())
            for member, match in found.items() if match}


def cpp_defaults(file, name):
    """Returns the initialisers of a C++ structure by member, in the notation of mlmq.h."""
    body = re.search(rf"^struct {name} \{{\n(.*?)^\}};", read(f"library/mlmq/{file}"), re.DOTALL | re.MULTILINE)
    found = re.findall(r"(\w+) = ([^;=]+);", re.sub(r"//.*", "", body.group(1)))
    return {member: c_notation(value) for member, value in found}


def c_notation(cpp_value):
    """Converts a C++ value to the notation of mlmq.h; "absent" for an absent value."""
    fixed = {"false": "0", "true": "1", "nullptr": "NULL", "{}": "none", "mlmq::model::standard()": "NULL",
             "std::nullopt": "absent"}
    if cpp_value in fixed:
        return fixed[cpp_value]
    value = re.sub(r"^(mlmq::)?placement::", "PLACE_", cpp_value)
    value = re.sub(r"^(mlmq::)?partitioning::", "PARTITION_", value)
    value = re.sub(r"^(mlmq::)?number_type::", "", value)
    return f"MLMQ_{value.upper()}" if value[0].isalpha() else value.replace("'", "")


# Values that mean that a member is absent.
ABSENT = {"NULL", "none", "-1", "infinity"}
# C structure, C++ file, functions with these parameters in Python.
OPTIONS = (
    ("read_options", "graph.hpp", [mlmq.Graph.open]),
    ("solve_options", "solver.hpp", [mlmq.Solver.solve, mlmq.Solver.choose, mlmq.Solver.try_out]),
    ("batch_options", "batch.hpp", [mlmq.Solver._batch_options]),
    ("path_options", "path_finder.hpp", [mlmq.PathFinder.solve]),
)


class Defaults(unittest.TestCase):
    """Default values in mlmq.h, in the C++ headers, in Python and in the library."""

    def assert_python_value(self, value, c_value, context):
        if value is None:
            self.assertIn(c_value, ABSENT, context)
        elif isinstance(value, str):
            self.assertRegex(c_value, rf"^MLMQ_[A-Z]+_{value.upper()}$", context)
        else:
            self.assertEqual(float(value), float(c_value), context)

    def test_options(self):
        for name, file, functions in OPTIONS:
            documented, initialisers = c_defaults(name), cpp_defaults(file, name)
            self.assertEqual(set(documented), set(initialisers), name)
            for member, (value, _) in documented.items():
                if initialisers[member] == "absent":
                    self.assertIn(value, ABSENT, f"{name}.{member}")
                else:
                    self.assertEqual(value, initialisers[member], f"{name}.{member}")
            for function in functions:
                parameters = inspect.signature(function).parameters
                shared = [member for member in documented if member in parameters]
                self.assertTrue(shared, function)
                for member in shared:
                    if parameters[member].default is not inspect.Parameter.empty:
                        self.assert_python_value(parameters[member].default, documented[member][0],
                                                 f"{function.__qualname__}: {member}")

    def test_every_option_is_in_python(self):
        for name, _, functions in OPTIONS:
            parameters = {"keep_on_device"}.union(*(inspect.signature(function).parameters for function in functions))
            self.assertEqual(set(c_defaults(name)) - parameters, set(), name)

    def test_rows_on_a_device(self):
        documented = c_defaults("device_rows")
        initialisers = {**cpp_defaults("graph.hpp", "device_rows"), **cpp_defaults("graph.hpp", "device_rows_options")}
        self.assertEqual(documented["name"], ("NULL", '"graph"'))
        self.assertEqual(initialisers["name"], '"graph"')
        self.assertEqual((documented["unchecked"][0], initialisers["check"]), ("0", "1"))
        for member in ("offset_bits", "weight_type", "pairs"):
            self.assertEqual(documented[member][0], initialisers[member], member)
        parameters = inspect.signature(mlmq.Graph.from_arrays).parameters
        self.assertEqual((parameters["name"].default, parameters["check"].default), ("graph", True))

    def test_documentation_of_solve_many(self):
        documented = c_defaults("batch_options")
        text = inspect.getdoc(mlmq.Solver.solve_many)
        found = re.findall(r"^(\w+) : \w+\n    ([^\[]*)\[(.*)\]$", text, re.MULTILINE)
        self.assertEqual({name for name, _, _ in found},
                         {"tries", "searches_per_try", "searches_together", "memory_bytes", "time_limit_ms", "check"})
        for name, _, value in found:
            value = {"False": "0"}.get(value, value.replace(",", ""))
            self.assertIn(value, documented[name], name)

    def test_init_functions(self):
        for name in [*(name for name, _, _ in OPTIONS), "device_rows"]:
            value = _library.initialized(STRUCTURES[name])
            self.assertEqual(value.struct_size, ctypes.sizeof(value), name)
            for member, (documented, _) in c_defaults(name).items():
                actual, context = getattr(value, member), f"{name}.{member}"
                if documented in ("NULL", "none"):
                    self.assertFalse(actual, context)
                elif documented.startswith("MLMQ_"):
                    self.assertEqual(actual, getattr(_c_interface, documented[len("MLMQ_"):]), context)
                else:
                    self.assertEqual(actual, float(documented), context)

    def test_parameters(self):
        # C++ file, function and parameter; the Python function; the default of both.
        cases = (("device.hpp", "device", "selector", mlmq.Device, "auto"),
                 ("graph.hpp", "from_rows", "name", mlmq.Graph.from_arrays, "graph"),
                 ("grid.hpp", "from_cells", "name", mlmq.Grid.from_array, "grid"),
                 ("grid.hpp", "random_pairs", "seed", mlmq.Grid.random_pairs, 1))
        for file, function, parameter, python_function, default in cases:
            found = re.findall(rf"\b{function}\([^;()]*\b{parameter} = ([^,)]+)\)", read(f"library/mlmq/{file}"))
            self.assertEqual({value.strip('"') for value in found}, {str(default)}, function)
            self.assertEqual(inspect.signature(python_function).parameters[parameter].default, default, function)
        for name in ("graph", "grid"):
            self.assertIn(f'@param name used in messages; NULL: "{name}"', plain(HEADER))
        self.assertIn("problem kind = problem::sssp", read("library/mlmq/solver.hpp"))
        self.assertEqual(inspect.signature(mlmq.Solver).parameters["problem"].default, "sssp")
        for kind in (mlmq.Solver, mlmq.PathFinder):
            self.assertEqual(inspect.signature(kind).parameters["device"].default, "auto", kind)


class Descriptions(unittest.TestCase):
    """Lists and names that occur in several descriptions."""

    @staticmethod
    def comment_before(path, declaration):
        """Returns the comment that ends where the declaration begins."""
        text = read(path)
        before = text[:text.index(declaration)].rstrip()
        start = before.rindex("/**") if before.endswith("*/") else before.rindex("\n\n")
        return plain(before[start:])

    def descriptions_of_open(self):
        return {"C": self.comment_before("library/mlmq/mlmq.h", "MLMQ_API mlmq_status mlmq_digraph_open("),
                "C++": self.comment_before("library/mlmq/graph.hpp", "[[nodiscard]] static digraph open("),
                "Python": inspect.getdoc(mlmq.Graph.open)}

    def test_file_formats(self):
        source = read("graph/io.cpp")
        source = source[source.index("named_format("):source.index("file_format detect(")]
        formats = [set(re.findall(r'"(\.\w+)"', line)) for line in source.splitlines() if '"' in line]
        self.assertGreater(len(formats), 5)
        for language, text in self.descriptions_of_open().items():
            listed = set(re.findall(r"(?<=[ (])\.[a-z]+(?=[,)])", text)) - {".gz"}
            self.assertEqual(listed, set().union(*formats), language)
            self.assertIn("(.gz)", text, language)
        table = re.search(r"\n\| Name ends in.*?\n\n", read("docs/reference/graphs.md"), re.DOTALL).group(0)
        columns = " ".join(line.split("|")[1] for line in table.strip().splitlines())
        self.assertEqual(set(re.findall(r"`(\.\w+)`", columns)) - {".gz"}, set().union(*formats))

    def test_generated_graphs(self):
        for language, text in self.descriptions_of_open().items():
            for name in ('"road18"', '"rmat20"', '"grid100"'):
                self.assertIn(name, text, language)

    def test_default_model(self):
        standard = "the selector that mlmq tune has installed for the device, or else "
        for text in (self.comment_before("library/mlmq/mlmq.h", "typedef struct mlmq_model mlmq_model;"),
                     self.comment_before("library/mlmq/configuration.hpp", "[[nodiscard]] static model standard();"),
                     inspect.getdoc(mlmq.Model), inspect.getdoc(mlmq.Solver.solve)):
            self.assertRegex(plain(text), f"{standard}(the )?shipped")

    def test_devices(self):
        selectors = ("\"cuda:0\", \"cuda:1\", … a GPU; \"cpu\" all processors, \"cpu:N\" with N threads; \"simt\" the "
                     "simulator; \"auto\" the first GPU, or else the processors")
        for text in (HEADER, read("library/mlmq/device.hpp"), inspect.getdoc(mlmq.Device)):
            self.assertIn(selectors, plain(text))


if __name__ == "__main__":
    unittest.main()
