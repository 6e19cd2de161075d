#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws how much faster work becomes on several devices, from the table of scripts/scaling: speed-up over one device,
with the ideal line, and the share of time in runs of the least and the most busy device."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import style  # before matplotlib: says what to do when that is missing
import results

from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

MARKERS = "osD^vP"
COLOURS = ("#00507e", "#5fb0e5", "#d55e00", "#f7b955", "#009e73", "#b0508a")


@dataclass(frozen=True)
class Point:
    """A part of the work on a number of devices."""

    devices: int
    speedup: float
    in_runs: tuple[float, float] | None  # share of time of the least and the most busy device


@dataclass(frozen=True)
class Source:
    """Origin of the numbers, in the form that style.finish() needs."""

    device: str
    version: str
    notes: tuple[str, ...] = ()

    def tags(self) -> list[str]:
        return []

    def parts(self) -> list[str]:
        return [*filter(None, (self.device, self.version)), "wall times, measured by scripts/scaling"]


def read(path: Path) -> tuple[Source, dict[str, list[Point]]]:
    """Returns the origin and the points of each part. @raises results.ResultsError with the line of
    the error."""
    facts, rows = results.read_described_csv(path)
    parts: dict[str, list[Point]] = {}
    for place, row in rows:
        try:
            if not row["speedup"]:
                continue
            in_runs = (float(row["least_in_runs"]), float(row["most_in_runs"])) if row["least_in_runs"] else None
            point = Point(int(row["devices"]), float(row["speedup"]), in_runs)
        except (KeyError, TypeError, ValueError):
            raise results.ResultsError(f"{place}: expected a row of scripts/scaling") from None
        parts.setdefault(row["part"], []).append(point)
    if not parts:
        raise results.ResultsError(f"{path}: no part was measured on one device")
    return Source(facts.get("device", ""), facts.get("version", "")), parts


def draw(source: Source, parts: dict[str, list[Point]]) -> style.Figure:
    figure, (speedups, shares) = style.new_figure(style.PAGE_INCHES, 2.9, columns=2)
    counts = sorted({point.devices for points in parts.values() for point in points})
    handles = speedups.plot(counts, counts, color=style.FAINT_COLOUR, linestyle=(0, (4, 2)), linewidth=0.8)
    names = ["ideal"]
    for index, (name, points) in enumerate(parts.items()):
        look = {"color": COLOURS[index % len(COLOURS)], "marker": MARKERS[index % len(MARKERS)], "markersize": 4}
        x = [point.devices for point in points]
        handles += speedups.plot(x, [point.speedup for point in points], linewidth=0.9, **look)
        names.append(name)
        busy = [(point.devices, point.in_runs) for point in points if point.in_runs is not None]
        # Parts stand side by side, so that no interval covers another.
        width = 1.05 ** (index - (len(parts) - 1) / 2)
        for devices, (least, most) in busy:
            shares.plot([devices * width] * 2, [100 * least, 100 * most], linewidth=0.9, **look)
    for panel in (speedups, shares):
        panel.set_xscale("log", base=2)
        panel.set_xlim(counts[0] / 1.3, counts[-1] * 1.3)
        panel.xaxis.set_major_locator(FixedLocator(counts))
        panel.xaxis.set_minor_locator(NullLocator())
        panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        panel.set_xlabel("devices")
    speedups.set_yscale("log", base=2)
    speedups.yaxis.set_major_locator(FixedLocator(counts))
    speedups.yaxis.set_minor_locator(NullLocator())
    speedups.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    speedups.set_title("Speed-up over one device", loc="left")
    shares.set_ylim(0, 103)
    shares.set_title("Time in runs, least and most busy device (%)", loc="left")
    legend_inches = style.legend_inches(len(names))
    style.finish(figure, source, reserved_inches=legend_inches)
    style.legend_below(figure, handles, names)
    return figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", metavar="CSV", type=Path, help="scaling.csv of scripts/scaling")
    parser.add_argument("--output", metavar="FILE", type=results.figure_path, required=True,
                        help="figure to write: .png, .pdf, or .svg for SVG and PNG")
    options = parser.parse_args()
    for file in style.save(draw(*read(options.table)), options.output):
        print(file)


if __name__ == "__main__":
    results.run(main)
