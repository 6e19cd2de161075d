#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS: ADDS Fig. 14, which adds_timeline.py draws."""

from __future__ import annotations

import adds_timeline  # before numpy: says what to do when that is missing
import reproduction
from reproduction import Finding, Request, Trials
from verdicts import MUCH, alike

import numpy as np

THE_SAME = 0.8  # limit of numbers that are the same; the paper's speed-up and saved work are 2.29 and 2.18


def findings_of(compared: adds_timeline.Comparison) -> list[Finding]:
    return [compared.faster(), compared.less_work(),
            Finding("Both keep about as many warps at work (section 6.4)",
                    alike(np.array([compared.warps]), np.ones(1)), limit=1 / MUCH),
            Finding("The speed-up is that of the saved work (section 6.4)",
                    alike(np.array([compared.over_saved_work], dtype=float), np.ones(1)), limit=THE_SAME)]


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    return adds_timeline.draw(request, trials, findings_of)


if __name__ == "__main__":
    reproduction.run(draw, adds_timeline.__doc__)
