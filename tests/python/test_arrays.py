# SPDX-License-Identifier: Apache-2.0
"""Arrays in and out: supported types and layouts, memory that outlives objects, arrays on devices."""

import ctypes
import gc
import os
import tempfile
import unittest
import warnings
import weakref

import numpy as np

import mlmq
from mlmq import _arrays, _dlpack, _library
from package_test import INDPTR, INDICES, WEIGHTS, NONE, FROM_0, town


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
        odd = np.frombuffer(bytearray(33), np.uint32, 8, 1)  # at an odd address
        odd[:] = WEIGHTS
        for convert in (lambda: _arrays.weights(odd), lambda: _arrays.whole_numbers(odd, "x", np.uint32, 9)):
            self.assertTrue(convert().flags.aligned)
        self.assertEqual(self.distances(INDPTR, INDICES, odd), FROM_0)
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
                             ((INDPTR, np.ma.masked_array(INDICES, [0] * 7 + [1])), "indices: a masked array"),
                             ((INDPTR, [[1], [2, 3]], WEIGHTS), "indices")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    mlmq.Graph.from_arrays(*arrays)
                self.assertIn(text, str(caught.exception))
        with self.assertRaisesRegex(mlmq.InputError, "device"):
            mlmq.Graph.from_arrays(INDPTR, INDICES, WEIGHTS, device="simt")
        with self.assertRaisesRegex(mlmq.InputError, "check"):
            mlmq.Graph.from_arrays(INDPTR, INDICES, WEIGHTS, check=False)

    def test_tables_of_edges(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "roads.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("von,nach,seconds,metres,art\nKöln,Bonn,1200,30000,both\nBonn,Ulm,7200,400000,forward\n")
            ends = {"source_column": "von", "target_column": "nach"}
            with self.assertWarnsRegex(mlmq.GraphWarning, "the weight is 'metres'; other possible weights: 'seconds'"):
                graph = mlmq.Graph.open(path, undirected=False, **ends)
            graph = mlmq.Graph.open(path, weight_column="seconds", direction_column="art", **ends)
            self.assertEqual(graph.notes, [])
            self.assertEqual([graph.name_of(v) for v in range(3)], ["Köln", "Bonn", "Ulm"])
            self.assertEqual((graph.vertex_of("Ulm"), graph.vertex_of(2)), (2, 2))
            distances = mlmq.Solver(graph, device="cpu:1").solve(graph.vertex_of("Bonn")).distances
            self.assertEqual(distances.tolist(), [1200, 0, 7200])
            with self.assertRaisesRegex(mlmq.InputError, "no vertex 'Koln'.*did you mean 'Köln'"):
                graph.vertex_of("Koln")
            with self.assertRaisesRegex(mlmq.InputError, "--weight-column Seconds2: there is no such column"):
                mlmq.Graph.open(path, weight_column="Seconds2", **ends)
        self.assertEqual((town().name_of(3), town().vertex_of("3")), ("3", 3))

    def test_decimals_of_files_are_those_of_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("from,to,cost\n0,1,0.1\n1,2,0.7\n2,3,0.3\n")
            with self.assertWarnsRegex(mlmq.GraphWarning, "decimal weights are searched as whole multiples of 0.1"):
                read = mlmq.Graph.open(path, undirected=False, weight_column="cost")
            made = mlmq.Graph.from_arrays([0, 1, 2, 3, 3], [1, 2, 3], [0.1, 0.7, 0.3])
            distances = [mlmq.Solver(graph, device="cpu:1").solve(0).distances for graph in (read, made)]
            self.assertEqual([array.tolist() for array in distances], [[0, 0.1, 0.8, 1.1]] * 2)
            self.assertEqual(mlmq.Graph.open(path, undirected=False, weight_column="cost",
                                             weight_type="float32").weight_type, np.float32)

    def test_graph_facts(self):
        graph = town()
        self.assertEqual((graph.name, graph.vertex_count, graph.edge_count, graph.weight_type),
                         ("town", 5, 8, np.uint32))
        self.assertTrue(graph.on_host)
        self.assertEqual((graph.notes, graph.id_of(3), graph.vertex_of(3)), ([], 3, 3))
        with self.assertRaises(mlmq.InputError):
            graph.vertex_of(5)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.wel")
            with open(path, "w", encoding="utf-8") as file:
                file.write("10 30 4\n30 20 -2\n")
            with self.assertWarnsRegex(mlmq.GraphWarning, "negative weights: 1"):
                read = mlmq.Graph.open(path, absolute_weights=True, undirected=False)
            self.assertEqual((read.vertex_count, read.id_of(2), read.vertex_of(20)), (3, 30, 1))
            self.assertEqual(len(read.notes), 1)
            # Neither the file nor the caller says whether edges are directed.
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                opened = mlmq.Graph.open(path, absolute_weights=True)
                notes = opened.notes
            self.assertGreater(opened.open_times.read, 0)
            self.assertEqual(opened.open_times.file_bytes, os.path.getsize(path))
            self.assertEqual([str(warning.message) for warning in caught], notes)
            self.assertEqual({warning.filename for warning in caught}, {__file__})
            self.assertIn("does not say whether edges are directed", " ".join(notes))
            with self.assertRaises(mlmq.InputError):
                mlmq.Graph.open(path)
            with self.assertWarns(mlmq.GraphWarning):
                self.assertEqual(mlmq.Graph.open(path, absolute_weights=True, undirected=True).edge_count, 4)
            read = mlmq.Graph.open(path, ignore_weights=True, weight_type=np.float32, undirected=False)
            self.assertEqual(read.weight_type, np.float32)
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
        for matrix in (whole, whole.astype(np.int32), whole.astype(np.float32) / 8, whole.astype(np.float64) / 10,
                       whole.tocsc(), whole.tocoo(), sparse.csr_array(whole)):
            answer = mlmq.Solver(mlmq.Graph.from_scipy(matrix), device="cpu:2").solve_many(np.arange(60))
            distances = np.where(answer.reached, np.asarray(answer, np.float64), np.inf)
            np.testing.assert_array_equal(distances, dijkstra(matrix.tocsr()))
        # Duplicate entries are parallel edges, in every format and also in a file; SciPy would add them up.
        twice = sparse.csr_matrix((np.array([2, 3, 7]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
        listed = sparse.coo_matrix((np.array([7, 3, 2]), (np.array([1, 0, 0]), np.array([0, 1, 1]))), shape=(2, 2))
        with tempfile.TemporaryDirectory() as folder:
            sparse.save_npz(os.path.join(folder, "twice.npz"), twice)
            for read in (lambda: mlmq.Graph.from_scipy(twice), lambda: mlmq.Graph.from_scipy(twice.tocsc()),
                         lambda: mlmq.Graph.from_scipy(listed),
                         lambda: mlmq.Graph.open(os.path.join(folder, "twice.npz"), undirected=False)):
                with self.assertWarnsRegex(mlmq.GraphWarning, "at the place of another: 1, taken as parallel edges"):
                    graph = read()
                self.assertEqual(graph.edge_count, 3)
                self.assertEqual(mlmq.Solver(graph, device="cpu:1").solve(0).distances.tolist(), [0, 2])
        self.assertEqual((twice.nnz, listed.nnz), (3, 3))
        # SciPy's conversion from columns to rows would write out of bounds.
        beyond = sparse.csc_matrix(([1, 1, 1], [0, 1, 70_000_000], [0, 1, 2, 3]), shape=(3, 3))
        decreasing = sparse.csc_matrix(([1], [0], [0, 1_000_000, 0]), shape=(2, 2))
        for wrong, text in ((sparse.csr_matrix((2, 3)), "2 rows and 3 columns"), (np.eye(2), "ndarray"),
                            (beyond, "matrix: "), (decreasing, "decreases")):
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
        reference = weakref.ref(answer)
        del answer, solver, again
        gc.collect()
        for _ in range(20):
            mlmq.Solver(town(), device="cpu:1").solve(1)
        self.assertEqual(view.tolist(), FROM_0)
        self.assertIsNotNone(reference())
        part = view[1:3]
        del view
        gc.collect()
        self.assertEqual(part.tolist(), [4, 7])
        del part
        gc.collect()
        self.assertIsNone(reference())

    def test_dlpack(self):
        answer = mlmq.Solver(town(), device="cpu:1").solve(0)
        reference = weakref.ref(answer)
        taken = np.from_dlpack(answer)
        self.assertEqual(taken.ctypes.data, answer.distances.ctypes.data)
        unused = answer.__dlpack__()
        del answer
        gc.collect()
        self.assertEqual(taken.tolist(), FROM_0)
        self.assertIsNotNone(reference())
        del taken
        gc.collect()
        self.assertIsNotNone(reference())
        del unused
        gc.collect()
        self.assertIsNone(reference())
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
    """Device arrays on the simulator, which uses host memory as device memory."""

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
            on_device = answer.device_distances
            right = [0, 4, 7, 7, float("inf") if types[2] == np.float32 else NONE]
            self.assertEqual(on_device.to_host().tolist(), right)
            self.assertEqual((on_device.shape, on_device.dtype, on_device.device.kind), ((5,), types[2], "simt"))
            self.assertEqual(np.from_dlpack(answer).ctypes.data, on_device.address)
            self.assertFalse(hasattr(answer, "__cuda_array_interface__"))  # the simulator is not a GPU
            self.assertEqual(answer.distances.tolist(), right)
            self.assertEqual(answer.path(3).tolist(), [0, 1, 2, 3])
            self.assertTrue(graph.on_host)  # the path needed the graph on the host

    def test_new_weights(self):
        device = mlmq.Device.of("simt")
        graph = mlmq.Graph.from_arrays(INDPTR, INDICES, np.array(WEIGHTS, np.uint32))
        with mlmq.Solver(graph, device=device) as solver:
            doubled = device.to_device(2 * np.array(WEIGHTS, np.uint32))
            solver.update_weights(doubled)
            del doubled  # the solver has a copy
            hierarchy = "solver=hierarchy,threads=32,blocks=1"
            answers = solver.solve_many([0], configurations=hierarchy)
            self.assertEqual(answers.distances.tolist(), [[0, 8, 14, 14, NONE]])
            for values, kind, text in (([1, 2], np.uint32, "2 new weights"), (WEIGHTS, np.float32, "type float32"),
                                       (WEIGHTS, np.int64, "numbers of type int64 on a device"),
                                       ([2**32 - 1] * len(WEIGHTS), np.uint32, "edge 0 has weight 4294967295")):
                with self.assertRaisesRegex(mlmq.InputError, text):
                    solver.update_weights(device.to_device(np.array(values, kind)))
            self.assertEqual(solver.solve(0).distances.tolist(), [0, 8, 14, 14, NONE])

    def test_the_graph_keeps_the_arrays(self):
        arrays = self.rows(mlmq.Device.of("simt"))
        references = [weakref.ref(array) for array in arrays]
        answer = mlmq.Solver(mlmq.Graph.from_arrays(*arrays), device="simt").solve(0)
        del arrays
        gc.collect()
        self.assertTrue(all(reference() is not None for reference in references))
        self.assertEqual(answer.path(2).tolist(), [0, 1, 2])  # path() reads the rows
        del answer
        gc.collect()
        self.assertTrue(all(reference() is None for reference in references))

    def test_refused(self):
        device = mlmq.Device.of("simt")
        offsets, ends, lengths = self.rows(device)
        for arrays, text in (((offsets, ends, WEIGHTS), "expected all arrays in the same memory"),
                             ((offsets, device.to_device(np.array(INDICES)), lengths),
                              "indices: numbers of type int64"),
                             ((offsets, ends, device.to_device(np.array(WEIGHTS, np.int32))),
                              "weights: numbers of type int32"),
                             ((offsets, ends, device.to_device(np.array(WEIGHTS, float))),
                              "weights: numbers of type float64"),
                             ((device.to_device(np.array(INDPTR, float)), ends, lengths),
                              "indptr: numbers of type float64"),
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
        with self.assertRaisesRegex(mlmq.InputError, "numbers of type object"):
            device.to_device(np.array([object()]))
        self.assertEqual(np.from_dlpack(device.to_device(np.array([1], ">i4"))).tolist(), [1])
        with self.assertRaisesRegex(mlmq.InputError, "keep_on_device|kept"):
            _ = mlmq.Solver(town(), device="simt").solve(0).device_distances

    def test_arrays_of_gpus(self):
        """Fake GPU arrays are refused for their type or shape, or because there is no GPU."""
        class Fake:
            def __init__(self, stream=None, strides=None, number=0, mask=None, kind="<u4", address=64):
                self.__cuda_array_interface__ = {"version": 3, "data": (address, False), "shape": (8,), "typestr": kind,
                                                 "strides": strides, "stream": stream, "mask": mask}
                self.number = number

            def __dlpack_device__(self):
                return (2, self.number)

        class Elsewhere:
            def __dlpack_device__(self):
                return (10, 0)  # DLPack's number of another vendor

            def __dlpack__(self, **_options):
                raise AssertionError

        for arrays, text in (((Fake(), Fake(strides=(8,))), "contiguous"), ((Fake(), Fake(mask=1)), "mask"),
                             ((Fake(), Fake(number=1)), "cuda:0, cuda:1"),
                             ((Fake(stream=7), Fake(stream=9)), "streams"),
                             ((Fake(), INDICES), "same memory"), ((Fake(), Elsewhere()), "DLPack type 10")):
            with self.subTest(text):
                with self.assertRaises(mlmq.InputError) as caught:
                    mlmq.Graph.from_arrays(*arrays)
                if "streams" not in text or "cuda" not in str(caught.exception):  # this error comes first without a GPU
                    self.assertIn(text, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
