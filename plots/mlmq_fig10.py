#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parallelism and work over time of ADDS and MLMQ, for the smallest and the largest graph of the experiment: MLMQ Fig.
10.

Shows for both the configuration that is fastest on the graph without recording. Above: active warps per interval;
below: vertices read from the queues per microsecond. Recording takes time, so that the runs shown are
longer than those whose times the speed-up compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import reproduction  # before numpy: says what to do when that is missing
import results
import style
from reproduction import Finding, Ours, Request, Trials
from verdicts import below, single

import numpy as np

POINTS = 160  # maximum number of points to draw
SOLVERS = {"ADDS": "ADDS", "MLMQ": "L1V-L2DQ"}


@dataclass(frozen=True)
class Timeline:
    """One run, by intervals of equal length."""

    time_ms: np.ndarray  # beginning of each interval
    vertices: np.ndarray
    warps: np.ndarray
    best_ms: float  # time of the same configuration without recording

    @property
    def interval_ms(self) -> float:
        return float(self.time_ms[1] - self.time_ms[0]) if len(self.time_ms) > 1 else 1.0

    def mean_warps(self) -> float:
        """The mean number of active warps over the whole run."""
        return float(self.warps.mean())

    def coarser(self, points: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns time, mean number of active warps, and vertices per microsecond, over at most `points` intervals."""
        together = -(-len(self.time_ms) // points)
        starts = np.arange(0, len(self.time_ms), together)
        sizes = np.diff(np.append(starts, len(self.time_ms)))
        warps = np.add.reduceat(self.warps, starts) / sizes
        rate = np.add.reduceat(self.vertices, starts) / (sizes * self.interval_ms * 1000)
        return self.time_ms[starts], warps, rate


def columns_of(trials: Trials, name: str, row: int) -> int | None:
    """Returns the fastest configuration of a solver on an input."""
    times = trials.times
    among = times.of_family("ADDS") if name == "ADDS" else [c for c, configuration in enumerate(times.configurations)
                                                            if "l2" in configuration.parameters]
    return times.fastest_of(among)[row]


def timeline_of(trials: Trials, row: int, column: int) -> Timeline | None:
    """Returns the newest timeline of a configuration on an input, or None."""
    times = trials.times
    instance, configuration = times.inputs[row], times.configurations[column]
    points = trials.connection.execute(
        """SELECT p.name, p.time_ms, p.value FROM timeline p JOIN latest t ON t.id = p.trial
           JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration
           WHERE t.measurement = 'timeline' AND t.outcome = 'ok' AND t.device = ? AND w.hash = ? AND t.query = ?
           AND c.hash = ? ORDER BY p.time_ms""",
        (trials.device.id, instance.workload_hash, instance.query, configuration.hash)).fetchall()
    curves = {name: np.array([(time, value) for curve, time, value in points if curve == name], dtype=float)
              for name in ("vertices", "active_warps")}
    if any(len(curve) == 0 for curve in curves.values()):
        return None
    return Timeline(curves["vertices"][:, 0], curves["vertices"][:, 1], curves["active_warps"][:, 1],
                    float(times.milliseconds[row, column]))


def findings_of(ours: Mapping[str, Ours]) -> list[Finding]:
    return [Finding(f"{statement} than ADDS on the {measure.split('_')[0]} road (section 5.3)",
                    lead(ours[measure].value, 1), measure)
            for measure, lead, statement in (("small_speedup", single, "MLMQ is faster"),
                                             ("small_warps", single, "MLMQ keeps more warps at work"),
                                             ("small_work", single, "MLMQ does more work"),
                                             ("large_speedup", single, "MLMQ is faster"),
                                             ("large_warps", below, "MLMQ keeps fewer warps at work"),
                                             ("large_work_saved", single, "MLMQ does less work"))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    vertices = trials.feature(results.VERTICES)
    by_size = sorted(range(len(times.inputs)), key=lambda row: vertices[row])
    shown = {"small": by_size[0], "large": by_size[-1]} if len(by_size) > 1 else {"small": by_size[0]}
    timelines: dict[tuple[str, str], Timeline] = {}
    for size, row in shown.items():
        for name in SOLVERS:
            column = columns_of(trials, name, row)
            line = None if column is None else timeline_of(trials, row, column)
            if line is not None:
                timelines[size, name] = line
    if not timelines:
        raise results.NotOnRecord(f"{request.database}: no timelines of MLMQ or ADDS on record; sweep "
                                   "experiments/mlmq_fig10.yaml")

    legend = 0.25
    figure, axes = style.new_figure(style.PAGE_INCHES, 3.9 + legend, rows=2, columns=len(shown))
    for place, (size, row) in enumerate(shown.items()):
        above, below = axes[place], axes[place + len(shown)]
        for name, family in SOLVERS.items():
            if (size, name) not in timelines:
                continue
            time, warps, rate = timelines[size, name].coarser(POINTS)
            for panel, values in ((above, warps), (below, rate)):
                panel.plot(time, values, color=style.look(family).colour, linewidth=1, drawstyle="steps-post")
                panel.fill_between(time, values, step="post", color=style.look(family).colour, alpha=0.15, linewidth=0)
        for panel, label in ((above, "warps at work"), (below, "vertices per µs")):
            panel.set_ylim(bottom=0)
            panel.set_xlim(left=0)
            panel.set_ylabel(label)
        name = style.short_workload(times.inputs[row].workload)
        above.set_title(f"{name}, {vertices[row]:,.0f} vertices", loc="left")
        below.set_xlabel("time since the first vertex (modelled ms)" if trials.provenance.modelled
                         else "time since the first vertex (ms)")
    style.finish(figure, replace(trials.provenance, workloads=len(shown), inputs=len(shown)), reserved_inches=legend)
    lines = [style.plt.Line2D([], [], color=style.look(family).colour, linewidth=1.4) for family in SOLVERS.values()]
    style.legend_below(figure, lines, list(SOLVERS))

    ours: dict[str, Ours] = {}
    for size in ("small", "large"):
        measures = [f"{size}_speedup", f"{size}_warps", f"{size}_work" if size == "small" else "large_work_saved"]
        pair = [timelines.get((size, name)) for name in SOLVERS]
        if size not in shown or pair[0] is None or pair[1] is None:
            for measure in measures:
                ours[measure] = Ours(None, "only one graph" if size not in shown else "no timeline on record")
            continue
        adds, mine = pair
        graph = times.inputs[shown[size]].workload
        work = float(mine.vertices.sum() / adds.vertices.sum())
        values = (adds.best_ms / mine.best_ms, mine.mean_warps() / adds.mean_warps(),
                  work if size == "small" else 1 / work)
        ours.update({measure: Ours(value, graph) for measure, value in zip(measures, values)})
    return figure, ours, findings_of(ours)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
