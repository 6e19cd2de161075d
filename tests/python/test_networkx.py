# SPDX-License-Identifier: Apache-2.0
"""mlmq.networkx: the answers of NetworkX, and the backend protocol of NetworkX 3.2 and newer."""

import importlib.metadata
import random
import re
import unittest

import mlmq
import mlmq.networkx as mnx

try:
    import networkx as nx
except ImportError:
    nx = None


def graphs():
    """Yields graphs of every kind, with weights from 0, nodes of several types, and unreachable nodes."""
    draw = random.Random(7)
    for graph in (nx.gnp_random_graph(30, 0.1, seed=1), nx.gnp_random_graph(30, 0.1, seed=2, directed=True),
                  nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "b"), ("c", (1, 2))]),
                  nx.MultiDiGraph([(0, 1), (0, 1), (1, 0)]), nx.path_graph(1)):
        for *_, data in graph.edges(data=True):
            if draw.random() < 0.9:  # otherwise NetworkX uses weight 1
                data["weight"] = draw.randint(0, 9)
        yield graph


@unittest.skipUnless(nx, "no NetworkX")
class Answers(unittest.TestCase):
    def test_lengths(self):
        for graph in graphs():
            source = next(iter(graph))
            lengths = mnx.single_source_dijkstra_path_length(graph, source)
            self.assertEqual(lengths, nx.single_source_dijkstra_path_length(graph, source))
            self.assertEqual(list(lengths.values()), sorted(lengths.values()))
            self.assertEqual(mnx.single_source_dijkstra_path_length(graph, source, 4, "weight", device="simt"),
                             nx.single_source_dijkstra_path_length(graph, source, 4))
            self.assertEqual(mnx.single_source_dijkstra_path_length(graph, source, weight=None),
                             nx.single_source_dijkstra_path_length(graph, source, weight=None))
            self.assertEqual(dict(mnx.all_pairs_dijkstra_path_length(graph)),
                             dict(nx.all_pairs_dijkstra_path_length(graph)))
            self.assertEqual(dict(mnx.all_pairs_dijkstra_path_length(graph, cutoff=3)),
                             dict(nx.all_pairs_dijkstra_path_length(graph, cutoff=3)))

    def test_levels(self):
        for graph in graphs():
            source = next(iter(graph))
            self.assertEqual(mnx.single_source_shortest_path_length(graph, source),
                             nx.single_source_shortest_path_length(graph, source))
            self.assertEqual(dict(mnx.all_pairs_shortest_path_length(graph, 2)),
                             dict(nx.all_pairs_shortest_path_length(graph, 2)))

    def test_converted_once(self):
        graph = next(graphs())
        converted = mnx.from_networkx(graph)
        self.assertIs(mnx.from_networkx(converted), converted)
        self.assertEqual(mnx.single_source_dijkstra_path_length(converted, 3),
                         nx.single_source_dijkstra_path_length(graph, 3))
        self.assertIs(converted.solver("sssp", "cpu"), converted.solver("sssp", "cpu"))
        with self.assertRaisesRegex(mlmq.InputError, "converted with 'weight'"):
            mnx.single_source_dijkstra_path_length(converted, 3, weight="toll")

    def test_weights(self):
        graph = nx.DiGraph()
        graph.add_edge("a", "b", toll=4.0, open=True)
        graph.add_edge("b", "c", toll=3.0, open=False)
        lengths = mnx.single_source_dijkstra_path_length(graph, "a", weight="toll")
        self.assertEqual(lengths, {"a": 0, "b": 4, "c": 7})
        self.assertIsInstance(lengths["b"], float)

        def hidden(_start, _end, data):
            return data["toll"] if data["open"] else None

        self.assertEqual(mnx.single_source_dijkstra_path_length(graph, "a", weight=hidden),
                         nx.single_source_dijkstra_path_length(graph, "a", weight=hidden))
        for toll, text in ((-1, "-1, expected"), (-0.5, "-0.5, expected"), (float("nan"), "nan, expected finite"),
                           (float("inf"), "inf, expected finite"), (1.7e308, "beyond float64"),
                           (2**53, "sums of whole numbers"), (2**60, "sums of whole numbers"),
                           (10**30, "numbers of 64 bits"), ("x", "numbers of 64 bits")):
            graph["a"]["b"]["toll"] = toll
            graph["b"]["c"]["toll"] = 1.7e308 if toll == 1.7e308 else 3
            with self.subTest(toll):
                with self.assertRaisesRegex(mlmq.InputError, text):
                    mnx.single_source_dijkstra_path_length(graph, "a", weight="toll")
                with self.assertRaises(NotImplementedError):
                    mnx.single_source_dijkstra_path_length(graph, "a", weight="toll")
        graph["b"]["c"]["toll"] = 4_000_000_000
        for toll in (4_000_000_000, 2**40, 1e300):  # in float64: 32 bits are not enough
            graph["a"]["b"]["toll"] = toll
            lengths = mnx.single_source_dijkstra_path_length(graph, "a", weight="toll")
            self.assertEqual(lengths, nx.single_source_dijkstra_path_length(graph, "a", weight="toll"))
            self.assertIs(type(lengths["c"]), type(toll))
            self.assertEqual(dict(mnx.all_pairs_dijkstra_path_length(graph, weight="toll")),
                             dict(nx.all_pairs_dijkstra_path_length(graph, weight="toll")))

    def test_functions_as_weights(self):
        def uphill(start, end, _data):
            return 5 if end > start else 1

        def cheapest(_start, _end, by_key):
            return min(data["toll"] for data in by_key.values()) + len(by_key)

        def one_way(start, end, _data):
            return 2 if end > start else None

        def by_ends(start, end, data):
            return None if (start * 7 + end * 3) % 5 == 0 else (start * 11 + end * 5) % 9 + len(data)

        parallel = nx.MultiGraph()
        parallel.add_edge(0, 1, key="road", toll=3)
        parallel.add_edge(0, 1, key="rail", toll=2)
        cases = [(nx.Graph([(0, 1)]), uphill), (nx.path_graph(4), one_way), (parallel, cheapest),
                 (nx.MultiDiGraph(parallel), cheapest), (nx.MultiGraph([(0, 1), (0, 1), (1, 1)]), by_ends)]
        cases += [(nx.gnp_random_graph(20, 0.2, seed=seed, directed=seed % 2 == 1), by_ends) for seed in range(6)]
        for graph, weight in cases:
            for source in (0, 1):
                self.assertEqual(mnx.single_source_dijkstra_path_length(graph, source, weight=weight),
                                 nx.single_source_dijkstra_path_length(graph, source, weight=weight))
            self.assertEqual(dict(mnx.all_pairs_dijkstra_path_length(graph, weight=weight)),
                             dict(nx.all_pairs_dijkstra_path_length(graph, weight=weight)))
            # Numbers of edges count hidden edges, too.
            self.assertEqual(mnx.single_source_shortest_path_length(mnx.from_networkx(graph, weight), 0),
                             nx.single_source_shortest_path_length(graph, 0))
        graph = nx.path_graph(3)
        graph[0][1]["weight"] = None  # hides it, as None from a function does
        self.assertEqual(mnx.single_source_dijkstra_path_length(graph, 0), {0: 0})

    def test_decimal_weights(self):
        random.seed(4)
        for graph in graphs():
            for _start, _end, data in graph.edges(data=True):
                data["weight"] = random.choice((0.1, 0.7, 3, 2.0**25 + 0.5))
            source = next(iter(graph))
            self.assertEqual(mnx.single_source_dijkstra_path_length(graph, source),
                             nx.single_source_dijkstra_path_length(graph, source))
            self.assertEqual(dict(mnx.all_pairs_dijkstra_path_length(graph)),
                             dict(nx.all_pairs_dijkstra_path_length(graph)))
        # Each weight is exact in float32, but their sum is not.
        graph = nx.path_graph(3)
        graph[0][1]["weight"], graph[1][2]["weight"] = 2.0**25, 0.5
        self.assertEqual(mnx.single_source_dijkstra_path_length(graph, 0)[2], 2.0**25 + 0.5)

    def test_refused(self):
        graph = nx.path_graph(3)
        for node in (7, [1]):
            with self.assertRaises((nx.NodeNotFound, TypeError)):
                nx.single_source_dijkstra_path_length(graph, node)
            with self.assertRaises(nx.NodeNotFound):
                mnx.single_source_dijkstra_path_length(graph, node)
        with self.assertRaisesRegex(mlmq.InputError, "no nodes"):
            mnx.all_pairs_dijkstra_path_length(nx.Graph())
        self.assertEqual(mnx.single_source_dijkstra_path_length(graph, 0, cutoff=-1), {})
        self.assertEqual(len(mnx.single_source_dijkstra_path_length(graph, 0, cutoff=float("inf"))), 3)


@unittest.skipUnless(nx, "no NetworkX")
class Backend(unittest.TestCase):
    """The steps of NetworkX's dispatcher (networkx/utils/backends.py of 3.2 to 3.6), which Debian 12 does not have."""

    def call(self, name, graph, *arguments, edge_attrs=None, **keywords):
        self.assertIs(mnx.can_run(name, (graph, *arguments), keywords), True)
        self.assertIs(mnx.should_run(name, (graph, *arguments), keywords), True)
        converted = mnx.convert_from_nx(graph, edge_attrs=edge_attrs, node_attrs=None, preserve_edge_attrs=False,
                                        preserve_node_attrs=False, preserve_graph_attrs=True, name=name, graph_name="G")
        self.assertEqual(converted.__networkx_backend__, "mlmq")
        self.assertEqual((converted.is_directed(), converted.is_multigraph()),
                         (graph.is_directed(), graph.is_multigraph()))
        self.assertIs(mnx.convert_to_nx(converted, name=name), graph)
        return mnx.convert_to_nx(getattr(mnx, name)(converted, *arguments, **keywords), name=name)

    def test_calls(self):
        for graph in graphs():
            source = next(iter(graph))
            self.assertEqual(self.call("single_source_dijkstra_path_length", graph, source, edge_attrs={"weight": 1}),
                             nx.single_source_dijkstra_path_length(graph, source))
            self.assertEqual(dict(self.call("all_pairs_shortest_path_length", graph)),
                             dict(nx.all_pairs_shortest_path_length(graph)))
            self.assertEqual(self.call("single_source_dijkstra_path_length", graph, source, weight=None),
                             nx.single_source_dijkstra_path_length(graph, source, weight=None))

    def test_what_it_cannot_do(self):
        def weight(_start, _end, _data):
            return 1

        graph = nx.path_graph(3)
        self.assertIsInstance(mnx.can_run("single_source_dijkstra_path_length", (graph, 0), {"weight": weight}), str)
        self.assertIsInstance(mnx.can_run("single_source_dijkstra_path_length", (graph, 0, None, weight), {}), str)
        self.assertIsInstance(mnx.can_run("pagerank", (graph,), {}), str)
        with self.assertRaises(NotImplementedError):  # the dispatcher uses another backend in this case
            mnx.convert_from_nx(graph, preserve_edge_attrs=True)
        for weight in (float("inf"), -1, 2**60, "far"):
            graph.add_edge(0, 1, weight=weight)
            with self.assertRaises(NotImplementedError):
                mnx.convert_from_nx(graph, edge_attrs={"weight": 1})
        with self.assertRaises(NotImplementedError):
            mnx.convert_from_nx(nx.Graph())

    def test_cached_for_other_weights(self):
        graph = nx.path_graph(3)
        graph[0][1]["weight"] = 7
        converted = mnx.convert_from_nx(graph, edge_attrs={"weight": 1})
        for weight in ("weight", None, "toll"):
            self.assertEqual(mnx.single_source_dijkstra_path_length(converted, 0, weight=weight),
                             nx.single_source_dijkstra_path_length(graph, 0, weight=weight))

    def test_what_it_says(self):
        info = mnx.backend_info()
        self.assertEqual(info["backend_name"], "mlmq")
        for name, facts in info["functions"].items():
            self.assertTrue(callable(getattr(mnx, name)))
            self.assertTrue(callable(getattr(nx, name)))
            self.assertIn("additional_docs", facts)

    def test_networkx_itself(self):
        version = tuple(map(int, re.findall(r"\d+", nx.__version__)[:2]))
        if version < (3, 2):
            self.skipTest(f"NetworkX {nx.__version__} has no backends")
        if not any(entry.name == "mlmq" for entry in importlib.metadata.entry_points(group="networkx.backends")):
            self.skipTest("the package is not installed, only on the path")
        for graph in graphs():
            source = next(iter(graph))
            self.assertEqual(nx.single_source_dijkstra_path_length(graph, source, backend="mlmq"),
                             nx.single_source_dijkstra_path_length(graph, source))
        graph.add_edge("here", "there", weight=float("inf"))
        with nx.config(backend_priority=["mlmq"]):
            self.assertEqual(nx.single_source_dijkstra_path_length(graph, "here"),
                             {"here": 0, "there": float("inf")})


if __name__ == "__main__":
    unittest.main()
