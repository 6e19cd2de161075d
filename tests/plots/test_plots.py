#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/: names, numbers computed by hand, the written files, and errors for bad input."""

from __future__ import annotations

import gzip
import json
import sqlite3
import stat
import subprocess
import unittest
from contextlib import closing

# This import must come first: it adds plots/ to the path.
from plots_test import (BARE, CONFIGURATIONS, FAST, Files, PICKS, PLAIN, PLOTS, TIMES, WIDE, build, picks_text, pixels)

import bars
import configurations_by_class
import relative_performance_cdf
import results
import style
import summary
import numpy as np
from synthetic import Database, configuration, label_of

SCRIPTS = ("relative_performance_cdf.py", "configurations_by_class.py", "queue_table.py", "summary.py", "adds_delta.py")


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
        self.assertEqual([entry.workload for entry in times.inputs], ["r1", "r2", "m1", "p1"])
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
        self.assertEqual([(curve.name, round(curve.mean, 6), curve.near_best) for curve in curves],
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
            work = results.counts_of(connection, device, "sssp", times, "pops", per=results.VERTICES)
        bars = configurations_by_class.bars_of(times, work)
        self.assertEqual(list(bars), ["road", "mesh", "power_law"])
        self.assertEqual(list(bars["road"]), ["L2V", "L1V-L2V", "L1V-L2DQ"])
        fast = bars["road"]["L1V-L2DQ"]
        self.assertEqual((times.configurations[fast.configuration].label, fast.time, fast.inputs),
                         (label_of(FAST), 1, 2))
        self.assertAlmostEqual(fast.work, 2)
        self.assertAlmostEqual(bars["road"]["L1V-L2V"].time, 5**0.5)  # mean of 4 and 1.25
        self.assertEqual((bars["road"]["L2V"].solved, bars["road"]["L2V"].counted), (1, 1))
        mesh = bars["mesh"]["L1V-L2DQ"]  # another configuration of the family is better here
        self.assertEqual(times.configurations[mesh.configuration].label, label_of(WIDE))
        self.assertAlmostEqual(mesh.work, 3)

    def test_newest_code_counts(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("r1", "road"), FAST, 0.5, kernel="newer")
        database.close()
        times = self.load()
        self.assertEqual(times.best()[0], 0.5)
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            provenance = results.provenance(connection, device, "sssp", times, self.database)
        self.assertEqual(provenance.parts(),
                         ["NVIDIA H200", "measured times", "1 graph", "mlmq 0.1.0", "results.sqlite"])

    def test_queries_are_inputs_of_their_own(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("r1", "road"), FAST, 3.0, query="source=7")
        database.close()
        times = self.load()
        self.assertEqual([(entry.workload, entry.query) for entry in times.inputs[:2]],
                         [("r1", "source=0"), ("r1", "source=7")])
        self.assertEqual(times.best()[:2].tolist(), [1, 3])

    def test_a_workload_by_the_mean_over_its_queries(self) -> None:
        database = build(self.database)
        device = database.device("NVIDIA H200")
        database.trial(device, database.graph("r1", "road"), FAST, 3.0, query="source=7")
        database.trial(device, database.graph("half", "mesh"), FAST, 5.0)
        database.trial(device, database.graph("half", "mesh"), FAST, outcome="timeout", query="source=7")
        database.close()
        times = self.load()
        means, first = times.mean_over_queries()
        self.assertEqual([(entry.workload, entry.query) for entry in means.inputs],
                         [(times.inputs[row].workload, times.inputs[row].query) for row in first])
        names = [entry.workload for entry in means.inputs]
        self.assertEqual(len(set(names)), len(names))
        self.assertNotIn("half", names)
        fast = next(i for i, one in enumerate(means.configurations) if one.label == label_of(FAST))
        self.assertEqual(means.milliseconds[names.index("r1"), fast], 2)  # mean of 1 and 3
        self.assertEqual(np.isfinite(means.milliseconds[names.index("r1")]).sum(), 1)  # the others have only one query
        self.assertEqual(times.counted(first[:2]), "2 graphs")
        self.assertEqual(times.counted([0, 1]), "2 inputs")

    def test_queries_in_the_order_of_their_numbers(self) -> None:
        queries = ["pairs=8:seed=2", "source=10", "source=9", "pairs=8:seed=10", "source=100"]
        self.assertEqual(sorted(queries, key=results.query_order),
                         ["pairs=8:seed=2", "pairs=8:seed=10", "source=9", "source=10", "source=100"])

    def test_features_by_name(self) -> None:
        database = build(self.database)
        database.features(database.graph("m1", "mesh"), hops=12.5, m=200)
        database.close()
        times = self.load()
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            np.testing.assert_array_equal(results.feature_of(connection, times, "hops"), [np.nan, np.nan, 12.5, np.nan])
            plain = results.counts_of(connection, device, "sssp", times, "pops")
            of_each = {per: results.counts_of(connection, device, "sssp", times, "pops", per=per)
                       for per in (results.VERTICES, "hops", "no such feature")}
        column = [configuration.label for configuration in times.configurations].index(label_of(FAST))
        self.assertEqual(plain[:, column].tolist(), [200, 200, 300, 300])
        self.assertEqual(of_each[results.VERTICES][:, column].tolist(), [2, 2, 1.5, 3])
        np.testing.assert_array_equal(of_each["hops"][:, column], [np.nan, np.nan, 24, np.nan])
        self.assertTrue(np.isnan(of_each["no such feature"]).all())

    def test_workloads_are_called_by_their_kind(self) -> None:
        self.assertEqual([style.noun(kinds) for kinds in (["graph"], ["graph", "graph"], ["grid"], ["graph", "grid"])],
                         ["graph", "graph", "workload", "workload"])
        database = build(self.database)
        device = database.device("NVIDIA H200")
        grid = database.workload("w1", "maze", "grid")
        for query in ("pairs=8:seed=2", "pairs=8:seed=10"):
            database.trial(device, grid, FAST, 1.0, query=query)
            database.trial(device, grid, FAST, pops=70, query=query)
        database.close()
        times = self.load()
        with results.open_database(self.database) as connection:
            found = results.choose_device(connection, "sssp", None)
            work, unit = results.reads_of(connection, found, "sssp", times)
            parts = results.provenance(connection, found, "sssp", times, self.database).parts()
        self.assertEqual(parts[2], "5 workloads, 6 (workload, query) inputs")
        self.assertEqual((times.counted([0, 1]), times.counted([4, 5])), ("2 workloads", "2 inputs"))
        self.assertEqual([entry.query for entry in times.inputs[4:]], ["pairs=8:seed=2", "pairs=8:seed=10"])
        # The solvers have no common baseline.
        self.assertEqual((unit, np.nanmax(work), np.nanmax(work[4:])), ("reads", 300, 70))

    def test_a_device_whose_times_are_computed(self) -> None:
        database = build(self.database, device="Another model")
        database.connection.execute("UPDATE device SET modelled = 1")
        database.close()
        times = self.load()
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            self.assertTrue(results.provenance(connection, device, "sssp", times, self.database).modelled)

    def test_compressed_database(self) -> None:
        build(self.database).close()
        expected = self.load().milliseconds
        compressed = self.folder / "results.sqlite.gz"
        compressed.write_bytes(gzip.compress(self.database.read_bytes()))
        with results.open_database(compressed) as connection:
            device = results.choose_device(connection, "sssp", None)
            np.testing.assert_array_equal(results.times_of(connection, device, "sssp").milliseconds, expected)
        compressed.write_bytes(compressed.read_bytes()[:500])
        with self.assertRaisesRegex(results.ResultsError, "results.sqlite.gz"), results.open_database(compressed):
            pass

    def test_workload_that_nothing_solved_is_left_out(self) -> None:
        database = build(self.database)
        database.trial(database.device("NVIDIA H200"), database.graph("hard", "mesh"), FAST, outcome="overflow")
        database.close()
        times = self.load()
        self.assertEqual([entry.workload for entry in times.unsolved], ["hard"])
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
            work = results.counts_of(connection, device, "sssp", times, "pops", per=results.VERTICES)
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
        database.connection.commit()  # the data is in the log, not in the file
        self.assertEqual(len(self.load().inputs), 4)


class Stopped(Files):
    """Trials stopped by a time limit are neither failures nor known results."""

    def stopped_database(self) -> results.Times:
        database = Database(self.database)
        device = database.device("NVIDIA H200")
        stopped = "not finished after 4 ms (slowdown_limit: 4 times the best so far, 1 ms)"
        for name, plain, bare in (("r1", None, 8.0), ("r2", 2.0, None), ("r3", 4.0, None)):
            graph = database.graph(name, "road")
            database.trial(device, graph, FAST, 1.0)
            for parameters, milliseconds in ((PLAIN, plain), (BARE, bare)):
                # BARE crashed on r3: its value is 0, whatever the others are.
                crashed = name == "r3" and milliseconds is None
                database.trial(device, graph, parameters, milliseconds,
                               message="" if milliseconds else "gone" if crashed else stopped,
                               outcome="ok" if milliseconds else "crashed" if crashed else "timeout")
        database.close()
        with results.open_database(self.database) as connection:
            return results.times_of(connection, results.choose_device(connection, "sssp", None), "sssp")

    def test_what_is_known_of_them(self) -> None:
        times = self.stopped_database()
        names = [configuration.label for configuration in times.configurations]
        plain, bare = names.index(label_of(PLAIN)), names.index(label_of(BARE))
        np.testing.assert_array_equal(times.relative()[:, [plain, bare]], [[0, 0.125], [0.5, 0], [0.25, 0]])
        np.testing.assert_array_equal(times.ceilings()[:, [plain, bare]], [[0.25, 0.125], [0.5, 0.25], [0.25, 0]])
        np.testing.assert_array_equal(times.ceilings() >= times.relative(), True)
        curves = {curve.name: curve for curve in relative_performance_cdf.curves_of(times, None)}
        self.assertEqual((curves["L1V-L2V"].mean_text, curves["L2V"].mean_text, curves["L1V-L2DQ"].mean_text),
                         ("0.25 to 0.33", "0.04 to 0.12", "1.00"))
        self.assertAlmostEqual(curves["L2V"].stopped, 1 / 3)
        self.assertEqual(curves["L1V-L2DQ"].stopped, 0)
        # The ceiling of the picks is computed from the picked configurations.
        picked = relative_performance_cdf.curves_of(times, [plain, bare, None])[0]
        np.testing.assert_array_equal(picked.values, [0, 0, 0])
        np.testing.assert_array_equal(picked.ceiling, [0.25, 0.25, 0])

    def test_means_over_queries(self) -> None:
        database = Database(self.database)
        device, graph = database.device("NVIDIA H200"), database.graph("r1", "road")
        for query, plain in (("source=0", 3.0), ("source=1", None)):
            database.trial(device, graph, FAST, 1.0, query=query)
            database.trial(device, graph, PLAIN, plain, query=query, outcome="ok" if plain else "timeout",
                           message="" if plain else "not finished after 5 ms")
        database.close()
        with results.open_database(self.database) as connection:
            times = results.times_of(connection, results.choose_device(connection, "sssp", None), "sssp")
        mean, _ = times.mean_over_queries()
        plain = [configuration.label for configuration in mean.configurations].index(label_of(PLAIN))
        # The limit is longer than (3 + 5) / 2.
        self.assertEqual((mean.relative()[0, plain], mean.ceilings()[0, plain]), (0, 0.25))

    def test_figures(self) -> None:
        self.stopped_database()
        plain = self.script("relative_performance_cdf.py", self.database, "--output", self.folder / "a.svg")
        self.assertEqual((plain.returncode, plain.stderr), (0, ""))
        build(self.folder / "b.sqlite").close()  # the timeout has no limit on record
        self.script("relative_performance_cdf.py", self.folder / "b.sqlite", "--output", self.folder / "b.svg")
        bands = [(self.folder / name).read_text().count("PolyCollection") for name in ("a.svg", "b.svg")]
        self.assertGreater(bands[0], 0)
        self.assertEqual(bands[1], 0)

    def test_cross_validation_in_bold(self) -> None:
        build(self.database).close()
        picks = self.folder / "picks.csv"
        picks.write_text(picks_text(PICKS), encoding="utf-8")
        choices = self.folder / "evaluation.csv"
        rows = ["workload,group,class,repeat,fold,strategy,choice,relative,predicted"]
        rows += [f"{name},{name},road,{repeat},0,{strategy},x,{value}," for name in ("r1", "r2") for repeat in (0, 1)
                 for strategy, value in (("combined", 0.5 + repeat / 4), ("forest", 0.1))]
        choices.write_text("\r\n".join(rows) + "\r\n", encoding="utf-8")
        unseen = results.read_evaluation(choices, "combined")
        self.assertEqual(sorted(unseen), [0.5, 0.5, 0.75, 0.75])
        with results.open_database(self.database) as connection:
            times = results.times_of(connection, results.choose_device(connection, "sssp", None), "sssp")
        columns = results.columns_of_picks(times, results.read_picks(picks), picks)
        curves = relative_performance_cdf.curves_of(times, columns, "selector, trained on these", unseen)
        self.assertEqual([(curve.name, curve.width) for curve in curves][0], (relative_performance_cdf.UNSEEN, 1.8))
        flattering = next(curve for curve in curves if curve.name == "selector, trained on these")
        self.assertEqual((flattering.width, flattering.rank), (0.8, 1))
        run = self.script("relative_performance_cdf.py", self.database, "--selector", picks, "--evaluation", choices,
                          "--output", self.folder / "c.png")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        for more, says in ((("--method", "kernel"), "there are combined, forest"),):
            run = self.script("relative_performance_cdf.py", self.database, "--evaluation", choices, *more,
                              "--output", self.folder / "d.png")
            self.assertEqual(run.returncode, 2)
            self.assertIn(says, run.stderr)
        choices.write_text("a,b\n1,2\n", encoding="utf-8")
        run = self.script("relative_performance_cdf.py", self.database, "--evaluation", choices,
                          "--output", self.folder / "d.png")
        self.assertEqual((run.returncode, run.stdout), (2, ""))
        self.assertIn("selector evaluate --output", run.stderr)

    def test_bars_have_spread(self) -> None:
        self.assertEqual(bars.quartiles(np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan])), (2.0, 4.0))
        self.assertTrue(np.isnan(bars.quartiles(np.array([1.0, np.nan]))).all())  # one value has no spread
        build(self.database).close()
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            times = results.times_of(connection, device, "sssp")
            work, _ = results.reads_of(connection, device, "sssp", times)
        drawn = configurations_by_class.bars_of(times, work)
        self.assertEqual(drawn["road"]["L1V-L2V"].time_spread, (1.25 + 2.75 / 4, 1.25 + 3 * 2.75 / 4))
        self.assertTrue(np.isnan(drawn["mesh"]["L1V-L2V"].time_spread).all())


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
        # There are 5 curves: 3.5 in wide; 2.6 in, 6 lines of 0.14 in, and 0.1 in high; at 300 pixels per inch.
        self.assertEqual(pixels(first / "cdf.png"), (1050, 1062))
        self.assertEqual(pixels(first / "class.png"), (2160, 819))
        self.assertGreater((first / "cdf.png").stat().st_size, 10_000)

    def test_missing_counters_are_said(self) -> None:
        build(self.database, counters=False).close()
        run = self.script("configurations_by_class.py", self.database, "--output", self.folder / "class.png")
        self.assertEqual(run.returncode, 0)
        self.assertRegex(run.stderr, r"\Aconfigurations_by_class\.py: note: the sweep did not count [^\n]*no counter "
                                     r"'pops'[^\n]*\n\Z")
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


class Tuned(Files):
    """The plots of the evaluation that `mlmq tune` stored."""

    def setUp(self) -> None:
        super().setUp()
        self.tuned = self.folder / "selector.json"

    def evaluate(self, names: dict[str, str], ways: dict[str, dict[str, list[str]]]) -> None:
        """Writes the file. names: hash by workload name; ways: per method, names of CONFIGURATIONS by workload."""
        labels = [label_of(configuration) for configuration in CONFIGURATIONS.values()]
        order = list(CONFIGURATIONS)
        best = {name: min(value for value in times.values() if value) for (name, _), times in TIMES.items()}
        stored = []
        for way, choices in ways.items():
            relative = [float(np.mean([best[name] / TIMES[key][choice] for choice in choices[name]]))
                        for name in names for key in TIMES if key[0] == name]
            stored.append({"name": way, "mean_relative": float(np.mean(relative)), "near_best": 0.5,
                           "worst": min(relative), "choices": [[order.index(choice) for choice in choices[name]]
                                                               for name in names], "relative": relative})
        stored.append({"name": "best measured", "mean_relative": 1, "near_best": 1, "worst": 1, "choices": [],
                       "relative": []})
        about = {"device": "NVIDIA H200", "evaluation": {
            "selector_way": "new selector", "workloads": [f"{name} ({hash_[:8]})" for name, hash_ in names.items()],
            "configurations": labels, "ways": stored}}
        self.tuned.write_text(json.dumps({"format": "mlmq-tuned-selector", "about": about}) + "\n{}\n")

    def build_and_evaluate(self, kind: str = "simt", device: str = "Simulated H200") -> None:
        build(self.database, kind, device).close()
        with results.open_database(self.database) as connection:
            names = dict(connection.execute("SELECT name, hash FROM workload ORDER BY name DESC"))
        self.evaluate(names, {"shipped selector": {name: ["WIDE"] for name in names},
                              "new selector": {"r1": ["FAST", "FAST"], "r2": ["PLAIN", "FAST"], "m1": ["WIDE"],
                                               "p1": ["PLAIN"]},
                              "best fixed configuration": {name: ["FAST"] for name in names}})

    def test_figure_has_the_stored_scores(self) -> None:
        self.build_and_evaluate()
        with results.open_database(self.database) as connection:
            times = results.times_of(connection, results.choose_device(connection, "sssp", None), "sssp")
        evaluation = results.read_tuned(self.tuned)
        curves = relative_performance_cdf.evaluated_curves(times.of_workloads(evaluation.workloads), evaluation)
        shown = {curve.name: (curve.mean_text, curve.width) for curve in curves}
        self.assertEqual(shown["new selector"], ("0.975", 1.8))  # 1, (0.8 + 1) / 2, 1, 1
        self.assertEqual(shown["best fixed configuration"][0], f"{(1 + 1 + 0.8 + 0.5) / 4:.3f}")
        self.assertEqual(shown["shipped selector"][0], f"{(0.5 + 0.5 + 1 + 0.25) / 4:.3f}")
        self.assertIn("L1V-L2V", shown)
        self.assertEqual(relative_performance_cdf._notes(curves)[-1:],
                         ["families: each at its best configuration, known in hindsight"])
        run = self.script("relative_performance_cdf.py", self.database, "--tuned", self.tuned,
                          "--output", self.folder / "a.png")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        run = self.script("relative_performance_cdf.py", self.database, "--tuned", self.tuned, "--evaluation", "x.csv",
                          "--output", self.folder / "a.png")
        self.assertEqual(run.returncode, 2)
        self.assertIn("its own evaluation", run.stderr)

    def test_mistakes(self) -> None:
        self.build_and_evaluate()
        self.evaluate({"r1": "0" * 32}, {"new selector": {"r1": ["FAST"]}})
        run = self.script("relative_performance_cdf.py", self.database, "--tuned", self.tuned,
                          "--output", self.folder / "a.png")
        self.assertEqual(run.returncode, 2)
        self.assertIn("'r1 (00000000)', of which the database has no times", run.stderr)
        for content in ("", "{}\n", '{"about": {"evaluation": {"ways": [{}]}}}\n'):
            self.tuned.write_text(content)
            with self.assertRaisesRegex(results.ResultsError, "not a selector as `mlmq tune` writes it"):
                results.read_tuned(self.tuned)
        self.tuned.write_text('{"about": {}}\n')
        self.assertIsNone(results.read_tuned(self.tuned))

    def test_what_cannot_run_is_not_drawn(self) -> None:
        database = Database(self.database)
        device = database.device("NVIDIA H200")
        large = configuration("filter", "vector")
        for name in ("w1", "w2"):
            graph = database.graph(name, "road")
            database.trial(device, graph, FAST, 1.0)
            database.trial(device, graph, PLAIN, 2.0 if name == "w1" else None,
                           outcome="ok" if name == "w1" else "constraint")
            database.trial(device, graph, large, None, outcome="constraint")
        database.close()
        with results.open_database(self.database) as connection:
            times = results.times_of(connection, results.choose_device(connection, "sssp", None), "sssp")
        self.assertEqual([times.configurations[column].label for column in times.unfit], [label_of(large)])
        fitting = times.without_unfit()
        self.assertEqual({one.label for one in fitting.configurations}, {label_of(FAST), label_of(PLAIN)})
        self.assertEqual({curve.name for curve in relative_performance_cdf.curves_of(fitting, None)},
                         {"best fixed: L1V-L2DQ", "L1V-L2DQ", "L1V-L2V"})
        self.assertTrue(np.array_equal(fitting.milliseconds, [[1, 2], [1, np.nan]], equal_nan=True)
                        or np.array_equal(fitting.milliseconds, [[2, 1], [np.nan, 1]], equal_nan=True))

    def summary(self, *more: object) -> str:
        text = self.folder / "summary.txt"
        text.write_text("graphs   count\nall          4\n```\n")
        output = self.folder / "summary.md"
        run = self.script("summary.py", self.database, *more, "--tuned", self.tuned, "--text", text, "--output", output)
        self.assertEqual((run.returncode, run.stderr, run.stdout), (0, "", f"{output}\n"))
        return output.read_text()

    def test_text(self) -> None:
        self.build_and_evaluate()
        (self.folder / "relative_performance_cdf.png").write_bytes(b"")
        text = self.summary()
        name = {key: f"c{1 + sorted(map(label_of, CONFIGURATIONS.values())).index(label_of(one))}"
                for key, one in CONFIGURATIONS.items()}
        for part in ("# Results on Simulated H200\n",
                     "- Device: Simulated H200 (simt, sm_90)\n", "**modelled by the simulator**",
                     "- Graphs: 4\n", "- Configurations: 4\n", "- Trials of time: 16 (ok 15, timeout 1)\n",
                     "- Trials of counters: 15 (ok 15)\n",
                     "| graph | class | vertices | edges | best | best ms | shipped selector | new selector | best "
                     "fixed configuration |\n",
                     f"| r2 | road | 100 | 400 | {name['FAST']} | 2.000 | {name['WIDE']}: 0.500 | "
                     f"{name['PLAIN']}, {name['FAST']}: 0.900 | {name['FAST']}: 1.000 |\n",
                     "| mean |  |  |  |  |  | 0.562 | 0.975 | 0.825 |\n",
                     f"| {name['FAST']} | L1V-L2DQ delta=8 | `{label_of(FAST)}` |\n",
                     "\n````text\ngraphs   count\nall          4\n```\n````\n",
                     "- [relative_performance_cdf.png](relative_performance_cdf.png): Distribution of"):
            self.assertIn(part, text)
        self.assertNotIn(label_of(BARE), text)  # the summary does not name it

    def test_workloads_that_are_no_graphs(self) -> None:
        database = Database(self.database)
        device = database.device("NVIDIA H200")
        for name in ("w1", "w2"):
            database.trial(device, database.workload(name, "", "phold"), FAST, 2.0, query="until=100", problem="pdes")
        database.close()
        self.tuned.write_text('{"about": {}}\n')
        text = self.summary("--problem", "pdes")
        for part in ("- Workloads: 2\n", "\n## Workloads\n", "| workload | class | best | best ms |\n",
                     "| w2 | (no class) | c1 | 2.000 |\n"):
            self.assertIn(part, text)
        self.assertNotIn("mean", text)

    def test_cells_and_fences(self) -> None:
        self.assertEqual(summary.cell("a|b\nc"), "a\\|b c")
        self.assertEqual(summary.fenced("a\n"), ["```text", "a", "```"])


class Errors(Files):
    def each(self, *parts: str, status: int = 2) -> None:
        """Checks that every script refuses the database for the same reason."""
        (self.folder / "picks.csv").write_text(picks_text(PICKS))
        (self.folder / "evaluation.txt").write_text("")
        output = self.folder / "out" / "file.png"
        (self.folder / "selector.json").write_text('{"about": {}}\n')
        tuned = ("--tuned", self.folder / "selector.json", "--text", self.folder / "evaluation.txt")
        extra = {"queue_table.py": (), "summary.py": ("--output", output, *tuned)}
        calls = [(script, self.database, *extra.get(script, ("--output", output))) for script in SCRIPTS]
        for script, run in zip(SCRIPTS, self.in_turn(calls)):
            with self.subTest(script):
                self.refused(run, script, *parts, status=status)
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
        self.each("no finished trials of problem 'sssp'", status=3)

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
        self.refused(self.refuse(cdf, "--problem", "bfs"), "no finished trials of problem 'bfs'", status=3)
        self.database.unlink()
        self.database.write_bytes(b"")
        self.refused(self.refuse(cdf), "not one of mlmq's results")
        with closing(sqlite3.connect(self.database)) as other:  # views of these names, but of other tables
            for view in ("latest", "relative", "work_count"):
                other.execute(f"CREATE VIEW {view} AS SELECT 1 AS graph")
            other.commit()
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
                "workload,query\n": "no column 'pick'",
                "workload,query,pick,best_ms\nr1,x,y,z\n": "not a table of picks",
                "workload,query,pick\nr1,x\n": "line 2 is too short",
                picks_text({"r1": "FAST"}): "no pick for graph 'r2', source=0",
                picks_text(PICKS) + "zz,road,source=0,a,1,b,1,1\n": "1 pick too many for graph 'zz', source=0",
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
