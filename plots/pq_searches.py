# SPDX-License-Identifier: Apache-2.0
"""Searches per second on the generated maps of the third paper: Fig. 12 and Table III."""

from __future__ import annotations

import re
import warnings

import pq_queues  # before numpy: says what to do when that is missing
from pq_queues import OURS, Panel
from reproduction import Trials

import numpy as np

# Side lengths of the maps, and the largest number of searches that fit in the memory of the paper's GPU.
SEARCHES = {64: 32768, 128: 8192, 256: 2048, 512: 512, 1024: 128}
# Name of a generated map of the paper.
MAP = re.compile(r"grid(\d+):density=0\.2:eta=1:seed=\d+:corners=cut")


def at_a_time(trials: Trials) -> np.ndarray:
    """Returns the number of searches at a time of each input: that of the query, else all of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of inputs without a trial
        concurrent, searches = (np.nanmax(trials.reported(name), axis=1) for name in ("concurrent", "searches"))
    return np.where(np.isfinite(concurrent), concurrent, searches)


def rates(trials: Trials) -> np.ndarray:
    """Returns searches per second, shaped like the times: of the time during which as many ran as the query says, where
    that is on record, else of the whole list, whose last searches run alone."""
    finished, milliseconds = trials.reported("finished_by_all"), trials.reported("ms_of_all")
    return np.where(np.isfinite(finished), finished / milliseconds * 1e3, pq_queues.rates(trials, "searches"))


def search_curves(trials: Trials) -> tuple[dict[int, Panel], dict[int, list[int]]]:
    """Returns searches per second over the number of searches at a time, by side of the map and queue; and the inputs
    by side. This program's own search takes fewer at a time where that is faster."""
    sides = np.array([int(match[1]) if (match := MAP.fullmatch(instance.workload)) else 0
                      for instance in trials.times.inputs])
    count = at_a_time(trials)
    by_queue, bounds = ({name: pq_queues.best(matrix, columns)
                         for name, columns in pq_queues.columns_of(trials.times).items()}
                        for matrix in (rates(trials), pq_queues.rate_bounds(trials, "searches")))
    result = {}
    inputs = {}
    for side in sorted({int(side) for side in sides if side > 0}):
        rows = [int(row) for row in np.flatnonzero(sides == side)]
        if curves_of_side := pq_queues.curves(rows, count, by_queue):
            if OURS in curves_of_side:
                places = sorted({float(count[row]) for row in rows})
                curves_of_side[OURS] = {x: max(rate for least, rate in curves_of_side[OURS].items() if least <= x)
                                        for x in places if x >= min(curves_of_side[OURS])}
            result[side] = Panel(curves_of_side, pq_queues.curves(rows, count, bounds))
            inputs[side] = rows
    return result, inputs
