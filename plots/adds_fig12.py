#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS: ADDS Fig. 12, which adds_timeline.py draws."""

from __future__ import annotations

import adds_timeline  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Request, Trials
from verdicts import single


def findings_of(compared: adds_timeline.Comparison) -> list[Finding]:
    return [compared.faster(), compared.less_work(),
            Finding("ADDS has more parallelism than Near-Far (section 6.4)", single(compared.edges, 1))]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    return adds_timeline.draw(request, trials, findings_of)


if __name__ == "__main__":
    reproduction.run(draw, adds_timeline.__doc__)
