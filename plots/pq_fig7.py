#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PHOLD with 1,024 entities, events per second over the events per entity: Fig. 7 of the third paper."""

from __future__ import annotations

from collections.abc import Mapping

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import reproduction
from pq_queues import BUFFERS, NAMES, SEQUENTIAL, TREES, Panel
from reproduction import Finding
from verdicts import ALIKE, alike

import numpy as np

FEW, MANY = 16, 256  # events of an entity up to which the paper has sequential buffers and CB-PAR ahead


def gains_at_first(panel: Panel) -> np.ndarray:
    """Returns for each queue its rate at the second number of events over that at the first."""
    places = panel.places()[:2]
    rates = [panel.values(name, places) for name in NAMES.values()]
    return np.array([values[1] / values[0] for values in rates if len(values) == 2])


def falls_at_last(panel: Panel) -> np.ndarray:
    """Returns for each circular buffer its rates at the last two numbers of events, before over after."""
    points = [list(panel.curves.get(name, {}).values())[-2:] for name in BUFFERS]
    return np.array([values[0] / values[1] for values in points if len(values) == 2])


def steps_at_last(panel: Panel) -> np.ndarray:
    """Returns for the same buffers the numbers of events, after over before."""
    points = [list(panel.curves.get(name, {}))[-2:] for name in BUFFERS]
    return np.array([places[1] / places[0] for places in points if len(places) == 2])


def kept_at_last(panel: Panel) -> np.ndarray:
    """Returns for each tree its rate at the most events over its highest."""
    curves = [panel.curves[name] for name in TREES if name in panel.curves]
    return np.array([curve[max(curve)] / max(curve.values()) for curve in curves])


def lost_by_rate(panels: Mapping[float, Panel]) -> np.ndarray:
    """Returns the rates of each queue at each number of events over those with the next smaller λ."""
    ordered = [panels[rate] for rate in sorted(panels, reverse=True)]
    return pq_queues.joined(upper.values(name, upper.places()) / lower.values(name, upper.places())
                            for upper, lower in zip(ordered, ordered[1:]) for name in NAMES.values())


def findings_of(panels: Mapping[float, Panel]) -> list[Finding]:
    everywhere = list(panels.values())

    def leads(names: tuple[str, ...], others: tuple[str, ...] | None, least: float, most: float) -> np.ndarray:
        return pq_queues.joined(panel.leads(panel.places(lambda x: least < x <= most), names, others)
                                for panel in everywhere)

    return [Finding(f"A circular buffer is faster than the trees up to about {MANY} events of an entity (section "
                    "IV-B1)", leads(BUFFERS, TREES, 0, MANY)),
            Finding(f"The trees are faster than circular buffers above about {MANY} events of an entity (section "
                    "IV-B1)", leads(TREES, BUFFERS, MANY, np.inf)),
            Finding(f"A sequential circular buffer is the fastest up to {FEW} events of an entity (section IV-B1)",
                    leads(SEQUENTIAL, None, 0, FEW)),
            Finding(f"CB-PAR is the fastest above {FEW} and up to about {MANY} events of an entity (section IV-B1)",
                    leads(("CB-PAR",), None, FEW, MANY)),
            pq_events.buffer_like_heap(panels),
            Finding("At first, more events of an entity make each queue faster (section IV-B1)",
                    pq_queues.joined(map(gains_at_first, everywhere))),
            Finding("At many events of an entity, the rates of circular buffers fall about linearly (section IV-B1)",
                    pq_queues.joined(alike(falls_at_last(panel), steps_at_last(panel)) for panel in everywhere),
                    limit=ALIKE),
            Finding("The rates of trees fall little (section IV-B1)",
                    pq_queues.joined(map(kept_at_last, everywhere)), limit=ALIKE),
            Finding("A smaller λ makes each queue slower at the same number of events (Fig. 7)",
                    lost_by_rate(panels))]


def draw(request: reproduction.Request, trials: reproduction.Trials) -> reproduction.Drawing:
    return pq_events.draw(request, trials, 1024, findings_of)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
