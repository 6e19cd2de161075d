# SPDX-License-Identifier: Apache-2.0
"""scripts/update-times prints a table of positive times, and says what is wrong with a graph."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from package_test import ROOT

SCRIPT = os.path.join(ROOT, "scripts", "update-times")


def run(*arguments):
    return subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True, check=False)


class UpdateTimes(unittest.TestCase):
    def test_table(self):
        done = run("road5", "grid4", "--device", "simt", "--repeat", "2", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = done.stdout.splitlines()[2:]
        self.assertEqual([re.match(r"\| (\w+) \| (\w+) \|", row).groups() for row in rows],
                         [("road5", "hierarchy"), ("road5", "supernode"), ("grid4", "hierarchy"),
                          ("grid4", "supernode")])
        for row in rows:
            times = [float(cell) for cell in row.split("|")[3:6]]
            self.assertTrue(all(ms > 0 for ms in times), row)

    def test_errors(self):
        with tempfile.NamedTemporaryFile("w", suffix=".mtx") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 0.5\n")
            file.flush()
            for name, message in [("roxd5", "unknown kind of graph"), (file.name, "those of the graph are float64")]:
                done = run(name, "--device", "simt")
                self.assertEqual(done.returncode, 1)
                self.assertIn(message, done.stderr)
        self.assertEqual(run("road5", "--repeat", "0").returncode, 2)


if __name__ == "__main__":
    unittest.main()
