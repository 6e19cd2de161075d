#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/: names, numbers worked out by hand, the files written, and what happens on bad input."""

from __future__ import annotations

import os
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
PLOTS = ROOT / "plots"
sys.path[:0] = [str(PLOTS), str(Path(__file__).resolve().parent)]

import adds_delta  # noqa: E402
import configurations_by_class  # noqa: E402
import learning_curve  # noqa: E402
import performance_over_budget  # noqa: E402
import queue_table  # noqa: E402
import relative_performance_cdf  # noqa: E402
import results  # noqa: E402
import style  # noqa: E402
import summary  # noqa: E402
import numpy as np  # noqa: E402
from synthetic import Database, configuration, label_of  # noqa: E402

SCRIPTS = ("relative_performance_cdf.py", "configurations_by_class.py", "queue_table.py", "summary.py", "adds_delta.py")

FAST = configuration("vector", "bucket", delta=8.0)
WIDE = configuration("vector", "bucket", delta=32.0)
PLAIN = configuration("vector", "vector")
BARE = configuration("none", "vector")

# Milliseconds by graph; None: the trial timed out. The best of each graph is 1, 2, 4 and 10 ms.
TIMES = {
    ("r1", "road"): {"FAST": 1.0, "WIDE": 2.0, "PLAIN": 4.0, "BARE": None},
    ("r2", "road"): {"FAST": 2.0, "WIDE": 4.0, "PLAIN": 2.5, "BARE": 8.0},
    ("m1", "mesh"): {"FAST": 5.0, "WIDE": 4.0, "PLAIN": 8.0, "BARE": 16.0},
    ("p1", "power_law"): {"FAST": 20.0, "WIDE": 40.0, "PLAIN": 10.0, "BARE": 12.5},
}
CONFIGURATIONS = {"FAST": FAST, "WIDE": WIDE, "PLAIN": PLAIN, "BARE": BARE}
PICKS = {"r1": "FAST", "r2": "PLAIN", "m1": "WIDE", "p1": "PLAIN"}  # relative: 1, 0.8, 1, 1


def build(path: Path, kind: str = "cuda", device: str = "NVIDIA H200", counters: bool = True) -> Database:
    """The database of TIMES; every configuration pops 3 elements per vertex, FAST 2 on roads."""
    database = Database(path)
    device_id = database.device(device, kind)
    for (name, class_), times in TIMES.items():
        graph = database.graph(name, class_)
        for key, milliseconds in times.items():
            outcome = "timeout" if milliseconds is None else "ok"
            database.trial(device_id, graph, CONFIGURATIONS[key], milliseconds, outcome=outcome,
                           modelled=kind == "simt")
            if counters and milliseconds is not None:
                pops = 200 if key == "FAST" and class_ == "road" else 300
                database.trial(device_id, graph, CONFIGURATIONS[key], pops=pops)
    return database


def picks_text(picks: dict[str, str]) -> str:
    """As `mlmq selector picks --format csv` writes them; the last column is wrong on purpose."""
    lines = ["graph,class,source,best_configuration,best_ms,pick,pick_ms,relative"]
    for (name, class_), times in TIMES.items():
        if name in picks:
            best = min((key for key in times if times[key] is not None), key=lambda key: times[key])
            lines.append(f'{name},{class_},0,"{label_of(CONFIGURATIONS[best])}",{times[best]},'
                         f'"{label_of(CONFIGURATIONS[picks[name]])}",{times[picks[name]]},0.123')
    return "\n".join(lines) + "\n"


class Files(unittest.TestCase):
    """With a temporary folder, and scripts run as a person runs them."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.database = self.folder / "results.sqlite"

    def script(self, name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "MPLCONFIGDIR": tempfile.gettempdir(), "PYTHONWARNINGS": "error::UserWarning"}
        return subprocess.run([sys.executable, "-B", str(PLOTS / name), *map(str, arguments)], text=True,
                              capture_output=True, env=environment, check=False)

    def at_once(self, calls: list[tuple[object, ...]]) -> list[subprocess.CompletedProcess[str]]:
        """Several scripts side by side."""
        with ThreadPoolExecutor() as pool:
            return list(pool.map(lambda call: self.script(str(call[0]), *call[1:]), calls))

    def refused(self, run: subprocess.CompletedProcess[str], *parts: str) -> None:
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)

    def load(self, device: str | None = None) -> results.Times:
        with results.open_database(self.database) as connection:
            return results.times_of(connection, results.choose_device(connection, "sssp", device), "sssp")


def pixels(png: Path) -> tuple[int, int]:
    """Width and height of a PNG file."""
    head = png.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    return width, height


class Names(unittest.TestCase):
    def test_families_as_in_table_1(self) -> None:
        for text, expected in {
                "l0=none,l1=vector,l2=bucket,wb=0": "L1V-L2DQ",
                "l0=vector,l1=none,l2=vector": "L2V",
                "l1=near_far,l2=vector": "L1NF-L2V",
                "l1=filter,l2=vector": "L1FQ-L2V",
                "l1=slf,l2=bucket": "L1SLF-L2DQ",
                "l1=vector,l2=heap": "L1V-L2PQ",
                "l1=none,l2=multi_heap": "L2MPQ",
                "l1=vector,l2=none": "L1V",
                "l1=none,l2=none": "–",
                "l1=heap,l2=vector": "L1(heap)-L2V",
                '{"l1":"vector","l2":"bucket"}': "L1V-L2DQ",
                "one_block=512,solver=near_far": "Near-Far",
                "solver=bellman_ford": "Bellman-Ford",
                '{"solver":"adds","adds_buckets":2}': "ADDS",
                "l1=vector,l2=vector,solver=mlmq": "L1V-L2V",
                "peer=gapbs,solver=peer": "gapbs",
        }.items():
            with self.subTest(text):
                self.assertEqual(style.family(text), expected)

    def test_every_family_of_the_paper_has_its_own_look(self) -> None:
        names = [style.family({"l1": l1, "l2": l2}) for l1 in ("none", "vector", "near_far", "filter", "slf")
                 for l2 in ("vector", "bucket", "heap", "multi_heap")]
        self.assertEqual(len({style.look(name).colour for name in names}), 20)
        names += [style.family({"solver": solver}) for solver in ("near_far", "bellman_ford", "adds")]
        self.assertEqual(len({style.look(name).colour for name in names}), 23)

    def test_short_names_tell_configurations_of_a_family_apart(self) -> None:
        self.assertEqual(style.short_names([FAST, WIDE, PLAIN]),
                         ["L1V-L2DQ delta=8", "L1V-L2DQ delta=32", "L1V-L2V"])

    def test_percentages_do_not_claim_all_or_nothing(self) -> None:
        self.assertEqual([style.percent(x) for x in (0, 0.001, 0.5, 0.999, 1)],
                         ["0 %", "1 %", "50 %", "99 %", "100 %"])


class Numbers(Files):
    def test_relative_performance(self) -> None:
        build(self.database).close()
        times = self.load()
        self.assertEqual([one.graph for one in times.inputs], ["r1", "r2", "m1", "p1"])
        by_label = {one.label: times.relative()[:, column].tolist() for column, one in enumerate(times.configurations)}
        self.assertEqual(by_label[label_of(FAST)], [1, 1, 0.8, 0.5])
        self.assertEqual(by_label[label_of(WIDE)], [0.5, 0.5, 1, 0.25])
        self.assertEqual(by_label[label_of(PLAIN)], [0.25, 0.8, 0.5, 1])
        self.assertEqual(by_label[label_of(BARE)], [0, 0.25, 0.25, 0.8])

    def test_curves(self) -> None:
        build(self.database).close()
        times = self.load()
        file = self.folder / "picks.csv"
        file.write_text(picks_text(PICKS))
        columns = results.columns_of_picks(times, results.read_picks(file), file)
        curves = relative_performance_cdf.curves_of(times, columns)
        self.assertEqual([(one.name, round(one.mean, 6), one.near_best) for one in curves],
                         [("selector", 0.95, 0.75), ("best fixed: L1V-L2DQ", 0.825, 0.5), ("L1V-L2DQ", 0.825, 0.5),
                          ("L1V-L2V", 0.6375, 0.25), ("L2V", 0.325, 0)])
        x, y = relative_performance_cdf.steps(curves[0].values)
        self.assertEqual(list(zip(x.tolist(), y.tolist())), [(0, 1), (0.8, 1), (1, 0.75), (1, 0.5), (1, 0.25), (1, 0)])

    def test_pick_that_was_never_tried_counts_as_zero(self) -> None:
        build(self.database).close()
        times = self.load()
        file = self.folder / "picks.csv"
        file.write_text(picks_text(PICKS).replace(f'"{label_of(WIDE)}",4.0,0', '"l1=other,l2=vector",4.0,0'))
        columns = results.columns_of_picks(times, results.read_picks(file), file)
        self.assertEqual(results.relative_of_picks(times, columns).tolist(), [1, 0.8, 0, 1])

    def test_bars(self) -> None:
        build(self.database).close()
        times = self.load()
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            work = results.pops_of(connection, device, "sssp", times)
        bars = configurations_by_class.bars_of(times, work)
        self.assertEqual(list(bars), ["road", "mesh", "power_law"])
        self.assertEqual(list(bars["road"]), ["L2V", "L1V-L2V", "L1V-L2DQ"])
        fast = bars["road"]["L1V-L2DQ"]
        self.assertEqual((times.configurations[fast.configuration].label, fast.time, fast.inputs),
                         (label_of(FAST), 1, 2))
        self.assertAlmostEqual(fast.work, 2)
        self.assertAlmostEqual(bars["road"]["L1V-L2V"].time, 5**0.5)  # of 4 and 1.25
        self.assertEqual((bars["road"]["L2V"].solved, bars["road"]["L2V"].counted), (1, 1))
        mesh = bars["mesh"]["L1V-L2DQ"]  # another configuration of the family is better here
        self.assertEqual(times.configurations[mesh.configuration].label, label_of(WIDE))
        self.assertAlmostEqual(mesh.work, 3)

    def test_newest_trial_counts(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("r1", "road"), FAST, 0.5, kernel="newer")
        database.close()
        times = self.load()
        self.assertEqual(times.best()[0], 0.5)
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            provenance = results.provenance(connection, device, "sssp", times, self.database)
        self.assertEqual(provenance.parts(), ["NVIDIA H200", "measured times", "4 graphs", "mlmq 0.1.0",
                                              "2 kernel versions", "results.sqlite"])

    def test_sources_are_inputs_of_their_own(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("r1", "road"), FAST, 3.0, source=7)
        database.close()
        times = self.load()
        self.assertEqual([(one.graph, one.source) for one in times.inputs[:2]], [("r1", 0), ("r1", 7)])
        self.assertEqual(times.best()[:2].tolist(), [1, 3])

    def test_graph_that_nothing_solved_is_left_out(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("hard", "mesh"), FAST, outcome="overflow")
        database.close()
        times = self.load()
        self.assertEqual([one.graph for one in times.unsolved], ["hard"])
        self.assertEqual(len(times.inputs), 4)

    def test_processors_beside_a_gpu_are_not_meant(self) -> None:
        database = build(self.database)
        processors = database.device("some processors", "cpu")
        database.trial(processors, database.graph("r1", "road"), FAST, 0.001)
        database.close()
        self.assertEqual(self.load().best()[0], 1)
        self.assertEqual(self.load("some processors").best()[0], 0.001)

    def test_devices_are_not_mixed(self) -> None:
        database = build(self.database)
        other = database.device("Simulated H200", "simt")
        database.trial(other, database.graph("r1", "road"), FAST, 0.001, modelled=True)
        database.trial(other, database.graph("r1", "road"), FAST, pops=1)
        database.close()
        times = self.load("NVIDIA")
        self.assertEqual(times.best()[0], 1)
        self.assertEqual(self.load("Simulated").milliseconds.tolist(), [[0.001]])
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", "NVIDIA")
            work = results.pops_of(connection, device, "sssp", times)
            self.assertEqual(np.nanmin(work), 2)
            simulated = results.choose_device(connection, "sssp", "Simulated")
            self.assertTrue(results.provenance(connection, simulated, "sssp", times, self.database).modelled)

    def test_reading_leaves_no_files(self) -> None:
        build(self.database).close()
        self.load()
        self.assertEqual([file.name for file in self.folder.iterdir()], ["results.sqlite"])

    def test_reads_what_a_running_sweep_has_written(self) -> None:
        database = build(self.database)
        self.addCleanup(database.close)
        database.connection.commit()  # still in the log, not in the file
        self.assertEqual(len(self.load().inputs), 4)


class Figures(Files):
    def test_files_sizes_and_determinism(self) -> None:
        build(self.database, "simt", "Simulated H200").close()
        picks = self.folder / "picks.csv"
        picks.write_text(picks_text(PICKS))
        first, again = self.folder / "a" / "b", self.folder / "again"
        runs = self.at_once([
            call for folder in (first, again) for call in (
                ("relative_performance_cdf.py", self.database, "--output", folder / "cdf.svg", "--selector", picks),
                ("configurations_by_class.py", self.database, "--output", folder / "class.png"))])
        self.assertEqual([(run.returncode, run.stderr) for run in runs], [(0, "")] * 4)
        self.assertEqual([run.stdout.split() for run in runs],
                         [[str(folder / name) for name in names] for folder in (first, again)
                          for names in (["cdf.svg", "cdf.png"], ["class.png"])])
        self.assertEqual(sorted(file.name for file in first.iterdir()), ["cdf.png", "cdf.svg", "class.png"])
        for file in first.iterdir():
            self.assertEqual(file.read_bytes(), (again / file.name).read_bytes(), file.name)
        # 5 curves: 3.5 in wide, 2.6 in and 6 lines of 0.14 in and 0.1 in high, at 300 pixels per inch.
        self.assertEqual(pixels(first / "cdf.png"), (1050, 1062))
        self.assertEqual(pixels(first / "class.png"), (2160, 819))
        self.assertGreater((first / "cdf.png").stat().st_size, 10_000)

    def test_missing_counters_are_said(self) -> None:
        build(self.database, counters=False).close()
        run = self.script("configurations_by_class.py", self.database, "--output", self.folder / "class.png")
        self.assertEqual(run.returncode, 0)
        self.assertIn("no counters", run.stderr)
        self.assertEqual(pixels(self.folder / "class.png"), (2160, 819))

    def test_many_families(self) -> None:
        database = Database(self.database)
        device, graph = database.device("NVIDIA H200"), database.graph("g", "road")
        for l1 in ("none", "vector", "near_far", "filter", "slf"):
            for l2 in ("vector", "bucket", "heap", "multi_heap"):
                database.trial(device, graph, configuration(l1, l2), 1.0 + len(l1) + len(l2))
        database.close()
        files = [self.folder / f"{script}.png" for script in SCRIPTS[:2]]
        for file, run in zip(files, self.at_once([(script, self.database, "--output", file)
                                                  for script, file in zip(SCRIPTS, files)])):
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertEqual(pixels(file)[0], 2160)


class QueueTable(Files):
    def test_best_of_each_pair_with_its_work(self) -> None:
        build(self.database).close()
        run = self.script("queue_table.py", self.database)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual([line for line in run.stdout.splitlines() if line.startswith("| L1") or "reads" in line][:3], [
            "| r1, ms (reads per vertex) | L2 vector | L2 bucket |",
            "| L1 none | failed |  |",  # its only trial timed out; nothing was tried over buckets
            "| L1 vector | 4.000 (3.0) | 1.000 (2.0) |",  # the better of two
        ])
        self.assertEqual(run.stdout.count("reads per vertex"), 4)

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
    """Road: 100 vertices, 400 edges, so that Δ is 8 C average weights."""

    ROAD = {0.5: (4.0, 150), 1.0: (2.0, 300), 2.0: (1.0, 600), 4.0: (3.0, None), 8.0: (None, None)}  # ms, pops

    def build(self, solver: str = "adds", kind: str = "cuda", counters: bool = True) -> None:
        database = Database(self.database)
        device = database.device("NVIDIA H200", kind)
        road, mesh = database.graph("r1", "road"), database.graph("m1", "mesh", edges=800)
        shape = {"solver": solver, "threads": 1024} | ({"adds_delta": "static"} if solver == "adds" else {})
        for constant, (milliseconds, pops) in self.ROAD.items():
            parameters = {**shape, "delta_c": constant}
            database.trial(device, road, parameters, milliseconds, modelled=kind == "simt",
                           outcome="ok" if milliseconds else "timeout")
            if counters and pops:
                database.trial(device, road, parameters, pops=pops)
        # Slower with other threads, another Δ that is not fixed, and ours: none of them counts.
        database.trial(device, road, {**shape, "threads": 256, "delta_c": 1.0}, 2.5)
        if solver == "adds":
            database.trial(device, road, {**shape, "adds_delta": "dynamic", "delta_c": 1.0}, 0.1)
        database.trial(device, road, FAST, 0.01)
        for fixed, milliseconds in ((4.0, 10.0), (16.0, 5.0)):
            database.trial(device, mesh, {**shape, "delta_fixed": fixed}, milliseconds)
        database.trial(device, database.graph("p1", "power_law"), {**shape, "delta_c": 1.0}, 7.0)  # one Δ is no line
        database.close()

    def series(self, solver: str = "adds") -> list[adds_delta.Series]:
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            times = results.times_of(connection, device, "sssp")
            return adds_delta.series_of(times, results.pops_of(connection, device, "sssp", times), solver)

    def test_times_and_work_by_delta(self) -> None:
        self.build()
        road, mesh = self.series()
        self.assertEqual((road.input.graph, mesh.input.graph), ("r1", "m1"))
        self.assertEqual(road.constant.tolist(), [0.5, 1, 2, 4])
        self.assertEqual(road.delta.tolist(), [4, 8, 16, 32])
        time, work = road.normalised()
        self.assertEqual(time.tolist(), [4, 2, 1, 3])
        self.assertEqual(work.tolist()[:3], [1, 2, 4])
        self.assertTrue(np.isnan(work[3]))
        self.assertEqual((mesh.delta.tolist(), mesh.constant.tolist()), ([4, 16], [1, 4]))  # 8 edges a vertex
        self.assertTrue(np.isnan(mesh.normalised()[1]).all())

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
        self.assertIn("no line of work", run.stderr)
        run = self.script("adds_delta.py", self.database, "--output", self.folder / "g.png")
        self.refused(run, "solver=adds", "experiments/adds_fig7.yaml")
        self.assertFalse((self.folder / "g.png").exists())


class Summary(Files):
    def test_text(self) -> None:
        build(self.database, "simt", "Simulated H200").close()
        (self.folder / "picks.csv").write_text(picks_text(PICKS))
        evaluation = "graphs   count\nall          4\n```\n"
        (self.folder / "evaluation.txt").write_text(evaluation)
        (self.folder / "relative_performance_cdf.png").write_bytes(b"")
        output = self.folder / "summary.md"
        run = self.script("summary.py", self.database, "--picks", self.folder / "picks.csv", "--evaluation",
                          self.folder / "evaluation.txt", "--output", output)
        self.assertEqual((run.returncode, run.stderr, run.stdout), (0, "", f"{output}\n"))
        text = output.read_text()
        for part in ("- Device: Simulated H200 (simt, sm_90)\n", "**modelled by the simulator**", "- Graphs: 4\n",
                     "- Configurations: 4\n", "- Trials of time: 16 (ok 15, timeout 1)\n",
                     "- Trials of counters: 15 (ok 15)\n",
                     "| r2 | road | 100 | 400 | 0 | L1V-L2DQ delta=8 | 2.000 | L1V-L2V | 2.500 | 0.800 |\n",
                     "| selector | 0.950 | 75.0 % |\n", "| best fixed configuration | 0.825 | 50.0 % |\n",
                     "trained on these graphs", f"\n````text\n{evaluation}````\n",
                     "- [relative_performance_cdf.png](relative_performance_cdf.png): Share of graphs"):
            self.assertIn(part, text)

    def test_cells_and_fences(self) -> None:
        self.assertEqual(summary.cell("a|b\nc"), "a\\|b c")
        self.assertEqual(summary.fenced("a\n"), ["```text", "a", "```"])


class LearningCurves(Files):
    """What `mlmq selector curve` writes."""

    def setUp(self) -> None:
        super().setUp()
        self.curve = self.folder / "curve.csv"

    def write(self) -> str:
        lines = ["share," + ",".join(learning_curve.COLUMNS)]
        for graphs in (8, 16.5, 64):
            score = graphs / 100
            lines.append(f"{graphs / 64},{graphs}," + ",".join(
                f"{value},{value - 0.05},{value + 0.05}" for value in (score, score + 0.1, 0.9, 0.95)))
        text = "\r\n".join(lines) + "\r\n"
        self.curve.write_text(text)
        return text

    def test_curve_is_read(self) -> None:
        self.write()
        curve = learning_curve.read(self.curve)
        self.assertEqual(list(curve.graphs), [8, 16.5, 64])
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
        self.assertEqual([len(one.lines) for one in drawn.axes], [2, 2])
        self.assertEqual(list(drawn.axes[1].lines[0].get_ydata()), [0.18, 0.165 + 0.1, 0.74])

    def test_files_that_are_no_curves(self) -> None:
        text = self.write()
        rows = text.split("\r\n")
        for damaged in ("", rows[0], text.replace("training_graphs", "graphs"), text.replace("16.5,", "many,", 1),
                        text.replace("16.5,", "0,"), text.replace("0.95", "1.95")):
            with self.subTest(damaged[:30]):
                self.curve.write_text(damaged)
                self.refused(self.script("learning_curve.py", self.curve, "--output", self.folder / "f.png"),
                             "curve.csv")


class Budgets(Files):
    """The curves of `mlmq simulate`."""

    def setUp(self) -> None:
        super().setUp()
        self.curves = self.folder / "curves.csv"

    def write(self, graphs: tuple[str, ...] = ("road18", "del18"), device: str = "NVIDIA H200",
              modelled: str = "no") -> str:
        lines = [",".join(performance_over_budget.COLUMNS)]
        for graph in graphs:
            for strategy, rise in (("random", 0.1), ("local", 0.2), ("local+selector", 0.3)):
                for evaluations in range(1, 6):
                    median = min(1.0, rise * evaluations)
                    lines.append(f"{device},{modelled},{graph},{strategy},100,{evaluations},{median / 2},{median},"
                                 f"{(1 + median) / 2},0.1.0")
        text = "\r\n".join(lines) + "\r\n"
        self.curves.write_text(text)
        return text

    def test_curves_are_read(self) -> None:
        self.write()
        simulation = performance_over_budget.read(self.curves)
        self.assertEqual((simulation.device, simulation.modelled, simulation.searches), ("NVIDIA H200", False, 100))
        self.assertEqual(simulation.strategies(), ["random", "local", "local+selector"])
        self.assertEqual(simulation.graphs["del18"]["local"].median, [0.2, 0.4, 0.2 * 3, 0.8, 1.0])
        self.assertEqual(simulation.graphs["del18"]["local"].lower[0], 0.1)
        local, warm = performance_over_budget.look("local"), performance_over_budget.look("local+selector")
        self.assertEqual(local.colour, warm.colour)
        self.assertNotEqual(local.dashes, warm.dashes)

    def test_figure(self) -> None:
        for name, graphs, modelled, inches in (("one", ("road18",), "yes", style.COLUMN_INCHES),
                                               ("many", tuple(f"g{i}" for i in range(5)), "no", style.PAGE_INCHES)):
            with self.subTest(name):
                self.write(graphs, modelled=modelled)
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


class Errors(Files):
    def each(self, *parts: str) -> None:
        """Every script refuses the database for the same reason."""
        (self.folder / "picks.csv").write_text(picks_text(PICKS))
        (self.folder / "evaluation.txt").write_text("")
        output = self.folder / "out" / "file.png"
        picks = ("--picks", self.folder / "picks.csv", "--evaluation", self.folder / "evaluation.txt")
        extra = {"queue_table.py": (), "summary.py": ("--output", output, *picks)}
        calls = [(script, self.database, *extra.get(script, ("--output", output))) for script in SCRIPTS]
        for script, run in zip(SCRIPTS, self.at_once(calls)):
            with self.subTest(script):
                self.refused(run, script, *parts)
        self.assertFalse(output.parent.exists())

    def test_missing_file(self) -> None:
        self.each("results.sqlite", "no such file")
        self.assertFalse(self.database.exists())

    def test_not_a_database(self) -> None:
        self.database.write_text("this is no database, it is a text of some length\n" * 100)
        self.each("results.sqlite", "not a database")

    def test_no_finished_trials(self) -> None:
        database = Database(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("g", "road"), FAST, outcome="crashed")
        database.close()
        self.each("no finished trials of problem 'sssp'")

    def test_several_devices(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA A100"), database.graph("r1", "road"), FAST, 1.0)
        database.close()
        self.each("'NVIDIA A100', 'NVIDIA H200'", "--device")

    def refuse(self, script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return self.script(script, self.database, "--output", self.folder / "f.png", *arguments)

    def test_other_databases_devices_and_problems(self) -> None:
        build(self.database).close()
        cdf = "relative_performance_cdf.py"
        self.refused(self.refuse(cdf, "--device", "RTX"), "RTX", "'NVIDIA H200'")
        self.refused(self.refuse(cdf, "--problem", "bfs"), "no finished trials of problem 'bfs'")
        self.database.unlink()
        self.database.write_bytes(b"")
        self.refused(self.refuse(cdf), "not one of mlmq's results")

    def test_devices_of_one_name_are_told_apart_by_hash(self) -> None:
        database = build(self.database)
        twin = database.device("NVIDIA H200", hash_="0123456789abcdef")
        database.trial(twin, database.graph("r1", "road"), FAST, 9.0)
        database.close()
        self.refused(self.refuse("relative_performance_cdf.py", "--device", "H200"), "0123456789ab")
        self.assertEqual(self.load("0123456789ab").best().tolist(), [9])

    def test_picks(self) -> None:
        build(self.database).close()
        file = self.folder / "picks.csv"
        for text, part in {
                "graph,source\n": "no column 'pick'",
                "graph,source,pick\nr1,x,y\n": "not a table of picks",
                picks_text({"r1": "FAST"}): "no pick for graph 'r2' from 0",
                picks_text(PICKS) + "zz,road,0,a,1,b,1,1\n": "graph 'zz'",
        }.items():
            with self.subTest(part):
                file.write_text(text)
                self.refused(self.refuse("relative_performance_cdf.py", "--selector", file), "picks.csv", part)
        file.unlink()
        self.refused(self.refuse("relative_performance_cdf.py", "--selector", file), "No such file")

    def test_names_of_figures(self) -> None:
        build(self.database).close()
        run = self.script("configurations_by_class.py", self.database, "--output", self.folder / "f.pdf")
        self.assertEqual(run.returncode, 2)
        self.assertIn("neither in .png nor in .svg", run.stderr)
        (self.folder / "taken").write_text("")
        run = self.script("configurations_by_class.py", self.database, "--output", self.folder / "taken" / "f.png")
        self.refused(run, "taken")


class Scripts(Files):
    def test_help_and_executable(self) -> None:
        for script, run in zip(SCRIPTS, self.at_once([(script, "--help") for script in SCRIPTS])):
            with self.subTest(script):
                self.assertTrue((PLOTS / script).stat().st_mode & stat.S_IXUSR)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertIn("--device", run.stdout)
        run = self.script("performance_over_budget.py", "--help")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertTrue((PLOTS / "performance_over_budget.py").stat().st_mode & stat.S_IXUSR)


if __name__ == "__main__":
    unittest.main()
