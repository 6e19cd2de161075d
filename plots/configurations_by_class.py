#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Queue families on different classes of workloads, like MLMQ Fig. 11: time and total work.

For each class and queue family, the family is shown at its best configuration for the class: of those that
solved the most inputs of the class, the one with the lowest geometric mean of time divided by the best time of any
configuration on the same input. First panel: that mean (1 is the best possible). Second panel: total work of the same
configuration, elements read from the queues (counter "pops"), per vertex for graphs, also as a geometric mean. The thin
line is the confidence interval of 95 % of the mean, from three inputs on. On a logarithmic axis, dots replace the bars,
whose length would be arbitrary. If a value does not cover all inputs of the class, it is followed by the number of
covered inputs. Configurations that the device cannot run are left out.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import results  # before numpy: says what to do when that is missing
import style
import intervals
from bars import number, spread_line

import numpy as np
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator


PANEL_INCHES = 1.5  # approximate height of the axes


@dataclass(frozen=True)
class Bar:
    """Bar of a family on a class: geometric means over the inputs that it covers."""

    configuration: int
    time: float  # relative to the best, at least 1; NaN if the family solved no input of the class
    solved: int
    work: float  # NaN without counters
    counted: int
    inputs: int  # number of inputs of the class
    time_interval: tuple[float, float] = (np.nan, np.nan)  # ends of the confidence interval
    work_interval: tuple[float, float] = (np.nan, np.nan)


def geometric_mean(values: np.ndarray) -> float:
    """Returns the geometric mean of the values that are not NaN; NaN if there are none."""
    finite = values[~np.isnan(values)]
    if len(finite) == 0:
        return float("nan")
    with np.errstate(divide="ignore"):
        return float(np.exp(np.log(finite).mean()))


def bars_of(times: results.Times, work: np.ndarray) -> dict[str, dict[str, Bar]]:
    """Returns the bars by class and family, both in the order of the figure."""
    best = times.best()[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(times.milliseconds == best, 1.0, times.milliseconds / best)
    bars: dict[str, dict[str, Bar]] = {}
    for name in sorted({instance.workload_class for instance in times.inputs}, key=style.class_order):
        rows = np.array([row for row, instance in enumerate(times.inputs) if instance.workload_class == name])
        bars[name] = {}
        for family, members in times.families().items():
            solved = {c: int((~np.isnan(ratio[rows, c])).sum()) for c in members}
            means = {c: geometric_mean(ratio[rows, c]) for c in members}
            chosen = min(members, key=lambda c: (-solved[c], round(means[c], 12) if solved[c] else np.inf, c))
            counted = int((~np.isnan(work[rows, chosen])).sum())
            bars[name][family] = Bar(chosen, means[chosen], solved[chosen], geometric_mean(work[rows, chosen]), counted,
                                     len(rows), intervals.of_geometric_mean(ratio[rows, chosen]),
                                     intervals.of_geometric_mean(work[rows, chosen]))
    return bars


def _panel(axes: style.Axes, bars: dict[str, dict[str, Bar]], kind: str, slot_inches: float) -> None:
    """Draws one panel. `kind` is "time" or "work"; `slot_inches` is the width per bar."""
    families = list(next(iter(bars.values())))
    looks = style.looks(families)
    width = 0.84 / len(families)
    drawn = [value for row in bars.values() for bar in row.values()
             if not np.isnan(value := getattr(bar, kind)) and np.isfinite(value)]
    drawn += [bound for row in bars.values() for bar in row.values() for bound in getattr(bar, f"{kind}_interval")
              if np.isfinite(bound)]
    highest, lowest = max(drawn, default=1.0), min([v for v in drawn if v > 0], default=1.0)
    # Values stand upright above narrow bars. The labels of the highest bars must stay below the title.
    upright = slot_inches < 0.2
    partial = any((bar.solved if kind == "time" else bar.counted) < bar.inputs
                  for row in bars.values() for bar in row.values())
    longest = max(len(f"{bar.inputs}") for row in bars.values() for bar in row.values())
    upright_inches = 0.24 + (0.13 + 0.085 * longest if partial else 0)  # "1.89 (1155/1189)"
    headroom = (upright_inches if upright else (0.22 if partial else 0.12)) / PANEL_INCHES
    # Ratios and reads per vertex start at 1; numbers in the thousands start near the lowest.
    floor = 10.0**np.floor(np.log10(lowest)) if lowest < 1 or lowest >= 1000 else 1.0
    logarithmic = highest / min(lowest, max(floor, 1.0)) > 12
    if logarithmic:
        axes.set_yscale("log")
        bottom = 0.8 if floor == 1 else floor
        axes.set_ylim(bottom, bottom * (highest / bottom)**(1 / (1 - headroom)))
        axes.yaxis.set_major_locator(FixedLocator([m * 10.0**e for e in range(-4, 10) for m in (1, 2, 5)]
                                                  if highest / floor < 200 else [10.0**e for e in range(-4, 10)]))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        axes.set_ylim(0, highest / (1 - headroom))
    if logarithmic or highest >= 1000:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}" if y >= 1 else f"{y:g}"))
    for group, row in enumerate(bars.values()):
        for place, (family, bar) in enumerate(row.items()):
            x = group + (place - (len(families) - 1) / 2) * width
            value = getattr(bar, kind)
            covered = bar.solved if kind == "time" else bar.counted
            text = "n/a" if kind == "work" and bar.solved else "no result"
            colour = style.FAINT_COLOUR
            height = axes.get_ylim()[0]
            if covered and np.isfinite(value):
                look = looks[family]
                low, high = getattr(bar, f"{kind}_interval")
                spread_line(axes, x, low, high)
                if logarithmic:
                    axes.plot([x], [value], color=look.colour, marker="o", markersize=5, linestyle="", zorder=5)
                else:
                    axes.bar(x, value, width * 0.9, color=look.colour, hatch=look.hatch, edgecolor="white", linewidth=0)
                text, colour, height = number(value), style.TEXT_COLOUR, float(np.fmax(value, high))
                if covered < bar.inputs:
                    share = f"({covered}/{bar.inputs})"
                    text = f"{text} {share}" if upright else f"{text}\n{share}"
            axes.annotate(text, (x, height), xytext=(0, 3 if logarithmic else 1.5), textcoords="offset points",
                          ha="center", va="bottom",
                          fontsize=5.5, linespacing=0.95, color=colour, zorder=6,
                          path_effects=[withStroke(linewidth=1.2, foreground="white")],
                          rotation=90 if upright or text in ("n/a", "no result") else 0)
    axes.set_xlim(-0.5, len(bars) - 0.5)
    axes.set_xticks(range(len(bars)))
    axes.set_xticklabels([style.class_name(name) for name in bars])
    axes.tick_params(axis="x", length=0)
    axes.grid(False, axis="x")
    if kind == "time":
        axes.axhline(1, color=style.FAINT_COLOUR, linewidth=0.7, linestyle=(0, (3, 2)), zorder=0.9)


def draw(bars: dict[str, dict[str, Bar]], unit: str, provenance: style.Provenance) -> style.Figure:
    """Draws the figure, two columns wide: panels next to each other, or stacked if there are many bars.

    Without counters there is one panel.

    @param unit unit of the work, in words
    """
    families = list(next(iter(bars.values())))
    has_work = any(bar.counted for row in bars.values() for bar in row.values())
    stacked = has_work and len(bars) * len(families) > 18
    columns = min(len(families), 7)
    legend_inches = style.legend_inches(len(families), columns)
    size = (style.PAGE_INCHES, (4.4 if stacked else 2.5) + legend_inches)
    beside = has_work and not stacked
    figure, axes = style.new_figure(*size, rows=2 if stacked else 1, columns=2 if beside else 1)
    slot_inches = (style.plot_inches() if style.layout.in_column or not beside else 3.1) * 0.84 / (
        len(bars) * len(families))
    _panel(axes[0], bars, "time", slot_inches)
    axes[0].set_ylabel("time / best time" + (" (log scale)" if axes[0].get_yscale() == "log" else ""))
    axes[0].set_title("Normalised time (lower is better)", loc="left")
    if has_work:
        _panel(axes[1], bars, "work", slot_inches)
        axes[1].set_ylabel(unit + (" (log scale)" if axes[1].get_yscale() == "log" else ""))
        axes[1].set_title("Total work (lower is better)", loc="left")
    names = [f"{style.class_name(name)}\n({style.plural(next(iter(row.values())).inputs, noun)})"
             for name, row in bars.items()
             for noun in [provenance.noun if provenance.inputs == provenance.workloads else "input"]]
    for panel in axes:
        panel.set_xticklabels(names)
    style.finish(figure, provenance, reserved_inches=legend_inches)
    patches = [style.plt.Rectangle((0, 0), 1, 1, facecolor=look.colour, hatch=look.hatch, edgecolor="white",
                                   linewidth=0) for look in style.looks(families).values()]
    style.legend_below(figure, patches, families, columns, handlelength=1.4)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    results.add_common_arguments(parser)
    results.add_figure_arguments(parser)
    arguments = parser.parse_args()
    results.apply_figure_arguments(arguments)
    with results.open_database(arguments.database) as connection:
        problem = results.choose_problem(connection, arguments.problem)
        device = results.choose_device(connection, problem, arguments.device)
        times = results.times_of(connection, device, problem).without_unfit()
        work, unit = results.reads_of(connection, device, problem, times)
        provenance = results.provenance(connection, device, problem, times, arguments.database)
    if np.isnan(work).all():
        results.note("the sweep did not count how much work these configurations do (there is no counter 'pops' on "
                     "record), so the figure has no panel for it")
    for file in style.save(draw(bars_of(times, work), unit, provenance), arguments.output):
        print(file)


if __name__ == "__main__":
    results.run(main)
