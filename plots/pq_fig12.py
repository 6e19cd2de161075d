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
from pq_queues import NAMES, OURS, Panel, key_of
from reproduction import Finding, Ours, Request, Trials

import numpy as np

SIDES = (64, 256, 512)
CB_SEQ_BEST_AT = (8192, 16384)  # numbers of searches on 64², in the paper


def growth(panel: Panel, name: str, least: float, most: float = np.inf) -> float:
    """Returns a queue's rate with the most searches up to `most` over that with the fewest from `least` on; NaN without
    two such points."""
    places = [x for x in panel.curves.get(name, {}) if least <= x <= most]
    if len(places) < 2:
        return np.nan
    return panel.curves[name][max(places)] / panel.curves[name][min(places)]


def findings_of(panels: dict[int, Panel]) -> list[Finding]:
    """@param panels rates over the number of searches, by side of the map"""
    smallest = panels.get(64, Panel({}, {}))
    in_paper = pq_searches.SEARCHES
    grown = {name: growth(smallest, name, 0, in_paper[64]) for name in NAMES.values()}
    best_at = [float(count) for count in CB_SEQ_BEST_AT]
    return [Finding("More searches at a time are faster with each queue on every map (section IV-B2)",
                    np.array([growth(panel, name, 0, in_paper.get(side, np.inf))
                              for side, panel in panels.items() for name in NAMES.values()])),
            Finding("On 64², CB-SEQ gains the most from more searches (section IV-B2)",
                    np.array([grown["CB-SEQ"] / grown[name] for name in NAMES.values() if name != "CB-SEQ"])),
            Finding("On 64², CB-SEQ is the fastest with 8,192 and 16,384 searches (section IV-B2)",
                    smallest.leads(best_at, ("CB-SEQ",))),
            Finding("On larger maps, more searches than fit in the paper's memory are still faster (section IV-B2)",
                    np.array([growth(panel, name, in_paper[side]) for side, panel in panels.items()
                              if side in in_paper and side > 64 for name in NAMES.values()]))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    pq_queues.require_queues(trials)
    panels, inputs = pq_searches.search_curves(trials)
    curves = {side: panel.curves for side, panel in panels.items()}
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
    provenance = pq_queues.provenance_of(trials, [row for side in shown for row in inputs[side]])
    if any(OURS in curves[side] for side in shown):
        provenance = provenance.noting("Ours has fewer searches at a time where these are faster or no more fit.")
    style.finish(figure, provenance,
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
    return figure, ours, findings_of({side: panels[side] for side in shown})


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
