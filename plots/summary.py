#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A summary of a sweep and of the selector trained on it, as Markdown.

Shows what was measured and on what; per workload and query the best configuration beside the selector's pick; how good
the picks are on these workloads, which the selector was trained on; the cross-validation, which judges it on workloads
that it had not seen, as `mlmq selector evaluate` printed it; and the figures.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import results  # before numpy: says what to do when that is missing
import style

import numpy as np

FIGURE_TITLES = {
    "relative_performance_cdf": "Distribution of relative performance (as MLMQ Fig. 12)",
    "configurations_by_class": "Time and total work of the queue families by class (as MLMQ Fig. 11)",
}


def cell(text: str) -> str:
    """The text as it may stand in a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int]) -> list[str]:
    """A Markdown table; `right` are the columns of numbers."""
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join(" ---: " if column in right else " --- " for column in range(len(head))) + "|"]
    return lines + ["| " + " | ".join(cell(text) for text in row) + " |" for row in rows]


def milliseconds(value: float) -> str:
    """A time with three significant digits or more, never in powers of ten."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.1f}" if value >= 100 else f"{value:.3f}"


def facts(provenance: style.Provenance, device: results.Device, problem: str, times: results.Times,
          outcomes: dict[tuple[str, str], int]) -> list[str]:
    """What was measured."""
    lines = [
        f"- Device: {provenance.device} ({device.kind}, {device.architecture})",
        "- Times: **modelled by the simulator**, not measured" if provenance.modelled else "- Times: measured",
        f"- Problem: {problem}",
        f"- {provenance.noun.capitalize()}s: {provenance.workloads}" +
        (f", with {provenance.inputs} ({provenance.noun}, query) inputs"
         if provenance.inputs != provenance.workloads else ""),
        f"- Configurations: {len(times.configurations)}",
    ]
    for measurement in dict.fromkeys(measurement for measurement, _ in outcomes):
        counts = {outcome: count for (name, outcome), count in outcomes.items() if name == measurement}
        each = ", ".join(f"{outcome} {count}" for outcome, count in counts.items())
        lines.append(f"- Trials of {measurement}: {sum(counts.values())} ({each})")
    if times.unsolved:
        names = ", ".join(f"{one.workload} ({one.query})" for one in times.unsolved)
        lines.append(f"- Left out below, because no configuration solved them: {names}")
    if provenance.kernels > 1:
        lines.append(f"- The trials are of {provenance.kernels} different kernel versions")
    versions = ", ".join(provenance.versions) or "unknown"
    return lines + [f"- Program version: {versions}", f"- Database: `{provenance.database}`"]


def per_input(times: results.Times, columns: Sequence[int | None], sizes: Mapping[str, np.ndarray]) -> list[str]:
    """The table of inputs, and below it the configurations that it names.

    @param sizes: more columns, each with a number of every input
    """
    names = style.short_names([one.parameters for one in times.configurations])
    relative = results.relative_of_picks(times, columns)
    fastest = times.relative().argmax(axis=1)
    rows, used = [], set()
    for row, one in enumerate(times.inputs):
        best, pick = int(fastest[row]), columns[row]
        used |= {best} if pick is None else {best, pick}
        time = float("nan") if pick is None else times.milliseconds[row, pick]
        rows.append([one.workload, style.class_name(one.workload_class),
                     *("–" if np.isnan(values[row]) else f"{values[row]:,.0f}" for values in sizes.values()),
                     one.query, names[best], milliseconds(times.best()[row]),
                     "not tried" if pick is None else names[pick],
                     "–" if time != time else milliseconds(time), f"{relative[row]:.3f}"])
    head = [times.noun(), "class", *sizes, "query", "best configuration", "best ms", "selector's pick", "pick ms",
            "relative performance"]
    lines = table(head, rows, frozenset(head.index(name) for name in (*sizes, "best ms", "pick ms",
                                                                      "relative performance")))
    lines += ["", "The configurations named above, in full:", ""]
    return lines + table(["name", "configuration"],
                         [[names[c], f"`{times.configurations[c].label}`"]
                          for c in sorted(used, key=lambda c: names[c])], frozenset())


def in_training(times: results.Times, columns: Sequence[int | None]) -> list[str]:
    """How good the picks are on the workloads of the training."""
    relative = results.relative_of_picks(times, columns)
    fixed = times.best_fixed()
    of_fixed = times.relative()[:, fixed]
    rows = [[name, f"{values.mean():.3f}", f"{100 * (values >= results.NEAR_BEST).mean():.1f} %"]
            for name, values in (("selector", relative), ("best fixed configuration", of_fixed))]
    name = style.short_names([one.parameters for one in times.configurations])[fixed]
    return [f"The selector was trained on these {times.noun()}s, so this does not say how it does on others (see "
            "cross-validation). A pick or trial that failed or was not tried counts as 0.", "",
            *table(["method", "mean relative performance", "within 0.9 of the best"], rows, frozenset({1, 2})), "",
            f"Best fixed configuration: {name}, `{times.configurations[fixed].label}`."]


def fenced(text: str) -> list[str]:
    """The text verbatim, as a code block."""
    fence = "```"
    while fence in text:
        fence += "`"
    return [fence + "text", *text.rstrip("\n").split("\n"), fence]


def figures_beside(output: Path) -> list[Path]:
    """The figures in the folder of the summary; of one in both formats the PNG."""
    found = {file.stem: file for kind in ("svg", "png") for file in output.absolute().parent.glob(f"*.{kind}")}
    return [found[stem] for stem in sorted(found)]


def figure_list(figures: Sequence[Path], output: Path) -> list[str]:
    """The figures with their titles."""
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
    parser.add_argument("--picks", metavar="CSV", type=Path, required=True,
                        help="picks as `mlmq selector picks --format csv` writes them")
    parser.add_argument("--evaluation", metavar="TEXT", type=Path, required=True,
                        help="what `mlmq selector evaluate` printed")
    parser.add_argument("--figure", metavar="FILE", type=Path, action="append",
                        help="figure to list; may be repeated [all .png and .svg files in the folder of the summary]")
    parser.add_argument("--output", metavar="FILE", type=Path, required=True, help="summary to write")
    arguments = parser.parse_args()
    with results.open_database(arguments.database) as connection:
        problem = results.choose_problem(connection, arguments.problem)
        device = results.choose_device(connection, problem, arguments.device)
        times = results.times_of(connection, device, problem)
        provenance = results.provenance(connection, device, problem, times, arguments.database)
        outcomes = results.outcomes_of(connection, device, problem)
        sizes = {}
        if times.noun() == "graph":
            sizes = {"vertices": results.feature_of(connection, times, results.VERTICES),
                     "edges": results.feature_of(connection, times, results.EDGES)}
    columns = results.columns_of_picks(times, results.read_picks(arguments.picks), arguments.picks)
    evaluation = arguments.evaluation.read_text(encoding="utf-8")
    for file in arguments.figure or []:
        if not file.is_file():
            raise results.ResultsError(f"{file}: no such figure")
    figures = arguments.figure if arguments.figure is not None else figures_beside(arguments.output)
    lines = ["# Results", "", *facts(provenance, device, problem, times, outcomes),
             "", f"## {times.noun().capitalize()}s", "", *per_input(times, columns, sizes),
             "", f"## The selector on the {times.noun()}s of its training", "", *in_training(times, columns),
             "", "## Cross-validation", "", *fenced(evaluation),
             "", "## Figures", "", *figure_list(figures, arguments.output), ""]
    style.write_whole(arguments.output, "\n".join(lines).encode())
    print(arguments.output)


if __name__ == "__main__":
    results.run(main)
