#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Performance of the best configuration that a search strategy has found, over the number of evaluations.

One panel per workload. A line is the median over the runs with different seeds, the band around it goes from
the lower to the upper quartile. Relative performance is the best time of all configurations divided by the best time
that the search has found so far; 0 as long as all tried configurations have failed. Random search is dashed and
black: strategies that learn should be above it. The curves come from `mlmq replay --output`.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass, field
from pathlib import Path

import results  # before numpy: says what to do when that is missing
import style

import numpy as np

COLUMNS = ("device", "modelled", "workload", "strategy", "runs", "evaluations", "lower_quartile", "median",
           "upper_quartile", "mlmq")

# Colours after Okabe and Ito, by name, so that a strategy looks the same in every figure.
LOOKS = {
    "random": style.Look("#000000", (0, (3, 1.5)), ""),
    "local": style.Look("#0072b2", "solid", ""),
    "annealing": style.Look("#e69f00", "solid", ""),
    "genetic": style.Look("#009e73", "solid", ""),
    "model": style.Look("#d55e00", "solid", ""),
}


@dataclass
class Curve:
    """Curve of one strategy on one workload, by number of evaluations, from 1."""

    lower: list[float] = field(default_factory=list)
    median: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)


@dataclass
class Replay:
    """The output of one run of `mlmq replay`."""

    device: str
    modelled: bool
    version: str
    runs: int
    workloads: dict[str, dict[str, Curve]]

    def strategies(self) -> list[str]:
        """Returns the strategies in the order of the file."""
        return list(dict.fromkeys(name for curves in self.workloads.values() for name in curves))


def look(strategy: str) -> style.Look:
    """Returns the look of a strategy. A warm start has the colour of its strategy, dash-dotted."""
    name, _, start = strategy.partition("+")
    look = LOOKS.get(name, style.Look("#cc79a7", "solid", ""))
    return style.Look(look.colour, (0, (5, 1.2, 1.2, 1.2)), "") if start else look


def read(path: Path) -> Replay:
    """Reads a replay. @raises results.ResultsError if `mlmq replay --output` did not write the file."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
        if missing:
            raise results.ResultsError(f"{path}: no column '{missing[0]}'; is it what `mlmq replay --output` wrote?")
        replay: Replay | None = None
        for row in reader:
            try:
                place, runs = int(row["evaluations"]), int(row["runs"])
                values = [float(row[name]) for name in ("lower_quartile", "median", "upper_quartile")]
            except (TypeError, ValueError):
                raise results.ResultsError(f"{path}, line {reader.line_num}: a number is missing") from None
            if replay is None:
                replay = Replay(row["device"], row["modelled"] == "yes", row["mlmq"], runs, {})
            if row["device"] != replay.device:
                raise results.ResultsError(f"{path}: curves of several devices, '{replay.device}' and "
                                           f"'{row['device']}'; replay one experiment of one device")
            curve = replay.workloads.setdefault(row["workload"], {}).setdefault(row["strategy"], Curve())
            if place != len(curve.median) + 1 or not all(0 <= value <= 1 for value in values):
                raise results.ResultsError(f"{path}, line {reader.line_num}: not the next point of a curve")
            for part, value in zip((curve.lower, curve.median, curve.upper), values):
                part.append(value)
    if replay is None:
        raise results.ResultsError(f"{path}: has no curves")
    return replay


def draw(replay: Replay, provenance: style.Provenance) -> style.Figure:
    """Draws up to three panels per row, with the legend below."""
    columns = min(len(replay.workloads), 3)
    rows = -(-len(replay.workloads) // columns)
    width = style.COLUMN_INCHES if columns == 1 else style.PAGE_INCHES
    names = replay.strategies()
    legend_columns = 3 if columns == 1 else 6
    legend_inches = 0.15 * -(-len(names) // legend_columns) + 0.1
    figure, axes = style.new_figure(width, 2.2 * rows + 0.3 + legend_inches, rows=rows, columns=columns)
    lines = {}
    for panel, (workload, curves) in zip(axes, replay.workloads.items()):
        for name, curve in curves.items():
            looks = look(name)
            x = np.arange(1, len(curve.median) + 1)
            panel.fill_between(x, curve.lower, curve.upper, step="post", color=looks.colour, alpha=0.12, linewidth=0)
            lines[name], = panel.step(x, curve.median, where="post", color=looks.colour, linestyle=looks.dashes,
                                    linewidth=1.3)
        panel.set_title(workload, loc="left")
        panel.set(xlim=(1, max(len(curve.median) for curve in curves.values())), ylim=(0, 1.02), xlabel="evaluations")
    for row in range(rows):
        axes[row * columns].set_ylabel("relative performance\n(best time / best found)")
    for unused in axes[len(replay.workloads):]:
        unused.set_visible(False)
    style.finish(figure, provenance, reserved_inches=legend_inches)
    height = figure.get_size_inches()[1]
    figure.legend([lines[name] for name in names], names, ncol=legend_columns, loc="lower center",
                  bbox_to_anchor=(0.5, 0.16 / height), borderaxespad=0.2)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curves", metavar="CSV", type=Path, help="what `mlmq replay --output` wrote")
    parser.add_argument("--output", metavar="FILE", type=results.figure_path, required=True,
                        help="figure to write: .png, .pdf, or .svg for SVG and PNG")
    arguments = parser.parse_args()
    replay = read(arguments.curves)
    seeds = style.plural(replay.runs, "seed")
    workloads = len(replay.workloads)
    provenance = style.Provenance(device=replay.device, modelled=replay.modelled, workloads=workloads, inputs=workloads,
                                  versions=(replay.version,), kernels=1,
                                  database=f"{arguments.curves.name}, {seeds} for each strategy")
    for file in style.save(draw(replay, provenance), arguments.output):
        print(file)


if __name__ == "__main__":
    results.run(main)
