#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times of roads of the DIMACS challenge that are published for another GPU, next to times measured here: of the same
graphs if they are among the workloads, else of generated ones of about the same size. Published are medians of ten
searches on an A100 80GB, from the launch to the end of the kernel, without the reset of the distances, of graphs whose
vertices were ordered before; here the reset counts, and generated roads are not ordered. The published program that
follows MLMQ has an L1SLF queue above buckets; here the fastest multi-level queue counts."""

from __future__ import annotations

import reproduction  # before numpy: says what to do when that is missing
import results
import style
import tables
from reproduction import Ours, Request, Trials

import numpy as np

PROGRAMS = {"mlmq": "MLMQ", "adds": "ADDS"}
# Generated roads with at least 0.6 times and at most 1.7 times the vertices.
STAND_INS = {"USA-road-d.NY": "road18", "USA-road-d.FLA": "road20", "USA-road-d.E": "road22",
             "USA-road-d.USA": "road24"}


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    best = {"mlmq": times.best_of(times.of_queues()), "adds": times.best_of(times.of_family("ADDS"))}
    row_of = {instance.workload.removesuffix(".gz").removesuffix(".gr"): row
              for row, instance in enumerate(times.inputs)}
    vertices = trials.feature(results.VERTICES)
    graphs = list(dict.fromkeys(statement.measure.rpartition(".")[0] for statement in request.paper))
    ours: dict[str, Ours] = {}
    rows = []
    for graph in graphs:
        name = graph if graph in row_of else STAND_INS.get(graph, "")
        row = row_of.get(name)
        published = {program: request.number(f"{graph}.{program}") for program in PROGRAMS}
        cells = [f"{published[program]:.1f}" for program in PROGRAMS]
        for program, series in best.items():
            value = None if row is None or np.isnan(series[row]) else float(series[row])
            ours[f"{graph}.{program}"] = Ours(value, "no such graph" if row is None else "" if name == graph else
                                              f"{name}, in its place", f"{name or graph}, {PROGRAMS[program]}", "ms",
                                              same_work=name == graph)
            cells.append("–" if value is None else f"{value:.2f}")
        cells.insert(2, "–" if row is None else f"{name} ({vertices[row] / 1e6:.2f} M)")
        rows.append((graph, cells))
    shown = {name for graph in graphs for name in (graph, STAND_INS.get(graph, ""))}
    for name, row in row_of.items():
        if name not in shown and times.inputs[row].workload_class == "road":
            cells = ["–" if np.isnan(series[row]) else f"{series[row]:.2f}" for series in best.values()]
            rows.append((name, ["", "", f"{vertices[row] / 1e6:.2f} M", *cells]))
    figure = tables.draw(["MLMQ, published", "ADDS, published", "graph here", "MLMQ here", "ADDS here"], rows)
    figure.axes[0].set_title("Time of a search in ms; published: A100 80GB, ordered graphs, without the reset",
                             loc="left")
    style.finish(figure, trials.provenance)
    return figure, ours, []


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
