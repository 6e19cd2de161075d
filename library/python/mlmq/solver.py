# SPDX-License-Identifier: Apache-2.0
"""Searches on a graph."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator, Sequence
from ctypes import addressof, c_double, c_int, c_void_p, cast
from typing import Any, Optional, Union

import numpy as np

from . import _arrays
from ._arrays import DTYPES, TYPES, DeviceArray, pointer_to
from ._c_interface import (
    BFS,
    PARTITION_ALWAYS,
    PARTITION_AUTOMATIC,
    PARTITION_NEVER,
    PLACE_BEST,
    PLACE_DEVICE,
    SSSP,
    batch_options,
    solve_options,
    take_distances,
)
from ._calls import GRACE, CallbackThread
from ._library import Closable, Handle, Stopped, call, initialized, library, set_configurations, value_of
from .device import Device
from .errors import InputError, WorkError
from .graph import Graph
from .reduction import PairDistances, PathSums, ReducedSearches, Reduction
from .solution import Block, BoundedSolution, ManySolutions, Solution
from .summary import Choice, Model, Summarised, Trial, choice_of

_PROBLEMS = {"sssp": SSSP, "bfs": BFS}
_PLACES = {"best": PLACE_BEST, "device": PLACE_DEVICE}
_PARTITIONING = {"never": PARTITION_NEVER, "automatic": PARTITION_AUTOMATIC, "always": PARTITION_ALWAYS}
Configurations = Optional[Union[str, Sequence[str]]]


def _one_of(names: dict[str, int], value: str, what: str) -> int:
    if value not in names:
        raise InputError(f"{what}: {value!r}, expected {' or '.join(map(repr, names))}")
    return names[value]


class _TrialSummary(Summarised):
    def __init__(self, summary: Handle) -> None:
        self._owner, self._summary = summary, summary.pointer


class Solver(Closable):
    """A graph on a device, to be searched from any number of vertices.

    Cheap to create: the graph is uploaded by the first search. Searches share it, the compiled kernels and the queues.
    Threads may share a solver; searches on one device wait for each other.

    Parameters
    ----------
    graph : Graph
    device : Device or str
        "cuda:0" a GPU, "cpu" this machine's processors, "simt" the simulator; "auto" the first GPU, or else the
        processors. "cuda:all", or a list such as "cuda:0,cuda:1": several devices, which share the searches from many
        vertices; the first one answers `solve`.
    problem : {"sssp", "bfs"}
        "sssp": lengths are sums of weights. "bfs": every edge has length 1, so distances are levels of type uint32.

    Examples
    --------
    >>> import mlmq
    >>> with mlmq.Solver(mlmq.Graph.open("grid8"), device="cpu") as solver:
    ...     answer = solver.solve(0)
    >>> answer.distances.shape
    (64,)
    """

    _instead = "make one in each process, from a graph that is opened there"

    def __init__(self, graph: Graph, device: Device | str = "auto", problem: str = "sssp") -> None:
        if not isinstance(graph, Graph):
            raise InputError(f"graph: {type(graph).__name__}, "
                             "expected a Graph: see Graph.from_scipy(), Graph.from_arrays() and Graph.open()")
        self.graph = graph
        self.problem = problem
        kind = _one_of(_PROBLEMS, problem, "problem")
        self.device = Device.of(device)
        self._handle = Handle.create("solver", "solver_create", self.device._handle, graph._handle, kind)

    @property
    def distance_type(self) -> np.dtype:
        """The type of distances: that of the weights, or uint32 for "bfs"."""
        return np.dtype(np.uint32) if self.problem == "bfs" else self.graph.weight_type

    @property
    def resident(self) -> bool:
        """Whether the graph is on the solver's device."""
        return bool(value_of(c_int, "solver_resident", self._handle))

    def upload(self) -> float:
        """Uploads the graph unless it is already on the device. Returns milliseconds."""
        return value_of(c_double, "solver_upload", self._handle)

    def update_weights(self, weights: Any) -> None:
        """Replaces the weights of the graph for all later searches of this solver.

        Searches by an elimination hierarchy (``solve_many`` with ``configurations="solver=hierarchy"``) continue at
        once, with the same order of the vertices; for others, the graph is uploaded again when they need it. The graph
        from which the solver was made does not change, and earlier solutions keep their weights.

        Weights in GPU memory (CuPy, PyTorch, JAX, Numba: ``__cuda_array_interface__`` or DLPack; `DeviceArray`) are
        copied within the GPU, where a kernel checks them. A hierarchy then needs no copy in host memory.

        Parameters
        ----------
        weights : array of numbers
            One per edge, in the order of the graph's edges; rounded to the type of the graph's weights. In device
            memory: on the solver's device, contiguous, of the graph's type, which is uint32 or float32.

        Raises
        ------
        InputError
            For another number of weights, for an invalid weight, or while another call of this solver searches from
            many vertices.

        Examples
        --------
        >>> import mlmq
        >>> graph = mlmq.Graph.from_arrays([0, 2, 3, 3], [1, 2, 2], [4, 9, 1])
        >>> solver = mlmq.Solver(graph, device="cpu")
        >>> solver.solve(0).distances.tolist()
        [0, 4, 5]
        >>> solver.update_weights([4, 3, 1])
        >>> solver.solve(0).distances.tolist()
        [0, 4, 3]
        """
        on_device = _arrays.on_device(weights, "weights")
        if on_device is not None:
            if on_device.dtype not in TYPES:
                raise InputError(f"weights: numbers of type {on_device.dtype} on a device, expected uint32 or float32")
            call("solver_update_weights_from_device", self._handle, TYPES[on_device.dtype], on_device.address,
                 on_device.shape[0], on_device.stream)
            return
        numbers = _arrays.weights(weights, self.graph.weight_type)
        call("solver_update_weights", self._handle, TYPES[numbers.dtype], pointer_to(numbers), numbers.size)

    def _solve_options(self, configurations: Any, model: Model | None, place: str, time_limit_ms: float) -> Any:
        options = initialized(solve_options)
        set_configurations(options, configurations, model)
        options.place = _one_of(_PLACES, place, "place")
        options.time_limit_ms = _arrays.real_number(time_limit_ms, "time_limit_ms")
        return options

    def choose(self, *, configurations: Configurations = None, model: Model | None = None,
               place: str = "best") -> Choice:
        """Returns the configuration that `solve` would try first, without uploading or compiling."""
        options = self._solve_options(configurations, model, place, 60_000)
        made = Handle.create("choice", "solver_choose", self._handle, options)
        return choice_of(made.pointer)

    def try_out(self, sources: Any, count: int = 4, *, model: Model | None = None,
                time_limit_ms: float = 60_000) -> list[Trial]:
        """Searches with each of the `count` configurations that the model ranks first, and remembers the fastest.

        Parameters
        ----------
        sources : array of vertices
            Preferably several: the fastest configuration differs between sources.
        count : int
        model : Model, optional
        time_limit_ms : float
            Limit for one search.

        Returns
        -------
        list of Trial
            The fastest first.
        """
        count = _arrays.whole_number(count, "count", 1, (1 << 32) - 1)
        vertices = _arrays.vertices(sources, "sources", self.graph.vertex_count)
        options = self._solve_options(None, model, "best", time_limit_ms)
        summary = Handle.create("summary", "solver_try_out", self._handle, pointer_to(vertices), vertices.size, count,
                                options)
        return _TrialSummary(summary).tried

    def solve(self, source: int, targets: Any = None, cutoff: float | None = None, *,
              configurations: Configurations = None, model: Model | None = None, place: str = "best",
              time_limit_ms: float = 60_000, counters: bool = False, timeline: bool = False,
              keep_on_device: bool = False, stream: int | None = None,
              partition: str = "automatic", tries: int = 0) -> Solution | BoundedSolution:
        """Shortest paths from one vertex.

        Parameters
        ----------
        source : int
        targets : array of vertices, optional
            If given, only their distances are computed, and the search ends when they are final.
        cutoff : float, optional
            Vertices that are farther count as not reached.
        configurations : str or sequence of str, optional
            Configurations such as "solver=near_far,threads=256"; "" means all defaults. The first that the device can
            run is used. None: the model chooses.
        model : Model, optional
            Chooses the configuration. None: the selector that ``mlmq tune`` has installed for the device, or else the
            shipped one.
        place : {"best", "device"}
            Without configurations: where the search is expected to be faster, or on the solver's device in any case.
        time_limit_ms : float
            Limit for the search alone.
        counters, timeline : bool
            Count work, or record when it is done; not both. Both make the search slower.
        keep_on_device : bool
            Leave the distances in device memory: `Solution.device_distances`.
        stream : int, optional
            A CUstream: if arrays are in device memory, the search starts after all work that is in the stream now. It
            has finished when this function returns.
        tries : int
            With 2 or more: how many configurations to compare. The first searches, at most 8 * tries, are answered by
            those that the model ranks first, up to 2 * tries of them, the more promising ones more often. Then the one
            that is expected to be the fastest answers all, also in later processes.
        partition : {"automatic", "never", "always"}
            Without configurations: whether to split the graph into parts that fit into the shared memory of the GPU,
            if the graph is suitable (most graphs of up to a few million edges are). Splitting takes as long as hundreds
            of searches. Afterwards, searches of roads and meshes take a half to a sixth of the time, others up to nine
            tenths. "automatic": once this solver's searches have taken as long as splitting; later, by the same rule,
            an elimination hierarchy of roads and meshes with integer weights.

        Returns
        -------
        Solution
            With `targets` or `cutoff`, a BoundedSolution, which has distances but no paths.

        Raises
        ------
        InputError, UnsuitableError, SearchError, CompileError, DeviceMemoryError, DeviceError
        """
        if targets is not None or cutoff is not None:
            if place != "best" or counters or timeline or keep_on_device or partition != "automatic" or tries:
                raise InputError("place, counters, timeline, keep_on_device, partition and tries cannot be combined "
                                 "with targets or cutoff")
            return BoundedSolution(self.solve_many([source], targets, cutoff, configurations=configurations,
                                                   model=model, time_limit_ms=time_limit_ms, stream=stream))
        options = self._solve_options(configurations, model, place, time_limit_ms)
        options.counters, options.timeline = bool(counters), bool(timeline)
        options.keep_on_device, options.stream = bool(keep_on_device), _arrays.stream_address(stream)
        options.partition = _one_of(_PARTITIONING, partition, "partition")
        options.tries = _arrays.whole_number(tries, "tries", 0, (1 << 32) - 1)
        start = _arrays.vertex(source, "source", self.graph.vertex_count)
        handle = Handle.create("solution", "solver_solve", self._handle, start, options)
        return Solution(handle, self.graph, self.device)

    def _batch_options(self, targets: np.ndarray | None, cutoff: float | None, configurations: Any = None,
                       model: Model | None = None, tries: int = 3, searches_per_try: int = 2048,
                       searches_together: int = 1, memory_bytes: int = 0, time_limit_ms: float = 600_000,
                       check: bool = False, stream: int | None = None) -> Any:
        options = initialized(batch_options)
        set_configurations(options, configurations, model)
        for name, value, least, bits in (("tries", tries, 1, 32), ("searches_per_try", searches_per_try, 1, 64),
                                         ("searches_together", searches_together, 1, 64),
                                         ("memory_bytes", memory_bytes, 0, 64)):
            setattr(options, name, _arrays.whole_number(value, name, least, (1 << bits) - 1))
        options.time_limit_ms = _arrays.real_number(time_limit_ms, "time_limit_ms")
        options.check, options.stream = bool(check), _arrays.stream_address(stream)
        if targets is not None:
            options.targets = pointer_to(targets)
            options.target_count = targets.size
            options.kept_targets = targets
        if cutoff is not None:
            options.cutoff = _arrays.real_number(cutoff, "cutoff")
            if not options.cutoff >= 0:
                raise InputError(f"cutoff: {cutoff}, expected at least 0")
        return options

    def _vertices(self, sources: Any, targets: Any) -> tuple[np.ndarray, np.ndarray | None]:
        count = self.graph.vertex_count
        source_array = _arrays.vertices(sources, "sources", count)
        if not source_array.size:
            raise InputError("sources: none, expected at least one")
        target_array = None if targets is None else _arrays.vertices(targets, "targets", count)
        if target_array is not None and not target_array.size:
            raise InputError("targets: none, expected at least one; None: all vertices")
        return source_array, target_array

    def solve_many(self, sources: Any, targets: Any = None, cutoff: float | None = None, *,
                   out: np.ndarray | None = None, **options: Any) -> ManySolutions:
        """Returns distances from many vertices, running many searches at a time.

        Parameters
        ----------
        sources : array of vertices
        targets : array of vertices, optional
            If given, only their distances are computed, and a search ends when they are final.
        cutoff : float, optional
            Vertices that are farther count as not reached.
        out : numpy.ndarray, optional
            Receives the distances: contiguous, (sources, vertices or targets), of type `distance_type`.
        configurations, model, stream
            See `solve`. Configurations are those of the problems sssp_batch and bfs_batch.
        tries : int
            Number of configurations to try in the first searches, if there are enough sources; 1: try none. [3]
        searches_per_try : int
            Searches per configuration to try. [2048]
        searches_together : int
            If the solver has several devices: each searches whole units of this many sources, except for the last. [1]
        memory_bytes : int
            Device memory for the distances of a block of searches. [chosen for the device]
        time_limit_ms : float
            Limit for a block of searches. [600,000]
        check : bool
            Repeat the searches on processors, and compare. [False]

        Returns
        -------
        ManySolutions
            Its attribute `distances` has the distances; NumPy accepts it as that array.

        Raises
        ------
        InputError, UnsuitableError, SearchError, CompileError, DeviceMemoryError, DeviceError, WorkError
        """
        source_array, target_array = self._vertices(sources, targets)
        shape = (source_array.size, self.graph.vertex_count if target_array is None else target_array.size)
        if out is None:
            out = np.empty(shape, self.distance_type)
        elif not isinstance(out, np.ndarray):
            raise InputError(f"out: {type(out).__name__}, expected a numpy.ndarray")
        elif (out.shape != shape or out.dtype != self.distance_type or not out.flags.carray):
            raise InputError(f"out: {out.dtype.name} of shape {out.shape}, expected a contiguous, aligned and writable "
                             f"array, {self.distance_type.name} of shape {shape}")
        summary = Handle.create("summary", "solver_solve_many_into", self._handle, pointer_to(source_array),
                              source_array.size, self._batch_options(target_array, cutoff, **options),
                              TYPES[out.dtype], pointer_to(out), out.size)
        return ManySolutions(summary, source_array, target_array, out)

    def reduce(self, sources: Any, reductions: Reduction | Sequence[Reduction], *, cutoff: float | None = None,
               **options: Any) -> ReducedSearches:
        """Searches from many vertices, and computes quantities of each search on the device.

        Parameters
        ----------
        sources : array of vertices
        reductions : Reduction or sequence of Reduction
            The searches run once for all of them.
        cutoff : float, optional
            Vertices that are farther do not count.
        **options
            See `solve_many`.

        Returns
        -------
        ReducedSearches
            Its attribute `tables` has one array per quantity: a row per source.
        """
        source_array, _ = self._vertices(sources, None)
        quantities = [reductions] if isinstance(reductions, Reduction) else list(reductions)
        for quantity in quantities:
            if not isinstance(quantity, Reduction):
                raise InputError(f"reductions: {quantity!r}, expected objects of mlmq.Reduction")
        # pylint: disable-next=protected-access
        structures = [quantity._structure() for quantity in quantities]
        pointers = (c_void_p * len(structures))(*(addressof(structure) for structure in structures))
        values = np.empty(source_array.size * sum(quantity.columns for quantity in quantities))
        summary = Handle.create("summary", "solver_reduce", self._handle, pointer_to(source_array), source_array.size,
                              cast(pointers, c_void_p), len(structures), self._batch_options(None, cutoff, **options),
                              pointer_to(values), values.size)
        tables = []
        for quantity in quantities:
            size = source_array.size * quantity.columns
            tables.append(values[:size].reshape(source_array.size, quantity.columns))
            values = values[size:]
        return ReducedSearches(summary, source_array, tables)

    def solve_pairs(self, sources: Any, targets: Any, *, cutoff: float | None = None, **options: Any) -> PairDistances:
        """Computes the distance from sources[i] to targets[i] for each i, with one search per different source.

        Parameters
        ----------
        sources, targets : arrays of vertices of equal length
        cutoff : float, optional
            Pairs that are farther apart have the distance infinity.
        **options
            See `solve_many`.

        Returns
        -------
        PairDistances
            Its attribute `distances` has one float64 per pair.
        """
        source_array, target_array = self._vertices(sources, targets)
        if source_array.size != target_array.size:
            raise InputError(f"pairs: {source_array.size} sources, but {target_array.size} targets")
        distances = np.empty(source_array.size)
        summary = Handle.create("summary", "solver_solve_pairs", self._handle, pointer_to(source_array),
                              pointer_to(target_array), source_array.size, self._batch_options(None, cutoff, **options),
                              pointer_to(distances))
        return PairDistances(summary, distances)

    def sum_pair_paths(self, sources: Any, targets: Any, quantities: Any, *, cutoff: float | None = None,
                       **options: Any) -> PathSums:
        """Computes distances like `solve_pairs`, and the sum of a quantity of the edges along a shortest path.

        For example, the weights are travel times, and the quantity is the length: the result is the length of the
        fastest route from sources[i] to targets[i]. With several shortest paths, the path counts that `Solution.path`
        returns; of parallel edges that are equally short, the one with the smallest quantity.

        Parameters
        ----------
        sources, targets : arrays of vertices of equal length
        quantities : array of whole numbers
            One per edge, below 2^32, in the order of the graph's edges.
        cutoff : float, optional
            Pairs that are farther apart have the distance infinity and no sum.
        **options
            See `solve_many`.

        Returns
        -------
        PathSums

        Examples
        --------
        >>> import mlmq
        >>> graph = mlmq.Graph.from_arrays([0, 2, 3, 3], [1, 2, 2], [4, 9, 1])
        >>> routes = mlmq.Solver(graph, device="cpu").sum_pair_paths([0, 2], [2, 0], [100, 250, 30])
        >>> routes.distances.tolist(), routes.sums[0], routes.sums[1] == mlmq.NO_PATH_SUM
        ([5.0, inf], 130, True)
        """
        source_array, target_array = self._vertices(sources, targets)
        if source_array.size != target_array.size:
            raise InputError(f"pairs: {source_array.size} sources, but {target_array.size} targets")
        numbers = _arrays.whole_numbers(quantities, "quantities", np.uint32, 0xFFFFFFFF)
        distances, sums = np.empty(source_array.size), np.empty(source_array.size, np.uint64)
        summary = Handle.create("summary", "solver_sum_pair_paths", self._handle, pointer_to(source_array),
                                pointer_to(target_array), source_array.size, pointer_to(numbers), numbers.size,
                                self._batch_options(None, cutoff, **options), pointer_to(distances), pointer_to(sums))
        return PathSums(summary, distances, sums)

    def sum_matrix_paths(self, sources: Any, targets: Any, quantities: Any, *, cutoff: float | None = None,
                         **options: Any) -> PathSums:
        """Computes distances and sums like `sum_pair_paths`, from every source to every target.

        Parameters
        ----------
        sources, targets : arrays of vertices
        quantities, cutoff, **options
            See `sum_pair_paths`.

        Returns
        -------
        PathSums
            Its arrays have a row per source and a column per target.
        """
        source_array, target_array = self._vertices(sources, targets)
        numbers = _arrays.whole_numbers(quantities, "quantities", np.uint32, 0xFFFFFFFF)
        shape = (source_array.size, target_array.size)
        distances, sums = np.empty(shape), np.empty(shape, np.uint64)
        summary = Handle.create("summary", "solver_sum_matrix_paths", self._handle, pointer_to(source_array),
                                source_array.size, pointer_to(target_array), target_array.size, pointer_to(numbers),
                                numbers.size, self._batch_options(None, cutoff, **options), pointer_to(distances),
                                pointer_to(sums), sums.size)
        return PathSums(summary, distances, sums)

    def blocks(self, sources: Any, targets: Any = None, cutoff: float | None = None, *, keep_on_device: bool = False,
               **options: Any) -> Iterator[Block]:
        """Yields distances from many vertices in blocks of rows, for results that do not fit into memory.

        Another thread computes the next block while the caller processes one. The computation ends early if the caller
        stops iterating. Other searches on the device, also of this solver, wait until the current block is finished.

        Parameters
        ----------
        sources, targets, cutoff
            See `solve_many`.
        keep_on_device : bool
            Leave the distances of a block in device memory, until the next block is requested, for an array library.
        **options
            See `solve_many`; `memory_bytes` limits the size of a block.

        Yields
        ------
        Block
            In the order of the sources; of several devices, in the order of the sources of each.
        """
        source_array, target_array = self._vertices(sources, targets)
        batch = self._batch_options(target_array, cutoff, **options)
        batch.keep_on_device = bool(keep_on_device)
        return self._iterate(source_array, batch, strict=bool(keep_on_device))

    def _iterate(self, source_array: np.ndarray, batch: Any, strict: bool) -> Iterator[Block]:
        ready: queue.Queue[Block | BaseException | None] = queue.Queue(maxsize=1)
        sources, requested = pointer_to(source_array), threading.Semaphore(0)

        def wait_until(done: Any) -> bool:
            while not worker.is_ended:
                if done():
                    return True
            return False

        def put(item: Block | BaseException | None) -> bool:
            def try_it() -> bool:
                try:
                    ready.put(item, timeout=0.05)
                except queue.Full:
                    return False
                return True
            return wait_until(try_it)

        def take(rows_pointer: Any, _user: Any) -> int:
            try:
                rows = rows_pointer.contents
                shape, dtype = (rows.rows, rows.columns), DTYPES[rows.type]
                distances: Any
                if rows.on_device:
                    distances = DeviceArray(None, rows.distances, shape, dtype, self.device)
                else:
                    distances = _arrays.view(None, rows.distances, shape, dtype).copy()
                if not put(Block(rows.first, source_array[rows.first:rows.first + rows.rows], distances)):
                    return 1
                # The next block overwrites the device memory when this function returns.
                return int(strict and not wait_until(lambda: requested.acquire(timeout=0.05)))
            except BaseException as error:  # pylint: disable=broad-exception-caught
                put(error)
                return 1

        def work() -> None:
            try:
                library().mlmq_solver_solve_many(self._handle, sources, source_array.size, batch,
                                                 take_distances(take), None, None)
                put(None)
            except Stopped:
                pass
            except BaseException as error:  # pylint: disable=broad-exception-caught
                put(error)

        worker = CallbackThread(library(), work)
        worker.start()
        try:
            while True:
                if not worker.is_here():
                    raise WorkError("blocks() was started before this process was forked: start it in this process")
                item = ready.get()
                if item is None:
                    return
                if isinstance(item, BaseException):
                    raise item
                yield item
                requested.release()
        finally:
            worker.end(GRACE)

    def __repr__(self) -> str:
        return f"Solver({self.graph.name!r}, device={self.device.selector!r}, problem={self.problem!r})"
