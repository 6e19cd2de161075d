#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and work of ADDS against a Δ that is fixed during the search: ADDS Fig. 7, which adds_delta.py draws for any
database."""

from __future__ import annotations

import adds_delta  # before numpy: says what to do when that is missing
import reproduction
import results
from reproduction import Ours, Request, Trials

import numpy as np


def best_points(series: adds_delta.Series) -> tuple[float, float] | None:
    """Returns speed and work of the fastest Δ, both relative to the Δ with the least work."""
    if np.isnan(series.work).all():
        return None
    least, fastest = int(np.nanargmin(series.work)), int(np.argmin(series.milliseconds))
    return (float(series.milliseconds[least] / series.milliseconds[fastest]),
            float(series.work[fastest] / series.work[least]))


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
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
