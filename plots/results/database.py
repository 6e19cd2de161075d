# SPDX-License-Identifier: Apache-2.0
"""Opens the database of results (db/schema.cpp), selects a device, and reads its times."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import sqlite3
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import style  # before numpy: says what to do when that is missing

import numpy as np

from results.records import EVERYTHING, Configuration, Device, Input, NotOnRecord, ResultsError, Scope, query_order
from results.times import Times

# Message of the program about a trial that was stopped at a time limit.
STOPPED = re.compile(r"not finished after ([0-9.e+-]+) ms")


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
    tried = np.zeros(milliseconds.shape, dtype=bool)
    unfit = set(range(len(ordered)))
    for row in rows:
        place = row_of[row[0], row[1]], column_of[row[5]]
        tried[place] = True
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
                 limits=limits[solved], unfit=frozenset(unfit), tried=tried[solved])


def outcomes_of(connection: sqlite3.Connection, device: Device, problem: str) -> dict[tuple[str, str], int]:
    """Returns the number of trials (the newest of each key) per measurement and outcome."""
    return {(measurement, outcome): count for measurement, outcome, count in connection.execute(
        """SELECT t.measurement, t.outcome, count(*) FROM latest t JOIN configuration c ON c.id = t.configuration
           WHERE t.device = ? AND c.problem = ? GROUP BY 1, 2 ORDER BY 1 DESC, 2 <> 'ok', 2""",
        (device.id, problem))}
