# SPDX-License-Identifier: Apache-2.0
"""Results of searches."""

from __future__ import annotations

import ctypes
from ctypes import c_double, c_size_t, c_void_p
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import DTYPES, DeviceArray, pointer_to
from ._c_interface import NO_VERTEX, UNREACHABLE, device_array
from ._dlpack import CPU, capsule_of
from ._library import Handle, call, decoded, initialized, library, text_of, value_of
from .device import Device
from .errors import InputError
from .summary import Summarised


def is_reached(distances: np.ndarray) -> np.ndarray:
    """Returns which vertices are reachable, as an array of bool."""
    return distances != UNREACHABLE if distances.dtype == np.uint32 else np.isfinite(distances)


class _Distances(Summarised):
    """Results that are an array of distances."""

    _instead = "copy or pickle its distances"

    distances: np.ndarray

    @property
    def reached(self) -> np.ndarray:
        """Which vertices are reachable, as an array of bool in the shape of the distances."""
        return is_reached(self.distances)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        distances = self.distances
        if dtype is not None and distances.dtype != dtype:
            if copy is False:
                raise ValueError(f"distances of type {distances.dtype} cannot be converted to {np.dtype(dtype)} "
                                 "without a copy")
            return distances.astype(dtype)
        return distances.copy() if copy else distances

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU, 0

    def __dlpack__(self, **_ignored: Any) -> Any:
        distances = np.ascontiguousarray(self.distances)
        return capsule_of(distances, distances.ctypes.data, distances.shape, distances.dtype, (CPU, 0))


class Solution(_Distances):
    """Shortest paths from one vertex to all.

    Array libraries accept it as the array of its distances, without a copy: NumPy by ``numpy.asarray(solution)``,
    others by DLPack. If the distances were kept on a GPU, CuPy, PyTorch, JAX and Numba use them there.
    """

    def __init__(self, handle: Handle, graph: Any, device: Device) -> None:
        self._handle = self._owner = handle
        self._graph, self._device = graph, device
        self._summary = library().mlmq_solution_summary(handle.pointer)
        self._predecessors: np.ndarray | None = None
        self._address: int | None = None  # address of the distances in host memory

    @property
    def source(self) -> int:
        """The start of the paths."""
        return library().mlmq_solution_source(self._handle)

    @property
    def distances(self) -> np.ndarray:
        """One distance per vertex; unreachable vertices have 4294967295 (`UNREACHABLE`) in uint32, infinity in floats.

        A read-only view that keeps the solution alive. Distances that were kept on a device are copied to the host by
        the first use.
        """
        if self._address is None:
            self._address = value_of(c_void_p, "solution_distances", self._handle)
        count = library().mlmq_solution_count(self._handle)
        return _arrays.view(self, self._address, (count,), DTYPES[library().mlmq_solution_type(self._handle)])

    @property
    def device_distances(self) -> DeviceArray:
        """The distances in device memory.

        Raises
        ------
        InputError
            Unless they were kept there: ``solve(…, keep_on_device=True)``.
        """
        array = initialized(device_array)
        library().mlmq_solution_device_distances(self._handle, ctypes.byref(array))
        return DeviceArray(self, array.data, (array.count,), DTYPES[array.type], self._device)

    @property
    def is_on_device(self) -> bool:
        """Whether the distances were kept in device memory."""
        try:
            return self.device_distances is not None
        except InputError:
            return False

    def distance(self, v: int) -> float:
        """Returns the distance of a vertex, or infinity if it is unreachable."""
        return value_of(c_double, "solution_distance", self._handle, self._vertex(v))

    @property
    def predecessors(self) -> np.ndarray:
        """The predecessor of each vertex on a shortest path.

        4294967295 (`NO_VERTEX`) for the source and for unreachable vertices. Computed on the host by the first use.
        """
        if self._predecessors is None:
            predecessors = np.empty(library().mlmq_solution_count(self._handle), np.uint32)
            call("solution_predecessors", self._handle, 0, pointer_to(predecessors), predecessors.size)
            predecessors.flags.writeable = False
            self._predecessors = predecessors
        return self._predecessors

    def path(self, v: int) -> np.ndarray:
        """Returns the vertices of a shortest path from the source to `v`, both included; empty if unreachable."""
        target = self._vertex(v)
        count = c_size_t()
        call("solution_path", self._handle, target, None, 0, ctypes.byref(count))
        path = np.empty(count.value, np.uint32)
        call("solution_path", self._handle, target, pointer_to(path), path.size, ctypes.byref(count))
        return path

    def check(self) -> str:
        """Verifies the distances from the graph alone. Returns "" or an error message.

        Distances that do not fit their type are errors.
        """
        return text_of("solution_check", self._handle)

    def _vertex(self, v: int) -> int:
        return _arrays.vertex(v, "vertex", library().mlmq_solution_count(self._handle))

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self.is_on_device:
            raise AttributeError("the distances are in host memory: solve(…, keep_on_device=True) leaves them in "
                                 "device memory")
        return self.device_distances.__cuda_array_interface__

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device_distances.__dlpack_device__() if self.is_on_device else super().__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        return self.device_distances.__dlpack__(**options) if self.is_on_device else super().__dlpack__(**options)

    def __repr__(self) -> str:
        place = decoded(library().mlmq_choice_device(library().mlmq_summary_choice(self._summary)))
        count = library().mlmq_solution_count(self._handle)
        return f"Solution(source={self.source}, vertices={count}, device={place!r})"


class ManySolutions(_Distances):
    """Distances from many vertices: one row per source, one column per vertex or target.

    ``answer[i]``, ``answer[i, j]`` and ``numpy.asarray(answer)`` return distances, like `distances`.

    Attributes
    ----------
    sources : numpy.ndarray
        The start of the paths of each row.
    targets : numpy.ndarray or None
        The vertices of the columns; None: all vertices.
    distances : numpy.ndarray
        4294967295 (`UNREACHABLE`) in uint32, infinity in floats, for vertices that are unreachable or beyond the
        cutoff.
    """

    def __init__(self, summary: Handle, sources: np.ndarray, targets: np.ndarray | None, distances: np.ndarray) -> None:
        self._owner, self._summary = summary, summary.pointer
        self.sources, self.targets, self.distances = sources, targets, distances

    @property
    def digest(self) -> int:
        """Sum modulo 2**64 over the searches of a hash of the source and all distances; 0 with targets.

        Equal for equal distances, independent of the configuration, the device and the order of the sources.
        """
        return library().mlmq_summary_digest(self._summary)

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
    """Distances from one vertex to some targets or up to a cutoff.

    It has no paths, because a search that ends early does not know them all. Use `Solver.solve` without targets and
    cutoff for paths.

    Attributes
    ----------
    source : int
    targets : numpy.ndarray or None
        The vertices of the distances; None: all vertices.
    distances : numpy.ndarray
        See `ManySolutions`.
    """

    def __init__(self, row: ManySolutions) -> None:
        self._owner, self._summary = row._owner, row._summary
        self.source, self.targets, self.distances = int(row.sources[0]), row.targets, row.distances[0]

    def distance(self, v: int) -> float:
        """Returns the distance of a target, or infinity if it is unreachable or beyond the cutoff."""
        if self.targets is None:
            place = _arrays.vertex(v, "vertex", self.distances.size)
        else:
            places = np.flatnonzero(self.targets == _arrays.whole_number(v, "vertex", 0, NO_VERTEX - 1))
            if not places.size:
                raise InputError(f"vertex {v}: not one of the targets")
            place = int(places[0])
        distance = self.distances[place]
        return float(distance) if is_reached(distance) else float("inf")

    def __repr__(self) -> str:
        return f"BoundedSolution(source={self.source}, distances={self.distances.size})"


class Block:
    """Distances of a block of searches, in the order of the sources.

    Attributes
    ----------
    first : int
        Index of the first row's source among all sources.
    sources : numpy.ndarray
        The sources of these rows.
    distances : numpy.ndarray or DeviceArray
        See `ManySolutions`. A DeviceArray is valid until the next block is requested.
    """

    def __init__(self, first: int, sources: np.ndarray, distances: Any) -> None:
        self.first, self.sources, self.distances = first, sources, distances

    def __repr__(self) -> str:
        return f"Block(first={self.first}, rows={len(self.sources)}, columns={self.distances.shape[1]})"


__all__ = ["NO_VERTEX", "UNREACHABLE", "Block", "BoundedSolution", "ManySolutions", "Solution"]
