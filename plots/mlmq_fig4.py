#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Private queues above a bucket queue: MLMQ Fig. 4.

For every graph, finds the best Δ without a private queue and shows, at the same Δ, performance and total work with
a FIFO per thread, and per warp, that is never flushed, relative to the search without one.
"""

from __future__ import annotations

import bars  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials, picked, ratio

import numpy as np

SERIES = {"without": {"l0": "none", "l1": "none"}, "queue of a thread": {"l0": "vector", "l1": "none"},
          "queue of a warp": {"l0": "none", "l1": "vector", "wb": 0}}
LOOKS = {"without": style.look("L2DQ"), "queue of a thread": style.look("L1NF-L2DQ"),
         "queue of a warp": style.look("L1V-L2DQ")}


def columns_of(trials: Trials) -> dict[str, list[int | None]]:
    """Returns by series the configuration for each input, all with the Δ that is best without private queues."""
    times = trials.times
    base = times.fastest_of(times.where(l2="bucket", **SERIES["without"]))
    chosen: dict[str, list[int | None]] = {"without": base}
    for name, parameters in SERIES.items():
        if name == "without":
            continue
        chosen[name] = []
        for row, column in enumerate(base):
            delta = None if column is None else times.configurations[column].parameters["delta"]
            same = [c for c in times.where(l2="bucket", delta=delta, **parameters)
                    if not np.isnan(times.milliseconds[row, c])]
            chosen[name].append(same[0] if same else None)
    return chosen


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    reproduction.require_series(trials, {name: times.where(l2="bucket", **parameters)
                                         for name, parameters in SERIES.items()})
    chosen = columns_of(trials)
    elapsed = {name: picked(times.milliseconds, columns) for name, columns in chosen.items()}
    pops = trials.counts("pops", per=results.VERTICES)
    reproduction.require_counts(pops)
    work = {name: picked(pops, columns) for name, columns in chosen.items()}
    performance = {name: ratio(elapsed["without"], values) for name, values in elapsed.items()}
    more_work = {name: ratio(values, work["without"]) for name, values in work.items()}

    legend = style.legend_inches(len(SERIES))
    figure, axes = style.new_figure(style.PAGE_INCHES, 3.5 + legend, rows=2)
    names = [instance.workload for instance in times.inputs]
    groups = bars.groups_of(times)
    slot = style.plot_inches() * 0.84 / (len(groups) * len(SERIES))
    for panel, values, title, label in (
            (axes[0], performance, "Performance (higher is better)", "time without / time"),
            (axes[1], more_work, "Total work: vertices read from the queues (lower is better)", "work / work without")):
        bars.panel(panel, list(groups), bars.means(values, groups), LOOKS, slot, reference=1,
                   spread=bars.spreads(values, groups))
        panel.set_title(title, loc="left")
        panel.set_ylabel(label)
        bars.slanted(panel, list(groups))
    style.finish(figure, trials.provenance, reserved_inches=legend)
    bars.legend(figure, list(SERIES), LOOKS)

    def most(values: dict[str, np.ndarray], series: str, sign: float) -> Ours:
        percent = 100 * sign * (values[series] - 1)
        if np.isnan(percent).all():
            return Ours(None, "not on record")
        row = int(np.nanargmax(percent))
        return Ours(float(percent[row]), f"on {names[row]}")

    ours = {"slowdown_max": most(performance, "queue of a thread", -1),
            "work_max": most(more_work, "queue of a thread", 1)}
    for measure, values, sign, description in (("slowdown_warp_max", performance, -1.0, "loss of performance"),
                                        ("work_warp_max", more_work, 1.0, "more work")):
        highest = most(values, "queue of a warp", sign)
        ours[measure] = Ours(highest.value, highest.note, f"{description} with a queue of a warp, at most", "%")
    return figure, ours, [
        Finding("A private queue of each thread makes the search slower (section 2.3)",
                ratio(elapsed["queue of a thread"], elapsed["without"]), "slowdown_max"),
        Finding("A private queue of each thread makes more work (section 2.3)", more_work["queue of a thread"],
                "work_max")]


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
