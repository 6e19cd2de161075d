# SPDX-License-Identifier: Apache-2.0
"""Groups of bars with their values written above, and the legend below the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import reproduction  # before numpy: says what to do when that is missing
import results
import style

import numpy as np
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

Values = Mapping[str, Sequence[float]]  # one value per group, by series; NaN for no value


def number(value: float) -> str:
    """Formats a number with about three digits, large ones in thousands or millions."""
    if abs(value) >= 9.95e6:
        return f"{value / 1e6:,.0f}M"
    if abs(value) >= 9950:
        return f"{value / 1000:.0f}k"
    return f"{value:.0f}" if abs(value) >= 99.5 else f"{value:.1f}" if abs(value) >= 9.95 else f"{value:.2f}"


def quartiles(values: np.ndarray) -> tuple[float, float]:
    """Returns the lower and the upper quartile of the values without NaN; NaN for fewer than two values."""
    finite = values[np.isfinite(values)]
    return (np.nan, np.nan) if len(finite) < 2 else tuple(float(q) for q in np.quantile(finite, (0.25, 0.75)))


def spread_line(axes: style.Axes, x: float, low: float, high: float) -> None:
    """Draws a thin line near the middle of a bar, from one quartile to the other; nothing if they are unknown."""
    if np.isfinite(low) and np.isfinite(high):
        axes.plot([x, x], [low, high], color=style.TEXT_COLOUR, linewidth=0.7, solid_capstyle="butt", zorder=4)


def panel(axes: style.Axes, groups: Sequence[str], series: Values, looks: Mapping[str, style.Look],
          slot_inches: float, reference: float | None = None, absent: str = "–",
          spread: Mapping[str, Sequence[tuple[float, float]]] | None = None) -> None:
    """Draws the bars; the scale is logarithmic if values are far apart.

    @param slot_inches width per bar; values above narrow bars are upright
    @param reference value at which to draw a line
    @param spread lower and upper quartile of each value that is a mean, by series and group, drawn as a thin line
    """
    spread = spread or {}
    width = 0.84 / max(len(series), 1)
    quartile_values = [[b for pair in pairs for b in pair] for pairs in spread.values()]
    finite = np.array([v for values in [*series.values(), *quartile_values] for v in values
                      if np.isfinite(v) and v > 0] or [1.0])
    upright = slot_inches < 0.24
    headroom = 0.24 if upright else 0.12
    lowest, highest = float(finite.min()), float(max(finite.max(), reference or 0))
    if highest / min(lowest, highest if reference is None else reference) > 12:
        axes.set_yscale("log")
        bottom = 10.0**np.floor(np.log10(lowest * 0.999))
        axes.set_ylim(bottom, bottom * (highest / bottom)**(1 / (1 - headroom)))
        # Use as many labels as fit.
        decades = np.log10(highest / bottom)
        steps = (1, 2, 5) if decades < 2.2 else (1,)
        axes.yaxis.set_major_locator(FixedLocator([m * 10.0**e for e in range(-6, 10) for m in steps]))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}" if y >= 1 else f"{y:g}"))
    else:
        axes.set_ylim(0, highest / (1 - headroom))
    bottom = axes.get_ylim()[0]
    for place, (name, values) in enumerate(series.items()):
        for group, value in enumerate(values):
            x = group + (place - (len(series) - 1) / 2) * width
            text, height, colour = absent, bottom, style.FAINT_COLOUR
            if np.isfinite(value):
                text, height, colour = number(value), max(value, bottom), style.TEXT_COLOUR
                axes.bar(x, value, width * 0.9, color=looks[name].colour, hatch=looks[name].hatch, edgecolor="white",
                         linewidth=0)
                low, high = spread[name][group] if name in spread else (np.nan, np.nan)
                spread_line(axes, x, low, high)
                height = np.fmax(height, high)
            axes.annotate(text, (x, height), xytext=(0, 1.5), textcoords="offset points", ha="center", va="bottom",
                          fontsize=5.5, color=colour,
                          path_effects=[withStroke(linewidth=1.2, foreground="white")],
                          rotation=90 if upright or (text == absent and len(text) > 3) else 0, zorder=6)
    if reference is not None:
        axes.axhline(reference, color=style.FAINT_COLOUR, linewidth=0.7, linestyle=(0, (3, 2)), zorder=0.9)
    axes.set_xlim(-0.5, len(groups) - 0.5)
    axes.set_xticks(range(len(groups)))
    axes.set_xticklabels(groups)
    if style.layout.in_column:
        slanted(axes, [group.replace("\n", " ") for group in groups])
    axes.tick_params(axis="x", length=0)
    axes.grid(False, axis="x")


MOST_GROUPS = 24  # with more inputs, a group is a class of workloads


def groups_of(times: results.Times) -> dict[str, list[int]]:
    """Returns the inputs of each group, by its name: the inputs themselves, or their classes if there are many."""
    if len(times.inputs) > MOST_GROUPS:
        return {f"{style.class_name(name)} ({times.counted(rows)})": rows
                for name, rows in reproduction.classes_of(times).items()}
    groups: dict[str, list[int]] = {}
    for row, instance in enumerate(times.inputs):
        name = style.short_workload(instance.workload)
        if name in groups:
            name = f"{name} {instance.query} {row + 1}"
        groups[name] = [row]
    return groups


def means(values: Mapping[str, np.ndarray], groups: Mapping[str, Sequence[int]]) -> dict[str, list[float]]:
    """Returns the geometric mean of each series in each group; NaN where nothing has a value."""
    return {name: [np.nan if (mean := reproduction.geometric_mean(series[list(rows)])) is None else mean
                   for rows in groups.values()] for name, series in values.items()}


def spreads(values: Mapping[str, np.ndarray],
            groups: Mapping[str, Sequence[int]]) -> dict[str, list[tuple[float, float]]]:
    """Returns the quartiles of each series in each group."""
    return {name: [quartiles(series[list(rows)]) for rows in groups.values()] for name, series in values.items()}


def slanted(axes: style.Axes, names: Sequence[str]) -> None:
    """Writes names of groups below the axis, slanted if they do not fit side by side."""
    axes.set_xticks(range(len(names)))
    width = axes.get_window_extent().width / axes.figure.dpi * 72  # in points
    if sum(len(name) for name in names) * 4.4 > width:
        axes.set_xticklabels(names, rotation=35, ha="right", rotation_mode="anchor")
    else:
        axes.set_xticklabels(names)


def legend(figure: style.Figure, names: Sequence[str], looks: Mapping[str, style.Look], columns: int = 6) -> None:
    """Draws the legend between axes and provenance line; style.legend_inches() is its height."""
    handles = [style.plt.Rectangle((0, 0), 1, 1, facecolor=looks[name].colour, hatch=looks[name].hatch,
                                   edgecolor="white", linewidth=0) for name in names]
    style.legend_below(figure, handles, names, columns, handlelength=1.4)
