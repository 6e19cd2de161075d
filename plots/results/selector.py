# SPDX-License-Identifier: Apache-2.0
"""The choices of selectors: picks, and the evaluations that `mlmq selector evaluate` and `mlmq tune` write."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import style  # before numpy: says what to do when that is missing

import numpy as np

from results.records import ResultsError
from results.times import Times


@dataclass(frozen=True)
class Pick:
    """The selector's choice for an input."""

    workload: str
    query: str
    label: str
    best_ms: float  # best time of the input when the pick was made; NaN if not given


def read_picks(path: Path | str, column: str = "pick") -> list[Pick]:
    """Reads the rows that `mlmq selector picks --format csv` writes.

    @param column the choices to read

    @raises ResultsError if the file is missing or lacks an expected column.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in ("workload", "query", column) if name not in (reader.fieldnames or [])]
            if missing:
                raise ResultsError(f"{path}: no column '{missing[0]}'; expected what "
                                   "`mlmq selector picks --format csv` writes")
            picks = []
            for row in reader:
                if row[column] is None:
                    raise ValueError(f"line {reader.line_num} is too short")
                picks.append(Pick(row["workload"], row["query"], row[column], float(row.get("best_ms") or "nan")))
            return picks
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except (ValueError, csv.Error) as error:
        raise ResultsError(f"{path}: not a table of picks: {error}") from None


def columns_of_picks(times: Times, picks: Sequence[Pick], path: Path | str) -> list[int | None]:
    """Returns for each input the configuration that the selector picked; None if it was never tried on this device.

    @raises ResultsError if the picks do not belong to exactly these inputs.
    """
    waiting: dict[tuple[str, str], list[Pick]] = {}
    for pick in picks:
        waiting.setdefault((pick.workload, pick.query), []).append(pick)
    column_of = {configuration.label: index for index, configuration in reversed(list(enumerate(times.configurations)))}
    columns: list[int | None] = []
    for instance, best in zip(times.inputs, times.best()):
        of_input = waiting.get((instance.workload, instance.query))
        if not of_input:
            raise ResultsError(f"{path}: no pick for {instance.kind} '{instance.workload}', {instance.query}; "
                               "write the picks from the same database and device")
        # Workloads with the same name (such as graphs with other weights) are distinguished by their best time.
        chosen = min(of_input, key=lambda pick: abs(pick.best_ms - best))
        of_input.remove(chosen)
        columns.append(column_of.get(chosen.label))
    unsolved = {(instance.workload, instance.query) for instance in times.unsolved}
    for (workload, query), rest in waiting.items():
        if rest and (workload, query) not in unsolved:
            raise ResultsError(f"{path}: {style.plural(len(rest), 'pick')} too many for {times.noun()} '{workload}', "
                               f"{query}; write the picks from the same database and device")
    return columns


def relative_of_picks(times: Times, columns: Sequence[int | None], relative: np.ndarray | None = None) -> np.ndarray:
    """Returns the relative performance of the picks; 0 for a pick that failed or was never tried.

    @param relative relative performance of all configurations, shaped like `times.milliseconds`; None: times.relative()
    """
    relative = times.relative() if relative is None else relative
    return np.array([0.0 if column is None else relative[row, column] for row, column in enumerate(columns)])


def read_evaluation(path: Path | str, method: str) -> np.ndarray:
    """Reads the relative performance of a method's choices for held-out workloads: one per workload and repeat of the
    cross-validation, from the rows that `mlmq selector evaluate --output` writes.

    @raises ResultsError if the file is missing, lacks an expected column, or has no row of the method.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        values = [float(row["relative"]) for row in rows if row["strategy"] == method]
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except (KeyError, ValueError, UnicodeDecodeError):
        raise ResultsError(f"{path}: expected what `mlmq selector evaluate --output` writes") from None
    if not values:
        known_methods = sorted({row["strategy"] for row in rows})
        raise ResultsError(f"{path}: nothing of the method '{method}'; there are {', '.join(known_methods) or 'none'}")
    return np.array(values)


@dataclass(frozen=True)
class StrategyScore:
    """One strategy for choosing, scored by `mlmq tune` on workloads that it did not learn from."""

    name: str
    mean_relative: float
    near_best: float
    worst: float
    choices: list[list[str]]  # per workload: labels of its choices in each repetition
    relative: np.ndarray  # per workload


@dataclass(frozen=True)
class Evaluation:
    """The scores that `mlmq tune` computed, once, for everything that shows them."""

    selector_strategy: str  # name of the new selector's strategy
    workloads: list[str]  # names as in full_name()
    strategies: list[StrategyScore]  # without "best measured", which is 1 everywhere


def read_tuned(path: Path | str) -> Evaluation | None:
    """Reads the evaluation in a file of a tuned selector; None if there were too few workloads to judge.

    @raises ResultsError if the file is missing or has another form.
    """
    try:
        with open(path, encoding="utf-8") as file:
            about = json.loads(file.readline())["about"]
        stored = about.get("evaluation")
        if stored is None:
            return None
        labels = stored["configurations"]
        strategies = [StrategyScore(entry["name"], entry["mean_relative"], entry["near_best"], entry["worst"],
                                    [[labels[choice] for choice in choices] for choices in entry["choices"]],
                                    np.array(entry["relative"], dtype=float))
                      for entry in stored["ways"] if entry["choices"]]
        return Evaluation(stored["selector_way"], stored["workloads"], strategies)
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except (KeyError, IndexError, TypeError, ValueError):
        raise ResultsError(f"{path}: not a selector as `mlmq tune` writes it") from None
