#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of what all scripts that `mlmq reproduce` calls have in common: which trials they show, the table of the
paper's numbers, the written files, and the errors for an invalid request. The measures of each paper's figures have
tests of their own, which use Drawings."""

from __future__ import annotations

import csv
import json
import stat
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from plots_test import PLOTS, Files, pixels  # noqa: E402  (it makes plots/ importable)

import numpy as np  # noqa: E402
import matplotlib.image  # noqa: E402
import bars  # noqa: E402
import reproduction  # noqa: E402
import results  # noqa: E402
import style  # noqa: E402
from synthetic import Database, configuration  # noqa: E402

sys.path.append(str(Path(__file__).resolve().parents[1] / "support"))
import share  # noqa: E402

SCRIPTS = sorted(PLOTS.glob("mlmq_*.py")) + sorted(PLOTS.glob("adds_*[0-9].py")) \
    + [script for script in sorted(PLOTS.glob("pq_*.py")) if script.stem[-1].isdigit()]

DEVICE = "NVIDIA H200"
VECTOR = configuration("vector", "vector")
BUCKET = configuration("vector", "bucket", delta=8.0)
FIFO = configuration("none", "vector")
SINGLE_BUCKET = configuration("none", "bucket", delta=2.0)
ADDS = {"solver": "adds", "adds_delta_mode": "dynamic"}


class Drawings(Files):
    """Test case with a database and a request, for which it runs scripts."""

    def setUp(self) -> None:
        super().setUp()
        self.db = Database(self.database)
        self.device = self.db.device(DEVICE)
        self.request: dict[str, object] = {
            "figure": "mlmq/fig8", "title": "A title", "problem": "sssp", "database": str(self.database),
            "recorded": False, "device": f"device {DEVICE}", "processors": "", "experiments": [], "workloads": [],
            "picks": "", "incomplete": False, "width": "page", "stamp": True, "paper": []}

    def paper(self, measure: str, value: float | str, unit: str = "x", where: str = "") -> None:
        """Adds a number from the paper."""
        key = "text" if isinstance(value, str) else "value"
        self.request["paper"].append({"measure": measure, "what": measure, key: value, "unit": unit, "where": where})

    def times(self, graph: int, *trials: tuple[dict[str, object], float], **how: object) -> None:
        """Adds time trials on the device."""
        for parameters, milliseconds in trials:
            self.db.trial(self.device, graph, parameters, milliseconds, **how)

    def run_script(self, figure: str) -> subprocess.CompletedProcess[str]:
        stem = figure.replace("/", "_")
        self.request["figure"] = figure
        self.db.connection.commit()
        file = self.folder / str(self.request["width"]) / f"{stem}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(self.request))
        return self.script(f"{stem}.py", file)

    def draw(self, figure: str) -> dict[str, dict[str, str]]:
        """Draws a figure and checks all files. Returns the rows of the table by measure (the first of each)."""
        if share.is_in_share(f"{self.id()} {figure}"):
            self.request.update(width="column", stamp=False)
            narrow = self.run_script(figure)
            self.assertEqual((narrow.returncode, narrow.stderr), (0, ""), narrow.stderr)
            self.check_sizes(self.folder / "column" / figure.replace("/", "_"))
        self.request.update(width="page", stamp=True)
        run = self.run_script(figure)
        self.assertEqual((run.returncode, run.stderr), (0, ""), run.stderr)
        stem = self.folder / "page" / figure.replace("/", "_")
        png = stem.with_suffix(".png")
        self.assertEqual(run.stdout.split()[-4:], [str(stem) + ending for ending in (".svg", ".pdf", ".png", ".csv")])
        self.check_sizes(stem)
        self.assertGreater(min(pixels(png)), 200)
        self.assertGreater(float(np.asarray(matplotlib.image.imread(png))[:, :, :3].std()), 0.03, "a blank figure")
        self.assertIn("<svg", stem.with_suffix(".svg").read_text(encoding="utf-8"))
        with open(stem.with_suffix(".csv"), newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        return {row["measure"]: row for row in reversed(self.rows)}

    def stated(self, measure: str) -> list[str]:
        """Returns the paper's numbers for a measure, by row of the table."""
        return [row["paper"] for row in self.rows if row["measure"] == measure]

    def verdict(self, beginning: str) -> str:
        """Returns the verdict on the finding that begins so, in the table that was drawn last."""
        (name,) = [row["verdict"] for row in self.rows
                   if row["measure"].startswith("finding_") and row["what"].startswith(beginning)]
        return name

    def change_time(self, graph: int, parameters: dict[str, object], milliseconds: float) -> None:
        """Changes the time of a trial."""
        self.db.connection.execute(
            "UPDATE trial SET median_ms = ? WHERE workload = ? AND configuration = ? AND measurement = 'time'",
            (milliseconds, graph, self.db.configuration(parameters)))

    def invert_times(self) -> None:
        """Makes the fastest trial the slowest."""
        self.db.connection.execute("UPDATE trial SET median_ms = 1 / median_ms")

    def check_sizes(self, stem: Path) -> None:
        self.assertLessEqual(max(pixels(stem.with_suffix(".png"))), style.MOST_PIXELS)
        self.assertLessEqual(stem.with_suffix(".png").stat().st_size, style.MOST_PNG_BYTES)
        for ending in (".svg", ".pdf"):
            self.assertLessEqual(stem.with_suffix(ending).stat().st_size, style.MOST_VECTOR_BYTES)
        self.assertTrue(stem.with_suffix(".pdf").read_bytes().startswith(b"%PDF-"))

    def close_to(self, row: dict[str, str], expected: float) -> None:
        self.assertAlmostEqual(float(row["ours"]), expected, places=6, msg=str(row))


class AddsFigures(Drawings):
    def test_adds_figures(self) -> None:
        graph = self.db.graph("r", "road")
        for solver in ("adds", "near_far"):
            for c, time, pops in ((0.5, 6.0, 100), (1.0, 3.0, 150), (2.0, 1.0, 900)):
                parameters = {"solver": solver, "delta_c": c, "adds_delta_mode": "static"}
                self.times(graph, (parameters, time))
                self.db.trial(self.device, graph, parameters, pops=pops)
        self.paper("road_speed", 6)
        self.paper("road_work", 9)
        rows = self.draw("adds/fig7")
        self.close_to(rows["road_speed"], 6)
        self.close_to(rows["road_work"], 9)
        self.assertEqual(rows["rmat_speed"]["note"], "no such graph")
        self.assertEqual(self.verdict("On a road another Δ is faster"), "holds")
        self.invert_times()
        self.draw("adds/fig7")
        self.assertEqual(self.verdict("On a road another Δ is faster"), "differs")
        self.invert_times()
        self.request["paper"] = []
        self.assertEqual(self.draw("adds/fig4")["spread"]["note"], "r: 2")
        self.assertEqual((self.verdict("The choice of Δ matters"), self.verdict("No constant is the best")),
                         ("holds", ""))
        self.db.connection.execute("UPDATE trial SET median_ms = 1")
        self.draw("adds/fig4")
        self.assertEqual(self.verdict("The choice of Δ matters"), "differs")


class WhatIsShown(Drawings):
    def two_experiments(self) -> None:
        """On the same graph, mlmq is twice as fast in one experiment and four times as fast in another."""
        first, second = self.db.graph("first", "road"), self.db.graph("second", "road")
        self.times(first, (BUCKET, 1.0), (ADDS, 2.0), experiment="mlmq_fig9")
        self.times(second, (BUCKET, 1.0), (ADDS, 8.0), experiment="mlmq_fig9")
        self.times(first, (VECTOR, 0.1), experiment="another")

    def test_only_trials_of_the_figures_experiments(self) -> None:
        self.two_experiments()
        self.request["experiments"] = ["mlmq_fig9"]
        self.close_to(self.draw("mlmq/fig9")["mean_speedup"], 4)

    def test_no_trials_of_other_experiments(self) -> None:
        self.two_experiments()
        self.request["experiments"] = ["mlmq_fig8"]
        self.refused(self.run_script("mlmq/fig9"), "has solved any of the figure's workloads", status=3)

    def test_only_the_workloads_asked_for(self) -> None:
        self.two_experiments()
        self.request.update(experiments=["mlmq_fig9"], workloads=["graph second"])
        self.close_to(self.draw("mlmq/fig9")["mean_speedup"], 8)

    def test_workloads_that_nothing_has_solved(self) -> None:
        self.two_experiments()
        self.request["workloads"] = ["of something else"]
        self.refused(self.run_script("mlmq/fig9"), "has solved any of the figure's workloads", status=3)

    def test_what_nobody_may_overlook(self) -> None:
        tags = style.Provenance("d", True, 1, 1, (), 1, "f", recorded=True, incomplete=True).tags()
        self.assertEqual(tags, ["SIMULATED: MODELLED TIMES", "RECORDED DATA", "INCOMPLETE"])
        self.assertEqual(style.Provenance("d", False, 1, 1, (), 1, "f").tags(), [])
        self.two_experiments()
        plain = self.draw("mlmq/fig9") and (self.folder / "page" / "mlmq_fig9.png").read_bytes()
        self.request["recorded"] = True
        run = self.run_script("mlmq/fig9")
        self.assertIn("ours: NVIDIA H200, recorded", run.stdout)
        self.assertNotEqual((self.folder / "page" / "mlmq_fig9.png").read_bytes(), plain)

    def test_names_of_papers(self) -> None:
        self.assertEqual([reproduction.paper_name(name) for name in ("mlmq/fig12", "mlmq/table4", "adds/fig7",
                                                                     "own/fig1")],
                         ["MLMQ Fig. 12", "MLMQ Table 4", "ADDS Fig. 7", "own/fig1"])


class LongTables(unittest.TestCase):
    def test_rows_with_a_number_of_ours_come_first(self) -> None:
        def row(what: str, paper: object, ours: object, note: str = "") -> dict[str, object]:
            return dict(zip(reproduction.COLUMNS, (what, what, "", "x", paper, ours, note)))

        rows = [row("stated", 7.0, None)] + [row(f"own{i}", None, float(i)) for i in range(1000)]
        rows += [row("noted", 1.0, 1.0, "graph, " * 100)]
        text = reproduction.table_text(rows, "a device", "all.csv")
        lines = text.split("\n")
        self.assertEqual([line.split()[0] for line in lines[1:11]], [f"own{i}" for i in range(10)])
        self.assertEqual(lines[11:], ["… 992 more rows in all.csv"])
        self.assertLess(max(map(len, lines)), 150)
        # A short table is shown in full.
        short = reproduction.table_text(rows[:1] + rows[-2:], "a device").split("\n")
        self.assertEqual([line.split()[0] for line in short[1:]], ["stated", "own999", "noted"])
        self.assertLess(len(short[-1]), 150)


class ManyInputs(Drawings):
    """Figures of more inputs than fit. Their sizes are bounded, which draw() checks."""

    def graphs(self, count: int, *trials: tuple[dict[str, object], float], pops: float = 0) -> None:
        for index in range(count):
            name = f"power20:exponent=2.3:degree={index}:weights=pareto"
            graph = self.db.graph(name, ("road", "mesh")[index % 2], vertices=1000 + index)
            self.db.features(graph, avg_nnz=4, dev_nnz=1)
            self.times(graph, *trials)
            for parameters, _ in trials:
                if pops:
                    self.db.trial(self.device, graph, parameters, counters={
                        counter: pops for counter in ("pops", "relaxations", "distance_atomics", "queue_atomics",
                                                      "l2_writes", "l2_reads", "polls")})

    def test_bars_of_classes(self) -> None:
        self.graphs(60, (FIFO, 4.0), (SINGLE_BUCKET, 2.0), (BUCKET, 1.0), pops=1000)
        self.draw("mlmq/fig3")
        drawn = (self.folder / "page" / "mlmq_fig3.svg").stat().st_size
        self.assertLess(drawn, 200_000)
        few = [results.Input(f"h{i}", "source=0", "a" * 40, "road", "graph") for i in range(3)]
        groups = bars.groups_of(results.Times(few, [], np.zeros((3, 0)), []))
        self.assertEqual((len(groups), max(map(len, groups))), (3, style.MOST_LETTERS + len(" source=0 3")))

    def test_table_of_some_graphs(self) -> None:
        self.graphs(60, (BUCKET, 1.0))
        self.draw("mlmq/table4")
        self.assertEqual(len([row for row in self.rows if row["ours"]]), 4 * 60)

    def test_panels_of_some_graphs(self) -> None:
        parameters = [({"solver": "adds", "delta_c": c, "adds_delta_mode": "static"}, c) for c in (0.5, 1.0, 2.0)]
        self.graphs(20, *parameters)
        self.draw("adds/fig7")

    def test_vector_files_above_the_limit(self) -> None:
        figure, (axes,) = style.new_figure(3, 2)
        for offset in range(40):
            axes.plot(np.random.default_rng(offset).random(2000), linewidth=0.5)
        self.assertGreater(len(style._rendered(figure, "svg", 300)), style.MOST_VECTOR_BYTES)
        for file in style.save(figure, self.folder / "f.svg", with_pdf=True):
            self.assertLessEqual(file.stat().st_size, style.MOST_VECTOR_BYTES)


class BadRequests(Drawings):
    def test_a_number_that_the_script_does_not_know(self) -> None:
        self.times(self.db.graph("g", "road"), (BUCKET, 1.0), (ADDS, 2.0))
        self.paper("speedup_of_something", 3)
        self.refused(self.run_script("mlmq/fig9"), "mlmq/fig9", "no measure 'speedup_of_something'", "mean_speedup")
        self.assertEqual([file.name for file in (self.folder / "page").iterdir()], ["mlmq_fig9.json"])

    def test_no_request(self) -> None:
        file = self.folder / "request.json"
        self.refused(self.script("mlmq_fig9.py", file), "request.json", "No such file")
        for text in ("", "{}", "[1]", '{"paper": 1}'):
            with self.subTest(text):
                file.write_text(text)
                self.refused(self.script("mlmq_fig9.py", file), "request.json", "not a request")

    def test_a_workload_that_is_no_graph(self) -> None:
        self.times(self.db.workload("w1", "", "phold"), (BUCKET, 1.0), (ADDS, 2.0))
        self.refused(self.run_script("mlmq/fig9"), "phold 'w1' has no feature 'nnz'")

    def test_another_device(self) -> None:
        self.times(self.db.graph("g", "road"), (BUCKET, 1.0), (ADDS, 2.0))
        self.request["device"] = "0123456789abcdef"
        self.refused(self.run_script("mlmq/fig9"), "0123456789abcdef", DEVICE)


class Scripts(Files):
    def test_help_and_executable(self) -> None:
        self.assertEqual(len(SCRIPTS), 34)
        for script in SCRIPTS:
            with self.subTest(script.name):
                run = self.script(script.name, "--help")
                self.assertTrue(script.stat().st_mode & stat.S_IXUSR)
                self.assertEqual((run.returncode, run.stderr), (0, ""), run.stderr)


if __name__ == "__main__":
    unittest.main()
