# SPDX-License-Identifier: Apache-2.0
"""Paths on grids, and recorded results, in Python."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import mlmq
from package_test import ROOT, DEVICES


class Grids(unittest.TestCase):
    ROOM = [[1, 1, 1], [0, 0, 1], [1, 1, 1]]

    def test_paths(self):
        for device in DEVICES:
            with self.subTest(device):
                finder = mlmq.PathFinder(mlmq.Grid.from_array(self.ROOM, name="room"), device=device)
                answers = finder.solve([[[0, 0], [0, 2]], [[1, 0], [1, 0]]], paths=True)
                self.assertEqual(answers.lengths.tolist(), [6, 0])
                self.assertEqual((answers.straight.tolist(), answers.diagonal.tolist()), ([6, 0], [0, 0]))
                self.assertEqual(answers.path(0).tolist(), [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2]])
                self.assertEqual((answers.check(), answers.shortest, len(answers)), ("", True, 2))
                self.assertEqual(answers.choice.device, device)
                self.assertGreater(answers.times.solve, 0)
        cut = mlmq.PathFinder(mlmq.Grid.from_array(np.array(self.ROOM, bool), corners="cut"), device="cpu:1")
        found = cut.solve([[[0, 0], [0, 2]]])
        self.assertAlmostEqual(found.lengths[0], 2 + 2 * 2**0.5)
        with self.assertRaisesRegex(mlmq.InputError, "paths"):
            found.path(0)
        walls = mlmq.PathFinder(mlmq.Grid.from_array([[1, 0, 1]]), device="cpu:1").solve([[[0, 0], [2, 0]]], paths=True)
        self.assertEqual((walls.lengths.tolist(), walls.reached.tolist(), len(walls.path(0))),
                         ([float("inf")], [False], 0))
        self.assertEqual(len(cut.solve([])), 0)

    def test_maps(self):
        grid = mlmq.Grid.open("grid16:density=0.2:seed=2")
        self.assertEqual((grid.width, grid.height, grid.corners), (16, 16, "cut"))
        pairs = grid.random_pairs(50, seed=3)
        self.assertEqual(pairs.shape, (50, 2, 2))
        self.assertTrue(all(grid.is_free(*cell) for pair in pairs.tolist() for cell in pair))
        self.assertFalse(grid.is_free(-1, 0) or grid.is_free(16, 0))
        answers = mlmq.PathFinder(grid, device="cpu:2").solve(pairs)
        self.assertEqual(answers.check(), "")
        self.assertEqual(len(answers), 50)

    def test_refused(self):
        grid = mlmq.Grid.from_array(self.ROOM)
        finder = mlmq.PathFinder(grid, device="cpu:1")
        for call, text in ((lambda: finder.solve([[[0, 1], [0, 2]]]), "obstacle"),
                           (lambda: finder.solve([[[0, 0], [3, 0]]]), "3"),
                           (lambda: finder.solve([[0, 0]]), "shape"),
                           (lambda: finder.solve([[[0, 0], [0.5, 2]]]), "float64"),
                           (lambda: finder.solve([[[-1, 0], [0, 0]]]), "-1"), (lambda: mlmq.PathFinder("room"), "str"),
                           (lambda: mlmq.Grid.from_array([1, 0]), "dimensions"),
                           (lambda: mlmq.Grid.from_array([[0.5]]), "float64"),
                           (lambda: mlmq.Grid.from_array(np.ones((0, 4), int)), "sides"),
                           (lambda: mlmq.Grid.from_array(self.ROOM, corners="round"), "round"),
                           (lambda: mlmq.Grid.open("no such map"), "no such map")):
            with self.subTest(text):
                with self.assertRaisesRegex(mlmq.InputError, text):
                    call()


class Results(unittest.TestCase):
    RECORD = f"{ROOT}/experiments/recorded/figures.sqlite.gz"

    def test_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = mlmq.read_results(self.RECORD)
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertGreater(len(frame), 10)
        self.assertIsInstance(frame["parameters"].iloc[0], dict)
        self.assertEqual(frame["median_ms"].dtype, np.float64)

    def test_arrays(self):
        code = ("import sys; sys.modules['pandas'] = None\n"
                "import mlmq, numpy\n"
                f"found = mlmq.read_results({self.RECORD!r}, 'relative')\n"
                "assert isinstance(found, dict), found\n"
                "best = found['relative_performance']\n"
                "assert best.dtype == numpy.float64 and best.max() == 1 and best.min() > 0, best\n"
                "assert isinstance(found['parameters'][0], dict) and isinstance(found['workload'][0], str)\n"
                "print(len(best))\n")
        done = subprocess.run([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True, check=True)
        with tempfile.TemporaryDirectory() as folder:
            plain = os.path.join(folder, "plain.sqlite")
            import gzip
            with gzip.open(self.RECORD) as packed, open(plain, "wb") as file:
                file.write(packed.read())
            with sqlite3.connect(plain) as database:
                count = database.execute("SELECT count(*) FROM relative").fetchone()[0]
            database.close()
            self.assertEqual(int(done.stdout), count)
            self.assertEqual(len(mlmq.read_results(plain, "relative")["query"]), count)

    def test_read_only_media(self):
        # An ordinary user and a folder without write permission stand for a read-only medium. The name is no URI.
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "file:a?b#%41.sqlite")
            import gzip
            with gzip.open(self.RECORD) as packed, open(file, "wb") as plain:
                plain.write(packed.read())
            with sqlite3.connect(file) as database:
                self.assertEqual(database.execute("PRAGMA journal_mode = WAL").fetchone(), ("wal",))
            database.close()
            os.chmod(file, 0o444)
            os.chmod(folder, 0o555)
            code = ("import os, sys\n"
                    "import mlmq\n"
                    "if os.geteuid() == 0: os.seteuid(65534)\n"
                    f"assert not os.access({folder!r}, os.W_OK, effective_ids=True)\n"
                    f"print(len(mlmq.read_results({file!r})['query']))\n"
                    f"print(len(mlmq.query({file!r}, 'SELECT trial FROM result')['trial']))\n")
            done = subprocess.run([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True, check=False)
            os.chmod(folder, 0o755)
            self.assertEqual(done.returncode, 0)
            counts = [int(line) for line in done.stdout.split()]
            self.assertEqual(counts, 2 * [len(mlmq.read_results(self.RECORD)["query"])])
            self.assertEqual(os.listdir(folder), [os.path.basename(file)])

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other.sqlite")
            with sqlite3.connect(other) as database:
                database.execute("CREATE TABLE t (a)")
            database.close()
            text = os.path.join(folder, "a.txt")
            with open(text, "w", encoding="utf-8") as file:
                file.write("no database at all, but long enough to be one")
            cut = os.path.join(folder, "cut.sqlite.gz")
            with open(self.RECORD, "rb") as whole, open(cut, "wb") as file:
                file.write(whole.read()[:5000])
            for path, view, said in ((os.path.join(folder, "none"), "result", "no such file"),
                                     (other, "result", "version 0"), (text, "result", "cannot be read"),
                                     (cut, "result", "cannot be read"), (self.RECORD, "trial", "expected one of")):
                with self.subTest(said):
                    with self.assertRaisesRegex(mlmq.InputError, said):
                        mlmq.read_results(path, view)


if __name__ == "__main__":
    unittest.main()
