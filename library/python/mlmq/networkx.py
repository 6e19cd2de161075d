# SPDX-License-Identifier: Apache-2.0
"""Functions for NetworkX graphs that search with libmlmq.

    import mlmq.networkx as mnx
    lengths = mnx.single_source_dijkstra_path_length(G, "home")
    town = mnx.from_networkx(G)                          # for many calls: converts once
    for node, lengths in mnx.all_pairs_dijkstra_path_length(town): ...

They take the same arguments as the functions of NetworkX and return the same answers. Integer weights are summed as
32-bit integers if no path can be longer, others in float64. NetworkX 3.2 and newer dispatches to them:
``networkx.single_source_dijkstra_path_length(G, source, backend="mlmq")``.
"""

from __future__ import annotations

import itertools
import math
import operator
import os
from collections.abc import Callable, Hashable, Iterator
from typing import Any, Optional, Union

import numpy as np

from .device import Device
from .errors import InputError
from .graph import Graph
from .solution import is_reached
from .solver import Solver

Weight = Optional[Union[str, Callable[[Any, Any, dict], Optional[float]]]]


class Unsupported(InputError, NotImplementedError):
    """NetworkX might answer, but mlmq cannot. NetworkX falls back to its own code if it may choose the backend."""


class ConvertedGraph:
    """A NetworkX graph that has been converted to arrays once. It does not follow later changes.

    Attributes
    ----------
    graph : Graph
        Vertex i is node ``nodes[i]``.
    nodes : list
    weight : str, callable or None
        The weights, as in NetworkX.
    """

    __networkx_backend__ = "mlmq"
    made_by_networkx = False  # which uses it until the original changes, also for calls with other weights

    def __init__(self, original: Any, weight: Weight = "weight", default: float = 1) -> None:
        self.original, self.weight = original, weight
        self.nodes: list[Hashable] = list(original)
        self.index = {node: i for i, node in enumerate(self.nodes)}
        if not self.nodes:
            raise Unsupported("graph: no nodes, expected at least one")
        starts, ends, lengths = self._edges(_weight_function(original, weight, default))
        is_hidden = [length is None for length in lengths]
        self.graph, self.has_floats = self._graph_of(
            *(list(itertools.compress(part, map(operator.not_, is_hidden))) for part in (starts, ends, lengths)))
        # Numbers of edges count those that the weights hide.
        self._all_edges = self._graph_of(starts, ends, [1] * len(starts))[0] if any(is_hidden) else self.graph
        self._solvers: dict[tuple[str, Any, int], Solver] = {}

    def _edges(self, weight: Callable[[Any, Any, dict], Any]) -> tuple[list[int], list[int], list[Any]]:
        """Returns the edges in both directions, as NetworkX looks at them, with None for a hidden one."""
        starts: list[int] = []
        ends: list[int] = []
        lengths: list[Any] = []
        for start, row in self.original.adjacency():
            for end, data in row.items():
                starts.append(self.index[start])
                ends.append(self.index[end])
                lengths.append(weight(start, end, data))
        return starts, ends, lengths

    def _graph_of(self, starts: list[int], ends: list[int], lengths: list[Any]) -> tuple[Graph, bool]:
        """Returns a graph, and whether the lengths of its paths are floats."""
        numbers = _numbers(lengths, ends, len(self.nodes))
        first = np.array(starts, dtype=np.int64)
        order = np.argsort(first, kind="stable")
        offsets = np.zeros(len(self.nodes) + 1, np.uint64)
        np.cumsum(np.bincount(first, minlength=len(self.nodes)), out=offsets[1:])
        graph = Graph.from_arrays(offsets, np.array(ends, dtype=np.int64)[order], numbers[order],
                                  name=str(getattr(self.original, "name", "") or "graph"),
                                  weight_type=np.float64 if numbers.dtype.kind == "f" else None)
        return graph, any(isinstance(length, (float, np.floating)) for length in lengths)

    def solver(self, problem: str, device: Device | str) -> Solver:
        """Returns the solver for all calls with these arguments."""
        key = (problem, device, os.getpid())  # a forked process cannot use the solver
        if key not in self._solvers:
            graph = self._all_edges if problem == "bfs" else self.graph
            self._solvers[key] = Solver(graph, device=device, problem=problem)
        return self._solvers[key]

    def is_directed(self) -> bool:
        """Returns whether the original graph is directed."""
        return self.original.is_directed()

    def is_multigraph(self) -> bool:
        """Returns whether the original graph has parallel edges."""
        return self.original.is_multigraph()

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.nodes)

    def __contains__(self, node: Any) -> bool:
        try:
            return node in self.index
        except TypeError:
            return False


def _weight_function(graph: Any, weight: Weight, default: float) -> Callable[[Any, Any, dict], Any]:
    """Returns the length of an edge by its ends and its data, like NetworkX's own functions of this name."""
    if callable(weight):
        return weight
    if graph.is_multigraph():
        return lambda _start, _end, by_key: min(data.get(weight, default) for data in by_key.values())
    return lambda _start, _end, data: data.get(weight, default)


def _numbers(lengths: list[Any], ends: list[int], nodes: int) -> np.ndarray:
    """Converts weights to 32-bit integers if the length of every path is one, else to float64 if that is as exact as
    the sums of NetworkX."""
    if not lengths:
        return np.array([], dtype=np.uint32)
    try:
        values = np.asarray(lengths)
    except (TypeError, ValueError, OverflowError):
        values = np.array([], dtype=object)
    if values.dtype.kind not in "iufb":
        raise Unsupported("weights: expected numbers of 64 bits")
    values = values.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(values) | (values < 0))
    if bad.size:
        raise Unsupported(f"weights: {values[bad[0]]:g}, expected finite numbers of at least 0")
    whole = np.array([not isinstance(length, (float, np.floating)) for length in lengths])
    if _longest_path(np.where(whole, values, 0), ends, nodes) >= 2.0**53:
        raise Unsupported("weights: sums of whole numbers may exceed 2**53; float64 is not exact from there on")
    longest_path = _longest_path(values, ends, nodes)
    if not np.isfinite(longest_path):
        raise Unsupported("weights: the length of a path may be beyond float64")
    if (values == np.floor(values)).all() and longest_path < np.iinfo(np.uint32).max - 1:
        return values.astype(np.uint32)
    return values


def _longest_path(lengths: np.ndarray, ends: list[int], nodes: int) -> float:
    """Returns a bound for the length of every shortest path, which enters a node once at most."""
    longest_into = np.zeros(nodes)
    np.maximum.at(longest_into, np.array(ends, dtype=np.int64), lengths)
    with np.errstate(over="ignore"):
        return float(longest_into.sum())


def from_networkx(G: Any, weight: Weight = "weight") -> ConvertedGraph:
    """Converts a graph to arrays once, for many calls of the functions of this module.

    Parameters
    ----------
    G : graph of NetworkX
        Directed or undirected, with or without parallel edges.
    weight : str, callable or None
        As in NetworkX: the name of an edge attribute, 1 where it is missing; or a function that is called for each
        direction of an edge, with both ends and the attributes (of multigraphs, the attributes by key), and returns
        None to hide it; None: all weights are 1.
    """
    return G if isinstance(G, ConvertedGraph) else ConvertedGraph(G, weight)


def _converted(G: Any, weight: Weight) -> ConvertedGraph:
    if not isinstance(G, ConvertedGraph):
        return ConvertedGraph(G, weight)
    if G.weight == weight:
        return G
    if not G.made_by_networkx:
        raise InputError(f"weight: {weight!r}, but the graph was converted with {G.weight!r}")
    return ConvertedGraph(G.original, weight)


def _bound(cutoff: float | None) -> float | None:
    return None if cutoff is None or math.isinf(cutoff) and cutoff > 0 else cutoff


def _lengths(graph: ConvertedGraph, distances: np.ndarray, as_floats: bool) -> dict[Hashable, float]:
    """Returns the lengths by node, nearest first."""
    reached = np.flatnonzero(is_reached(distances))
    order = reached[np.argsort(distances[reached], kind="stable")]
    values = distances[order].astype(np.float64 if as_floats else np.int64)
    return dict(zip((graph.nodes[i] for i in order.tolist()), values.tolist()))


def _from_one(graph: ConvertedGraph, source: Hashable, cutoff: float | None, problem: str, device: Device | str,
              as_floats: bool) -> dict[Hashable, float]:
    if source not in graph:
        import networkx  # pylint: disable=import-outside-toplevel
        raise networkx.NodeNotFound(f"Node {source} not found in graph")
    if cutoff is not None and cutoff < 0:
        return {}
    answer = graph.solver(problem, device).solve(graph.index[source], cutoff=_bound(cutoff))
    return _lengths(graph, np.asarray(answer), as_floats)


def _from_all(graph: ConvertedGraph, cutoff: float | None, problem: str, device: Device | str,
              as_floats: bool) -> Iterator[tuple[Hashable, dict[Hashable, float]]]:
    if cutoff is not None and cutoff < 0:
        yield from ((node, {}) for node in graph.nodes)
        return
    solver = graph.solver(problem, device)
    for block in solver.blocks(np.arange(len(graph.nodes)), cutoff=_bound(cutoff)):
        for i, row in enumerate(block.distances):
            yield graph.nodes[block.first + i], _lengths(graph, row, as_floats)


def single_source_dijkstra_path_length(G: Any, source: Hashable, cutoff: float | None = None,
                                       weight: Weight = "weight", *,
                                       device: Device | str = "auto") -> dict[Hashable, float]:
    """Returns lengths of shortest paths from a node, like `networkx.single_source_dijkstra_path_length`.

    Parameters
    ----------
    G : graph of NetworkX, or ConvertedGraph
    source : node
    cutoff : number, optional
        Nodes that are farther are left out.
    weight : str, callable or None
        Weights as in NetworkX, at least 0.
    device : Device or str
        See `mlmq.Solver`.

    Returns
    -------
    dict
        The lengths by node, for reachable nodes.

    Raises
    ------
    networkx.NodeNotFound
        If the source is not in the graph.
    InputError, WorkError
    """
    graph = _converted(G, weight)
    return _from_one(graph, source, cutoff, "sssp", device, graph.has_floats)


def all_pairs_dijkstra_path_length(G: Any, cutoff: float | None = None, weight: Weight = "weight", *,
                                   device: Device | str = "auto") -> Iterator[tuple[Hashable, dict[Hashable, float]]]:
    """Returns lengths of shortest paths from every node, many searches at a time.

    Like `networkx.all_pairs_dijkstra_path_length`, an iterator of nodes with the lengths from each. The arguments are
    those of `single_source_dijkstra_path_length`.
    """
    graph = _converted(G, weight)
    return _from_all(graph, cutoff, "sssp", device, graph.has_floats)


def single_source_shortest_path_length(G: Any, source: Hashable, cutoff: float | None = None, *,
                                       device: Device | str = "auto") -> dict[Hashable, int]:
    """Returns numbers of edges of shortest paths from a node, like `networkx.single_source_shortest_path_length`."""
    graph = G if isinstance(G, ConvertedGraph) else ConvertedGraph(G, None)
    return _from_one(graph, source, cutoff, "bfs", device, False)  # type: ignore[return-value]


def all_pairs_shortest_path_length(G: Any, cutoff: float | None = None, *,
                                   device: Device | str = "auto") -> Iterator[tuple[Hashable, dict[Hashable, int]]]:
    """Returns an iterator of nodes with the numbers of edges of shortest paths from each, many searches at a time."""
    graph = G if isinstance(G, ConvertedGraph) else ConvertedGraph(G, None)
    return _from_all(graph, cutoff, "bfs", device, False)  # type: ignore[return-value]


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (single_source_dijkstra_path_length, all_pairs_dijkstra_path_length,
                     single_source_shortest_path_length, all_pairs_shortest_path_length)
}

# The backend interface of NetworkX 3.2 and newer.


def convert_from_nx(G: Any, edge_attrs: dict[str, Any] | None = None, node_attrs: Any = None,
                    preserve_edge_attrs: bool = False, preserve_node_attrs: bool = False,
                    preserve_graph_attrs: bool = False, preserve_all_attrs: bool = False, name: str | None = None,
                    graph_name: str | None = None, weight: str | None = None) -> ConvertedGraph:
    """Converts a graph with the edge attribute that a function needs. Called by NetworkX."""
    del node_attrs, preserve_node_attrs, preserve_graph_attrs, name, graph_name
    if preserve_edge_attrs or preserve_all_attrs or (edge_attrs is not None and len(edge_attrs) > 1):
        raise NotImplementedError("mlmq supports only one edge attribute, the weight")
    default: float = 1
    if edge_attrs:
        (weight, default), = edge_attrs.items()
    converted = ConvertedGraph(G, weight, default)
    converted.made_by_networkx = True
    return converted


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """Converts a converted graph back to the original; returns other results unchanged. Called by NetworkX."""
    del name
    return result.original if isinstance(result, ConvertedGraph) else result


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Returns whether a function supports these arguments, or the reason why not. Called by NetworkX."""
    if name not in _FUNCTIONS:
        return f"mlmq has no {name}"
    position = {"single_source_dijkstra_path_length": 3, "all_pairs_dijkstra_path_length": 2}.get(name)
    weight = kwargs.get("weight", args[position] if position is not None and len(args) > position else "weight")
    if callable(weight):
        return "weights from a function are supported only by mlmq.networkx.from_networkx()"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Returns whether the backend is worthwhile. Called by NetworkX."""
    del name, args, kwargs
    return True


def backend_info() -> dict[str, Any]:
    """Returns the description of the backend. Called by NetworkX."""
    parameters = {
        "device : str, optional": '"cuda:0" a GPU, "cpu" processors; "auto" the first GPU, or else processors.'}
    docs = {name: {"additional_docs": (function.__doc__ or "").split("\n", 1)[0], "additional_parameters": parameters}
            for name, function in _FUNCTIONS.items()}
    return {"backend_name": "mlmq", "project": "mlmq", "package": "mlmq",
            "short_summary": "Shortest paths on a GPU or on processors.", "functions": docs}
