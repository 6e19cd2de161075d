# SPDX-License-Identifier: Apache-2.0
"""Quantities of searches that the device computes from their distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays
from ._arrays import pointer_to
from ._c_interface import (
    CLOSENESS,
    DECAYED_SUM,
    ECCENTRICITY,
    EXPONENTIAL,
    GAUSSIAN,
    HISTOGRAM,
    LINEAR,
    NEAREST,
    SUMS_WITHIN,
    reduction,
)
from ._library import Handle, initialized
from .errors import InputError
from .summary import Summarised

_DECAYS = {"exponential": EXPONENTIAL, "gaussian": GAUSSIAN, "linear": LINEAR}


def _numbers(values: Any, name: str) -> np.ndarray:
    return _arrays.aligned(_arrays.host_array(np.atleast_1d(values), name), np.float64)


class Reduction:
    """A quantity of each search, for `Solver.reduce`. The class methods create one."""

    def __init__(self, kind: int, columns: int, *, limits: Any = None, opportunities: Any = None, members: Any = None,
                 decay: int = EXPONENTIAL, scale: float = 1, count: int = 1) -> None:
        self.columns = columns
        self._kind, self._limits, self._opportunities, self._members = kind, limits, opportunities, members
        self._decay, self._scale, self._count = decay, scale, count

    @classmethod
    def within(cls, cutoffs: Any, opportunities: Any = None) -> Reduction:
        """The sum of the opportunities within each cutoff, a column for each: cumulative accessibility.

        Parameters
        ----------
        cutoffs : float or ascending array of floats
        opportunities : array of floats, optional
            One number per vertex, at least 0. [1 each, so that the vertices are counted]
        """
        limits = _numbers(cutoffs, "cutoffs")
        return cls(SUMS_WITHIN, limits.size, limits=limits, opportunities=cls._amounts(opportunities))

    @classmethod
    def decayed(cls, scale: float, opportunities: Any = None, decay: str = "exponential") -> Reduction:
        """The sum of all opportunities, each times the decay at its distance d. One column.

        Parameters
        ----------
        scale : float
            In the unit of distances.
        opportunities : array of floats, optional
            See `within`.
        decay : {"exponential", "gaussian", "linear"}
            exp(-d / scale), exp(-d**2 / (2 * scale**2)), or 1 - d / scale, at least 0.
        """
        if decay not in _DECAYS:
            raise InputError(f"decay: {decay!r}, expected {' or '.join(map(repr, _DECAYS))}")
        return cls(DECAYED_SUM, 1, opportunities=cls._amounts(opportunities), decay=_DECAYS[decay],
                   scale=_arrays.real_number(scale, "scale"))

    @classmethod
    def histogram(cls, limits: Any) -> Reduction:
        """The number of vertices up to the first limit, above it and up to the second, and so on; a column for each."""
        limit_array = _numbers(limits, "limits")
        return cls(HISTOGRAM, limit_array.size, limits=limit_array)

    @classmethod
    def closeness(cls) -> Reduction:
        """The sum of the distances of all vertices that are reached, and their number. Two columns."""
        return cls(CLOSENESS, 2)

    @classmethod
    def eccentricity(cls) -> Reduction:
        """The largest distance of a vertex that is reached. One column."""
        return cls(ECCENTRICITY, 1)

    @classmethod
    def nearest(cls, members: Any, count: int = 1) -> Reduction:
        """The distances of the `count` nearest members, ascending, and then the members. 2 * `count` columns.

        Members are given and returned as vertices, not as indices or ids of a file; `Graph.id_of` converts them.
        Infinity and -1 if fewer are reached. Equally near members are in the order of `members`.
        """
        member_array = _arrays.whole_numbers(members, "members", np.uint32, (1 << 32) - 1)
        count = _arrays.whole_number(count, "count", 1, 64)
        return cls(NEAREST, 2 * count, members=member_array, count=count)

    @staticmethod
    def _amounts(opportunities: Any) -> np.ndarray | None:
        return None if opportunities is None else _numbers(opportunities, "opportunities")

    def _structure(self) -> Any:
        """Returns the C structure; valid while this object exists."""
        structure = initialized(reduction)
        structure.kind, structure.decay, structure.scale, structure.count = (self._kind, self._decay, self._scale,
                                                                             self._count)
        for name, array in (("limit", self._limits), ("opportunities", self._opportunities),
                            ("member", self._members)):
            if array is None:
                continue
            singular = "opportunity" if name == "opportunities" else name
            setattr(structure, name if name == "opportunities" else name + "s", pointer_to(array))
            setattr(structure, singular + "_count", array.size)
        return structure


class ReducedSearches(Summarised):
    """Results of `Solver.reduce`.

    Attributes
    ----------
    sources : numpy.ndarray
        The start of the paths of each row.
    tables : list of numpy.ndarray
        One table of float64 per quantity: a row per source.
    """

    def __init__(self, summary: Handle, sources: np.ndarray, tables: list[np.ndarray]) -> None:
        self._owner, self._summary = summary, summary.pointer
        self.sources, self.tables = sources, tables

    def __repr__(self) -> str:
        return f"ReducedSearches(sources={self.sources.size}, columns={[table.shape[1] for table in self.tables]})"


class PairDistances(Summarised):
    """Results of `Solver.solve_pairs`.

    Attributes
    ----------
    distances : numpy.ndarray
        One float64 per pair; infinity if there is no path.
    """

    def __init__(self, summary: Handle, distances: np.ndarray) -> None:
        self._owner, self._summary = summary, summary.pointer
        self.distances = distances

    def __repr__(self) -> str:
        return f"PairDistances(pairs={self.distances.size})"


class PathSums(Summarised):
    """Results of `Solver.sum_pair_paths` and `Solver.sum_matrix_paths`.

    Attributes
    ----------
    distances : numpy.ndarray
        float64; infinity if there is no path.
    sums : numpy.ndarray
        uint64, of the same shape; 18446744073709551615 (`NO_PATH_SUM`) if there is no path.
    """

    def __init__(self, summary: Handle, distances: np.ndarray, sums: np.ndarray) -> None:
        self._owner, self._summary = summary, summary.pointer
        self.distances, self.sums = distances, sums

    def __repr__(self) -> str:
        return f"PathSums(shape={self.sums.shape})"
