#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/: the table of queues, and curves over a width, the amount of data, or a budget."""

from __future__ import annotations

import unittest

# This import must come first: it adds plots/ to the path.
from plots_test import build, FAST, Files, pixels

import adds_delta
import learning_curve
import performance_over_budget
import results
import style
import numpy as np
from synthetic import Database, configuration


class QueueTable(Files):
    def test_best_of_each_pair_with_its_work(self) -> None:
        build(self.database).close()
        run = self.script("queue_table.py", self.database)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual([line for line in run.stdout.splitlines() if line.startswith("| L1") or "reads" in line][:3], [
            "| r1, ms (reads per vertex) | L2 vector | L2 bucket |",
            "| L1 none | failed |  |",  # its only trial timed out; nothing was tried above buckets
            "| L1 vector | 4.000 (3.0) | 1.000 (2.0) |",  # the better of two trials
        ])
        self.assertEqual(run.stdout.count("reads per vertex"), 4)

    def test_workloads_that_are_no_graphs(self) -> None:
        database = Database(self.database)
        device, workload = database.device("NVIDIA H200"), database.workload("w1", "", "phold")
        for end in (1000, 100):
            database.trial(device, workload, FAST, 1.5, query=f"until={end}")
            database.trial(device, workload, FAST, pops=30 * end, query=f"until={end}")
        database.close()
        run = self.script("queue_table.py", self.database)
        self.assertEqual([line for line in run.stdout.splitlines() if line and "---" not in line], [
            "| w1 until=100, ms (reads) | L2 bucket |", "| L1 vector | 1.500 (3,000) |",
            "| w1 until=1000, ms (reads) | L2 bucket |", "| L1 vector | 1.500 (30,000) |"])

    def test_levels_in_their_order(self) -> None:
        database = Database(self.database)
        device, graph = database.device("NVIDIA H200"), database.graph("r1", "road")
        for l1, l2, others in (("slf", "heap", {}), ("vector", "vector", {"l1_sharing": "block"}),
                               ("vector", "vector", {"l0": "vector"}), ("none", "multi_heap", {})):
            database.trial(device, graph, {**configuration(l1, l2), **others}, 1.5)
        database.close()
        run = self.script("queue_table.py", self.database)
        self.assertEqual([line.split("|")[1].strip() for line in run.stdout.splitlines()[2:]],
                         ["L1 none", "L1 slf", "L1 vector of a block", "L0 vector, L1 vector"])
        self.assertEqual(run.stdout.splitlines()[0].count("L2"), 3)


class AddsDelta(Files):
    """Road: 100 vertices, 400 edges, so that Δ is 8 C times the average weight."""

    ROAD = {0.5: (4.0, 150), 1.0: (2.0, 300), 2.0: (1.0, 600), 4.0: (3.0, None), 8.0: (None, None)}  # ms, pops

    def build(self, solver: str = "adds", kind: str = "cuda", counters: bool = True) -> None:
        database = Database(self.database)
        device = database.device("NVIDIA H200", kind)
        road, mesh = database.graph("r1", "road"), database.graph("m1", "mesh", edges=800)
        shape = {"solver": solver, "threads": 1024} | ({"adds_delta_mode": "static"} if solver == "adds" else {})
        for constant, (milliseconds, pops) in self.ROAD.items():
            parameters = {**shape, "delta_c": constant}
            database.trial(device, road, parameters, milliseconds, modelled=kind == "simt",
                           outcome="ok" if milliseconds else "timeout")
            if counters and pops:
                database.trial(device, road, parameters, pops=pops)
        # Trials with other threads, with an adapted Δ, and of mlmq: none of them counts.
        database.trial(device, road, {**shape, "threads": 256, "delta_c": 1.0}, 2.5)
        if solver == "adds":
            database.trial(device, road, {**shape, "adds_delta_mode": "dynamic", "delta_c": 1.0}, 0.1)
        database.trial(device, road, FAST, 0.01)
        for fixed, milliseconds in ((4.0, 10.0), (16.0, 5.0)):
            database.trial(device, mesh, {**shape, "delta_fixed": fixed}, milliseconds)
        database.trial(device, database.graph("p1", "power_law"), {**shape, "delta_c": 1.0}, 7.0)  # not a line
        no_graph = database.workload("w1", "", "phold")
        for constant in (1.0, 2.0):
            database.trial(device, no_graph, {**shape, "delta_c": constant}, 7.0)
        database.close()

    def series(self, solver: str = "adds") -> list[adds_delta.Series]:
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            times = results.times_of(connection, device, "sssp")
            work = results.counts_of(connection, device, "sssp", times, "pops", per=results.VERTICES)
            return adds_delta.series_of(times, adds_delta.degrees_of(connection, times), work, solver)

    def test_times_and_work_by_delta(self) -> None:
        self.build()
        road, mesh = self.series()
        self.assertEqual((road.input.workload, mesh.input.workload), ("r1", "m1"))
        self.assertEqual(road.constant.tolist(), [0.5, 1, 2, 4])
        self.assertEqual(road.delta.tolist(), [4, 8, 16, 32])
        time, work = road.normalised()
        self.assertEqual(time.tolist(), [4, 2, 1, 3])
        self.assertEqual(work.tolist()[:3], [1, 2, 4])
        self.assertTrue(np.isnan(work[3]))
        self.assertEqual((mesh.delta.tolist(), mesh.constant.tolist()), ([4, 16], [1, 4]))  # 8 edges per vertex
        self.assertTrue(np.isnan(mesh.normalised()[1]).all())

    def test_quartiles_of_many_graphs(self) -> None:
        database = Database(self.database)
        device = database.device("NVIDIA H200")
        for number in range(1, 6):  # times 1 + number, then 1
            road = database.graph(f"r{number}", "road")
            for constant, milliseconds in ((1.0, 1.0 + number), (2.0, 1.0)):
                database.trial(device, road, {"solver": "near_far", "delta_c": constant}, milliseconds)
        for number in range(2):
            mesh = database.graph(f"m{number}", "mesh")
            for constant in (1.0, 4.0):
                database.trial(device, mesh, {"solver": "near_far", "delta_c": constant}, constant)
        database.trial(device, road, {"solver": "near_far", "delta_c": 8.0}, 1.0)  # one of five graphs is too few
        database.close()
        found = adds_delta.quartiles_by_class(self.series("near_far"))
        self.assertEqual(list(found), ["road", "mesh"])
        constants, quartiles = found["road"]
        self.assertEqual(constants.tolist(), [1, 2])
        self.assertEqual(quartiles.tolist(), [[3, 1], [4, 1], [5, 1]])
        self.assertEqual(found["mesh"][0].tolist(), [1, 4])
        self.assertEqual(found["mesh"][1].tolist(), [[1, 4]] * 3)
        run = self.script("adds_delta.py", self.database, "--figure", "4", "--solver", "near_far", "--output",
                          self.folder / "many.png")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual(pixels(self.folder / "many.png")[0], 1050)

    def test_files(self) -> None:
        self.build(kind="simt")
        runs = self.at_once([("adds_delta.py", self.database, "--figure", figure, "--output",
                              self.folder / folder / f"fig{figure}.svg") for figure in (7, 4) for folder in "ab"])
        self.assertEqual([(run.returncode, run.stderr) for run in runs], [(0, "")] * 4)
        for name in ("fig7.svg", "fig7.png", "fig4.svg", "fig4.png"):
            self.assertEqual((self.folder / "a" / name).read_bytes(), (self.folder / "b" / name).read_bytes(), name)
        self.assertEqual(pixels(self.folder / "a" / "fig7.png")[0], 2160)
        self.assertEqual(pixels(self.folder / "a" / "fig4.png")[0], 1050)

    def test_another_solver_and_nothing_to_draw(self) -> None:
        self.build("near_far", counters=False)
        self.assertEqual(len(self.series("near_far")), 2)
        run = self.script("adds_delta.py", self.database, "--solver", "near_far", "--output", self.folder / "f.png")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(run.stderr, r"\A[a-z0-9_]+\.py: note: [^\n]*no line of work\n\Z")
        run = self.script("adds_delta.py", self.database, "--output", self.folder / "g.png")
        self.refused(run, "solver=adds", "experiments/adds_fig7.yaml", status=3)
        self.assertFalse((self.folder / "g.png").exists())


class LearningCurves(Files):
    """Output of `mlmq selector curve`."""

    def setUp(self) -> None:
        super().setUp()
        self.curve = self.folder / "curve.csv"

    def write(self) -> str:
        lines = ["share," + ",".join(learning_curve.COLUMNS)]
        for workloads in (8, 16.5, 64):
            score = workloads / 100
            lines.append(f"{workloads / 64},{workloads}," + ",".join(
                f"{value},{value - 0.05},{value + 0.05}" for value in (score, score + 0.1, 0.9, 0.95)))
        text = "\r\n".join(lines) + "\r\n"
        self.curve.write_text(text)
        return text

    def test_curve_is_read(self) -> None:
        self.write()
        curve = learning_curve.read(self.curve)
        self.assertEqual(list(curve.workloads), [8, 16.5, 64])
        self.assertEqual(list(curve.of("selector", "near_best")), [0.08, 0.165, 0.64])
        self.assertEqual(curve.of("selector", "mean_relative", "_high")[2], 0.64 + 0.1 + 0.05)
        self.assertEqual(list(curve.of("candidates", "near_best", "_low")), [0.9 - 0.05] * 3)

    def test_figure(self) -> None:
        self.write()
        outputs = [self.folder / f"{i}.svg" for i in range(2)]
        for run in self.at_once([("learning_curve.py", self.curve, "--output", output) for output in outputs]):
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        first, second = (output.with_suffix(".png").read_bytes() for output in outputs)
        self.assertEqual(first, second)
        self.assertEqual(pixels(outputs[0].with_suffix(".png"))[0], round(style.PAGE_INCHES * style.PIXELS_PER_INCH))
        drawn = learning_curve.draw(learning_curve.read(self.curve))
        self.assertEqual([len(axes.lines) for axes in drawn.axes], [2, 2])
        self.assertEqual(list(drawn.axes[1].lines[0].get_ydata()), [0.18, 0.165 + 0.1, 0.74])

    def test_files_that_are_no_curves(self) -> None:
        text = self.write()
        rows = text.split("\r\n")
        for damaged in ("", rows[0], text.replace("training_workloads", "workloads"), text.replace("16.5,", "many,", 1),
                        text.replace("16.5,", "0,"), text.replace("0.95", "1.95")):
            with self.subTest(damaged[:30]):
                self.curve.write_text(damaged)
                self.refused(self.script("learning_curve.py", self.curve, "--output", self.folder / "f.png"),
                             "curve.csv")


class Budgets(Files):
    """The curves of `mlmq replay`."""

    def setUp(self) -> None:
        super().setUp()
        self.curves = self.folder / "curves.csv"

    def write(self, workloads: tuple[str, ...] = ("road18", "del18"), device: str = "NVIDIA H200",
              modelled: str = "no") -> str:
        lines = [",".join(performance_over_budget.COLUMNS)]
        for workload in workloads:
            for strategy, rise in (("random", 0.1), ("local", 0.2), ("local+selector", 0.3)):
                for evaluations in range(1, 6):
                    median = min(1.0, rise * evaluations)
                    lines.append(f"{device},{modelled},{workload},{strategy},100,{evaluations},{median / 2},{median},"
                                 f"{(1 + median) / 2},0.1.0")
        text = "\r\n".join(lines) + "\r\n"
        self.curves.write_text(text)
        return text

    def test_curves_are_read(self) -> None:
        self.write()
        replay = performance_over_budget.read(self.curves)
        self.assertEqual((replay.device, replay.modelled, replay.runs), ("NVIDIA H200", False, 100))
        self.assertEqual(replay.strategies(), ["random", "local", "local+selector"])
        self.assertEqual(replay.workloads["del18"]["local"].median, [0.2, 0.4, 0.2 * 3, 0.8, 1.0])
        self.assertEqual(replay.workloads["del18"]["local"].lower[0], 0.1)
        local, warm = performance_over_budget.look("local"), performance_over_budget.look("local+selector")
        self.assertEqual(local.colour, warm.colour)
        self.assertNotEqual(local.dashes, warm.dashes)

    def test_figure(self) -> None:
        for name, workloads, modelled, inches in (("one", ("road18",), "yes", style.COLUMN_INCHES),
                                               ("many", tuple(f"w{i}" for i in range(5)), "no", style.PAGE_INCHES)):
            with self.subTest(name):
                self.write(workloads, modelled=modelled)
                outputs = [self.folder / name / f"{i}.svg" for i in range(2)]
                for run in self.at_once([("performance_over_budget.py", self.curves, "--output", output)
                                         for output in outputs]):
                    self.assertEqual((run.returncode, run.stderr), (0, ""))
                first, second = (output.with_suffix(".png").read_bytes() for output in outputs)
                self.assertEqual(first, second)
                self.assertEqual(pixels(outputs[0].with_suffix(".png"))[0], round(inches * style.PIXELS_PER_INCH))

    def test_files_that_are_no_curves(self) -> None:
        text = self.write()
        for content, part in {"": "no column 'device'", text.split("\r\n")[0] + "\r\n": "has no curves",
                              text.replace("random,100,3", "random,100,4"): "not the next point",
                              text.replace(",0.2,", ",1.2,"): "not the next point",
                              text.replace("random,100,3", "random,100,x"): "a number is missing",
                              text + text.split("\r\n")[1].replace("H200", "A100"): "several devices"}.items():
            with self.subTest(part):
                self.curves.write_text(content)
                self.refused(self.script("performance_over_budget.py", self.curves, "--output", self.folder / "f.png"),
                             "curves.csv", part)


if __name__ == "__main__":
    unittest.main()
