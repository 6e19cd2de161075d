# SPDX-License-Identifier: Apache-2.0
"""Common code for the scripts that draw a paper's figure: reading the request that `mlmq reproduce` writes next to the
figure, and the table of the paper's numbers, ours, and their ratio.

Such a script is called with the request: `plots/mlmq_fig8.py out/reproduce/mlmq_fig8.json` draws mlmq_fig8.svg,
mlmq_fig8.pdf and mlmq_fig8.png in the same folder, writes the table to mlmq_fig8.csv, and prints the beginning of it.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import results  # before numpy: says what to do when that is missing
import style
import verdicts
from verdicts import Finding, Verdict

import numpy as np


@dataclass(frozen=True)
class PaperNumber:
    """A value from the paper: a number, or a name such as that of the best configuration."""

    measure: str
    what: str
    value: float | str
    unit: str
    where: str


@dataclass(frozen=True)
class Request:
    """A request of `mlmq reproduce`: the figure to draw, and the results to use."""

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
    layout: style.Layout
    paper: tuple[PaperNumber, ...]

    def number(self, measure: str, where: str = "") -> float | None:
        """Returns the paper's number for the device or workload whose name begins with `where`, or None."""
        for statement in self.paper:
            if (statement.measure == measure and statement.where.startswith(where)
                    and not isinstance(statement.value, str)):
                return statement.value
        return None


@dataclass(frozen=True)
class Ours:
    """The measured value of a measure: a number, a name, or nothing, in which case `note` has the reason."""

    value: float | str | None
    note: str = ""
    what: str = ""  # description of the measure; "": that of the paper
    unit: str = ""
    # Whether the paper's number is the same quantity on the same work, so that the two may stand in one row.
    same_work: bool = False


@dataclass(frozen=True)
class Trials:
    """The trials for the figure on one device."""

    connection: sqlite3.Connection
    device: results.Device
    times: results.Times
    provenance: style.Provenance
    problem: str

    def counts(self, counter: str, per: str = "") -> np.ndarray:
        """Calls results.counts_of() for these trials."""
        return results.counts_of(self.connection, self.device, self.problem, self.times, counter, per)

    def reported(self, counter: str, measurement: str = "time") -> np.ndarray:
        """Calls results.reported_by() for these trials."""
        return results.reported_by(self.connection, self.device, self.problem, self.times, counter, measurement)

    def feature(self, name: str) -> np.ndarray:
        """Returns a feature of the workload of each input.

        @raises ResultsError naming a workload without the feature.
        """
        values = results.feature_of(self.connection, self.times, name)
        for instance, value in zip(self.times.inputs, values):
            if np.isnan(value):
                raise results.ResultsError(f"{instance.kind} '{instance.workload}' has no feature '{name}' on record")
        return values


# A figure, its measures by name, and the paper's findings about it.
Drawing = tuple[style.Figure, Mapping[str, Ours], Sequence[Finding]]


def read_request(path: Path) -> Request:
    """Reads the request that `mlmq reproduce` wrote.

    @raises ResultsError if the file is missing or not a request.
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
                       layout=style.Layout(document["width"] == "column", document["stamp"]), paper=numbers)
    except OSError as error:
        raise results.ResultsError(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise results.ResultsError(
            f"{path}: not a request of `mlmq reproduce`: {type(error).__name__}: {error}") from None


@contextmanager
def trials_of(request: Request) -> Iterator[Trials]:
    """Yields the trials on the figure's device.

    @raises NotOnRecord if there are none.
    """
    with results.open_database(request.database) as connection:
        device = results.choose_device(connection, request.problem, request.device or None)
        times = results.times_of(connection, device, request.problem, request.scope)
        if not times.inputs:
            raise results.NotOnRecord(
                f"{request.database}: no configuration has solved any of the figure's workloads on {device.name}")
        provenance = replace(
            results.provenance(connection, device, request.problem, times, request.database, request.scope),
            recorded=request.recorded, incomplete=request.incomplete, figure=paper_name(request.figure),
            experiments=request.scope.experiments)
        if times.unsolved:
            provenance = provenance.noting(
                f"Left out: {style.plural(len(times.unsolved), 'input')} that no configuration has solved.")
        yield Trials(connection, device, times, provenance, request.problem)


def require_series(trials: Trials, columns: Mapping[str, Sequence[int]]) -> None:
    """Checks that every series of a figure has trials, which may have failed.

    @raises NotOnRecord naming the series without trials.
    """
    missing = [name for name, members in columns.items() if not members]
    if missing:
        raise results.NotOnRecord(f"no trials of {', '.join(missing)}")


def require_counts(counts: np.ndarray, description: str = "work counts") -> None:
    """@raises NotOnRecord if there is no count."""
    if np.isnan(counts).all():
        raise results.NotOnRecord(f"no {description}")


def on_processors(request: Request, trials: Trials) -> results.Times | None:
    """Returns the times of competitors on processors for the same inputs; None if there are none, or if they must
    not be compared: the simulator's times are modelled."""
    if trials.provenance.modelled or not request.processors:
        return None
    device = results.choose_device(trials.connection, request.problem, request.processors)
    return results.times_of(trials.connection, device, request.problem, request.scope)


def paper_name(figure: str) -> str:
    """Converts `mlmq/fig8` to "MLMQ Fig. 8". A figure that belongs to no paper keeps its name."""
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


COLUMNS = ("measure", "what", "where", "unit", "paper", "ours", "note", "verdict")


def comparison(request: Request, ours: Mapping[str, Ours]) -> list[dict[str, object]]:
    """Returns our measures, then those numbers of the paper that are not the same quantity on the same work. Only rows
    of the same work have both.

    @raises ResultsError for a number that the script does not know, which is an error in the figure's file.
    """
    unknown = [statement.measure for statement in request.paper if statement.measure not in ours]
    if unknown:
        raise results.ResultsError(f"{request.figure}: the plot script has no measure '{unknown[0]}'; "
                                   f"there are {', '.join(ours)}")
    rows: list[dict[str, object]] = []
    paper_only: list[dict[str, object]] = []
    for measure, mine in ours.items():
        stated = [statement for statement in request.paper if statement.measure == measure]
        what = stated[0].what if stated and not mine.what else mine.what or measure
        unit = stated[0].unit if stated else mine.unit
        both = mine.same_work and mine.value is not None and bool(stated)
        if not both and (mine.value is not None or not stated):
            rows.append(dict(zip(COLUMNS, (measure, what, "", unit, None, mine.value, mine.note, ""))))
        for statement in stated:
            (rows if both else paper_only).append(
                dict(zip(COLUMNS, (measure, statement.what, statement.where, statement.unit, statement.value,
                                   mine.value if both else None, mine.note if both or mine.value is None else "",
                                   ""))))
    return rows + paper_only


def judged(request: Request, ours: Mapping[str, Ours], findings: Sequence[Finding]) -> list[Verdict]:
    """Returns the verdict on each finding."""
    paper: dict[str, list[float]] = {}
    for statement in request.paper:
        if not isinstance(statement.value, str):
            paper.setdefault(statement.measure, []).append(statement.value)
    numbers = {measure: mine.value for measure, mine in ours.items()}
    return [verdicts.judge(finding, numbers, paper) for finding in findings]


def verdict_rows(findings: Sequence[Finding], judgements: Sequence[Verdict]) -> list[dict[str, object]]:
    """Returns a row for each finding, then one for the figure; none for a figure without findings."""
    rows = [(f"finding_{number}", finding.statement, verdict.numbers, verdict.name)
            for number, (finding, verdict) in enumerate(zip(findings, judgements), start=1)]
    if findings:
        rows.append(("verdict", "all findings", "", verdicts.overall([verdict.name for verdict in judgements])))
    return [dict(zip(COLUMNS, (measure, what, "", "", None, None, note, verdict)))
            for measure, what, note, verdict in rows]


def verdict_text(rows: list[dict[str, object]]) -> str:
    """Formats the rows of verdict_rows() for a terminal."""
    *of_findings, of_figure = rows
    lines = [f"The paper's findings: {of_figure['verdict'] or 'not on record'}"]
    for row in of_findings:
        numbers = f" ({row['note']})" if row["verdict"] else ""
        lines.append(f"  {row['verdict'] or 'not on record'}: {row['what']}{numbers}")
    return "\n".join(lines)


def _shortened(note: str, most: int = 80) -> str:
    """Shortens a note. Long notes, for example about hundreds of workloads, are only in the file."""
    return note if len(note) <= most else note[:most - 2].rsplit(" ", 1)[0] + " …"


def table_text(rows: list[dict[str, object]], device: str, rest: Path | str = "", most: int = 10) -> str:
    """Formats at most `most` rows for a terminal, first those that have a number of ours, and counts the others.

    @param rest the file with all rows
    """
    head = ("", "paper", "ours")
    shown = sorted(range(len(rows)), key=lambda i: rows[i]["ours"] is None)[:most]
    lines = []
    for row in (rows[i] for i in sorted(shown)):
        description = f"{row['what']}" + (f" ({row['where']})" if row["where"] else "")
        note = f"  {_shortened(str(row['note']))}" if row["note"] else ""
        lines.append((description, _text(row["paper"], row["unit"]), _text(row["ours"], row["unit"]), note))
    widths = [max(len(head[i]), *(len(line[i]) for line in lines)) if lines else len(head[i]) for i in range(3)]
    text = [f"{'':{widths[0]}}  {'paper':>{widths[1]}}  {'ours':>{widths[2]}}   ours: {device}"]
    text += [f"{a:{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}{d}" for a, b, c, d in lines]
    if len(rows) > len(lines):
        text.append(f"… {len(rows) - len(lines)} more rows" + (f" in {rest}" if rest else ""))
    return "\n".join(line.rstrip() for line in text)


def csv_text(rows: list[dict[str, object]]) -> str:
    """Returns the rows as CSV (RFC 4180)."""
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    for row in rows:
        writer.writerow({key: "" if value is None else value for key, value in row.items()})
    return file.getvalue()


def run(draw: Callable[[Request, Trials], Drawing], description: str | None) -> None:
    """Runs a script, which draws the figure of the request on the command line."""

    def main() -> None:
        parser = argparse.ArgumentParser(description=description,
                                         formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("request", metavar="JSON", type=Path, help="request that `mlmq reproduce` has written")
        request = read_request(parser.parse_args().request)
        style.layout = request.layout
        with trials_of(request) as trials:
            figure, ours, findings = draw(request, trials)
            rows = comparison(request, ours)
            of_findings = verdict_rows(findings, judged(request, ours, findings))
            written = style.save(figure, request.file.with_suffix(".svg"), with_pdf=True)
            table = request.file.with_suffix(".csv")
            style.write_whole(table, csv_text(rows + of_findings).encode())
            name = trials.provenance.device + (", modelled times" if trials.provenance.modelled else "")
            print(table_text(rows, name + (", recorded" if request.recorded else ""), table.name))
            if of_findings:
                print(verdict_text(of_findings))
            for file in [*written, table]:
                print(file)

    results.run(main)


# Numbers


def geometric_mean(values: np.ndarray) -> float | None:
    """Returns the geometric mean of the values that are not NaN, or None if there are none."""
    finite = values[~np.isnan(values)]
    return None if len(finite) == 0 else float(np.exp(np.log(finite).mean()))


def ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """Returns above / below; NaN if one of them is missing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)


def picked(matrix: np.ndarray, columns: list[int | None]) -> np.ndarray:
    """Returns the entry of each row in the row's column; NaN if there is no column."""
    return np.array([np.nan if column is None else matrix[row, column] for row, column in enumerate(columns)])


def classes_of(times: results.Times) -> dict[str, list[int]]:
    """Returns the inputs of each class of workloads, by index, in the order of style.class_order."""
    members: dict[str, list[int]] = {}
    for index, instance in enumerate(times.inputs):
        members.setdefault(instance.workload_class, []).append(index)
    return {name: members[name] for name in sorted(members, key=style.class_order)}
