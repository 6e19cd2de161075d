#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Distribution of relative performance over workloads, like MLMQ Fig. 12.

Relative performance is the best time of any configuration on an input divided by the time of the method. A curve
shows the share of the inputs with at least the relative performance on the x axis. There is one curve for each queue
family, at the configuration of the family with the highest mean relative performance; one for the best fixed
configuration of all; with --evaluation, in bold, one for the selector on inputs that it was not trained on; and with
--selector, one for a selector's choices. With both options the latter curve is thin, because choices for training
inputs are optimistic. With --tuned, the selectors and the best fixed configuration are those of the evaluation that
`mlmq tune` stored, with its scores, and a workload counts with the mean over its queries. Configurations that the
device cannot run are left out.

A trial that failed or is missing counts as 0. The relative performance of a trial that was stopped at a time limit is
unknown: it lies between 0 and best time / limit. Such trials form a shaded band below the curve, whose lower edge
counts them as 0. The dotted vertical line marks the threshold for "near the best", 0.9. The legend gives averages in
parentheses (with a confidence interval of 95 %; from 0 to the upper bound for stopped trials), the share of the inputs
to the right of that line, and the share that was stopped.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import results  # before numpy: says what to do when that is missing
import intervals
import style

import numpy as np


@dataclass(frozen=True)
class Curve:
    """One method: its name and its relative performance on each input."""

    name: str
    values: np.ndarray  # 0 if the method failed or was stopped
    look: style.Look
    width: float
    rank: int  # position in the legend; the mean decides among equal ones
    ceiling: np.ndarray | None = None  # upper bounds of the values; None: the values are exact
    digits: int = 2  # decimals of the average in the legend
    in_hindsight: bool = False  # whether the configuration was chosen by these same values

    @property
    def mean(self) -> float:
        return float(self.values.mean())

    @property
    def mean_text(self) -> str:
        """Returns the average with its interval, or its range if some trials were stopped."""
        least = f"{self.mean:.{self.digits}f}"
        most = least if self.ceiling is None else f"{float(self.ceiling.mean()):.{self.digits}f}"
        if least != most:
            return f"{least} to {most}"
        half = intervals.half_width(self.values)
        return least if np.isnan(half) else f"{least} ± {half:.2f}"

    @property
    def stopped(self) -> float:
        """Returns the share of the inputs on which the method was stopped at a limit."""
        return 0.0 if self.ceiling is None else float(np.mean(self.ceiling > self.values))

    @property
    def near_best(self) -> float:
        return share_at_least(self.values, results.NEAR_BEST)


def share_at_least(values: np.ndarray, threshold: float) -> float:
    """Returns the share of the values that are at least the threshold."""
    return float(np.mean(values >= threshold))


def steps(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the share of values that are at least x, as points for steps of kind "pre": y[i] holds from x[i-1]
    (exclusive) to x[i] (inclusive). The last point is the fall to 0 after the highest value."""
    ordered = np.sort(values)
    count = len(ordered)
    x = np.concatenate(([0.0], ordered, ordered[-1:]))
    y = np.concatenate(([1.0], 1 - np.arange(count) / count, [0.0]))
    return x, y


UNSEEN = "selector, on unseen ones"


def curves_of(times: results.Times, picks: list[int | None] | None, selector: str = "selector",
              unseen: np.ndarray | None = None) -> list[Curve]:
    """Returns the curves in the order of the legend: selector, best fixed, families by decreasing mean.

    @param selector name of the curve of the picks
    @param unseen relative performance of a selector on inputs that it was not trained on; with it, the curve of the
      picks, whose selector was trained on these inputs, is thin
    """
    relative, ceilings = times.relative(), times.ceilings()
    fixed = times.best_fixed()
    curves = [Curve(f"best fixed: {times.configurations[fixed].family}", relative[:, fixed],
                    style.Look(style.FIXED_COLOUR, (0, (1, 1.6)), ""), 1.2, 1, ceilings[:, fixed])]
    for name, members in times.families().items():
        column = times.best_fixed(members)
        curves.append(Curve(name, relative[:, column], style.look(name), 1.3, 2, ceilings[:, column]))
    bold = style.Look(style.SELECTOR_COLOUR, "solid", "")
    if unseen is not None:
        curves.append(Curve(UNSEEN, unseen, bold, 1.8, 0))
    if picks is not None:
        is_flattered = unseen is not None
        values, most = results.relative_of_picks(times, picks), results.relative_of_picks(times, picks, ceilings)
        look = style.Look(style.FAINT_COLOUR, (0, (4, 2)), "") if is_flattered else bold
        curves.append(Curve(selector, values, look, 0.8 if is_flattered else 1.8, 1 if is_flattered else 0, most))
    return sorted(curves, key=lambda c: (c.rank, -c.mean, style.family_order(c.name)))


def curves_of_best(times: results.Times) -> list[Curve]:
    """Returns the curves of the families, each at its best configuration on each input, by decreasing mean."""
    relative, ceilings = times.relative(), times.ceilings()
    curves = [Curve(name, relative[:, members].max(axis=1), style.look(name), 1.3, 2, ceilings[:, members].max(axis=1))
              for name, members in times.families().items()]
    return sorted(curves, key=lambda c: (-c.mean, style.family_order(c.name)))


def evaluated_curves(times: results.Times, evaluation: results.Evaluation) -> list[Curve]:
    """Returns the stored curves, with the one that tuning chose in bold, then the families, each at its best
    configuration for these workloads.

    @param times times of the evaluation's workloads
    """
    bold = style.Look(style.SELECTOR_COLOUR, "solid", "")
    looks = {"new selector": style.Look(style.SELECTOR_COLOUR, (0, (5, 1.5, 1, 1.5)), ""),
             "best fixed configuration": style.Look(style.FIXED_COLOUR, (0, (1, 1.6)), "")}
    curves = []
    for strategy in evaluation.strategies:
        is_selector = strategy.name == evaluation.selector_strategy
        look = bold if is_selector else looks.get(strategy.name, style.Look(style.FAINT_COLOUR, (0, (4, 2)), ""))
        width, rank = (1.8, 0) if is_selector else (1.2, 1)
        curves.append(Curve(strategy.name, strategy.relative, look, width, rank, digits=3))
    families = [curve for curve in curves_of(times, None) if curve.rank == 2]
    return sorted(curves, key=lambda c: (c.rank, -c.mean)) + [
        replace(curve, digits=3, in_hindsight=True) for curve in families]


def draw(curves: list[Curve], provenance: style.Provenance, noun: str | None = None) -> style.Figure:
    """Draws the figure, one column wide with the legend below, or two columns wide with a long legend on the right.

    @param noun: plural noun for the values' items; None: the noun of the provenance.
    """
    wide = len(curves) > 9 and not style.layout.in_column
    notes = _notes(curves)
    legend_inches = 0.14 * (len(curves) + 1 + len(notes)) + 0.1
    size = (style.PAGE_INCHES, max(3.0, legend_inches + 0.7)) if wide else (style.COLUMN_INCHES, 2.6 + legend_inches)
    figure, (axes, *_) = style.new_figure(*size)
    for order, curve in enumerate(curves):
        # The best fixed configuration is also its family's curve, so its dots are drawn above that curve.
        z = (20, 10, 8 - order / 100)[curve.rank]
        x, y = steps(curve.values)
        if curve.stopped > 0:
            _band(axes, curve, z)
        axes.step(x, y, where="pre", color=curve.look.colour, linestyle=curve.look.dashes, linewidth=curve.width,
                  zorder=z, clip_on=False, solid_joinstyle="miter")
    noun = noun or (provenance.noun + "s" if provenance.inputs == provenance.workloads else "inputs")
    axes.axvline(results.NEAR_BEST, color=style.FAINT_COLOUR, linewidth=0.8, linestyle=(0, (1, 1.5)), zorder=1.5)
    axes.annotate("0.9", (results.NEAR_BEST, 1), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                  fontsize=6, color=style.FAINT_COLOUR)
    axes.set(xlim=(0, 1), ylim=(0, 1), xticks=np.linspace(0, 1, 6), yticks=np.linspace(0, 1, 6),
             xlabel="relative performance (best time / time)",
             ylabel=f"share of {noun} with at least\nthis relative performance")
    if wide:
        style.finish(figure, provenance)
        box = axes.get_position()
        axes.set_position([box.x0, box.y0, 4.0 / size[0] - box.x0, box.height])
        left, top = 4.1 / size[0], box.y1
    else:
        style.finish(figure, provenance, reserved_inches=legend_inches)
        left, top = 0.4 / size[0], axes.get_position().y0 - 0.42 / size[1]
    _legend(figure, curves, left, top)
    return figure


def _band(axes: style.Axes, curve: Curve, z: float) -> None:
    """Draws the band between the curve in which stopped trials count as 0 and the one with their upper bounds."""
    assert curve.ceiling is not None
    edges = np.unique(np.concatenate(([0.0], curve.values, curve.ceiling)))
    least = [share_at_least(curve.values, x) for x in edges[1:]]
    most = [share_at_least(curve.ceiling, x) for x in edges[1:]]
    for begin, end, low, high in zip(edges[:-1], edges[1:], least, most):
        if high > low:
            axes.fill_between([begin, end], low, high, color=curve.look.colour, alpha=0.13, linewidth=0, zorder=z - 1)


def _legend(figure: style.Figure, curves: list[Curve], left: float, top: float) -> None:
    """Draws the legend as a small table: sample of the line, method with average, share near the best."""
    width, height = figure.get_size_inches()
    rows = [("method (average)", "share ≥ 0.9", "stopped" if any(curve.stopped > 0 for curve in curves) else "")]
    rows += [(f"{curve.name} ({curve.mean_text})", style.percent(curve.near_best),
              style.percent(curve.stopped) if curve.stopped > 0 else "") for curve in curves]
    for row, (name, share, stopped) in enumerate(rows):
        y = top - (row + 0.5) * 0.14 / height
        small = {"fontsize": 6.5 if row == 0 else 7, "color": style.FAINT_COLOUR if row == 0 else style.TEXT_COLOUR}
        if row > 0:
            curve = curves[row - 1]
            figure.add_artist(style.plt.Line2D([left, left + 0.3 / width], [y, y], color=curve.look.colour,
                                               linestyle=curve.look.dashes, linewidth=curve.width,
                                               transform=figure.transFigure))
        figure.text(left + 0.4 / width, y, name, va="center_baseline", ha="left", **small)
        figure.text(left + (2.65 if rows[0][2] else 3.0) / width, y, share, va="center_baseline", ha="right", **small)
        figure.text(left + 3.05 / width, y, stopped, va="center_baseline", ha="right", **small)
    for place, note in enumerate(_notes(curves)):
        figure.text(left, top - (len(rows) + place + 0.5) * 0.14 / height, note, va="center_baseline", ha="left",
                    fontsize=6.5, color=style.FAINT_COLOUR)


def _notes(curves: list[Curve]) -> list[str]:
    """Returns the lines below the legend."""
    notes = []
    if any("±" in curve.mean_text for curve in curves):
        notes.append("±: confidence interval of 95 % of the average")
    if any(curve.stopped > 0 for curve in curves):
        notes.append("shaded: stopped at a time limit, so less than the upper edge")
    if any(curve.in_hindsight for curve in curves):
        notes.append("families: each at its best configuration, known in hindsight")
    return notes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    results.add_common_arguments(parser)
    results.add_figure_arguments(parser)
    parser.add_argument("--selector", metavar="CSV", type=Path,
                        help="picks as `mlmq selector picks --format csv` writes them")
    parser.add_argument("--selector-name", metavar="TEXT", default="selector, trained on these",
                        help="its name in the legend, for picks on workloads that it was not trained on [%(default)s]")
    parser.add_argument("--evaluation", metavar="CSV", type=Path,
                        help="choices for inputs not trained on, as `mlmq selector evaluate --output` writes them")
    parser.add_argument("--tuned", metavar="JSON", type=Path,
                        help="a selector as `mlmq tune` writes it, whose stored evaluation is drawn")
    parser.add_argument("--method", default="combined", help="the selector of --evaluation [%(default)s]")
    arguments = parser.parse_args()
    results.apply_figure_arguments(arguments)
    with results.open_database(arguments.database) as connection:
        problem = results.choose_problem(connection, arguments.problem)
        device = results.choose_device(connection, problem, arguments.device)
        times = results.times_of(connection, device, problem)
        provenance = results.provenance(connection, device, problem, times, arguments.database)
    evaluation = results.read_tuned(arguments.tuned) if arguments.tuned is not None else None
    if evaluation is not None:
        if arguments.selector is not None or arguments.evaluation is not None:
            raise results.ResultsError(
                "--tuned goes with neither --selector nor --evaluation: it has its own evaluation")
        evaluated = times.mean_over_queries()[0].without_unfit().of_workloads(evaluation.workloads)
        curves = evaluated_curves(evaluated, evaluation)
        count = len(evaluation.workloads)
        for file in style.save(draw(curves, replace(provenance, workloads=count, inputs=count)), arguments.output):
            print(file)
        return
    times = times.without_unfit()
    picks = None
    if arguments.selector is not None:
        picks = results.columns_of_picks(times, results.read_picks(arguments.selector), arguments.selector)
    if times.unsolved:
        results.note(f"left out, because no configuration solved them: {style.plural(len(times.unsolved), 'input')}")
    unseen = None
    if arguments.evaluation is not None:
        unseen = results.read_evaluation(arguments.evaluation, arguments.method)
    curves = curves_of(times, picks, arguments.selector_name, unseen)
    for file in style.save(draw(curves, provenance), arguments.output):
        print(file)


if __name__ == "__main__":
    results.run(main)
