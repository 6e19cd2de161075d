# SPDX-License-Identifier: Apache-2.0
"""Features of workloads and counters of work, shaped like the times."""

from __future__ import annotations

import sqlite3

import intervals  # before numpy: says what to do when that is missing

import numpy as np

from results.records import Device
from results.times import Times

# Features of graphs, by their names in the database.
VERTICES = "m"
EDGES = "nnz"

# Counter of work, the feature that it is divided by, and a description of the quotient, for problems that do not read
# queues.
WORK = {"phold": ("moves", "population", "moves per event in the model"),
        "astar": ("expansions", "cells", "expansions per cell")}


def feature_of(connection: sqlite3.Connection, times: Times, name: str) -> np.ndarray:
    """Returns a feature of the workload of each input; NaN for a workload without this feature."""
    values = dict(connection.execute(
        "SELECT w.hash, f.value FROM workload_feature f JOIN workload w ON w.id = f.workload WHERE f.name = ?",
        (name,)))
    return np.array([values.get(instance.workload_hash, np.nan) for instance in times.inputs])


def half_widths_of(connection: sqlite3.Connection, device: Device, problem: str, times: Times) -> np.ndarray:
    """Returns half the width of the confidence interval of each time, relative to the time, from the spread of its
    repeats. Shaped like `times.milliseconds`; NaN if missing."""
    row_of = {(instance.workload_hash, instance.query): index for index, instance in enumerate(times.inputs)}
    column_of = {configuration.hash: index for index, configuration in enumerate(times.configurations)}
    half_widths = np.full(times.milliseconds.shape, np.nan)
    for workload, query, configuration, spread, repeats in connection.execute(
            """SELECT w.hash, t.query, c.hash, t.spread, min(json_extract(e.settings, '$.repeats'))
               FROM latest t JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration
               JOIN experiment_trial x ON x.trial = t.id JOIN experiment e ON e.id = x.experiment
               WHERE t.device = ? AND c.problem = ? AND t.measurement = 'time' AND t.outcome = 'ok'
                     AND t.spread IS NOT NULL GROUP BY t.id""", (device.id, problem)):
        row, column = row_of.get((workload, query)), column_of.get(configuration)
        if row is not None and column is not None and repeats is not None:
            half_widths[row, column] = intervals.of_repeats(spread, repeats)
    return half_widths


def reached_of(connection: sqlite3.Connection, times: Times) -> np.ndarray:
    """Returns the number of vertices that the search of each input reaches; NaN if it is not on record. Dijkstra's
    algorithm counts them on any device: it takes each of them from its queue once, apart from outdated entries."""
    reached = {(workload, query): value for workload, query, value in connection.execute(
        """SELECT w.hash, t.query, p.value - s.value FROM latest t JOIN workload w ON w.id = t.workload
           JOIN configuration c ON c.id = t.configuration
           JOIN counter p ON p.trial = t.id AND p.name = 'pops'
           JOIN counter s ON s.trial = t.id AND s.name = 'stale_pops'
           WHERE t.measurement = 'counters' AND t.outcome = 'ok' AND c.problem = 'sssp'
                 AND json_extract(c.parameters, '$.solver') = 'dijkstra'""")}
    return np.array([reached.get((instance.workload_hash, instance.query), np.nan) for instance in times.inputs])


def counts_of(connection: sqlite3.Connection, device: Device, problem: str, times: Times, counter: str,
              per: str = "") -> np.ndarray:
    """Returns a work counter, divided by the feature `per` of the workload if given. Shaped like `times.milliseconds`.

    NaN without a counters trial, for solvers without this counter, and for workloads without the feature.
    """
    row_of = {(instance.workload_hash, instance.query): index for index, instance in enumerate(times.inputs)}
    column_of = {configuration.hash: index for index, configuration in enumerate(times.configurations)}
    work = np.full(times.milliseconds.shape, np.nan)
    for workload, query, configuration, value in connection.execute(
            """SELECT workload_hash, query, configuration_hash, value FROM work_count
               WHERE counter = ? AND problem = ? AND device_hash = ?""", (counter, problem, device.hash)):
        row, column = row_of.get((workload, query)), column_of.get(configuration)
        if row is not None and column is not None:
            work[row, column] = value
    if per:
        size = feature_of(connection, times, per)
        work /= np.where(size > 0, size, np.nan)[:, None]
    return work


def reported_by(connection: sqlite3.Connection, device: Device, problem: str, times: Times, counter: str,
                measurement: str = "time") -> np.ndarray:
    """Returns a counter of trials with this measurement: executed events of "time", one of "hardware" or "energy".
    Shaped like `times.milliseconds`; NaN if missing."""
    row_of = {(instance.workload_hash, instance.query): index for index, instance in enumerate(times.inputs)}
    column_of = {configuration.hash: index for index, configuration in enumerate(times.configurations)}
    reported = np.full(times.milliseconds.shape, np.nan)
    for workload, query, configuration, value in connection.execute(
            """SELECT w.hash, t.query, c.hash, k.value FROM latest t JOIN counter k ON k.trial = t.id
               JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration
               WHERE t.device = ? AND c.problem = ? AND t.measurement = ? AND t.outcome = 'ok' AND k.name = ?""",
            (device.id, problem, measurement, counter)):
        row, column = row_of.get((workload, query)), column_of.get(configuration)
        if row is not None and column is not None:
            reported[row, column] = value
    return reported


def reads_of(connection: sqlite3.Connection, device: Device, problem: str, times: Times) -> tuple[np.ndarray, str]:
    """Returns the elements that workers read from the queues (the total work of MLMQ Fig. 11), like counts_of(),
    with a description.

    For graphs they are per vertex; the minimum work reads each vertex once. Other problems have their own measure
    (tuner::problem::work).
    """
    if problem in WORK:
        counter, feature, words = WORK[problem]
        return counts_of(connection, device, problem, times, counter, per=feature), words
    on_graphs = times.noun() == "graph"
    return (counts_of(connection, device, problem, times, "pops", per=VERTICES if on_graphs else ""),
            "reads per vertex" if on_graphs else "reads")


def curve_of(connection: sqlite3.Connection, device: Device, times: Times, row: int, column: int,
             name: str) -> np.ndarray | None:
    """Returns the values of a curve of the newest timeline of a configuration on an input, by time; None if there is no
    such curve."""
    values = [value for value, in connection.execute(
        """SELECT p.value FROM timeline p JOIN latest t ON t.id = p.trial
           JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration
           WHERE t.measurement = 'timeline' AND t.outcome = 'ok' AND t.device = ? AND w.hash = ? AND t.query = ?
           AND c.hash = ? AND p.name = ? ORDER BY p.time_ms""",
        (device.id, times.inputs[row].workload_hash, times.inputs[row].query, times.configurations[column].hash, name))]
    return np.array(values, dtype=float) if values else None
