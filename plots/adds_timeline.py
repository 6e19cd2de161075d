# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS on one graph: ADDS Fig. 11 to 15.

Shows for both the configuration that is fastest on the graph without recording. As in the paper, parallelism is a
number of vertices times the average degree: of the vertices that are available to a superstep of Near-Far, from its
start until the next, and of those that are assigned to workers of ADDS. The second panel shows the warps at work.
Recording takes time, so the runs shown are longer than those whose times the speed-up compares."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import adds_graphs  # before numpy: says what to do when that is missing
import mlmq_fig10
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials
from verdicts import single

import numpy as np

SEARCHES = (adds_graphs.NEAR_FAR, adds_graphs.BASE)
COLOURS = {"Near-Far": "#0072b2", "ADDS": "#d55e00"}
# Peaks that are farther apart than this are drawn on a logarithmic scale.
LOG_SCALE_FROM = 20


@dataclass(frozen=True)
class Run:
    """A recorded run of a search."""

    line: mlmq_fig10.Timeline
    edges: np.ndarray  # mean of each interval: available to Near-Far, or assigned by ADDS

    def coarser_edges(self) -> np.ndarray:
        """Returns the means over the intervals that Timeline.coarser() returns."""
        together = -(-len(self.edges) // mlmq_fig10.POINTS)
        starts = np.arange(0, len(self.edges), together)
        return np.add.reduceat(self.edges, starts) / np.diff(np.append(starts, len(self.edges)))

    def edges_until(self, share: float) -> float | None:
        """Returns the mean number of edges until a share of the run is over, divided by that of the rest; None for too
        few intervals."""
        place = round(share * len(self.edges))
        if place in (0, len(self.edges)):
            return None
        return float(self.edges[:place].mean() / max(self.edges[place:].mean(), 1e-9))


@dataclass(frozen=True)
class Comparison:
    """ADDS against Near-Far on the graph of a figure."""

    speedup: float
    efficiency: float | None  # vertices of Near-Far over those of ADDS; None: unknown
    near_far: Run
    adds: Run

    @property
    def over_saved_work(self) -> float | None:
        """The part of the speed-up that is not that of saved work."""
        return None if self.efficiency is None else self.speedup / self.efficiency

    @property
    def edges(self) -> float:
        """The mean number of edges that ADDS assigns over that available to Near-Far."""
        return float(self.adds.edges.mean() / max(self.near_far.edges.mean(), 1e-9))

    @property
    def warps(self) -> float:
        """The mean number of warps at work, over that of Near-Far."""
        return self.adds.line.mean_warps() / self.near_far.line.mean_warps()

    def faster(self) -> Finding:
        return Finding("ADDS is faster than Near-Far (section 6.4)", single(self.speedup, 1), "speedup")

    def less_work(self) -> Finding:
        return Finding("ADDS does less work than Near-Far (section 6.4)", single(self.efficiency, 1), "efficiency")


def parallelism_of(trials: Trials, row: int, column: int) -> np.ndarray | None:
    """Returns the vertices of each interval that a search offers at the same time; None if they are not on record."""
    return results.curve_of(trials.connection, trials.device, trials.times, row, column, "parallelism")


def column_of(trials: Trials, row: int, search: adds_graphs.Series) -> int | None:
    """Returns the fastest configuration of a search on an input."""
    times = trials.times
    return times.fastest_of(times.where(**search.parameters))[row]


def has_parallelism(trials: Trials, row: int) -> bool:
    columns = [column_of(trials, row, search) for search in SEARCHES]
    return all(column is not None and parallelism_of(trials, row, column) is not None for column in columns)


def run_of(request: Request, trials: Trials, row: int, search: adds_graphs.Series) -> tuple[Run, float]:
    """Returns the recorded run of a search on an input, and the vertices that it takes from its queue.

    @raises NotOnRecord if there is no timeline with the parallelism.
    """
    column = column_of(trials, row, search)
    line = None if column is None else mlmq_fig10.timeline_of(trials, row, column)
    parallelism = None if column is None else parallelism_of(trials, row, column)
    if column is None or line is None or parallelism is None:
        raise results.NotOnRecord(f"{request.database}: no timeline of {search.name} with its parallelism")
    return (Run(line, parallelism * float(trials.feature("avg_nnz")[row])),
            float(trials.counts("pops")[row, column]))


def draw(request: Request, trials: Trials, findings_of: Callable[[Comparison], list[Finding]]) -> reproduction.Drawing:
    """@param findings_of returns what the paper finds on the figure's graph"""
    adds_graphs.require(trials, SEARCHES)
    vertices = trials.feature(results.VERTICES)
    by_size = sorted(range(len(vertices)), key=lambda row: -vertices[row])
    row = next((row for row in by_size if has_parallelism(trials, row)), by_size[0])
    runs, work = {}, {}
    for search in SEARCHES:
        runs[search.name], work[search.name] = run_of(request, trials, row, search)
    legend = style.legend_inches(2)
    figure, axes = style.new_figure(style.PAGE_INCHES, 2.3 + legend, columns=2)
    for name, run in runs.items():
        start, warps, _ = run.line.coarser(mlmq_fig10.POINTS)
        for panel, values in ((axes[0], run.coarser_edges()), (axes[1], warps)):
            panel.plot(start, values, color=COLOURS[name], linewidth=1, drawstyle="steps-post")
            panel.fill_between(start, values, step="post", color=COLOURS[name], alpha=0.15, linewidth=0)
    peaks = [float(run.coarser_edges().max()) for run in runs.values()]
    for panel, label in ((axes[0], "edges available or assigned"), (axes[1], "warps at work")):
        panel.set_ylim(bottom=0)
        panel.set_xlim(left=0)
        panel.set_ylabel(label)
        panel.set_xlabel("time since the first vertex (modelled ms)" if trials.provenance.modelled
                         else "time since the first vertex (ms)")
    if max(peaks) > LOG_SCALE_FROM * min(peaks):
        axes[0].set_yscale("log")
        axes[0].set_ylim(bottom=1)
        axes[0].set_ylabel("edges available or assigned (log)")
    graph = trials.times.inputs[row].workload
    axes[0].set_title(f"{style.short_workload(graph, most=34)}, {vertices[row]:,.0f} vertices", loc="left")
    style.finish(figure, trials.provenance, reserved_inches=legend)
    handles = [style.plt.Line2D([], [], color=colour, linewidth=1.4) for colour in COLOURS.values()]
    style.legend_below(figure, handles, ["Near-Far: edges available", "ADDS: edges assigned"])
    near_far, adds = (search.name for search in SEARCHES)
    efficiency = work[near_far] / work[adds] if work[adds] == work[adds] else None
    milliseconds = {name: run.line.best_ms for name, run in runs.items()}
    compared = Comparison(milliseconds[near_far] / milliseconds[adds], efficiency, runs[near_far], runs[adds])
    return figure, {"speedup": Ours(compared.speedup, graph),
                    "efficiency": Ours(efficiency, graph if efficiency is not None else "no work counts on record"),
                    "near_far_ms": Ours(milliseconds[near_far], "", "time of Near-Far", "ms"),
                    "adds_ms": Ours(milliseconds[adds], "", "time of ADDS", "ms"),
                    "edges": Ours(compared.edges, "",
                                  "mean number of edges, assigned by ADDS over available to Near-Far", "x"),
                    "warps": Ours(compared.warps, "", "mean number of warps at work, ADDS over Near-Far", "x")
                    }, findings_of(compared)
