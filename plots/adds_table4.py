#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often ADDS does how many times the work of other searches, in vertices taken from the queue: ADDS Table 4."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Ours, Request, Trials
from verdicts import single

import numpy as np

EDGES = (0.25, 0.5, 0.75, 1, 1.5, 3)
# What the paper counts as less, as much and more work than Near-Far.
SHARES = (("near_far_less", 0, 0.75, "ADDS saves a quarter of the work of Near-Far", "a fifth"),
          ("near_far_same", 0.75, 1.5, "ADDS does about as much work as Near-Far", "almost half"),
          ("near_far_more", 1.5, np.inf, "ADDS does 1.5 times the work of Near-Far", "a third"))
NOTES = ("Number of graphs; work of the configurations that are the fastest on the graph. The paper's Gun-NF has no "
         "counterpart here.",)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    trials = adds_graphs.with_reach(trials)
    collection = adds_graphs.Collection(request, trials, (adds_graphs.BASE, *adds_graphs.COMPETITORS))
    rows = [(other.key, f"over {other.name}", collection.relative_work(adds_graphs.BASE, other))
            for other in (*adds_graphs.COMPETITORS, adds_graphs.OWN_NEAR_FAR, adds_graphs.OWN_BELLMAN_FORD)]
    reproduction.require_counts(rows[0][2])
    figure, ours = adds_graphs.draw_distributions(request, trials, rows, EDGES, "mean work", "Work of ADDS", NOTES)
    findings = [Finding("ADDS does more work than Near-Far in the mean (section 6.3)",
                        single(ours["near_far_mean"].value, 1), "near_far_mean")]
    for measure, low, high, statement, part in SHARES:
        ours[measure] = Ours(adds_graphs.share(rows[0][2], low, high), "", f"graphs on which {statement}", "%")
        findings.append(Finding(f"{statement} on {part} of the graphs (section 6.3)", np.array([]), measure))
    return figure, ours, findings


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
