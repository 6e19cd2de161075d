#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Comparisons and writes of each queue per executed event, over the events per entity. Replaces Fig. 9 of the third
paper, which shows DRAM transactions: those require hardware counters, while kernels count comparisons and writes.
32,768 entities, λ = 0.1."""

from __future__ import annotations

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import reproduction
import results
import style
from reproduction import Ours, Request, Trials

import numpy as np

NOTE = "The paper's DRAM transactions need hardware counters, which are not on record."
TITLES = {"comparisons": "Comparisons for an executed event", "moves": "Writes for an executed event"}


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    fits, entities = pq_events.models(trials, 32768)
    rows = [int(row) for row in np.flatnonzero(fits & np.isclose(trials.feature("rate"), 0.1))]
    events = trials.counts("events")
    curves: dict[str, dict[str, pq_queues.Curve]] = {}
    for counter in TITLES:
        per_event = trials.counts(counter) / np.where(events > 0, events, np.nan)
        # Use the direction with less work.
        by_queue = {name: -pq_queues.best(-per_event, columns)
                    for name, columns in pq_queues.columns_of(trials.times).items() if name != pq_queues.OURS}
        curves[counter] = pq_queues.curves(rows, trials.feature("events"), by_queue)
    if not curves["comparisons"]:
        raise results.NotOnRecord(f"{request.database}: no queue of the paper has counted its work on a model of "
                                  "32,768 entities with λ 0.1")
    figure, all_axes = style.new_figure(style.PAGE_INCHES, 2.6, columns=2)
    for axes, (counter, title) in zip(all_axes, TITLES.items()):
        pq_queues.draw_curves(axes, curves[counter])
        pq_queues.fit_decades(axes)
        axes.set_title(title, loc="left")
        axes.set(xlabel=f"events of an entity, {entities:,.0f} entities, λ = 10⁻¹",
                 ylabel=f"{'writes' if counter == 'moves' else counter} / event")
    names = [name for name in pq_queues.NAMES.values() if name in curves["comparisons"]]
    style.finish(figure, pq_queues.provenance_of(trials, rows).noting(NOTE),
                 reserved_inches=pq_queues.legend_inches(names))
    pq_queues.legend(figure, names)

    sums = {name: {x: curves["comparisons"][name][x] + curves["moves"].get(name, {}).get(x, 0.0)
                   for x in curves["comparisons"][name]} for name in curves["comparisons"]}
    less = {name: {x: 1 / y for x, y in curve.items() if y > 0} for name, curve in sums.items()
            if name in ("CB-SEQ", "heap")}
    description = "events of an entity up to which CB-SEQ reads and writes less than the heap"
    ours = {"cb_seq_less": pq_queues.last_where(less, ("CB-SEQ",), description)}
    for name, curve in sums.items():
        most = max(curve)
        ours[f"most_{pq_queues.key_of(name)}"] = Ours(curve[most], f"{most:g} events of an entity",
                                                      f"comparisons and writes for an event, {name}")
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
