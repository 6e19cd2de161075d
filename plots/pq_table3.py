#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A* searches per second with the paper's numbers of concurrent searches, by map and queue, and of this program's own
search, and length and insertions of the open lists: Table III of the third paper. The position of an insertion is
derived from the comparisons of CB-SEQ from back to front, which passes each element behind it."""

from __future__ import annotations

from collections.abc import Sequence

import pq_queues  # before numpy: says what to do when that is missing
import pq_searches
import pq_tables
import reproduction
import results
import style
from pq_queues import BUFFERS, NAMES, OURS, SEQUENTIAL, TREES, Panel, digits, key_of
from reproduction import Finding, Ours, Request, Trials
from verdicts import ALIKE, alike

import numpy as np

MUCH_SLOWER = 10  # times
LEAST, MOST = 64, 1024  # sides of the smallest and of the largest map


def cell(value: float | None, absent: str) -> str:
    return absent if value is None else digits(value)


def open_lists(trials: Trials, rows: Sequence[int], searches: float) -> dict[str, float]:
    """Returns mean length and position of insertions of the open lists of CB-SEQ. If it was too slow, returns the mean
    length of the heap's, whose searches take the same cells except after ties. Empty if they were not counted."""
    columns = trials.times.where(solver="phases", queue="ring", direction="back")
    heaps = trials.times.where(solver="phases", queue="heap")
    counted = {name: trials.counts(name) for name in ("inserted", "comparisons", "batches", "open_at_batches",
                                                      "open_at_insertions")}
    at_a_time = pq_searches.at_a_time(trials)
    for row in rows:
        for column in [*columns, *heaps]:
            count = {name: float(values[row, column]) for name, values in counted.items()}
            if at_a_time[row] != searches or not count["batches"] > 0:
                continue
            found = {"length": count["open_at_batches"] / count["batches"]}
            if column in columns and count["open_at_insertions"] > 0:
                passed = max(0.0, count["comparisons"] - count["inserted"])
                found["position"] = 1 - passed / count["open_at_insertions"]
            return found
    return {}


def findings_of(request: Request, panels: dict[int, Panel], counts: dict[int, float],
                ours: dict[str, Ours]) -> list[Finding]:
    """
    @param panels rates over the number of searches, by side of the map
    @param counts numbers of searches that are shown, by side
    """
    sides = sorted(counts)
    larger = [side for side in sides if side > LEAST]

    def leads(some: Sequence[int], names: Sequence[str], others: Sequence[str] | None = None,
              limit: float = 1) -> np.ndarray:
        return pq_queues.joined(panels[side].leads([counts[side]], names, others, limit) for side in some)

    def rates(name: str) -> np.ndarray:
        return pq_queues.joined(panels[side].values(name, [counts[side]]) for side in larger)

    def number(key: str, side: int) -> float:
        value = ours[f"{key}_{side}"].value
        return value if isinstance(value, float) else np.nan

    def near_paper(key: str) -> np.ndarray:
        stated = {side: request.number(f"{key}_{side}") for side in sides}
        return np.array([alike(number(key, side), value) for side, value in stated.items() if value is not None])

    small, largest = ([side for side in sides if side == limit] for limit in (LEAST, MOST))
    both = ("CB-PAR", "heap")
    slower = [name for name in NAMES.values() if name not in both]
    lengths = np.array([number("length", side) for side in sides])
    return [Finding("On 64², a circular buffer is the fastest (section IV-B2)", leads(small, BUFFERS, TREES)),
            Finding("On 64², CB-SEQ is the fastest (section IV-B2)", leads(small, ("CB-SEQ",))),
            Finding("On larger maps, CB-PAR and heaps are each faster than the other queues (section IV-B2)",
                    pq_queues.joined(leads(larger, (name,), slower) for name in both)),
            Finding("On larger maps, CB-PAR and heaps are about as fast as each other (section IV-B2)",
                    alike(*(rates(name) for name in both)), limit=ALIKE),
            Finding("On 1024², each sequential circular buffer is more than ten times as slow as the fastest queue "
                    "(section IV-B2)",
                    pq_queues.joined(leads(largest, ("CB-PAR", *TREES), (name,), MUCH_SLOWER) for name in SEQUENTIAL),
                    limit=MUCH_SLOWER),
            Finding("Open lists are longer on larger maps (section IV-B2)", lengths[1:] / lengths[:-1]),
            Finding("The mean lengths of open lists are about those of the paper, up to about 500 (section IV-C)",
                    near_paper("length"), limit=ALIKE),
            Finding("The mean positions of insertions are about those of the paper (Table III)",
                    near_paper("position"), limit=ALIKE)]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    pq_queues.require_queues(trials)
    panels, inputs = pq_searches.search_curves(trials)
    curves = {side: panel.curves for side, panel in panels.items()}
    if not curves:
        raise results.NotOnRecord(f"{request.database}: no maps with squares of density 0.2 on record")
    ours: dict[str, Ours] = {}
    rows = []
    # The simulator's maps are smaller than the paper's.
    own_curves = [] if set(curves) & set(pq_searches.SEARCHES) else list(curves)
    shown: list[int] = []
    counts: dict[int, float] = {}
    for side in sorted({*pq_searches.SEARCHES, *own_curves}):
        shown += inputs.get(side, [])
        side_curves = curves.get(side, {})
        searches = float(pq_searches.SEARCHES.get(side, 0))
        present = {x for curve in side_curves.values() for x in curve}
        # For records of other numbers of searches, and for other maps, use the largest number.
        most = searches if searches in present or not present else max(present)
        note = "" if most == searches else f"{most:g} searches"
        stated = {name: request.number(f"rate_{side}_{key_of(name)}") for name in NAMES.values()}
        for name in NAMES.values():
            value = side_curves.get(name, {}).get(most)
            ours[f"rate_{side}_{key_of(name)}"] = Ours(value, note if value else "not measured", f"{name}, {side}²",
                                                       "searches/s", same_work=most == searches)
        best = pq_queues.fastest(side_curves, most)
        ours[f"fastest_{side}"] = Ours(best, note if best else "not measured", f"fastest queue of the paper, {side}²",
                                      same_work=most == searches)
        mine = side_curves.get(OURS, {}).get(most)
        ours[f"best_{side}"] = Ours(mine, note if mine else "not measured", f"the best search of this program, {side}²",
                                    "searches/s")
        lists = open_lists(trials, inputs.get(side, []), most)
        for key, description in (("length", "mean length of the open list"),
                                 ("position", "mean position of an insertion, 0: front, 1: back")):
            ours[f"{key}_{side}"] = Ours(lists.get(key), "" if key in lists else "no work counts on record",
                                         f"{description}, {side}²", same_work=most == searches)
        if side_curves:
            counts[side] = most
            values = [side_curves.get(name, {}).get(most) for name in NAMES.values()] + [mine]
            rows.append(pq_tables.Row(
                f"{side} × {side}, {most:,.0f} searches",
                [cell(stated[name] if most == searches else None, "") for name in NAMES.values()] + [""] +
                [cell(request.number(f"{key}_{side}") if most == searches else None, "")
                 for key in ("length", "position")],
                [cell(value, "–") for value in values] + [cell(lists.get(key), "–") for key in ("length", "position")]))
    of_least = [value for name, curve in curves.get(LEAST, {}).items() if name != OURS for value in curve.values()]
    ours["us_per_search"] = Ours(1e6 / max(of_least) if of_least else None, "" if of_least else "not measured",
                                 f"time of a search on {LEAST}² with the paper's fastest queue", "µs")
    figure = pq_tables.table([*NAMES.values(), "own search", "length", "insertion"], rows, name_share=0.225)
    figure.axes[0].set_title("Searches per second" + (" (modelled)" if trials.provenance.modelled else ""), loc="left")
    style.finish(figure, pq_queues.provenance_of(trials, shown))
    return figure, ours, findings_of(request, panels, counts, ours)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
