# SPDX-License-Identifier: Apache-2.0
"""Reading the database of results (db/schema.cpp): one function per question.

Of several trials with one key, the newest counts, as in the database's own views. Numbers of different devices are
never mixed; a simulated device is a device of its own. An input is a workload with a query.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import shutil
import sqlite3
import sys
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import style  # before numpy: says what to do when that is missing

import numpy as np

NEAR_BEST = 0.9  # the threshold of MLMQ §5.5

# Message of the program about a trial that was stopped at a time limit.
STOPPED = re.compile(r"not finished after ([0-9.e+-]+) ms")

# Features of graphs, by their names in the database.
VERTICES = "m"
EDGES = "nnz"

# Counter of work, the feature that it is divided by, and a description of the quotient, for problems that do not read
# queues.
WORK = {"phold": ("moves", "population", "moves per event in the model"),
        "astar": ("expansions", "cells", "expansions per cell")}


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


@dataclass(frozen=True)
class Pick:
    """The selector's choice for an input."""

    workload: str
    query: str
    label: str
    best_ms: float  # best time of the input when the pick was made; NaN if not given


@dataclass
class Times:
    """Median times: `milliseconds[i, c]` of configuration c on input i, NaN if it failed or was not tried."""

    inputs: list[Input]
    configurations: list[Configuration]
    milliseconds: np.ndarray
    unsolved: list[Input]  # inputs that no configuration solved; they are not among `inputs`
    # Time limits of stopped trials, whose times would have been longer; NaN for other trials. None: no trial was
    # stopped.
    limits: np.ndarray | None = None
    unfit: frozenset[int] = frozenset()  # configurations that the device could not run on any input

    def without_unfit(self) -> "Times":
        """Returns the times without the configurations that the device cannot run."""
        columns = [column for column in range(len(self.configurations)) if column not in self.unfit]
        return Times(inputs=self.inputs, configurations=[self.configurations[column] for column in columns],
                     milliseconds=self.milliseconds[:, columns], unsolved=self.unsolved,
                     limits=None if self.limits is None else self.limits[:, columns])

    def of_workloads(self, names: Sequence[str]) -> "Times":
        """Returns the inputs whose workloads have these full names, in this order.

        @raises ResultsError for a workload that is not among the inputs.
        """
        row_of = {full_name(instance): row for row, instance in enumerate(self.inputs)}
        missing = [name for name in names if name not in row_of]
        if missing:
            raise ResultsError(f"the evaluation is of '{missing[0]}', of which the database has no times")
        rows = [row_of[name] for name in names]
        return Times(inputs=[self.inputs[row] for row in rows], configurations=self.configurations,
                     milliseconds=self.milliseconds[rows], unsolved=self.unsolved,
                     limits=None if self.limits is None else self.limits[rows], unfit=self.unfit)

    def of_family(self, *names: str) -> list[int]:
        """Returns the configurations of these families, by index."""
        return [index for index, configuration in enumerate(self.configurations) if configuration.family in names]

    def where(self, **parameters: object) -> list[int]:
        """Returns the configurations with these parameter values, by index; None: without the parameter."""
        return [index for index, configuration in enumerate(self.configurations)
                if all(configuration.parameters.get(name) == value for name, value in parameters.items())]

    def where_has(self, parameter: str) -> list[int]:
        """Returns the configurations with the parameter, by index."""
        return [index for index, configuration in enumerate(self.configurations)
                if parameter in configuration.parameters]

    def best_of(self, columns: Sequence[int]) -> np.ndarray:
        """Returns the best time of each input among some configurations; NaN if none of them has a time."""
        best = np.full(len(self.inputs), np.nan)
        for column in columns:
            best = np.fmin(best, self.milliseconds[:, column])
        return best

    def fastest_of(self, columns: Sequence[int]) -> list[int | None]:
        """Returns for each input the fastest of some configurations; None if none of them has a time."""
        chosen: list[int | None] = []
        for row in self.milliseconds:
            solved = [column for column in columns if not np.isnan(row[column])]
            chosen.append(min(solved, key=lambda column: row[column]) if solved else None)
        return chosen

    def best(self) -> np.ndarray:
        """Returns the best time of each input."""
        return np.nanmin(self.milliseconds, axis=1)

    def relative(self) -> np.ndarray:
        """Returns best time of the input / time, or 0 without a time (MLMQ §5.5)."""
        best = self.best()[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.milliseconds == best, 1.0, best / self.milliseconds)
        return np.nan_to_num(ratio, nan=0.0)

    def ceilings(self) -> np.ndarray:
        """Returns upper bounds of relative(): best time / limit for a trial stopped at a limit, else the value."""
        relative = self.relative()
        if self.limits is None:
            return relative
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = np.minimum(self.best()[:, None] / self.limits, 1.0)
        return np.where(np.isnan(self.milliseconds) & ~np.isnan(self.limits), bound, relative)

    def mean_over_queries(self) -> tuple["Times", list[int]]:
        """Returns one input per workload, that of its first query, with mean times over all of its
        queries (NaN if the time for a query is missing), and the indices of these first inputs."""
        rows: dict[str, list[int]] = {}
        unsolved = {instance.workload_hash for instance in self.unsolved}  # for one of their queries
        for row, instance in enumerate(self.inputs):
            if instance.workload_hash not in unsolved:
                rows.setdefault(instance.workload_hash, []).append(row)
        first = [members[0] for members in rows.values()]
        means = np.array([self.milliseconds[members].mean(axis=0) for members in rows.values()]).reshape(
            len(rows), len(self.configurations))
        limits = None
        if self.limits is not None:
            # For a configuration that was stopped for some queries, the mean is longer than that of times and limits.
            bounded = np.where(np.isnan(self.milliseconds), self.limits, self.milliseconds)
            limits = np.array([bounded[members].mean(axis=0) for members in rows.values()]).reshape(means.shape)
            limits[~np.isnan(means)] = np.nan
        solved = ~np.isnan(means).all(axis=1)
        kept_rows = [row for row, ok in zip(first, solved) if ok]
        lost = [self.inputs[row] for row, ok in zip(first, solved) if not ok]
        return Times(inputs=[self.inputs[row] for row in kept_rows], configurations=self.configurations,
                     milliseconds=means[solved], unsolved=self.unsolved + lost,
                     limits=None if limits is None else limits[solved], unfit=self.unfit), kept_rows

    def noun(self) -> str:
        """Returns the noun for the workloads."""
        return style.noun(instance.kind for instance in [*self.inputs, *self.unsolved])

    def counted(self, rows: Sequence[int]) -> str:
        """Describes the number of workloads, or the number of inputs if a workload has several."""
        workloads = len({self.inputs[row].workload_hash for row in rows})
        return style.plural(len(rows), self.noun() if workloads == len(rows) else "input")

    def families(self) -> dict[str, list[int]]:
        """Returns the configurations of each family, by index, families in the order of style.family_order."""
        members: dict[str, list[int]] = {}
        for index, configuration in enumerate(self.configurations):
            members.setdefault(configuration.family, []).append(index)
        return {name: members[name] for name in sorted(members, key=style.family_order)}

    def best_fixed(self, among: Sequence[int] | None = None) -> int:
        """Returns the configuration with the highest mean relative performance; in a tie, that with the first label."""
        means = self.relative().mean(axis=0)
        return max(range(len(means)) if among is None else among,
                   key=lambda c: (round(float(means[c]), 12), -c))


# The database


@contextmanager
def open_database(path: Path | str) -> Iterator[sqlite3.Connection]:
    """Opens the database for reading.

    @raises ResultsError if the file is missing, not a database, or not a database of this program.
    """
    path = Path(path)
    if not path.is_file():
        raise ResultsError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    # A reader of a database in WAL mode creates accompanying files, and fails if it cannot write them. Without a log,
    # no process is writing, so the file may be read as immutable.
    open_options = "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    try:
        with _plain(path) as file, closing(sqlite3.connect(f"file:{quote(str(file.absolute()))}?{open_options}",
                                                           uri=True)) as connection:
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            if not {"latest", "relative", "work_count", "workload"} <= names:
                raise ResultsError(f"{path}: a database, but not one of mlmq's results")
            connection.execute("BEGIN")  # all queries see the same state of the database
            yield connection
    except sqlite3.Error as error:
        raise ResultsError(f"{path}: {error}") from None


@contextmanager
def _plain(path: Path) -> Iterator[Path]:
    """Yields the file, or a temporary file with its content if it is compressed with gzip."""
    if path.suffix != ".gz":
        yield path
        return
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as plain:
        try:
            with gzip.open(path) as compressed:
                shutil.copyfileobj(compressed, plain)
        except (OSError, EOFError, zlib.error) as error:
            raise ResultsError(f"{path}: {error}") from None
        plain.flush()
        yield Path(plain.name)


def choose_problem(connection: sqlite3.Connection, requested: str | None) -> str:
    """Returns `requested`, or if it is None the only problem with finished trials."""
    if requested:
        return requested
    names = [name for (name,) in connection.execute(
        """SELECT DISTINCT problem FROM configuration
           WHERE id IN (SELECT configuration FROM trial WHERE outcome IS NOT NULL) ORDER BY 1""")]
    if not names:
        raise NotOnRecord("no finished trials")
    if len(names) > 1:
        raise ResultsError(f"finished trials of several problems: {', '.join(names)}; choose one with --problem")
    return names[0]


def devices(connection: sqlite3.Connection, problem: str) -> list[Device]:
    """Returns the devices that have finished time trials of the problem, by name."""
    rows = connection.execute(
        """SELECT d.id, d.name, d.kind, d.architecture, d.hash, d.modelled FROM device d
           WHERE EXISTS (SELECT 1 FROM latest t JOIN configuration c ON c.id = t.configuration
                         WHERE t.device = d.id AND t.measurement = 'time' AND t.outcome = 'ok' AND c.problem = ?)
           ORDER BY d.name, d.hash""", (problem,))
    return [Device(*row[:5], modelled=bool(row[5])) for row in rows]


def is_processors(device: Device) -> bool:
    """Returns whether the device consists of processors, which are recorded for comparison with a GPU."""
    return device.kind == "cpu"


def choose_device(connection: sqlite3.Connection, problem: str, requested: str | None) -> Device:
    """Returns the device to draw: the only one, the only one that is not processors, or the one with `requested` in its
    name (or as its name, if several names contain it) or at the start of its hash.

    @raises ResultsError if there are no finished trials, or if not exactly one device fits (naming them).
    """
    present = devices(connection, problem)
    if not present:
        raise NotOnRecord(f"no finished trials of problem '{problem}' with a time")

    def naming(some: Sequence[Device]) -> str:
        names = Counter(device.name for device in some)
        return ", ".join(f"'{d.name}'" + (f" ({d.architecture}, {d.hash[:12]})" if names[d.name] > 1 else "")
                         for d in some)

    fitting = [device for device in present if not is_processors(device)] or present
    if requested:
        fitting = ([d for d in present if d.name == requested]
                   or [d for d in present
                       if requested in d.name or (len(requested) >= 8 and d.hash.startswith(requested))])
    if not fitting:
        raise ResultsError(f"--device {requested}: no device with finished trials is named like that; "
                           f"there are {naming(present)}")
    if len(fitting) > 1:
        raise ResultsError(f"trials of several devices: {naming(fitting)}; choose one with --device")
    return fitting[0]


def provenance(connection: sqlite3.Connection, device: Device, problem: str, times: Times, path: Path | str,
               scope: Scope = EVERYTHING) -> style.Provenance:
    """Returns the provenance of the times of this device."""
    rows = connection.execute(
        f"""SELECT DISTINCT t.times_modelled, coalesce(f.program_version, ''), t.kernel_source_hash,
                            coalesce(json_extract(c.parameters, '$.solver'), 'mlmq')
            FROM latest t JOIN trial f ON f.id = t.id JOIN configuration c ON c.id = t.configuration
            JOIN workload w ON w.id = t.workload
            WHERE {Scope.SQL} AND t.device = :device AND c.problem = :problem AND t.measurement = 'time'
                  AND t.outcome = 'ok'""",
        {**scope.parameters(), "device": device.id, "problem": problem}).fetchall()
    return style.Provenance(
        device=device.name,
        modelled=device.modelled or any(row[0] for row in rows),
        workloads=len({instance.workload_hash for instance in times.inputs}),
        inputs=len(times.inputs),
        noun=times.noun(),
        versions=tuple(sorted({row[1] for row in rows if row[1]})),
        # Every solver has its own kernel: only several kernels of one solver are worth a note.
        kernels=max(Counter(solver for _, solver in {row[2:] for row in rows}).values(), default=0),
        database=Path(path).name)


def times_of(connection: sqlite3.Connection, device: Device, problem: str, scope: Scope = EVERYTHING) -> Times:
    """Returns all median times of the device: inputs by class, name and query, configurations by label."""
    rows = connection.execute(
        f"""SELECT w.hash, t.query, w.name, w.class, w.kind, c.hash, c.label, c.parameters,
                   CASE WHEN t.outcome = 'ok' THEN t.median_ms END,
                   CASE WHEN t.outcome = 'timeout' THEN t.message END, t.outcome = 'constraint'
            FROM latest t JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration
            WHERE {Scope.SQL} AND t.device = :device AND c.problem = :problem AND t.measurement = 'time'""",
        {**scope.parameters(), "device": device.id, "problem": problem}).fetchall()
    inputs = sorted({Input(*row[:5]) for row in rows},
                    key=lambda i: (style.class_order(i.workload_class), i.workload, query_order(i.query),
                                   i.workload_hash))
    configurations = {}
    for row in rows:
        if row[5] not in configurations:
            parameters = json.loads(row[7])
            configurations[row[5]] = Configuration(row[5], row[6], parameters, style.family(parameters))
    ordered = sorted(configurations.values(), key=lambda c: (c.label, c.hash))
    row_of = {(instance.workload_hash, instance.query): index for index, instance in enumerate(inputs)}
    column_of = {configuration.hash: index for index, configuration in enumerate(ordered)}
    milliseconds = np.full((len(inputs), len(ordered)), np.nan)
    limits = np.full(milliseconds.shape, np.nan)
    unfit = set(range(len(ordered)))
    for row in rows:
        place = row_of[row[0], row[1]], column_of[row[5]]
        if not row[10]:
            unfit.discard(place[1])
        if row[8] is not None:
            milliseconds[place] = row[8]
        elif row[9] is not None and (stopped := STOPPED.match(row[9])):
            limits[place] = float(stopped.group(1))
    solved = ~np.isnan(milliseconds).all(axis=1)
    return Times(inputs=[instance for instance, ok in zip(inputs, solved) if ok], configurations=ordered,
                 milliseconds=milliseconds[solved],
                 unsolved=[instance for instance, ok in zip(inputs, solved) if not ok],
                 limits=limits[solved], unfit=frozenset(unfit))


def full_name(instance: Input) -> str:
    """Returns the program's name for the workload of an input when plain names may be ambiguous."""
    return f"{instance.workload} ({instance.workload_hash[:8]})"


def query_order(query: str) -> list[str | int]:
    """Returns a sort key for queries: numbers in them by value, so that `source=9` is before `source=10`."""
    return [int(piece) if place % 2 else piece for place, piece in enumerate(re.split(r"(\d+)", query))]


def feature_of(connection: sqlite3.Connection, times: Times, name: str) -> np.ndarray:
    """Returns a feature of the workload of each input; NaN for a workload without this feature."""
    values = dict(connection.execute(
        "SELECT w.hash, f.value FROM workload_feature f JOIN workload w ON w.id = f.workload WHERE f.name = ?",
        (name,)))
    return np.array([values.get(instance.workload_hash, np.nan) for instance in times.inputs])


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


def reported_by(connection: sqlite3.Connection, device: Device, problem: str, times: Times, counter: str) -> np.ndarray:
    """Returns a counter that timed runs also report, such as executed events. Shaped like `times.milliseconds`; NaN if
    missing."""
    row_of = {(instance.workload_hash, instance.query): index for index, instance in enumerate(times.inputs)}
    column_of = {configuration.hash: index for index, configuration in enumerate(times.configurations)}
    reported = np.full(times.milliseconds.shape, np.nan)
    for workload, query, configuration, value in connection.execute(
            """SELECT w.hash, t.query, c.hash, k.value FROM latest t JOIN counter k ON k.trial = t.id
               JOIN workload w ON w.id = t.workload JOIN configuration c ON c.id = t.configuration
               WHERE t.device = ? AND c.problem = ? AND t.measurement = 'time' AND t.outcome = 'ok' AND k.name = ?""",
            (device.id, problem, counter)):
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


def outcomes_of(connection: sqlite3.Connection, device: Device, problem: str) -> dict[tuple[str, str], int]:
    """Returns the number of trials (the newest of each key) per measurement and outcome."""
    return {(measurement, outcome): count for measurement, outcome, count in connection.execute(
        """SELECT t.measurement, t.outcome, count(*) FROM latest t JOIN configuration c ON c.id = t.configuration
           WHERE t.device = ? AND c.problem = ? GROUP BY 1, 2 ORDER BY 1 DESC, 2 <> 'ok', 2""",
        (device.id, problem))}


# The selector's picks


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


# The evaluation of a tuned selector


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


# Common parts of all scripts


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments that select the results to read."""
    parser.add_argument("database", metavar="DB", help="database of finished trials")
    parser.add_argument("--device", metavar="NAME", help="part of a device's name, when the database holds several")
    parser.add_argument("--problem", metavar="NAME", help="problem that was solved [the only one on record]")


def figure_path(text: str) -> Path:
    """Checks the name of a figure, for argparse."""
    path = Path(text)
    if path.suffix.lower() not in (".png", ".svg"):
        raise argparse.ArgumentTypeError(f"'{text}' ends neither in .png nor in .svg")
    return path


def note(text: str) -> None:
    """Prints a one-line note on the terminal, also for users of a program that runs this script."""
    print(f"{Path(sys.argv[0]).name}: note: {text}", file=sys.stderr)


def run(main: Callable[[], None]) -> None:
    """Runs a script. An error that the caller can fix is one line on stderr with exit status 2, or 3 if the data to be
    shown was not measured."""
    status = 2
    try:
        main()
    except NotOnRecord as error:
        reason = str(error)
        status = 3
    except (ResultsError, ValueError) as error:
        reason = str(error)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    else:
        return
    print(f"{Path(sys.argv[0]).name}: {' '.join(reason.split())}", file=sys.stderr)
    sys.exit(status)
