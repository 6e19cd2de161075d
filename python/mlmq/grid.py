# SPDX-License-Identifier: Apache-2.0
"""Grid maps, and shortest paths between pairs of cells."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import pointer_to
from ._library import (
    Handle,
    NotCopyable,
    c_size_t,
    call,
    decoded,
    encoded,
    library,
    path_options,
    set_configurations,
    text_of,
)
from .device import Device
from .errors import InputError
from .summary import Choice, Model, Summarised, choice_of

_CORNERS = {"cut": 0, "none": 1}
_LARGEST_SIDE = 16_384
_ANSWER = np.dtype([("length", np.float64), ("straight", np.uint32), ("diagonal", np.uint32)])


def _rule(corners: str | None, standard: int) -> int:
    if corners is None:
        return standard
    if corners not in _CORNERS:
        raise InputError(f"corners: {corners!r}, expected 'cut' or 'none'")
    return _CORNERS[corners]


class Grid(NotCopyable):
    """A map of free and blocked cells, with steps to the eight neighbours: a straight one is 1 long, a diagonal one √2.

    Made by `open` or `from_array`. A cell is its column x from the left and its row y from the top, both from 0.
    """

    _instead = "open it again in each process, or pass its array to Grid.from_array() there"

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @classmethod
    def open(cls, name: str | os.PathLike[str], corners: str | None = None) -> Grid:
        """Reads a file in MovingAI's format (.map, .map.gz), or generates a map.

        Parameters
        ----------
        name : str or path
            When there is no file of this name, something to generate: "grid512:density=0.2:seed=1".
        corners : {"cut", "none"}, optional
            Whether a diagonal step needs its end free, or both cells beside it, too. None: as the file says.
        """
        return cls(Handle.made("grid", "grid_open", encoded(name), _rule(corners, 2)))

    @classmethod
    def from_array(cls, free: Any, corners: str = "none", name: str = "grid") -> Grid:
        """A map of an array.

        Parameters
        ----------
        free : array of shape (height, width)
            Whether the cell in row y, column x is free; sides of 1 to 16,384.
        corners : {"cut", "none"}
            As in `open`.
        name : str
            For messages.
        """
        cells = np.asarray(free)
        if cells.ndim != 2 or cells.dtype.kind not in "biu":
            raise InputError(f"free: {cells.dtype} of {cells.ndim} dimensions, expected bool or whole numbers of 2")
        if not all(1 <= side <= _LARGEST_SIDE for side in cells.shape):
            raise InputError(f"free: shape {cells.shape}, expected sides of 1 to {_LARGEST_SIDE}")
        cells = np.ascontiguousarray(cells != 0, dtype=np.uint8)
        return cls(Handle.made("grid", "grid_from_cells", cells.shape[1], cells.shape[0], pointer_to(cells), _rule(corners, 1),
                               encoded(name)))

    @property
    def name(self) -> str:
        """For messages."""
        return decoded(library().mlmq_grid_name(self._handle))

    @property
    def width(self) -> int:
        """How many columns."""
        return library().mlmq_grid_width(self._handle)

    @property
    def height(self) -> int:
        """How many rows."""
        return library().mlmq_grid_height(self._handle)

    @property
    def corners(self) -> str:
        """The corner rule: "cut" or "none"."""
        return list(_CORNERS)[library().mlmq_grid_corners(self._handle)]

    def is_free(self, x: int, y: int) -> bool:
        """Whether the cell is on the map, and free."""
        return 0 <= x < self.width and 0 <= y < self.height and bool(library().mlmq_grid_is_free(self._handle, x, y))

    def random_pairs(self, count: int, seed: int = 1) -> np.ndarray:
        """Starts and goals drawn from the free cells, as `PathFinder.solve` takes them: uint32, (count, 2, 2)."""
        pairs = np.empty((count, 2, 2), np.uint32)
        call("grid_random_pairs", self._handle, count, seed, pointer_to(pairs))
        return pairs

    def __repr__(self) -> str:
        return f"Grid({self.name!r}, width={self.width}, height={self.height}, corners={self.corners!r})"


class PathAnswers(Summarised):
    """What was found for all pairs, in their order.

    Attributes
    ----------
    lengths : numpy.ndarray of float64
        straight + diagonal · √2; infinity without a path.
    straight, diagonal : numpy.ndarray of uint32
        Steps of each path.
    """

    _instead = "copy or pickle lengths, straight and diagonal"

    def __init__(self, handle: Handle, finder: Any) -> None:
        self._handle = self._owner = handle
        self._finder = finder
        self._summary = library().mlmq_path_answers_summary(handle.pointer)
        found = np.empty(library().mlmq_path_answers_count(handle.pointer), _ANSWER)
        library().mlmq_path_answers_copy(handle.pointer, pointer_to(found), found.size)
        self.lengths, self.straight, self.diagonal = found["length"], found["straight"], found["diagonal"]

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def reached(self) -> np.ndarray:
        """Where there is a path, as an array of bool."""
        return np.isfinite(self.lengths)

    @property
    def shortest(self) -> bool:
        """Whether no path is longer than it has to be: always, except in mode=paper."""
        return bool(library().mlmq_path_answers_shortest(self._handle))

    def path(self, i: int) -> np.ndarray:
        """The cells of path `i` from start to goal, both included: uint32, (cells, 2), x and y; none without a path.

        Raises
        ------
        InputError
            Unless paths were asked for: ``solve(pairs, paths=True)``.
        """
        asked = _arrays.vertex(i, "pair", len(self))
        count = c_size_t()
        call("path_answers_path", self._handle, asked, None, 0, ctypes.byref(count))
        found = np.empty((count.value, 2), np.uint32)
        call("path_answers_path", self._handle, asked, pointer_to(found), len(found), ctypes.byref(count))
        return found

    def check(self) -> str:
        """Searches once more on processors, another way: "", or what is wrong."""
        return text_of("path_answers_check", self._handle, 0)

    def __repr__(self) -> str:
        return f"PathAnswers(pairs={len(self)}, reached={int(self.reached.sum())})"


class PathFinder(NotCopyable):
    """A map on a device, for any number of searches.

    Parameters
    ----------
    grid : Grid
    device : Device or str
        As for `Solver`.
    """

    _instead = "make one in each process, from a grid that is opened there"

    def __init__(self, grid: Grid, device: Device | str = "auto") -> None:
        if not isinstance(grid, Grid):
            raise InputError(f"grid: {type(grid).__name__}, expected a Grid: Grid.open() or from_array()")
        self.grid = grid
        self.device = Device.of(device)
        self._handle = Handle.made("path_finder", "path_finder_create", self.device._handle, grid._handle)

    @staticmethod
    def _options(configurations: Any, model: Model | None) -> Any:
        options = path_options.made()
        set_configurations(options, configurations, model)
        return options

    def choose(self, *, configurations: Any = None, model: Model | None = None) -> Choice:
        """What `solve` would choose now."""
        made = Handle.made("choice", "path_finder_choose", self._handle, self._options(configurations, model))
        return choice_of(made.pointer)

    def solve(self, pairs: Any, *, paths: bool = False, configurations: Any = None, model: Model | None = None,
              time_limit_ms: float = 60_000, counters: bool = False) -> PathAnswers:
        """Searches for all pairs by one launch.

        Parameters
        ----------
        pairs : array of whole numbers, (pairs, 2, 2)
            Start and goal of each, each x and y.
        paths : bool
            The cells of each path too, not its length alone.
        configurations, model, counters
            As in `Solver.solve`; configurations are those of the problem astar.
        time_limit_ms : float
            For all searches together.

        Raises
        ------
        InputError
            For a start or a goal that is off the map or on an obstacle, saying which; then no pair is searched.
        UnsuitableError, SearchError, CompileError, MemoryError, DeviceError
        """
        asked = np.asarray(pairs)
        if asked.size == 0:
            asked = np.empty((0, 2, 2), np.uint32)
        if asked.ndim != 3 or asked.shape[1:] != (2, 2):
            raise InputError(f"pairs: shape {asked.shape}, expected (pairs, 2, 2): start and goal, x and y")
        asked = _arrays.whole_numbers(asked.reshape(-1), "pairs", np.uint32, _LARGEST_SIDE)
        options = self._options(configurations, model)
        options.paths, options.counters, options.time_limit_ms = bool(paths), bool(counters), time_limit_ms
        return PathAnswers(Handle.made("path_answers", "path_finder_solve", self._handle, pointer_to(asked),
                                       asked.size // 4, options), self)

    def __repr__(self) -> str:
        return f"PathFinder({self.grid.name!r}, device={self.device.selector!r})"
