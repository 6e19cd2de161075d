#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of plots/: names and numbers of recorded results, computed by hand."""

from __future__ import annotations

import gzip
import unittest

# This import must come first: it adds plots/ to the path.
from plots_test import BARE, FAST, Files, PICKS, PLAIN, WIDE, build, picks_text

import bars
import configurations_by_class
import intervals
import relative_performance_cdf
import results
import style
import numpy as np
from synthetic import Database, label_of


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
                         ("0.25 to 0.33", "0.04 to 0.12", "1.00 ± 0.00"))
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
        rows = ["workload,origin,group,class,repeat,fold,strategy,choice,relative,predicted"]
        rows += [f"{name},file,{name},road,{repeat},0,{strategy},x,{value}," for name in ("r1", "r2")
                 for repeat in (0, 1) for strategy, value in (("combined", 0.5 + repeat / 4), ("forest", 0.1))]
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

    def test_intervals(self) -> None:
        self.assertAlmostEqual(intervals.t_quantile(4), 2.776, delta=0.01)
        self.assertAlmostEqual(intervals.t_quantile(1000), 1.962, places=3)
        self.assertAlmostEqual(intervals.half_width(np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan])),
                               2.776 * 2.5**0.5 / 5**0.5, places=1)
        self.assertTrue(np.isnan(intervals.half_width(np.array([1.0, 2.0]))))
        low, high = intervals.of_geometric_mean(np.array([1.0, 2.0, 4.0, np.nan]))
        self.assertAlmostEqual(low * high, 4.0)  # symmetric about the mean on a logarithmic scale
        self.assertLess(low, 1)

    def test_intervals_of_repeats(self) -> None:
        # Quartiles 1.349 standard deviations apart, and a quantile of 2.776.
        self.assertAlmostEqual(intervals.of_repeats(0.1349, 5), 2.776 * 0.1 / 5**0.5, delta=1e-3)
        self.assertTrue(np.isnan(intervals.of_repeats(0.1, 2)))

    def test_bars_have_intervals(self) -> None:
        self.assertEqual(bars.quartiles(np.array([1.0, 2.0, 3.0, 4.0, 5.0, np.nan])), (2.0, 4.0))
        self.assertTrue(np.isnan(bars.quartiles(np.array([1.0, np.nan]))).all())  # one value has no spread
        build(self.database).close()
        with results.open_database(self.database) as connection:
            device = results.choose_device(connection, "sssp", None)
            times = results.times_of(connection, device, "sssp")
            work, _ = results.reads_of(connection, device, "sssp", times)
        drawn = configurations_by_class.bars_of(times, work)
        for row in drawn.values():
            for bar in row.values():
                low, high = bar.time_interval
                self.assertEqual(np.isnan(low), bar.solved < intervals.LEAST_VALUES)
                self.assertFalse(low > bar.time or bar.time > high)
        self.assertTrue(np.isnan(drawn["mesh"]["L1V-L2V"].time_interval).all())


if __name__ == "__main__":
    unittest.main()
