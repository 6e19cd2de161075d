#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed-up over ADDS on every graph, against the number of its edges: MLMQ Fig. 9. For both, the fastest configuration
on the graph counts, by its mean time over the recorded queries. Graphs that one of the two did not solve for all of
them are left out, and the figure says how many."""

from __future__ import annotations

from dataclasses import replace

import overall  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials, ratio

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

CLASS_MARKERS = {"road": ("o", "#0072b2"), "mesh": ("s", "#009e73"), "power_law": ("^", "#d55e00")}
OTHER_MARKER = ("D", "#8c8c8c")


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    reproduction.require_series(trials, {"MLMQ": trials.times.of_queues(), "ADDS": trials.times.of_family("ADDS")})
    times, first = trials.times.mean_over_queries()
    speedup = ratio(times.best_of(times.of_family("ADDS")), overall.ours_of(times))
    finite = ~np.isnan(speedup)
    if not finite.any():
        raise results.NotOnRecord(f"{request.database}: no graph was solved by both MLMQ and ADDS")
    edges = np.maximum(trials.feature(results.EDGES)[first], 1)
    mean = float(np.exp(np.log(speedup[finite]).mean()))
    share = float(np.mean(speedup[finite] > 1))

    legend = style.legend_inches(len(reproduction.classes_of(times)) + 1, columns=3)
    missing = overall.left_out(overall.Competitor("adds", "ADDS", "ADDS"), replace(trials, times=times), ~finite)
    provenance = trials.provenance
    if missing:
        provenance = provenance.noting(f"Left out: {missing}, for ADDS from at least one source. The mean and the "
                                       "share are of the graphs shown.")
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.9)
    handles = []
    for name, rows in reproduction.classes_of(times).items():
        marker, colour = CLASS_MARKERS.get(name, OTHER_MARKER)
        these = [row for row in rows if finite[row]]
        if these:
            label = f"{style.class_name(name)} ({style.plural(len(these), 'graph')})"
            handles += axes.plot(edges[these], speedup[these], linestyle="none", marker=marker, markersize=4,
                                 color=colour, alpha=0.85, markeredgewidth=0, label=label)
    axes.axhline(1, color=style.FAINT_COLOUR, linewidth=0.8)
    handles.append(axes.axhline(mean, color=style.TEXT_COLOUR, linewidth=0.8, linestyle=(0, (4, 2)),
                                label=f"mean {mean:.2f}×, {style.percent(share)} above 1"))
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = float(min(speedup[finite].min(), 1)), float(max(speedup[finite].max(), 1))
    axes.set_ylim(low / 1.25, high * 1.25)
    axes.yaxis.set_major_locator(FixedLocator([m * 10.0**e for e in range(-3, 4)
                                            for m in ((1, 1.5, 2, 3, 5, 7) if high / low < 12 else (1, 2, 5))]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:g}"))
    if edges.max() / edges.min() < 30:
        axes.set_xlim(edges.min() / 2, edges.max() * 2)
        axes.xaxis.set_major_locator(FixedLocator([m * 10.0**e for e in range(0, 12) for m in (1, 2, 5)]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.set(xlabel="edges", ylabel="time of ADDS / ours (log)")
    axes.set_title("Speed-up of MLMQ over ADDS on each graph (higher is better)", loc="left")
    style.finish(figure, provenance, reserved_inches=legend)
    style.legend_below(figure, handles, [handle.get_label() for handle in handles], columns=3, handlelength=1.6)
    count = int(finite.sum())
    left_out = f"; left out: {missing}" if missing else ""
    ours = {"share_faster": Ours(100 * share, style.plural(count, "graph") + left_out), "mean_speedup": Ours(mean),
            "graphs": Ours(float(count)),
            "lowest": Ours(float(speedup[finite].min()), times.inputs[int(np.nanargmin(speedup))].workload,
                           "lowest speed-up", "x"),
            "highest": Ours(float(speedup[finite].max()), times.inputs[int(np.nanargmax(speedup))].workload,
                            "highest speed-up", "x")}
    return figure, ours, [
        # Any share is within a factor of 2 of one that is close to all.
        Finding("MLMQ is faster than ADDS on more than nine of ten graphs (section 5.2)", speedup, "share_faster", 1.1),
        Finding("MLMQ is 2.3 times as fast as ADDS in the mean (section 5.2)", speedup, "mean_speedup")]


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
