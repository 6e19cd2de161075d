#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed-up over Near-Far of ADDS, and of ADDS without some of its techniques: ADDS Table 5. The rows after 2-Buckets
are not in the paper; the last one is the paper's own program, if its times are on record."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Request, Trials, ratio

NOTES = ("Number of graphs. Static-Δ: Δ is that of Near-Far throughout. 2-Buckets: also with two buckets. 4 buckets "
         "open: their number is fixed. 16 and 8 buckets: instead of 32, with all techniques.",)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    trials = adds_graphs.with_reach(trials)
    collection = adds_graphs.Collection(request, trials, (adds_graphs.NEAR_FAR, *adds_graphs.ABLATIONS))
    rows = [(variant.key, variant.name, collection.speedup(variant, adds_graphs.NEAR_FAR))
            for variant in adds_graphs.ABLATIONS]
    published, published_notes = adds_graphs.published_speedup()
    if trials.provenance.modelled:
        published_notes = []  # not compared with modelled times
    if published_notes:
        rows.append((adds_graphs.PUBLISHED.key, adds_graphs.PUBLISHED.name, published))
    figure, ours = adds_graphs.draw_distributions(request, trials, rows, adds_graphs.SPEEDUP_EDGES, "mean speed-up",
                                                  "Speed-up over Near-Far of ADDS with fewer techniques",
                                                  (*NOTES, *published_notes))
    adds, static_delta, two_buckets = (values for _, _, values in rows[:3])
    return figure, ours, [
        Finding("ADDS is faster than Near-Far (section 6.5)", adds, "adds_mean"),
        Finding("ADDS with a static Δ is slower (section 6.5)", ratio(adds, static_delta), "static_delta_mean"),
        Finding("ADDS with a static Δ and two buckets is slower still (section 6.5)", ratio(static_delta, two_buckets),
                "two_buckets_mean"),
        Finding("Even with a static Δ and two buckets, ADDS is faster than Near-Far (section 6.5)", two_buckets)]


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
