# SPDX-License-Identifier: Apache-2.0
"""scripts/lint finds each kind of fault, and nothing else, in a small repository."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Lint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(ROOT / "scripts" / "lint", self.root / "scripts")
        shutil.copy(ROOT / ".clang-format", self.root)
        self.write("scripts/lint-allowed.txt", "")

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def lint(self, *arguments):
        return subprocess.run([sys.executable, "-B", self.root / "scripts" / "lint", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def findings(self):
        done = self.lint()
        self.assertEqual(done.returncode, 1 if done.stdout else 0, done.stderr)
        return done.stdout.splitlines()

    def test_names(self):
        self.write("a.cpp", "int f(int found);\nint at(int index);\nint g() { return given(1); }\n// found: a word\n")
        first, second = self.findings()
        self.assertTrue(first.startswith("a.cpp:1: name: 'found' "), first)
        self.assertTrue(second.startswith("a.cpp:2: name: 'at' "), second)
        self.write("scripts/lint-allowed.txt", "# a comment\nname a.cpp at\nname a.cpp found\n")
        self.assertEqual(self.findings(), [])

    def test_sentences(self):
        self.write("a.cpp", "// A lock for who calls it.\n"
                            "const char* text = \"there is nobody here\";\nint nobody = 1;\n")
        self.assertEqual([line.split(": ")[0] for line in self.findings()], ["a.cpp:1", "a.cpp:2"])
        self.write("a.cpp", "")
        self.write("page.md", "The sweep goes on.\n```\ngoes on in code\n```\n")
        (finding,) = self.findings()
        self.assertTrue(finding.startswith("page.md:1: idiom: 'go on' for 'continue'"), finding)

    def test_lengths(self):
        self.write("a.py", f"LINE = '{'x' * 111}'\nLONG = '{'x' * 112}'\n# https://example.org/{'x' * 120}\n")
        (finding,) = self.findings()
        self.assertTrue(finding.startswith("a.py:2: length: 121 columns"), finding)

    def test_build_files_and_scripts(self):
        self.write("CMakeLists.txt", f"# {'x' * 119}\n")
        self.write("run", "#!/usr/bin/env bash\n# The worker sends as many messages as needed and goes on.\n")
        self.write("data", f"{'x' * 121}\n")
        length, idiom = self.findings()
        self.assertTrue(length.startswith("CMakeLists.txt:1: length: 121 columns"), length)
        self.assertTrue(idiom.startswith("run:2: idiom: 'go on' for 'continue'"), idiom)

    def test_stale_exceptions(self):
        self.write("scripts/lint-allowed.txt", "name a.cpp found\n")
        (finding,) = self.findings()
        self.assertIn("nothing is allowed by 'name a.cpp found'", finding)

    @unittest.skipUnless(shutil.which("clang-format-14") or shutil.which("clang-format"), "clang-format is missing")
    def test_format(self):
        self.write("a.cpp", "int  f( ) ;\n")
        (finding,) = self.findings()
        self.assertTrue(finding.startswith("a.cpp:1: format: "), finding)
        self.assertEqual(self.lint("--fix").returncode, 0)
        self.assertEqual((self.root / "a.cpp").read_text(encoding="utf-8"), "int f();\n")
        self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    unittest.main()
