#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of a single queue for the whole grid: MLMQ Fig. 3.

(a) Atomic operations and (b) accesses to global memory, divided by the number of vertices, which is the least work;
(c) performance, relative to the better of the two single queues. FIFO is the vector, bucket the bucket queue, each at
its fastest parameters and with no queue above it; MLMQ is the fastest multi-level configuration.

Accesses are added up from the work counters: per element read from the queue its distance and the bounds of its row,
per edge the edge and the distance of its target, the atomics, the elements written to and read from the global queue,
and the looks at its head and tail. With hardware counters on record, (b) shows the sectors of the L2 cache instead.
"""

from __future__ import annotations

import bars  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Ours, Request, Trials, picked, ratio

import numpy as np

SERIES = {"FIFO": "L2V", "bucket": "L2DQ", "MLMQ": "L1V-L2DQ"}
# Number of words of global memory per count.
ACCESSES = {"pops": 3, "relaxations": 2, "distance_atomics": 1, "queue_atomics": 1, "l2_writes": 1, "l2_reads": 1,
            "polls": 1}
ATOMICS = ("queue_atomics", "distance_atomics")


def multi_level(times: results.Times) -> list[int]:
    """Returns the configurations with a queue above the global one."""
    single = times.of_family("L2V", "L2DQ")
    return [c for c, configuration in enumerate(times.configurations)
            if "l2" in configuration.parameters and c not in single]


def columns_of(trials: Trials, name: str) -> list[int | None]:
    """Returns the fastest configuration of a series on each input."""
    times = trials.times
    if name == "MLMQ":
        return times.fastest_of(multi_level(times))
    return times.fastest_of(times.of_family(SERIES[name]))


def better(fifo: np.ndarray, bucket: np.ndarray) -> str | None:
    """Returns the name of the single queue with the lower geometric mean of times."""
    mean = reproduction.geometric_mean(ratio(fifo, bucket))
    return None if mean is None else "FIFO" if mean < 1 else "bucket"


def highest(values: np.ndarray) -> Ours:
    """Returns the largest of the values."""
    return Ours(float(np.nanmax(values))) if not np.isnan(values).all() else Ours(None, "no work counts on record")


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    reproduction.require_series(trials, {"FIFO": times.of_family("L2V"), "bucket": times.of_family("L2DQ"),
                                         "MLMQ": multi_level(times)})
    chosen = {name: columns_of(trials, name) for name in SERIES}
    counts = {counter: trials.counts(counter, per=results.VERTICES) for counter in {*ATOMICS, *ACCESSES}}
    reproduction.require_counts(np.array(list(counts.values())))
    atomics = {name: sum(picked(counts[counter], columns) for counter in ATOMICS) for name, columns in chosen.items()}
    accesses = {name: sum(words * picked(counts[counter], columns) for counter, words in ACCESSES.items())
                for name, columns in chosen.items()}
    sectors = trials.reported("l2_sectors", "hardware") / results.feature_of(
        trials.connection, times, results.VERTICES)[:, None]
    in_hardware = {name: picked(sectors, columns) for name, columns in chosen.items()}
    has_hardware = not any(np.isnan(values).all() for values in in_hardware.values())
    elapsed = {name: picked(times.milliseconds, columns) for name, columns in chosen.items()}
    best_single = np.fmin(elapsed["FIFO"], elapsed["bucket"])
    performance = {name: ratio(best_single, values) for name, values in elapsed.items()}

    looks = {name: style.look(family) for name, family in SERIES.items()}
    legend = style.legend_inches(len(SERIES))
    figure, axes = style.new_figure(style.PAGE_INCHES, 5.2 + legend, rows=3)
    groups = bars.groups_of(times)
    slot = style.plot_inches() * 0.84 / (len(groups) * len(SERIES))
    for panel, values, title, label in (
            (axes[0], atomics, "(a) Atomic operations per vertex (lower is better)", "atomics per vertex"),
            (axes[1], in_hardware, "(b) Sectors of the L2 cache per vertex, by hardware counters (lower is better)",
             "sectors per vertex") if has_hardware else
            (axes[1], accesses, "(b) Global memory accesses per vertex (lower is better)", "accesses per vertex"),
            (axes[2], performance, "(c) Performance against the better single queue (higher is better)",
             "speed-up")):
        bars.panel(panel, list(groups), bars.means(values, groups), looks, slot, reference=1,
                   spread=bars.spreads(values, groups))
        panel.set_ylabel(label + (" (log)" if panel.get_yscale() == "log" else ""))
        panel.set_title(title, loc="left")
        bars.slanted(panel, list(groups))
    style.finish(figure, trials.provenance, reserved_inches=legend)
    bars.legend(figure, list(SERIES), looks)

    ours = {"atomics_fifo_max": highest(atomics["FIFO"]), "atomics_bucket_max": highest(atomics["bucket"]),
            "accesses_max": highest(np.fmax(accesses["FIFO"], accesses["bucket"]))}
    ours["atomics_mlmq_max"] = Ours(highest(atomics["MLMQ"]).value, highest(atomics["MLMQ"]).note,
                                    "atomics per vertex of MLMQ, at most")
    if has_hardware:
        for name, values in in_hardware.items():
            ours[f"sectors_{name.lower()}_max"] = Ours(float(np.nanmax(values)), "hardware counters",
                                                       f"sectors of the L2 cache per vertex of {name}, at most")
    for name, rows in reproduction.classes_of(times).items():
        winner = better(elapsed["FIFO"][rows], elapsed["bucket"][rows])
        ours[f"better_{name}"] = Ours(winner, "" if winner else "not both solved",
                                      f"better single queue on {style.class_name(name)} graphs")
    for name in ("mesh", "power_law"):
        ours.setdefault(f"better_{name}", Ours(None, "no such graph"))
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
