# SPDX-License-Identifier: Apache-2.0
"""Common code for the figures and tables of ADDS over a collection of graphs: ADDS, ADDS without some of its
techniques, and the searches it is compared with. Each of them counts on a graph with the faster of its configurations,
which differ in the size of their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import intervals  # before numpy: says what to do when that is missing
import programs
import reproduction
import results
import style
import tables
from reproduction import Finding, Ours, Request, Trials, ratio
from verdicts import below

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

ADDS = {"solver": "adds", "adds_delta_mode": "dynamic", "adds_open_mode": "dynamic", "adds_buckets": 32}


@dataclass(frozen=True)
class Series:
    """A search: its key in the measures' names, its name, and the parameters of its configurations."""

    key: str
    name: str
    parameters: dict[str, object]
    on_processors: bool = False


BASE = Series("adds", "ADDS", ADDS)
# The paper's competitors launch a kernel for each superstep.
NEAR_FAR = Series("near_far", "Near-Far", {"solver": "near_far", "launches": "each_step"})
# This program's own have one launch for all. Configurations have no parameter `launches` where it has its default.
OWN_NEAR_FAR = Series("own_near_far", "Near-Far, one launch", {"solver": "near_far", "launches": None})
OWN_BELLMAN_FORD = Series("own_bellman_ford", "Bellman-Ford, one launch", {"solver": "bellman_ford", "launches": None})
COMPETITORS = (NEAR_FAR,
               Series("bellman_ford", "Bellman-Ford (for Gun-BF)", {"solver": "bellman_ford", "launches": "each_step"}),
               Series("cpu_ds", "Δ-stepping, CPU", {"solver": "delta_stepping"}, on_processors=True),
               Series("dijkstra", "Dijkstra (radix heap), CPU", {"solver": "dijkstra"}, on_processors=True))
# What the paper switches off, then what only we do.
ABLATIONS = (BASE, Series("static_delta", "Static-Δ", ADDS | {"adds_delta_mode": "static"}),
             Series("two_buckets", "2-Buckets", ADDS | {"adds_delta_mode": "static", "adds_buckets": 2}),
             # Configurations have no parameter adds_open_mode where it has its default, static.
             Series("static_open", "4 buckets open", ADDS | {"adds_open_mode": None}),
             Series("buckets_16", "16 buckets", ADDS | {"adds_buckets": 16}),
             Series("buckets_8", "8 buckets", ADDS | {"adds_buckets": 8}))


# The paper uses graphs on which the search reaches at least this share of the vertices (section 6.1.1).
LEAST_REACHED = 0.75


def with_reach(trials: Trials) -> Trials:
    """Returns the trials without the graphs on which the search reaches too few vertices for the paper. Notes name
    these, and count the graphs of which that is not on record, which stay."""
    share = ratio(results.reached_of(trials.connection, trials.times), trials.feature(results.VERTICES))
    low = share < LEAST_REACHED
    if low.all():
        raise results.NotOnRecord("no graph on which the search reaches "
                                  f"{style.percent(LEAST_REACHED)} of the vertices")
    notes = []
    if low.any():
        names = [instance.workload for instance, is_low in zip(trials.times.inputs, low) if is_low]
        notes.append(f"Left out, as in the paper: {style.plural(len(names), 'graph')} on which the search reaches less "
                     f"than {style.percent(LEAST_REACHED)} of the vertices: {', '.join(names)}.")
    if unknown := int(np.isnan(share).sum()):
        notes.append(f"Not on record: how many vertices the search reaches on {style.plural(unknown, 'graph')}.")
    kept = trials.times.of_rows([row for row, is_low in enumerate(low) if not is_low])
    workloads = len({instance.workload_hash for instance in kept.inputs})
    return replace(trials, times=kept, provenance=replace(trials.provenance.noting(*notes), workloads=workloads,
                                                          inputs=len(kept.inputs)))


@dataclass(frozen=True)
class Measured:
    """The better configuration of a search on each input: time, half the width of its confidence interval relative to
    it, and vertices that it took from its queue. NaN: unknown."""

    milliseconds: np.ndarray
    half_widths: np.ndarray
    work: np.ndarray


def require(trials: Trials, searches: Sequence[Series]) -> None:
    """
    @param searches searches that a figure cannot do without
    @raises NotOnRecord naming those of a GPU without trials
    """
    reproduction.require_series(trials, {series.name: trials.times.where(**series.parameters)
                                         for series in searches if not series.on_processors})


class Collection:
    """The searches over the graphs of a figure."""

    def __init__(self, request: Request, trials: Trials, searches: Sequence[Series]) -> None:
        """@param searches as of require()"""
        require(trials, searches)
        self.times = trials.times
        self._pops = trials.counts("pops")
        self._half_widths = results.half_widths_of(trials.connection, trials.device, request.problem, self.times)
        self._processors = reproduction.on_processors(request, trials)
        self._processor_pops = None
        if self._processors is not None:
            device = results.choose_device(trials.connection, request.problem, request.processors)
            self._processor_pops = results.counts_of(trials.connection, device, request.problem, self._processors,
                                                     "pops")

    def measured(self, series: Series) -> Measured:
        """Returns what is on record of a search, for the inputs of the GPU."""
        if not series.on_processors:
            chosen = self.times.fastest_of(self.times.where(**series.parameters))
            return Measured(reproduction.picked(self.times.milliseconds, chosen),
                            reproduction.picked(self._half_widths, chosen),
                            reproduction.picked(self._pops, chosen))
        count = len(self.times.inputs)
        result = Measured(*(np.full(count, np.nan) for _ in range(3)))
        if self._processors is None or self._processor_pops is None:
            return result
        chosen = self._processors.fastest_of(self._processors.where(**series.parameters))
        row_of = {(instance.workload_hash, instance.query): row
                  for row, instance in enumerate(self._processors.inputs)}
        for place, instance in enumerate(self.times.inputs):
            row = row_of.get((instance.workload_hash, instance.query))
            if row is not None and chosen[row] is not None:
                result.milliseconds[place] = self._processors.milliseconds[row, chosen[row]]
                result.work[place] = self._processor_pops[row, chosen[row]]
        return result

    def speedup(self, series: Series, over: Series) -> np.ndarray:
        """Returns time of `over` / time of `series`."""
        return ratio(self.measured(over).milliseconds, self.measured(series).milliseconds)

    def speedup_half_widths(self, series: Series, over: Series) -> np.ndarray:
        """Returns half the width of the confidence interval of speedup(), relative to it."""
        return np.hypot(self.measured(series).half_widths, self.measured(over).half_widths)

    def relative_work(self, series: Series, over: Series) -> np.ndarray:
        """Returns work of `series` / work of `over`."""
        return ratio(self.measured(series).work, self.measured(over).work)


# Times of the paper's own program, in interleaved runs with Near-Far here; see experiments/published_adds.yaml.
PUBLISHED_TIMES = Path(__file__).resolve().parent.parent / "experiments" / "recorded" / "published_adds.csv"
PUBLISHED = Series("published", "ADDS, published program", {})


def published_speedup(file: Path = PUBLISHED_TIMES) -> tuple[np.ndarray, list[str]]:
    """Returns the speed-up of the published ADDS over Near-Far on each graph of a file of times, NaN where it does not
    end, and a note about the file; nothing if there is no such file."""
    if not file.exists():
        return np.array([]), []
    times = programs.read(file)
    speedup = np.array([times.of[graph, "our Near-Far, launches"].ms / times.of[graph, "published ADDS"].ms
                        for graph in times.origins])
    without = [graph for graph, value in zip(times.origins, speedup) if np.isnan(value)]
    note = f"{PUBLISHED.name}: {style.plural(len(speedup), 'graph')} of its own, {times.source.device}"
    return speedup, [note + (f", without a time on {', '.join(without)}." if without else ".")]


SPEEDUPS = "the graphs' speed-ups"  # whose intervals a note is about


def left_out(values: np.ndarray, what: str) -> list[str]:
    """Returns a note about graphs without a value; none if all have one."""
    missing = int(np.isnan(values).sum())
    return [f"Left out: {missing} of {len(values)} graphs, without {what}."] if missing else []


def interval_text(values: np.ndarray) -> str:
    """Returns the interval of the geometric mean over graphs; a dash if they are too few."""
    low, high = intervals.of_geometric_mean(values)
    return "–" if np.isnan(low) else f"{low:.2f} – {high:.2f}"


def graphs_and_interval(values: np.ndarray) -> str:
    """Returns the number of graphs with a value, and the interval of the geometric mean over them if there are enough.
    """
    graphs = style.plural(int(np.isfinite(values).sum()), "graph")
    interval = interval_text(values)
    return graphs if interval == "–" else f"{graphs}, {style.percent(intervals.CONFIDENCE)} interval {interval}"


# Distributions

# Limits of the bins of speed-ups.
SPEEDUP_EDGES = (0.9, 1.1, 1.5, 2, 3, 5)


def share(values: np.ndarray, low: float, high: float = np.inf) -> float | None:
    """Returns the percentage of the known values that are in [low, high); None if there are none."""
    known = values[~np.isnan(values)]
    return None if len(known) == 0 else float(100 * np.mean((known >= low) & (known < high)))


def bin_names(edges: Sequence[float], unit: str = "×") -> list[str]:
    """Returns the names of the bins between the edges, below the first and from the last on."""
    inner = [f"{low:g} – {high:g}{unit}" for low, high in zip(edges, edges[1:])]
    return [f"< {edges[0]:g}{unit}", *inner, f"≥ {edges[-1]:g}{unit}"]


def distribution(values: np.ndarray, edges: Sequence[float]) -> np.ndarray:
    """Returns the number of values in each bin; values that are NaN are in none."""
    finite = values[~np.isnan(values)]
    return np.bincount(np.searchsorted(np.asarray(edges), finite, side="right"), minlength=len(edges) + 1)


def draw_distributions(request: Request, trials: Trials, rows: Sequence[tuple[str, str, np.ndarray]],
                       edges: Sequence[float], mean_name: str, title: str,
                       notes: Sequence[str]) -> tuple[style.Figure, dict[str, Ours]]:
    """Draws a table of distributions, one row for each (key, name, values), and the geometric mean of each row. A row
    without values is left out, which a note says. Returns the figure and the measures."""
    names = bin_names(edges)
    means: dict[str, Ours] = {}
    shares: dict[str, Ours] = {}
    cells = []
    absent = []
    for key, name, values in rows:
        counts = distribution(values, edges)
        mean = reproduction.geometric_mean(values)
        total = int(counts.sum())
        reason = "" if total else ("a simulated time cannot be compared with a measured one"
                                   if trials.provenance.modelled else "not on record")
        for place, bin_name in enumerate(names):
            share = 100 * counts[place] / total if total else None
            shares[f"{key}_{place}"] = Ours(None if share is None else float(share), reason, f"{name}: {bin_name}", "%")
        means[f"{key}_mean"] = Ours(mean, reason or graphs_and_interval(values), f"{name}: {mean_name}", "x")
        if total:
            cells.append((name, [f"{count} ({style.percent(count / total)})" for count in counts]
                          + [f"{mean:.2f}×" if mean is not None else "–", interval_text(values)]))
        else:
            absent.append(name)
    if not cells:
        raise results.NotOnRecord(f"{request.database}: no graph was solved by two of the searches")
    figure = tables.draw([*names, "mean", "interval"], cells, name_share=0.23)
    figure.axes[0].set_title(title, loc="left")
    notes = [*notes, f"Mean: geometric, over graphs, with its {style.percent(intervals.CONFIDENCE)} interval.",
             *([f"Not on record: {', '.join(absent)}."] if absent else [])]
    style.finish(figure, trials.provenance.noting(*notes))
    return figure, means | shares


# Below this, one quantity is largely independent of another: it explains less than a tenth of the variance.
WEAK_CORRELATION = 0.3


def draw_own(axes: style.Axes, x: np.ndarray, y: np.ndarray, mean: float | None) -> object:
    """Draws the graphs against this program's own Near-Far. Returns the handle for the legend."""
    name = f"{OWN_NEAR_FAR.name}" + (f": mean {mean:.2f}×" if mean is not None else "")
    return axes.plot(x, y, linestyle="none", marker="x", markersize=3.5, markeredgewidth=0.8, color=style.FAINT_COLOUR,
                     zorder=1, label=name)[0]


def draw_intervals(axes: style.Axes, x: np.ndarray, speedup: np.ndarray, half_widths: np.ndarray) -> None:
    """Draws the intervals of the speed-ups from repeated runs as lines, and that of their mean as a band."""
    known = np.isfinite(speedup * half_widths)
    factor = 1 + half_widths[known]
    axes.vlines(x[known], speedup[known] / factor, speedup[known] * factor, color=style.TEXT_COLOUR, linewidth=0.6)
    low, high = intervals.of_geometric_mean(speedup)
    if np.isfinite(low):
        axes.fill_between((0, 1), low, high, transform=axes.get_yaxis_transform(), color=style.FAINT_COLOUR, alpha=0.2,
                          linewidth=0)


def draw_speedup(request: Request, trials: Trials, feature: str, label: str) -> reproduction.Drawing:
    """Draws the speed-up of ADDS over Near-Far on each graph against a feature of the graph: ADDS Fig. 8 and 9."""
    trials = with_reach(trials)
    collection = Collection(request, trials, (BASE, NEAR_FAR))
    speedup = collection.speedup(BASE, NEAR_FAR)
    own = collection.speedup(BASE, OWN_NEAR_FAR)
    own_mean = reproduction.geometric_mean(own)
    finite = ~np.isnan(speedup)
    if not finite.any():
        raise results.NotOnRecord(f"{request.database}: no graph was solved by both ADDS and Near-Far")
    values = np.maximum(trials.feature(feature), 1)
    mean = reproduction.geometric_mean(speedup)
    legend = style.legend_inches(6, columns=3)
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.7 + legend)
    handles = scatter(axes, trials.times, values, speedup)
    half_widths = collection.speedup_half_widths(BASE, NEAR_FAR)
    draw_intervals(axes, values, speedup, half_widths)
    if own_mean is not None:
        handles.append(draw_own(axes, values, own, own_mean))
    axes.axhline(1, color=style.FAINT_COLOUR, linewidth=0.8)
    handles.append(axes.axhline(mean, color=style.TEXT_COLOUR, linewidth=0.8, linestyle=(0, (4, 2)),
                                label=f"mean {mean:.2f}×"))
    log_axes(axes, values[finite], np.concatenate([speedup[finite], own[np.isfinite(own)], [1.0]]))
    axes.set(xlabel=label, ylabel="time of Near-Far / ADDS (log)")
    axes.set_title("Speed-up of ADDS over Near-Far on each graph (higher is better)", loc="left")
    notes = [*left_out(speedup, "a time of both"), *note_of_floats(trials.times),
             *intervals.note_of_repeats(half_widths, SPEEDUPS)]
    style.finish(figure, trials.provenance.noting(*notes), reserved_inches=legend)
    style.legend_below(figure, handles, [handle.get_label() for handle in handles], columns=3, handlelength=1.6)
    name = label.split(" (")[0]
    rank = rank_correlation(values[finite], speedup[finite])
    ours = {"mean_speedup": Ours(mean, graphs_and_interval(speedup)),
            **float_measure(trials.times, speedup),
            "own_mean_speedup": Ours(own_mean, "" if own_mean is not None else "not on record",
                                     f"mean speed-up over {OWN_NEAR_FAR.name}", "x"),
            "share_faster": Ours(float(100 * np.mean(speedup[finite] > 1)), "", "graphs on which ADDS is faster", "%"),
            "correlation": Ours(rank, "Spearman's, between -1 and 1" if rank is not None else "fewer than three graphs",
                                f"correlation of the speed-up with the {name}")}
    return figure, ours, [
        Finding("ADDS is faster than Near-Far (section 6.2)", speedup, "mean_speedup"),
        Finding(f"The speed-up is largely independent of the {name} (section 6.2)",
                below(None if rank is None else abs(rank), WEAK_CORRELATION))]


def rank_correlation(x: np.ndarray, y: np.ndarray) -> float | None:
    """Returns Spearman's correlation of two series; None for fewer than three points or equal values."""
    if len(x) < 3 or len(set(x)) < 2 or len(set(y)) < 2:
        return None
    ranks = [np.array([(values < value).sum() + ((values == value).sum() - 1) / 2 for value in values])
             for values in (x, y)]
    return float(np.corrcoef(*ranks)[0, 1])


CLASS_MARKERS = {"road": ("o", "#0072b2"), "mesh": ("s", "#009e73"), "power_law": ("^", "#d55e00")}
OTHER_MARKER = ("D", "#8c8c8c")


def scatter(axes: style.Axes, times: results.Times, x: np.ndarray, y: np.ndarray) -> list[object]:
    """Draws a point for each input with a value, by class, open for float weights. Returns the handles for the legend.
    """
    handles = []
    for name, rows in reproduction.classes_of(times).items():
        marker, colour = CLASS_MARKERS.get(name, OTHER_MARKER)
        shown = [row for row in rows if np.isfinite(x[row]) and np.isfinite(y[row])]
        lines = []
        for face in (colour, "white"):
            members = [row for row in shown if has_float_weights(times.inputs[row]) == (face == "white")]
            if members:
                lines += axes.plot(x[members], y[members], linestyle="none", marker=marker, markersize=4, color=colour,
                                   alpha=0.85, markeredgewidth=0.8 if face == "white" else 0, markerfacecolor=face,
                                   label=f"{style.class_name(name)} ({style.plural(len(shown), 'graph')})")
        handles += lines[:1]
    return handles


def has_float_weights(instance: results.Input) -> bool:
    return instance.workload.endswith("-float")


def note_of_floats(times: results.Times) -> list[str]:
    """Returns a note about the marks of scatter(); none without float weights."""
    return ["Open marks: float weights."] if any(map(has_float_weights, times.inputs)) else []


def float_measure(times: results.Times, speedup: np.ndarray) -> dict[str, Ours]:
    """Returns the mean speed-up on graphs with float weights as a measure; nothing without such graphs."""
    values = speedup[[has_float_weights(instance) for instance in times.inputs]]
    known = int(np.isfinite(values).sum())
    if not known:
        return {}
    return {"float_mean_speedup": Ours(reproduction.geometric_mean(values), style.plural(known, "graph"),
                                       "mean speed-up over Near-Far, float weights", "x")}


def log_axes(axes: style.Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Sets logarithmic scales with labels of one, two and five."""
    for axis, set_scale, set_limits, values in ((axes.xaxis, axes.set_xscale, axes.set_xlim, x),
                                                (axes.yaxis, axes.set_yscale, axes.set_ylim, y)):
        low, high = float(values.min()), float(values.max())
        set_scale("log")
        set_limits(low / 1.3, high * 1.3)
        steps = (1, 2, 5) if high / low < 1000 else (1,)
        axis.set_major_locator(FixedLocator([m * 10.0**e for e in range(-4, 9) for m in steps]))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
