#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the small workloads of the figure skeleton on the simulator, and draws it.

usage: test_skeleton.py [PROGRAM], by default the mlmq of $PATH
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else "mlmq"


class Figure(unittest.TestCase):
    def test_it_is_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([PROGRAM, "reproduce", HERE / "skeleton.yaml", "--quick", "--device", "simt", "--db",
                                  f"{folder}/results.sqlite", "--output", folder],
                                 capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("fastest on road8", run.stdout)
            self.assertIn("<!-- road8 -->", (Path(folder) / "skeleton_fig1.svg").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
