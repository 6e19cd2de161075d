#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often ADDS is how many times as fast as other searches: ADDS Table 3, with the time of each search on each graph
in the table's file."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Ours, Request, Trials, ratio
from verdicts import MUCH, below, single

import numpy as np

NOTES = ("Number of graphs; each search has the faster of its configurations on the graph. The paper's Gun-NF and NV "
         "have no counterpart here.",)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    trials = adds_graphs.with_reach(trials)
    collection = adds_graphs.Collection(request, trials, (adds_graphs.BASE, *adds_graphs.COMPETITORS))
    rows = [(other.key, f"over {other.name}", collection.speedup(adds_graphs.BASE, other))
            for other in (*adds_graphs.COMPETITORS, adds_graphs.OWN_NEAR_FAR, adds_graphs.OWN_BELLMAN_FORD)]
    figure, ours = adds_graphs.draw_distributions(request, trials, rows, adds_graphs.SPEEDUP_EDGES, "mean speed-up",
                                                  "Speed-up of ADDS", NOTES)
    speedup = {key: values for key, _, values in rows}
    shares = {low: adds_graphs.share(speedup["near_far"], low) for low in (1.5, 3)}
    ours |= {f"near_far_from_{low:g}": Ours(value, "", f"over Near-Far: ≥ {low:g}×", "%")
             for low, value in shares.items()}
    findings = [*(Finding(f"ADDS is faster than {other.name} (section 6.2)", speedup[other.key], f"{other.key}_mean")
                  for other in adds_graphs.COMPETITORS),
                Finding("Near-Far is much faster than Bellman-Ford (section 6.2)",
                        ratio(speedup["bellman_ford"], speedup["near_far"]), limit=MUCH),
                Finding("ADDS is slower than Near-Far on less than a tenth of the graphs (section 6.2)",
                        below(ours["near_far_0"].value, 10)),
                Finding("ADDS is 1.5 times as fast as Near-Far on most graphs (section 6.2)", single(shares[1.5], 50),
                        "near_far_from_1.5"),
                Finding("ADDS is 3 times as fast as Near-Far on a third of the graphs (section 6.2)", np.array([]),
                        "near_far_from_3")]
    for search in (adds_graphs.BASE, *adds_graphs.COMPETITORS, adds_graphs.OWN_NEAR_FAR):
        for instance, time in zip(trials.times.inputs, collection.measured(search).milliseconds):
            if np.isfinite(time):
                ours[f"{search.key}.{instance.workload}"] = Ours(float(time), instance.query,
                                                                 f"{search.name} on {instance.workload}", "ms")
    return figure, ours, findings


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
