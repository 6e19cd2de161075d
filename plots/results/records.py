# SPDX-License-Identifier: Apache-2.0
"""Records of the database: devices, inputs, configurations, which trials to select; and the errors of reading them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field


class ResultsError(Exception):
    """An error that the caller can fix; the message is one line."""


class NotOnRecord(ResultsError):
    """The database is valid, but the data to be shown was not measured."""


@dataclass(frozen=True)
class Device:
    """A device with finished trials."""

    id: int
    name: str
    kind: str
    architecture: str
    hash: str
    modelled: bool  # times come from the simulator's model, not from a clock


@dataclass(frozen=True)
class Input:
    """A workload with a query, such as a graph with `source=5`."""

    workload_hash: str
    query: str
    workload: str
    workload_class: str
    kind: str  # kind of the workload


@dataclass(frozen=True)
class Configuration:
    """A configuration that was tried."""

    hash: str
    label: str
    parameters: dict[str, object] = field(compare=False)
    family: str


@dataclass(frozen=True)
class Scope:
    """A selection of trials: those of these experiments (by name) on these workloads (by hash); empty: all."""

    experiments: tuple[str, ...] = ()
    workloads: tuple[str, ...] = ()

    # Refers to trials `t` and workloads `w`; parameters() has the values.
    SQL = """(json_array_length(:experiments) = 0 OR t.id IN (
                SELECT l.trial FROM experiment_trial l JOIN experiment e ON e.id = l.experiment
                WHERE e.name IN (SELECT value FROM json_each(:experiments))))
             AND (json_array_length(:workloads) = 0 OR w.hash IN (SELECT value FROM json_each(:workloads)))"""

    def parameters(self) -> dict[str, str]:
        """Returns the values of the named parameters in SQL."""
        return {"experiments": json.dumps(self.experiments), "workloads": json.dumps(self.workloads)}


EVERYTHING = Scope()


def full_name(instance: Input) -> str:
    """Returns the program's name for the workload of an input when plain names may be ambiguous."""
    return f"{instance.workload} ({instance.workload_hash[:8]})"


def query_order(query: str) -> list[str | int]:
    """Returns a sort key for queries: numbers in them by value, so that `source=9` is before `source=10`."""
    return [int(piece) if place % 2 else piece for place, piece in enumerate(re.split(r"(\d+)", query))]
