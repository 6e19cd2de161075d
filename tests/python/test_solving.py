# SPDX-License-Identifier: Apache-2.0
"""Searches from Python: from one source and from many, their answers, and refused input."""

import ctypes
import gc
import threading
import unittest

import numpy as np

import mlmq
from mlmq import _library
from package_test import DEVICES, INDPTR, INDICES, WEIGHTS, NONE, FROM_0, town


class Solving(unittest.TestCase):
    def test_several_devices(self):
        several = mlmq.Solver(town(), device="cpu:1,simt")
        alone = mlmq.Solver(town(), device="cpu:1")
        vertices = np.arange(5)
        self.assertEqual(several.device.selector, "cpu:1,simt")
        np.testing.assert_array_equal(several.solve_many(vertices), alone.solve_many(vertices))
        np.testing.assert_array_equal(several.reduce(vertices, mlmq.Reduction.closeness()).tables[0],
                                      alone.reduce(vertices, mlmq.Reduction.closeness()).tables[0])
        np.testing.assert_array_equal(several.solve_pairs([0, 2, 0], [3, 0, 4]).distances,
                                      alone.solve_pairs([0, 2, 0], [3, 0, 4]).distances)
        rows = {block.first + i: row.tolist() for block in several.blocks(vertices) for i, row in
                enumerate(block.distances)}
        self.assertEqual([rows[v] for v in vertices], np.asarray(alone.solve_many(vertices)).tolist())
        self.assertEqual(several.solve(0).distances.tolist(), FROM_0)
        with self.assertRaisesRegex(mlmq.InputError, "several devices"):
            next(several.blocks(vertices, keep_on_device=True))
        with self.assertRaisesRegex(mlmq.InputError, "one device"):
            mlmq.PathFinder(mlmq.Grid.open("grid16:density=0.1:seed=1"), device=several.device)

    def test_one_source(self):
        for device in DEVICES:
            with self.subTest(device):
                solver = mlmq.Solver(town(), device=device)
                self.assertFalse(solver.resident)
                answer = solver.solve(0, place="device", counters=True)
                self.assertTrue(solver.resident)
                self.assertEqual(solver.upload(), 0)
                self.assertEqual(answer.distances.tolist(), FROM_0)
                self.assertEqual(answer.distances.dtype, np.uint32)
                self.assertEqual(answer.reached.tolist(), [True] * 4 + [False])
                self.assertEqual(answer.distance(3), 7)
                self.assertEqual(answer.distance(np.int64(4)), float("inf"))
                self.assertEqual(answer.path(3).tolist(), [0, 1, 2, 3])
                self.assertEqual(answer.path(4).tolist(), [])
                self.assertEqual(answer.predecessors.tolist(), [NONE, 0, 1, 2, NONE])
                self.assertEqual(answer.check(), "")
                self.assertEqual(answer.source, 0)
                self.assertEqual(answer.choice.device, device)
                self.assertEqual(answer.choice.chosen_by, "model" if device == "simt" else "standard")
                self.assertGreater(answer.times.solve, 0)
                self.assertGreater(sum(answer.counters.values()), 0)
                self.assertEqual(answer.timeline, [])
                self.assertIn(device, repr(answer))
                self.assertEqual(solver.choose().configuration, answer.choice.configuration)

    def test_new_weights(self):
        for device in DEVICES:
            solver = mlmq.Solver(town(), device=device)
            hierarchy = "solver=cpu_hierarchy" if device.startswith("cpu") else "solver=hierarchy,threads=32,blocks=1"
            self.assertEqual(solver.solve_many([0], configurations=hierarchy).distances.tolist(), [FROM_0])
            doubled = np.array(WEIGHTS) * 2
            for _ in range(2):
                solver.update_weights(doubled)
                expected = [2 * length if length != NONE else NONE for length in FROM_0]
                self.assertEqual(solver.solve_many([0], configurations=hierarchy).distances.tolist(), [expected])
                self.assertEqual(solver.solve(0).distances.tolist(), expected)
                self.assertEqual(solver.solve(0).check(), "")
            with self.assertRaisesRegex(mlmq.InputError, "2 new weights"):
                solver.update_weights([1, 2])
            with self.assertRaisesRegex(mlmq.InputError, "expected 0 to"):
                solver.update_weights([-1] * len(WEIGHTS))

    def test_distances_that_do_not_fit(self):
        large = 4294967293
        graphs = [(mlmq.Graph.from_arrays([0, 1, 2, 3, 3], [1, 2, 3], [large, large, 1]), "beyond 32 bits"),
                  (mlmq.Graph.from_arrays([0, 1, 2, 2], [1, 2], np.array([3e38, 3e38], np.float32)), "for float32"),
                  (mlmq.Graph.from_arrays([0, 1, 2, 2], [1, 2], [1.5e308, 1.5e308]), "for float64")]
        for graph, text in graphs:
            for device in ("cpu:1", "simt"):
                solver = mlmq.Solver(graph, device=device)
                ones = np.ones(graph.edge_count, np.uint32)
                calls = [lambda: solver.solve(0), lambda: solver.solve(0, targets=[2]),
                         lambda: solver.solve_many([0]), lambda: solver.solve_many([0], targets=[2]),
                         lambda: list(solver.blocks([2, 0])), lambda: solver.solve_pairs([0], [2]),
                         lambda: solver.reduce([0], mlmq.Reduction.closeness()),
                         lambda: solver.reduce([0], mlmq.Reduction.eccentricity()),
                         lambda: solver.sum_pair_paths([0], [2], ones),
                         lambda: solver.sum_matrix_paths([0], [2], ones)]
                if device == "simt":
                    calls += [lambda: solver.solve(0, keep_on_device=True),
                              lambda: list(solver.blocks([0], keep_on_device=True))]
                if graph.weight_type == np.uint32:
                    kernels = ["hierarchy", "supernode", "group"] if device == "simt" else ["cpu_hierarchy"]
                    calls += [lambda name=name: solver.solve_many([0], configurations=f"solver={name}")
                              for name in kernels]
                    calls += [lambda name=name: solver.reduce([0], mlmq.Reduction.closeness(),
                                                              configurations=f"solver={name}") for name in kernels]
                for number, call in enumerate(calls):
                    with self.subTest(text=text, device=device, call=number):
                        with self.assertRaisesRegex(mlmq.SearchError, text):
                            call()
                self.assertEqual(solver.solve(0, cutoff=large).reached.tolist()[:2], [True, text == "beyond 32 bits"])
                self.assertEqual(solver.solve(2).check(), "")

    def test_levels(self):
        answer = mlmq.Solver(town([0.5] * 8), device="cpu:1", problem="bfs").solve(1)
        self.assertEqual(answer.distances.tolist(), [1, 0, 1, 2, NONE])

    def test_decimal_weights(self):
        answer = mlmq.Solver(town([weight / 2 for weight in WEIGHTS]), device="cpu:1").solve(0)
        self.assertEqual(answer.distances.tolist(), [0, 2, 3.5, 3.5, float("inf")])
        self.assertEqual(answer.distances.dtype, np.float64)
        self.assertEqual(answer.reached.tolist(), [True] * 4 + [False])
        single = town(np.array(WEIGHTS, np.float32) / 2)
        self.assertEqual((single.weight_type, single.decimal_places), (np.float32, None))

    def test_decimals_are_exact(self):
        graph = town([weight + 0.1 for weight in WEIGHTS])
        self.assertEqual((graph.weight_type, graph.decimal_places), (np.float64, 1))
        for device in ("cpu:1", "simt"):
            solver = mlmq.Solver(graph, device=device)
            right = [0, 4.1, 7.2, 7.3, float("inf")]
            self.assertEqual(solver.solve(0).distances.tolist(), right)
            self.assertEqual(solver.solve_many([0]).distances.tolist(), [right])
            self.assertEqual(solver.solve(0, targets=[1, 3], cutoff=7.2).distances.tolist(), [4.1, float("inf")])
            within = solver.reduce([0], mlmq.Reduction.within([7.2]), check=True)
            self.assertEqual([table.tolist() for table in within.tables], [[[3.0]]])
            solver.update_weights([weight + 0.25 for weight in WEIGHTS])
            self.assertEqual(solver.solve(0).distances.tolist(), [0, 4.25, 7.5, 7.75, float("inf")])

    def test_distances_of_8_bytes(self):
        lengths = [weight + 1 / 3 for weight in WEIGHTS]  # float32 cannot hold these numbers, which are no decimals
        graph = town(lengths)
        self.assertEqual((graph.weight_type, graph.decimal_places), (np.float64, None))
        for device in ("cpu:1", "simt"):
            solver = mlmq.Solver(graph, device=device)
            answer = solver.solve(0)
            right = answer.distances.tolist()
            self.assertEqual(answer.distances.dtype, np.float64)
            self.assertEqual(right, [0, lengths[0], lengths[0] + lengths[3], right[3], float("inf")])
            self.assertEqual(answer.reached.tolist(), [True] * 4 + [False])
            self.assertEqual(answer.path(2).tolist(), [0, 1, 2])
            many = solver.solve_many([0, 1])
            self.assertEqual((many.distances.dtype, many.distances[0].tolist()), (np.float64, right))
            self.assertEqual([block.distances.tolist() for block in solver.blocks([0])], [[right]])
            self.assertEqual(solver.solve(0, targets=[3], cutoff=100).distances.tolist(), [right[3]])
            out = np.zeros((2, 5))
            solver.solve_many([0, 1], out=out)
            self.assertEqual(out[0].tolist(), right)
            with self.assertRaisesRegex(mlmq.InputError, "float64"):
                solver.solve_many([0], out=np.zeros((1, 5), np.float32))
            if device == "simt":
                on_device = solver.solve(0, keep_on_device=True).device_distances
                self.assertEqual((on_device.dtype, on_device.to_host().tolist()), (np.float64, right))
                self.assertEqual(np.from_dlpack(solver.solve(0, keep_on_device=True)).tolist(), right)

    def test_types_of_weights_by_request(self):
        for dtype in (np.uint32, np.float32, "float64"):
            for weights in (WEIGHTS, [float(w) for w in WEIGHTS], None):
                graph = mlmq.Graph.from_arrays(INDPTR, INDICES, weights, weight_type=dtype)
                self.assertEqual(graph.weight_type, np.dtype(dtype))
                right = [0, 1, 1, 2] if weights is None else [0, 4, 7, 7]
                self.assertEqual(mlmq.Solver(graph, device="cpu:1").solve(0).distances[:4].tolist(), right)
        tenths = mlmq.Graph.from_arrays(INDPTR, INDICES, [0.1] * 8, weight_type=np.float32)
        self.assertEqual(mlmq.Solver(tenths, device="cpu:1").solve(0).distances[1], np.float32(0.1))
        for weights, dtype, text in (([0.5] * 8, np.uint32, "0.5 at position 0"),
                                     ([2.0**33] * 8, np.uint32, "position 0"),
                                     ([1e300] * 8, np.float32, "too large for float32"),
                                     (WEIGHTS, np.int64, "weight_type")):
            with self.assertRaisesRegex(mlmq.InputError, text):
                mlmq.Graph.from_arrays(INDPTR, INDICES, weights, weight_type=dtype)
        device = mlmq.Device.of("simt")
        arrays = [device.to_device(np.array(values, np.uint32)) for values in (INDPTR, INDICES, WEIGHTS)]
        with self.assertRaisesRegex(mlmq.InputError, "on the device are uint32"):
            mlmq.Graph.from_arrays(*arrays, weight_type=np.float32)

    def test_configurations(self):
        solver = mlmq.Solver(town(), device="simt")
        answer = solver.solve(0, configurations="solver=near_far,threads=128", timeline=True)
        self.assertEqual(answer.choice.configuration, mlmq.complete_configuration("solver=near_far,threads=128"))
        self.assertEqual(answer.choice.chosen_by, "caller")
        self.assertGreater(len(answer.timeline), 0)
        self.assertGreater(answer.timeline[0].vertices, 0)
        several = solver.solve(0, configurations=["solver=near_far,threads=64", ""])
        self.assertIn("threads=64", several.choice.configuration)
        for wrong in ("solver=telepathy", ["", 5]):
            with self.assertRaises(mlmq.InputError):
                solver.solve(0, configurations=wrong)
        with self.assertRaises(mlmq.UnsuitableError):
            solver.solve(0, configurations="solver=dijkstra")
        with self.assertRaises(mlmq.SearchError) as caught:
            mlmq.Solver(mlmq.Graph.open("road12"), device="simt").solve(0, time_limit_ms=1e-6)
        self.assertEqual(caught.exception.reason, "time_limit")

    def test_several_are_tried(self):
        solver = mlmq.Solver(mlmq.Graph.open("road8"), device="simt")
        tried = solver.try_out([0, 3], 2)
        self.assertIn(len(tried), (1, 2))  # this small device may be able to run only one of the two
        self.assertGreater(tried[0].milliseconds, 0)
        self.assertEqual(tried[0].searches, 2)
        self.assertEqual(solver.choose(place="device").configuration, tried[0].configuration)
        self.assertEqual(solver.choose(place="device").chosen_by, "trial")

    def test_in_parts(self):
        solver = mlmq.Solver(mlmq.Graph.open("road8"), device="simt")
        usual = solver.solve(3, partition="never")
        self.assertNotIn("partitioned", usual.choice.configuration)
        split = solver.solve(3, partition="always")
        self.assertIn("solver=partitioned", split.choice.configuration)
        self.assertEqual(split.choice.chosen_by, "rule")
        self.assertEqual(split.distances.tolist(), usual.distances.tolist())

    def test_refused(self):
        solver = mlmq.Solver(town(), device="cpu:1")
        for call, text in ((lambda: solver.solve(5), "source 5"), (lambda: solver.solve(-1), "source -1"),
                           (lambda: solver.solve(1.5), "1.5"), (lambda: solver.solve(0, time_limit_ms=0), "time limit"),
                           (lambda: solver.solve(0).distance(5), "vertex 5"),
                           (lambda: solver.solve(0).path(-1), "vertex -1"),
                           (lambda: solver.solve(0, place="elsewhere"), "elsewhere"),
                           (lambda: solver.solve(0, partition="perhaps"), "perhaps"),
                           (lambda: solver.solve(0, [1], partition="always"), "combined with targets"),
                           (lambda: mlmq.Solver(town(), problem="tsp"), "tsp"), (lambda: mlmq.Solver([1]), "list"),
                           (lambda: mlmq.Solver(town(), device="gpu!"), "gpu!"),
                           (lambda: mlmq.Solver(town(), device=3), "3"),
                           (lambda: mlmq.Graph.open("no such file"), "no such file"),
                           (lambda: mlmq.Graph.open("a\0b"), "character"),
                           (lambda: mlmq.Model("no such model"), "no such"),
                           (lambda: solver.try_out([], 2), ""), (lambda: solver.try_out([0], 0), "count"),
                           (lambda: solver.solve(0, keep_on_device=True), "")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    call()
                self.assertIn(text, str(caught.exception))
                self.assertIsInstance(caught.exception, ValueError)
                self.assertNotIn("\n", str(caught.exception))
        self.assertEqual(solver.solve(0).distances.tolist(), FROM_0)

    def test_threads_share_a_solver(self):
        solver = mlmq.Solver(mlmq.Graph.open("road10"), device="cpu:1")
        wrong = []

        def search(source):
            answer = solver.solve(source)
            if answer.check() or answer.source != source:
                wrong.append(source)

        threads = [threading.Thread(target=search, args=(source,)) for source in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_errors_have_their_kinds(self):
        self.assertTrue(issubclass(mlmq.DeviceMemoryError, MemoryError))
        self.assertTrue(issubclass(mlmq.DeviceMemoryError, mlmq.WorkError))
        for status, kind in _library._ERRORS.items():
            self.assertIsInstance(kind("why"), (mlmq.Error, MemoryError), status)
        self.assertTrue(_library._ERRORS[7]("why").lost)
        self.assertFalse(_library._ERRORS[6]("why").lost)
        with self.assertRaises(MemoryError):
            _library.library().mlmq_digraph_from_rows(2, 1 << 61, mlmq._arrays.pointer_to(np.zeros(3, np.uint64)), 8, 0,
                                                      None, None, ctypes.byref(ctypes.c_void_p()))


class Many(unittest.TestCase):
    SOURCES = [3, 0, 4]
    RIGHT = [[7, 3, 0, 0, NONE], FROM_0, [NONE] * 4 + [0]]

    def test_matrix(self):
        for device in DEVICES:
            with self.subTest(device):
                solver = mlmq.Solver(town(), device=device)
                answer = solver.solve_many(self.SOURCES, check=True)
                self.assertEqual(answer.distances.tolist(), self.RIGHT)
                self.assertEqual(np.asarray(answer).tolist(), self.RIGHT)
                self.assertEqual((answer.shape, len(answer), answer.dtype), ((3, 5), 3, np.uint32))
                self.assertEqual(answer[1, 2], 7)
                self.assertEqual(answer.sources.tolist(), self.SOURCES)
                self.assertEqual(answer.choice.device, device)
                self.assertEqual(answer.tried, [])
                self.assertEqual(answer.reached.sum(), 9)
                self.assertNotEqual(answer.digest, 0)
                self.assertEqual(solver.solve_many(self.SOURCES[::-1]).digest, answer.digest)
                out = np.zeros((3, 5), np.uint32)
                self.assertIs(solver.solve_many(self.SOURCES, out=out).distances, out)
                self.assertEqual(out.tolist(), self.RIGHT)

    def test_targets_and_cutoff(self):
        for device in DEVICES:
            with self.subTest(device):
                solver = mlmq.Solver(town(), device=device)
                answer = solver.solve_many(self.SOURCES, targets=[2, 0])
                self.assertEqual(answer.distances.tolist(), [[0, 7], [7, 0], [NONE, NONE]])
                self.assertEqual(answer.targets.tolist(), [2, 0])
                self.assertEqual(answer.digest, 0)
                self.assertEqual(solver.solve_many([0], cutoff=4).distances.tolist(), [[0, 4, NONE, NONE, NONE]])
                single = solver.solve(0, targets=[3, 1])
                self.assertEqual((single.distances.tolist(), single.distance(3), single.source), ([7, 4], 7, 0))
                with self.assertRaisesRegex(mlmq.InputError, "not one of the targets"):
                    single.distance(2)
                bounded = solver.solve(0, cutoff=5)
                self.assertEqual((bounded.distance(1), bounded.distance(2)), (4, float("inf")))

    def test_blocks(self):
        solver = mlmq.Solver(town(), device="cpu:2")
        blocks = list(solver.blocks(self.SOURCES, memory_bytes=20))
        self.assertEqual([block.first for block in blocks], [0, 1, 2])
        self.assertEqual(np.concatenate([block.distances for block in blocks]).tolist(), self.RIGHT)
        self.assertEqual([block.sources.tolist() for block in blocks], [[3], [0], [4]])
        threads = threading.active_count()
        for block in solver.blocks(np.zeros(1000, int), memory_bytes=20):
            self.assertEqual(block.distances.tolist(), [FROM_0])
            break
        gc.collect()
        self.assertEqual(threading.active_count(), threads)
        with self.assertRaisesRegex(mlmq.InputError, "time limit"):
            list(solver.blocks([0], time_limit_ms=-1))

    def test_searches_between_blocks(self):
        for device in DEVICES:
            for options in ({}, {"keep_on_device": True})[:1 if device.startswith("cpu") else 2]:
                with self.subTest(device, **options):
                    solver = mlmq.Solver(town(), device=device)
                    count = 0
                    for block in solver.blocks(np.zeros(8, int), memory_bytes=40, **options):
                        self.assertEqual(solver.solve(0).distances.tolist(), FROM_0)
                        self.assertEqual(solver.solve_many([0, 0]).distances.tolist(), [FROM_0] * 2)
                        self.assertEqual(next(solver.blocks([0])).distances.tolist(), [FROM_0])
                        count += len(block.sources)
                    self.assertEqual(count, 8)

    def test_blocks_on_the_device(self):
        solver = mlmq.Solver(town(), device="simt")
        results = []
        for block in solver.blocks(self.SOURCES, memory_bytes=20, keep_on_device=True):
            self.assertIsInstance(block.distances, mlmq.DeviceArray)
            self.assertEqual(block.distances.to_host().tolist(), np.from_dlpack(block.distances).tolist())
            results.append(np.from_dlpack(block.distances)[0].tolist())
        self.assertEqual(results, self.RIGHT)

    def test_reductions(self):
        reductions = [mlmq.Reduction.within([3, 7], [1, 0.5, 0, 2, 8]), mlmq.Reduction.within(4),
                      mlmq.Reduction.decayed(4, [0, 1, 0, 0, 0]), mlmq.Reduction.decayed(8, decay="linear"),
                      mlmq.Reduction.histogram([0, 4, 9]), mlmq.Reduction.closeness(), mlmq.Reduction.eccentricity(),
                      mlmq.Reduction.nearest([1, 4, 3], 2)]
        infinity = float("inf")
        for device in DEVICES:
            with self.subTest(device):
                result = mlmq.Solver(town(), device=device).reduce(self.SOURCES, reductions, check=True)
                self.assertEqual(result.sources.tolist(), self.SOURCES)
                tables = [table.tolist() for table in result.tables]
                self.assertEqual(tables[0], [[2.5, 3.5], [1, 3.5], [8, 8]])
                self.assertEqual(tables[1], [[3], [2], [1]])
                for row, distance in zip(tables[2], (3, 4, infinity)):
                    self.assertAlmostEqual(row[0], np.exp(-distance / 4), places=7)
                self.assertEqual(tables[3], [[1 / 8 + 5 / 8 + 2], [1 + 4 / 8 + 2 / 8], [1]])
                self.assertEqual(tables[4], [[2, 1, 1], [1, 1, 2], [1, 0, 0]])
                self.assertEqual(tables[5], [[10, 4], [18, 4], [0, 1]])
                self.assertEqual(tables[6], [[7], [7], [0]])
                self.assertEqual(tables[7], [[0, 3, 3, 1], [4, 7, 1, 3], [0, infinity, 4, -1]])
                one = mlmq.Solver(town(), device=device).reduce(self.SOURCES, mlmq.Reduction.nearest([1, 4, 3]))
                self.assertEqual(one.tables[0].tolist(), [[0, 3], [4, 1], [0, 4]])
                single = mlmq.Solver(town(), device=device).reduce([0], mlmq.Reduction.closeness(), cutoff=4)
                self.assertEqual(single.tables[0].tolist(), [[4, 2]])

    def test_pairs(self):
        for device in DEVICES:
            with self.subTest(device):
                pairs = mlmq.Solver(town(), device=device).solve_pairs([3, 0, 3, 4], [0, 2, 4, 4], check=True)
                self.assertEqual(pairs.distances.tolist(), [7, 7, float("inf"), 0])
                self.assertEqual(pairs.distances.dtype, np.float64)
        reversed_town = mlmq.Solver(town().reversed(), device="cpu:1")
        self.assertEqual([int(reversed_town.solve(v).distances[0]) for v in (1, 2, 3)], [4, 7, 7])

    def test_sums_along_paths(self):
        quantities = 10 ** np.arange(8)
        for device in DEVICES:
            with self.subTest(device):
                solver = mlmq.Solver(town(), device=device)
                pairs = solver.sum_pair_paths([3, 0, 3, 4], [0, 3, 4, 4], quantities, check=True)
                self.assertEqual(pairs.distances.tolist(), [7, 7, float("inf"), 0])
                self.assertEqual(pairs.sums.tolist(), [1010100, 101001, mlmq.NO_PATH_SUM, 0])
                self.assertEqual(pairs.sums.dtype, np.uint64)
                matrix = solver.sum_matrix_paths([3, 0], [0, 3, 4], quantities, check=True)
                self.assertEqual(matrix.distances.tolist(), [[7, 0, float("inf")], [0, 7, float("inf")]])
                self.assertEqual(matrix.sums.tolist(), [[1010100, 0, mlmq.NO_PATH_SUM], [0, 101001, mlmq.NO_PATH_SUM]])
                self.assertEqual(matrix.choice.chosen_by, pairs.choice.chosen_by)
                near = solver.sum_pair_paths([3, 3], [0, 1], quantities, cutoff=3)
                self.assertEqual(near.sums.tolist(), [mlmq.NO_PATH_SUM, 1010000])

    def test_refused_sums_along_paths(self):
        solver = mlmq.Solver(town(), device="cpu:1")
        for call, text in ((lambda: solver.sum_pair_paths([0, 1], [2], np.arange(8)), "2 sources, but 1 targets"),
                           (lambda: solver.sum_pair_paths([0], [5], np.arange(8)), "targets: 5"),
                           (lambda: solver.sum_matrix_paths([0], [], np.arange(8)), "targets: none"),
                           (lambda: solver.sum_matrix_paths([0], [1], np.arange(7)), "quantities: 7 numbers"),
                           (lambda: solver.sum_matrix_paths([0], [1], [1.5] * 8), "expected whole numbers"),
                           (lambda: solver.sum_matrix_paths([0], [1], [-1] * 8), "quantities: -1 at position 0")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    call()
                self.assertIn(text, str(caught.exception))

    def test_refused_reductions(self):
        solver = mlmq.Solver(town(), device="cpu:1")
        for call, text in ((lambda: solver.reduce([0], []), "no reductions"),
                           (lambda: solver.reduce([0], ["closeness"]), "'closeness'"),
                           (lambda: solver.reduce([0], mlmq.Reduction.within([3, -1])), "-1"),
                           (lambda: solver.reduce([0], mlmq.Reduction.within([3], [1, 2])), "2 numbers"),
                           (lambda: solver.reduce([0], mlmq.Reduction.within([3], [1, 2, float("nan"), 0, 0])), "nan"),
                           (lambda: solver.reduce([0], mlmq.Reduction.decayed(0)), "scale"),
                           (lambda: mlmq.Reduction.decayed(1, decay="sudden"), "'sudden'"),
                           (lambda: mlmq.Reduction.nearest([1], 0), "count"),
                           (lambda: solver.reduce([0], mlmq.Reduction.nearest([9], 1)), "member 9"),
                           (lambda: solver.solve_pairs([0, 1], [2]), "2 sources, but 1 targets"),
                           (lambda: solver.solve_pairs([0], [5]), "targets: 5")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    call()
                self.assertIn(text, str(caught.exception))

    def test_tries(self):
        answer = mlmq.Solver(town(), device="simt").solve_many(np.zeros(64, int), tries=2, searches_per_try=4)
        self.assertEqual(len(answer.tried), 2)
        self.assertEqual(answer.tried[0].searches, 4)
        self.assertEqual(answer.choice.chosen_by, "trial")

    def test_refused(self):
        solver = mlmq.Solver(town(), device="cpu:1")
        self.assertEqual(solver.solve_many(np.int64(0)).distances.tolist(), [FROM_0])
        for call, text in ((lambda: solver.solve_many([]), "sources"),
                           (lambda: solver.solve(0, model=solver.graph), "model: Graph, expected a Model"),
                           (lambda: solver.choose(model=3), "model: int, expected a Model"),
                           (lambda: solver.solve(0, cutoff=10**400), "cutoff"),
                           (lambda: solver.solve(0, tries=2**32), "tries: 4294967296"),
                           (lambda: solver.try_out([0], 1.5), "count: 1.5, expected a whole number"),
                           (lambda: solver.solve(0, time_limit_ms="9"), "time_limit_ms: '9', expected a number"),
                           (lambda: solver.solve(0, [1]).distance("1"), "vertex: '1'"),
                           (lambda: solver.graph.vertex_of(1.5), "id: 1.5"),
                           (lambda: solver.graph.vertex_of(-1), "id: -1"),
                           (lambda: mlmq.Device("simt").set_seed(-1), "seed: -1"),
                           (lambda: solver.solve_many([0, 5]), "5 at position 1"),
                           (lambda: solver.solve_many([0.5]), "float64"),
                           (lambda: solver.solve_many([[0]]), "2 dimensions"),
                           (lambda: solver.solve_many([0], targets=[]), "targets"),
                           (lambda: solver.solve_many([0], targets=[9]), "targets: 9"),
                           (lambda: solver.solve_many([0], cutoff=-1), "cutoff"),
                           (lambda: solver.solve_many([0], cutoff=float("nan")), "cutoff"),
                           (lambda: solver.solve_many([0], tries=0), "tries"),
                           (lambda: solver.solve_many([0], searches_per_try=0), "searches_per_try"),
                           (lambda: solver.solve_many([0], out=np.zeros((1, 4), np.uint32)), "shape (1, 5)"),
                           (lambda: solver.solve_many([0], out=np.zeros((1, 5), np.float32)), "uint32"),
                           (lambda: solver.solve_many([0], out=np.zeros((1, 10), np.uint32)[:, ::2]), "contiguous"),
                           (lambda: solver.solve_many([0], out=[0]), "list"),
                           (lambda: solver.solve(0, targets=[1], counters=True), "counters"),
                           (lambda: solver.blocks([7]), "7")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    call()
                self.assertIn(text, str(caught.exception))
        with self.assertRaises(TypeError):
            solver.solve_many([0], cuttoff=3)


if __name__ == "__main__":
    unittest.main()
