# SPDX-License-Identifier: Apache-2.0
"""'mlmq centrality': scores compared with those of NetworkX, files, estimates and refused input."""

import gzip
import signal
import struct
import time
import unittest

import program_test  # in this folder
from graph_files import dimacs, random_graph
from program_test import ProgramTest

try:
    import networkx
except ImportError:
    networkx = None

DEVICES = ("cpu", "simt")


def positive(seed, count=40, edge_count=130, lengths=4):
    """Returns edges with few different lengths, none of them 0, so that many shortest paths tie."""
    count, edges = random_graph(seed, count, edge_count)
    return count, [(u, v, 1 + w % lengths) for u, v, w in edges]


class Centrality(ProgramTest):
    def scores(self, *arguments):
        """Returns the scores by id."""
        self.succeed("centrality", *arguments, "--output", "scores.csv")
        lines = self.read("scores.csv").decode().splitlines()
        self.assertEqual(lines[0], "vertex,betweenness")
        return {int(vertex): float(score) for vertex, score in (line.split(",") for line in lines[1:])}

    def assert_same(self, found, right, message):
        self.assertEqual(sorted(found), sorted(right), message)
        for vertex, score in right.items():
            self.assertAlmostEqual(found[vertex], score, delta=1e-9 * max(1e-3, abs(score)), msg=f"{message}: {vertex}")

    def as_networkx(self, graph, kind):
        count, edges = graph
        converted = kind()
        converted.add_nodes_from(range(1, count + 1))
        converted.add_weighted_edges_from((u + 1, v + 1, w) for u, v, w in edges)
        return converted

    @unittest.skipIf(networkx is None, "NetworkX is not installed")
    def test_as_networkx_has_it(self):
        options = [(normalized, endpoints) for normalized in (False, True) for endpoints in (False, True)]
        for seed in (1, 2, 3):
            graph = positive(seed)
            self.write("g.gr", dimacs(graph))
            for kind, reading in ((networkx.MultiDiGraph, []), (networkx.MultiGraph, ["--undirected"])):
                converted = self.as_networkx(graph, kind)
                for normalized, endpoints in options:
                    for weight, problem in (("weight", "sssp"), (None, "bfs")):
                        right = networkx.betweenness_centrality(converted, normalized=normalized, endpoints=endpoints,
                                                                weight=weight)
                        for device in DEVICES if seed == 1 else ("cpu",):
                            scores = self.scores("g.gr", *reading, "--device", device, "--problem", problem, "--check",
                                                *["--normalized"] * normalized, *["--endpoints"] * endpoints)
                            self.assert_same(scores, right, (seed, kind, normalized, endpoints, problem, device))

    def test_weights_of_8_bytes(self):
        self.write("g.gr", dimacs((3, [(0, 1, 1), (1, 2, 1)])))
        self.refuse("centrality", "g.gr", "--weights", "float64", "--device", "cpu", says="weights are float64")
        self.assertEqual(self.scores("g.gr", "--weights", "float64", "--problem", "bfs", "--device", "cpu"),
                         {1: 0, 2: 1, 3: 0})

    @unittest.skipIf(networkx is None, "NetworkX is not installed")
    def test_lengths_that_are_floats(self):
        # Quarters, whose sums are the same in any order, even in float32.
        count, edges = positive(5)
        graph = count, [(u, v, w / 4) for u, v, w in edges]
        self.write("g.gr", dimacs(graph))
        right = networkx.betweenness_centrality(self.as_networkx(graph, networkx.MultiDiGraph), normalized=False,
                                                weight="weight")
        for device in DEVICES:
            self.assert_same(self.scores("g.gr", "--device", device), right, device)

    def test_small_graphs_by_hand(self):
        # An undirected path of five: 0, 3, 4, 3, 0 pairs have the vertex between them.
        for device in DEVICES:
            arguments = ("path5", "--device", device)
            self.assertEqual(self.scores(*arguments, "--pairs", "unordered"), {0: 0, 1: 3, 2: 4, 3: 3, 4: 0})
            self.assertEqual(self.scores(*arguments, "--pairs", "ordered"), {0: 0, 1: 6, 2: 8, 3: 6, 4: 0})
            self.assertEqual(self.scores(*arguments, "--normalized"),
                             {0: 0, 1: 6 * (1 / 12), 2: 8 * (1 / 12), 3: 6 * (1 / 12), 4: 0})

    def test_parallel_edges_are_one_and_self_loops_none(self):
        # There are two paths from 1 to 4, one of which has two parallel edges.
        self.write("g.gr", "p sp 4 7\na 1 2 1\na 1 2 1\na 1 3 1\na 2 4 1\na 3 4 1\na 2 2 0\na 2 4 3\n")
        for device in DEVICES:
            self.assertEqual(self.scores("g.gr", "--device", device), {1: 0, 2: 0.5, 3: 0.5, 4: 0})

    def test_files_of_each_format(self):
        self.write("g.gr", dimacs(positive(4)))
        csv = self.scores("g.gr", "--device", "cpu")
        out = self.succeed("centrality", "g.gr", "--device", "cpu", "--output", "s.npy", "--top", "3")
        data = self.read("s.npy")
        length = struct.unpack("<H", data[8:10])[0]
        self.assertEqual(eval(data[10:10 + length]), {"descr": "<f8", "fortran_order": False, "shape": (len(csv),)})
        numbers = struct.unpack(f"<{len(csv)}d", data[10 + length:])
        self.assertEqual(list(numbers), [csv[v] for v in sorted(csv)])
        self.succeed("centrality", "g.gr", "--device", "cpu", "--output", "s.txt.gz")
        lines = gzip.decompress(self.read("s.txt.gz")).decode().splitlines()
        self.assertRegex(lines[0], r"^# VERTEX BETWEENNESS, of g, from \d+ sources \(all\)$")
        self.assertEqual({int(v): float(s) for v, s in (line.split() for line in lines[1:])}, csv)
        best = sorted(csv, key=lambda v: (-csv[v], v))[:3]
        shown = [line for line in out.splitlines() if "vertex " in line]
        self.assertEqual([int(line.split("vertex ")[1].split()[0]) for line in shown], best)
        self.assertAlmostEqual(float(shown[0].split()[-1]), csv[best[0]], places=4)

    def test_samples_estimate(self):
        exact = self.scores("road8", "--device", "cpu")
        # The estimates use different parts of all sources: the mean over enough seeds comes close to the exact score.
        mean = dict.fromkeys(exact, 0)
        seeds = 60
        for seed in range(seeds):
            scores = self.scores("road8", "--device", "cpu", "--samples", "32", "--seed", str(seed))
            for vertex, score in scores.items():
                mean[vertex] += score / seeds
        self.assertNotEqual(scores, exact)
        total = sum(exact.values())
        self.assertLess(sum(abs(mean[v] - exact[v]) for v in exact), 0.06 * total)
        out = self.succeed("centrality", "road8", "--device", "cpu", "--samples", "32", "--check")
        self.assertRegex(out, r"scores         estimated, from 32 of \d+ vertices with out-edges")
        self.assertIn("every score is right", out)
        # Requests for as many samples as vertices, or more, are exact.
        self.assertEqual(self.scores("road8", "--device", "cpu", "--samples", "100000"), exact)
        self.assertIn("exact", self.succeed("centrality", "road8", "--device", "cpu", "--samples", "all"))

    def test_several_devices_share_the_sources(self):
        alone = self.scores("road7", "--device", "cpu:1")
        shared = self.scores("road7", "--device", "cpu:1,simt:1x8", "--check")
        self.assertEqual(alone.keys(), shared.keys())
        for vertex, score in alone.items():
            self.assertAlmostEqual(shared[vertex], score, delta=1e-9 * (1 + score))

    def test_scores_are_the_same_each_time(self):
        first = self.scores("del7", "--device", "cpu", "--problem", "bfs")
        self.assertEqual(self.scores("del7", "--device", "cpu:1", "--problem", "bfs"), first)
        self.assertEqual(self.scores("del7", "--device", "cpu", "--problem", "bfs", "--seed", "9"), first)

    def test_what_cannot_be_is_refused(self):
        self.write("zero.gr", "p sp 2 2\na 1 2 0\na 2 1 0\n")
        self.write("far.gr", "p sp 3 2\na 1 2 4294967293\na 2 3 4294967293\n")
        for device in DEVICES:
            self.refuse("centrality", "zero.gr", "--device", device, says=["zero", "weight 0", "cycle"])
            self.refuse("centrality", "far.gr", "--device", device, says=["far: from vertex 1", "32 bits"])
        refused = ["centrality", "road6", "--device", "cpu"]
        self.refuse(*refused, "--samples", "0", says=["--samples 0", "or all"])
        self.refuse(*refused, "--samples", "some", says=["--samples some", "or all"])
        self.refuse(*refused, "--output", "s.xml", says=["--output s.xml", "expected NAME.txt or NAME.csv or NAME.npy"])
        self.refuse(*refused, "--output", "s.npy.gz", says=["expected NAME.txt or NAME.csv or NAME.npy"])
        self.refuse(*refused, "--output", "no/s.npy", says="no")
        self.refuse(*refused, "--problem", "phold", says=["phold", "sssp"])
        self.refuse(*refused, "--config", "threads=big", says=["--config", "threads"])

    def test_hours_are_not_waited_for_unasked(self):
        # The search itself would take longer than TIME_LIMIT_S.
        self.refuse("centrality", "road17", "--device", "cpu:1",
                    says=["vertices with out-edges", "would take about", "--samples 1024", "--samples all"])

    def test_ends_on_ctrl_c_without_a_file(self):
        started = self.start("centrality", "road15", "--device", "cpu:1", "--samples", "all", "--output", "s.npy")
        while b" sources" not in started.stderr.readline():
            self.assertIsNone(started.poll())
        started.send_signal(signal.SIGINT)
        out, errors = started.communicate(timeout=program_test.TIME_LIMIT_S)
        self.assertEqual(started.returncode, 1, errors)
        self.assertRegex(errors.decode(), r"stopped after \d+ of \d+ sources; nothing was written")
        self.assertEqual(self.names(), [])


if __name__ == "__main__":
    program_test.main()
