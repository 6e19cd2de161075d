#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed-up over Near-Far of ADDS, and of ADDS without some of its techniques: ADDS Table 5. The rows after 2-Buckets
are not in the paper."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Request, Trials

NOTES = ("Number of graphs. Static-Δ: Δ is that of Near-Far throughout. 2-Buckets: also with two buckets. 4 buckets "
         "open: their number is fixed. 16 and 8 buckets: instead of 32, with all techniques.",)


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    collection = adds_graphs.Collection(request, trials, (adds_graphs.NEAR_FAR, *adds_graphs.ABLATIONS))
    rows = [(variant.key, variant.name, collection.speedup(variant, adds_graphs.NEAR_FAR))
            for variant in adds_graphs.ABLATIONS]
    return adds_graphs.draw_distributions(request, trials, rows, adds_graphs.SPEEDUP_EDGES, "mean speed-up",
                                          "Speed-up over Near-Far of ADDS with fewer techniques", NOTES)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
