#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/programs.py, which draws the picture of the README."""

from __future__ import annotations

import math
import unittest

# This import must come first: it adds plots/ to the path.
from plots_test import Files, ROOT

import matplotlib
import programs

PICTURE = ROOT / "docs" / "figures" / "programs.svg"
DRAWN_WITH = "3.6.3"  # other versions of matplotlib write different bytes

HEADER = "class,graph,vertices,program,ms\n"
GOOD = HEADER + "road,r1,10,mlmq,1\nroad,r1,10,ADDS,4\nroad,r2,10,mlmq,2\nroad,r2,10,ADDS,2\n"


class Programs(Files):
    @unittest.skipUnless(matplotlib.__version__ == DRAWN_WITH, f"matplotlib is not {DRAWN_WITH}")
    def test_picture_is_current(self) -> None:
        run = self.script("programs.py", "--output", self.folder / "programs.svg")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual((self.folder / "programs.svg").read_bytes(), PICTURE.read_bytes(),
                         "docs/figures/programs.svg is out of date: make it again with plots/programs.py")
        self.assertLess(PICTURE.stat().st_size, 200_000)

    def test_every_time_is_drawn(self) -> None:
        times = programs.read(ROOT / "docs" / "figures" / "programs.csv")
        figure = programs.draw(times)
        written = [text.get_text() for axes in figure.axes for text in axes.texts]
        expected = ["hangs" if math.isnan(ms) else programs.bars.number(ms) for ms in times.ms.values()]
        self.assertEqual(sorted(written), sorted(expected))
        self.assertEqual(sum(len(axes.patches) for axes in figure.axes), sum(map(math.isfinite, times.ms.values())))

    def read(self, text: str) -> programs.Times:
        path = self.folder / "times.csv"
        path.write_text(text, encoding="utf-8")
        return programs.read(path)

    def test_speedup(self) -> None:
        self.assertAlmostEqual(programs.speedup(self.read(GOOD), "road", "ADDS"), 2.0)  # mean of 4 and 1
        some = self.read(GOOD.replace("r1,10,ADDS,4", "r1,10,ADDS,"))
        self.assertAlmostEqual(programs.speedup(some, "road", "ADDS"), 1.0)
        none = self.read(GOOD.replace("ADDS,4", "ADDS,").replace("ADDS,2", "ADDS,"))
        self.assertTrue(math.isnan(programs.speedup(none, "road", "ADDS")))

    def test_what_the_file_says_of_itself(self) -> None:
        times = self.read("# device: a GPU\n# text\n# date: today\n" + GOOD)
        self.assertEqual((times.source.device, times.source.date), ("a GPU", "today"))

    def test_wrong_files(self) -> None:
        for text, message in [
            (GOOD.replace("ADDS,4", "ADDS,fast"), "times.csv:3: 'fast' is no time"),
            (GOOD.replace("ADDS,4", "ADDS,0"), "times.csv:3: a time is above 0"),
            (GOOD.replace("road,r2,10,ADDS", "street,r2,10,ADDS"), "times.csv:5: the class is one of"),
            (GOOD + "road,r2,10,ADDS,3\n", "times.csv:6: ADDS has a time on r2 already"),
            (GOOD.replace("road,r2,10,ADDS,2\n", ""), "ADDS has no row for r2"),
            (GOOD.replace("mlmq", "other"), "there is no program mlmq"),
            (GOOD + "road,r2\n", "times.csv:6: expected the columns"),
            (HEADER, "there are no times"),
        ]:
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message.replace("(", r"\(")):
                self.read(text)
        run = self.script("programs.py", self.folder / "missing.csv")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
