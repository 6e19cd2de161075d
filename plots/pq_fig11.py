#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parallel heap by itself, over its number of nodes: Fig. 11 of the third paper. Every step removes a node of
elements and inserts as many, whatever their entity, so that this is no simulation. Insertions count, those of the
initial elements included."""

from __future__ import annotations

import pq_queues  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Ours, Request, Trials

import numpy as np

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508a")


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    columns = trials.times.where(solver="parallel_heap", root_events="all")
    reproduction.require_series(trials, {"the parallel heap by itself": columns})
    population = trials.feature("entities") * trials.feature("events")
    inserted = trials.reported("events") + population[:, None]
    matrix = inserted / trials.times.milliseconds * 1e3
    curves: dict[int, dict[float, float]] = {}
    for column in columns:
        node = int(trials.times.configurations[column].parameters["node_events"])
        for row in np.flatnonzero(np.isfinite(matrix[:, column])):
            nodes = float(np.ceil(population[row] / node))
            curve = curves.setdefault(node, {})
            curve[nodes] = max(float(matrix[row, column]), curve.get(nodes, 0.0))
    if not curves:
        raise results.NotOnRecord(f"{request.database}: the parallel heap has not finished a run by itself")
    legend = style.legend_inches(len(curves))
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.6 + legend)
    handles = []
    for place, node in enumerate(sorted(curves)):
        points = sorted(curves[node].items())
        handles += axes.plot([x for x, _ in points], [y for _, y in points], color=COLOURS[place % len(COLOURS)],
                             marker="os^D"[place % 4], markersize=3.6, linewidth=1.1,
                             label=f"nodes of {node:,} elements")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    pq_queues.fit_decades(axes)
    axes.set_title("Insertions of the parallel heap, with as many removals", loc="left")
    axes.set(xlabel="nodes of the heap", ylabel=pq_queues.per_second(trials, "insertions"))
    style.finish(figure, trials.provenance, reserved_inches=legend)
    style.legend_below(figure, handles, [handle.get_label() for handle in handles])

    best_node = max(curves, key=lambda node: max(curves[node].values()))
    best = max(curves[best_node].values())
    ours = {"most": Ours(best, f"nodes of {best_node:,} elements"),
            "fall": Ours(best / curves[best_node][max(curves[best_node])], f"{max(curves[best_node]):g} nodes",
                         "highest rate over that with the most nodes", "x")}
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
