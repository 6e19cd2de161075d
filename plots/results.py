# SPDX-License-Identifier: Apache-2.0
"""Reading the database of results (db/schema.cpp): one function per question.

Of several trials of one key the newest counts, as in the database's own views. Numbers of different devices are never
mixed; a simulated device is a device of its own. An input is a graph with a source vertex.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
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


class ResultsError(Exception):
    """Something that the caller can put right; the message is one line."""


class NotOnRecord(ResultsError):
    """The database is as it should be, but nobody has measured what is to be shown."""


@dataclass(frozen=True)
class Device:
    """A device with finished trials."""

    id: int
    name: str
    kind: str
    architecture: str
    hash: str


@dataclass(frozen=True)
class Input:
    """A graph with a source vertex."""

    graph_hash: str
    source: int
    graph: str
    graph_class: str
    vertices: int
    edges: int


@dataclass(frozen=True)
class Configuration:
    """A configuration that was tried."""

    hash: str
    label: str
    parameters: dict[str, object] = field(compare=False)
    family: str


@dataclass(frozen=True)
class Scope:
    """Which trials are meant: those of these experiments (by name) on these graphs (by hash); all when empty."""

    experiments: tuple[str, ...] = ()
    graphs: tuple[str, ...] = ()

    # For trials `t` on graphs `g`, with what arguments() gives.
    SQL = """(json_array_length(?1) = 0 OR t.id IN (
                SELECT l.trial FROM experiment_trial l JOIN experiment e ON e.id = l.experiment
                WHERE e.name IN (SELECT value FROM json_each(?1))))
             AND (json_array_length(?2) = 0 OR g.hash IN (SELECT value FROM json_each(?2)))"""

    def arguments(self) -> tuple[str, str]:
        """The first two arguments of a query with SQL."""
        return json.dumps(self.experiments), json.dumps(self.graphs)


EVERYTHING = Scope()


@dataclass(frozen=True)
class Pick:
    """What the selector picked for an input."""

    graph: str
    source: int
    label: str
    best_ms: float  # best time of the input where the pick was made; NaN when not given


@dataclass
class Times:
    """Median times: `milliseconds[i, c]` of configuration c on input i, NaN when it failed or was not tried."""

    inputs: list[Input]
    configurations: list[Configuration]
    milliseconds: np.ndarray
    unsolved: list[Input]  # inputs that no configuration solved; they are not among `inputs`

    def of_family(self, *names: str) -> list[int]:
        """The configurations of these families, by index."""
        return [index for index, one in enumerate(self.configurations) if one.family in names]

    def where(self, **parameters: object) -> list[int]:
        """The configurations with these values of parameters, by index; None: without the parameter."""
        return [index for index, one in enumerate(self.configurations)
                if all(one.parameters.get(name) == value for name, value in parameters.items())]

    def best_of(self, columns: Sequence[int]) -> np.ndarray:
        """The best time of each input among some configurations; NaN where none of them has one."""
        best = np.full(len(self.inputs), np.nan)
        for column in columns:
            best = np.fmin(best, self.milliseconds[:, column])
        return best

    def fastest_of(self, columns: Sequence[int]) -> list[int | None]:
        """For each input the fastest of some configurations; None where none of them has a time."""
        chosen: list[int | None] = []
        for row in self.milliseconds:
            solved = [column for column in columns if not np.isnan(row[column])]
            chosen.append(min(solved, key=lambda column: row[column]) if solved else None)
        return chosen

    def best(self) -> np.ndarray:
        """The best time of each input."""
        return np.nanmin(self.milliseconds, axis=1)

    def relative(self) -> np.ndarray:
        """Best time of the input divided by time, 0 where there is no time (MLMQ §5.5)."""
        best = self.best()[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self.milliseconds == best, 1.0, best / self.milliseconds)
        return np.nan_to_num(ratio, nan=0.0)

    def mean_over_sources(self) -> tuple["Times", list[int]]:
        """One input for each graph, as for its first source, with the mean of a configuration's times from all of them;
        NaN where it has none from one of them. And which of the inputs here these first ones are."""
        rows: dict[str, list[int]] = {}
        nowhere = {one.graph_hash for one in self.unsolved}  # from one of its sources
        for row, one in enumerate(self.inputs):
            if one.graph_hash not in nowhere:
                rows.setdefault(one.graph_hash, []).append(row)
        first = [members[0] for members in rows.values()]
        means = np.array([self.milliseconds[members].mean(axis=0) for members in rows.values()]).reshape(
            len(rows), len(self.configurations))
        solved = ~np.isnan(means).all(axis=1)
        kept = [row for row, ok in zip(first, solved) if ok]
        lost = [self.inputs[row] for row, ok in zip(first, solved) if not ok]
        return Times(inputs=[self.inputs[row] for row in kept], configurations=self.configurations,
                     milliseconds=means[solved], unsolved=self.unsolved + lost), kept

    def counted(self, rows: Sequence[int]) -> str:
        """How many graphs these inputs are, or how many inputs where a graph has several."""
        graphs = len({self.inputs[row].graph_hash for row in rows})
        return style.plural(len(rows), "graph" if graphs == len(rows) else "input")

    def families(self) -> dict[str, list[int]]:
        """The configurations of each family, by index, families in the order of style.family_order."""
        members: dict[str, list[int]] = {}
        for index, configuration in enumerate(self.configurations):
            members.setdefault(configuration.family, []).append(index)
        return {name: members[name] for name in sorted(members, key=style.family_order)}

    def best_fixed(self, among: Sequence[int] | None = None) -> int:
        """The configuration with the highest mean relative performance over all inputs; of equals the first label."""
        means = self.relative().mean(axis=0)
        return max(range(len(means)) if among is None else among,
                   key=lambda c: (round(float(means[c]), 12), -c))


# The database


@contextmanager
def open_database(path: Path | str) -> Iterator[sqlite3.Connection]:
    """The database, read only.

    @raises ResultsError when the file is missing, not a database or not one of this program.
    """
    path = Path(path)
    if not path.is_file():
        raise ResultsError(f"{path}: {'not a file' if path.exists() else 'no such file'}")
    # A reader of a database in WAL mode leaves files beside it, and fails where it cannot write them. Without a log
    # nobody is writing, so the file may be read as it is.
    how = "mode=ro" if Path(f"{path}-wal").exists() else "mode=ro&immutable=1"
    try:
        with _plain(path) as file, closing(sqlite3.connect(f"file:{quote(str(file.absolute()))}?{how}",
                                                           uri=True)) as connection:
            views = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")}
            if not {"latest", "relative", "work_count"} <= views:
                raise ResultsError(f"{path}: a database, but not one of mlmq's results")
            connection.execute("BEGIN")  # one state of the database for all questions
            yield connection
    except sqlite3.Error as error:
        raise ResultsError(f"{path}: {error}") from None


@contextmanager
def _plain(path: Path) -> Iterator[Path]:
    """The file, or a temporary one with what is in it when it is compressed with gzip."""
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


def devices(connection: sqlite3.Connection, problem: str) -> list[Device]:
    """The devices that have finished time trials of the problem, by name."""
    rows = connection.execute(
        """SELECT d.id, d.name, d.kind, d.architecture, d.hash FROM device d
           WHERE EXISTS (SELECT 1 FROM latest t JOIN configuration c ON c.id = t.configuration
                         WHERE t.device = d.id AND t.measurement = 'time' AND t.outcome = 'ok' AND c.problem = ?)
           ORDER BY d.name, d.hash""", (problem,))
    return [Device(*row) for row in rows]


def choose_device(connection: sqlite3.Connection, problem: str, wanted: str | None) -> Device:
    """The device to draw: the only one, or the only one that is no processors, or the one whose name contains `wanted`
    (or is it, when several contain it), or whose hash starts with it.

    @raises ResultsError when there are no finished trials, or not exactly one device fits (naming them).
    """
    present = devices(connection, problem)
    if not present:
        raise NotOnRecord(f"no finished trials of problem '{problem}' with a time")

    def naming(some: Sequence[Device]) -> str:
        names = Counter(device.name for device in some)
        return ", ".join(f"'{d.name}'" + (f" ({d.architecture}, {d.hash[:12]})" if names[d.name] > 1 else "")
                         for d in some)

    # Processors are on record beside a GPU for what they are weighed against.
    fitting = [device for device in present if device.kind != "cpu"] or present
    if wanted:
        fitting = ([d for d in present if d.name == wanted]
                   or [d for d in present if wanted in d.name or (len(wanted) >= 8 and d.hash.startswith(wanted))])
    if not fitting:
        raise ResultsError(f"--device {wanted}: no device with finished trials is named like that; "
                           f"there are {naming(present)}")
    if len(fitting) > 1:
        raise ResultsError(f"trials of several devices: {naming(fitting)}; choose one with --device")
    return fitting[0]


def provenance(connection: sqlite3.Connection, device: Device, problem: str, times: Times, path: Path | str,
               scope: Scope = EVERYTHING) -> style.Provenance:
    """Where the times of this device come from."""
    rows = connection.execute(
        f"""SELECT DISTINCT t.times_modelled, coalesce(f.program_version, ''), t.kernel_source_hash,
                            coalesce(json_extract(c.parameters, '$.solver'), 'mlmq')
            FROM latest t JOIN trial f ON f.id = t.id JOIN configuration c ON c.id = t.configuration
            JOIN graph g ON g.id = t.graph
            WHERE {Scope.SQL} AND t.device = ?3 AND c.problem = ?4 AND t.measurement = 'time' AND t.outcome = 'ok'""",
        (*scope.arguments(), device.id, problem)).fetchall()
    return style.Provenance(
        device=device.name,
        modelled=device.kind == "simt" or any(row[0] for row in rows),
        graphs=len({one.graph_hash for one in times.inputs}),
        inputs=len(times.inputs),
        versions=tuple(sorted({row[1] for row in rows if row[1]})),
        # Every solver has a kernel of its own: only several of one solver are worth saying.
        kernels=max(Counter(solver for _, solver in {row[2:] for row in rows}).values(), default=0),
        database=Path(path).name)


def times_of(connection: sqlite3.Connection, device: Device, problem: str, scope: Scope = EVERYTHING) -> Times:
    """All median times of the device: inputs by class, name and source, configurations by label."""
    rows = connection.execute(
        f"""SELECT g.hash, t.source, g.name, g.class, g.vertices, g.edges, c.hash, c.label, c.parameters,
                   CASE WHEN t.outcome = 'ok' THEN t.median_ms END
            FROM latest t JOIN graph g ON g.id = t.graph JOIN configuration c ON c.id = t.configuration
            WHERE {Scope.SQL} AND t.device = ?3 AND c.problem = ?4 AND t.measurement = 'time'""",
        (*scope.arguments(), device.id, problem)).fetchall()
    inputs = sorted({Input(*row[:6]) for row in rows},
                    key=lambda i: (style.class_order(i.graph_class), i.graph, i.source, i.graph_hash))
    configurations = {}
    for row in rows:
        if row[6] not in configurations:
            parameters = json.loads(row[8])
            configurations[row[6]] = Configuration(row[6], row[7], parameters, style.family(parameters))
    ordered = sorted(configurations.values(), key=lambda c: (c.label, c.hash))
    row_of = {(one.graph_hash, one.source): index for index, one in enumerate(inputs)}
    column_of = {one.hash: index for index, one in enumerate(ordered)}
    milliseconds = np.full((len(inputs), len(ordered)), np.nan)
    for row in rows:
        if row[9] is not None:
            milliseconds[row_of[row[0], row[1]], column_of[row[6]]] = row[9]
    solved = ~np.isnan(milliseconds).all(axis=1)
    return Times(inputs=[one for one, ok in zip(inputs, solved) if ok], configurations=ordered,
                 milliseconds=milliseconds[solved], unsolved=[one for one, ok in zip(inputs, solved) if not ok])


def counts_of(connection: sqlite3.Connection, device: Device, problem: str, times: Times, counter: str) -> np.ndarray:
    """A work counter per vertex of the graph. Shaped like `times.milliseconds`; NaN without a counters trial, or in a
    solver that does not have this counter."""
    row_of = {(one.graph_hash, one.source): index for index, one in enumerate(times.inputs)}
    column_of = {one.hash: index for index, one in enumerate(times.configurations)}
    work = np.full(times.milliseconds.shape, np.nan)
    for graph, source, configuration, value in connection.execute(
            """SELECT graph_hash, source, configuration_hash, value FROM work_count
               WHERE counter = ? AND problem = ? AND device_hash = ?""", (counter, problem, device.hash)):
        row, column = row_of.get((graph, source)), column_of.get(configuration)
        if row is not None and column is not None and times.inputs[row].vertices > 0:
            work[row, column] = value / times.inputs[row].vertices
    return work


def pops_of(connection: sqlite3.Connection, device: Device, problem: str, times: Times) -> np.ndarray:
    """Queue elements that workers read, per vertex of the graph: the total work of MLMQ Fig. 11. As counts_of()."""
    return counts_of(connection, device, problem, times, "pops")


def outcomes_of(connection: sqlite3.Connection, device: Device, problem: str) -> dict[tuple[str, str], int]:
    """How many trials (the newest of each key) of each measurement ended in each way."""
    return {(measurement, outcome): count for measurement, outcome, count in connection.execute(
        """SELECT t.measurement, t.outcome, count(*) FROM latest t JOIN configuration c ON c.id = t.configuration
           WHERE t.device = ? AND c.problem = ? GROUP BY 1, 2 ORDER BY 1 DESC, 2 <> 'ok', 2""",
        (device.id, problem))}


# The selector's picks


def read_picks(path: Path | str) -> list[Pick]:
    """The rows that `mlmq selector picks --format csv` writes.

    @raises ResultsError when the file is missing or has not the expected columns.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            missing = [name for name in ("graph", "source", "pick") if name not in (reader.fieldnames or [])]
            if missing:
                raise ResultsError(f"{path}: no column '{missing[0]}'; expected what "
                                   "`mlmq selector picks --format csv` writes")
            return [Pick(row["graph"], int(row["source"]), row["pick"] or "", float(row.get("best_ms") or "nan"))
                    for row in reader]
    except OSError as error:
        raise ResultsError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, csv.Error) as error:
        raise ResultsError(f"{path}: not a table of picks: {error}") from None


def columns_of_picks(times: Times, picks: Sequence[Pick], path: Path | str) -> list[int | None]:
    """For each input the configuration that the selector picked; None when it was never tried on this device.

    @raises ResultsError when the picks are not those of exactly these inputs.
    """
    waiting: dict[tuple[str, int], list[Pick]] = {}
    for pick in picks:
        waiting.setdefault((pick.graph, pick.source), []).append(pick)
    column_of = {one.label: index for index, one in reversed(list(enumerate(times.configurations)))}
    columns: list[int | None] = []
    for one, best in zip(times.inputs, times.best()):
        of_input = waiting.get((one.graph, one.source))
        if not of_input:
            raise ResultsError(f"{path}: no pick for graph '{one.graph}' from {one.source}; "
                               "write the picks from the same database and device")
        # Graphs of one name (other weights, say) are told apart by their best time.
        chosen = min(of_input, key=lambda pick: abs(pick.best_ms - best))
        of_input.remove(chosen)
        columns.append(column_of.get(chosen.label))
    unsolved = {(one.graph, one.source) for one in times.unsolved}
    for (graph, source), rest in waiting.items():
        if rest and (graph, source) not in unsolved:
            raise ResultsError(f"{path}: {style.plural(len(rest), 'pick')} too many for graph '{graph}' from {source}; "
                               "write the picks from the same database and device")
    return columns


def relative_of_picks(times: Times, columns: Sequence[int | None]) -> np.ndarray:
    """The relative performance of the picks: 0 for one that failed or was never tried."""
    relative = times.relative()
    return np.array([0.0 if column is None else relative[row, column] for row, column in enumerate(columns)])


# What every script does


def add_common_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which results to read."""
    parser.add_argument("database", metavar="DB", help="database of finished trials")
    parser.add_argument("--device", metavar="NAME", help="part of a device's name, when the database holds several")
    parser.add_argument("--problem", default="sssp", help="problem that was solved [%(default)s]")


def figure_path(text: str) -> Path:
    """For argparse: the name of a figure."""
    path = Path(text)
    if path.suffix.lower() not in (".png", ".svg"):
        raise argparse.ArgumentTypeError(f"'{text}' ends neither in .png nor in .svg")
    return path


def note(text: str) -> None:
    """One line for the person at the terminal."""
    print(text, file=sys.stderr)


def run(main: Callable[[], None]) -> None:
    """Runs a script: an error that the caller can put right is one line on stderr and exit status 2; 3 when what is to be
    shown has not been measured."""
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
