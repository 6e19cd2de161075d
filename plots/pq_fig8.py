#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PHOLD with 32,768 entities, events per second over the events per entity: Fig. 8 of the third paper."""

from __future__ import annotations

import pq_events
import reproduction


def draw(request: reproduction.Request, trials: reproduction.Trials) -> reproduction.Drawing:
    return pq_events.draw(request, trials, 32768)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
