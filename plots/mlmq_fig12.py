#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Share of the graphs with at least a relative performance: MLMQ Fig. 12.

Relative performance is the time of the fastest multi-level queue divided by the time, of all queues on all levels with
all parameters that were tried on the graph; searches of other kinds do not count. A graph counts with its mean time
over the recorded queries. A pair of queues is shown at the configuration that is best over all graphs. Where a record
of searches through the joint space has tried other parameters on every graph, so that some pair has no configuration
that was tried on all of them, each pair is shown at its best parameters on each graph.

The selectors choose among the configurations that were tried on all graphs, by cross-validation: this program's for
kinds of graphs that it was not trained on, and, as in the paper, after learning from 70 % of the graphs without regard
to their kinds. The paper's method, a random forest over eight features, is shown with the same split. Trials that were
stopped at a time limit are shaded instead of counting as 0. relative_performance_cdf.py draws the figure for any
database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import relative_performance_cdf as cdf  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials, ratio
from verdicts import below, single

import numpy as np

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


def findings_of(ours: Mapping[str, Ours], two_levels: Sequence[tuple[cdf.Curve, cdf.Curve]],
                fixed_pairs: Mapping[str, float]) -> list[Finding]:
    """Returns the paper's findings.

    @param two_levels curves of two levels and of their single queue, that of the smallest gain first
    @param fixed_pairs how often each pair of queues comes near the best with one configuration for all graphs
    """
    leads = [ratio(both.values, one.values) for both, one in two_levels] or [np.array([np.nan])]
    forest_over_fixed, forest, fixed = (ours[measure].value for measure in
                                        ("forest_over_fixed", "forest_near_best", "fixed_near_best"))
    vectors = fixed_pairs.get("L1V-L2V")
    others = max((share for name, share in fixed_pairs.items() if name != "L1V-L2V"), default=None)
    return [Finding("Two levels are faster than a single queue, by 1.15 at least (section 5.5)", leads[0],
                    "mlmq_over_single_least"),
            Finding("Two levels are faster than a single queue, by 1.35 at most (section 5.5)", leads[-1],
                    "mlmq_over_single_most"),
            Finding("The selector is better than the best fixed configuration in the mean (section 5.5)",
                    single(forest_over_fixed, 1), "forest_over_fixed"),
            # Any share is within a factor of 2 of one that is close to all.
            Finding("The selector comes near the best on nine of ten graphs, more than the best fixed one "
                    "(section 5.5)", below(fixed, forest), "forest_near_best", 1.1),
            Finding("The fixed queue that comes near the best most often is L1V-L2V (section 5.5)",
                    below(None if vectors is None else others, vectors), "fixed_near_best")]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    reproduction.require_series(trials, {name: trials.times.of_family(name)
                                         for name in (*SINGLE_OF.values(), *SINGLE_OF)})
    queues = trials.times.of_configurations(trials.times.of_queues())
    picks = {column: picks_of(request, queues, column) for column in SELECTORS}
    times, first = queues.mean_over_queries()
    relative, ceilings = times.relative(), times.ceilings()

    def selector_of(column: str, dashes: object, width: float) -> cdf.Curve:
        chosen = [picks[column][row] for row in first]
        return cdf.Curve(SELECTORS[column], results.relative_of_picks(times, chosen, relative),
                         style.Look(style.SELECTOR_COLOUR, dashes, ""), width, 0,
                         results.relative_of_picks(times, chosen, ceilings))

    selector = selector_of("pick", "solid", 1.8)
    others = {"same_split": selector_of("same_split", (0, (4, 1.4)), 1.2),
              "forest": selector_of("forest", (0, (1.2, 1)), 1.2)}
    best_fixed, *pairs = cdf.curves_of(times, None)
    common = set(times.tried_everywhere())
    fixed = best_fixed if common else None
    fixed_pairs = {curve.name: curve.near_best for curve in pairs if not common.isdisjoint(times.of_family(curve.name))}
    provenance = trials.provenance
    if left_out := len(trials.times.inputs) - len(queues.inputs):
        provenance = provenance.noting(f"Left out: {style.plural(left_out, 'input')} that no queue has solved.")
    if len(fixed_pairs) < len(pairs):
        pairs = cdf.curves_of_best(times)
        provenance = provenance.noting("Each pair of queues has its best parameters on each graph.")
    curves = [selector, *others.values(), *([fixed] if fixed else []), *pairs]  # in the order of the legend
    figure = cdf.draw(curves, provenance, provenance.noun + "s")
    by_name = {curve.name: curve for curve in pairs}
    two_levels = sorted(((by_name[name], by_name[one]) for name, one in SINGLE_OF.items()
                         if name in by_name and one in by_name and by_name[one].mean > 0),
                        key=lambda pair: pair[0].mean / pair[1].mean)
    gains = [both.mean / one.mean for both, one in two_levels]
    missing = Ours(None, "the single-level queues are not on record")
    no_fixed = Ours(None, "no configuration was tried on all graphs")

    def over_fixed(mean: float) -> Ours:
        return Ours(mean / fixed.mean, "", "", "x") if fixed and fixed.mean > 0 else no_fixed

    mine = "this program's selector"
    within = "graphs within 0.9 of the best with"
    ours = {"forest_near_best": Ours(100 * others["forest"].near_best),
            "fixed_near_best": Ours(100 * fixed.near_best, fixed.name.removeprefix("best fixed: ")) if fixed
            else no_fixed,
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
            "fixed_mean": replace(Ours(fixed.mean) if fixed else no_fixed,
                                  what="best fixed configuration, mean relative performance")}
    return figure, ours, findings_of(ours, two_levels, fixed_pairs)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
