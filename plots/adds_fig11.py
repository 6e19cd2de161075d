#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS: ADDS Fig. 11, which adds_timeline.py draws."""

from __future__ import annotations

import adds_timeline  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Request, Trials
from verdicts import MUCH, below, single


def findings_of(compared: adds_timeline.Comparison) -> list[Finding]:
    return [compared.faster(),
            Finding("ADDS does more work than Near-Far (section 6.4)", below(compared.efficiency, 1), "efficiency"),
            Finding("ADDS has much more parallelism than Near-Far (section 6.4)", single(compared.edges, 1),
                    limit=MUCH)]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    return adds_timeline.draw(request, trials, findings_of)


if __name__ == "__main__":
    reproduction.run(draw, adds_timeline.__doc__)
