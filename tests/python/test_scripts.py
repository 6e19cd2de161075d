# SPDX-License-Identifier: Apache-2.0
"""Scripts that measure the library print tables of positive numbers, and say what is wrong with a graph."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

from package_test import ROOT


def run_script(name, *arguments):
    return subprocess.run([sys.executable, "-B", os.path.join(ROOT, "scripts", name), *arguments],
                          capture_output=True, text=True, check=False)


def run(*arguments):
    return run_script("update-times", *arguments)


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


class SessionRegret(unittest.TestCase):
    def test_table(self):
        done = run_script("session-regret", "road7", "grid4", "--device", "simt", "--calls", "10")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = done.stdout.splitlines()
        self.assertEqual(rows[0], "| graph | parts from | hierarchy from | fixed plans: preparing + search, ms | "
                                  "10 calls |")
        self.assertRegex(rows[2], r"never [0-9].* parts [0-9]")
        self.assertEqual([row.split("|")[1].strip() for row in rows[2:]], ["road7", "grid4", "geometric mean"])
        # The times on the simulator are modelled, but splitting is measured, so there is no upper bound.
        self.assertTrue(all(float(row.split("|")[5]) > 0 for row in rows[2:]), done.stdout)

    def test_errors(self):
        done = run_script("session-regret", "roxd5", "--device", "simt")
        self.assertEqual(done.returncode, 1)
        self.assertIn("unknown kind of graph", done.stderr)
        self.assertEqual(run_script("session-regret", "road5", "--calls", "9").returncode, 2)


if __name__ == "__main__":
    unittest.main()
