# SPDX-License-Identifier: Apache-2.0
"""Tables that compare the paper's numbers with ours, drawn as figures: each cell has the paper's number and ours below
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import style  # before numpy: says what to do when that is missing

ROW_INCHES = 0.30
PAPER_COLOUR = "#7a3500"


@dataclass(frozen=True)
class Row:
    """Texts of a row; "" for missing ones."""

    name: str
    paper: Sequence[str]
    ours: Sequence[str]


def table(columns: Sequence[str], rows: Sequence[Row], name_share: float = 0.25) -> style.Figure:
    """Draws the paper's numbers in a separate colour, with ours below them."""
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, ROW_INCHES * (len(rows) + 1.4) + 0.5,
                                       is_table=True)
    axes.axis("off")
    axes.set(xlim=(0, 1), ylim=(len(rows) + 0.1, -1.3))
    # A column is as wide as its name needs; numbers have up to seven characters.
    widths = [max(len(column), 7) for column in columns]
    unit = (1 - name_share) / sum(widths)
    places = [name_share + unit * (sum(widths[:index + 1]) - 0.3) for index in range(len(columns))]
    axes.text(0.01, -0.78, "paper", ha="left", va="center", color=PAPER_COLOUR)
    axes.text(0.01, -0.30, "ours", ha="left", va="center", weight="bold")
    for place, column in zip(places, columns):
        axes.text(place, -0.5, column, ha="right", va="center", weight="bold")
    for y, row in enumerate(rows):
        axes.text(0.01, y + 0.5, row.name, ha="left", va="center")
        for place, paper, ours in zip(places, row.paper, row.ours):
            axes.text(place, y + 0.28, paper, ha="right", va="center", color=PAPER_COLOUR, fontsize=7)
            axes.text(place, y + 0.72, ours, ha="right", va="center", weight="bold", fontsize=7)
        axes.axhline(y, color=style.FAINT_COLOUR, linewidth=0.6 if y == 0 else 0.25)
    axes.axhline(len(rows), color=style.FAINT_COLOUR, linewidth=0.6)
    return figure
