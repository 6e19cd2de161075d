#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the time of one search by several programs on roads, meshes and power-law graphs: the picture of the README.

The times are a CSV file with the columns class, graph, vertices, program and ms; ms is empty if the program does
not end. Lines before the header begin with # and describe the file; "# device:" and "# date:" are drawn.
This program is called mlmq in the file.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from dataclasses import dataclass
from pathlib import Path

import style  # before matplotlib: says what to do when that is missing
import bars

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

OURS = "mlmq"
# Colours of different lightness, always in the same order; hatching would make the file three times as large.
LOOKS = [style.Look(colour, "solid", "") for colour in ("#d55e00", "#00507e", "#5fb0e5", "#b5b5b5")]
CLASSES = {"road": "Roads", "mesh": "Meshes", "power_law": "Power laws"}


@dataclass(frozen=True)
class Source:
    """Origin of the times, in the form that style.finish() needs."""

    device: str
    date: str
    notes: tuple[str, ...] = ()

    def tags(self) -> list[str]:
        return []

    def parts(self) -> list[str]:
        return [*filter(None, (self.device, self.date)), "time of one search, graph in memory, every answer checked"]


@dataclass(frozen=True)
class Times:
    source: Source
    programs: list[str]  # in the order of the file
    graphs: dict[str, list[str]]  # by class, both in the order of the file
    ms: dict[tuple[str, str], float]  # by graph and program; NaN: does not end


def read(path: Path) -> Times:
    """Returns the times of a file. @raises ValueError with the line of the error."""
    lines = path.read_text(encoding="utf-8").splitlines()
    about = {}
    start = 0
    while start < len(lines) and lines[start].startswith("#"):
        key, colon, value = lines[start].lstrip("# ").partition(": ")
        if colon and key in ("device", "date"):
            about[key] = value
        start += 1
    programs: list[str] = []
    graphs: dict[str, list[str]] = {}
    ms: dict[tuple[str, str], float] = {}
    rows = csv.DictReader(lines[start:])
    for row in rows:
        location = f"{path}:{start + rows.line_num}"
        if None in row or any(row.get(key) is None for key in ("class", "graph", "program", "ms")):
            raise ValueError(f"{location}: expected the columns class, graph, vertices, program and ms")
        try:
            time = float(row["ms"]) if row["ms"] else math.nan
        except ValueError:
            raise ValueError(f"{location}: {row['ms']!r} is no time") from None
        if time <= 0:
            raise ValueError(f"{location}: a time is above 0")
        if row["class"] not in CLASSES:
            raise ValueError(f"{location}: the class is one of {', '.join(CLASSES)}")
        if (row["graph"], row["program"]) in ms:
            raise ValueError(f"{location}: {row['program']} has a time on {row['graph']} already")
        if row["program"] not in programs:
            programs.append(row["program"])
        of_class = graphs.setdefault(row["class"], [])
        if row["graph"] not in of_class:
            of_class.append(row["graph"])
        ms[row["graph"], row["program"]] = time
    if not ms:
        raise ValueError(f"{path}: there are no times")
    if OURS not in programs:
        raise ValueError(f"{path}: there is no program {OURS}")
    if len(programs) > len(LOOKS):
        raise ValueError(f"{path}: more than {len(LOOKS)} programs")
    for graph in (graph for of_class in graphs.values() for graph in of_class):
        for program in programs:
            if (graph, program) not in ms:
                raise ValueError(f"{path}: {program} has no row for {graph}; leave its ms empty if it does not end")
    return Times(Source(about.get("device", ""), about.get("date", "")), programs, graphs, ms)


def speedup(times: Times, of_class: str, program: str) -> float:
    """Returns the geometric mean of time / ours over the graphs of a class on which the program ends; NaN: none."""
    ratios = [times.ms[graph, program] / times.ms[graph, OURS] for graph in times.graphs[of_class]]
    ratios = [ratio for ratio in ratios if math.isfinite(ratio)]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def draw(times: Times) -> style.Figure:
    figure, _ = style.new_figure(style.PAGE_INCHES, 2.6)
    figure.clear()
    looks = dict(zip(times.programs, LOOKS))
    count = sum(map(len, times.graphs.values()))
    axes = figure.subplots(1, len(times.graphs), squeeze=False,
                           gridspec_kw={"width_ratios": [len(names) for names in times.graphs.values()]})[0]
    for panel, (of_class, names) in zip(axes, times.graphs.items()):
        series = {program: [times.ms[graph, program] for graph in names] for program in times.programs}
        slot = 0.84 * (style.PAGE_INCHES - 1) / count / len(times.programs)
        bars.panel(panel, names, series, looks, slot, absent="hangs")
        for text in panel.texts:
            text.set_path_effects([])  # the effects are half of the file
        others = [speedup(times, of_class, program) for program in times.programs if program != OURS]
        ratios = " / ".join(f"{ratio:.1f}×" if math.isfinite(ratio) else "–" for ratio in others)
        panel.set_title(f"{CLASSES[of_class]}\n{ratios} as fast", loc="left", fontsize=7.5)
        panel.set_yscale("log")
    # All panels have the same scale, so that their bars can be compared.
    limits = [panel.get_ylim() for panel in axes]
    for panel in axes:
        panel.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
        panel.yaxis.set_major_locator(FixedLocator([10.0**e for e in range(-6, 10)]))
        panel.yaxis.set_minor_locator(NullLocator())
        panel.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:,.0f}" if y >= 1 else f"{y:g}"))
        if panel is not axes[0]:
            panel.tick_params(labelleft=False)
    axes[0].set_ylabel("milliseconds (log)")
    style.finish(figure, times.source, style.legend_inches(len(times.programs)))
    bars.legend(figure, times.programs, looks)
    return figure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    figures = Path(__file__).resolve().parent.parent / "docs" / "figures"
    parser.add_argument("times", nargs="?", type=Path, default=figures / "programs.csv", help="CSV [docs/figures]")
    parser.add_argument("--output", type=Path, default=figures / "programs.svg",
                        help=".svg (and the .png next to it) or .png [docs/figures/programs.svg]")
    arguments = parser.parse_args()
    try:
        style.save(draw(read(arguments.times)), arguments.output)
    except (OSError, ValueError) as error:
        print(f"programs.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
