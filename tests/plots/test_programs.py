#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/programs.py, which draws the picture of the README."""

from __future__ import annotations

import math
import subprocess
import unittest

# This import must come first: it adds plots/ to the path.
from plots_test import DRAWN_WITH, Files, ROOT

import matplotlib
import programs
from synthetic import Database

PICTURE = ROOT / "docs" / "figures" / "programs.svg"

HEADER = "class,origin,graph,vertices,program,ms,low,high\n"
GOOD = (HEADER + "road,generated,r1,10,mlmq,1,0.9,1.1\nroad,generated,r1,10,ADDS,4,4,4\n"
        "road,real,r2,10,mlmq,2,2,3\nroad,real,r2,10,ADDS,2,1,2\n")


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
        drawn = [line for axes in figure.axes for line in axes.lines if line.get_marker() not in ("None", "")]
        finite = sorted(time.ms for time in times.of.values() if math.isfinite(time.ms))
        self.assertEqual(sorted(line.get_xdata()[0] for line in drawn), finite)
        # No text leaves the figure or lies on another one.
        renderer = figure.canvas.get_renderer()
        boxes = [text.get_window_extent(renderer) for axes in figure.axes
                 for text in [*axes.texts, *axes.get_yticklabels()]]
        for place, box in enumerate(boxes):
            self.assertTrue(0 <= box.x0 and box.x1 <= figure.bbox.width and box.y1 <= figure.bbox.height + 1)
            self.assertFalse(any(box.overlaps(other) for other in boxes[:place]))

    def test_number_of_graphs_behind_each_mean(self) -> None:
        figure = programs.draw(self.read(GOOD))
        self.assertIn("ADDS: 2.00×, 2 graphs", [text.get_text() for text in figure.axes[0].texts])
        some = programs.draw(self.read(GOOD.replace("ADDS,4,4,4", "ADDS,,,")))
        self.assertIn("ADDS: 1.00×, 1 graph", [text.get_text() for text in some.axes[0].texts])
        self.assertIn("Without a time: ADDS on r1.", [text.get_text() for text in some.texts])

    def test_marks_do_not_cover_each_other(self) -> None:
        self.assertEqual(programs.heights([1, 5, 1.1, 9], 1.2), [0.2, 0, -0.2, 0])
        self.assertEqual(programs.heights([1, 1.15, 1.3, 2], 1.2), [0.2, -0.2, 0.2, 0])
        self.assertEqual(programs.heights([1, 1.1], 1.05), [0, 0])
        times = programs.read(ROOT / "docs" / "figures" / "programs.csv")
        figure = programs.draw(times)
        for axes in figure.axes:
            marks = [line for line in axes.lines if line.get_marker() not in ("None", "")]
            centres = [axes.transData.transform((line.get_xdata()[0], line.get_ydata()[0])) for line in marks]
            for place, (x, y) in enumerate(centres):
                for other_x, other_y in centres[:place]:
                    self.assertGreater(max(abs(x - other_x), abs(y - other_y)),
                                       0.8 * programs.MARK_POINTS / 72 * figure.dpi)

    def test_labels_of_graphs(self) -> None:
        times = self.read(GOOD.replace("r1,10,", "r1,,").replace("r2,10,", "r2,1039633,"))
        self.assertEqual([programs.label(times, graph) for graph in times.origins], ["r1", "r2 *  1.04M"])
        self.assertEqual(programs.label(self.read(GOOD.replace(",10,", ",51184,")), "r1"), "r1  51.2k")

    def test_colours_of_text_are_legible_on_white(self) -> None:
        for colour, _ in programs.MARKS[1:]:
            parts = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055)**2.4
                     for value in matplotlib.colors.to_rgb(colour)]
            luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
            self.assertGreater(1.05 / (luminance + 0.05), 4.5, colour)

    def read(self, text: str) -> programs.Times:
        path = self.folder / "times.csv"
        path.write_text(text, encoding="utf-8")
        return programs.read(path)

    def test_speedup(self) -> None:
        self.assertEqual(programs.speedup(self.read(GOOD), "road", "ADDS"), (2.0, 2))  # mean of 4 and 1
        none = self.read(GOOD.replace("ADDS,4,4,4", "ADDS,,,").replace("ADDS,2,1,2", "ADDS,,,"))
        ratio, count = programs.speedup(none, "road", "ADDS")
        self.assertTrue(math.isnan(ratio))
        self.assertEqual(count, 0)

    def test_what_the_file_says_of_itself(self) -> None:
        times = self.read("# device: a GPU\n# text\n# date: today\n# command: mlmq compare: all\n" + GOOD)
        self.assertEqual((times.source.device, times.source.date), ("a GPU", "today"))
        run = self.script("programs.py", self.folder / "times.csv", "--output", self.folder / "programs.png")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(run.stdout.splitlines()[-1], "command of the times: mlmq compare: all")

    def test_times_of_a_comparison(self) -> None:
        database = Database(self.folder / "compare.sqlite")
        device = database.device("NVIDIA H200")
        graphs = {name: database.graph(name, "road") for name in ("road8", "a.mtx.gz")}
        database.connection.execute("UPDATE workload SET origin = '' WHERE name = 'road8'")
        rows = ["workload,class,device,contestant,outcome,ms"]
        for name, graph in graphs.items():
            selected = "mlmq selected = best" if name == "road8" else "mlmq selected: near_pull"
            for contestant, parameters, median in ((selected, {"delta": 8}, 2.0),
                                                   ("near_far", {"solver": "near_far"}, 5.0)):
                database.trial(device, graph, parameters, median, experiment="compare")
                (trial,) = database.connection.execute("SELECT max(id) FROM trial").fetchone()
                for ordinal, ms in enumerate((median - 1, median, median + 2)):
                    database.connection.execute("INSERT INTO sample VALUES (?, ?, ?)", (trial, ordinal, ms))
                rows.append(f"{name},road,NVIDIA H200,{contestant},ok,{median}")
        database.close()
        (self.folder / "compare.csv").write_text("\n".join([*rows, "geometric mean,road,NVIDIA H200,near_far,2 of 2,"]))
        about = ("--device", "a GPU", "--date", "today", "--command", "mlmq compare")
        run = subprocess.run([ROOT / "scripts" / "program-times", self.folder / "compare.csv",
                              self.folder / "compare.sqlite", *about], text=True, capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        times = self.read(run.stdout)
        self.assertEqual((times.source.device, times.origins), ("a GPU", {"road8": "generated", "a": "real"}))
        self.assertEqual(times.of["a", "our Near-Far"], programs.Time(5, 4.5, 6))
        self.assertEqual((times.programs, times.source.chosen), (["mlmq", "our Near-Far"], "near_pull on a"))
        self.assertIn("mlmq is near_pull on a, and queues elsewhere.",
                      [text.get_text() for text in programs.draw(times).texts])
        self.assertEqual(programs.speedup(times, "road", "our Near-Far"), (2.5, 2))

    def test_wrong_files(self) -> None:
        for text, message in [
            (GOOD.replace("ADDS,4,", "ADDS,fast,"), "times.csv:3: 'fast', '4', '4' are no times"),
            (GOOD.replace("ADDS,4,4,4", "ADDS,0,0,0"), "times.csv:3: a time is above 0"),
            (GOOD.replace("ADDS,4,4,4", "ADDS,4,5,6"), "times.csv:3: a time is above 0, and between its quartiles"),
            (GOOD.replace("road,real,r2,10,ADDS", "street,real,r2,10,ADDS"), "times.csv:5: the class is one of"),
            (GOOD.replace("road,real,r2,10,ADDS", "road,found,r2,10,ADDS"), "times.csv:5: the origin is generated"),
            (GOOD + "road,real,r2,10,ADDS,3,3,3\n", "times.csv:6: ADDS has a time on r2 already"),
            (GOOD.replace("road,real,r2,10,ADDS,2,1,2\n", ""), "ADDS has no row for r2"),
            (GOOD.replace("mlmq", "other"), "there is no program mlmq"),
            (GOOD + "road,real,r2\n", "times.csv:6: expected the columns"),
            (HEADER, "there are no times"),
        ]:
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message.replace("(", r"\(")):
                self.read(text)
        run = self.script("programs.py", self.folder / "missing.csv")
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
