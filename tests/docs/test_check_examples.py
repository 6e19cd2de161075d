#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The checker of examples finds each kind of fault and accepts correct pages."""

import shutil
import tempfile
import unittest
from pathlib import Path

import check_examples

COMMANDS = """# Commands

## db

```text
Options:
  -h, --help                  Print
```

### db merge

```text
Options:
  --duplicates TEXT=refuse    which
```

## solve

```text
Options:
  -h, --help                  Print
  --config TEXT=auto          what
```
"""
PROGRAM = "```cpp\n#include <vector>\nint main() { return std::vector<int>{0}[0]; }\n```\n"


class Checking(unittest.TestCase):
    def findings(self, text: str, compiler: "list[str] | None" = None) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in [(check_examples.COMMANDS, COMMANDS), ("README.md", text), ("scripts/docs", "")]:
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content, encoding="utf-8")
            return check_examples.check(Path(folder), compiler or [])

    def sh(self, line: str) -> list[str]:
        return self.findings(f"```sh\n{line}\n```\n")

    def test_nothing(self) -> None:
        for line in ["mlmq solve road18 --config=a=1 --help   # --nothing", "scripts/docs && mlmq solve x",
                     "A=1 build/cli/mlmq db merge a b --duplicates x", "mlmq solve x > y --other", "other --unknown",
                     "A=~/mlmq python3 -m pip", "mlmq --version",
                     "mlmq solve \\\n  --config auto"]:
            with self.subTest(line=line):
                self.assertEqual(self.sh(line), [])

    def test_unknown_command(self) -> None:
        self.assertEqual(self.sh("mlmq sulve x"), ["README.md:2: mlmq sulve: there is no such command"])

    def test_unknown_option(self) -> None:
        self.assertEqual(self.sh("mlmq solve x --confg auto"),
                         ["README.md:2: mlmq solve --confg: there is no such option"])

    def test_option_of_another_command(self) -> None:
        self.assertEqual(self.sh("mlmq db merge a --config b"),
                         ["README.md:2: mlmq db merge --config: there is no such option"])

    def test_continued_line(self) -> None:
        self.assertEqual(self.sh("mlmq solve x \\\n  --confg auto"),
                         ["README.md:2: mlmq solve --confg: there is no such option"])

    def test_second_command_of_a_line(self) -> None:
        self.assertEqual(self.sh("mlmq solve x && mlmq solve --no"),
                         ["README.md:2: mlmq solve --no: there is no such option"])

    def test_console(self) -> None:
        self.assertEqual(self.findings("```console\n$ mlmq solve --no\nmlmq said --this\n```\n"),
                         ["README.md:2: mlmq solve --no: there is no such option"])

    def test_missing_file(self) -> None:
        self.assertEqual(self.sh("scripts/gone"), ["README.md:2: scripts/gone: there is no such file"])

    @unittest.skipUnless(shutil.which("g++"), "no g++")
    def test_program(self) -> None:
        self.assertEqual(self.findings(PROGRAM, ["g++"]), [])
        findings = self.findings(PROGRAM.replace("return", "retrun"), ["g++"])
        self.assertEqual(len(findings), 1)
        self.assertIn("README.md:2: does not compile", findings[0])


if __name__ == "__main__":
    unittest.main()
