# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS on one graph: ADDS Fig. 11 to 15.

Shows for both the configuration that is fastest on the graph without recording. The paper's measure is the number of
edges that wait (Near-Far) or are assigned (ADDS); here it is the number of vertices that are taken from the queue per
microsecond times the average degree, and the number of warps at work. Recording takes time, so the runs shown are
longer than those whose times the speed-up compares."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import mlmq_fig10
import reproduction
import results
import style
from reproduction import Ours, Request, Trials

SEARCHES = (adds_graphs.NEAR_FAR, adds_graphs.BASE)
COLOURS = {"Near-Far": "#0072b2", "ADDS": "#d55e00"}


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
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
    return figure, {"speedup": Ours(milliseconds[near_far] / milliseconds[adds], graph),
                    "efficiency": Ours(efficiency, graph if efficiency is not None else "no work counts on record"),
                    "near_far_ms": Ours(milliseconds[near_far], "", "time of Near-Far", "ms"),
                    "adds_ms": Ours(milliseconds[adds], "", "time of ADDS", "ms"),
                    "warps": Ours(lines[adds].mean_warps() / lines[near_far].mean_warps(), "",
                                  "mean number of warps at work, ADDS over Near-Far", "x")}
