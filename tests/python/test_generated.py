# SPDX-License-Identifier: Apache-2.0
"""Generated arguments: every call returns the right answer or raises a documented exception, whatever it is given.

$MLMQ_GENERATED_CASES is the number of cases per test, $MLMQ_GENERATED_FIRST the number of the first one. A crash of the
process is shown by faulthandler; the last case that was started is then on standard error.
"""

import array
import faulthandler
import heapq
import os
import random
import sys
import unittest
import warnings

import numpy as np

import mlmq

CASES = int(os.environ.get("MLMQ_GENERATED_CASES", "600"))
FIRST = int(os.environ.get("MLMQ_GENERATED_FIRST", "0"))
DOCUMENTED = (mlmq.Error, ValueError, TypeError, MemoryError)
NUMBER_TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8", "f2", "f4", "f8", ">f8", "g", "?", "c16",
                "O", "U", "M8[s]")
EXTREMES = (-1, 0, 1, 255, 2**31, 2**32 - 3, 2**32 - 2, 2**32 - 1, 2**32, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**400,
            -2**63, 0.5, -0.0, -0.5, 1e-320, 1e39, 1e300, float("nan"), float("inf"), float("-inf"))
OTHERS = (None, True, False, "", "x", "0", "solver=cpu", "\0", "\ud800", "ü" * 999, b"x", 1j, (), [], [[]],
          [[1], [2, 3]], {}, {"a": 1}, {1}, object(), object, lambda: 1, range(3), np.float64(1.5), np.int64(1),
          np.uint8(200),
          np.array(1), np.array([1, 2]), np.array([[1, 2]]), np.array(["x"]), np.datetime64("now"),
          np.zeros(2, [("a", "i4")]), np.ma.masked_array([1, 2], [0, 1]), memoryview(b"ab"), iter([1]))


def shortest(indptr, indices, weights, source):
    """Returns the distance of each vertex from `source`, infinity if it is unreachable."""
    distances = [float("inf")] * (len(indptr) - 1)
    open_vertices = [(0, source)]
    while open_vertices:
        distance, u = heapq.heappop(open_vertices)
        if distance >= distances[u]:
            continue
        distances[u] = distance
        for edge in range(indptr[u], indptr[u + 1]):
            heapq.heappush(open_vertices, (distance + weights[edge], indices[edge]))
    return distances


def anything(rng):
    return rng.choice(EXTREMES if rng.random() < 0.5 else OTHERS)


def dressed(rng, values):
    """Returns the values as one of the types of arrays, in one of the layouts of memory; both may not hold them."""
    form = rng.randrange(12)
    if form < 3:
        return (list, tuple, iter)[form % 2](values)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = np.array(values)
            made = made.astype(rng.choice(NUMBER_TYPES)) if form < 6 else made
        except (TypeError, ValueError, OverflowError):
            return list(values)
    if form == 7:
        return np.repeat(made, 2)[::2]
    if form == 8:
        return made[::-1].copy()[::-1]
    if form == 9 and made.dtype.kind in "iuf":
        misaligned = np.frombuffer(bytearray(made.nbytes + 1), made.dtype, made.size, 1).reshape(made.shape)
        misaligned[...] = made
        return misaligned
    if form == 10:
        made.flags.writeable = False
    if form == 11 and made.dtype.kind == "i" and made.ndim == 1:
        return array.array("q", made.tolist())
    return made


def spoiled(rng, values):
    """Returns the values with one mistake, or something else altogether."""
    values, kind = list(values), rng.randrange(5)
    if kind == 0 and values:
        values[rng.randrange(len(values))] = anything(rng)
    elif kind == 1:
        values = values[:rng.randrange(len(values) + 1)]
    elif kind == 2:
        values.insert(rng.randrange(len(values) + 1), rng.choice((0, 1, 7)))
    elif kind == 3:
        values = [values]
    else:
        return anything(rng)
    return dressed(rng, values)


def perhaps(rng, values, chance=0.15):
    return spoiled(rng, values) if rng.random() < chance else dressed(rng, values)


def one(rng, *choices):
    return anything(rng) if rng.random() < 0.1 else rng.choice(choices)


def some(rng, **options):
    """Returns some of the options; values are functions."""
    return {name: make() for name, make in options.items() if rng.random() < 0.15}


class Generated(unittest.TestCase):
    def cases(self, share=1.0):
        for number in range(FIRST, FIRST + max(1, int(CASES * share))):
            self.case = f"{self.id()} {number}"
            yield random.Random(self.case)

    def attempt(self, call, *arguments, **options):
        """Returns the result of a call, or None after a documented exception."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", mlmq.GraphWarning)
                warnings.simplefilter("ignore", FutureWarning)  # NumPy's, of comparisons
                return call(*arguments, **options)
        except DOCUMENTED:
            return None
        except BaseException as error:
            name = getattr(call, "__qualname__", call)
            raise AssertionError(f"{self.case}: {name}{arguments!r} {options!r}: {error!r}") from error

    def rows(self, rng, most=9):
        """Returns valid compressed rows."""
        count = rng.randrange(1, most)
        degrees = [rng.randrange(4) for _ in range(count)]
        indptr = [sum(degrees[:v]) for v in range(count + 1)]
        indices = [rng.randrange(count) for _ in range(indptr[-1])]
        kind = rng.randrange(6)
        makers = (lambda: rng.randrange(1, 10), lambda: rng.randrange(1, 10), lambda: rng.randrange(30) / 10,
                  rng.random, lambda: rng.choice((0, 1, 2**32 - 3, 2**31)))
        return indptr, indices, None if kind == len(makers) else [makers[kind]() for _ in indices]

    def check_graph(self, graph, indptr, indices, weights):
        """Compares all searches with an implementation of the test; returns the right distances by source."""
        indptr, indices = (np.asarray(values).tolist() for values in (indptr, indices))
        weights = [1] * len(indices) if weights is None else np.asarray(weights).astype(graph.weight_type).tolist()
        self.assertEqual((graph.vertex_count, graph.edge_count), (len(indptr) - 1, len(indices)), self.case)
        return [shortest(indptr, indices, weights, v) for v in range(graph.vertex_count)]

    def assert_near(self, found, right, limit=None, message=""):
        found = np.asarray(found)
        values = np.where(found == mlmq.UNREACHABLE, np.inf, found) if found.dtype == np.uint32 else found
        right = np.array(right, np.float64)
        if limit is not None:
            limit = float(limit)
            unclear = np.isclose(right, limit, rtol=1e-5)
            right = np.where(right > limit, np.inf, right)
            values, right = values[~unclear], right[~unclear]
        np.testing.assert_allclose(values, right, rtol=1e-5, atol=1e-30, err_msg=f"{self.case} {message}")

    def test_graphs_from_arrays(self):
        for rng in self.cases():
            arrays = [perhaps(rng, values) if values is not None else None for values in self.rows(rng)]
            options = some(rng, name=lambda: one(rng, "g"), device=lambda: one(rng, "cpu"),
                           check=lambda: one(rng, True), weight_type=lambda: one(rng, "uint32", np.float32, float))
            graph = self.attempt(mlmq.Graph.from_arrays, *arrays, **options)
            if graph is None:
                continue
            right = self.check_graph(graph, *arrays)
            if rng.random() < 0.5:
                graph, right = graph.reversed(), [list(column) for column in zip(*right)]
            for source, distances in enumerate(right[:2]):
                answer = self.attempt(mlmq.Solver(graph, device="cpu:1").solve, source)
                if answer is not None:  # distances beyond the type are an error
                    self.assert_near(answer.distances, distances)

    def test_graphs_from_scipy(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("no SciPy")
        for rng in self.cases(0.5):
            indptr, indices, weights = self.rows(rng)
            arrays = [np.array([1] * len(indices) if weights is None else weights), np.array(indices), np.array(indptr)]
            place = rng.randrange(8)
            if place < 3:
                arrays[place] = spoiled(rng, arrays[place].tolist())
            count = len(indptr) - 1
            shape = (count, count) if rng.random() < 0.9 else (count, count + 1)
            matrix = sparse.csr_matrix((count, count))
            try:
                if rng.random() < 0.3:
                    ends = np.repeat(np.arange(count), np.diff(arrays[2])), arrays[1]
                    matrix = sparse.coo_matrix((arrays[0], ends), shape)
                else:
                    matrix = rng.choice((sparse.csr_matrix, sparse.csc_matrix, sparse.csr_array))(tuple(arrays), shape)
            except Exception:  # pylint: disable=broad-exception-caught
                pass  # SciPy has refused them
            graph = self.attempt(mlmq.Graph.from_scipy, matrix, **some(rng, name=lambda: one(rng, "g")))
            if graph is None:
                continue
            entries = matrix.tocoo()  # adds up no duplicates
            order = np.argsort(entries.row, kind="stable")
            starts = np.searchsorted(entries.row[order], np.arange(count + 1))
            right = self.check_graph(graph, starts, entries.col[order], entries.data[order])
            answer = self.attempt(mlmq.Solver(graph, device="cpu:1").solve, 0)
            if answer is not None:
                self.assert_near(answer.distances, right[0])

    def solver(self, rng, device="cpu:1"):
        """Returns a solver, and the right distances by source."""
        while True:
            rows = self.rows(rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", mlmq.GraphWarning)
                graph = mlmq.Graph.from_arrays(*rows)
            right = self.check_graph(graph, *rows)
            problem = rng.choice(("sssp", "sssp", "bfs"))
            if problem == "bfs":
                right = self.check_graph(graph, *rows[:2], None)
            return mlmq.Solver(graph, device, problem), right, rows

    def vertices(self, rng, right):
        return perhaps(rng, [rng.randrange(len(right)) for _ in range(rng.randrange(1, 5))])

    def batch_options(self, rng):
        return some(rng, tries=lambda: one(rng, 1, 2), searches_per_try=lambda: one(rng, 1),
                    memory_bytes=lambda: one(rng, 0, 1000), time_limit_ms=lambda: one(rng, 60_000, 5e4),
                    check=lambda: one(rng, True), model=lambda: anything(rng), stream=lambda: anything(rng),
                    configurations=lambda: one(rng, "", "solver=cpu_hierarchy", ["", "solver=cpu_hierarchy"]))

    def test_one_source(self):
        for rng in self.cases():
            solver, right, _ = self.solver(rng, rng.choice(("cpu:1", "cpu:2")))
            source = one(rng, *range(len(right)))
            options = some(rng, configurations=lambda: one(rng, "", "solver=cpu", ["", "solver=cpu"]),
                           place=lambda: one(rng, "device"), time_limit_ms=lambda: one(rng, 60_000),
                           counters=lambda: one(rng, True), timeline=lambda: one(rng, False),
                           tries=lambda: one(rng, 1, 2), keep_on_device=lambda: one(rng, False),
                           partition=lambda: one(rng, "always", "never"),
                           model=lambda: one(rng, solver, solver.graph, solver.device), stream=lambda: anything(rng))
            if rng.random() < 0.05:
                rng.choice((solver, solver.graph)).close()
            answer = self.attempt(solver.solve, source, **options)
            if answer is None:
                continue
            expected = right[int(source)]
            self.assert_near(answer.distances, expected)
            self.assertEqual(answer.check(), "", self.case)
            vertex = one(rng, *range(len(right)))
            distance = self.attempt(answer.distance, vertex)
            if distance is not None:
                self.assert_near([distance], [expected[int(vertex)]])
            path = self.attempt(answer.path, vertex)
            if path is not None:
                self.assertEqual(path.size > 0, expected[int(vertex)] < float("inf"), self.case)
            for call in (np.asarray, np.from_dlpack, repr):
                self.attempt(call, answer)

    def test_some_targets(self):
        for rng in self.cases():
            solver, right, _ = self.solver(rng)
            sources, targets = self.vertices(rng, right), self.vertices(rng, right)
            cutoff = one(rng, None, None, 0, 1.5, 9, 2**32, float("inf"))
            options = self.batch_options(rng)
            if rng.random() < 0.5:
                shape = (rng.randrange(1, 5), rng.randrange(1, 5))
                options["out"] = one(rng, np.empty(shape, solver.distance_type), dressed(rng, np.ones(shape)))
            if rng.random() < 0.05:
                rng.choice((solver, solver.graph)).close()
            answer = self.attempt(solver.solve_many, sources, targets, cutoff, **options)
            if answer is None:
                continue
            expected = [[right[s][t] for t in (range(len(right)) if targets is None else answer.targets)]
                        for s in answer.sources]
            self.assertEqual(answer.sources.tolist(), np.atleast_1d(np.asarray(sources)).tolist(), self.case)
            self.assert_near(answer.distances, expected, cutoff)
            one_answer = self.attempt(solver.solve, int(answer.sources[0]), targets, cutoff)
            if one_answer is not None:
                self.assert_near(one_answer.distances, expected[0], cutoff)
                self.attempt(one_answer.distance, anything(rng))
            blocks = self.attempt(lambda: [block.distances for block in solver.blocks(
                sources, targets, cutoff, **self.batch_options(rng))])
            if blocks:
                self.assert_near(np.concatenate(blocks), expected, cutoff)

    def test_pairs(self):
        for rng in self.cases(0.5):
            solver, right, (_, indices, _) = self.solver(rng)
            count = rng.randrange(1, 5)
            ends = [perhaps(rng, [rng.randrange(len(right)) for _ in range(count)], 0.08) for _ in range(2)]
            cutoff, options = one(rng, None, 3), self.batch_options(rng)
            answer = self.attempt(solver.solve_pairs, *ends, cutoff=cutoff, **options)
            if answer is not None:
                expected = [right[int(u)][int(v)] for u, v in zip(*map(np.atleast_1d, ends))]
                self.assert_near(answer.distances, expected, cutoff)
            quantities = perhaps(rng, [rng.randrange(9) for _ in indices])
            for call in (solver.sum_pair_paths, solver.sum_matrix_paths):
                answer = self.attempt(call, *ends, quantities, cutoff=cutoff, **options)
                if answer is not None:
                    sources, targets = map(np.atleast_1d, ends)
                    matrix = [[right[int(u)][int(v)] for v in targets] for u in sources]
                    self.assert_near(answer.distances, matrix if answer.sums.ndim == 2 else np.diagonal(matrix), cutoff)
                    self.assertEqual((answer.sums == mlmq.NO_PATH_SUM).tolist(), np.isinf(answer.distances).tolist())

    def test_reductions(self):
        for rng in self.cases():
            solver, right, _ = self.solver(rng)
            limits = sorted(rng.sample((0, 1, 2.5, 4, 1e6), 2))
            amounts = [rng.randrange(4) for _ in right]
            members = [rng.randrange(len(right)) for _ in range(2)]
            makers = [lambda: mlmq.Reduction.within(perhaps(rng, limits), one(rng, None, dressed(rng, amounts))),
                      lambda: mlmq.Reduction.histogram(perhaps(rng, limits)),
                      lambda: mlmq.Reduction.decayed(one(rng, 2, 0.5), one(rng, None, perhaps(rng, amounts)),
                                                     one(rng, "linear", "gaussian", "exponential")),
                      lambda: mlmq.Reduction.nearest(perhaps(rng, members), one(rng, 1, 2)),
                      mlmq.Reduction.eccentricity, mlmq.Reduction.closeness]
            reductions = [self.attempt(rng.choice(makers)) for _ in range(rng.randrange(4))]
            reductions = [reduction for reduction in reductions if reduction is not None]
            sources = self.vertices(rng, right)
            asked = one(rng, reductions, reductions, reductions, *reductions)
            answer = self.attempt(solver.reduce, sources, asked, **self.batch_options(rng))
            if answer is None:
                continue
            for reduction, table in zip([asked] if isinstance(asked, mlmq.Reduction) else asked, answer.tables):
                self.assertEqual(table.shape, (answer.sources.size, reduction.columns), self.case)
                for source, row in zip(answer.sources, table):
                    reached = [distance for distance in right[source] if distance < float("inf")]
                    if reduction._kind == mlmq.Reduction.eccentricity()._kind:
                        self.assert_near(row, [max(reached)])
                    if reduction._kind == mlmq.Reduction.closeness()._kind:
                        self.assert_near(row, [sum(reached), len(reached)])

    def test_new_weights(self):
        for rng in self.cases(0.5):
            solver, _, (indptr, indices, weights) = self.solver(rng)
            changed = perhaps(rng, [rng.randrange(1, 9) for _ in indices])
            used = weights
            try:
                solver.update_weights(changed)
                used = changed
            except DOCUMENTED:
                pass
            except BaseException as error:
                raise AssertionError(f"{self.case}: {changed!r}") from error
            used = None if solver.problem == "bfs" else used
            right = self.check_graph(solver.graph, indptr, indices, used)
            answer = self.attempt(solver.solve, 0)
            if answer is not None:
                self.assert_near(answer.distances, right[0])

    def test_other_calls(self):
        """Calls whose answers other tests check."""
        device = mlmq.Device("simt:1x8")
        for rng in self.cases():
            solver, right, _ = self.solver(rng)
            graph = solver.graph
            grid = mlmq.Grid.from_array([[1, 1, 0], [0, 1, 1]])
            finder = mlmq.PathFinder(grid, "cpu:1")
            model = mlmq.Model.shipped()
            for opened in (graph, solver, grid, finder, model):
                if rng.random() < 0.05:
                    opened.close()
            calls = [(graph.id_of, 1), (graph.name_of, 1), (graph.vertex_of, 1), (mlmq.Solver, 3), (mlmq.PathFinder, 2),
                     (mlmq.Grid.from_array, 3), (mlmq.Grid.open, 2), (grid.is_free, 2),
                     (mlmq.complete_configuration, 1), (finder.solve, 1), (mlmq.Model, 1), (mlmq.query, 2),
                     (mlmq.read_results, 2), (device.set_seed, 1),
                     (device.to_device, 1), (mlmq.Device.of, 1), (mlmq.Reduction.nearest, 2)]
            call, count = rng.choice(calls)
            arguments = [anything(rng) for _ in range(count)]
            if call == mlmq.Solver and rng.random() < 0.7:
                arguments[0] = graph
            result = self.attempt(call, *arguments)
            if isinstance(result, mlmq.DeviceArray):
                np.testing.assert_array_equal(result.to_host(), np.ascontiguousarray(arguments[0]))
            self.attempt(grid.random_pairs, one(rng, 0, 3), one(rng, 1))
            self.attempt(finder.solve, perhaps(rng, [[[0, 0], [2, 1]]]), paths=one(rng, True),
                         **some(rng, time_limit_ms=lambda: anything(rng), model=lambda: one(rng, graph, model),
                                configurations=lambda: anything(rng)))
            self.attempt(solver.try_out, self.vertices(rng, right), one(rng, 1, 2),
                         **some(rng, model=lambda: one(rng, model), time_limit_ms=lambda: anything(rng)))
            self.attempt(solver.choose, **some(rng, model=lambda: one(rng, graph, model), place=lambda: anything(rng),
                                               configurations=lambda: anything(rng)))
            self.attempt(mlmq.Graph.open, one(rng, "path5", "grid3"),
                         **some(rng, weight_seed=lambda: anything(rng), weight_type=lambda: anything(rng),
                                weight_column=lambda: anything(rng), undirected=lambda: anything(rng)))


if __name__ == "__main__":
    faulthandler.enable()
    unittest.main()
