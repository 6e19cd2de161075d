#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often ADDS does how many times the work of other searches, in vertices taken from the queue: ADDS Table 4."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Request, Trials

EDGES = (0.25, 0.5, 0.75, 1, 1.5, 3)
NOTES = ("Number of graphs; work of the configurations that are the fastest on the graph. The paper's Gun-NF has no "
         "counterpart here.",)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    collection = adds_graphs.Collection(request, trials, (adds_graphs.BASE, *adds_graphs.COMPETITORS))
    rows = [(other.key, f"over {other.name}", collection.relative_work(adds_graphs.BASE, other))
            for other in adds_graphs.COMPETITORS]
    reproduction.require_counts(rows[0][2])
    return adds_graphs.draw_distributions(request, trials, rows, EDGES, "mean work", "Work of ADDS", NOTES)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
