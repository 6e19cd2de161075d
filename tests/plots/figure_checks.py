# SPDX-License-Identifier: Apache-2.0
"""What every figure must fulfil: text inside the frame, labels of an axis that do not overlap, and panels with data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

TOLERANCE = 1.0  # points that text may extend beyond the frame, or into the next label


def _is_drawn(text: Text) -> bool:
    return bool(text.get_text().strip()) and text.get_visible() and (text.axes is None or text.axes.get_visible())


def _tick_labels(axis: Axis) -> list[Text]:
    """Returns the labels of the ticks in view; matplotlib keeps others, which it does not draw."""
    low, high = sorted(axis.get_view_interval())
    margin = 1e-9 * (high - low)
    return [tick.label1 for tick in axis.get_major_ticks()
            if low - margin <= tick.get_loc() <= high + margin and _is_drawn(tick.label1)]


def _free_texts(figure: Figure) -> Iterator[Text]:
    """Yields the texts that are drawn, without the labels of ticks."""
    ticks = {label for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)
             for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()] for label in (tick.label1, tick.label2)}
    yield from (text for text in figure.findobj(Text) if text not in ticks and _is_drawn(text))


def _texts(figure: Figure) -> Iterator[Text]:
    """Yields all texts that are drawn."""
    yield from _free_texts(figure)
    for panel in figure.axes:
        if panel.axison and panel.get_visible():
            yield from [*_tick_labels(panel.xaxis), *_tick_labels(panel.yaxis)]


def _outside(figure: Figure) -> Iterator[str]:
    frame = figure.bbox.padded(TOLERANCE * figure.dpi / 72)
    for text in _texts(figure):
        box = text.get_window_extent()
        if box.x0 < frame.x0 or box.y0 < frame.y0 or box.x1 > frame.x1 or box.y1 > frame.y1:
            yield f"text outside the frame: {text.get_text()!r}"


def _overlap(a: Bbox, b: Bbox, least: float) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > least and min(a.y1, b.y1) - max(a.y0, b.y0) > least


def _overlapping_texts(figure: Figure) -> Iterator[str]:
    """Yields the pairs of texts that overlap, labels of ticks excepted."""
    least = TOLERANCE * figure.dpi / 72
    texts = [(text, text.get_window_extent()) for text in _free_texts(figure) if text.get_rotation() % 90 == 0]
    for (first, box), (second, other) in combinations(texts, 2):
        if _overlap(box, other, least):
            yield f"texts overlap: {first.get_text()!r}, {second.get_text()!r}"


def _overlapping(panel: Axes) -> Iterator[str]:
    least = TOLERANCE * panel.figure.dpi / 72
    for axis in (panel.xaxis, panel.yaxis):
        labels = [label for label in _tick_labels(axis) if label.get_rotation() % 90 == 0]
        for first, second in pairwise(labels):
            if _overlap(first.get_window_extent(), second.get_window_extent(), least):
                yield f"labels overlap: {first.get_text()!r}, {second.get_text()!r}"


def _values(panel: Axes) -> Iterable[np.ndarray]:
    """Returns the values of each line, bar and area of a panel."""
    yield from (np.asarray(line.get_ydata(), dtype=float) for line in panel.lines)
    yield from (np.array([bar.get_height()]) for bar in panel.patches)
    yield from (path.vertices for area in panel.collections for path in area.get_paths())


def _empty(panel: Axes) -> Iterator[str]:
    series = list(_values(panel))
    # A reference line alone is no data.
    data = [values for values in series if not (len(values) == 2 and len(set(values.ravel().tolist())) == 1)]
    if not panel.texts and not any(np.isfinite(values).any() for values in data):  # a text may say why it is empty
        yield f"a panel without data: {panel.get_title(loc='left')!r}"
    yield from (f"a series without values in {panel.get_title(loc='left')!r}"
                for values in series if not np.isfinite(values).any())


def faults(figure: Figure) -> list[str]:
    """Returns what is wrong with a figure."""
    figure.canvas.draw()
    found = [*_outside(figure), *_overlapping_texts(figure)]
    for panel in figure.axes:
        if panel.axison and panel.get_visible():
            found += [*_overlapping(panel), *_empty(panel)]
    return found
