#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Would more workloads help? The selector's score on unseen workloads, against the number that it learned from.

Reads the output of `mlmq selector curve`. Left: share of the workloads with a relative performance of at least 0.9;
right: mean relative performance. Bands are 95 % intervals. The dashed line is the best of the candidates that the
selector could choose from: no selector among them can be above it. A solid line that still rises at its right end says
that more workloads would help; a gap between the lines that does not close says that something else is missing.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path

import results  # before numpy: says what to do when that is missing
import style

import numpy as np

WHO = ("selector", "candidates")
WHAT = ("near_best", "mean_relative")


@dataclass(frozen=True)
class Curve:
    """The points of the curves in the order of the file, by increasing share."""

    workloads: np.ndarray
    columns: dict[str, np.ndarray]

    def of(self, group: str, metric: str, end: str = "") -> np.ndarray:
        return self.columns[f"{group}_{metric}{end}"]


COLUMNS = ("training_workloads",
           *(f"{group}_{metric}{end}" for group in WHO for metric in WHAT for end in ("", "_low", "_high")))


def read(path: Path) -> Curve:
    """Reads a curve. @raises results.ResultsError if `mlmq selector curve` did not write the file."""
    values: dict[str, list[float]] = {name: [] for name in COLUMNS}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        missing = [name for name in COLUMNS if name not in (reader.fieldnames or [])]
        if missing:
            raise results.ResultsError(f"{path}: no column '{missing[0]}'; is it what `mlmq selector curve` wrote?")
        for row in reader:
            try:
                numbers = [float(row[name]) for name in COLUMNS]
            except (TypeError, ValueError):
                raise results.ResultsError(f"{path}, line {reader.line_num}: a number is missing") from None
            if numbers[0] <= 0 or not all(0 <= share <= 1 for share in numbers[1:]):
                raise results.ResultsError(f"{path}, line {reader.line_num}: not a point of a learning curve")
            for name, number in zip(COLUMNS, numbers):
                values[name].append(number)
    columns = {name: np.array(column) for name, column in values.items()}
    if not len(columns["training_workloads"]):
        raise results.ResultsError(f"{path}: has no points")
    return Curve(columns["training_workloads"], columns)


def draw(curve: Curve) -> style.Figure:
    """Draws two panels side by side with one legend."""
    figure, axes = style.new_figure(style.PAGE_INCHES, 2.4, columns=2)
    titles = {"near_best": "share of workloads ≥ 0.9", "mean_relative": "mean relative performance"}
    looks = {"selector": ("#0072b2", "solid", "selector, workloads not seen"),
             "candidates": ("#555555", (0, (4, 2)), "best of its candidates")}
    for panel, metric in zip(axes, WHAT):
        for group in WHO:
            colour, dashes, name = looks[group]
            panel.fill_between(curve.workloads, curve.of(group, metric, "_low"), curve.of(group, metric, "_high"),
                               color=colour, alpha=0.12, linewidth=0)
            panel.plot(curve.workloads, curve.of(group, metric), color=colour, linestyle=dashes, linewidth=1.3,
                       marker="o", markersize=2.5, label=name)
        panel.set(xlim=(0, None), ylim=(None, 1.01), xlabel="workloads to learn from", ylabel=titles[metric])
    axes[0].legend(loc="lower right", fontsize=7)
    figure.tight_layout()
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("curve", metavar="CSV", type=Path, help="what `mlmq selector curve` wrote")
    parser.add_argument("--output", metavar="FILE", type=results.figure_path, required=True,
                        help="figure to write: .png, .pdf, or .svg for SVG and PNG")
    arguments = parser.parse_args()
    for file in style.save(draw(read(arguments.curve)), arguments.output):
        print(file)


if __name__ == "__main__":
    results.run(main)
