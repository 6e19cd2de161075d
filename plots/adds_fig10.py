#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed-up of ADDS over Near-Far on each graph against its efficiency, vertices that Near-Far takes from its queue over
those of ADDS: ADDS Fig. 10. Both are capped, as in the paper. The graphs of Fig. 11 to 15 are named."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import intervals
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials
from verdicts import ALIKE, single

import numpy as np

MOST = 5.0  # of both axes
# Graphs in place of the paper's A to E.
NAMED = {"road22": "A (for road-USA)", "lattice15:unknowns=6:diagonals=1-float": "B (for BenElechi1)",
         "lattice16:unknowns=6:diagonals=1-float": "C (for msdoor)", "rmat22:a=0.45:b=0.15:c=0.15": "D (for rmat22)",
         "power18:degree=7-float": "E (for c-big)"}


def findings_of(speedup: np.ndarray, efficiency: np.ndarray, mean_work: float | None) -> list[Finding]:
    """Returns the paper's findings, from values of each graph."""
    return [Finding("ADDS is faster than Near-Far (section 6.3)", speedup, "mean_speedup"),
            Finding("ADDS does more work than Near-Far in the mean (section 6.3)", single(mean_work, 1), "mean_work"),
            Finding("Where ADDS does more work, it is faster nevertheless (section 6.4)",
                    np.where(efficiency < 1, speedup, np.nan)),
            Finding("Where ADDS does less work, the speed-up is not far below the saved work (section 6.4)",
                    np.where(efficiency >= 1, speedup / efficiency, np.nan), limit=ALIKE)]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    trials = adds_graphs.with_reach(trials)
    collection = adds_graphs.Collection(request, trials, (adds_graphs.BASE, adds_graphs.NEAR_FAR))
    speedup = collection.speedup(adds_graphs.BASE, adds_graphs.NEAR_FAR)
    efficiency = collection.relative_work(adds_graphs.NEAR_FAR, adds_graphs.BASE)
    reproduction.require_counts(efficiency)
    own_speedup = collection.speedup(adds_graphs.BASE, adds_graphs.OWN_NEAR_FAR)
    own_efficiency = collection.relative_work(adds_graphs.OWN_NEAR_FAR, adds_graphs.BASE)
    own_mean = reproduction.geometric_mean(own_speedup)
    both = ~np.isnan(speedup) & ~np.isnan(efficiency)
    if not both.any():
        raise results.NotOnRecord(f"{request.database}: no graph was solved by both ADDS and Near-Far")
    legend = style.legend_inches(5, columns=3)
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 3.4 + legend)
    x, y = np.minimum(efficiency, MOST), np.minimum(speedup, MOST)
    most = min(MOST, 1.15 * max(1.3, float(x[both].max()), float(y[both].max())))
    axes.plot([0, most], [0, most], color=style.FAINT_COLOUR, linewidth=0.8, linestyle=(0, (3, 2)))
    axes.axhline(1, color=style.FAINT_COLOUR, linewidth=0.5)
    handles = adds_graphs.scatter(axes, trials.times, x, y)
    if own_mean is not None:
        handles.append(adds_graphs.draw_own(axes, np.minimum(own_efficiency, MOST), np.minimum(own_speedup, MOST),
                                            own_mean))
    for row, instance in enumerate(trials.times.inputs):
        if instance.workload in NAMED and both[row]:
            axes.annotate(NAMED[instance.workload].split()[0], (x[row], y[row]), xytext=(3, 3),
                          textcoords="offset points", fontsize=7, weight="bold")
    axes.set_xlim(0, most * 1.04)
    axes.set_ylim(0, most * 1.06)
    axes.set(xlabel="work of Near-Far / ADDS (at most 5)", ylabel="time of Near-Far / ADDS (at most 5)")
    axes.set_title("Above the line: faster by parallelism; along the line: by less work", loc="left")
    present = {instance.workload for row, instance in enumerate(trials.times.inputs) if both[row]}
    notes = adds_graphs.left_out(np.where(both, 1.0, np.nan), "time and work of both")
    notes += adds_graphs.note_of_floats(trials.times)
    notes += intervals.note_of_repeats(collection.speedup_half_widths(adds_graphs.BASE, adds_graphs.NEAR_FAR),
                                       adds_graphs.SPEEDUPS)
    if names := [f"{NAMED[name]}: {name}" for name in NAMED if name in present]:
        notes.append("; ".join(names) + ".")
    style.finish(figure, trials.provenance.noting(*notes), reserved_inches=legend)
    style.legend_below(figure, handles, [handle.get_label() for handle in handles], columns=3, handlelength=1.6)
    more_work = both & (efficiency < 1) & (speedup > 1)
    less_work = both & (efficiency >= 1) & (speedup > 1)
    mean_work = reproduction.geometric_mean(1 / efficiency[both])
    return figure, {
        "mean_speedup": Ours(reproduction.geometric_mean(speedup[both]),
                             adds_graphs.graphs_and_interval(speedup[both])),
        **adds_graphs.float_measure(trials.times, speedup),
        "own_mean_speedup": Ours(own_mean, "" if own_mean is not None else "not on record",
                                 f"mean speed-up over {adds_graphs.OWN_NEAR_FAR.name}", "x"),
        "mean_work": Ours(mean_work, "", "vertices of ADDS over Near-Far", "x"),
        "faster_with_more_work": Ours(float(100 * more_work.sum() / both.sum()), "",
                                      "graphs on which ADDS is faster with more work", "%"),
        "faster_with_less_work": Ours(float(100 * less_work.sum() / both.sum()), "",
                                      "graphs on which ADDS is faster with less work", "%")
    }, findings_of(speedup, efficiency, mean_work)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
