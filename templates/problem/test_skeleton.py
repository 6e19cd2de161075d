#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sweeps the problem skeleton on the simulator: every answer is right.

usage: test_skeleton.py PROGRAM
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
PROGRAM = sys.argv.pop()


class Problem(unittest.TestCase):
    def test_every_answer_is_right(self):
        with tempfile.TemporaryDirectory() as folder:
            database = Path(folder) / "results.sqlite"
            run = subprocess.run([PROGRAM, "sweep", HERE / "experiment.yaml", "--device", "simt:1x8", "--db", database],
                                 capture_output=True, text=True, check=False,
                                 env={**os.environ, "MLMQ_CACHE": f"{folder}/cache"})
            self.assertTrue(database.exists(), run.stderr)
            with closing(sqlite3.connect(database)) as results:
                outcomes = dict(results.execute("SELECT outcome, count(*) FROM result GROUP BY outcome"))
        self.assertEqual(outcomes, {"ok": 16}, run.stdout)


if __name__ == "__main__":
    unittest.main()
