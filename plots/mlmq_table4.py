#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The graphs of the evaluation: MLMQ Table 4. Vertices, edges, mean and standard deviation of the degrees of the
recorded graphs, with the paper's numbers for graphs of the same name. If there are more graphs than fit, those of the
paper and their substitutes are shown, and the table's file has all."""

from __future__ import annotations

import reproduction  # before numpy: says what to do when that is missing
import results
import style
from reproduction import Finding, Ours, Request, Trials
from verdicts import ALIKE, alike

import numpy as np

FEATURES = {"vertices": results.VERTICES, "edges": results.EDGES, "avg": "avg_nnz", "std": "dev_nnz"}
FEATURE_NAMES = {"vertices": "number of vertices", "edges": "number of edges", "avg": "mean degree",
                 "std": "deviation of the degrees"}
# Generated graphs of about the same size and kind as the paper's.
STAND_INS = {"rmat20": "the paper's rmat20", "rmat22": "the paper's rmat22",
             "road18": "USA-road-d.NY", "road20": "USA-road-d.FLA", "road22": "USA-road-d.E", "del18": "delaunay_n18",
             "del20": "delaunay_n20", "del23": "delaunay_n23", "del24": "delaunay_n24"}
ROW_INCHES = 0.17
MOST_ROWS = 36
HEAD = ("class", "graph", "vertices", "edges", "avg", "std", "", "vertices", "edges", "avg", "std")
# Position of each column as a share of the width, and alignment of its text.
COLUMNS = ((0.01, "left"), (0.09, "left"), (0.35, "right"), (0.43, "right"), (0.50, "right"), (0.57, "right"),
           (0.59, "left"), (0.79, "right"), (0.87, "right"), (0.93, "right"), (0.99, "right"))


def size(value: float) -> str:
    """Formats a count as in the paper: 264K, 1.1M."""
    if value >= 1e6:
        return f"{value / 1e6:.1f}M"
    return f"{value / 1e3:.0f}K" if value >= 1e4 else f"{value:.0f}"


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    features = {name: trials.feature(key) for name, key in FEATURES.items()}
    stated: dict[str, dict[str, float]] = {}
    for statement in request.paper:
        graph, _, feature = statement.measure.rpartition(".")
        if feature not in FEATURES or isinstance(statement.value, str):
            raise results.ResultsError(f"{request.figure}: '{statement.measure}' is not GRAPH.FEATURE, with a feature "
                                       f"of {', '.join(FEATURES)}")
        stated.setdefault(graph, {})[feature] = statement.value
    inputs = trials.times.inputs
    # Shows each graph once, whatever its number of queries.
    graphs = {instance.workload_hash: place for place, instance in enumerate(inputs)}.values()
    rows: list[tuple[str, ...]] = []
    in_paper: list[bool] = []
    ours: dict[str, Ours] = {}
    # By feature, our number and the paper's for each of its graphs, or that which replaces it.
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in FEATURES}
    for place in sorted(graphs, key=lambda i: (style.class_order(inputs[i].workload_class), features["vertices"][i],
                                               inputs[i].workload)):
        instance = inputs[place]
        mine = {name: float(values[place]) for name, values in features.items()}
        replaced = STAND_INS.get(instance.workload, "")
        theirs = {} if replaced else stated.get(instance.workload, {})
        in_paper.append(bool(theirs or replaced))
        for name, value in (theirs or stated.get(replaced.removeprefix("the paper's "), {})).items():
            pairs[name].append((mine[name], value))
        rows.append((style.class_name(instance.workload_class), style.short_workload(instance.workload),
                     size(mine["vertices"]), size(mine["edges"]),
                     f"{mine['avg']:.2f}", f"{mine['std']:.2f}", f"replaces {replaced}" if replaced else "",
                     *(size(theirs[name]) if name in theirs else "" for name in ("vertices", "edges")),
                     *(f"{theirs[name]:.2f}" if name in theirs else "" for name in ("avg", "std"))))
        for name, value in mine.items():
            ours[f"{instance.workload}.{name}"] = Ours(value, f"replaces {replaced}" if replaced else "",
                                                       f"{instance.workload}: {name}", same_work=bool(theirs))
    # Graphs of the paper come first.
    ours = dict(sorted(ours.items(), key=lambda entry: not (entry[1].same_work or entry[1].note)))
    for statement in request.paper:
        ours.setdefault(statement.measure, Ours(None, "not among the graphs"))

    provenance = trials.provenance
    if len(rows) > MOST_ROWS:
        count = len(rows)
        kept = [row for row, is_listed in zip(rows, in_paper) if is_listed] or rows
        rows = kept[:MOST_ROWS]
        provenance = provenance.noting(f"{len(rows)} of {count} graphs: "
                                       + ("those of the paper and those that replace them."
                                          if any(in_paper) else "the first of each class.")
                                       + f" All are in {request.file.stem}.csv.")
    has_paper = any(any(row[7:]) for row in rows)
    height = ROW_INCHES * (len(rows) + 2.6) + 0.3
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, height, is_table=True)
    axes.axis("off")
    axes.set(xlim=(0, 1), ylim=(len(rows) + 0.6, -2.0))
    axes.text(0.01, -1.5, "these graphs (avg and std: of the degrees)", ha="left", va="center", weight="bold")
    axes.text(0.99, -1.5, "the paper's, of the same graph" if has_paper else "", ha="right", va="center", weight="bold")
    for y, row in enumerate([HEAD if has_paper else HEAD[:6], *rows], start=-1):
        for (x, side), text in zip(COLUMNS, row):
            axes.text(x, y + 0.5, text, ha=side, va="center", fontsize=6.2 if y < 0 else 7,
                      color=style.FAINT_COLOUR if y < 0 else style.TEXT_COLOUR)
    for y in (0, len(rows)):
        axes.axhline(y, color=style.FAINT_COLOUR, linewidth=0.6)
    style.finish(figure, provenance)
    return figure, ours, [
        Finding(f"The graphs have about the {FEATURE_NAMES[name]} of the paper's (section 5.1)",
                alike(*np.array(numbers).reshape(-1, 2).T), limit=ALIKE) for name, numbers in pairs.items()]


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
