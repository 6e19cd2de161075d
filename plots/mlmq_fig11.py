#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Performance and total work of pairs of L1 and L2 queues on kinds of graphs: MLMQ Fig. 11.

Performance is the time of ADDS divided by that of the pair, both at their fastest parameters on the graph; total work
is the number of elements read from the queues per vertex, of the same configurations. Roads are shown as small, medium
and large ones (thirds by their number of vertices), as the paper finds that their size decides. Bars are geometric
means over the graphs of a group.
"""

from __future__ import annotations

import bars  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Ours, Request, Trials, geometric_mean, picked, ratio

import numpy as np

PAIRS = ("L1V-L2V", "L1NF-L2V", "L1FQ-L2V", "L1SLF-L2V", "L1V-L2DQ", "L1NF-L2DQ", "L1FQ-L2DQ", "L1SLF-L2DQ")


def groups_of(times: results.Times, vertices: np.ndarray) -> dict[str, list[int]]:
    """Returns the inputs of each group, by index: graph classes, roads in up to three sizes."""
    groups: dict[str, list[int]] = {}
    for name, rows in reproduction.classes_of(times).items():
        if name != "road":
            groups[style.class_name(name)] = rows
            continue
        ordered = sorted(rows, key=lambda row: vertices[row])
        sizes = {1: ("road",), 2: ("small road", "large road")}.get(len(rows),
                                                                    ("small road", "medium road", "large road"))
        for size, part in zip(sizes, np.array_split(np.array(ordered), len(sizes))):
            groups[size] = part.tolist()
    return groups


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    groups = groups_of(times, trials.feature(results.VERTICES))
    adds = times.best_of(times.of_family("ADDS"))
    if np.isnan(adds).all():
        raise results.NotOnRecord(f"{request.database}: no times of ADDS, to which this figure compares")
    pops = trials.counts("pops", per=results.VERTICES)
    reproduction.require_series(trials, {name: times.of_family(name) for name in PAIRS})
    reproduction.require_counts(pops)
    pairs = PAIRS
    performance: dict[str, list[float]] = {}
    work: dict[str, list[float]] = {}
    gain_spread: dict[str, list[tuple[float, float]]] = {}
    work_spread: dict[str, list[tuple[float, float]]] = {}
    for name in pairs:
        chosen = times.fastest_of(times.of_family(name))
        gain = ratio(adds, picked(times.milliseconds, chosen))
        amount = picked(pops, chosen)
        performance[name] = [_mean(gain[rows]) for rows in groups.values()]
        work[name] = [_mean(amount[rows]) for rows in groups.values()]
        gain_spread[name] = [bars.quartiles(gain[rows]) for rows in groups.values()]
        work_spread[name] = [bars.quartiles(amount[rows]) for rows in groups.values()]
    amount = picked(pops, times.fastest_of(times.of_family("ADDS")))
    work["ADDS"] = [_mean(amount[rows]) for rows in groups.values()]
    work_spread["ADDS"] = [bars.quartiles(amount[rows]) for rows in groups.values()]

    names = [f"{name}\n({times.counted(rows)})" for name, rows in groups.items()]
    looks = {name: style.look(name) for name in [*pairs, "ADDS"]}
    columns = 5
    legend = style.legend_inches(len(looks), columns)
    figure, axes = style.new_figure(style.PAGE_INCHES, 4.3 + legend, rows=2)
    slot = style.plot_inches() * 0.84 / len(names)
    bars.panel(axes[0], names, performance, looks, slot / len(pairs), reference=1, spread=gain_spread)
    axes[0].set_ylabel("time of ADDS / time" + (" (log)" if axes[0].get_yscale() == "log" else ""))
    axes[0].set_title("Performance against ADDS (higher is better)", loc="left")
    bars.panel(axes[1], names, work, looks, slot / len(work), reference=1, spread=work_spread)
    axes[1].set_ylabel("reads per vertex" + (" (log)" if axes[1].get_yscale() == "log" else ""))
    axes[1].set_title("Total work per vertex (lower is better)", loc="left")
    style.finish(figure, trials.provenance, reserved_inches=legend)
    bars.legend(figure, list(looks), looks, columns=columns)

    ours: dict[str, Ours] = {}
    for place, name in enumerate(groups):
        finite = {pair: values[place] for pair, values in performance.items() if np.isfinite(values[place])}
        best = max(finite, key=lambda pair: finite[pair]) if finite else None
        key = name.replace(" ", "_")
        ours[f"best_{key}"] = Ours(best, f"{finite[best]:.2f}× ADDS" if best else "no pair has solved these",
                                   f"best pair on {name} graphs")
    for key in ("small_road", "medium_road", "large_road", "mesh", "power_law"):
        ours.setdefault(f"best_{key}", Ours(None, "no such graph"))
    place = list(groups).index("power law") if "power law" in groups else None
    slf = None if place is None or "L1SLF-L2DQ" not in performance else performance["L1SLF-L2DQ"][place]
    ours["slf_bucket_power_law"] = (Ours(slf) if slf is not None and np.isfinite(slf) else
                                    Ours(None, "not on record"))
    return figure, ours


def _mean(values: np.ndarray) -> float:
    mean = geometric_mean(values)
    return np.nan if mean is None else mean


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
