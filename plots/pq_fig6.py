#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PHOLD with CB-PAR by threads per queue, over the events per entity: Fig. 6 of the third paper. 1,024
entities, λ = 10⁻³."""

from __future__ import annotations

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import reproduction
import results
import style
from pq_queues import Panel
from reproduction import Finding, Ours, Request, Trials

import numpy as np

RATE = 0.001
FEW = 256  # events per entity: the paper's limit
BEST_OF_FEW, BEST_OF_MANY = 32, 64  # threads of a queue, in the paper
SLIGHT = 0.8  # relative performance of a choice that is only slightly slower
SHADES = {32: "#d55e00", 64: "#0072b2", 128: "#009e73", 256: "#b0508a"}
MARKERS = {32: "s", 64: "o", 128: "^", 256: "X"}


def best_lanes(curves: dict[int, pq_queues.Curve], places: list[float], description: str) -> Ours:
    """Returns the number of threads with the highest geometric mean over those of these places that all curves have."""
    shared = [x for x in places if curves and all(x in curve for curve in curves.values())]
    if not shared:
        return Ours(None, "not measured", description)
    means = {lanes: float(np.exp(np.mean([np.log(curve[x]) for x in shared]))) for lanes, curve in curves.items()}
    best = max(means, key=lambda lanes: means[lanes])
    second = max((value for lanes, value in means.items() if lanes != best), default=np.nan)
    return Ours(float(best), f"{100 * (means[best] / second - 1):.0f} % above the next", description)


def findings_of(by_lanes: dict[int, pq_queues.Curve]) -> list[Finding]:
    panel = Panel(by_lanes, {})
    places = panel.places()

    def over_others(lanes: int, some: list[float]) -> np.ndarray:
        return panel.leads(some, [lanes], [other for other in by_lanes if other != lanes])

    return [Finding(f"{BEST_OF_FEW} threads of a queue are the best up to {FEW} events of an entity (section IV-B1)",
                    over_others(BEST_OF_FEW, [x for x in places if x <= FEW]), "lanes_few", factor=1),
            Finding(f"{BEST_OF_MANY} threads of a queue are the best above {FEW} events of an entity (section IV-B1)",
                    over_others(BEST_OF_MANY, [x for x in places if x > FEW]), "lanes_many", factor=1),
            Finding(f"{BEST_OF_FEW} threads of a queue are only slightly slower than the best anywhere (Fig. 6)",
                    panel.leads(places, [BEST_OF_FEW], list(by_lanes)), limit=SLIGHT)]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    fits, entities = pq_events.models(trials, 1024)
    rows = [int(row) for row in np.flatnonzero(fits & np.isclose(trials.feature("rate"), RATE))]
    matrix = pq_queues.rates(trials, "events")
    lanes_of: dict[int, list[int]] = {}
    for column in pq_queues.columns_of(trials.times).get("CB-PAR", []):
        lanes_of.setdefault(int(trials.times.configurations[column].parameters["lanes"]), []).append(column)
    by_lanes: dict[int, pq_queues.Curve] = {}
    events = trials.feature("events")
    for lanes, columns in sorted(lanes_of.items()):
        if curves := pq_queues.curves(rows, events, {"CB-PAR": pq_queues.best(matrix, columns)}):
            by_lanes[lanes] = curves["CB-PAR"]
    if not by_lanes:
        raise results.NotOnRecord(
            f"{request.database}: CB-PAR has not simulated a model of 1,024 entities with λ 0.001")

    figure, (axes,) = style.new_figure(style.COLUMN_INCHES, 2.5)
    for lanes, curve in by_lanes.items():
        axes.plot(list(curve), list(curve.values()), color=SHADES.get(lanes, style.FAINT_COLOUR),
                  marker=MARKERS.get(lanes, "D"), markersize=3.6, linewidth=1.1, markeredgewidth=0,
                  label=f"{lanes}")
    pq_queues.draw_curves(axes, {})
    places = sorted({x for curve in by_lanes.values() for x in curve})
    axes.xaxis.set_major_locator(pq_queues.FixedLocator(places))
    pq_queues.fit_decades(axes)
    axes.set(xlabel="events of an entity", ylabel=pq_queues.per_second(trials, "events"))
    axes.set_title(f"CB-PAR, {entities:,.0f} entities, λ = 10⁻³", loc="left")
    style.finish(figure, pq_queues.provenance_of(trials, rows),
                 reserved_inches=style.legend_inches(len(by_lanes), columns=4))
    handles, labels = axes.get_legend_handles_labels()
    style.legend_below(figure, handles, [*labels[:-1], f"{labels[-1]} threads a queue"], columns=4, columnspacing=1.2,
                       handlelength=1.8)
    ours = {"lanes_few": best_lanes(by_lanes, [x for x in places if x <= FEW],
                                    f"best threads a queue up to {FEW} events"),
            "lanes_many": best_lanes(by_lanes, [x for x in places if x > FEW],
                                     f"best threads a queue above {FEW} events")}
    return figure, ours, findings_of(by_lanes)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
