# SPDX-License-Identifier: Apache-2.0
"""Shortest paths on a GPU, on processors or on a simulated GPU, with the work queue that suits the graph.

    import mlmq
    graph = mlmq.Graph.from_scipy(matrix)               # or from_arrays(), or open("roads.gr")
    solver = mlmq.Solver(graph, device="auto")
    answer = solver.solve(0)
    answer.distances                                    # a NumPy array, without a copy
    answer.path(42)
    solver.solve_many(range(1000)).distances            # 1000 rows

docs/guide/python.md has a whole session. `mlmq.networkx` has functions for graphs of NetworkX.
"""

from ._arrays import DeviceArray
from ._c_interface import NO_PATH_SUM, NO_VERTEX, UNREACHABLE
from ._library import decoded, library
from .device import Device
from .errors import (
    CompileError,
    DeviceError,
    DeviceMemoryError,
    Error,
    GraphWarning,
    InputError,
    LibraryError,
    SearchError,
    UnsuitableError,
    WorkError,
)
from .graph import Graph
from .grid import Grid, PathAnswers, PathFinder
from .reduction import PairDistances, PathSums, ReducedSearches, Reduction
from .results import query, read_results
from .solution import Block, BoundedSolution, ManySolutions, Solution
from .solver import Solver
from .summary import Choice, Interval, Model, Times, Trial, complete_configuration
from .tuning import report, sweep, tune, tune_selector

__version__ = "0.1.0"


def library_version() -> str:
    """The version of libmlmq: "0.1.0"."""
    return decoded(library().mlmq_version())


__all__ = [
    "NO_PATH_SUM", "NO_VERTEX", "UNREACHABLE", "Block", "BoundedSolution", "Choice", "CompileError", "Device",
    "DeviceArray", "DeviceError", "DeviceMemoryError", "Error", "Graph", "GraphWarning", "Grid", "InputError",
    "Interval", "LibraryError", "ManySolutions", "Model", "PairDistances", "PathAnswers", "PathFinder", "PathSums",
    "ReducedSearches", "Reduction", "SearchError", "Solution", "Solver", "Times", "Trial", "UnsuitableError",
    "WorkError", "complete_configuration", "library_version", "query", "read_results", "report", "sweep", "tune",
    "tune_selector",
]
