#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS: ADDS Fig. 13, which adds_timeline.py draws."""

from __future__ import annotations

import adds_timeline  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Request, Trials
from verdicts import MUCH, below, single


def findings_of(compared: adds_timeline.Comparison) -> list[Finding]:
    return [compared.faster(), compared.less_work(),
            Finding("Near-Far keeps about as many warps at work as ADDS (section 6.4)", below(compared.warps, MUCH)),
            Finding("Near-Far has less parallelism in its last quarter (section 6.4)",
                    single(compared.near_far.edges_until(0.75), 1)),
            Finding("The speed-up is above the saved work (section 6.4)", single(compared.over_saved_work, 1))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    return adds_timeline.draw(request, trials, findings_of)


if __name__ == "__main__":
    reproduction.run(draw, adds_timeline.__doc__)
