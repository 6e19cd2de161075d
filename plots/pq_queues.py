# SPDX-License-Identifier: Apache-2.0
"""Common code for the figures of the third paper (gpu-priority-queues): its queues by name, their styles, and events
and searches per second. A queue counts with its fastest configuration (such as one of the two directions of a circular
buffer), like in the paper."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import reproduction  # before numpy: says what to do when that is missing
import intervals
import results
import style
from reproduction import Ours, Request, Trials

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

OURS = "ours"
PARALLEL_HEAP = "parallel heap"  # one for all entities
# Names by the parameter `queue`. In keys of measures, the name is in lower case with '_'.
NAMES = {"ring": "CB-SEQ", "ring_cached": "CB-SEQ-SP", "ring_parallel": "CB-PAR", "heap": "heap", "splay": "splay"}
SEQUENTIAL = ("CB-SEQ", "CB-SEQ-SP")
BUFFERS = (*SEQUENTIAL, "CB-PAR")
TREES = ("heap", "splay")
COLOURS = {"CB-SEQ": "#0072b2", "CB-SEQ-SP": "#56b4e9", "CB-PAR": "#d55e00", "heap": "#009e73", "splay": "#b0508a",
           PARALLEL_HEAP: "#5c2600", OURS: "#000000"}
MARKERS = {"CB-SEQ": "o", "CB-SEQ-SP": "v", "CB-PAR": "s", "heap": "^", "splay": "X", PARALLEL_HEAP: "P",
           OURS: "*"}

Curve = dict[float, float]  # y by x


def key_of(name: str) -> str:
    """Returns the part of a measure's name for a queue such as CB-SEQ."""
    return name.lower().replace("-", "_")


def queue_of(parameters: Mapping[str, object]) -> str | None:
    """Returns the paper's name of a configuration with the paper's settings, OURS for this program's own solvers, None
    for other configurations."""
    solver = parameters.get("solver")
    if solver == "queues":
        as_in_paper = parameters.get("mode") == "earliest" and parameters.get("launches") == "each_window"
    elif solver == "phases":
        as_in_paper = parameters.get("cells") == 8
    else:
        shortest = parameters.get("mode") == "exact" or parameters.get("algorithm") == "jump"
        own_search = solver == "warp" and parameters.get("open") == "bucket_ring" and shortest
        return OURS if own_search or solver in ("calendar", "one_block") else None
    # A buffer whose way of insertion changes is none of the paper's.
    return NAMES.get(str(parameters.get("queue"))) if as_in_paper and "pass_from" not in parameters else None


def columns_of(times: results.Times) -> dict[str, list[int]]:
    """Returns the indices of the configurations of each queue: the paper's queues in its order, then ours. Queues
    without configurations are left out."""
    members: dict[str, list[int]] = {name: [] for name in (*NAMES.values(), OURS)}
    for index, configuration in enumerate(times.configurations):
        name = queue_of(configuration.parameters)
        if name is not None:
            members[name].append(index)
    return {name: columns for name, columns in members.items() if columns}


def require_queues(trials: Trials) -> None:
    """@raises NotOnRecord if there are no trials of one of the paper's queues."""
    columns = columns_of(trials.times)
    reproduction.require_series(trials, {name: columns.get(name, []) for name in NAMES.values()})


def rates(trials: Trials, counter: str) -> np.ndarray:
    """Returns the rate per second of a counter that timed runs report, shaped like the times; NaN if missing."""
    return trials.reported(counter) / trials.times.milliseconds * 1e3


def rate_bounds(trials: Trials, counter: str) -> np.ndarray:
    """Returns upper bounds of the rates of runs that were stopped at a time limit, shaped like the times; NaN for other
    runs. A stopped run reports no count, and all queues do the same work on an input."""
    if trials.times.limits is None:
        return np.full(trials.times.milliseconds.shape, np.nan)
    count = np.fmax.reduce(trials.reported(counter), axis=1)
    return count[:, None] / trials.times.limits * 1e3


def dram_transactions(trials: Trials) -> np.ndarray:
    """Returns the transactions of 32 bytes of the device memory for an executed event, by hardware counters."""
    moved = trials.reported("dram_read_bytes", "hardware") + trials.reported("dram_written_bytes", "hardware")
    return moved / 32 / trials.reported("events")


def best(matrix: np.ndarray, columns: Sequence[int]) -> np.ndarray:
    """Returns the highest of some columns in each row; NaN if there is none."""
    result = np.full(len(matrix), np.nan)
    for column in columns:
        result = np.fmax(result, matrix[:, column])
    return result


def curves(rows: Sequence[int], x: np.ndarray, by_queue: Mapping[str, np.ndarray]) -> dict[str, Curve]:
    """Returns a curve per queue through the inputs `rows`; of several inputs with one x the last counts. Queues without
    points are left out."""
    result: dict[str, Curve] = {}
    for name, y in by_queue.items():
        points = {float(x[row]): float(y[row]) for row in rows if np.isfinite(y[row])}
        if points:
            result[name] = dict(sorted(points.items()))
    return result


@dataclass(frozen=True)
class Panel:
    """The curves of a panel by queue, or by another name, and the bounds of runs that were stopped at a time limit."""

    curves: Mapping[Hashable, Curve]
    bounds: Mapping[Hashable, Curve]

    def places(self, fits: Callable[[float], bool] = lambda x: True) -> list[float]:
        """Returns the x of the paper's queues that fit."""
        return sorted({x for name, curve in self.curves.items() if name != OURS for x in curve if fits(x)})

    def values(self, name: Hashable, places: Iterable[float]) -> np.ndarray:
        """Returns a curve at these x; NaN where it has no point."""
        return np.array([self.curves.get(name, {}).get(x, np.nan) for x in places])

    def leads(self, places: Iterable[float], names: Sequence[Hashable], others: Sequence[Hashable] | None = None,
              limit: float = 1) -> np.ndarray:
        """Returns for each x how many times the best of some curves is as high as the best of others. A stopped run
        counts with its bound if that decides whether the lead is `limit` or more; else the lead is NaN, as it is
        without a point of both.

        @param others None: the paper's other queues
        """
        if others is None:
            others = [name for name in NAMES.values() if name not in names]

        def highest(some: Sequence[Hashable], x: float) -> tuple[float, float]:
            finished = [self.curves[name][x] for name in some if x in self.curves.get(name, {})]
            stopped = [self.bounds[name][x] for name in some if x in self.bounds.get(name, {})]
            return max(finished, default=0.0), max(finished + stopped, default=0.0)

        result = []
        for x in places:
            (mine, most_mine), (other, most_other) = highest(names, x), highest(others, x)
            if most_other > 0 and (mine >= limit * most_other or most_other == other and most_mine == mine > 0):
                result.append(mine / most_other)
            elif other > 0 and 0 < most_mine < limit * other:
                result.append(most_mine / other)
            else:
                result.append(np.nan)
        return np.array(result)


def joined(leads: Iterable[np.ndarray]) -> np.ndarray:
    """Returns the leads of several panels as one series."""
    return np.concatenate([np.array([]), *leads])


def share_ahead(leads: np.ndarray) -> float | None:
    """Returns the share of the known leads above 1, in percent; None if there are none."""
    known = leads[~np.isnan(leads)]
    return None if len(known) == 0 else float(100 * np.mean(known > 1))


def fastest(curves: Mapping[str, Curve], x: float, among: Sequence[str] | None = None) -> str | None:
    """Returns the paper's queue with the highest curve at x."""
    names = [name for name, curve in curves.items() if name != OURS and x in curve and (among is None or name in among)]
    return max(names, key=lambda name: curves[name][x]) if names else None


def last_where(curves: Mapping[str, Curve], names: Sequence[str], description: str) -> Ours:
    """Returns the largest x up to which, from the smallest on, one of these queues is the fastest of the paper's; 0 if
    another one is faster at the smallest."""
    places = sorted({x for name, curve in curves.items() if name != OURS for x in curve})
    holds: float | None = None
    for x in places:
        if fastest(curves, x) not in names:
            break
        holds = x
    if not places:
        return Ours(None, "not measured", description)
    if holds is None:
        return Ours(0.0, f"{fastest(curves, places[0])} is faster at {places[0]:g} already", description)
    return Ours(holds, "of all that was measured" if holds == places[-1] else "", description)


def draw_curves(axes: style.Axes, curves: Mapping[str, Curve], further: Sequence[float] = ()) -> None:
    """Draws lines with markers over powers of two on logarithmic scales. The axis also has labels at `further`."""
    for name, curve in curves.items():
        axes.plot(list(curve), list(curve.values()), color=COLOURS[name], marker=MARKERS[name], markersize=3.6,
                  linewidth=1.1, linestyle=(0, (3, 1.5)) if name == OURS else "solid", markeredgewidth=0)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    places = sorted({x for curve in curves.values() for x in curve} | set(further))
    ticks = places if len(places) <= 6 else places[::-2][::-1]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / 1024:g}k" if x >= 1024 else f"{x:g}"))


def fit_decades(axes: style.Axes) -> None:
    """Adds space above and below the curves, and as many labels as fit."""
    low, high = axes.get_ylim()
    axes.set_ylim(low / 1.15, high * 1.15)
    span = high / low
    steps = (1, 1.5, 2, 3, 4, 5, 6, 8) if span < 5 else (1, 2, 5) if span < 50 else (1, 3) if span < 1000 else (1,)
    axes.yaxis.set_major_locator(FixedLocator([m * 10.0**e for e in range(-3, 12) for m in steps]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: scaled(y)))


def scaled(value: float) -> str:
    """Formats 2.61e7 as 26.1M, with three digits."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size * 0.9995:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def digits(value: float) -> str:
    """Formats a number for a table: 49,016.2 as 49.0k, 960.5 unchanged."""
    if value < 1000:
        return f"{value:.4g}"
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size * 0.9995:
            return f"{value / size:#.3g}".rstrip(".") + letter
    return f"{value:.4g}"


MOST_ENTRIES = 7  # of a legend: the paper's queues, this program's search, and the paper's points


def legend_inches(names: Sequence[str], paper: bool = False) -> float:
    """Returns the height of legend()."""
    return style.legend_inches(len(names) + (1 if paper else 0), MOST_ENTRIES)


def legend(figure: style.Figure, names: Sequence[str], paper: str = "", ours: str = OURS) -> None:
    """Draws the legend below the axes and above the provenance line. `paper` names the paper's points (diamonds)."""
    handles = [style.plt.Line2D([], [], color=COLOURS[name], marker=MARKERS[name], markersize=3.6, linewidth=1.1,
                                linestyle=(0, (3, 1.5)) if name == OURS else "solid", markeredgewidth=0)
                                for name in names]
    labels = [ours if name == OURS else name for name in names]
    if paper:
        handles.append(style.plt.Line2D([], [], linestyle="none", marker="D", markersize=3.6, color="white",
                                        markeredgecolor=style.TEXT_COLOUR, markeredgewidth=0.9))
        labels.append(paper)
    style.legend_below(figure, handles, labels, columns=MOST_ENTRIES)


def diamond(axes: style.Axes, x: float, y: float, name: str) -> None:
    """Draws a point of the paper."""
    axes.plot(x, y, linestyle="none", marker="D", markersize=4, color="white", markeredgecolor=COLOURS[name],
              markeredgewidth=1.0, zorder=5)


def per_second(trials: Trials, unit: str) -> str:
    """Returns the label of an axis."""
    return f"{unit} per {'modelled second' if trials.provenance.modelled else 'second'}"


def stated_rates(request: Request, prefix: str) -> dict[str, float]:
    """Returns the paper's numbers for the measures prefix + queue, by queue."""
    return {name: value for name in NAMES.values()
            if (value := request.number(prefix + key_of(name))) is not None}


def provenance_of(trials: Trials, rows: Sequence[int]) -> style.Provenance:
    """Returns the provenance of a figure that shows only these inputs, with the intervals of the times of all queues on
    them."""
    shown = {trials.times.inputs[row].workload_hash for row in rows}
    columns = [column for columns in columns_of(trials.times).values() for column in columns]
    half_widths = results.half_widths_of(trials.connection, trials.device, trials.problem, trials.times)
    provenance = replace(trials.provenance, workloads=len(shown), inputs=len(set(rows))).noting(
        *intervals.note_of_repeats(half_widths[np.ix_(sorted(set(rows)), columns)], "the times"))
    if trials.times.limits is None:
        return provenance
    limits = trials.times.limits[sorted(set(rows))]
    stopped = limits[np.isfinite(limits)]
    if not len(stopped):
        return provenance
    seconds = " or ".join(f"{limit / 1e3:g}" for limit in np.unique(stopped))
    runs = style.plural(len(stopped), "run")
    return provenance.noting(f"Left out: {runs} of a queue on a workload that did not finish in {seconds} s.")


Drawing = reproduction.Drawing
