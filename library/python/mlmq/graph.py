# SPDX-License-Identifier: Apache-2.0
"""Graphs to search."""

from __future__ import annotations

import os
import warnings
from ctypes import byref, c_double, c_uint32, c_uint64
from typing import Any, NamedTuple

import numpy as np

from . import _arrays
from ._arrays import DTYPES, TYPES, pointer_to
from ._c_interface import UINT32, device_rows, read_options
from ._library import Closable, Handle, decoded, encoded, initialized, library, text_of, value_of
from .device import Device
from .errors import GraphWarning, InputError

_MAX_VERTICES = 0xFFFFFFFE


def _duplicates(starts: np.ndarray, ends: np.ndarray) -> int:
    """Returns the number of entries of compressed rows that have the place of another."""
    count = starts.size - 1
    keys = np.repeat(np.arange(count, dtype=np.int64), np.diff(starts)) * count + ends
    return 0 if (np.diff(keys) > 0).all() else int(keys.size - np.unique(keys).size)


class OpenTimes(NamedTuple):
    """Durations of `Graph.open()` in milliseconds."""

    read: float
    """reading and checking the file"""
    build: float
    """making rows of the file's edges; for a generated graph, generating it"""
    file_bytes: int
    """size of the file, compressed if it is; 0 for a generated graph"""


class Graph(Closable):
    """A directed graph with non-negative weights. It is immutable, and any number of solvers may share it.

    Made by `open`, `from_scipy` or `from_arrays`. A vertex is an index from 0; its number in a file is its id.

    Examples
    --------
    >>> import mlmq
    >>> with mlmq.Graph.from_arrays([0, 2, 3, 3], [1, 2, 2], [4, 9, 3]) as graph:
    ...     mlmq.Solver(graph, device="cpu:1").solve(0).distances.tolist()
    [0, 4, 7]
    """

    _instead = "open it again in each process, or pass its arrays to Graph.from_arrays() there"

    def __init__(self, handle: Handle, arrays: tuple[Any, ...] = ()) -> None:
        self._handle = handle
        self._arrays = arrays  # device arrays that the graph uses without a copy
        self._own_notes: list[str] = []  # notes that libmlmq does not know

    @classmethod
    def open(cls, name: str | os.PathLike[str], *, weight_seed: int = 1, ignore_weights: bool = False,
             absolute_weights: bool = False, weight_type: Any = None, undirected: bool | None = None,
             weight_column: str | None = None, source_column: str | None = None, target_column: str | None = None,
             direction_column: str | None = None) -> Graph:
        """Reads a graph from a file, or generates one.

        Assumptions about a file are warnings of the class `GraphWarning`; `notes` lists them, too.

        Parameters
        ----------
        name : str or path
            DIMACS or Galois (.gr), Matrix Market (.mtx), an edge list (.txt, .el, .wel, .snap, .tsv), METIS (.graph,
            .metis), a table of edges (.csv) or a SciPy matrix (.npz), each optionally compressed (.gz). If there is no
            such file, the name of a graph to generate: "road18", "rmat20", "grid100".
        weight_seed : int
            Seed of random weights for a file without weights: integers from 1 to 100.
        ignore_weights : bool
            Treat the weights of the file as absent.
        absolute_weights : bool
            Take the absolute values of negative weights, which are an error otherwise.
        weight_type : dtype, optional
            uint32, float32 or float64: weights are converted to the nearest number of this type, which is also the type
            of distances. None: integer weights are uint32, decimal ones float64, if possible with `decimal_places`;
            otherwise float32 if it represents them exactly. float64 without decimal places has no multi-level queues.
        undirected : bool, optional
            Whether to add the reverse of every edge; None: as the file specifies.
        weight_column, source_column, target_column, direction_column : str, optional
            Names of the columns of a table of edges (.csv), or their numbers from 1 if it has no header. None: chosen
            by the header; a warning says which. The direction tells for each line whether its edge leads in one
            direction or in both.

        Raises
        ------
        InputError
        """
        options = initialized(read_options)
        options.weight_seed = _arrays.whole_number(weight_seed, "weight_seed", 0, (1 << 64) - 1)
        options.ignore_weights, options.absolute_weights = bool(ignore_weights), bool(absolute_weights)
        options.weight_type = -1 if weight_type is None else TYPES[_arrays.number_type(weight_type)]
        options.undirected = -1 if undirected is None else int(bool(undirected))
        for field, column in (("weight_column", weight_column), ("source_column", source_column),
                              ("target_column", target_column), ("direction_column", direction_column)):
            if column is not None:
                setattr(options, field, encoded(str(column)))
        graph = cls(Handle.create("digraph", "digraph_open", encoded(name), options))
        return graph._warned()

    @classmethod
    def from_scipy(cls, matrix: Any, *, name: str = "graph", weight_type: Any = None) -> Graph:
        """Makes a graph from a sparse SciPy matrix or array, which is copied.

        Entry (u, v) is an edge from u to v with that weight, even if it is an explicit 0. Duplicate entries are
        parallel edges, as in every file of a graph; a `GraphWarning` says so, since SciPy itself would add them up.

        Parameters
        ----------
        matrix : scipy.sparse matrix or array
            Square; any format. See `from_arrays` for the types of its weights.
        name : str
            Used in messages.
        weight_type : dtype, optional
            See `from_arrays`.

        Raises
        ------
        InputError
        """
        if not hasattr(matrix, "tocsr"):
            raise InputError(f"matrix: {type(matrix).__name__}, expected a sparse SciPy matrix or array; "
                             "scipy.sparse.csr_array(matrix) makes one")
        if len(matrix.shape) != 2:
            raise InputError(f"matrix: {len(matrix.shape)} dimensions, expected a square matrix")
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"matrix: {matrix.shape[0]} rows and {matrix.shape[1]} columns, expected a square matrix")
        if matrix.format == "coo" and isinstance(matrix.data, np.ndarray):
            # Its tocsr() would add up duplicate entries.
            order = np.argsort(matrix.row, kind="stable")
            starts = np.zeros(matrix.shape[0] + 1, np.int64)
            np.cumsum(np.bincount(matrix.row, minlength=matrix.shape[0]), out=starts[1:])
            ends, weights = matrix.col[order], matrix.data[order]
        else:
            if matrix.format != "csr" and hasattr(matrix, "check_format"):  # its tocsr() trusts the indices
                try:
                    matrix.check_format()
                except (TypeError, ValueError) as error:
                    raise InputError(f"matrix: {error}") from None
                if (np.diff(matrix.indptr) < 0).any():  # not checked if the last number is 0
                    raise InputError("matrix: its indptr decreases")
            rows = matrix.tocsr()
            starts, ends, weights = rows.indptr, rows.indices[:rows.nnz], rows.data[:rows.nnz]
        duplicates = _duplicates(starts, ends) if isinstance(weights, np.ndarray) else 0
        if weights.dtype.kind == "b":
            weights = weights.astype(np.uint32)
        graph = cls._from_arrays(starts, ends, weights, name, weight_type)
        if duplicates:
            graph._own_notes.append(
                f"{name}: entries at the place of another: {duplicates}, taken as parallel edges, of which the "
                "lightest counts; matrix.sum_duplicates() adds them up")
        return graph._warned()

    @classmethod
    def from_arrays(cls, indptr: Any, indices: Any, weights: Any = None, *, name: str = "graph",
                    weight_type: Any = None, device: Device | str | None = None, check: bool = True) -> Graph:
        """Makes a graph from compressed sparse rows: row v has the edges indptr[v] to indptr[v + 1] - 1.

        Arrays in host memory (NumPy, lists, objects with ``__array__`` or DLPack) are copied, and converted if no value
        changes: any integer type and any layout.

        Arrays in GPU memory (CuPy, PyTorch, JAX, Numba: ``__cuda_array_interface__`` or DLPack; `DeviceArray`) are used
        in place. They must be contiguous, all on one device, and must not change while the graph or anything derived
        from it is in use. The graph keeps them alive. indptr has 32 or 64 bits, indices 32; weights are uint32 or
        float32.

        Parameters
        ----------
        indptr : array of n + 1 whole numbers
            Non-decreasing, from 0 to the number of edges.
        indices : array of whole numbers
            The target of each edge: 0 to n - 1.
        weights : array of numbers, optional
            One per edge, finite and at least 0. Integers, at most 4294967293, give distances of type uint32.
            float32 gives float32. Other decimal numbers give float64, if possible with `decimal_places`; otherwise
            float32 if it represents them exactly. None: all are 1.
        name : str
            Used in messages.
        weight_type : dtype, optional
            uint32, float32 or float64: weights are converted to the nearest number of this type, which is also the type
            of distances. uint32 accepts integers only. None: see `weights`. Arrays on a device must already have this
            type.
        device : Device or str, optional
            The device of arrays that do not specify theirs.
        check : bool
            For arrays on a device: whether a kernel checks these rules. Without the check, the caller guarantees them:
            searching invalid rows may read and write arbitrary memory.

        Raises
        ------
        InputError
            For a broken rule, naming the rule and the position.
        """
        return cls._from_arrays(indptr, indices, weights, name, weight_type, device, check)._warned()

    @classmethod
    def _from_arrays(cls, indptr: Any, indices: Any, weights: Any, name: str, weight_type: Any,
                     device: Device | str | None = None, check: bool = True) -> Graph:
        dtype = None if weight_type is None else _arrays.number_type(weight_type)
        arrays = [("indptr", indptr), ("indices", indices)] + ([] if weights is None else [("weights", weights)])
        device_arrays = {label: _arrays.on_device(values, label) for label, values in arrays}
        on_device = [label for label, array in device_arrays.items() if array is not None]
        if on_device:
            on_host = [label for label, array in device_arrays.items() if array is None]
            if on_host:
                raise InputError(f"{', '.join(on_device)} in device memory, but {', '.join(on_host)} in host memory: "
                                 "expected all arrays in the same memory")
            return cls._on_device(device_arrays, name, dtype, device, check)
        if device is not None:
            raise InputError("device: the arrays are in host memory; choose the device to search on with "
                             "Solver(graph, device=…)")
        if not check:
            raise InputError("check=False: arrays in host memory are always checked")
        return cls._on_host(indptr, indices, weights, name, dtype)

    def reversed(self) -> Graph:
        """Returns the graph with every edge reversed: searches from a vertex find the distances to that vertex."""
        return Graph(Handle.create("digraph", "digraph_reversed", self._handle))

    @classmethod
    def _on_host(cls, indptr: Any, indices: Any, weights: Any, name: str, dtype: np.dtype | None) -> Graph:
        offsets = _arrays.whole_numbers(indptr, "indptr", np.uint64, (1 << 63) - 1)
        if not 1 < offsets.size <= _MAX_VERTICES + 1:
            raise InputError(f"indptr: {offsets.size} numbers, expected one more than the number of vertices, "
                             "at least 2")
        count = offsets.size - 1
        ends = _arrays.whole_numbers(indices, "indices", np.uint32, count - 1)
        if weights is None and dtype is not None:
            weights = np.ones(ends.size, dtype)
        lengths = None if weights is None else _arrays.weights(weights, dtype)
        if lengths is not None and lengths.size != ends.size:
            raise InputError(f"weights: {lengths.size} numbers, expected one per index, {ends.size} in total")

        def from_rows(numbers: np.ndarray | None) -> Graph:
            return cls(Handle.create("digraph", "digraph_from_rows", count, ends.size, pointer_to(offsets),
                                     pointer_to(ends), UINT32 if numbers is None else TYPES[numbers.dtype],
                                     None if numbers is None else pointer_to(numbers), encoded(name)))

        if dtype is None and lengths is not None and _arrays.are_doubles(weights):
            exact = from_rows(_arrays.aligned(lengths, np.float64))
            exact = Graph(Handle.create("digraph", "digraph_with_decimal_places", exact._handle))
            if exact.decimal_places is not None:
                return exact
        return from_rows(lengths)

    @classmethod
    def _on_device(cls, arrays: dict[str, Any], name: str, dtype: np.dtype | None, device: Device | str | None,
                   check: bool) -> Graph:
        offsets, ends, lengths = arrays["indptr"], arrays["indices"], arrays.get("weights")
        if offsets.dtype not in (np.int32, np.uint32, np.int64, np.uint64):
            raise InputError(f"indptr: numbers of type {offsets.dtype}, expected whole numbers of 32 or 64 bits")
        if ends.dtype not in (np.int32, np.uint32):
            raise InputError(f"indices: numbers of type {ends.dtype} on a device, expected int32 or uint32")
        if lengths is not None and lengths.dtype not in (np.uint32, np.float32):
            raise InputError(f"weights: numbers of type {lengths.dtype} on a device, expected uint32 or float32")
        if dtype is not None and dtype != (np.uint32 if lengths is None else lengths.dtype):
            raise InputError(f"weight_type: {dtype}, but the weights on the device are "
                             f"{'1, of type uint32' if lengths is None else lengths.dtype}")
        if not 1 < offsets.shape[0] <= _MAX_VERTICES + 1:
            raise InputError(f"indptr: {offsets.shape[0]} numbers, expected one more than the number of vertices, "
                             "at least 2")
        if lengths is not None and lengths.shape != ends.shape:
            raise InputError(f"weights: {lengths.shape[0]} numbers, expected one per index, {ends.shape[0]} in total")
        owner = cls._device_of(arrays, device)
        streams = {array.stream for array in arrays.values() if array is not None} - {None}
        if len(streams) > 1:
            raise InputError("the arrays are written in different streams: synchronise the streams first")

        rows = initialized(device_rows)
        rows.vertices, rows.edges = offsets.shape[0] - 1, ends.shape[0]
        rows.offsets, rows.offset_bits = offsets.address, 8 * offsets.dtype.itemsize
        rows.targets = ends.address
        if lengths is not None:
            rows.weights, rows.weight_type = lengths.address, TYPES[lengths.dtype]
        rows.name, rows.unchecked = encoded(name), not check
        rows.stream = streams.pop() if streams else None
        rows.kept = arrays
        handle = Handle.create("digraph", "digraph_from_device", owner._handle, rows)
        return cls(handle, (owner, *(array.owner for array in arrays.values() if array is not None)))

    @staticmethod
    def _device_of(arrays: dict[str, Any], device: Device | str | None) -> Device:
        """Returns the device that the arrays specify, or else the caller's."""
        devices: dict[str, Device | str] = {}
        for array in arrays.values():
            if isinstance(array.owner, _arrays.DeviceArray):
                devices[array.owner.device.selector] = array.owner.device
            elif array.number is not None:
                devices[f"cuda:{array.number}"] = f"cuda:{array.number}"
        if len(devices) > 1:
            raise InputError(f"the arrays are on different devices: {', '.join(sorted(devices))}")
        if device is None:
            return Device.of(next(iter(devices.values()), "cuda:0"))
        requested = Device.of(device)
        if devices and requested.selector not in devices:
            raise InputError(f"device: {requested.selector}, but the arrays are on {next(iter(devices))}")
        return requested

    @property
    def name(self) -> str:
        """The name used in messages."""
        return decoded(library().mlmq_digraph_name(self._handle))

    @property
    def vertex_count(self) -> int:
        """The number of vertices."""
        return library().mlmq_digraph_vertex_count(self._handle)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return library().mlmq_digraph_edge_count(self._handle)

    @property
    def weight_type(self) -> np.dtype:
        """The type of the weights: uint32, float32 or float64."""
        return DTYPES[library().mlmq_digraph_weight_type(self._handle)]

    @property
    def decimal_places(self) -> int | None:
        """k, if float64 weights and distances are searched as whole numbers of 10^-k, without rounding; or None.

        Then every solver can be used, and every distance is the double nearest to the exact decimal number. All
        weights must be multiples of 10^-9, and distances below 2^32 of the units; `weight_type` was not requested.
        """
        places = library().mlmq_digraph_decimal_places(self._handle)
        return None if places < 0 else places

    @property
    def on_host(self) -> bool:
        """Whether the graph is in host memory. A graph of device arrays is copied there when a call first needs it."""
        return bool(library().mlmq_digraph_on_host(self._handle))

    @property
    def default_source(self) -> int:
        """A suitable vertex for a single search."""
        return library().mlmq_digraph_default_source(self._handle)

    @property
    def open_times(self) -> OpenTimes:
        """How long `Graph.open()` took; zeros for a graph that was made in another way."""
        read, build, file_bytes = c_double(), c_double(), c_uint64()
        library().mlmq_digraph_open_times(self._handle, byref(read), byref(build), byref(file_bytes))
        return OpenTimes(read.value, build.value, file_bytes.value)

    @property
    def notes(self) -> list[str]:
        """Warnings about a file that was read successfully; usually empty."""
        count = library().mlmq_digraph_note_count(self._handle)
        return [decoded(library().mlmq_digraph_note(self._handle, i)) for i in range(count)] + self._own_notes

    def _warned(self) -> Graph:
        """Warns of the notes, once each, for the caller of a public function; returns the graph."""
        for note in self.notes:
            warnings.warn(note, GraphWarning, stacklevel=3)
        return self

    def id_of(self, v: int) -> int:
        """Returns the number of a vertex in the graph's file; for graphs without a file it is the vertex itself."""
        return value_of(c_uint64, "digraph_id_of", self._handle, _arrays.vertex(v, "vertex", self.vertex_count))

    def name_of(self, v: int) -> str:
        """Returns what the graph's file calls a vertex: its name if vertices have names, or else its id in digits."""
        return text_of("digraph_name_of", self._handle, _arrays.vertex(v, "vertex", self.vertex_count))

    def vertex_of(self, number: int | str) -> int:
        """Returns the vertex with this id, or, for a string, the vertex that the graph's file calls so (`name_of`).

        Raises
        ------
        InputError
            If there is none.
        """
        if isinstance(number, str):
            return value_of(c_uint32, "digraph_vertex_named", self._handle, encoded(number))
        return value_of(c_uint32, "digraph_vertex_of", self._handle,
                        _arrays.whole_number(number, "id", 0, (1 << 64) - 1))

    def __repr__(self) -> str:
        return (f"Graph({self.name!r}, vertices={self.vertex_count}, edges={self.edge_count}, "
                f"weight_type={self.weight_type.name})")
