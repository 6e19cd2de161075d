#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The parallel heap by itself, over its number of nodes: Fig. 11 of the third paper. Every step removes a node of
elements and inserts as many, whatever their entity, so that this is no simulation. Insertions count, those of the
initial elements included. The line is the highest rate of another queue in a simulation."""

from __future__ import annotations

import pq_queues  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials
from verdicts import single

import numpy as np

LEGEND_COLUMNS = 4
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b0508a")


def best_other(trials: Trials) -> tuple[float, str] | None:
    """Returns the highest rate of a queue of the paper in a simulation, and its name; None if there are no such runs.
    """
    by_queue = pq_queues.columns_of(trials.times)
    matrix = pq_queues.rates(trials, "events")
    rates = {name: np.fmax.reduce(pq_queues.best(matrix, by_queue[name]))
             for name in pq_queues.NAMES.values() if name in by_queue}
    finished = {name: float(rate) for name, rate in rates.items() if np.isfinite(rate)}
    return max(((rate, name) for name, rate in finished.items()), default=None)


def findings_of(curves: dict[int, dict[float, float]], other: tuple[float, str] | None) -> list[Finding]:
    """@param curves insertions per second over the number of nodes, by elements of a node"""
    highest = max(max(curve.values()) for curve in curves.values())
    longest = [curve for curve in curves.values() if len(curve) > 1]
    at_fewest, at_most = (np.array([curve[place(curve)] for curve in longest]) for place in (min, max))
    rate = np.nan if other is None else other[0]
    return [Finding("The parallel heap by itself inserts more than the best of the other queues in a simulation "
                    "(Fig. 11)", single(highest, rate)),
            Finding("The parallel heap becomes slower with more nodes (section IV-B1)", at_fewest / at_most),
            Finding("The parallel heap is slower than the best of the other queues with many nodes (section IV-B1)",
                    rate / at_most)]


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
    other = best_other(trials)
    legend = style.legend_inches(len(curves) + (other is not None), LEGEND_COLUMNS)
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.6 + legend)
    handles = []
    for place, node in enumerate(sorted(curves)):
        points = sorted(curves[node].items())
        handles += axes.plot([x for x, _ in points], [y for _, y in points], color=COLOURS[place % len(COLOURS)],
                             marker="os^D"[place % 4], markersize=3.6, linewidth=1.1,
                             label=f"nodes of {node:,} elements")
    if other is not None:
        handles.append(axes.axhline(other[0], color=style.TEXT_COLOUR, linewidth=1.1, linestyle=(0, (4, 2)),
                                    label=f"{other[1]} in a simulation"))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x:g}")
    pq_queues.fit_decades(axes)
    axes.set_title("Insertions of the parallel heap, with as many removals", loc="left")
    axes.set(xlabel="nodes of the heap", ylabel=pq_queues.per_second(trials, "insertions"))
    style.finish(figure, trials.provenance, reserved_inches=legend)
    style.legend_below(figure, handles, [handle.get_label() for handle in handles], LEGEND_COLUMNS)

    best_node = max(curves, key=lambda node: max(curves[node].values()))
    best = max(curves[best_node].values())
    ours = {"most": Ours(best, f"nodes of {best_node:,} elements"),
            "fall": Ours(best / curves[best_node][max(curves[best_node])], f"{max(curves[best_node]):g} nodes",
                         "highest rate over that with the most nodes", "x")}
    ours["best_other"] = (Ours(other[0], other[1], "highest rate of another queue in a simulation", "items/s")
                          if other is not None else
                          Ours(None, "no simulations on record", "highest rate of another queue in a simulation"))
    return figure, ours, findings_of(curves, other)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
