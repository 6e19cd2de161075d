#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PHOLD with one parallel heap for all entities, and with a queue for each entity: Fig. 10 of the third paper. Each
counts with its fastest configuration, such as the best size of a node."""

from __future__ import annotations

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import reproduction
import results
import style
from pq_queues import PARALLEL_HEAP, Curve, Panel
from reproduction import Finding, Ours, Request, Trials
from verdicts import MUCH

import numpy as np


def roughness(curve: Curve) -> float:
    """Returns how far the points of a curve are from the lines between their neighbours, in the mean, on logarithmic
    scales; NaN for fewer than three points."""
    x, y = (np.log(np.array(values)) for values in (list(curve), list(curve.values())))
    if len(x) < 3:
        return np.nan
    straight = y[:-2] + (y[2:] - y[:-2]) * (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    return float(np.abs(y[1:-1] - straight).mean())


def findings_of(curves: dict[str, Curve]) -> list[Finding]:
    panel = Panel(curves, {})
    places = sorted(curves[PARALLEL_HEAP])
    others = [name for name in curves if name != PARALLEL_HEAP]
    slowest = np.fmin.reduce([panel.values(name, places) for name in others])
    rough = {name: roughness(curve) for name, curve in curves.items()}
    return [Finding("The parallel heap is substantially slower than each of the other queues (section IV-B1)",
                    slowest / panel.values(PARALLEL_HEAP, places), limit=MUCH),
            Finding("The curve of the parallel heap is more jagged than those of the other queues (Fig. 10)",
                    np.array([rough[PARALLEL_HEAP] / rough[name] for name in others]))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    fits, entities = pq_events.models(trials, 32768)
    rows = [int(row) for row in np.flatnonzero(fits & np.isclose(trials.feature("rate"), 0.1))]
    heap = trials.times.where(solver="parallel_heap", root_events="earliest")
    reproduction.require_series(trials, {PARALLEL_HEAP: heap})
    columns = pq_queues.columns_of(trials.times)
    matrix = pq_queues.rates(trials, "events")
    by_queue = {name: pq_queues.best(matrix, columns[name]) for name in pq_queues.NAMES.values() if name in columns}
    by_queue[PARALLEL_HEAP] = pq_queues.best(matrix, heap)
    curves = pq_queues.curves(rows, trials.feature("events"), by_queue)
    if PARALLEL_HEAP not in curves or len(curves) < 2:
        raise results.NotOnRecord(f"{request.database}: no model of 32,768 entities with λ 0.1 with the parallel heap "
                                  "and another queue")
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.7)
    pq_queues.draw_curves(axes, curves)
    pq_queues.fit_decades(axes)
    axes.set_title(f"{entities:,.0f} entities, λ = 10⁻¹", loc="left")
    axes.set(xlabel="events of an entity", ylabel=pq_queues.per_second(trials, "events"))
    names = [name for name in (*pq_queues.NAMES.values(), PARALLEL_HEAP) if name in curves]
    style.finish(figure, pq_queues.provenance_of(trials, rows), reserved_inches=pq_queues.legend_inches(names))
    pq_queues.legend(figure, names)

    ours: dict[str, Ours] = {}
    for x in sorted(curves[PARALLEL_HEAP]):
        others = {name: curve[x] for name, curve in curves.items() if name != PARALLEL_HEAP and x in curve}
        if others:
            best = max(others, key=lambda name: others[name])
            ours[f"behind_{x:g}"] = Ours(others[best] / curves[PARALLEL_HEAP][x], best,
                                         f"best other queue over the parallel heap, {x:g} events of an entity", "x")
    most = max(curves[PARALLEL_HEAP].values())
    ours["most"] = Ours(most, "", "highest rate of the parallel heap", "events/s")
    return figure, ours, findings_of(curves)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
