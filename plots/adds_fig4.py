#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time of Near-Far against the constant C of its rule for Δ: ADDS Fig. 4. adds_delta.py draws it for any database."""

from __future__ import annotations

import adds_delta  # before numpy: says what to do when that is missing
import reproduction
import results
from reproduction import Finding, Ours, Request, Trials
from verdicts import MUCH, single

import numpy as np

# What the paper says without a number: best constants that are far apart, and a slowdown with which a constant is about
# as good as the best, as in its table 3.
FAR_APART = 4.0
ABOUT_THE_SAME = 1.1


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
    slowest = np.array([curve.normalised()[0].max() for curve in series])
    one_for_all = ours["one_for_all"].value if "one_for_all" in ours else None
    return figure, ours, [
        Finding("The choice of Δ matters much to the time (section 4.3)", slowest / MUCH),
        Finding("The best constants of the graphs are far apart (section 4.3)",
                single(ours["spread"].value if len(series) > 1 else None, FAR_APART)),
        Finding("No constant is the best for all graphs (section 4.3)",
                single(one_for_all if len(series) > 1 else None, ABOUT_THE_SAME))]


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
