#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The multi-level queue against other implementations of breadth-first search: MLMQ Fig. 14. The level-synchronous
search of this program stands in for Gunrock's, the direction-optimising one on processors for Gunrock's CPU version.
push_pull, which the paper does not have, is a series of its own."""

from __future__ import annotations

import overall
import reproduction

COMPETITORS = (overall.Competitor("adds", "ADDS", "ADDS"),
               overall.Competitor("gunrock", "Bellman-Ford", "Gunrock"),
               overall.Competitor("gunrock_cpu", "breadth-first, CPU", "Gunrock-CPU", on_processors=True))


def draw(request: reproduction.Request, trials: reproduction.Trials) -> reproduction.Drawing:
    return overall.draw(request, trials, COMPETITORS, "push_pull",
                        "Speed-up of MLMQ, breadth-first search (higher is better)", "section 5.7")


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
