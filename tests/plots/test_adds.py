#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the figures and tables of ADDS: their measures, computed by hand for small databases."""

from __future__ import annotations

import math
import sys
import unittest

sys.dont_write_bytecode = True
from test_reproduction import Drawings  # noqa: E402  (it makes plots/ importable)

import numpy as np  # noqa: E402
import adds_graphs  # noqa: E402
import intervals  # noqa: E402
import programs  # noqa: E402
import reproduction  # noqa: E402

BLOCKS = ({"threads": 1024}, {"threads": 256})
NEAR_FAR = {"solver": "near_far", "launches": "each_step"}
BELLMAN_FORD = {"solver": "bellman_ford", "launches": "each_step"}
# adds_open_mode is left out of a configuration where it has its default.
FIXED_OPEN = {"solver": "adds", "adds_delta_mode": "dynamic", "adds_buckets": 32}
ADDS = FIXED_OPEN | {"adds_open_mode": "dynamic"}
STATIC = ADDS | {"adds_delta_mode": "static"}
VARIANTS = {"adds": ADDS, "static_delta": STATIC, "two_buckets": STATIC | {"adds_buckets": 2},
            "static_open": FIXED_OPEN, "buckets_16": ADDS | {"adds_buckets": 16},
            "buckets_8": ADDS | {"adds_buckets": 8}}


class Adds(Drawings):
    def trials(self, graph: int, parameters: dict[str, object], milliseconds: float, pops: float) -> None:
        """Adds trials of two sizes of blocks, the second of which is faster and does `pops` work."""
        for blocks, factor in zip(BLOCKS, (2.0, 1.0)):
            self.times(graph, (parameters | blocks, factor * milliseconds))
            self.db.trial(self.device, graph, parameters | blocks, pops=factor * pops)

    def collection(self) -> None:
        """Adds four graphs on which ADDS is 0.5, 2, 2 and 8 times as fast as Near-Far with 4, 1, 1 and 0.5 times the
        work."""
        for name, class_, degree, hops, near_far, near_far_pops in (
                ("a", "road", 2.5, 900, 0.5, 25), ("b", "mesh", 6, 100, 2.0, 100), ("c", "mesh", 40, 50, 2.0, 100),
                ("d", "power_law", 70, 10, 8.0, 200)):
            graph = self.db.graph(name, class_)
            self.db.features(graph, avg_nnz=degree, hops=hops)
            self.trials(graph, ADDS, 1.0, 100)
            self.trials(graph, NEAR_FAR, near_far, near_far_pops)
            self.trials(graph, BELLMAN_FORD, 4.0, 400)

    def test_fig8_and_fig9(self) -> None:
        self.collection()
        self.paper("mean_speedup", 2.9)
        for figure, correlation in (("adds/fig8", 1), ("adds/fig9", -1)):
            rows = self.draw(figure)
            self.close_to(rows["mean_speedup"], 2)
            self.close_to(rows["share_faster"], 75)
            # The two equal speed-ups have the same rank.
            self.close_to(rows["correlation"], correlation * math.sqrt(0.9))
            self.assertEqual((self.verdict("ADDS is faster"), self.verdict("The speed-up is largely independent")),
                             ("partly", "differs"))
        self.change_time(self.db.graph("a", "road"), ADDS | BLOCKS[1], 0.25)
        self.draw("adds/fig8")
        self.assertEqual(self.verdict("ADDS is faster"), "holds")
        self.invert_times()
        self.draw("adds/fig8")
        self.assertEqual(self.verdict("ADDS is faster"), "differs")

    def test_a_graph_without_near_far_is_left_out(self) -> None:
        self.collection()
        graph = self.db.graph("e", "road")
        self.db.features(graph, avg_nnz=3, hops=5)
        self.trials(graph, ADDS, 1.0, 100)
        note = self.draw("adds/fig8")["mean_speedup"]["note"]
        # 0.5, 2, 2 and 8: a mean of 2, and a standard error of log 4 / sqrt(6)
        half_width = intervals.t_quantile(3) * math.log(4) / math.sqrt(6)
        low, high = 2 * math.exp(-half_width), 2 * math.exp(half_width)
        self.assertEqual(note, f"4 graphs, 95 % interval {low:.2f} – {high:.2f}")

    def test_intervals_of_repeated_runs(self) -> None:
        self.collection()
        self.db.connection.execute("UPDATE trial SET spread = 0.1349 WHERE measurement = 'time'")
        self.db.connection.execute("INSERT INTO experiment_trial SELECT ?, id FROM trial",
                                   (self.db.experiment("adds_collection"),))
        # Each time is ±12.4 %, and their ratio sqrt(2) times as much, if there are five repeats.
        for settings, expected in (("{}", math.nan), ('{"repeats": 5}', 2**0.5 * 2.776 * 0.1 / 5**0.5)):
            self.db.connection.execute("UPDATE experiment SET settings = ?", (settings,))
            self.draw("adds/fig8")
            request = reproduction.read_request(self.folder / "page" / "adds_fig8.json")
            with reproduction.trials_of(request) as trials:
                collection = adds_graphs.Collection(request, trials, ())
                half_widths = collection.speedup_half_widths(adds_graphs.BASE, adds_graphs.NEAR_FAR)
            np.testing.assert_allclose(half_widths, expected, rtol=0.01)

    def test_graphs_on_which_the_search_reaches_too_few_vertices_are_left_out(self) -> None:
        self.collection()
        processors = self.db.device("Some CPU", "cpu")
        for name, reached in (("a", 75), ("b", 74)):  # of 100
            self.db.trial(processors, self.db.graph(name, ""), {"solver": "dijkstra"},
                          counters={"pops": reached + 30, "stale_pops": 30})
        for figure, measure in (("adds/fig8", "mean_speedup"), ("adds/fig10", "mean_speedup"),
                                ("adds/table3", "near_far_mean"), ("adds/table4", "near_far_mean")):
            self.assertRegex(self.draw(figure)[measure]["note"], "^3 graphs,", figure)
        rows = self.draw("adds/fig8")
        self.close_to(rows["mean_speedup"], 2)  # of 0.5, 2 and 8
        self.close_to(self.draw("adds/table2")["degree_1"], 0)  # that of b
        self.db.connection.execute("UPDATE counter SET value = 1 WHERE name = 'pops'")
        self.assertEqual(self.draw("adds/fig8")["mean_speedup"]["note"], "2 graphs")

    def test_graphs_with_float_weights(self) -> None:
        self.collection()
        self.assertNotIn("float_mean_speedup", self.draw("adds/fig8"))
        self.db.connection.execute("UPDATE workload SET name = name || '-float' WHERE name IN ('a', 'd')")
        for figure in ("adds/fig8", "adds/fig9", "adds/fig10"):
            rows = self.draw(figure)
            self.close_to(rows["mean_speedup"], 2)
            self.close_to(rows["float_mean_speedup"], 2)  # of 0.5 and 8
            self.assertEqual(rows["float_mean_speedup"]["note"], "2 graphs")

    def test_fig10(self) -> None:
        self.collection()
        rows = self.draw("adds/fig10")
        self.close_to(rows["mean_work"], 2**0.25)  # of 4, 1, 1 and 1 / 2
        self.close_to(rows["faster_with_more_work"], 0)
        self.close_to(rows["faster_with_less_work"], 75)
        self.assertEqual((self.verdict("Where ADDS does more work"), self.verdict("Where ADDS does less work")),
                         ("differs", "holds"))
        self.invert_times()
        self.draw("adds/fig10")
        self.assertEqual((self.verdict("Where ADDS does more work"), self.verdict("Where ADDS does less work")),
                         ("holds", "differs"))

    def test_table2(self) -> None:
        self.collection()
        self.paper("degree_0", 8, "%")
        rows = self.draw("adds/table2")
        self.assertEqual([rows[f"degree_{place}"]["ours"] for place in range(6)],
                         ["25.0", "25.0", "0.0", "0.0", "25.0", "25.0"])
        self.assertEqual([rows[f"diameter_{place}"]["ours"] for place in range(6)],
                         ["25.0", "25.0", "25.0", "0.0", "0.0", "25.0"])
        self.assertEqual(self.verdict("The graphs are diverse in degree"), "holds")  # 4 of 6 ranges
        for name in "bcd":
            self.db.features(self.db.graph(name, ""), avg_nnz=3)
        self.draw("adds/table2")
        self.assertEqual(self.verdict("The graphs are diverse in degree"), "differs")

    def test_table3(self) -> None:
        self.collection()
        processors = self.db.device("Some CPU", "cpu")
        self.request["processors"] = "device Some CPU"
        for name in ("a", "b"):
            for delta, time in ((2.0, 30.0), (16.0, 20.0)):
                parameters = {"solver": "delta_stepping", "cpu_delta": delta}
                self.db.trial(processors, self.db.graph(name, ""), parameters, time)
        self.paper("near_far_mean", 2.9)
        self.paper("dijkstra_mean", 34.4)
        rows = self.draw("adds/table3")
        self.close_to(rows["near_far_mean"], 2)
        self.assertEqual([rows[f"near_far_{place}"]["ours"] for place in range(7)],
                         ["25.0", "0.0", "0.0", "0.0", "50.0", "0.0", "25.0"])  # 2 belongs to 2 – 3
        self.close_to(rows["bellman_ford_mean"], 4)
        self.close_to(rows["cpu_ds_mean"], 20)
        self.assertEqual(rows["cpu_ds_mean"]["note"], "2 graphs")
        self.assertEqual((rows["dijkstra_mean"]["ours"], rows["dijkstra_mean"]["note"]), ("", "not on record"))
        self.close_to(rows["near_far.d"], 8)
        self.close_to(rows["near_far_from_1.5"], 75)
        self.assertEqual([self.verdict(f"ADDS is faster than {name}")
                          for name in ("Near-Far", "Bellman-Ford", "Dijkstra")], ["partly", "holds", ""])
        self.invert_times()
        self.draw("adds/table3")
        self.assertEqual(self.verdict("ADDS is faster than Bellman-Ford"), "differs")

    def test_table4(self) -> None:
        self.collection()
        self.paper("near_far_less", 20, "%")
        rows = self.draw("adds/table4")
        self.close_to(rows["near_far_mean"], 2**0.25)
        self.assertEqual([rows[f"near_far_{place}"]["ours"] for place in range(7)],
                         ["0.0", "0.0", "25.0", "0.0", "50.0", "0.0", "25.0"])
        self.close_to(rows["bellman_ford_mean"], 0.25)
        self.assertEqual((self.verdict("ADDS does more work"), self.verdict("ADDS saves a quarter")),
                         ("holds", "holds"))
        self.db.connection.execute("UPDATE counter SET value = 1 / value")
        self.draw("adds/table4")
        self.assertEqual(self.verdict("ADDS does more work"), "differs")

    def test_table5(self) -> None:
        self.collection()
        self.refused(self.run_script("adds/table5"), "no trials of Static-Δ, 2-Buckets, 4 buckets open", status=3)
        graph = self.db.graph("b", "mesh")
        for place, (key, parameters) in enumerate(VARIANTS.items()):
            if key != "adds":
                self.trials(graph, parameters, 1.0 + place, 100)
        self.paper("static_delta_mean", 2.4)
        rows = self.draw("adds/table5")
        self.close_to(rows["adds_mean"], 2)  # of all four graphs
        for place, key in enumerate(VARIANTS):
            if key != "adds":
                self.close_to(rows[f"{key}_mean"], 2 / (1 + place))
        self.assertEqual((self.verdict("ADDS with a static Δ and"), self.verdict("Even with")), ("holds", "differs"))
        self.invert_times()
        self.draw("adds/table5")
        self.assertEqual((self.verdict("ADDS with a static Δ and"), self.verdict("Even with")), ("differs", "holds"))

    def test_published_program(self) -> None:
        file = self.folder / "published_adds.csv"
        self.assertEqual([len(part) for part in adds_graphs.published_speedup(file)], [0, 0])
        lines = ["# device: a GPU", ",".join(programs.COLUMNS)]
        for graph, near_far, published in (("a", 6, "2"), ("b", 3, "")):
            for program, ms in (("mlmq", "1"), ("published ADDS", published), ("our Near-Far, launches", near_far)):
                lines.append(f"mesh,real,{graph},100,{program},{ms},{ms},{ms}".replace("our Near-Far, launches",
                                                                                  '"our Near-Far, launches"'))
        file.write_text("\n".join(lines))
        speedup, notes = adds_graphs.published_speedup(file)
        np.testing.assert_allclose(speedup, [3, np.nan])
        self.assertEqual(notes, ["ADDS, published program: 2 graphs of its own, a GPU, without a time on b."])
        self.collection()
        for place, parameters in enumerate(VARIANTS.values()):
            if place > 0:
                self.trials(self.db.graph("b", "mesh"), parameters, 1.0 + place, 100)
        shown = "published_mean" in self.draw("adds/table5")
        self.assertEqual(shown, adds_graphs.PUBLISHED_TIMES.exists())

    def test_timelines(self) -> None:
        graph = self.db.graph("g", "road", vertices=100)
        self.db.features(graph, avg_nnz=3)
        self.trials(graph, NEAR_FAR, 6.0, 100)
        self.trials(graph, ADDS, 2.0, 400)
        self.refused(self.run_script("adds/fig11"), "no timeline of Near-Far with its parallelism", status=3)
        for parameters, warps in ((NEAR_FAR, 2.0), (ADDS, 6.0)):
            for blocks in BLOCKS:
                self.db.trial(self.device, graph, parameters | blocks,
                              timeline=[(0.1 * place, 5.0, warps, 10 * warps) for place in range(4)])
        self.paper("speedup", 3.09, where="road-USA")
        expected = {11: ("ADDS does more work", "holds"), 12: ("ADDS does less work", "differs"),
                    13: ("The speed-up is above the saved work", "holds"), 14: ("Both keep", "differs"),
                    15: ("The speed-up is below the saved work", "differs")}
        for number, (beginning, verdict) in expected.items():
            rows = self.draw(f"adds/fig{number}")
            self.close_to(rows["speedup"], 3)
            self.close_to(rows["efficiency"], 0.25)
            self.close_to(rows["warps"], 3)
            self.close_to(rows["edges"], 3)
            self.assertEqual(self.stated("speedup"), ["", "3.09"])
            self.assertEqual((self.verdict("ADDS is faster"), self.verdict(beginning)), ("holds", verdict))
        self.invert_times()
        for number in expected:
            self.draw(f"adds/fig{number}")
            self.assertEqual(self.verdict("ADDS is faster"), "differs")
        # A larger graph without a timeline does not matter.
        larger = self.db.graph("h", "road", vertices=200)
        self.db.features(larger, avg_nnz=3)
        self.trials(larger, NEAR_FAR, 9.0, 100)
        self.trials(larger, ADDS, 1.0, 400)
        self.assertEqual(self.draw("adds/fig11")["speedup"]["note"], "g")
        self.db.connection.execute("DELETE FROM timeline WHERE name = 'parallelism'")
        self.refused(self.run_script("adds/fig11"), "no timeline of Near-Far with its parallelism", status=3)

    def test_without_work_counts(self) -> None:
        for name in ("a", "b"):
            graph = self.db.graph(name, "road")
            self.db.features(graph, avg_nnz=3, hops=5)
            self.times(graph, (ADDS, 1.0), (NEAR_FAR, 2.0), (BELLMAN_FORD, 3.0))
        for figure in ("adds/fig10", "adds/table4"):
            self.refused(self.run_script(figure), "no work counts", status=3)


if __name__ == "__main__":
    unittest.main()
