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
from pq_queues import NAMES, OURS, digits, key_of
from reproduction import Ours, Request, Trials

LEAST = 64  # side of the smallest map


def cell(value: float | None, absent: str) -> str:
    return absent if value is None else digits(value)


def open_lists(trials: Trials, rows: Sequence[int], searches: float) -> dict[str, float]:
    """Returns mean length and position of insertions of the open lists of CB-SEQ. If it was too slow, returns the mean
    length of the heap's, whose searches take the same cells except after ties. Empty if they were not counted."""
    columns = trials.times.where(mode="paper", queue="ring", direction="back")
    heaps = trials.times.where(mode="paper", queue="heap")
    counted = {name: trials.counts(name) for name in ("inserted", "comparisons", "batches", "open_at_batches",
                                                      "open_at_insertions")}
    reported = trials.reported("searches")
    for row in rows:
        for column in [*columns, *heaps]:
            count = {name: float(values[row, column]) for name, values in counted.items()}
            if reported[row, column] != searches or not count["batches"] > 0:
                continue
            found = {"length": count["open_at_batches"] / count["batches"]}
            if column in columns and count["open_at_insertions"] > 0:
                passed = max(0.0, count["comparisons"] - count["inserted"])
                found["position"] = 1 - passed / count["open_at_insertions"]
            return found
    return {}


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    pq_queues.require_queues(trials)
    curves, inputs = pq_searches.search_curves(trials)
    if not curves:
        raise results.NotOnRecord(f"{request.database}: no maps with squares of density 0.2 on record")
    ours: dict[str, Ours] = {}
    rows = []
    # The simulator's maps are smaller than the paper's.
    own_curves = [] if set(curves) & set(pq_searches.SEARCHES) else list(curves)
    shown: list[int] = []
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
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
