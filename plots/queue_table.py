#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every L1 queue above every L2 queue as Markdown: one table per workload and query. Each cell has the best time of
the configurations with these queues, and the work of that configuration in queue reads, on graphs per vertex (1.0 is
Dijkstra's).

The script reads a database of experiments/queues.yaml, or of any sweep with the parameters l1 and l2.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

import results  # before numpy: says what to do when that is missing
import summary

import numpy as np

L1_ORDER = ("none", "vector", "near_far", "filter", "slf")
L2_ORDER = ("vector", "bucket", "heap", "multi_heap")


def queues_of(parameters: dict[str, object]) -> tuple[str, str] | None:
    """Returns row (queues above L2) and column (L2) of a configuration, or None for one without a multi-level queue."""
    if "l2" not in parameters:
        return None
    l1 = str(parameters.get("l1", "none"))
    levels = [f"L1 {l1}"]
    if parameters.get("l1_sharing") == "block":
        levels[0] += " of a block"
    if parameters.get("l0", "none") != "none":
        levels.insert(0, f"L0 {parameters['l0']}")
    return ", ".join(levels), str(parameters["l2"])


def row_order(row: str) -> tuple[bool, bool, int]:
    """Sort key of rows: L1 queues as in the paper, then queues shared by a block, then L0."""
    name = row.rpartition("L1 ")[2].removesuffix(" of a block")
    return row.startswith("L0"), row.endswith("of a block"), L1_ORDER.index(name) if name in L1_ORDER else len(L1_ORDER)


def cell(milliseconds: np.ndarray, work: np.ndarray, columns: Sequence[int]) -> str:
    """Formats the best time and the work of its configuration."""
    if not columns:
        return ""
    if np.isnan(milliseconds[columns]).all():
        return "failed"
    best = columns[int(np.nanargmin(milliseconds[columns]))]
    text = summary.milliseconds(float(milliseconds[best]))
    if np.isnan(work[best]):
        return text
    return f"{text} ({work[best]:.1f})" if work[best] < 1000 else f"{text} ({work[best]:,.0f})"


def tables(times: results.Times, work: np.ndarray, unit: str) -> list[str]:
    """Returns one table per input. `unit`: unit of the work, in words."""
    groups: dict[tuple[str, str], list[int]] = {}
    for index, configuration in enumerate(times.configurations):
        queues = queues_of(configuration.parameters)
        if queues is not None:
            groups.setdefault(queues, []).append(index)
    if not groups:
        raise results.ResultsError("no configuration with the parameter l2")
    rows = sorted({row for row, _ in groups}, key=row_order)
    columns = [column for column in L2_ORDER if any(column == column_name for _, column_name in groups)]
    lines: list[str] = []
    queries = Counter(instance.workload for instance in times.inputs)
    for index, instance in enumerate(times.inputs):
        name = instance.workload if queries[instance.workload] == 1 else f"{instance.workload} {instance.query}"
        head = [f"{name}, ms ({unit})"] + [f"L2 {column}" for column in columns]
        body = [[row] + [cell(times.milliseconds[index], work[index], groups.get((row, column), []))
                         for column in columns] for row in rows]
        lines += summary.table(head, body, frozenset(range(1, len(head)))) + [""]
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    results.add_common_arguments(parser)
    arguments = parser.parse_args()
    with results.open_database(arguments.database) as connection:
        problem = results.choose_problem(connection, arguments.problem)
        device = results.choose_device(connection, problem, arguments.device)
        times = results.times_of(connection, device, problem)
        work, unit = results.reads_of(connection, device, problem, times)
    print("\n".join(tables(times, work, unit)).rstrip())


if __name__ == "__main__":
    results.run(main)
