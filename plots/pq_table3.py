#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A* searches per second with the paper's numbers of concurrent searches, by map and queue, and of this program's own
search: Table III of the third paper."""

from __future__ import annotations

import pq_queues  # before numpy: says what to do when that is missing
import pq_searches
import pq_tables
import reproduction
import results
import style
from pq_queues import NAMES, OURS, digits, key_of
from reproduction import Ours, Request, Trials

LEAST = 64  # side of the smallest map


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
        if side_curves:
            values = [side_curves.get(name, {}).get(most) for name in NAMES.values()] + [mine]
            rows.append(pq_tables.Row(
                f"{side} × {side}, {most:,.0f} searches",
                [digits(stated[name]) if stated[name] is not None and most == searches else ""
                 for name in NAMES.values()] + [""],
                [digits(value) if value is not None else "–" for value in values]))
    of_least = [value for name, curve in curves.get(LEAST, {}).items() if name != OURS for value in curve.values()]
    ours["us_per_search"] = Ours(1e6 / max(of_least) if of_least else None, "" if of_least else "not measured",
                                 f"time of a search on {LEAST}² with the paper's fastest queue", "µs")
    figure = pq_tables.table([*NAMES.values(), "this program"], rows)
    figure.axes[0].set_title("Searches per second" + (" (modelled)" if trials.provenance.modelled else ""), loc="left")
    style.finish(figure, pq_queues.provenance_of(trials, shown))
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
