#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Priority queues as L2, on the largest road of the experiment: MLMQ Fig. 13.

Left: time of a search with one priority queue (L2PQ) and with a multi-queue (L2MPQ) and nothing above it, over the
number of threads of the grid. Right: the speed-up that queues above it give, with and without them at the number of
threads that is best.
"""

from __future__ import annotations

from dataclasses import replace

import bars  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials
from verdicts import below, single

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

QUEUES = {"L2PQ": "heap", "L2MPQ": "multi_heap"}
ABOVE = {"none": {"l0": "none", "l1": "none"}, "L0": {"l0": "vector", "l1": "none"},
         "L1V": {"l0": "none", "l1": "vector"}, "L1NF": {"l0": "none", "l1": "near_far"},
         "L1FQ": {"l0": "none", "l1": "filter"}, "L1SLF": {"l0": "none", "l1": "slf"}}
MARKERS = {"L2PQ": "o", "L2MPQ": "s"}
NO_FASTER = 1.1  # a speed-up below this is none


def multiprocessors(trials: Trials) -> int:
    """Returns the number of multiprocessors of the device."""
    (count,) = trials.connection.execute("SELECT multiprocessors FROM device WHERE id = ?",
                                         (trials.device.id,)).fetchone()
    return int(count)


def row_of(times: results.Times, vertices: np.ndarray) -> int:
    """Returns the largest road, or else the largest graph."""
    return max(range(len(times.inputs)), key=lambda row: (times.inputs[row].workload_class == "road", vertices[row]))


def by_threads(times: results.Times, row: int, queue: str, above: dict[str, object],
               scale: int) -> dict[int, float]:
    """Returns the best time for each number of threads of the grid."""
    result: dict[int, float] = {}
    for column in times.where(l2=queue, **above):
        parameters = times.configurations[column].parameters
        blocks = int(parameters.get("blocks_per_multiprocessor", 0))
        milliseconds = times.milliseconds[row, column]
        if blocks > 0 and not np.isnan(milliseconds):
            threads = int(parameters["threads"]) * blocks * scale
            result[threads] = min(result.get(threads, np.inf), milliseconds)
    return dict(sorted(result.items()))


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    row = row_of(times, trials.feature(results.VERTICES))
    reproduction.require_series(trials, {f"{name} below {level}": times.where(l2=queue, **above)
                                         for name, queue in QUEUES.items() for level, above in ABOVE.items()})
    scale = multiprocessors(trials)
    curves = {name: by_threads(times, row, queue, ABOVE["none"], scale) for name, queue in QUEUES.items()}
    if not any(curves.values()):
        raise results.NotOnRecord(f"{request.database}: no priority queue has solved {times.inputs[row].workload}")
    gains: dict[str, list[float]] = {}
    for name, queue in QUEUES.items():
        alone = curves[name]
        best = [min(by_threads(times, row, queue, above, scale).values(), default=np.nan) for above in ABOVE.values()]
        gains[name] = [min(alone.values()) / value if alone else np.nan for value in best]

    looks = {"L2PQ": style.look("L1V-L2PQ"), "L2MPQ": style.look("L1V-L2MPQ")}
    legend = style.legend_inches(2)
    figure, (left, right) = style.new_figure(style.PAGE_INCHES, 2.5 + legend, columns=2)
    for name, curve in curves.items():
        left.plot(list(curve), list(curve.values()), color=looks[name].colour, marker=MARKERS[name], markersize=3.5,
                  linewidth=1.2)
    threads = sorted({count for curve in curves.values() for count in curve})
    left.set_xscale("log", base=2)
    left.xaxis.set_major_locator(FixedLocator(threads))
    left.xaxis.set_minor_locator(NullLocator())
    left.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1000:.3g}k" if x >= 1000 else f"{x:g}"))
    highest = max(max(curve.values()) for curve in curves.values() if curve)
    left.set_ylim(0, highest * 1.1)
    left.set(xlabel="threads of the grid",
             ylabel="time (ms)" if not trials.provenance.modelled else "time (modelled ms)")
    name = style.short_workload(times.inputs[row].workload, most=16)
    left.set_title(f"Nothing above the queue, {name} (lower is better)", loc="left")
    bars.panel(right, list(ABOVE), gains, looks, 3.1 * 0.84 / (2 * len(ABOVE)), reference=1)
    right.set(xlabel="queue above it", ylabel="time without / time")
    right.set_title("Speed-up by queues above it (higher is better)", loc="left")
    style.finish(figure, replace(trials.provenance, workloads=1, inputs=1), reserved_inches=legend)
    bars.legend(figure, list(QUEUES), looks)

    finite = {(name, place): value for name, values in gains.items() for place, value in enumerate(values)
             if np.isfinite(value)}
    best = max(finite, key=lambda key: finite[key])
    ours = {"speedup_max": Ours(finite[best], f"{list(ABOVE)[best[1]]} above {best[0]}")}
    if all(curves.values()):
        fastest = {name: min(curve.values()) for name, curve in curves.items()}
        most = max(threads)
        ours["multi_at_best"] = Ours(fastest["L2PQ"] / fastest["L2MPQ"], "",
                                     "multi-queue over one queue, each at its best number of threads", "x")
        if most in curves["L2PQ"] and most in curves["L2MPQ"]:
            ours["multi_at_most"] = Ours(curves["L2PQ"][most] / curves["L2MPQ"][most], "",
                                         "multi-queue over one queue, at the most threads", "x")
    at_best, at_most = (ours[measure].value if measure in ours else None
                        for measure in ("multi_at_best", "multi_at_most"))
    return figure, ours, [
        Finding("A multi-queue is faster than one priority queue with the most threads (section 5.6)",
                single(at_most, 1)),
        Finding("A multi-queue is no faster at the best number of threads (section 5.6)", below(at_best, NO_FASTER)),
        Finding("Queues above a priority queue make it faster (section 5.6)", single(finite[best], 1), "speedup_max")]


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
