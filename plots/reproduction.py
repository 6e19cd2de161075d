# SPDX-License-Identifier: Apache-2.0
"""Common code for the scripts that draw a paper's figure: reading the request that `mlmq reproduce` writes next to the
figure, and the table of the paper's numbers, ours, and their ratio.

Such a script is called with the request: `plots/mlmq_fig8.py out/reproduce/mlmq_fig8.json` draws mlmq_fig8.svg and
mlmq_fig8.png in the same folder, writes the table to mlmq_fig8.csv, and prints the beginning of it.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import results  # before numpy: says what to do when that is missing
import style

import numpy as np


@dataclass(frozen=True)
class PaperNumber:
    """What the paper states: a number, or a name such as that of the best configuration."""

    measure: str
    what: str
    value: float | str
    unit: str
    where: str


@dataclass(frozen=True)
class Request:
    """What to draw, and from which results."""

    file: Path
    figure: str
    title: str
    problem: str
    database: Path
    recorded: bool
    device: str
    processors: str
    scope: results.Scope
    picks: Path | None
    incomplete: bool
    paper: tuple[PaperNumber, ...]

    def number(self, measure: str, where: str = "") -> float | None:
        """The paper's number, of the device or workload whose name begins with `where`; None when it states none."""
        for statement in self.paper:
            if (statement.measure == measure and statement.where.startswith(where)
                    and not isinstance(statement.value, str)):
                return statement.value
        return None


@dataclass(frozen=True)
class Ours:
    """What was measured here for a measure: a number, a name, or nothing, and then `note` says why."""

    value: float | str | None
    note: str = ""
    what: str = ""  # in words, for a measure on which the paper states nothing
    unit: str = ""


@dataclass(frozen=True)
class Trials:
    """The trials of the figure on one device."""

    connection: sqlite3.Connection
    device: results.Device
    times: results.Times
    provenance: style.Provenance
    problem: str

    def counts(self, counter: str, per: str = "") -> np.ndarray:
        """As results.counts_of()."""
        return results.counts_of(self.connection, self.device, self.problem, self.times, counter, per)

    def reported(self, counter: str) -> np.ndarray:
        """As results.reported_by()."""
        return results.reported_by(self.connection, self.device, self.problem, self.times, counter)

    def feature(self, name: str) -> np.ndarray:
        """A feature of the workload of each input.

        @raises ResultsError naming a workload that does not have it.
        """
        values = results.feature_of(self.connection, self.times, name)
        for instance, value in zip(self.times.inputs, values):
            if np.isnan(value):
                raise results.ResultsError(f"{instance.kind} '{instance.workload}' has no feature '{name}' on record")
        return values


Drawing = tuple[style.Figure, Mapping[str, Ours]]


def read_request(path: Path) -> Request:
    """The request that `mlmq reproduce` wrote.

    @raises ResultsError when it is missing or something else.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        numbers = tuple(PaperNumber(statement["measure"], statement["what"],
                                    statement["value"] if "value" in statement else statement["text"],
                                    statement["unit"], statement["where"]) for statement in document["paper"])
        return Request(file=path, figure=document["figure"], title=document["title"], problem=document["problem"],
                       database=Path(document["database"]), recorded=document["recorded"], device=document["device"],
                       processors=document["processors"],
                       scope=results.Scope(tuple(document["experiments"]), tuple(document["workloads"])),
                       picks=Path(document["picks"]) if document["picks"] else None, incomplete=document["incomplete"],
                       paper=numbers)
    except OSError as error:
        raise results.ResultsError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise results.ResultsError(f"{path}: not a request of `mlmq reproduce`: {error!r}") from None


def _known_experiments(connection: sqlite3.Connection, scope: results.Scope) -> results.Scope:
    """The scope, without its experiments if the database has none of them because other sweeps recorded it."""
    names = {name for (name,) in connection.execute("SELECT name FROM experiment")}
    return scope if names & set(scope.experiments) else replace(scope, experiments=())


@contextmanager
def trials_of(request: Request) -> Iterator[Trials]:
    """The trials on the figure's device.

    @raises NotOnRecord when there are none.
    """
    with results.open_database(request.database) as connection:
        device = results.choose_device(connection, request.problem, request.device or None)
        scope = _known_experiments(connection, request.scope)
        times = results.times_of(connection, device, request.problem, scope)
        if not times.inputs:
            raise results.NotOnRecord(
                f"{request.database}: no configuration has solved any of the figure's workloads on {device.name}")
        provenance = replace(
            results.provenance(connection, device, request.problem, times, request.database, scope),
            recorded=request.recorded, incomplete=request.incomplete, figure=paper_name(request.figure))
        yield Trials(connection, device, times, provenance, request.problem)


def on_processors(request: Request, trials: Trials) -> results.Times | None:
    """The times of competitors on processors, on the same inputs; None when there are none, or when they must not be
    compared: the simulator's times are modelled."""
    if trials.provenance.modelled or not request.processors:
        return None
    device = results.choose_device(trials.connection, request.problem, request.processors)
    scope = _known_experiments(trials.connection, request.scope)
    return results.times_of(trials.connection, device, request.problem, scope)


def paper_name(figure: str) -> str:
    """`mlmq/fig8` for people: MLMQ Fig. 8. A figure of this program's own, of no paper, keeps its name."""
    paper, _, part = figure.partition("/")
    if paper == "own":
        return figure
    for short, name in (("fig", "Fig."), ("table", "Table")):
        if part.startswith(short):
            return f"{paper.upper()} {name} {part.removeprefix(short)}"
    return figure


# The table


def _text(value: float | str | None, unit: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    number = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return number + {"x": "×", "%": " %", "": ""}.get(unit, f" {unit}")


COLUMNS = ("measure", "what", "where", "unit", "paper", "ours", "ratio", "note")


def comparison(request: Request, ours: Mapping[str, Ours]) -> list[dict[str, object]]:
    """A row for each number of the paper, and then one for each of ours on which the paper states nothing.

    @raises ResultsError for a number of the paper that the script knows nothing of: a mistake in the figure's file.
    """
    rows: list[dict[str, object]] = []
    for statement in request.paper:
        if statement.measure not in ours:
            raise results.ResultsError(f"{request.figure}: the plot script has no measure '{statement.measure}'; "
                                       f"there are {', '.join(ours)}")
        mine = ours[statement.measure]
        ratio: float | str | None = None
        if isinstance(statement.value, str) and isinstance(mine.value, str):
            ratio = "agrees" if statement.value == mine.value else "differs"
        elif isinstance(statement.value, float | int) and isinstance(mine.value, float | int):
            ratio = float(mine.value) / float(statement.value)
        rows.append(dict(zip(COLUMNS, (statement.measure, statement.what, statement.where, statement.unit,
                                       statement.value, mine.value, ratio, mine.note))))
    stated = {statement.measure for statement in request.paper}
    for measure, mine in ours.items():
        if measure not in stated:
            rows.append(dict(zip(COLUMNS, (measure, mine.what or measure, "", mine.unit, None, mine.value, None,
                                           mine.note))))
    return rows


def _shortened(note: str, most: int = 80) -> str:
    """A note of hundreds of workloads is for the file."""
    return note if len(note) <= most else note[:most - 2].rsplit(" ", 1)[0] + " …"


def summary_text(rows: list[dict[str, object]]) -> str:
    """How many of the paper's numbers have one of ours, and how far apart they are."""
    stated = sum(row["paper"] is not None for row in rows)
    ratios = [row["ratio"] for row in rows if isinstance(row["ratio"], float)]
    compared = len(ratios) + sum(isinstance(row["ratio"], str) for row in rows)
    text = f"{compared} of the paper's {stated} numbers compared"
    if ratios:
        text += f"; ours / the paper's: median {np.median(ratios):.2f}, from {min(ratios):.2f} to {max(ratios):.2f}"
    return text


def table_text(rows: list[dict[str, object]], device: str, rest: Path | str = "", most: int = 8) -> str:
    """Formats at most `most` rows for a terminal, first those that compare with the paper, and a summary of all.

    @param rest the file with all rows
    """
    head = ("", "paper", "ours", "ratio")
    shown = sorted(range(len(rows)), key=lambda i: (rows[i]["ratio"] is None, rows[i]["paper"] is None))[:most]
    lines = []
    for row in (rows[i] for i in sorted(shown)):
        description = f"{row['what']}" + (f" ({row['where']})" if row["where"] else "")
        ratio = row["ratio"]
        note = f"  {_shortened(str(row['note']))}" if row["note"] else ""
        lines.append((description, _text(row["paper"], row["unit"]), _text(row["ours"], row["unit"]),
                      ratio if isinstance(ratio, str) else "–" if ratio is None else f"{ratio:.2f}", note))
    widths = [max(len(head[i]), *(len(line[i]) for line in lines)) if lines else len(head[i]) for i in range(4)]
    text = [f"{'':{widths[0]}}  {'paper':>{widths[1]}}  {'ours':>{widths[2]}}  {'ratio':>{widths[3]}}   ours: {device}"]
    text += [f"{a:{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d:>{widths[3]}}{e}" for a, b, c, d, e in lines]
    if len(rows) > len(lines):
        text += [f"… {len(rows) - len(lines)} more rows" + (f" in {rest}" if rest else ""), summary_text(rows)]
    return "\n".join(line.rstrip() for line in text)


def csv_text(rows: list[dict[str, object]]) -> str:
    """The rows as RFC 4180."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    for row in rows:
        writer.writerow({key: "" if value is None else value for key, value in row.items()})
    return file.getvalue()


def run(draw: Callable[[Request, Trials], Drawing], description: str | None) -> None:
    """A script: draws what the request on its command line asks for."""

    def main() -> None:
        parser = argparse.ArgumentParser(description=description,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("request", metavar="JSON", type=Path, help="request that `mlmq reproduce` has written")
        request = read_request(parser.parse_args().request)
        with trials_of(request) as trials:
            figure, ours = draw(request, trials)
            rows = comparison(request, ours)
            written = style.save(figure, request.file.with_suffix(".svg"))
            table = request.file.with_suffix(".csv")
            style.write_whole(table, csv_text(rows).encode())
            name = trials.provenance.device + (", modelled times" if trials.provenance.modelled else "")
            print(table_text(rows, name + (", recorded" if request.recorded else ""), table.name))
            for file in [*written, table]:
                print(file)

    results.run(main)


# Numbers


def geometric_mean(values: np.ndarray) -> float | None:
    """Of the values that are not NaN; None when there are none."""
    finite = values[~np.isnan(values)]
    return None if len(finite) == 0 else float(np.exp(np.log(finite).mean()))


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """above / below; NaN where one of them is missing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)


def picked(matrix: np.ndarray, columns: list[int | None]) -> np.ndarray:
    """The entry of each row in its column; NaN where there is no column."""
    return np.array([np.nan if column is None else matrix[row, column] for row, column in enumerate(columns)])


def classes_of(times: results.Times) -> dict[str, list[int]]:
    """The inputs of each class of workloads, by index, in the order of style.class_order."""
    members: dict[str, list[int]] = {}
    for index, instance in enumerate(times.inputs):
        members.setdefault(instance.workload_class, []).append(index)
    return {name: members[name] for name in sorted(members, key=style.class_order)}
