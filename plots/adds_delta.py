#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time and work against a Δ that is fixed during the search: ADDS Fig. 7 and Fig. 4.

Figure 7 has one panel per graph with time and work (vertices taken from the queue), each divided by its lowest,
against Δ in average edge weights. Figure 4 has one line per graph with the time divided by its lowest, against the
constant C of Δ = C · 32 · average weight / average degree; with more than six graphs, the median of each class, and a
band between the quartiles. Of several configurations with the same Δ, the fastest counts.
The script reads a database of experiments/adds_fig7.yaml, or of any sweep over delta_c or delta_fixed.
"""

from __future__ import annotations

import argparse
import sqlite3
from collections import Counter
from dataclasses import dataclass

import style  # before numpy: says what to do when that is missing
import results

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

MOST_PANELS = 12
MOST_PANELS_IN_COLUMN = 4
WARP = 32  # lanes per warp, in the rule for Δ
SOLVERS = ("adds", "near_far")
_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#b0508a", "#5c2600", "#004b6b")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_TIME = "#d55e00"
_WORK = "#0072b2"


@dataclass(frozen=True)
class Series:
    """The points of one input, by increasing Δ in average weights. `work` is NaN if it was not counted."""

    input: results.Input
    delta: np.ndarray
    constant: np.ndarray
    milliseconds: np.ndarray
    work: np.ndarray

    def normalised(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns time and work divided by their lowest values; work is all NaN if it was never counted."""
        lowest = np.nan if np.isnan(self.work).all() else np.nanmin(self.work)
        return self.milliseconds / np.min(self.milliseconds), self.work / lowest


def degrees_of(connection: sqlite3.Connection, times: results.Times) -> np.ndarray:
    """Returns the average degree of each input's graph, at least 1; NaN for a workload that is not a graph."""
    edges, vertices = (results.feature_of(connection, times, name) for name in (results.EDGES, results.VERTICES))
    return np.maximum(edges / np.maximum(vertices, 1), 1)


def constant_of(parameters: dict[str, object], degree: float) -> float | None:
    """Returns C of a configuration with a fixed Δ, or None for others."""
    if parameters.get("solver") == "adds" and parameters.get("adds_delta_mode") != "static":
        return None
    if "delta_c" in parameters:
        return float(parameters["delta_c"])
    if "delta_fixed" in parameters:
        return float(parameters["delta_fixed"]) * degree / WARP
    return None


def series_of(times: results.Times, degrees: np.ndarray, work: np.ndarray, solver: str) -> list[Series]:
    """Returns one series per input with at least two different Δ.

    @raises ResultsError if there is none.
    """
    result = []
    for row, (instance, degree) in enumerate(zip(times.inputs, degrees)):
        best: dict[float, int] = {}
        for column, configuration in enumerate(times.configurations):
            if configuration.parameters.get("solver") != solver or np.isnan(times.milliseconds[row, column]):
                continue
            constant = constant_of(configuration.parameters, degree)
            if constant is None or np.isnan(degree):
                continue
            if constant not in best or times.milliseconds[row, column] < times.milliseconds[row, best[constant]]:
                best[constant] = column
        if len(best) < 2:
            continue
        constants = np.array(sorted(best))
        columns = [best[constant] for constant in constants]
        result.append(Series(instance, constants * WARP / degree, constants, times.milliseconds[row, columns],
                            work[row, columns]))
    if not result:
        raise results.NotOnRecord(f"no graph has times of solver={solver} with two or more fixed Δ; "
                                   "sweep experiments/adds_fig7.yaml")
    return result


def most_panels() -> int:
    """Returns the largest number of panels of a figure."""
    return MOST_PANELS_IN_COLUMN if style.layout.in_column else MOST_PANELS


def title_of(instance: results.Input) -> str:
    """Returns the title of a panel for an input."""
    return f"{style.short_workload(instance.workload, most=16)} ({style.class_name(instance.workload_class)})"


def set_scales(axes: style.Axes, x: np.ndarray, highest: float) -> None:
    """Sets powers of two along x; along y a linear scale, or a logarithmic one if the highest value is far from 1."""
    axes.set_xscale("log", base=2)
    first, last = int(np.floor(np.log2(x.min()))), int(np.ceil(np.log2(x.max())))
    step = max(1, -(-(last - first) // 6))
    axes.xaxis.set_major_locator(FixedLocator([2.0**e for e in range(first, last + 1, step)]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"$2^{{{round(np.log2(value))}}}$"))
    if highest > 12:
        axes.set_yscale("log")
        axes.set_ylim(0.9, highest * 1.2)
        axes.yaxis.set_major_locator(FixedLocator([m * 10.0**e for e in range(7) for m in (1, 2, 5)]))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    else:
        axes.set_ylim(0, highest * 1.08)


def draw_time_and_work(series: list[Series], provenance: style.Provenance) -> style.Figure:
    """Draws ADDS Fig. 7: panels in rows of three, with filled markers at the best points."""
    if len(series) > most_panels():
        provenance = provenance.noting(f"{most_panels()} of {len(series)} graphs and sources: the first ones.")
        series = series[:most_panels()]
    columns = min(3, len(series))
    rows = -(-len(series) // columns)
    legend_inches = 0.22
    width = style.PAGE_INCHES if columns > 1 else style.COLUMN_INCHES
    figure, axes = style.new_figure(width, 1.9 * rows + legend_inches + 0.2, rows=rows, columns=columns)
    for panel, curve in zip(axes, series):
        time, work = curve.normalised()
        for values, colour, marker in ((time, _TIME, "o"), (work, _WORK, "s")):
            if np.isnan(values).all():
                continue
            panel.plot(curve.delta, values, color=colour, marker=marker, markersize=3, markerfacecolor="white",
                       linewidth=1)
            lowest = int(np.nanargmin(values))
            panel.plot(curve.delta[lowest], values[lowest], color=colour, marker=marker, markersize=5)
        set_scales(panel, curve.delta, float(np.nanmax(np.concatenate([time, work]))))
        panel.set_title(title_of(curve.input), loc="left")
        panel.set_xlabel("Δ (average weights)")
        panel.set_ylabel("divided by the lowest")
    for panel in axes[len(series):]:
        panel.set_visible(False)
    style.finish(figure, provenance, reserved_inches=legend_inches)
    lines = [style.plt.Line2D([], [], color=colour, marker=marker, markersize=3, linewidth=1)
             for colour, marker in ((_TIME, "o"), (_WORK, "s"))]
    style.legend_below(figure, lines, ["time", "work"])
    return figure


def quartiles_by_class(series: list[Series]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Returns for each class the constants, ascending, and the quartiles of the normalised times of inputs with them,
    as three rows; a constant counts if at least half of the inputs of the class have it."""
    members: dict[str, list[Series]] = {}
    for curve in series:
        members.setdefault(curve.input.workload_class, []).append(curve)
    result = {}
    for name in sorted(members, key=style.class_order):
        times: dict[float, list[float]] = {}
        for curve in members[name]:
            for constant, time in zip(curve.constant.tolist(), curve.normalised()[0].tolist()):
                times.setdefault(constant, []).append(time)
        constants = sorted(c for c, values in times.items() if 2 * len(values) >= len(members[name]))
        if constants:
            result[name] = (np.array(constants), np.array([np.percentile(times[c], (25, 50, 75)) for c in constants]).T)
    return result


def draw_time(series: list[Series], provenance: style.Provenance) -> style.Figure:
    """Draws ADDS Fig. 4: all graphs in one panel, one line each; for many graphs, median and quartiles by class."""
    figure, (axes,) = style.new_figure(style.COLUMN_INCHES, 2.6)
    lines = []
    if len(series) <= len(_COLOURS):
        lines = [(curve.constant, curve.normalised()[0], None, style.short_workload(curve.input.workload))
                 for curve in series]
    else:
        counts = Counter(curve.input.workload_class for curve in series)
        for name, (constants, (lower, middle, upper)) in quartiles_by_class(series).items():
            lines.append((constants, middle, (lower, upper), f"{style.class_name(name)} ({counts[name]})"))
    for place, (constants, time, band, label) in enumerate(lines):
        colour = _COLOURS[place % len(_COLOURS)]
        axes.plot(constants, time, color=colour, marker=_MARKERS[place % len(_MARKERS)], markersize=3, linewidth=1,
                  label=label)
        if band is not None:
            axes.fill_between(constants, *band, color=colour, alpha=0.2, linewidth=0)
    set_scales(axes, np.concatenate([constants for constants, *_ in lines]),
            max(float(np.max(time if band is None else band[1])) for _, time, band, _ in lines))
    axes.set_xlabel("C")
    axes.set_ylabel("time / lowest time")
    axes.legend(loc="best")
    style.finish(figure, provenance)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    results.add_common_arguments(parser)
    parser.add_argument("--figure", type=int, choices=(7, 4), default=7, help="which of the paper [%(default)s]")
    parser.add_argument("--solver", choices=SOLVERS, default="adds", help="whose Δ [%(default)s]")
    parser.add_argument("--output", metavar="FILE", type=results.figure_path, required=True,
                        help="figure to write: .png, .pdf, or .svg for SVG and PNG")
    arguments = parser.parse_args()
    with results.open_database(arguments.database) as connection:
        problem = results.choose_problem(connection, arguments.problem)
        device = results.choose_device(connection, problem, arguments.device)
        times = results.times_of(connection, device, problem)
        work, _ = results.reads_of(connection, device, problem, times)
        degrees = degrees_of(connection, times)
        provenance = results.provenance(connection, device, problem, times, arguments.database)
    series = series_of(times, degrees, work, arguments.solver)
    if arguments.figure == 7 and all(np.isnan(curve.work).all() for curve in series):
        results.note("the sweep did not count how much work these configurations do: there is no line of work")
    draw = draw_time_and_work if arguments.figure == 7 else draw_time
    for file in style.save(draw(series, provenance), arguments.output):
        print(file)


if __name__ == "__main__":
    results.run(main)
