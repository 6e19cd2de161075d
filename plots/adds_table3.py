#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often ADDS is how many times as fast as other searches: ADDS Table 3, with the time of each search on each graph
in the table's file."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Ours, Request, Trials

import numpy as np

NOTES = ("Number of graphs; each search has the faster of its configurations on the graph. The paper's Gun-NF and NV "
         "have no counterpart here.",)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    collection = adds_graphs.Collection(request, trials, (adds_graphs.BASE, *adds_graphs.COMPETITORS))
    rows = [(other.key, f"over {other.name}", collection.speedup(adds_graphs.BASE, other))
            for other in adds_graphs.COMPETITORS]
    figure, ours = adds_graphs.draw_distributions(request, trials, rows, adds_graphs.SPEEDUP_EDGES, "mean speed-up",
                                                  "Speed-up of ADDS", NOTES)
    ours = dict(ours)
    for search in (adds_graphs.BASE, *adds_graphs.COMPETITORS):
        for instance, time in zip(trials.times.inputs, collection.measured(search).milliseconds):
            if np.isfinite(time):
                ours[f"{search.key}.{instance.workload}"] = Ours(float(time), instance.query,
                                                                 f"{search.name} on {instance.workload}", "ms")
    return figure, ours


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
