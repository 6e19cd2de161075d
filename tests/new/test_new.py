# SPDX-License-Identifier: Apache-2.0
"""'mlmq new' writes what compiles and passes its own test, which notices a wrong kernel; problems build against the
installed package, outside of the tree.

usage: test_new.py BUILD
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD = Path(sys.argv.pop()).resolve()
MLMQ = BUILD / "cli" / "mlmq"
# A problem of the size of the smallest one: nothing else of it is code.
MOST_LINES = 150


class New(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def run_here(self, *command, code=0):
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False,
                             env={**{name: value for name, value in os.environ.items() if name != "MLMQ_KERNELS"},
                                  "PATH": f"{MLMQ.parent}:{os.environ['PATH']}"})
        self.assertEqual(run.returncode, code, f"{command}\n{run.stdout}{run.stderr}")
        return run.stdout + run.stderr

    def replace(self, file, old, new):
        text = (self.folder / file).read_text()
        self.assertIn(old, text)
        (self.folder / file).write_text(text.replace(old, new))

    def install(self):
        for component in ((), ("--component", "tuner")):
            self.run_here("cmake", "--install", BUILD, "--prefix", self.folder / "installed", *component)
        (self.folder / "installed").rename(self.folder / "moved")

    def build(self, name):
        self.run_here("cmake", "-S", name, "-B", "build", "-G", "Ninja",
                      f"-DCMAKE_PREFIX_PATH={self.folder / 'moved'}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        self.run_here("cmake", "--build", "build")
        self.assertIn("100% tests passed", self.run_here("ctest", "--test-dir", "build"))

    def plant(self, file, old, new):
        """Changes a kernel, after which the test must fail."""
        self.replace(file, old, new)
        self.assertIn("wrong_answer", self.run_here("ctest", "--test-dir", "build", "--output-on-failure", code=8))

    def test_a_problem_builds_against_the_installed_package(self):
        self.install()
        self.run_here(MLMQ, "new", "problem", "my_problem")
        texts = [(self.folder / "my_problem" / f"my_problem{suffix}").read_text()
                 for suffix in (".cpp", ".cu", "_abi.cuh")]
        code = [line for line in "".join(texts).splitlines() if line.strip()]
        self.assertLessEqual(len(code), MOST_LINES)
        self.assertNotIn("skeleton", "".join(file.read_text() for file in (self.folder / "my_problem").iterdir()))
        self.build("my_problem")
        self.assertIn("threads per block", self.run_here("build/mlmq_with_my_problem", "problems", "my_problem"))
        self.plant("my_problem/my_problem.cu", ">= arguments.degree", "> arguments.degree")

    def test_a_queue_builds_against_the_installed_package(self):
        self.install()
        self.run_here(MLMQ, "new", "queue", "my_queue")
        self.build("my_queue")
        self.plant("my_queue/my_queue.cuh", "push_front(e, writers)", "push_front(e, writers & ~1u)")

    def test_a_figure(self):
        self.run_here(MLMQ, "new", "figure", "my_figure")
        self.run_here(sys.executable, "my_figure/test_my_figure.py")
        self.replace("my_figure/my_figure.py", "label=instance.workload", "label=instance.query")
        self.assertIn("AssertionError", self.run_here(sys.executable, "my_figure/test_my_figure.py", code=1))

    def test_the_package_without_the_component_says_so(self):
        self.run_here("cmake", "--install", BUILD, "--prefix", self.folder / "installed")
        self.run_here(MLMQ, "new", "problem", "my_problem", "--folder", "folder")
        says = self.run_here("cmake", "-S", "folder", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.folder / 'installed'}",
                             "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF", code=1)
        self.assertIn("--component tuner", says)

    def test_a_kernel(self):
        self.run_here(MLMQ, "new", "kernel", "my_kernel")
        self.run_here(sys.executable, "my_kernel/test_my_kernel.py")
        self.replace("my_kernel/my_kernel.cu", "factor * x[i] + y[i];\n  }\n}\n\n//", "factor * x[i];\n  }\n}\n\n//")
        self.assertIn("wrong_answer", self.run_here(sys.executable, "my_kernel/test_my_kernel.py", code=1))

    def test_nothing_is_overwritten(self):
        (self.folder / "there").mkdir()
        for name, folder, says in (("there", [], "there: exists already"), ("free", ["--folder", "there"], "exists"),
                                   ("Free", [], "'Free' is not a name"), ("9", [], "is not a name"),
                                   ("", [], "name"), ("class", [], "'class' is reserved in C++"),
                                   ("co_yield", [], "reserved"), ("main", [], "reserved"), ("a__b", [], "reserved")):
            self.assertIn(says, self.run_here(MLMQ, "new", "kernel", name, *folder, code=2))
        self.assertEqual([entry.name for entry in self.folder.iterdir()], ["there"])
        self.assertEqual(list((self.folder / "there").iterdir()), [])


if __name__ == "__main__":
    unittest.main()
