#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS: ADDS Fig. 15, which adds_timeline.py draws."""

from __future__ import annotations

import adds_timeline  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Request, Trials
from verdicts import below


def findings_of(compared: adds_timeline.Comparison) -> list[Finding]:
    return [compared.faster(), compared.less_work(),
            Finding("The speed-up is below the saved work (section 6.4)", below(compared.over_saved_work, 1)),
            Finding("ADDS has less parallelism in its first half (section 6.4)",
                    below(compared.adds.edges_until(0.5), 1))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    return adds_timeline.draw(request, trials, findings_of)


if __name__ == "__main__":
    reproduction.run(draw, adds_timeline.__doc__)
