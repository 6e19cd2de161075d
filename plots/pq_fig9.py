#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""DRAM transactions, comparisons and writes of each queue per executed event, over the events per entity: Fig. 9 of the
third paper. Transactions need hardware counters and are left out without them. 32,768 entities, λ = 0.1."""

from __future__ import annotations

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import reproduction
import results
import style
from pq_queues import Panel
from reproduction import Finding, Ours, Request, Trials

import numpy as np

NOTE = "DRAM transactions need hardware counters, which are not on record."
TITLES = {"dram": "DRAM transactions for an event", "comparisons": "Comparisons for an event",
          "moves": "Writes for an event"}
CB_SEQ_UP_TO = 256  # events of an entity up to which CB-SEQ has fewer transactions than the heap, in the paper
UNITS = {"dram": "transactions of 32 bytes", "comparisons": "comparisons", "moves": "writes"}


def findings_of(dram: dict[str, pq_queues.Curve]) -> list[Finding]:
    """@param dram DRAM transactions for an event, by queue; empty without hardware counters"""
    panel = Panel(dram, {})
    places = panel.places()

    def fewer(name: str, other: str, some: list[float]) -> np.ndarray:
        """Returns the transactions of `other` over those of the queue `name`."""
        return panel.leads(some, [other], [name])

    few, many = ([x for x in places if (x <= CB_SEQ_UP_TO) == is_few] for is_few in (True, False))
    return [Finding(f"CB-SEQ has fewer DRAM transactions than the heap up to {CB_SEQ_UP_TO} events of an entity "
                    "(section IV-B1)", fewer("CB-SEQ", "heap", few), "dram_cb_seq_less"),
            Finding(f"The heap has fewer DRAM transactions than CB-SEQ above {CB_SEQ_UP_TO} events of an entity "
                    "(Fig. 9)", fewer("heap", "CB-SEQ", many)),
            Finding("CB-SEQ has fewer DRAM transactions than CB-PAR, which looks at 32 events at a time (section "
                    "IV-B1)", fewer("CB-SEQ", "CB-PAR", places)),
            Finding("The splay tree has fewer DRAM transactions than the heap (section IV-B1)",
                    fewer("splay", "heap", places))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    fits, entities = pq_events.models(trials, 32768)
    rows = [int(row) for row in np.flatnonzero(fits & np.isclose(trials.feature("rate"), 0.1))]
    events = trials.counts("events")
    curves: dict[str, dict[str, pq_queues.Curve]] = {}
    for counter in TITLES:
        per_event = (pq_queues.dram_transactions(trials) if counter == "dram" else
                     trials.counts(counter) / np.where(events > 0, events, np.nan))
        # Use the direction with less work.
        by_queue = {name: -pq_queues.best(-per_event, columns)
                    for name, columns in pq_queues.columns_of(trials.times).items() if name != pq_queues.OURS}
        curves[counter] = pq_queues.curves(rows, trials.feature("events"), by_queue)
    if not curves["comparisons"]:
        raise results.NotOnRecord(f"{request.database}: no queue of the paper has counted its work on a model of "
                                  "32,768 entities with λ 0.1")
    shown = [counter for counter in TITLES if curves[counter]]
    figure, all_axes = style.new_figure(style.PAGE_INCHES, 2.6, columns=len(shown))
    for axes, counter in zip(all_axes, shown):
        pq_queues.draw_curves(axes, curves[counter])
        pq_queues.fit_decades(axes)
        axes.set_title(TITLES[counter], loc="left")
        axes.set(xlabel=f"events of an entity, {entities:,.0f} entities, λ = 10⁻¹" if len(shown) < 3 else
                 "events of an entity", ylabel=f"{UNITS[counter]} / event")
    names = [name for name in pq_queues.NAMES.values() if name in curves["comparisons"]]
    provenance = pq_queues.provenance_of(trials, rows)
    style.finish(figure, provenance if curves["dram"] else provenance.noting(NOTE),
                 reserved_inches=pq_queues.legend_inches(names))
    pq_queues.legend(figure, names)

    sums = {name: {x: curves["comparisons"][name][x] + curves["moves"].get(name, {}).get(x, 0.0)
                   for x in curves["comparisons"][name]} for name in curves["comparisons"]}
    less = {name: {x: 1 / y for x, y in curve.items() if y > 0} for name, curve in sums.items()
            if name in ("CB-SEQ", "heap")}
    description = "events of an entity up to which CB-SEQ reads and writes less than the heap"
    ours = {"cb_seq_less": pq_queues.last_where(less, ("CB-SEQ",), description)}
    fewer = {name: {x: 1 / y for x, y in curve.items()} for name, curve in curves["dram"].items()
             if name in ("CB-SEQ", "heap")}
    description = "events of an entity up to which CB-SEQ has fewer DRAM transactions than the heap"
    ours["dram_cb_seq_less"] = (pq_queues.last_where(fewer, ("CB-SEQ",), description) if len(fewer) == 2 else
                                Ours(None, "no hardware counters on record", description))
    for name, curve in curves["dram"].items():
        ours[f"dram_most_{pq_queues.key_of(name)}"] = Ours(curve[max(curve)], f"{max(curve):g} events of an entity",
                                                           f"DRAM transactions for an event, {name}")
    for name, curve in sums.items():
        most = max(curve)
        ours[f"most_{pq_queues.key_of(name)}"] = Ours(curve[most], f"{most:g} events of an entity",
                                                      f"comparisons and writes for an event, {name}")
    return figure, ours, findings_of(curves["dram"])


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
