#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Share of the graphs with at least a relative performance (best time / time): MLMQ Fig. 12. A queue family is shown
at the configuration that is best over all graphs; the selector by its choices for kinds of graphs that it was not
trained on (cross-validation over kinds). The paper's method is a random forest that learns from eight features of 70 %
of the graphs, without regard to their kinds; the selector with the same split is shown, too. A graph counts with its
mean time over the recorded queries. Trials that were stopped at a time limit are shaded instead of counting as 0.
relative_performance_cdf.py draws the figure for any database."""

from __future__ import annotations

from dataclasses import replace

import relative_performance_cdf as cdf  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Ours, Request, Trials

SINGLE_OF = {"L1V-L2V": "L2V", "L1V-L2DQ": "L2DQ"}


# Columns of the table of picks, with the names of their curves.
SELECTORS = {"pick": "selector, on unseen kinds", "same_split": "selector, 70 % of the graphs",
             "forest": "the paper's random forest"}


def picks_of(request: Request, times: results.Times, column: str) -> list[int | None]:
    """Returns a selector's choice for each input."""
    if request.picks is None:
        raise results.ResultsError(f"{request.file}: this figure needs the selector's picks")
    shown = {(instance.workload, instance.query) for instance in times.inputs}
    picks = [pick for pick in results.read_picks(request.picks, column) if (pick.workload, pick.query) in shown]
    return results.columns_of_picks(times, picks, request.picks)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    reproduction.require_series(trials, {name: trials.times.of_family(name)
                                         for name in (*SINGLE_OF.values(), *SINGLE_OF)})
    picks = {column: picks_of(request, trials.times, column) for column in SELECTORS}
    times, first = trials.times.mean_over_queries()
    curves = cdf.curves_of(times, [picks["pick"][row] for row in first], SELECTORS["pick"])
    selector, fixed = curves[0], curves[1]  # in the order of the legend
    relative, ceilings = times.relative(), times.ceilings()
    others = {column: cdf.Curve(SELECTORS[column],
                                results.relative_of_picks(times, [picks[column][row] for row in first], relative),
                                style.Look(style.SELECTOR_COLOUR, dashes, ""), 1.2, 0,
                                results.relative_of_picks(times, [picks[column][row] for row in first], ceilings))
              for column, dashes in (("same_split", (0, (4, 1.4))), ("forest", (0, (1.2, 1))))}
    figure = cdf.draw([selector, *others.values(), *curves[1:]], trials.provenance, trials.provenance.noun + "s")
    by_name = {curve.name: curve for curve in curves}
    gains = [by_name[name].mean / by_name[single].mean for name, single in SINGLE_OF.items()
             if name in by_name and single in by_name and by_name[single].mean > 0]
    missing = Ours(None, "the single-level queues are not on record")
    def over_fixed(mean: float) -> Ours:
        return Ours(mean / fixed.mean, "", "", "x") if fixed.mean > 0 else Ours(None, "no fixed one")

    mine = "this program's selector"
    within = "graphs within 0.9 of the best with"
    ours = {"forest_near_best": Ours(100 * others["forest"].near_best),
            "fixed_near_best": Ours(100 * fixed.near_best, fixed.name.removeprefix("best fixed: ")),
            "same_split_near_best": Ours(100 * others["same_split"].near_best, "",
                                         f"{within} {mine}, same split", "%"),
            "selector_near_best": Ours(100 * selector.near_best, "",
                                       f"{within} {mine}, on unseen kinds", "%"),
            "forest_over_fixed": over_fixed(others["forest"].mean),
            "selector_over_fixed": replace(over_fixed(selector.mean), what=f"mean relative performance of {mine} over "
                                           "the best fixed"),
            "mlmq_over_single_least": Ours(min(gains)) if gains else missing,
            "mlmq_over_single_most": Ours(max(gains)) if gains else missing,
            "selector_mean": Ours(selector.mean, "", f"{mine}, mean relative performance"),
            "forest_mean": Ours(others["forest"].mean, "", "the paper's selector, mean relative performance"),
            "fixed_mean": Ours(fixed.mean, "", "best fixed configuration, mean relative performance")}
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
