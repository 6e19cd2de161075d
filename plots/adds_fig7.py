#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and work of ADDS against a Δ that is fixed during the search: ADDS Fig. 7, which adds_delta.py draws for any
database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import adds_delta  # before numpy: says what to do when that is missing
import adds_graphs
import reproduction
import results
from reproduction import Finding, Ours, Request, Trials
from verdicts import below, single

import numpy as np


# What the paper says without a number: that two times are the same, and that two series correlate strongly.
THE_SAME = 1.1
STRONG_CORRELATION = 0.7


def best_points(series: adds_delta.Series) -> tuple[float, float] | None:
    """Returns speed and work of the fastest Δ, both relative to the Δ with the least work."""
    if np.isnan(series.work).all():
        return None
    least, fastest = int(np.nanargmin(series.work)), int(np.argmin(series.milliseconds))
    return (float(series.milliseconds[least] / series.milliseconds[fastest]),
            float(series.work[fastest] / series.work[least]))


def clipped(series: adds_delta.Series) -> float:
    """Returns the time of the smallest Δ, where elements beyond the last bucket lose their order, over that of the Δ
    with the least work; NaN if that is the smallest."""
    if np.isnan(series.work).all() or (least := int(np.nanargmin(series.work))) == 0:
        return np.nan
    return float(series.milliseconds[0] / series.milliseconds[least])


def findings_of(ours: Mapping[str, Ours], series: Sequence[adds_delta.Series]) -> list[Finding]:
    """Returns the paper's findings."""
    values = {measure: mine.value for measure, mine in ours.items()}
    rmat = [curve for curve in series if curve.input.workload_class == "power_law"][-1:]
    correlation = None
    if rmat and (counted := ~np.isnan(rmat[0].work)).any():
        correlation = adds_graphs.rank_correlation(rmat[0].work[counted], rmat[0].milliseconds[counted])
    steps = [(values[f"{upper}_{measure}"], values[f"{lower}_{measure}"]) for measure in ("speed", "work")
             for upper, lower in (("mesh", "rmat"), ("road", "mesh"))]
    between = None if any(None in step for step in steps) else min(upper / lower for upper, lower in steps)
    return [Finding("On R-MAT the time correlates strongly with the work (section 5.5)",
                    single(correlation, STRONG_CORRELATION)),
            Finding("On R-MAT the Δ with the least work is the fastest (section 5.5)",
                    below(values["rmat_speed"], THE_SAME), "rmat_speed"),
            Finding("On a road another Δ is faster than that with the least work (section 5.5)",
                    single(values["road_speed"], THE_SAME), "road_speed"),
            Finding("On a road the fastest Δ does more work (section 5.5)", single(values["road_work"], THE_SAME),
                    "road_work"),
            Finding("On a mesh another Δ is faster than that with the least work (section 5.5)",
                    single(values["mesh_speed"], THE_SAME), "mesh_speed"),
            Finding("On a mesh the fastest Δ does more work (section 5.5)", single(values["mesh_work"], THE_SAME),
                    "mesh_work"),
            Finding("The mesh lies between R-MAT and the road (section 5.5)", single(between, 1)),
            Finding("A Δ that is too small for the buckets is slower than that with the least work (section 5.5)",
                    np.array([clipped(curve) for curve in series]))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    series = adds_delta.series_of(trials.times, adds_delta.degrees_of(trials.connection, trials.times),
                                  trials.counts("pops", per=results.VERTICES), "adds")
    figure = adds_delta.draw_time_and_work(series, trials.provenance)
    ours: dict[str, Ours] = {}
    for name, class_ in (("road", "road"), ("rmat", "power_law"), ("mesh", "mesh")):
        for measure, description, place in (("speed", "fastest Δ over that of least work, time", 0),
                                     ("work", "fastest Δ over that of least work, work", 1)):
            of_class = [curve for curve in series if curve.input.workload_class == class_]
            points = best_points(of_class[-1]) if of_class else None
            note = of_class[-1].input.workload if of_class else "no such graph"
            ours[f"{name}_{measure}"] = Ours(None if points is None else points[place],
                                             note if points or not of_class else "no work counts on record",
                                             f"{name}: {description}", "x")
    return figure, ours, findings_of(ours, series)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
