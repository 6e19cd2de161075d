#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A summary of a sweep and of the selector trained on it, as Markdown.

Shows the measured inputs and device; per workload the best configuration, and the times of selectors that did not learn
from that workload; the summary of `mlmq tune`; the figures; and the configurations in full. The scores are those that
`mlmq tune` stored with the selector. A workload counts with the mean over its queries.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import results  # before numpy: says what to do when that is missing
import intervals
import style

import numpy as np

FIGURE_TITLES = {
    "relative_performance_cdf": "Distribution of relative performance (as MLMQ Fig. 12)",
    "configurations_by_class": "Time and total work of the queue families by class (as MLMQ Fig. 11)",
}


def cell(text: str) -> str:
    """Escapes text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int]) -> list[str]:
    """Returns a Markdown table; `right` lists the right-aligned columns."""
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join(" ---: " if column in right else " --- " for column in range(len(head))) + "|"]
    return lines + ["| " + " | ".join(cell(text) for text in row) + " |" for row in rows]


def milliseconds(value: float) -> str:
    """Formats a time with at least three significant digits, never with powers of ten."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 100 else f"{value:.3f}"


def facts(provenance: style.Provenance, device: results.Device, problem: str, times: results.Times,
          outcomes: dict[tuple[str, str], int]) -> list[str]:
    """Returns the section about the measurements."""
    lines = [
        f"- Device: {provenance.device} ({device.kind}, {device.architecture})",
        "- Times: **modelled by the simulator**, not measured" if provenance.modelled else "- Times: measured",
        f"- Problem: {problem}",
        f"- {provenance.noun.capitalize()}s: {provenance.workloads}" +
        (f", with {provenance.inputs} ({provenance.noun}, query) inputs"
         if provenance.inputs != provenance.workloads else ""),
        f"- Configurations: {len(times.configurations) - len(times.unfit)}" +
        (f"; {len(times.unfit)} others cannot run on this device" if times.unfit else ""),
    ]
    for measurement in dict.fromkeys(measurement for measurement, _ in outcomes):
        counts = {outcome: count for (name, outcome), count in outcomes.items() if name == measurement}
        each = ", ".join(f"{outcome} {count}" for outcome, count in counts.items())
        lines.append(f"- Trials of {measurement}: {sum(counts.values())} ({each})")
    if times.unsolved:
        names = ", ".join(f"{instance.workload} ({instance.query})" for instance in times.unsolved)
        lines.append(f"- Left out below, because no configuration solved them: {names}")
    if provenance.kernels > 1:
        lines.append(f"- The trials are of {provenance.kernels} different kernel versions")
    versions = ", ".join(provenance.versions) or "unknown"
    return lines + [f"- Program version: {versions}", f"- Database: `{provenance.database}`"]


@dataclass(frozen=True)
class ConfigurationName:
    number: str  # "c1", as on the page of `mlmq report`
    family: str  # "–": none

    def __str__(self) -> str:
        return f"{self.number} {self.family}".removesuffix(" –")


def configuration_names(times: results.Times) -> dict[str, ConfigurationName]:
    """Returns the names of the configurations, by label."""
    return {configuration.label: ConfigurationName(f"c{number}", configuration.family)
            for number, configuration in enumerate(times.configurations, 1)}


def mean_text(values: np.ndarray, mean: float) -> str:
    """Returns a mean with its confidence interval."""
    half = intervals.half_width(values)
    return f"{mean:.3f}" if np.isnan(half) else f"{mean:.3f} ± {half:.2f}"


def per_workload(times: results.Times, names: Mapping[str, ConfigurationName], sizes: Mapping[str, np.ndarray],
                 evaluation: results.Evaluation | None) -> tuple[list[str], set[str]]:
    """Returns the table of workloads, and the labels of the configurations in it.

    @param names: names of configurations, by label
    @param sizes: further columns, each with one number per workload
    @param evaluation: evaluation of the same workloads, in the same order
    """
    strategies = evaluation.strategies if evaluation is not None else []
    fastest = times.relative().argmax(axis=1)
    rows, used = [], set()
    in_order = sorted(range(len(times.inputs)),
                      key=lambda row: (style.class_order(times.inputs[row].workload_class),
                                       results.query_order(times.inputs[row].workload)))
    for row in in_order:
        instance = times.inputs[row]
        best = times.configurations[int(fastest[row])].label
        used.add(best)
        cells = []
        for strategy in strategies:
            chosen = list(dict.fromkeys(strategy.choices[row]))
            used.update(chosen)
            labels = ", ".join(names[label].number if label in names else "not on record" for label in chosen)
            cells.append(f"{labels}: {strategy.relative[row]:.3f}")
        rows.append([instance.workload, style.class_name(instance.workload_class),
                     *("–" if np.isnan(values[row]) else f"{values[row]:,.0f}" for values in sizes.values()),
                     str(names[best]), milliseconds(times.best()[row]), *cells])
    if strategies:
        means = (mean_text(strategy.relative, strategy.mean_relative) for strategy in strategies)
        rows.append(["mean ± 95 %", "", *("" for _ in sizes), "", "", *means])
    head = [times.noun(), "class", *sizes, "best", "best ms", *(strategy.name for strategy in strategies)]
    return table(head, rows, frozenset(head.index(name) for name in (*sizes, "best ms"))), used


def legend(times: results.Times, names: Mapping[str, ConfigurationName], used: set[str]) -> list[str]:
    """Returns the list of configurations that the summary names."""
    short = style.short_names([configuration.parameters for configuration in times.configurations])
    rows = [[names[configuration.label].number, short[column], f"`{configuration.label}`"]
            for column, configuration in enumerate(times.configurations) if configuration.label in used]
    return table(["name", "differs in", "configuration"], rows, frozenset())


def fenced(text: str) -> list[str]:
    """Returns the text as a code block."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [fence + "text", *text.rstrip("\n").split("\n"), fence]


def figures_beside(output: Path) -> list[Path]:
    """Returns the figures in the folder of the summary; of a figure in several formats, the PNG."""
    figures = {file.stem: file for kind in ("pdf", "svg", "png") for file in output.absolute().parent.glob(f"*.{kind}")}
    return [figures[stem] for stem in sorted(figures)]


def figure_list(figures: Sequence[Path], output: Path) -> list[str]:
    """Returns the figures with their titles."""
    if not figures:
        return ["None."]
    lines = []
    for file in figures:
        link = os.path.relpath(file.absolute(), output.absolute().parent).replace(" ", "%20")
        lines.append(f"- [{file.name}]({link}): {FIGURE_TITLES.get(file.stem, file.stem.replace('_', ' '))}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    results.add_common_arguments(parser)
    parser.add_argument("--tuned", metavar="JSON", type=Path, required=True,
                        help="the selector as `mlmq tune` writes it, with its evaluation")
    parser.add_argument("--text", metavar="FILE", type=Path, required=True,
                        help="the summary that `mlmq tune` printed")
    parser.add_argument("--figure", metavar="FILE", type=Path, action="append",
                        help="figure to list; may be repeated [all figures in the folder of the summary]")
    parser.add_argument("--output", metavar="FILE", type=Path, required=True, help="summary to write")
    arguments = parser.parse_args()
    with results.open_database(arguments.database) as connection:
        problem = results.choose_problem(connection, arguments.problem)
        device = results.choose_device(connection, problem, arguments.device)
        times = results.times_of(connection, device, problem)
        provenance = results.provenance(connection, device, problem, times, arguments.database)
        outcomes = results.outcomes_of(connection, device, problem)
        names = configuration_names(times)
        evaluation = results.read_tuned(arguments.tuned)
        shown = times.mean_over_queries()[0]
        if evaluation is not None:
            shown = shown.of_workloads(evaluation.workloads)
        sizes = {}
        if times.noun() == "graph":
            sizes = {"vertices": results.feature_of(connection, shown, results.VERTICES),
                     "edges": results.feature_of(connection, shown, results.EDGES)}
    rows, used = per_workload(shown, names, sizes, evaluation)
    for file in arguments.figure or []:
        if not file.is_file():
            raise results.ResultsError(f"{file}: no such figure")
    figures = arguments.figure if arguments.figure is not None else figures_beside(arguments.output)
    if evaluation is not None:
        rows += ["",
                 "Behind a configuration is its relative performance: best time / time. No choice was made by a "
                 f"selector that had learned from that {times.noun()}; where the repetitions of the cross-validation "
                 "chose several configurations, their mean counts."]
    lines = [f"# Results on {provenance.device}", "", *facts(provenance, device, problem, times, outcomes),
             "", f"## {times.noun().capitalize()}s", "", *rows,
             "", "## Summary", "", *fenced(arguments.text.read_text(encoding="utf-8")),
             "", "## Figures", "", *figure_list(figures, arguments.output),
             "", "## Configurations", "", *legend(times, names, used), ""]
    style.write_whole(arguments.output, "\n".join(lines).encode())
    print(arguments.output)


if __name__ == "__main__":
    results.run(main)
