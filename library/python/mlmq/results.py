# SPDX-License-Identifier: Apache-2.0
"""Reads databases of results, which `mlmq sweep` writes."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import numpy as np

from .errors import InputError

SCHEMA = 6  # version of the tables and views, `PRAGMA user_version`
VIEWS = ("result", "relative", "work_count", "final_result")
# Columns with JSON objects.
_OBJECTS = ("parameters", "counters", "metrics", "environment")


def _is_immutable(path: str) -> bool:
    """Returns whether nothing can be written into the folder of a database that no process writes.

    A reader of a database in WAL mode creates accompanying files, and fails if it cannot.
    """
    log = path + "-wal"
    return (not os.access(os.path.dirname(os.path.abspath(path)), os.W_OK | os.X_OK, effective_ids=True)
            and not (os.path.exists(log) and os.path.getsize(log) > 0))


@contextlib.contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection]:
    """Opens the database for reading; a compressed one is copied to a temporary file."""
    with contextlib.ExitStack() as stack:
        if path.endswith(".gz"):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mlmq-"))
            copy = os.path.join(folder, "results.sqlite")
            with gzip.open(path, "rb") as packed, open(copy, "wb") as plain:
                shutil.copyfileobj(packed, plain)
            path = copy
        address = f"file:{quote(os.fsencode(os.path.abspath(path)))}?mode=ro"
        if _is_immutable(path):
            address += "&immutable=1"
        database = stack.enter_context(contextlib.closing(sqlite3.connect(address, uri=True)))
        version = database.execute("PRAGMA user_version").fetchone()[0]
        if version != SCHEMA:
            raise InputError(f"{path}: the tables have version {version}, expected {SCHEMA}: "
                             "pass a database that 'mlmq sweep' has written")
        yield database


def read_rows(path: str, query: str) -> list[dict[str, Any]]:
    """Returns the rows of a query as dicts."""
    with _opened(path) as database:
        cursor = database.execute(query)
        names = [description[0] for description in cursor.description]
        return [dict(zip(names, row)) for row in cursor]


def _column(values: list[Any]) -> np.ndarray:
    """Converts values to numbers with NaN for NULL, or to objects with None."""
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds or not kinds <= {int, float}:
        column = np.empty(len(values), dtype=object)
        column[:] = values
        return column
    if kinds == {int} and None not in values:
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _frame(columns: dict[str, np.ndarray]) -> Any:
    """Returns a pandas.DataFrame, or the columns if pandas is not installed."""
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError:
        return columns
    return pandas.DataFrame(columns)


def _read(path: str | os.PathLike[str], statement: str) -> Any:
    file = os.fsdecode(path)
    if not os.path.isfile(file):
        raise InputError(f"{file}: no such file")
    try:
        with _opened(file) as database:
            cursor = database.execute(statement)
            if cursor.description is None:
                raise InputError(f"{file}: the statement returns no rows, expected a SELECT")
            names = [description[0] for description in cursor.description]
            rows = cursor.fetchall()
    except (sqlite3.Error, sqlite3.Warning, gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"{file}: cannot be read as a database of results: {error}") from None
    columns: dict[str, np.ndarray] = {}
    for i, name in enumerate(names):
        values = [row[i] for row in rows]
        if name in _OBJECTS:
            values = [json.loads(value) if isinstance(value, str) else value for value in values]
        columns[name] = _column(values)
    return _frame(columns)


def query(path: str | os.PathLike[str], sql: str) -> Any:
    """Reads the result of an SQL query. `sweep` has an example.

    The views have the trials of all kernel code; ``mlmq db query`` leaves out those of code that was replaced.

    Parameters
    ----------
    path : str or path
        A database of ``mlmq sweep``, optionally compressed (.sqlite.gz). It is only read.
    sql : str
        One SELECT statement over the tables and views of docs/reference/database.md.

    Returns
    -------
    pandas.DataFrame
        Or a dict of NumPy arrays by column if pandas is not installed.

    Raises
    ------
    InputError
        If the file is not such a database, or the statement cannot be run.
    """
    return _read(path, sql)


def read_results(path: str | os.PathLike[str], view: str = "result") -> Any:
    """Reads the recorded trials, one row each.

    Parameters
    ----------
    path : str or path
        A database of ``mlmq sweep``, optionally compressed (.sqlite.gz).
    view : {"result", "relative", "work_count", "final_result"}
        "result": every finished trial, including failed ones (`outcome`). "relative": the newest successful trial of
        each configuration, with its performance relative to the best of the same workload, query and device.
        "work_count": counters, one per row. "final_result": interleaved repetitions of the fastest configurations.

    Returns
    -------
    pandas.DataFrame
        Or a dict of NumPy arrays by column if pandas is not installed. `parameters`, `counters`, `metrics` and
        `environment` are dicts. Times are in milliseconds; missing values are NaN, in text columns None.

    Raises
    ------
    InputError
        If the file does not exist, or is not such a database.
    """
    if view not in VIEWS:
        raise InputError(f"view: {view!r}, expected one of {', '.join(VIEWS)}")
    return _read(path, f"SELECT * FROM {view}")
