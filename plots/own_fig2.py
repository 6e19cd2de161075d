#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Energy of a search above that of the idle device, over its time, with one panel per graph. Each point is a
configuration. Numbers: how much more energy the fastest search needs than that of least energy, without and with the
power of the idle device, and how much more time the search of least energy takes than the fastest."""

from __future__ import annotations

import adds_delta  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Ours, Request, Trials

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

SOLVERS = {"near_far": ("Near-Far", "#009e73", "s"), "bellman_ford": ("Bellman-Ford", "#999999", "D"),
           "adds": ("ADDS", "#d55e00", "^")}
MLMQ = ("MLMQ", "#0072b2", "o")


def look_of(parameters: dict[str, object]) -> tuple[str, str, str]:
    """Returns the name, colour and marker of a configuration's points."""
    return SOLVERS.get(str(parameters.get("solver", "")), MLMQ)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    energy = trials.reported("energy_mj", "energy")
    reproduction.require_counts(energy, "energy")
    idle = trials.reported("idle_power_w", "energy")
    power = trials.reported("power_w", "energy")
    rows = [row for row in range(len(times.inputs)) if np.isfinite(energy[row] * times.milliseconds[row]).any()]
    shown = rows[:adds_delta.most_panels()]
    provenance = trials.provenance.noting(
        f"Above the power of the idle device, {np.nanmin(idle):.0f} to {np.nanmax(idle):.0f} W.")
    if len(shown) < len(rows):
        provenance = provenance.noting(f"{len(shown)} of {len(rows)} graphs: the first ones.")
    columns = min(3, len(shown))
    height = -(-len(shown) // columns)
    legend_inches = 0.22
    figure, panels = style.new_figure(style.PAGE_INCHES if columns > 1 else style.COLUMN_INCHES,
                                      1.9 * height + legend_inches + 0.2, rows=height, columns=columns)
    more_energy, more_time, more_with_idle, same = [], [], [], 0
    for panel, row in zip(panels, shown):
        solved = np.isfinite(energy[row]) & np.isfinite(times.milliseconds[row])
        for column in np.flatnonzero(solved):
            _, colour, marker = look_of(times.configurations[column].parameters)
            panel.plot(times.milliseconds[row, column], energy[row, column], color=colour, marker=marker, markersize=4,
                       linestyle="")
        panel.set(xscale="log", yscale="log", xlabel="time (ms)", ylabel="energy (mJ)")
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.set_minor_locator(NullLocator())
        panel.set_title(adds_delta.title_of(times.inputs[row]), loc="left")
    for panel in panels[len(shown):]:
        panel.set_visible(False)
    for row in rows:
        solved = np.flatnonzero(np.isfinite(energy[row]) & np.isfinite(times.milliseconds[row]))
        fastest = solved[np.argmin(times.milliseconds[row, solved])]
        least = solved[np.argmin(energy[row, solved])]
        more_energy.append(energy[row, fastest] / energy[row, least])
        total = energy[row, solved] + idle[row, solved] * times.milliseconds[row, solved]
        more_with_idle.append(total[solved == fastest][0] / total.min())
        more_time.append(times.milliseconds[row, least] / times.milliseconds[row, fastest])
        same += int(fastest == least)
    style.finish(figure, provenance, reserved_inches=legend_inches)
    looks = list(dict.fromkeys(look_of(configuration.parameters) for configuration in times.configurations))
    style.legend_below(figure, [style.plt.Line2D([], [], color=colour, marker=marker, markersize=4, linestyle="")
                                for _, colour, marker in looks], [name for name, _, _ in looks])
    ours = {"same": Ours(float(same), f"of {style.plural(len(rows), 'graph')}",
                         "graphs on which the fastest search needs the least energy"),
            "more_energy": Ours(float(np.max(more_energy)), "", "energy of the fastest search / least energy, at most",
                                "x"),
            "more_with_idle": Ours(float(np.max(more_with_idle)), "",
                                   "with the power of the idle device: energy of the fastest search / least, at most",
                                   "x"),
            "more_time": Ours(float(np.max(more_time)), "", "time of the search of least energy / least time, at most",
                              "x"),
            "least_power": Ours(float(np.nanmin(power)), "", "mean power, lowest", "W"),
            "most_power": Ours(float(np.nanmax(power)), "", "mean power, highest", "W")}
    return figure, ours, []


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
