#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/scaling.py, which draws the table of scripts/scaling."""

from __future__ import annotations

import unittest

# This import must come first: it adds plots/ to the path.
from plots_test import Files

import results
import scaling

TABLE = """# device: a GPU
# version: mlmq 1
part,devices,seconds,speedup,least_in_runs,most_in_runs,note
sweep warm,1,8,1.0,0.9,0.9,
sweep warm,2,4.1,1.951,0.85,0.9,
tuning,1,3,1.0,,,
tuning,2,2,1.5,,,
record,2,2,,0.5,0.5,one device was not measured
"""


class Scaling(Files):
    def table(self, text: str) -> tuple[scaling.Source, dict[str, list[scaling.Point]]]:
        path = self.folder / "scaling.csv"
        path.write_text(text, encoding="utf-8")
        return scaling.read(path)

    def test_every_point_is_drawn(self) -> None:
        source, parts = self.table(TABLE)
        self.assertEqual((source.device, source.version, list(parts)), ("a GPU", "mlmq 1", ["sweep warm", "tuning"]))
        speedups, shares = scaling.draw(source, parts).axes
        self.assertEqual([(list(line.get_xdata()), list(line.get_ydata())) for line in speedups.lines],
                         [([1, 2], [1, 2]), ([1, 2], [1.0, 1.951]), ([1, 2], [1.0, 1.5])])
        self.assertEqual([list(line.get_ydata()) for line in shares.lines], [[90, 90], [85, 90]])

    def test_files(self) -> None:
        self.table(TABLE)
        run = self.script("scaling.py", self.folder / "scaling.csv", "--output", self.folder / "s.svg")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue((self.folder / "s.svg").exists() and (self.folder / "s.png").exists())

    def test_wrong_files(self) -> None:
        for text, message in [(TABLE.replace("1.951", "fast"), r"scaling.csv:5: expected a row of scripts/scaling"),
                              ("part,devices,speedup\n", "no part was measured on one device")]:
            with self.assertRaisesRegex(results.ResultsError, message):
                self.table(text)


if __name__ == "__main__":
    unittest.main()
