#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cells that two A* searches visit, and their paths: Fig. 5 of the third paper. The timeline of a trial has the
blocked cells of the map, the cells in the order in which a search expanded them, and those of its path."""

from __future__ import annotations

import re

import pq_queues  # before numpy: says what to do when that is missing
import reproduction
import results
import style
from reproduction import Finding, Ours, Request, Trials

import numpy as np
from matplotlib.colors import to_rgb

SEARCHES = 2
COLOURS = ("#0072b2", "#d55e00")
BLOCKED = "#444444"
SIDE = re.compile(r"grid(\d+)")


def timeline_of(trials: Trials) -> tuple[int, dict[str, list[int]]] | None:
    """Returns the row of the first input with a timeline, and cells by name of the curve, in order; None if there is
    none."""
    for row, instance in enumerate(trials.times.inputs):
        points = trials.connection.execute(
            """SELECT p.name, p.value FROM timeline p JOIN latest t ON t.id = p.trial
               JOIN workload w ON w.id = t.workload WHERE t.measurement = 'timeline' AND t.outcome = 'ok'
               AND t.device = ? AND w.hash = ? AND t.query = ?
               ORDER BY p.trial, p.name, p.ordinal""",
            (trials.device.id, instance.workload_hash, instance.query)).fetchall()
        curves: dict[str, list[int]] = {}
        for name, value in points:
            curves.setdefault(name, []).append(int(value))
        if curves:
            return row, curves
    return None


def rim_of(visited: list[int], blocked: list[int], side: int) -> int:
    """Returns the number of free cells next to visited ones that were not visited: what the open list has at the end.
    """
    reached = np.zeros((side + 2, side + 2), dtype=bool)
    rows, columns = np.divmod(np.array(visited), side)
    for down in range(3):
        for right in range(3):
            reached[rows + down, columns + right] = True
    inside = reached[1:-1, 1:-1].reshape(-1)
    inside[[*visited, *blocked]] = False
    return int(inside.sum())


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    recorded = timeline_of(trials)
    if recorded is None:
        raise results.NotOnRecord(f"{request.database}: no timeline of searches")
    row, curves = recorded
    instance = trials.times.inputs[row]
    side = int(SIDE.match(instance.workload)[1])
    picture = np.ones((side * side, 3))
    picture[curves.get("blocked", [])] = to_rgb(BLOCKED)
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 4.2)
    handles, names = [], []
    ours: dict[str, Ours] = {}
    blocked = curves.get("blocked", [])
    free = side * side - len(blocked)
    for_rim, for_path = [], []
    for search in range(SEARCHES):
        visited = sorted(set(curves.get(f"search {search}", [])))
        if not visited:
            continue
        # The lighter of two searches that visit a cell is the second one.
        picture[visited] = 0.5 * picture[visited] + 0.5 * np.array(to_rgb(COLOURS[search]))
        handles.append(style.plt.Rectangle((0, 0), 1, 1, color=COLOURS[search], alpha=0.5))
        names.append(f"{len(visited):,} cells visited by search {search + 1}")
        ours[f"visited_{search + 1}"] = Ours(100 * len(visited) / free, f"{len(visited):,} of {free:,} cells",
                                             f"free cells that search {search + 1} visits", "%")
        rim = rim_of(visited, blocked, side)
        ours[f"per_open_{search + 1}"] = Ours(len(visited) / max(1, rim), f"{rim:,} cells around them",
                                              f"visited cells for each cell of the open list, search {search + 1}")
        for_rim.append(len(visited) / max(1, rim))
        path = curves.get(f"path {search}", [])
        if path:
            rows, columns = np.divmod(np.array(path), side)
            for colour, width in (("#000000", 2.4), ("#ffffff", 1.2)):
                axes.plot(columns, rows, color=colour, linewidth=width)
            steps = len(path) - 1
            ours[f"per_step_{search + 1}"] = Ours(len(visited) / max(1, steps), f"a path of {steps} steps",
                                                  f"visited cells for each step of the path, search {search + 1}")
            for_path.append((len(visited) - len(path)) / len(path))
    if not handles:
        raise results.NotOnRecord(f"{request.database}: no timeline of searches")
    axes.imshow(picture.reshape(side, side, 3), interpolation="nearest")
    axes.grid(False)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(f"Map of {side} × {side} cells, blocked ones dark, paths white", loc="left")
    handles.append(style.plt.Rectangle((0, 0), 1, 1, color=BLOCKED))
    names.append("blocked")
    style.finish(figure, pq_queues.provenance_of(trials, [row]), reserved_inches=style.legend_inches(len(names)))
    style.legend_below(figure, handles, names)
    return figure, ours, [
        Finding("The closed list, of the visited cells, is longer than the open list, of those around them (Fig. 5)",
                np.array(for_rim)),
        Finding("A search visits more cells off its path than on it (Fig. 5)", np.array(for_path))]


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
