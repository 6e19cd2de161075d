# SPDX-License-Identifier: Apache-2.0
"""Speed-up of the multi-level queue over each competitor, by class of workloads: MLMQ Fig. 8 and Fig. 14.

For mlmq and each competitor, the fastest configuration on a workload counts; the bars are geometric means over
workloads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bars  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Ours, Request, Trials, ratio

import numpy as np


@dataclass(frozen=True)
class Competitor:
    """An implementation of this program that replaces one in the paper."""

    measure: str
    family: str
    stands_for: str  # name of the replaced implementation, which has the same algorithm
    on_processors: bool = False

    @property
    def label(self) -> str:
        return self.family if self.family == self.stands_for else f"{self.family} (for {self.stands_for})"


def ours_of(times: results.Times) -> np.ndarray:
    """Returns the best time of a multi-level queue on each input."""
    return times.best_of([index for index, configuration in enumerate(times.configurations)
                          if "l2" in configuration.parameters])


def times_of(competitor: Competitor, trials: Trials, processors: results.Times | None) -> np.ndarray:
    """Returns the best time of a competitor on each of the device's inputs."""
    if not competitor.on_processors:
        return trials.times.best_of(trials.times.of_family(competitor.family))
    result = np.full(len(trials.times.inputs), np.nan)
    if processors is None:
        return result
    best = processors.best_of(processors.of_family(competitor.family))
    row_of = {(instance.workload_hash, instance.query): row for row, instance in enumerate(processors.inputs)}
    for row, instance in enumerate(trials.times.inputs):
        if (instance.workload_hash, instance.query) in row_of:
            result[row] = best[row_of[instance.workload_hash, instance.query]]
    return result


def draw(request: Request, trials: Trials, competitors: Sequence[Competitor], title: str,
         gpu: str = "") -> reproduction.Drawing:
    """Returns the figure and the measures: the geometric mean of each competitor over all inputs and over each class.

    @param gpu: GPU whose numbers from the paper are drawn.
    """
    times = trials.times
    processors = reproduction.on_processors(request, trials)
    best = ours_of(times)
    speedups = {competitor.label: ratio(times_of(competitor, trials, processors), best) for competitor in competitors}
    members = reproduction.classes_of(times)
    groups = [f"{style.class_name(name)}\n({times.counted(rows)})" for name, rows in members.items()]
    means = {label: [_mean(values[rows]) for rows in members.values()] + [_mean(values)]
             for label, values in speedups.items()}
    spread = {label: [bars.quartiles(values[rows]) for rows in members.values()] + [bars.quartiles(values)]
              for label, values in speedups.items()}
    empty = [np.nan] * len(members)
    paper = {competitor.label: empty + [request.number(f"speedup_{competitor.measure}", gpu) or np.nan]
             for competitor in competitors}

    shown = [competitor for competitor in competitors if np.isfinite(means[competitor.label]).any()]
    if not shown:
        raise results.NotOnRecord(f"{request.database}: no competitor has solved a {times.noun()} that MLMQ has solved")
    looks = {competitor.label: style.look(competitor.family) for competitor in shown}
    columns = 3
    legend = bars.legend_inches(len(shown) + 1, columns)
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.7 + legend)
    bars.panel(axes, [*groups, f"all\n({times.counted(range(len(times.inputs)))})"],
               {name: means[name] for name in looks}, looks, 6.6 * 0.84 / ((len(groups) + 1) * len(shown)), reference=1,
               paper={name: paper[name] for name in looks}, spread={name: spread[name] for name in looks},
               absent="not solved")
    axes.set_title(title, loc="left")
    axes.set_ylabel("competitor's time / ours" + (" (log)" if axes.get_yscale() == "log" else ""))
    style.finish(figure, trials.provenance, reserved_inches=legend)
    bars.legend(figure, list(looks), looks, f"the paper, {gpu}" if gpu else "the paper", columns)

    ours: dict[str, Ours] = {}
    for competitor in competitors:
        values = speedups[competitor.label]
        mean = reproduction.geometric_mean(values)
        note = "" if competitor.family == competitor.stands_for else f"our {competitor.family}"
        covered = int(np.isfinite(values).sum())
        if 0 < covered < len(values):
            note += f"{'; ' if note else ''}on {covered} of {len(values)}; stopped or failed on the others"
        if mean is None:
            note = ("a simulated time cannot be compared with a measured one"
                    if competitor.on_processors and trials.provenance.modelled else "not on record")
        ours[f"speedup_{competitor.measure}"] = Ours(mean, note)
        for name, rows in members.items():
            if mean is not None and len(members) > 1:
                ours[f"speedup_{competitor.measure}_{name}"] = Ours(
                    reproduction.geometric_mean(values[rows]), "",
                    f"over {competitor.label}, {style.class_name(name)}", "x")
    everyone = np.array([speedups[competitor.label] for competitor in shown])
    finite = ~np.isnan(everyone).all(axis=0)
    # A competitor that did not solve the input counts as slower.
    share = float(np.mean(np.nan_to_num(everyone[:, finite], nan=np.inf).min(axis=0) >= 1))
    ours["share_fastest"] = Ours(100 * share)
    return figure, ours


def _mean(values: np.ndarray) -> float:
    mean = reproduction.geometric_mean(values)
    return np.nan if mean is None else mean
