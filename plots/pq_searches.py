# SPDX-License-Identifier: Apache-2.0
"""Searches per second on the generated maps of the third paper: Fig. 12 and Table III."""

from __future__ import annotations

import re

import pq_queues  # before numpy: says what to do when that is missing
from pq_queues import Panel
from reproduction import Trials

import numpy as np

# Side lengths of the maps, and the largest number of searches that fit in the memory of the paper's GPU.
SEARCHES = {64: 32768, 128: 8192, 256: 2048, 512: 512, 1024: 128}
# Name of a generated map of the paper.
MAP = re.compile(r"grid(\d+):density=0\.2:eta=1:seed=\d+:corners=cut")


def search_curves(trials: Trials) -> tuple[dict[int, Panel], dict[int, list[int]]]:
    """Returns searches per second over the number of searches, by side of the map and queue; and the inputs by side."""
    sides = np.array([int(match[1]) if (match := MAP.fullmatch(instance.workload)) else 0
                      for instance in trials.times.inputs])
    with np.errstate(invalid="ignore"):
        count = np.nanmax(trials.reported("searches"), axis=1)
    by_queue, bounds = ({name: pq_queues.best(matrix, columns)
                         for name, columns in pq_queues.columns_of(trials.times).items()}
                        for matrix in (pq_queues.rates(trials, "searches"), pq_queues.rate_bounds(trials, "searches")))
    result = {}
    inputs = {}
    for side in sorted({int(side) for side in sides if side > 0}):
        rows = [int(row) for row in np.flatnonzero(sides == side)]
        if curves_of_side := pq_queues.curves(rows, count, by_queue):
            result[side] = Panel(curves_of_side, pq_queues.curves(rows, count, bounds))
            inputs[side] = rows
    return result, inputs
