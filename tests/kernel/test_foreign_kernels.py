# SPDX-License-Identifier: Apache-2.0
"""'problem: kernel' with kernels that were written for other programs: their headers, arguments and constants."""

import contextlib
import os
import re
import sqlite3
import sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TESTS, "cli"))

from program_test import ProgramTest, main  # noqa: E402

KERNEL = """\
__global__ void scale(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = FACTOR * x[i];
}
"""
EXPERIMENT = """\
name: scale
problem: kernel
kernel:
  source: k.cu
  function: scale
  block: threads
  grid: ceil(n / threads)
  arguments:
    - {name: y, type: float, size: n, role: out}
    - {name: x, type: float, size: n, fill: ones}
    - {name: n, type: int, value: n}
  reference: {files: {y: y.csv}}
parameters: {threads: [32]}
workloads: [{n: 40}]
measurement: {warmup: 0, repeats: 1, counters: false}
"""


class ForeignKernelTest(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("y.csv", "2\n" * 40)

    def write_files(self, files):
        for name, text in files.items():
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
            self.write(name, text)

    def sweep(self, database="r.sqlite", experiment="k.yaml"):
        """Returns (outcome, message) of each trial in the database, in the order in which they were planned."""
        self.run_program("sweep", experiment, "--db", database, "--device", "simt")
        return self.query(database, "SELECT outcome, message FROM trial ORDER BY id")

    def query(self, database, text):
        with contextlib.closing(sqlite3.connect(self.path(database))) as opened:
            return opened.execute(text).fetchall()


class Dependencies(ForeignKernelTest):
    """A change of anything that the compiler reads is a change of the kernel, in an old and in a new database."""

    def check_change(self, files, changed, experiment=EXPERIMENT):
        for database in ("r.sqlite", "new.sqlite"):
            if os.path.exists(self.path(database)):
                os.remove(self.path(database))
        self.write_files({"k.yaml": experiment, **files})
        self.assertEqual(self.sweep()[-1][0], "wrong_answer")
        self.write_files({changed: files[changed].replace("3.0f", "2.0f")})
        self.assertEqual(self.sweep()[-1], ("ok", ""))
        self.assertEqual(self.sweep("new.sqlite"), [("ok", "")])

    def test_a_header_in_angle_brackets_from_a_search_folder(self):
        self.check_change({"k.cu": "#include <factor.h>\n" + KERNEL, "inc/factor.h": "#define FACTOR 3.0f\n"},
                          "inc/factor.h", EXPERIMENT.replace("source: k.cu", "source: k.cu\n  options: [-Iinc]"))

    def test_a_search_folder_in_other_spellings(self):
        for option in ("--include-path=inc", "'-I inc'", "-I./inc/../inc"):
            with self.subTest(option=option):
                self.check_change(
                    {"k.cu": "#include \"factor.h\"\n" + KERNEL, "inc/factor.h": "#define FACTOR 3.0f\n"},
                    "inc/factor.h", EXPERIMENT.replace("source: k.cu", f"source: k.cu\n  options: [{option}]"))

    def test_a_header_that_is_included_by_option(self):
        self.check_change({"k.cu": KERNEL, "factor.h": "#define FACTOR 3.0f\n"}, "factor.h",
                          EXPERIMENT.replace("source: k.cu", "source: k.cu\n  options: ['-include=factor.h']"))

    def test_a_header_that_a_macro_names(self):
        self.check_change({"k.cu": "#define HEADER \"inc/factor.h\"\n#include HEADER\n" + KERNEL,
                           "inc/factor.h": "#define FACTOR 3.0f\n"}, "inc/factor.h")

    def test_a_header_that_a_definition_in_the_file_names(self):
        self.check_change({"k.cu": "#define OTHER HEADER\n#include OTHER\n" + KERNEL,
                           "factor.h": "#define FACTOR 3.0f\n"}, "factor.h",
                          EXPERIMENT.replace("source: k.cu", "source: k.cu\n  defines: {HEADER: '\"factor.h\"'}"))

    def test_a_header_whose_name_the_preprocessor_puts_together(self):
        self.check_change({"k.cu": "#define TEXT(x) #x\n#define NAME(x) TEXT(x)\n#include NAME(inc/version.h)\n"
                                   + KERNEL,
                           "inc/factor_2.h": "#define FACTOR 3.0f\n"}, "inc/factor_2.h",
                          EXPERIMENT.replace("source: k.cu", "source: k.cu\n  defines: {version: factor_2}"))

    def test_nested_headers_are_found_from_the_file_that_includes_them(self):
        self.check_change({"src/k.cu": "#include \"lib/a.h\"\n" + KERNEL, "src/lib/a.h": "#include \"detail/b.h\"\n",
                           "src/lib/detail/b.h": "#pragma once\n#include \"../../../outside/c.h\"\n",
                           "outside/c.h": "#include \"d.h\"\n", "outside/d.h": "#define FACTOR 3.0f\n"},
                          "outside/d.h", EXPERIMENT.replace("source: k.cu", "source: src/k.cu"))

    def test_a_new_header_that_hides_another(self):
        self.write_files({"k.yaml": EXPERIMENT.replace("source: k.cu", "source: k.cu\n  options: [-Iinc]"),
                          "k.cu": "#if __has_include(\"local.h\")\n#include \"local.h\"\n#else\n"
                                  "#include \"factor.h\"\n#endif\n" + KERNEL,
                          "inc/factor.h": "#define FACTOR 3.0f\n"})
        self.assertEqual(self.sweep()[-1][0], "wrong_answer")
        self.write("factor.h", "#define FACTOR 2.0f\n")
        self.assertEqual(self.sweep()[-1], ("ok", ""))
        self.write("local.h", "#define FACTOR 4.0f\n")
        self.assertEqual(self.sweep()[-1][0], "wrong_answer")

    def test_what_decides_which_results_are_right(self):
        source = KERNEL.replace("FACTOR", "2")
        reference = source.replace("scale", "reference").replace("2 *", "FACTOR *")
        self.write_files({"k.cu": source, "r.cu": "#include \"factor.h\"\n" + reference,
                          "factor.h": "#define FACTOR 3.0f\n",
                          "k.yaml": EXPERIMENT.replace("{files: {y: y.csv}}",
                                                       "{source: r.cu, function: reference, block: 64, grid: 1}")})
        self.assertEqual(self.sweep()[-1][0], "wrong_answer")
        self.write("factor.h", "#define FACTOR 2.0f\n")
        self.assertEqual(self.sweep()[-1], ("ok", ""))
        self.write("k.yaml", EXPERIMENT)
        self.write("y.csv", "2.5\n" * 40)
        self.assertEqual(self.sweep()[-1][0], "wrong_answer")
        self.write("k.yaml", EXPERIMENT.replace("parameters:", "  tolerance: 0.5\nparameters:"))
        self.assertEqual(self.sweep()[-1], ("ok", ""))

    def test_a_changed_amount_of_work_changes_the_rate(self):
        self.write_files({"k.cu": KERNEL.replace("FACTOR", "2"),
                          "k.yaml": EXPERIMENT.replace("parameters:", "  work: {name: MB, amount: n}\nparameters:")})
        self.sweep()
        self.write("k.yaml", EXPERIMENT.replace("parameters:", "  work: {name: MB, amount: 1000 * n}\nparameters:"))
        self.sweep()
        self.assertEqual([row[0] for row in self.query("r.sqlite", "SELECT value FROM counter ORDER BY trial")],
                         [40, 40000])


class Arguments(ForeignKernelTest):
    """Arguments are compared with the parameters of the function."""

    def outcome(self, *definition):
        """Sweeps a kernel of write_kernel(), and returns outcome and message."""
        if os.path.exists(self.path("a.sqlite")):
            os.remove(self.path("a.sqlite"))
        self.write_kernel(*definition)
        return self.sweep("a.sqlite", "a.yaml")[0]

    def write_kernel(self, parameters, arguments, body="y[threadIdx.x] = 2", before="", extra=""):
        """Writes a.yaml with these arguments for the kernel `void fill(float* y, PARAMETERS)`."""
        self.write("k.cu", f"{before}\n{extra}__global__ void fill(float* y{parameters}) {{ {body}; }}\n"
                           "#if used\n#endif\n")
        lines = "".join(f"    - {argument}\n" for argument in arguments)
        self.write("a.yaml", f"""\
name: fill
problem: kernel
kernel:
  source: k.cu
  function: fill
  block: n
  grid: 1
  arguments:
    - {{name: y, type: float, size: n, role: out}}
{lines}  reference: {{files: {{y: y.csv}}}}
parameters: {{used: [1]}}
workloads: [{{n: 40}}]
measurement: {{warmup: 0, repeats: 1, counters: false}}
""")

    def check_refused(self, parameters, arguments, *parts, before="", extra=""):
        outcome, message = self.outcome(parameters, arguments, "y[threadIdx.x] = 2", before, extra)
        self.assertEqual(outcome, "constraint", message)
        for part in parts:
            self.assertIn(part, message)

    def test_types_that_differ_from_the_parameter(self):
        refused = [
            (", float s", "{name: s, type: double, value: 2}", "a.yaml:10: 's' is a double of 8 bytes", "with 4"),
            (", float s", "{name: s, type: int, value: 2}", "'s' is a int, but fill has a parameter of type 'float'"),
            (", int s", "{name: s, type: float, value: 2}", "of type 'int'"),
            (", unsigned s", "{name: s, type: int, value: -1}", "of type 'unsigned int'"),
            (", bool s", "{name: s, type: char, value: 1}", "of type 'bool'"),
            (", float2 s", "{name: s, type: double, value: 1}", "of type 'float2'"),
            (", long long s", "{name: s, type: int, value: 1}", "'long long with 8 bytes'"),
            (", int s", "{name: s, type: int, size: n, fill: zeros}", "'s' is an array of int, but"),
            (", const int* s", "{name: s, type: int, value: 1}", "'s' is a int that is passed by value"),
            (", const float* s", "{name: s, type: double, size: n, fill: ones}", "of type 'float const*'"),
            (", const int* s", "{name: s, type: float, size: n, fill: ones}", "of type 'int const*'"),
            (", const bool* s", "{name: s, type: uint8_t, size: n, fill: ones}", "of type 'bool const*'"),
            (", const float* s", "{name: s, type: float, size: n, role: inout, fill: ones}", "only constant pointers"),
            (", float** s", "{name: s, type: float, size: n, fill: ones}", "of type 'float**'"),
            (", structure s", "{name: s, type: bytes(12), value: 0}", "'structure with 16 bytes'"),
            ("", "{name: s, type: int, value: 0}", "2 arguments are passed to fill, which has 1 parameters"),
        ]
        for parameters, argument, *parts in refused:
            with self.subTest(parameters=parameters, argument=argument):
                self.check_refused(parameters, [argument], *parts, before="struct structure { double d; int i; };")

    def test_arguments_in_another_order(self):
        arguments = ["{name: a, type: int, value: 1}", "{name: b, type: float, value: 2}"]
        self.check_refused(", float b, int a", arguments, "'a' is a int")

    def test_functions_with_c_linkage_and_instances_of_templates(self):
        self.check_refused(", float s", ["{name: s, type: int, value: 2}"], "of type 'float'", extra='extern "C" ')

    def test_types_that_fit(self):
        accepted = [
            (", unsigned s", "{name: s, type: int, value: 2}", "y[threadIdx.x] = s"),
            (", unsigned long s", "{name: s, type: size_t, value: 2}", "y[threadIdx.x] = s"),
            (", long s", "{name: s, type: std::int64_t, value: 2}", "y[threadIdx.x] = s"),
            (", unsigned short s", "{name: s, type: uint16_t, value: 2}", "y[threadIdx.x] = s"),
            (", long long s", "{name: s, type: long, value: 2}", "y[threadIdx.x] = s"),
            (", const float4 s", "{name: s, type: float4, value: 2}", "y[threadIdx.x] = s.w"),
            (", const float* s", "{name: s, type: size_t, value: 0}", "y[threadIdx.x] = s == nullptr ? 2 : 1"),
            (", const float4* s", "{name: s, type: float, size: 4 * n, fill: ones}", "y[threadIdx.x] = 2 * s[1].y"),
            (", const unsigned char* s", "{name: s, type: bytes(4), size: n, fill: zeros}",
             "y[threadIdx.x] = 2 + s[3]"),
            (", structure s", "{name: s, type: bytes(16), value: 0}", "y[threadIdx.x] = 2 + s.d + s.i"),
            (", structure s", "{name: s, type: bytes(16), fields: [{type: double, value: 1}, {type: int, value: 1}]}",
             "y[threadIdx.x] = s.d + s.i"),
            (", large s", "{name: s, type: bytes(400), file: large.bin}", "y[threadIdx.x] = s.x[99]"),
        ]
        self.write("large.bin", b"\0\0\0\x40" * 100)
        before = "struct structure { double d; int i; };\nstruct large { float x[100]; };"
        for parameters, argument, body in accepted:
            with self.subTest(parameters=parameters, argument=argument):
                self.assertEqual(self.outcome(parameters, [argument], body, before), ("ok", ""))

    def test_contents_of_structures_that_cannot_be_right(self):
        self.write("small.bin", b"\0" * 15)
        before = "struct structure { double d; int i; };"
        for argument, part in [
                ("{name: s, type: bytes(16), value: 7}", "'s' is a structure, whose value can only be 0"),
                ("{name: s, type: bytes(16), fields: [{type: double, value: 1}]}", "the fields of 's' have 8 bytes"),
                ("{name: s, type: bytes(16), file: small.bin}", "it has 15 bytes"),
                ("{name: s, type: bytes(16)}", "argument 's' needs 'size' (an array), or one of 'value'")]:
            with self.subTest(argument=argument):
                self.write_kernel(", structure s", [argument], before=before)
                self.refuse("sweep", "a.yaml", "--db", "b.sqlite", "--device", "simt", says=part)


class Contents(ForeignKernelTest):
    """Nothing that a kernel or its reference does to memory makes another result right or wrong."""

    def write_kernel(self, source, changes=(), reference="{files: {y: y.csv}}"):
        self.write("k.cu", source)
        text = EXPERIMENT.replace("{files: {y: y.csv}}", reference)
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        self.write("k.yaml", text)

    def test_a_kernel_that_writes_an_input_is_blamed_for_it(self):
        self.write_kernel(KERNEL.replace("const float*", "float*").replace("FACTOR", "2").replace(
            "x[i];", "x[i]; if (items == 1 && i < n) x[i] = -5;"), [("[32]", "[32], items: [1, 2]")])
        outcomes = self.sweep()
        self.assertEqual(outcomes[0][0], "wrong_answer")
        self.assertIn("the kernel writes 'x', which has 'role: in'", outcomes[0][1])
        self.assertEqual(outcomes[1], ("ok", ""))

    def test_a_reference_that_writes_an_input_is_an_error(self):
        source = KERNEL.replace("const float*", "float*").replace("FACTOR", "2")
        self.write_kernel(source + source.replace("scale", "reference").replace("x[i];", "x[i]; if (i < n) x[i] = 3;"),
                          reference="{function: reference, block: 64, grid: 1}")
        self.refuse("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt",
                    says="the reference writes 'x', which has 'role: in'")

    def test_variables_have_their_contents_before_every_run(self):
        source = "__device__ float factor[1];\n" + KERNEL.replace("FACTOR", "factor[0]").replace(
            "x[i];", "x[i]; __syncthreads(); if (i == 0) factor[0] = 5;")
        self.write("factor.csv", "2\n")
        self.write_kernel(source, [("repeats: 1", "repeats: 3"), ("ceil(n / threads)", "1"), ("[32]", "[64]"), (
            "  reference", "  symbols:\n    - {name: factor, type: float, size: 1, file: factor.csv}\n  reference")])
        self.assertEqual(self.sweep(), [("ok", "")])

    def test_a_reference_that_fails_is_one_error(self):
        source = KERNEL.replace("FACTOR", "2")
        for body, message, code in [
                ("y[i + 1000000] = 1;", "the reference crashed: ", 1),
                ("if (i < n - 1) y[i] = 1;", "the reference does not write y[39]", 2),
                ("if (i < n) y[i] = (x[i] - 1) / (x[i] - 1);", "the expected y[0] is not a number", 2)]:
            with self.subTest(body=body):
                self.write_kernel(
                    source + "__global__ void reference(float* y, const float* x, int n) "
                             "{ int i = threadIdx.x; " + body + " }",
                    reference="{function: reference, block: 64, grid: 1}")
                self.refuse("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt", says=message, code=code)
                self.assertEqual(self.query("r.sqlite", "SELECT * FROM trial WHERE outcome IS NOT NULL"), [])

    def test_a_whole_number_that_looks_unwritten(self):
        source = KERNEL.replace("float", "int").replace("FACTOR * x[i]", "-1")
        self.write_kernel(source + source.replace("scale", "reference"), [("type: float", "type: int")],
                          "{function: reference, block: 64, grid: 1}")
        self.assertEqual(self.sweep(), [("ok", "")])

    def test_numbers_that_a_type_cannot_hold(self):
        source = KERNEL.replace("FACTOR", "2")
        for kind, fill in [("bool", "random, maximum: 3"), ("char", "random, maximum: 1000"), ("char", "index"),
                           ("int", "random, maximum: 1e300"), ("uint", "random, minimum: -3, maximum: 3"),
                           ("half", "random, maximum: 1e9")]:
            with self.subTest(kind=kind, fill=fill):
                self.write_kernel(source.replace("const float* x", f"const {kind}* x"), [
                    ("{name: x, type: float, size: n, fill: ones}",
                     f"{{name: x, type: {kind}, size: 300, fill: {fill}}}")])
                self.refuse("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt", says=f"which {kind} cannot hold")

    def test_whole_numbers_beyond_those_of_a_double(self):
        number = "9007199254740993"
        self.write("w.csv", f"{number}\n")
        self.write("y.csv", f"{number}\n" * 40)
        source = ("__global__ void scale(long long* y, const long long* x, long long s, long long m) "
                  "{ y[threadIdx.x] = s == m && s == x[0] ? s : 0; }\n")
        self.write_kernel(source, [
            ("y, type: float", "y, type: long long"),
            ("type: float, size: n, fill: ones", "type: long, size: 1, file: w.csv"),
            ("    - {name: n, type: int, value: n}", f"    - {{name: s, type: long long, value: {number}}}\n"
                                                     "    - {name: m, type: int64_t, value: m}"),
            ("ceil(n / threads)", "1"), ("block: threads", "block: n"), ("{n: 40}", f"{{n: 40, m: {number}}}")])
        self.assertEqual(self.sweep(), [("ok", "")])

    def test_random_truths(self):
        self.write_kernel(KERNEL.replace("const float* x", "const bool* x").replace(
            "FACTOR * x[i]", "2 + (reinterpret_cast<const unsigned char*>(x)[i] > 1)"), [
                ("{name: x, type: float, size: n, fill: ones}", "{name: x, type: bool, size: n, fill: random}")])
        self.assertEqual(self.sweep(), [("ok", "")])

    def test_one_tolerance_suffices_and_they_do_not_add(self):
        for result, allowed, outcome in [("1001.9f", "{absolute: 1, relative: 0.001}", "wrong_answer"),
                                         ("1000.9f", "{absolute: 1}", "ok"), ("1000.9f", "{relative: 0.001}", "ok"),
                                         ("1.0f / 0.0f", "{ulp: 4}", "wrong_answer")]:
            with self.subTest(result=result, allowed=allowed):
                expected = "3.4028234e38" if "/" in result else "1000"
                self.write("y.csv", f"{expected}\n" * 40)
                self.write_kernel(KERNEL.replace("FACTOR * x[i]", result),
                                  [("parameters:", f"  tolerance: {allowed}\nparameters:")])
                self.assertEqual(self.sweep()[-1][0], outcome)


class NoEffect(ForeignKernelTest):
    """Parameters and macros that do not change what runs are named, and equal machine code is measured once."""

    SOURCE = """\
#ifndef items
#define items 1
#endif
#define factor 2
__global__ void scale(float* y, const float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if later
#endif
  for (int k = 0; k < items; ++k) if (i < n) y[i] = factor * x[i];
}
"""

    def notes(self, parameters, kernel=""):
        self.write("k.cu", self.SOURCE)
        self.write("k.yaml", EXPERIMENT.replace("{threads: [32]}", f"{{threads: [32], {parameters}}}").replace(
            "  reference:", kernel + "  reference:"))
        code, _, errors = self.run_program("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt")
        self.assertEqual(code, 0, errors)
        return errors

    def test_a_name_that_is_nowhere(self):
        notes = self.notes("item: [1, 2]", "  defines: {lateR: 1}\n")
        self.assertIn("parameter 'item' has no effect: its name is in no line of k.cu", notes)
        self.assertIn("did you mean 'items'?", notes)
        self.assertIn("macro 'lateR' has no effect", notes)
        self.assertIn("did you mean 'later'?", notes)

    def test_a_name_that_the_source_defines_again(self):
        notes = self.notes("factor: [2, 3], items: [1, 2]")
        self.assertIn("parameter 'factor' has no effect after k.cu:4, which defines the macro again", notes)
        self.assertNotIn("'items'", notes)

    def test_a_parameter_of_the_launch_that_only_the_source_names(self):
        self.assertIn("parameter 'later' has no effect", self.notes("later: {values: [1, 2], bind: launch}"))

    def test_sizes(self):
        def notes(sizes, *changes):
            self.write("k.cu", self.SOURCE)
            text = EXPERIMENT.replace("{n: 40}", f"{{n: 40, {sizes}}}")
            for before, after in changes:
                self.assertIn(before, text)
                text = text.replace(before, after)
            self.write("k.yaml", text)
            code, _, errors = self.run_program("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt")
            self.assertEqual(code, 0, errors)
            return errors
        self.assertEqual(notes("m: 1"), "mlmq: note: k.yaml:14: size 'm' has no effect: its name is in no expression, "
                                        "restriction or metric\n")
        self.assertIn("restriction or metric; it is no macro of k.cu without 'defines: {items: items}'",
                      notes("items: 1"))
        self.assertEqual(notes("items: 1", ("  reference", "  defines: {items: items}\n  reference")), "")
        self.assertEqual(notes("m: 1", ("workloads", "restrictions: [m <= threads]\nworkloads")), "")
        self.assertEqual(notes("m: 1", ("workloads", "metrics: {ratio: m / time_ms}\nworkloads")), "")
        self.assertEqual(notes("m: y", ("y.csv", "m.csv")), "")
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (40,), }"
        self.write("y.npy", b"\x93NUMPY\1\0" + bytes([len(header), 0]) + header + b"\0\0\0@" * 40)
        self.assertEqual(notes("m: 1", ("{files: {y: y.csv}}", "{command: cp y.npy $MLMQ_DATA/expected}")), "")

    def test_equal_machine_code_is_measured_once(self):
        self.notes("later: [0, 1], items: [1, 2]")
        rows = self.query("r.sqlite", "SELECT c.parameters, t.message, t.id FROM trial t "
                                      "JOIN configuration c ON c.id = t.configuration ORDER BY t.id")
        messages = [message for _, message, _ in rows]
        self.assertEqual(sum(message.startswith("not measured: machine code, launches and arguments are those of")
                             for message in messages), 2, rows)
        self.assertEqual(messages.count(""), 2)
        times = dict(self.query("r.sqlite", "SELECT c.parameters, s.milliseconds FROM sample s "
                                            "JOIN trial t ON t.id = s.trial "
                                            "JOIN configuration c ON c.id = t.configuration"))
        self.assertEqual(len(set(times.values())), 2)

    def test_equal_machine_code_is_measured_once_by_searches_that_take_turns(self):
        self.write("k.cu", self.SOURCE)
        self.write("k.yaml", EXPERIMENT.replace("[32]}", "[32], later: [0, 1], items: [1, 2]}").replace(
            "[{n: 40}]", "[{n: 40, m: 1}, {n: 40, m: 2}]") + "strategy: {name: genetic, budget: 4}\n")
        code, _, errors = self.run_program("sweep", "k.yaml", "--db", "r.sqlite", "--device", "simt")
        self.assertEqual(code, 0, errors)
        rows = self.query("r.sqlite", "SELECT workload, message FROM trial ORDER BY finished_at")
        self.assertEqual(len({workload for workload, _ in rows[:2]}), 2, rows)
        self.assertEqual(sum(message.startswith("not measured: machine code") for _, message in rows), 4, rows)

    def test_the_example_of_a_large_space_says_nothing(self):
        self.assertEqual(self.notes("items: [1]"), "")


class Simulator(ForeignKernelTest):
    """Valid CUDA compiles on the simulator, and what it cannot compile is named with its line."""

    def outcome(self, source, changes=(), database="s.sqlite"):
        if os.path.exists(self.path(database)):
            os.remove(self.path(database))
        self.write("k.cu", source)
        text = EXPERIMENT
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        self.write("k.yaml", text)
        return self.sweep(database)[0]

    def test_reasons_for_what_does_not_compile(self):
        scale = KERNEL.replace("FACTOR", "2")
        for source, outcome, message in [
                ("#include <stdio.h>\n" + scale + "int main() { float* y; scale<<<1, 32>>>(y, y, 0); }\n", "constraint",
                 "k.cu:6: the simulator does not support launches with <<<…>>>: host code, or dynamic parallelism"),
                ("#if use_tensor_cores\n#include <mma.h>\n#endif\n" + KERNEL.replace("FACTOR", "wrong"),
                 "compile_error",
                 "k.cu:6:21: error: 'wrong' was not declared"),
                ("// textures: tex2D(x)\n" + KERNEL.replace("FACTOR", "wrong"), "compile_error", "'wrong'"),
                (KERNEL.replace("FACTOR", "__fadd_rz(1, 1)"), "constraint",
                 "k.cu:3: the simulator does not support __fadd_rz"),
                (KERNEL.replace("FACTOR", "__no_such_intrinsic(2)"), "constraint",
                 "k.cu:3: the simulator does not support __no_such_intrinsic"),
                ("#include <cub/cub.cuh>\n" + scale, "constraint",
                 "k.cu:1: the simulator does not support the header <cub/cub.cuh>"),
                ("#include \"nowhere.h\"\n" + scale, "compile_error", "nowhere.h: No such file"),
                (KERNEL.replace("const int", "volatile float t[25000]; t[0] = 2; const int").replace("FACTOR", "t[0]"),
                 "constraint", "functions with more than 48 KB of local variables"),
                ("__device__ cudaTextureObject_t t;\n" + scale, "constraint",
                 "k.cu:1: the simulator does not support textures"),
        ]:
            with self.subTest(source=source):
                result = self.outcome(source)
                self.assertEqual(result[0], outcome, result)
                self.assertIn(message, result[1])

    def test_limits_of_a_gpu(self):
        scale = KERNEL.replace("FACTOR", "2")
        for changes, message in [
                ([("grid: ceil(n / threads)", "grid: [1, 70000]")], "70000 blocks in y"),
                ([("grid: ceil(n / threads)", "grid: [1, 1, 65536]")], "65536 in z"),
                ([("block: threads", "block: [1, 1, 65]")], "65 threads in z; a block of a GPU has at most 64"),
                ([("block: threads", "block: [1, 1025]")], "a block of 1x1025x1 threads")]:
            with self.subTest(changes=changes):
                outcome, reason = self.outcome(scale, changes)
                self.assertEqual(outcome, "constraint", reason)
                self.assertIn(message, reason)
        outcome, reason = self.outcome(scale.replace("const int", "__shared__ float t[12289]; t[0] = 1; const int"))
        self.assertEqual(outcome, "constraint", reason)
        self.assertIn("bytes of static shared memory", reason)

    def test_valid_cuda(self):
        for source in [
                "template <typename T> __global__ void other(T* y) { *y = 2; }\n"
                "template __global__ void other<float>(float*);\nextern template __global__ void other<int>(int*);\n"
                + KERNEL.replace("FACTOR", "2"),
                "#include <ctime>\n#include <cassert>\n#include <time.h>\n" + KERNEL.replace(
                    "const int i", "assert(clock() >= 0); const int i").replace("FACTOR", "2"),
                'extern "C" __device__ float2 rsqrtf(float2 v) { return make_float2(rsqrtf(v.x), rsqrtf(v.y)); }\n'
                + KERNEL.replace("FACTOR", "4 * rsqrtf(make_float2(4, 4)).y"),
                KERNEL.replace("const int i", "__shared__ alignas(16) float tile[64]; static __shared__ int s; "
                                              "if (threadIdx.x == 0) s = 2; tile[threadIdx.x] = 1; const int i"
                               ).replace("FACTOR", "2 * tile[threadIdx.x]"),
                KERNEL.replace("const int i", "extern double __shared__ unused[]; const int i").replace("FACTOR", "2"),
                "// " + "_" * 500000 + "\n" + KERNEL.replace("FACTOR", "2"),
                "static inline __global__ void unused(int*) {}\n" + KERNEL.replace("FACTOR", "2"),
        ]:
            with self.subTest(source=source[:200]):
                self.assertEqual(self.outcome(source), ("ok", ""))

    def test_intrinsics(self):
        checks = ["__uni_sync(~0u, 1)", "__dp4a(0x01020304, 0x01010101, 5) == 15", "__dp4a(-1, 1, 0) == -1",
                  "__vadd4(0x01FF0203u, 0x01010101u) == 0x02000304u", "__vmaxs4(0x80u, 0x7Fu) == 0x7Fu",
                  "__vabsdiffu2(0x00010005u, 0x00030001u) == 0x00020004u", "__funnelshift_rc(1, 2, 40) == 2",
                  "__hiloint2double(0x40000000, 0) == 2.0", "__double2hiint(2.0) == 0x40000000",
                  "__double2ll_rn(2.5) == 2", "__float2ll_ru(1.25f) == 2", "__usad(1u, 4u, 3u) == 6",
                  "__rhadd(1, 2) == 2", "__hadd(-1, 0) == -1", "__fns(0xF0u, 0, 2) == 5", "umin(1u, 2u) == 1",
                  "rcbrtf(8.0f) == 0.5f", "norm3df(2, 3, 6) == 7", "rhypotf(3, 4) == 0.2f", "cospif(1.0f) == -1",
                  "__frcp_rn(4.0f) == 0.25f", "__mul64hi(1ll << 62, 8) == 2", "fdividef(1, 4) == 0.25f"]
        body = "".join(f"assert({check}); " for check in checks)
        source = "#include <assert.h>\n" + KERNEL.replace("const int i", body + "const int i").replace("FACTOR", "2")
        self.assertEqual(self.outcome(source), ("ok", ""))

    def test_parameters_with_the_names_that_the_simulator_uses(self):
        source = """\
__device__ int answer(int x) { return x; }
__global__ __launch_bounds__(64) void scale(float* y, const float* x, int n) {
  __shared__ float tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x + 0 * gridDim.x;
  assert(n > 0);
  printf("%d", n);
  tile[threadIdx.x] = __expf(0.0f) + 0 * __powf(2.0f, n) + 0 * clock();
  __syncthreads();
  if (i < n) y[i] = 2 * x[i] * tile[threadIdx.x] * warpSize / 32;
}
"""
        folder = os.path.join(os.path.dirname(TESTS), "kernels", "simt", "plain")
        headers = [name for name in os.listdir(folder) if name.endswith(".hpp")]
        text = "".join(self.read(os.path.join(folder, name)).decode() for name in headers)
        text = re.sub(r'//[^\n]*|"[^"\n]*"|#\s*(include|pragma)[^\n]*', "", text)
        words = "alignas asm auto bool char class const constexpr default define do double else elif endif enum extern "
        words += "false float for if ifdef ifndef inline int line long namespace operator pragma private public "
        words += "requires return short signed sizeof static static_assert static_cast const_cast struct "
        words += "reinterpret_cast "
        words += "template this true typedef typename undef union unsigned using void volatile while nullptr defined "
        words += "and or not min max abs ceil floor power_of_two"  # words of expressions
        names = set(re.findall(r"\b[A-Za-z_]\w*\b", text)) - set(words.split()) - set(re.findall(r"\w+", source))
        names = sorted(name for name in names if not name.startswith("__") and not name.lower().startswith("mlmq"))
        self.assertIn("block_size", names)
        self.assertGreater(len(names), 100)
        defines = "".join(f"    {name}: 999\n" for name in names)
        self.assertEqual(self.outcome(source, [("  source: k.cu", "  source: k.cu\n  defines:\n" + defines.rstrip())]),
                         ("ok", ""))


if __name__ == "__main__":
    main()
