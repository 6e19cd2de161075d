#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps the kernel skeleton on the simulator: every variant gives the result of the reference.

usage: test_skeleton.py [PROGRAM], by default the mlmq of $PATH
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from contextlib import closing
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAM = sys.argv.pop() if len(sys.argv) > 1 else "mlmq"


class Kernel(unittest.TestCase):
    def test_every_variant_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            database = Path(folder) / "results.sqlite"
            run = subprocess.run([PROGRAM, "sweep", HERE / "skeleton.yaml", "--device", "simt:1x8", "--db", database],
                                 capture_output=True, text=True, check=False,
                                 env={**os.environ, "MLMQ_CACHE": f"{folder}/cache"})
            self.assertTrue(database.exists(), run.stderr)
            with closing(sqlite3.connect(database)) as results:
                outcomes = dict(results.execute("SELECT outcome, count(*) FROM result GROUP BY outcome"))
        self.assertEqual(outcomes, {"ok": 12}, run.stdout)


if __name__ == "__main__":
    unittest.main()
