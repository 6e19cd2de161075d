#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parallelism over time of Near-Far and ADDS: ADDS Fig. 11, which adds_timeline.py draws."""

import adds_timeline
import reproduction

draw = adds_timeline.draw

if __name__ == "__main__":
    reproduction.run(draw, adds_timeline.__doc__)
