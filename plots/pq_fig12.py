#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A* searches per second over the number of concurrent searches, on maps of 64², 256² and 512² cells: Fig. 12 of the
third paper. Diamonds are the paper's Table III, the rightmost points of its curves."""

from __future__ import annotations

import pq_queues  # before numpy: says what to do when that is missing
import pq_searches
import reproduction
import results
import style
from pq_queues import NAMES, OURS, key_of
from reproduction import Ours, Request, Trials

SIDES = (64, 256, 512)
CB_SEQ_BEST_AT = (8192, 16384)  # numbers of searches on 64², in the paper


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    pq_queues.require_queues(trials)
    curves, inputs = pq_searches.search_curves(trials)
    shown = [side for side in SIDES if side in curves] or list(curves)[:3]
    if not shown:
        raise results.NotOnRecord(
            f"{request.database}: no maps of 64, 256 or 512 with squares of density 0.2 on record")
    figure, all_axes = style.new_figure(style.PAGE_INCHES, 2.6, columns=len(shown))
    named: set[str] = set()  # queues with points of the paper
    for axes, side in zip(all_axes, shown):
        stated = pq_queues.stated_rates(request, f"rate_{side}_")
        pq_queues.draw_curves(axes, curves[side], [pq_searches.SEARCHES[side]] if stated else [])
        for name, value in stated.items():
            pq_queues.diamond(axes, pq_searches.SEARCHES[side], value, name)
            named.add(name)
        pq_queues.fit_decades(axes)
        axes.set_title(f"{side} × {side} cells", loc="left")
        axes.set_xlabel("searches at a time")
    all_axes[0].set_ylabel(pq_queues.per_second(trials, "searches"))
    names = [name for name in (*NAMES.values(), OURS) if name in named or any(name in curves[side] for side in shown)]
    style.finish(figure, pq_queues.provenance_of(trials, [row for side in shown for row in inputs[side]]),
                 reserved_inches=pq_queues.legend_inches(names, bool(named)))
    pq_queues.legend(figure, names, "paper, Table III" if named else "", "ours (shortest paths)")

    ours: dict[str, Ours] = {}
    for count in CB_SEQ_BEST_AT:
        best = pq_queues.fastest(curves.get(64, {}), count)
        ours[f"fastest_64_{count}"] = Ours(best, "" if best else "not measured",
                                           f"fastest of the paper's queues on 64², {count} searches", same_work=True)
    for side in SIDES:
        most = pq_searches.SEARCHES[side]
        for name in NAMES.values():
            value = curves.get(side, {}).get(name, {}).get(float(most))
            ours[f"rate_{side}_{key_of(name)}"] = Ours(value, "" if value else "not measured",
                                                       f"{name}, {most} searches on {side}²", "searches/s",
                                                       same_work=True)
    for side in shown:
        if OURS in curves[side]:
            ours[f"most_{side}"] = Ours(max(curves[side][OURS].values()), "exact lengths",
                                        f"most searches a second of ours on {side}²", "searches/s")
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
