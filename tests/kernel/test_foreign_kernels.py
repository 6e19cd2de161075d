# SPDX-License-Identifier: Apache-2.0
"""'problem: kernel' with kernels that were written for other programs: their headers, arguments and constants."""

import contextlib
import os
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


if __name__ == "__main__":
    main()
