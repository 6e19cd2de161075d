# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS on one graph: ADDS Fig. 11 to 15.

Shows for both the configuration that is fastest on the graph without recording. The paper's measure is the number of
edges that wait (Near-Far) or are assigned (ADDS); here it is the number of vertices that are taken from the queue per
microsecond times the average degree, and the number of warps at work. Recording takes time, so the runs shown are
longer than those whose times the speed-up compares."""

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

SEARCHES = (adds_graphs.NEAR_FAR, adds_graphs.BASE)
COLOURS = {"Near-Far": "#0072b2", "ADDS": "#d55e00"}


@dataclass(frozen=True)
class Comparison:
    """ADDS against Near-Far on the graph of a figure."""

    speedup: float
    efficiency: float | None  # vertices of Near-Far over those of ADDS; None: unknown
    warps: float  # mean number of warps at work, over that of Near-Far
    near_far: mlmq_fig10.Timeline
    adds: mlmq_fig10.Timeline

    @property
    def over_saved_work(self) -> float | None:
        """The part of the speed-up that is not that of saved work."""
        return None if self.efficiency is None else self.speedup / self.efficiency

    def faster(self) -> Finding:
        return Finding("ADDS is faster than Near-Far (section 6.4)", single(self.speedup, 1), "speedup")

    def less_work(self) -> Finding:
        return Finding("ADDS does less work than Near-Far (section 6.4)", single(self.efficiency, 1), "efficiency")


def warps_until(line: mlmq_fig10.Timeline, share: float) -> float | None:
    """Returns the mean number of warps at work until a share of the run is over, divided by that of the rest; None for
    too few points."""
    place = round(share * len(line.warps))
    if place in (0, len(line.warps)):
        return None
    return float(line.warps[:place].mean() / max(line.warps[place:].mean(), 1e-9))


def draw(request: Request, trials: Trials, findings_of: Callable[[Comparison], list[Finding]]) -> reproduction.Drawing:
    """@param findings_of returns what the paper finds on the figure's graph"""
    times = trials.times
    adds_graphs.require(trials, SEARCHES)
    vertices = trials.feature(results.VERTICES)
    row = int(vertices.argmax())
    degree = float(trials.feature("avg_nnz")[row])
    pops = trials.counts("pops")
    lines, milliseconds, work = {}, {}, {}
    for search in SEARCHES:
        column = times.fastest_of(times.where(**search.parameters))[row]
        line = None if column is None else mlmq_fig10.timeline_of(trials, row, column)
        if line is None:
            raise results.NotOnRecord(f"{request.database}: no timeline of {search.name}")
        lines[search.name], milliseconds[search.name] = line, line.best_ms
        work[search.name] = float(pops[row, column])
    legend = style.legend_inches(2)
    figure, axes = style.new_figure(style.PAGE_INCHES, 2.3 + legend, columns=2)
    for name, line in lines.items():
        start, warps, rate = line.coarser(mlmq_fig10.POINTS)
        for panel, values in ((axes[0], rate * degree), (axes[1], warps)):
            panel.plot(start, values, color=COLOURS[name], linewidth=1, drawstyle="steps-post")
            panel.fill_between(start, values, step="post", color=COLOURS[name], alpha=0.15, linewidth=0)
    for panel, label in ((axes[0], "edges per µs"), (axes[1], "warps at work")):
        panel.set_ylim(bottom=0)
        panel.set_xlim(left=0)
        panel.set_ylabel(label)
        panel.set_xlabel("time since the first vertex (modelled ms)" if trials.provenance.modelled
                         else "time since the first vertex (ms)")
    graph = times.inputs[row].workload
    axes[0].set_title(f"{style.short_workload(graph, most=34)}, {vertices[row]:,.0f} vertices", loc="left")
    style.finish(figure, trials.provenance, reserved_inches=legend)
    handles = [style.plt.Line2D([], [], color=colour, linewidth=1.4) for colour in COLOURS.values()]
    style.legend_below(figure, handles, list(COLOURS))
    near_far, adds = (search.name for search in SEARCHES)
    efficiency = work[near_far] / work[adds] if work[adds] == work[adds] else None
    compared = Comparison(milliseconds[near_far] / milliseconds[adds], efficiency,
                          lines[adds].mean_warps() / lines[near_far].mean_warps(), lines[near_far], lines[adds])
    return figure, {"speedup": Ours(compared.speedup, graph),
                    "efficiency": Ours(efficiency, graph if efficiency is not None else "no work counts on record"),
                    "near_far_ms": Ours(milliseconds[near_far], "", "time of Near-Far", "ms"),
                    "adds_ms": Ours(milliseconds[adds], "", "time of ADDS", "ms"),
                    "warps": Ours(compared.warps, "", "mean number of warps at work, ADDS over Near-Far", "x")
                    }, findings_of(compared)
