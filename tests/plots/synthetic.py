# SPDX-License-Identifier: Apache-2.0
"""Databases of results with known numbers, made with the SQL of db/schema.cpp."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

SCHEMA = Path(__file__).resolve().parents[2] / "db" / "schema.cpp"


def schema_sql() -> str:
    """Returns all steps of the schema, in their order in the file."""
    steps = re.findall(r'R"sql\((.*?)\)sql"', SCHEMA.read_text(encoding="utf-8"), re.DOTALL)
    if not steps:
        raise AssertionError(f"{SCHEMA} has no R\"sql(…)sql\" text")
    return "\n".join(steps)


def _number_of_header(name: str) -> int:
    """Returns a constant of db/schema.hpp."""
    return int(re.search(rf"{name} = (\w+);", SCHEMA.with_suffix(".hpp").read_text(encoding="utf-8"))[1], 0)


def configuration(l1: str, l2: str, **others: object) -> dict[str, object]:
    """Returns the parameters of a configuration."""
    return {"l0": "none", "l1": l1, "l2": l2, **others}


def label_of(parameters: dict[str, object]) -> str:
    """Returns the label in the format of tuner::configuration::label."""
    return ",".join(f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}"
                    for key, value in sorted(parameters.items()))


class Database:
    """A database under construction; close() completes the file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.executescript(schema_sql())
        for pragma, constant in (("application_id", "application_id"), ("user_version", "schema_version")):
            self.connection.execute(f"PRAGMA {pragma} = {_number_of_header(constant)}")
        self._ids: dict[tuple[str, str], int] = {}
        self._clock = 0

    def close(self) -> None:
        self.connection.commit()
        self.connection.close()

    def _row(self, table: str, hash_: str, **columns: object) -> int:
        if (table, hash_) not in self._ids:
            names = ", ".join(["hash", *columns])
            marks = ", ".join("?" * (len(columns) + 1))
            cursor = self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})",
                                             (hash_, *columns.values()))
            self._ids[table, hash_] = int(cursor.lastrowid or 0)
        return self._ids[table, hash_]

    def device(self, name: str, kind: str = "cuda", hash_: str = "") -> int:
        return self._row("device", hash_ or f"device {name}", name=name, kind=kind, modelled=int(kind == "simt"),
                         architecture="sm_90", memory_bytes=1 << 30, multiprocessors=132, description="{}")

    def workload(self, name: str, class_: str, kind: str) -> int:
        return self._row("workload", f"{kind} {name}", kind=kind, name=name, **{"class": class_}, family=name,
                         origin=name, bytes=1 << 20, description="{}")

    def graph(self, name: str, class_: str, vertices: int = 100, edges: int = 400) -> int:
        """Adds a workload with the features for the size of a graph."""
        workload = self.workload(name, class_, "graph")
        self.features(workload, m=vertices, nnz=edges)
        return workload

    def features(self, workload: int, **values: float) -> None:
        """Adds features of a workload, such as avg_nnz."""
        self.connection.executemany("INSERT OR REPLACE INTO workload_feature VALUES (?, ?, ?)",
                                    [(workload, name, value) for name, value in values.items()])

    def experiment(self, name: str) -> int:
        return self._row("experiment", f"experiment {name}", name=name, space_text="", settings="{}",
                         created="2025-01-01T00:00:00Z", used="2025-01-01T00:00:00Z")

    def configuration(self, parameters: dict[str, object], problem: str = "sssp") -> int:
        label = label_of(parameters)
        return self._row("configuration", f"configuration {problem} {label}", problem=problem, label=label,
                         parameters=json.dumps(parameters, sort_keys=True))

    def trial(self, device: int, workload: int, parameters: dict[str, object], milliseconds: float | None = None,
              pops: float | None = None, outcome: str = "ok", query: str = "source=0", kernel: str = "kernel",
              modelled: bool = False, counters: dict[str, float] | None = None, experiment: str = "",
              problem: str = "sssp", timeline: list[tuple[float, ...]] | None = None,
              reported: dict[str, float] | None = None, message: str = "", measurement: str = "") -> None:
        """Adds a trial newer than the others: of time, of counters if `pops` or `counters` is given, or of a
        timeline (time, vertices, active warps, and optionally parallelism) if that is given, or else of `measurement`.
        A timed run may also report counters, and so do those of other measurements."""
        counters = {**(counters or {}), **({} if pops is None else {"pops": pops})}
        measurement = measurement or ("counters" if counters else "time" if timeline is None else "timeline")
        self._clock += 1
        cursor = self.connection.execute(
            """INSERT INTO trial (workload, query, configuration, device, kernel_source_hash, measurement, state,
                                  outcome, message, finished_at, median_ms, times_modelled, program_version)
               VALUES (?, ?, ?, ?, ?, ?, 'done', ?, ?, ?, ?, ?, '0.1.0')""",
            (workload, query, self.configuration(parameters, problem), device, kernel, measurement,
             outcome, message,
             f"2025-01-01T{self._clock // 3600:02}:{self._clock // 60 % 60:02}:{self._clock % 60:02}Z",
             milliseconds if outcome == "ok" else None, int(modelled)))
        for name, value in {**counters, **(reported or {})}.items():
            self.connection.execute("INSERT INTO counter VALUES (?, ?, ?)", (cursor.lastrowid, name, value))
        for ordinal, (time, *values) in enumerate(timeline or []):
            for name, value in zip(("vertices", "active_warps", "parallelism"), values):
                self.connection.execute("INSERT INTO timeline VALUES (?, ?, ?, ?, ?)",
                                        (cursor.lastrowid, name, ordinal, time, value))
        if experiment:
            self.connection.execute("INSERT INTO experiment_trial VALUES (?, ?)",
                                    (self.experiment(experiment), cursor.lastrowid))
