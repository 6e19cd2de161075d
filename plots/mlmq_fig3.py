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

from collections.abc import Mapping

import bars  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials, picked, ratio
from verdicts import MUCH, single

import numpy as np

SERIES = {"FIFO": "L2V", "bucket": "L2DQ", "MLMQ": "L1V-L2DQ"}
# Number of words of global memory per count.
ACCESSES = {"pops": 3, "relaxations": 2, "distance_atomics": 1, "queue_atomics": 1, "l2_writes": 1, "l2_reads": 1,
            "polls": 1}
ATOMICS = ("queue_atomics", "distance_atomics")
Values = Mapping[str, np.ndarray]  # by series, for each input


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


def findings_of(times: results.Times, elapsed: Values, atomics: Values, accesses: Values,
                drawn_accesses: Values) -> list[Finding]:
    """Returns the paper's findings.

    @param accesses those of `accesses_max`
    @param drawn_accesses those of panel (b)
    """
    def on(name: str, values: np.ndarray) -> np.ndarray:
        return np.where([instance.workload_class == name for instance in times.inputs], values, np.nan)

    def least(values: Values) -> np.ndarray:
        return np.fmin(values["FIFO"], values["bucket"])

    bucket_ahead = ratio(elapsed["FIFO"], elapsed["bucket"])
    roads = on("road", bucket_ahead)
    roads = roads[~np.isnan(roads)]
    # Each of the two is ahead on some road.
    both_ahead = min(roads.max(), 1 / roads.min()) if len(roads) > 1 else None
    return [Finding("A FIFO queue takes many more atomic operations than there are vertices (section 2.2)",
                    atomics["FIFO"], "atomics_fifo_max", limit=MUCH),
            Finding("A bucket queue takes many more atomic operations than there are vertices (section 2.2)",
                    atomics["bucket"], "atomics_bucket_max", limit=MUCH),
            Finding("A single queue accesses memory up to 10,000 times as often as there are vertices (section 2.2)",
                    np.fmax(accesses["FIFO"], accesses["bucket"]), "accesses_max"),
            Finding("A FIFO queue is faster on meshes (section 2.2)", on("mesh", 1 / bucket_ahead)),
            Finding("A bucket queue is faster on power-law graphs (section 2.2)", on("power_law", bucket_ahead)),
            Finding("The better single queue is not the same on all roads (section 2.2)", single(both_ahead, 1)),
            Finding("MLMQ takes far fewer atomic operations than both (section 2.2)",
                    ratio(least(atomics), atomics["MLMQ"]), limit=MUCH),
            Finding("MLMQ accesses memory far less often than both (section 2.2)",
                    ratio(least(drawn_accesses), drawn_accesses["MLMQ"]), limit=MUCH),
            Finding("MLMQ is faster than both (section 2.2)", ratio(least(elapsed), elapsed["MLMQ"]))]


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
    return figure, ours, findings_of(times, elapsed, atomics, accesses, in_hardware if has_hardware else accesses)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
