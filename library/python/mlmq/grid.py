# SPDX-License-Identifier: Apache-2.0
"""Grid maps, and shortest paths between pairs of cells."""

from __future__ import annotations

import ctypes
import operator
import os
from ctypes import c_size_t
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import pointer_to
from ._c_interface import CORNERS_CUT, CORNERS_NONE, CORNERS_OF_FILE, path_answer, path_options
from ._library import Closable, Handle, call, decoded, encoded, initialized, library, set_configurations, text_of
from .device import Device
from .errors import InputError
from .summary import Choice, Model, Summarised, choice_of

_CORNERS = {"cut": CORNERS_CUT, "none": CORNERS_NONE}
_LARGEST_SIDE = 16_384
_ANSWER = np.dtype(path_answer)


def _rule(corners: str | None, standard: int) -> int:
    if corners is None:
        return standard
    if corners not in _CORNERS:
        raise InputError(f"corners: {corners!r}, expected 'cut' or 'none'")
    return _CORNERS[corners]


class Grid(Closable):
    """A map of free and blocked cells, with steps to the eight neighbours of length 1 (straight) or √2 (diagonal).

    Made by `open` or `from_array`. A cell is its column x from the left and its row y from the top, both from 0.

    Examples
    --------
    >>> import mlmq
    >>> with mlmq.Grid.from_array([[1, 1], [0, 1]]) as room, mlmq.PathFinder(room, device="cpu:1") as finder:
    ...     finder.solve([[(0, 0), (1, 1)]]).lengths.tolist()
    [2.0]
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
            A file, or if there is none of this name, a map to generate: "grid512:density=0.2:seed=1".
        corners : {"cut", "none"}, optional
            "cut": only the end of a diagonal step must be free. "none": the cells on both sides, too. None: "none" for
            a file, for a generated map the rule in its name, or else "cut".
        """
        return cls(Handle.create("grid", "grid_open", encoded(name), _rule(corners, CORNERS_OF_FILE)))

    @classmethod
    def from_array(cls, free: Any, corners: str = "none", name: str = "grid") -> Grid:
        """Makes a map from an array.

        Parameters
        ----------
        free : array of shape (height, width)
            Whether the cell in row y, column x is free; sides of 1 to 16,384.
        corners : {"cut", "none"}
            See `open`.
        name : str
            Used in messages.
        """
        cells = np.asarray(free)
        if cells.ndim != 2 or cells.dtype.kind not in "biu":
            raise InputError(f"free: {cells.dtype} in {cells.ndim} dimensions, "
                             "expected bool or whole numbers in 2 dimensions")
        if not all(1 <= side <= _LARGEST_SIDE for side in cells.shape):
            raise InputError(f"free: shape {cells.shape}, expected sides of 1 to {_LARGEST_SIDE}")
        cells = np.ascontiguousarray(cells != 0, dtype=np.uint8)
        return cls(Handle.create("grid", "grid_from_cells", cells.shape[1], cells.shape[0], pointer_to(cells),
                               _rule(corners, CORNERS_NONE), encoded(name)))

    @property
    def name(self) -> str:
        """The name used in messages."""
        return decoded(library().mlmq_grid_name(self._handle))

    @property
    def width(self) -> int:
        """The number of columns."""
        return library().mlmq_grid_width(self._handle)

    @property
    def height(self) -> int:
        """The number of rows."""
        return library().mlmq_grid_height(self._handle)

    @property
    def corners(self) -> str:
        """The corner rule: "cut" or "none"."""
        return list(_CORNERS)[library().mlmq_grid_corners(self._handle)]

    def is_free(self, x: int, y: int) -> bool:
        """Returns whether the cell is on the map and free."""
        x, y = operator.index(x), operator.index(y)
        return 0 <= x < self.width and 0 <= y < self.height and bool(library().mlmq_grid_is_free(self._handle, x, y))

    def random_pairs(self, count: int, seed: int = 1) -> np.ndarray:
        """Draws starts and goals uniformly from the free cells: uint32, (count, 2, 2), as for `PathFinder.solve`."""
        count = _arrays.whole_number(count, "count", 0, (1 << 32) - 1)
        seed = _arrays.whole_number(seed, "seed", 0, (1 << 64) - 1)
        pairs = np.empty((count, 2, 2), np.uint32)
        call("grid_random_pairs", self._handle, count, seed, pointer_to(pairs))
        return pairs

    def __repr__(self) -> str:
        return f"Grid({self.name!r}, width={self.width}, height={self.height}, corners={self.corners!r})"


class PathAnswers(Summarised):
    """The answers for all pairs, in their order.

    Attributes
    ----------
    lengths : numpy.ndarray of float64
        straight + diagonal · √2; infinity without a path.
    straight, diagonal : numpy.ndarray of uint32
        Numbers of steps of each path.
    """

    _instead = "copy or pickle lengths, straight and diagonal"

    def __init__(self, handle: Handle, finder: Any) -> None:
        self._handle = self._owner = handle
        self._finder = finder
        self._summary = library().mlmq_path_answers_summary(handle.pointer)
        answers = np.empty(library().mlmq_path_answers_count(handle.pointer), _ANSWER)
        library().mlmq_path_answers_copy(handle.pointer, pointer_to(answers), answers.size)
        self.lengths, self.straight, self.diagonal = answers["length"], answers["straight"], answers["diagonal"]

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def reached(self) -> np.ndarray:
        """Whether a path exists, as an array of bool."""
        return np.isfinite(self.lengths)

    @property
    def shortest(self) -> bool:
        """Whether all paths are shortest: always, except with mode=paper."""
        return bool(library().mlmq_path_answers_shortest(self._handle))

    def path(self, i: int) -> np.ndarray:
        """Returns the cells of path `i` including start and goal: uint32, (cells, 2), x and y; empty without a path.

        Raises
        ------
        InputError
            Unless paths were requested: ``solve(pairs, paths=True)``.
        """
        index = _arrays.vertex(i, "pair", len(self))
        count = c_size_t()
        call("path_answers_path", self._handle, index, None, 0, ctypes.byref(count))
        cells = np.empty((count.value, 2), np.uint32)
        call("path_answers_path", self._handle, index, pointer_to(cells), len(cells), ctypes.byref(count))
        return cells

    def check(self) -> str:
        """Repeats the searches on processors with another algorithm. Returns "" or an error message."""
        return text_of("path_answers_check", self._handle, 0)

    def __repr__(self) -> str:
        return f"PathAnswers(pairs={len(self)}, reached={int(self.reached.sum())})"


class PathFinder(Closable):
    """A map on a device, for any number of searches.

    Parameters
    ----------
    grid : Grid
    device : Device or str
        See `Solver`.
    """

    _instead = "make one in each process, from a grid that is opened there"

    def __init__(self, grid: Grid, device: Device | str = "auto") -> None:
        if not isinstance(grid, Grid):
            raise InputError(f"grid: {type(grid).__name__}, expected a Grid: see Grid.open() and Grid.from_array()")
        self.grid = grid
        self.device = Device.of(device)
        self._handle = Handle.create("path_finder", "path_finder_create", self.device._handle, grid._handle)

    @staticmethod
    def _options(configurations: Any, model: Model | None) -> Any:
        options = initialized(path_options)
        set_configurations(options, configurations, model)
        return options

    def choose(self, *, configurations: Any = None, model: Model | None = None) -> Choice:
        """Returns the configuration that `solve` would try first."""
        made = Handle.create("choice", "path_finder_choose", self._handle, self._options(configurations, model))
        return choice_of(made.pointer)

    def solve(self, pairs: Any, *, paths: bool = False, configurations: Any = None, model: Model | None = None,
              time_limit_ms: float = 60_000, counters: bool = False) -> PathAnswers:
        """Searches for all pairs in one launch.

        Parameters
        ----------
        pairs : array of whole numbers, (pairs, 2, 2)
            Start and goal of each pair, as x and y.
        paths : bool
            Whether to return the cells of each path, not only its length.
        configurations, model, counters
            See `Solver.solve`; configurations are those of the problem astar.
        time_limit_ms : float
            Limit for all searches together.

        Raises
        ------
        InputError
            For a start or goal that is off the map or blocked, naming the pair; in this case no pair is searched.
        UnsuitableError, SearchError, CompileError, DeviceMemoryError, DeviceError
        """
        cells = np.asarray(pairs)
        if cells.size == 0:
            cells = np.empty((0, 2, 2), np.uint32)
        if cells.ndim != 3 or cells.shape[1:] != (2, 2):
            raise InputError(f"pairs: shape {cells.shape}, expected (pairs, 2, 2): start and goal, x and y")
        cells = _arrays.whole_numbers(cells.reshape(-1), "pairs", np.uint32, _LARGEST_SIDE)
        options = self._options(configurations, model)
        options.paths, options.counters = bool(paths), bool(counters)
        options.time_limit_ms = _arrays.real_number(time_limit_ms, "time_limit_ms")
        return PathAnswers(Handle.create("path_answers", "path_finder_solve", self._handle, pointer_to(cells),
                                       cells.size // 4, options), self)

    def __repr__(self) -> str:
        return f"PathFinder({self.grid.name!r}, device={self.device.selector!r})"
