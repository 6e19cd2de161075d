#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the scripts that `mlmq reproduce` calls: their measures, computed by hand for small databases, the table of
the paper's numbers, the written files, and the errors for an invalid request."""

from __future__ import annotations

import csv
import json
import math
import stat
import subprocess
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
from plots_test import PLOTS, Files, pixels  # noqa: E402  (it makes plots/ importable)

import numpy as np  # noqa: E402
import matplotlib.image  # noqa: E402
import reproduction  # noqa: E402
import results  # noqa: E402
import style  # noqa: E402
from synthetic import Database, configuration, label_of  # noqa: E402

SCRIPTS = sorted(PLOTS.glob("mlmq_*.py")) + sorted(PLOTS.glob("adds_fig*.py")) \
    + [script for script in sorted(PLOTS.glob("pq_*.py")) if script.stem[-1].isdigit()]

DEVICE = "NVIDIA H200"
VECTOR = configuration("vector", "vector")
BUCKET = configuration("vector", "bucket", delta=8.0)
FILTER = configuration("filter", "vector")
FIFO = configuration("none", "vector")
SINGLE_BUCKET = configuration("none", "bucket", delta=2.0)
ADDS = {"solver": "adds", "adds_delta_mode": "dynamic"}
BELLMAN_FORD = {"solver": "bellman_ford"}
NEAR_FAR = {"solver": "near_far"}


class Drawings(Files):
    """Test case with a database and a request, for which it runs scripts."""

    def setUp(self) -> None:
        super().setUp()
        self.db = Database(self.database)
        self.device = self.db.device(DEVICE)
        self.request: dict[str, object] = {
            "figure": "mlmq/fig8", "title": "A title", "problem": "sssp", "database": str(self.database),
            "recorded": False, "device": f"device {DEVICE}", "processors": "", "experiments": [], "workloads": [],
            "picks": "", "incomplete": False, "paper": []}

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
        file = self.folder / "out" / f"{stem}.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(self.request))
        return self.script(f"{stem}.py", file)

    def draw(self, figure: str) -> dict[str, dict[str, str]]:
        """Draws a figure and checks all files. Returns the rows of the table by measure (the last of each)."""
        run = self.run_script(figure)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        stem = self.folder / "out" / figure.replace("/", "_")
        png = stem.with_suffix(".png")
        self.assertEqual(run.stdout.split()[-3:], [str(stem) + ending for ending in (".svg", ".png", ".csv")])
        self.assertGreater(min(pixels(png)), 200)
        self.assertGreater(float(np.asarray(matplotlib.image.imread(png))[:, :, :3].std()), 0.03, "a blank figure")
        self.assertIn("<svg", stem.with_suffix(".svg").read_text(encoding="utf-8"))
        with open(stem.with_suffix(".csv"), newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        return {row["measure"]: row for row in self.rows}

    def close_to(self, row: dict[str, str], expected: float) -> None:
        self.assertAlmostEqual(float(row["ours"]), expected, places=6, msg=str(row))


class Measures(Drawings):
    def test_fig3(self) -> None:
        road, mesh = self.db.graph("r", "road"), self.db.graph("m", "mesh")
        for graph, fifo, bucket, ours in ((road, 4.0, 2.0, 1.0), (mesh, 3.0, 6.0, 2.0)):
            self.times(graph, (FIFO, fifo), (SINGLE_BUCKET, bucket), (BUCKET, ours))
            for parameters, atomics in ((FIFO, 1000.0), (SINGLE_BUCKET, 3000.0), (BUCKET, 100.0)):
                self.db.trial(self.device, graph, parameters, counters={
                    "pops": 100, "relaxations": 400, "distance_atomics": 50, "queue_atomics": atomics,
                    "l2_writes": 100, "l2_reads": 100, "polls": 10})
        self.paper("atomics_fifo_max", 11.8, "")
        self.paper("better_mesh", "FIFO")
        self.paper("better_power_law", "bucket")
        rows = self.draw("mlmq/fig3")
        self.close_to(rows["atomics_fifo_max"], 10.5)  # for 100 vertices
        self.assertAlmostEqual(float(rows["atomics_fifo_max"]["ratio"]), 10.5 / 11.8)
        self.close_to(rows["atomics_bucket_max"], 30.5)
        self.close_to(rows["atomics_mlmq_max"], 1.5)
        # 3 words for each of 100 pops, 2 for each of 400 edges, plus 50 + 3000 + 100 + 100 + 10
        self.close_to(rows["accesses_max"], 43.6)
        self.assertEqual((rows["better_mesh"]["ours"], rows["better_mesh"]["ratio"]), ("FIFO", "agrees"))
        self.assertEqual(rows["better_road"]["ours"], "bucket")
        self.assertEqual((rows["better_power_law"]["ours"], rows["better_power_law"]["note"]), ("", "no such graph"))

    def test_fig4_compares_at_the_delta_that_is_best_without(self) -> None:
        graph = self.db.graph("r", "road")
        for l0, l1, delta, time, pops in (("none", "none", 4.0, 2.0, 200), ("none", "none", 1.0, 3.0, 300),
                                          ("vector", "none", 4.0, 2.5, 260), ("vector", "none", 1.0, 1.0, 100),
                                          ("none", "vector", 4.0, 4.0, 500)):
            parameters = {"l0": l0, "l1": l1, "l2": "bucket", "delta": delta, **({"wb": 0} if l1 == "vector" else {})}
            self.times(graph, (parameters, time))
            self.db.trial(self.device, graph, parameters, pops=pops)
        self.paper("slowdown_max", 31, "%")
        self.paper("work_max", 45, "%")
        rows = self.draw("mlmq/fig4")
        self.close_to(rows["slowdown_max"], 20)  # 2 ms instead of 2.5 ms
        self.close_to(rows["work_max"], 30)  # 260 instead of 200
        self.close_to(rows["slowdown_warp_max"], 50)
        self.close_to(rows["work_warp_max"], 150)

    def overall(self) -> None:
        """Adds times on two graphs: MLMQ 1 and 2 ms, ADDS 2 and 8, Bellman-Ford 10 and none, Near-Far 0.5 and 4."""
        road, mesh = self.db.graph("r", "road"), self.db.graph("m", "mesh")
        self.times(road, (BUCKET, 1.0), (VECTOR, 3.0), (ADDS, 2.0), (BELLMAN_FORD, 10.0), (NEAR_FAR, 0.5))
        self.times(mesh, (BUCKET, 2.0), (ADDS, 8.0), (NEAR_FAR, 4.0))
        processors = self.db.device("Some CPU", "cpu")
        self.db.trial(processors, road, {"solver": "boost_dijkstra"}, 100.0)
        self.db.trial(processors, mesh, {"solver": "boost_dijkstra"}, 800.0)
        self.request["processors"] = "device Some CPU"
        for gpu, value in (("RTX 3080 Ti", 1.87), ("A100", 2.67)):
            self.paper("speedup_adds", value, where=gpu)
        for measure in ("speedup_bellman_ford", "speedup_boost", "speedup_gunrock_cpu", "share_fastest"):
            self.paper(measure, 10)

    def test_fig8(self) -> None:
        self.overall()
        rows = self.draw("mlmq/fig8")
        self.close_to(rows["speedup_adds"], math.sqrt(2 * 4))
        self.assertEqual([row["where"] for row in self.rows if row["measure"] == "speedup_adds"],
                         ["RTX 3080 Ti", "A100"])
        self.assertAlmostEqual(float(rows["speedup_adds"]["ratio"]), math.sqrt(8) / 2.67)
        self.close_to(rows["speedup_adds_mesh"], 4)
        self.close_to(rows["speedup_bellman_ford"], 10)
        self.close_to(rows["speedup_boost"], math.sqrt(100 * 400))
        self.assertEqual(rows["speedup_gunrock_cpu"]["note"], "not on record")
        self.close_to(rows["share_fastest"], 50)  # Near-Far is faster on the road

    def test_fig8_never_compares_modelled_with_measured_times(self) -> None:
        self.overall()
        self.db.connection.execute("UPDATE trial SET times_modelled = 1 WHERE device = ?", (self.device,))
        rows = self.draw("mlmq/fig8")
        self.assertEqual(rows["speedup_boost"]["ours"], "")
        self.assertIn("simulated", rows["speedup_boost"]["note"])
        self.close_to(rows["speedup_adds"], math.sqrt(2 * 4))

    def test_fig9(self) -> None:
        for name, ours, adds in (("a", 1.0, 4.0), ("b", 1.0, 1.0), ("c", 2.0, 1.0), ("d", 1.0, 8.0)):
            self.times(self.db.graph(name, "mesh", edges=100), (BUCKET, ours), (ADDS, adds))
        self.times(self.db.graph("unsolved by ADDS", "mesh"), (BUCKET, 1.0))
        self.paper("share_faster", 91.5, "%")
        self.paper("mean_speedup", 2.3)
        rows = self.draw("mlmq/fig9")
        self.close_to(rows["share_faster"], 50)  # 4 and 8 out of four graphs
        self.close_to(rows["mean_speedup"], 2)  # mean of 4, 1, 1/2, 8
        self.assertEqual((rows["lowest"]["note"], rows["highest"]["note"]), ("c", "d"))

    def test_fig10(self) -> None:
        small, large = self.db.graph("s", "road", vertices=10), self.db.graph("l", "road", vertices=1000)
        for graph, ours, adds in ((small, 1.0, 2.0), (large, 4.0, 6.0)):
            self.times(graph, (BUCKET, ours), (VECTOR, 9.0), (ADDS, adds))
        for graph, parameters, points in (
                (small, BUCKET, [(0.0, 10.0, 4.0), (0.1, 30.0, 2.0)]),
                (small, ADDS, [(0.0, 5.0, 1.0), (0.1, 5.0, 3.0)]),
                (large, BUCKET, [(0.0, 10.0, 1.0)]), (large, ADDS, [(0.0, 20.0, 2.0), (0.1, 10.0, 6.0)]),
                (small, VECTOR, [(0.0, 999.0, 999.0)])):
            self.db.trial(self.device, graph, parameters, timeline=points)
        rows = self.draw("mlmq/fig10")
        self.close_to(rows["small_speedup"], 2)
        self.close_to(rows["small_warps"], 1.5)  # 3 / 2
        self.close_to(rows["small_work"], 4)  # 40 / 10
        self.close_to(rows["large_speedup"], 1.5)
        self.close_to(rows["large_warps"], 0.25)
        self.close_to(rows["large_work_saved"], 3)

    def test_fig10_without_timelines(self) -> None:
        self.times(self.db.graph("s", "road"), (BUCKET, 1.0), (ADDS, 2.0))
        self.refused(self.run_script("mlmq/fig10"), "no timelines", "mlmq_fig10.yaml", status=3)

    def test_fig11_by_size_of_roads(self) -> None:
        best = {"tiny": VECTOR, "middle": configuration("near_far", "vector"), "huge": BUCKET}
        for vertices, (name, winner) in enumerate(best.items()):
            graph = self.db.graph(name, "road", vertices=100 * (vertices + 1))
            self.times(graph, *[(label, 1.0 if label is winner else 4.0) for label in best.values()], (ADDS, 3.0))
        power = self.db.graph("p", "power_law")
        self.times(power, (configuration("slf", "bucket", delta=1.0), 2.0), (VECTOR, 4.0), (ADDS, 5.0))
        self.paper("best_small_road", "L1V-L2V")
        self.paper("best_mesh", "L1FQ-L2V")
        self.paper("slf_bucket_power_law", 2)
        rows = self.draw("mlmq/fig11")
        self.assertEqual([rows[f"best_{size}_road"]["ours"] for size in ("small", "medium", "large")],
                         ["L1V-L2V", "L1NF-L2V", "L1V-L2DQ"])
        self.assertEqual(rows["best_small_road"]["ratio"], "agrees")
        self.assertEqual(rows["best_small_road"]["note"], "3.00× ADDS")
        self.assertEqual(rows["best_mesh"]["note"], "no such graph")
        self.close_to(rows["slf_bucket_power_law"], 2.5)

    def test_fig12(self) -> None:
        # Relative performance by graph: BUCKET 1, 1, 0.5; VECTOR 0.5, 0.25, 1; FIFO 0.25, 0.25, 0.25.
        picks = ["workload,query,pick"]
        for name, bucket, vector, fifo, pick in (("a", 1.0, 2.0, 4.0, BUCKET), ("b", 1.0, 4.0, 4.0, VECTOR),
                                                 ("c", 2.0, 1.0, 4.0, VECTOR)):
            self.times(self.db.graph(name, "mesh"), (BUCKET, bucket), (VECTOR, vector), (FIFO, fifo))
            picks.append(f'{name},source=0,"{label_of(pick)}"')
        picks.append('of another figure,source=0,"x=1"')
        file = self.folder / "picks.csv"
        file.write_text("\n".join(picks) + "\n")
        self.request["picks"] = str(file)
        self.paper("selector_near_best", 93.9, "%")
        self.paper("fixed_near_best", 64.6, "%")
        rows = self.draw("mlmq/fig12")
        self.close_to(rows["selector_near_best"], 200 / 3)
        self.close_to(rows["fixed_near_best"], 200 / 3)
        self.assertEqual(rows["fixed_near_best"]["note"], "L1V-L2DQ")
        self.close_to(rows["selector_over_fixed"], 2.25 / 2.5)
        self.close_to(rows["mlmq_over_single_most"], 1.75 / 0.75)  # L1V-L2V over L2V

    def test_fig12_needs_picks(self) -> None:
        self.times(self.db.graph("a", "mesh"), (BUCKET, 1.0))
        self.refused(self.run_script("mlmq/fig12"), "selector's picks")

    def test_fig13(self) -> None:
        road, other = self.db.graph("r", "road", vertices=50), self.db.graph("m", "mesh", vertices=500)
        shape = {"blocks_per_multiprocessor": 1}
        for threads, heap, several in ((64, 8.0, 9.0), (128, 4.0, 6.0), (256, 16.0, 8.0)):
            self.times(road, (configuration("none", "heap", threads=threads, **shape), heap),
                       (configuration("none", "multi_heap", threads=threads, pnum=4, **shape), several))
        for l1, threads, time in (("vector", 128, 1.0), ("vector", 64, 0.1), ("slf", 128, 2.0)):
            self.times(road, (configuration(l1, "heap", threads=threads, **shape), time))
        self.times(other, (configuration("none", "heap", threads=64, **shape), 0.01))
        self.paper("speedup_max", 6.40)
        rows = self.draw("mlmq/fig13")
        self.close_to(rows["speedup_max"], 40)  # the heap alone is best with 128 threads; below a vector, with 64
        self.assertEqual(rows["speedup_max"]["note"], "L1V above L2PQ")
        self.close_to(rows["multi_at_best"], 4 / 6)
        self.close_to(rows["multi_at_most"], 2)

    def test_fig14(self) -> None:
        graph = self.db.graph("r", "road")
        self.times(graph, (BUCKET, 1.0), (ADDS, 3.0), (BELLMAN_FORD, 6.0), problem="bfs")
        self.times(graph, (BUCKET, 9.0), (ADDS, 1.0))  # another problem than shortest paths
        self.request["problem"] = "bfs"
        self.paper("speedup_adds", 1.71)
        rows = self.draw("mlmq/fig14")
        self.close_to(rows["speedup_adds"], 3)
        self.close_to(rows["speedup_gunrock"], 6)
        self.close_to(rows["share_fastest"], 100)

    def test_table4(self) -> None:
        for name, deviation in (("USA-road-d.NY", 0.98), ("del18", 1.5), ("mine", 7.0)):
            graph = self.db.graph(name, "road")
            self.db.features(graph, m=264346, nnz=733846, avg_nnz=2.76, dev_nnz=deviation)
            self.times(graph, (BUCKET, 1.0))
        self.paper("USA-road-d.NY.std", 0.98, "")
        self.paper("delaunay_n18.std", 1.34, "")
        self.paper("rmat20.std", 16.48, "")
        rows = self.draw("mlmq/table4")
        self.assertEqual((rows["USA-road-d.NY.std"]["ratio"], rows["USA-road-d.NY.std"]["note"]), ("1.0", ""))
        self.close_to(rows["delaunay_n18.std"], 1.5)
        self.assertEqual(rows["delaunay_n18.std"]["note"], "del18 stands in")
        self.assertEqual(rows["rmat20.std"]["note"], "not among the graphs")
        self.close_to(rows["mine.avg"], 2.76)

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
        self.request["paper"] = []
        self.assertEqual(self.draw("adds/fig4")["spread"]["note"], "r: 2")


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

    def test_all_trials_when_the_experiments_are_not_on_record(self) -> None:
        self.two_experiments()
        self.request["experiments"] = ["mlmq_fig8"]
        self.close_to(self.draw("mlmq/fig9")["mean_speedup"], math.sqrt(20 * 8))

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
        plain = self.draw("mlmq/fig9") and (self.folder / "out" / "mlmq_fig9.png").read_bytes()
        self.request["recorded"] = True
        run = self.run_script("mlmq/fig9")
        self.assertIn("ours: NVIDIA H200, recorded", run.stdout)
        self.assertNotEqual((self.folder / "out" / "mlmq_fig9.png").read_bytes(), plain)

    def test_names_of_papers(self) -> None:
        self.assertEqual([reproduction.paper_name(name) for name in ("mlmq/fig12", "mlmq/table4", "adds/fig7",
                                                                     "own/fig1")],
                         ["MLMQ Fig. 12", "MLMQ Table 4", "ADDS Fig. 7", "own/fig1"])


class LongTables(unittest.TestCase):
    def test_rows_that_compare_come_first_and_all_are_summed_up(self) -> None:
        def row(what: str, paper: object, ours: object, ratio: object, note: str = "") -> dict[str, object]:
            return dict(zip(reproduction.COLUMNS, (what, what, "", "x", paper, ours, ratio, note)))

        rows = [row(f"own{i}", None, float(i), None) for i in range(1000)]
        rows += [row(f"pair{i}", 2.0, float(i), i / 2) for i in range(1, 4)] + [row("lost", 7.0, None, None)]
        rows += [row("noted", 1.0, 1.0, 1.0, "graph, " * 100)]
        text = reproduction.table_text(rows, "a device", "all.csv")
        lines = text.split("\n")
        self.assertEqual(len(lines), 1 + 8 + 2)
        self.assertEqual([line.split()[0] for line in lines[1:9]],
                         ["own0", "own1", "own2", "pair1", "pair2", "pair3", "lost", "noted"])
        self.assertEqual(lines[9], "… 997 more rows in all.csv")
        self.assertEqual(lines[10],
                         "4 of the paper's 5 numbers compared; ours / the paper's: median 1.00, from 0.50 to 1.50")
        self.assertLess(max(map(len, lines)), 150)
        # A short table is shown in full.
        self.assertEqual(len(reproduction.table_text(rows[1000:], "a device").split("\n")), 6)


class BadRequests(Drawings):
    def test_a_number_that_the_script_does_not_know(self) -> None:
        self.times(self.db.graph("g", "road"), (BUCKET, 1.0), (ADDS, 2.0))
        self.paper("speedup_of_something", 3)
        self.refused(self.run_script("mlmq/fig9"), "mlmq/fig9", "no measure 'speedup_of_something'", "mean_speedup")
        self.assertEqual([file.name for file in (self.folder / "out").iterdir()], ["mlmq_fig9.json"])

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
        self.assertEqual(len(SCRIPTS), 19)
        for script, run in zip(SCRIPTS, self.at_once([(script.name, "--help") for script in SCRIPTS])):
            with self.subTest(script.name):
                self.assertTrue(script.stat().st_mode & stat.S_IXUSR)
                self.assertEqual((run.returncode, run.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
