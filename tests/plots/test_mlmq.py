#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the figures and tables of MLMQ and of this program's own: their measures, computed by hand for small
databases."""

from __future__ import annotations

import math
import sys
import unittest
from itertools import product

sys.dont_write_bytecode = True
from test_reproduction import ADDS, BUCKET, FIFO, SINGLE_BUCKET, VECTOR, Drawings  # noqa: E402

from synthetic import configuration, label_of  # noqa: E402

BELLMAN_FORD = {"solver": "bellman_ford"}
NEAR_FAR = {"solver": "near_far"}


class Mlmq(Drawings):
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
        # The paper's graphs and GPU are others.
        self.assertEqual((rows["atomics_fifo_max"]["paper"], self.stated("atomics_fifo_max")), ("", ["", "11.8"]))
        self.close_to(rows["atomics_bucket_max"], 30.5)
        self.close_to(rows["atomics_mlmq_max"], 1.5)
        # 3 words for each of 100 pops, 2 for each of 400 edges, plus 50 + 3000 + 100 + 100 + 10
        self.close_to(rows["accesses_max"], 43.6)
        self.assertEqual(rows["better_mesh"]["ours"], "FIFO")
        self.assertEqual(rows["better_road"]["ours"], "bucket")
        self.assertEqual((rows["better_power_law"]["ours"], rows["better_power_law"]["note"]), ("", "no such graph"))
        self.assertNotIn("sectors_fifo_max", rows)
        self.assertEqual((self.verdict("A FIFO queue takes"), self.verdict("A FIFO queue is faster on meshes")),
                         ("holds", "holds"))
        self.assertEqual(self.verdict("A bucket queue is faster on power-law"), "")
        self.invert_times()
        # Hardware counters replace the accesses of panel (b).
        for graph in (road, mesh):
            for parameters, sectors in ((FIFO, 5000.0), (SINGLE_BUCKET, 7000.0), (BUCKET, 900.0)):
                self.db.trial(self.device, graph, parameters, measurement="hardware", reported={"l2_sectors": sectors})
        rows = self.draw("mlmq/fig3")
        self.close_to(rows["sectors_bucket_max"], 70)
        self.close_to(rows["sectors_mlmq_max"], 9)
        self.close_to(rows["accesses_max"], 43.6)
        self.assertEqual(self.verdict("A FIFO queue is faster on meshes"), "differs")
        self.assertIn("Sectors of the L2 cache", (self.folder / "page" / "mlmq_fig3.svg").read_text(encoding="utf-8"))

    def test_own_fig2(self) -> None:
        for name, class_ in (("r", "road"), ("p", "power_law")):
            graph = self.db.graph(name, class_)
            near_far = {"solver": "near_far", "delta_c": 1.0}
            self.times(graph, (BUCKET, 1.0), (FIFO, 3.0), (near_far, 2.0))
            energy_of = {"r": (100.0, 400.0, 300.0), "p": (200.0, 500.0, 160.0)}[name]
            for parameters, energy in zip((BUCKET, FIFO, near_far), energy_of):
                self.db.trial(self.device, graph, parameters, measurement="energy",
                              reported={"energy_mj": energy, "power_w": 300.0, "idle_power_w": 110.0})
        rows = self.draw("own/fig2")
        self.close_to(rows["same"], 1)
        self.close_to(rows["more_energy"], 200 / 160)
        self.close_to(rows["more_time"], 2)
        self.close_to(rows["more_with_idle"], 1)  # 200 + 110 of the fastest, 160 + 220 of least energy
        self.assertIn("idle device, 110 to 110 W", (self.folder / "page" / "own_fig2.svg").read_text(encoding="utf-8"))

    def test_own_fig2_without_energy(self) -> None:
        self.times(self.db.graph("r", "road"), (BUCKET, 1.0))
        run = self.run_script("own/fig2")
        self.assertEqual(run.returncode, 3)
        self.assertIn("no energy", run.stderr)

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
        self.assertEqual(self.verdict("A private queue of each thread makes the search slower"), "holds")
        self.change_time(graph, {"l0": "vector", "l1": "none", "l2": "bucket", "delta": 4.0}, 1.0)
        self.draw("mlmq/fig4")
        self.assertEqual(self.verdict("A private queue of each thread makes the search slower"), "differs")

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
                         ["", "RTX 3080 Ti", "A100"])
        self.assertEqual(self.stated("speedup_adds"), ["", "1.87", "2.67"])
        self.assertEqual(rows["speedup_bellman_ford"]["note"], "left out: 1 of 2, failed or not measured")
        self.close_to(rows["speedup_adds_mesh"], 4)
        self.close_to(rows["speedup_bellman_ford"], 10)
        self.close_to(rows["speedup_boost"], math.sqrt(100 * 400))
        self.assertEqual(rows["speedup_gunrock_cpu"]["note"], "not on record")
        self.close_to(rows["share_fastest"], 50)  # Near-Far is faster on the road
        self.assertEqual((rows["share_behind_own_search"]["ours"], rows["share_behind_own_search"]["note"]),
                         ("", "not on record"))
        self.assertEqual((self.verdict("MLMQ is faster than ADDS"), self.verdict("MLMQ is faster than every")),
                         ("holds", "differs"))
        self.invert_times()
        self.draw("mlmq/fig8")
        self.assertEqual(self.verdict("MLMQ is faster than ADDS"), "differs")

    def test_fig8_shows_a_search_that_no_finding_is_about(self) -> None:
        self.overall()
        self.draw("mlmq/fig8")
        findings = [row for row in self.rows if row["verdict"]]
        self.times(self.db.graph("r", "road"), ({"solver": "near_pull"}, 4.0))
        self.times(self.db.graph("m", "mesh"), ({"solver": "near_pull"}, 1.0))
        rows = self.draw("mlmq/fig8")
        self.close_to(rows["speedup_near_pull"], math.sqrt(4 * 0.5))
        self.close_to(rows["share_behind_own_search"], 50)
        self.assertEqual(rows["share_behind_own_search"]["note"], "m")
        self.close_to(rows["share_fastest"], 50)
        self.assertEqual([row for row in self.rows if row["verdict"]], findings)
        drawn = (self.folder / "page" / "mlmq_fig8.svg").read_text(encoding="utf-8")
        self.assertTrue("near_pull is no search of the paper; it is faster than MLMQ on 1 of 2 graphs." in drawn)

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
        self.assertEqual(self.verdict("MLMQ is faster than ADDS on more than nine of ten"), "partly")
        for name in "bc":
            self.change_time(self.db.graph(name, "mesh", edges=100), BUCKET, 0.5)
        self.draw("mlmq/fig9")
        self.assertEqual([self.verdict("MLMQ is faster"), self.verdict("MLMQ is 2.3 times")], ["holds", "holds"])
        self.invert_times()
        self.draw("mlmq/fig9")
        self.assertEqual([self.verdict("MLMQ is faster"), self.verdict("MLMQ is 2.3 times")], ["differs", "differs"])

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
        self.assertEqual(rows["verdict"]["verdict"], "holds")
        self.change_time(small, ADDS, 0.5)
        self.draw("mlmq/fig10")
        self.assertEqual(self.verdict("MLMQ is faster than ADDS on the small road"), "differs")

    def test_fig10_without_timelines(self) -> None:
        self.times(self.db.graph("s", "road"), (BUCKET, 1.0), (ADDS, 2.0))
        self.refused(self.run_script("mlmq/fig10"), "no timelines", "mlmq_fig10.yaml", status=3)

    def stop_pairs(self, graph: int, *others: dict[str, object]) -> None:
        """Adds trials of all pairs of queues but these that were stopped at a time limit."""
        for l1, l2 in product(("none", "vector", "near_far", "filter", "slf"),
                              ("vector", "bucket", "heap", "multi_heap")):
            for parameters in (configuration(l1, l2), configuration(l1, l2, l0="vector")):
                if parameters not in others:
                    self.db.trial(self.device, graph, parameters | {"wb": 8}, outcome="timeout",
                                  message="not finished after 25 ms")

    def test_fig11_of_parameters_that_differ_between_graphs(self) -> None:
        filter_ = configuration("filter", "vector")
        first, second = self.db.graph("m1", "mesh"), self.db.graph("m2", "mesh")
        self.times(first, (BUCKET, 1.0), (filter_, 0.1), (ADDS, 4.0))
        self.times(second, (BUCKET | {"delta": 16.0}, 1.0), (ADDS, 4.0))
        self.times(second, (BUCKET | {"delta": 16.0}, 3.0), (ADDS, 8.0), query="source=5")
        for graph in (first, second):
            # It searches another graph than the paper's queues.
            self.times(graph, (BUCKET | {"reduction": "core"}, 0.01))
        # ADDS has no time on this graph, which is not shown.
        self.times(self.db.graph("m3", "mesh"), (filter_, 0.1))
        self.stop_pairs(self.db.graph("p", "power_law"))
        self.db.trial(self.device, first, BUCKET, pops=300)
        rows = self.draw("mlmq/fig11")
        # The filter above a vector was tried on one mesh only.
        self.assertEqual((rows["best_mesh"]["ours"], rows["best_mesh"]["note"]),
                         ("L1V-L2DQ", f"{math.sqrt(4 * 6 / 2):.2f}× ADDS, without L0"))
        drawn = (self.folder / "page" / "mlmq_fig11.svg").read_text(encoding="utf-8")
        self.assertTrue("*: without a value on some of the graphs." in drawn)
        self.assertTrue("<!-- (2) -->" in drawn)

    def test_fig11_by_size_of_roads(self) -> None:
        best = {"tiny": VECTOR, "middle": configuration("near_far", "vector"), "huge": BUCKET}
        for vertices, (name, winner) in enumerate(best.items()):
            graph = self.db.graph(name, "road", vertices=100 * (vertices + 1))
            self.times(graph, *[(label, 1.0 if label is winner else 4.0) for label in best.values()], (ADDS, 3.0))
        power = self.db.graph("p", "power_law")
        self.times(power, (configuration("slf", "bucket", delta=1.0), 2.0), (VECTOR, 4.0), (ADDS, 5.0))
        self.db.trial(self.device, power, VECTOR, pops=100)
        # A pair whose trials failed is on record, and a pair without trials is not.
        self.refused(self.run_script("mlmq/fig11"), "no trials of L2V, L1FQ-L2V, L1SLF-L2V, L2DQ, L1NF-L2DQ", status=3)
        self.stop_pairs(power, VECTOR, BUCKET, configuration("near_far", "vector"),
                        configuration("slf", "bucket", delta=1.0))
        # A vector above a bucket queue takes half of the time below an L0 queue.
        self.times(power, (BUCKET | {"l0": "vector"}, 1.0), (BUCKET, 2.0))
        self.paper("best_small_road", "L1V-L2V")
        self.paper("best_mesh", "L1FQ-L2V")
        self.paper("slf_bucket_power_law", 2)
        rows = self.draw("mlmq/fig11")
        self.assertEqual([rows[f"best_{size}_road"]["ours"] for size in ("small", "medium", "large")],
                         ["L1V-L2V", "L1NF-L2V", "L1V-L2DQ"])
        self.assertEqual(rows["best_small_road"]["note"], "3.00× ADDS, without L0")
        self.assertEqual((rows["best_power_law"]["ours"], rows["best_power_law"]["note"]),
                         ("L1V-L2DQ", "5.00× ADDS, with L0"))
        self.close_to(rows["l0_gain"], 2)
        self.assertEqual(rows["best_mesh"]["note"], "no such graph")
        self.close_to(rows["slf_bucket_power_law"], 2.5)
        best_pairs = ("L1V-L2V is the best pair", "L1NF-L2V is the best pair", "L1V-L2DQ is the best pair")
        self.assertEqual({self.verdict(beginning) for beginning in best_pairs}, {"holds"})
        # L1V-L2DQ below an L0 queue is faster on the only power-law graph.
        self.assertEqual((self.verdict("L1SLF-L2DQ is the best pair"), self.verdict("L1SLF-L2DQ is nearly twice")),
                         ("differs", "holds"))
        self.assertEqual(self.verdict("L1FQ-L2V is the best pair"), "")
        self.invert_times()
        self.draw("mlmq/fig11")
        self.assertEqual({self.verdict(beginning) for beginning in best_pairs}, {"differs"})

    def test_fig12(self) -> None:
        # Relative performance by graph: BUCKET 1, 1, 0.5; VECTOR 0.5, 0.25, 1; FIFO 0.25, 0.25, 0.25.
        picks = ["workload,query,pick,forest,same_split"]
        for name, bucket, vector, fifo, pick in (("a", 1.0, 2.0, 4.0, BUCKET), ("b", 1.0, 4.0, 4.0, VECTOR),
                                                 ("c", 2.0, 1.0, 4.0, VECTOR)):
            graph = self.db.graph(name, "mesh")
            self.times(graph, (BUCKET, bucket), (VECTOR, vector), (FIFO, fifo))
            self.db.trial(self.device, graph, SINGLE_BUCKET, outcome="timeout")
            picks.append(f'{name},source=0,"{label_of(pick)}","{label_of(BUCKET)}","{label_of(VECTOR)}"')
        picks.append('of another figure,source=0,"x=1","x=1","x=1"')
        file = self.folder / "picks.csv"
        file.write_text("\n".join(picks) + "\n")
        self.request["picks"] = str(file)
        self.paper("forest_near_best", 93.9, "%")
        self.paper("fixed_near_best", 64.6, "%")
        rows = self.draw("mlmq/fig12")
        self.close_to(rows["selector_near_best"], 200 / 3)
        self.close_to(rows["fixed_near_best"], 200 / 3)
        self.assertEqual(rows["fixed_near_best"]["note"], "L1V-L2DQ")
        self.close_to(rows["forest_near_best"], 200 / 3)
        self.close_to(rows["same_split_near_best"], 100 / 3)
        self.close_to(rows["selector_over_fixed"], 2.25 / 2.5)
        self.close_to(rows["forest_over_fixed"], 1)
        self.close_to(rows["mlmq_over_single_most"], 1.75 / 0.75)  # L1V-L2V over L2V
        self.assertEqual(self.verdict("The fixed queue that comes near the best"), "differs")
        self.assertEqual(self.verdict("Two levels are faster than a single queue, by 1.15"), "partly")
        self.change_time(self.db.graph("b", "mesh"), FIFO, 8.0)
        self.draw("mlmq/fig12")
        self.assertEqual(self.verdict("Two levels are faster than a single queue, by 1.15"), "holds")
        self.invert_times()
        self.draw("mlmq/fig12")
        self.assertEqual(self.verdict("Two levels are faster than a single queue, by 1.15"), "differs")

    def test_fig12_of_parameters_that_differ_between_graphs(self) -> None:
        # Relative performance by graph: L1V-L2DQ 1, 1, 0.5; L2DQ 0.5, 0.5, 0.5; VECTOR 0.5, 0.25, 1; FIFO 0.25.
        file = self.folder / "picks.csv"
        self.request["picks"] = str(file)
        picks = ["workload,query,pick,forest,same_split"]
        for name, delta, bucket, single, vector in (("a", 8.0, 1.0, 2.0, 2.0), ("b", 8.0, 1.0, 2.0, 4.0),
                                                    ("c", 32.0, 2.0, 2.0, 1.0)):
            graph = self.db.graph(name, "mesh")
            self.times(graph, (BUCKET | {"delta": delta}, bucket), (SINGLE_BUCKET | {"delta": delta}, single),
                       (VECTOR, vector), (FIFO, 4.0))
            # No queues, and a queue that searches another graph than the paper's.
            self.times(graph, (ADDS, 0.1), ({"solver": "near_pull"}, 0.1), (BUCKET | {"reduction": "core"}, 0.1))
            picks.append(f'{name},source=0,"{label_of(VECTOR)}","{label_of(FIFO)}","{label_of(BUCKET)}"')
        # Only a search of another kind has solved this graph.
        self.times(self.db.graph("d", "mesh"), (ADDS, 0.1))
        picks.append('d,source=0,"","",""')
        file.write_text("\n".join(picks) + "\n")
        rows = self.draw("mlmq/fig12")
        self.close_to(rows["mlmq_over_single_least"], 2.5 / 1.5)
        self.close_to(rows["mlmq_over_single_most"], 1.75 / 0.75)
        # A fixed configuration was tried on all graphs. L1V-L2DQ with one Δ would be ahead without the third.
        self.close_to(rows["fixed_near_best"], 100 / 3)
        self.assertEqual(rows["fixed_near_best"]["note"], "L1V-L2V")
        self.close_to(rows["fixed_mean"], 1.75 / 3)
        self.close_to(rows["selector_over_fixed"], 1)
        self.close_to(rows["forest_mean"], 0.25)
        # This pick was tried on two graphs only.
        self.close_to(rows["same_split_near_best"], 200 / 3)
        self.assertEqual(self.verdict("The fixed queue that comes near the best"), "holds")
        drawn = (self.folder / "page" / "mlmq_fig12.svg").read_text(encoding="utf-8")
        self.assertTrue("Each pair of queues has its best parameters on each graph." in drawn)
        self.assertTrue("Left out: 1 input that no queue has solved." in drawn)
        # Without such a configuration, nothing is said of fixed ones.
        self.times(self.db.graph("e", "mesh"), (BUCKET | {"delta": 64.0}, 1.0))
        file.write_text("\n".join(picks) + '\ne,source=0,"","",""\n')
        rows = self.draw("mlmq/fig12")
        self.assertEqual((rows["fixed_near_best"]["ours"], rows["fixed_near_best"]["note"]),
                         ("", "no configuration was tried on all graphs"))
        self.assertEqual([self.verdict("The fixed queue that comes near"), self.verdict("The selector is better")],
                         ["", ""])

    def test_fig12_needs_picks(self) -> None:
        self.times(self.db.graph("a", "mesh"), (BUCKET, 1.0), (VECTOR, 1.0), (FIFO, 1.0))
        self.refused(self.run_script("mlmq/fig12"), "no trials of L2DQ", status=3)
        self.times(self.db.graph("a", "mesh"), (SINGLE_BUCKET, 1.0))
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
        self.refused(self.run_script("mlmq/fig13"), "no trials of L2PQ below L0, L2PQ below L1NF", status=3)
        for l2 in ("heap", "multi_heap"):
            levels_above = [{"l0": "vector"}, *({"l1": l1} for l1 in ("vector", "near_far", "filter", "slf"))]
            for levels in levels_above:
                parameters = configuration("none", l2, threads=64, **shape) | levels
                if not (l2 == "heap" and levels.get("l1") in ("vector", "slf")):
                    self.db.trial(self.device, road, parameters, outcome="timeout")
        self.paper("speedup_max", 6.40)
        rows = self.draw("mlmq/fig13")
        self.close_to(rows["speedup_max"], 40)  # the heap alone is best with 128 threads; below a vector, with 64
        self.assertEqual(rows["speedup_max"]["note"], "L1V above L2PQ")
        self.close_to(rows["multi_at_best"], 4 / 6)
        self.close_to(rows["multi_at_most"], 2)
        self.assertEqual([self.verdict(beginning) for beginning in ("A multi-queue is faster", "A multi-queue is no",
                                                                    "Queues above")], ["holds", "holds", "partly"])
        self.change_time(road, configuration("none", "multi_heap", threads=64, pnum=4, **shape), 1.0)
        self.draw("mlmq/fig13")
        self.assertEqual(self.verdict("A multi-queue is no faster"), "differs")

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
        findings = [row["verdict"] for row in self.rows if row["measure"].startswith("finding_")]
        # The last is about Gunrock on processors, of which there is no trial: the figure does not hold without it.
        self.assertEqual(findings, ["holds", "holds", "holds", "holds", ""])
        self.assertEqual(rows["verdict"]["verdict"], "partly")
        self.invert_times()
        self.assertEqual(self.draw("mlmq/fig14")["verdict"]["verdict"], "differs")
        self.times(graph, ({"solver": "push_pull"}, 0.5), problem="bfs")
        self.close_to(self.draw("mlmq/fig14")["speedup_push_pull"], 0.5)

    def test_published_times(self) -> None:
        for name, milliseconds in (("USA-road-d.NY.gr.gz", 2.0), ("road18", 1.0), ("road20", 3.0)):
            graph = self.db.graph(name, "road")
            self.db.features(graph, m=264346)
            self.times(graph, (BUCKET, milliseconds), (ADDS, 4 * milliseconds))
        for name in ("NY", "FLA"):
            for program, milliseconds in (("mlmq", 6.46), ("adds", 10.66)):
                self.paper(f"USA-road-d.{name}.{program}", milliseconds, "ms")
        rows = self.draw("own/table1")
        # The graph itself rather than the one that replaces it, and only that in one row with the published time.
        self.assertEqual((rows["USA-road-d.NY.mlmq"]["ours"], rows["USA-road-d.NY.mlmq"]["paper"]), ("2.0", "6.46"))
        self.assertEqual((rows["USA-road-d.NY.adds"]["ours"], rows["USA-road-d.NY.adds"]["paper"]), ("8.0", "10.66"))
        self.assertEqual((rows["USA-road-d.FLA.mlmq"]["ours"], rows["USA-road-d.FLA.mlmq"]["paper"]), ("3.0", ""))
        self.assertEqual(rows["USA-road-d.FLA.mlmq"]["note"], "road20, in its place")

    def test_table4(self) -> None:
        for name, deviation in (("USA-road-d.NY", 0.98), ("del18", 1.5), ("mine", 7.0)):
            graph = self.db.graph(name, "road")
            self.db.features(graph, m=264346, nnz=733846, avg_nnz=2.76, dev_nnz=deviation)
            self.times(graph, (BUCKET, 1.0))
        self.paper("USA-road-d.NY.std", 0.98, "")
        self.paper("rmat20.std", 16.48, "")
        rows = self.draw("mlmq/table4")
        same = rows["USA-road-d.NY.std"]
        self.assertEqual((same["paper"], same["ours"], same["note"]), ("0.98", "0.98", ""))
        self.close_to(rows["del18.std"], 1.5)
        self.assertEqual((rows["del18.std"]["paper"], rows["del18.std"]["note"]), ("", "replaces delaunay_n18"))
        self.assertEqual(rows["rmat20.std"]["note"], "not among the graphs")
        self.close_to(rows["mine.avg"], 2.76)
        self.assertEqual(self.verdict("The graphs have about the deviation"), "holds")
        self.assertEqual(self.verdict("The graphs have about the mean degree"), "")
        self.paper("delaunay_n18.std", 15, "")
        self.draw("mlmq/table4")
        self.assertEqual(self.verdict("The graphs have about the deviation"), "differs")


if __name__ == "__main__":
    unittest.main()
