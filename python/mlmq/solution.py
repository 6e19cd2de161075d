# SPDX-License-Identifier: Apache-2.0
"""Answers of searches."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import DTYPES, DeviceArray, pointer_to
from ._dlpack import CPU, capsule_of
from ._library import (
    NO_VERTEX,
    Handle,
    c_double,
    c_size_t,
    c_void_p,
    call,
    decoded,
    device_array,
    library,
    text_of,
    value_of,
)
from .device import Device
from .errors import InputError
from .summary import Summarised

UNREACHABLE = 0xFFFFFFFF


def is_reached(distances: np.ndarray) -> np.ndarray:
    """Where a path leads, as an array of bool."""
    return distances != UNREACHABLE if distances.dtype == np.uint32 else np.isfinite(distances)


class _Distances(Summarised):
    """Answers that are an array of distances."""

    _instead = "copy or pickle its distances"

    distances: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        """Where a path leads, as an array of bool in the shape of the distances."""
        return is_reached(self.distances)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        found = self.distances
        if dtype is not None and found.dtype != dtype:
            if copy is False:
                raise ValueError(f"distances of type {found.dtype} cannot be had as {np.dtype(dtype)} without a copy")
            return found.astype(dtype)
        return found.copy() if copy else found

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU, 0

    def __dlpack__(self, **_ignored: Any) -> Any:
        found = np.ascontiguousarray(self.distances)
        return capsule_of(found, found.ctypes.data, found.shape, found.dtype, (CPU, 0))


class Solution(_Distances):
    """Shortest paths from one vertex to all.

    An array library takes it as the array of its distances, without a copy: NumPy by ``numpy.asarray(solution)``, others by
    DLPack; where the distances were kept on a GPU, CuPy, PyTorch, JAX and Numba take them there.
    """

    def __init__(self, handle: Handle, graph: Any, device: Device) -> None:
        self._handle = self._owner = handle
        self._graph, self._device = graph, device
        self._summary = library().mlmq_solution_summary(handle.pointer)
        self._predecessors: np.ndarray | None = None
        self._address: int | None = None  # of the distances in host memory

    @property
    def source(self) -> int:
        """Where the paths begin."""
        return library().mlmq_solution_source(self._handle)

    @property
    def distances(self) -> np.ndarray:
        """One for each vertex: 4294967295 (`UNREACHABLE`) in uint32, infinity in floats, where no path leads.

        Not a copy: the array cannot be written, and keeps the solution alive. Distances that were kept on a device are
        brought to the host by the first use.
        """
        if self._address is None:
            self._address = value_of(c_void_p, "solution_distances", self._handle)
        count = library().mlmq_solution_count(self._handle)
        return _arrays.view(self, self._address, (count,), DTYPES[library().mlmq_solution_type(self._handle)])

    @property
    def device_distances(self) -> DeviceArray:
        """The distances in the memory of the device, which nothing has been brought from.

        Raises
        ------
        InputError
            Unless they were kept there: ``solve(…, keep_on_device=True)``.
        """
        found = device_array.made()
        library().mlmq_solution_device_distances(self._handle, ctypes.byref(found))
        return DeviceArray(self, found.data, (found.count,), DTYPES[found.type], self._device)

    @property
    def is_on_device(self) -> bool:
        """Whether the distances were kept in the memory of a device."""
        try:
            return self.device_distances is not None
        except InputError:
            return False

    def distance(self, v: int) -> float:
        """The distance of a vertex; infinity where no path leads."""
        return value_of(c_double, "solution_distance", self._handle, self._vertex(v))

    @property
    def predecessors(self) -> np.ndarray:
        """For each vertex the one before it on a shortest path; 4294967295 (`NO_VERTEX`) for the source and where no path leads.

        Computed on the host, from the distances, by the first use.
        """
        if self._predecessors is None:
            found = np.empty(library().mlmq_solution_count(self._handle), np.uint32)
            call("solution_predecessors", self._handle, 0, pointer_to(found), found.size)
            found.flags.writeable = False
            self._predecessors = found
        return self._predecessors

    def path(self, v: int) -> np.ndarray:
        """The vertices of a shortest path from the source to `v`, both included; none where no path leads."""
        asked = self._vertex(v)
        count = c_size_t()
        call("solution_path", self._handle, asked, None, 0, ctypes.byref(count))
        found = np.empty(count.value, np.uint32)
        call("solution_path", self._handle, asked, pointer_to(found), found.size, ctypes.byref(count))
        return found

    def check(self) -> str:
        """Proves the distances right by the graph alone: "", or what is wrong. Distances that do not fit their type are
        wrong."""
        return text_of("solution_check", self._handle)

    def _vertex(self, v: int) -> int:
        return _arrays.vertex(v, "vertex", self._graph.vertex_count)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self.is_on_device:
            raise AttributeError("the distances are in host memory: solve(…, keep_on_device=True) leaves them on the device")
        return self.device_distances.__cuda_array_interface__

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_distances.__dlpack_device__() if self.is_on_device else super().__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        return self.device_distances.__dlpack__(**options) if self.is_on_device else super().__dlpack__(**options)

    def __repr__(self) -> str:
        place = decoded(library().mlmq_choice_device(library().mlmq_summary_choice(self._summary)))
        return f"Solution(source={self.source}, vertices={library().mlmq_solution_count(self._handle)}, device={place!r})"


class ManySolutions(_Distances):
    """Distances from many vertices: a row for each source, a column for each vertex, or each target.

    ``answer[i]``, ``answer[i, j]`` and ``numpy.asarray(answer)`` give the distances, as `distances` does.

    Attributes
    ----------
    sources : numpy.ndarray
        Where the paths begin.
    targets : numpy.ndarray or None
        What the columns are; None: the vertices.
    distances : numpy.ndarray
        4294967295 (`UNREACHABLE`) in uint32, infinity in floats, where no path leads, or none that is short enough.
    """

    def __init__(self, summary: Handle, sources: np.ndarray, targets: np.ndarray | None, distances: np.ndarray) -> None:
        self._owner, self._summary = summary, summary.pointer
        self.sources, self.targets, self.distances = sources, targets, distances

    @property
    def shape(self) -> tuple[int, ...]:
        """(sources, columns)."""
        return self.distances.shape

    @property
    def dtype(self) -> np.dtype:
        """uint32, float32 or float64."""
        return self.distances.dtype

    def __len__(self) -> int:
        return len(self.distances)

    def __getitem__(self, index: Any) -> Any:
        return self.distances[index]

    def __repr__(self) -> str:
        return f"ManySolutions(sources={self.shape[0]}, columns={self.shape[1]}, dtype={self.dtype.name})"


class BoundedSolution(_Distances):
    """Distances from one vertex, to targets only, or up to a cutoff.

    It has no paths: a search that was cut short does not know them all. `Solver.solve` without targets and cutoff does.

    Attributes
    ----------
    source : int
    targets : numpy.ndarray or None
        What the distances are of; None: all vertices.
    distances : numpy.ndarray
        As in `ManySolutions`.
    """

    def __init__(self, row: ManySolutions) -> None:
        self._owner, self._summary = row._owner, row._summary
        self.source, self.targets, self.distances = int(row.sources[0]), row.targets, row.distances[0]

    def distance(self, v: int) -> float:
        """The distance of a target; infinity where no path leads, or none that is short enough."""
        if self.targets is None:
            place = _arrays.vertex(v, "vertex", self.distances.size)
        else:
            places = np.flatnonzero(self.targets == v)
            if not places.size:
                raise InputError(f"vertex {v}: is none of the targets")
            place = int(places[0])
        found = self.distances[place]
        return float(found) if is_reached(found) else float("inf")

    def __repr__(self) -> str:
        return f"BoundedSolution(source={self.source}, distances={self.distances.size})"


class Block:
    """Distances of some of many searches, in the order of the sources.

    Attributes
    ----------
    first : int
        The place of the first row's source among all sources.
    sources : numpy.ndarray
        Of these rows.
    distances : numpy.ndarray or DeviceArray
        As in `ManySolutions`. A DeviceArray is valid until the next block is asked for.
    """

    def __init__(self, first: int, sources: np.ndarray, distances: Any) -> None:
        self.first, self.sources, self.distances = first, sources, distances

    def __repr__(self) -> str:
        return f"Block(first={self.first}, rows={len(self.sources)}, columns={self.distances.shape[1]})"


__all__ = ["NO_VERTEX", "UNREACHABLE", "Block", "BoundedSolution", "ManySolutions", "Solution"]
