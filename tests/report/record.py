# SPDX-License-Identifier: Apache-2.0
"""A record with everything that the page can show: results of a sweep on the simulator, and edited rows."""

import json
import math
import sqlite3

FAILURES = ("timeout", "timeout", "overflow", "wrong_answer", "crashed")

SPACE = """\
name: small
problem: sssp
parameters:
  l1: [none, vector]
  l2: [vector, bucket]
  delta: {values: [1, 8], when: l2 == bucket}
  threads: [64]
workloads:
  - {generate: [road6, road7, del6, del7, rmat6, rmat7], queries: {source: 0}}
measurement: {warmup: 0, repeats: 3, time_limit_ms: 1000, counters: true, seed: 1}
metrics: {pops per vertex: pops / m}
objective: [time, {minimize: pops per vertex}]
"""


def add_readings_and_failures(file, factor=1.0):
    """Adds clocks and power to all trials, some with lowered clocks, and a failure of each kind to the trials of one
    configuration; multiplies all times by `factor`."""
    with sqlite3.connect(file) as database:
        trials = [row[0] for row in database.execute("SELECT id FROM trial ORDER BY id")]
        for i, trial in enumerate(trials):
            slowed = 10 < i < 20
            readings = {"sm_clock_mhz": 1600 if slowed else 1980, "memory_clock_mhz": 3201,
                        "temperature_c": 40 + i / 10, "power_w": 400 + 200 * math.sin(i / 9),
                        "throttle_reasons": ["power_cap"] if slowed else []}
            moment = f"2026-01-02T10:{i // 12:02d}:{i % 12 * 5:02d}.000Z"
            database.execute("UPDATE trial SET environment = ?, finished_at = ?, median_ms = median_ms * ? "
                             "WHERE id = ?",
                             (json.dumps(readings), moment, factor, trial))
        configuration = database.execute("SELECT max(configuration) FROM trial").fetchone()[0]
        failing = database.execute("SELECT id FROM trial WHERE configuration = ? AND measurement = 'time' ORDER BY id",
                                   (configuration,)).fetchall()
        for (trial,), outcome in zip(failing, FAILURES):
            message = "not finished after 2.5 ms" if outcome == "timeout" else "made up </script> by the test"
            database.execute("UPDATE trial SET outcome = ?, median_ms = NULL, spread = NULL, message = ? WHERE id = ?",
                             (outcome, message, trial))
            database.execute("DELETE FROM sample WHERE trial = ?", (trial,))
    database.close()


def relative_performance(file):
    """Returns {label: mean relative performance over the inputs}; failures count as 0."""
    with sqlite3.connect(file) as database:
        rows = database.execute("SELECT c.label, t.workload, t.query, t.median_ms FROM trial t JOIN configuration c "
                                "ON c.id = t.configuration WHERE t.measurement = 'time'").fetchall()
    database.close()
    best = {}
    for _, workload, query, time in rows:
        if time is not None:
            best[workload, query] = min(time, best.get((workload, query), math.inf))
    sums = {}
    for label, workload, query, time in rows:
        sums[label] = sums.get(label, 0) + (best[workload, query] / time if time is not None else 0)
    return {label: value / len(best) for label, value in sums.items()}
