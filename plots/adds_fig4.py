#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of Near-Far against the constant C of its rule for Δ: ADDS Fig. 4. adds_delta.py draws it for any database."""

from __future__ import annotations

import adds_delta  # before numpy: says what to do when that is missing
import reproduction
import results
from reproduction import Ours, Request, Trials

import numpy as np


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    series = adds_delta.series_of(trials.times, adds_delta.degrees_of(trials.connection, trials.times),
                                  trials.counts("pops", per=results.VERTICES), "near_far")
    figure = adds_delta.draw_time(series, trials.provenance)
    best = {curve.input.workload: float(curve.constant[int(np.argmin(curve.milliseconds))]) for curve in series}
    ours = {"spread": Ours(max(best.values()) / min(best.values()),
                           ", ".join(f"{name}: {c:g}" for name, c in best.items()) if len(best) <= 6 else
                           f"{len(best)} graphs: {min(best.values()):g} to {max(best.values()):g}",
                           "largest of the best C over the smallest", "x")}
    # The cost of using the same C for all graphs.
    shared = sorted(set.intersection(*(set(curve.constant.tolist()) for curve in series)))
    if shared:
        worst = min(max(float(curve.normalised()[0][curve.constant.tolist().index(c)]) for curve in series)
                    for c in shared)
        ours["one_for_all"] = Ours(worst, "", "time with the best common C over time with a graph's own, at worst", "x")
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
