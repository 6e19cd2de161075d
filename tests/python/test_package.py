# SPDX-License-Identifier: Apache-2.0
"""The Python package: arrays in, distances out, what is refused, memory that outlives objects, devices.

Takes the package from PYTHONPATH and libmlmq from MLMQ_LIBRARY, as CTest sets them.
"""

import builtins
import ctypes
import gc
import inspect
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import numpy as np

import mlmq
from mlmq import _dlpack, _library

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEVICES = ("cpu:2", "simt")

# Five places: a ferry that takes no time joins 2 and 3; nobody leaves 4, and nobody gets there.
INDPTR = [0, 2, 4, 6, 8, 8]
INDICES = [1, 2, 0, 2, 1, 3, 2, 1]
WEIGHTS = [4, 9, 4, 3, 3, 0, 0, 5]
NONE = mlmq.UNREACHABLE
FROM_0 = [0, 4, 7, 7, NONE]


def town(weights=WEIGHTS):
    return mlmq.Graph.from_arrays(INDPTR, INDICES, weights, name="town")


class Header(unittest.TestCase):
    """What the package believes of mlmq/mlmq.h."""

    KINDS = {"size_t": 8, "uint64_t": 8, "uint32_t": 4, "mlmq_vertex": 4, "int": 4, "unsigned": 4, "double": "double",
             "mlmq_status": "status", "void": None}

    def setUp(self):
        with open(f"{ROOT}/library/mlmq/mlmq.h", encoding="utf-8") as file:
            self.text = re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.DOTALL)

    def kind_of_c(self, declaration):
        words = declaration.replace("*", " * ").split()
        if "*" in words or "mlmq_take_distances" in words:
            return "pointer"
        kind = next(word for word in words if word != "const")
        return self.KINDS.get(kind, 4)  # else an enumeration

    @staticmethod
    def kind_of_ctypes(kind):
        if kind is None:
            return None
        if kind is _library.Status:
            return "status"
        if kind is ctypes.c_double:
            return "double"
        if kind in (ctypes.c_void_p, ctypes.c_char_p) or hasattr(kind, "contents") or kind is _library.TakeDistances:
            return "pointer"
        return ctypes.sizeof(kind)

    def test_functions(self):
        found = {}
        for declaration in re.findall(r"^MLMQ_API\s+([^;{]*);", self.text, re.MULTILINE | re.DOTALL):
            result, name, arguments = re.fullmatch(r"(.*?)\bmlmq_(\w+)\((.*)\)", declaration.strip(), re.DOTALL).groups()
            kinds = [self.kind_of_c(argument.replace("mlmq_status ", "int ")) for argument in arguments.split(",")
                     if argument.strip() != "void"]
            found[name] = (self.kind_of_c(result), *kinds)
        self.assertGreater(len(found), 100)
        believed = {name: tuple(map(self.kind_of_ctypes, kinds)) for name, kinds in _library.FUNCTIONS.items()}
        self.assertEqual(believed, found)

    def test_structures(self):
        seen = 0
        for name, body in re.findall(r"typedef struct mlmq_(\w+) \{(.*?)\} mlmq_\1;", self.text, re.DOTALL):
            if not hasattr(_library, name):
                self.assertIn(name, ("cell", "grid_pair"))
                continue
            members = []
            for member in body.split(";"):
                if not member.strip():
                    continue
                pointer = re.fullmatch(r"\s*void \(\*(\w+)\)\(.*\)", member)
                members.append((pointer.group(1), "pointer") if pointer else
                               (re.search(r"(\w+)$", member.strip()).group(1), self.kind_of_c(member)))
            believed = [(member, self.kind_of_ctypes(kind)) for member, kind in getattr(_library, name)._fields_]
            self.assertEqual(believed, members, name)
            seen += 1
        self.assertGreaterEqual(seen, 13)

    def test_statuses(self):
        names = dict(re.findall(r"\bMLMQ_(\w+) = (\d+)", self.text[:self.text.index("} mlmq_status;")]))
        for name, value in names.items():
            self.assertEqual(_library.library().mlmq_status_name(int(value)).decode(), name.lower())
        self.assertEqual(_library.STOPPED, int(names["STOPPED"]))
        self.assertEqual(set(_library._ERRORS), {int(value) for value in names.values()} - {0, _library.STOPPED})


class Solving(unittest.TestCase):
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
                self.assertTrue(answer.exact)
                self.assertEqual(answer.choice.device, device)
                self.assertEqual(answer.choice.by, "model" if device == "simt" else "standard")
                self.assertGreater(answer.times.solve, 0)
                self.assertGreater(sum(answer.counters.values()), 0)
                self.assertEqual(answer.timeline, [])
                self.assertIn(device, repr(answer))
                self.assertEqual(solver.choose().configuration, answer.choice.configuration)

    def test_levels(self):
        answer = mlmq.Solver(town([0.5] * 8), device="cpu:1", problem="bfs").solve(1)
        self.assertEqual(answer.distances.tolist(), [1, 0, 1, 2, NONE])

    def test_decimal_weights(self):
        answer = mlmq.Solver(town([weight / 2 for weight in WEIGHTS]), device="cpu:1").solve(0)
        self.assertEqual(answer.distances.tolist(), [0, 2, 3.5, 3.5, float("inf")])
        self.assertEqual(answer.distances.dtype, np.float32)
        self.assertEqual(answer.reached.tolist(), [True] * 4 + [False])

    def test_distances_of_8_bytes(self):
        lengths = [weight + 0.1 for weight in WEIGHTS]  # which float32 does not hold
        graph = town(lengths)
        self.assertEqual(graph.weight_type, np.float64)
        for device in ("cpu:1", "simt"):
            solver = mlmq.Solver(graph, device=device)
            answer = solver.solve(0)
            right = answer.distances.tolist()
            self.assertEqual(answer.distances.dtype, np.float64)
            self.assertEqual(right, [0, 4.1, 4.1 + 3.1, 4.1 + 3.1 + 0.1, float("inf")])
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
                kept = solver.solve(0, keep_on_device=True).device_distances
                self.assertEqual((kept.dtype, kept.to_host().tolist()), (np.float64, right))
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
        for weights, dtype, text in (([0.5] * 8, np.uint32, "0.5 at position 0"), ([2.0**33] * 8, np.uint32, "position 0"),
                                     ([1e300] * 8, np.float32, "too large for float32"), (WEIGHTS, np.int64, "weight_type")):
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
        self.assertEqual(answer.choice.by, "caller")
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
        self.assertIn(len(tried), (1, 2))  # as many of the two as this small device can run
        self.assertGreater(tried[0].milliseconds, 0)
        self.assertEqual(tried[0].searches, 2)
        self.assertEqual(solver.choose(place="device").configuration, tried[0].configuration)
        self.assertEqual(solver.choose(place="device").by, "trial")

    def test_in_parts(self):
        solver = mlmq.Solver(mlmq.Graph.open("road8"), device="simt")
        usual = solver.solve(3, partition="never")
        self.assertNotIn("partitioned", usual.choice.configuration)
        split = solver.solve(3, partition="always")
        self.assertIn("solver=partitioned", split.choice.configuration)
        self.assertEqual(split.choice.by, "rule")
        self.assertEqual(split.distances.tolist(), usual.distances.tolist())

    def test_refused(self):
        solver = mlmq.Solver(town(), device="cpu:1")
        for call, text in ((lambda: solver.solve(5), "source 5"), (lambda: solver.solve(-1), "source -1"),
                           (lambda: solver.solve(1.5), "1.5"), (lambda: solver.solve(0, time_limit_ms=0), "time limit"),
                           (lambda: solver.solve(0).distance(5), "vertex 5"), (lambda: solver.solve(0).path(-1), "vertex -1"),
                           (lambda: solver.solve(0, place="elsewhere"), "elsewhere"),
                           (lambda: solver.solve(0, partition="perhaps"), "perhaps"),
                           (lambda: solver.solve(0, [1], partition="always"), "without targets"),
                           (lambda: mlmq.Solver(town(), problem="tsp"), "tsp"), (lambda: mlmq.Solver([1]), "list"),
                           (lambda: mlmq.Solver(town(), device="gpu!"), "gpu!"), (lambda: mlmq.Solver(town(), device=3), "3"),
                           (lambda: mlmq.Graph.open("no such file"), "no such file"),
                           (lambda: mlmq.Graph.open("a\0b"), "character"), (lambda: mlmq.Model("no such model"), "no such"),
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
        self.assertTrue(issubclass(mlmq.MemoryError, builtins.MemoryError))
        self.assertTrue(issubclass(mlmq.MemoryError, mlmq.WorkError))
        for status, kind in _library._ERRORS.items():
            self.assertIsInstance(kind("why"), (mlmq.Error, builtins.MemoryError), status)
        self.assertTrue(_library._ERRORS[7]("why").lost)
        self.assertFalse(_library._ERRORS[6]("why").lost)
        with self.assertRaises(builtins.MemoryError):
            _library.library().mlmq_digraph_from_rows(2, 1 << 61, mlmq._arrays.address_of(np.zeros(3, np.uint64)), 8, 0, None,
                                                      None, ctypes.byref(ctypes.c_void_p()))


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
                self.assertTrue(answer.exact)
                self.assertEqual(answer.choice.device, device)
                self.assertEqual(answer.tried, [])
                self.assertEqual(answer.reached.sum(), 9)
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
                self.assertEqual(solver.solve_many([0], cutoff=4).distances.tolist(), [[0, 4, NONE, NONE, NONE]])
                one = solver.solve(0, targets=[3, 1])
                self.assertEqual((one.distances.tolist(), one.distance(3), one.source), ([7, 4], 7, 0))
                with self.assertRaisesRegex(mlmq.InputError, "none of the targets"):
                    one.distance(2)
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

    def test_blocks_on_the_device(self):
        solver = mlmq.Solver(town(), device="simt")
        found = []
        for block in solver.blocks(self.SOURCES, memory_bytes=20, keep_on_device=True):
            self.assertIsInstance(block.distances, mlmq.DeviceArray)
            with self.assertRaisesRegex(mlmq.InputError, "array library"):
                block.distances.to_host()
            found.append(np.from_dlpack(block.distances)[0].tolist())
        self.assertEqual(found, self.RIGHT)

    def test_tries(self):
        answer = mlmq.Solver(town(), device="simt").solve_many(np.zeros(64, int), tries=2, searches_per_try=4)
        self.assertEqual(len(answer.tried), 2)
        self.assertEqual(answer.tried[0].searches, 4)
        self.assertEqual(answer.choice.by, "trial")

    def test_refused(self):
        solver = mlmq.Solver(town(), device="cpu:1")
        for call, text in ((lambda: solver.solve_many([]), "sources"), (lambda: solver.solve_many([0, 5]), "5 at position 1"),
                           (lambda: solver.solve_many([0.5]), "float64"), (lambda: solver.solve_many([[0]]), "2 dimensions"),
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


class Arrays(unittest.TestCase):
    def distances(self, *arrays):
        return mlmq.Solver(mlmq.Graph.from_arrays(*arrays), device="cpu:1").solve(0).distances.tolist()

    def test_types_that_fit(self):
        for kind in (np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, ">i4"):
            with self.subTest(kind):
                arrays = [np.array(values, kind) for values in (INDPTR, INDICES, WEIGHTS)]
                self.assertEqual(self.distances(*arrays), FROM_0)
        for kind in (np.float16, np.float32, np.float64):
            self.assertEqual(self.distances(INDPTR, INDICES, np.array(WEIGHTS, kind)), [0, 4, 7, 7, float("inf")])
        self.assertEqual(self.distances(INDPTR, INDICES), [0, 1, 1, 2, NONE])
        self.assertEqual(self.distances([0, 0], []), [0])

    def test_layouts_that_fit(self):
        spread = [np.repeat(np.array(values), 2)[::2] for values in (INDPTR, INDICES, WEIGHTS)]
        self.assertFalse(spread[0].flags.c_contiguous)
        self.assertEqual(self.distances(*spread), FROM_0)
        fixed = np.array(WEIGHTS, np.uint32)
        fixed.flags.writeable = False
        self.assertEqual(self.distances(INDPTR, INDICES, fixed), FROM_0)

    def test_others_arrays(self):
        class Dlpack:
            def __init__(self, values):
                self.values = np.array(values, np.int64)

            def __dlpack__(self, **options):
                return self.values.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.values.__dlpack_device__()

        self.assertEqual(self.distances(*map(Dlpack, (INDPTR, INDICES, WEIGHTS))), FROM_0)

    def test_refused(self):
        big = np.array(WEIGHTS, np.int64)
        big[3] = 2**32 - 2
        negative = np.array(WEIGHTS)
        negative[2] = -3
        for arrays, text in (((INDPTR, INDICES, negative), "weights: -3 at position 2"),
                             ((INDPTR, INDICES, big), "weights: 4294967294 at position 3"),
                             ((INDPTR, INDICES, [0.5] * 7 + [-0.5]), "weights: -0.5 at position 7"),
                             ((INDPTR, INDICES, [1.0] * 7 + [float("nan")]), "weights: nan at position 7"),
                             ((INDPTR, INDICES, [1.0] * 7 + [float("inf")]), "weights: inf at position 7"),
                             ((INDPTR, INDICES, WEIGHTS[:7]), "weights: 7"),
                             ((INDPTR, INDICES, ["a"] * 8), "weights: numbers of type"),
                             ((INDPTR, INDICES, [1j] * 8), "complex"),
                             ((INDPTR, INDICES, [[1] * 8]), "2 dimensions"),
                             ((INDPTR, [1, 2, 0, 2, 1, 3, 2, 5], WEIGHTS), "indices: 5 at position 7"),
                             ((INDPTR, [1, 2, 0, 2, 1, 3, 2, -1], WEIGHTS), "indices: -1 at position 7"),
                             ((INDPTR, [1, 2, 0, 2, 1, 3, 2, 2**32 + 1], WEIGHTS), "indices: 4294967297"),
                             ((INDPTR, np.array(INDICES, float), WEIGHTS), "indices: numbers of type float64"),
                             (([0, 4, 2, 6, 8, 8], INDICES, WEIGHTS), "graph"),
                             (([0, 2, 4, 6, 8, 9], INDICES, WEIGHTS), "graph"),
                             (([0], [], []), "indptr: 1"), (([], [], []), "indptr: 0"),
                             (([-1, 8], [0] * 8, WEIGHTS), "indptr: -1"),
                             ((INDPTR, [[1], [2, 3]], WEIGHTS), "indices")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    mlmq.Graph.from_arrays(*arrays)
                self.assertIn(text, str(caught.exception))
        with self.assertRaisesRegex(mlmq.InputError, "device"):
            mlmq.Graph.from_arrays(INDPTR, INDICES, WEIGHTS, device="simt")
        with self.assertRaisesRegex(mlmq.InputError, "check"):
            mlmq.Graph.from_arrays(INDPTR, INDICES, WEIGHTS, check=False)

    def test_graph_facts(self):
        graph = town()
        self.assertEqual((graph.name, graph.vertex_count, graph.edge_count, graph.weight_type), ("town", 5, 8, np.uint32))
        self.assertTrue(graph.on_host)
        self.assertEqual((graph.notes, graph.id_of(3), graph.vertex_of(3)), ([], 3, 3))
        with self.assertRaises(mlmq.InputError):
            graph.vertex_of(5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.wel")
            with open(path, "w", encoding="utf-8") as file:
                file.write("10 30 4\n30 20 -2\n")
            read = mlmq.Graph.open(path, absolute_weights=True)
            self.assertEqual((read.vertex_count, read.id_of(2), read.vertex_of(20)), (3, 30, 1))
            self.assertEqual(len(read.notes), 1)
            with self.assertRaises(mlmq.InputError):
                mlmq.Graph.open(path)
            self.assertEqual(mlmq.Graph.open(path, absolute_weights=True, undirected=True).edge_count, 4)
            self.assertEqual(mlmq.Graph.open(path, ignore_weights=True, weight_type=np.float32).weight_type, np.float32)
            self.assertEqual(mlmq.Graph.open("road6", weight_type="float64").weight_type, np.float64)
            for wrong in (np.int64, "long", object()):
                with self.assertRaisesRegex(mlmq.InputError, "weight_type"):
                    mlmq.Graph.open("road6", weight_type=wrong)

    def test_scipy(self):
        try:
            import scipy.sparse as sparse
            from scipy.sparse.csgraph import dijkstra
        except ImportError:
            self.skipTest("no SciPy")
        rng = np.random.default_rng(3)
        whole = sparse.random(60, 60, 0.08, format="csr", random_state=rng, data_rvs=lambda n: rng.integers(1, 50, n))
        for matrix in (whole, whole.astype(np.int32), whole.astype(np.float32) / 8, whole.astype(np.float64) / 10, whole.tocsc(), whole.tocoo(),
                       sparse.csr_array(whole)):
            answer = mlmq.Solver(mlmq.Graph.from_scipy(matrix), device="cpu:2").solve_many(np.arange(60))
            found = np.where(answer.reached, np.asarray(answer, np.float64), np.inf)
            np.testing.assert_array_equal(found, dijkstra(matrix.tocsr()))
        # What is there twice is one edge, with the sum: as matrix.toarray() has it.
        twice = sparse.csr_matrix((np.array([2, 3, 7]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
        self.assertEqual(mlmq.Solver(mlmq.Graph.from_scipy(twice), device="cpu:1").solve(0).distances.tolist(), [0, 5])
        self.assertEqual(twice.nnz, 3)
        for wrong, text in ((sparse.csr_matrix((2, 3)), "2 rows and 3 columns"), (np.eye(2), "ndarray")):
            with self.assertRaisesRegex(mlmq.InputError, text):
                mlmq.Graph.from_scipy(wrong)


class Lifetimes(unittest.TestCase):
    def test_a_view_keeps_the_solution(self):
        solver = mlmq.Solver(town(), device="cpu:1")
        answer = solver.solve(0)
        view = answer.distances
        again = answer.distances
        self.assertEqual(view.ctypes.data, again.ctypes.data)  # no copy
        self.assertIs(np.asarray(answer).base.__class__, view.base.__class__)
        self.assertFalse(view.flags.writeable)
        kept = weakref.ref(answer)
        del answer, solver, again
        gc.collect()
        for _ in range(20):
            mlmq.Solver(town(), device="cpu:1").solve(1)
        self.assertEqual(view.tolist(), FROM_0)
        self.assertIsNotNone(kept())
        part = view[1:3]
        del view
        gc.collect()
        self.assertEqual(part.tolist(), [4, 7])
        del part
        gc.collect()
        self.assertIsNone(kept())

    def test_dlpack(self):
        answer = mlmq.Solver(town(), device="cpu:1").solve(0)
        kept = weakref.ref(answer)
        taken = np.from_dlpack(answer)
        self.assertEqual(taken.ctypes.data, answer.distances.ctypes.data)
        unused = answer.__dlpack__()
        del answer
        gc.collect()
        self.assertEqual(taken.tolist(), FROM_0)
        self.assertIsNotNone(kept())
        del taken
        gc.collect()
        self.assertIsNotNone(kept())
        del unused
        gc.collect()
        self.assertIsNone(kept())
        self.assertEqual(_dlpack._given, {})

    def test_handles_are_freed_once(self):
        freed = []
        original = _library.library().mlmq_solution_free

        def count(pointer):
            freed.append(pointer)
            original(pointer)

        _library.library().mlmq_solution_free = count
        try:
            solver = mlmq.Solver(town(), device="cpu:1")
            for _ in range(3):
                solver.solve(0)
            gc.collect()
        finally:
            _library.library().mlmq_solution_free = original
        self.assertEqual(len(freed), 3)


class DeviceArrays(unittest.TestCase):
    """On the simulator, whose device memory is this machine's."""

    def rows(self, device, types=(np.uint32, np.int32, np.uint32)):
        return [device.to_device(np.array(values, kind)) for values, kind in zip((INDPTR, INDICES, WEIGHTS), types)]

    def test_graph_and_answer_stay(self):
        device = mlmq.Device.of("simt")
        for types in ((np.uint32, np.int32, np.uint32), (np.int64, np.uint32, np.float32)):
            arrays = self.rows(device, types)
            graph = mlmq.Graph.from_arrays(*arrays, name="town")
            answer = mlmq.Solver(graph, device="simt").solve(0, keep_on_device=True)
            self.assertTrue(answer.is_on_device)
            self.assertEqual(answer.times.download, 0)
            there = answer.device_distances
            right = [0, 4, 7, 7, float("inf") if types[2] == np.float32 else NONE]
            self.assertEqual(there.to_host().tolist(), right)
            self.assertEqual((there.shape, there.dtype, there.device.kind), ((5,), types[2], "simt"))
            self.assertEqual(np.from_dlpack(answer).ctypes.data, there.address)
            self.assertFalse(hasattr(answer, "__cuda_array_interface__"))  # the simulator is no GPU
            self.assertEqual(answer.distances.tolist(), right)
            self.assertEqual(answer.path(3).tolist(), [0, 1, 2, 3])
            self.assertTrue(graph.on_host)  # which the path needed

    def test_the_graph_keeps_the_arrays(self):
        arrays = self.rows(mlmq.Device.of("simt"))
        kept = [weakref.ref(array) for array in arrays]
        answer = mlmq.Solver(mlmq.Graph.from_arrays(*arrays), device="simt").solve(0)
        del arrays
        gc.collect()
        self.assertTrue(all(reference() is not None for reference in kept))
        self.assertEqual(answer.path(2).tolist(), [0, 1, 2])  # reads the rows
        del answer
        gc.collect()
        self.assertTrue(all(reference() is None for reference in kept))

    def test_refused(self):
        device = mlmq.Device.of("simt")
        offsets, ends, lengths = self.rows(device)
        for arrays, text in (((offsets, ends, WEIGHTS), "expected all in the same place"),
                             ((offsets, device.to_device(np.array(INDICES)), lengths), "indices: numbers of type int64"),
                             ((offsets, ends, device.to_device(np.array(WEIGHTS, np.int32))), "weights: numbers of type int32"),
                             ((offsets, ends, device.to_device(np.array(WEIGHTS, float))), "weights: numbers of type float64"),
                             ((device.to_device(np.array(INDPTR, float)), ends, lengths), "indptr: numbers of type float64"),
                             ((offsets, ends, device.to_device(np.array([1], np.uint32))), "weights: 1"),
                             ((offsets, device.to_device(np.array([INDICES], np.int32)), lengths), "2 dimensions"),
                             ((offsets, device.to_device(np.array(INDICES[:7] + [5], np.int32)), lengths), "5")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    mlmq.Graph.from_arrays(*arrays)
                self.assertIn(text, str(caught.exception))
        with self.assertRaisesRegex(mlmq.InputError, "the arrays are on simt"):
            mlmq.Graph.from_arrays(offsets, ends, lengths, device="cpu")
        with self.assertRaises(mlmq.InputError):
            mlmq.Device("cpu").to_device(np.zeros(3))
        with self.assertRaisesRegex(mlmq.InputError, "keep_on_device|kept"):
            _ = mlmq.Solver(town(), device="simt").solve(0).device_distances

    def test_arrays_of_gpus(self):
        """What describes itself as an array on a GPU, without one: refused for what it is, or because there is no GPU."""
        class Fake:
            def __init__(self, stream=None, strides=None, number=0, mask=None, kind="<u4", address=64):
                self.__cuda_array_interface__ = {"version": 3, "data": (address, False), "shape": (8,), "typestr": kind,
                                                 "strides": strides, "stream": stream, "mask": mask}
                self.number = number

            def __dlpack_device__(self):
                return (2, self.number)

        class Elsewhere:
            def __dlpack_device__(self):
                return (10, 0)  # of another maker

            def __dlpack__(self, **_options):
                raise AssertionError

        for arrays, text in (((Fake(), Fake(strides=(8,))), "contiguous"), ((Fake(), Fake(mask=1)), "mask"),
                             ((Fake(), Fake(number=1)), "cuda:0, cuda:1"), ((Fake(stream=7), Fake(stream=9)), "streams"),
                             ((Fake(), INDICES), "same place"), ((Fake(), Elsewhere()), "kind 10")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    mlmq.Graph.from_arrays(*arrays)
                if "streams" not in text or "cuda" not in str(caught.exception):  # without a GPU that is said first
                    self.assertIn(text, str(caught.exception))


class Grids(unittest.TestCase):
    ROOM = [[1, 1, 1], [0, 0, 1], [1, 1, 1]]

    def test_paths(self):
        for device in DEVICES:
            with self.subTest(device):
                finder = mlmq.PathFinder(mlmq.Grid.from_array(self.ROOM, name="room"), device=device)
                answers = finder.solve([[[0, 0], [0, 2]], [[1, 0], [1, 0]]], paths=True)
                self.assertEqual(answers.lengths.tolist(), [6, 0])
                self.assertEqual((answers.straight.tolist(), answers.diagonal.tolist()), ([6, 0], [0, 0]))
                self.assertEqual(answers.path(0).tolist(), [[0, 0], [1, 0], [2, 0], [2, 1], [2, 2], [1, 2], [0, 2]])
                self.assertEqual((answers.check(), answers.shortest, len(answers)), ("", True, 2))
                self.assertEqual(answers.choice.device, device)
                self.assertGreater(answers.times.solve, 0)
        cut = mlmq.PathFinder(mlmq.Grid.from_array(np.array(self.ROOM, bool), corners="cut"), device="cpu:1")
        found = cut.solve([[[0, 0], [0, 2]]])
        self.assertAlmostEqual(found.lengths[0], 2 + 2 * 2**0.5)
        with self.assertRaisesRegex(mlmq.InputError, "paths"):
            found.path(0)
        walls = mlmq.PathFinder(mlmq.Grid.from_array([[1, 0, 1]]), device="cpu:1").solve([[[0, 0], [2, 0]]], paths=True)
        self.assertEqual((walls.lengths.tolist(), walls.reached.tolist(), len(walls.path(0))), ([float("inf")], [False], 0))
        self.assertEqual(len(cut.solve([])), 0)

    def test_maps(self):
        grid = mlmq.Grid.open("grid16:density=0.2:seed=2")
        self.assertEqual((grid.width, grid.height, grid.corners), (16, 16, "cut"))
        pairs = grid.random_pairs(50, seed=3)
        self.assertEqual(pairs.shape, (50, 2, 2))
        self.assertTrue(all(grid.is_free(*cell) for pair in pairs.tolist() for cell in pair))
        self.assertFalse(grid.is_free(-1, 0) or grid.is_free(16, 0))
        answers = mlmq.PathFinder(grid, device="cpu:2").solve(pairs)
        self.assertEqual(answers.check(), "")
        self.assertEqual(len(answers), 50)

    def test_refused(self):
        grid = mlmq.Grid.from_array(self.ROOM)
        finder = mlmq.PathFinder(grid, device="cpu:1")
        for call, text in ((lambda: finder.solve([[[0, 1], [0, 2]]]), "obstacle"), (lambda: finder.solve([[[0, 0], [3, 0]]]), "3"),
                           (lambda: finder.solve([[0, 0]]), "shape"), (lambda: finder.solve([[[0, 0], [0.5, 2]]]), "float64"),
                           (lambda: finder.solve([[[-1, 0], [0, 0]]]), "-1"), (lambda: mlmq.PathFinder("room"), "str"),
                           (lambda: mlmq.Grid.from_array([1, 0]), "dimensions"),
                           (lambda: mlmq.Grid.from_array([[0.5]]), "float64"),
                           (lambda: mlmq.Grid.from_array(np.ones((0, 4), int)), "sides"),
                           (lambda: mlmq.Grid.from_array(self.ROOM, corners="round"), "round"),
                           (lambda: mlmq.Grid.open("no such map"), "no such map")):
            with self.subTest(text):
                with self.assertRaisesRegex(mlmq.InputError, text):
                    call()


class Phold(unittest.TestCase):
    def test_runs(self):
        found = []
        for device in DEVICES:
            simulator = mlmq.PholdSimulator(device, entities=16, events=4)
            self.assertIn("16", simulator.name)
            run = simulator.run_until(40, time_limit_ms=50_000)
            self.assertEqual((run.check(), run.end), ("", 40))
            self.assertGreater(run.events_per_second, 0)
            self.assertEqual(run.choice.device, device)
            self.assertEqual(simulator.choose().configuration, run.choice.configuration)
            found.append((run.events, run.hash))
        self.assertEqual(found[0], found[1])
        self.assertGreater(simulator.run_events(100, counters=True).events, 50)
        for call in (lambda: mlmq.PholdSimulator("cpu", entities=0), lambda: mlmq.PholdSimulator("cpu", entities=-1),
                     lambda: simulator.run_until(0), lambda: simulator.run_until(40, configurations="queue=tea")):
            with self.assertRaises(mlmq.InputError):
                call()
        with self.assertRaises(TypeError):
            simulator.run_until(40, time_limit=3)


class Results(unittest.TestCase):
    RECORD = f"{ROOT}/experiments/recorded/phold.sqlite.gz"

    def test_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas")
        frame = mlmq.read_results(self.RECORD)
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertGreater(len(frame), 10)
        self.assertIsInstance(frame["parameters"].iloc[0], dict)
        self.assertEqual(frame["median_ms"].dtype, np.float64)

    def test_arrays(self):
        code = ("import sys; sys.modules['pandas'] = None\n"
                "import mlmq, numpy\n"
                f"found = mlmq.read_results({self.RECORD!r}, 'relative')\n"
                "assert isinstance(found, dict), found\n"
                "best = found['relative_performance']\n"
                "assert best.dtype == numpy.float64 and best.max() == 1 and best.min() > 0, best\n"
                "assert isinstance(found['parameters'][0], dict) and isinstance(found['workload'][0], str)\n"
                "print(len(best))\n")
        done = subprocess.run([sys.executable, "-B", "-c", code], stdout=subprocess.PIPE, text=True, check=True)
        with tempfile.TemporaryDirectory() as folder:
            plain = os.path.join(folder, "plain.sqlite")
            import gzip
            with gzip.open(self.RECORD) as packed, open(plain, "wb") as file:
                file.write(packed.read())
            with sqlite3.connect(plain) as database:
                count = database.execute("SELECT count(*) FROM relative").fetchone()[0]
            database.close()
            self.assertEqual(int(done.stdout), count)
            self.assertEqual(len(mlmq.read_results(plain, "relative")["query"]), count)

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            other = os.path.join(folder, "other.sqlite")
            with sqlite3.connect(other) as database:
                database.execute("CREATE TABLE t (a)")
            database.close()
            text = os.path.join(folder, "a.txt")
            with open(text, "w", encoding="utf-8") as file:
                file.write("no database at all, but long enough to be one")
            cut = os.path.join(folder, "cut.sqlite.gz")
            with open(self.RECORD, "rb") as whole, open(cut, "wb") as file:
                file.write(whole.read()[:5000])
            for path, view, said in ((os.path.join(folder, "none"), "result", "no such file"), (other, "result", "version 0"),
                                     (text, "result", "cannot be read"), (cut, "result", "cannot be read"),
                                     (self.RECORD, "trial", "expected one of")):
                with self.subTest(said):
                    with self.assertRaisesRegex(mlmq.InputError, said):
                        mlmq.read_results(path, view)


class Package(unittest.TestCase):
    def run_python(self, code, **environment):
        kept = {name: value for name, value in os.environ.items() if name in ("PYTHONPATH", "MLMQ_LIBRARY", "MLMQ_CACHE")}
        return subprocess.run([sys.executable, "-B", "-c", code], env={**kept, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, timeout=240)

    def test_without_gpu_and_compiler(self):
        done = self.run_python("import mlmq\n"
                               "answer = mlmq.Solver(mlmq.Graph.open('road10')).solve(0)\n"
                               "print(answer.choice.device[:3], answer.check() == '')",
                               PATH="/nonexistent", CUDA_VISIBLE_DEVICES="")
        self.assertEqual((done.stdout, done.stderr), ("cpu True\n", ""))

    def test_importing_loads_no_library(self):
        done = self.run_python("import mlmq, mlmq.networkx\nprint(mlmq._library._loaded)", MLMQ_LIBRARY="/nonexistent.so")
        self.assertEqual((done.stdout, done.stderr), ("None\n", ""))

    def test_library_that_is_not_there(self):
        done = self.run_python("import mlmq\ntry:\n  mlmq.Device('cpu')\nexcept ImportError as error:\n  print(error)",
                               MLMQ_LIBRARY="/nonexistent.so")
        self.assertIn("as MLMQ_LIBRARY says", done.stdout)
        self.assertIn("/nonexistent.so", done.stdout)
        done = self.run_python("import mlmq\ntry:\n  mlmq.Device('cpu')\nexcept mlmq.LibraryError as error:\n  print(error)",
                               MLMQ_LIBRARY="libc.so.6")
        self.assertIn("another library", done.stdout)

    def test_version(self):
        self.assertEqual(mlmq.library_version(), mlmq.__version__)
        with open(f"{ROOT}/CMakeLists.txt", encoding="utf-8") as file:
            self.assertIn(f"project(mlmq VERSION {mlmq.__version__} ", file.read())

    def test_everything_public_is_described(self):
        for name in mlmq.__all__:
            thing = getattr(mlmq, name)
            if inspect.isclass(thing) or inspect.isfunction(thing):
                self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isclass(thing) and thing.__module__.startswith("mlmq"):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, (property, classmethod))):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()
