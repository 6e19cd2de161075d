#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time over Δ, which either stays fixed or is the start of an adapted Δ (delta_mode), with one panel per graph.

For each source of a graph, times are divided by the lowest time with a fixed Δ. Lines are geometric means over the
sources. The best Δ is the fixed Δ with the lowest time.
"""

from __future__ import annotations

from dataclasses import dataclass

import adds_delta  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Ours, Request, Trials

import numpy as np

MODES = ("fixed", "adaptive")
_LOOKS = {"fixed": ("#0072b2", "s"), "adaptive": ("#d55e00", "o")}
NEAR = 4  # a start is near the best Δ within this factor
CLOSE = 1.1  # a time is close to the lowest within this factor


@dataclass(frozen=True)
class Curve:
    """The points of one input and mode, by increasing Δ in average weights."""

    delta: np.ndarray
    milliseconds: np.ndarray
    pops: np.ndarray  # NaN if they were not counted


def curves_of(trials: Trials, row: int) -> dict[str, Curve] | None:
    """Returns the curves of one input, or None unless both modes have the same values of Δ, at least two."""
    times, pops = trials.times, trials.counts("pops")
    columns: dict[str, dict[float, int]] = {mode: {} for mode in MODES}
    for column, configuration in enumerate(times.configurations):
        parameters = configuration.parameters
        if parameters.get("l2") == "bucket" and not np.isnan(times.milliseconds[row, column]):
            of_mode = columns[str(parameters.get("delta_mode", "fixed"))]
            delta = float(parameters["delta"])
            if delta in of_mode:
                raise results.ResultsError(f"two configurations have delta={delta:g}; sweep "
                                           "experiments/adaptive_delta.yaml into a database of its own")
            of_mode[delta] = column
    deltas = sorted(columns["fixed"])
    if len(deltas) < 2 or deltas != sorted(columns["adaptive"]):
        return None
    result = {}
    for mode in MODES:
        chosen = [columns[mode][delta] for delta in deltas]
        result[mode] = Curve(np.array(deltas), times.milliseconds[row, chosen], pops[row, chosen])
    return result


def near_best(curves: dict[str, Curve]) -> np.ndarray:
    """Returns which starts are within a factor of NEAR of the best Δ."""
    fixed = curves["fixed"]
    distance = np.abs(np.log2(fixed.delta / fixed.delta[int(np.argmin(fixed.milliseconds))]))
    return distance <= np.log2(NEAR) + 1e-9


def measures(all_curves: list[dict[str, Curve]]) -> dict[str, Ours]:
    ours: dict[str, Ours] = {}
    for mode in MODES:
        slower, work = [], []
        for curves in all_curves:
            near, best = near_best(curves), int(np.argmin(curves["fixed"].milliseconds))
            slower += list(curves[mode].milliseconds[near] / curves["fixed"].milliseconds[best])
            work += list(curves[mode].pops[near] / curves["fixed"].pops[best])
        starts = f"Δ {mode}, starts within {NEAR} times the best Δ"
        ours[f"{mode}_close"] = Ours(100 * float(np.mean(np.array(slower) <= CLOSE)),
                                     style.plural(len(slower), "start"),
                                     f"{starts}: within {CLOSE} of the lowest time", "%")
        ours[f"{mode}_mean"] = Ours(reproduction.geometric_mean(np.array(slower)), "", f"{starts}: time, mean", "x")
        ours[f"{mode}_worst"] = Ours(float(np.max(slower)), "", f"{starts}: time, highest", "x")
        counted = [value for value in work if not np.isnan(value)]
        ours[f"{mode}_work"] = Ours(float(np.max(counted)) if counted else None,
                                    "" if counted else "no work counts on record", f"{starts}: pops, highest", "x")
    return ours


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    of_workload: dict[str, list[dict[str, Curve]]] = {}
    name_of = {}
    for row, instance in enumerate(times.inputs):
        curves = curves_of(trials, row)
        if curves is not None:
            of_workload.setdefault(instance.workload_hash, []).append(curves)
            name_of[instance.workload_hash] = adds_delta.title_of(instance)
    if not of_workload:
        raise results.NotOnRecord(f"{request.database}: no graph has times with the same Δ kept and adapted; sweep "
                                   "experiments/adaptive_delta.yaml")
    shown = dict(list(of_workload.items())[:adds_delta.most_panels()])
    provenance = trials.provenance
    if len(shown) < len(of_workload):
        provenance = provenance.noting(f"{len(shown)} of {len(of_workload)} graphs: the first ones.")
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    legend_inches = 0.22
    width = style.PAGE_INCHES if columns > 1 else style.COLUMN_INCHES
    figure, panels = style.new_figure(width, 1.9 * rows + legend_inches + 0.2, rows=rows, columns=columns)
    for panel, (workload, members) in zip(panels, shown.items()):
        highest = 1.0
        for mode in MODES:
            shared = [member for member in members if np.array_equal(member[mode].delta, members[0][mode].delta)]
            slower = np.array([member[mode].milliseconds / member["fixed"].milliseconds.min() for member in shared])
            mean = np.exp(np.log(slower).mean(axis=0))
            highest = max(highest, float(mean.max()))
            colour, marker = _LOOKS[mode]
            panel.plot(members[0][mode].delta, mean, color=colour, marker=marker, markersize=3, linewidth=1)
        adds_delta.set_scales(panel, members[0]["fixed"].delta, highest)
        panel.set_title(name_of[workload], loc="left")
        panel.set_xlabel("Δ at the start (average weights)")
        panel.set_ylabel("time / lowest, Δ fixed")
    for panel in panels[len(shown):]:
        panel.set_visible(False)
    style.finish(figure, provenance, reserved_inches=legend_inches)
    lines = [style.plt.Line2D([], [], color=colour, marker=marker, markersize=3, linewidth=1)
             for colour, marker in _LOOKS.values()]
    style.legend_below(figure, lines, [f"Δ {mode}" for mode in MODES])
    return figure, measures([member for members in of_workload.values() for member in members]), []


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
