# SPDX-License-Identifier: Apache-2.0
"""A table drawn as a figure."""

from __future__ import annotations

from collections.abc import Sequence

import style  # before numpy: says what to do when that is missing

ROW_INCHES = 0.2


def draw(columns: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], name_share: float = 0.2) -> style.Figure:
    """Draws rows of a name and a text for each column. The names take `name_share` of the width.

    @param columns texts above the columns; all empty: none
    """
    head = 1.2 if any(columns) else 0.2
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, ROW_INCHES * (len(rows) + head + 0.2) + 0.6, is_table=True)
    axes.axis("off")
    axes.set(xlim=(0, 1), ylim=(len(rows) + 0.1, -head))
    places = [name_share + (1 - name_share) * (index + 0.97) / len(columns) for index in range(len(columns))]
    for place, column in zip(places, columns):
        axes.text(place, -0.5, column, ha="right", va="center", weight="bold", fontsize=6.5)
    for y, (name, texts) in enumerate(rows):
        axes.text(0.01, y + 0.5, name, ha="left", va="center", fontsize=7)
        for place, text in zip(places, texts):
            axes.text(place, y + 0.5, text, ha="right", va="center", fontsize=6.5)
        axes.axhline(y, color=style.FAINT_COLOUR, linewidth=0.6 if y == 0 else 0.25)
    axes.axhline(len(rows), color=style.FAINT_COLOUR, linewidth=0.6)
    return figure
