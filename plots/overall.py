# SPDX-License-Identifier: Apache-2.0
"""Speed-up of the multi-level queue over each competitor, by class of workloads: MLMQ Fig. 8 and Fig. 14.

For mlmq and each competitor, the fastest configuration on a workload counts; the bars are geometric means over
workloads. A search of this program that the paper does not have is a series of its own. The paper's findings do not
depend on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bars  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials, ratio

import numpy as np


@dataclass(frozen=True)
class Competitor:
    """A search of this program to compare with."""

    measure: str
    family: str
    stands_for: str  # name of the implementation in the paper that it replaces, which has the same algorithm
    on_processors: bool = False

    @property
    def label(self) -> str:
        return self.family if self.family == self.stands_for else f"{self.family} (for {self.stands_for})"


def ours_of(times: results.Times) -> np.ndarray:
    """Returns the best time of a multi-level queue on each input."""
    return times.best_of(times.of_queues())


def times_of(competitor: Competitor, trials: Trials, processors: results.Times | None) -> np.ndarray:
    """Returns the best time of a competitor on each of the device's inputs."""
    if not competitor.on_processors:
        return trials.times.best_of(trials.times.of_family(competitor.family))
    result = np.full(len(trials.times.inputs), np.nan)
    if processors is None:
        return result
    best = processors.best_of(processors.of_family(competitor.family))
    row_of = {(instance.workload_hash, instance.query): row for row, instance in enumerate(processors.inputs)}
    for row, instance in enumerate(trials.times.inputs):
        if (instance.workload_hash, instance.query) in row_of:
            result[row] = best[row_of[instance.workload_hash, instance.query]]
    return result


def columns_of(competitor: Competitor, times: results.Times | None) -> list[int]:
    """Returns the configurations of a competitor."""
    return [] if times is None else times.of_family(competitor.family)


def left_out(competitor: Competitor, trials: Trials, missing: np.ndarray) -> str:
    """Describes how many inputs a competitor lacks, and why.

    @param missing whether each input is missing
    """
    if not missing.any():
        return ""
    stopped = 0
    if not competitor.on_processors and trials.times.limits is not None:
        limits = trials.times.limits[:, trials.times.of_family(competitor.family)]
        stopped = int((missing & ~np.isnan(limits).all(axis=1)).sum())
    others = int(missing.sum()) - stopped
    reasons = {"stopped at a time limit": stopped, "failed or not measured": others}
    present = {reason: count for reason, count in reasons.items() if count > 0}
    text = f"{int(missing.sum()):,} of {len(missing):,}, "
    return text + (next(iter(present)) if len(present) == 1 else
                   " and ".join(f"{count:,} {reason}" for reason, count in present.items()))


def findings_of(competitors: Sequence[Competitor], speedups: dict[str, np.ndarray],
                section: str) -> list[Finding]:
    """Returns what both papers' figures find: MLMQ is ahead of every competitor, and by about as much as there; of the
    competitors ADDS is the fastest.

    @param speedups over each competitor by its label, for each input
    """
    adds = speedups["ADDS"]
    others = np.array([values for name, values in speedups.items() if name != "ADDS"])
    everyone = np.array(list(speedups.values()))
    # fmin() and fmax() ignore the competitors without a time.
    return [Finding(f"MLMQ is faster than every competitor ({section})", np.fmin.reduce(everyone)),
            Finding(f"ADDS is the fastest competitor ({section})", ratio(np.fmin.reduce(others), adds)),
            *(Finding(f"MLMQ is faster than {competitor.stands_for} ({section})", speedups[competitor.label],
                      f"speedup_{competitor.measure}") for competitor in competitors)]


def draw(request: Request, trials: Trials, in_paper: Sequence[Competitor], own_search: str, title: str,
         section: str) -> reproduction.Drawing:
    """Returns the figure and the measures: the geometric mean of each competitor over all inputs and over each class.
    Competitors on processors and this program's own search may be missing, which the figure says.

    @param in_paper the competitors
    @param own_search a search of this program without multi-level queues, which no finding is about
    @param section where the paper discusses the figure
    """
    times = trials.times
    processors = reproduction.on_processors(request, trials)
    reproduction.require_series(trials, {"MLMQ": times.of_queues()} | {
        competitor.family: columns_of(competitor, times) for competitor in in_paper
        if not competitor.on_processors})
    competitors = [*in_paper, Competitor(own_search, own_search, own_search)]
    best = ours_of(times)
    speedups = {competitor.label: ratio(times_of(competitor, trials, processors), best) for competitor in competitors}
    members = reproduction.classes_of(times)
    all_rows = {f"{style.class_name(name)}\n({times.counted(rows)})": rows for name, rows in members.items()}
    all_rows[f"all\n({times.counted(range(len(times.inputs)))})"] = list(range(len(times.inputs)))
    means, spread = bars.means(speedups, all_rows), bars.spreads(speedups, all_rows)

    shown = [competitor for competitor in competitors if np.isfinite(means[competitor.label]).any()]
    if set(shown).isdisjoint(in_paper):
        raise results.NotOnRecord(f"{request.database}: no competitor has solved a {times.noun()} that MLMQ has solved")
    looks = {competitor.label: style.look(competitor.family) for competitor in shown}
    missing = {competitor.label: left_out(competitor, trials, np.isnan(speedups[competitor.label]))
               for competitor in shown}
    sizes = {"MLMQ": len(times.of_queues())} | {
        competitor.family: len(columns_of(competitor, processors if competitor.on_processors else times))
        for competitor in shown}
    notes = ["Geometric means and quartiles over the inputs that both solved. Each program has its fastest "
             "configuration on the input, of " + "; ".join(f"{size} of {name}" for name, size in sizes.items()) + "."]
    if any(missing.values()):
        notes.append("Left out: " + "; ".join(f"{name} on {text}" for name, text in missing.items() if text) + ".")
    if absent := [competitor.label for competitor in competitors if competitor not in shown]:
        notes.append(f"Not on record: {', '.join(absent)}.")
    both_solved, is_behind = ~np.isnan(speedups[own_search]), speedups[own_search] < 1
    if is_behind.any():
        notes.append(f"{own_search} is no search of the paper; it is faster than MLMQ on {int(is_behind.sum()):,} of "
                     f"{times.counted(np.flatnonzero(both_solved))}.")
    columns = 1 if style.layout.in_column else 3  # of long names
    legend = style.legend_inches(len(shown), columns)
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.7 + legend)
    bars.panel(axes, list(all_rows), {name: means[name] for name in looks}, looks,
               style.plot_inches() * 0.84 / (len(all_rows) * len(shown)), reference=1,
               spread={name: spread[name] for name in looks}, absent="not solved")
    axes.set_title(title, loc="left")
    axes.set_ylabel("competitor's time / ours" + (" (log)" if axes.get_yscale() == "log" else ""))
    style.finish(figure, trials.provenance.noting(*notes), reserved_inches=legend)
    bars.legend(figure, list(looks), looks, columns)

    ours: dict[str, Ours] = {}
    for competitor in competitors:
        values = speedups[competitor.label]
        mean = reproduction.geometric_mean(values)
        note = f"left out: {missing[competitor.label]}" if missing.get(competitor.label) else ""
        if mean is None:
            note = ("a simulated time cannot be compared with a measured one"
                    if competitor.on_processors and trials.provenance.modelled else "not on record")
        ours[f"speedup_{competitor.measure}"] = Ours(mean, note, f"over {competitor.label}", "x")
        for name, rows in members.items():
            if mean is not None and len(members) > 1:
                ours[f"speedup_{competitor.measure}_{name}"] = Ours(
                    reproduction.geometric_mean(values[rows]), "",
                    f"over {competitor.label}, {style.class_name(name)}", "x")
    everyone = np.array([speedups[competitor.label] for competitor in shown if competitor in in_paper])
    finite = ~np.isnan(everyone).all(axis=0)
    # A competitor that did not solve the input counts as slower.
    share = float(np.mean(np.nan_to_num(everyone[:, finite], nan=np.inf).min(axis=0) >= 1))
    ours["share_fastest"] = Ours(100 * share, "a competitor without a time counts as slower" if any(missing.values())
                                 else "")
    ours["share_behind_own_search"] = Ours(
        100 * float(is_behind.sum() / both_solved.sum()) if both_solved.any() else None,
        ", ".join(times.inputs[row].workload for row in np.flatnonzero(is_behind)) if both_solved.any()
        else "not on record", f"{times.noun()}s on which {own_search} is faster than MLMQ", "%")
    del speedups[own_search]
    return figure, ours, findings_of(in_paper, speedups, section)
