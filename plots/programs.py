#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the time of one search by several programs on roads, meshes and power-law graphs: the picture of the README.

The times are a CSV file with the columns class, origin (generated or real), graph, vertices, program, ms, low and
high: the median of the runs and their quartiles. The three numbers are empty if the program does not end or cannot be
used on the graph; quartiles alone are empty if they are not on record. Lines before the header begin with # and
describe the file; "# device:", "# date:" and "# chosen:" are drawn, "# command:" is printed. This program is called
mlmq in the file, and "# chosen:" says where it chose other searches than queues. scripts/program-times makes such a
file from a database of `mlmq compare`.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from pathlib import Path

import style  # before matplotlib: says what to do when that is missing
import bars
import results

from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

OURS = "mlmq"
COLUMNS = ("class", "origin", "graph", "vertices", "program", "ms", "low", "high")
# Colours and marks, always in the same order. All but the first also colour text: contrast 4.5 or more on white.
MARKS = [("#d55e00", "o"), ("#993f00", "D"), ("#6a3d9a", "s"), ("#0072b2", "^"), ("#666666", "v")]
MARK_POINTS = 4.2
CLASSES = {"road": "Roads", "mesh": "Meshes", "power_law": "Power laws"}
LINE_INCHES = 0.12  # of the text to the right of a panel
TEXT_INCHES = 2.3
PANEL_INCHES = 3.3
ROW_INCHES = 0.19


@dataclass(frozen=True)
class Source:
    """Origin of the times, in the form that style.finish() needs."""

    device: str
    date: str
    command: str = ""
    chosen: str = ""  # where this program chose other searches than queues: "near_pull on rmat18, rmat20"
    notes: tuple[str, ...] = ()
    has_quartiles: bool = False

    def tags(self) -> list[str]:
        return []

    def parts(self) -> list[str]:
        marks = "mark: median" + (", line: from the lower to the upper quartile" if self.has_quartiles else "")
        return [*filter(None, (self.device, self.date)), "time of one search, graph in memory", marks]


@dataclass(frozen=True)
class Time:
    """Milliseconds of one search: median and quartiles; NaN for what is not known."""

    ms: float
    low: float
    high: float


@dataclass(frozen=True)
class Times:
    source: Source
    programs: list[str]  # in the order of the file
    graphs: dict[str, list[str]]  # by class, both in the order of the file
    origins: dict[str, str]  # by graph
    vertices: dict[str, float]  # by graph; NaN if unknown
    of: dict[tuple[str, str], Time]  # by graph and program


def read(path: Path) -> Times:
    """Returns the times of a file. @raises ValueError with the line of the error."""
    facts, rows = results.read_described_csv(path)
    programs: list[str] = []
    graphs: dict[str, list[str]] = {}
    origins: dict[str, str] = {}
    vertices: dict[str, float] = {}
    of: dict[tuple[str, str], Time] = {}
    for place, row in rows:
        if None in row or any(row.get(key) is None for key in COLUMNS):
            raise ValueError(f"{place}: expected the columns {', '.join(COLUMNS)}")
        try:
            time = Time(*(float(row[key]) if row[key] else math.nan for key in ("ms", "low", "high")))
        except ValueError:
            raise ValueError(f"{place}: {row['ms']!r}, {row['low']!r}, {row['high']!r} are no times") from None
        if time.ms <= 0 or time.low > time.ms or time.high < time.ms or math.isnan(time.low) != math.isnan(time.high):
            raise ValueError(f"{place}: a time is above 0, and between its quartiles")
        if row["class"] not in CLASSES:
            raise ValueError(f"{place}: the class is one of {', '.join(CLASSES)}")
        if row["origin"] not in ("generated", "real"):
            raise ValueError(f"{place}: the origin is generated or real")
        if (row["graph"], row["program"]) in of:
            raise ValueError(f"{place}: {row['program']} has a time on {row['graph']} already")
        if row["program"] not in programs:
            programs.append(row["program"])
        of_class = graphs.setdefault(row["class"], [])
        if row["graph"] not in of_class:
            of_class.append(row["graph"])
        origins[row["graph"]] = row["origin"]
        vertices[row["graph"]] = float(row["vertices"] or math.nan)
        of[row["graph"], row["program"]] = time
    if not of:
        raise ValueError(f"{path}: there are no times")
    if OURS not in programs:
        raise ValueError(f"{path}: there is no program {OURS}")
    if len(programs) > len(MARKS):
        raise ValueError(f"{path}: more than {len(MARKS)} programs")
    for graph in origins:
        for program in programs:
            if (graph, program) not in of:
                raise ValueError(f"{path}: {program} has no row for {graph}; leave its ms empty if it has no time")
    source = Source(facts.get("device", ""), facts.get("date", ""), facts.get("command", ""),
                    facts.get("chosen", ""),
                    has_quartiles=any(math.isfinite(time.low) for time in of.values()))
    return Times(source, programs, graphs, origins, vertices, of)


def speedup(times: Times, of_class: str, program: str) -> tuple[float, int]:
    """Returns the geometric mean of time / ours over the graphs of a class where the program has a time, and their
    number; NaN and 0 if there are none."""
    ratios = [times.of[graph, program].ms / times.of[graph, OURS].ms for graph in times.graphs[of_class]]
    ratios = [ratio for ratio in ratios if math.isfinite(ratio)]
    return (math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan), len(ratios)


def label(times: Times, graph: str) -> str:
    """Returns the name of a graph with its number of vertices, and a star if it is real."""
    star = " *" if times.origins[graph] == "real" else ""
    vertices = times.vertices[graph]
    if math.isnan(vertices):
        return graph + star
    return f"{graph}{star}  " + (f"{vertices / 1e6:.3g}M" if vertices >= 999_500 else f"{vertices / 1e3:.3g}k")


def without_time(times: Times) -> str:
    """Returns a sentence with the graphs on which each program has no time; empty if there are none."""
    missing = {program: [graph for graph in times.origins if not math.isfinite(times.of[graph, program].ms)]
               for program in times.programs}
    pieces = [f"{program} on {', '.join(graphs)}" for program, graphs in missing.items() if graphs]
    return f"Without a time: {'; '.join(pieces)}." if pieces else ""


def heights(milliseconds: list[float], least_ratio: float) -> list[float]:
    """Returns a height in rows for each mark of a row: 0 unless it would overlap with its neighbours.

    @param least_ratio marks whose times differ by a smaller factor would overlap
    """
    result = [0.0] * len(milliseconds)
    order = sorted(range(len(milliseconds)), key=lambda place: milliseconds[place])
    group: list[int] = []
    for position, place in enumerate(order):
        group.append(place)
        is_last = position + 1 == len(order)
        if is_last or milliseconds[order[position + 1]] >= milliseconds[place] * least_ratio:
            for index, member in enumerate(group):
                result[member] = 0.2 if len(group) > 1 and index % 2 == 0 else -0.2 if index % 2 == 1 else 0
            group = []
    return result


def draw_class(panel: style.Axes, times: Times, of_class: str, least_ratio: float) -> None:
    """Draws a row of dots for each graph, with the ratios at the right."""
    names = times.graphs[of_class]
    for row, graph in enumerate(names):
        if row > 0 and times.origins[graph] != times.origins[names[row - 1]]:
            panel.axhline(row - 0.5, color=style.FAINT_COLOUR, linewidth=0.6, linestyle=(0, (1, 2)))
        marks = [(times.of[graph, program], mark) for program, mark in zip(times.programs, MARKS)
                 if math.isfinite(times.of[graph, program].ms)]
        for (time, (colour, mark)), height in zip(marks, heights([time.ms for time, _ in marks], least_ratio)):
            y = row + height
            panel.plot([time.low, time.high], [y, y], color=colour, linewidth=1.4, solid_capstyle="butt", zorder=3)
            panel.plot([time.ms], [y], color=colour, marker=mark, markersize=MARK_POINTS, markeredgecolor="white",
                       markeredgewidth=0.4, linestyle="", zorder=4)
    panel.set_yticks(range(len(names)))
    panel.set_yticklabels([label(times, name) for name in names])
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.set_xscale("log")
    others = list(zip(times.programs, MARKS))[1:]
    texts = [(f"{CLASSES[of_class]}: time divided by {OURS}'s", style.TEXT_COLOUR)]
    for program, (colour, _) in others:
        ratio, count = speedup(times, of_class, program)
        words = f"{bars.number(ratio)}×, {style.plural(count, 'graph')}" if count else "–"
        texts.append((f"{program}: {words}", colour))
    for line, (text, colour) in enumerate(texts):
        note = panel.annotate(text, (1, 1), xycoords="axes fraction", textcoords="offset points", ha="left", va="top",
                              xytext=(8, -72 * LINE_INCHES * line), fontsize=6.8, color=colour,
                              weight="bold" if line == 0 else "normal")
        note.set_in_layout(False)  # finish() fits the axes to the figure; the texts have room at the right


def draw(times: Times) -> style.Figure:
    counts = [len(names) for names in times.graphs.values()]
    figure, _ = style.new_figure(style.PAGE_INCHES, sum(counts) * ROW_INCHES + 0.1 * len(counts) + 0.75)
    figure.clear()
    panels = figure.subplots(len(counts), 1, squeeze=False, sharex=True, gridspec_kw={"height_ratios": counts})[:, 0]
    milliseconds = [time.ms for time in times.of.values() if math.isfinite(time.ms)]
    # Width of a mark on the logarithmic axis, with a margin.
    least_ratio = (1.1 * max(milliseconds) / min(milliseconds))**(1.3 * MARK_POINTS / 72 / PANEL_INCHES)
    for panel, of_class in zip(panels, times.graphs):
        draw_class(panel, times, of_class, least_ratio)
    panels[-1].set_xlabel("milliseconds (log)")
    panels[-1].xaxis.set_major_locator(FixedLocator([10.0**e for e in range(-6, 10)]))
    panels[-1].xaxis.set_minor_locator(NullLocator())
    panels[-1].xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}"))
    notes = ("Left: graphs and their numbers of vertices; * real, the others are generated. Right: geometric means.",
             f"{OURS} is {times.source.chosen}, and queues elsewhere." if times.source.chosen else "",
             without_time(times))
    source = replace(times.source, notes=tuple(filter(None, notes)))
    style.finish(figure, source, style.legend_inches(len(times.programs)))
    figure.subplots_adjust(right=1 - TEXT_INCHES / style.PAGE_INCHES)
    handles = [Line2D([], [], color=colour, marker=mark, linestyle="", markersize=MARK_POINTS)
               for _, (colour, mark) in zip(times.programs, MARKS)]
    style.legend_below(figure, handles, times.programs)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    figures = Path(__file__).resolve().parent.parent / "docs" / "figures"
    parser.add_argument("times", nargs="?", type=Path, default=figures / "programs.csv", help="CSV [docs/figures]")
    parser.add_argument("--output", type=Path, default=figures / "programs.svg",
                        help=".svg (and the .png next to it) or .png [docs/figures/programs.svg]")
    arguments = parser.parse_args()
    times = read(arguments.times)
    for file in style.save(draw(times), arguments.output):
        print(file)
    if times.source.command:
        print(f"command of the times: {times.source.command}")


if __name__ == "__main__":
    results.run(main)
