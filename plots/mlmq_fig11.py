#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Performance and total work of all pairs of L1 and L2 queues on kinds of graphs, without and with an L0 queue: MLMQ
Fig. 11.

Performance is the time of ADDS divided by that of the pair, both at their fastest parameters on the graph, of all that
were tried there: a grid, or what a search of the joint space has tried, which differs from graph to graph. Total work
is the number of elements read from the queues per vertex, of the same configurations. A graph counts with its mean time
over the recorded queries, and with the work of the first. Roads are shown as small, medium and large ones (thirds by
their number of vertices), as the paper finds that their size decides. Cells are geometric means over the graphs of a
group. A pair that was stopped at a time limit counts with the limit, and its cell is an upper bound of the performance.
A pair without a time on some of the graphs is marked, and is no best one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import reproduction  # before numpy: says what to do when that is missing
import results
import style
from reproduction import Finding, Ours, Request, Trials, geometric_mean, picked, ratio
from verdicts import single

import numpy as np
from matplotlib.colors import LogNorm

PAIRS = tuple(f"{l1}{l2}" for l2 in ("L2V", "L2DQ", "L2PQ", "L2MPQ")
              for l1 in ("", "L1V-", "L1NF-", "L1FQ-", "L1SLF-"))


def groups_of(times: results.Times, vertices: np.ndarray, is_shown: np.ndarray) -> dict[str, list[int]]:
    """Returns the inputs of each group that are shown, by index: graph classes, roads in up to three sizes."""
    groups: dict[str, list[int]] = {}
    for name, members in reproduction.classes_of(times).items():
        rows = [row for row in members if is_shown[row]]
        if not rows:
            continue
        if name != "road":
            groups[style.class_name(name)] = rows
            continue
        ordered = sorted(rows, key=lambda row: vertices[row])
        sizes = {1: ("road",), 2: ("small road", "large road")}.get(len(rows),
                                                                    ("small road", "medium road", "large road"))
        for size, part in zip(sizes, np.array_split(np.array(ordered), len(sizes))):
            groups[size] = part.tolist()
    return groups


@dataclass(frozen=True)
class Cells:
    """A value for each pair and group."""

    title: str
    values: np.ndarray  # NaN: none
    is_bound: np.ndarray  # whether the value is an upper bound
    is_partial: np.ndarray  # whether the value is of some of the group's graphs
    higher_is_better: bool
    in_scale: np.ndarray  # the values that the colours range over


def columns_of(times: results.Times, pair: str, with_l0: bool) -> list[int]:
    """Returns the configurations of a pair of queues."""
    return [column for column in times.of_queues() if times.configurations[column].family == pair
            and (times.configurations[column].parameters.get("l0", "none") != "none") == with_l0]


def performance_of(times: results.Times, columns: Sequence[int], adds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns time of ADDS / time of the fastest of some configurations for each input, and whether it is only an upper
    bound: none finished, and the longest limit at which one was stopped counts."""
    gain = ratio(adds, times.best_of(columns))
    if times.limits is None or not columns:
        return gain, np.zeros(len(gain), dtype=bool)
    limits = times.limits[:, list(columns)]
    longest = np.where(np.isnan(limits), -np.inf, limits).max(axis=1)
    bound = np.isnan(gain) & np.isfinite(longest)
    return np.where(bound, ratio(adds, np.where(bound, longest, np.nan)), gain), bound


def draw_cells(axes: style.Axes, cells: Cells, groups: Sequence[str], has_names: bool) -> None:
    """Draws a table of cells with coloured backgrounds."""
    axes.grid(False)
    finite = cells.in_scale[np.isfinite(cells.in_scale) & (cells.in_scale > 0)]
    scale = LogNorm(float(finite.min()), max(float(finite.max()), 1.01 * float(finite.min())))
    axes.imshow(cells.values, aspect="auto", cmap="viridis" if cells.higher_is_better else "viridis_r", norm=scale,
                alpha=0.45)
    best = np.nanmax if cells.higher_is_better else np.nanmin
    for column in range(len(groups)):
        values = np.where(cells.is_bound[:, column] | cells.is_partial[:, column], np.nan, cells.values[:, column])
        winner = best(values) if np.isfinite(values).any() else np.nan
        for row, value in enumerate(cells.values[:, column]):
            text = "–" if np.isnan(value) else ("< " if cells.is_bound[row, column] else "") + number(value) + \
                ("*" if cells.is_partial[row, column] else "")
            axes.text(column, row, text, ha="center", va="center", fontsize=5.5,
                      weight="bold" if value == winner else "normal")
    axes.set_xticks(range(len(groups)), groups, fontsize=5.5)
    axes.set_yticks(range(len(PAIRS)), PAIRS if has_names else [""] * len(PAIRS), fontsize=6)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_title(cells.title, loc="left", fontsize=7)


def is_partial(values: np.ndarray, groups: Mapping[str, Sequence[int]]) -> list[bool]:
    """Returns for each group whether some of its inputs have a value and others do not."""
    known = [~np.isnan(values[rows]) for rows in groups.values()]
    return [bool(of_group.any() and not of_group.all()) for of_group in known]


def number(value: float) -> str:
    """Formats a value in three letters or so."""
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}" if value >= 0.995 else f"{value:.2f}"


def of_denser(values: np.ndarray, degrees: np.ndarray) -> float | None:
    """Returns the mean of the inputs of higher degree than the median over that of the others; None if there are none.
    """
    known = ~np.isnan(values) & ~np.isnan(degrees)
    if not known.any():
        return None
    is_denser = degrees > np.median(degrees[known])
    denser, others = (geometric_mean(np.where(among & known, values, np.nan)) for among in (is_denser, ~is_denser))
    return None if denser is None or others is None else denser / others


def findings_of(groups: Mapping[str, Sequence[int]], gains: Mapping[str, np.ndarray],
                work: Mapping[str, np.ndarray], degrees: np.ndarray) -> list[Finding]:
    """Returns the paper's findings.

    @param gains time of ADDS over that of each pair, the better of those without and with L0
    @param work reads per vertex of each pair
    """
    def on(group: str, values: np.ndarray) -> np.ndarray:
        return np.where(np.isin(np.arange(len(values)), groups.get(group, ())), values, np.nan)

    def fastest(pairs: Sequence[str]) -> np.ndarray:
        return np.fmax.reduce([gains[pair] for pair in pairs])

    def ahead(pair: str, group: str) -> np.ndarray:
        return on(group, ratio(gains[pair], fastest([other for other in PAIRS if other != pair])))

    def saved(pair: str, others: Sequence[str], group: str) -> np.ndarray:
        return on(group, ratio(np.fmin.reduce([work[other] for other in others]), work[pair]))

    on_power_law = on("power law", gains["L1SLF-L2DQ"])
    heaps = [pair for pair in PAIRS if pair.endswith(("L2PQ", "L2MPQ"))]
    return [Finding("L1V-L2V is the best pair on small roads (section 5.4)", ahead("L1V-L2V", "small road")),
            Finding("L1NF-L2V is the best pair on medium roads (section 5.4)", ahead("L1NF-L2V", "medium road")),
            Finding("L1V-L2DQ is the best pair on large roads (section 5.4)", ahead("L1V-L2DQ", "large road")),
            Finding("L1V-L2DQ does less work than L1V-L2V and L1NF-L2V on large roads (section 5.4)",
                    saved("L1V-L2DQ", ("L1V-L2V", "L1NF-L2V"), "large road")),
            Finding("L1FQ-L2V is the best pair on meshes (section 5.4)", ahead("L1FQ-L2V", "mesh")),
            Finding("L1FQ-L2V is faster than L1V-L2V and L1V-L2DQ on meshes (section 5.4)",
                    on("mesh", ratio(gains["L1FQ-L2V"], fastest(("L1V-L2V", "L1V-L2DQ"))))),
            Finding("L1FQ-L2V does less work than L1V-L2V on meshes (section 5.4)",
                    saved("L1FQ-L2V", ("L1V-L2V",), "mesh")),
            Finding("L1SLF-L2DQ is the best pair on power-law graphs (section 5.4)", ahead("L1SLF-L2DQ", "power law")),
            Finding("L1SLF-L2DQ does less work than L1V-L2V on power-law graphs (section 5.4)",
                    saved("L1SLF-L2DQ", ("L1V-L2V",), "power law")),
            Finding("L1SLF-L2DQ is nearly twice as fast as ADDS on power-law graphs (section 5.4)", on_power_law,
                    "slf_bucket_power_law"),
            Finding("L1SLF-L2DQ gains more on the denser half of the power-law graphs (section 5.4)",
                    single(of_denser(on_power_law, degrees), 1)),
            Finding("Heaps are slower than buckets and vectors as L2 (section 5.6)",
                    ratio(fastest([pair for pair in PAIRS if pair not in heaps]), fastest(heaps)))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times, first = trials.times.mean_over_queries()
    adds_columns = times.of_family("ADDS")
    adds = times.best_of(adds_columns)
    if np.isnan(adds).all():
        raise results.NotOnRecord(f"{request.database}: no times of ADDS, to which this figure compares")
    groups = groups_of(times, trials.feature(results.VERTICES)[first], ~np.isnan(adds))
    pops = trials.counts("pops", per=results.VERTICES)[first]
    reproduction.require_series(trials, {("L0V-" if with_l0 else "") + name: columns_of(times, name, with_l0)
                                         for with_l0 in (False, True) for name in PAIRS})
    reproduction.require_counts(pops)
    shape = (len(PAIRS), len(groups))
    gains = {with_l0: np.full(shape, np.nan) for with_l0 in (False, True)}
    bounds = {with_l0: np.zeros(shape, dtype=bool) for with_l0 in (False, True)}
    partial = {with_l0: np.zeros(shape, dtype=bool) for with_l0 in (False, True)}
    work, partial_work = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    of_l0 = []
    gain_of: dict[str, np.ndarray] = {}
    work_of: dict[str, np.ndarray] = {}
    for row, name in enumerate(PAIRS):
        both = []
        gain_of[name] = np.full(len(times.inputs), np.nan)
        for with_l0 in (False, True):
            columns = columns_of(times, name, with_l0)
            gain, is_bound = performance_of(times, columns, adds)
            both.append(np.where(is_bound, np.nan, gain))
            gain_of[name] = np.fmax(gain_of[name], gain)
            gains[with_l0][row] = [_mean(gain[rows]) for rows in groups.values()]
            bounds[with_l0][row] = [bool(is_bound[rows].any()) for rows in groups.values()]
            partial[with_l0][row] = is_partial(gain, groups)
            if not with_l0:
                work_of[name] = picked(pops, times.fastest_of(columns))
                work[row] = [_mean(work_of[name][rows]) for rows in groups.values()]
                partial_work[row] = is_partial(work_of[name], groups)
        of_l0.append(ratio(both[1], both[0]))
    amount = picked(pops, times.fastest_of(adds_columns))

    names = [f"{name.replace(' ', chr(10))}\n({len(rows)})" for name, rows in groups.items()]
    none = np.zeros(shape, dtype=bool)
    all_gains = np.concatenate([gains[False], gains[True]])
    panels = (Cells("time of ADDS / time, without L0", gains[False], bounds[False], partial[False], True, all_gains),
              Cells("time of ADDS / time, with L0V", gains[True], bounds[True], partial[True], True, all_gains),
              Cells("reads per vertex, without L0", work, none, partial_work, False, work))
    figure, axes = style.new_figure(style.PAGE_INCHES, 4.0, columns=3)
    for place, (panel, cells) in enumerate(zip(axes, panels)):
        draw_cells(panel, cells, names, has_names=place == 0 or style.layout.in_column)
    adds_work = ", ".join(f"{name} {_mean(amount[rows]):.3g}" for name, rows in groups.items()
                          if np.isfinite(_mean(amount[rows])))
    notes = ["Geometric means over the number of graphs in brackets; bold: best of the column."
             + (f" ADDS reads for a vertex: {adds_work}." if adds_work else "")]
    if bounds[False].any() or bounds[True].any():
        notes.append("<: stopped at a time limit on some of the graphs, where the limit counts.")
    if any(panel.is_partial.any() for panel in panels):
        notes.append("*: without a value on some of the graphs.")
    style.finish(figure, trials.provenance.noting(*notes))

    ours: dict[str, Ours] = {}
    for place, name in enumerate(groups):
        key = name.replace(" ", "_")
        candidates = {(pair, with_l0): gains[with_l0][row, place] for with_l0 in (False, True)
                      for row, pair in enumerate(PAIRS) if np.isfinite(gains[with_l0][row, place])
                      and not bounds[with_l0][row, place] and not partial[with_l0][row, place]}
        best = max(candidates, key=lambda pair: candidates[pair]) if candidates else None
        note = "no pair has solved these" if best is None else \
            f"{candidates[best]:.2f}× ADDS, {'with' if best[1] else 'without'} L0"
        ours[f"best_{key}"] = Ours(best[0] if best else None, note, f"best pair on {name} graphs")
    for key in ("small_road", "medium_road", "large_road", "mesh", "power_law"):
        ours.setdefault(f"best_{key}", Ours(None, "no such graph"))
    place = list(groups).index("power law") if "power law" in groups else None
    row = PAIRS.index("L1SLF-L2DQ")
    slf = np.nan if place is None else np.fmax(gains[False][row, place], gains[True][row, place])
    ours["slf_bucket_power_law"] = Ours(float(slf)) if np.isfinite(slf) else Ours(None, "not on record")
    ours["l0_gain"] = Ours(geometric_mean(np.concatenate(of_l0)), "geometric mean over pairs and graphs",
                           "performance with L0 over that without", "x")
    return figure, ours, findings_of(groups, gain_of, work_of,
                                     results.feature_of(trials.connection, trials.times, "avg_nnz")[first])


def _mean(values: np.ndarray) -> float:
    mean = geometric_mean(values)
    return np.nan if mean is None else mean


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
