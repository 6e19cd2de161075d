# SPDX-License-Identifier: Apache-2.0
"""One look for all figures: fonts, sizes, colours per queue family, the provenance line, and saving.

A family is a combination of an L1 and an L2 queue, written with the abbreviations of MLMQ Table 1. The hue shows
the L2 queue and the shade, the dashes and the hatching show the L1 queue, so a family looks the same in every figure
and remains distinguishable without colour vision.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

try:
    import matplotlib
    import numpy  # noqa: F401  for the modules that import this one
except ModuleNotFoundError as missing:
    print(f"{Path(sys.argv[0]).name}: {sys.executable} has no {missing.name}; install the packages python3-numpy and "
          "python3-matplotlib, or run the script with a Python that has them, such as /usr/bin/python3",
          file=sys.stderr)
    sys.exit(2)

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

COLUMN_INCHES = 3.5  # one column of a two-column paper
PAGE_INCHES = 7.2  # both columns
PIXELS_PER_INCH = 300
LETTERS_OF_COLUMN = 46  # of a title
MOST_PIXELS = 2400  # width or height of a PNG
MOST_PNG_BYTES = 400_000
MOST_VECTOR_BYTES = 1_000_000  # of an SVG or a PDF

SELECTOR_COLOUR = "#000000"
FIXED_COLOUR = "#444444"
TEXT_COLOUR = "#222222"
FAINT_COLOUR = "#666666"

_L1_NAMES = {"vector": "L1V", "near_far": "L1NF", "filter": "L1FQ", "slf": "L1SLF"}
_L2_NAMES = {"vector": "L2V", "bucket": "L2DQ", "heap": "L2PQ", "multi_heap": "L2MPQ"}
_L1_ORDER = ("", "L1V", "L1NF", "L1FQ", "L1SLF")
_L2_ORDER = ("L2V", "L2DQ", "L2PQ", "L2MPQ", "")

# Five shades per L2 queue in the order of _L1_ORDER; hues after Okabe and Ito.
_SHADES = {
    "L2V": ("#8ccbf2", "#0072b2", "#3d9ad6", "#00507e", "#002f4b"),
    "L2DQ": ("#f7b955", "#d55e00", "#e8871a", "#993f00", "#5c2600"),
    "L2PQ": ("#8fdcc0", "#009e73", "#26b583", "#006b4d", "#003d2c"),
    "L2MPQ": ("#e9b9d6", "#b0508a", "#cc79a7", "#7d2e60", "#4a1a38"),
    "": ("#c4c4c4", "#8c8c8c", "#a8a8a8", "#6e6e6e", "#505050"),
}
_PROCESSOR_SHADES = ("#a08bc7", "#c7b9e0", "#6b4fa0", "#8a6fbf")
_DASHES: tuple[object, ...] = ((0, (1.2, 1.0)), "solid", (0, (4, 1.4)), (0, (5, 1.2, 1.2, 1.2)), (0, (8, 2)))
_HATCHES = ("", "", "////", "....", "xxxx")


@dataclass(frozen=True)
class Look:
    """Colour and line style of a family."""

    colour: str
    dashes: object
    hatch: str


@dataclass(frozen=True)
class Provenance:
    """Origin of the numbers of a figure."""

    device: str
    modelled: bool  # times come from the simulator's model, not from a clock
    workloads: int
    inputs: int  # number of (workload, query) inputs
    versions: tuple[str, ...]  # versions of the program that measured
    kernels: int  # largest number of different kernel sources among the trials of one solver
    database: str  # file name without folders
    recorded: bool = False  # not measured by the command that drew the figure
    incomplete: bool = False  # not all data of the figure was measured
    figure: str = ""  # name of the figure in a paper
    noun: str = "workload"  # noun for the workloads: noun()
    experiments: tuple[str, ...] = ()  # names; empty: all trials of the database
    notes: tuple[str, ...] = ()  # sentences about what the figure leaves out

    def noting(self, *notes: str) -> "Provenance":
        """Returns the provenance with further notes."""
        return replace(self, notes=self.notes + notes)

    def tags(self) -> list[str]:
        """Returns the warnings that must be visible in the figure."""
        said = {"SIMULATED: MODELLED TIMES": self.modelled, "RECORDED DATA": self.recorded,
                "INCOMPLETE": self.incomplete}
        return [text for text, true in said.items() if true]

    def parts(self) -> list[str]:
        """Returns the provenance line in pieces that must not be broken."""
        workloads = plural(self.workloads, self.noun)
        if self.inputs != self.workloads:
            workloads += f", {plural(self.inputs, f'({self.noun}, query) input')}"
        parts = [f"as {self.figure}"] if self.figure else []
        parts += [self.device, "modelled times (simulator)" if self.modelled else "measured times", workloads]
        if self.experiments:
            parts.append(f"sweep {', '.join(self.experiments)}")
        parts.append("mlmq " + (", ".join(self.versions) if self.versions else "of unknown version"))
        if self.kernels > 1:
            parts.append(f"{self.kernels} kernel versions")
        return parts + [f"recorded in {self.database}" if self.recorded else self.database]


def plural(count: int, noun: str) -> str:
    """Returns a count with its noun: `1 graph`, `2 graphs`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def noun(kinds: Iterable[str]) -> str:
    """Returns the noun for workloads of these kinds: "graph" if all are graphs, else "workload"."""
    return "graph" if set(kinds) == {"graph"} else "workload"


def percent(share: float) -> str:
    """Formats a share as a whole percentage; 100 % and 0 % only if the share is exactly 1 or 0."""
    whole = round(100 * share)
    if whole == 100 and share < 1:
        whole = 99
    if whole == 0 and share > 0:
        whole = 1
    return f"{whole} %"


# Configurations

# Searches without multi-level queues: competitors, and this program's own, which keep their names.
_OTHER_SEARCHES = {"near_far": "Near-Far", "bellman_ford": "Bellman-Ford", "adds": "ADDS", "near_pull": "near_pull",
                   "push_pull": "push_pull"}
_ON_PROCESSORS = {"delta_stepping": "Δ-stepping, CPU", "dijkstra": "Dijkstra, CPU",
                  "boost_dijkstra": "Boost Dijkstra, CPU", "bfs": "breadth-first, CPU"}


def parameters_of(configuration: str | Mapping[str, object]) -> dict[str, object]:
    """Returns the parameters of a configuration given as `k=v,k=v`, as a JSON object or as a mapping."""
    if not isinstance(configuration, str):
        return dict(configuration)
    if configuration.lstrip().startswith("{"):
        return dict(json.loads(configuration))
    pairs = re.findall(r'([^=,]+)=("(?:[^"\\]|\\.)*"|[^,]*)', configuration)
    return {name: json.loads(value) if value.startswith('"') else value for name, value in pairs}


def family(configuration: str | Mapping[str, object]) -> str:
    """Returns the queue family as in MLMQ Table 1: `l0=none,l1=vector,l2=bucket,…` is "L1V-L2DQ", without L1 queue
    "L2DQ", without any queue "–". A queue that the table lacks keeps its own name: "L1(heap)-L2V". A competitor is
    a family of its own: "Near-Far", and so is another program."""
    parameters = parameters_of(configuration)
    solver = str(parameters.get("solver", "mlmq"))
    if solver == "peer":  # an external program
        return str(parameters.get("peer", solver))
    if solver != "mlmq":
        return {**_OTHER_SEARCHES, **_ON_PROCESSORS}.get(solver, solver)

    def short(level: str, names: Mapping[str, str]) -> str:
        queue = str(parameters.get(level, "none"))
        return "" if queue == "none" else names.get(queue, f"{level.upper()}({queue})")

    return "-".join(filter(None, (short("l1", _L1_NAMES), short("l2", _L2_NAMES)))) or "–"


def _levels(name: str) -> tuple[str, str]:
    """Returns the L1 and the L2 part of a family's name; "" for none."""
    pieces = [piece for piece in name.split("-") if piece != "–"]
    return (next((piece for piece in pieces if piece.startswith("L1")), ""),
            next((piece for piece in pieces if piece.startswith("L2")), ""))


def family_order(name: str) -> tuple[int, int, str]:
    """Returns a sort key for families: by L2 queue, then by L1 queue, in the order of MLMQ Table 1."""
    l1, l2 = _levels(name)
    return (_L2_ORDER.index(l2) if l2 in _L2_ORDER else len(_L2_ORDER),
            _L1_ORDER.index(l1) if l1 in _L1_ORDER else len(_L1_ORDER), name)


def look(name: str) -> Look:
    """Returns the look of a family, which is the same in every figure, whatever other families it shows."""
    l1, l2 = _levels(name)
    if name in _OTHER_SEARCHES.values():
        shade = list(_OTHER_SEARCHES.values()).index(name)
    elif name in _ON_PROCESSORS.values():
        return Look(_PROCESSOR_SHADES[list(_ON_PROCESSORS.values()).index(name)], "solid", "\\\\\\\\")
    else:
        shade = _L1_ORDER.index(l1) if l1 in _L1_ORDER else len(_L1_ORDER) - 1
    return Look(_SHADES.get(l2, _SHADES[""])[shade], _DASHES[shade], _HATCHES[shade])


# Of families that are no combinations of queues or competitors; hues after Okabe and Ito.
_OTHER_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#5b5b00", "#444444")


def looks(names: Sequence[str]) -> dict[str, Look]:
    """Returns a look for each family of a figure. Families that look() does not distinguish get looks by position."""
    usual = {name: look(name) for name in names}
    if len(set(usual.values())) == len(usual):
        return usual
    return {name: Look(_OTHER_COLOURS[place % len(_OTHER_COLOURS)], _DASHES[place % len(_DASHES)],
                       _HATCHES[place // len(_OTHER_COLOURS) % len(_HATCHES)]) for place, name in enumerate(names)}


def _value_text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def short_names(configurations: Sequence[Mapping[str, object]]) -> list[str]:
    """Returns a name per configuration: its family and the parameters that distinguish it from others of the family."""
    families = [family(parameters) for parameters in configurations]
    values: dict[tuple[str, str], set[str]] = {}
    for name, parameters in zip(families, configurations):
        for key in {key for other in configurations for key in other}:
            values.setdefault((name, key), set()).add(_value_text(parameters.get(key, "")))
    names = []
    for name, parameters in zip(families, configurations):
        telling = [f"{key}={_value_text(value)}" for key, value in sorted(parameters.items())
                   if key not in ("l1", "l2", "solver") and len(values[(name, key)]) > 1]
        names.append(" ".join([name, *telling]))
    return names


_CLASS_ORDER = ("road", "mesh", "power_law")


def class_order(name: str) -> tuple[int, str]:
    """Returns a sort key for classes of workloads: those of graphs in the paper first, in its order."""
    return (_CLASS_ORDER.index(name) if name in _CLASS_ORDER else len(_CLASS_ORDER), name)


def class_name(name: str) -> str:
    """Returns the name of a class of workloads for display."""
    return name.replace("_", " ") if name else "(no class)"


MOST_LETTERS = 24  # of the name of a workload in a figure


def short_workload(name: str, most: int = MOST_LETTERS) -> str:
    """Returns the name of a workload for a figure, cut off if it is longer than `most` letters."""
    return name if len(name) <= most else name[:most - 1] + "…"


# Figures


@dataclass
class Layout:
    """Where a figure is to stand."""

    in_column: bool = False  # in one column of a two-column paper
    stamped: bool = True  # with its source and the tag; else the caption has to name them


layout = Layout()  # of all figures of this process


def plot_inches() -> float:
    """Returns the approximate width of the axes of a figure as wide as the layout."""
    return 2.9 if layout.in_column else 6.6


def new_figure(width: float, height: float, rows: int = 1, columns: int = 1,
               is_table: bool = False) -> tuple[Figure, list[Axes]]:
    """Returns a figure of the given size in inches with a grid of axes, in row order. In a column, axes are below each
    other; tables keep their width. Settings of the user's own matplotlibrc have no effect."""
    if layout.in_column and not is_table:
        rows, columns, height = rows * columns, 1, height * columns
        if width > COLUMN_INCHES:
            width, height = COLUMN_INCHES, height + 0.4 * rows  # for slanted labels and titles of two lines
    matplotlib.rcdefaults()
    matplotlib.use("Agg")
    plt.rcParams.update({
        "font.family": "DejaVu Sans",
        "font.size": 7.5,
        "axes.labelsize": 7.5,
        "axes.titlesize": 8,
        "xtick.labelsize": 7,
        "ytick.labelsize": 7,
        "legend.fontsize": 7,
        "text.color": TEXT_COLOUR,
        "axes.labelcolor": TEXT_COLOUR,
        "xtick.color": TEXT_COLOUR,
        "ytick.color": TEXT_COLOUR,
        "axes.edgecolor": FAINT_COLOUR,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.grid": True,
        "grid.color": "#d9d9d9",
        "grid.linewidth": 0.4,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "hatch.linewidth": 0.5,
        "legend.frameon": False,
        "legend.handlelength": 2.4,
        "savefig.dpi": PIXELS_PER_INCH,
        "figure.dpi": PIXELS_PER_INCH,
        "svg.fonttype": "path",
        "pdf.fonttype": 42,
        "svg.hashsalt": "mlmq",
    })
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False)
    return figure, [panel for row in axes for panel in row]


def finish(figure: Figure, provenance: Provenance, reserved_inches: float = 0.0) -> None:
    """Writes notes and the provenance line at the bottom, a tag at the top (Provenance.tags), and fits the axes between
    them, leaving `reserved_inches` free above the notes (for a legend)."""
    width, height = figure.get_size_inches()
    if layout.in_column:
        for panel in figure.axes:
            panel.set_title(textwrap.fill(panel.get_title(loc="left"), LETTERS_OF_COLUMN), loc="left")
    lines = _wrapped(figure, provenance.parts(), "  ·  ", width - 0.12) if layout.stamped else []
    notes = [line for note in provenance.notes for line in _wrapped(figure, note.split(), " ", width - 0.12)]
    lines = notes + lines
    height += 0.1 * len(notes)
    figure.set_size_inches(width, height)
    line_inches = 0.1
    figure.mlmq_provenance_inches = 0.06 + line_inches * len(lines)
    for row, line in enumerate(reversed(lines)):
        figure.text(0.06 / width, (0.05 + row * line_inches) / height, line, fontsize=5.5,
                    color=FAINT_COLOUR if row < len(lines) - len(notes) else TEXT_COLOUR, ha="left", va="bottom")
    top = height
    if provenance.tags() and layout.stamped:
        figure.text(1 - 0.08 / width, 1 - 0.07 / height, "  ·  ".join(provenance.tags()), fontsize=5.5, weight="bold",
                    color="#7a3500", ha="right", va="top",
                    bbox={"boxstyle": "square,pad=0.35", "facecolor": "#fff1db", "edgecolor": "#d55e00",
                          "linewidth": 0.6})
        top -= 0.2
    bottom = 0.08 + line_inches * len(lines) + reserved_inches
    # The size of the axes decides about the ticks, and the width of their labels about the size.
    for _ in range(2):
        figure.tight_layout(pad=0.3, w_pad=1.5, h_pad=1.2, rect=(0, bottom / height, 1, top / height))


def legend_columns(count: int, columns: int) -> int:
    """Returns the number of columns of a legend with `count` entries: at most `columns`, and two in a column."""
    return min(count, columns, 2 if layout.in_column else columns)


def legend_inches(count: int, columns: int = 6) -> float:
    """Returns the height of a legend with this number of entries."""
    return 0.15 * -(-count // legend_columns(count, columns)) + 0.08


def legend_below(figure: Figure, handles: Sequence[object], names: Sequence[str], columns: int = 6,
                 **options: object) -> None:
    """Draws the legend between the axes and the notes; legend_inches() is its height."""
    figure.legend(handles, names, **{"ncol": legend_columns(len(names), columns), "loc": "lower center",
                                     "columnspacing": 1.6, "borderaxespad": 0.3,
                                     "bbox_to_anchor": (0.5, provenance_inches(figure) / figure.get_size_inches()[1]),
                                     **options})


def provenance_inches(figure: Figure) -> float:
    """Returns the height of the notes and the provenance line that finish() has written."""
    return float(getattr(figure, "mlmq_provenance_inches", 0.16))


def _wrapped(figure: Figure, parts: Sequence[str], separator: str, width_inches: float) -> list[str]:
    """Joins the parts, in as few lines as fit the width."""
    renderer = figure.canvas.get_renderer()
    probe = figure.text(0, 0, "", fontsize=5.5)

    def fits(text: str) -> bool:
        probe.set_text(text)
        return probe.get_window_extent(renderer).width <= width_inches * figure.dpi

    lines: list[str] = []
    for part in parts:
        longer = f"{lines[-1]}{separator}{part}" if lines else part
        if lines and fits(longer):
            lines[-1] = longer
        else:
            lines.append(part)
    probe.remove()
    return lines


def save(figure: Figure, path: Path | str, with_pdf: bool = False) -> list[Path]:
    """Writes the figure as PNG or PDF; a name that ends in .svg gives SVG and PNG. Creates missing folders. The same
    figure gives the same bytes.

    A PNG has at most MOST_PIXELS in each direction and MOST_PNG_BYTES, for which its resolution is reduced. In an SVG
    or PDF above MOST_VECTOR_BYTES, the data becomes a picture.

    @param with_pdf with SVG, also write a PDF

    @returns the files written.
    @raises ValueError for another ending, or a figure that is too large for these sizes; OSError when a file cannot be
      written.
    """
    path = Path(path)
    formats = {".png": ["png"], ".svg": ["svg", "png"], ".pdf": ["pdf"]}.get(path.suffix.lower())
    if formats is None:
        raise ValueError(f"{path}: the name of a figure ends in .png, .svg or .pdf")
    if with_pdf:
        formats.insert(-1, "pdf")
    path.parent.mkdir(parents=True, exist_ok=True)
    written = []
    for kind in formats:
        file = path if path.suffix.lower() == "." + kind else path.with_suffix("." + kind)
        write_whole(file, _png(figure, file) if kind == "png" else _vector(figure, file, kind))
        written.append(file)
    plt.close(figure)
    return written


# Without this metadata, a file would contain the time of day and the version of matplotlib.
_METADATA = {"png": {"Software": None}, "svg": {"Date": None, "Creator": None},
             "pdf": {"CreationDate": None, "Creator": None, "Producer": None}}


def _rendered(figure: Figure, kind: str, dpi: float) -> bytes:
    content = io.BytesIO()
    figure.savefig(content, format=kind, dpi=dpi, metadata=_METADATA[kind])
    return content.getvalue()


def _png(figure: Figure, file: Path) -> bytes:
    resolution = min(PIXELS_PER_INCH, MOST_PIXELS / max(figure.get_size_inches()))
    for reduction in (1, 1.5, 2):
        content = _rendered(figure, "png", resolution / reduction)
        if len(content) <= MOST_PNG_BYTES:
            return content
    raise ValueError(f"{file}: the figure has too much content for {MOST_PNG_BYTES} bytes")


def _vector(figure: Figure, file: Path, kind: str) -> bytes:
    for as_picture in (False, True):
        if as_picture:
            for panel in figure.axes:
                for artist in [*panel.lines, *panel.collections, *panel.patches, *panel.texts]:
                    artist.set_rasterized(True)
        content = _rendered(figure, kind, PIXELS_PER_INCH)
        if len(content) <= MOST_VECTOR_BYTES:
            return content
    raise ValueError(f"{file}: the figure has too much content for {MOST_VECTOR_BYTES} bytes")


def write_whole(file: Path, content: bytes) -> None:
    """Replaces the file atomically, so that readers never see a part of it. Creates missing folders."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        half.write_bytes(content)
        os.replace(half, file)
    finally:
        half.unlink(missing_ok=True)
