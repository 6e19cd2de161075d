#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the queue skeleton on the simulator: nothing that is written is lost or taken twice.

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


class Queue(unittest.TestCase):
    def test_nothing_is_lost_or_taken_twice(self):
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
