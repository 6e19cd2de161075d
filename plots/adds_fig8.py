#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed-up of ADDS over Near-Far on each graph against the average degree: ADDS Fig. 8."""

from __future__ import annotations

import adds_graphs  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Request, Trials


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    return adds_graphs.draw_speedup(request, trials, "avg_nnz", "average degree")


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
