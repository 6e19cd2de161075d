#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PHOLD with 32,768 entities, events per second over the events per entity: Fig. 8 of the third paper."""

from __future__ import annotations

from collections.abc import Mapping

import pq_events  # before numpy: says what to do when that is missing
import pq_queues
import reproduction
from pq_queues import BUFFERS, NAMES, TREES, Panel
from reproduction import Finding
from verdicts import single

RATE = 0.1  # λ at which the paper has CB-SEQ ahead
CB_SEQ_UP_TO = 128  # events of an entity
BUFFERS_UP_TO = 512  # "about 500" items of a queue
MOSTLY = 50  # percent of the points of the curves


def findings_of(panels: Mapping[float, Panel]) -> list[Finding]:
    everywhere = [(panel, panel.places()) for panel in panels.values()]
    of_rate = [panel for rate, panel in panels.items() if rate == RATE]
    over_parallel = pq_queues.joined(panel.leads(places, ("CB-SEQ",), ("CB-PAR",)) for panel, places in everywhere)
    parallel_behind = pq_queues.joined(
        panel.leads(places, [name for name in NAMES.values() if name != "CB-PAR"], ("CB-PAR",))
        for panel, places in everywhere)
    over_trees = pq_queues.joined(panel.leads(panel.places(lambda x: x <= BUFFERS_UP_TO), BUFFERS, TREES)
                                  for panel, _ in everywhere)
    ends = pq_queues.joined(panel.leads(places, names, others) for panel, all_places in everywhere
                            for places, names, others in ((all_places[:1], BUFFERS, TREES),
                                                          (all_places[-1:], TREES, BUFFERS)))
    return [Finding(f"CB-SEQ is the fastest up to about {CB_SEQ_UP_TO} events of an entity at λ = {RATE} (section "
                    "IV-B1)",
                    pq_queues.joined(panel.leads(panel.places(lambda x: x <= CB_SEQ_UP_TO), ("CB-SEQ",))
                                     for panel in of_rate), "cb_seq_0.1"),
            Finding("CB-SEQ is faster than CB-PAR over a wide range: on more than half of the points (Fig. 8)",
                    single(pq_queues.share_ahead(over_parallel), MOSTLY)),
            Finding("CB-PAR is the fastest in rare cases only (section IV-B1)", parallel_behind),
            Finding("As with 1,024 entities, circular buffers are ahead at the fewest events and trees at the most "
                    "(section IV-B1)", ends),
            Finding("The heap is the fastest at the most events of an entity (section IV-B1)",
                    pq_queues.joined(panel.leads(places[-1:], ("heap",)) for panel, places in everywhere)),
            Finding("Up to about 500 events of an entity, circular buffers are frequently faster than trees: on more "
                    "than half of the points (section V)", single(pq_queues.share_ahead(over_trees), MOSTLY)),
            pq_events.buffer_like_heap(panels)]


def draw(request: reproduction.Request, trials: reproduction.Trials) -> reproduction.Drawing:
    return pq_events.draw(request, trials, 32768, findings_of)


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
