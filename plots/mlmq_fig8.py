#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The multi-level queue against other implementations of shortest paths, by graph class: MLMQ Fig. 8. Where the paper
measured a library, the competitor that runs the library's algorithm stands in for it: Near-Far for Gunrock, Δ-stepping
on processors for Gunrock's CPU version. near_pull, which the paper does not have, is a series of its own."""

from __future__ import annotations

import overall
import reproduction

COMPETITORS = (overall.Competitor("adds", "ADDS", "ADDS"),
               overall.Competitor("bellman_ford", "Bellman-Ford", "H-BF"),
               overall.Competitor("gunrock", "Near-Far", "Gunrock"),
               overall.Competitor("boost", "Boost Dijkstra, CPU", "Boost-CPU", on_processors=True),
               overall.Competitor("gunrock_cpu", "Δ-stepping, CPU", "Gunrock-CPU", on_processors=True))


def draw(request: reproduction.Request, trials: reproduction.Trials) -> reproduction.Drawing:
    return overall.draw(request, trials, COMPETITORS, "near_pull", "Speed-up of MLMQ (higher is better)", "section 5.2")


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
